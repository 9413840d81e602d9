//! The options, and the sizes of the model.

use motrix_model::*;

use crate::json::*;

pub fn options(json: &mut Json, model: &Model) {
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

pub fn bits(flags: &[bool]) -> f64 {
    f64::from(flags.iter().enumerate().map(|(i, &on)| u32::from(on) << i).sum::<u32>())
}

pub fn disable_flags(d: &Disable) -> [bool; 20] {
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

pub fn enable_flags(e: &Enable) -> [bool; 6] {
    [
        e.contact_override,
        e.energy,
        e.fwdinv,
        e.invdiscrete,
        e.sleep,
        e.diagexact,
    ]
}
