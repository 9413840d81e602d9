//! The sections of a model, merged and expanded.

use std::collections::HashMap;
use std::sync::Arc;

use super::class::Classes;
use super::compiler::Origin;
use super::element::Element;
use super::expand::{Expansion, Surroundings};
use super::keyframe::Keyframe;
use super::limits::Budget;
use super::outer::Outer;
use super::rename::{NameSet, names_of};
use super::settings::{Settings, merge};
use crate::problem::Problems;
use crate::schema::{MUJOCO, Rule};

/// A model, ready to be compiled.
#[derive(Clone, Debug)]
pub struct Document {
    /// The name of the model.
    pub name: Option<Arc<str>>,
    /// Compiler, option, size, statistic, visual.
    pub settings: Settings,
    /// Plugins.
    pub extensions: Vec<Element>,
    /// Meshes, height fields, skins, textures, materials, lidar patterns.
    pub assets: Vec<Element>,
    /// The world body with the tree of bodies inside: no `frame`, `replicate` or `attach` is left.
    pub world: Element,
    /// What refers to the tree from outside.
    pub outer: Outer,
    /// Keyframes.
    pub keyframes: Vec<Keyframe>,
    pub(super) classes: Classes,
    /// The greatest identity in use.
    pub(super) identities: u64,
    /// What others need to know of a model that can be attached; empty for the main one.
    pub(super) index: Index,
}

/// What is looked up each time a model is attached.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    /// All names.
    pub names: NameSet,
    /// How many elements there are: what a search costs.
    pub elements: usize,
}

impl Document {
    /// The model that the checked root element describes. `models` are those it can attach.
    pub(super) fn assemble(
        root: Element,
        models: &HashMap<Arc<str>, Document>,
        budget: &mut Budget,
        problems: &mut Problems,
    ) -> Self {
        let name = root.text("model").map(Arc::from);
        let mut sections = Sections::of(root);
        let mut classes = Classes::default();
        for section in sections.take("default") {
            classes.add_section(section, problems);
        }
        let mut document = Self {
            name,
            settings: Settings {
                compiler: sections.merged("compiler"),
                option: sections.merged("option"),
                size: sections.merged("size"),
                statistic: sections.merged("statistic"),
                visual: sections.merged("visual"),
            },
            extensions: sections.contents("extension"),
            assets: sections.contents("asset"),
            world: sections.world(),
            outer: Outer {
                deformables: sections.contents("deformable"),
                contacts: sections.contents("contact"),
                tendons: sections.contents("tendon"),
                equalities: sections.contents("equality"),
                actuators: sections.contents("actuator"),
                sensors: sections.contents("sensor"),
                customs: sections.contents("custom"),
            },
            keyframes: sections.keyframes(),
            classes,
            identities: 0,
            index: Index::default(),
        };
        document.assign_classes(problems);
        document.expand_world(models, budget, problems);
        document
    }

    /// Prepares the model for being attached.
    pub(super) fn make_attachable(&mut self) {
        self.number_state();
        let elements = || [&self.world].into_iter().chain(self.outer.iter()).chain(&self.assets);
        self.index = Index {
            names: names_of(elements()),
            elements: elements().map(Element::count).sum(),
        };
    }

    /// Gives the elements outside the tree their classes.
    fn assign_classes(&mut self, problems: &mut Problems) {
        let Self {
            assets, outer, classes, ..
        } = self;
        for element in assets.iter_mut().chain(outer.lists_mut().into_iter().flatten()) {
            if element.rule.family.is_some() {
                let chosen = classes.chosen_by(element, "class", problems);
                element.beneath = chosen.as_ref().unwrap_or(classes.main()).beneath(element.rule);
            }
        }
    }

    fn expand_world(&mut self, models: &HashMap<Arc<str>, Document>, budget: &mut Budget, problems: &mut Problems) {
        let own_names = names_of([&self.world].into_iter().chain(self.outer.iter()));
        let children = std::mem::take(&mut self.world.children);
        let around = Surroundings {
            class: Arc::clone(self.classes.main()),
            frame: None,
            depth: 1,
        };
        let mut expansion = Expansion {
            classes: &mut self.classes,
            outer: &mut self.outer,
            assets: &mut self.assets,
            keyframes: &mut self.keyframes,
            settings: &mut self.settings,
            identities: &mut self.identities,
            own_names: &own_names,
            models,
            budget,
            problems,
        };
        expansion.children(children, &around, &mut self.world.children);
        self.attach_to_itself(budget, problems);
        // Frames can hide from the schema that these stand in the world.
        for child in &self.world.children {
            if matches!(child.tag(), "joint" | "freejoint" | "inertial") {
                problems.push(child.problem(format!("the world does not move; it cannot have a <{}>", child.tag())));
            }
        }
    }
}

/// The children of the root, by tag.
struct Sections {
    root: Element,
}

impl Sections {
    fn of(root: Element) -> Self {
        Self { root }
    }

    fn rule(tag: &str) -> &'static Rule {
        MUJOCO.child(tag).map_or(&MUJOCO, |child| child.rule)
    }

    /// All sections called `tag`.
    fn take(&mut self, tag: &str) -> Vec<Element> {
        self.root
            .children
            .extract_if(.., |section| section.tag() == tag)
            .collect()
    }

    /// All sections called `tag` as one element.
    fn merged(&mut self, tag: &str) -> Element {
        let origin: Arc<Origin> = Arc::clone(&self.root.origin);
        let place = self.root.place.clone();
        merge(Self::rule(tag), self.take(tag), &place, &origin)
    }

    /// What stands in all sections called `tag`.
    fn contents(&mut self, tag: &str) -> Vec<Element> {
        self.take(tag)
            .into_iter()
            .flat_map(|section| section.children)
            .collect()
    }

    /// One world body with what stands in all of them, in the order of the file.
    fn world(&mut self) -> Element {
        let place = match self.root.child("worldbody") {
            Some(first) => first.place.clone(),
            None => self.root.place.clone(),
        };
        let mut world = Element::empty(Self::rule("worldbody"), place, Arc::clone(&self.root.origin));
        world.children = self.contents("worldbody");
        world
    }

    fn keyframes(&mut self) -> Vec<Keyframe> {
        self.contents("keyframe").into_iter().map(Keyframe::new).collect()
    }
}
