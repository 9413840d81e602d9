//! `<joint>` and `<freejoint>`.

use motrix_model::{Joint, JointKind};

use super::draft::{DofShare, JointDraft, UNNUMBERED};
use super::limits;
use super::pose::{TINY, normalize, rotate};
use super::user;
use crate::document::{AUTO, Auto, Element};
use crate::problem::Problems;

/// MuJoCo's default `solref`.
pub const SOLREF: [f64; 2] = [0.02, 1.0];
/// MuJoCo's default `solimp`.
pub const SOLIMP: [f64; 5] = [0.9, 0.95, 0.001, 0.5, 2.0];

const KIND: &[(&str, JointKind)] = &[
    ("free", JointKind::Free),
    ("ball", JointKind::Ball),
    ("slide", JointKind::Slide),
    ("hinge", JointKind::Hinge),
];

/// What the joint of `element` allows.
pub fn kind(element: &Element) -> JointKind {
    let word = if element.tag() == "freejoint" {
        Some("free")
    } else {
        element.text("type")
    };
    let known = KIND.iter().find(|(name, _)| Some(*name) == word);
    known.map_or(JointKind::Hinge, |(_, kind)| *kind)
}

/// Reads a `<joint>`.
pub fn read<'d>(element: &'d Element, users: Option<usize>, problems: &mut Problems) -> JointDraft<'d> {
    let kind = element.keyword("type", KIND, problems).unwrap_or(JointKind::Hinge);
    let scalar = matches!(kind, JointKind::Slide | JointKind::Hinge);
    let angle = |x: f64| {
        if kind == JointKind::Hinge {
            element.compiler().radians(x)
        } else {
            x
        }
    };
    let [stiffness, poly @ ..] = element.reals_over("stiffness", [0.0; 3], problems);
    let (limited, range) = range(element, kind, problems);
    let (actuator_force_limited, actuator_force_range) = if scalar {
        limits::read(element, "actuatorfrclimited", "actuatorfrcrange", problems)
    } else {
        (false, element.reals("actuatorfrcrange", problems).unwrap_or([0.0; 2]))
    };
    let mut number = |name: &str| element.real(name, problems).unwrap_or(0.0);
    let (reference, spring_reference) = (angle(number("ref")), angle(number("springref")));
    let (margin, yielded) = (number("margin"), number("springyield"));
    // a deflection, which a ball joint has as an angle too
    let spring_yield = match kind {
        JointKind::Slide => yielded,
        _ => element.compiler().radians(yielded),
    };
    let joint = Joint {
        name: element.name().map(str::to_owned),
        kind,
        body: UNNUMBERED,
        first_position: 0,
        first_dof: 0,
        anchor: anchor(element, kind, problems),
        axis: axis(element, kind, problems),
        stiffness,
        stiffness_poly: poly,
        spring_yield,
        limited,
        range,
        margin,
        solref: element.reals_over("solreflimit", SOLREF, problems),
        solimp: element.reals_over("solimplimit", SOLIMP, problems),
        actuator_force_limited,
        actuator_force_range,
        actuator_gravcomp: element.boolean("actuatorgravcomp", problems).unwrap_or(false),
        group: element.int("group", problems).unwrap_or(0),
        user: user::read(element, users, problems),
    };
    JointDraft {
        element,
        joint,
        reference,
        spring_reference,
        spring_damper: spring_damper(element, problems),
        align: Auto::Auto,
        dof: dof(element, problems),
    }
}

/// Reads a `<freejoint>`, which takes nothing from default classes.
pub fn read_free<'d>(element: &'d Element, problems: &mut Problems) -> JointDraft<'d> {
    let joint = Joint {
        name: element.name().map(str::to_owned),
        kind: JointKind::Free,
        body: UNNUMBERED,
        first_position: 0,
        first_dof: 0,
        anchor: [0.0; 3],
        axis: [0.0, 0.0, 1.0],
        stiffness: 0.0,
        stiffness_poly: [0.0; 2],
        spring_yield: 0.0,
        limited: false,
        range: [0.0; 2],
        margin: 0.0,
        solref: SOLREF,
        solimp: SOLIMP,
        actuator_force_limited: false,
        actuator_force_range: [0.0; 2],
        actuator_gravcomp: false,
        group: element.int("group", problems).unwrap_or(0),
        user: Vec::new(),
    };
    let dof = DofShare {
        armature: 0.0,
        damping: [0.0; 3],
        frictionloss: 0.0,
        solref: SOLREF,
        solimp: SOLIMP,
    };
    let align = element.keyword("align", AUTO, problems).unwrap_or(Auto::Auto);
    JointDraft {
        element,
        joint,
        reference: 0.0,
        spring_reference: 0.0,
        spring_damper: None,
        align,
        dof,
    }
}

/// Limits; angles of acting limits in radians.
fn range(element: &Element, kind: JointKind, problems: &mut Problems) -> (bool, [f64; 2]) {
    if kind == JointKind::Free {
        return (false, element.reals("range", problems).unwrap_or([0.0; 2]));
    }
    let before = problems.errors().len();
    let (limited, range) = match kind {
        JointKind::Ball => limits::read_ball(element, problems),
        _ => limits::read(element, "limited", "range", problems),
    };
    let sound = problems.errors().len() == before;
    if limited && sound && matches!(kind, JointKind::Hinge | JointKind::Ball) {
        return (true, range.map(|angle| element.compiler().radians(angle)));
    }
    (limited, range)
}

/// Anchor in the body.
fn anchor(element: &Element, kind: JointKind, problems: &mut Problems) -> [f64; 3] {
    let pos = element.reals("pos", problems).unwrap_or([0.0; 3]);
    match (kind, element.frame()) {
        (JointKind::Free, _) => [0.0; 3],
        (_, Some(frame)) => frame.pose().transform(pos),
        (_, None) => pos,
    }
}

/// Axis in the body, unit; free and ball joints have none of their own.
fn axis(element: &Element, kind: JointKind, problems: &mut Problems) -> [f64; 3] {
    const Z: [f64; 3] = [0.0, 0.0, 1.0];
    let given = element.reals("axis", problems).unwrap_or(Z);
    if matches!(kind, JointKind::Free | JointKind::Ball) {
        return Z;
    }
    let mut axis = element.frame().map_or(given, |frame| rotate(frame.pose().quat, given));
    if normalize(&mut axis) < TINY {
        problems.push(element.problem_with("axis", "the axis is too short to have a direction"));
        return Z;
    }
    axis
}

fn spring_damper(element: &Element, problems: &mut Problems) -> Option<[f64; 2]> {
    let given = element
        .reals("springdamper", problems)
        .filter(|&given| given != [0.0; 2])?;
    if given[0] <= 0.0 || given[1] <= 0.0 {
        problems.push(element.problem_with("springdamper", "time constant and damping ratio must be positive"));
        return None;
    }
    Some(given)
}

fn dof(element: &Element, problems: &mut Problems) -> DofShare {
    DofShare {
        armature: element.real("armature", problems).unwrap_or(0.0),
        damping: element.reals_over("damping", [0.0; 3], problems),
        frictionloss: element.real("frictionloss", problems).unwrap_or(0.0),
        solref: element.reals_over("solreffriction", SOLREF, problems),
        solimp: element.reals_over("solimpfriction", SOLIMP, problems),
    }
}
