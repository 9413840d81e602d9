//! The words that keyword attributes accept.

use super::Words;

pub const ANGLE: Words = &["radian", "degree"];
pub const BIAS: Words = &["none", "affine", "muscle", "dcmotor", "so3", "user"];
pub const CAMERA_OUTPUT: Words = &["rgb", "depth", "distance", "normal", "segmentation"];
pub const COLORSPACE: Words = &["auto", "linear", "sRGB"];
pub const CONE: Words = &["pyramidal", "elliptic"];
pub const CONFLICT: Words = &["warning", "merge", "error"];
pub const CONTACT_DATA: Words = &[
    "found", "force", "torque", "dist", "pos", "normal", "tangent", "linvel", "angvel",
];
pub const CONTACT_REDUCE: Words = &["none", "mindist", "maxforce", "netforce"];
pub const COORDINATE: Words = &["local", "global"];
pub const DATATYPE: Words = &["real", "positive", "axis", "quaternion"];
pub const DYN: Words = &[
    "none",
    "integrator",
    "filter",
    "filterexact",
    "muscle",
    "dcmotor",
    "pid",
    "user",
];
pub const ELASTIC_2D: Words = &["none", "bend", "stretch", "both"];
pub const ENABLE: Words = &["disable", "enable"];
pub const FALSE_AUTO: Words = &["false", "auto"];
pub const FALSE_TRUE_AUTO: Words = &["false", "true", "auto"];
pub const FLEXCOMP_DOF: Words = &["full", "radial", "trilinear", "quadratic", "2d"];
pub const FLEXCOMP_TYPE: Words = &[
    "grid",
    "box",
    "cylinder",
    "ellipsoid",
    "square",
    "disc",
    "circle",
    "mesh",
    "gmsh",
    "direct",
];
pub const FLEX_EQUALITY: Words = &["false", "true", "strain"];
pub const FLEX_SECTION: Words = &["circle", "box"];
pub const FLEX_SELFCOLLIDE: Words = &["none", "narrow", "bvh", "sap", "auto"];
pub const FLUIDSHAPE: Words = &["none", "ellipsoid"];
pub const FRAME_OBJECT: Words = &["body", "xbody", "geom", "site", "camera"];
pub const GAIN: Words = &["fixed", "affine", "muscle", "dcmotor", "so3", "pid", "user"];
pub const GEOM_TYPE: Words = &[
    "plane",
    "hfield",
    "sphere",
    "capsule",
    "ellipsoid",
    "cylinder",
    "box",
    "mesh",
    "sdf",
];
/// The numbers are what files before MuJoCo 4 say.
pub const HEADLIGHT_ACTIVE: Words = &["false", "true", "auto", "0", "1", "2"];
pub const INPUT_CHART: Words = &["expmap", "quat"];
pub const INPUT_SIGNAL: Words = &["none", "pos", "vel", "ff", "voltage", "pressure"];
pub const INPUT_ANY: Words = &["none", "expmap", "quat", "pos", "vel", "ff", "voltage", "pressure"];
pub const INTEGRATOR: Words = &["Euler", "RK4", "implicit", "implicitfast", "discrete"];
pub const INTERPOLATION: Words = &["zoh", "linear", "cubic"];
pub const JACOBIAN: Words = &["dense", "sparse", "auto"];
pub const JOINT_TYPE: Words = &["free", "ball", "slide", "hinge"];
pub const LENGTHRANGE_MODE: Words = &["none", "muscle", "muscleuser", "all"];
pub const LIDAR_EXCLUDE: Words = &["none", "parentbody", "parentsubtree"];
pub const LIDAR_PATTERN: Words = &["grid", "rings"];
pub const LIGHT_TYPE: Words = &["spot", "directional", "point", "image"];
pub const MESH_BUILTIN: Words = &[
    "none",
    "sphere",
    "hemisphere",
    "cone",
    "supertorus",
    "supersphere",
    "wedge",
    "plate",
    "grid",
    "box",
    "cylinder",
    "ellipsoid",
    "square",
    "disc",
];
pub const MESH_INERTIA: Words = &["convex", "legacy", "exact", "shell"];
/// What an `objtype` may say when any named thing will do.
pub const OBJECT_TYPE: Words = &[
    "body", "xbody", "joint", "geom", "site", "camera", "light", "flex", "mesh", "skin", "hfield", "texture",
    "material", "pair", "exclude", "equality", "tendon", "actuator", "sensor", "numeric", "text", "tuple", "key",
    "plugin", "frame",
];
pub const PASSTHROUGH: Words = &["none", "textures"];
pub const PROJECTION: Words = &["perspective", "orthographic"];
pub const RAY_DATA: Words = &["dist", "dir", "origin", "point", "normal", "depth"];
pub const SENSOR_STAGE: Words = &["none", "pos", "vel", "acc"];
pub const SLEEP: Words = &["auto", "never", "allowed", "init"];
pub const SOLVER: Words = &["PGS", "CG", "Newton"];
/// `dynamic` is a MotrixSim extension.
pub const TEXTURE_BUILTIN: Words = &["none", "gradient", "checker", "flat", "dynamic"];
pub const TEXTURE_MARK: Words = &["none", "edge", "cross", "random"];
pub const TEXTURE_ROLE: Words = &[
    "rgb",
    "occlusion",
    "roughness",
    "metallic",
    "normal",
    "opacity",
    "emissive",
    "rgba",
    "orm",
];
/// The last four are MotrixSim extensions.
pub const TEXTURE_TYPE: Words = &["2d", "cube", "skybox", "envhdr", "envdiff", "envspec", "probe"];
pub const TONEMAPPING: Words = &["none", "aces"];
pub const TRACKING: Words = &["fixed", "track", "trackcom", "targetbody", "targetbodycom"];
