//! Sensors that tell how far an object reaches out of a site.
//!
//! `<insidesite enclosed="true">` reads the largest signed distance from the site's surface of any point of its object: a geom, a
//! site, the geoms of a body, or those of a body and all its descendants. MuJoCo searches for that point by steps which may end at
//! one that is only the farthest around; here it is the farthest.

use motrix_collide::{Placed, Pose, Scratch, Shape};
use motrix_model::{BodyId, GeomId, GeomKind, Object, Sensor, SensorKind, SiteId};
use motrix_query::Shapes;
use motrix_query::enclosure::reach_out;
use motrix_spatial::Lanes;

use crate::perception::{World, times};

/// An `<insidesite enclosed="true">` sensor.
pub struct Enclosed {
    sensor: Sensor,
    site: SiteId,
    content: Content,
}

/// What should be inside.
enum Content {
    Site(SiteId),
    Geoms(Vec<GeomId>),
}

impl Enclosed {
    /// The sensor, if it is of this kind.
    pub fn new(shapes: &Shapes, sensor: &Sensor) -> Option<Self> {
        let (SensorKind::InsideSite { enclosed: true }, Some(Object::Site(site))) = (&sensor.kind, sensor.reference)
        else {
            return None;
        };
        let content = match sensor.object? {
            Object::Site(site) => Content::Site(site),
            Object::Geom(geom) => Content::Geoms(vec![geom]),
            Object::Body(body) => Content::Geoms(geoms_of(shapes, |other| other == body)),
            Object::XBody(body) => Content::Geoms(geoms_of(shapes, |other| descends(shapes, other, body))),
            _ => return None,
        };
        Some(Self {
            sensor: sensor.clone(),
            site,
            content,
        })
    }

    /// Where the reading is written.
    pub fn sensor(&self) -> &Sensor {
        &self.sensor
    }

    /// The reading in one world.
    pub fn measure<L: Lanes>(&self, world: &World<L>, shapes: &Shapes, scratch: &mut Scratch) -> f64 {
        let Some(region) = place_site(world, shapes, self.site) else {
            return 0.0;
        };
        let mut farthest = f64::NEG_INFINITY;
        match &self.content {
            Content::Site(site) => {
                if let Some(object) = place_site(world, shapes, *site) {
                    farthest = reach_out(&region, &object, scratch);
                }
            }
            Content::Geoms(geoms) => {
                for &geom in geoms {
                    let placement = world.geom(geom);
                    if let Some(shape) = shapes.convex(geom, placement.size) {
                        let pose = placement.pose;
                        farthest = farthest.max(reach_out(&region, &Placed { shape, pose }, scratch));
                    }
                }
            }
        }
        farthest
    }
}

/// The geoms of the bodies that count.
fn geoms_of(shapes: &Shapes, counts: impl Fn(BodyId) -> bool) -> Vec<GeomId> {
    let geoms = shapes.model().geoms.iter().enumerate();
    geoms
        .filter(|(_, geom)| counts(geom.body))
        .map(|(g, _)| GeomId::new(g))
        .collect()
}

/// Whether a body is another or below it in the tree.
fn descends(shapes: &Shapes, mut body: BodyId, from: BodyId) -> bool {
    while body != from && body.index() > 0 {
        body = shapes.model().bodies[body.index()].parent;
    }
    body == from
}

/// The volume of a site. A mesh is its convex hull, in the frame of the file that it came from.
fn place_site<'s, L: Lanes>(world: &World<L>, shapes: &'s Shapes, site: SiteId) -> Option<Placed<'s>> {
    let (poses, s) = (&world.data.poses, site.index());
    let pose = world.pose(&poses.site_position[s], &poses.site_rotation[s]);
    let site = &world.model.sites[s];
    let [a, b, _] = site.size;
    let shape = match site.kind {
        GeomKind::Sphere => Shape::Sphere { radius: a },
        GeomKind::Capsule => Shape::Capsule {
            radius: a,
            half_length: b,
        },
        GeomKind::Ellipsoid => Shape::Ellipsoid { radii: site.size },
        GeomKind::Cylinder => Shape::Cylinder {
            radius: a,
            half_length: b,
        },
        GeomKind::Box => Shape::Box { half: site.size },
        GeomKind::Mesh(mesh) => {
            let asset = &world.model.meshes[mesh.index()];
            let local = Pose::new(asset.position, asset.orientation);
            return Some(Placed {
                shape: Shape::Hull(shapes.hull(mesh)?),
                pose: Pose {
                    position: pose.point(local.position),
                    rotation: times(&pose.rotation, &local.rotation),
                },
            });
        }
        GeomKind::Plane | GeomKind::HField(_) => return None,
    };
    Some(Placed { shape, pose })
}
