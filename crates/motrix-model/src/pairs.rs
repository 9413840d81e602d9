//! Every pair of geoms that may touch.
//!
//! All worlds share one model, so the filtering that MuJoCo does in every step (contact bits, welded bodies, parent and child,
//! `<exclude>`, `<pair>`) is done once, when the model is compiled. Pairs are listed in the order in which contacts are
//! reported: bodies ascending, then geoms ascending. Each keeps a reference to its parameters, of which a model has few: geoms
//! with equal properties mix equally, so that parameters are mixed once for each two kinds of geoms rather than for each pair.

use std::collections::{HashMap, HashSet};

use crate::{BodyId, CollisionPair, ContactParams, Geom, GeomId, GeomKind, Model, mix_geoms};

/// Most pairs that a model may have. Each is looked at in every step of every world, so that a model near this bound is far
/// from being of use; beyond it the list alone would take gigabytes.
pub const MOST_PAIRS: usize = 1 << 22;

/// Most pairs of bodies that are looked at to find them.
pub const MOST_BODY_PAIRS: usize = 1 << 28;

/// Why the pairs of a model are not listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TooManyPairs {
    /// More pairs of geoms than [`MOST_PAIRS`].
    Geoms,
    /// More pairs of bodies than [`MOST_BODY_PAIRS`].
    Bodies,
}

/// Every pair of geoms that may touch, and the parameters that they name.
pub fn collision_pairs(model: &Model) -> Result<(Vec<CollisionPair>, Vec<ContactParams>), TooManyPairs> {
    let written = Written::of(model);
    let bodies: Vec<usize> = (0..model.bodies.len())
        .filter(|&body| written.bodies.contains(&BodyId::new(body)) || can_collide(model, body))
        .collect();
    let moving: Vec<usize> = bodies.iter().copied().filter(|&body| !is_fixed(model, body)).collect();
    // A pair within what is fixed can only be a written one.
    if bodies.len().saturating_mul(moving.len()) > MOST_BODY_PAIRS {
        return Err(TooManyPairs::Bodies);
    }
    let mut list = PairList::of(model);
    for &body1 in &bodies {
        let only_moving = is_fixed(model, body1) && !written.bodies.contains(&BodyId::new(body1));
        let others = if only_moving { &moving } else { &bodies };
        for &body2 in &others[others.partition_point(|&body| body < body1)..] {
            list.add_bodies(model, &written, body1, body2);
        }
        if list.pairs.len() > MOST_PAIRS {
            return Err(TooManyPairs::Geoms);
        }
    }
    Ok((list.pairs, list.params))
}

/// What the file says about single pairs.
#[derive(Default)]
struct Written {
    pairs: HashMap<(BodyId, BodyId), Vec<u32>>,
    excluded: HashSet<(BodyId, BodyId)>,
    /// Bodies with a written pair.
    bodies: HashSet<BodyId>,
}

impl Written {
    fn of(model: &Model) -> Self {
        let mut written = Self {
            excluded: model.excludes.iter().map(|e| ordered(e.body1, e.body2)).collect(),
            ..Self::default()
        };
        for (i, pair) in model.explicit_pairs.iter().enumerate() {
            let [body1, body2] = [pair.geom1, pair.geom2].map(|geom| model.geoms[geom.index()].body);
            written.pairs.entry(ordered(body1, body2)).or_default().push(i as u32);
            written.bodies.extend([body1, body2]);
        }
        written
    }

    /// The written pairs of two bodies.
    fn between(&self, bodies: (BodyId, BodyId)) -> &[u32] {
        if self.pairs.is_empty() {
            return &[];
        }
        self.pairs.get(&bodies).map_or(&[], Vec::as_slice)
    }

    fn excludes(&self, bodies: (BodyId, BodyId)) -> bool {
        !self.excluded.is_empty() && self.excluded.contains(&bodies)
    }
}

/// Pairs under construction; equal parameters are stored once.
struct PairList {
    pairs: Vec<CollisionPair>,
    params: Vec<ContactParams>,
    known: HashMap<[u64; 18], u32>,
    /// For each geom, the number of its kind: geoms of one kind mix equally.
    kinds: Vec<u32>,
    mixed: HashMap<(u32, u32), u32>,
}

impl PairList {
    fn of(model: &Model) -> Self {
        let mut numbers = HashMap::new();
        let number = |geom: &Geom| {
            let next = numbers.len() as u32;
            *numbers.entry(properties(geom)).or_insert(next)
        };
        Self {
            pairs: Vec::new(),
            params: Vec::new(),
            known: HashMap::new(),
            kinds: model.geoms.iter().map(number).collect(),
            mixed: HashMap::new(),
        }
    }

    /// Adds the pairs of two bodies, written ones first.
    fn add_bodies(&mut self, model: &Model, written: &Written, body1: usize, body2: usize) {
        let bodies = (BodyId::new(body1), BodyId::new(body2));
        let named = written.between(bodies);
        for &i in named {
            let pair = &model.explicit_pairs[i as usize];
            let params = self.params_index(pair.params);
            self.push(model, pair.geom1, pair.geom2, params, Some(i));
        }
        if !bodies_may_touch(model, body1, body2) || written.excludes(bodies) {
            return;
        }
        for g1 in geoms_of(model, body1) {
            for g2 in geoms_of(model, body2) {
                let taken = named.iter().any(|&i| {
                    let pair = &model.explicit_pairs[i as usize];
                    (pair.geom1, pair.geom2) == (g1, g2) || (pair.geom1, pair.geom2) == (g2, g1)
                });
                let (a, b) = (&model.geoms[g1.index()], &model.geoms[g2.index()]);
                let bits = a.contype & b.conaffinity | b.contype & a.conaffinity;
                if !taken && bits != 0 {
                    let params = self.mixed_index(model, g1, g2);
                    self.push(model, g1, g2, params, None);
                }
            }
            if self.pairs.len() > MOST_PAIRS {
                return;
            }
        }
    }

    /// The parameters that two geoms mix to.
    fn mixed_index(&mut self, model: &Model, a: GeomId, b: GeomId) -> u32 {
        let key = (self.kinds[a.index()], self.kinds[b.index()]);
        if let Some(&known) = self.mixed.get(&key) {
            return known;
        }
        let index = self.params_index(mix_geoms(&model.geoms[a.index()], &model.geoms[b.index()]));
        self.mixed.insert(key, index);
        index
    }

    fn params_index(&mut self, params: ContactParams) -> u32 {
        let next = self.params.len() as u32;
        let index = *self.known.entry(bit_pattern(&params)).or_insert(next);
        if index == next {
            self.params.push(params);
        }
        index
    }

    fn push(&mut self, model: &Model, a: GeomId, b: GeomId, params: u32, explicit: Option<u32>) {
        let (kind_a, kind_b) = (model.geoms[a.index()].kind, model.geoms[b.index()].kind);
        if !shapes_collide(kind_a, kind_b) {
            return;
        }
        let (geom1, geom2) = if kind_a.code() > kind_b.code() { (b, a) } else { (a, b) };
        self.pairs.push(CollisionPair {
            geom1,
            geom2,
            params,
            explicit,
        });
    }
}

/// All that mixing depends on, bit for bit.
fn properties(g: &Geom) -> [u64; 15] {
    let mut bits = [0; 15];
    let numbers = [g.solmix, g.margin, g.gap, g.adhesion];
    let all = g.solref.iter().chain(&g.solimp).chain(&g.friction).chain(&numbers);
    for (bit, x) in bits.iter_mut().zip(all) {
        *bit = x.to_bits();
    }
    bits[14] = u64::from(g.condim) << 32 | u64::from(g.priority as u32);
    bits
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

/// Whether nothing can move the body.
fn is_fixed(model: &Model, body: usize) -> bool {
    model.bodies[model.bodies[body].weld.index()].dof_count == 0
}

/// Whether any geom of the body can touch another at all.
fn can_collide(model: &Model, body: usize) -> bool {
    geoms_of(model, body).any(|geom| {
        let geom = &model.geoms[geom.index()];
        geom.contype != 0 || geom.conaffinity != 0
    })
}

/// Bodies welded together, two bodies nothing moves, and parent with child (unless enabled) do not touch.
fn bodies_may_touch(model: &Model, body1: usize, body2: usize) -> bool {
    let weld_of = |body: usize| model.bodies[body].weld;
    let (weld1, weld2) = (weld_of(body1), weld_of(body2));
    let parent_weld = |weld: BodyId| weld_of(model.bodies[weld.index()].parent.index());

    let welded = weld1 == weld2;
    let nothing_moves = is_fixed(model, body1) && is_fixed(model, body2);
    let parent_and_child = !model.options.disable.filterparent
        && weld1 != BodyId::WORLD
        && weld2 != BodyId::WORLD
        && (weld1 == parent_weld(weld2) || weld2 == parent_weld(weld1));
    !welded && !nothing_moves && !parent_and_child
}
