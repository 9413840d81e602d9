//! Elements outside the body tree: contacts, tendons, equalities, actuators, sensors, custom data.
//!
//! They refer to elements of the tree by name. When part of the tree is copied under new names, what refers to it is
//! copied along.

use super::element::Element;
use super::limits::Budget;
use super::names::report_unknown;
use super::rename::{NameSet, Renaming, Scope, WORLD, declared};
use crate::problem::{NoteKind, Problems};
use crate::schema::{Namespace, Value};

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

impl Outer {
    /// All elements, list by list.
    pub fn iter(&self) -> impl Iterator<Item = &Element> {
        self.lists().into_iter().flatten()
    }

    /// The lists, in an order in which each refers only to those before it.
    pub(super) fn lists(&self) -> [&Vec<Element>; 7] {
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

    /// The same lists, to be changed.
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
            budget.take_work(list.len())?;
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
            budget.take_work(list.len())?;
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

    /// The elements that make sense when `inside` is what there is of this model; `inside` gets their names. What couples
    /// two things may couple something inside to something of the model that this one is attached to, which has
    /// `surroundings`. A reference to what neither model has (`everything` is in this one) is a mistake.
    pub(super) fn restricted_to(
        &self,
        inside: &mut NameSet,
        everything: &NameSet,
        surroundings: &NameSet,
        problems: &mut Problems,
    ) -> Outer {
        let mut outer = Outer::default();
        for (kept, all) in outer.lists_mut().into_iter().zip(self.lists()) {
            for element in all {
                let references = tree_references(element);
                let within = references.iter().filter(|reference| reference.is_to(inside)).count();
                let couples = within > 0 && is_divisible(element);
                if references
                    .iter()
                    .all(|r| r.is_to(inside) || (couples && r.is_to(surroundings)))
                {
                    inside.extend(declared(element).map(|(kind, name)| (kind, name.into())));
                    kept.push(element.clone());
                    continue;
                }
                for mistake in references
                    .iter()
                    .filter(|r| !r.is_to(everything) && !r.is_to(surroundings))
                {
                    mistake.report(everything, problems);
                }
                if within > 0 {
                    note_torn(element, problems);
                }
            }
        }
        outer
    }
}

fn note_torn(element: &Element, problems: &mut Problems) {
    let why = "dropped: it refers to elements that are copied and to elements that are not";
    problems.push(element.problem(why).note(NoteKind::NoEffect));
}

/// A name that an element, or a part of it, refers to.
struct Reference<'e> {
    part: &'e Element,
    attribute: &'static str,
    kind: Namespace,
    name: &'e str,
}

impl Reference<'_> {
    fn is_to(&self, names: &NameSet) -> bool {
        names.contains(&(self.kind, self.name.into()))
    }

    /// Reports that there is nothing of that name among `known`.
    fn report(&self, known: &NameSet, problems: &mut Problems) {
        let known = known
            .iter()
            .filter(|(kind, _)| *kind == self.kind)
            .map(|(_, name)| name);
        report_unknown(self.part, self.attribute, self.name, self.kind, known, problems);
    }
}

/// The references of `element` to elements of the tree and to other elements outside it. Assets and the world body are
/// there for every copy and do not count.
fn tree_references(element: &Element) -> Vec<Reference<'_>> {
    let mut references = Vec::new();
    element.visit(&mut |part| {
        for (kind, attribute) in part.references().filter(|(kind, _)| is_copied(*kind)) {
            let list = matches!(
                part.rule.attribute(attribute.name).map(|rule| rule.value),
                Some(Value::References(_))
            );
            let names: Vec<&str> = if list {
                attribute.value.split_ascii_whitespace().collect()
            } else {
                vec![&attribute.value]
            };
            let counts = |name: &&str| !(kind == Namespace::Body && *name == WORLD);
            let attribute = attribute.name;
            references.extend(names.into_iter().filter(counts).map(|name| Reference {
                part,
                attribute,
                kind,
                name,
            }));
        }
    });
    references
}

/// Whether copies of a subtree have things of this kind for themselves.
fn is_copied(kind: Namespace) -> bool {
    match kind {
        Namespace::Body | Namespace::Frame | Namespace::Joint | Namespace::Geom | Namespace::Site => true,
        Namespace::Camera | Namespace::Light | Namespace::Flex => true,
        Namespace::Tendon | Namespace::Actuator | Namespace::Sensor | Namespace::Equality => true,
        Namespace::Pair | Namespace::Exclude | Namespace::Tuple => true,
        Namespace::Mesh | Namespace::HField | Namespace::Skin | Namespace::Texture | Namespace::Material => false,
        Namespace::Model | Namespace::Numeric | Namespace::Text | Namespace::Key => false,
        Namespace::Plugin | Namespace::Lidar | Namespace::Gsplat => false,
    }
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

fn fate(element: &Element, names: &NameSet) -> Fate {
    let references = tree_references(element);
    let within = references.iter().filter(|reference| reference.is_to(names)).count();
    if within == 0 {
        Fate::Unconcerned
    } else if within == references.len() || is_divisible(element) {
        Fate::Copied
    } else {
        Fate::Torn
    }
}

/// Whether it can refer to a copy and to something else: what measures or couples two things can, what acts on one thing
/// cannot.
fn is_divisible(element: &Element) -> bool {
    let name = element.rule.attribute("name").map(|rule| rule.value);
    matches!(element.tag(), "pair" | "exclude" | "spatial" | "fixed") || name == Some(Value::Name(Namespace::Sensor))
}
