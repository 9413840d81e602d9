//! Copies under new names.
//!
//! `replicate` appends a suffix, `attach` prepends a prefix: to the names that the copied elements declare, and to the
//! names by which they refer to each other. The schema says which attributes hold names.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::class::Layer;
use super::element::{Attribute, Element};
use super::frame::Frame;
use crate::schema::{Namespace, Value};

/// Names of elements, by kind.
pub(crate) type NameSet = HashSet<(Namespace, Arc<str>)>;

/// The body that is in every model, whatever it is attached to.
pub(crate) const WORLD: &str = "world";

/// The names that `elements` and everything inside declare.
pub(crate) fn names_of<'e>(elements: impl IntoIterator<Item = &'e Element>) -> NameSet {
    let mut names = NameSet::new();
    for element in elements {
        element.visit(&mut |inner| {
            names.extend(declared(inner).map(|(kind, name)| (kind, name.into())));
            let frames = inner.frame().into_iter().flat_map(Frame::chain);
            names.extend(frames.filter_map(|frame| Some((Namespace::Frame, frame.name.clone()?))));
        });
    }
    names
}

/// The name under which other elements find `element`.
pub(crate) fn declared(element: &Element) -> Option<(Namespace, &str)> {
    let Value::Name(namespace) = element.rule.attribute("name")?.value else {
        return None;
    };
    let name = match namespace {
        Namespace::Mesh | Namespace::HField | Namespace::Texture | Namespace::Skin => element.asset_name(),
        _ => element.name(),
    };
    Some((namespace, name?))
}

/// Which names get the new form.
pub(crate) enum Scope<'s> {
    /// Those in the set: the rest belongs to the surroundings, which keep their names.
    Only(&'s NameSet),
    /// All but the world body: the whole model moves into a namespace of its own.
    Everything,
}

/// How names change.
pub(crate) struct Renaming<'r> {
    pub prefix: &'r str,
    pub suffix: &'r str,
    pub scope: Scope<'r>,
}

impl Renaming<'_> {
    /// Renames `element` and everything inside.
    pub fn apply(&self, element: &mut Element) {
        self.name_after_file(element);
        for i in 0..element.attributes.len() {
            if let Some(value) = self.renamed_value(element, &element.attributes[i]) {
                element.attributes[i].value = value;
            }
        }
        if let Some(frame) = &element.frame {
            element.frame = Some(self.renamed_frame(frame));
        }
        for child in &mut element.children {
            self.apply(child);
        }
    }

    /// A renamed copy of `original`.
    pub fn copy(&self, original: &Element) -> Element {
        let mut copy = original.clone();
        self.apply(&mut copy);
        copy
    }

    /// An asset that goes by the name of its file gets that name in writing, so that it can be changed.
    fn name_after_file(&self, element: &mut Element) {
        let Some((_, name)) = declared(element) else { return };
        if element.name().is_none()
            && let Some(file) = element.own("file")
        {
            let given = Attribute {
                name: "name",
                value: name.into(),
                place: file.place.clone(),
            };
            element.attributes.retain(|attribute| attribute.name != "name");
            element.attributes.push(given);
        }
    }

    fn renamed_value(&self, element: &Element, attribute: &Attribute) -> Option<Arc<str>> {
        if let Some(Value::Name(namespace)) = element.rule.attribute(attribute.name).map(|rule| rule.value) {
            return self.renamed(namespace, &attribute.value);
        }
        let namespace = element.refers_to(attribute)?;
        if !matches!(element.rule.attribute(attribute.name)?.value, Value::References(_)) {
            return self.renamed(namespace, &attribute.value);
        }
        let names = attribute.value.split_ascii_whitespace();
        let names: Vec<_> = names
            .map(|name| self.renamed(namespace, name).unwrap_or_else(|| name.into()))
            .collect();
        Some(names.join(" ").into())
    }

    /// The new form of a name; `None` if it stays.
    pub fn renamed(&self, namespace: Namespace, name: &str) -> Option<Arc<str>> {
        let stays = match &self.scope {
            Scope::Only(names) => !names.contains(&(namespace, name.into())),
            Scope::Everything => namespace == Namespace::Body && name == WORLD,
        };
        (!stays && !name.is_empty()).then(|| format!("{}{name}{}", self.prefix, self.suffix).into())
    }

    fn renamed_frame(&self, frame: &Arc<Frame>) -> Arc<Frame> {
        if frame.chain().all(|frame| frame.name.is_none()) {
            return Arc::clone(frame);
        }
        let outer = frame.outer.as_ref().map(|outer| self.renamed_frame(outer));
        let name = frame
            .name
            .as_ref()
            .map(|name| self.renamed(Namespace::Frame, name).unwrap_or_else(|| name.clone()));
        frame.renamed(name, outer)
    }
}

/// The default values of an attached model with the names they refer to changed, remembered so that elements that shared
/// them still do.
#[derive(Default)]
pub(crate) struct RenamedLayers {
    known: HashMap<*const Layer, Arc<Layer>>,
}

impl RenamedLayers {
    /// The stack of layers from `top` downwards, renamed.
    pub fn of(&mut self, top: &Arc<Layer>, renaming: &Renaming<'_>) -> Arc<Layer> {
        if let Some(known) = self.known.get(&Arc::as_ptr(top)) {
            return Arc::clone(known);
        }
        let beneath = top.beneath.as_ref().map(|beneath| self.of(beneath, renaming));
        let renamed = Arc::new(Layer {
            entry: renaming.copy(&top.entry),
            beneath,
            opens_class: top.opens_class,
        });
        self.known.insert(Arc::as_ptr(top), Arc::clone(&renamed));
        renamed
    }

    /// Gives `element` and everything inside their renamed defaults.
    pub fn apply(&mut self, element: &mut Element, renaming: &Renaming<'_>) {
        if let Some(top) = &element.beneath {
            element.beneath = Some(self.of(top, renaming));
        }
        for child in &mut element.children {
            self.apply(child, renaming);
        }
    }
}
