//! The `<mujoco>` element inside a robot: settings of the compiler and the simulation.

use crate::document::value::boolean;
use crate::document::xml::Node;
use crate::problem::NoteKind;

use super::reading::Reading;
use super::writing::Writing;

/// Sections that are passed on.
const SECTIONS: [&str; 3] = ["compiler", "option", "size"];

/// All sections of all `<mujoco>` elements, in the order of the file.
pub(super) struct Extension<'n> {
    sections: Vec<&'n Node>,
}

impl<'n> Extension<'n> {
    pub(super) fn of(robot: &'n Node, reading: &mut Reading) -> Self {
        let elements = robot.children.iter().filter(|node| node.name == "mujoco");
        let mut sections = Vec::new();
        for section in elements.flat_map(|node| &node.children) {
            if SECTIONS.contains(&section.name.as_str()) {
                sections.push(section);
            } else {
                let problem = section.problem("in URDF files only <compiler>, <option> and <size> are read");
                reading.problems.push(problem.note(NoteKind::Ignored));
            }
        }
        Self { sections }
    }

    /// A yes or no of the compiler section. What is neither is reported when the section is read as MJCF.
    pub(super) fn flag(&self, name: &str, otherwise: bool) -> bool {
        let compilers = self.sections.iter().filter(|node| node.name == "compiler");
        let mut given = compilers.filter_map(|node| boolean(&node.attribute(name)?.value).ok());
        given.next_back().unwrap_or(otherwise)
    }

    /// The sections between what URDF assumes and what it insists on: of several sections the last word counts.
    pub(super) fn sections(&self, robot: &Node) -> Vec<Node> {
        let assumed = Writing::new("compiler", &robot.place)
            .text("discardvisual", "true")
            .text("fusestatic", "true");
        let insisted = Writing::new("compiler", &robot.place).text("angle", "radian");
        let given = self.sections.iter().map(|&node| node.clone());
        [assumed.node()]
            .into_iter()
            .chain(given)
            .chain([insisted.node()])
            .collect()
    }
}
