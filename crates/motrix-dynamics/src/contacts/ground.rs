//! The highest ground below all that may touch a field: one look at the terrain that leaves out most of a robot.
//!
//! A robot covers little ground. What of it stays above the highest of that ground, its trunk and its hips, need not ask for the
//! cells below it.

use motrix_collide::closed::Placed;
use motrix_collide::closed::terrain::{Ground, highest_below};
use motrix_spatial::{Lanes, Mask, Vec3};

use crate::data::Poses;
use crate::params::{Params, TerrainParams};

/// A height field and the geoms that may touch it.
#[derive(Clone, Debug)]
pub struct GroundRow {
    /// Geom of the field.
    pub geom: usize,
    /// The others.
    pub others: Vec<usize>,
    /// Largest reach of their pairs, metres.
    pub reach: f64,
}

/// A bound from above of the ground around the geoms that may touch each field, metres, in the order of the parameters.
#[inline(always)]
pub fn highest<L: Lanes>(rows: &[GroundRow], params: &Params<L>, poses: &Poses<L>, tops: &mut Vec<L>) {
    tops.clear();
    for terrain in &params.terrain {
        let mut top = terrain.window.highest(&terrain.field);
        for row in rows {
            if row.geom == terrain.geom {
                top = top.min(highest_around(row, terrain, params, poses));
            }
        }
        tops.push(top);
    }
}

#[inline(always)]
fn highest_around<L: Lanes>(row: &GroundRow, terrain: &TerrainParams<L>, params: &Params<L>, poses: &Poses<L>) -> L {
    let ground = Ground {
        field: &terrain.field,
        window: &terrain.window,
        placed: Placed {
            position: &poses.geom_position[row.geom],
            rotation: &poses.geom_rotation[row.geom],
            size: &params.geoms[row.geom].size,
        },
    };
    let (mut min, mut max) = ([L::c(1e30); 2], [L::c(-1e30); 2]);
    for &geom in &row.others {
        let centre: Vec3<L> = ground.placed.to_local(poses.geom_position[geom]);
        let radius = params.geoms[geom].bounding_radius + L::c(row.reach);
        for i in 0..2 {
            // In this order a place that is not a number counts for nothing: what is there touches nothing.
            min[i] = (centre[i] - radius).min(min[i]);
            max[i] = (centre[i] + radius).max(max[i]);
        }
    }
    highest_below(&ground, min, max, L::Mask::ALL)
}
