//! Contact between simple shapes in closed form, all lanes at once.
//!
//! Each function takes two shapes placed in the world, one pair per lane, and appends its contacts to a [`TouchList`]. Which
//! points are reported, their order and the degenerate cases are those of MuJoCo 4.0 (`engine_collision_primitive`,
//! `engine_collision_box`), so that one lane of `f64` gives its numbers. Nothing iterates: a lane never waits for another.
//!
//! | pair | most contacts | file |
//! |---|---|---|
//! | plane with sphere, capsule, ellipsoid, cylinder, box | 1, 2, 1, 4, 4 | [`plane`] |
//! | sphere with sphere, capsule, cylinder, box | 1 | [`sphere`] |
//! | capsule with capsule | 2 | [`capsule`] |
//! | capsule with box | 2 | [`capsule_box`] |
//! | prisms below a height field with any shape | 1 per prism | [`prisms`] |
//! | surface of a height field with sphere, capsule | 8 | [`terrain`] |
//!
//! [`cull`] tells which pairs cannot touch before any of these is called.

pub mod capsule;
pub mod capsule_box;
pub mod cull;
pub mod plane;
pub mod prisms;
pub mod sphere;
pub mod terrain;

use motrix_spatial::algebra::{add, mat_column, mat_t_vec, mat_vec, select3, sub, zero3};
use motrix_spatial::{Lanes, Mask, Mat3, Real, Vec3};

/// A shape placed in the world, one per lane. `size` are MuJoCo's `geom_size` numbers.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a, L: Lanes> {
    /// Origin of the shape's frame.
    pub position: &'a Vec3<L>,
    /// Axes of the shape's frame, as columns.
    pub rotation: &'a Mat3<L>,
    /// Radius or half sizes, in MuJoCo's order for the kind of shape.
    pub size: &'a Vec3<L>,
}

impl<L: Lanes> Placed<'_, L> {
    /// The z axis of the shape's frame: normal of a plane, axis of a capsule or cylinder.
    #[inline(always)]
    pub fn z_axis(&self) -> Vec3<L> {
        mat_column(self.rotation, 2)
    }

    /// A point of the world, in the shape's frame.
    #[inline(always)]
    pub fn to_local(&self, point: Vec3<L>) -> Vec3<L> {
        mat_t_vec(self.rotation, sub(point, *self.position))
    }

    /// A point of the shape's frame, in the world.
    #[inline(always)]
    pub fn to_world(&self, local: Vec3<L>) -> Vec3<L> {
        add(*self.position, mat_vec(self.rotation, local))
    }
}

/// One contact point per lane. Where `active` is false every other field holds finite, harmless numbers.
#[derive(Clone, Copy, Debug)]
pub struct Touch<L: Lanes> {
    /// The lanes that have this contact.
    pub active: L::Mask,
    /// Gap between the surfaces along the normal; negative when they overlap.
    pub distance: L,
    /// Midway between the two surfaces.
    pub position: Vec3<L>,
    /// Unit direction from shape 1 to shape 2.
    pub normal: Vec3<L>,
    /// Direction of the first tangent, where the pair has a natural one; zero leaves the choice free.
    pub tangent: Vec3<L>,
}

impl<L: Lanes> Touch<L> {
    /// A contact without a natural tangent; lanes that are not active are overwritten with zeros and an upright normal.
    #[inline(always)]
    pub fn new(active: L::Mask, distance: L, position: Vec3<L>, normal: Vec3<L>) -> Touch<L> {
        Touch {
            active,
            distance: L::select(active, distance, L::ZERO),
            position: select3(active, position, zero3()),
            normal: select3(active, normal, [L::ZERO, L::ZERO, L::ONE]),
            tangent: zero3(),
        }
    }
}

/// The contacts found so far. Its memory is kept when it is cleared, so that filling it again does not allocate.
#[derive(Clone, Debug)]
pub struct TouchList<L: Lanes> {
    pub(crate) touches: Vec<Touch<L>>,
    /// Contacts that are found lane by lane, until they are complete.
    pub(crate) rows: Vec<TouchRow<L::Elem>>,
}

/// A contact as it is found lane by lane: distance, position, normal. Numbers are quicker to enter than lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TouchRow<E> {
    /// The lanes that have this contact, a bit each.
    pub active: u32,
    pub numbers: [[E; terrain::MAX_LANES]; 7],
}

impl<L: Lanes> Default for TouchList<L> {
    fn default() -> Self {
        TouchList::with_capacity(0)
    }
}

impl<L: Lanes> TouchList<L> {
    /// An empty list with room for `capacity` contacts.
    pub fn with_capacity(capacity: usize) -> Self {
        TouchList {
            touches: Vec::with_capacity(capacity),
            rows: Vec::with_capacity(capacity),
        }
    }

    /// Forgets all contacts and keeps the memory.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.touches.clear();
    }

    /// Appends a contact, unless no lane has it.
    #[inline(always)]
    pub fn push(&mut self, touch: Touch<L>) {
        if touch.active.any() {
            self.touches.push(touch);
        }
    }

    /// Gives the lanes `others` the contacts of lane `from`, in place of their own.
    #[inline(always)]
    pub fn copy_lane(&mut self, from: usize, others: L::Mask) {
        let copy = |x: &mut L| *x = L::select(others, L::splat(x.lane(from)), *x);
        for touch in &mut self.touches {
            let own = touch.active & !others;
            touch.active = if touch.active.lane(from) { own | others } else { own };
            copy(&mut touch.distance);
            touch.position.iter_mut().for_each(copy);
            touch.normal.iter_mut().for_each(copy);
            touch.tangent.iter_mut().for_each(copy);
        }
    }

    /// How many contacts there are; each may be active in any number of lanes.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.touches.len()
    }

    /// Whether there is no contact in any lane.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.touches.is_empty()
    }

    /// The contacts, in the order they were found.
    #[inline(always)]
    pub fn iter(&self) -> core::slice::Iter<'_, Touch<L>> {
        self.touches.iter()
    }

    /// The contacts, in the order they were found.
    #[inline(always)]
    pub fn as_slice(&self) -> &[Touch<L>] {
        &self.touches
    }
}

impl<'a, L: Lanes> IntoIterator for &'a TouchList<L> {
    type Item = &'a Touch<L>;
    type IntoIter = core::slice::Iter<'a, Touch<L>>;

    fn into_iter(self) -> Self::IntoIter {
        self.touches.iter()
    }
}

/// Below this a length is rounding noise of unit vectors: MuJoCo's 1e-15 in `f64`, four units in the last place in `f32`.
#[inline(always)]
fn rounding_noise<L: Lanes>() -> L {
    L::c((4.0 * L::Elem::EPSILON).max(1e-15))
}

#[cfg(test)]
mod tests;
