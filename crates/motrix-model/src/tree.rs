//! The kinematic tree: bodies, joints, degrees of freedom, and what is fixed to bodies.

use crate::{BodyId, DofId, HFieldId, JointId, MaterialId, MeshId, Quat, SolImp, SolRef, Vec3};

/// A rigid body: one `<body>` of the file, or the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Name, when the file gives one.
    pub name: Option<String>,
    /// Parent body (`body_parentid`); the world is its own parent.
    pub parent: BodyId,
    /// Ancestor that is a direct child of the world (`body_rootid`).
    pub root: BodyId,
    /// Topmost ancestor reached without crossing a joint (`body_weldid`).
    pub weld: BodyId,
    /// Tree in [`crate::Model::trees`], or none when nothing can move it (`body_treeid`).
    pub tree: Option<usize>,
    /// Row of the mocap arrays (`body_mocapid`).
    pub mocap: Option<usize>,
    /// First joint (`body_jntadr`); meaningful when `joint_count > 0`.
    pub first_joint: usize,
    /// Number of joints (`body_jntnum`).
    pub joint_count: usize,
    /// First dof (`body_dofadr`); meaningful when `dof_count > 0`.
    pub first_dof: usize,
    /// Number of dofs (`body_dofnum`).
    pub dof_count: usize,
    /// First geom (`body_geomadr`); meaningful when `geom_count > 0`.
    pub first_geom: usize,
    /// Number of geoms (`body_geomnum`).
    pub geom_count: usize,
    /// Position in the parent (`body_pos`).
    pub position: Vec3,
    /// Orientation in the parent (`body_quat`).
    pub orientation: Quat,
    /// Centre of mass in the body (`body_ipos`).
    pub com: Vec3,
    /// Principal axes in the body (`body_iquat`).
    pub inertia_orientation: Quat,
    /// Mass (`body_mass`).
    pub mass: f64,
    /// Principal moments of inertia (`body_inertia`).
    pub inertia: Vec3,
    /// Mass of the body and all its descendants (`body_subtreemass`).
    pub subtree_mass: f64,
    /// Mean inverse inertia in the reference pose: translation, rotation (`body_invweight0`).
    pub invweight: [f64; 2],
    /// Share of the weight that is compensated (`body_gravcomp`).
    pub gravcomp: f64,
    /// User numbers (`body_user`).
    pub user: Vec<f64>,
}

/// What a joint allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointKind {
    /// Three world translations, then rotation in body axes: 7 positions, 6 velocities.
    Free,
    /// Rotation about a point: 4 positions, 3 velocities.
    Ball,
    /// Translation along an axis.
    Slide,
    /// Rotation about an axis.
    Hinge,
}

impl JointKind {
    /// Entries of `qpos`.
    pub const fn position_count(self) -> usize {
        match self {
            JointKind::Free => 7,
            JointKind::Ball => 4,
            JointKind::Slide | JointKind::Hinge => 1,
        }
    }
    /// Entries of `qvel`.
    pub const fn dof_count(self) -> usize {
        match self {
            JointKind::Free => 6,
            JointKind::Ball => 3,
            JointKind::Slide | JointKind::Hinge => 1,
        }
    }
}

/// A joint between a body and its parent.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Name, when the file gives one.
    pub name: Option<String>,
    /// What it allows (`jnt_type`).
    pub kind: JointKind,
    /// Body that it moves (`jnt_bodyid`).
    pub body: BodyId,
    /// First entry of `qpos` (`jnt_qposadr`).
    pub first_position: usize,
    /// First entry of `qvel` (`jnt_dofadr`).
    pub first_dof: usize,
    /// Anchor in the body (`jnt_pos`).
    pub anchor: Vec3,
    /// Axis in the body, unit (`jnt_axis`).
    pub axis: Vec3,
    /// Spring stiffness (`jnt_stiffness`).
    pub stiffness: f64,
    /// Higher-order stiffness (`jnt_stiffnesspoly`).
    pub stiffness_poly: [f64; 2],
    /// Deflection beyond which the spring yields and keeps a permanent set; 0 is elastic (`jnt_springyield`).
    pub spring_yield: f64,
    /// Limits, when they act (`jnt_limited`).
    pub limited: bool,
    /// Limits as written (`jnt_range`); angles in radians.
    pub range: [f64; 2],
    /// Distance at which a limit becomes active (`jnt_margin`).
    pub margin: f64,
    /// Reference of the limit constraint (`jnt_solref`).
    pub solref: SolRef,
    /// Impedance of the limit constraint (`jnt_solimp`).
    pub solimp: SolImp,
    /// Whether the total actuator force is clamped (`jnt_actfrclimited`).
    pub actuator_force_limited: bool,
    /// Range of the total actuator force (`jnt_actfrcrange`).
    pub actuator_force_range: [f64; 2],
    /// Whether gravity compensation counts as actuator force (`jnt_actgravcomp`).
    pub actuator_gravcomp: bool,
    /// Visual group.
    pub group: i32,
    /// User numbers (`jnt_user`).
    pub user: Vec<f64>,
}

/// One degree of freedom.
#[derive(Clone, Debug, PartialEq)]
pub struct Dof {
    /// Body that it moves (`dof_bodyid`).
    pub body: BodyId,
    /// Joint it belongs to (`dof_jntid`).
    pub joint: JointId,
    /// Next dof towards the root (`dof_parentid`).
    pub parent: Option<DofId>,
    /// Tree in [`crate::Model::trees`] (`dof_treeid`).
    pub tree: usize,
    /// Rotor inertia (`dof_armature`).
    pub armature: f64,
    /// Viscous damping (`dof_damping`).
    pub damping: f64,
    /// Higher-order damping (`dof_dampingpoly`).
    pub damping_poly: [f64; 2],
    /// Dry friction (`dof_frictionloss`).
    pub frictionloss: f64,
    /// Reference of the friction constraint (`dof_solref`).
    pub solref: SolRef,
    /// Impedance of the friction constraint (`dof_solimp`).
    pub solimp: SolImp,
    /// Inverse inertia in the reference pose (`dof_invweight0`).
    pub invweight: f64,
    /// Diagonal inertia in the reference pose (`dof_M0`).
    pub inertia0: f64,
    /// Length scale: 1 for translations (`dof_length`).
    pub length: f64,
}

/// A kinematic tree: bodies and dofs are contiguous.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// First body (`tree_bodyadr`).
    pub first_body: usize,
    /// Number of bodies (`tree_bodynum`).
    pub body_count: usize,
    /// First dof (`tree_dofadr`).
    pub first_dof: usize,
    /// Number of dofs (`tree_dofnum`).
    pub dof_count: usize,
    /// Whether the tree may sleep (`tree_sleep_policy`).
    pub sleep: SleepPolicy,
}

/// Whether a resting tree may be put to sleep (`mjtSleepPolicy`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SleepPolicy {
    /// Not decided by the file; the compiler found a reason against it, such as an actuator.
    AutoNever,
    /// Not decided by the file; nothing speaks against it.
    #[default]
    AutoAllowed,
    /// Never, says the file.
    Never,
    /// Allowed, says the file.
    Allowed,
    /// Asleep from the start, says the file.
    Initially,
}

/// Shape of a geom or a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeomKind {
    /// Half-space below the local xy plane.
    Plane,
    /// Terrain.
    HField(HFieldId),
    /// Sphere.
    Sphere,
    /// Capsule along local z.
    Capsule,
    /// Ellipsoid.
    Ellipsoid,
    /// Cylinder along local z.
    Cylinder,
    /// Box.
    Box,
    /// Convex hull of a mesh for collision, the mesh itself for pictures and rays.
    Mesh(MeshId),
}

impl GeomKind {
    /// MuJoCo's number for the type (`mjtGeom`); the lower of a pair comes first.
    pub const fn code(self) -> u8 {
        match self {
            GeomKind::Plane => 0,
            GeomKind::HField(_) => 1,
            GeomKind::Sphere => 2,
            GeomKind::Capsule => 3,
            GeomKind::Ellipsoid => 4,
            GeomKind::Cylinder => 5,
            GeomKind::Box => 6,
            GeomKind::Mesh(_) => 7,
        }
    }
}

/// A shape fixed to a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Geom {
    /// Name, when the file gives one.
    pub name: Option<String>,
    /// Body (`geom_bodyid`).
    pub body: BodyId,
    /// Shape (`geom_type`, `geom_dataid`).
    pub kind: GeomKind,
    /// Size parameters as MuJoCo stores them (`geom_size`).
    pub size: Vec3,
    /// Position in the body (`geom_pos`).
    pub position: Vec3,
    /// Orientation in the body (`geom_quat`).
    pub orientation: Quat,
    /// Contact type bits (`geom_contype`).
    pub contype: u32,
    /// Contact affinity bits (`geom_conaffinity`).
    pub conaffinity: u32,
    /// Contact dimension: 1, 3, 4 or 6 (`geom_condim`).
    pub condim: u8,
    /// Priority: the higher one decides a pair's parameters (`geom_priority`).
    pub priority: i32,
    /// Weight in mixing `solref` and `solimp` (`geom_solmix`).
    pub solmix: f64,
    /// Contact reference (`geom_solref`).
    pub solref: SolRef,
    /// Contact impedance (`geom_solimp`).
    pub solimp: SolImp,
    /// Friction: slide, spin, roll (`geom_friction`).
    pub friction: Vec3,
    /// Distance below which a contact acts (`geom_margin`).
    pub margin: f64,
    /// Further distance in which it is detected but does not act (`geom_gap`).
    pub gap: f64,
    /// Adhesive force of contacts (`geom_adhesion`).
    pub adhesion: f64,
    /// Surface velocity in the geom: linear, angular (`geom_surfacevel`).
    pub surface_velocity: [f64; 6],
    /// Fluid coefficients (`geom_fluid`).
    pub fluid: [f64; 12],
    /// Bounding box: centre, half size (`geom_aabb`).
    pub aabb: [f64; 6],
    /// Bounding radius about the geom frame, 0 when unbounded (`geom_rbound`).
    pub bounding_radius: f64,
    /// Visual group.
    pub group: i32,
    /// Whether it casts shadows in pictures (`geom_castshadow`).
    pub cast_shadow: bool,
    /// Material for pictures.
    pub material: Option<MaterialId>,
    /// Colour for pictures.
    pub rgba: [f32; 4],
    /// Mesh the size of a primitive was fitted to.
    pub fitted_mesh: Option<MeshId>,
    /// User numbers (`geom_user`).
    pub user: Vec<f64>,
}

/// A marked frame on a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Site {
    /// Name, when the file gives one.
    pub name: Option<String>,
    /// Body (`site_bodyid`).
    pub body: BodyId,
    /// Shape, for pictures and touch sensors (`site_type`).
    pub kind: GeomKind,
    /// Size parameters (`site_size`).
    pub size: Vec3,
    /// Position in the body (`site_pos`).
    pub position: Vec3,
    /// Orientation in the body (`site_quat`).
    pub orientation: Quat,
    /// Visual group.
    pub group: i32,
    /// Material for pictures.
    pub material: Option<MaterialId>,
    /// Colour for pictures.
    pub rgba: [f32; 4],
    /// User numbers (`site_user`).
    pub user: Vec<f64>,
}
