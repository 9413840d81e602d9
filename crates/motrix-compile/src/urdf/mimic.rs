//! Joints that follow others: `position = multiplier * position of the other + offset`, as an equality.

use std::collections::HashSet;

use crate::document::xml::Node;
use crate::problem::NoteKind;

use super::reading::{Reading, child};
use super::writing::Writing;

/// Joints whose place is one number, and the followers among them.
#[derive(Default)]
pub(super) struct Mimics<'n> {
    scalar: HashSet<&'n str>,
    followers: Vec<(Option<&'n str>, &'n Node)>,
}

impl<'n> Mimics<'n> {
    /// Takes note of a joint; `name` is that of a joint whose place is one number.
    pub(super) fn note(&mut self, joint: &'n Node, name: Option<&'n str>) {
        self.scalar.extend(name);
        if let Some(mimic) = child(joint, "mimic") {
            self.followers.push((name, mimic));
        }
    }

    /// The equalities of all followers, in the order of the file. A joint can be followed before it is written, hence at the
    /// end.
    pub(super) fn equality(&mut self, robot: &Node, reading: &mut Reading) -> Node {
        self.followers
            .sort_by(|(_, one), (_, other)| one.place.cmp(&other.place));
        let mut equality = Writing::new("equality", &robot.place);
        for &(follower, mimic) in &self.followers {
            let Some(leader) = reading.required(mimic, "joint") else {
                continue;
            };
            let (Some(follower), true) = (follower, self.scalar.contains(&*leader.value)) else {
                let problem = mimic.problem("only revolute, continuous and prismatic joints follow one another");
                reading.problems.push(problem.note(NoteKind::Ignored));
                continue;
            };
            let multiplier = reading.number(mimic, "multiplier").unwrap_or(1.0);
            let offset = reading.number(mimic, "offset").unwrap_or(0.0);
            let joint = Writing::new("joint", &mimic.place)
                .text("joint1", follower)
                .text("joint2", &leader.value);
            equality.push(joint.numbers("polycoef", &[offset, multiplier, 0.0, 0.0, 0.0]).node());
        }
        equality.node()
    }
}
