//! Which pieces can stand between the points of a tile and a lamp.
//!
//! All shadow rays of a tile start in one ball, the points seen in it, and end at one place; they stay within that ball swept towards
//! the lamp. A piece whose own ball does not touch the swept one throws no shadow here.

use super::lamp::Lit;
use super::shot::Shot;

/// A ball around the points that are seen in a tile.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    pub centre: [f32; 3],
    pub radius: f32,
}

impl Seen {
    /// Around the box between two corners.
    pub fn between(low: [f32; 3], high: [f32; 3]) -> Seen {
        let half = [0, 1, 2].map(|k| 0.5 * (high[k] - low[k]));
        Seen {
            centre: [0, 1, 2].map(|k| 0.5 * (high[k] + low[k])),
            radius: dot(half, half).sqrt(),
        }
    }
}

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Lists what can keep the light of a lamp from a tile.
pub fn casters(shot: &Shot, lamp: &Lit, seen: &Seen, list: &mut Vec<u32>) {
    list.clear();
    let (towards, length) = if lamp.directional {
        (lamp.at, f32::INFINITY)
    } else {
        let way = [0, 1, 2].map(|k| lamp.at[k] - seen.centre[k]);
        let length = dot(way, way).sqrt().max(f32::MIN_POSITIVE);
        (way.map(|x| x / length), length)
    };
    for (place, instance) in shot.casters() {
        let from = [0, 1, 2].map(|k| instance.centre[k] - seen.centre[k]);
        let along = dot(from, towards).clamp(0.0, length);
        let off = [0, 1, 2].map(|k| from[k] - along * towards[k]);
        let reach = instance.radius + seen.radius;
        if dot(off, off) <= reach * reach {
            list.push(place);
        }
    }
}
