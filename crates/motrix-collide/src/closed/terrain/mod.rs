//! Spheres and capsules on terrain, all lanes at once.
//!
//! The surface and its rules are those of the scalar collider (see `crate::terrain`): contacts with faces, convex edges and convex
//! corners, each with a normal in the cone of its feature. Every lane walks over the cells around its own shape, but for those
//! that stay below it (`underside`); cell *i* of all lanes is one turn of the loop. A node owns the two triangles of the cell
//! towards (+x, +y), the three edges that start at it and the corner itself, and with its six neighbours all of them are known:
//!
//! ```text
//!      N --- NE        faces  o NE N (upper left), o E NE (lower right)
//!    / |   / |         edges  o–E, o–N, o–NE
//!   W --- o --- E      corner o
//!   | /   | /
//!  SW --- S
//! ```
//!
//! Beyond the border a neighbour stands so far below that the rim's cone ends at the horizontal.

mod ball;
mod cell;
mod found;
mod highest;
mod reached;
mod rod;
mod underside;
mod window;

use motrix_spatial::algebra::{add_scaled, mat_vec, scale};
use motrix_spatial::{Lanes, Mask, Vec3};

use super::{Placed, Touch, TouchList};
use crate::height_field::HeightField;
use cell::CellWalk;
use found::Found;
pub use highest::highest_below;
pub use reached::terrain_reached;
pub use window::LaneWindow;
pub(crate) use window::MAX_LANES;

/// What a sphere or capsule meets: a height field, each lane's window of it, and where it is.
#[derive(Clone, Copy, Debug)]
pub struct Ground<'a, L: Lanes> {
    /// Heights.
    pub field: &'a HeightField,
    /// What each lane sees of them.
    pub window: &'a LaneWindow<L>,
    /// Where the field is; its size does not matter.
    pub placed: Placed<'a, L>,
}

/// Contacts found and merged, as numbers of each lane.
#[derive(Clone, Copy, Debug)]
pub struct LaneTally<L> {
    /// Contacts of features.
    pub found: L,
    /// Of these, how many were merged into one that stands for them.
    pub merged: L,
    /// Places that were not looked at because the pair had its most contacts already: never of this collider.
    pub dropped: L,
}

/// Terrain and sphere, in the lanes `near`.
#[inline(always)]
pub fn terrain_sphere<L: Lanes>(
    ground: &Ground<L>,
    b: &Placed<L>,
    reach: L,
    near: L::Mask,
    out: &mut TouchList<L>,
) -> LaneTally<L> {
    let centre = ground.placed.to_local(*b.position);
    let radius = b.size[0];
    let mut found = Found::new(radius);
    let mut walk = CellWalk::under(ground, [centre, centre], radius, reach, near);
    while let Some((cell, active)) = walk.next(ground) {
        let planes = cell.planes();
        let active = active & ball::is_near(&cell, &planes, centre, radius, reach);
        if none(active) {
            continue;
        }
        ball::faces(&cell, &planes, centre, radius, reach, active, &mut found);
        ball::edges(&cell, centre, radius, reach, active, None, &mut found);
        ball::corner(&cell, centre, radius, reach, active, &mut found);
    }
    found.report(ground, [L::ZERO; 3], out)
}

/// Terrain and capsule, in the lanes `near`: the balls of its ends and the rod between them, tangents along the axis.
#[inline(always)]
pub fn terrain_capsule<L: Lanes>(
    ground: &Ground<L>,
    b: &Placed<L>,
    reach: L,
    near: L::Mask,
    out: &mut TouchList<L>,
) -> LaneTally<L> {
    let centre = ground.placed.to_local(*b.position);
    let axis = b.z_axis();
    let radius = b.size[0];
    let half = scale(
        motrix_spatial::algebra::mat_t_vec(ground.placed.rotation, axis),
        b.size[1],
    );
    let ends = [add_scaled(centre, L::ONE, half), add_scaled(centre, -L::ONE, half)];
    let mut found = Found::new(radius);
    let mut walk = CellWalk::under(ground, ends, radius, reach, near);
    while let Some((cell, active)) = walk.next(ground) {
        let planes = cell.planes();
        let near = [
            ball::is_near(&cell, &planes, ends[0], radius, reach),
            ball::is_near(&cell, &planes, ends[1], radius, reach),
        ];
        let active = active & (near[0] | near[1]);
        if none(active) {
            continue;
        }
        for (end, inwards) in [(ends[0], -L::ONE), (ends[1], L::ONE)] {
            ball::faces(&cell, &planes, end, radius, reach, active, &mut found);
            ball::edges(
                &cell,
                end,
                radius,
                reach,
                active,
                Some(scale(half, inwards)),
                &mut found,
            );
        }
        rod::edges(&cell, ends, radius, reach, active, &mut found);
        ball::corner(&cell, rod::nearest(&cell, ends), radius, reach, active, &mut found);
    }
    found.report(ground, axis, out)
}

impl<L: Lanes> Found<L> {
    /// Appends the contacts in world coordinates.
    #[inline(always)]
    fn report(&self, ground: &Ground<L>, tangent: Vec3<L>, out: &mut TouchList<L>) -> LaneTally<L> {
        let mut kept = L::ZERO;
        for contact in self.contacts() {
            kept += L::select(contact.active, L::ONE, L::ZERO);
            let position = ground.placed.to_world(contact.position);
            let normal = mat_vec(ground.placed.rotation, contact.normal);
            let mut touch = Touch::new(contact.active, contact.distance, position, normal);
            touch.tangent = tangent;
            out.push(touch);
        }
        LaneTally {
            found: self.count(),
            merged: self.count() - kept,
            dropped: L::ZERO,
        }
    }
}

/// Whether a mask has a lane at all, to leave work out.
#[inline(always)]
fn none<M: Mask>(mask: M) -> bool {
    !mask.any()
}
