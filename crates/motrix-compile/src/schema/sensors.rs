//! Sensors.

use super::keywords::*;
use super::root::CONFIG;
use super::{
    Attr, Namespace, Presence, Rule, Value, any, boolean, int, name_of, real, real_list, reals_up_to, refer, text,
    word, word_list,
};

pub(super) static SENSOR: Rule = Rule {
    children: &[
        any(&TOUCH),
        any(&ACCELEROMETER),
        any(&VELOCIMETER),
        any(&GYRO),
        any(&FORCE),
        any(&TORQUE),
        any(&MAGNETOMETER),
        any(&CAMPROJECTION),
        any(&RANGEFINDER),
        any(&JOINTPOS),
        any(&JOINTVEL),
        any(&TENDONPOS),
        any(&TENDONVEL),
        any(&ACTUATORPOS),
        any(&ACTUATORVEL),
        any(&ACTUATORFRC),
        any(&JOINTACTUATORFRC),
        any(&TENDONACTUATORFRC),
        any(&BALLQUAT),
        any(&BALLANGVEL),
        any(&JOINTLIMITPOS),
        any(&JOINTLIMITVEL),
        any(&JOINTLIMITFRC),
        any(&TENDONLIMITPOS),
        any(&TENDONLIMITVEL),
        any(&TENDONLIMITFRC),
        any(&FRAMEPOS),
        any(&FRAMEQUAT),
        any(&FRAMEXAXIS),
        any(&FRAMEYAXIS),
        any(&FRAMEZAXIS),
        any(&FRAMELINVEL),
        any(&FRAMEANGVEL),
        any(&FRAMELINACC),
        any(&FRAMEANGACC),
        any(&SUBTREECOM),
        any(&SUBTREELINVEL),
        any(&SUBTREEANGMOM),
        any(&INSIDESITE),
        any(&DISTANCE),
        any(&NORMAL),
        any(&FROMTO),
        any(&CONTACT),
        any(&E_POTENTIAL),
        any(&E_KINETIC),
        any(&CLOCK),
        any(&TACTILE),
        any(&USER),
        any(&PLUGIN),
        any(&LIDAR),
    ],
    ..Rule::named("sensor")
};

const NAME: Attr = name_of(Namespace::Sensor);
const SAMPLING: &[Attr] = &[
    NAME,
    int("nsample"),
    word("interp", INTERPOLATION),
    real("delay"),
    reals_up_to("interval", 2),
    real("cutoff"),
];
const BASE: &[Attr] = &[real("noise"), real_list("user")];
const OBJECT: &[Attr] = &[
    word("objtype", FRAME_OBJECT).required(),
    Attr::new("objname", Value::ReferenceBy("objtype")).required(),
];
const REFERENCE: &[Attr] = &[
    word("reftype", FRAME_OBJECT),
    Attr::new("refname", Value::ReferenceBy("reftype")),
];

/// A sensor that looks at one thing of the kind `namespace`, named by the attribute `attribute`.
macro_rules! sensor_of {
    ($($rule:ident $tag:literal $attribute:literal $namespace:ident)*) => {
        $(static $rule: Rule = Rule {
            attributes: &[SAMPLING, BASE, &[refer($attribute, Namespace::$namespace).required()]],
            ..Rule::named($tag)
        };)*
    };
}

sensor_of! {
    TOUCH "touch" "site" Site
    ACCELEROMETER "accelerometer" "site" Site
    VELOCIMETER "velocimeter" "site" Site
    GYRO "gyro" "site" Site
    FORCE "force" "site" Site
    TORQUE "torque" "site" Site
    MAGNETOMETER "magnetometer" "site" Site
    JOINTPOS "jointpos" "joint" Joint
    JOINTVEL "jointvel" "joint" Joint
    TENDONPOS "tendonpos" "tendon" Tendon
    TENDONVEL "tendonvel" "tendon" Tendon
    ACTUATORPOS "actuatorpos" "actuator" Actuator
    ACTUATORVEL "actuatorvel" "actuator" Actuator
    ACTUATORFRC "actuatorfrc" "actuator" Actuator
    JOINTACTUATORFRC "jointactuatorfrc" "joint" Joint
    TENDONACTUATORFRC "tendonactuatorfrc" "tendon" Tendon
    BALLQUAT "ballquat" "joint" Joint
    BALLANGVEL "ballangvel" "joint" Joint
    JOINTLIMITPOS "jointlimitpos" "joint" Joint
    JOINTLIMITVEL "jointlimitvel" "joint" Joint
    JOINTLIMITFRC "jointlimitfrc" "joint" Joint
    TENDONLIMITPOS "tendonlimitpos" "tendon" Tendon
    TENDONLIMITVEL "tendonlimitvel" "tendon" Tendon
    TENDONLIMITFRC "tendonlimitfrc" "tendon" Tendon
    SUBTREECOM "subtreecom" "body" Body
    SUBTREELINVEL "subtreelinvel" "body" Body
    SUBTREEANGMOM "subtreeangmom" "body" Body
}

/// A sensor of the frame of an object, relative to another frame.
macro_rules! frame_sensor {
    ($($rule:ident $tag:literal)*) => {
        $(static $rule: Rule = Rule {
            attributes: &[SAMPLING, BASE, OBJECT, REFERENCE],
            presence: &[Presence::Together(&["reftype", "refname"])],
            ..Rule::named($tag)
        };)*
    };
}

frame_sensor! {
    FRAMEPOS "framepos"
    FRAMEQUAT "framequat"
    FRAMEXAXIS "framexaxis"
    FRAMEYAXIS "frameyaxis"
    FRAMEZAXIS "framezaxis"
    FRAMELINVEL "framelinvel"
    FRAMEANGVEL "frameangvel"
}

static FRAMELINACC: Rule = Rule {
    attributes: &[SAMPLING, BASE, OBJECT],
    ..Rule::named("framelinacc")
};
static FRAMEANGACC: Rule = Rule {
    attributes: &[SAMPLING, BASE, OBJECT],
    ..Rule::named("frameangacc")
};

static CAMPROJECTION: Rule = Rule {
    attributes: &[
        SAMPLING,
        BASE,
        &[
            refer("site", Namespace::Site).required(),
            refer("camera", Namespace::Camera).required(),
        ],
    ],
    ..Rule::named("camprojection")
};

static RANGEFINDER: Rule = Rule {
    attributes: &[
        SAMPLING,
        BASE,
        &[
            refer("site", Namespace::Site),
            refer("camera", Namespace::Camera),
            word_list("data", RAY_DATA),
        ],
    ],
    presence: &[
        Presence::Exclusive(&[&["site"], &["camera"]]),
        Presence::OneOf(&[&["site"], &["camera"]]),
    ],
    ..Rule::named("rangefinder")
};

static INSIDESITE: Rule = Rule {
    attributes: &[
        SAMPLING,
        BASE,
        OBJECT,
        &[refer("site", Namespace::Site).required(), boolean("enclosed")],
    ],
    ..Rule::named("insidesite")
};

const TWO_SHAPES: &[Attr] = &[
    refer("geom1", Namespace::Geom),
    refer("geom2", Namespace::Geom),
    refer("body1", Namespace::Body),
    refer("body2", Namespace::Body),
];

/// A sensor between two shapes, each a geom or all geoms of a body.
macro_rules! shape_sensor {
    ($($rule:ident $tag:literal)*) => {
        $(static $rule: Rule = Rule {
            attributes: &[SAMPLING, BASE, TWO_SHAPES],
            presence: &[
                Presence::Exclusive(&[&["geom1"], &["body1"]]),
                Presence::OneOf(&[&["geom1"], &["body1"]]),
                Presence::Exclusive(&[&["geom2"], &["body2"]]),
                Presence::OneOf(&[&["geom2"], &["body2"]]),
            ],
            ..Rule::named($tag)
        };)*
    };
}

shape_sensor! {
    DISTANCE "distance"
    NORMAL "normal"
    FROMTO "fromto"
}

static CONTACT: Rule = Rule {
    attributes: &[
        SAMPLING,
        BASE,
        TWO_SHAPES,
        &[
            refer("subtree1", Namespace::Body),
            refer("subtree2", Namespace::Body),
            refer("site", Namespace::Site),
            int("num"),
            word_list("data", CONTACT_DATA),
            word("reduce", CONTACT_REDUCE),
        ],
    ],
    presence: &[
        Presence::Exclusive(&[&["geom1"], &["body1"], &["subtree1"], &["site"]]),
        Presence::Exclusive(&[&["geom2"], &["body2"], &["subtree2"]]),
    ],
    ..Rule::named("contact")
};

static E_POTENTIAL: Rule = Rule {
    attributes: &[SAMPLING, BASE],
    ..Rule::named("e_potential")
};
static E_KINETIC: Rule = Rule {
    attributes: &[SAMPLING, BASE],
    ..Rule::named("e_kinetic")
};
static CLOCK: Rule = Rule {
    attributes: &[SAMPLING, BASE],
    ..Rule::named("clock")
};

static TACTILE: Rule = Rule {
    attributes: &[
        SAMPLING,
        &[
            refer("geom", Namespace::Geom).required(),
            refer("mesh", Namespace::Mesh).required(),
            real_list("user"),
        ],
    ],
    ..Rule::named("tactile")
};

static USER: Rule = Rule {
    attributes: &[
        BASE,
        &[
            NAME,
            word("objtype", OBJECT_TYPE),
            Attr::new("objname", Value::ReferenceBy("objtype")),
            word("datatype", DATATYPE),
            word("needstage", SENSOR_STAGE),
            int("dim").required(),
            real("cutoff"),
        ],
    ],
    presence: &[Presence::Together(&["objtype", "objname"])],
    ..Rule::named("user")
};

static PLUGIN: Rule = Rule {
    attributes: &[&[
        NAME,
        text("plugin"),
        refer("instance", Namespace::Plugin),
        real("cutoff"),
        word("objtype", OBJECT_TYPE),
        Attr::new("objname", Value::ReferenceBy("objtype")),
        word("reftype", OBJECT_TYPE),
        Attr::new("refname", Value::ReferenceBy("reftype")),
        real_list("user"),
    ]],
    children: &[any(&CONFIG)],
    presence: &[
        Presence::Together(&["objtype", "objname"]),
        Presence::Together(&["reftype", "refname"]),
    ],
    ..Rule::named("plugin")
};

/// A spinning or solid-state laser scanner of MotrixSim; its pattern is an asset.
static LIDAR: Rule = Rule {
    attributes: &[&[
        NAME,
        refer("asset", Namespace::Lidar).required(),
        refer("site", Namespace::Site).required(),
        word("exclude", LIDAR_EXCLUDE),
        real("hz"),
    ]],
    extension: true,
    ..Rule::named("lidar")
};
