//! What couples bodies: contact pairs, tendons, equalities, deformables.

use super::assets::SKIN;
use super::bodies::{ELASTICITY, FLEX_CONTACT};
use super::keywords::*;
use super::{
    Attr, CLASS, Family, Namespace, Presence, Rule, any, boolean, int, int_list, ints, name_of, once, real, real_list,
    reals, reals_up_to, refer, refer_list, word,
};

pub(super) static CONTACT: Rule = Rule {
    children: &[any(&PAIR), any(&EXCLUDE)],
    ..Rule::named("contact")
};

pub(super) static PAIR: Rule = Rule {
    attributes: &[&[
        name_of(Namespace::Pair),
        CLASS,
        refer("geom1", Namespace::Geom).own().required(),
        refer("geom2", Namespace::Geom).own().required(),
        int("condim"),
        reals_up_to("friction", 5),
        reals_up_to("solref", 2),
        reals_up_to("solreffriction", 2),
        reals_up_to("solimp", 5),
        real("gap"),
        real("margin"),
        real("adhesion"),
    ]],
    family: Some(Family::Pair),
    ..Rule::named("pair")
};

static EXCLUDE: Rule = Rule {
    attributes: &[&[
        name_of(Namespace::Exclude),
        refer("body1", Namespace::Body).required(),
        refer("body2", Namespace::Body).required(),
    ]],
    ..Rule::named("exclude")
};

pub(super) static TENDON: Rule = Rule {
    children: &[any(&SPATIAL), any(&FIXED)],
    ..Rule::named("tendon")
};

const TENDON_BASE: &[Attr] = &[
    int("group"),
    word("limited", FALSE_TRUE_AUTO),
    word("actuatorfrclimited", FALSE_TRUE_AUTO),
    reals("range", 2),
    reals("actuatorfrcrange", 2),
    reals_up_to("solreflimit", 2),
    reals_up_to("solimplimit", 5),
    reals_up_to("solreffriction", 2),
    reals_up_to("solimpfriction", 5),
    real("frictionloss"),
    reals_up_to("springlength", 2),
    real("springyield"),
    real("margin"),
    reals_up_to("stiffness", 3),
    reals_up_to("damping", 3),
    real("armature"),
    real_list("user"),
];

static SPATIAL: Rule = Rule {
    attributes: &[
        &[name_of(Namespace::Tendon), CLASS],
        TENDON_BASE,
        &[real("width"), refer("material", Namespace::Material), reals("rgba", 4)],
    ],
    children: &[any(&WRAP_SITE), any(&WRAP_GEOM), any(&PULLEY)],
    family: Some(Family::Tendon),
    ..Rule::named("spatial")
};

static FIXED: Rule = Rule {
    attributes: &[
        &[name_of(Namespace::Tendon), CLASS],
        TENDON_BASE,
        &[real("width").extension(), reals("rgba", 4).extension()],
    ],
    children: &[any(&WRAP_JOINT)],
    family: Some(Family::Tendon),
    ..Rule::named("fixed")
};

/// `<tendon>` in a default class speaks to both kinds of tendon.
pub(super) static DEFAULT_TENDON: Rule = Rule {
    attributes: &[
        TENDON_BASE,
        &[real("width"), refer("material", Namespace::Material), reals("rgba", 4)],
    ],
    family: Some(Family::Tendon),
    ..Rule::named("tendon")
};

static WRAP_SITE: Rule = Rule {
    attributes: &[&[refer("site", Namespace::Site).required()]],
    ..Rule::named("site")
};

static WRAP_GEOM: Rule = Rule {
    attributes: &[&[
        refer("geom", Namespace::Geom).required(),
        refer("sidesite", Namespace::Site),
    ]],
    ..Rule::named("geom")
};

static PULLEY: Rule = Rule {
    attributes: &[&[real("divisor").required()]],
    ..Rule::named("pulley")
};

static WRAP_JOINT: Rule = Rule {
    attributes: &[&[refer("joint", Namespace::Joint).required(), real("coef").required()]],
    ..Rule::named("joint")
};

pub(super) static EQUALITY: Rule = Rule {
    children: &[
        any(&CONNECT),
        any(&WELD),
        any(&EQUALITY_JOINT),
        any(&EQUALITY_TENDON),
        any(&EQUALITY_FLEX),
        any(&FLEXSTRAIN),
    ],
    ..Rule::named("equality")
};

const EQUALITY_BASE: &[Attr] = &[boolean("active"), reals_up_to("solref", 2), reals_up_to("solimp", 5)];
const EQUALITY_NAME: &[Attr] = &[name_of(Namespace::Equality), CLASS];
const BODIES_OR_SITES: &[Attr] = &[
    refer("body1", Namespace::Body),
    refer("body2", Namespace::Body),
    refer("site1", Namespace::Site),
    refer("site2", Namespace::Site),
    reals("anchor", 3),
];

static CONNECT: Rule = Rule {
    attributes: &[EQUALITY_NAME, EQUALITY_BASE, BODIES_OR_SITES],
    presence: &[
        Presence::Exclusive(&[&["site1", "site2"], &["body1", "body2", "anchor"]]),
        Presence::OneOf(&[&["site1", "site2"], &["body1", "anchor"]]),
    ],
    family: Some(Family::Equality),
    ..Rule::named("connect")
};

static WELD: Rule = Rule {
    attributes: &[
        EQUALITY_NAME,
        EQUALITY_BASE,
        BODIES_OR_SITES,
        &[reals("relpose", 7), real("torquescale")],
    ],
    presence: &[
        Presence::Exclusive(&[&["site1", "site2"], &["body1", "body2", "anchor", "relpose"]]),
        Presence::OneOf(&[&["site1", "site2"], &["body1"]]),
    ],
    family: Some(Family::Equality),
    ..Rule::named("weld")
};

static EQUALITY_JOINT: Rule = Rule {
    attributes: &[
        EQUALITY_NAME,
        EQUALITY_BASE,
        &[
            refer("joint1", Namespace::Joint).required(),
            refer("joint2", Namespace::Joint),
            reals_up_to("polycoef", 5),
        ],
    ],
    family: Some(Family::Equality),
    ..Rule::named("joint")
};

static EQUALITY_TENDON: Rule = Rule {
    attributes: &[
        EQUALITY_NAME,
        EQUALITY_BASE,
        &[
            refer("tendon1", Namespace::Tendon).required(),
            refer("tendon2", Namespace::Tendon),
            reals_up_to("polycoef", 5),
        ],
    ],
    family: Some(Family::Equality),
    ..Rule::named("tendon")
};

static EQUALITY_FLEX: Rule = Rule {
    attributes: &[
        EQUALITY_NAME,
        EQUALITY_BASE,
        &[refer("flex", Namespace::Flex).required()],
    ],
    family: Some(Family::Equality),
    ..Rule::named("flex")
};

static FLEXSTRAIN: Rule = Rule {
    attributes: &[
        EQUALITY_NAME,
        EQUALITY_BASE,
        &[refer("flex", Namespace::Flex).required(), reals("cell", 3)],
    ],
    family: Some(Family::Equality),
    ..Rule::named("flexstrain")
};

/// `<equality>` in a default class speaks to all equality constraints.
pub(super) static DEFAULT_EQUALITY: Rule = Rule {
    attributes: &[EQUALITY_BASE],
    family: Some(Family::Equality),
    ..Rule::named("equality")
};

pub(super) static DEFORMABLE: Rule = Rule {
    children: &[any(&FLEX), any(&SKIN)],
    ..Rule::named("deformable")
};

static FLEX: Rule = Rule {
    attributes: &[&[
        name_of(Namespace::Flex),
        int("group"),
        int("dim"),
        real("radius"),
        refer("material", Namespace::Material),
        reals("rgba", 4),
        boolean("flatskin"),
        refer_list("body", Namespace::Body).required(),
        real_list("vertex"),
        int_list("element").required(),
        real_list("texcoord"),
        int_list("elemtexcoord"),
        refer_list("node", Namespace::Body),
        real_list("nodecoord"),
        ints("cellcount", 3),
        word("dof", FLEXCOMP_DOF),
    ]],
    children: &[once(&FLEX_CONTACT), once(&FLEX_EDGE), once(&ELASTICITY)],
    ..Rule::named("flex")
};

static FLEX_EDGE: Rule = Rule {
    attributes: &[&[real("stiffness"), real("damping")]],
    ..Rule::named("edge")
};
