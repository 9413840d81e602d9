//! Visual and collision elements of links, as geoms.

use std::collections::{HashMap, HashSet};

use crate::document::xml::Node;
use crate::problem::NoteKind;

use super::mesh::Meshes;
use super::reading::{Reading, child};
use super::writing::Writing;

/// Red, green, blue, alpha from 0 to 1.
type Color = [f64; 4];

/// What the geoms of all links share.
pub(super) struct Geometry<'n> {
    /// Colours of named materials; of several of one name the first that has a colour.
    colors: HashMap<&'n str, Color>,
    names: HashSet<&'n str>,
    meshes: Meshes<'n>,
    keep_visuals: bool,
}

impl<'n> Geometry<'n> {
    pub(super) fn new(robot: &'n Node, meshes: Meshes<'n>, keep_visuals: bool, reading: &mut Reading) -> Self {
        let mut colors = HashMap::new();
        let visuals = robot.children.iter().flat_map(|link| &link.children);
        let materials = robot.children.iter().chain(visuals.flat_map(|visual| &visual.children));
        for material in materials.filter(|node| node.name == "material") {
            let (Some(name), Some(color)) = (material.attribute("name"), child(material, "color")) else {
                continue;
            };
            if let Some(color) = reading.required_numbers(color, "rgba") {
                colors.entry(&*name.value).or_insert(color);
            }
        }
        Self {
            colors,
            names: HashSet::new(),
            meshes,
            keep_visuals,
        }
    }

    /// The geoms of a link. Collision geometry has the colour of the visual element before it.
    pub(super) fn geoms(&mut self, link: &'n Node, reading: &mut Reading) -> Vec<Node> {
        let mut color = None;
        let mut geoms = Vec::new();
        for node in &link.children {
            let is_visual = match node.name.as_str() {
                "visual" => true,
                "collision" => false,
                _ => continue,
            };
            if is_visual {
                color = self.color(node, reading).or(color);
            }
            if is_visual && !self.keep_visuals {
                continue;
            }
            let Some(mut geom) = self.shape(node, reading) else {
                continue;
            };
            geom = geom.pose(&reading.origin(node));
            if is_visual {
                let looks_only = [("contype", "0"), ("conaffinity", "0"), ("group", "1"), ("density", "0")];
                geom = looks_only
                    .into_iter()
                    .fold(geom, |geom, (name, value)| geom.text(name, value));
            }
            if let Some(color) = color {
                geom = geom.numbers("rgba", &color);
            }
            geoms.push(self.named(geom, node, reading).node());
        }
        geoms
    }

    /// The `<asset>` section with all meshes.
    pub(super) fn assets(self, robot: &Node) -> Node {
        self.meshes.asset(robot)
    }

    fn color(&self, visual: &Node, reading: &mut Reading) -> Option<Color> {
        let material = child(visual, "material")?;
        match child(material, "color") {
            Some(color) => reading.required_numbers(color, "rgba"),
            None => self.colors.get(&*material.attribute("name")?.value).copied(),
        }
    }

    /// Names are optional in URDF, and not unique; a repeated one is left away.
    fn named(&mut self, geom: Writing, node: &'n Node, reading: &mut Reading) -> Writing {
        let Some(name) = node.attribute("name").filter(|name| !name.value.is_empty()) else {
            return geom;
        };
        if self.names.insert(&name.value) {
            return geom.text("name", &name.value);
        }
        let problem = node.problem("an earlier element has this name; this one is left without");
        reading.problems.push(problem.note(NoteKind::Ignored));
        geom
    }

    /// A geom with type and size. URDF measures whole lengths, MJCF half ones.
    fn shape(&mut self, node: &'n Node, reading: &mut Reading) -> Option<Writing> {
        let geometry = reading.required_child(node, "geometry")?;
        let shapes = ["box", "cylinder", "sphere", "capsule", "mesh"];
        let Some(shape) = geometry
            .children
            .iter()
            .find(|shape| shapes.contains(&shape.name.as_str()))
        else {
            let message = "<geometry> needs one of box, cylinder, sphere, capsule and mesh";
            reading.problems.push(geometry.problem(message));
            return None;
        };
        let geom = Writing::new("geom", &shape.place).text("type", &shape.name);
        Some(match shape.name.as_str() {
            "box" => {
                let size: [f64; 3] = reading.required_numbers(shape, "size")?;
                geom.numbers("size", &size.map(|length| length / 2.0))
            }
            "sphere" => {
                let radius: [f64; 1] = reading.required_numbers(shape, "radius")?;
                geom.numbers("size", &radius)
            }
            "mesh" => geom.text("mesh", &self.meshes.name_of(shape, reading)?),
            _ => {
                let radius: Option<[f64; 1]> = reading.required_numbers(shape, "radius");
                let [length] = reading.required_numbers(shape, "length")?;
                geom.numbers("size", &[radius?[0], length / 2.0])
            }
        })
    }
}
