//! Prints a compiled model as JSON under the field names of MuJoCo's `mjModel`, for comparison field by field.
//!
//! ```text
//! cargo run -p motrix-compile --example dump_model -- scene.xml > scene.json
//! ```
//! Numbers are printed with all their digits; absent references are −1 as in MuJoCo. Problems and notes go to standard error.

use std::fmt::Write;
use std::process::ExitCode;

use motrix_compile::{LoadOptions, load_file};
use motrix_model::*;

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: dump_model FILE");
        return ExitCode::FAILURE;
    };
    match load_file(&path, &LoadOptions::default()) {
        Ok(loaded) => {
            eprint!("{}", loaded.report);
            println!("{}", dump(&loaded.model));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// A JSON object under construction.
#[derive(Default)]
struct Json(String);

impl Json {
    /// A list of numbers.
    fn numbers<T: Into<f64>>(&mut self, name: &str, values: impl IntoIterator<Item = T>) {
        self.list(name, values.into_iter().map(|value| format!("{:?}", value.into())));
    }

    /// A list of strings.
    fn strings<'s>(&mut self, name: &str, values: impl IntoIterator<Item = &'s str>) {
        self.list(name, values.into_iter().map(|value| format!("{value:?}")));
    }

    fn list(&mut self, name: &str, values: impl Iterator<Item = String>) {
        let start = if self.0.is_empty() { '{' } else { ',' };
        // writing to a string cannot fail
        let _ = write!(
            self.0,
            "{start}\n\"{name}\": [{}]",
            values.collect::<Vec<_>>().join(", ")
        );
    }
}

fn index(i: usize) -> f64 {
    i as f64
}

fn optional(i: Option<usize>) -> f64 {
    i.map_or(-1.0, index)
}

fn flag(b: bool) -> f64 {
    f64::from(u8::from(b))
}

fn dump(model: &Model) -> String {
    let mut json = Json::default();
    options(&mut json, model);
    bodies(&mut json, model);
    joints(&mut json, model);
    geoms(&mut json, model);
    sites_and_cameras(&mut json, model);
    lights(&mut json, model);
    assets(&mut json, model);
    contacts(&mut json, model);
    equalities(&mut json, model);
    tendons(&mut json, model);
    actuators(&mut json, model);
    sensors(&mut json, model);
    keyframes(&mut json, model);
    json.0 + "\n}"
}

fn options(json: &mut Json, model: &Model) {
    let o = &model.options;
    let mut scalar = |name: &str, value: f64| json.numbers(&format!("opt.{name}"), [value]);
    scalar("timestep", o.timestep);
    scalar("impratio", o.impratio);
    scalar("tolerance", o.tolerance);
    scalar("ls_tolerance", o.ls_tolerance);
    scalar("noslip_tolerance", o.noslip_tolerance);
    scalar("ccd_tolerance", o.ccd_tolerance);
    scalar("sleep_tolerance", o.sleep_tolerance);
    scalar("density", o.density);
    scalar("viscosity", o.viscosity);
    scalar("o_margin", o.o_margin);
    scalar("integrator", o.integrator as u8 as f64);
    scalar("cone", o.cone as u8 as f64);
    scalar("jacobian", o.jacobian as u8 as f64);
    scalar("solver", o.solver as u8 as f64);
    scalar("iterations", index(o.iterations));
    scalar("ls_iterations", index(o.ls_iterations));
    scalar("noslip_iterations", index(o.noslip_iterations));
    scalar("ccd_iterations", index(o.ccd_iterations));
    scalar("disableactuator", f64::from(o.disable_actuator_groups));
    scalar("disableflags", bits(&disable_flags(&o.disable)));
    scalar("enableflags", bits(&enable_flags(&o.enable)));
    json.numbers("opt.gravity", o.gravity);
    json.numbers("opt.wind", o.wind);
    json.numbers("opt.magnetic", o.magnetic);
    json.numbers("opt.o_solref", o.o_solref);
    json.numbers("opt.o_solimp", o.o_solimp);
    json.numbers("opt.o_friction", o.o_friction);
    let s = &model.statistic;
    json.numbers("stat.meaninertia", [s.meaninertia]);
    json.numbers("stat.meanmass", [s.meanmass]);
    json.numbers("stat.meansize", [s.meansize]);
    json.numbers("stat.extent", [s.extent]);
    json.numbers("stat.center", s.center);
    json.numbers("qpos0", model.qpos0.iter().copied());
    json.numbers("qpos_spring", model.qpos_spring.iter().copied());
    let size = [
        model.nq(),
        model.nv(),
        model.control_count,
        model.activation_count,
        model.mocap_count,
    ];
    json.numbers("size nq nv nu na nmocap", size.map(index));
    json.numbers("nsensordata", [index(model.sensor_data_len)]);
}

fn bits(flags: &[bool]) -> f64 {
    f64::from(flags.iter().enumerate().map(|(i, &on)| u32::from(on) << i).sum::<u32>())
}

fn disable_flags(d: &Disable) -> [bool; 20] {
    [
        d.constraint,
        d.equality,
        d.frictionloss,
        d.limit,
        d.contact,
        d.spring,
        d.damper,
        d.gravity,
        d.clampctrl,
        d.warmstart,
        d.filterparent,
        d.actuation,
        d.refsafe,
        d.sensor,
        d.midphase,
        d.eulerdamp,
        d.autoreset,
        d.nativeccd,
        d.island,
        d.multiccd,
    ]
}

fn enable_flags(e: &Enable) -> [bool; 6] {
    [
        e.contact_override,
        e.energy,
        e.fwdinv,
        e.invdiscrete,
        e.sleep,
        e.diagexact,
    ]
}

/// One number per object, or several.
macro_rules! each {
    ($json:ident, $list:expr, $($name:literal => |$x:ident| $value:expr),* $(,)?) => {
        $($json.numbers($name, $list.iter().map(|$x| $value));)*
    };
}
macro_rules! all {
    ($json:ident, $list:expr, $($name:literal => |$x:ident| $value:expr),* $(,)?) => {
        $($json.numbers($name, $list.iter().flat_map(|$x| $value.to_vec()));)*
    };
}

fn names<'m, T>(json: &mut Json, name: &str, list: &'m [T], of: impl Fn(&'m T) -> Option<&'m str>) {
    json.strings(name, list.iter().map(|x| of(x).unwrap_or("")));
}

fn bodies(json: &mut Json, model: &Model) {
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

fn joints(json: &mut Json, model: &Model) {
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

fn data_id(kind: GeomKind) -> f64 {
    match kind {
        GeomKind::HField(id) => index(id.index()),
        GeomKind::Mesh(id) => index(id.index()),
        _ => -1.0,
    }
}

fn geoms(json: &mut Json, model: &Model) {
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

fn sites_and_cameras(json: &mut Json, model: &Model) {
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

fn lights(json: &mut Json, model: &Model) {
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

fn assets(json: &mut Json, model: &Model) {
    let list = &model.meshes;
    names(json, "names/mesh", list, |m| Some(&m.name));
    each!(json, list,
        "mesh_vertnum" => |m| index(m.vertices.len()),
        "mesh_facenum" => |m| index(m.faces.len()),
    );
    all!(json, list,
        "mesh_pos" => |m| m.position,
        "mesh_quat" => |m| m.orientation,
        "mesh_scale" => |m| m.scale,
    );
    let list = &model.materials;
    names(json, "names/material", list, |m| Some(&m.name));
    each!(json, list,
        "mat_texuniform" => |m| flag(m.texture_uniform),
        "mat_emission" => |m| m.emission,
        "mat_specular" => |m| m.specular,
        "mat_shininess" => |m| m.shininess,
        "mat_reflectance" => |m| m.reflectance,
        "mat_metallic" => |m| m.metallic,
        "mat_roughness" => |m| m.roughness,
    );
    all!(json, list,
        "mat_texrepeat" => |m| m.texture_repeat,
        "mat_rgba" => |m| m.rgba,
    );
    let list = &model.textures;
    names(json, "names/texture", list, |t| Some(&t.name));
    each!(json, list,
        "tex_type" => |t| t.kind as u8 as f64,
        "tex_width" => |t| index(t.width),
        "tex_height" => |t| index(t.height),
        "tex_nchannel" => |t| index(t.channels),
    );
    names(json, "names/hfield", &model.hfields, |h| Some(&h.name));
}

fn contacts(json: &mut Json, model: &Model) {
    let list = &model.explicit_pairs;
    names(json, "names/pair", list, |p| p.name.as_deref());
    each!(json, list,
        "pair_dim" => |p| p.params.dim,
        "pair_geom1" => |p| index(p.geom1.index()),
        "pair_geom2" => |p| index(p.geom2.index()),
        "pair_margin" => |p| p.params.margin,
        "pair_gap" => |p| p.params.gap,
        "pair_adhesion" => |p| p.params.adhesion,
    );
    all!(json, list,
        "pair_friction" => |p| p.params.friction,
        "pair_solref" => |p| p.params.solref,
        "pair_solreffriction" => |p| p.params.solref_friction,
        "pair_solimp" => |p| p.params.solimp,
    );
    each!(json, model.excludes,
        "exclude_signature" => |e| index(e.body1.index() << 16 | e.body2.index()),
    );
    // the pairs that may touch, for comparison with MuJoCo's own filter
    all!(json, model.pairs, "collision pairs" => |p| [index(p.geom1.index()), index(p.geom2.index())]);
}

fn equalities(json: &mut Json, model: &Model) {
    let list = &model.equalities;
    names(json, "names/equality", list, |e| e.name.as_deref());
    let parts: Vec<_> = list.iter().map(|e| equality(&e.kind)).collect();
    each!(json, parts,
        "eq_type" => |p| p.0,
        "eq_obj1id" => |p| p.1,
        "eq_obj2id" => |p| p.2,
        "eq_objtype" => |p| p.3,
    );
    all!(json, parts, "eq_data" => |p| p.4);
    each!(json, list, "eq_active0" => |e| flag(e.active));
    all!(json, list,
        "eq_solref" => |e| e.solref,
        "eq_solimp" => |e| e.solimp,
    );
}

/// Type, first object, second object, kind of objects, data: as MuJoCo stores them.
fn equality(kind: &EqualityKind) -> (f64, f64, f64, f64, Vec<f64>) {
    const BODY: f64 = 1.0;
    const SITE: f64 = 6.0;
    let objects = |bodies: [BodyId; 2], sites: &Option<[SiteId; 2]>| match sites {
        Some(sites) => (index(sites[0].index()), index(sites[1].index()), SITE),
        None => (index(bodies[0].index()), index(bodies[1].index()), BODY),
    };
    let padded = |data: &[f64]| data.iter().copied().chain(std::iter::repeat(0.0)).take(11).collect();
    match kind {
        EqualityKind::Connect {
            body1,
            body2,
            anchors,
            sites,
        } => {
            let (first, second, of) = objects([*body1, *body2], sites);
            (0.0, first, second, of, padded(&anchors.concat()))
        }
        EqualityKind::Weld {
            body1,
            body2,
            data,
            sites,
        } => {
            let (first, second, of) = objects([*body1, *body2], sites);
            (1.0, first, second, of, data.to_vec())
        }
        EqualityKind::Joint {
            joint1,
            joint2,
            polynomial,
        } => {
            let second = optional(joint2.map(JointId::index));
            (2.0, index(joint1.index()), second, 0.0, padded(polynomial))
        }
        EqualityKind::Tendon {
            tendon1,
            tendon2,
            polynomial,
        } => {
            let second = optional(tendon2.map(TendonId::index));
            (3.0, index(tendon1.index()), second, 0.0, padded(polynomial))
        }
    }
}

fn tendons(json: &mut Json, model: &Model) {
    let list = &model.tendons;
    names(json, "names/tendon", list, |t| t.name.as_deref());
    each!(json, list,
        "tendon_type" => |t| t.kind as u8 as f64,
        "tendon_num" => |t| index(t.path.len()),
        "tendon_limited" => |t| flag(t.limited),
        "tendon_actfrclimited" => |t| flag(t.actuator_force_limited),
        "tendon_group" => |t| t.group,
        "tendon_matid" => |t| optional(t.material.map(MaterialId::index)),
        "tendon_width" => |t| t.width,
        "tendon_margin" => |t| t.margin,
        "tendon_stiffness" => |t| t.stiffness,
        "tendon_springyield" => |t| t.spring_yield,
        "tendon_damping" => |t| t.damping,
        "tendon_armature" => |t| t.armature,
        "tendon_frictionloss" => |t| t.frictionloss,
        "tendon_length0" => |t| t.length0,
        "tendon_invweight0" => |t| t.invweight,
    );
    all!(json, list,
        "tendon_range" => |t| t.range,
        "tendon_actfrcrange" => |t| t.actuator_force_range,
        "tendon_solref_lim" => |t| t.solref_limit,
        "tendon_solimp_lim" => |t| t.solimp_limit,
        "tendon_solref_fri" => |t| t.solref_friction,
        "tendon_solimp_fri" => |t| t.solimp_friction,
        "tendon_stiffnesspoly" => |t| t.stiffness_poly,
        "tendon_dampingpoly" => |t| t.damping_poly,
        "tendon_lengthspring" => |t| t.spring_length,
        "tendon_rgba" => |t| t.rgba,
        "tendon_user" => |t| t.user,
    );
    json.numbers(
        "ten_J_colind",
        list.iter().flat_map(|t| t.dofs.iter().map(|dof| index(dof.index()))),
    );
    let wraps: Vec<_> = list.iter().flat_map(|t| &t.path).map(path_item).collect();
    each!(json, wraps,
        "wrap_type" => |w| w.0,
        "wrap_objid" => |w| w.1,
        "wrap_prm" => |w| w.2,
    );
}

fn path_item(item: &PathItem) -> (f64, f64, f64) {
    let side = |site: &Option<SiteId>| optional(site.map(SiteId::index));
    match item {
        PathItem::Joint(id, coefficient) => (1.0, index(id.index()), *coefficient),
        PathItem::Pulley(divisor) => (2.0, -1.0, *divisor),
        PathItem::Site(id) => (3.0, index(id.index()), 0.0),
        PathItem::Sphere(id, site) => (4.0, index(id.index()), side(site)),
        PathItem::Cylinder(id, site) => (5.0, index(id.index()), side(site)),
    }
}

fn actuators(json: &mut Json, model: &Model) {
    let list = &model.actuators;
    names(json, "names/actuator", list, |a| a.name.as_deref());
    let targets: Vec<_> = list.iter().map(|a| transmission(&a.transmission)).collect();
    each!(json, targets,
        "actuator_trntype" => |t| t.0,
        "actuator_cranklength" => |t| t.3,
    );
    all!(json, targets, "actuator_trnid" => |t| [t.1, t.2]);
    each!(json, list,
        "actuator_dyntype" => |a| a.dynamics as u8 as f64,
        "actuator_gaintype" => |a| gain_code(a.gain),
        "actuator_biastype" => |a| a.bias as u8 as f64,
        "actuator_ctrladr" => |a| index(a.first_control),
        "actuator_ctrlnum" => |a| index(a.control_count),
        "actuator_ctrlspec" => |a| a.control_inputs,
        "actuator_actadr" => |a| optional(a.first_activation),
        "actuator_actnum" => |a| index(a.activation_count),
        "actuator_forcelimited" => |a| flag(a.force_limited),
        "actuator_actlimited" => |a| flag(a.activation_limited),
        "actuator_actearly" => |a| flag(a.activation_early),
        "actuator_damping" => |a| a.damping,
        "actuator_armature" => |a| a.armature,
        "actuator_group" => |a| a.group,
        "actuator_delay" => |a| a.delay,
    );
    all!(json, list,
        "actuator_dynprm" => |a| a.dynamics_params,
        "actuator_gainprm" => |a| a.gain_params,
        "actuator_biasprm" => |a| a.bias_params,
        "actuator_ctrllimited" => |a| a.controls.iter().map(|c| flag(c.limited)).collect::<Vec<_>>(),
        "actuator_ctrlrange" => |a| a.controls.iter().flat_map(|c| c.range).collect::<Vec<_>>(),
        "actuator_forcerange" => |a| a.force_range,
        "actuator_actrange" => |a| a.activation_range,
        "actuator_acc0" => |a| outputs(a).map(|o| o.acc0).collect::<Vec<_>>(),
        "actuator_length0" => |a| outputs(a).map(|o| o.length0).collect::<Vec<_>>(),
        "actuator_lengthrange" => |a| outputs(a).flat_map(|o| o.length_range).collect::<Vec<_>>(),
        "actuator_gear" => |a| outputs(a).flat_map(|_| a.gear).collect::<Vec<_>>(),
        "actuator_dampingpoly" => |a| a.damping_poly,
        "actuator_history" => |a| history(a.history),
        "actuator_user" => |a| a.user,
    );
}

/// The constants of all outputs of an actuator.
fn outputs(a: &Actuator) -> impl Iterator<Item = OutputConstants> {
    let first = OutputConstants {
        acc0: a.acc0,
        length0: a.length0,
        length_range: a.length_range,
    };
    std::iter::once(first).chain(a.further_outputs.iter().copied())
}

/// MuJoCo's number for the gain.
fn gain_code(gain: GainKind) -> f64 {
    match gain {
        GainKind::Fixed => 0.0,
        GainKind::Affine => 1.0,
        GainKind::Muscle => 2.0,
        GainKind::DcMotor => 3.0,
        GainKind::Orientation => 4.0,
        GainKind::Pid => 5.0,
        GainKind::User => 6.0,
    }
}

fn history(history: Option<History>) -> [f64; 2] {
    history.map_or([0.0; 2], |h| [index(h.samples), h.interpolation as u8 as f64])
}

/// Type, ids and crank length as MuJoCo stores them.
fn transmission(transmission: &Transmission) -> (f64, f64, f64, f64) {
    match transmission {
        Transmission::Joint(id) => (0.0, index(id.index()), -1.0, 0.0),
        Transmission::JointInParent(id) => (1.0, index(id.index()), -1.0, 0.0),
        Transmission::SliderCrank { crank, slider, length } => {
            (2.0, index(crank.index()), index(slider.index()), *length)
        }
        Transmission::Tendon(id) => (3.0, index(id.index()), -1.0, 0.0),
        Transmission::Site(id, reference) => (4.0, index(id.index()), optional(reference.map(SiteId::index)), 0.0),
        Transmission::Body(id) => (5.0, index(id.index()), -1.0, 0.0),
        Transmission::BallOrientation(id) => (6.0, index(id.index()), -1.0, 0.0),
        Transmission::SiteOrientation(id, reference) => (6.0, index(id.index()), index(reference.index()), 0.0),
    }
}

fn sensors(json: &mut Json, model: &Model) {
    let list = &model.sensors;
    names(json, "names/sensor", list, |s| s.name.as_deref());
    json.strings(
        "sensor kind",
        list.iter()
            .map(|s| format!("{:?}", s.kind))
            .collect::<Vec<_>>()
            .iter()
            .map(String::as_str),
    );
    let object = |o: Option<Object>| match o {
        None => [0.0, -1.0],
        Some(Object::Body(id)) => [1.0, index(id.index())],
        Some(Object::XBody(id)) => [2.0, index(id.index())],
        Some(Object::Joint(id)) => [3.0, index(id.index())],
        Some(Object::Geom(id)) => [5.0, index(id.index())],
        Some(Object::Site(id)) => [6.0, index(id.index())],
        Some(Object::Camera(id)) => [7.0, index(id.index())],
        Some(Object::Tendon(id)) => [18.0, index(id.index())],
        Some(Object::Actuator(id)) => [19.0, index(id.index())],
        Some(Object::Mesh(id)) => [10.0, index(id.index())],
    };
    each!(json, list,
        "sensor_objtype" => |s| object(s.object)[0],
        "sensor_objid" => |s| object(s.object)[1],
        "sensor_reftype" => |s| object(s.reference)[0],
        "sensor_refid" => |s| object(s.reference)[1],
        "sensor_datatype" => |s| s.data as u8 as f64,
        "sensor_needstage" => |s| s.stage as u8 as f64 + 1.0,
        "sensor_dim" => |s| index(s.dim),
        "sensor_adr" => |s| index(s.first),
        "sensor_cutoff" => |s| s.cutoff,
        "sensor_noise" => |s| s.noise,
        "sensor_delay" => |s| s.delay,
    );
    all!(json, list,
        "sensor_history" => |s| history(s.history),
        "sensor_interval" => |s| s.interval,
        "sensor_user" => |s| s.user,
    );
}

fn keyframes(json: &mut Json, model: &Model) {
    let list = &model.keyframes;
    names(json, "names/key", list, |k| k.name.as_deref());
    each!(json, list, "key_time" => |k| k.time.unwrap_or(0.0));
    let given = |part: &Option<Vec<f64>>| part.clone().unwrap_or_else(|| vec![f64::MAX]);
    all!(json, list,
        "key_qpos" => |k| given(&k.qpos),
        "key_qvel" => |k| given(&k.qvel),
        "key_act" => |k| given(&k.act),
        "key_ctrl" => |k| given(&k.ctrl),
        "key_mpos" => |k| given(&k.mocap_position),
        "key_mquat" => |k| given(&k.mocap_orientation),
    );
}
