//! Settings sections that stand several times in a model, as one element.
//!
//! Scenes often include a robot that brings its own `<option>` or `<visual>`. What a later section says wins, attribute by
//! attribute: the earlier sections become layers beneath the last one, as default classes lie beneath a geom.

use std::sync::Arc;

use super::class::Layer;
use super::compiler::Origin;
use super::element::Element;
use crate::problem::Place;
use crate::schema::{Rule, Times};

/// The settings of the whole model, each section merged into one element.
#[derive(Clone, Debug)]
pub struct Settings {
    /// `<compiler>`. [`Element::compiler`] has what it says as values.
    pub compiler: Element,
    /// `<option>`; `<flag>` inside.
    pub option: Element,
    /// `<size>`.
    pub size: Element,
    /// `<statistic>`.
    pub statistic: Element,
    /// `<visual>`.
    pub visual: Element,
}

/// All `sections`, which have the rule `rule`, as one element. If there are none, an empty one at `place`.
pub(super) fn merge(rule: &'static Rule, mut sections: Vec<Element>, place: &Place, origin: &Arc<Origin>) -> Element {
    let mut children: Vec<Vec<Element>> = rule.children.iter().map(|_| Vec::new()).collect();
    for section in &mut sections {
        for child in std::mem::take(&mut section.children) {
            let kind = rule
                .children
                .iter()
                .position(|known| std::ptr::eq(known.rule, child.rule));
            children[kind.unwrap_or(0)].push(child);
        }
    }
    let mut merged = Element::empty(rule, place.clone(), Arc::clone(origin));
    let mut beneath = None;
    for (i, section) in sections.iter().enumerate() {
        if i + 1 == sections.len() {
            merged = Element {
                beneath: beneath.take(),
                ..section.clone()
            };
        } else {
            beneath = Some(Arc::new(Layer {
                entry: section.clone(),
                beneath,
                opens_class: true,
            }));
        }
    }
    for (known, found) in rule.children.iter().zip(children) {
        match known.times {
            Times::Any => merged.children.extend(found),
            Times::AtMostOnce if found.is_empty() => {}
            Times::AtMostOnce => merged.children.push(merge(known.rule, found, place, origin)),
        }
    }
    merged
}
