//! What touches: from poses to contact slots.
//!
//! The model's static pair list is walked once per step for the whole group: bounding spheres of body pairs, then of geom
//! pairs, then the shapes themselves. A contact lands in a *slot* of its body pair. The Jacobian of a contact depends only on
//! the two bodies, so lanes whose contacts come from different geoms share a slot, and a slot exists as soon as one lane needs
//! it. Each lane's contacts stay in the order of the pair list: a contact goes to the first slot behind the last one that any of
//! its lanes used, so what a lane sums, and in which order, does not depend on its neighbours.

use motrix_collide::closed::{self, Placed, Touch, TouchList};
use motrix_model::{GeomKind, Model, Options};
use motrix_spatial::algebra::*;
use motrix_spatial::{Lanes, Mask, Mat3, Real, Vec3};

use crate::constraint::impedance::{Impedance, Reference};
use crate::data::Poses;
use crate::params::Params;

/// Most lanes of any lane type.
pub const MAX_LANES: usize = 8;

/// Whose friction a pair uses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FrictionSource<E> {
    /// The larger of the two, coefficient by coefficient.
    Larger,
    /// The first geom's, which has priority.
    First,
    /// The second geom's, which has priority.
    Second,
    /// Written for the pair, or in the options.
    Given([E; 5]),
}

/// A pair of geoms that may touch.
#[derive(Clone, Debug)]
pub struct PairRow<E> {
    /// First geom.
    pub geom1: usize,
    /// Second geom.
    pub geom2: usize,
    /// Shapes.
    pub kinds: (GeomKind, GeomKind),
    /// Contact dimension.
    pub dim: u8,
    /// Distance below which a contact acts.
    pub margin: E,
    /// Distance below which it is detected.
    pub reach: E,
    /// Whose friction.
    pub friction: FrictionSource<E>,
    /// Reference in normal direction.
    pub reference: Reference<E>,
    /// Damping in friction directions (elliptic cone).
    pub friction_damping: E,
    /// Impedance.
    pub impedance: Impedance<E>,
    /// Adhesive force.
    pub adhesion: E,
}

/// Geom pairs of two bodies.
#[derive(Clone, Debug)]
pub struct BodyPairRow {
    /// First body.
    pub body1: usize,
    /// Second body.
    pub body2: usize,
    /// First pair.
    pub first: usize,
    /// One past the last pair.
    pub end: usize,
}

/// The pairs as the kernels read them.
#[derive(Clone, Debug)]
pub struct PairTable<E> {
    /// Body pairs.
    pub bodies: Vec<BodyPairRow>,
    /// Geom pairs, grouped by body pair.
    pub pairs: Vec<PairRow<E>>,
}

impl<E: Real> PairTable<E> {
    /// Flattens the pair list of a model, with what the options override.
    pub fn new(model: &Model, options: &Options) -> Self {
        let mut bodies: Vec<BodyPairRow> = Vec::new();
        let mut pairs = Vec::new();
        for pair in &model.pairs {
            let (g1, g2) = (&model.geoms[pair.geom1.index()], &model.geoms[pair.geom2.index()]);
            let (body1, body2) = (g1.body.index(), g2.body.index());
            let same = |row: &BodyPairRow| (row.body1.min(row.body2), row.body1.max(row.body2)) == (body1.min(body2), body1.max(body2));
            if !bodies.last().is_some_and(same) {
                bodies.push(BodyPairRow { body1: body1.min(body2), body2: body1.max(body2), first: pairs.len(), end: 0 });
            }
            pairs.push(pair_row(model, options, pair));
            if let Some(last) = bodies.last_mut() {
                last.end = pairs.len();
            }
        }
        Self { bodies, pairs }
    }
}

/// One pair with its constants.
fn pair_row<E: Real>(model: &Model, options: &Options, pair: &motrix_model::CollisionPair) -> PairRow<E> {
    let (g1, g2) = (&model.geoms[pair.geom1.index()], &model.geoms[pair.geom2.index()]);
    let mut p = model.pair_params[pair.params as usize];
    let mut friction = match (pair.explicit, g1.priority.cmp(&g2.priority)) {
        (Some(_), _) => FrictionSource::Given(p.friction.map(E::from_f64)),
        (None, std::cmp::Ordering::Greater) => FrictionSource::First,
        (None, std::cmp::Ordering::Less) => FrictionSource::Second,
        (None, std::cmp::Ordering::Equal) => FrictionSource::Larger,
    };
    if options.enable.contact_override {
        p.margin = options.o_margin;
        p.solref = options.o_solref;
        p.solref_friction = options.o_solref;
        p.solimp = options.o_solimp;
        friction = FrictionSource::Given(options.o_friction.map(E::from_f64));
    }
    let reference = Reference::new(p.solref, &p.solimp, options);
    PairRow {
        geom1: pair.geom1.index(),
        geom2: pair.geom2.index(),
        kinds: (g1.kind, g2.kind),
        dim: p.dim,
        margin: E::from_f64(p.margin),
        reach: E::from_f64(p.margin + p.gap),
        friction,
        reference: Reference {
            stiffness: E::from_f64(reference.stiffness),
            damping: E::from_f64(reference.damping),
        },
        friction_damping: E::from_f64(
            Reference::friction(p.solref_friction, p.solref, &p.solimp, options).damping,
        ),
        impedance: Impedance::new(&p.solimp).round(),
        adhesion: E::from_f64(p.adhesion),
    }
}

/// One contact of two bodies in each lane that has it.
#[derive(Clone, Copy, Debug)]
pub struct Slot<L: Lanes> {
    /// First body.
    pub body1: usize,
    /// Second body.
    pub body2: usize,
    /// Lanes that have this contact.
    pub active: L::Mask,
    /// Pair of each lane, an index into [`PairTable::pairs`].
    pub pair: [u32; MAX_LANES],
    /// Largest dimension of any lane.
    pub dim: usize,
    /// Dimension of each lane, as a number.
    pub lane_dim: L,
    /// Whether some lane acts (its distance is below its margin).
    pub acting: L::Mask,
    /// Signed distance.
    pub distance: L,
    /// Position.
    pub position: Vec3<L>,
    /// Rows: normal from the first body to the second, two tangents.
    pub frame: Mat3<L>,
    /// Distance below which it acts.
    pub margin: L,
    /// Friction: two tangents, spin, two rolls.
    pub friction: [L; 5],
    /// Reference in normal direction.
    pub reference: Reference<L>,
    /// Damping in friction directions.
    pub friction_damping: L,
    /// Impedance.
    pub impedance: Impedance<L>,
    /// Adhesive force.
    pub adhesion: L,
}

/// The contacts of a group.
#[derive(Clone, Debug)]
pub struct Contacts<L: Lanes> {
    /// Slots, grouped by body pair.
    pub slots: Vec<Slot<L>>,
    /// Contacts of the pair at hand.
    touches: TouchList<L>,
}

impl<L: Lanes> Contacts<L> {
    /// No contacts.
    pub fn new() -> Self {
        Self { slots: Vec::new(), touches: TouchList::new() }
    }
}

impl<L: Lanes> Default for Contacts<L> {
    fn default() -> Self {
        Self::new()
    }
}
