//! Keyframes, and how those of an attached model find their numbers again.
//!
//! A keyframe lists the whole state in the order of the model it was written for. When that model is attached to another
//! one, only some of its joints, actuators and mocap bodies come along, and they stand elsewhere in the order. The
//! [`Layout`] remembers the order as it was; [`Element::identity`] recognises what came along.

use std::collections::HashMap;
use std::sync::Arc;

use super::element::Element;

/// `<key>`.
#[derive(Clone, Debug)]
pub struct Keyframe {
    /// The element.
    pub element: Element,
    /// The order of its numbers, if it was written for an attached model.
    pub layout: Option<Arc<Layout>>,
}

/// What the numbers of a keyframe belong to, in the order of the model it was written for. Elements that are not in
/// the final model still take their place in the list.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Joints: `qpos` and `qvel`.
    pub joints: Vec<Element>,
    /// Mocap bodies: `mpos` and `mquat`.
    pub mocaps: Vec<Element>,
    /// Actuators: `act` and `ctrl`.
    pub actuators: Vec<Element>,
}

/// Hands out identities.
#[derive(Debug, Default)]
pub(super) struct Identities {
    last: u32,
}

impl Identities {
    /// Numbers everything of an attached model that has state, in `world` and `actuators`, and records its order. Also
    /// tells the new number of what had one before.
    pub fn number(&mut self, world: &mut Element, actuators: &mut [Element]) -> (Layout, HashMap<u32, u32>) {
        let mut layout = Layout::default();
        let mut renumbered = HashMap::new();
        self.number_tree(world, &mut layout, &mut renumbered);
        for actuator in actuators {
            self.number_one(actuator, &mut renumbered);
            layout.actuators.push(actuator.clone());
        }
        (layout, renumbered)
    }

    fn number_tree(&mut self, body: &mut Element, layout: &mut Layout, renumbered: &mut HashMap<u32, u32>) {
        if body.tag() == "body" && body.own("mocap").is_some_and(|given| &*given.value == "true") {
            self.number_one(body, renumbered);
            let mut mocap = Element::empty(body.rule, body.place.clone(), Arc::clone(&body.origin));
            mocap.identity = body.identity;
            layout.mocaps.push(mocap);
        }
        // The joints of a body come before those of the bodies inside.
        for joint in body
            .children
            .iter_mut()
            .filter(|child| matches!(child.tag(), "joint" | "freejoint"))
        {
            self.number_one(joint, renumbered);
            layout.joints.push(joint.clone());
        }
        for child in body.children.iter_mut().filter(|child| child.tag() == "body") {
            self.number_tree(child, layout, renumbered);
        }
    }

    fn number_one(&mut self, element: &mut Element, renumbered: &mut HashMap<u32, u32>) {
        self.last += 1;
        if element.identity != 0 {
            renumbered.insert(element.identity, self.last);
        }
        element.identity = self.last;
    }
}

impl Keyframe {
    /// The keyframe of an attached model with the given order. If it came from a model attached to that one, its own
    /// order stays, with the new numbers of its elements.
    pub(super) fn attached(&self, layout: &Arc<Layout>, renumbered: &HashMap<u32, u32>) -> Keyframe {
        let layout = match &self.layout {
            None => Arc::clone(layout),
            Some(own) => {
                let mut own = Layout::clone(own);
                for element in own.joints.iter_mut().chain(&mut own.mocaps).chain(&mut own.actuators) {
                    element.identity = renumbered.get(&element.identity).copied().unwrap_or(0);
                }
                Arc::new(own)
            }
        };
        Keyframe {
            element: self.element.clone(),
            layout: Some(layout),
        }
    }
}
