//! `<replicate>`: copies of a subtree, each moved a step further and with a number after its names.
//!
//! The number is padded with zeros to the width of `count` (`wheel00` ... `wheel11` for 12 copies, and also for 10, whose
//! largest number has one digit), after the separator `sep`. Step i is turned by i times `euler`, and moved by `offset`
//! turned by all steps before it.
//!
//! Elements outside the tree that refer to something inside (actuators, sensors, ...) are copied as well, and their
//! originals removed. An actuator, an equality or a tuple that refers to both copied and other elements has no meaning and
//! is dropped, as MuJoCo does; a report entry says so. Unlike MuJoCo, a sensor that refers to nothing (a clock) stays
//! single.

use super::element::Element;
use super::expand::{Expansion, Surroundings};
use super::frame::Frame;
use super::pose::Pose;
use super::rename::{NameSet, Renaming, Scope, collect_names};

impl Expansion<'_> {
    pub(super) fn replicate(&mut self, mut replicate: Element, around: &Surroundings, into: &mut Vec<Element>) {
        let Some(count) = self.count_of(&replicate) else { return };
        let class = self.class_inside(&replicate, around);
        let children = std::mem::take(&mut replicate.children);
        let mut template = Vec::new();
        self.children(
            children,
            &Surroundings {
                class,
                frame: None,
                depth: around.depth + 1,
            },
            &mut template,
        );
        template.retain(|element| self.can_be_copied(element));

        let size = template.iter().map(Element::count).sum::<usize>();
        if let Err(why) = self.budget.take_elements(size.saturating_mul(count)) {
            self.problems.push(replicate.problem_with("count", why));
            return;
        }
        let mut names = NameSet::new();
        for element in &template {
            collect_names(element, &mut names);
        }
        let separator = replicate.text("sep").unwrap_or("").to_owned();
        let digits = count.to_string().len();
        let suffixes: Vec<String> = (0..count).map(|i| format!("{separator}{i:0digits$}")).collect();

        for (pose, suffix) in self.steps(&replicate, count).into_iter().zip(&suffixes) {
            let frame = Frame::new(pose, None, around.frame.clone());
            let renaming = Renaming {
                prefix: "",
                suffix,
                scope: Scope::Only(&names),
            };
            for original in &template {
                let mut copy = original.clone();
                copy.frame = Some(match &copy.frame {
                    Some(inner) => inner.within(&frame),
                    None => frame.clone(),
                });
                renaming.apply(&mut copy);
                into.push(copy);
            }
        }
        if let Err(why) = self.outer.replicate(&names, &suffixes, self.budget, self.problems) {
            self.problems.push(replicate.problem_with("count", why));
        }
    }

    fn count_of(&mut self, replicate: &Element) -> Option<usize> {
        let count = replicate.int("count", self.problems)?;
        if count < 0 {
            self.problems
                .push(replicate.problem_with("count", "the number of copies is negative"));
        }
        usize::try_from(count).ok()
    }

    /// Joints and inertias belong to the one body around; several of them would not add up.
    fn can_be_copied(&mut self, element: &Element) -> bool {
        match element.tag() {
            "joint" | "freejoint" => {
                self.problems
                    .push(element.problem("a joint cannot stand directly in <replicate>; put it into a body"));
                false
            }
            "inertial" => {
                self.note_no_effect(element, "an <inertial> directly in <replicate> does not act");
                false
            }
            _ => true,
        }
    }

    /// The pose of each copy.
    fn steps(&mut self, replicate: &Element, count: usize) -> Vec<Pose> {
        let offset = replicate.reals("offset", self.problems).unwrap_or([0.0; 3]);
        let angles = replicate.reals("euler", self.problems).unwrap_or([0.0; 3]);
        let compiler = replicate.compiler();
        let mut at = Pose::IDENTITY;
        let steps = (0..count).map(|i| {
            // The angle is multiplied rather than accumulated, for precision.
            at.quat = compiler
                .eulerseq
                .rotation(angles.map(|angle| compiler.radians(i as f64 * angle)));
            let here = at;
            at.pos = at.transform(offset);
            here
        });
        steps.collect()
    }
}
