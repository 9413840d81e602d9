//! Bodies before they are numbered.
//!
//! Static bodies may still be fused with their parents and visual geoms dropped, so bodies are first read into a tree that
//! owns what stands in them. [`super::numbering`] then lists everything in depth-first order. Until then the ids inside
//! (`body`, `first_dof`, ...) are not set.

use motrix_model::{BodyId, Camera, Geom, GeomKind, Joint, Light, MeshId, Site, SleepPolicy};

use super::inertia::MassProperties;
use super::pose::Pose;
use crate::document::{Auto, Element};

/// The body of everything that is not numbered yet.
pub const UNNUMBERED: BodyId = BodyId::WORLD;

/// A body and all that stands in it.
#[derive(Debug)]
pub struct BodyDraft<'d> {
    /// The element, for messages.
    pub element: &'d Element,
    /// Name.
    pub name: Option<String>,
    /// Pose in the parent.
    pub pose: Pose,
    /// Mass, centre and moments in the body.
    pub inertia: MassProperties,
    /// Whether it is moved by the user (`mocap`).
    pub mocap: bool,
    /// Share of the weight that is compensated.
    pub gravcomp: f64,
    /// What the file says about sleeping, if anything.
    pub sleep: Option<SleepPolicy>,
    /// Whether the file forbids the shortcuts for simple bodies.
    pub not_simple: bool,
    /// Whether it may be fused with its parent when it is static.
    pub may_fuse: bool,
    /// User numbers.
    pub user: Vec<f64>,
    /// Joints.
    pub joints: Vec<JointDraft<'d>>,
    /// Geoms.
    pub geoms: Vec<GeomDraft>,
    /// Sites.
    pub sites: Vec<Site>,
    /// Cameras, each with the element that names its target.
    pub cameras: Vec<(Camera, &'d Element)>,
    /// Lights, each with the element that names its target and texture.
    pub lights: Vec<(Light, &'d Element)>,
    /// Child bodies.
    pub children: Vec<BodyDraft<'d>>,
}

impl BodyDraft<'_> {
    /// Whether nothing moves it relative to its parent.
    pub fn is_fixed(&self) -> bool {
        self.joints.is_empty() && !self.mocap
    }

    /// Visits the shape of every geom and site in the body and below, with the mesh a geom was fitted to.
    pub fn visit_shapes(&mut self, see: &mut dyn FnMut(&mut GeomKind, &mut Option<MeshId>)) {
        for geom in &mut self.geoms {
            see(&mut geom.geom.kind, &mut geom.geom.fitted_mesh);
        }
        for site in &mut self.sites {
            see(&mut site.kind, &mut None);
        }
        for child in &mut self.children {
            child.visit_shapes(see);
        }
    }
}

/// A joint with what its dofs take from it.
#[derive(Debug)]
pub struct JointDraft<'d> {
    /// The element, for messages.
    pub element: &'d Element,
    /// The joint.
    pub joint: Joint,
    /// Coordinate in the reference configuration (slide and hinge).
    pub reference: f64,
    /// Coordinate at which the spring rests (slide and hinge).
    pub spring_reference: f64,
    /// Time constant and damping ratio that stiffness and damping follow from.
    pub spring_damper: Option<[f64; 2]>,
    /// Whether a free joint moves the body frame to the inertial frame.
    pub align: Auto,
    /// What its dofs have in common.
    pub dof: DofShare,
}

/// What all dofs of a joint have in common.
#[derive(Clone, Copy, Debug)]
pub struct DofShare {
    /// Rotor inertia.
    pub armature: f64,
    /// Damping: linear and higher orders.
    pub damping: [f64; 3],
    /// Dry friction.
    pub frictionloss: f64,
    /// Reference of the friction constraint.
    pub solref: [f64; 2],
    /// Impedance of the friction constraint.
    pub solimp: [f64; 5],
}

/// A geom with its mass.
#[derive(Debug)]
pub struct GeomDraft {
    /// The geom.
    pub geom: Geom,
    /// Mass, centre and moments in the body; nothing when it does not count.
    pub inertia: Option<MassProperties>,
}
