//! Spheres, capsules and boxes against the prisms below a height field, all lanes at once: MuJoCo's contacts with terrain.
//!
//! Each triangle of the surface is the top of a prism with upright walls, and every prism that the shape overlaps gives one
//! contact, its shortest way out (see `crate::prisms`, which treats all shapes in `f64`). Every lane walks over the prisms below
//! its own shape. Those that a plane along one of the obvious directions separates from the shape are left out at once; the
//! others wait in a queue per lane, so that prism *i* of all lanes is one turn of the loop, however many each lane has passed over.
//!
//! **The base.** The kernels take a prism to reach down without end. That changes nothing as long as the shape's lowest point is
//! above the base by at least the depth D found: a ball of radius D around the origin then lies in the Minkowski difference of the
//! prism itself, since all of its points stem from points of the prism above the base.
//!
//! **What is not certain** in a lane goes to the general collider: shapes that have sunk to the base, gaps within the margin of a
//! box, features so nearly parallel that it is rounding which decides where they touch.

mod ball;
mod cuboid;
mod listing;
mod prism;
mod rod;
mod walk;

use motrix_spatial::algebra::{add, mat_column, mat_t_mul, mat_t_vec, mat_vec, scale};
use motrix_spatial::{Lanes, Mask, Real, Vec3};

use super::terrain::{Ground, LaneTally, MAX_LANES};
use super::{Placed, TouchList};
use crate::contact::{Contact, Manifold, Settings};
use crate::pairs::collide;
use crate::prisms::corners;
use crate::separation::Scratch;
use crate::shape::{self, Pose, Shape};
use crate::terrain::Surface;
use ball::Ball;
use cuboid::Cuboid;
use listing::Listing;
use prism::Prism;
use rod::Rod;
use walk::{Bounds, Waiting, Walk};

/// What a shape has to say about a prism, the shape's centre being the origin and the axes those of the field.
trait Core<L: Lanes> {
    /// Half of the box around the shape, along the axes of the field.
    fn half_extent(&self) -> Vec3<L>;
    /// Lanes in which a plane separates shape and prism by more than `reach`.
    fn is_apart(&self, prism: &Prism<L>, reach: L) -> L::Mask;
    /// The contact with a prism.
    fn touch(&self, prism: &Prism<L>, reach: L) -> Overlap<L>;
}

/// The shortest way out of a prism.
#[derive(Clone, Copy, Debug)]
struct Overlap<L: Lanes> {
    /// Lanes whose contact this is.
    active: L::Mask,
    /// Lanes for which the general collider has to decide.
    unsure: L::Mask,
    distance: L,
    /// From the shape's centre.
    position: Vec3<L>,
    normal: Vec3<L>,
}

/// The shape in one lane, for the general collider.
type ShapeOf = fn([f64; 3]) -> Shape<'static>;

/// What the general collider needs.
#[derive(Debug)]
pub struct General<'a> {
    /// How convex pairs are resolved.
    pub settings: &'a Settings,
    /// Its working memory.
    pub scratch: &'a mut Scratch,
}

/// Terrain and sphere, in the lanes `near`.
#[inline(always)]
pub fn prisms_sphere<L: Lanes>(
    ground: &Ground<L>,
    b: &Placed<L>,
    reach: L,
    near: L::Mask,
    general: &mut General,
    out: &mut TouchList<L>,
) -> LaneTally<L> {
    let ball = Ball { radius: b.size[0] };
    let shape: ShapeOf = |size| Shape::Sphere { radius: size[0] };
    touch(ground, b, &ball, shape, reach, near, general, out)
}

/// Terrain and capsule, in the lanes `near`.
#[inline(always)]
pub fn prisms_capsule<L: Lanes>(
    ground: &Ground<L>,
    b: &Placed<L>,
    reach: L,
    near: L::Mask,
    general: &mut General,
    out: &mut TouchList<L>,
) -> LaneTally<L> {
    let rod = Rod {
        half: scale(mat_t_vec(ground.placed.rotation, b.z_axis()), b.size[1]),
        radius: b.size[0],
    };
    let shape: ShapeOf = |size| Shape::Capsule {
        radius: size[0],
        half_length: size[1],
    };
    touch(ground, b, &rod, shape, reach, near, general, out)
}

/// Terrain and box, in the lanes `near`.
#[inline(always)]
pub fn prisms_box<L: Lanes>(
    ground: &Ground<L>,
    b: &Placed<L>,
    reach: L,
    near: L::Mask,
    general: &mut General,
    out: &mut TouchList<L>,
) -> LaneTally<L> {
    let rotation = mat_t_mul(ground.placed.rotation, b.rotation);
    let cuboid = Cuboid {
        axes: [
            mat_column(&rotation, 0),
            mat_column(&rotation, 1),
            mat_column(&rotation, 2),
        ],
        half: *b.size,
    };
    let shape: ShapeOf = |half| Shape::Box { half };
    touch(ground, b, &cuboid, shape, reach, near, general, out)
}

/// Walks over the prisms below a shape and collects its contacts.
#[inline(always)]
#[expect(
    clippy::too_many_arguments,
    reason = "the two shapes, how far they reach, the memory, the result"
)]
fn touch<L: Lanes>(
    ground: &Ground<L>,
    b: &Placed<L>,
    core: &impl Core<L>,
    shape: ShapeOf,
    reach: L,
    near: L::Mask,
    general: &mut General,
    out: &mut TouchList<L>,
) -> LaneTally<L> {
    let centre = ground.placed.to_local(*b.position);
    let bounds = Bounds::new(centre, core.half_extent(), reach);
    let mut listing = Listing::new();
    let mut walk = Walk::below(ground, &bounds, near);
    if !walk.has_more() {
        return listing.tally(&walk);
    }
    let mut waiting = Waiting::new();
    let surfaces = surfaces(ground);
    while walk.has_more() {
        // Passes over prisms until a lane has no room for one more.
        while waiting.has_room() {
            let Some(turn) = walk.next(&surfaces) else { break };
            let prism = Prism::read(ground.window, &walk, &turn);
            waiting.push(&turn, turn.active & !core.is_apart(&prism, reach));
        }
        while let Some(turn) = waiting.pop(&walk) {
            let prism = Prism::read(ground.window, &walk, &turn);
            let here = listing.has_room(turn.active);
            let overlap = core.touch(&prism, reach);
            let mut found = Overlap {
                active: overlap.active & here & !overlap.unsure,
                ..overlap
            };
            let unsure = overlap.unsure & here;
            if unsure.any() {
                for k in 0..L::COUNT {
                    if unsure.lane(k) {
                        decide(ground, b, shape, &turn, k, reach, general, &mut found);
                    }
                }
            }
            listing.put(&found, &turn, ground, b, out);
        }
    }
    listing.tally(&walk)
}

/// What each lane sees of the field.
#[inline(always)]
fn surfaces<'a, L: Lanes>(ground: &Ground<'a, L>) -> [Surface<'a>; MAX_LANES] {
    let mut surfaces = [Surface::new(ground.field, *ground.window.lane(0)); MAX_LANES];
    for k in 1..L::COUNT {
        surfaces[k] = Surface::new(ground.field, *ground.window.lane(k));
    }
    surfaces
}

/// Lets the general collider decide in one lane.
#[cold]
#[inline(never)]
#[expect(
    clippy::too_many_arguments,
    reason = "the pair, which prism of it, the memory, the result"
)]
fn decide<L: Lanes>(
    ground: &Ground<L>,
    b: &Placed<L>,
    shape: ShapeOf,
    turn: &walk::Turn<L>,
    k: usize,
    reach: L,
    general: &mut General,
    found: &mut Overlap<L>,
) {
    let field = pose_of_lane(&ground.placed, k);
    let placed = shape::Placed {
        shape: shape(b.size.map(|x| x.lane(k).to_f64())),
        pose: field.relative(&pose_of_lane(b, k)),
    };
    let surface = Surface::new(ground.field, *ground.window.lane(k));
    let points = corners(&surface, turn.prisms[k]);
    let prism = shape::Placed {
        shape: Shape::Prism(&points),
        pose: Pose::IDENTITY,
    };
    // One contact per prism: the manifold of a pair of bodies would count shared edges twice.
    let single = Settings {
        multiccd: false,
        ..*general.settings
    };
    let mut manifold = Manifold::new();
    collide(
        &prism,
        &placed,
        reach.lane(k).to_f64(),
        &single,
        general.scratch,
        &mut manifold,
    );
    if let Some(contact) = manifold.first() {
        found.set_lane(k, contact, placed.pose.position);
    }
}

impl<L: Lanes> Overlap<L> {
    /// Enters a contact of one lane.
    fn set_lane(&mut self, k: usize, contact: &Contact, centre: [f64; 3]) {
        self.active = self.active | L::Mask::from_bits(1 << k);
        self.distance.set_lane(k, L::Elem::from_f64(contact.distance));
        for i in 0..3 {
            self.position[i].set_lane(k, L::Elem::from_f64(contact.position[i] - centre[i]));
            self.normal[i].set_lane(k, L::Elem::from_f64(contact.normal[i]));
        }
    }
}

/// Where a shape is in one lane, in `f64`.
fn pose_of_lane<L: Lanes>(placed: &Placed<L>, k: usize) -> Pose {
    Pose {
        position: placed.position.map(|x| x.lane(k).to_f64()),
        rotation: placed.rotation.map(|x| x.lane(k).to_f64()),
    }
}

/// Distance, as a share of a size, below which a direction is rounding noise.
#[inline(always)]
fn barely<L: Lanes>() -> L {
    L::c((1e3 * L::Elem::EPSILON).max(1e-9))
}

/// From the shape's centre and the axes of the field to the world.
#[inline(always)]
fn to_world<L: Lanes>(ground: &Ground<L>, b: &Placed<L>, local: Vec3<L>) -> Vec3<L> {
    add(*b.position, mat_vec(ground.placed.rotation, local))
}

#[cfg(test)]
mod tests;
