//! From a path or a text to a [`Document`].

use std::collections::HashMap;
use std::sync::Arc;

use super::compiler::{Compiler, Origin};
use super::files::Files;
use super::include::read_expanded;
use super::limits::{Budget, Limits};
use super::sections::Document;
use super::xml::Node;
use crate::problem::{Problem, Problems, Source};
use crate::schema::{self, MUJOCO};
use crate::urdf;

/// Reads the model at `path`. Problems are recorded; `None` only if there is nothing to go on with.
pub fn read_file(path: &str, files: &dyn Files, limits: Limits, problems: &mut Problems) -> Option<Document> {
    match files.read(path) {
        Ok(bytes) => read_bytes(&bytes, path, files, limits, problems),
        Err(error) => {
            problems.push(Problem::of_model(format!("cannot read {path}: {error}")));
            None
        }
    }
}

/// Reads a model given as text. `name` stands for its path: in messages, and (its directory) for the files it mentions.
pub fn read_str(
    text: &str,
    name: &str,
    files: &dyn Files,
    limits: Limits,
    problems: &mut Problems,
) -> Option<Document> {
    read_bytes(text.as_bytes(), name, files, limits, problems)
}

/// Reads a model given as bytes.
pub fn read_bytes(
    bytes: &[u8],
    path: &str,
    files: &dyn Files,
    limits: Limits,
    problems: &mut Problems,
) -> Option<Document> {
    let mut budget = Budget::new(limits);
    let source = Source::main(path);
    Loader {
        files,
        budget: &mut budget,
        problems,
    }
    .model(bytes, &source)
}

struct Loader<'l> {
    files: &'l dyn Files,
    budget: &'l mut Budget,
    problems: &'l mut Problems,
}

impl Loader<'_> {
    fn model(&mut self, bytes: &[u8], source: &Arc<Source>) -> Option<Document> {
        let mut root = read_expanded(bytes, source, self.files, self.budget, self.problems)?;
        if root.name == urdf::ROBOT {
            root = urdf::translate(&root, self.files, self.budget, self.problems);
        }
        self.check_root(&root)?;
        let origin = self.origin(&root, source);
        let root = schema::check(root, &MUJOCO, &origin, self.problems);
        Some(Document::assemble(root, &HashMap::new(), self.budget, self.problems))
    }

    fn check_root(&mut self, root: &Node) -> Option<()> {
        if root.name == MUJOCO.name {
            return Some(());
        }
        let problem = root.problem("the root element of a model is <mujoco>, or <robot> for URDF");
        self.problems
            .push(problem.did_you_mean(&root.name, [MUJOCO.name, urdf::ROBOT]));
        None
    }

    /// The settings that tell how the rest of the file is to be read.
    fn origin(&mut self, root: &Node, source: &Source) -> Arc<Origin> {
        let unset = Arc::new(Origin::default());
        let rule = MUJOCO.child("compiler").map_or(&MUJOCO, |child| child.rule);
        let sections = root.children.iter().filter(|node| node.name == "compiler");
        let sections: Vec<_> = sections
            .map(|node| schema::check(node.clone(), rule, &unset, self.problems))
            .collect();
        Origin::new(Compiler::read(&sections, self.problems), &source.path)
    }
}
