//! Keyframes, and how those of an attached model find their numbers again.
//!
//! A keyframe lists the whole state in the order of the model it was written for. When that model is attached to another
//! one, only some of its joints, actuators and mocap bodies come along, and they stand elsewhere in the order. The
//! [`Layout`] remembers the order as it was; identities, numbers that elements carry through copying, tell what came along.

use std::sync::Arc;

use super::element::Element;
use super::sections::Document;

/// `<key>`.
#[derive(Clone, Debug)]
pub struct Keyframe {
    /// The element.
    pub element: Element,
    /// The order of its numbers, if it was written for an attached model.
    pub layout: Option<Arc<Layout>>,
    /// What attaching added to the identities in the layout.
    shift: u64,
}

/// What the numbers of a keyframe belong to, in the order of the model it was written for. Elements that are not in
/// the final model still take their place in the list.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Joints: `qpos` and `qvel`.
    pub joints: Vec<Element>,
    /// Mocap bodies, without their content: `mpos` and `mquat`.
    pub mocaps: Vec<Element>,
    /// Actuators: `act` and `ctrl`.
    pub actuators: Vec<Element>,
}

impl Keyframe {
    /// A keyframe of the model itself.
    pub(super) fn new(element: Element) -> Self {
        Self {
            element,
            layout: None,
            shift: 0,
        }
    }

    /// The [identity](Element::identity) in the final model of `element`, which is an element of this keyframe's layout.
    /// If no element of the model has it, the element did not come along.
    pub fn identity_of(&self, element: &Element) -> u64 {
        element.identity + self.shift
    }

    /// This keyframe of a model whose identities grow by `shift` when it is attached.
    pub(super) fn attached(&self, element: Element, shift: u64) -> Keyframe {
        Keyframe {
            element,
            layout: self.layout.clone(),
            shift: self.shift + shift,
        }
    }
}

impl Document {
    /// Numbers everything that has state, and tells the keyframes the order. For models that are to be attached.
    pub(super) fn number_state(&mut self) {
        let mut layout = Layout::default();
        number_tree(&mut self.world, &mut self.identities, &mut layout);
        for actuator in &mut self.outer.actuators {
            number(actuator, &mut self.identities);
            layout.actuators.push(actuator.clone());
        }
        let layout = Arc::new(layout);
        for key in self.keyframes.iter_mut().filter(|key| key.layout.is_none()) {
            key.layout = Some(Arc::clone(&layout));
        }
    }
}

fn number_tree(body: &mut Element, last: &mut u64, layout: &mut Layout) {
    if body.tag() == "body" && body.own("mocap").is_some_and(|given| &*given.value == "true") {
        number(body, last);
        let shell = Element::empty(body.rule, body.place.clone(), Arc::clone(&body.origin));
        layout.mocaps.push(Element {
            attributes: body.attributes.clone(),
            identity: body.identity,
            ..shell
        });
    }
    // The joints of a body come before those of the bodies inside.
    for joint in body
        .children
        .iter_mut()
        .filter(|child| matches!(child.tag(), "joint" | "freejoint"))
    {
        number(joint, last);
        layout.joints.push(joint.clone());
    }
    for child in body.children.iter_mut().filter(|child| child.tag() == "body") {
        number_tree(child, last, layout);
    }
}

/// What came from a model attached to this one has its number already.
fn number(element: &mut Element, last: &mut u64) {
    if element.identity == 0 {
        *last += 1;
        element.identity = *last;
    }
}

/// Adds `shift` to the identities in a copy, so that two attachments of one model can be told apart.
pub(super) fn shift_identity(copy: &mut Element, shift: u64) {
    if copy.identity != 0 {
        copy.identity += shift;
    }
    copy.children.iter_mut().for_each(|child| shift_identity(child, shift));
}

/// Makes a further copy a thing of its own: the keyframe goes with the first one.
pub(super) fn forget_identity(copy: &mut Element) {
    copy.identity = 0;
    copy.children.iter_mut().for_each(forget_identity);
}
