//! Pairs that cannot touch, in lanes: bounding spheres of bodies, of geoms, then bounding capsules.
//!
//! A cull may report a pair that does not touch, never miss one that does.

use motrix_collide::closed::cull::{BoundingCapsule, capsules_near, plane_sphere_near, spheres_near};
use motrix_model::GeomKind;
use motrix_spatial::algebra::*;
use motrix_spatial::{Lanes, Mask};

use super::pairs::{BodyPairRow, PairRow};
use crate::data::Poses;
use crate::params::Params;

/// Lanes in which the bounding spheres of two bodies are within reach.
#[inline(always)]
pub fn bodies_near<L: Lanes>(bodies: &BodyPairRow, params: &Params<L>, poses: &Poses<L>) -> L::Mask {
    let (a, b) = (bodies.body1 as usize, bodies.body2 as usize);
    let (ra, rb) = (params.bodies[a].bounding_radius, params.bodies[b].bounding_radius);
    spheres_near(poses.com[a], ra, poses.com[b], rb, L::c(bodies.reach))
}

/// Lanes in which two geoms may be within reach.
#[inline(always)]
pub fn geoms_near<L: Lanes>(pair: &PairRow<L::Elem>, params: &Params<L>, poses: &Poses<L>) -> L::Mask {
    let (a, b) = (pair.geom1(), pair.geom2());
    let (pa, pb) = (poses.geom_position[a], poses.geom_position[b]);
    let reach = L::splat(pair.reach);
    let radius = params.geoms[b].bounding_radius;
    if pair.kinds.0 == GeomKind::Plane {
        return plane_sphere_near(pa, mat_column(&poses.geom_rotation[a], 2), pb, radius, reach);
    }
    // Terrain may rise and shift at run time, and knows best what is above it.
    if matches!(pair.kinds.0, GeomKind::HField(_)) {
        return L::Mask::ALL;
    }
    let near = spheres_near(pa, params.geoms[a].bounding_radius, pb, radius, reach);
    if !pair.long || !near.any() {
        return near;
    }
    let (first, second) = (
        capsule(pair.kinds.0, a, params, poses),
        capsule(pair.kinds.1, b, params, poses),
    );
    near & capsules_near(&first, &second, reach)
}

/// A capsule around a geom: exact for capsules, tight for cylinders, along the longest axis of boxes and ellipsoids, and the
/// bounding sphere of everything else.
#[inline(always)]
fn capsule<L: Lanes>(kind: GeomKind, geom: usize, params: &Params<L>, poses: &Poses<L>) -> BoundingCapsule<L> {
    let (centre, rotation) = (poses.geom_position[geom], &poses.geom_rotation[geom]);
    let [x, y, z] = params.geoms[geom].size;
    match kind {
        GeomKind::Capsule | GeomKind::Cylinder => BoundingCapsule {
            centre,
            half: scale(mat_column(rotation, 2), y),
            radius: x,
        },
        GeomKind::Box | GeomKind::Ellipsoid => {
            let (x_longest, y_longest) = (y.max(z).le(x), z.le(y));
            let axis = select3(y_longest, mat_column(rotation, 1), mat_column(rotation, 2));
            let axis = select3(x_longest, mat_column(rotation, 0), axis);
            let length = x.max(y).max(z);
            // The other two half sizes: a corner of the box lies this far from the axis, the ellipsoid nearer.
            let across = (norm_squared([x, y, z]) - length * length).max(L::ZERO).sqrt();
            BoundingCapsule {
                centre,
                half: scale(axis, length),
                radius: across,
            }
        }
        _ => BoundingCapsule {
            centre,
            half: zero3(),
            radius: params.geoms[geom].bounding_radius,
        },
    }
}
