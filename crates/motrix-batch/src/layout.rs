//! Where each part of a world's state stands in its row.

use std::ops::Range;

use motrix_dynamics::constraint::grip::GripTable;
use motrix_dynamics::delay::DelayTable;
use motrix_dynamics::integrate::positions;
use motrix_model::{JointKind, Model};

/// Columns of a world's row.
///
/// Quaternions stand here as users write them, `i j k w`, so that a row can be shown and written without copying; the engine turns
/// them into its own `w x y z` on the way into lanes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Configuration.
    pub qpos: Range<usize>,
    /// Velocity.
    pub qvel: Range<usize>,
    /// Activations.
    pub act: Range<usize>,
    /// Acceleration of the last step.
    pub warmstart: Range<usize>,
    /// What rounding took from the configuration.
    pub residue: Range<usize>,
    /// Where springs that yield rest.
    pub plastic: Range<usize>,
    /// Past controls and readings.
    pub history: Range<usize>,
    /// Controls.
    pub ctrl: Range<usize>,
    /// Generalised forces of the next step.
    pub qfrc: Range<usize>,
    /// Force and torque on each body in the next step: six numbers per body, world axes, at the centre of mass.
    pub xfrc: Range<usize>,
    /// Positions of mocap bodies.
    pub mocap_position: Range<usize>,
    /// Orientations of mocap bodies.
    pub mocap_orientation: Range<usize>,
    /// Whether each equality acts: 1 or 0.
    pub equality_active: Range<usize>,
    /// What contacts remember: lists, which are no columns of lanes. They end the row.
    pub grip: Range<usize>,
    /// How these lists are kept.
    pub grips: GripTable,
    /// First column of each quaternion in the row.
    pub quaternions: Vec<usize>,
    /// Length of a row.
    pub len: usize,
}

impl Layout {
    /// The layout for a model.
    pub fn new(model: &Model) -> Self {
        let mut len = 0;
        let mut take = |n: usize| {
            len += n;
            len - n..len
        };
        let nv = model.nv();
        let grips = GripTable::new(model);
        let mut layout = Self {
            qpos: take(model.nq()),
            qvel: take(nv),
            act: take(model.activation_count),
            warmstart: take(nv),
            residue: take(positions::kept_beside(model.nq())),
            plastic: take(model.spring_rests().len()),
            history: take(DelayTable::new(model).len),
            ctrl: take(model.control_count),
            qfrc: take(nv),
            xfrc: take(6 * model.bodies.len()),
            mocap_position: take(3 * model.mocap_count),
            mocap_orientation: take(4 * model.mocap_count),
            equality_active: take(model.equalities.len()),
            grip: take(grips.len()),
            grips,
            quaternions: Vec::new(),
            len: 0,
        };
        layout.len = len;
        let of_joints = model.joints.iter().filter_map(|joint| {
            let first = layout.qpos.start + joint.first_position;
            match joint.kind {
                JointKind::Free => Some(first + 3),
                JointKind::Ball => Some(first),
                JointKind::Slide | JointKind::Hinge => None,
            }
        });
        let of_mocap = layout.mocap_orientation.clone().step_by(4);
        layout.quaternions = of_joints.chain(of_mocap).collect();
        layout
    }
}
