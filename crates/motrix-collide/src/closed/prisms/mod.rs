//! Shapes against the prisms below a height field, as many prisms at once as there are lanes: MuJoCo's contacts with terrain.
//!
//! Each triangle of the surface is the top of a prism with upright walls, and every prism that the shape overlaps gives one
//! contact, its shortest way out (see `crate::prisms`, which treats one shape and prism at a time in `f64`). The cells below the
//! shapes of all worlds are looked at in one row, world by world. Those prisms that a plane along one of the obvious directions separates
//! from the shape are left out at once; the others wait until there is one for every lane. Spheres, capsules and boxes have
//! closed forms in lanes; where other shapes are not apart from a prism, the general collider tells how they touch.
//!
//! **The base.** The kernels take a prism to reach down without end. That changes nothing as long as the shape's lowest point is
//! above the base by at least the depth D found: a ball of radius D around the origin then lies in the Minkowski difference of the
//! prism itself, since all of its points stem from points of the prism above the base.
//!
//! **What is not certain** in a lane goes to the general collider: shapes that have sunk to the base, gaps within the margin of a
//! box, features so nearly parallel that it is rounding which decides where they touch.

mod arc;
mod ball;
mod cuboid;
mod drum;
mod egg;
mod gem;
mod listing;
mod prism;
mod rim;
mod rod;
mod screen;
mod solid;
mod turn;
mod walk;

use motrix_spatial::algebra::{add, mat_column, mat_t_mul, mat_t_vec, mat_vec, scale, sub};
use motrix_spatial::{Lanes, Mask, Part, Real, Vec3};

use super::terrain::{Ground, LaneTally, MAX_LANES};
use super::{Placed, TouchList};
use crate::cells::corners;
use crate::contact::{Contact, Settings};
use crate::hull::Hull;
use crate::memory::Memory;
use crate::minkowski::Pair;
use crate::prism_contact::{search_prism, touch_prism};
use crate::separation::Scratch;
use crate::shape::{Pose, Shape};
use crate::support::{self, Rounded};
use crate::terrain::Surface;
use ball::Ball;
use cuboid::Cuboid;
use drum::Drum;
use egg::Egg;
use gem::Gem;
use listing::Listing;
use prism::Prism;
use rod::Rod;
use solid::{Reach, Solid};
use turn::{Turn, Waiting, Worlds};
use walk::{Bounds, Cells, View, Walk, over_ground};

/// Corners of a hull per lane up to which it is faster to ask all of them in lanes than to climb over the hull lane by lane: as many as
/// a scan takes the time of a climb.
pub const MOST_CORNERS: usize = 16;

/// What a shape has to say about a prism, the shape's centre being the origin and the axes those of the field.
trait Core<L: Lanes> {
    /// Whether a contact with the top or a corner of a prism is never left to the general collider where it is certain.
    const TELLS_CERTAIN: bool;
    /// How far the shape reaches along −x, −y, −z and along +x, +y, +z of the field.
    fn extents(&self) -> [Vec3<L>; 2];
    /// Gathers what leaves out prisms, once it is known that there is ground below.
    fn prepare(&mut self);
    /// Lanes in which a plane separates the shape from the upper left prism of a cell, and from the other one. The views are
    /// those of the lanes' worlds.
    fn apart(&self, view: &View<L>, cells: &Cells<L>, reach: L) -> [L::Mask; 2];
    /// The shape of one lane, for the general collider.
    fn shape(&self, size: [f64; 3]) -> Shape<'_>;
    /// The contacts with prisms of the worlds that the lanes of a turn belong to.
    fn touch(&self, worlds: &Worlds, prism: &Prism<L>, reach: L) -> Overlap<L>;
}

/// A simple shape and one prism.
trait Apart<L: Lanes> {
    /// Lanes in which a plane separates shape and prism by more than `reach`.
    fn is_apart(&self, prism: &Prism<L>, reach: L) -> L::Mask;

    /// The same of the upper left prisms of cells, and of the others.
    #[inline(always)]
    fn both_apart(&self, view: &View<L>, cells: &Cells<L>, reach: L) -> [L::Mask; 2] {
        [
            self.is_apart(&Prism::of_cells(view, cells, true), reach),
            self.is_apart(&Prism::of_cells(view, cells, false), reach),
        ]
    }
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
    touch(ground, b, ball, reach, near, general, out)
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
    touch(ground, b, rod, reach, near, general, out)
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
    touch(ground, b, cuboid, reach, near, general, out)
}

/// Terrain and cylinder, in the lanes `near`.
#[inline(always)]
pub fn prisms_cylinder<L: Lanes>(
    ground: &Ground<L>,
    b: &Placed<L>,
    reach: L,
    near: L::Mask,
    general: &mut General,
    out: &mut TouchList<L>,
) -> LaneTally<L> {
    let drum = Drum {
        axis: mat_t_vec(ground.placed.rotation, b.z_axis()),
        radius: b.size[0],
        half_length: b.size[1],
    };
    solid(ground, b, drum, reach, near, general, out)
}

/// Terrain and ellipsoid, in the lanes `near`.
#[inline(always)]
pub fn prisms_ellipsoid<L: Lanes>(
    ground: &Ground<L>,
    b: &Placed<L>,
    reach: L,
    near: L::Mask,
    general: &mut General,
    out: &mut TouchList<L>,
) -> LaneTally<L> {
    let rotation = mat_t_mul(ground.placed.rotation, b.rotation);
    let egg = Egg {
        half_axes: [
            scale(mat_column(&rotation, 0), b.size[0]),
            scale(mat_column(&rotation, 1), b.size[1]),
            scale(mat_column(&rotation, 2), b.size[2]),
        ],
    };
    solid(ground, b, egg, reach, near, general, out)
}

/// Terrain and hull, in the lanes `near`. It pays for hulls of up to [`MOST_CORNERS`] corners per lane.
#[inline(always)]
pub fn prisms_hull<L: Lanes>(
    ground: &Ground<L>,
    b: &Placed<L>,
    hull: &Hull,
    reach: L,
    near: L::Mask,
    general: &mut General,
    out: &mut TouchList<L>,
) -> LaneTally<L> {
    let gem = Gem {
        hull,
        rotation: mat_t_mul(ground.placed.rotation, b.rotation),
    };
    solid(ground, b, gem, reach, near, general, out)
}

/// A shape whose contacts the general collider finds.
#[inline(always)]
fn solid<L: Lanes>(
    ground: &Ground<L>,
    b: &Placed<L>,
    shape: impl Reach<L>,
    reach: L,
    near: L::Mask,
    general: &mut General,
    out: &mut TouchList<L>,
) -> LaneTally<L> {
    let centre = ground.placed.to_local(*b.position);
    let solid = Solid::new(shape, centre, ground.window.spacing);
    touch(ground, b, solid, reach, near, general, out)
}

/// Walks over the prisms below the shapes and collects their contacts. A function of its own for every shape: all in one, they take the
/// compiler minutes.
#[inline(always)]
fn touch<L: Lanes>(
    ground: &Ground<L>,
    b: &Placed<L>,
    core: impl Core<L>,
    reach: L,
    near: L::Mask,
    general: &mut General,
    out: &mut TouchList<L>,
) -> LaneTally<L> {
    L::apart(Over {
        ground,
        b,
        core,
        reach,
        near,
        general,
        out,
    })
}

/// What [`touch`] is asked.
struct Over<'a, 'g, 's, L: Lanes, C> {
    ground: &'a Ground<'g, L>,
    b: &'a Placed<'g, L>,
    core: C,
    reach: L,
    near: L::Mask,
    general: &'a mut General<'s>,
    out: &'a mut TouchList<L>,
}

impl<L: Lanes, C: Core<L>> Part for Over<'_, '_, '_, L, C> {
    type Out = LaneTally<L>;
    #[inline(always)]
    fn run(self) -> LaneTally<L> {
        let Self {
            ground,
            b,
            mut core,
            reach,
            near,
            general,
            out,
        } = self;
        let centre = ground.placed.to_local(*b.position);
        let extents = core.extents();
        let near = over_ground(ground, sub(centre, extents[0]), add(centre, extents[1]), reach, near);
        let mut listing = Listing::new();
        if !near.any() {
            return listing.tally();
        }
        let mut walk = Walk::below(ground, &Bounds::new(centre, extents, reach), near);
        if walk.is_over() {
            return listing.tally();
        }
        core.prepare();
        let core = &core;
        let mut waiting = Waiting::new();
        // What separated each world's shape from a prism last: often it does so from the next.
        let mut memories = [Memory::default(); MAX_LANES];
        while let Some(cells) = walk.next_cells() {
            let apart = core.apart(&walk.view.pick(&cells.worlds), &cells, reach);
            let touching = [
                (cells.reached[0] & !apart[0]).bits(),
                (cells.reached[1] & !apart[1]).bits(),
            ];
            waiting.push(&cells, touching);
            while waiting.count() >= L::COUNT {
                look(
                    ground,
                    b,
                    core,
                    reach,
                    &walk,
                    general,
                    &mut waiting,
                    &mut memories,
                    &mut listing,
                    out,
                );
            }
            // What comes behind the last possible contact is not looked at.
            walk.leave(listing.full);
        }
        while waiting.count() > 0 {
            look(
                ground,
                b,
                core,
                reach,
                &walk,
                general,
                &mut waiting,
                &mut memories,
                &mut listing,
                out,
            );
        }
        listing.finish(&walk, ground, b, out)
    }
}

/// Looks at the first of the prisms that may touch.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "the pair, the prisms, the memory, the results")]
fn look<L: Lanes>(
    ground: &Ground<L>,
    b: &Placed<L>,
    core: &impl Core<L>,
    reach: L,
    walk: &Walk<L>,
    general: &mut General,
    waiting: &mut Waiting<L>,
    memories: &mut [Memory; MAX_LANES],
    listing: &mut Listing,
    out: &mut TouchList<L>,
) {
    let turn = waiting.take();
    let prism = Prism::of_turn(&walk.view.pick(&turn.worlds), &turn);
    let overlap = core.touch(&turn.worlds, &prism, reach);
    let mut found = Overlap {
        active: overlap.active & !overlap.unsure,
        ..overlap
    };
    let mut unsure = (overlap.unsure & turn.active).bits();
    while unsure != 0 {
        let lane = unsure.trailing_zeros() as usize;
        unsure &= unsure - 1;
        let world = turn.worlds.of(lane);
        if listing.has_room(world) {
            let memory = &mut memories[world % MAX_LANES];
            decide(ground, b, core, walk, &turn, lane, reach, general, memory, &mut found);
        }
    }
    listing.put(&found, &turn, walk, out);
}

/// Lets the general collider decide in one lane of a turn.
#[inline(never)]
#[expect(
    clippy::too_many_arguments,
    reason = "the pair, which prism of it, the memory, the result"
)]
fn decide<L: Lanes, C: Core<L>>(
    ground: &Ground<L>,
    b: &Placed<L>,
    core: &C,
    walk: &Walk<L>,
    turn: &Turn<L>,
    lane: usize,
    reach: L,
    general: &mut General,
    memory: &mut Memory,
    found: &mut Overlap<L>,
) {
    let k = turn.worlds.of(lane);
    let shape = core.shape(b.size.map(|x| x.lane(k).to_f64()));
    let Some(rounded) = Rounded::new(&shape) else { return };
    let surface = Surface::new(ground.field, *ground.window.lane(k));
    let points = corners(&surface, turn.prism(lane, walk));
    let pair = Pair {
        a: Rounded {
            core: support::Core::Prism(&points),
            radius: 0.0,
        },
        b: rounded,
        b_in_a: pose_of_lane(&ground.placed, k).relative(&pose_of_lane(b, k)),
    };
    let margin = reach.lane(k).to_f64();
    if memory.proves_apart(&pair, margin + rounded.radius) {
        return;
    }
    let General { settings, scratch } = general;
    let contact = if C::TELLS_CERTAIN {
        search_prism(&pair, margin, settings, scratch)
    } else {
        touch_prism(&pair, &points, margin, settings, scratch)
    };
    match contact {
        Ok(contact) => found.set_lane(lane, &contact, pair.b_in_a.position),
        Err(apart) => memory.keep_axis(apart),
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
