//! The root element, default classes, extensions and custom data.

use super::keywords::OBJECT_TYPE;
use super::{
    Attr, CLASS, Namespace, Rule, Value, actuators, any, assets, bodies, constraints, int, name_of, once, real,
    real_list, sensors, settings, text, word,
};

/// `<mujoco>`: the whole model. Its sections may be repeated and stand in any order.
pub static MUJOCO: Rule = Rule {
    attributes: &[&[text("model")]],
    children: &[
        any(&settings::COMPILER),
        any(&settings::OPTION),
        any(&settings::SIZE),
        any(&settings::STATISTIC),
        any(&settings::VISUAL),
        any(&DEFAULT),
        any(&EXTENSION),
        any(&assets::ASSET),
        any(&bodies::WORLDBODY),
        any(&constraints::DEFORMABLE),
        any(&constraints::CONTACT),
        any(&constraints::TENDON),
        any(&constraints::EQUALITY),
        any(&actuators::ACTUATOR),
        any(&sensors::SENSOR),
        any(&CUSTOM),
        any(&KEYFRAME),
    ],
    ..Rule::named("mujoco")
};

/// `<default>`: values that elements of a class take where they say nothing themselves.
pub static DEFAULT: Rule = Rule {
    attributes: &[&[CLASS]],
    children: &[
        any(&DEFAULT),
        once(&assets::MESH),
        once(&assets::TEXTURE),
        once(&assets::MATERIAL),
        once(&bodies::JOINT),
        once(&bodies::GEOM),
        once(&bodies::SITE),
        once(&bodies::CAMERA),
        once(&bodies::LIGHT),
        once(&constraints::PAIR),
        once(&constraints::DEFAULT_EQUALITY),
        once(&constraints::DEFAULT_TENDON),
        once(&actuators::GENERAL),
        once(&actuators::MOTOR),
        once(&actuators::POSITION),
        once(&actuators::VELOCITY),
        once(&actuators::INTVELOCITY),
        once(&actuators::ORIENTATION),
        once(&actuators::PID),
        once(&actuators::DAMPER),
        once(&actuators::CYLINDER),
        once(&actuators::MUSCLE),
        once(&actuators::ADHESION),
        once(&actuators::DCMOTOR),
    ],
    ..Rule::named("default")
};

static EXTENSION: Rule = Rule {
    children: &[any(&EXTENSION_PLUGIN)],
    ..Rule::named("extension")
};

static EXTENSION_PLUGIN: Rule = Rule {
    attributes: &[&[text("plugin").required()]],
    children: &[any(&INSTANCE)],
    ..Rule::named("plugin")
};

static INSTANCE: Rule = Rule {
    attributes: &[&[name_of(Namespace::Plugin).required()]],
    children: &[any(&CONFIG)],
    ..Rule::named("instance")
};

/// `<config>`: a parameter of a plugin.
pub(super) static CONFIG: Rule = Rule {
    attributes: &[&[text("key").required(), text("value").required()]],
    ..Rule::named("config")
};

/// `<plugin>` inside an element that it computes something for.
pub(super) static PLUGIN: Rule = Rule {
    attributes: &[&[
        text("plugin"),
        Attr::new("instance", Value::Reference(Namespace::Plugin)),
    ]],
    children: &[any(&CONFIG)],
    ..Rule::named("plugin")
};

static CUSTOM: Rule = Rule {
    children: &[any(&NUMERIC), any(&TEXT), any(&TUPLE)],
    ..Rule::named("custom")
};

static NUMERIC: Rule = Rule {
    attributes: &[&[name_of(Namespace::Numeric).required(), int("size"), real_list("data")]],
    ..Rule::named("numeric")
};

static TEXT: Rule = Rule {
    attributes: &[&[name_of(Namespace::Text).required(), text("data").required()]],
    ..Rule::named("text")
};

static TUPLE: Rule = Rule {
    attributes: &[&[name_of(Namespace::Tuple).required()]],
    children: &[any(&TUPLE_ELEMENT)],
    ..Rule::named("tuple")
};

static TUPLE_ELEMENT: Rule = Rule {
    attributes: &[&[
        word("objtype", OBJECT_TYPE).required(),
        Attr::new("objname", Value::ReferenceBy("objtype")).required(),
        real("prm"),
    ]],
    ..Rule::named("element")
};

static KEYFRAME: Rule = Rule {
    children: &[any(&KEY)],
    ..Rule::named("keyframe")
};

static KEY: Rule = Rule {
    attributes: &[&[
        name_of(Namespace::Key),
        real("time"),
        real_list("qpos"),
        real_list("qvel"),
        real_list("act"),
        real_list("mpos"),
        real_list("mquat"),
        real_list("ctrl"),
        real_list("plastic"),
    ]],
    ..Rule::named("key")
};
