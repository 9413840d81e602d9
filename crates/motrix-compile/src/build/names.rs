//! Names of the model's objects, and the search for the objects that elements refer to.

use std::collections::HashMap;

use motrix_model::Model;

use crate::document::Element;
use crate::problem::Problems;
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
            self.indices
                .entry(kind)
                .or_default()
                .extend(table.iter().map(|(name, &index)| (name.clone(), index)));
        }
    }

    /// Whether objects of this kind are listed at all.
    pub fn knows(&self, kind: Namespace) -> bool {
        self.indices.contains_key(&kind)
    }

    /// The object called `name`.
    pub fn get(&self, kind: Namespace, name: &str) -> Option<usize> {
        self.indices.get(&kind)?.get(name).copied()
    }

    /// The object that attribute `attribute` of `element` names; none, and a problem, when there is no such object.
    pub fn find(&self, element: &Element, attribute: &str, kind: Namespace, problems: &mut Problems) -> Option<usize> {
        self.named(element, attribute, kind, element.reference(attribute)?, problems)
    }

    /// As [`Names::find`] for a name that is already known.
    pub fn named(
        &self,
        element: &Element,
        attribute: &str,
        kind: Namespace,
        name: &str,
        problems: &mut Problems,
    ) -> Option<usize> {
        let index = self.get(kind, name);
        if index.is_none() {
            let mut known: Vec<&str> = self
                .indices
                .get(&kind)
                .into_iter()
                .flat_map(|table| table.keys().map(String::as_str))
                .collect();
            known.sort_unstable();
            let message = format!("no {} named \"{name}\"", kind.word());
            problems.push(element.problem_with(attribute, message).did_you_mean(name, known));
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
