//! What spatial tendons do to the bodies along their paths, for the sensors of forces.
//!
//! The force along a tendon is the sum of its spring and damper, its actuators through their gears, its friction, limits and
//! equalities, less a (J q̈ + J̇ q̇) for its inertia a. Each segment hands it to the bodies that it touches ([`path::pull`]).

use motrix_model::{Model, TendonKind, Transmission};
use motrix_spatial::algebra::*;
use motrix_spatial::{Lanes, Real};

use crate::configuration::Movement;
use crate::constraint::equality::{EqualityRowKind, tendon_slope};
use crate::constraint::{Block, BlockKind};
use crate::data::Data;
use crate::params::Params;
use crate::passive::tendon_forces;
use crate::stages;
use crate::tables::Tables;
use crate::tally::Tally;
use crate::tendon::{TendonPath, armature, path, sparse_dot};

/// An actuator on a tendon.
#[derive(Clone, Debug)]
pub struct DriveRow<E> {
    tendon: usize,
    output: usize,
    gear: E,
}

/// The actuators on spatial tendons; `outputs` are their first outputs.
pub fn drives<E: Real>(model: &Model, outputs: &[usize]) -> Vec<DriveRow<E>> {
    let row = |(a, &output): (&motrix_model::Actuator, &usize)| match a.transmission {
        Transmission::Tendon(t) if model.tendons[t.index()].kind == TendonKind::Spatial => Some(DriveRow {
            tendon: t.index(),
            output,
            gear: E::from_f64(a.gear[0]),
        }),
        _ => None,
    };
    model.actuators.iter().zip(outputs).filter_map(row).collect()
}

/// Adds the pulls of all spatial tendons to the external forces of the bodies; the world feels none.
#[inline(always)]
pub fn pulls<L: Lanes>(tables: &Tables<L::Elem>, params: &Params<L>, data: &Data<L>, external: &mut [Tally<L>]) {
    let at = stages::configuration(tables, params, &data.state.qpos, &data.poses, &data.inertia.cdof);
    let movement = Movement {
        at,
        qvel: &data.state.qvel,
        twists: &data.twists,
    };
    for (t, row) in tables.tendons.rows.iter().enumerate() {
        let TendonPath::Spatial(segments) = &row.path else {
            continue;
        };
        let force = tension(tables, data, &movement, t);
        for segment in segments {
            let pull = path::pull(segment, &at);
            let [first, second] = segment.bodies;
            let mut ends = [(first, pull.start), (second, pull.end), (0, pull.geom)];
            if let Some(wrap) = &segment.wrap {
                ends[2].0 = wrap.body;
            }
            for (body, wrench) in ends {
                if body != 0 {
                    external[body].add(&scale6(&wrench, force));
                }
            }
        }
    }
}

/// The force along a spatial tendon, positive where it would lengthen it.
#[inline(always)]
fn tension<L: Lanes>(tables: &Tables<L::Elem>, data: &Data<L>, movement: &Movement<L>, tendon: usize) -> L {
    let mut total = L::ZERO;
    for row in tables.passive.tendons.iter().filter(|row| row.tendon == tendon) {
        let [spring, damper] = tendon_forces(row, &data.tendons, &data.state.plastic);
        total += spring + damper;
    }
    for drive in tables.sensors.tendon_drives.iter().filter(|d| d.tendon == tendon) {
        total += L::splat(drive.gear) * data.actuators.force[drive.output];
    }
    for block in &data.rows.blocks {
        total += share(tables, data, block, tendon) * block.force[0];
    }
    let row = &tables.tendons.rows[tendon];
    for inertia in tables.tendons.armatures.iter().filter(|a| a.tendon == tendon) {
        let mut rate = sparse_dot(row.jacobian(&data.tendons), &row.dofs, &data.solution.acceleration);
        if let TendonPath::Spatial(segments) = &row.path {
            rate += armature::velocity_product(segments, movement);
        }
        total -= L::splat(inertia.armature) * rate;
    }
    total
}

/// What the force of a block counts along a tendon: the derivative of what it constrains by the tendon's length.
#[inline(always)]
fn share<L: Lanes>(tables: &Tables<L::Elem>, data: &Data<L>, block: &Block<L>, tendon: usize) -> L {
    match block.kind {
        BlockKind::TendonFriction(t) | BlockKind::TendonLimit(t, false) if t == tendon => L::ONE,
        BlockKind::TendonLimit(t, true) if t == tendon => -L::ONE,
        BlockKind::Equality(index) => {
            let row = tables.equalities.iter().find(|row| row.index == index);
            match row.map(|row| &row.kind) {
                Some(EqualityRowKind::Tendon { tendons, coupling, .. }) => {
                    let own = if tendons[0] == tendon { L::ONE } else { L::ZERO };
                    let slope = tendon_slope(coupling, *tendons, &data.tendons);
                    own - if tendons[1] == tendon { slope } else { L::ZERO }
                }
                _ => L::ZERO,
            }
        }
        _ => L::ZERO,
    }
}
