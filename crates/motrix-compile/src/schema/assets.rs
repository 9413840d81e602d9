//! Assets: what bodies look like and are made of.

use super::keywords::*;
use super::root::PLUGIN;
use super::{
    CLASS, Family, Namespace, Presence, Rule, any, boolean, file, int, int_list, ints, name_of, real, real_list, reals,
    reals_up_to, refer, text, word,
};

pub(super) static ASSET: Rule = Rule {
    children: &[
        any(&MESH),
        any(&HFIELD),
        any(&SKIN),
        any(&TEXTURE),
        any(&MATERIAL),
        any(&MODEL),
        any(&LIDAR),
        any(&GSPLAT),
    ],
    ..Rule::named("asset")
};

pub(super) static MESH: Rule = Rule {
    attributes: &[&[
        name_of(Namespace::Mesh),
        CLASS,
        text("content_type").own(),
        file("file"),
        real_list("vertex").own(),
        real_list("normal").own(),
        real_list("texcoord").own(),
        int_list("face").own(),
        reals("refpos", 3).own(),
        reals("refquat", 4).own(),
        reals("scale", 3),
        boolean("smoothnormal").own(),
        int("maxhullvert"),
        word("inertia", MESH_INERTIA),
        word("builtin", MESH_BUILTIN).own(),
        real_list("params").own(),
        refer("material", Namespace::Material).own(),
        boolean("acd").extension(),
    ]],
    children: &[any(&PLUGIN)],
    presence: &[
        Presence::Exclusive(&[&["builtin"], &["file"]]),
        Presence::Exclusive(&[&["builtin"], &["vertex"]]),
    ],
    family: Some(Family::Mesh),
    ..Rule::named("mesh")
};

static HFIELD: Rule = Rule {
    attributes: &[&[
        name_of(Namespace::HField),
        text("content_type"),
        file("file"),
        int("nrow"),
        int("ncol"),
        reals("size", 4).required(),
        real_list("elevation"),
    ]],
    ..Rule::named("hfield")
};

pub(super) static SKIN: Rule = Rule {
    attributes: &[&[
        name_of(Namespace::Skin),
        file("file"),
        refer("material", Namespace::Material),
        reals("rgba", 4),
        real("inflate"),
        real_list("vertex"),
        real_list("texcoord"),
        int_list("face"),
        int("group"),
    ]],
    children: &[any(&BONE)],
    ..Rule::named("skin")
};

static BONE: Rule = Rule {
    attributes: &[&[
        refer("body", Namespace::Body).required(),
        reals("bindpos", 3).required(),
        reals("bindquat", 4).required(),
        int_list("vertid").required(),
        real_list("vertweight").required(),
    ]],
    ..Rule::named("bone")
};

pub(super) static TEXTURE: Rule = Rule {
    attributes: &[&[
        name_of(Namespace::Texture),
        CLASS,
        word("type", TEXTURE_TYPE),
        word("colorspace", COLORSPACE),
        text("content_type").own(),
        file("file"),
        ints("gridsize", 2),
        text("gridlayout"),
        file("fileright"),
        file("fileleft"),
        file("fileup"),
        file("filedown"),
        file("filefront"),
        file("fileback"),
        word("builtin", TEXTURE_BUILTIN),
        reals("rgb1", 3),
        reals("rgb2", 3),
        word("mark", TEXTURE_MARK),
        reals("markrgb", 3),
        real("random"),
        int("width"),
        int("height"),
        boolean("hflip"),
        boolean("vflip"),
        int("nchannel"),
        word("embed", FALSE_TRUE_AUTO),
    ]],
    family: Some(Family::Texture),
    ..Rule::named("texture")
};

pub(super) static MATERIAL: Rule = Rule {
    attributes: &[&[
        name_of(Namespace::Material),
        CLASS,
        refer("texture", Namespace::Texture),
        reals("texrepeat", 2),
        boolean("texuniform"),
        // MuJoCo: strength; MotrixSim: colour, scaled by emissionintensity
        reals_up_to("emission", 4),
        real("specular"),
        real("shininess"),
        real("reflectance"),
        real("metallic"),
        real("roughness"),
        reals("rgba", 4),
        real("emissionintensity").extension(),
        reals("detailpara", 4).extension(),
        int("depthbias").extension(),
        boolean("castshadow").extension(),
    ]],
    children: &[any(&LAYER)],
    family: Some(Family::Material),
    ..Rule::named("material")
};

static LAYER: Rule = Rule {
    attributes: &[&[
        word("role", TEXTURE_ROLE).required(),
        refer("texture", Namespace::Texture).required(),
    ]],
    ..Rule::named("layer")
};

static MODEL: Rule = Rule {
    attributes: &[&[name_of(Namespace::Model), file("file").required(), text("content_type")]],
    ..Rule::named("model")
};

// Assets of MotrixSim.

static LIDAR: Rule = Rule {
    attributes: &[&[
        name_of(Namespace::Lidar).required(),
        real("cutoff"),
        word("pattern", LIDAR_PATTERN),
        int("hscan"),
        int("vscan"),
        reals("hrange", 2),
        reals("vrange", 2),
        real_list("elevations"),
        real("reportrate"),
        reals("hzrange", 2),
    ]],
    presence: &[
        Presence::Exclusive(&[&["hscan"], &["reportrate"]]),
        Presence::Exclusive(&[&["vscan", "vrange"], &["elevations"]]),
    ],
    extension: true,
    ..Rule::named("lidar")
};

static GSPLAT: Rule = Rule {
    attributes: &[&[
        name_of(Namespace::Gsplat).required(),
        file("file").required(),
        text("content_type"),
    ]],
    extension: true,
    ..Rule::named("gsplat")
};
