//! `<option>`, `<size>`, `<statistic>` and `<visual>`: what holds for the whole model.

use motrix_model::{Cone, Integrator, JacobianKind, Options, Solver, Statistic, Visual};

use crate::document::Element;
use crate::problem::{NoteKind, Problems};

/// Reads `<option>`.
pub fn read_option(element: &Element, problems: &mut Problems) -> Options {
    let mut options = Options::default();
    let mut number = |name: &str, field: &mut f64| *field = element.real(name, problems).unwrap_or(*field);
    number("timestep", &mut options.timestep);
    number("impratio", &mut options.impratio);
    number("tolerance", &mut options.tolerance);
    number("ls_tolerance", &mut options.ls_tolerance);
    number("noslip_tolerance", &mut options.noslip_tolerance);
    number("ccd_tolerance", &mut options.ccd_tolerance);
    number("sleep_tolerance", &mut options.sleep_tolerance);
    number("density", &mut options.density);
    number("viscosity", &mut options.viscosity);
    number("o_margin", &mut options.o_margin);
    let mut vector = |name: &str, field: &mut [f64; 3]| *field = element.reals(name, problems).unwrap_or(*field);
    vector("gravity", &mut options.gravity);
    vector("wind", &mut options.wind);
    vector("magnetic", &mut options.magnetic);
    options.o_solref = element.reals_over("o_solref", options.o_solref, problems);
    options.o_solimp = element.reals_over("o_solimp", options.o_solimp, problems);
    options.o_friction = element.reals_over("o_friction", options.o_friction, problems);
    let mut count = |name: &str, field: &mut usize| {
        if let Some(given) = element.int(name, problems) {
            match usize::try_from(given) {
                Ok(given) => *field = given,
                Err(_) => problems.push(element.problem_with(name, "a number of iterations cannot be negative")),
            }
        }
    };
    count("iterations", &mut options.iterations);
    count("ls_iterations", &mut options.ls_iterations);
    count("noslip_iterations", &mut options.noslip_iterations);
    count("ccd_iterations", &mut options.ccd_iterations);
    read_methods(element, &mut options, problems);
    for group in element.int_list("actuatorgroupdisable", problems).unwrap_or_default() {
        match u32::try_from(group) {
            Ok(group @ 0..=30) => options.disable_actuator_groups |= 1 << group,
            _ => problems.push(element.problem_with("actuatorgroupdisable", "groups of actuators are 0 to 30")),
        }
    }
    if let Some(flags) = element.child("flag") {
        read_flags(flags, &mut options, problems);
    }
    if !(options.timestep > 0.0) {
        problems.push(element.problem_with("timestep", "the time step must be positive"));
    }
    options
}

/// Integrator, cone, Jacobian and solver.
fn read_methods(element: &Element, options: &mut Options, problems: &mut Problems) {
    const CONE: &[(&str, Cone)] = &[("pyramidal", Cone::Pyramidal), ("elliptic", Cone::Elliptic)];
    const JACOBIAN: &[(&str, JacobianKind)] = &[
        ("dense", JacobianKind::Dense),
        ("sparse", JacobianKind::Sparse),
        ("auto", JacobianKind::Auto),
    ];
    const SOLVER: &[(&str, Solver)] = &[("PGS", Solver::Pgs), ("CG", Solver::Cg), ("Newton", Solver::Newton)];
    const INTEGRATOR: &[(&str, Integrator)] = &[
        ("Euler", Integrator::Euler),
        ("RK4", Integrator::Rk4),
        ("implicit", Integrator::Implicit),
        ("implicitfast", Integrator::ImplicitFast),
        // the nearest there is: constraints and stiffness are not made implicit
        ("discrete", Integrator::ImplicitFast),
    ];
    options.cone = element.keyword("cone", CONE, problems).unwrap_or(options.cone);
    options.jacobian = element
        .keyword("jacobian", JACOBIAN, problems)
        .unwrap_or(options.jacobian);
    options.solver = element.keyword("solver", SOLVER, problems).unwrap_or(options.solver);
    options.integrator = element
        .keyword("integrator", INTEGRATOR, problems)
        .unwrap_or(options.integrator);
    if element.text("integrator") == Some("discrete") {
        let problem = element.problem_with("integrator", "the discrete integrator; implicitfast is used instead");
        problems.push(problem.note(NoteKind::NotSupported));
    }
}

/// `<flag>`: features on by default are disabled, others enabled.
fn read_flags(element: &Element, options: &mut Options, problems: &mut Problems) {
    const ENABLE: &[(&str, bool)] = &[("disable", false), ("enable", true)];
    let flag = |name: &str, problems: &mut Problems| element.keyword(name, ENABLE, problems);
    let d = &mut options.disable;
    for (name, field) in [
        ("constraint", &mut d.constraint),
        ("equality", &mut d.equality),
        ("frictionloss", &mut d.frictionloss),
        ("limit", &mut d.limit),
        ("contact", &mut d.contact),
        ("spring", &mut d.spring),
        ("damper", &mut d.damper),
        ("gravity", &mut d.gravity),
        ("clampctrl", &mut d.clampctrl),
        ("warmstart", &mut d.warmstart),
        ("filterparent", &mut d.filterparent),
        ("actuation", &mut d.actuation),
        ("refsafe", &mut d.refsafe),
        ("sensor", &mut d.sensor),
        ("midphase", &mut d.midphase),
        ("eulerdamp", &mut d.eulerdamp),
        ("autoreset", &mut d.autoreset),
        ("nativeccd", &mut d.nativeccd),
        ("island", &mut d.island),
        ("multiccd", &mut d.multiccd),
    ] {
        *field = flag(name, problems).map_or(*field, |enabled| !enabled);
    }
    let e = &mut options.enable;
    for (name, field) in [
        ("override", &mut e.contact_override),
        ("energy", &mut e.energy),
        ("fwdinv", &mut e.fwdinv),
        ("invdiscrete", &mut e.invdiscrete),
        ("sleep", &mut e.sleep),
        ("diagexact", &mut e.diagexact),
        ("boxconvex", &mut e.boxconvex),
    ] {
        *field = flag(name, problems).unwrap_or(*field);
    }
    for (name, message) in [
        ("sleep", "bodies never sleep; they move as in MuJoCo without this flag"),
        ("ipc", "deformable bodies, to which this flag belongs"),
        (
            "speculative",
            "speculative contacts; geoms that move far in a step may pass through thin ones",
        ),
    ] {
        if flag(name, problems) == Some(true) {
            problems.push(element.problem_with(name, message).note(NoteKind::NotSupported));
        }
    }
}

/// How many user numbers each kind of element carries; none asks for as many as the longest list in the file.
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs)]
pub struct UserSizes {
    pub body: Option<usize>,
    pub joint: Option<usize>,
    pub geom: Option<usize>,
    pub site: Option<usize>,
    pub camera: Option<usize>,
    pub tendon: Option<usize>,
    pub actuator: Option<usize>,
    pub sensor: Option<usize>,
    /// Number of keyframes at least.
    pub keyframes: usize,
}

/// User numbers per element and keyframes beyond this are refused rather than allocated.
const MOST_RESERVED: i32 = 1 << 16;

/// Reads `<size>`.
pub fn read_size(element: &Element, problems: &mut Problems) -> UserSizes {
    let mut reserved = |name: &str| {
        let given = element.int(name, problems)?;
        if given > MOST_RESERVED {
            problems.push(element.problem_with(name, format!("{given} is more than {MOST_RESERVED}")));
            return None;
        }
        Some(usize::try_from(given).ok())
    };
    UserSizes {
        body: reserved("nuser_body").flatten(),
        joint: reserved("nuser_jnt").flatten(),
        geom: reserved("nuser_geom").flatten(),
        site: reserved("nuser_site").flatten(),
        camera: reserved("nuser_cam").flatten(),
        tendon: reserved("nuser_tendon").flatten(),
        actuator: reserved("nuser_actuator").flatten(),
        sensor: reserved("nuser_sensor").flatten(),
        keyframes: reserved("nkey").flatten().unwrap_or(0),
    }
}

/// What `<statistic>` says instead of what would be computed.
#[derive(Clone, Copy, Debug, Default)]
pub struct GivenStatistic {
    meaninertia: Option<f64>,
    meanmass: Option<f64>,
    meansize: Option<f64>,
    extent: Option<f64>,
    center: Option<[f64; 3]>,
}

impl GivenStatistic {
    /// Reads `<statistic>`.
    pub fn read(element: &Element, problems: &mut Problems) -> Self {
        let mut number = |name: &str| element.real(name, problems);
        let given = Self {
            meaninertia: number("meaninertia"),
            meanmass: number("meanmass"),
            meansize: number("meansize"),
            extent: number("extent"),
            center: element.reals("center", problems),
        };
        if given.extent.is_some_and(|extent| extent <= 0.0) {
            problems.push(element.problem_with("extent", "the extent must be positive"));
        }
        given
    }

    /// Replaces computed values by given ones.
    pub fn overrule(&self, statistic: &mut Statistic) {
        statistic.meaninertia = self.meaninertia.unwrap_or(statistic.meaninertia);
        statistic.meanmass = self.meanmass.unwrap_or(statistic.meanmass);
        statistic.meansize = self.meansize.unwrap_or(statistic.meansize);
        statistic.extent = self.extent.unwrap_or(statistic.extent);
        statistic.center = self.center.unwrap_or(statistic.center);
    }
}

/// Reads what pictures use of `<visual>`.
pub fn read_visual(element: &Element, problems: &mut Problems) -> Visual {
    let mut visual = Visual::default();
    if let Some(global) = element.child("global") {
        let mut number = |name: &str, field: &mut f32| *field = single(global, name, problems).unwrap_or(*field);
        number("fovy", &mut visual.fovy);
        number("azimuth", &mut visual.azimuth);
        number("elevation", &mut visual.elevation);
        for (name, field) in ["offwidth", "offheight"].into_iter().zip(&mut visual.offscreen) {
            if let Some(given) = global.int(name, problems) {
                *field = u32::try_from(given).unwrap_or(0);
            }
        }
    }
    if let Some(light) = element.child("headlight") {
        let mut colour = |name: &str, field: &mut [f32; 3]| {
            *field = light
                .reals::<3>(name, problems)
                .map_or(*field, |rgb| rgb.map(|channel| channel as f32));
        };
        colour("ambient", &mut visual.headlight_ambient);
        colour("diffuse", &mut visual.headlight_diffuse);
        colour("specular", &mut visual.headlight_specular);
        if let Some(active) = light.text("active") {
            visual.headlight_active = !matches!(active, "false" | "0");
            visual.headlight_auto = matches!(active, "auto" | "2");
        }
    }
    if let Some(map) = element.child("map") {
        visual.znear = single(map, "znear", problems).unwrap_or(visual.znear);
        visual.zfar = single(map, "zfar", problems).unwrap_or(visual.zfar);
        if visual.znear <= 0.0 {
            problems.push(map.problem_with("znear", "the near plane must be in front of the camera"));
        }
    }
    if let Some(colours) = element.child("rgba") {
        visual.haze = colours.rgba("haze", problems).unwrap_or(visual.haze);
        visual.fog = colours.rgba("fog", problems).unwrap_or(visual.fog);
    }
    visual
}

fn single(element: &Element, name: &str, problems: &mut Problems) -> Option<f32> {
    element.real(name, problems).map(|number| number as f32)
}
