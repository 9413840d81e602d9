//! Raw nodes to checked elements.
//!
//! Everything the schema can tell is told here, once, at the place where it stands: unknown elements and attributes,
//! repeated ones, missing ones, ones that exclude each other, and values that are not what they should be. What is
//! unknown does not get into the result; what is malformed does, and reads as "not given".

use std::collections::HashMap;
use std::sync::Arc;

use super::homes::homes_of;
use super::{Attr, Presence, Rule, Times};
use crate::document::compiler::Origin;
use crate::document::element::{Attribute, Element};
use crate::document::orientation::ORIENTATIONS;
use crate::document::value;
use crate::document::xml::Node;
use crate::problem::{NoteKind, Place, Problem, Problems};

/// Checks `node` and everything inside against `rule`.
pub(crate) fn check(node: Node, rule: &'static Rule, origin: &Arc<Origin>, problems: &mut Problems) -> Element {
    Checker {
        origin,
        problems,
        in_frames: 0,
    }
    .element(node, rule, false)
}

struct Checker<'c> {
    origin: &'c Arc<Origin>,
    problems: &'c mut Problems,
    /// How many of the elements around are frames or replicates. MuJoCo does not look for unknown attributes inside of those,
    /// and models rely on that: there they are noted rather than refused.
    in_frames: usize,
}

impl Checker<'_> {
    /// `in_default`: the element gives defaults; it has no name, need not be complete, and may leave choices open.
    fn element(&mut self, node: Node, rule: &'static Rule, in_default: bool) -> Element {
        let mut element = Element::empty(rule, node.place.clone(), Arc::clone(self.origin));
        let is_frame = matches!(rule.name, "frame" | "replicate");
        self.in_frames += usize::from(is_frame);
        self.attributes(&node, in_default, &mut element);
        self.presence(&element, in_default);
        self.children(node.children, in_default || rule.name == "default", &mut element);
        self.in_frames -= usize::from(is_frame);
        element
    }

    fn attributes(&mut self, node: &Node, in_default: bool, element: &mut Element) {
        let rule = element.rule;
        // The class of <default> is its name, not a default for something else.
        let allowed = |attribute: &&Attr| !in_default || attribute.inheritable || rule.name == "default";
        for given in &node.attributes {
            match rule.attribute(&given.name) {
                Some(attribute) if allowed(&attribute) => {
                    let given = Attribute {
                        name: attribute.name,
                        value: Arc::clone(&given.value),
                        place: given.place.clone(),
                    };
                    element.attributes.push(given);
                }
                Some(attribute) => {
                    let message = format!("the attribute \"{}\" cannot be given a default", attribute.name);
                    let problem = Problem::error(given.place.clone(), node.shown_with(attribute.name), message);
                    self.problems.push_unknown(problem);
                }
                None => {
                    let message = format!("<{}> has no attribute \"{}\"", rule.name, value::shorten(&given.name));
                    let problem = Problem::error(given.place.clone(), node.shown_with(&given.name), message);
                    let problem = match self.in_frames {
                        0 => self.problems.unknown(problem),
                        _ => problem.note(NoteKind::Ignored),
                    };
                    let names = || rule.attributes().filter(allowed).map(|attribute| attribute.name);
                    self.problems.push_with_proposal(problem, &given.name, names);
                }
            }
        }
        self.values(element);
    }

    fn values(&mut self, element: &Element) {
        for given in &element.attributes {
            let Some(attribute) = element.rule.attribute(given.name) else {
                continue;
            };
            if let Err(misfit) = value::check(&given.value, attribute) {
                element.push_misfit(given, misfit, self.problems);
            }
        }
    }

    fn presence(&mut self, element: &Element, in_default: bool) {
        let given = |name: &str| element.own(name).is_some();
        if !in_default {
            let missing = element
                .rule
                .attributes()
                .filter(|attribute| attribute.required && !given(attribute.name));
            for attribute in missing {
                self.problems
                    .push(element.problem(format!("the attribute \"{}\" is missing", attribute.name)));
            }
        }
        let orientations: Vec<_> = ORIENTATIONS.into_iter().filter(|name| given(name)).collect();
        if let [_, second, ..] = orientations[..] {
            let message = format!("{} each give an orientation; give one", orientations.join(" and "));
            self.problems.push(element.problem_with(second, message));
        }
        for presence in element.rule.presence {
            self.problems.extend(violation(*presence, element, in_default));
        }
    }

    fn children(&mut self, nodes: Vec<Node>, in_default: bool, element: &mut Element) {
        // Where the elements stand that may stand here once.
        let mut seen: HashMap<&'static str, Place> = HashMap::new();
        for node in nodes {
            // Plugins belong to the element they compute something for; classes have none.
            let child = element
                .rule
                .child(&node.name)
                .filter(|_| !(in_default && node.name == "plugin"));
            let Some(child) = child else {
                self.unknown_child(&node, element.rule);
                continue;
            };
            if child.times == Times::AtMostOnce
                && let Some(first) = seen.insert(child.rule.name, node.place.clone())
            {
                let message = format!(
                    "<{}> may have one <{}>; another is at {first}",
                    element.tag(),
                    child.rule.name
                );
                self.problems.push(node.problem(message));
            }
            let checked = self.element(node, child.rule, in_default);
            element.children.push(checked);
        }
    }

    fn unknown_child(&mut self, node: &Node, parent: &'static Rule) {
        let mut message = format!("<{}> cannot stand in <{}>", value::shorten(&node.name), parent.name);
        // Once findings are only counted, no time is spent on their wording.
        let homes = if self.problems.is_full() {
            Vec::new()
        } else {
            homes_of(&node.name)
        };
        if let [others @ .., last] = &homes[..] {
            let others: Vec<_> = others.iter().map(|home| format!("<{home}>")).collect();
            let or = if others.is_empty() { "" } else { " or " };
            message.push_str(&format!("; it belongs in {}{or}<{last}>", others.join(", ")));
        }
        let problem = self.problems.unknown(node.problem(message));
        if homes.is_empty() {
            let names = || parent.children.iter().map(|child| child.rule.name);
            self.problems.push_with_proposal(problem, &node.name, names);
        } else {
            self.problems.push(problem);
        }
    }
}

/// What is wrong with the choice of attributes of `element`, if something is.
fn violation(presence: Presence, element: &Element, in_default: bool) -> Option<Problem> {
    let given = |name: &&&str| element.own(name).is_some();
    match presence {
        Presence::Exclusive(bundles) => {
            let present: Vec<_> = bundles.iter().filter_map(|bundle| bundle.iter().find(given)).collect();
            let [first, second, ..] = present[..] else { return None };
            let message = format!("\"{first}\" and \"{second}\" cannot be given together");
            Some(element.problem_with(second, message))
        }
        Presence::Together(names) => {
            let present = names.iter().filter(given).count();
            let message = || format!("{} belong together; give all or none", quoted(names));
            (present > 0 && present < names.len()).then(|| element.problem(message()))
        }
        Presence::OneOf(bundles) => {
            let complete = |bundle: &&[&str]| bundle.iter().all(|name| given(&name));
            let choices = || {
                bundles
                    .iter()
                    .map(|bundle| quoted(bundle))
                    .collect::<Vec<_>>()
                    .join(", or ")
            };
            (!in_default && !bundles.iter().any(complete)).then(|| element.problem(format!("needs {}", choices())))
        }
    }
}

fn quoted(names: &[&str]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("\"{name}\"")).collect();
    names.join(" and ")
}
