//! Indices of the model's objects by name.
//!
//! Reading the document has reported names that do not exist. What has a name but no index here was left out, because it is
//! not supported or because it is wrong, which is on record too; what refers to it is left out with a note.

use std::collections::HashMap;

use motrix_model::Model;

use crate::document::Element;
use crate::problem::{NoteKind, Problems};
use crate::schema::Namespace;

/// Index of each named object, by kind and name.
#[derive(Debug, Default)]
pub struct Names {
    indices: HashMap<Namespace, HashMap<String, usize>>,
}

impl Names {
    /// The names of everything that belongs to the tree of bodies.
    pub fn of_tree(model: &Model) -> Self {
        let mut names = Self::default();
        names.add(Namespace::Body, model.bodies.iter().map(|body| body.name.as_deref()));
        names.add(Namespace::Joint, model.joints.iter().map(|joint| joint.name.as_deref()));
        names.add(Namespace::Geom, model.geoms.iter().map(|geom| geom.name.as_deref()));
        names.add(Namespace::Site, model.sites.iter().map(|site| site.name.as_deref()));
        names.add(
            Namespace::Camera,
            model.cameras.iter().map(|camera| camera.name.as_deref()),
        );
        names.add(Namespace::Light, model.lights.iter().map(|light| light.name.as_deref()));
        names
    }

    /// Adds all objects of one kind, in the order of their indices.
    pub fn add<'n>(&mut self, kind: Namespace, names: impl Iterator<Item = Option<&'n str>>) {
        let table = self.indices.entry(kind).or_default();
        for (index, name) in names.enumerate() {
            if let Some(name) = name {
                table.entry(name.to_owned()).or_insert(index);
            }
        }
    }

    /// Adds all names of `other`.
    pub fn extend(&mut self, other: &Names) {
        for (&kind, table) in &other.indices {
            let own = self.indices.entry(kind).or_default();
            own.extend(table.iter().map(|(name, &index)| (name.clone(), index)));
        }
    }

    /// Gives the objects of one kind new indices; those without one are forgotten.
    pub fn renumber(&mut self, kind: Namespace, index: impl Fn(usize) -> Option<usize>) {
        if let Some(table) = self.indices.get_mut(&kind) {
            table.retain(|_, at| match index(*at) {
                Some(new) => {
                    *at = new;
                    true
                }
                None => false,
            });
        }
    }

    /// The object that attribute `attribute` of `element` names, if it is there.
    pub fn find(&self, element: &Element, attribute: &str, kind: Namespace, problems: &mut Problems) -> Option<usize> {
        let name = element.reference(attribute)?;
        let index = self.indices.get(&kind).and_then(|table| table.get(name)).copied();
        if index.is_none() {
            let message = format!("the {} \"{name}\" is left out, and this with it", kind.word());
            problems.push(element.problem_with(attribute, message).note(NoteKind::NotSupported));
        }
        index
    }

    /// As [`Names::find`] for an attribute that must be given.
    pub fn require(
        &self,
        element: &Element,
        attribute: &str,
        kind: Namespace,
        problems: &mut Problems,
    ) -> Option<usize> {
        if !element.has(attribute) {
            problems.push(element.problem(format!("the attribute {attribute} is missing")));
        }
        self.find(element, attribute, kind, problems)
    }
}
