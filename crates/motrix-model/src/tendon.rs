//! Tendons: scalar lengths that depend on the configuration.

use crate::{DofId, GeomId, JointId, MaterialId, SiteId, SolImp, SolRef};

/// One item of a tendon's path (`wrap_type`, `wrap_objid`, `wrap_prm`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PathItem {
    /// A joint with its coefficient (fixed tendons).
    Joint(JointId, f64),
    /// A pulley that divides the length after it.
    Pulley(f64),
    /// A point the tendon passes through.
    Site(SiteId),
    /// A sphere it wraps around, with an optional side site.
    Sphere(GeomId, Option<SiteId>),
    /// An infinite cylinder it wraps around, with an optional side site.
    Cylinder(GeomId, Option<SiteId>),
}

/// How the length is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TendonKind {
    /// Linear combination of joint coordinates.
    Fixed,
    /// Shortest path through sites and around geoms.
    Spatial,
}

/// A tendon.
#[derive(Clone, Debug, PartialEq)]
pub struct Tendon {
    /// Name, when the file gives one.
    pub name: Option<String>,
    /// How the length is made.
    pub kind: TendonKind,
    /// The path in order.
    pub path: Vec<PathItem>,
    /// Dofs that can change the length, ascending: the columns of its Jacobian (`ten_J_colind`).
    pub dofs: Vec<DofId>,
    /// Whether the limits act (`tendon_limited`).
    pub limited: bool,
    /// Length limits (`tendon_range`).
    pub range: [f64; 2],
    /// Distance at which a limit becomes active (`tendon_margin`).
    pub margin: f64,
    /// Limit reference (`tendon_solref_lim`).
    pub solref_limit: SolRef,
    /// Limit impedance (`tendon_solimp_lim`).
    pub solimp_limit: SolImp,
    /// Friction reference (`tendon_solref_fri`).
    pub solref_friction: SolRef,
    /// Friction impedance (`tendon_solimp_fri`).
    pub solimp_friction: SolImp,
    /// Dry friction (`tendon_frictionloss`).
    pub frictionloss: f64,
    /// Whether the total actuator force is clamped (`tendon_actfrclimited`).
    pub actuator_force_limited: bool,
    /// Range of the total actuator force (`tendon_actfrcrange`).
    pub actuator_force_range: [f64; 2],
    /// Spring stiffness (`tendon_stiffness`).
    pub stiffness: f64,
    /// Higher-order stiffness (`tendon_stiffnesspoly`).
    pub stiffness_poly: [f64; 2],
    /// Force beyond which the spring yields and keeps a permanent set; 0 is elastic (`tendon_springyield`).
    pub spring_yield: f64,
    /// Viscous damping (`tendon_damping`).
    pub damping: f64,
    /// Higher-order damping (`tendon_dampingpoly`).
    pub damping_poly: [f64; 2],
    /// Inertia of tendon motion (`tendon_armature`).
    pub armature: f64,
    /// Rest length of the spring: a range without force (`tendon_lengthspring`).
    pub spring_length: [f64; 2],
    /// Length in the reference pose (`tendon_length0`).
    pub length0: f64,
    /// Inverse weight in the reference pose (`tendon_invweight0`).
    pub invweight: f64,
    /// Width for pictures.
    pub width: f64,
    /// Visual group.
    pub group: i32,
    /// Material for pictures.
    pub material: Option<MaterialId>,
    /// Colour for pictures.
    pub rgba: [f32; 4],
    /// User numbers (`tendon_user`).
    pub user: Vec<f64>,
}
