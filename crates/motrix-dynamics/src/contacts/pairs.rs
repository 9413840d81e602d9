//! The pairs of geoms that may touch, with the constants of their contacts.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::mem::{Discriminant, discriminant};
use std::ops::Range;
use std::sync::Arc;

use motrix_collide::{Hull, Rules, Settings};
use motrix_model::{CollisionPair, ContactModel, ContactParams, Geom, GeomId, GeomKind, Model, Options};
use motrix_spatial::Real;

use super::ground::GroundRow;
use super::sweep::SweepTable;
use crate::constraint::impedance::{Impedance, Reference};

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

/// A pair of geoms that may touch. A model may have a million: what of a contact many pairs share is not in here.
#[derive(Clone, Debug)]
pub struct PairRow<E> {
    geoms: [u32; 2],
    bodies: [u32; 2],
    /// Shapes.
    pub kinds: (GeomKind, GeomKind),
    /// Whether bounding capsules cull better than spheres: a shape is long, and the test of the pair itself dear.
    pub long: bool,
    /// Distance below which a contact is detected.
    pub reach: E,
    /// Index into [`PairTable::terms`].
    pub terms: u32,
}

impl<E> PairRow<E> {
    /// First geom.
    #[inline(always)]
    pub fn geom1(&self) -> usize {
        self.geoms[0] as usize
    }

    /// Second geom.
    #[inline(always)]
    pub fn geom2(&self) -> usize {
        self.geoms[1] as usize
    }

    /// Bodies of the two geoms.
    #[inline(always)]
    pub fn bodies(&self) -> [usize; 2] {
        self.bodies.map(|body| body as usize)
    }
}

/// What a contact is like, whatever touches.
#[derive(Clone, Debug)]
pub struct ContactTerms<E> {
    /// Contact dimension.
    pub dim: u8,
    /// Distance below which a contact acts.
    pub margin: E,
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

/// Geom pairs of two bodies. Which geom of a pair belongs to which body is the pair's own matter.
#[derive(Clone, Debug)]
pub struct BodyPairRow {
    /// Body with the lower number.
    pub body1: u32,
    /// Body with the higher number.
    pub body2: u32,
    pub(super) first: u32,
    pub(super) end: u32,
    /// Largest reach of its pairs.
    pub reach: f64,
    /// Whether both bodies have a bounding sphere; planes and terrain have none.
    pub bounded: bool,
}

impl BodyPairRow {
    /// Indices of its pairs.
    #[inline(always)]
    pub fn pairs(&self) -> Range<usize> {
        self.first as usize..self.end as usize
    }
}

/// The pairs as the kernels read them.
#[derive(Clone, Debug)]
pub struct PairTable<E> {
    /// Body pairs.
    pub bodies: Vec<BodyPairRow>,
    /// Geom pairs, grouped by body pair.
    pub pairs: Vec<PairRow<E>>,
    /// What their contacts are like.
    pub terms: Vec<ContactTerms<E>>,
    /// Height fields and what may touch them.
    pub grounds: Vec<GroundRow>,
    /// What the scalar collider needs beyond sizes.
    pub shapes: ShapeTable,
    /// Which body pairs a sweep decides on.
    pub sweep: SweepTable,
}

/// Hulls of meshes and the settings of the convex collider.
#[derive(Clone, Debug)]
pub struct ShapeTable {
    /// Convex hull of each mesh that has one.
    pub hulls: Vec<Option<Arc<Hull>>>,
    /// Settings.
    pub settings: Settings,
}

impl<E: Real> PairTable<E> {
    /// Flattens the pair list of a model, with what the options override.
    pub fn new(model: &Model, options: &Options) -> Self {
        let mut bodies: Vec<BodyPairRow> = Vec::new();
        let mut pairs = Vec::new();
        let mut terms = TermsList {
            terms: Vec::new(),
            places: HashMap::new(),
        };
        let mut grounds: Vec<GroundRow> = Vec::new();
        let disabled = options.disable.constraint || options.disable.contact;
        for pair in model.pairs.iter().filter(|_| !disabled) {
            let (g1, g2) = (&model.geoms[pair.geom1.index()], &model.geoms[pair.geom2.index()]);
            let (body1, body2) = (g1.body.index(), g2.body.index());
            let (body1, body2) = (body1.min(body2) as u32, body1.max(body2) as u32);
            if bodies.last().is_none_or(|row| (row.body1, row.body2) != (body1, body2)) {
                bodies.push(BodyPairRow {
                    body1,
                    body2,
                    first: pairs.len() as u32,
                    end: pairs.len() as u32,
                    reach: 0.0,
                    bounded: true,
                });
            }
            let p = &model.pair_params[pair.params as usize];
            pairs.push(PairRow {
                geoms: [pair.geom1, pair.geom2].map(|geom| geom.index() as u32),
                bodies: [g1, g2].map(|geom| geom.body.index() as u32),
                kinds: (g1.kind, g2.kind),
                long: is_long(g1) || is_long(g2),
                reach: E::from_f64(margin(options, p) + p.gap),
                terms: terms.of(model, options, pair),
            });
            let reach = (p.margin + p.gap).max(options.o_margin);
            if matches!(g1.kind, GeomKind::HField(_)) {
                enter_ground(pair.geom1.index(), pair.geom2.index(), reach, &mut grounds);
            }
            if let Some(last) = bodies.last_mut() {
                last.end = pairs.len() as u32;
                last.reach = last.reach.max(reach);
                last.bounded &= !unbounded(g1.kind) && !unbounded(g2.kind);
            }
        }
        let settings = Settings {
            ccd_tolerance: options.ccd_tolerance,
            ccd_iterations: options.ccd_iterations,
            multiccd: !options.disable.multiccd,
            boxconvex: options.enable.boxconvex,
            rules: match options.contact_model {
                ContactModel::Firm => Rules::Firm,
                ContactModel::Mujoco => Rules::MuJoCo,
            },
        };
        let hulls = model.meshes.iter().map(|m| m.hull.clone()).collect();
        Self {
            sweep: SweepTable::new(&bodies),
            bodies,
            pairs,
            terms: terms.terms,
            grounds,
            shapes: ShapeTable { hulls, settings },
        }
    }
}

/// Enters a geom that may touch a field.
fn enter_ground(field: usize, other: usize, reach: f64, grounds: &mut Vec<GroundRow>) {
    let row = match grounds.iter().position(|row| row.geom == field) {
        Some(row) => row,
        None => {
            grounds.push(GroundRow {
                geom: field,
                others: Vec::new(),
                reach: 0.0,
            });
            grounds.len() - 1
        }
    };
    grounds[row].others.push(other);
    grounds[row].reach = grounds[row].reach.max(reach);
}

/// Planes are infinite, and terrain is far larger than what walks on it.
fn unbounded(kind: GeomKind) -> bool {
    matches!(kind, GeomKind::Plane | GeomKind::HField(_))
}

/// Whether a capsule fits the geom much better than a sphere.
fn is_long(geom: &Geom) -> bool {
    let [x, y, z] = geom.size;
    match geom.kind {
        GeomKind::Capsule | GeomKind::Cylinder => y > 0.5 * x,
        GeomKind::Box | GeomKind::Ellipsoid => x.max(y).max(z) > 1.5 * x.min(y).min(z),
        _ => false,
    }
}

/// Parameters of the contacts of a pair under the options, friction aside, which worlds may override.
fn effective_params(model: &Model, options: &Options, pair: &CollisionPair) -> ContactParams {
    let mut p = model.pair_params[pair.params as usize];
    p.margin = margin(options, &p);
    if options.enable.contact_override {
        p.solref = options.o_solref;
        p.solref_friction = options.o_solref;
        p.solimp = options.o_solimp;
    }
    p
}

/// Parameters of the pair with a number that slots carry.
pub fn pair_params(model: &Model, options: &Options, number: usize) -> ContactParams {
    effective_params(model, options, &model.pairs[number])
}

/// Distance below which contacts act under the options.
fn margin(options: &Options, p: &ContactParams) -> f64 {
    if options.enable.contact_override {
        options.o_margin
    } else {
        p.margin
    }
}

/// Whose friction a pair uses under the options.
fn friction_source<E: Real>(model: &Model, options: &Options, pair: &CollisionPair) -> FrictionSource<E> {
    let given = |friction: [f64; 5]| FrictionSource::Given(friction.map(E::from_f64));
    let priority = |geom: GeomId| model.geoms[geom.index()].priority;
    match (pair.explicit, priority(pair.geom1).cmp(&priority(pair.geom2))) {
        _ if options.enable.contact_override => given(options.o_friction),
        (Some(_), _) => given(model.pair_params[pair.params as usize].friction),
        (None, Ordering::Greater) => FrictionSource::First,
        (None, Ordering::Less) => FrictionSource::Second,
        (None, Ordering::Equal) => FrictionSource::Larger,
    }
}

/// Terms of contacts, each once.
struct TermsList<E> {
    terms: Vec<ContactTerms<E>>,
    /// Where they are, by parameters and whose friction counts.
    places: HashMap<(u32, Discriminant<FrictionSource<E>>), u32>,
}

impl<E: Real> TermsList<E> {
    /// The place of the terms of a pair.
    fn of(&mut self, model: &Model, options: &Options, pair: &CollisionPair) -> u32 {
        let friction = friction_source(model, options, pair);
        let next = self.terms.len() as u32;
        let place = *self
            .places
            .entry((pair.params, discriminant(&friction)))
            .or_insert(next);
        if place == next {
            self.terms.push(contact_terms(
                options,
                &effective_params(model, options, pair),
                friction,
            ));
        }
        place
    }
}

/// What contacts are like that have these parameters.
fn contact_terms<E: Real>(options: &Options, p: &ContactParams, friction: FrictionSource<E>) -> ContactTerms<E> {
    let reference = Reference::new(p.solref, &p.solimp, options);
    ContactTerms {
        dim: p.dim,
        margin: E::from_f64(p.margin),
        friction,
        reference: Reference {
            stiffness: E::from_f64(reference.stiffness),
            damping: E::from_f64(reference.damping),
        },
        friction_damping: E::from_f64(Reference::friction(p.solref_friction, p.solref, &p.solimp, options).damping),
        impedance: Impedance::new(&p.solimp).round(),
        adhesion: E::from_f64(p.adhesion),
    }
}
