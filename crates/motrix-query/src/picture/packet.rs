//! A packet of rays, one per lane, and what each of them has met so far.

use motrix_spatial::{Lanes, Mask, Real, Vec3};

/// A single-precision number of a table in every lane.
#[inline(always)]
pub fn lift<L: Lanes>(x: f32) -> L {
    L::c(f64::from(x))
}

/// Three of them.
#[inline(always)]
pub fn lift3<L: Lanes>(v: &[f32; 3]) -> Vec3<L> {
    [lift(v[0]), lift(v[1]), lift(v[2])]
}

/// Beyond everything.
#[inline(always)]
pub fn never<L: Lanes>() -> L {
    L::c(f64::INFINITY)
}

/// Most lanes of any lane type.
pub const MOST_LANES: usize = 8;

/// The numbers of all lanes in single precision.
#[inline(always)]
pub fn spread<L: Lanes>(x: L) -> [f32; MOST_LANES] {
    let mut exact = [L::Elem::default(); MOST_LANES];
    x.store(&mut exact);
    let mut out = [0.0; MOST_LANES];
    for k in 0..L::COUNT {
        out[k] = exact[k].to_f32();
    }
    out
}

/// The inverse of [`spread`].
#[inline(always)]
pub fn gathered<L: Lanes>(x: &[f32; MOST_LANES]) -> L {
    let mut exact = [L::Elem::default(); MOST_LANES];
    for k in 0..L::COUNT {
        exact[k] = L::Elem::from_f64(f64::from(x[k]));
    }
    L::load(&exact)
}

/// Rays, and how far from their start something counts.
#[derive(Clone, Copy, Debug)]
pub struct Packet<L: Lanes> {
    /// Where they start.
    pub origin: Vec3<L>,
    /// Where they go; the unit of their parameter.
    pub direction: Vec3<L>,
    /// What is met at or before this does not count.
    pub after: L,
}

/// The nearest thing each ray has met.
#[derive(Clone, Copy, Debug)]
pub struct Met<L: Lanes> {
    /// Parameter of the ray, or what it was limited to.
    pub depth: L,
    /// Place of the instance; [`NOBODY`] if there is none. Whole numbers below 2²⁴ are exact in every lane type.
    pub who: L,
    /// Triangle of a mesh, or feature of a height field.
    pub part: L,
}

/// No instance.
pub const NOBODY: f64 = -1.0;

impl<L: Lanes> Met<L> {
    /// Nothing up to a depth.
    #[inline(always)]
    pub fn nothing(limit: L) -> Self {
        Met {
            depth: limit,
            who: L::c(NOBODY),
            part: L::ZERO,
        }
    }

    /// Takes what is met nearer than what is known.
    #[inline(always)]
    pub fn offer(&mut self, packet: &Packet<L>, depth: L, who: L, part: L) -> L::Mask {
        let nearer = depth.lt(self.depth) & depth.gt(packet.after);
        self.depth = L::select(nearer, depth, self.depth);
        self.who = L::select(nearer, who, self.who);
        self.part = L::select(nearer, part, self.part);
        nearer
    }

    /// Lanes that have met something.
    #[inline(always)]
    pub fn some(&self) -> L::Mask {
        self.who.ge(L::ZERO)
    }

    /// The instance of a lane.
    #[inline(always)]
    pub fn instance(&self, lane: usize) -> usize {
        self.who.lane(lane).to_f64() as usize
    }
}

/// The first lane of a mask.
#[inline(always)]
pub fn first_lane<M: Mask>(mask: M) -> usize {
    mask.bits().trailing_zeros() as usize
}
