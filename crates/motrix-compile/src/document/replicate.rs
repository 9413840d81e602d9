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
use super::keyframe::forget_identity;
use super::pose::Pose;
use super::rename::{Renaming, Scope, names_of};

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
        // An empty replicate costs too, or a count of billions would be free.
        let size = template.iter().map(Element::count).sum::<usize>().max(1);
        let made = self.budget.take_elements(size.saturating_mul(count)).and_then(|()| {
            let digits = count.to_string().len();
            let separator = replicate.own("sep").map_or("", |given| &given.value);
            let suffixes: Vec<String> = (0..count).map(|i| format!("{separator}{i:0digits$}")).collect();
            self.copies(&replicate, &template, &suffixes, around, into)
        });
        if let Err(why) = made {
            self.problems.push(replicate.problem_with("count", why));
        }
    }

    /// One copy of `template` per suffix, and of what refers to it. The error says which limit that breaks.
    fn copies(
        &mut self,
        replicate: &Element,
        template: &[Element],
        suffixes: &[String],
        around: &Surroundings,
        into: &mut Vec<Element>,
    ) -> Result<(), String> {
        let names = names_of(template);
        let poses = self.steps(replicate, suffixes.len());
        for (i, (pose, suffix)) in poses.into_iter().zip(suffixes).enumerate() {
            let frame = Frame::new(pose, None, around.frame.clone());
            let renaming = Renaming {
                prefix: "",
                suffix,
                scope: Scope::Only(&names),
            };
            for original in template {
                let mut copy = renaming.copy(&original.placed_in(Some(&frame)));
                if i > 0 {
                    forget_identity(&mut copy);
                }
                into.push(copy);
            }
        }
        self.outer.replicate(&names, suffixes, self.budget, self.problems)
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
