//! Fields of the compiled model under the names that `mjModel` gives them.

use motrix_model::{
    Actuator, BiasKind, DynamicsKind, EqualityKind, GainKind, GeomKind, Interpolation, JointKind, Model, Object,
    PathItem, Sensor, SensorDataKind, SensorStage, SleepPolicy, TendonKind, TrackMode, Transmission,
};

/// A field of `mjModel`: shape and numbers.
pub type Field = fn(&Model) -> (Vec<usize>, Vec<f64>);

/// Columns of a list of objects as one array.
fn columns<'a, T, const N: usize>(list: &'a [T], numbers: impl Fn(&'a T) -> [f64; N]) -> (Vec<usize>, Vec<f64>) {
    let values = list.iter().flat_map(numbers).collect();
    let shape = if N == 1 { vec![list.len()] } else { vec![list.len(), N] };
    (shape, values)
}

/// A size.
fn count(n: usize) -> (Vec<usize>, Vec<f64>) {
    (vec![], vec![n as f64])
}

/// An index, or −1 for none.
fn id(index: Option<usize>) -> f64 {
    index.map_or(-1.0, |i| i as f64)
}

fn flag(x: bool) -> f64 {
    f64::from(u8::from(x))
}

/// First of `n`, or −1 when there are none.
fn first_of(first: usize, n: usize) -> f64 {
    id((n > 0).then_some(first))
}

/// The fields of bodies, joints, dofs and trees.
const TREE: &[(&str, Field)] = &[
    ("nq", |m| count(m.nq())),
    ("nv", |m| count(m.nv())),
    ("nu", |m| count(m.control_count)),
    ("na", |m| count(m.activation_count)),
    ("nbody", |m| count(m.bodies.len())),
    ("njnt", |m| count(m.joints.len())),
    ("ntree", |m| count(m.trees.len())),
    ("ngeom", |m| count(m.geoms.len())),
    ("nsite", |m| count(m.sites.len())),
    ("ncam", |m| count(m.cameras.len())),
    ("nlight", |m| count(m.lights.len())),
    ("nmesh", |m| count(m.meshes.len())),
    ("nhfield", |m| count(m.hfields.len())),
    ("npair", |m| count(m.explicit_pairs.len())),
    ("neq", |m| count(m.equalities.len())),
    ("ntendon", |m| count(m.tendons.len())),
    ("nactuator", |m| count(m.actuators.len())),
    ("nsensor", |m| count(m.sensors.len())),
    ("nsensordata", |m| count(m.sensor_data_len)),
    ("nmocap", |m| count(m.mocap_count)),
    ("nkey", |m| count(m.keyframes.len())),
    ("qpos0", |m| (vec![m.nq()], m.qpos0.clone())),
    ("qpos_spring", |m| (vec![m.nq()], m.qpos_spring.clone())),
    ("body_parentid", |m| columns(&m.bodies, |b| [b.parent.index() as f64])),
    ("body_rootid", |m| columns(&m.bodies, |b| [b.root.index() as f64])),
    ("body_weldid", |m| columns(&m.bodies, |b| [b.weld.index() as f64])),
    ("body_treeid", |m| columns(&m.bodies, |b| [id(b.tree)])),
    ("body_mocapid", |m| columns(&m.bodies, |b| [id(b.mocap)])),
    ("body_jntnum", |m| columns(&m.bodies, |b| [b.joint_count as f64])),
    ("body_jntadr", |m| {
        columns(&m.bodies, |b| [first_of(b.first_joint, b.joint_count)])
    }),
    ("body_dofnum", |m| columns(&m.bodies, |b| [b.dof_count as f64])),
    ("body_dofadr", |m| {
        columns(&m.bodies, |b| [first_of(b.first_dof, b.dof_count)])
    }),
    ("body_geomnum", |m| columns(&m.bodies, |b| [b.geom_count as f64])),
    ("body_geomadr", |m| {
        columns(&m.bodies, |b| [first_of(b.first_geom, b.geom_count)])
    }),
    ("body_pos", |m| columns(&m.bodies, |b| b.position)),
    ("body_quat", |m| columns(&m.bodies, |b| b.orientation)),
    ("body_ipos", |m| columns(&m.bodies, |b| b.com)),
    ("body_iquat", |m| columns(&m.bodies, |b| b.inertia_orientation)),
    ("body_mass", |m| columns(&m.bodies, |b| [b.mass])),
    ("body_inertia", |m| columns(&m.bodies, |b| b.inertia)),
    ("body_subtreemass", |m| columns(&m.bodies, |b| [b.subtree_mass])),
    ("body_invweight0", |m| columns(&m.bodies, |b| b.invweight)),
    ("body_gravcomp", |m| columns(&m.bodies, |b| [b.gravcomp])),
    ("jnt_type", |m| columns(&m.joints, |j| [joint_code(j.kind)])),
    ("jnt_bodyid", |m| columns(&m.joints, |j| [j.body.index() as f64])),
    ("jnt_qposadr", |m| columns(&m.joints, |j| [j.first_position as f64])),
    ("jnt_dofadr", |m| columns(&m.joints, |j| [j.first_dof as f64])),
    ("jnt_group", |m| columns(&m.joints, |j| [f64::from(j.group)])),
    ("jnt_pos", |m| columns(&m.joints, |j| j.anchor)),
    ("jnt_axis", |m| columns(&m.joints, |j| j.axis)),
    ("jnt_stiffness", |m| columns(&m.joints, |j| [j.stiffness])),
    ("jnt_stiffnesspoly", |m| columns(&m.joints, |j| j.stiffness_poly)),
    ("jnt_springyield", |m| columns(&m.joints, |j| [j.spring_yield])),
    ("jnt_limited", |m| columns(&m.joints, |j| [flag(j.limited)])),
    ("jnt_range", |m| columns(&m.joints, |j| j.range)),
    ("jnt_margin", |m| columns(&m.joints, |j| [j.margin])),
    ("jnt_solref", |m| columns(&m.joints, |j| j.solref)),
    ("jnt_solimp", |m| columns(&m.joints, |j| j.solimp)),
    ("jnt_actfrclimited", |m| {
        columns(&m.joints, |j| [flag(j.actuator_force_limited)])
    }),
    ("jnt_actfrcrange", |m| columns(&m.joints, |j| j.actuator_force_range)),
    ("jnt_actgravcomp", |m| {
        columns(&m.joints, |j| [flag(j.actuator_gravcomp)])
    }),
    ("dof_bodyid", |m| columns(&m.dofs, |d| [d.body.index() as f64])),
    ("dof_jntid", |m| columns(&m.dofs, |d| [d.joint.index() as f64])),
    ("dof_parentid", |m| {
        columns(&m.dofs, |d| [id(d.parent.map(|p| p.index()))])
    }),
    ("dof_treeid", |m| columns(&m.dofs, |d| [d.tree as f64])),
    ("dof_solref", |m| columns(&m.dofs, |d| d.solref)),
    ("dof_solimp", |m| columns(&m.dofs, |d| d.solimp)),
    ("dof_armature", |m| columns(&m.dofs, |d| [d.armature])),
    ("dof_damping", |m| columns(&m.dofs, |d| [d.damping])),
    ("dof_dampingpoly", |m| columns(&m.dofs, |d| d.damping_poly)),
    ("dof_frictionloss", |m| columns(&m.dofs, |d| [d.frictionloss])),
    ("dof_invweight0", |m| columns(&m.dofs, |d| [d.invweight])),
    ("dof_M0", |m| columns(&m.dofs, |d| [d.inertia0])),
    ("dof_length", |m| columns(&m.dofs, |d| [d.length])),
    ("tree_bodyadr", |m| columns(&m.trees, |t| [t.first_body as f64])),
    ("tree_bodynum", |m| columns(&m.trees, |t| [t.body_count as f64])),
    ("tree_dofadr", |m| columns(&m.trees, |t| [t.first_dof as f64])),
    ("tree_dofnum", |m| columns(&m.trees, |t| [t.dof_count as f64])),
    ("tree_sleep_policy", |m| columns(&m.trees, |t| [sleep_code(t.sleep)])),
];

/// The fields of what is fixed to bodies, and of contacts between geoms.
const SHAPES: &[(&str, Field)] = &[
    ("geom_type", |m| columns(&m.geoms, |g| [f64::from(g.kind.code())])),
    ("geom_bodyid", |m| columns(&m.geoms, |g| [g.body.index() as f64])),
    ("geom_dataid", |m| columns(&m.geoms, |g| [data_id(g.kind)])),
    ("geom_group", |m| columns(&m.geoms, |g| [f64::from(g.group)])),
    ("geom_size", |m| columns(&m.geoms, |g| g.size)),
    ("geom_pos", |m| columns(&m.geoms, |g| g.position)),
    ("geom_quat", |m| columns(&m.geoms, |g| g.orientation)),
    ("geom_contype", |m| columns(&m.geoms, |g| [f64::from(g.contype)])),
    ("geom_conaffinity", |m| {
        columns(&m.geoms, |g| [f64::from(g.conaffinity)])
    }),
    ("geom_condim", |m| columns(&m.geoms, |g| [f64::from(g.condim)])),
    ("geom_priority", |m| columns(&m.geoms, |g| [f64::from(g.priority)])),
    ("geom_solmix", |m| columns(&m.geoms, |g| [g.solmix])),
    ("geom_solref", |m| columns(&m.geoms, |g| g.solref)),
    ("geom_solimp", |m| columns(&m.geoms, |g| g.solimp)),
    ("geom_friction", |m| columns(&m.geoms, |g| g.friction)),
    ("geom_margin", |m| columns(&m.geoms, |g| [g.margin])),
    ("geom_gap", |m| columns(&m.geoms, |g| [g.gap])),
    ("geom_surfacevel", |m| columns(&m.geoms, |g| g.surface_velocity)),
    ("geom_adhesion", |m| columns(&m.geoms, |g| [g.adhesion])),
    ("geom_fluid", |m| columns(&m.geoms, |g| g.fluid)),
    ("geom_aabb", |m| columns(&m.geoms, |g| g.aabb)),
    ("geom_rbound", |m| columns(&m.geoms, |g| [g.bounding_radius])),
    ("site_bodyid", |m| columns(&m.sites, |s| [s.body.index() as f64])),
    ("site_type", |m| columns(&m.sites, |s| [f64::from(s.kind.code())])),
    ("site_pos", |m| columns(&m.sites, |s| s.position)),
    ("site_quat", |m| columns(&m.sites, |s| s.orientation)),
    ("site_size", |m| columns(&m.sites, |s| s.size)),
    ("cam_bodyid", |m| columns(&m.cameras, |c| [c.body.index() as f64])),
    ("cam_mode", |m| columns(&m.cameras, |c| [track_code(c.mode)])),
    ("cam_targetbodyid", |m| {
        columns(&m.cameras, |c| [id(c.target.map(|b| b.index()))])
    }),
    ("cam_pos", |m| columns(&m.cameras, |c| c.position)),
    ("cam_quat", |m| columns(&m.cameras, |c| c.orientation)),
    ("cam_poscom0", |m| columns(&m.cameras, |c| c.offset_from_com0)),
    ("cam_pos0", |m| columns(&m.cameras, |c| c.offset_from_body0)),
    ("cam_mat0", |m| columns(&m.cameras, |c| c.rotation0)),
    ("cam_fovy", |m| columns(&m.cameras, |c| [c.fovy])),
    ("cam_resolution", |m| {
        columns(&m.cameras, |c| c.resolution.map(f64::from))
    }),
    ("cam_sensorsize", |m| {
        columns(&m.cameras, |c| c.sensor_size.map(f64::from))
    }),
    ("cam_intrinsic", |m| columns(&m.cameras, |c| c.intrinsic.map(f64::from))),
    ("mesh_pos", |m| columns(&m.meshes, |x| x.position)),
    ("mesh_quat", |m| columns(&m.meshes, |x| x.orientation)),
    ("mesh_scale", |m| columns(&m.meshes, |x| x.scale)),
    ("mesh_vertnum", |m| columns(&m.meshes, |x| [x.vertices.len() as f64])),
    ("mesh_facenum", |m| columns(&m.meshes, |x| [x.faces.len() as f64])),
    ("pair_dim", |m| {
        columns(&m.explicit_pairs, |p| [f64::from(p.params.dim)])
    }),
    ("pair_geom1", |m| {
        columns(&m.explicit_pairs, |p| [p.geom1.index() as f64])
    }),
    ("pair_geom2", |m| {
        columns(&m.explicit_pairs, |p| [p.geom2.index() as f64])
    }),
    ("pair_solref", |m| columns(&m.explicit_pairs, |p| p.params.solref)),
    ("pair_solreffriction", |m| {
        columns(&m.explicit_pairs, |p| p.params.solref_friction)
    }),
    ("pair_solimp", |m| columns(&m.explicit_pairs, |p| p.params.solimp)),
    ("pair_margin", |m| columns(&m.explicit_pairs, |p| [p.params.margin])),
    ("pair_gap", |m| columns(&m.explicit_pairs, |p| [p.params.gap])),
    ("pair_adhesion", |m| columns(&m.explicit_pairs, |p| [p.params.adhesion])),
    ("pair_friction", |m| columns(&m.explicit_pairs, |p| p.params.friction)),
];

/// The fields of equalities, tendons, actuators, sensors and keyframes.
const MECHANISMS: &[(&str, Field)] = &[
    ("eq_type", |m| columns(&m.equalities, |e| [equality(&e.kind).0])),
    ("eq_obj1id", |m| columns(&m.equalities, |e| [equality(&e.kind).1[0]])),
    ("eq_obj2id", |m| columns(&m.equalities, |e| [equality(&e.kind).1[1]])),
    ("eq_objtype", |m| columns(&m.equalities, |e| [equality(&e.kind).2])),
    ("eq_active0", |m| columns(&m.equalities, |e| [flag(e.active)])),
    ("eq_solref", |m| columns(&m.equalities, |e| e.solref)),
    ("eq_solimp", |m| columns(&m.equalities, |e| e.solimp)),
    ("eq_data", |m| columns(&m.equalities, |e| equality(&e.kind).3)),
    ("tendon_type", |m| {
        columns(&m.tendons, |t| [flag(t.kind == TendonKind::Spatial)])
    }),
    ("tendon_num", |m| columns(&m.tendons, |t| [t.path.len() as f64])),
    ("tendon_limited", |m| columns(&m.tendons, |t| [flag(t.limited)])),
    ("tendon_range", |m| columns(&m.tendons, |t| t.range)),
    ("tendon_margin", |m| columns(&m.tendons, |t| [t.margin])),
    ("tendon_solref_lim", |m| columns(&m.tendons, |t| t.solref_limit)),
    ("tendon_solimp_lim", |m| columns(&m.tendons, |t| t.solimp_limit)),
    ("tendon_solref_fri", |m| columns(&m.tendons, |t| t.solref_friction)),
    ("tendon_solimp_fri", |m| columns(&m.tendons, |t| t.solimp_friction)),
    ("tendon_frictionloss", |m| columns(&m.tendons, |t| [t.frictionloss])),
    ("tendon_actfrclimited", |m| {
        columns(&m.tendons, |t| [flag(t.actuator_force_limited)])
    }),
    ("tendon_actfrcrange", |m| {
        columns(&m.tendons, |t| t.actuator_force_range)
    }),
    ("tendon_stiffness", |m| columns(&m.tendons, |t| [t.stiffness])),
    ("tendon_stiffnesspoly", |m| columns(&m.tendons, |t| t.stiffness_poly)),
    ("tendon_springyield", |m| columns(&m.tendons, |t| [t.spring_yield])),
    ("tendon_damping", |m| columns(&m.tendons, |t| [t.damping])),
    ("tendon_dampingpoly", |m| columns(&m.tendons, |t| t.damping_poly)),
    ("tendon_armature", |m| columns(&m.tendons, |t| [t.armature])),
    ("tendon_lengthspring", |m| columns(&m.tendons, |t| t.spring_length)),
    ("tendon_length0", |m| columns(&m.tendons, |t| [t.length0])),
    ("tendon_invweight0", |m| columns(&m.tendons, |t| [t.invweight])),
    ("tendon_width", |m| columns(&m.tendons, |t| [t.width])),
    ("wrap_type", |m| columns(&wraps(m), |w| [w[0]])),
    ("wrap_objid", |m| columns(&wraps(m), |w| [w[1]])),
    ("wrap_prm", |m| columns(&wraps(m), |w| [w[2]])),
    ("actuator_trntype", |m| columns(&m.actuators, |a| [transmission(a).0])),
    ("actuator_trnid", |m| columns(&m.actuators, |a| transmission(a).1)),
    ("actuator_dyntype", |m| {
        columns(&m.actuators, |a| [dynamics_code(a.dynamics)])
    }),
    ("actuator_gaintype", |m| columns(&m.actuators, |a| [gain_code(a.gain)])),
    ("actuator_biastype", |m| columns(&m.actuators, |a| [bias_code(a.bias)])),
    ("actuator_ctrladr", |m| {
        columns(&m.actuators, |a| [a.first_control as f64])
    }),
    ("actuator_ctrlnum", |m| {
        columns(&m.actuators, |a| [a.control_count as f64])
    }),
    ("actuator_actadr", |m| {
        columns(&m.actuators, |a| [id(a.first_activation)])
    }),
    ("actuator_actnum", |m| {
        columns(&m.actuators, |a| [a.activation_count as f64])
    }),
    ("actuator_cranklength", |m| columns(&m.actuators, |a| [crank_length(a)])),
    ("actuator_dynprm", |m| columns(&m.actuators, |a| a.dynamics_params)),
    ("actuator_gainprm", |m| columns(&m.actuators, |a| a.gain_params)),
    ("actuator_biasprm", |m| columns(&m.actuators, |a| a.bias_params)),
    ("actuator_forcelimited", |m| {
        columns(&m.actuators, |a| [flag(a.force_limited)])
    }),
    ("actuator_forcerange", |m| columns(&m.actuators, |a| a.force_range)),
    ("actuator_actlimited", |m| {
        columns(&m.actuators, |a| [flag(a.activation_limited)])
    }),
    ("actuator_actrange", |m| columns(&m.actuators, |a| a.activation_range)),
    ("actuator_actearly", |m| {
        columns(&m.actuators, |a| [flag(a.activation_early)])
    }),
    ("actuator_delay", |m| columns(&m.actuators, |a| [a.delay])),
    ("actuator_damping", |m| columns(&m.actuators, |a| [a.damping])),
    ("actuator_dampingpoly", |m| columns(&m.actuators, |a| a.damping_poly)),
    ("actuator_armature", |m| columns(&m.actuators, |a| [a.armature])),
    ("actuator_group", |m| columns(&m.actuators, |a| [f64::from(a.group)])),
    ("actuator_gear", |m| columns(&outputs(m), |o| o.gear)),
    ("actuator_acc0", |m| columns(&outputs(m), |o| [o.acc0])),
    ("actuator_length0", |m| columns(&outputs(m), |o| [o.length0])),
    ("actuator_lengthrange", |m| columns(&outputs(m), |o| o.length_range)),
    ("actuator_ctrllimited", |m| columns(&controls(m), |c| [c[0]])),
    ("actuator_ctrlrange", |m| columns(&controls(m), |c| [c[1], c[2]])),
    ("sensor_adr", |m| columns(&m.sensors, |s| [s.first as f64])),
    ("sensor_dim", |m| columns(&m.sensors, |s| [s.dim as f64])),
    ("sensor_datatype", |m| columns(&m.sensors, |s| [data_code(s.data)])),
    ("sensor_needstage", |m| columns(&m.sensors, |s| [stage_code(s.stage)])),
    ("sensor_objtype", |m| columns(&m.sensors, |s| [object(s.object)[0]])),
    ("sensor_objid", |m| columns(&m.sensors, |s| [object(s.object)[1]])),
    ("sensor_reftype", |m| columns(&m.sensors, |s| [object(s.reference)[0]])),
    ("sensor_refid", |m| columns(&m.sensors, |s| [object(s.reference)[1]])),
    ("sensor_cutoff", |m| columns(&m.sensors, |s| [s.cutoff])),
    ("sensor_noise", |m| columns(&m.sensors, |s| [s.noise])),
    ("sensor_delay", |m| columns(&m.sensors, |s| [s.delay])),
    ("sensor_interval", |m| columns(&m.sensors, |s| s.interval)),
    ("sensor_history", |m| columns(&m.sensors, history)),
];

/// The fields offered, by MuJoCo's names.
pub fn fields() -> impl Iterator<Item = &'static (&'static str, Field)> {
    TREE.iter().chain(SHAPES).chain(MECHANISMS)
}

/// MuJoCo's number of a joint type.
fn joint_code(kind: JointKind) -> f64 {
    match kind {
        JointKind::Free => 0.0,
        JointKind::Ball => 1.0,
        JointKind::Slide => 2.0,
        JointKind::Hinge => 3.0,
    }
}

fn sleep_code(policy: SleepPolicy) -> f64 {
    match policy {
        SleepPolicy::AutoNever => 1.0,
        SleepPolicy::AutoAllowed => 2.0,
        SleepPolicy::Never => 3.0,
        SleepPolicy::Allowed => 4.0,
        SleepPolicy::Initially => 5.0,
    }
}

fn track_code(mode: TrackMode) -> f64 {
    match mode {
        TrackMode::Fixed => 0.0,
        TrackMode::Track => 1.0,
        TrackMode::TrackCom => 2.0,
        TrackMode::TargetBody => 3.0,
        TrackMode::TargetBodyCom => 4.0,
    }
}

/// The mesh or height field of a geom.
fn data_id(kind: GeomKind) -> f64 {
    match kind {
        GeomKind::HField(field) => field.index() as f64,
        GeomKind::Mesh(mesh) => mesh.index() as f64,
        _ => -1.0,
    }
}

/// MuJoCo's numbers of object types (`mjtObj`).
mod object_code {
    pub const UNKNOWN: f64 = 0.0;
    pub const BODY: f64 = 1.0;
    pub const XBODY: f64 = 2.0;
    pub const JOINT: f64 = 3.0;
    pub const GEOM: f64 = 5.0;
    pub const SITE: f64 = 6.0;
    pub const CAMERA: f64 = 7.0;
    pub const MESH: f64 = 10.0;
    pub const TENDON: f64 = 18.0;
    pub const ACTUATOR: f64 = 19.0;
}

/// Type, two objects, type of the objects and the numbers of an equality.
fn equality(kind: &EqualityKind) -> (f64, [f64; 2], f64, [f64; 12]) {
    let mut data = [0.0; 12];
    let pair = |bodies: [usize; 2], sites: &Option<[motrix_model::SiteId; 2]>| match sites {
        Some(sites) => (sites.map(|s| s.index() as f64), object_code::SITE),
        None => (bodies.map(|b| b as f64), object_code::BODY),
    };
    match kind {
        EqualityKind::Connect {
            body1,
            body2,
            anchors,
            sites,
        } => {
            data[..6].copy_from_slice(anchors.as_flattened());
            let (objects, kind) = pair([body1.index(), body2.index()], sites);
            (0.0, objects, kind, data)
        }
        EqualityKind::Weld {
            body1,
            body2,
            data: weld,
            sites,
        } => {
            data[..11].copy_from_slice(weld);
            let (objects, kind) = pair([body1.index(), body2.index()], sites);
            (1.0, objects, kind, data)
        }
        EqualityKind::Joint {
            joint1,
            joint2,
            polynomial,
        } => {
            data[..5].copy_from_slice(polynomial);
            let objects = [joint1.index() as f64, id(joint2.map(|j| j.index()))];
            (2.0, objects, object_code::JOINT, data)
        }
        EqualityKind::Tendon {
            tendon1,
            tendon2,
            polynomial,
        } => {
            data[..5].copy_from_slice(polynomial);
            let objects = [tendon1.index() as f64, id(tendon2.map(|t| t.index()))];
            (3.0, objects, object_code::TENDON, data)
        }
    }
}

/// Type, object and parameter of each item of the tendons' paths.
fn wraps(model: &Model) -> Vec<[f64; 3]> {
    let side = |site: &Option<motrix_model::SiteId>| id(site.map(|s| s.index()));
    let item = |item: &PathItem| match item {
        PathItem::Joint(joint, coefficient) => [1.0, joint.index() as f64, *coefficient],
        PathItem::Pulley(divisor) => [2.0, -1.0, *divisor],
        PathItem::Site(site) => [3.0, site.index() as f64, 0.0],
        PathItem::Sphere(geom, site) => [4.0, geom.index() as f64, side(site)],
        PathItem::Cylinder(geom, site) => [5.0, geom.index() as f64, side(site)],
    };
    model.tendons.iter().flat_map(|t| t.path.iter().map(item)).collect()
}

/// Type and ids of what an actuator acts on.
fn transmission(actuator: &Actuator) -> (f64, [f64; 2]) {
    match actuator.transmission {
        Transmission::Joint(joint) => (0.0, [joint.index() as f64, -1.0]),
        Transmission::JointInParent(joint) => (1.0, [joint.index() as f64, -1.0]),
        Transmission::SliderCrank { crank, slider, .. } => (2.0, [crank.index() as f64, slider.index() as f64]),
        Transmission::Tendon(tendon) => (3.0, [tendon.index() as f64, -1.0]),
        Transmission::Site(site, reference) => (4.0, [site.index() as f64, id(reference.map(|s| s.index()))]),
        Transmission::Body(body) => (5.0, [body.index() as f64, -1.0]),
        Transmission::BallOrientation(joint) => (6.0, [joint.index() as f64, -1.0]),
        Transmission::SiteOrientation(site, reference) => (6.0, [site.index() as f64, reference.index() as f64]),
    }
}

fn crank_length(actuator: &Actuator) -> f64 {
    match actuator.transmission {
        Transmission::SliderCrank { length, .. } => length,
        _ => 0.0,
    }
}

fn dynamics_code(kind: DynamicsKind) -> f64 {
    match kind {
        DynamicsKind::None => 0.0,
        DynamicsKind::Integrator => 1.0,
        DynamicsKind::Filter => 2.0,
        DynamicsKind::FilterExact => 3.0,
        DynamicsKind::Muscle => 4.0,
        DynamicsKind::DcMotor => 5.0,
        DynamicsKind::Pid => 6.0,
        DynamicsKind::User => 7.0,
    }
}

fn gain_code(kind: GainKind) -> f64 {
    match kind {
        GainKind::Fixed => 0.0,
        GainKind::Affine => 1.0,
        GainKind::Muscle => 2.0,
        GainKind::DcMotor => 3.0,
        GainKind::Orientation => 4.0,
        GainKind::Pid => 5.0,
        GainKind::User => 6.0,
    }
}

fn bias_code(kind: BiasKind) -> f64 {
    match kind {
        BiasKind::None => 0.0,
        BiasKind::Affine => 1.0,
        BiasKind::Muscle => 2.0,
        BiasKind::DcMotor => 3.0,
        BiasKind::Orientation => 4.0,
        BiasKind::User => 5.0,
    }
}

/// Constants of one force output.
struct Output {
    gear: [f64; 6],
    acc0: f64,
    length0: f64,
    length_range: [f64; 2],
}

/// The force outputs of all actuators.
fn outputs(model: &Model) -> Vec<Output> {
    let of = |a: &'_ Actuator| {
        let first = Output {
            gear: a.gear,
            acc0: a.acc0,
            length0: a.length0,
            length_range: a.length_range,
        };
        let further = a.further_outputs.iter().map(|o| Output {
            gear: a.gear,
            acc0: o.acc0,
            length0: o.length0,
            length_range: o.length_range,
        });
        std::iter::once(first).chain(further).collect::<Vec<_>>()
    };
    model.actuators.iter().flat_map(of).collect()
}

/// Whether each control is limited, and its range.
fn controls(model: &Model) -> Vec<[f64; 3]> {
    let of = |a: &Actuator| {
        if a.controls.is_empty() {
            vec![[flag(a.control_limited), a.control_range[0], a.control_range[1]]]
        } else {
            a.controls
                .iter()
                .map(|c| [flag(c.limited), c.range[0], c.range[1]])
                .collect()
        }
    };
    model.actuators.iter().flat_map(of).collect()
}

fn data_code(kind: SensorDataKind) -> f64 {
    match kind {
        SensorDataKind::Real => 0.0,
        SensorDataKind::Positive => 1.0,
        SensorDataKind::Axis => 2.0,
        SensorDataKind::Quaternion => 3.0,
    }
}

fn stage_code(stage: SensorStage) -> f64 {
    match stage {
        SensorStage::Position => 1.0,
        SensorStage::Velocity => 2.0,
        SensorStage::Acceleration => 3.0,
    }
}

/// Type and id of what a sensor looks at.
fn object(object: Option<Object>) -> [f64; 2] {
    use object_code as code;
    match object {
        None => [code::UNKNOWN, -1.0],
        Some(Object::Body(b)) => [code::BODY, b.index() as f64],
        Some(Object::XBody(b)) => [code::XBODY, b.index() as f64],
        Some(Object::Joint(j)) => [code::JOINT, j.index() as f64],
        Some(Object::Geom(g)) => [code::GEOM, g.index() as f64],
        Some(Object::Site(s)) => [code::SITE, s.index() as f64],
        Some(Object::Camera(c)) => [code::CAMERA, c.index() as f64],
        Some(Object::Mesh(m)) => [code::MESH, m.index() as f64],
        Some(Object::Tendon(t)) => [code::TENDON, t.index() as f64],
        Some(Object::Actuator(a)) => [code::ACTUATOR, a.index() as f64],
    }
}

/// Samples kept and how they are interpolated.
fn history(sensor: &Sensor) -> [f64; 2] {
    sensor.history.as_ref().map_or([0.0; 2], |history| {
        let order = match history.interpolation {
            Interpolation::Hold => 0.0,
            Interpolation::Linear => 1.0,
            Interpolation::Cubic => 2.0,
        };
        [history.samples as f64, order]
    })
}
