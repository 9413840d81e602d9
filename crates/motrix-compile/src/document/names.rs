//! Names: no two elements of a kind share one, and every name that is used exists.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::element::{Attribute, Element};
use super::rename::{WORLD, declared};
use super::sections::Document;
use super::value::shorten;
use crate::problem::{Place, Problems};
use crate::schema::{Namespace, Value};

/// What the elements of one kind are called, and a number or other handle for each.
#[derive(Clone, Debug)]
pub struct NameTable<T> {
    namespace: Namespace,
    handles: HashMap<Arc<str>, T>,
}

impl<T: Copy> NameTable<T> {
    /// No names of kind `namespace`.
    pub fn new(namespace: Namespace) -> Self {
        Self {
            namespace,
            handles: HashMap::new(),
        }
    }

    /// Adds `element`, if it has a name. Names that are given twice are reported when the document is read; here the
    /// first one stays.
    pub fn insert(&mut self, element: &Element, handle: T) {
        if let Some((_, name)) = declared(element) {
            self.handles.entry(name.into()).or_insert(handle);
        }
    }

    /// Adds a name that no element declares, such as that of the world body.
    pub fn insert_name(&mut self, name: &str, handle: T) {
        self.handles.entry(name.into()).or_insert(handle);
    }

    /// The handle of `name`.
    pub fn get(&self, name: &str) -> Option<T> {
        self.handles.get(name).copied()
    }

    /// The handle of the element that attribute `attribute` of `element` names. `None` if the attribute is not given, or
    /// names nothing that exists, which is recorded.
    pub fn resolve(&self, element: &Element, attribute: &str, problems: &mut Problems) -> Option<T> {
        let name = element.reference(attribute)?;
        let handle = self.get(name);
        if handle.is_none() {
            report_unknown(element, attribute, name, self.namespace, self.handles.keys(), problems);
        }
        handle
    }
}

/// Reports that attribute `attribute` of `element` refers to `name`, which is none of the `known` ones.
pub(super) fn report_unknown<'n>(
    element: &Element,
    attribute: &str,
    name: &str,
    namespace: Namespace,
    known: impl Iterator<Item = &'n Arc<str>>,
    problems: &mut Problems,
) {
    let problem = element.problem_with(
        attribute,
        format!("no {} named \"{}\"", namespace.word(), shorten(name)),
    );
    problems.push_with_proposal(problem, name, || known.map(AsRef::as_ref));
}

/// All names of a document.
struct Names<'d> {
    by_kind: HashMap<Namespace, HashMap<Arc<str>, Option<&'d Place>>>,
    /// Names of flexible components, which make bodies of their own, called `name_0`, `name_1`, ...
    flexcomps: HashSet<&'d str>,
}

impl Document {
    /// Reports names that are given twice and names that do not exist.
    pub(super) fn check_names(&self, problems: &mut Problems) {
        let world = HashMap::from([(WORLD.into(), None)]);
        let mut names = Names {
            by_kind: HashMap::from([(Namespace::Body, world)]),
            flexcomps: HashSet::new(),
        };
        self.visit(&mut |element| names.declare(element, problems));
        self.visit(&mut |element| names.check_references(element, problems));
    }

    /// Visits all elements.
    fn visit<'d>(&'d self, see: &mut dyn FnMut(&'d Element)) {
        let keys = self.keyframes.iter().map(|key| &key.element);
        let settings = std::iter::once(&self.settings.visual);
        let elements = self
            .extensions
            .iter()
            .chain(&self.assets)
            .chain([&self.world])
            .chain(self.outer.iter());
        for element in elements.chain(keys).chain(settings) {
            element.visit(see);
        }
    }
}

impl<'d> Names<'d> {
    fn declare(&mut self, element: &'d Element, problems: &mut Problems) {
        let Some((namespace, name)) = declared(element) else {
            return;
        };
        if element.tag() == "flexcomp" {
            self.flexcomps.insert(name);
        }
        let known = self.by_kind.entry(namespace).or_default();
        if let Some(first) = known.get(name) {
            let kind = namespace.word();
            let message = match first {
                Some(place) => format!("the {kind} name \"{name}\" is used twice, first at {place}"),
                None => format!("the {kind} name \"{name}\" is reserved"),
            };
            problems.push(element.problem(message));
            return;
        }
        known.insert(name.into(), Some(element.place()));
    }

    fn check_references(&self, element: &Element, problems: &mut Problems) {
        for rule in element.rule().attributes() {
            let refers = matches!(
                rule.value,
                Value::Reference(_) | Value::References(_) | Value::ReferenceBy(_)
            );
            if let Some((layer, attribute)) = refers.then(|| element.find(rule.name)).flatten() {
                self.check_reference(layer, attribute, problems);
            }
        }
    }

    fn check_reference(&self, layer: &Element, attribute: &Attribute, problems: &mut Problems) {
        let Some(namespace) = layer.refers_to(attribute) else {
            return;
        };
        let several =
            matches!(layer.rule().attribute(attribute.name), Some(rule) if matches!(rule.value, Value::References(_)));
        let names: Vec<&str> = if several {
            attribute.value.split_ascii_whitespace().collect()
        } else {
            vec![&attribute.value]
        };
        let known = self.by_kind.get(&namespace);
        for name in names {
            let exists = known.is_some_and(|known| known.contains_key(name));
            let derived = name
                .match_indices('_')
                .any(|(end, _)| self.flexcomps.contains(&name[..end]));
            if !exists && !derived {
                let known = known.into_iter().flat_map(HashMap::keys);
                report_unknown(layer, attribute.name, name, namespace, known, problems);
            }
        }
    }
}
