//! Which default class an actuator takes its law from.

use std::collections::HashMap;

use motrix_model::ActuatorKind;

use super::law::{self, Law, kind_of};
use crate::document::{Class, Element};
use crate::problem::Problems;

/// Laws of default classes, each worked out once.
#[derive(Debug, Default)]
pub struct Laws {
    /// By address: a class is one object that all its elements share while they are read.
    known: HashMap<*const Class, Option<Law>>,
}

impl Laws {
    /// The law of `element`, with what its class says beneath.
    pub fn of(&mut self, element: &Element, damping: f64, problems: &mut Problems) -> Law {
        let kind = kind_of(element.tag()).unwrap_or(ActuatorKind::General);
        let inherited = self.inherited(kind, element.class(), problems);
        law::read(&own(element), inherited, damping, problems)
    }

    /// What an actuator of `kind` starts from in `class`.
    fn inherited(&mut self, kind: ActuatorKind, class: Option<&Class>, problems: &mut Problems) -> Law {
        let lineage: Vec<&Class> = class.into_iter().flat_map(|class| class.lineage()).collect();
        self.work_out(&lineage, problems);
        let speaks = |law: &&Law| speaks_to(law, kind);
        let laws = lineage
            .iter()
            .filter_map(|class| self.known.get(&std::ptr::from_ref(*class))?.as_ref());
        laws.into_iter().find(speaks).cloned().unwrap_or_default()
    }

    /// Works out the laws of a chain of classes from the root up, so that each finds its parents' known.
    fn work_out(&mut self, lineage: &[&Class], problems: &mut Problems) {
        for (i, class) in lineage.iter().enumerate().rev() {
            let key = std::ptr::from_ref(*class);
            if !self.known.contains_key(&key) {
                let law = self.class_law(class, &lineage[i + 1..], problems);
                self.known.insert(key, law);
            }
        }
    }

    /// The law that the entries of a class add up to; none when it has no actuators.
    fn class_law(&self, class: &Class, parents: &[&Class], problems: &mut Problems) -> Option<Law> {
        let mut current: Option<Law> = None;
        for entry in &class.entries {
            let Some(kind) = kind_of(entry.tag()) else { continue };
            let above = || {
                let laws = parents
                    .iter()
                    .filter_map(|class| self.known.get(&std::ptr::from_ref(*class))?.as_ref());
                laws.into_iter()
                    .find(|law| speaks_to(law, kind))
                    .cloned()
                    .unwrap_or_default()
            };
            let base = current.filter(|law| speaks_to(law, kind)).unwrap_or_else(above);
            let damping = entry.reals_over("damping", [0.0; 3], problems)[0];
            current = Some(law::read(entry, base, damping, problems));
        }
        current
    }
}

/// Whether a law can be inherited by an actuator of `kind`.
fn speaks_to(law: &Law, kind: ActuatorKind) -> bool {
    law.kind == kind || law.kind == ActuatorKind::General || kind == ActuatorKind::General
}

/// The element without its default class.
fn own(element: &Element) -> Element {
    let mut own = element.clone();
    own.class = None;
    own
}
