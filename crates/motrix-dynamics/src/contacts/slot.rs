//! Slots: one contact of two bodies in each lane that has it.

use motrix_collide::closed::Touch;
use motrix_spatial::algebra::*;
use motrix_spatial::{Lanes, Mask, Mat3, Vec3};

use super::pairs::{BodyPairRow, ContactTerms, FrictionSource, PairRow, PairTable};
use crate::constraint::impedance::{Impedance, Reference};
use crate::params::Params;

/// Most lanes of any lane type.
pub const MAX_LANES: usize = 8;
/// Smallest friction coefficient (MuJoCo's `mjMINMU`).
const MIN_FRICTION: f64 = 1e-5;

/// One contact of two bodies in each lane that has it. Lanes without it hold harmless numbers.
#[derive(Clone, Copy, Debug)]
pub struct Slot<L: Lanes> {
    /// Body with the lower number.
    pub body1: usize,
    /// Body with the higher number.
    pub body2: usize,
    /// Lanes that have this contact.
    pub active: L::Mask,
    /// Lanes in which it acts: its distance is below its margin, or it adheres.
    pub acting: L::Mask,
    /// Pair of each lane, an index into [`super::PairTable::pairs`].
    pub pair: [u32; MAX_LANES],
    /// Largest dimension of any lane.
    pub dim: usize,
    /// Dimension of each lane, as a number.
    pub lane_dim: L,
    /// Signed distance.
    pub distance: L,
    /// Position.
    pub position: Vec3<L>,
    /// Rows: normal, two tangents. The normal points from the pair's first geom to its second.
    pub frame: Mat3<L>,
    /// +1 where the pair's first geom is on `body1`, −1 where it is on `body2`.
    pub orientation: L,
    /// Distance below which it acts.
    pub margin: L,
    /// Friction: two tangents, spin, two rolls.
    pub friction: [L; 5],
    /// Reference in normal direction.
    pub reference: Reference<L>,
    /// Damping in friction directions (elliptic cone).
    pub friction_damping: L,
    /// Impedance.
    pub impedance: Impedance<L>,
    /// Adhesive force.
    pub adhesion: L,
}

impl<L: Lanes> Slot<L> {
    /// A slot for the contact of a pair. What follows from the pair alone stands in all lanes, used or not.
    #[inline(always)]
    pub fn new(
        table: &PairTable<L::Elem>,
        bodies: &BodyPairRow,
        index: usize,
        params: &Params<L>,
        touch: &Touch<L>,
    ) -> Self {
        let pair = &table.pairs[index];
        let terms = &table.terms[pair.terms as usize];
        let body1 = bodies.body1 as usize;
        let mut slot = Self {
            body1,
            body2: bodies.body2 as usize,
            active: touch.active,
            acting: L::Mask::NONE,
            pair: [index as u32; MAX_LANES],
            dim: usize::from(terms.dim),
            lane_dim: L::ONE,
            distance: touch.distance,
            position: touch.position,
            frame: contact_frame(touch.normal, touch.tangent),
            orientation: orientation(pair, body1),
            margin: L::splat(terms.margin),
            friction: pair_friction(pair, &terms.friction, params),
            reference: Reference {
                stiffness: L::splat(terms.reference.stiffness),
                damping: L::splat(terms.reference.damping),
            },
            friction_damping: L::splat(terms.friction_damping),
            impedance: terms.impedance.splat::<L>(),
            adhesion: L::splat(terms.adhesion),
        };
        slot.act(terms, touch);
        slot
    }

    /// Enters the contact of a pair in the lanes where it is active.
    #[inline(always)]
    pub fn put(&mut self, table: &PairTable<L::Elem>, index: usize, params: &Params<L>, touch: &Touch<L>) {
        let pair = &table.pairs[index];
        let terms = &table.terms[pair.terms as usize];
        let on = touch.active;
        self.active = self.active | on;
        for k in 0..L::COUNT {
            if on.lane(k) {
                self.pair[k] = index as u32;
            }
        }
        self.dim = self.dim.max(usize::from(terms.dim));
        keep(on, touch.distance, &mut self.distance);
        self.position = select3(on, touch.position, self.position);
        self.frame = select_mat(on, &contact_frame(touch.normal, touch.tangent), &self.frame);
        keep(on, orientation(pair, self.body1), &mut self.orientation);
        keep(on, L::splat(terms.margin), &mut self.margin);
        let friction = pair_friction(pair, &terms.friction, params);
        for k in 0..5 {
            keep(on, friction[k], &mut self.friction[k]);
        }
        keep(on, L::splat(terms.reference.stiffness), &mut self.reference.stiffness);
        keep(on, L::splat(terms.reference.damping), &mut self.reference.damping);
        keep(on, L::splat(terms.friction_damping), &mut self.friction_damping);
        let impedance = terms.impedance.splat::<L>();
        keep(on, impedance.d0, &mut self.impedance.d0);
        keep(on, impedance.rise, &mut self.impedance.rise);
        keep(on, impedance.lack, &mut self.impedance.lack);
        keep(on, impedance.inverse_width, &mut self.impedance.inverse_width);
        keep(on, impedance.midpoint, &mut self.impedance.midpoint);
        keep(on, impedance.power, &mut self.impedance.power);
        keep(on, L::splat(terms.adhesion), &mut self.adhesion);
        self.act(terms, touch);
    }

    /// Enters in how many dimensions a contact acts, and whether it does.
    #[inline(always)]
    fn act(&mut self, terms: &ContactTerms<L::Elem>, touch: &Touch<L>) {
        let on = touch.active;
        let touching = touch.distance.lt(L::splat(terms.margin));
        let mut dim = L::c(f64::from(terms.dim));
        let mut acting = touching;
        if terms.adhesion != L::Elem::default() {
            // Adhesion holds across the gap as well, where surfaces do not touch and nothing rubs.
            acting = L::Mask::ALL;
            dim = L::select(touching, dim, L::ONE);
        }
        keep(on, dim, &mut self.lane_dim);
        self.acting = self.acting | (on & acting);
    }
}

/// The sign of a contact's normal, seen from the body with the lower number.
#[inline(always)]
fn orientation<L: Lanes>(pair: &PairRow<L::Elem>, body1: usize) -> L {
    if pair.bodies()[0] == body1 { L::ONE } else { -L::ONE }
}

/// Replaces `target` where the mask is true.
#[inline(always)]
fn keep<L: Lanes>(mask: L::Mask, value: L, target: &mut L) {
    *target = L::select(mask, value, *target);
}

/// Friction of a pair in each lane.
#[inline(always)]
fn pair_friction<L: Lanes>(pair: &PairRow<L::Elem>, source: &FrictionSource<L::Elem>, params: &Params<L>) -> [L; 5] {
    let (a, b) = (
        &params.geoms[pair.geom1()].friction,
        &params.geoms[pair.geom2()].friction,
    );
    let [slide, spin, roll] = match source {
        FrictionSource::Larger => [a[0].max(b[0]), a[1].max(b[1]), a[2].max(b[2])],
        FrictionSource::First => *a,
        FrictionSource::Second => *b,
        FrictionSource::Given(f) => {
            let mut out = [L::ZERO; 5];
            for k in 0..5 {
                out[k] = L::splat(f[k]).max(L::c(MIN_FRICTION));
            }
            return out;
        }
    };
    let floor = L::c(MIN_FRICTION);
    let (slide, spin, roll) = (slide.max(floor), spin.max(floor), roll.max(floor));
    [slide, slide, spin, roll, roll]
}

/// The contact frame: the normal, then the tangent made perpendicular to it, then their cross product.
///
/// Without a tangent (zero) the world's y axis is taken, or z when the normal is within 60° of y (MuJoCo's `mju_makeFrame`).
#[inline(always)]
pub fn contact_frame<L: Lanes>(normal: Vec3<L>, tangent: Vec3<L>) -> Mat3<L> {
    let (x, _) = normalize(normal);
    let half = L::c(0.5);
    let given = norm_squared(tangent).ge(L::c(0.25));
    let near_y = x[1].abs().ge(half);
    let fallback = [
        L::ZERO,
        L::select(near_y, L::ZERO, L::ONE),
        L::select(near_y, L::ONE, L::ZERO),
    ];
    let seed = select3(given, tangent, fallback);
    let (y, _) = normalize(add_scaled(seed, -dot(x, seed), x));
    let z = cross(x, y);
    [x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]]
}
