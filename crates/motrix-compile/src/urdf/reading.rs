//! What URDF elements say: children, texts, numbers and poses, with a record of what is missing or wrong.

use crate::document::orientation::EulerSequence;
use crate::document::value;
use crate::document::xml::{Node, NodeAttribute};
use crate::problem::{Problem, Problems};
use crate::schema::Count;

/// Reads elements and reports to one collector.
pub(super) struct Reading<'p> {
    pub(super) problems: &'p mut Problems,
}

/// Where something is in the frame of its link or parent link.
#[derive(Clone, Copy)]
pub(super) struct Origin {
    pub(super) xyz: [f64; 3],
    /// Rotation `[w, x, y, z]`.
    pub(super) quat: [f64; 4],
}

/// The first child called `name`.
pub(super) fn child<'n>(node: &'n Node, name: &str) -> Option<&'n Node> {
    node.children.iter().find(|child| child.name == name)
}

impl Reading<'_> {
    /// Records an error about an attribute.
    pub(super) fn misfit(&mut self, node: &Node, attribute: &NodeAttribute, message: impl Into<String>) {
        self.problems.push(Problem::error(
            attribute.place.clone(),
            node.shown_with(&attribute.name),
            message,
        ));
    }

    /// The child called `name`, which has to be there.
    pub(super) fn required_child<'n>(&mut self, node: &'n Node, name: &str) -> Option<&'n Node> {
        let found = child(node, name);
        if found.is_none() {
            self.problems
                .push(node.problem(format!("<{}> needs a <{name}> inside", node.name)));
        }
        found
    }

    /// The attribute called `name`, which has to be there.
    pub(super) fn required<'n>(&mut self, node: &'n Node, name: &str) -> Option<&'n NodeAttribute> {
        let found = node
            .attribute(name)
            .filter(|attribute| !attribute.value.trim().is_empty());
        if found.is_none() {
            self.problems
                .push(node.problem(format!("the attribute \"{name}\" is missing")));
        }
        found
    }

    /// Exactly `N` numbers, if the attribute is given; bad ones are recorded and count as not given.
    pub(super) fn numbers<const N: usize>(&mut self, node: &Node, name: &str) -> Option<[f64; N]> {
        let attribute = node.attribute(name)?;
        match value::reals(&attribute.value, Count::Exactly(N)) {
            Ok(numbers) => numbers.try_into().ok(),
            Err(misfit) => {
                self.misfit(node, attribute, misfit.message);
                None
            }
        }
    }

    /// One number, if the attribute is given.
    pub(super) fn number(&mut self, node: &Node, name: &str) -> Option<f64> {
        self.numbers(node, name).map(|[number]| number)
    }

    /// Exactly `N` numbers that have to be there.
    pub(super) fn required_numbers<const N: usize>(&mut self, node: &Node, name: &str) -> Option<[f64; N]> {
        self.required(node, name)?;
        self.numbers(node, name)
    }

    /// The `<origin>` inside an element: no displacement where nothing is said. Roll, pitch and yaw turn about the fixed axes
    /// x, y and z, in this order.
    pub(super) fn origin(&mut self, node: &Node) -> Origin {
        let Some(origin) = child(node, "origin") else {
            return Origin {
                xyz: [0.0; 3],
                quat: [1.0, 0.0, 0.0, 0.0],
            };
        };
        let rpy = self.numbers(origin, "rpy").unwrap_or_default();
        Origin {
            xyz: self.numbers(origin, "xyz").unwrap_or_default(),
            quat: EulerSequence::parse("XYZ").unwrap_or_default().rotation(rpy),
        }
    }
}
