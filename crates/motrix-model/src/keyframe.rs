//! Keyframes: named states.

/// A named state. Parts that the file leaves out are `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Keyframe {
    /// Name, when the file gives one.
    pub name: Option<String>,
    /// Time.
    pub time: Option<f64>,
    /// Configuration (quaternions w x y z, normalised).
    pub qpos: Option<Vec<f64>>,
    /// Velocity.
    pub qvel: Option<Vec<f64>>,
    /// Activations.
    pub act: Option<Vec<f64>>,
    /// Controls.
    pub ctrl: Option<Vec<f64>>,
    /// Mocap positions.
    pub mocap_position: Option<Vec<f64>>,
    /// Mocap orientations.
    pub mocap_orientation: Option<Vec<f64>>,
    /// Rests of the springs that yield, in the order of [`crate::Model::spring_rests`].
    pub plastic: Option<Vec<f64>>,
}
