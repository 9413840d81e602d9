//! Equality constraints.

use crate::{BodyId, JointId, SiteId, SolImp, SolRef, TendonId, Vec3};

/// What is held equal.
#[derive(Clone, Debug, PartialEq)]
pub enum EqualityKind {
    /// A point of one body at a point of another.
    Connect {
        /// First body.
        body1: BodyId,
        /// Second body (the world when left out).
        body2: BodyId,
        /// Anchor in each body.
        anchors: [Vec3; 2],
        /// Sites that define the anchors instead, when the file names sites.
        sites: Option<[SiteId; 2]>,
    },
    /// The relative pose of two bodies.
    Weld {
        /// First body.
        body1: BodyId,
        /// Second body (the world when left out).
        body2: BodyId,
        /// MuJoCo's `eq_data`: anchor in body 2, position of body 1 … as in `mjModel` (11 numbers).
        data: [f64; 11],
        /// Whether the relative pose is that of the reference configuration, because the file gives none.
        at_reference: bool,
        /// Sites that define the frames instead, when the file names sites.
        sites: Option<[SiteId; 2]>,
    },
    /// A joint coordinate as a quartic polynomial of another, or a constant.
    Joint {
        /// The constrained joint.
        joint1: JointId,
        /// The independent joint.
        joint2: Option<JointId>,
        /// Polynomial coefficients, constant first.
        polynomial: [f64; 5],
    },
    /// A tendon length as a quartic polynomial of another, or a constant.
    Tendon {
        /// The constrained tendon.
        tendon1: TendonId,
        /// The independent tendon.
        tendon2: Option<TendonId>,
        /// Polynomial coefficients, constant first.
        polynomial: [f64; 5],
    },
}

/// An equality constraint.
#[derive(Clone, Debug, PartialEq)]
pub struct Equality {
    /// Name, when the file gives one.
    pub name: Option<String>,
    /// What is held equal (`eq_type`, `eq_obj1id`, `eq_obj2id`, `eq_data`).
    pub kind: EqualityKind,
    /// Whether it acts initially (`eq_active0`).
    pub active: bool,
    /// Constraint reference (`eq_solref`).
    pub solref: SolRef,
    /// Constraint impedance (`eq_solimp`).
    pub solimp: SolImp,
}
