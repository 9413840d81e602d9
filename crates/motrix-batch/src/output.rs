//! What can be computed from a state, and is kept only when somebody asks for it.

use motrix_model::Model;

/// A kind of result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Output {
    /// Poses of bodies: position and orientation `i j k w`, 7 numbers per body.
    Poses,
    /// Velocities of body frames in world axes: linear, angular, 6 numbers per body.
    Velocities,
    /// The sensor vector, quaternions `i j k w`.
    Sensors,
    /// Contacts with their forces.
    Contacts,
    /// Accelerations of dofs.
    Accelerations,
    /// Forces of actuators; those with several outputs have one for each.
    ActuatorForces,
    /// Anchor and axis of each joint in the world, 6 numbers per joint.
    JointAxes,
    /// Contacts with terrain that were found, merged into others, and dropped: 3 numbers.
    TerrainCounts,
}

/// How far a state must be evaluated for a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Poses and contacts without forces.
    Position,
    /// Velocities too.
    Velocity,
    /// Everything.
    Acceleration,
}

impl Output {
    /// All kinds.
    pub const ALL: [Output; 8] = [
        Output::Poses,
        Output::Velocities,
        Output::Sensors,
        Output::Contacts,
        Output::Accelerations,
        Output::ActuatorForces,
        Output::JointAxes,
        Output::TerrainCounts,
    ];

    /// Numbers per world; contacts are lists and have none.
    pub fn width(self, model: &Model) -> usize {
        match self {
            Output::Poses => 7 * model.bodies.len(),
            Output::Velocities => 6 * model.bodies.len(),
            Output::Sensors => model.sensor_data_len,
            Output::Contacts => 0,
            Output::Accelerations => model.nv(),
            Output::ActuatorForces => model.actuators.iter().map(|a| a.transmission.output_count()).sum(),
            Output::JointAxes => 6 * model.joints.len(),
            Output::TerrainCounts => 3,
        }
    }

    /// What must be evaluated.
    pub fn stage(self) -> Stage {
        match self {
            Output::Poses | Output::JointAxes | Output::TerrainCounts => Stage::Position,
            Output::Velocities => Stage::Velocity,
            _ => Stage::Acceleration,
        }
    }

    /// Its bit in a [`OutputSet`].
    pub const fn bit(self) -> OutputSet {
        OutputSet(1 << self as u8)
    }
}

/// A set of kinds of results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutputSet(u8);

impl OutputSet {
    /// No kind.
    pub const NONE: Self = Self(0);

    /// Whether the set has this kind.
    pub const fn has(self, output: Output) -> bool {
        self.0 & output.bit().0 != 0
    }
    /// Both sets together.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
    /// This set without the other.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
    /// Whether nothing is in the set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
    /// The furthest stage any of its kinds needs.
    pub fn stage(self) -> Option<Stage> {
        Output::ALL
            .into_iter()
            .filter(|o| self.has(*o))
            .map(Output::stage)
            .max()
    }
}
