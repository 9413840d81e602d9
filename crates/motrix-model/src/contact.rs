//! Which geoms may touch, and with what parameters.
//!
//! Parameters of a pair are mixed from its geoms by [`mix_geoms`] (MuJoCo documentation, "Contact parameters"); which pairs
//! there are is found by [`crate::collision_pairs`].

use crate::{BodyId, Geom, GeomId, SolImp, SolRef};

/// Below this a mixing weight counts as zero (MuJoCo's `mjMINVAL`).
const MIN_WEIGHT: f64 = 1e-15;

/// Parameters of the contacts of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactParams {
    /// Dimension: 1, 3, 4 or 6.
    pub dim: u8,
    /// Friction: two tangents, spin, two rolls.
    pub friction: [f64; 5],
    /// Reference in normal direction.
    pub solref: SolRef,
    /// Reference in friction directions; zeros stand for `solref`.
    pub solref_friction: SolRef,
    /// Impedance.
    pub solimp: SolImp,
    /// Distance below which a contact acts.
    pub margin: f64,
    /// Further distance in which it is detected but does not act.
    pub gap: f64,
    /// Adhesive force.
    pub adhesion: f64,
}

/// A pair of geoms that may touch. `geom1` has the lower type code, as in MuJoCo's contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollisionPair {
    /// First geom.
    pub geom1: GeomId,
    /// Second geom.
    pub geom2: GeomId,
    /// Index into [`crate::Model::pair_params`].
    pub params: u32,
    /// The `<pair>` that asked for it, when one did.
    pub explicit: Option<u32>,
}

/// A pair written as `<pair>`: it overrules every filter.
#[derive(Clone, Debug, PartialEq)]
pub struct ExplicitPair {
    /// Name, when the file gives one.
    pub name: Option<String>,
    /// First geom as written.
    pub geom1: GeomId,
    /// Second geom as written.
    pub geom2: GeomId,
    /// Parameters.
    pub params: ContactParams,
}

/// Bodies whose geoms never touch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exclude {
    /// Name, when the file gives one.
    pub name: Option<String>,
    /// First body.
    pub body1: BodyId,
    /// Second body.
    pub body2: BodyId,
}

/// Parameters of a pair of geoms: the one of higher priority decides, equals are mixed.
pub fn mix_geoms(a: &Geom, b: &Geom) -> ContactParams {
    let (dim, friction, solref, solimp, adhesion) = if a.priority != b.priority {
        let first = if a.priority > b.priority { a } else { b };
        (first.condim, first.friction, first.solref, first.solimp, first.adhesion)
    } else {
        let t = mixing_weight(a.solmix, b.solmix);
        let solref = if a.solref[0] > 0.0 && b.solref[0] > 0.0 {
            std::array::from_fn(|i| t * a.solref[i] + (1.0 - t) * b.solref[i])
        } else {
            std::array::from_fn(|i| a.solref[i].min(b.solref[i]))
        };
        let solimp = std::array::from_fn(|i| t * a.solimp[i] + (1.0 - t) * b.solimp[i]);
        let friction = std::array::from_fn(|i| a.friction[i].max(b.friction[i]));
        (
            a.condim.max(b.condim),
            friction,
            solref,
            solimp,
            a.adhesion + b.adhesion,
        )
    };
    let [slide, spin, roll] = friction;
    ContactParams {
        dim,
        friction: [slide, slide, spin, roll, roll],
        solref,
        solref_friction: [0.0; 2],
        solimp,
        margin: a.margin + b.margin,
        gap: a.gap + b.gap,
        adhesion,
    }
}

/// Share of the first geom in mixing.
fn mixing_weight(a: f64, b: f64) -> f64 {
    match (a >= MIN_WEIGHT, b >= MIN_WEIGHT) {
        (true, true) => a / (a + b),
        (false, false) => 0.5,
        (false, true) => 0.0,
        (true, false) => 1.0,
    }
}
