//! Links and the joints between them: from two lists to a tree.

use std::collections::{HashMap, HashSet};

use crate::document::xml::Node;
use crate::problem::{NoteKind, Problem};

use super::reading::Reading;

/// All links of a robot. A link is held by at most one joint.
pub(super) struct Tree<'n> {
    links: Vec<Link<'n>>,
}

pub(super) struct Link<'n> {
    pub(super) node: &'n Node,
    pub(super) name: &'n str,
    /// How it is held; not at all if it is a root.
    pub(super) held: Option<Held<'n>>,
    /// Links it holds, in the order of their joints.
    pub(super) children: Vec<usize>,
}

/// The joint above a link.
#[derive(Clone, Copy)]
pub(super) struct Held<'n> {
    pub(super) joint: &'n Node,
    /// The joint's name, unless an earlier one has it.
    pub(super) name: Option<&'n str>,
}

/// Finds the parent of every link. Joints whose links do not exist or are held already are reported and left out.
pub(super) fn assemble<'n>(robot: &'n Node, reading: &mut Reading) -> Tree<'n> {
    let mut tree = Tree { links: Vec::new() };
    let mut index_of = HashMap::new();
    for node in robot.children.iter().filter(|node| node.name == "link") {
        let Some(name) = reading.required(node, "name") else {
            continue;
        };
        if index_of.contains_key(&*name.value) {
            reading.misfit(node, name, "there is another link of this name");
            continue;
        }
        index_of.insert(&*name.value, tree.links.len());
        tree.links.push(Link {
            node,
            name: &name.value,
            held: None,
            children: Vec::new(),
        });
    }
    let mut names = HashSet::new();
    for joint in robot.children.iter().filter(|node| node.name == "joint") {
        let parent = tree.end_of(joint, "parent", &index_of, reading);
        let child = tree.end_of(joint, "child", &index_of, reading);
        let name = tree.name_of(joint, &mut names, reading);
        let (Some(parent), Some(child)) = (parent, child) else {
            continue;
        };
        if tree.links[child].held.is_some() {
            let message = format!("link \"{}\" is held by two joints", tree.links[child].name);
            reading.problems.push(joint.problem(message));
            continue;
        }
        tree.links[child].held = Some(Held { joint, name });
        tree.links[parent].children.push(child);
    }
    tree.report_loops(reading);
    tree
}

impl<'n> Tree<'n> {
    pub(super) fn link(&self, index: usize) -> &Link<'n> {
        &self.links[index]
    }

    /// All links in the order of the file.
    pub(super) fn links(&self) -> impl Iterator<Item = &Link<'n>> {
        self.links.iter()
    }

    /// Links that no joint holds.
    pub(super) fn roots(&self) -> impl Iterator<Item = usize> {
        (0..self.links.len()).filter(|&index| self.links[index].held.is_none())
    }

    /// The link that the `<parent>` or `<child>` of a joint names.
    fn end_of(&self, joint: &Node, end: &str, index_of: &HashMap<&str, usize>, reading: &mut Reading) -> Option<usize> {
        let node = reading.required_child(joint, end)?;
        let link = reading.required(node, "link")?;
        let index = index_of.get(&*link.value).copied();
        if index.is_none() {
            let message = format!("there is no link \"{}\"", link.value);
            let problem = Problem::error(link.place.clone(), node.shown_with("link"), message);
            reading
                .problems
                .push(problem.did_you_mean(&link.value, self.links.iter().map(|link| link.name)));
        }
        index
    }

    fn name_of(&self, joint: &'n Node, names: &mut HashSet<&'n str>, reading: &mut Reading) -> Option<&'n str> {
        let name = &*reading.required(joint, "name")?.value;
        if names.insert(name) {
            return Some(name);
        }
        let problem = joint.problem("an earlier joint has this name; this one is left without");
        reading.problems.push(problem.note(NoteKind::Ignored));
        None
    }

    /// What cannot be reached from a root hangs on itself.
    fn report_loops(&self, reading: &mut Reading) {
        let mut reached = vec![false; self.links.len()];
        let mut open: Vec<usize> = self.roots().collect();
        while let Some(index) = open.pop() {
            reached[index] = true;
            open.extend(&self.links[index].children);
        }
        if let Some(index) = reached.iter().position(|reached| !reached) {
            reading
                .problems
                .push(self.links[index].node.problem("the joints above this link form a loop"));
        }
    }
}
