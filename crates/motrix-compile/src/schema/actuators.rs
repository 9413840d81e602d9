//! Actuators: the general one and its shortcuts.

use super::keywords::*;
use super::root::CONFIG;
use super::{
    Attr, CLASS, Family, Namespace, Rule, any, boolean, int, name_of, real, real_list, reals, reals_up_to, refer, text,
    word, word_list,
};

pub(super) static ACTUATOR: Rule = Rule {
    children: &[
        any(&GENERAL),
        any(&MOTOR),
        any(&POSITION),
        any(&VELOCITY),
        any(&INTVELOCITY),
        any(&ORIENTATION),
        any(&PID),
        any(&DAMPER),
        any(&CYLINDER),
        any(&MUSCLE),
        any(&ADHESION),
        any(&DCMOTOR),
        any(&PLUGIN),
    ],
    ..Rule::named("actuator")
};

const BASE: &[Attr] = &[
    name_of(Namespace::Actuator),
    CLASS,
    int("group"),
    int("nsample"),
    word("interp", INTERPOLATION),
    real("delay"),
    reals("ctrlrange", 2),
    real_list("user"),
];
const CTRL_LIMITED: &[Attr] = &[word("ctrllimited", FALSE_TRUE_AUTO)];
const FORCE: &[Attr] = &[word("forcelimited", FALSE_TRUE_AUTO), reals("forcerange", 2)];
const ACTIVATION_RANGE: &[Attr] = &[word("actlimited", FALSE_TRUE_AUTO), reals("actrange", 2)];
const DYNAMICS: &[Attr] = &[
    reals("lengthrange", 2).own(),
    reals_up_to("gear", 6),
    reals_up_to("damping", 3),
    real("armature"),
    real("cranklength"),
];
/// What an actuator can act on without a reference site.
const TARGET: &[Attr] = &[
    refer("joint", Namespace::Joint).own(),
    refer("jointinparent", Namespace::Joint).own(),
    refer("tendon", Namespace::Tendon).own(),
    refer("slidersite", Namespace::Site).own(),
    refer("cranksite", Namespace::Site).own(),
];
const SITE_TARGET: &[Attr] = &[
    refer("site", Namespace::Site).own(),
    refer("refsite", Namespace::Site).own(),
];

pub(super) static GENERAL: Rule = Rule {
    attributes: &[
        BASE,
        CTRL_LIMITED,
        FORCE,
        ACTIVATION_RANGE,
        DYNAMICS,
        TARGET,
        SITE_TARGET,
        &[
            refer("body", Namespace::Body).own(),
            int("actdim"),
            word_list("input", INPUT_ANY),
            reals("velrange", 2),
            reals("ffrange", 2),
            real("inheritrange"),
            word("dyntype", DYN),
            word("gaintype", GAIN),
            word("biastype", BIAS),
            reals_up_to("dynprm", 10),
            reals_up_to("gainprm", 10),
            reals_up_to("biasprm", 10),
            boolean("actearly"),
        ],
    ],
    family: Some(Family::Actuator),
    ..Rule::named("general")
};

pub(super) static MOTOR: Rule = Rule {
    attributes: &[BASE, CTRL_LIMITED, FORCE, DYNAMICS, TARGET, SITE_TARGET],
    family: Some(Family::Actuator),
    ..Rule::named("motor")
};

pub(super) static POSITION: Rule = Rule {
    attributes: &[
        BASE,
        CTRL_LIMITED,
        FORCE,
        DYNAMICS,
        TARGET,
        SITE_TARGET,
        &[
            real("inheritrange"),
            real("kp"),
            real("kv"),
            real("dampratio"),
            real("timeconst"),
        ],
    ],
    family: Some(Family::Actuator),
    ..Rule::named("position")
};

pub(super) static VELOCITY: Rule = Rule {
    attributes: &[BASE, CTRL_LIMITED, FORCE, DYNAMICS, TARGET, SITE_TARGET, &[real("kv")]],
    family: Some(Family::Actuator),
    ..Rule::named("velocity")
};

pub(super) static INTVELOCITY: Rule = Rule {
    attributes: &[
        BASE,
        CTRL_LIMITED,
        FORCE,
        ACTIVATION_RANGE,
        DYNAMICS,
        TARGET,
        SITE_TARGET,
        &[real("inheritrange"), real("kp"), real("kv"), real("dampratio")],
    ],
    family: Some(Family::Actuator),
    ..Rule::named("intvelocity")
};

pub(super) static ORIENTATION: Rule = Rule {
    attributes: &[
        BASE,
        FORCE,
        SITE_TARGET,
        &[
            refer("joint", Namespace::Joint).own(),
            real("kp"),
            real("kv"),
            real("dampratio"),
            word("input", INPUT_CHART),
        ],
    ],
    family: Some(Family::Actuator),
    ..Rule::named("orientation")
};

pub(super) static PID: Rule = Rule {
    attributes: &[
        BASE,
        CTRL_LIMITED,
        FORCE,
        DYNAMICS,
        TARGET,
        SITE_TARGET,
        &[
            reals("posrange", 2),
            reals("velrange", 2),
            reals("ffrange", 2),
            real("inheritrange"),
            real("kp"),
            real("kv"),
            real("dampratio"),
            real("ki"),
            real("imax"),
            real("slewmax"),
            word_list("input", INPUT_SIGNAL),
        ],
    ],
    family: Some(Family::Actuator),
    ..Rule::named("pid")
};

pub(super) static DAMPER: Rule = Rule {
    attributes: &[BASE, FORCE, DYNAMICS, TARGET, SITE_TARGET, &[real("kv")]],
    family: Some(Family::Actuator),
    ..Rule::named("damper")
};

pub(super) static CYLINDER: Rule = Rule {
    attributes: &[
        BASE,
        CTRL_LIMITED,
        FORCE,
        DYNAMICS,
        TARGET,
        SITE_TARGET,
        &[real("timeconst"), real("area"), real("diameter"), reals("bias", 3)],
    ],
    family: Some(Family::Actuator),
    ..Rule::named("cylinder")
};

pub(super) static MUSCLE: Rule = Rule {
    attributes: &[
        BASE,
        CTRL_LIMITED,
        FORCE,
        DYNAMICS,
        TARGET,
        &[
            reals("timeconst", 2),
            real("tausmooth").own(),
            reals("range", 2),
            real("force"),
            real("scale"),
            real("lmin"),
            real("lmax"),
            real("vmax"),
            real("fpmax"),
            real("fvmax"),
        ],
    ],
    family: Some(Family::Actuator),
    ..Rule::named("muscle")
};

pub(super) static ADHESION: Rule = Rule {
    attributes: &[
        BASE,
        FORCE,
        &[
            refer("body", Namespace::Body).own().required(),
            real("gain"),
            word("ctrllimited", FALSE_TRUE_AUTO).extension(),
        ],
    ],
    family: Some(Family::Actuator),
    ..Rule::named("adhesion")
};

pub(super) static DCMOTOR: Rule = Rule {
    attributes: &[
        BASE,
        CTRL_LIMITED,
        DYNAMICS,
        TARGET,
        SITE_TARGET,
        &[
            reals_up_to("motorconst", 2),
            real("resistance"),
            reals_up_to("nominal", 3),
            reals_up_to("saturation", 3),
            reals_up_to("inductance", 2),
            reals_up_to("cogging", 3),
            reals_up_to("controller", 6),
            reals_up_to("thermal", 6),
            reals_up_to("lugre", 5),
            word_list("input", INPUT_SIGNAL),
        ],
    ],
    family: Some(Family::Actuator),
    ..Rule::named("dcmotor")
};

static PLUGIN: Rule = Rule {
    attributes: &[
        BASE,
        CTRL_LIMITED,
        FORCE,
        ACTIVATION_RANGE,
        DYNAMICS,
        TARGET,
        &[
            text("plugin"),
            refer("instance", Namespace::Plugin),
            refer("site", Namespace::Site),
            int("actdim"),
            word("dyntype", DYN),
            reals_up_to("dynprm", 10),
            boolean("actearly"),
        ],
    ],
    children: &[any(&CONFIG)],
    family: Some(Family::Actuator),
    ..Rule::named("plugin")
};
