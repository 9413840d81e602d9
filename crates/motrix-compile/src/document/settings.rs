//! Settings sections that stand several times in a model, as one element.
//!
//! Scenes often include a robot that brings its own `<option>` or `<visual>`. What a later section says wins, attribute by
//! attribute: the earlier sections become layers beneath the last one, as default classes lie beneath a geom.

use std::sync::Arc;

use super::class::Class;
use super::compiler::Origin;
use super::element::Element;
use crate::problem::Place;
use crate::schema::{Rule, Times};

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
    let mut merged = match sections.pop() {
        Some(last) => last,
        None => Element::empty(rule, place.clone(), Arc::clone(origin)),
    };
    if !sections.is_empty() {
        merged.class = Some(Arc::new(Class {
            name: rule.name.into(),
            parent: None,
            entries: sections,
        }));
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
