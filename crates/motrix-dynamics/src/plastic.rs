//! Springs that yield: where they rest is part of the state.
//!
//! Stretched beyond its yield y, a spring keeps a permanent set: after each step its rest moves so far that the distance from it is
//! y again. A hinge or slide has a rest position, a ball joint a rest orientation, a tendon a range of rest lengths that moves as
//! one; the range of a rope, which begins at zero, only grows when the rope is pulled. Lengths at the end of the step are taken
//! to first order, L + h J q̇ (MuJoCo's `springyield`).

use motrix_model::{JointKind, Model, Options};
use motrix_spatial::algebra::*;
use motrix_spatial::{Lanes, Real};

use crate::data::Tendons;
use crate::tendon::{TendonTable, sparse_dot};

/// What yields.
#[derive(Clone, Copy, Debug)]
enum Yielding {
    /// The coordinate of a hinge or slide.
    Scalar(usize),
    /// The orientation of a ball joint.
    Orientation(usize),
    /// A tendon.
    Tendon(usize),
}

impl Yielding {
    /// Numbers of its rest.
    fn len(self) -> usize {
        match self {
            Yielding::Scalar(_) => 1,
            Yielding::Orientation(_) => 4,
            Yielding::Tendon(_) => 2,
        }
    }
}

/// A spring that yields.
#[derive(Clone, Debug)]
struct YieldRow<E> {
    what: Yielding,
    /// First number of its rest in [`crate::data::State::plastic`].
    place: usize,
    /// Distance from rest that it bears.
    limit: E,
}

/// All springs that yield.
#[derive(Clone, Debug)]
pub struct PlasticTable<E> {
    rows: Vec<YieldRow<E>>,
    /// Where the rest of each joint's spring stands, for those that yield.
    pub joints: Vec<Option<usize>>,
    /// The same for tendons.
    pub tendons: Vec<Option<usize>>,
    /// Whether springs act at all.
    acts: bool,
}

impl<E: Real> PlasticTable<E> {
    /// The yielding springs of a model.
    pub fn new(model: &Model, options: &Options) -> Self {
        let mut table = Self {
            rows: Vec::new(),
            joints: Vec::new(),
            tendons: Vec::new(),
            acts: !options.disable.spring,
        };
        let mut next = 0;
        let mut place = |what: Yielding, limit: f64| {
            let row = YieldRow {
                what,
                place: next,
                limit: E::from_f64(limit),
            };
            next += what.len();
            row
        };
        for joint in &model.joints {
            let what = match joint.kind {
                JointKind::Ball => Yielding::Orientation(joint.first_position),
                _ => Yielding::Scalar(joint.first_position),
            };
            let row = (joint.spring_yield > 0.0).then(|| place(what, joint.spring_yield));
            table.joints.push(row.as_ref().map(|row| row.place));
            table.rows.extend(row);
        }
        for (t, tendon) in model.tendons.iter().enumerate() {
            let yields = tendon.spring_yield > 0.0;
            let row = yields.then(|| place(Yielding::Tendon(t), tendon.spring_yield));
            table.tendons.push(row.as_ref().map(|row| row.place));
            table.rows.extend(row);
        }
        table
    }

    /// Whether no spring yields.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty() || !self.acts
    }

    /// Moves the rests of springs that are stretched too far. `qpos` is at the end of the step, `tendons` at its start, and
    /// `qvel` the velocity that leads from one to the other.
    #[inline(always)]
    pub fn advance<L: Lanes<Elem = E>>(
        &self,
        table: &TendonTable<E>,
        tendons: &Tendons<L>,
        h: L,
        qvel: &[L],
        qpos: &[L],
        plastic: &mut [L],
    ) {
        if self.is_empty() {
            return;
        }
        for row in &self.rows {
            let limit = L::splat(row.limit);
            let rest = &mut plastic[row.place..row.place + row.what.len()];
            match row.what {
                Yielding::Scalar(q) => {
                    let x = qpos[q] - rest[0];
                    let moved = qpos[q] - x.clamp(-limit, limit);
                    rest[0] = L::select(x.abs().gt(limit), moved, rest[0]);
                }
                Yielding::Orientation(q) => {
                    let now = quat_normalize([qpos[q], qpos[q + 1], qpos[q + 2], qpos[q + 3]]);
                    rest.copy_from_slice(&yielded(now, [rest[0], rest[1], rest[2], rest[3]], limit));
                }
                Yielding::Tendon(t) => {
                    let tendon = &table.rows[t];
                    let rate = sparse_dot(tendon.jacobian(tendons), &tendon.dofs, qvel);
                    let length = h.mul_add(rate, tendons.length[t]);
                    let shift = range_shift([rest[0], rest[1]], length, limit);
                    let rope = rest[0].equal(L::ZERO) & rest[1].gt(rest[0]) & shift.gt(L::ZERO);
                    rest[0] += L::select(rope, L::ZERO, shift);
                    rest[1] += shift;
                }
            }
        }
    }
}

/// How far a range must move so that `length` is at most `limit` outside.
#[inline(always)]
fn range_shift<L: Lanes>([lower, upper]: [L; 2], length: L, limit: L) -> L {
    let above = length - limit - upper;
    let below = length + limit - lower;
    above.max(L::ZERO) + below.min(L::ZERO)
}

/// A rest orientation turned towards `now` until at most `limit` is left between them.
#[inline(always)]
fn yielded<L: Lanes>(now: [L; 4], rest: [L; 4], limit: L) -> [L; 4] {
    let (axis, angle) = normalize(quat_difference(now, rest));
    let excess = (angle - limit).max(L::ZERO);
    let moved = quat_integrate(rest, axis, excess);
    let yields = excess.gt(L::ZERO);
    let mut out = rest;
    for i in 0..4 {
        out[i] = L::select(yields, moved[i], rest[i]);
    }
    out
}
