//! Options, statistics, state and keyframes.

use motrix_model::*;

use super::{Fields, all, each, index};

pub(super) fn options(fields: &mut Fields, model: &Model) {
    let o = &model.options;
    let mut scalar = |name: &str, value: f64| fields.numbers(&format!("opt.{name}"), [value]);
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
    fields.numbers("opt.gravity", o.gravity);
    fields.numbers("opt.wind", o.wind);
    fields.numbers("opt.magnetic", o.magnetic);
    fields.numbers("opt.o_solref", o.o_solref);
    fields.numbers("opt.o_solimp", o.o_solimp);
    fields.numbers("opt.o_friction", o.o_friction);
    let s = &model.statistic;
    fields.numbers("stat.meaninertia", [s.meaninertia]);
    fields.numbers("stat.meanmass", [s.meanmass]);
    fields.numbers("stat.meansize", [s.meansize]);
    fields.numbers("stat.extent", [s.extent]);
    fields.numbers("stat.center", s.center);
    fields.numbers("qpos0", model.qpos0.iter().copied());
    fields.numbers("qpos_spring", model.qpos_spring.iter().copied());
    let sizes = [
        ("nq", model.nq()),
        ("nv", model.nv()),
        ("nu", model.control_count),
        ("na", model.activation_count),
        ("nmocap", model.mocap_count),
        ("nsensordata", model.sensor_data_len),
    ];
    for (name, size) in sizes {
        fields.numbers(name, [index(size)]);
    }
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

pub(super) fn keyframes(fields: &mut Fields, model: &Model) {
    let list = &model.keyframes;
    fields.names("names/key", list, |k| k.name.as_deref());
    each!(fields, list, "key_time" => |k| k.time.unwrap_or(0.0));
    // what a keyframe leaves out is the reference state
    let mocaps: Vec<&Body> = model.bodies.iter().filter(|body| body.mocap.is_some()).collect();
    let positions: Vec<f64> = mocaps.iter().flat_map(|body| body.position).collect();
    let orientations: Vec<f64> = mocaps.iter().flat_map(|body| body.orientation).collect();
    let given = |part: &Option<Vec<f64>>, reference: &[f64]| part.clone().unwrap_or_else(|| reference.to_vec());
    let zeros = |count: usize| vec![0.0; count];
    all!(fields, list,
        "key_qpos" => |k| given(&k.qpos, &model.qpos0),
        "key_qvel" => |k| given(&k.qvel, &zeros(model.nv())),
        "key_act" => |k| given(&k.act, &zeros(model.activation_count)),
        "key_ctrl" => |k| given(&k.ctrl, &zeros(model.control_count)),
        "key_mpos" => |k| given(&k.mocap_position, &positions),
        "key_mquat" => |k| given(&k.mocap_orientation, &orientations),
    );
}
