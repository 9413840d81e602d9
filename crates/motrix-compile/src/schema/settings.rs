//! Settings of the whole model: compiler, option, size, statistic, visual.

use super::keywords::*;
use super::{
    Attr, Count, Namespace, Presence, Rule, Value, any, boolean, int, ints, once, real, reals, reals_up_to, refer,
    text, word,
};

pub(super) static COMPILER: Rule = Rule {
    attributes: &[&[
        boolean("autolimits"),
        real("boundmass"),
        real("boundinertia"),
        real("settotalmass"),
        boolean("balanceinertia"),
        boolean("strippath"),
        word("coordinate", COORDINATE),
        word("angle", ANGLE),
        boolean("fitaabb"),
        Attr::new("eulerseq", Value::EulerSequence),
        text("meshdir"),
        text("texturedir"),
        text("assetdir"),
        boolean("discardvisual"),
        boolean("usethread"),
        boolean("fusestatic"),
        word("inertiafromgeom", FALSE_TRUE_AUTO),
        ints("inertiagrouprange", 2),
        boolean("saveinertial"),
        boolean("savecompiled"),
        boolean("savecanonical"),
        boolean("alignfree"),
        word("conflict", CONFLICT),
        word("passthrough", PASSTHROUGH),
        boolean("compress").extension(),
    ]],
    children: &[once(&LENGTHRANGE)],
    ..Rule::named("compiler")
};

static LENGTHRANGE: Rule = Rule {
    attributes: &[&[
        word("mode", LENGTHRANGE_MODE),
        boolean("useexisting"),
        boolean("uselimit"),
        real("accel"),
        real("maxforce"),
        real("timeconst"),
        real("timestep"),
        real("inttotal"),
        real("interval"),
        real("tolrange"),
    ]],
    ..Rule::named("lengthrange")
};

pub(super) static OPTION: Rule = Rule {
    attributes: &[&[
        real("timestep"),
        real("impratio"),
        real("tolerance"),
        real("ls_tolerance"),
        real("noslip_tolerance"),
        real("ccd_tolerance"),
        real("sleep_tolerance"),
        reals("gravity", 3),
        reals("wind", 3),
        reals("magnetic", 3),
        real("density"),
        real("viscosity"),
        real("o_margin"),
        reals_up_to("o_solref", 2),
        reals_up_to("o_solimp", 5),
        reals_up_to("o_friction", 5),
        word("integrator", INTEGRATOR),
        word("cone", CONE),
        word("jacobian", JACOBIAN),
        word("solver", SOLVER),
        int("iterations"),
        int("ls_iterations"),
        int("noslip_iterations"),
        int("ccd_iterations"),
        int("sdf_iterations"),
        int("sdf_initpoints"),
        Attr::new("actuatorgroupdisable", Value::Int(Count::UpTo(31))),
    ]],
    children: &[once(&FLAG)],
    ..Rule::named("option")
};

static FLAG: Rule = Rule {
    attributes: &[
        // on unless disabled
        &[
            word("constraint", ENABLE),
            word("equality", ENABLE),
            word("frictionloss", ENABLE),
            word("limit", ENABLE),
            word("contact", ENABLE),
            word("spring", ENABLE),
            word("damper", ENABLE),
            word("gravity", ENABLE),
            word("clampctrl", ENABLE),
            word("warmstart", ENABLE),
            word("filterparent", ENABLE),
            word("actuation", ENABLE),
            word("refsafe", ENABLE),
            word("sensor", ENABLE),
            word("midphase", ENABLE),
            word("eulerdamp", ENABLE),
            word("autoreset", ENABLE),
            word("nativeccd", ENABLE),
            word("island", ENABLE),
            word("multiccd", ENABLE),
        ],
        // off unless enabled
        &[
            word("override", ENABLE),
            word("energy", ENABLE),
            word("fwdinv", ENABLE),
            word("invdiscrete", ENABLE),
            word("sleep", ENABLE),
            word("diagexact", ENABLE),
            word("ipc", ENABLE),
            word("speculative", ENABLE),
            word("boxconvex", ENABLE).extension(),
        ],
    ],
    ..Rule::named("flag")
};

pub(super) static SIZE: Rule = Rule {
    attributes: &[&[
        Attr::new("memory", Value::Bytes),
        int("njmax"),
        int("nconmax"),
        int("nstack"),
        int("nuserdata"),
        int("nkey"),
        int("nuser_body"),
        int("nuser_jnt"),
        int("nuser_geom"),
        int("nuser_site"),
        int("nuser_cam"),
        int("nuser_tendon"),
        int("nuser_actuator"),
        int("nuser_sensor"),
    ]],
    presence: &[
        Presence::Exclusive(&[&["memory"], &["nstack"]]),
        Presence::Exclusive(&[&["memory"], &["njmax"]]),
    ],
    ..Rule::named("size")
};

pub(super) static STATISTIC: Rule = Rule {
    attributes: &[&[
        real("meaninertia"),
        real("meanmass"),
        real("meansize"),
        real("extent"),
        reals("center", 3),
    ]],
    ..Rule::named("statistic")
};

pub(super) static VISUAL: Rule = Rule {
    children: &[
        once(&GLOBAL),
        once(&QUALITY),
        once(&HEADLIGHT),
        once(&MAP),
        once(&SCALE),
        once(&RGBA),
        any(&PROBE),
        once(&SSAO),
        once(&SSGI),
        once(&TONEMAPPING_RULE),
        once(&SHADOWSIZE),
    ],
    ..Rule::named("visual")
};

static GLOBAL: Rule = Rule {
    attributes: &[&[
        int("cameraid"),
        boolean("orthographic"),
        real("fovy"),
        real("ipd"),
        real("azimuth"),
        real("elevation"),
        real("linewidth"),
        real("glow"),
        int("offwidth"),
        int("offheight"),
        real("realtime"),
        boolean("ellipsoidinertia"),
        boolean("bvactive"),
    ]],
    ..Rule::named("global")
};

static QUALITY: Rule = Rule {
    attributes: &[&[
        int("shadowsize"),
        int("offsamples"),
        int("numslices"),
        int("numstacks"),
        int("numquads"),
        int("pointshadowsize").extension(),
    ]],
    ..Rule::named("quality")
};

static HEADLIGHT: Rule = Rule {
    attributes: &[&[
        reals("ambient", 3),
        reals("diffuse", 3),
        reals("specular", 3),
        word("active", HEADLIGHT_ACTIVE),
    ]],
    ..Rule::named("headlight")
};

static MAP: Rule = Rule {
    attributes: &[&[
        real("stiffness"),
        real("stiffnessrot"),
        real("force"),
        real("torque"),
        real("alpha"),
        real("fogstart"),
        real("fogend"),
        real("znear"),
        real("zfar"),
        real("haze"),
        real("shadowclip"),
        real("shadowscale"),
        real("actuatortendon"),
        real("envmapintensity").extension(),
    ]],
    ..Rule::named("map")
};

static SCALE: Rule = Rule {
    attributes: &[&[
        real("forcewidth"),
        real("contactwidth"),
        real("contactheight"),
        real("connect"),
        real("com"),
        real("camera"),
        real("light"),
        real("selectpoint"),
        real("jointlength"),
        real("jointwidth"),
        real("actuatorlength"),
        real("actuatorwidth"),
        real("framelength"),
        real("framewidth"),
        real("constraint"),
        real("slidercrank"),
        real("frustum"),
    ]],
    ..Rule::named("scale")
};

static RGBA: Rule = Rule {
    attributes: &[&[
        reals("fog", 4),
        reals("haze", 4),
        reals("force", 4),
        reals("inertia", 4),
        reals("joint", 4),
        reals("actuator", 4),
        reals("actuatornegative", 4),
        reals("actuatorpositive", 4),
        reals("com", 4),
        reals("camera", 4),
        reals("light", 4),
        reals("selectpoint", 4),
        reals("connect", 4),
        reals("contactpoint", 4),
        reals("contactforce", 4),
        reals("contactfriction", 4),
        reals("contacttorque", 4),
        reals("contactgap", 4),
        reals("rangefinder", 4),
        reals("constraint", 4),
        reals("slidercrank", 4),
        reals("crankbroken", 4),
        reals("frustum", 4),
        reals("bv", 4),
        reals("bvactive", 4),
    ]],
    ..Rule::named("rgba")
};

// Rendering settings of MotrixSim.

static PROBE: Rule = Rule {
    attributes: &[&[
        refer("texture", Namespace::Texture),
        reals("position", 3),
        reals("scale", 3),
    ]],
    extension: true,
    ..Rule::named("probe")
};

static SSAO: Rule = Rule {
    attributes: &[&[boolean("active")]],
    extension: true,
    ..Rule::named("ssao")
};

static SSGI: Rule = Rule {
    attributes: &[&[
        boolean("active"),
        int("resolutionscale"),
        int("raycount"),
        int("stepcount"),
        real("thickness"),
        real("intensity"),
        int("gidenoiseoffset"),
        int("rraycount"),
        int("rdenoiseoffset"),
    ]],
    extension: true,
    ..Rule::named("ssgi")
};

static TONEMAPPING_RULE: Rule = Rule {
    attributes: &[&[word("method", TONEMAPPING)]],
    extension: true,
    ..Rule::named("tonemapping")
};

static SHADOWSIZE: Rule = Rule {
    attributes: &[&[int("width"), int("height")]],
    extension: true,
    ..Rule::named("shadowsize")
};
