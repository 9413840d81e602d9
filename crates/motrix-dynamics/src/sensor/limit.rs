//! Sensors of limits, which read the constraint rows, and actuator forces on tendons.

use motrix_model::{Object, SensorKind, TendonId};
use motrix_spatial::Lanes;

use crate::constraint::{Block, BlockKind};
use crate::data::Data;
use crate::tables::Tables;

/// Distance less margin, velocity or force of the limit of a joint or tendon; zero while it is inactive. Of two active limits the
/// lower one counts.
#[inline(always)]
pub fn read<L: Lanes>(kind: &SensorKind, object: Option<Object>, data: &Data<L>) -> L {
    let mut value = L::ZERO;
    if let Some(Object::Joint(joint)) = object {
        for row in data.rows.limits.iter().rev().filter(|r| r.joint == joint.index()) {
            let reading = match kind {
                SensorKind::JointLimitPos => row.distance - row.margin,
                SensorKind::JointLimitVel => row.signed(data.state.qvel[row.dof]),
                _ => row.force,
            };
            value = L::select(row.weight.gt(L::ZERO), reading, value);
        }
    }
    for block in data.rows.blocks.iter().rev() {
        let observed = match (block.kind, object) {
            (BlockKind::BallLimit(j), Some(Object::Joint(joint))) => j == joint.index(),
            (BlockKind::TendonLimit(t, _), Some(Object::Tendon(tendon))) => t == tendon.index(),
            _ => false,
        };
        if !observed {
            continue;
        }
        let reading = match kind {
            SensorKind::JointLimitPos | SensorKind::TendonLimitPos => block.violation[0] - block.margin,
            SensorKind::JointLimitVel | SensorKind::TendonLimitVel => velocity(data, block),
            _ => block.force[0],
        };
        value = L::select(block.weight[0].gt(L::ZERO), reading, value);
    }
    value
}

/// J q̇ of a row over its dofs.
#[inline(always)]
fn velocity<L: Lanes>(data: &Data<L>, block: &Block<L>) -> L {
    let dofs = &data.rows.support[block.first_dof..block.first_dof + block.dof_count];
    let mut sum = L::ZERO;
    for (&dof, j) in dofs.iter().zip(&data.rows.jacobian[block.jacobian..]) {
        sum = j.mul_add(data.state.qvel[dof as usize], sum);
    }
    sum
}

/// Total force of the actuators on a tendon.
#[inline(always)]
pub fn tendon_actuation<L: Lanes>(tables: &Tables<L::Elem>, data: &Data<L>, tendon: TendonId) -> L {
    let mut sum = L::ZERO;
    for (actuator, on) in tables.tendon_actuators.iter().enumerate() {
        if *on == Some(tendon) {
            sum += data.actuators.force[tables.sensors.actuator_outputs[actuator]];
        }
    }
    sum
}
