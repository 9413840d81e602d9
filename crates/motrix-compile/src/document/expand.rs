//! The body tree with frames, copies and attachments resolved.
//!
//! One walk in the order of the file. `<frame>` hands its children to the body around it, with a pose. `<replicate>`
//! does the same several times under different names. `<attach>` brings in the body of another model. Along the way every
//! element gets its default class: the one it names, else the nearest `childclass` above.

use std::collections::HashMap;
use std::sync::Arc;

use super::class::{Class, Classes};
use super::element::Element;
use super::frame::Frame;
use super::keyframe::Keyframe;
use super::limits::Budget;
use super::outer::Outer;
use super::rename::NameSet;
use super::sections::Document;
use super::settings::Settings;
use crate::problem::{NoteKind, Problems};

/// What surrounds an element.
#[derive(Clone)]
pub(super) struct Surroundings {
    /// The class of elements that name none.
    pub class: Arc<Class>,
    /// The frames around it, within its body.
    pub frame: Option<Arc<Frame>>,
    /// Number of ancestors.
    pub depth: usize,
}

/// The walk over a model.
pub(super) struct Expansion<'x> {
    pub classes: &'x mut Classes,
    /// Elements outside the tree; copies of tree elements bring copies of what refers to them.
    pub outer: &'x mut Outer,
    pub assets: &'x mut Vec<Element>,
    pub keyframes: &'x mut Vec<Keyframe>,
    pub settings: &'x mut Settings,
    /// The greatest identity in use.
    pub identities: &'x mut u64,
    /// The names that this model itself declares, before copies.
    pub own_names: &'x NameSet,
    /// Models that can be attached, by name.
    pub models: &'x HashMap<Arc<str>, Document>,
    pub budget: &'x mut Budget,
    pub problems: &'x mut Problems,
}

impl Expansion<'_> {
    /// Expands `children` and appends the result to `into`.
    pub fn children(&mut self, children: Vec<Element>, around: &Surroundings, into: &mut Vec<Element>) {
        if let Err(why) = self.budget.check_depth(around.depth) {
            if let Some(first) = children.first() {
                self.problems.push(first.problem(why));
            }
            return;
        }
        for child in children {
            if self.budget.is_spent() {
                return;
            }
            match child.tag() {
                "body" => into.push(self.body(child, around)),
                "frame" => self.frame(child, around, into),
                "replicate" => self.replicate(child, around, into),
                "attach" => self.attach(child, around, into),
                _ => into.push(self.leaf(child, around)),
            }
        }
    }

    /// A geom, joint, site, ...: something without elements of the tree inside.
    fn leaf(&mut self, mut element: Element, around: &Surroundings) -> Element {
        element.beneath = self.class_of(&element, &around.class).beneath(element.rule);
        element.frame.clone_from(&around.frame);
        element
    }

    /// The class of `element`: the one it names, else `otherwise`.
    pub fn class_of(&mut self, element: &Element, otherwise: &Arc<Class>) -> Arc<Class> {
        let chosen = match element.rule.attribute("class") {
            Some(_) => self.classes.chosen_by(element, "class", self.problems),
            None => None,
        };
        chosen.unwrap_or_else(|| Arc::clone(otherwise))
    }

    /// The class for what stands in `element`: its `childclass`, else the one around it.
    pub fn class_inside(&mut self, element: &Element, around: &Surroundings) -> Arc<Class> {
        let chosen = self.classes.chosen_by(element, "childclass", self.problems);
        chosen.unwrap_or_else(|| Arc::clone(&around.class))
    }

    fn body(&mut self, mut body: Element, around: &Surroundings) -> Element {
        let class = self.class_inside(&body, around);
        body.frame.clone_from(&around.frame);
        let children = std::mem::take(&mut body.children);
        self.children(
            children,
            &Surroundings {
                class,
                frame: None,
                depth: around.depth + 1,
            },
            &mut body.children,
        );
        self.one_inertial(&body);
        body
    }

    /// Frames can hide from the schema that a body has two inertias.
    fn one_inertial(&mut self, body: &Element) {
        let mut inertias = body.children_named("inertial");
        let first = inertias.next();
        for extra in inertias {
            if extra.frame.is_some() || first.is_some_and(|first| first.frame.is_some()) {
                self.problems.push(extra.problem("the body has an <inertial> already"));
            }
        }
    }

    fn frame(&mut self, mut frame: Element, around: &Surroundings, into: &mut Vec<Element>) {
        let class = self.class_inside(&frame, around);
        let pose = frame.local_pose(self.problems);
        let name = frame.name().map(Arc::from);
        let inside = Frame::new(pose, name, around.frame.clone());
        let children = std::mem::take(&mut frame.children);
        let around = Surroundings {
            class,
            frame: Some(inside),
            depth: around.depth + 1,
        };
        self.children(children, &around, into);
    }

    /// Notes that `element` is read but does not act.
    pub fn note_no_effect(&mut self, element: &Element, why: impl Into<String>) {
        self.problems.push(element.problem(why).note(NoteKind::NoEffect));
    }
}
