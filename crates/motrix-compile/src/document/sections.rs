//! The sections of a model, merged and expanded.

use std::collections::HashMap;
use std::sync::Arc;

use super::class::Classes;
use super::compiler::Origin;
use super::element::Element;
use super::expand::{Expansion, Surroundings};
use super::limits::Budget;
use super::outer::Outer;
use super::settings::merge;
use crate::problem::Problems;
use crate::schema::{MUJOCO, Rule};

/// A model, ready to be compiled.
#[derive(Clone, Debug)]
pub struct Document {
    /// The name of the model.
    pub name: Option<Arc<str>>,
    /// `<compiler>`, merged. [`Element::compiler`] has its settings as values.
    pub compiler: Element,
    /// `<option>`, merged; `<flag>` inside.
    pub option: Element,
    /// `<size>`, merged.
    pub size: Element,
    /// `<statistic>`, merged.
    pub statistic: Element,
    /// `<visual>`, merged.
    pub visual: Element,
    /// Plugins.
    pub extensions: Vec<Element>,
    /// Meshes, height fields, skins, textures, materials, lidar patterns.
    pub assets: Vec<Element>,
    /// The world body with the tree of bodies inside: no `frame`, `replicate` or `attach` is left.
    pub world: Element,
    /// What refers to the tree from outside.
    pub outer: Outer,
    /// Keyframes.
    pub keyframes: Vec<Element>,
    pub(super) classes: Classes,
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
            compiler: sections.merged("compiler"),
            option: sections.merged("option"),
            size: sections.merged("size"),
            statistic: sections.merged("statistic"),
            visual: sections.merged("visual"),
            extensions: sections.contents("extension"),
            assets: sections.contents("asset"),
            world: sections.merged("worldbody"),
            outer: Outer {
                deformables: sections.contents("deformable"),
                contacts: sections.contents("contact"),
                tendons: sections.contents("tendon"),
                equalities: sections.contents("equality"),
                actuators: sections.contents("actuator"),
                sensors: sections.contents("sensor"),
                customs: sections.contents("custom"),
            },
            keyframes: sections.contents("keyframe"),
            classes,
        };
        document.assign_classes(problems);
        document.expand_world(models, budget, problems);
        document
    }

    /// Gives the elements outside the tree their classes.
    fn assign_classes(&mut self, problems: &mut Problems) {
        let Self {
            assets, outer, classes, ..
        } = self;
        for element in assets.iter_mut().chain(outer.lists_mut().into_iter().flatten()) {
            if element.rule.family.is_some() {
                let chosen = classes.chosen_by(element, "class", problems);
                element.class = Some(chosen.unwrap_or_else(|| Arc::clone(classes.main())));
            }
        }
    }

    fn expand_world(&mut self, models: &HashMap<Arc<str>, Document>, budget: &mut Budget, problems: &mut Problems) {
        let children = std::mem::take(&mut self.world.children);
        let around = Surroundings {
            class: Arc::clone(self.classes.main()),
            frame: None,
            depth: 1,
        };
        let mut expansion = Expansion {
            classes: &mut self.classes,
            outer: &mut self.outer,
            models,
            budget,
            problems,
        };
        expansion.children(children, &around, &mut self.world.children);
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
}
