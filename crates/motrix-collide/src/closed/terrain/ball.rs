//! A ball against the features of a cell: two faces, three edges, a corner.

use motrix_spatial::algebra::{add_scaled, dot, norm_squared, scale, select3, sub};
use motrix_spatial::{Lanes, Mask, Real, Vec3};

use super::cell::{BESIDE, Cell, E, N, NE, Plane};
use super::found::Found;
use super::none;

/// Features overlap by this share of a cell or of a direction: rounding must not lose a contact between two of them.
#[inline(always)]
fn slack<L: Lanes>() -> L {
    L::c((1e3 * L::Elem::EPSILON).max(1e-9))
}

/// How far apart, as a share of the radius, the feet on two faces can be whose edge still counts as flat.
const FLAT_SHIFT: f64 = 1.5e-4;

/// Lanes in which a ball comes within reach of the plane of a triangle, widened by what rounding may hide, or in which there is no
/// triangle but the rim. In all others it touches none of the cell's features, which lie in these planes.
#[inline(always)]
pub fn is_near<L: Lanes>(cell: &Cell<L>, planes: &[Plane<L>; 2], centre: Vec3<L>, radius: L, reach: L) -> L::Mask {
    let p = sub(centre, cell.origin);
    let size = radius + reach + p[0].abs() + p[1].abs() + p[2].abs() + cell.origin[2].abs();
    let wide = size.mul_add(slack::<L>(), radius + reach);
    planes[0].height(p).min(planes[1].height(p)).le(wide) | !cell.exists[0]
}

/// The planes of both triangles: where the foot of the centre lies on the triangle, or, for a centre below the plane, where the
/// triangle is straight above it. The foot would not do there: seen from the other side of a thin wall it lies on its far face.
#[inline(always)]
pub fn faces<L: Lanes>(
    cell: &Cell<L>,
    planes: &[Plane<L>; 2],
    centre: Vec3<L>,
    radius: L,
    reach: L,
    active: L::Mask,
    found: &mut Found<L>,
) {
    let active = active & cell.exists[0];
    let [ix, iy] = cell.inverse_spacing;
    let p = sub(centre, cell.origin);
    for (lower_right, plane) in [(false, &planes[0]), (true, &planes[1])] {
        let height = plane.height(p);
        let close = active & height.le(radius + reach);
        if none(close) {
            continue;
        }
        let normal = plane.normal;
        let foot = add_scaled(p, -height, normal);
        let slack = slack::<L>() + L::c(FLAT_SHIFT) * radius * ix.max(iy);
        let from = select3(height.lt(L::ZERO), p, foot);
        let distance = height - radius;
        let position = add_scaled(centre, L::c(-0.5) * distance - radius, normal);
        found.add(close & over(from, cell, lower_right, slack), distance, position, normal);
    }
}

/// Whether a point, from the cell's node, is over one of its triangles.
#[inline(always)]
fn over<L: Lanes>(p: Vec3<L>, cell: &Cell<L>, lower_right: bool, slack: L) -> L::Mask {
    let (u, v) = (p[0] * cell.inverse_spacing[0], p[1] * cell.inverse_spacing[1]);
    let (low, high) = if lower_right { (v, u) } else { (u, v) };
    low.ge(-slack) & high.le(L::ONE + slack) & (high - low).ge(-slack)
}

/// The inside of the three edges. `inwards` is the way from the ball to the rest of a capsule: where the edge lies that way, the
/// capsule's rod is nearer to it.
#[inline(always)]
pub fn edges<L: Lanes>(
    cell: &Cell<L>,
    centre: Vec3<L>,
    radius: L,
    reach: L,
    active: L::Mask,
    inwards: Option<Vec3<L>>,
    found: &mut Found<L>,
) {
    let p = sub(centre, cell.origin);
    for (k, exists) in [(E, cell.exists[1]), (NE, cell.exists[0]), (N, cell.exists[2])] {
        let here = active & exists & cell.convex(k);
        if none(here) {
            continue;
        }
        let edge = cell.around[k];
        let t = dot(p, edge) / norm_squared(edge);
        let away = add_scaled(p, -t, edge);
        let distance2 = norm_squared(away);
        let limit = radius + reach;
        let mut here = here & t.ge(L::ZERO) & t.le(L::ONE) & distance2.le(limit * limit);
        if let Some(inwards) = inwards {
            // From the ball to the edge is −away.
            here = here & dot(away, inwards).ge(-slack::<L>() * (distance2 * norm_squared(inwards)).sqrt());
        }
        for beside in BESIDE[k] {
            let side = cell.around[beside];
            here = here & outside(away, add_scaled(side, -dot(side, edge) / norm_squared(edge), edge));
        }
        add_at(here, add_scaled(cell.origin, t, edge), away, distance2, radius, found);
    }
}

/// The node itself, where one of its edges is convex.
#[inline(always)]
pub fn corner<L: Lanes>(cell: &Cell<L>, centre: Vec3<L>, radius: L, reach: L, active: L::Mask, found: &mut Found<L>) {
    let away = sub(centre, cell.origin);
    let distance2 = norm_squared(away);
    let limit = radius + reach;
    let mut here = active & distance2.le(limit * limit);
    let mut convex = L::Mask::NONE;
    for k in 0..6 {
        convex = convex | cell.convex(k);
    }
    here = here & convex;
    if none(here) {
        return;
    }
    for neighbour in cell.around {
        here = here & outside(away, neighbour);
    }
    add_at(here, cell.origin, away, distance2, radius, found);
}

/// Whether `away` does not point into the side on which `towards` lies.
#[inline(always)]
pub fn outside<L: Lanes>(away: Vec3<L>, towards: Vec3<L>) -> L::Mask {
    let into = dot(away, towards);
    let positive = into.max(L::ZERO);
    // into ≤ slack |away| |towards|, without roots.
    (positive * positive).le(slack::<L>() * slack::<L>() * norm_squared(away) * norm_squared(towards))
}

/// A contact of a ball whose centre is `away` from a point of the surface.
#[inline(always)]
fn add_at<L: Lanes>(here: L::Mask, point: Vec3<L>, away: Vec3<L>, distance2: L, radius: L, found: &mut Found<L>) {
    // The centre on the feature itself has no direction: the faces beside it take over.
    let here = here & distance2.gt(L::c(1e-20));
    if none(here) {
        return;
    }
    let length = L::select(here, distance2, L::ONE).sqrt();
    let normal = scale(away, L::ONE / length);
    let distance = length - radius;
    found.add(here, distance, add_scaled(point, L::c(0.5) * distance, normal), normal);
}
