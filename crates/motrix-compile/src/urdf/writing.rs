//! MJCF elements made of URDF ones.

use std::fmt::Write;

use crate::document::xml::{Node, NodeAttribute};
use crate::problem::Place;

use super::reading::Origin;

/// An element under construction. It and its attributes stand where the URDF element stands that it comes from.
pub(super) struct Writing {
    node: Node,
}

impl Writing {
    pub(super) fn new(name: &str, place: &Place) -> Self {
        let node = Node {
            name: name.to_owned(),
            attributes: Vec::new(),
            children: Vec::new(),
            place: place.clone(),
        };
        Self { node }
    }

    /// Adds an attribute.
    pub(super) fn text(self, name: &str, value: &str) -> Self {
        let place = self.node.place.clone();
        self.text_at(name, value, place)
    }

    /// Adds an attribute that stands somewhere of its own.
    pub(super) fn text_at(mut self, name: &str, value: &str, place: Place) -> Self {
        self.node.attributes.push(NodeAttribute {
            name: name.to_owned(),
            value: value.into(),
            place,
        });
        self
    }

    /// Adds an attribute of numbers, with all the digits it takes to read them back.
    pub(super) fn numbers(self, name: &str, numbers: &[f64]) -> Self {
        let mut text = String::new();
        for number in numbers {
            // A String accepts every write.
            let _ = write!(text, "{}{number}", if text.is_empty() { "" } else { " " });
        }
        self.text(name, &text)
    }

    /// Adds position and orientation, unless they are none.
    pub(super) fn pose(mut self, origin: &Origin) -> Self {
        if origin.xyz != [0.0; 3] {
            self = self.numbers("pos", &origin.xyz);
        }
        if origin.quat != [1.0, 0.0, 0.0, 0.0] {
            self = self.numbers("quat", &origin.quat);
        }
        self
    }

    /// Adds an element inside.
    pub(super) fn child(mut self, node: Node) -> Self {
        self.push(node);
        self
    }

    /// Adds an element inside.
    pub(super) fn push(&mut self, node: Node) {
        self.node.children.push(node);
    }

    pub(super) fn node(self) -> Node {
        self.node
    }
}
