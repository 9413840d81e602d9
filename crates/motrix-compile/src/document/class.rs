//! Default classes: what elements of a class say where they say nothing themselves.
//!
//! A class is a layer of entries on top of its parent's. The chain is a linked list of immutable layers, which makes one
//! subtle rule of MJCF hold by itself: a class sees its parent *as it was when the class was defined*. When a file has two
//! `<default>` sections (often through `<include>`), what the second one adds to the root class does not reach classes
//! that the first one defined.

use std::collections::HashMap;
use std::sync::Arc;

use super::element::Element;
use crate::problem::Problems;

/// The root class, which every element belongs to that names no other.
pub(crate) const MAIN: &str = "main";

/// Root sections beyond this number are refused; each may deepen the chain that every look-up walks.
const MOST_SECTIONS: usize = 256;

/// A default class.
#[derive(Clone, Debug)]
pub struct Class {
    /// Its name.
    pub name: Arc<str>,
    /// What lies beneath.
    pub parent: Option<Arc<Class>>,
    /// What it says, in the order of the file; later entries are stronger.
    pub entries: Vec<Element>,
}

impl Class {
    /// The class itself, its parent, and so on down to the root.
    pub fn lineage(&self) -> impl Iterator<Item = &Class> {
        std::iter::successors(Some(self), |class| class.parent.as_deref())
    }
}

/// The classes of one model, by name.
#[derive(Clone, Debug)]
pub struct Classes {
    main: Arc<Class>,
    named: HashMap<Arc<str>, Arc<Class>>,
    sections: usize,
}

impl Default for Classes {
    fn default() -> Self {
        let main = Class {
            name: MAIN.into(),
            parent: None,
            entries: Vec::new(),
        };
        Self {
            main: Arc::new(main),
            named: HashMap::new(),
            sections: 0,
        }
    }
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

    /// The names of all classes.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(MAIN).chain(self.named.keys().map(AsRef::as_ref))
    }

    /// The class that attribute `attribute` (`class` or `childclass`) of `element` names; `None` if it names none or an
    /// unknown one, which is reported.
    pub fn chosen_by(&self, element: &Element, attribute: &str, problems: &mut Problems) -> Option<Arc<Class>> {
        let name = &element.own(attribute).filter(|given| !given.value.is_empty())?.value;
        let class = self.get(name);
        if class.is_none() {
            let message = format!("no default class named \"{name}\"");
            problems.push(
                element
                    .problem_with(attribute, message)
                    .did_you_mean(name, self.sorted_names()),
            );
        }
        class.cloned()
    }

    fn sorted_names(&self) -> Vec<&str> {
        let mut names: Vec<_> = self.names().collect();
        names.sort_unstable();
        names
    }

    /// Adds a top-level `<default>` section.
    pub(crate) fn add_section(&mut self, section: Element, problems: &mut Problems) {
        match section.own("class") {
            Some(class) if !class.value.is_empty() && *class.value != *MAIN => {
                problems.push(section.problem_with(
                    "class",
                    "the top-level default class is called \"main\"; put other classes inside it",
                ));
            }
            _ => {}
        }
        self.sections += 1;
        if self.sections > MOST_SECTIONS {
            problems.push(section.problem(format!("more than {MOST_SECTIONS} top-level <default> sections")));
            return;
        }
        let (nested, entries) = split(section);
        if !entries.is_empty() {
            // Classes defined so far keep the root as they saw it.
            let beneath = Arc::clone(&self.main);
            self.main = Arc::new(Class {
                name: MAIN.into(),
                parent: Some(beneath),
                entries,
            });
        }
        let main = Arc::clone(&self.main);
        for class in nested {
            self.add_class(class, &main, problems);
        }
    }

    fn add_class(&mut self, definition: Element, parent: &Arc<Class>, problems: &mut Problems) {
        let Some(name) = definition.own("class").map(|given| Arc::clone(&given.value)) else {
            problems.push(definition.problem("a nested default needs a class"));
            return;
        };
        if self.get(&name).is_some() {
            problems.push(definition.problem_with("class", format!("the default class \"{name}\" is defined twice")));
        }
        let (nested, entries) = split(definition);
        let class = Arc::new(Class {
            name: Arc::clone(&name),
            parent: Some(Arc::clone(parent)),
            entries,
        });
        self.insert(name, Arc::clone(&class));
        for inner in nested {
            self.add_class(inner, &class, problems);
        }
    }

    /// Makes `class` known under `name`.
    pub(crate) fn insert(&mut self, name: Arc<str>, class: Arc<Class>) {
        self.named.insert(name, class);
    }

    /// All classes but the root, by name.
    pub(crate) fn named(&self) -> impl Iterator<Item = (&Arc<str>, &Arc<Class>)> {
        self.named.iter()
    }
}

/// A definition's nested classes and its own entries.
fn split(definition: Element) -> (Vec<Element>, Vec<Element>) {
    definition
        .children
        .into_iter()
        .partition(|child| child.tag() == "default")
}
