//! `<include file="..."/>`: another file's elements in place of the element.
//!
//! An include may stand anywhere. The root element of the included file may have any name; its children take the place
//! of the include. Paths are relative to the main file's directory; if there is no such file, to the including file's.
//! As in MuJoCo a file can be included once: a second inclusion would only repeat names, and a cycle would not end.

use std::collections::HashMap;
use std::sync::Arc;

use super::files::{FileError, Files, directory_of, join, reduce};
use super::limits::Budget;
use super::xml::{self, Node};
use crate::problem::{Place, Problems, Source};

/// Reads the main file `text` and everything it includes. `None` if the main file is not well-formed.
pub(crate) fn read_expanded(
    text: &[u8],
    source: &Arc<Source>,
    files: &dyn Files,
    budget: &mut Budget,
    problems: &mut Problems,
) -> Option<Node> {
    let mut root = xml::read(text, source, budget, problems)?;
    let mut expansion = Includes {
        files,
        directory: directory_of(&source.path),
        included: HashMap::from([(reduce(&source.path), None)]),
        budget,
        problems,
    };
    expansion.expand(&mut root, 0);
    Some(root)
}

struct Includes<'i> {
    files: &'i dyn Files,
    /// Of the main file.
    directory: String,
    /// Files read so far, and where they were asked for.
    included: HashMap<String, Option<Place>>,
    budget: &'i mut Budget,
    problems: &'i mut Problems,
}

impl Includes<'_> {
    /// Replaces all includes inside `node`, which has `depth` ancestors.
    fn expand(&mut self, node: &mut Node, depth: usize) {
        if let Err(why) = self.budget.check_depth(depth) {
            self.problems.push(node.problem(why));
            node.children.clear();
            return;
        }
        if node.children.iter().any(|child| child.name == "include") {
            for child in std::mem::take(&mut node.children) {
                if child.name == "include" {
                    node.children.extend(self.contents(&child, depth));
                } else {
                    node.children.push(child);
                }
            }
        }
        for child in &mut node.children {
            self.expand(child, depth + 1);
        }
    }

    /// What an include stands for. Includes directly inside the included file are resolved as well.
    fn contents(&mut self, include: &Node, depth: usize) -> Vec<Node> {
        if let Some(child) = include.children.first() {
            self.problems.push(child.problem("<include> cannot contain elements"));
        }
        for attribute in include.attributes.iter().filter(|attribute| attribute.name != "file") {
            let problem = include.problem(format!("<include> has no attribute \"{}\"", attribute.name));
            self.problems.push_unknown(problem);
        }
        let Some(root) = self.read_included(include) else {
            return Vec::new();
        };
        if root.children.is_empty() {
            self.problems.push(include.problem("the included file has no elements"));
        }
        if let Err(why) = self.budget.check_depth(include_depth(&include.place) + depth) {
            self.problems.push(include.problem(why));
            return Vec::new();
        }
        let mut nodes = Vec::new();
        for child in root.children {
            if child.name == "include" {
                nodes.extend(self.contents(&child, depth));
            } else {
                nodes.push(child);
            }
        }
        nodes
    }

    fn read_included(&mut self, include: &Node) -> Option<Node> {
        let Some(file) = include.attribute("file") else {
            self.problems.push(include.problem("the attribute \"file\" is missing"));
            return None;
        };
        let candidates = [
            join(&self.directory, &file.value),
            join(&directory_of(&include.place.source.path), &file.value),
        ];
        let path = candidates
            .iter()
            .find(|path| self.files.exists(path))
            .unwrap_or(&candidates[0]);
        let problem =
            |message: String| crate::problem::Problem::error(file.place.clone(), include.shown_with("file"), message);
        if let Some(first) = self.included.get(path) {
            let message = match first {
                Some(place) => format!("this file is already included at {place}"),
                None => "this file includes itself".to_owned(),
            };
            self.problems.push(problem(message));
            return None;
        }
        self.included.insert(path.clone(), Some(include.place.clone()));
        match self.files.read(path) {
            Ok(bytes) => {
                let source = Source::included(path.clone(), include.place.clone());
                xml::read(&bytes, &source, self.budget, self.problems)
            }
            Err(FileError::NotFound) => {
                self.problems.push(problem(format!("there is no file {path}")));
                None
            }
            Err(error) => {
                self.problems.push(problem(format!("cannot read {path}: {error}")));
                None
            }
        }
    }
}

/// Through how many includes a place was reached.
fn include_depth(place: &Place) -> usize {
    place.include_chain().count()
}
