//! Contacts of a convex shape with terrain: the union of triangular prisms below a height field.
//!
//! Each cell of the grid is two prisms: a triangle of the surface, the walls below its edges, and the base. The prisms under the
//! shape's bounding box are tried in the order of the grid, and each gives at most its deepest contact, as in MuJoCo.

use crate::cells::{Walk, corners};
use crate::contact::{Contact, Settings};
use crate::memory::Memory;
use crate::minkowski::Pair;
use crate::prism_contact::touch_prism;
use crate::separation::Scratch;
use crate::shape::{Placed, Pose};
use crate::support::{Core, Rounded};
use crate::terrain::{Surface, Tally};
use crate::vector::{Vec3, add_scaled, cross, dot, neg, norm, norm2, rotate_back, sub};

/// Most contacts of one pair (MuJoCo's `mjMAXCONPAIR`); further prisms are not tried.
pub const MAX_CONTACTS: usize = 50;

/// By how much a gap must exceed the margin for a prism to be left out, as a share of the lengths it is computed from: far above
/// their rounding.
const SLACK: f64 = 1e-9;

/// Finds where a shape touches the field or is no farther from it than `margin`. The contacts replace what `out` held; their
/// normals point from the field to the shape. Prisms beyond the bound on contacts count as dropped.
pub fn collide_terrain(
    surface: &Surface,
    field_in_world: &Pose,
    other: &Placed,
    margin: f64,
    settings: &Settings,
    scratch: &mut Scratch,
    out: &mut Vec<Contact>,
) -> Tally {
    out.clear();
    let mut tally = Tally::default();
    // Everything in the frame of the field.
    let shape = Placed {
        shape: other.shape,
        pose: field_in_world.relative(&other.pose),
    };
    let (Some(rounded), Some((min, max))) = (Rounded::new(&shape.shape), bounding_box(&shape)) else {
        return tally;
    };
    let Some(mut walk) = Walk::below(surface, min, max, margin) else {
        return tally;
    };
    let mut above = Above::new(&rounded, &shape.pose, margin);
    while let Some(place) = walk.next(surface) {
        if out.len() >= MAX_CONTACTS {
            tally.dropped += 1;
            continue;
        }
        let points = corners(surface, place);
        if above.proves_apart(&points) {
            continue;
        }
        let contact = above.touch(&points, settings, scratch);
        out.extend(contact.map(|contact| Contact {
            position: field_in_world.point(contact.position),
            normal: field_in_world.direction(contact.normal),
            ..contact
        }));
    }
    tally.found = out.len() as u32;
    tally
}

/// A shape over prisms, and what is known of it from one prism to the next: none of it changes a result.
struct Above<'a> {
    shape: &'a Rounded<'a>,
    pose: &'a Pose,
    margin: f64,
    /// The shape's lowest point over the last prism and its feature, from where the search for the next begins.
    lowest: (Vec3, u32),
    /// What separated the shape from a prism last.
    memory: Memory,
}

impl<'a> Above<'a> {
    fn new(shape: &'a Rounded<'a>, pose: &'a Pose, margin: f64) -> Self {
        Self {
            shape,
            pose,
            margin,
            lowest: (pose.point(shape.core.centre()), 0),
            memory: Memory::default(),
        }
    }

    /// Whether the shape is above the plane of a prism's top by more than the margin.
    fn proves_apart(&mut self, points: &[Vec3; 6]) -> bool {
        let [.., a, b, c] = *points;
        let (ab, ac) = (sub(b, a), sub(c, a));
        let normal = cross(ab, ac);
        let limit = self.margin + self.shape.radius;
        let is_above = |p: Vec3| {
            let from = sub(p, a);
            dot(normal, from) > norm(normal) * (limit + SLACK * norm(from))
        };
        // Where the last lowest point is not above, there is no need to look for a lower one.
        if !is_above(self.lowest.0) {
            return false;
        }
        let down = rotate_back(&self.pose.rotation, neg(normal));
        let (lowest, feature) = self.shape.core.support(down, self.lowest.1);
        self.lowest = (self.pose.point(lowest), feature);
        is_above(self.lowest.0)
    }

    /// The contact with a prism.
    fn touch(&mut self, points: &[Vec3; 6], settings: &Settings, scratch: &mut Scratch) -> Option<Contact> {
        let pair = Pair {
            a: Rounded {
                core: Core::Prism(points),
                radius: 0.0,
            },
            b: *self.shape,
            b_in_a: *self.pose,
        };
        let limit = self.margin + self.shape.radius;
        // What separated another prism, then the way from the top of this one to the shape's centre.
        let centre = self.pose.point(self.shape.core.centre());
        let [.., a, b, c] = *points;
        let towards = sub(centre, nearest_of_triangle(centre, [a, b, c]));
        if self.memory.proves_apart(&pair, limit) || Memory::of(towards).proves_apart(&pair, limit) {
            return None;
        }
        match touch_prism(&pair, points, self.margin, settings, scratch) {
            Ok(contact) => Some(contact),
            Err(apart) => {
                self.memory.keep_axis(apart);
                None
            }
        }
    }
}

/// The point of a triangle nearest to `p`: the foot of `p` on its plane if that lies in it, else on one of its edges.
fn nearest_of_triangle(p: Vec3, corners: [Vec3; 3]) -> Vec3 {
    let [a, b, c] = corners;
    let normal = cross(sub(b, a), sub(c, a));
    let foot = add_scaled(p, normal, -dot(sub(p, a), normal) / norm2(normal));
    let mut nearest = foot;
    let mut distance2 = f64::INFINITY;
    let mut inside = true;
    for k in 0..3 {
        let (from, edge) = (corners[k], sub(corners[(k + 1) % 3], corners[k]));
        inside &= dot(normal, cross(edge, sub(foot, from))) >= 0.0;
        let t = (dot(sub(p, from), edge) / norm2(edge)).clamp(0.0, 1.0);
        let on_edge = add_scaled(from, edge, t);
        let away2 = norm2(sub(p, on_edge));
        if away2 < distance2 {
            (nearest, distance2) = (on_edge, away2);
        }
    }
    if inside { foot } else { nearest }
}

/// The box around a placed shape, aligned with the axes of its outer frame; none for a plane.
pub(crate) fn bounding_box(placed: &Placed) -> Option<(Vec3, Vec3)> {
    let rounded = Rounded::new(&placed.shape)?;
    let along = |axis: usize, sign: f64| {
        let mut direction = [0.0; 3];
        direction[axis] = sign;
        let local = rotate_back(&placed.pose.rotation, direction);
        placed.pose.point(rounded.core.support(local, 0).0)[axis] + sign * rounded.radius
    };
    Some((
        [0, 1, 2].map(|axis| along(axis, -1.0)),
        [0, 1, 2].map(|axis| along(axis, 1.0)),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::Manifold;
    use crate::height_field::{HeightField, HeightFieldSize};
    use crate::hull::Hull;
    use crate::pairs::collide;
    use crate::shape::Shape;

    fn flat(cells: usize) -> HeightField {
        let size = HeightFieldSize {
            radius_x: 1.0,
            radius_y: 1.0,
            elevation_z: 1.0,
            base_z: 0.1,
        };
        HeightField::new(cells + 1, cells + 1, size, vec![0.0; (cells + 1) * (cells + 1)]).expect("a field")
    }

    fn contacts(field: &HeightField, shape: Shape, position: Vec3, margin: f64) -> Vec<Contact> {
        let mut out = Vec::new();
        let other = Placed {
            shape,
            pose: Pose::at(position),
        };
        let settings = Settings::default();
        collide_terrain(
            &Surface::whole(field),
            &Pose::IDENTITY,
            &other,
            margin,
            &settings,
            &mut Scratch::new(),
            &mut out,
        );
        out
    }

    #[test]
    fn a_ball_in_the_middle_of_a_cell_rests_on_the_surface() {
        let found = contacts(&flat(4), Shape::Sphere { radius: 0.1 }, [0.1, 0.3, 0.09], 0.0);
        let upright = found.iter().filter(|c| c.normal[2] > 1.0 - 1e-9).count();
        assert!(upright >= 1, "{found:?}");
        for c in &found {
            // The deepest overlap is that of the surface itself: 1 cm.
            assert!(c.distance <= 0.0 && c.distance >= -0.01 - 1e-9, "{c:?}");
        }
    }

    #[test]
    fn a_ball_beside_or_above_the_field_touches_nothing() {
        for position in [
            [1.2, 0.0, 0.05],
            [0.0, 0.0, 0.11],
            [0.0, -1.11, 0.0],
            [f64::NAN, 0.0, 0.0],
        ] {
            assert!(
                contacts(&flat(4), Shape::Sphere { radius: 0.1 }, position, 0.0).is_empty(),
                "{position:?}"
            );
        }
    }

    #[test]
    fn a_margin_reports_the_true_distance() {
        let found = contacts(&flat(4), Shape::Sphere { radius: 0.1 }, [0.1, 0.3, 0.12], 0.05);
        let nearest = found.iter().map(|c| c.distance).fold(f64::INFINITY, f64::min);
        assert!((nearest - 0.02).abs() < 1e-9, "{found:?}");
    }

    /// Curved shapes resolved far below the tolerance of the test.
    fn fine() -> Settings {
        Settings {
            ccd_tolerance: 1e-11,
            ccd_iterations: 500,
            ..Settings::default()
        }
    }

    /// Contacts without leaving anything out: every prism below the shape through the general collider.
    fn every_prism(field: &HeightField, other: &Placed, margin: f64) -> Vec<Contact> {
        let surface = Surface::whole(field);
        let single = Settings {
            multiccd: false,
            ..fine()
        };
        let mut scratch = Scratch::new();
        let mut manifold = Manifold::new();
        let mut out = Vec::new();
        let (min, max) = bounding_box(other).expect("the shape is bounded");
        let Some(mut walk) = Walk::below(&surface, min, max, margin) else {
            return out;
        };
        while let Some(place) = walk.next(&surface) {
            let points = corners(&surface, place);
            let prism = Placed {
                shape: Shape::Prism(&points),
                pose: Pose::IDENTITY,
            };
            collide(&prism, other, margin, &single, &mut scratch, &mut manifold);
            out.extend(manifold.first());
        }
        out.truncate(MAX_CONTACTS);
        out
    }

    /// A ball of 42 corners on five circles of latitude and at the poles, stretched.
    fn gem() -> Hull {
        let (circles, corners) = (5u32, 8u32);
        let mut vertices = vec![[0.0, 0.0, 0.15], [0.0, 0.0, -0.15]];
        for k in 0..circles * corners {
            let down = core::f64::consts::PI * f64::from(k / corners + 1) / f64::from(circles + 1);
            let around = core::f64::consts::TAU * f64::from(k % corners) / f64::from(corners);
            vertices.push([
                0.1 * down.sin() * around.cos(),
                0.12 * down.sin() * around.sin(),
                0.15 * down.cos(),
            ]);
        }
        let at = |circle: u32, corner: u32| 2 + circle * corners + corner % corners;
        let mut triangles = Vec::new();
        for k in 0..corners {
            triangles.push([0, at(0, k), at(0, k + 1)]);
            triangles.push([1, at(circles - 1, k + 1), at(circles - 1, k)]);
            for circle in 1..circles {
                let (a, b) = (at(circle - 1, k), at(circle - 1, k + 1));
                let (c, d) = (at(circle, k), at(circle, k + 1));
                triangles.push([a, c, d]);
                triangles.push([a, d, b]);
            }
        }
        Hull::from_triangles(&vertices, &triangles).expect("a hull")
    }

    #[test]
    fn prisms_that_are_left_out_have_no_contact() {
        let mut state = 5u64;
        let mut random = move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / (1u64 << 31) as f64
        };
        let size = HeightFieldSize {
            radius_x: 1.0,
            radius_y: 1.0,
            elevation_z: 0.3,
            base_z: 0.1,
        };
        let field = HeightField::new(21, 21, size, (0..441).map(|_| random() as f32).collect()).expect("a field");
        let hull = gem();
        let shapes = [
            Shape::Hull(&hull),
            Shape::Ellipsoid {
                radii: [0.1, 0.15, 0.2],
            },
            Shape::Cylinder {
                radius: 0.1,
                half_length: 0.15,
            },
        ];
        let mut found = 0;
        for k in 0..600 {
            let place = [2.2 * (random() - 0.5), 2.2 * (random() - 0.5), 0.1 + 0.4 * random()];
            let turn = [0; 4].map(|_| random() - 0.5);
            let other = Placed {
                shape: shapes[k % 3],
                pose: Pose::new(place, turn),
            };
            let margin = [0.0, 0.02][k / 3 % 2];
            let mut out = Vec::new();
            let settings = fine();
            let surface = Surface::whole(&field);
            let mut scratch = Scratch::new();
            collide_terrain(
                &surface,
                &Pose::IDENTITY,
                &other,
                margin,
                &settings,
                &mut scratch,
                &mut out,
            );
            let expected = every_prism(&field, &other, margin);
            assert_eq!(out.len(), expected.len(), "{other:?}");
            for (contact, expected) in out.iter().zip(&expected) {
                let apart = |a: Vec3, b: Vec3| norm(sub(a, b));
                // What the top of a prism meets is exact; the general collider leaves the side of curved shapes uncertain by the
                // square root of its tolerance.
                assert!(
                    (contact.distance - expected.distance).abs() < 1e-9
                        && apart(contact.normal, expected.normal) < 1e-3
                        && apart(contact.position, expected.position) < 1e-3,
                    "{contact:?} {expected:?} {other:?}"
                );
            }
            found += out.len();
        }
        assert!(found > 1000, "{found}");
    }

    #[test]
    fn no_pair_has_more_contacts_than_the_bound() {
        let found = contacts(&flat(40), Shape::Box { half: [0.8, 0.8, 0.1] }, [0.0, 0.0, 0.09], 0.0);
        assert_eq!(found.len(), MAX_CONTACTS);
    }
}
