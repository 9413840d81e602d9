//! Elements outside the body tree: contacts, tendons, equalities, actuators, sensors, custom data.
//!
//! They refer to elements of the tree by name. When part of the tree is copied under new names, what refers to it is
//! copied along.

use super::element::Element;
use super::limits::Budget;
use super::rename::{NameSet, Renaming, Scope, WORLD, declared};
use crate::problem::{NoteKind, Problems};
use crate::schema::Namespace;

/// Elements outside the body tree that refer to elements inside, each list in the order of the file. What comes from
/// copies and attachments stands at the end.
#[derive(Clone, Debug, Default)]
pub struct Outer {
    /// `flex` and `skin`.
    pub deformables: Vec<Element>,
    /// `pair` and `exclude`.
    pub contacts: Vec<Element>,
    /// `spatial` and `fixed`.
    pub tendons: Vec<Element>,
    /// `connect`, `weld`, ...
    pub equalities: Vec<Element>,
    /// Actuators of all kinds.
    pub actuators: Vec<Element>,
    /// Sensors of all kinds.
    pub sensors: Vec<Element>,
    /// `numeric`, `text`, `tuple`.
    pub customs: Vec<Element>,
}

/// What becomes of an element when some names are copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// It refers to none of them.
    Unconcerned,
    /// It is copied along.
    Copied,
    /// It refers to some of them and to others, and cannot be divided.
    Torn,
}

impl Outer {
    /// All elements, list by list.
    pub fn iter(&self) -> impl Iterator<Item = &Element> {
        let Self {
            deformables,
            contacts,
            tendons,
            equalities,
            actuators,
            sensors,
            customs,
        } = self;
        [deformables, contacts, tendons, equalities, actuators, sensors, customs]
            .into_iter()
            .flatten()
    }

    /// The lists, in an order in which each refers only to those before it.
    pub(super) fn lists_mut(&mut self) -> [&mut Vec<Element>; 7] {
        let Self {
            deformables,
            contacts,
            tendons,
            equalities,
            actuators,
            sensors,
            customs,
        } = self;
        [deformables, contacts, tendons, equalities, actuators, sensors, customs]
    }

    /// Replaces elements that refer to `names` by one copy per suffix. The error says which limit that breaks.
    pub(super) fn replicate(
        &mut self,
        names: &NameSet,
        suffixes: &[String],
        budget: &mut Budget,
        problems: &mut Problems,
    ) -> Result<(), String> {
        let mut names = names.clone();
        for list in self.lists_mut() {
            let mut originals = Vec::new();
            for element in std::mem::take(list) {
                match fate(&element, &names) {
                    Fate::Unconcerned => list.push(element),
                    Fate::Copied => originals.push(element),
                    Fate::Torn => note_torn(&element, problems),
                }
            }
            let size: usize = originals.iter().map(Element::count).sum();
            budget.take_elements(size.saturating_mul(suffixes.len()))?;
            names.extend(
                originals
                    .iter()
                    .filter_map(declared)
                    .map(|(kind, name)| (kind, name.into())),
            );
            for suffix in suffixes {
                let renaming = Renaming {
                    prefix: "",
                    suffix,
                    scope: Scope::Only(&names),
                };
                list.extend(originals.iter().map(|original| renaming.copy(original)));
            }
        }
        Ok(())
    }

    /// Adds a copy under `prefix` of every element that refers to `names`, and keeps the originals.
    pub(super) fn copy_under_prefix(
        &mut self,
        names: &NameSet,
        prefix: &str,
        budget: &mut Budget,
    ) -> Result<(), String> {
        let mut names = names.clone();
        for list in self.lists_mut() {
            let originals: Vec<usize> = (0..list.len())
                .filter(|i| fate(&list[*i], &names) == Fate::Copied)
                .collect();
            names.extend(
                originals
                    .iter()
                    .filter_map(|i| declared(&list[*i]))
                    .map(|(kind, name)| (kind, name.into())),
            );
            let renaming = Renaming {
                prefix,
                suffix: "",
                scope: Scope::Only(&names),
            };
            for i in originals {
                budget.take_elements(list[i].count())?;
                list.push(renaming.copy(&list[i]));
            }
        }
        Ok(())
    }

    /// The elements that make sense when only `names` of the tree exist.
    pub(super) fn restricted_to(&self, names: &NameSet, problems: &mut Problems) -> Outer {
        let mut names = names.clone();
        let mut outer = self.clone();
        for list in outer.lists_mut() {
            list.retain(|element| {
                let (inside, outside) = count_references(element, &names);
                let kept = outside == 0;
                if kept {
                    names.extend(declared(element).map(|(kind, name)| (kind, name.into())));
                } else if inside > 0 {
                    note_torn(element, problems);
                }
                kept
            });
        }
        outer
    }
}

fn note_torn(element: &Element, problems: &mut Problems) {
    let why = "dropped: it refers to elements that are copied and to elements that are not";
    problems.push(element.problem(why).note(NoteKind::NoEffect));
}

/// How many references of `element` are to `names`, and how many to other elements of the tree or outside it. Assets and
/// the world body are there for every copy and do not count.
fn count_references(element: &Element, names: &NameSet) -> (usize, usize) {
    let (mut inside, mut outside) = (0, 0);
    element.visit(&mut |part| {
        for (namespace, attribute) in part.references() {
            let counts = match namespace {
                Namespace::Body => &*attribute.value != WORLD,
                Namespace::Joint | Namespace::Geom | Namespace::Site | Namespace::Camera | Namespace::Light => true,
                Namespace::Tendon | Namespace::Actuator | Namespace::Sensor | Namespace::Equality => true,
                Namespace::Flex | Namespace::Pair | Namespace::Exclude | Namespace::Tuple | Namespace::Frame => true,
                _ => false,
            };
            if counts {
                let known = names.contains(&(namespace, attribute.value.clone()));
                *if known { &mut inside } else { &mut outside } += 1;
            }
        }
    });
    (inside, outside)
}

fn fate(element: &Element, names: &NameSet) -> Fate {
    // What measures or couples two things can couple a copy to an original; what acts on one thing cannot.
    let divisible = match element.tag() {
        "pair" | "exclude" | "spatial" | "fixed" => true,
        _ => element
            .rule
            .attribute("name")
            .is_some_and(|name| name.value == crate::schema::Value::Name(Namespace::Sensor)),
    };
    match count_references(element, names) {
        (0, _) => Fate::Unconcerned,
        (_, 0) => Fate::Copied,
        _ if divisible => Fate::Copied,
        _ => Fate::Torn,
    }
}
