//! Which entry of the default classes an actuator takes its law from.
//!
//! Beneath an element lies a stack of entries, class by class. The law of a class is what its entries add up to; when they are
//! different shortcuts, the last one counts. A shortcut takes the law of the nearest class that speaks to it.

use std::collections::HashMap;

use motrix_model::ActuatorKind;

use super::law::{self, Law, kind_of};
use crate::document::{Element, Layer};
use crate::problem::Problems;

/// Laws of the layers of default classes, each worked out once.
#[derive(Debug, Default)]
pub struct Laws {
    /// By address: layers are shared, and stay where they are while elements are read.
    known: HashMap<*const Layer, Law>,
}

impl Laws {
    /// The law of `element`, with what its classes say beneath.
    pub fn of(&mut self, element: &Element, damping: f64, problems: &mut Problems) -> Law {
        let kind = kind_of(element.tag()).unwrap_or(ActuatorKind::General);
        let stack: Vec<&Layer> = layers(element.beneath.as_deref()).collect();
        // from the bottom up, so that each layer finds those beneath it known
        for layer in stack.iter().rev() {
            if !self.known.contains_key(&std::ptr::from_ref(*layer)) {
                let law = self.work_out(layer, problems);
                self.known.insert(std::ptr::from_ref(*layer), law);
            }
        }
        let inherited = self.inherited(kind, element.beneath.as_deref());
        law::read(&own(element), inherited, damping, problems)
    }

    /// The law of a class up to the entry `layer`.
    fn work_out(&self, layer: &Layer, problems: &mut Problems) -> Law {
        let entry = &layer.entry;
        let beneath = layer.beneath.as_deref();
        let Some(kind) = kind_of(entry.tag()) else {
            return self.inherited(ActuatorKind::General, beneath);
        };
        let same_class = beneath
            .filter(|_| !layer.opens_class)
            .and_then(|beneath| self.get(beneath));
        let base = match same_class.filter(|law| speaks_to(law, kind)) {
            Some(law) => law.clone(),
            None => self.inherited(kind, parent(layer)),
        };
        let damping = entry.reals_over("damping", [0.0; 3], problems)[0];
        law::read(entry, base, damping, problems)
    }

    /// What an actuator of `kind` starts from on top of the stack `top`.
    fn inherited(&self, kind: ActuatorKind, top: Option<&Layer>) -> Law {
        let classes = std::iter::successors(top, |layer| parent(layer));
        let laws = classes.filter_map(|layer| self.get(layer));
        laws.into_iter()
            .find(|law| speaks_to(law, kind))
            .cloned()
            .unwrap_or_default()
    }

    fn get(&self, layer: &Layer) -> Option<&Law> {
        self.known.get(&std::ptr::from_ref(layer))
    }
}

/// The stack from `top` downwards.
fn layers(top: Option<&Layer>) -> impl Iterator<Item = &Layer> {
    std::iter::successors(top, |layer| layer.beneath.as_deref())
}

/// The top of the parent of the class that `layer` belongs to.
fn parent(layer: &Layer) -> Option<&Layer> {
    layers(Some(layer)).find(|layer| layer.opens_class)?.beneath.as_deref()
}

/// Whether a law can be inherited by an actuator of `kind`.
fn speaks_to(law: &Law, kind: ActuatorKind) -> bool {
    law.kind == kind || law.kind == ActuatorKind::General || kind == ActuatorKind::General
}

/// The element without its defaults.
fn own(element: &Element) -> Element {
    let mut own = element.clone();
    own.beneath = None;
    own
}
