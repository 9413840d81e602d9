//! `<attach>`: a body, a frame or the whole world of another model, or of this one, under a prefix.
//!
//! All names of the attached model get the prefix, so that two of the same kind can be attached. Its assets come along,
//! its default classes (under prefixed names), its keyframes, and those actuators, sensors, ... that refer to what is
//! attached. It keeps its own compiler settings; what it says about options follows `compiler conflict`.
//!
//! Without `model`, part of this model is attached to it a second time. That happens when all bodies are in place.

use std::sync::Arc;

use super::conflict;
use super::element::Element;
use super::expand::{Expansion, Surroundings};
use super::frame::Frame;
use super::keyframe::{forget_identity, shift_identity};
use super::limits::Budget;
use super::rename::{RenamedLayers, Renaming, Scope, names_of};
use super::sections::Document;
use crate::problem::Problems;
use crate::schema::Namespace;

impl Expansion<'_> {
    pub(super) fn attach(&mut self, mut attach: Element, around: &Surroundings, into: &mut Vec<Element>) {
        let Some(prefix) = attach.own("prefix").map(|given| Arc::clone(&given.value)) else {
            return;
        };
        let Some(name) = attach.own("model").map(|given| Arc::clone(&given.value)) else {
            if attach.own("body").is_none() && attach.own("frame").is_none() {
                self.problems
                    .push(attach.problem("without \"model\", <attach> needs \"body\" or \"frame\""));
            } else {
                // A marker, until all bodies are there.
                attach.frame.clone_from(&around.frame);
                into.push(attach);
            }
            return;
        };
        let Some(model) = self.models.get(&name) else {
            let names = self.models.keys().map(AsRef::as_ref);
            let message = format!("no model named \"{name}\" in <asset>");
            self.problems
                .push(attach.problem_with("model", message).did_you_mean(&name, names));
            return;
        };
        if let Err(why) = self.attach_model(&attach, &prefix, model, around, into) {
            self.problems.push(attach.problem(why));
        }
        conflict::resolve(&attach, model, self.settings, self.problems);
    }

    /// Attaches a part of `model`. The error says which limit that breaks.
    fn attach_model(
        &mut self,
        attach: &Element,
        prefix: &str,
        model: &Document,
        around: &Surroundings,
        into: &mut Vec<Element>,
    ) -> Result<(), String> {
        self.budget.take_work(model.index.elements)?;
        let Some(selected) = select(attach, &model.world, around.frame.as_ref(), self.problems) else {
            return Ok(());
        };
        check_height(&selected, around.depth, self.budget)?;
        // What comes along: the selected part, all assets, and what refers to them.
        let assets = model.assets.iter().filter(|asset| asset.tag() != "model");
        let mut inside = names_of(selected.iter().chain(assets.clone()));
        let outer = model
            .outer
            .restricted_to(&mut inside, &model.index.names, self.own_names, self.problems);
        let size = selected
            .iter()
            .chain(outer.iter())
            .chain(assets.clone())
            .map(Element::count)
            .sum();
        self.budget.take_elements(size)?;

        let all = Renaming {
            prefix,
            suffix: "",
            scope: Scope::Everything,
        };
        let known = Renaming {
            prefix,
            suffix: "",
            scope: Scope::Only(&inside),
        };
        let shift = *self.identities;
        *self.identities += model.identities;
        let mut layers = RenamedLayers::default();
        let mut adopt = |element: &Element, renaming: &Renaming<'_>| {
            let mut copy = renaming.copy(element);
            layers.apply(&mut copy, &all);
            shift_identity(&mut copy, shift);
            copy
        };
        into.extend(selected.iter().map(|element| adopt(element, &all)));
        self.assets.extend(assets.map(|element| adopt(element, &all)));
        for (mine, theirs) in self.outer.lists_mut().into_iter().zip(outer.lists()) {
            mine.extend(theirs.iter().map(|element| adopt(element, &known)));
        }
        let keys = model.keyframes.iter();
        self.keyframes
            .extend(keys.map(|key| key.attached(adopt(&key.element, &all), shift)));
        for (name, class) in model.classes.all() {
            let name = format!("{prefix}{name}").into();
            let class = class.map(|top| layers.of(top, &all));
            self.classes.insert(name, Arc::new(class));
        }
        Ok(())
    }
}

/// The part of `world` that `attach` asks for, standing in `frame`. `None` if there is no such part, which is recorded.
fn select(
    attach: &Element,
    world: &Element,
    frame: Option<&Arc<Frame>>,
    problems: &mut Problems,
) -> Option<Vec<Element>> {
    let (kind, wanted) = match (attach.own("body"), attach.own("frame")) {
        (Some(body), _) => (Namespace::Body, body),
        (None, Some(frame)) => (Namespace::Frame, frame),
        (None, None) => return Some(world.children.iter().map(|child| child.placed_in(frame)).collect()),
    };
    let found = match kind {
        Namespace::Body => find_body(world, &wanted.value).map(|body| {
            // The frames around it stay behind.
            vec![Element {
                frame: frame.cloned(),
                ..body.clone()
            }]
        }),
        _ => find_frame(world, &wanted.value, frame),
    };
    if found.is_none() {
        let names = names_of([world]);
        let mut names: Vec<&str> = names
            .iter()
            .filter(|(k, _)| *k == kind)
            .map(|(_, name)| name.as_ref())
            .collect();
        names.sort_unstable();
        let message = format!("no {} named \"{}\" in the model", kind.word(), wanted.value);
        problems.push(
            attach
                .problem_with(wanted.name, message)
                .did_you_mean(&wanted.value, names),
        );
    }
    found
}

/// Refuses to put `selected` under `depth` ancestors if that nests elements too deeply.
fn check_height(selected: &[Element], depth: usize, budget: &Budget) -> Result<(), String> {
    budget.check_depth(depth + selected.iter().map(Element::height).max().unwrap_or(0))
}

fn find_body<'e>(inside: &'e Element, name: &str) -> Option<&'e Element> {
    inside.children_named("body").find_map(|body| {
        if body.name() == Some(name) {
            Some(body)
        } else {
            find_body(body, name)
        }
    })
}

/// What stands in the frame called `name`, moved with that frame into `frame`.
fn find_frame(inside: &Element, name: &str, frame: Option<&Arc<Frame>>) -> Option<Vec<Element>> {
    let within: Vec<Element> = inside
        .children
        .iter()
        .filter_map(|child| {
            let chain = child.frame.as_ref()?.cut_at(name, frame)?;
            Some(Element {
                frame: Some(chain),
                ..child.clone()
            })
        })
        .collect();
    if !within.is_empty() {
        return Some(within);
    }
    inside
        .children_named("body")
        .find_map(|body| find_frame(body, name, frame))
}

impl Document {
    /// Attaches what is attached from this very model, now that all of it is there.
    pub(super) fn attach_to_itself(&mut self, budget: &mut Budget, problems: &mut Problems) {
        let mut size = self.world.count();
        let mut reached = Vec::new();
        while let Some((path, marker)) = next_marker(&self.world, &reached) {
            let copies = budget
                .take_work(size)
                .and_then(|()| self.copies_for(&marker, path.len(), budget, problems))
                .unwrap_or_else(|why| {
                    problems.push(marker.problem(why));
                    Vec::new()
                });
            if budget.is_spent() {
                return;
            }
            size += copies.iter().map(Element::count).sum::<usize>();
            replace(&mut self.world, &path, copies);
            // Copies contain no markers: the next one comes after them.
            reached = path;
        }
    }

    /// The part of this model that `marker` asks for, under its prefix, and what refers to it.
    fn copies_for(
        &mut self,
        marker: &Element,
        depth: usize,
        budget: &mut Budget,
        problems: &mut Problems,
    ) -> Result<Vec<Element>, String> {
        let Some(selected) = select(marker, &self.world, marker.frame.as_ref(), problems) else {
            return Ok(Vec::new());
        };
        if selected
            .iter()
            .any(|part| part.tag() == "attach" || next_marker(part, &[]).is_some())
        {
            return Err("a part of the model cannot be attached inside itself or before it is complete".to_owned());
        }
        check_height(&selected, depth, budget)?;
        let prefix = marker.own("prefix").map_or("", |given| &given.value);
        let names = names_of(&selected);
        budget.take_elements(selected.iter().map(Element::count).sum())?;
        self.outer.copy_under_prefix(&names, prefix, budget)?;
        let renaming = Renaming {
            prefix,
            suffix: "",
            scope: Scope::Only(&names),
        };
        let mut copies: Vec<Element> = selected.iter().map(|part| renaming.copy(part)).collect();
        copies.iter_mut().for_each(forget_identity);
        Ok(copies)
    }
}

/// The first marker inside at or after the place `from`, and the way to it: which child, which child of that, ...
fn next_marker(inside: &Element, from: &[usize]) -> Option<(Vec<usize>, Element)> {
    let (first, within_first) = from.split_first().map_or((0, from), |(first, rest)| (*first, rest));
    inside.children.iter().enumerate().skip(first).find_map(|(i, child)| {
        if child.tag() == "attach" {
            return Some((vec![i], child.clone()));
        }
        let (mut path, marker) = next_marker(child, if i == first { within_first } else { &[] })?;
        path.insert(0, i);
        Some((path, marker))
    })
}

fn replace(inside: &mut Element, path: &[usize], by: Vec<Element>) {
    match path {
        [] => {}
        [last] => drop(inside.children.splice(*last..=*last, by)),
        [first, rest @ ..] => replace(&mut inside.children[*first], rest, by),
    }
}
