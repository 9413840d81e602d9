//! Joints: kind, axis, limits, damping and friction.

use crate::document::xml::Node;
use crate::problem::{NoteKind, Problem};
use crate::space;

use super::reading::{Reading, child};
use super::writing::Writing;

/// The kinds of URDF joints that move.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Revolute,
    Continuous,
    Prismatic,
    Floating,
    Planar,
    /// Not in the standard; Bullet has it.
    Spherical,
}

impl Kind {
    /// Whether one number says where the joint is.
    pub(super) fn is_scalar(self) -> bool {
        matches!(self, Self::Revolute | Self::Continuous | Self::Prismatic)
    }
}

const KINDS: [(&str, Option<Kind>); 7] = [
    ("revolute", Some(Kind::Revolute)),
    ("continuous", Some(Kind::Continuous)),
    ("prismatic", Some(Kind::Prismatic)),
    ("fixed", None),
    ("floating", Some(Kind::Floating)),
    ("planar", Some(Kind::Planar)),
    ("spherical", Some(Kind::Spherical)),
];

/// Writes what the joint above a link lets it do into the link's body. No kind: nothing.
pub(super) fn write(node: &Node, name: Option<&str>, body: &mut Writing, reading: &mut Reading) -> Option<Kind> {
    let kind = kind(node, reading)?;
    let axis = child(node, "axis")
        .and_then(|axis| reading.required_numbers(axis, "xyz"))
        .unwrap_or([1.0, 0.0, 0.0]);
    let joint = |suffix: &str, kind: &str| {
        let joint = Writing::new("joint", &node.place).text("type", kind);
        match name {
            Some(name) => joint.text("name", &format!("{name}{suffix}")),
            None => joint,
        }
    };
    let joints = match kind {
        Kind::Revolute | Kind::Continuous => vec![joint("", "hinge").numbers("axis", &axis)],
        Kind::Prismatic => vec![joint("", "slide").numbers("axis", &axis)],
        Kind::Floating => vec![joint("", "free")],
        Kind::Spherical => vec![joint("", "ball")],
        Kind::Planar => {
            let [x, y] = plane_axes(axis);
            vec![
                joint("_TX", "slide").numbers("axis", &x),
                joint("_TY", "slide").numbers("axis", &y),
                joint("_RZ", "hinge").numbers("axis", &axis),
            ]
        }
    };
    for (index, joint) in joints.into_iter().enumerate() {
        let joint = with_dynamics(joint, node, reading);
        // Of the three joints of a plane the first has the limits.
        let joint = if index == 0 {
            with_limits(joint, node, kind, reading)
        } else {
            joint
        };
        body.push(joint.node());
    }
    Some(kind)
}

fn kind(node: &Node, reading: &mut Reading) -> Option<Kind> {
    let word = reading.required(node, "type")?;
    let known = KINDS.iter().find(|(name, _)| *name == &*word.value);
    if known.is_none() {
        let message = format!("there is no joint type \"{}\"", word.value);
        let problem = Problem::error(word.place.clone(), node.shown_with("type"), message);
        reading
            .problems
            .push(problem.did_you_mean(&word.value, KINDS.map(|(name, _)| name)));
    }
    known?.1
}

fn with_dynamics(mut joint: Writing, node: &Node, reading: &mut Reading) -> Writing {
    if let Some(dynamics) = child(node, "dynamics") {
        for (ours, theirs) in [("damping", "damping"), ("frictionloss", "friction")] {
            if let Some(value) = reading.number(dynamics, theirs) {
                joint = joint.numbers(ours, &[value]);
            }
        }
    }
    joint
}

/// Adds range and force range.
fn with_limits(mut joint: Writing, node: &Node, kind: Kind, reading: &mut Reading) -> Writing {
    let Some(limit) = child(node, "limit") else {
        return joint;
    };
    let (lower, upper) = (reading.number(limit, "lower"), reading.number(limit, "upper"));
    joint = match (kind, lower, upper) {
        // The range of a free joint means nothing.
        (Kind::Floating, ..) | (_, None, None) => joint,
        (Kind::Continuous, ..) => joint.text("limited", "false"),
        (_, Some(lower), Some(upper)) if lower < upper => joint.numbers("range", &[lower, upper]),
        _ => {
            let problem = limit.problem("lower and upper do not make a range; the joint is not limited");
            reading.problems.push(problem.note(NoteKind::Ignored));
            let range = [lower.unwrap_or(0.0), upper.unwrap_or(0.0)];
            joint.numbers("range", &range).text("limited", "false")
        }
    };
    match reading.number(limit, "effort").map(f64::abs) {
        Some(effort) if effort > 0.0 => joint.numbers("actuatorfrcrange", &[-effort, effort]),
        _ => joint,
    }
}

/// Two directions that make a right-handed frame with `normal`: x and y turned by the shortest rotation from z to it.
fn plane_axes(normal: [f64; 3]) -> [[f64; 3]; 2] {
    const ALONG_Z: f64 = 1e-10;
    let (mut about, sine) = space::with_length(&space::cross(&[0.0, 0.0, 1.0], &normal));
    if sine < ALONG_Z {
        about = [1.0, 0.0, 0.0];
    }
    let (half_sine, half_cosine) = (sine.atan2(normal[2]) / 2.0).sin_cos();
    let turn = space::matrix(&[
        half_cosine,
        about[0] * half_sine,
        about[1] * half_sine,
        about[2] * half_sine,
    ]);
    [[turn[0], turn[3], turn[6]], [turn[1], turn[4], turn[7]]]
}
