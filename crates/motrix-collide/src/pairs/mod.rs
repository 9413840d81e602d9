//! Contacts of a pair of shapes: one collider for each kind of pair.

mod box_box;
mod capsule;
mod capsule_box;
pub(crate) mod plane;
mod sphere;

use crate::contact::{Manifold, Settings};
use crate::manifold::contacts;
use crate::memory::Memory;
use crate::minkowski::Pair;
use crate::separation::{Apart, Scratch, nearest};
use crate::shape::{Placed, Shape};
use crate::vector::unit;
use sphere::Ball;

/// Finds where two shapes touch or are no farther apart than `margin`. The contacts replace what `out` held; their normals
/// point from `a` to `b`.
pub fn collide(a: &Placed, b: &Placed, margin: f64, settings: &Settings, scratch: &mut Scratch, out: &mut Manifold) {
    collide_remembering(a, b, margin, settings, scratch, &mut Memory::default(), out);
}

/// As [`collide`], sooner when `memory` holds a direction that separated the shapes before. The contacts are the same whatever
/// it holds.
pub fn collide_remembering(
    a: &Placed,
    b: &Placed,
    margin: f64,
    settings: &Settings,
    scratch: &mut Scratch,
    memory: &mut Memory,
    out: &mut Manifold,
) {
    out.clear();
    let in_order = a.shape.rank() <= b.shape.rank();
    let (first, second) = if in_order { (a, b) } else { (b, a) };
    with_most_instructions(first, second, margin, settings, scratch, memory, out);
    if !in_order {
        out.flip();
    }
}

motrix_spatial::entry! {
    /// The colliders, compiled with the instructions of lane types. They use no lanes and fuse no products, so that all give the
    /// same bits; more registers and shorter moves make them a tenth faster.
    trait Compiled {
        /// Finds the contacts of two shapes in the order of their ranks.
        fn collide_ordered(
            a: &Placed,
            b: &Placed,
            margin: f64,
            settings: &Settings,
            scratch: &mut Scratch,
            memory: &mut Memory,
            out: &mut Manifold,
        ) {
            ordered(a, b, margin, settings, scratch, memory, out)
        }
    }
}

/// The collider with the most instructions that this processor has.
#[inline(always)]
fn with_most_instructions(
    a: &Placed,
    b: &Placed,
    margin: f64,
    settings: &Settings,
    scratch: &mut Scratch,
    memory: &mut Memory,
    out: &mut Manifold,
) {
    #[cfg(target_arch = "x86_64")]
    if motrix_spatial::LaneKind::F32x8Avx2.is_supported() {
        use motrix_spatial::lanes::F32x8Avx2;
        return F32x8Avx2::collide_ordered(a, b, margin, settings, scratch, memory, out);
    }
    f64::collide_ordered(a, b, margin, settings, scratch, memory, out);
}

/// The collider of each pair; everything without a closed form goes through the convex algorithms.
#[inline(always)]
fn ordered(
    a: &Placed,
    b: &Placed,
    margin: f64,
    settings: &Settings,
    scratch: &mut Scratch,
    memory: &mut Memory,
    out: &mut Manifold,
) {
    use Shape::*;
    match (a.shape, b.shape) {
        (Plane, Plane | Prism(_)) => {}
        (Plane, Sphere { radius }) => plane::sphere(&a.pose, Ball::new(&b.pose, radius), margin, out),
        (Plane, Capsule { radius, half_length }) => plane::capsule(&a.pose, &b.pose, radius, half_length, margin, out),
        (Plane, Ellipsoid { radii }) => plane::ellipsoid(&a.pose, &b.pose, radii, margin, out),
        (Plane, Cylinder { radius, half_length }) => {
            plane::cylinder(&a.pose, &b.pose, radius, half_length, margin, out)
        }
        (Plane, Box { half }) => plane::cuboid(&a.pose, &b.pose, half, margin, out),
        (Plane, Hull(hull)) => plane::hull(&a.pose, &b.pose, hull, margin, out),
        (Sphere { radius: ra }, Sphere { radius: rb }) => {
            sphere::sphere(Ball::new(&a.pose, ra), Ball::new(&b.pose, rb), margin, out);
        }
        (Sphere { radius: ra }, Capsule { radius, half_length }) => {
            sphere::capsule(Ball::new(&a.pose, ra), &b.pose, radius, half_length, margin, out);
        }
        (Sphere { radius: ra }, Cylinder { radius, half_length }) => {
            sphere::cylinder(Ball::new(&a.pose, ra), &b.pose, radius, half_length, margin, out);
        }
        (Sphere { radius: ra }, Box { half }) => sphere::cuboid(Ball::new(&a.pose, ra), &b.pose, half, margin, out),
        (
            Capsule {
                radius: ra,
                half_length: la,
            },
            Capsule {
                radius: rb,
                half_length: lb,
            },
        ) => {
            capsule::capsule(
                capsule::Capsule::new(&a.pose, ra, la),
                capsule::Capsule::new(&b.pose, rb, lb),
                margin,
                out,
            );
        }
        (Capsule { radius, half_length }, Box { half }) => {
            capsule_box::cuboid_contacts(&a.pose, radius, half_length, &b.pose, half, margin, out);
        }
        (Box { half: ha }, Box { half: hb }) if !settings.boxconvex => {
            box_box::cuboid(&a.pose, ha, &b.pose, hb, margin, out);
        }
        _ => convex(a, b, margin, settings, scratch, memory, out),
    }
}

/// Any two bounded convex shapes.
#[inline(always)]
fn convex(
    a: &Placed,
    b: &Placed,
    margin: f64,
    settings: &Settings,
    scratch: &mut Scratch,
    memory: &mut Memory,
    out: &mut Manifold,
) {
    let Some(pair) = Pair::new(a, b) else {
        return;
    };
    let limit = margin + pair.radius();
    if memory.proves_apart(&pair, limit) {
        return;
    }
    match nearest(&pair, limit, settings, scratch) {
        Ok(touch) => {
            memory.keep(None);
            contacts(&pair, &touch, margin, settings, &mut scratch.clip, &a.pose, out);
        }
        Err(Apart { axis }) => memory.keep(axis.and_then(unit)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hull::Hull;
    use crate::shape::Pose;

    /// Numbers in [−1, 1) from a linear congruential generator (Knuth's MMIX).
    fn random(state: &mut u64) -> f64 {
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (*state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn the_instructions_of_a_processor_change_no_bit() {
        use motrix_spatial::LaneKind;
        use motrix_spatial::lanes::F32x8Avx2;
        if !LaneKind::F32x8Avx2.is_supported() {
            return;
        }
        let corners: Vec<[f64; 3]> = (0..8)
            .map(|k| [0, 1, 2].map(|i| if k >> i & 1 == 1 { 0.1 } else { -0.1 - 0.01 * k as f64 }))
            .collect();
        let triangles = [
            [0, 2, 1],
            [1, 2, 3],
            [4, 5, 6],
            [5, 7, 6],
            [0, 1, 4],
            [1, 5, 4],
            [2, 6, 3],
            [3, 6, 7],
            [0, 4, 2],
            [2, 4, 6],
            [1, 3, 5],
            [3, 7, 5],
        ];
        let hull = Hull::from_triangles(&corners, &triangles).expect("a closed surface");
        let shapes = [
            Shape::Plane,
            Shape::Sphere { radius: 0.1 },
            Shape::Capsule {
                radius: 0.07,
                half_length: 0.1,
            },
            Shape::Ellipsoid {
                radii: [0.1, 0.15, 0.07],
            },
            Shape::Cylinder {
                radius: 0.1,
                half_length: 0.08,
            },
            Shape::Box {
                half: [0.1, 0.12, 0.07],
            },
            Shape::Hull(&hull),
        ];
        let (settings, mut scratch) = (Settings::default(), Scratch::new());
        let (mut plain, mut fast) = (Manifold::new(), Manifold::new());
        let mut state = 5;
        let mut contacts = 0;
        for k in 0..shapes.len() * shapes.len() * 40 {
            let (first, second) = (k % shapes.len(), k / shapes.len() % shapes.len());
            if first > second {
                continue;
            }
            let mut place = |reach: f64| {
                let position = [0; 3].map(|_| reach * random(&mut state));
                Pose::new(position, [0; 4].map(|_| random(&mut state)))
            };
            let (a, b) = (place(0.0), place(0.2));
            let (a, b) = (
                Placed {
                    shape: shapes[first],
                    pose: a,
                },
                Placed {
                    shape: shapes[second],
                    pose: b,
                },
            );
            let margin = if k % 2 == 0 { 0.0 } else { 0.02 };
            plain.clear();
            fast.clear();
            f64::collide_ordered(
                &a,
                &b,
                margin,
                &settings,
                &mut scratch,
                &mut Memory::default(),
                &mut plain,
            );
            F32x8Avx2::collide_ordered(
                &a,
                &b,
                margin,
                &settings,
                &mut scratch,
                &mut Memory::default(),
                &mut fast,
            );
            contacts += plain.len();
            // Debug prints the shortest digits that tell a number from all others.
            assert_eq!(format!("{:?}", &plain[..]), format!("{:?}", &fast[..]), "pose {k}");
        }
        assert!(contacts > 500, "many touch: {contacts}");
    }
}
