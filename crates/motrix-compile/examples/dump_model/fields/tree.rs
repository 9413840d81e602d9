//! Bodies, joints, dofs and geoms.

use motrix_model::*;

use super::{Fields, all, each, flag, index, optional};

pub(super) fn bodies(fields: &mut Fields, model: &Model) {
    let list = &model.bodies;
    fields.names("names/body", list, |b| b.name.as_deref());
    let address = |first: usize, count: usize| if count > 0 { index(first) } else { -1.0 };
    each!(fields, list,
        "body_parentid" => |b| index(b.parent.index()),
        "body_rootid" => |b| index(b.root.index()),
        "body_weldid" => |b| index(b.weld.index()),
        "body_treeid" => |b| optional(b.tree),
        "body_mocapid" => |b| optional(b.mocap),
        "body_jntnum" => |b| index(b.joint_count),
        "body_jntadr" => |b| address(b.first_joint, b.joint_count),
        "body_dofnum" => |b| index(b.dof_count),
        "body_dofadr" => |b| address(b.first_dof, b.dof_count),
        "body_geomnum" => |b| index(b.geom_count),
        "body_geomadr" => |b| address(b.first_geom, b.geom_count),
        "body_mass" => |b| b.mass,
        "body_subtreemass" => |b| b.subtree_mass,
        "body_gravcomp" => |b| b.gravcomp,
    );
    all!(fields, list,
        "body_pos" => |b| b.position,
        "body_quat" => |b| b.orientation,
        "body_ipos" => |b| b.com,
        "body_iquat" => |b| b.inertia_orientation,
        "body_inertia" => |b| b.inertia,
        "body_invweight0" => |b| b.invweight,
        "body_user" => |b| b.user,
    );
    each!(fields, model.trees,
        "tree_bodyadr" => |t| index(t.first_body),
        "tree_bodynum" => |t| index(t.body_count),
        "tree_dofadr" => |t| index(t.first_dof),
        "tree_dofnum" => |t| index(t.dof_count),
        "tree_sleep_policy" => |t| t.sleep as u8 as f64 + 1.0,
    );
}

pub(super) fn joints(fields: &mut Fields, model: &Model) {
    let list = &model.joints;
    fields.names("names/joint", list, |j| j.name.as_deref());
    each!(fields, list,
        "jnt_type" => |j| j.kind as u8 as f64,
        "jnt_bodyid" => |j| index(j.body.index()),
        "jnt_qposadr" => |j| index(j.first_position),
        "jnt_dofadr" => |j| index(j.first_dof),
        "jnt_group" => |j| j.group,
        "jnt_limited" => |j| flag(j.limited),
        "jnt_actfrclimited" => |j| flag(j.actuator_force_limited),
        "jnt_actgravcomp" => |j| flag(j.actuator_gravcomp),
        "jnt_stiffness" => |j| j.stiffness,
        "jnt_springyield" => |j| j.spring_yield,
        "jnt_margin" => |j| j.margin,
    );
    all!(fields, list,
        "jnt_pos" => |j| j.anchor,
        "jnt_axis" => |j| j.axis,
        "jnt_range" => |j| j.range,
        "jnt_stiffnesspoly" => |j| j.stiffness_poly,
        "jnt_actfrcrange" => |j| j.actuator_force_range,
        "jnt_solref" => |j| j.solref,
        "jnt_solimp" => |j| j.solimp,
        "jnt_user" => |j| j.user,
    );
    let list = &model.dofs;
    each!(fields, list,
        "dof_bodyid" => |d| index(d.body.index()),
        "dof_jntid" => |d| index(d.joint.index()),
        "dof_parentid" => |d| optional(d.parent.map(DofId::index)),
        "dof_treeid" => |d| index(d.tree),
        "dof_armature" => |d| d.armature,
        "dof_damping" => |d| d.damping,
        "dof_frictionloss" => |d| d.frictionloss,
        "dof_invweight0" => |d| d.invweight,
        "dof_M0" => |d| d.inertia0,
        "dof_length" => |d| d.length,
    );
    all!(fields, list,
        "dof_dampingpoly" => |d| d.damping_poly,
        "dof_solref" => |d| d.solref,
        "dof_solimp" => |d| d.solimp,
    );
}

/// Index of the mesh or height field of a shape (`geom_dataid`).
pub(super) fn data_id(kind: GeomKind) -> f64 {
    match kind {
        GeomKind::HField(id) => index(id.index()),
        GeomKind::Mesh(id) => index(id.index()),
        _ => -1.0,
    }
}

pub(super) fn geoms(fields: &mut Fields, model: &Model) {
    let list = &model.geoms;
    fields.names("names/geom", list, |g| g.name.as_deref());
    each!(fields, list,
        "geom_type" => |g| f64::from(g.kind.code()),
        "geom_dataid" => |g| data_id(g.kind),
        "geom_bodyid" => |g| index(g.body.index()),
        // MuJoCo's bits are signed
        "geom_contype" => |g| g.contype as i32,
        "geom_conaffinity" => |g| g.conaffinity as i32,
        "geom_condim" => |g| g.condim,
        "geom_priority" => |g| g.priority,
        "geom_group" => |g| g.group,
        "geom_castshadow" => |g| flag(g.cast_shadow),
        "geom_matid" => |g| optional(g.material.map(MaterialId::index)),
        "geom_solmix" => |g| g.solmix,
        "geom_margin" => |g| g.margin,
        "geom_gap" => |g| g.gap,
        "geom_adhesion" => |g| g.adhesion,
        "geom_rbound" => |g| g.bounding_radius,
    );
    all!(fields, list,
        "geom_size" => |g| g.size,
        "geom_pos" => |g| g.position,
        "geom_quat" => |g| g.orientation,
        "geom_solref" => |g| g.solref,
        "geom_solimp" => |g| g.solimp,
        "geom_friction" => |g| g.friction,
        "geom_surfacevel" => |g| g.surface_velocity,
        "geom_fluid" => |g| g.fluid,
        "geom_aabb" => |g| g.aabb,
        "geom_rgba" => |g| g.rgba,
        "geom_user" => |g| g.user,
    );
}
