//! Tendons as pictures show them: rods between the sites they pass and the points where they bend around geoms. An arc is drawn as
//! its chord, as MuJoCo does.

use motrix_collide::vector::{Mat3, Vec3, add, cross, norm, perpendicular, scale, sub, unit};
use motrix_collide::{Pose, WrapShape, wrap};
use motrix_model::{GeomId, PathItem, SiteId, Tendon};

use super::NOTHING;
use super::look::Look;
use super::scene::{Assets, Choice};
use super::surface::{Form, Piece};

/// What a tendon bends around between two sites.
struct Bend {
    shape: WrapShape,
    geom: GeomId,
    side: Option<SiteId>,
}

impl Assets {
    /// The tendons of a world; bit *k* of `groups` shows those of group *k*.
    pub fn tendons(&self, world: &Choice, groups: u32) -> Vec<(Piece, Look)> {
        let shown = |tendon: &&Tendon| (0..32).contains(&tendon.group) && groups >> tendon.group & 1 != 0;
        let tendons = self.model().tendons.iter().filter(shown);
        let rods = tendons.flat_map(|tendon| {
            let look = self.look_of(tendon.rgba, tendon.material, true);
            let ways = self.ways(tendon, world).into_iter();
            ways.filter_map(move |way| Some((rod(way, tendon.width, world.offset)?, look.clone())))
        });
        rods.collect()
    }

    /// The straight parts of a tendon.
    fn ways(&self, tendon: &Tendon, world: &Choice) -> Vec<[Vec3; 2]> {
        let mut ways = Vec::new();
        let (mut last, mut bend): (Option<Vec3>, Option<Bend>) = (None, None);
        for item in &tendon.path {
            match *item {
                PathItem::Joint(..) => {}
                // The path after a pulley begins anew.
                PathItem::Pulley(_) => (last, bend) = (None, None),
                PathItem::Sphere(geom, side) => {
                    let shape = WrapShape::Sphere;
                    bend = Some(Bend { shape, geom, side });
                }
                PathItem::Cylinder(geom, side) => {
                    let shape = WrapShape::Cylinder;
                    bend = Some(Bend { shape, geom, side });
                }
                PathItem::Site(site) => {
                    let to = self.site_at(site, world);
                    if let Some(from) = last {
                        let arc = bend.take().and_then(|bend| self.arc(&bend, world, from, to));
                        match arc {
                            Some(arc) => ways.extend([[from, arc.start], [arc.start, arc.end], [arc.end, to]]),
                            None => ways.push([from, to]),
                        }
                    }
                    last = Some(to);
                }
            }
        }
        ways
    }

    fn arc(&self, bend: &Bend, world: &Choice, from: Vec3, to: Vec3) -> Option<motrix_collide::Arc> {
        let index = bend.geom.index();
        let geom = &self.model().geoms[index];
        let (position, rotation) = world.placed(geom.body, geom.position, geom.orientation);
        let radius = world.size_of(index, geom)[0];
        let side = bend.side.map(|site| self.site_at(site, world));
        wrap(bend.shape, &Pose { position, rotation }, radius, from, to, side)
    }

    fn site_at(&self, site: SiteId, world: &Choice) -> Vec3 {
        let site = &self.model().sites[site.index()];
        world.placed(site.body, site.position, site.orientation).0
    }
}

/// A rod between two points; none between points that coincide.
fn rod([from, to]: [Vec3; 2], radius: f64, offset: Vec3) -> Option<Piece> {
    let way = sub(to, from);
    Some(Piece {
        form: Form::Capsule,
        size: [radius, 0.5 * norm(way), 0.0],
        position: add(offset, scale(add(from, to), 0.5)),
        rotation: upright(unit(way)?),
        look: 0,
        tag: NOTHING,
    })
}

/// Some frame whose z axis is a unit vector.
fn upright(z: Vec3) -> Mat3 {
    let x = perpendicular(z);
    let y = cross(z, x);
    [x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_along_any_direction_is_a_rotation() {
        for z in [
            [0.0, 0.0, 1.0],
            [0.0, 0.0, -1.0],
            [1.0, 0.0, 0.0],
            [0.6, 0.8, 0.0],
            [0.48, 0.64, -0.6],
        ] {
            let r = upright(z);
            let column = |k: usize| [r[k], r[3 + k], r[6 + k]];
            assert!(norm(sub(column(2), z)) < 1e-12, "{r:?}");
            assert!(norm(sub(cross(column(0), column(1)), z)) < 1e-12, "{r:?}");
            assert!((norm(column(0)) - 1.0).abs() < 1e-12, "{r:?}");
        }
    }

    #[test]
    fn a_rod_ends_where_it_should() {
        let piece = rod([[1.0, 2.0, 3.0], [1.0, 2.0, 7.0]], 0.1, [10.0, 0.0, 0.0]).expect("the points differ");
        assert_eq!(piece.position, [11.0, 2.0, 5.0]);
        assert_eq!(piece.size, [0.1, 2.0, 0.0]);
        assert!(rod([[1.0; 3]; 2], 0.1, [0.0; 3]).is_none(), "no length, no rod");
    }
}
