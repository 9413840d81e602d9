//! Default classes: what elements of a class say where they say nothing themselves.
//!
//! For each family of elements a class holds a stack of [`Layer`]s, its own entries on top of its parent's. Stacks are
//! immutable and share their lower part, which makes one subtle rule of MJCF hold by itself: a class sees its parent *as it
//! was when the class was defined*. When a file has two `<default>` sections (often through `<include>`), what the second
//! one adds to the root class does not reach classes that the first one defined.

use std::collections::HashMap;
use std::sync::Arc;

use super::element::Element;
use crate::problem::Problems;
use crate::schema::{Family, Rule};

/// The root class, which every element belongs to that names no other.
pub(crate) const MAIN: &str = "main";

/// Root sections beyond this number are refused; each may raise the stacks that every look-up descends.
const MOST_SECTIONS: usize = 256;

/// Classes nested deeper than this are refused, for the same reason. Robots use three or four levels.
const DEEPEST_CLASS: usize = 64;

/// An entry of a default class on top of those it lies on.
#[derive(Debug)]
pub struct Layer {
    pub(crate) entry: Element,
    pub(crate) beneath: Option<Arc<Layer>>,
    /// Whether it is the lowest entry of its class; what lies beneath belongs to the parent.
    pub(crate) opens_class: bool,
}

impl Layer {
    /// The entries from this layer downwards.
    pub(crate) fn entries(&self) -> impl Iterator<Item = &Element> {
        std::iter::successors(Some(self), |layer| layer.beneath.as_deref()).map(|layer| &layer.entry)
    }
}

/// A default class: the top of the stack of each family.
#[derive(Clone, Debug, Default)]
pub(crate) struct Class {
    tops: [Option<Arc<Layer>>; Family::COUNT],
}

impl Class {
    /// This class with further `entries`.
    fn extended(&self, entries: Vec<Element>) -> Class {
        self.with(entries, [false; Family::COUNT])
    }

    /// A class with `entries` of its own whose parent is this one.
    fn child(&self, entries: Vec<Element>) -> Class {
        self.with(entries, [true; Family::COUNT])
    }

    /// Puts `entries` on top; `opens` tells the families of which the next entry is the first of a class.
    fn with(&self, entries: Vec<Element>, mut opens: [bool; Family::COUNT]) -> Class {
        let mut class = self.clone();
        for entry in entries {
            if let Some(family) = entry.rule.family {
                let top = &mut class.tops[family as usize];
                let opens_class = std::mem::take(&mut opens[family as usize]) || top.is_none();
                *top = Some(Arc::new(Layer {
                    entry,
                    beneath: top.take(),
                    opens_class,
                }));
            }
        }
        class
    }

    /// What lies beneath elements with `rule`.
    pub fn beneath(&self, rule: &Rule) -> Option<Arc<Layer>> {
        self.tops[rule.family? as usize].clone()
    }

    /// The class with every stack replaced by what `change` makes of it.
    pub fn map(&self, mut change: impl FnMut(&Arc<Layer>) -> Arc<Layer>) -> Class {
        Class {
            tops: self.tops.each_ref().map(|top| top.as_ref().map(&mut change)),
        }
    }
}

/// The classes of one model, by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Classes {
    main: Arc<Class>,
    named: HashMap<Arc<str>, Arc<Class>>,
    sections: usize,
}

impl Classes {
    /// The root class.
    pub fn main(&self) -> &Arc<Class> {
        &self.main
    }

    /// The class called `name`.
    pub fn get(&self, name: &str) -> Option<&Arc<Class>> {
        if name == MAIN {
            Some(&self.main)
        } else {
            self.named.get(name)
        }
    }

    /// All classes with their names.
    pub fn all(&self) -> impl Iterator<Item = (&str, &Arc<Class>)> {
        std::iter::once((MAIN, &self.main)).chain(self.named.iter().map(|(name, class)| (name.as_ref(), class)))
    }

    /// Makes `class` known under `name`.
    pub fn insert(&mut self, name: Arc<str>, class: Arc<Class>) {
        self.named.insert(name, class);
    }

    /// The class that attribute `attribute` (`class` or `childclass`) of `element` names; `None` if it names none or an
    /// unknown one, which is reported.
    pub fn chosen_by(&self, element: &Element, attribute: &str, problems: &mut Problems) -> Option<Arc<Class>> {
        let name = &element.own(attribute).filter(|given| !given.value.is_empty())?.value;
        let class = self.get(name);
        if class.is_none() {
            let problem = element.problem_with(attribute, format!("no default class named \"{name}\""));
            problems.push_with_proposal(problem, name, || self.all().map(|(name, _)| name));
        }
        class.cloned()
    }

    /// Adds a top-level `<default>` section.
    pub fn add_section(&mut self, section: Element, problems: &mut Problems) {
        if section
            .own("class")
            .is_some_and(|class| !class.value.is_empty() && *class.value != *MAIN)
        {
            let message = "the top-level default class is called \"main\"; put other classes inside it";
            problems.push(section.problem_with("class", message));
        }
        self.sections += 1;
        if self.sections > MOST_SECTIONS {
            problems.push(section.problem(format!("more than {MOST_SECTIONS} top-level <default> sections")));
            return;
        }
        let (nested, entries) = split(section);
        // Classes defined so far keep the root as they saw it.
        self.main = Arc::new(self.main.extended(entries));
        let main = Arc::clone(&self.main);
        self.add_nested(nested, &main, 1, problems);
    }

    fn add_nested(&mut self, definitions: Vec<Element>, parent: &Class, depth: usize, problems: &mut Problems) {
        for definition in definitions {
            if depth > DEEPEST_CLASS {
                let message = format!("default classes are nested more than {DEEPEST_CLASS} deep");
                problems.push(definition.problem(message));
                return;
            }
            self.add_class(definition, parent, depth, problems);
        }
    }

    fn add_class(&mut self, definition: Element, parent: &Class, depth: usize, problems: &mut Problems) {
        let Some(name) = definition.own("class").map(|given| Arc::clone(&given.value)) else {
            problems.push(definition.problem("a nested default needs a class"));
            return;
        };
        if self.get(&name).is_some() {
            problems.push(definition.problem_with("class", format!("the default class \"{name}\" is defined twice")));
        }
        let (nested, entries) = split(definition);
        let class = Arc::new(parent.child(entries));
        self.insert(name, Arc::clone(&class));
        self.add_nested(nested, &class, depth + 1, problems);
    }
}

/// A definition's nested classes and its own entries.
fn split(definition: Element) -> (Vec<Element>, Vec<Element>) {
    definition
        .children
        .into_iter()
        .partition(|child| child.tag() == "default")
}
