//! What an attached model says about options, against what the model says that it is attached to.
//!
//! By `compiler conflict` of the latter: `warning` keeps its own values and reports the difference; `merge` takes what the
//! attached model says where it says nothing itself, and the more careful value where both do (the smaller time step, the
//! greater number of iterations); `error` refuses differences. Rules: MuJoCo 4.0, "Attach conflict".

use std::sync::Arc;

use super::compiler::Conflict;
use super::element::{Attribute, Element};
use super::sections::Document;
use super::settings::Settings;
use super::value;
use crate::problem::{NoteKind, Problems};
use crate::schema::Count;

/// How two values become one.
#[derive(Clone, Copy)]
enum Merge {
    /// The smaller one.
    Smaller,
    /// The greater one.
    Greater,
    /// Not at all.
    Impossible,
    /// Both lists, one after the other.
    Both,
    /// On if either is: the word is what counts as on.
    Either(&'static str),
}

/// Which settings can be in conflict: section, element inside it (or none), attributes.
const SETTINGS: &[(&str, Option<&str>, &[&str], Merge)] = &[
    (
        "option",
        None,
        &[
            "timestep",
            "tolerance",
            "ls_tolerance",
            "noslip_tolerance",
            "ccd_tolerance",
            "sleep_tolerance",
        ],
        Merge::Smaller,
    ),
    (
        "option",
        None,
        &[
            "iterations",
            "ls_iterations",
            "noslip_iterations",
            "ccd_iterations",
            "sdf_iterations",
            "sdf_initpoints",
        ],
        Merge::Greater,
    ),
    (
        "option",
        None,
        &[
            "impratio",
            "density",
            "viscosity",
            "o_margin",
            "integrator",
            "cone",
            "jacobian",
            "solver",
            "gravity",
            "wind",
            "magnetic",
            "o_solref",
            "o_solimp",
            "o_friction",
        ],
        Merge::Impossible,
    ),
    ("option", None, &["actuatorgroupdisable"], Merge::Both),
    (
        "option",
        Some("flag"),
        &[
            "constraint",
            "equality",
            "frictionloss",
            "limit",
            "contact",
            "spring",
            "damper",
            "gravity",
            "clampctrl",
            "warmstart",
            "filterparent",
            "actuation",
            "refsafe",
            "sensor",
            "midphase",
            "eulerdamp",
            "autoreset",
            "nativeccd",
            "island",
            "multiccd",
        ],
        Merge::Either("disable"),
    ),
    (
        "option",
        Some("flag"),
        &[
            "override",
            "energy",
            "fwdinv",
            "invdiscrete",
            "sleep",
            "diagexact",
            "ipc",
            "speculative",
            "boxconvex",
        ],
        Merge::Either("enable"),
    ),
    ("visual", Some("map"), &["znear"], Merge::Smaller),
    ("visual", Some("map"), &["zfar"], Merge::Greater),
    ("visual", Some("global"), &["realtime"], Merge::Smaller),
    (
        "size",
        None,
        &[
            "njmax",
            "nconmax",
            "nuserdata",
            "nkey",
            "nuser_body",
            "nuser_jnt",
            "nuser_geom",
            "nuser_site",
            "nuser_cam",
            "nuser_tendon",
            "nuser_actuator",
            "nuser_sensor",
        ],
        Merge::Greater,
    ),
];

/// Settles all conflicts between `parent` and the attached `model`.
pub(super) fn resolve(attach: &Element, model: &Document, parent: &mut Settings, problems: &mut Problems) {
    let policy = attach.compiler().conflict;
    for (section, inside, attributes, merge) in SETTINGS {
        let (mine, theirs) = match *section {
            "option" => (&mut parent.option, &model.settings.option),
            "visual" => (&mut parent.visual, &model.settings.visual),
            _ => (&mut parent.size, &model.settings.size),
        };
        let (mine, theirs) = match inside {
            None => (mine, theirs),
            Some(tag) => match theirs.child(tag) {
                Some(theirs) => (child_of(mine, tag), theirs),
                None => continue,
            },
        };
        for name in *attributes {
            settle(name, *merge, policy, attach, mine, theirs, problems);
        }
    }
}

/// The child called `tag`, made if it is not there.
fn child_of<'e>(parent: &'e mut Element, tag: &str) -> &'e mut Element {
    let position = parent.children.iter().position(|child| child.tag() == tag);
    let position = position.unwrap_or_else(|| {
        let rule = parent.rule.child(tag).map_or(parent.rule, |child| child.rule);
        parent
            .children
            .push(Element::empty(rule, parent.place.clone(), Arc::clone(&parent.origin)));
        parent.children.len() - 1
    });
    &mut parent.children[position]
}

fn settle(
    name: &str,
    merge: Merge,
    policy: Conflict,
    attach: &Element,
    mine: &mut Element,
    theirs: &Element,
    problems: &mut Problems,
) {
    let Some((_, given)) = theirs.find(name) else { return };
    let own = mine.find(name).map(|(_, attribute)| Arc::clone(&attribute.value));
    let kept = |problems: &mut Problems| {
        let mine = own
            .as_deref()
            .map_or("its own".to_owned(), |value| format!("\"{value}\""));
        let message = format!("the model it is attached to keeps {mine} {name}");
        problems.push(theirs.problem_with(name, message).note(NoteKind::NoEffect));
    };
    let refused = |problems: &mut Problems| {
        let message = format!(
            "the attached model says {name}=\"{}\" and this one \"{}\"",
            given.value,
            own.as_deref().unwrap_or_default()
        );
        problems.push(attach.problem(message));
    };
    match (policy, merge, own.as_deref()) {
        (_, _, Some(own)) if same(own, &given.value) => {}
        // A flag that is off leaves the other one alone.
        (Conflict::Merge, Merge::Either(on), _) if *given.value != *on => {}
        (Conflict::Merge, Merge::Either(_), _) | (Conflict::Merge, _, None) => adopt(mine, given),
        (Conflict::Merge, Merge::Smaller, Some(own)) if number(&given.value) < number(own) => adopt(mine, given),
        (Conflict::Merge, Merge::Greater, Some(own)) if number(&given.value) > number(own) => adopt(mine, given),
        (Conflict::Merge, Merge::Smaller | Merge::Greater, Some(_)) => {}
        (Conflict::Merge, Merge::Both, Some(own)) => {
            let value = format!("{own} {}", given.value).into();
            adopt(mine, &Attribute { value, ..given.clone() });
        }
        (Conflict::Merge | Conflict::Error, _, Some(_)) => refused(problems),
        (Conflict::Warning | Conflict::Error, _, _) => kept(problems),
    }
}

fn adopt(mine: &mut Element, given: &Attribute) {
    mine.attributes.retain(|attribute| attribute.name != given.name);
    mine.attributes.push(given.clone());
}

/// Whether two texts mean the same: equal words or equal numbers.
fn same(a: &str, b: &str) -> bool {
    let numbers = |text| value::reals(text, Count::Any).ok();
    a == b || numbers(a).is_some_and(|a| Some(a) == numbers(b))
}

fn number(text: &str) -> Option<f64> {
    value::reals(text, Count::Exactly(1)).ok()?.first().copied()
}
