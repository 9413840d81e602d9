//! Contact of shapes with terrain as a *surface*: the triangles over a height field, with what is solid below them.
//!
//! A union of prisms has walls inside of it, and a convex collider that sees one prism at a time finds them: a box on a flat field
//! trips over edges that nobody can see. Here every contact belongs to a feature of the surface, and its normal lies in the
//! *normal cone* of that feature: the normal of a face, between the two normals at a convex edge, among all of them at a convex
//! corner. Flat and hollow edges have no cone of their own, so that a flat field is a plane, whatever its cells.
//!
//! For a convex shape two kinds of contacts are enough:
//! * extreme points of the shape against the face below (or above) them: `faces`;
//! * convex edges of the surface, ends included, against the shape: `edges`, whose directions `cone` keeps in their cones.
//!
//! What is found is merged and reduced to at most [`MOST_CONTACTS`], of which the deepest is always one: `reduce`.
//!
//! **Deep overlap.** A point below the surface is pushed out through the face it is under, along that face's normal, however
//! deep it is, until the shape has left the body of the field through its base.
//! **Borders.** The field ends in a rim: border edges are convex towards the outside, up to the horizontal. There is no wall
//! below the rim and no ground beyond it.
//!
//! Spheres and capsules have closed forms in lanes, [`crate::closed::terrain`], by the same rules.

mod bounds;
mod cone;
mod curve;
mod drum;
mod edges;
mod entered;
mod faces;
mod near;
mod reduce;
mod surface;

use core::marker::PhantomData;

use motrix_spatial::Lanes;

use crate::contact::{Contact, Settings};
use crate::separation::Scratch;
use crate::shape::{Placed, Pose, Shape};

pub use near::Near;
pub use reduce::MOST_CONTACTS;
pub use surface::{Surface, Window};

/// How many contacts were found and what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Contacts of features.
    pub found: u32,
    /// Of these, how many were merged into one that stands for them.
    pub merged: u32,
    /// Places that were not looked at because the pair had its most contacts already.
    pub dropped: u32,
}

/// Finds where a shape other than a sphere or capsule touches the surface, or is no farther from it than `margin`. The contacts
/// replace what `out` held; their normals point from the surface to the shape. What cannot touch is left out in lanes; the lane type
/// changes no contact.
#[expect(
    clippy::too_many_arguments,
    reason = "the surface, the shape, the rules, the memory, the result"
)]
pub fn collide_surface<L: Lanes>(
    surface: &Surface,
    surface_in_world: &Pose,
    other: &Placed,
    margin: f64,
    settings: &Settings,
    scratch: &mut Scratch,
    near: &mut Near,
    out: &mut Vec<Contact>,
) -> Tally {
    out.clear();
    let shape = Placed {
        shape: other.shape,
        pose: surface_in_world.relative(&other.pose),
    };
    let bounding_box = match shape.shape {
        Shape::Hull(hull) if bounds::is_scanned(hull) => Some(L::apart(bounds::BoxAround::<L> {
            hull,
            pose: &shape.pose,
            lanes: PhantomData,
        })),
        _ => bounds::bounding_box(&shape),
    };
    let Some((min, max)) = bounding_box else {
        return Tally::default();
    };
    let low = min.map(|x| x - margin);
    let high = max.map(|x| x + margin);
    let Some(nodes) = surface.nodes_under(low, high) else {
        return Tally::default();
    };
    let highest = surface.highest_around(&nodes);
    if low[2] > highest || high[2] < -surface.base() {
        return Tally::default();
    }
    L::apart(near::Find::<L> {
        surface,
        nodes: &nodes,
        shape: &shape,
        bounds: [low, high],
        margin,
        near,
        lanes: PhantomData,
    });
    faces::touch(surface, highest, &near.cells, &shape, margin, out);
    edges::touch(surface, &near.edges, &shape, low[2], margin, settings, scratch, out);
    let found = out.len();
    reduce::reduce(out);
    for contact in out.iter_mut() {
        contact.position = surface_in_world.point(contact.position);
        contact.normal = surface_in_world.direction(contact.normal);
    }
    Tally {
        found: found as u32,
        merged: (found - out.len()) as u32,
        dropped: 0,
    }
}

#[cfg(test)]
mod tests;
