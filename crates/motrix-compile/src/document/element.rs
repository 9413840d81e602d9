//! A checked element: its rule, its own attributes, and the layers of defaults beneath them.
//!
//! Everything an [`Element`] holds has passed the schema: names of attributes are known, unknown ones are gone (and
//! reported). What it says itself lies on top of what its default class says, class by class down to the root default.
//! [`Element::layers`] walks these layers; getters such as [`Element::real`] take each value from the topmost layer that
//! has it.

use std::sync::Arc;

use super::class::Layer;
use super::compiler::{Compiler, Origin};
use super::frame::Frame;
use super::value::shorten;
use crate::problem::{Place, Problem};
use crate::schema::{Rule, Value};

/// `name="value"`, where it stands.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// The name, as in the schema.
    pub name: &'static str,
    /// The text between the quotes, entities resolved.
    pub value: Arc<str>,
    /// Where it stands.
    pub place: Place,
}

/// An element of the model.
#[derive(Clone, Debug)]
pub struct Element {
    pub(crate) rule: &'static Rule,
    pub(crate) place: Place,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) children: Vec<Element>,
    /// What lies beneath its own attributes.
    pub(crate) beneath: Option<Arc<Layer>>,
    /// The innermost `<frame>` around it, within its body.
    pub(crate) frame: Option<Arc<Frame>>,
    pub(crate) origin: Arc<Origin>,
    /// Recognises elements of attached models, for their keyframes; 0 for others.
    pub(crate) identity: u64,
}

impl Element {
    /// An element without attributes, as if it stood at `place`.
    pub(crate) fn empty(rule: &'static Rule, place: Place, origin: Arc<Origin>) -> Self {
        Self {
            rule,
            place,
            attributes: Vec::new(),
            children: Vec::new(),
            beneath: None,
            frame: None,
            origin,
            identity: 0,
        }
    }

    /// Its tag.
    pub fn tag(&self) -> &'static str {
        self.rule.name
    }

    /// Its rule in the schema.
    pub fn rule(&self) -> &'static Rule {
        self.rule
    }

    /// Where it stands.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// What stands inside, in the order of the file.
    pub fn children(&self) -> &[Element] {
        &self.children
    }

    /// The first child called `tag`.
    pub fn child(&self, tag: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.tag() == tag)
    }

    /// All children called `tag`.
    pub fn children_named<'e>(&'e self, tag: &'e str) -> impl Iterator<Item = &'e Element> {
        self.children.iter().filter(move |child| child.tag() == tag)
    }

    /// The settings of the model that this element was written in. An attached model keeps its own: whether its angles
    /// are degrees does not depend on where it is attached.
    pub fn compiler(&self) -> &Compiler {
        &self.origin.compiler
    }

    /// The `<frame>`s around it, within its body.
    pub fn frame(&self) -> Option<&Frame> {
        self.frame.as_deref()
    }

    /// The number by which a keyframe of an attached model recognises the element, see
    /// [`Keyframe::identity_of`](super::Keyframe::identity_of); 0 if none does.
    pub fn identity(&self) -> u64 {
        self.identity
    }

    /// Its name, if it has one. Only its own: names are not inherited.
    pub fn name(&self) -> Option<&str> {
        let name = self.own("name")?.value.as_ref();
        (!name.is_empty()).then_some(name)
    }

    /// What the element itself says about `name`, without defaults.
    pub fn own(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// The layers of attributes from the strongest to the weakest: the element itself, then what its default class says
    /// about such elements, then that class's parent, down to the root default. Each layer is an element as it was
    /// written; beneath a `<motor>` there may be a `<position>`, because all actuators share their defaults.
    pub fn layers(&self) -> impl Iterator<Item = &Element> {
        std::iter::once(self).chain(self.beneath.iter().flat_map(|top| top.entries()))
    }

    /// The strongest layer that says something about `name`, and what it says. An empty text says nothing.
    pub fn find(&self, name: &str) -> Option<(&Element, &Attribute)> {
        debug_assert!(
            self.rule.family.is_some() || self.rule.attribute(name).is_some(),
            "<{}> has no attribute {name}",
            self.tag()
        );
        self.layers().find_map(|layer| {
            Some((layer, layer.own(name)?)).filter(|(_, attribute)| !attribute.value.trim().is_empty())
        })
    }

    /// Whether `name` is given, by the element or its defaults.
    pub fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// How the element is shown in messages: with attribute `name`, else with its name.
    pub fn shown_with(&self, name: &str) -> String {
        match self.own(name).or_else(|| self.own("name")) {
            Some(attribute) => format!(
                "<{} {}=\"{}\">",
                self.written_tag(),
                attribute.name,
                shorten(&attribute.value)
            ),
            None => format!("<{}>", self.written_tag()),
        }
    }

    /// The tag as the author wrote it: the bodies of a URDF file are links there.
    fn written_tag(&self) -> &'static str {
        match self.tag() {
            "body" if self.origin.urdf => "link",
            tag => tag,
        }
    }

    /// Whether it was written as URDF.
    pub fn is_urdf(&self) -> bool {
        self.origin.urdf
    }

    /// An error about the element as a whole.
    pub fn problem(&self, message: impl Into<String>) -> Problem {
        Problem::error(self.place.clone(), self.shown_with("name"), message)
    }

    /// An error about attribute `name`, at the place where its effective value stands (which may be a default class).
    pub fn problem_with(&self, name: &str, message: impl Into<String>) -> Problem {
        match self.find(name) {
            Some((layer, attribute)) => Problem::error(attribute.place.clone(), layer.shown_with(name), message),
            None => self.problem(message),
        }
    }

    /// The names this element itself refers to, with the attribute that holds each. Children are not visited.
    pub(crate) fn references(&self) -> impl Iterator<Item = (crate::schema::Namespace, &Attribute)> {
        self.attributes
            .iter()
            .filter_map(|attribute| Some((self.refers_to(attribute)?, attribute)))
    }

    /// Which kind of thing `attribute` names, if it names something.
    pub(crate) fn refers_to(&self, attribute: &Attribute) -> Option<crate::schema::Namespace> {
        if attribute.value.is_empty() {
            return None;
        }
        match self.rule.attribute(attribute.name)?.value {
            Value::Reference(namespace) | Value::References(namespace) => Some(namespace),
            Value::ReferenceBy(kind) => crate::schema::Namespace::of_objtype(&self.own(kind)?.value),
            _ => None,
        }
    }

    /// Visits the element and everything inside.
    pub(crate) fn visit<'e>(&'e self, see: &mut dyn FnMut(&'e Element)) {
        see(self);
        for child in &self.children {
            child.visit(see);
        }
    }

    /// How many levels of elements there are, itself included.
    pub(crate) fn height(&self) -> usize {
        1 + self.children.iter().map(Element::height).max().unwrap_or(0)
    }

    /// How many elements it is, itself included.
    pub(crate) fn count(&self) -> usize {
        1 + self.children.iter().map(Element::count).sum::<usize>()
    }
}
