//! The shapes of a model, shared by all its worlds: what geoms look like, and which of them can be seen.

use std::sync::{Arc, OnceLock};

use motrix_collide::vector::{Vec3, norm, scale, unit_of_any_length};
use motrix_collide::{Hull, Pose, Shape, Surface, Window};
use motrix_model::{BodyId, GeomId, GeomKind, MeshId, Model};

use crate::bvh::Bounds;
use crate::distance::Body;
use crate::mesh::Mesh;
use crate::ray::{self, Feature, Ground, OnFace, Ray};

/// A shape in its own frame, lengths in metres.
#[derive(Clone, Copy, Debug)]
pub enum Geometry<'a> {
    /// z = 0 within half sizes; those that are not positive are unbounded.
    Plane {
        /// Half sizes along x and y.
        half: [f64; 2],
    },
    /// A ball about the origin.
    Sphere {
        /// Its radius.
        radius: f64,
    },
    /// A ball swept along |z| ≤ `half_length`.
    Capsule {
        /// Radius of the ball.
        radius: f64,
        /// Half the length of its way.
        half_length: f64,
    },
    /// Σ (pₖ / rₖ)² ≤ 1.
    Ellipsoid {
        /// Semi-axes.
        radii: Vec3,
    },
    /// x² + y² ≤ `radius`², |z| ≤ `half_length`.
    Cylinder {
        /// Radius of the disc.
        radius: f64,
        /// Half the height.
        half_length: f64,
    },
    /// |x|, |y|, |z| within the half sizes.
    Box {
        /// Half sizes.
        half: Vec3,
    },
    /// Triangles.
    Mesh(&'a Mesh),
    /// Terrain, as its world sees it.
    HField(Ground<'a>),
}

/// A geom as one world has it.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    /// The geom.
    pub geom: GeomId,
    /// Where it is.
    pub pose: Pose,
    /// Its sizes.
    pub size: Vec3,
    /// What is seen of its height field; all of it unless given.
    pub window: Option<Window>,
}

impl Geometry<'_> {
    /// The box around it; `None` for planes.
    pub fn bounds(&self) -> Option<Bounds> {
        let about_origin = |half: Vec3| Bounds {
            min: half.map(|x| -x),
            max: half,
        };
        Some(match *self {
            Geometry::Plane { .. } => return None,
            Geometry::Sphere { radius } => about_origin([radius; 3]),
            Geometry::Capsule { radius, half_length } => about_origin([radius, radius, radius + half_length]),
            Geometry::Ellipsoid { radii } => about_origin(radii),
            Geometry::Cylinder { radius, half_length } => about_origin([radius, radius, half_length]),
            Geometry::Box { half } => about_origin(half),
            Geometry::Mesh(mesh) => *mesh.tree().bounds(),
            Geometry::HField(Ground { surface, range }) => {
                let ([x, y], [low, high]) = (surface.half(), range);
                Bounds {
                    min: [-x, -y, low.min(-surface.base())],
                    max: [x, y, high.max(0.0)],
                }
            }
        })
    }

    /// Where a ray in its frame first meets it before `limit`.
    #[inline(always)]
    pub fn met_by(&self, ray: &Ray, limit: f64) -> Option<(f64, Feature)> {
        let met = match self {
            Geometry::Plane { half } => ray::plane(*half, ray),
            Geometry::Sphere { radius } => ray::ball(*radius, ray),
            Geometry::Capsule { radius, half_length } => ray::capsule(*radius, *half_length, ray),
            Geometry::Ellipsoid { radii } => ray::ellipsoid(*radii, ray),
            Geometry::Cylinder { radius, half_length } => ray::cylinder(*radius, *half_length, ray),
            Geometry::Box { half } => ray::block(half.map(|x| -x), *half, ray),
            Geometry::Mesh(mesh) => {
                let hit = mesh.met_by(ray, limit)?;
                Some((hit.distance, Feature::Face(hit.place as u32)))
            }
            Geometry::HField(ground) => ray::terrain(ground, ray, limit),
        };
        met.filter(|(t, _)| *t <= limit)
    }

    /// Whether a ray in its frame meets it before `limit`.
    #[inline]
    pub fn blocks(&self, ray: &Ray, limit: f64) -> bool {
        match self {
            Geometry::Mesh(mesh) => mesh.blocks(ray, limit),
            _ => self.met_by(ray, limit).is_some(),
        }
    }

    /// The outward unit normal where a ray in its frame meets a feature, at `t`.
    #[inline(always)]
    pub fn normal(&self, ray: &Ray, t: f64, feature: Feature) -> Vec3 {
        match (feature, self) {
            (Feature::Flat { axis, positive }, _) => Feature::flat_normal(axis, positive),
            (Feature::Face(place), Geometry::Mesh(mesh)) => mesh.normal(place as usize),
            (Feature::Slope { row, col, right }, Geometry::HField(ground)) => {
                ray::slope_normal(&ground.surface, row as usize, col as usize, right)
            }
            _ => self.round_normal(ray.at(t)),
        }
    }

    /// The outward unit normal at a point of the curved part of a round shape.
    fn round_normal(&self, point: Vec3) -> Vec3 {
        let [x, y, z] = point;
        match *self {
            Geometry::Capsule { half_length, .. } => outward([x, y, z - z.clamp(-half_length, half_length)]),
            Geometry::Cylinder { .. } => outward([x, y, 0.0]),
            Geometry::Ellipsoid { radii } => outward([0, 1, 2].map(|k| point[k] / (radii[k] * radii[k]))),
            _ => outward(point),
        }
    }

    /// The place on a mesh where a ray meets it.
    pub fn on_face(&self, ray: &Ray, feature: Feature) -> Option<OnFace> {
        match (feature, self) {
            (Feature::Face(place), Geometry::Mesh(mesh)) => Some(mesh.on_face(place as usize, ray)),
            _ => None,
        }
    }
}

/// The direction of a vector, or up when it has none.
fn outward(v: Vec3) -> Vec3 {
    let length = norm(v);
    if length > 1e-100 {
        scale(v, 1.0 / length)
    } else {
        unit_of_any_length(v).unwrap_or([0.0, 0.0, 1.0])
    }
}

/// The shapes of a model. Trees over meshes are built when first needed and then shared by everyone.
#[derive(Debug)]
pub struct Shapes {
    model: Arc<Model>,
    meshes: Vec<OnceLock<Mesh>>,
    /// Hulls of meshes that do not collide, as the points they are the hull of.
    hulls: Vec<OnceLock<Option<Hull>>>,
}

impl Shapes {
    /// The shapes of a model; nothing is built yet.
    pub fn new(model: Arc<Model>) -> Shapes {
        let meshes = model.meshes.iter().map(|_| OnceLock::new()).collect();
        let hulls = model.meshes.iter().map(|_| OnceLock::new()).collect();
        Shapes { model, meshes, hulls }
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// A mesh to be searched.
    pub fn mesh(&self, id: MeshId) -> &Mesh {
        self.meshes[id.index()].get_or_init(|| {
            let asset = &self.model.meshes[id.index()];
            let vertices: Vec<Vec3> = asset.vertices.iter().map(|v| v.map(f64::from)).collect();
            Mesh::new(&vertices, &asset.faces)
        })
    }

    /// A geom at its place, for distances.
    pub fn body(&self, placement: &Placement) -> Body<'_> {
        Body {
            geometry: self.geometry(placement),
            convex: self.convex(placement.geom, placement.size),
            pose: placement.pose,
        }
    }

    /// The convex hull of a mesh; `None` when it has no vertices.
    pub fn hull(&self, id: MeshId) -> Option<&Hull> {
        let asset = &self.model.meshes[id.index()];
        if let Some(hull) = &asset.hull {
            return Some(hull);
        }
        let built = self.hulls[id.index()].get_or_init(|| {
            let vertices: Vec<Vec3> = asset.vertices.iter().map(|v| v.map(f64::from)).collect();
            Hull::from_points(&vertices).ok()
        });
        built.as_ref()
    }

    /// The convex shape of a geom, meshes as their hulls; `None` for terrain.
    pub fn convex(&self, geom: GeomId, size: Vec3) -> Option<Shape<'_>> {
        let [a, b, _] = size;
        Some(match self.model.geoms[geom.index()].kind {
            GeomKind::Plane => Shape::Plane,
            GeomKind::Sphere => Shape::Sphere { radius: a },
            GeomKind::Capsule => Shape::Capsule {
                radius: a,
                half_length: b,
            },
            GeomKind::Ellipsoid => Shape::Ellipsoid { radii: size },
            GeomKind::Cylinder => Shape::Cylinder {
                radius: a,
                half_length: b,
            },
            GeomKind::Box => Shape::Box { half: size },
            GeomKind::Mesh(mesh) => Shape::Hull(self.hull(mesh)?),
            GeomKind::HField(_) => return None,
        })
    }

    /// The shape of a geom in its own frame, as a world has it.
    pub fn geometry(&self, placement: &Placement) -> Geometry<'_> {
        let size = placement.size;
        let [a, b, _] = size;
        match self.model.geoms[placement.geom.index()].kind {
            GeomKind::Plane => Geometry::Plane { half: [a, b] },
            GeomKind::Sphere => Geometry::Sphere { radius: a },
            GeomKind::Capsule => Geometry::Capsule {
                radius: a,
                half_length: b,
            },
            GeomKind::Ellipsoid => Geometry::Ellipsoid { radii: size },
            GeomKind::Cylinder => Geometry::Cylinder {
                radius: a,
                half_length: b,
            },
            GeomKind::Box => Geometry::Box { half: size },
            GeomKind::Mesh(mesh) => Geometry::Mesh(self.mesh(mesh)),
            GeomKind::HField(field) => {
                let field = &self.model.hfields[field.index()].field;
                let window = placement.window.unwrap_or_else(|| Window::whole(field));
                Geometry::HField(Ground::new(Surface::new(field, window)))
            }
        }
    }
}

/// Number of groups; a higher or lower one counts as the last or first (`mjNGROUP`).
pub const GROUPS: usize = 6;

/// Which geoms a query sees, as MuJoCo's `mj_ray` chooses them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visible {
    of_geom: Vec<bool>,
}

impl Visible {
    /// All geoms but those without opacity.
    pub fn all(model: &Model) -> Visible {
        let opaque = |geom: &motrix_model::Geom| match geom.material {
            Some(material) => model.materials[material.index()].rgba[3] != 0.0,
            None => geom.rgba[3] != 0.0,
        };
        Visible {
            of_geom: model.geoms.iter().map(opaque).collect(),
        }
    }

    /// Only geoms of these groups.
    #[must_use]
    pub fn in_groups(self, model: &Model, groups: [bool; GROUPS]) -> Visible {
        self.and(|geom| groups[model.geoms[geom].group.clamp(0, GROUPS as i32 - 1) as usize])
    }

    /// Only geoms of bodies that can move.
    #[must_use]
    pub fn moving(self, model: &Model) -> Visible {
        self.and(|geom| model.bodies[model.geoms[geom].body.index()].weld != BodyId::WORLD)
    }

    /// Without the geoms of a body.
    #[must_use]
    pub fn without_body(self, model: &Model, body: BodyId) -> Visible {
        self.and(|geom| model.geoms[geom].body != body)
    }

    /// Without a geom.
    #[must_use]
    pub fn without(self, geom: GeomId) -> Visible {
        self.and(|other| other != geom.index())
    }

    fn and(mut self, keep: impl Fn(usize) -> bool) -> Visible {
        for (geom, visible) in self.of_geom.iter_mut().enumerate() {
            *visible &= keep(geom);
        }
        self
    }

    /// Whether a geom is seen.
    pub fn sees(&self, geom: GeomId) -> bool {
        self.of_geom[geom.index()]
    }

    /// The geoms that are seen.
    pub fn geoms(&self) -> impl Iterator<Item = GeomId> + '_ {
        (0..self.of_geom.len())
            .filter(|&geom| self.of_geom[geom])
            .map(GeomId::new)
    }
}
