//! From a path or a text to a [`Document`].

use std::collections::HashMap;
use std::sync::Arc;

use super::compiler::{AssetKind, Compiler, Origin};
use super::element::Element;
use super::files::{FileError, Files};
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
    let document = Loader {
        files,
        budget: &mut budget,
        problems,
    }
    .model(bytes, &source)?;
    if budget.is_spent() {
        return None;
    }
    document.check_names(problems);
    Some(document)
}

/// The name of a model that gives itself none.
const UNNAMED: &str = "MuJoCo Model";

/// Includes and models within models beyond this depth are refused.
const DEEPEST_MODEL: usize = 32;

struct Loader<'l> {
    files: &'l dyn Files,
    budget: &'l mut Budget,
    problems: &'l mut Problems,
}

impl Loader<'_> {
    fn model(&mut self, bytes: &[u8], source: &Arc<Source>) -> Option<Document> {
        let mut root = read_expanded(bytes, source, self.files, self.budget, self.problems)?;
        let is_urdf = root.name == urdf::ROBOT;
        if is_urdf {
            root = urdf::translate(&root, self.files, self.budget, self.problems);
        }
        self.check_root(&root)?;
        let origin = self.origin(&root, source, is_urdf);
        let root = schema::check(root, &MUJOCO, &origin, self.problems);
        let models = self.models(&root);
        Some(Document::assemble(root, &models, self.budget, self.problems))
    }

    /// The models that this one can attach.
    fn models(&mut self, root: &Element) -> HashMap<Arc<str>, Document> {
        let mut models = HashMap::new();
        for asset in root
            .children_named("asset")
            .flat_map(|assets| assets.children_named("model"))
        {
            let Some(model) = self.attachable(asset) else { continue };
            let name = asset.name().map(Arc::from).or_else(|| model.name.clone());
            let name = name.unwrap_or_else(|| UNNAMED.into());
            if models.insert(Arc::clone(&name), model).is_some() {
                self.problems
                    .push(asset.problem(format!("there are two models named \"{name}\"")));
            }
        }
        models
    }

    fn attachable(&mut self, asset: &Element) -> Option<Document> {
        let candidates = asset.file_candidates("file", AssetKind::Model);
        let path = candidates
            .iter()
            .find(|path| self.files.exists(path))
            .or(candidates.first())?;
        let way_here: Vec<_> = std::iter::once(&asset.place)
            .chain(asset.place.include_chain())
            .map(|place| &place.source.path)
            .collect();
        let message = if way_here.contains(&path) {
            "the model contains itself".to_owned()
        } else if way_here.len() > DEEPEST_MODEL {
            format!("models are nested more than {DEEPEST_MODEL} deep")
        } else {
            match self.files.read(path) {
                Ok(bytes) => {
                    let mut model = self.model(&bytes, &Source::included(path.clone(), asset.place.clone()))?;
                    model.make_attachable();
                    return Some(model);
                }
                Err(FileError::NotFound) => format!("there is no file {path}"),
                Err(error) => format!("cannot read {path}: {error}"),
            }
        };
        self.problems.push(asset.problem_with("file", message));
        None
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
    fn origin(&mut self, root: &Node, source: &Source, is_urdf: bool) -> Arc<Origin> {
        let unset = Arc::new(Origin::default());
        let rule = MUJOCO.child("compiler").map_or(&MUJOCO, |child| child.rule);
        let sections = root.children.iter().filter(|node| node.name == "compiler");
        let sections: Vec<_> = sections
            .map(|node| schema::check(node.clone(), rule, &unset, self.problems))
            .collect();
        Origin::new(Compiler::read(&sections, self.problems), &source.path, is_urdf)
    }
}
