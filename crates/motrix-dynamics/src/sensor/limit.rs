//! Sensors of limits, which read the constraint rows, and actuator forces on tendons.

use motrix_model::{Object, SensorKind, TendonId};
use motrix_spatial::Lanes;

use crate::constraint::BlockKind;
use crate::data::Data;
use crate::tables::Tables;

/// Distance less margin, velocity or force of the limit of a joint or tendon; zero while it is inactive.
#[inline(always)]
pub fn read<L: Lanes>(kind: &SensorKind, object: Option<Object>, data: &Data<L>) -> L {
    let mut value = L::ZERO;
    match object {
        Some(Object::Joint(joint)) => {
            for row in data.rows.limits.iter().filter(|r| r.joint == joint.index()) {
                let reading = match kind {
                    SensorKind::JointLimitPos => row.distance - row.margin,
                    SensorKind::JointLimitVel => row.signed(data.state.qvel[row.dof]),
                    _ => row.force,
                };
                value = L::select(row.weight.gt(L::ZERO), reading, value);
            }
        }
        Some(Object::Tendon(tendon)) => {
            let of_tendon = |k: &BlockKind| matches!(k, BlockKind::TendonLimit(t, _) if *t == tendon.index());
            for block in data.rows.blocks.iter().filter(|b| of_tendon(&b.kind)) {
                let upper = matches!(block.kind, BlockKind::TendonLimit(_, true));
                let speed = data.tendons.velocity[tendon.index()];
                let reading = match kind {
                    SensorKind::TendonLimitPos => block.violation[0] - block.margin,
                    SensorKind::TendonLimitVel => {
                        if upper {
                            -speed
                        } else {
                            speed
                        }
                    }
                    _ => block.force[0],
                };
                value = L::select(block.weight[0].gt(L::ZERO), reading, value);
            }
        }
        _ => {}
    }
    value
}

/// Total force of the actuators on a tendon.
#[inline(always)]
pub fn tendon_actuation<L: Lanes>(tables: &Tables<L::Elem>, data: &Data<L>, tendon: TendonId) -> L {
    let mut sum = L::ZERO;
    for (actuator, on) in tables.tendon_actuators.iter().enumerate() {
        if *on == Some(tendon) {
            sum += data.actuators.force[actuator];
        }
    }
    sum
}
