//! The rod between the two ends of a capsule against the edges and the corner of a cell.

use motrix_spatial::algebra::{add_scaled, cross, dot, norm_squared, scale, select3, sub};
use motrix_spatial::{Lanes, Vec3};

use super::ball::outside;
use super::cell::{BESIDE, Cell, E, N, NE};
use super::found::Found;
use super::none;

/// Rod and edge count as parallel below this square of the sine between them; their ends then carry the contact.
const PARALLEL: f64 = 1e-6;

/// The point of the rod nearest to the cell's node.
#[inline(always)]
pub fn nearest<L: Lanes>(cell: &Cell<L>, ends: [Vec3<L>; 2]) -> Vec3<L> {
    let along = sub(ends[1], ends[0]);
    let length2 = norm_squared(along);
    let t = dot(sub(cell.origin, ends[0]), along) / L::select(length2.gt(L::ZERO), length2, L::ONE);
    add_scaled(ends[0], t.clamp(L::ZERO, L::ONE), along)
}

/// Crossings of the rod with the three edges: the common perpendicular, upwards, signed, so that a rod that has sunk below an edge is
/// lifted over it.
#[inline(always)]
pub fn edges<L: Lanes>(cell: &Cell<L>, ends: [Vec3<L>; 2], radius: L, reach: L, active: L::Mask, found: &mut Found<L>) {
    let rod = sub(ends[1], ends[0]);
    let rod2 = norm_squared(rod);
    let from = sub(ends[0], cell.origin);
    for (k, exists) in [(E, cell.exists[1]), (NE, cell.exists[0]), (N, cell.exists[2])] {
        let mut here = active & exists & cell.convex(k);
        if none(here) {
            continue;
        }
        let edge = cell.around[k];
        let edge2 = norm_squared(edge);
        let perpendicular = cross(rod, edge);
        let sine2 = norm_squared(perpendicular);
        here = here & sine2.gt(L::c(PARALLEL) * rod2 * edge2);
        if none(here) {
            continue;
        }
        let sine2 = L::select(here, sine2, L::ONE);
        let upwards = L::select(perpendicular[2].lt(L::ZERO), -L::ONE, L::ONE) / sine2.sqrt();
        let normal = scale(perpendicular, upwards);
        let above = dot(from, normal);
        here = here & (above - radius).le(reach);
        // Places of the common perpendicular: from + s rod − t edge is along it.
        let cosine = dot(rod, edge);
        let (a, b) = (dot(from, rod), dot(from, edge));
        let s = (cosine * b - edge2 * a) / sine2;
        let t = (rod2 * b - cosine * a) / sine2;
        for x in [s, t] {
            here = here & x.ge(L::ZERO) & x.le(L::ONE);
        }
        for beside in BESIDE[k] {
            let side = cell.around[beside];
            here = here & outside(normal, add_scaled(side, -dot(side, edge) / edge2, edge));
        }
        let normal = select3(here, normal, [L::ZERO, L::ZERO, L::ONE]);
        let distance = above - radius;
        let point = add_scaled(cell.origin, t, edge);
        found.add(here, distance, add_scaled(point, L::c(0.5) * distance, normal), normal);
    }
}
