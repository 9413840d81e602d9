//! Bodies, joints, dofs, trees and geoms.

use super::{Entry, each, flag, index, optional, rows, wide, wide_rows};
use crate::{DofId, GeomKind, MaterialId};

fn address(first: usize, count: usize) -> f64 {
    optional((count > 0).then_some(first))
}

pub(super) const BODIES: &[Entry] = &[
    ("body_parentid", |m| each(&m.bodies, |b| index(b.parent.index()))),
    ("body_rootid", |m| each(&m.bodies, |b| index(b.root.index()))),
    ("body_weldid", |m| each(&m.bodies, |b| index(b.weld.index()))),
    ("body_treeid", |m| each(&m.bodies, |b| optional(b.tree))),
    ("body_mocapid", |m| each(&m.bodies, |b| optional(b.mocap))),
    ("body_jntnum", |m| each(&m.bodies, |b| index(b.joint_count))),
    ("body_jntadr", |m| {
        each(&m.bodies, |b| address(b.first_joint, b.joint_count))
    }),
    ("body_dofnum", |m| each(&m.bodies, |b| index(b.dof_count))),
    ("body_dofadr", |m| {
        each(&m.bodies, |b| address(b.first_dof, b.dof_count))
    }),
    ("body_geomnum", |m| each(&m.bodies, |b| index(b.geom_count))),
    ("body_geomadr", |m| {
        each(&m.bodies, |b| address(b.first_geom, b.geom_count))
    }),
    ("body_pos", |m| rows(&m.bodies, |b| b.position)),
    ("body_quat", |m| rows(&m.bodies, |b| b.orientation)),
    ("body_ipos", |m| rows(&m.bodies, |b| b.com)),
    ("body_iquat", |m| rows(&m.bodies, |b| b.inertia_orientation)),
    ("body_mass", |m| each(&m.bodies, |b| b.mass)),
    ("body_inertia", |m| rows(&m.bodies, |b| b.inertia)),
    ("body_subtreemass", |m| each(&m.bodies, |b| b.subtree_mass)),
    ("body_invweight0", |m| rows(&m.bodies, |b| b.invweight)),
    ("body_gravcomp", |m| each(&m.bodies, |b| b.gravcomp)),
    ("body_user", |m| wide_rows(&m.bodies, |b| &b.user)),
    ("tree_bodyadr", |m| each(&m.trees, |t| index(t.first_body))),
    ("tree_bodynum", |m| each(&m.trees, |t| index(t.body_count))),
    ("tree_dofadr", |m| each(&m.trees, |t| index(t.first_dof))),
    ("tree_dofnum", |m| each(&m.trees, |t| index(t.dof_count))),
    ("tree_sleep_policy", |m| {
        each(&m.trees, |t| f64::from(t.sleep as u8) + 1.0)
    }),
];

pub(super) const JOINTS: &[Entry] = &[
    ("jnt_type", |m| each(&m.joints, |j| f64::from(j.kind as u8))),
    ("jnt_bodyid", |m| each(&m.joints, |j| index(j.body.index()))),
    ("jnt_qposadr", |m| each(&m.joints, |j| index(j.first_position))),
    ("jnt_dofadr", |m| each(&m.joints, |j| index(j.first_dof))),
    ("jnt_group", |m| each(&m.joints, |j| f64::from(j.group))),
    ("jnt_pos", |m| rows(&m.joints, |j| j.anchor)),
    ("jnt_axis", |m| rows(&m.joints, |j| j.axis)),
    ("jnt_stiffness", |m| each(&m.joints, |j| j.stiffness)),
    ("jnt_stiffnesspoly", |m| rows(&m.joints, |j| j.stiffness_poly)),
    ("jnt_springyield", |m| each(&m.joints, |j| j.spring_yield)),
    ("jnt_limited", |m| each(&m.joints, |j| flag(j.limited))),
    ("jnt_range", |m| rows(&m.joints, |j| j.range)),
    ("jnt_margin", |m| each(&m.joints, |j| j.margin)),
    ("jnt_solref", |m| rows(&m.joints, |j| j.solref)),
    ("jnt_solimp", |m| rows(&m.joints, |j| j.solimp)),
    ("jnt_actfrclimited", |m| {
        each(&m.joints, |j| flag(j.actuator_force_limited))
    }),
    ("jnt_actfrcrange", |m| rows(&m.joints, |j| j.actuator_force_range)),
    ("jnt_actgravcomp", |m| each(&m.joints, |j| flag(j.actuator_gravcomp))),
    ("jnt_user", |m| wide_rows(&m.joints, |j| &j.user)),
    ("dof_bodyid", |m| each(&m.dofs, |d| index(d.body.index()))),
    ("dof_jntid", |m| each(&m.dofs, |d| index(d.joint.index()))),
    ("dof_parentid", |m| {
        each(&m.dofs, |d| optional(d.parent.map(DofId::index)))
    }),
    ("dof_treeid", |m| each(&m.dofs, |d| index(d.tree))),
    ("dof_armature", |m| each(&m.dofs, |d| d.armature)),
    ("dof_damping", |m| each(&m.dofs, |d| d.damping)),
    ("dof_dampingpoly", |m| rows(&m.dofs, |d| d.damping_poly)),
    ("dof_frictionloss", |m| each(&m.dofs, |d| d.frictionloss)),
    ("dof_solref", |m| rows(&m.dofs, |d| d.solref)),
    ("dof_solimp", |m| rows(&m.dofs, |d| d.solimp)),
    ("dof_invweight0", |m| each(&m.dofs, |d| d.invweight)),
    ("dof_M0", |m| each(&m.dofs, |d| d.inertia0)),
    ("dof_length", |m| each(&m.dofs, |d| d.length)),
];

/// Index of the mesh or height field of a shape (`geom_dataid`).
pub(super) fn data_id(kind: GeomKind) -> f64 {
    match kind {
        GeomKind::HField(id) => index(id.index()),
        GeomKind::Mesh(id) => index(id.index()),
        _ => -1.0,
    }
}

pub(super) const GEOMS: &[Entry] = &[
    ("geom_type", |m| each(&m.geoms, |g| f64::from(g.kind.code()))),
    ("geom_dataid", |m| each(&m.geoms, |g| data_id(g.kind))),
    ("geom_bodyid", |m| each(&m.geoms, |g| index(g.body.index()))),
    ("geom_size", |m| rows(&m.geoms, |g| g.size)),
    ("geom_pos", |m| rows(&m.geoms, |g| g.position)),
    ("geom_quat", |m| rows(&m.geoms, |g| g.orientation)),
    // MuJoCo's bits are signed.
    ("geom_contype", |m| each(&m.geoms, |g| f64::from(g.contype as i32))),
    ("geom_conaffinity", |m| {
        each(&m.geoms, |g| f64::from(g.conaffinity as i32))
    }),
    ("geom_condim", |m| each(&m.geoms, |g| f64::from(g.condim))),
    ("geom_priority", |m| each(&m.geoms, |g| f64::from(g.priority))),
    ("geom_solmix", |m| each(&m.geoms, |g| g.solmix)),
    ("geom_solref", |m| rows(&m.geoms, |g| g.solref)),
    ("geom_solimp", |m| rows(&m.geoms, |g| g.solimp)),
    ("geom_friction", |m| rows(&m.geoms, |g| g.friction)),
    ("geom_margin", |m| each(&m.geoms, |g| g.margin)),
    ("geom_gap", |m| each(&m.geoms, |g| g.gap)),
    ("geom_adhesion", |m| each(&m.geoms, |g| g.adhesion)),
    ("geom_surfacevel", |m| rows(&m.geoms, |g| g.surface_velocity)),
    ("geom_fluid", |m| rows(&m.geoms, |g| g.fluid)),
    ("geom_aabb", |m| rows(&m.geoms, |g| g.aabb)),
    ("geom_rbound", |m| each(&m.geoms, |g| g.bounding_radius)),
    ("geom_group", |m| each(&m.geoms, |g| f64::from(g.group))),
    ("geom_castshadow", |m| each(&m.geoms, |g| flag(g.cast_shadow))),
    ("geom_matid", |m| {
        each(&m.geoms, |g| optional(g.material.map(MaterialId::index)))
    }),
    ("geom_rgba", |m| rows(&m.geoms, |g| wide(g.rgba))),
    ("geom_user", |m| wide_rows(&m.geoms, |g| &g.user)),
];
