//! Meshes that links use, as assets: one for each file and scale.

use std::collections::HashMap;

use crate::assets::name_from_file;
use crate::document::files::{Files, directory_of, file_name};
use crate::document::xml::Node;
use crate::problem::Place;

use super::packages;
use super::reading::Reading;
use super::writing::Writing;

/// The meshes met so far.
pub(super) struct Meshes<'f> {
    files: &'f dyn Files,
    /// Of the URDF file.
    directory: String,
    /// Whether folders in paths do not count.
    strip_paths: bool,
    meshes: Vec<Mesh>,
    /// Meshes by the name of their file.
    by_stem: HashMap<String, Vec<usize>>,
}

struct Mesh {
    name: String,
    file: String,
    scale: [f64; 3],
    place: Place,
    file_place: Place,
}

impl<'f> Meshes<'f> {
    pub(super) fn new(robot: &Node, files: &'f dyn Files, strip_paths: bool) -> Self {
        let directory = directory_of(&robot.place.source.path);
        Self {
            files,
            directory,
            strip_paths,
            meshes: Vec::new(),
            by_stem: HashMap::new(),
        }
    }

    /// The asset of a `<mesh>`: an earlier one with the same file and scale, or a new one, called as its file and numbered
    /// if that name is taken.
    pub(super) fn name_of(&mut self, node: &Node, reading: &mut Reading) -> Option<String> {
        let filename = reading.required(node, "filename")?;
        let scale = reading.numbers(node, "scale").unwrap_or([1.0; 3]);
        let file = if self.strip_paths {
            file_name(&filename.value).to_owned()
        } else {
            packages::resolve(&filename.value, &self.directory, self.files).unwrap_or_else(|unresolved| {
                reading.misfit(node, filename, unresolved.message);
                unresolved.path
            })
        };
        let stem = name_from_file(&file).to_owned();
        let alike = self.by_stem.entry(stem.clone()).or_default();
        if let Some(&known) = alike
            .iter()
            .find(|&&index| self.meshes[index].file == file && self.meshes[index].scale == scale)
        {
            return Some(self.meshes[known].name.clone());
        }
        let number = if alike.is_empty() {
            String::new()
        } else {
            alike.len().to_string()
        };
        let name = format!("{stem}{number}");
        alike.push(self.meshes.len());
        let (place, file_place) = (node.place.clone(), filename.place.clone());
        self.meshes.push(Mesh {
            name: name.clone(),
            file,
            scale,
            place,
            file_place,
        });
        Some(name)
    }

    /// The `<asset>` section.
    pub(super) fn asset(self, robot: &Node) -> Node {
        let mut asset = Writing::new("asset", &robot.place);
        for Mesh {
            name,
            file,
            scale,
            place,
            file_place,
        } in self.meshes
        {
            let mesh = Writing::new("mesh", &place)
                .text("name", &name)
                .text_at("file", &file, file_place);
            asset.push(
                if scale == [1.0; 3] {
                    mesh
                } else {
                    mesh.numbers("scale", &scale)
                }
                .node(),
            );
        }
        asset.node()
    }
}
