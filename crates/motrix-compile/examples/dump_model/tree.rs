//! Bodies, joints, geoms, and what else is fixed to bodies.

use motrix_model::*;

use crate::json::*;

pub fn bodies(json: &mut Json, model: &Model) {
    let list = &model.bodies;
    names(json, "names/body", list, |b| b.name.as_deref());
    let address = |first: usize, count: usize| if count > 0 { index(first) } else { -1.0 };
    each!(json, list,
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
    all!(json, list,
        "body_pos" => |b| b.position,
        "body_quat" => |b| b.orientation,
        "body_ipos" => |b| b.com,
        "body_iquat" => |b| b.inertia_orientation,
        "body_inertia" => |b| b.inertia,
        "body_invweight0" => |b| b.invweight,
        "body_user" => |b| b.user,
    );
    each!(json, model.trees,
        "tree_bodyadr" => |t| index(t.first_body),
        "tree_bodynum" => |t| index(t.body_count),
        "tree_dofadr" => |t| index(t.first_dof),
        "tree_dofnum" => |t| index(t.dof_count),
        "tree_sleep_policy" => |t| t.sleep as u8 as f64 + 1.0,
    );
}

pub fn joints(json: &mut Json, model: &Model) {
    let list = &model.joints;
    names(json, "names/joint", list, |j| j.name.as_deref());
    each!(json, list,
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
    all!(json, list,
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
    each!(json, list,
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
    all!(json, list,
        "dof_dampingpoly" => |d| d.damping_poly,
        "dof_solref" => |d| d.solref,
        "dof_solimp" => |d| d.solimp,
    );
}

pub fn data_id(kind: GeomKind) -> f64 {
    match kind {
        GeomKind::HField(id) => index(id.index()),
        GeomKind::Mesh(id) => index(id.index()),
        _ => -1.0,
    }
}

pub fn geoms(json: &mut Json, model: &Model) {
    let list = &model.geoms;
    names(json, "names/geom", list, |g| g.name.as_deref());
    each!(json, list,
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
    all!(json, list,
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

pub fn sites_and_cameras(json: &mut Json, model: &Model) {
    let list = &model.sites;
    names(json, "names/site", list, |s| s.name.as_deref());
    each!(json, list,
        "site_type" => |s| f64::from(s.kind.code()),
        "site_bodyid" => |s| index(s.body.index()),
        "site_dataid" => |s| data_id(s.kind),
        "site_matid" => |s| optional(s.material.map(MaterialId::index)),
        "site_group" => |s| s.group,
    );
    all!(json, list,
        "site_size" => |s| s.size,
        "site_pos" => |s| s.position,
        "site_quat" => |s| s.orientation,
        "site_rgba" => |s| s.rgba,
        "site_user" => |s| s.user,
    );
    let list = &model.cameras;
    names(json, "names/camera", list, |c| c.name.as_deref());
    each!(json, list,
        "cam_bodyid" => |c| index(c.body.index()),
        "cam_mode" => |c| c.mode as u8 as f64,
        "cam_targetbodyid" => |c| optional(c.target.map(BodyId::index)),
        "cam_projection" => |c| flag(c.orthographic),
        "cam_fovy" => |c| c.fovy,
        "cam_ipd" => |c| c.ipd,
        "cam_output" => |c| c.output,
    );
    all!(json, list,
        "cam_pos" => |c| c.position,
        "cam_quat" => |c| c.orientation,
        "cam_poscom0" => |c| c.offset_from_com0,
        "cam_pos0" => |c| c.offset_from_body0,
        "cam_mat0" => |c| c.rotation0,
        "cam_resolution" => |c| c.resolution,
        "cam_sensorsize" => |c| c.sensor_size,
        "cam_intrinsic" => |c| c.intrinsic,
        "cam_user" => |c| c.user,
    );
}

pub fn lights(json: &mut Json, model: &Model) {
    let list = &model.lights;
    names(json, "names/light", list, |l| l.name.as_deref());
    each!(json, list,
        "light_bodyid" => |l| index(l.body.index()),
        "light_mode" => |l| l.mode as u8 as f64,
        "light_targetbodyid" => |l| optional(l.target.map(BodyId::index)),
        "light_type" => |l| l.kind as u8 as f64,
        "light_texid" => |l| optional(l.texture.map(TextureId::index)),
        "light_castshadow" => |l| flag(l.cast_shadow),
        "light_active" => |l| flag(l.active),
        "light_bulbradius" => |l| l.bulb_radius,
        "light_intensity" => |l| l.intensity,
        "light_range" => |l| l.range,
        "light_softness" => |l| l.softness,
        "light_cutoff" => |l| l.cutoff,
        "light_exponent" => |l| l.exponent,
    );
    all!(json, list,
        "light_pos" => |l| l.position,
        "light_dir" => |l| l.direction,
        "light_poscom0" => |l| l.offset_from_com0,
        "light_pos0" => |l| l.offset_from_body0,
        "light_dir0" => |l| l.direction0,
        "light_attenuation" => |l| l.attenuation,
        "light_ambient" => |l| l.ambient,
        "light_diffuse" => |l| l.diffuse,
        "light_specular" => |l| l.specular,
    );
}
