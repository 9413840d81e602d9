//! Distances between geoms in many worlds at once.
//!
//! A thing is one geom or several, such as those of a link, and the distance of two things is the least over their geoms. Bounding balls come
//! first: what is farther apart than asked for is answered by them, and pairs whose balls are farther apart than what was found already
//! are passed over. The rest is measured exactly, however far apart it turns out to be, so that no answer depends on the
//! reach asked for.

use motrix_collide::Scratch;
use motrix_model::GeomId;
use motrix_query::distance::{Algorithm, Apart, Body, Hint, Rules, between, between_balls};

use crate::pool::{self, Threads};
use crate::scene::{Scalar, Scene};
use crate::worlds::Worlds;

/// Two things and how their distance is to be found.
#[derive(Clone, Copy, Debug)]
pub struct ProximityQuestion<'q> {
    /// Geoms of the first.
    pub first: &'q [GeomId],
    /// Geoms of the second.
    pub second: &'q [GeomId],
    /// How distances are found.
    pub algorithm: Algorithm,
    /// What touching and overlapping means.
    pub rules: Rules,
    /// Bounding balls farther apart than this answer for their geoms, metres.
    pub reach: f64,
}

/// Where a world's nearest pair was found last: the geoms, and the triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Warm {
    pair: usize,
    hint: Hint,
}

/// How far two things are apart in one world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProximityAnswer {
    /// Distance and points.
    pub apart: Apart,
    /// What found it.
    pub found_by: Algorithm,
}

impl Scene {
    /// Measures in the given worlds, whose poses must be up to date: one answer per world, `None` when both things are planes. `warm` has an
    /// entry per answer that is used and renewed; it changes how long the search takes, not the distance.
    pub fn proximity<E: Scalar>(
        &self,
        worlds: &Worlds<E>,
        picked: &[usize],
        question: ProximityQuestion,
        warm: &mut [Warm],
        threads: Threads,
    ) -> Vec<Option<ProximityAnswer>> {
        let mut answers = vec![None; picked.len()];
        let mut items: Vec<_> = answers.iter_mut().zip(warm).zip(picked).collect();
        pool::for_each(&mut items, threads, |((answer, warm), world)| {
            let placed = |geoms: &[GeomId]| -> Vec<Body> {
                let place = |&geom: &GeomId| self.shapes().body(&self.geom_in_world(worlds, **world, geom));
                geoms.iter().map(place).collect()
            };
            **answer = measure(&placed(question.first), &placed(question.second), question, warm);
        });
        answers
    }
}

/// The least distance over all pairs of geoms.
fn measure(first: &[Body], second: &[Body], question: ProximityQuestion, warm: &mut Warm) -> Option<ProximityAnswer> {
    let pair = |k: usize| (&first[k / second.len()], &second[k % second.len()]);
    let count = first.len() * second.len();
    let balls = |k: usize| {
        let (a, b) = pair(k);
        between_balls(a, b)
    };
    let nearest_balls = (0..count)
        .filter_map(balls)
        .min_by(|a, b| a.distance.total_cmp(&b.distance))?;
    if question.algorithm == Algorithm::Spheres || nearest_balls.distance > question.reach {
        return Some(ProximityAnswer {
            apart: nearest_balls,
            found_by: Algorithm::Spheres,
        });
    }
    // The pair that was nearest last comes first: it is likely to rule out most others.
    let last = warm.pair.min(count - 1);
    let mut scratch = Scratch::new();
    let mut best: Option<Apart> = None;
    for k in std::iter::once(last).chain((0..count).filter(|&k| k != last)) {
        let least = best.map_or(f64::INFINITY, |b| b.distance);
        if best.is_some()
            && balls(k).is_none_or(|b| b.distance >= least.max(0.0))
            && !(question.rules.signed && least <= 0.0)
        {
            continue;
        }
        let mut hint = if k == last { warm.hint } else { None };
        // Overlapping pairs are compared by their depths, for which no limit is known beforehand.
        let limit = if question.rules.signed { f64::INFINITY } else { least };
        let (a, b) = pair(k);
        let found = between(a, b, question.algorithm, question.rules, limit, &mut hint, &mut scratch);
        if let Some(apart) = found.filter(|f| f.distance < least) {
            best = Some(apart);
            *warm = Warm { pair: k, hint };
        }
    }
    best.map(|apart| ProximityAnswer {
        apart,
        found_by: question.algorithm,
    })
}
