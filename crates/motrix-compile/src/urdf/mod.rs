//! URDF to MJCF: a `<robot>` is rewritten as the `<mujoco>` element that says the same, and read on as such.
//!
//! URDF lists links and joints side by side; MJCF nests bodies. Each link becomes a body at the origin of the joint that holds
//! it, each joint one of hinge, slide, ball or free (or three for `planar`), each `<mimic>` an equality. Written elements stand
//! where the URDF element stands that they come from, so later findings point into the URDF file.
//!
//! The rules are those of MuJoCo 4.0's own import: links without a parent are fixed to the world, a link called `world` is the
//! world; visual geometry is dropped and fixed links are fused unless `<mujoco><compiler>` says otherwise; effort limits become
//! force ranges of the joint. Beyond MuJoCo, `package://` paths are resolved. What concerns other programs (`<gazebo>`,
//! `<transmission>`, ...) is passed over.

mod extension;
mod geometry;
mod inertial;
mod joint;
mod mesh;
mod mimic;
mod packages;
mod reading;
#[cfg(test)]
mod tests;
mod tree;
mod writing;

pub use packages::WithPackages;

use crate::document::files::Files;
use crate::document::limits::Budget;
use crate::document::xml::Node;
use crate::problem::Problems;

use extension::Extension;
use geometry::Geometry;
use mesh::Meshes;
use mimic::Mimics;
use reading::Reading;
use tree::{Held, Tree};
use writing::Writing;

/// The root element of URDF files.
pub(crate) const ROBOT: &str = "robot";

/// A link called this is the world itself.
const WORLD: &str = "world";

/// Rewrites a robot as a model. Problems are recorded; what they concern is left out.
pub(crate) fn translate(robot: &Node, files: &dyn Files, budget: &Budget, problems: &mut Problems) -> Node {
    let mut reading = Reading { problems };
    let extension = Extension::of(robot, &mut reading);
    let meshes = Meshes::new(robot, files, extension.flag("strippath", false));
    let keep_visuals = !extension.flag("discardvisual", true);
    let mut geometry = Geometry::new(robot, meshes, keep_visuals, &mut reading);
    let tree = tree::assemble(robot, &mut reading);
    // Assets are numbered in the order of the links in the file, not in that of the tree.
    let geoms = tree
        .links()
        .map(|link| geometry.geoms(link.node, &mut reading))
        .collect();
    let mut translation = Translation {
        tree: &tree,
        geoms,
        reading,
        mimics: Mimics::default(),
        budget,
    };

    let mut world = Writing::new("worldbody", &robot.place);
    for root in tree.roots() {
        translation.root(root, &mut world);
    }
    let Translation {
        mut reading,
        mut mimics,
        ..
    } = translation;

    let mut model = Writing::new("mujoco", &robot.place);
    if let Some(name) = robot.attribute("name") {
        model = model.text("model", &name.value);
    }
    for section in extension.sections(robot) {
        model = model.child(section);
    }
    model
        .child(geometry.assets(robot))
        .child(world.node())
        .child(mimics.equality(robot, &mut reading))
        .node()
}

/// What bodies are written from, and what is gathered on the way.
struct Translation<'r> {
    tree: &'r Tree<'r>,
    /// Geoms of each link; taken when its body is written.
    geoms: Vec<Vec<Node>>,
    reading: Reading<'r>,
    mimics: Mimics<'r>,
    budget: &'r Budget,
}

impl Translation<'_> {
    /// Writes a link that no joint holds, with all it holds itself.
    fn root(&mut self, index: usize, world: &mut Writing) {
        let link = self.tree.link(index);
        if link.name == WORLD {
            self.write_geoms(index, world);
            self.bodies(&link.children, 1, world);
        } else {
            self.bodies(&[index], 1, world);
        }
    }

    /// Writes links as bodies into `parent`, around which are `depth` elements.
    fn bodies(&mut self, links: &[usize], depth: usize, parent: &mut Writing) {
        for &index in links {
            if let Some(body) = self.body(index, depth + 1) {
                parent.push(body);
            }
        }
    }

    fn body(&mut self, index: usize, depth: usize) -> Option<Node> {
        let link = self.tree.link(index);
        // What is inside a body is one deeper than the body.
        if let Err(why) = self.budget.check_depth(depth + 1) {
            self.reading.problems.push(link.node.problem(why));
            return None;
        }
        if link.name == WORLD {
            let message = "the link \"world\" is the world, which no joint can hold";
            self.reading.problems.push(link.node.problem(message));
            return None;
        }
        let mut body = Writing::new("body", &link.node.place).text("name", link.name);
        if let Some(Held { joint, name }) = link.held {
            body = body.pose(&self.reading.origin(joint));
            let kind = joint::write(joint, name, &mut body, &mut self.reading);
            self.mimics
                .note(joint, name.filter(|_| kind.is_some_and(|kind| kind.is_scalar())));
        }
        inertial::write(link.node, &mut body, &mut self.reading);
        self.write_geoms(index, &mut body);
        self.bodies(&link.children, depth, &mut body);
        Some(body.node())
    }

    fn write_geoms(&mut self, link: usize, parent: &mut Writing) {
        std::mem::take(&mut self.geoms[link])
            .into_iter()
            .for_each(|geom| parent.push(geom));
    }
}
