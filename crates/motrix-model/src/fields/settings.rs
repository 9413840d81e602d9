//! Sizes, options, scales, what pictures need, reference state, keyframes and user data.

use super::{Entry, FieldArray, count, each, flag, index, list, one, wide};
use crate::{Body, Custom, Disable, Enable, Keyframe, Model, Visual};

pub(super) const SIZES: &[Entry] = &[
    ("nq", |m| one(index(m.nq()))),
    ("nv", |m| one(index(m.nv()))),
    ("nu", |m| one(index(m.control_count))),
    ("na", |m| one(index(m.activation_count))),
    ("nactuator", |m| count(&m.actuators)),
    ("nbody", |m| count(&m.bodies)),
    ("njnt", |m| count(&m.joints)),
    ("ntree", |m| count(&m.trees)),
    ("ngeom", |m| count(&m.geoms)),
    ("nsite", |m| count(&m.sites)),
    ("ncam", |m| count(&m.cameras)),
    ("nlight", |m| count(&m.lights)),
    ("nmesh", |m| count(&m.meshes)),
    ("nhfield", |m| count(&m.hfields)),
    ("ntex", |m| count(&m.textures)),
    ("nmat", |m| count(&m.materials)),
    ("npair", |m| count(&m.explicit_pairs)),
    ("nexclude", |m| count(&m.excludes)),
    ("neq", |m| count(&m.equalities)),
    ("ntendon", |m| count(&m.tendons)),
    ("nwrap", |m| one(m.tendons.iter().map(|t| index(t.path.len())).sum())),
    ("nsensor", |m| count(&m.sensors)),
    ("nsensordata", |m| one(index(m.sensor_data_len))),
    ("nkey", |m| count(&m.keyframes)),
    ("nmocap", |m| one(index(m.mocap_count))),
];

pub(super) const OPTIONS: &[Entry] = &[
    ("opt.timestep", |m| one(m.options.timestep)),
    ("opt.impratio", |m| one(m.options.impratio)),
    ("opt.tolerance", |m| one(m.options.tolerance)),
    ("opt.ls_tolerance", |m| one(m.options.ls_tolerance)),
    ("opt.noslip_tolerance", |m| one(m.options.noslip_tolerance)),
    ("opt.ccd_tolerance", |m| one(m.options.ccd_tolerance)),
    ("opt.sleep_tolerance", |m| one(m.options.sleep_tolerance)),
    ("opt.gravity", |m| list(m.options.gravity.to_vec())),
    ("opt.wind", |m| list(m.options.wind.to_vec())),
    ("opt.magnetic", |m| list(m.options.magnetic.to_vec())),
    ("opt.density", |m| one(m.options.density)),
    ("opt.viscosity", |m| one(m.options.viscosity)),
    ("opt.o_margin", |m| one(m.options.o_margin)),
    ("opt.o_solref", |m| list(m.options.o_solref.to_vec())),
    ("opt.o_solimp", |m| list(m.options.o_solimp.to_vec())),
    ("opt.o_friction", |m| list(m.options.o_friction.to_vec())),
    ("opt.integrator", |m| one(f64::from(m.options.integrator as u8))),
    ("opt.cone", |m| one(f64::from(m.options.cone as u8))),
    ("opt.jacobian", |m| one(f64::from(m.options.jacobian as u8))),
    ("opt.solver", |m| one(f64::from(m.options.solver as u8))),
    ("opt.iterations", |m| one(index(m.options.iterations))),
    ("opt.ls_iterations", |m| one(index(m.options.ls_iterations))),
    ("opt.noslip_iterations", |m| one(index(m.options.noslip_iterations))),
    ("opt.ccd_iterations", |m| one(index(m.options.ccd_iterations))),
    ("opt.disableflags", |m| one(bits(&disable_flags(&m.options.disable)))),
    ("opt.enableflags", |m| one(bits(&enable_flags(&m.options.enable)))),
    ("opt.disableactuator", |m| {
        one(f64::from(m.options.disable_actuator_groups))
    }),
];

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

pub(super) const STATISTIC: &[Entry] = &[
    ("stat.meaninertia", |m| one(m.statistic.meaninertia)),
    ("stat.meanmass", |m| one(m.statistic.meanmass)),
    ("stat.meansize", |m| one(m.statistic.meansize)),
    ("stat.extent", |m| one(m.statistic.extent)),
    ("stat.center", |m| list(m.statistic.center.to_vec())),
];

pub(super) const VISUAL: &[Entry] = &[
    ("vis.global_.fovy", |m| one(f64::from(m.visual.fovy))),
    ("vis.global_.azimuth", |m| one(f64::from(m.visual.azimuth))),
    ("vis.global_.elevation", |m| one(f64::from(m.visual.elevation))),
    ("vis.global_.offwidth", |m| one(f64::from(m.visual.offscreen[0]))),
    ("vis.global_.offheight", |m| one(f64::from(m.visual.offscreen[1]))),
    ("vis.headlight.ambient", |m| {
        list(wide(m.visual.headlight_ambient).to_vec())
    }),
    ("vis.headlight.diffuse", |m| {
        list(wide(m.visual.headlight_diffuse).to_vec())
    }),
    ("vis.headlight.specular", |m| {
        list(wide(m.visual.headlight_specular).to_vec())
    }),
    ("vis.headlight.active", |m| one(headlight(&m.visual))),
    ("vis.map.znear", |m| one(f64::from(m.visual.znear))),
    ("vis.map.zfar", |m| one(f64::from(m.visual.zfar))),
    ("vis.rgba.fog", |m| list(wide(m.visual.fog).to_vec())),
    ("vis.rgba.haze", |m| list(wide(m.visual.haze).to_vec())),
];

/// 0 off, 1 on, 2 on unless the program that draws decides otherwise.
fn headlight(visual: &Visual) -> f64 {
    match (visual.headlight_active, visual.headlight_auto) {
        (_, true) => 2.0,
        (on, false) => flag(on),
    }
}

/// A part of each keyframe; one that the file leaves out is that of the reference state.
fn keyed(model: &Model, part: fn(&Keyframe) -> &Option<Vec<f64>>, reference: &[f64]) -> FieldArray {
    let given = |key: &Keyframe| part(key).clone().unwrap_or_else(|| reference.to_vec());
    FieldArray {
        shape: vec![model.keyframes.len(), reference.len()],
        values: model.keyframes.iter().flat_map(given).collect(),
    }
}

/// Numbers of all mocap bodies in the reference state.
fn mocap<const N: usize>(model: &Model, numbers: fn(&Body) -> [f64; N]) -> Vec<f64> {
    let bodies = model.bodies.iter().filter(|body| body.mocap.is_some());
    bodies.flat_map(numbers).collect()
}

pub(super) const STATE: &[Entry] = &[
    ("qpos0", |m| list(m.qpos0.clone())),
    ("qpos_spring", |m| list(m.qpos_spring.clone())),
    ("key_time", |m| each(&m.keyframes, |k| k.time.unwrap_or(0.0))),
    ("key_qpos", |m| keyed(m, |k| &k.qpos, &m.qpos0)),
    ("key_qvel", |m| keyed(m, |k| &k.qvel, &vec![0.0; m.nv()])),
    ("key_act", |m| keyed(m, |k| &k.act, &vec![0.0; m.activation_count])),
    ("key_ctrl", |m| keyed(m, |k| &k.ctrl, &vec![0.0; m.control_count])),
    ("key_mpos", |m| {
        keyed(m, |k| &k.mocap_position, &mocap(m, |b| b.position))
    }),
    ("key_mquat", |m| {
        keyed(m, |k| &k.mocap_orientation, &mocap(m, |b| b.orientation))
    }),
    ("key_plastic", |m| keyed(m, |k| &k.plastic, &m.spring_rests())),
];

/// The numbers of each `<numeric>`.
fn numerics(model: &Model) -> Vec<&[f64]> {
    let numbers = model.custom.iter().filter_map(|custom| match custom {
        Custom::Numeric { data, .. } => Some(&data[..]),
        _ => None,
    });
    numbers.collect()
}

pub(super) const CUSTOM: &[Entry] = &[
    ("numeric_size", |m| {
        list(numerics(m).iter().map(|data| index(data.len())).collect())
    }),
    ("numeric_data", |m| list(numerics(m).concat())),
];
