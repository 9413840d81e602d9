//! Simplification of the body tree: fusing static bodies with their parents, and dropping what is only seen.

use std::collections::HashSet;

use motrix_model::Options;

use super::body::move_contents;
use super::draft::{BodyDraft, GeomDraft};
use super::inertia::{self, seen_from};
use crate::document::{Document, Element};
use crate::problem::Problems;
use crate::schema::Namespace;

/// Masses below this are not worth fusing (`mjMINVAL`).
const MIN_MASS: f64 = 1e-15;

/// Names that elements outside a body refer to.
#[derive(Debug, Default)]
pub struct Referenced {
    bodies: HashSet<String>,
    geoms: HashSet<String>,
    meshes: HashSet<String>,
    /// Sites of force and torque sensors, whose body must stay.
    load_cells: HashSet<String>,
    /// Whether bodies move through a medium, which pushes each of them by its own shape.
    in_medium: bool,
}

impl Referenced {
    /// Everything that keeps a body or a geom from being simplified away.
    pub fn of(document: &Document, options: &Options) -> Self {
        let mut referenced = Self {
            in_medium: options.density != 0.0 || options.viscosity != 0.0,
            ..Self::default()
        };
        let mut see = |element: &Element| {
            for (kind, attribute) in element.references() {
                match kind {
                    Namespace::Body => referenced.bodies.insert(attribute.value.to_string()),
                    Namespace::Geom => referenced.geoms.insert(attribute.value.to_string()),
                    Namespace::Mesh => referenced.meshes.insert(attribute.value.to_string()),
                    _ => false,
                };
            }
            if matches!(element.tag(), "force" | "torque") {
                referenced.load_cells.extend(element.text("site").map(str::to_owned));
            }
        };
        for element in document.outer.iter() {
            element.visit(&mut see);
        }
        document.world.visit(&mut |element| {
            if matches!(element.tag(), "camera" | "light") {
                see(element);
            }
        });
        referenced
    }

    /// Whether something outside the tree refers to the mesh called `name`.
    pub fn needs_mesh(&self, name: &str) -> bool {
        self.meshes.contains(name)
    }

    fn needs(&self, body: &BodyDraft) -> bool {
        let named = body.name.as_ref().is_some_and(|name| self.bodies.contains(name));
        named
            || body
                .sites
                .iter()
                .any(|site| site.name.as_ref().is_some_and(|name| self.load_cells.contains(name)))
    }
}

/// Whether `child` and the body around it can be one without a change of the forces on them.
fn act_alike(parent: &BodyDraft, child: &BodyDraft, referenced: &Referenced) -> bool {
    let has_mass = child.inertia.mass >= MIN_MASS;
    let is_pushed = has_mass || child.geoms.iter().any(|geom| geom.geom.fluid[0] != 0.0);
    // compensation of weight is a property of the whole body
    let floats_alike = !has_mass || child.gravcomp == parent.gravcomp;
    floats_alike && !(referenced.in_medium && is_pushed)
}

/// Fuses every body that cannot move with its parent, unless something refers to it.
pub fn fuse_static(parent: &mut BodyDraft, is_world: bool, referenced: &Referenced, problems: &mut Problems) {
    let mut waiting: Vec<BodyDraft> = std::mem::take(&mut parent.children);
    waiting.reverse();
    while let Some(mut child) = waiting.pop() {
        let acts_alike = is_world || act_alike(parent, &child, referenced);
        if !child.is_fixed() || !child.may_fuse || !acts_alike || referenced.needs(&child) {
            parent.children.push(child);
            continue;
        }
        // its children take its place, and may be fused in turn
        for mut grandchild in std::mem::take(&mut child.children).into_iter().rev() {
            grandchild.pose = child.pose.then(&grandchild.pose);
            waiting.push(grandchild);
        }
        absorb(parent, child, is_world, problems);
    }
    for child in &mut parent.children {
        fuse_static(child, false, referenced, problems);
    }
}

/// Takes over all that stands in a fixed child.
fn absorb<'d>(parent: &mut BodyDraft<'d>, mut child: BodyDraft<'d>, is_world: bool, problems: &mut Problems) {
    if !is_world && child.inertia.mass >= MIN_MASS {
        let parts = [parent.inertia, seen_from(&child.inertia, &child.pose)];
        match inertia::join(&parts) {
            Ok(sum) => parent.inertia = sum,
            Err(_) => problems.push(
                child
                    .element
                    .problem("the inertia of the fused bodies is not positive definite"),
            ),
        }
    }
    let pose = child.pose;
    move_contents(&mut child, &pose);
    parent.geoms.append(&mut child.geoms);
    parent.sites.append(&mut child.sites);
    parent.cameras.append(&mut child.cameras);
    parent.lights.append(&mut child.lights);
}

/// Drops geoms that collide with nothing and that nothing refers to.
pub fn discard_visuals(body: &mut BodyDraft, referenced: &Referenced) {
    let is_seen_only = |geom: &GeomDraft| {
        let named = geom
            .geom
            .name
            .as_ref()
            .is_some_and(|name| referenced.geoms.contains(name));
        // a geom that the medium pushes is more than seen
        geom.geom.contype == 0 && geom.geom.conaffinity == 0 && geom.geom.fluid[0] == 0.0 && !named
    };
    body.geoms.retain(|geom| !is_seen_only(geom));
    for child in &mut body.children {
        discard_visuals(child, referenced);
    }
}
