//! A plane against sphere, capsule, ellipsoid, cylinder and box: the lowest points of the other shape.
//!
//! The plane is the half-space z ≤ 0 of its frame and its z axis **n** is the normal of every contact. With h the height of a
//! point above the plane, the contact lies at distance h, midway between the point and its foot: position = point − h/2 **n**.
//! Source: MuJoCo 4.0, `engine_collision_primitive`.

use motrix_spatial::algebra::{
    add, add_scaled, cross, dot, mat_column, mat_t_vec, mat_vec, neg, norm_squared, normalize, scale, select3, sub,
};
use motrix_spatial::{Lanes, Mask, Vec3};

use super::{Placed, Touch, TouchList, rounding_noise};

/// A contact of the plane with normal `n` and a surface point at `height` above it.
#[inline(always)]
fn foot<L: Lanes>(active: L::Mask, n: Vec3<L>, point: Vec3<L>, height: L) -> Touch<L> {
    Touch::new(active, height, add_scaled(point, L::c(-0.5) * height, n), n)
}

/// The plane through `origin` with normal `n`, and a ball.
#[inline(always)]
pub(super) fn plane_ball<L: Lanes>(origin: Vec3<L>, n: Vec3<L>, centre: Vec3<L>, radius: L, reach: L) -> Touch<L> {
    let height = dot(sub(centre, origin), n);
    let distance = height - radius;
    let position = add_scaled(centre, L::c(-0.5) * distance - radius, n);
    Touch::new(height.le(reach + radius), distance, position, n)
}

/// Plane and sphere: one contact.
#[inline(always)]
pub fn plane_sphere<L: Lanes>(a: &Placed<L>, b: &Placed<L>, reach: L, out: &mut TouchList<L>) {
    out.push(plane_ball(*a.position, a.z_axis(), *b.position, b.size[0], reach));
}

/// Plane and capsule: a contact for each end, tangents along the axis.
#[inline(always)]
pub fn plane_capsule<L: Lanes>(a: &Placed<L>, b: &Placed<L>, reach: L, out: &mut TouchList<L>) {
    let n = a.z_axis();
    let axis = b.z_axis();
    for half_length in [b.size[1], -b.size[1]] {
        let end = add_scaled(*b.position, half_length, axis);
        let mut touch = plane_ball(*a.position, n, end, b.size[0], reach);
        touch.tangent = axis;
        out.push(touch);
    }
}

/// Plane and ellipsoid: its lowest point.
///
/// Scaling the ellipsoid with radii r to the unit sphere turns the direction d into r d, whence the lowest point r (r d)/|r d|.
#[inline(always)]
pub fn plane_ellipsoid<L: Lanes>(a: &Placed<L>, b: &Placed<L>, reach: L, out: &mut TouchList<L>) {
    let n = a.z_axis();
    let down = mat_t_vec(b.rotation, neg(n));
    let r = b.size;
    let (u, _) = normalize([r[0] * down[0], r[1] * down[1], r[2] * down[2]]);
    let lowest = b.to_world([r[0] * u[0], r[1] * u[1], r[2] * u[2]]);
    let height = dot(sub(lowest, *a.position), n);
    out.push(foot(height.le(reach), n, lowest, height));
}

/// Plane and cylinder: the lowest point of the lower disc, the point of the upper disc beside it, and two points of the lower
/// disc that complete an equilateral triangle with the first.
#[inline(always)]
pub fn plane_cylinder<L: Lanes>(a: &Placed<L>, b: &Placed<L>, reach: L, out: &mut TouchList<L>) {
    let n = a.z_axis();
    let (radius, half_length) = (b.size[0], b.size[1]);
    // The axis, pointing towards the plane.
    let z = b.z_axis();
    let axis = select3(dot(n, z).gt(L::ZERO), neg(z), z);
    let slope = dot(n, axis);

    // Downhill within the disc; the cylinder's x axis when the disc is parallel to the plane.
    let downhill = sub(scale(axis, slope), n);
    let steepness2 = norm_squared(downhill);
    let noise = rounding_noise::<L>();
    let tilted = steepness2.ge(noise * noise);
    let steepness = L::select(tilted, steepness2, L::ONE).sqrt();
    let rim = select3(
        tilted,
        scale(downhill, radius / steepness),
        scale(mat_column(b.rotation, 0), radius),
    );
    // downhill·n = slope² − 1 = −|downhill|². The product itself loses what counts where the disc is almost parallel to the plane:
    // in single precision a cylinder that stands would be let down and lifted by micrometres with the last bit of its orientation.
    let rim_rise = L::select(tilted, -(radius * steepness), dot(rim, n));
    let half_axis = scale(axis, half_length);
    let axis_rise = slope * half_length;
    let height = dot(sub(*b.position, *a.position), n);

    let lowest = height + axis_rise + rim_rise;
    let touching = lowest.le(reach);
    if !touching.any() {
        return;
    }
    let beside = height - axis_rise + rim_rise;
    let on_rim = add(*b.position, rim);
    out.push(foot(touching, n, add(on_rim, half_axis), lowest));
    out.push(foot(touching & beside.le(reach), n, sub(on_rim, half_axis), beside));

    let behind = height + axis_rise - L::c(0.5) * rim_rise;
    let (sideways, _) = normalize(cross(rim, half_axis));
    let sideways = scale(sideways, radius * L::c(0.75f64.sqrt()));
    let middle = add_scaled(add(*b.position, half_axis), L::c(-0.5), rim);
    let flat = touching & behind.le(reach);
    out.push(foot(flat, n, add(middle, sideways), behind));
    out.push(foot(flat, n, sub(middle, sideways), behind));
}

/// Plane and box: the corners below the centre, at most four, in the order of their signs (x changes fastest).
#[inline(always)]
pub fn plane_box<L: Lanes>(a: &Placed<L>, b: &Placed<L>, reach: L, out: &mut TouchList<L>) {
    let n = a.z_axis();
    let height = dot(sub(*b.position, *a.position), n);
    // Each lane has its own four corners: they move up into its first free slot, so that four contacts serve all lanes.
    let mut slots = [Slot::<L>::empty(); 4];
    for i in 0..8 {
        let mut local = *b.size;
        for k in 0..3 {
            local[k] = if i >> k & 1 == 1 { local[k] } else { -local[k] };
        }
        let offset = mat_vec(b.rotation, local);
        let rise = dot(n, offset);
        let mut waiting = (height + rise).le(reach) & rise.le(L::ZERO);
        for slot in &mut slots {
            let here = waiting & !slot.taken;
            slot.taken = slot.taken | here;
            slot.rise = L::select(here, rise, slot.rise);
            slot.offset = select3(here, offset, slot.offset);
            waiting = waiting & !here;
        }
    }
    for slot in slots {
        let corner = add(*b.position, slot.offset);
        out.push(foot(slot.taken, n, corner, height + slot.rise));
    }
}

/// A corner of a box, relative to its centre, and how far it rises above the centre along the plane's normal.
#[derive(Clone, Copy)]
struct Slot<L: Lanes> {
    taken: L::Mask,
    rise: L,
    offset: Vec3<L>,
}

impl<L: Lanes> Slot<L> {
    #[inline(always)]
    fn empty() -> Self {
        Slot {
            taken: L::Mask::NONE,
            rise: L::ZERO,
            offset: [L::ZERO; 3],
        }
    }
}
