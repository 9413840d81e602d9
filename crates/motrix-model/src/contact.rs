//! Which geoms may touch, and with what parameters.
//!
//! All worlds share one model, so the filtering that MuJoCo does in every step (contact bits, welded bodies, parent and child,
//! `<exclude>`, `<pair>`) is done once: [`collision_pairs`] lists the pairs that survive, in the order in which contacts are
//! reported. Parameters of a pair are mixed from its geoms by [`mix_geoms`] (MuJoCo documentation, "Contact parameters").

use std::collections::{HashMap, HashSet};

use crate::{BodyId, Geom, GeomId, GeomKind, Model, SolImp, SolRef};

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
    /// Index into [`Model::pair_params`].
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

/// Every pair of geoms that may touch, with its parameters: bodies ascending, then geoms ascending.
pub fn collision_pairs(model: &Model) -> (Vec<CollisionPair>, Vec<ContactParams>) {
    let mut list = PairList::default();
    let mut explicit: HashMap<(BodyId, BodyId), Vec<u32>> = HashMap::new();
    for (i, pair) in model.explicit_pairs.iter().enumerate() {
        let key = ordered(
            model.geoms[pair.geom1.index()].body,
            model.geoms[pair.geom2.index()].body,
        );
        explicit.entry(key).or_default().push(i as u32);
    }
    let excluded: HashSet<_> = model.excludes.iter().map(|e| ordered(e.body1, e.body2)).collect();

    for body1 in 0..model.bodies.len() {
        for body2 in body1..model.bodies.len() {
            let key = (BodyId::new(body1), BodyId::new(body2));
            let named = explicit.get(&key).map_or(&[][..], Vec::as_slice);
            for &i in named {
                let pair = &model.explicit_pairs[i as usize];
                list.push(model, pair.geom1, pair.geom2, pair.params, Some(i));
            }
            if excluded.contains(&key) || !bodies_may_touch(model, body1, body2) {
                continue;
            }
            for g1 in geoms_of(model, body1) {
                for g2 in geoms_of(model, body2) {
                    let taken = named.iter().any(|&i| {
                        let pair = &model.explicit_pairs[i as usize];
                        (pair.geom1, pair.geom2) == (g1, g2) || (pair.geom1, pair.geom2) == (g2, g1)
                    });
                    let (a, b) = (&model.geoms[g1.index()], &model.geoms[g2.index()]);
                    let bits = a.contype & b.conaffinity | b.contype & a.conaffinity;
                    if !taken && bits != 0 && shapes_collide(a.kind, b.kind) {
                        list.push(model, g1, g2, mix_geoms(a, b), None);
                    }
                }
            }
        }
    }
    (list.pairs, list.params)
}

/// Pairs under construction; equal parameters are stored once.
#[derive(Default)]
struct PairList {
    pairs: Vec<CollisionPair>,
    params: Vec<ContactParams>,
    known: HashMap<[u64; 18], u32>,
}

impl PairList {
    fn push(&mut self, model: &Model, a: GeomId, b: GeomId, params: ContactParams, explicit: Option<u32>) {
        let (kind_a, kind_b) = (model.geoms[a.index()].kind, model.geoms[b.index()].kind);
        if !shapes_collide(kind_a, kind_b) {
            return;
        }
        let (geom1, geom2) = if kind_a.code() > kind_b.code() { (b, a) } else { (a, b) };
        let next = self.params.len() as u32;
        let params_index = *self.known.entry(bit_pattern(&params)).or_insert(next);
        if params_index == next {
            self.params.push(params);
        }
        self.pairs.push(CollisionPair {
            geom1,
            geom2,
            params: params_index,
            explicit,
        });
    }
}

/// All numbers of the parameters, bit for bit.
fn bit_pattern(p: &ContactParams) -> [u64; 18] {
    let mut bits = [0; 18];
    let numbers = [f64::from(p.dim), p.margin, p.gap, p.adhesion];
    let all = p
        .friction
        .iter()
        .chain(&p.solref)
        .chain(&p.solref_friction)
        .chain(&p.solimp)
        .chain(&numbers);
    for (bit, x) in bits.iter_mut().zip(all) {
        *bit = x.to_bits();
    }
    bits
}

fn ordered(a: BodyId, b: BodyId) -> (BodyId, BodyId) {
    (a.min(b), a.max(b))
}

fn geoms_of(model: &Model, body: usize) -> impl Iterator<Item = GeomId> + use<> {
    let b = &model.bodies[body];
    (b.first_geom..b.first_geom + b.geom_count).map(GeomId::new)
}

/// Planes and height fields never touch each other.
fn shapes_collide(a: GeomKind, b: GeomKind) -> bool {
    let flat = |kind| matches!(kind, GeomKind::Plane | GeomKind::HField(_));
    !(flat(a) && flat(b))
}

/// Bodies welded together, two bodies nothing moves, and parent with child (unless enabled) do not touch.
fn bodies_may_touch(model: &Model, body1: usize, body2: usize) -> bool {
    let weld_of = |body: usize| model.bodies[body].weld;
    let (weld1, weld2) = (weld_of(body1), weld_of(body2));
    let parent_weld = |weld: BodyId| weld_of(model.bodies[weld.index()].parent.index());
    let fixed = |weld: BodyId| model.bodies[weld.index()].dof_count == 0;

    let welded = weld1 == weld2;
    let nothing_moves = fixed(weld1) && fixed(weld2);
    let parent_and_child = !model.options.disable.filterparent
        && weld1 != BodyId::WORLD
        && weld2 != BodyId::WORLD
        && (weld1 == parent_weld(weld2) || weld2 == parent_weld(weld1));
    !welded && !nothing_moves && !parent_and_child
}
