//! Bodies and what stands in them.

use super::keywords::*;
use super::root::PLUGIN;
use super::{
    Attr, CLASS, Child, Family, Namespace, Presence, Rule, Value, any, boolean, file, int, int_list, ints, name_of,
    once, real, real_list, reals, reals_up_to, refer, text, word, word_list,
};

const CHILDCLASS: Attr = Attr::new("childclass", Value::Class);

/// The ways to say where something is turned to; at most one of them may be used.
const ORIENTATION: &[Attr] = &[
    reals("quat", 4),
    reals("axisangle", 4),
    reals("xyaxes", 6),
    reals("zaxis", 3),
    reals("euler", 3),
];

/// What may stand in a body, a frame or a replicate.
static IN_BODY: [Child; 14] = [
    any(&BODY),
    any(&FRAME),
    any(&REPLICATE),
    once(&INERTIAL),
    any(&JOINT),
    any(&FREEJOINT),
    any(&GEOM),
    any(&ATTACH),
    any(&SITE),
    any(&CAMERA),
    any(&LIGHT),
    any(&PLUGIN),
    any(&FLEXCOMP),
    any(&GSPLAT),
];

/// `<worldbody>`: the immovable root of all bodies.
pub(super) static WORLDBODY: Rule = Rule {
    children: &[
        any(&BODY),
        any(&FRAME),
        any(&REPLICATE),
        any(&GEOM),
        any(&ATTACH),
        any(&SITE),
        any(&CAMERA),
        any(&LIGHT),
        any(&PLUGIN),
        any(&FLEXCOMP),
        any(&GSPLAT),
    ],
    ..Rule::named("worldbody")
};

static BODY: Rule = Rule {
    attributes: &[
        &[name_of(Namespace::Body), CHILDCLASS, reals("pos", 3)],
        ORIENTATION,
        &[
            boolean("mocap"),
            real("gravcomp"),
            word("sleep", SLEEP),
            word("simple", FALSE_AUTO),
            word("fuse", FALSE_AUTO),
            real_list("user"),
        ],
    ],
    children: &IN_BODY,
    ..Rule::named("body")
};

static FRAME: Rule = Rule {
    attributes: &[&[name_of(Namespace::Frame), CHILDCLASS, reals("pos", 3)], ORIENTATION],
    children: &IN_BODY,
    ..Rule::named("frame")
};

static REPLICATE: Rule = Rule {
    attributes: &[&[
        int("count").required(),
        reals("offset", 3),
        reals("euler", 3),
        text("sep"),
        CHILDCLASS,
    ]],
    children: &IN_BODY,
    ..Rule::named("replicate")
};

static ATTACH: Rule = Rule {
    attributes: &[&[
        refer("model", Namespace::Model),
        refer("body", Namespace::Body),
        refer("frame", Namespace::Frame),
        text("prefix").required(),
    ]],
    presence: &[Presence::Exclusive(&[&["body"], &["frame"]])],
    ..Rule::named("attach")
};

static INERTIAL: Rule = Rule {
    attributes: &[
        &[
            reals("pos", 3).required(),
            real("mass").required(),
            reals("diaginertia", 3),
            reals("fullinertia", 6),
        ],
        ORIENTATION,
    ],
    presence: &[
        Presence::Exclusive(&[
            &["fullinertia"],
            &["quat"],
            &["axisangle"],
            &["xyaxes"],
            &["zaxis"],
            &["euler"],
        ]),
        Presence::Exclusive(&[&["fullinertia"], &["diaginertia"]]),
    ],
    ..Rule::named("inertial")
};

pub(super) static JOINT: Rule = Rule {
    attributes: &[&[
        name_of(Namespace::Joint),
        CLASS,
        word("type", JOINT_TYPE),
        int("group"),
        reals("pos", 3),
        reals("axis", 3),
        reals("springdamper", 2),
        word("limited", FALSE_TRUE_AUTO),
        word("actuatorfrclimited", FALSE_TRUE_AUTO),
        reals_up_to("solreflimit", 2),
        reals_up_to("solimplimit", 5),
        reals_up_to("solreffriction", 2),
        reals_up_to("solimpfriction", 5),
        reals_up_to("stiffness", 3),
        reals("range", 2),
        reals("actuatorfrcrange", 2),
        boolean("actuatorgravcomp"),
        real("margin"),
        real("ref"),
        real("springref"),
        real("springyield"),
        real("armature"),
        reals_up_to("damping", 3),
        real("frictionloss"),
        real_list("user"),
        boolean("hardlimit").extension(),
    ]],
    family: Some(Family::Joint),
    ..Rule::named("joint")
};

static FREEJOINT: Rule = Rule {
    attributes: &[&[name_of(Namespace::Joint), int("group"), word("align", FALSE_TRUE_AUTO)]],
    ..Rule::named("freejoint")
};

pub(super) static GEOM: Rule = Rule {
    attributes: &[
        &[
            name_of(Namespace::Geom),
            CLASS,
            word("type", GEOM_TYPE),
            int("contype"),
            int("conaffinity"),
            int("condim"),
            int("group"),
            int("priority"),
            reals_up_to("size", 3),
            refer("material", Namespace::Material),
            reals_up_to("friction", 3),
            real("mass"),
            real("density"),
            boolean("shellinertia"),
            real("solmix"),
            reals_up_to("solref", 2),
            reals_up_to("solimp", 5),
            real("margin"),
            real("gap"),
            reals_up_to("surfacevel", 6),
            real("adhesion"),
            reals("fromto", 6),
            reals("pos", 3),
        ],
        ORIENTATION,
        &[
            refer("hfield", Namespace::HField),
            refer("mesh", Namespace::Mesh),
            real("fitscale"),
            reals("rgba", 4),
            boolean("castshadow"),
            word("fluidshape", FLUIDSHAPE),
            reals_up_to("fluidcoef", 5),
            real_list("user"),
        ],
    ],
    children: &[any(&PLUGIN)],
    family: Some(Family::Geom),
    ..Rule::named("geom")
};

pub(super) static SITE: Rule = Rule {
    attributes: &[
        &[
            name_of(Namespace::Site),
            CLASS,
            word("type", GEOM_TYPE),
            int("group"),
            reals("pos", 3),
        ],
        ORIENTATION,
        &[
            refer("material", Namespace::Material),
            refer("mesh", Namespace::Mesh),
            reals_up_to("size", 3),
            reals("fromto", 6),
            reals("rgba", 4),
            real_list("user"),
        ],
    ],
    family: Some(Family::Site),
    ..Rule::named("site")
};

pub(super) static CAMERA: Rule = Rule {
    attributes: &[
        &[
            name_of(Namespace::Camera),
            CLASS,
            word("projection", PROJECTION),
            real("fovy"),
            real("ipd"),
            ints("resolution", 2),
            word_list("output", CAMERA_OUTPUT),
            reals("pos", 3),
        ],
        ORIENTATION,
        &[
            word("mode", TRACKING),
            refer("target", Namespace::Body).own(),
            reals("focal", 2),
            reals("focalpixel", 2),
            reals("principal", 2),
            reals("principalpixel", 2),
            reals("sensorsize", 2),
            real_list("user"),
            boolean("orthographic").extension(),
            boolean("depth").extension(),
            real("trackposspeed").extension(),
            real("trackrotspeed").extension(),
            real("znear").extension(),
            real("zfar").extension(),
        ],
    ],
    presence: &[Presence::Exclusive(&[&["fovy"], &["sensorsize"]])],
    family: Some(Family::Camera),
    ..Rule::named("camera")
};

pub(super) static LIGHT: Rule = Rule {
    attributes: &[&[
        name_of(Namespace::Light),
        CLASS,
        boolean("directional"),
        word("type", LIGHT_TYPE),
        boolean("castshadow"),
        boolean("active"),
        reals("pos", 3),
        reals("dir", 3),
        real("bulbradius"),
        real("intensity"),
        real("range"),
        reals("attenuation", 3),
        real("cutoff"),
        real("softness"),
        real("exponent"),
        reals("ambient", 3),
        reals("diffuse", 3),
        reals("specular", 3),
        word("mode", TRACKING),
        refer("target", Namespace::Body).own(),
        refer("texture", Namespace::Texture).own(),
        real("innerangle").extension(),
        real("nearz").extension(),
    ]],
    presence: &[Presence::Exclusive(&[&["directional"], &["type"]])],
    family: Some(Family::Light),
    ..Rule::named("light")
};

/// A cloud of Gaussians, an appearance that MotrixSim can attach to a body.
static GSPLAT: Rule = Rule {
    attributes: &[
        &[
            text("name"),
            refer("asset", Namespace::Gsplat).required(),
            reals("pos", 3),
        ],
        ORIENTATION,
        &[reals("scale", 3), real("opacity"), real("splatscale"), int("group")],
    ],
    extension: true,
    ..Rule::named("gsplat")
};

static FLEXCOMP: Rule = Rule {
    attributes: &[
        &[
            name_of(Namespace::Flex).required(),
            word("type", FLEXCOMP_TYPE),
            int("group"),
            int("dim"),
            word("dof", FLEXCOMP_DOF),
            ints("count", 3),
            ints("cellcount", 3),
            reals("spacing", 3),
            real("radius"),
            boolean("rigid"),
            real("mass"),
            real("inertiabox"),
            reals("scale", 3),
            file("file"),
            real_list("point"),
            int_list("element"),
            real_list("texcoord"),
            refer("material", Namespace::Material),
            refer("mesh", Namespace::Mesh),
            reals("rgba", 4),
            boolean("flatskin"),
            reals("pos", 3),
            reals("origin", 3),
        ],
        ORIENTATION,
    ],
    children: &[
        once(&FLEXCOMP_EDGE),
        once(&ELASTICITY),
        once(&FLEX_CONTACT),
        any(&PIN),
        any(&PLUGIN),
    ],
    ..Rule::named("flexcomp")
};

static FLEXCOMP_EDGE: Rule = Rule {
    attributes: &[&[
        word("equality", FLEX_EQUALITY),
        reals_up_to("solref", 2),
        reals_up_to("solimp", 5),
        real("stiffness"),
        real("damping"),
    ]],
    ..Rule::named("edge")
};

pub(super) static ELASTICITY: Rule = Rule {
    attributes: &[&[
        real("young"),
        real("poisson"),
        real("shear"),
        real("damping"),
        real("thickness"),
        word("elastic2d", ELASTIC_2D),
        word("section", FLEX_SECTION),
        reals("sectionsize", 2),
        reals_up_to("yield", 2),
    ]],
    ..Rule::named("elasticity")
};

pub(super) static FLEX_CONTACT: Rule = Rule {
    attributes: &[&[
        int("contype"),
        int("conaffinity"),
        int("condim"),
        int("priority"),
        reals_up_to("friction", 3),
        real("solmix"),
        reals_up_to("solref", 2),
        reals_up_to("solimp", 5),
        real("margin"),
        real("gap"),
        word("selfcollide", FLEX_SELFCOLLIDE),
        int("activelayers"),
        boolean("passive"),
    ]],
    ..Rule::named("contact")
};

static PIN: Rule = Rule {
    attributes: &[&[
        int_list("id"),
        int_list("range"),
        int_list("grid"),
        int_list("gridrange"),
    ]],
    ..Rule::named("pin")
};
