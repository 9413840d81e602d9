//! Cameras, lights and what else pictures need; user data.

use crate::{BodyId, Quat, TextureId, Vec3};

/// How a camera or light moves with its body (`cam_mode`, `light_mode`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TrackMode {
    /// Fixed in the body.
    #[default]
    Fixed,
    /// Position follows the body, orientation fixed in the world.
    Track,
    /// Position follows the centre of mass of the subtree, orientation fixed in the world.
    TrackCom,
    /// Fixed in the body, looks at a target body.
    TargetBody,
    /// Fixed in the body, looks at the centre of mass of a target's subtree.
    TargetBodyCom,
}

/// A camera.
#[derive(Clone, Debug, PartialEq)]
pub struct Camera {
    /// Name, when the file gives one.
    pub name: Option<String>,
    /// Body.
    pub body: BodyId,
    /// How it moves.
    pub mode: TrackMode,
    /// Target of the looking modes.
    pub target: Option<BodyId>,
    /// Position in the body (`cam_pos`).
    pub position: Vec3,
    /// Orientation in the body; it looks along −z (`cam_quat`).
    pub orientation: Quat,
    /// World offset from the subtree's centre of mass in the reference pose (`cam_poscom0`).
    pub offset_from_com0: Vec3,
    /// World offset from the body in the reference pose (`cam_pos0`).
    pub offset_from_body0: Vec3,
    /// World rotation in the reference pose (`cam_mat0`).
    pub rotation0: [f64; 9],
    /// Whether the projection is orthographic (`cam_projection`).
    pub orthographic: bool,
    /// Vertical field of view: degrees, or metres when orthographic (`cam_fovy`).
    pub fovy: f64,
    /// Distance between the eyes (`cam_ipd`).
    pub ipd: f64,
    /// Pixels: width, height (`cam_resolution`).
    pub resolution: [u32; 2],
    /// What it delivers: bits of `mjtCamOutBit` (`cam_output`).
    pub output: u32,
    /// Size of the sensor: width, height in metres; zeros when the field of view rules (`cam_sensorsize`).
    pub sensor_size: [f32; 2],
    /// Focal lengths and principal point (`cam_intrinsic`).
    pub intrinsic: [f32; 4],
    /// User numbers (`cam_user`).
    pub user: Vec<f64>,
}

/// Kind of light (`light_type`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LightKind {
    /// A cone.
    #[default]
    Spot,
    /// Parallel rays.
    Directional,
    /// All around a point.
    Point,
    /// From an image.
    Image,
}

/// A light.
#[derive(Clone, Debug, PartialEq)]
pub struct Light {
    /// Name, when the file gives one.
    pub name: Option<String>,
    /// Body.
    pub body: BodyId,
    /// How it moves.
    pub mode: TrackMode,
    /// Target of the looking modes.
    pub target: Option<BodyId>,
    /// Kind.
    pub kind: LightKind,
    /// Whether it casts shadows.
    pub cast_shadow: bool,
    /// Whether it is on.
    pub active: bool,
    /// Position in the body (`light_pos`).
    pub position: Vec3,
    /// Direction in the body, unit (`light_dir`).
    pub direction: Vec3,
    /// World offset from the subtree's centre of mass in the reference pose (`light_poscom0`).
    pub offset_from_com0: Vec3,
    /// World offset from the body in the reference pose (`light_pos0`).
    pub offset_from_body0: Vec3,
    /// World direction in the reference pose (`light_dir0`).
    pub direction0: Vec3,
    /// Image of an image light.
    pub texture: Option<TextureId>,
    /// Radius of the source, for soft shadows.
    pub bulb_radius: f32,
    /// Intensity, candela; 0 leaves it to the colours.
    pub intensity: f32,
    /// Distance beyond which it does not reach.
    pub range: f32,
    /// Softness of a spot's edge, 0 to 1.
    pub softness: f32,
    /// Attenuation: constant, linear, quadratic.
    pub attenuation: [f32; 3],
    /// Half angle of a spot, degrees.
    pub cutoff: f32,
    /// Sharpness of a spot.
    pub exponent: f32,
    /// Ambient colour.
    pub ambient: [f32; 3],
    /// Diffuse colour.
    pub diffuse: [f32; 3],
    /// Specular colour.
    pub specular: [f32; 3],
}

/// Head light, clipping and colours of the scene (`<visual>`).
#[derive(Clone, Debug, PartialEq)]
pub struct Visual {
    /// Vertical field of view of the free camera, degrees.
    pub fovy: f32,
    /// Initial azimuth of the free camera, degrees.
    pub azimuth: f32,
    /// Initial elevation of the free camera, degrees.
    pub elevation: f32,
    /// Size of offscreen pictures: width, height.
    pub offscreen: [u32; 2],
    /// Near clipping plane in units of the extent.
    pub znear: f32,
    /// Far clipping plane in units of the extent.
    pub zfar: f32,
    /// Head light: ambient colour.
    pub headlight_ambient: [f32; 3],
    /// Head light: diffuse colour.
    pub headlight_diffuse: [f32; 3],
    /// Head light: specular colour.
    pub headlight_specular: [f32; 3],
    /// Whether the head light is on.
    pub headlight_active: bool,
    /// Whether that is left to the program that draws, which may leave it out when the scene has lights.
    pub headlight_auto: bool,
    /// Haze colour at the horizon.
    pub haze: [f32; 4],
    /// Fog colour.
    pub fog: [f32; 4],
}

impl Default for Visual {
    /// MuJoCo's defaults.
    fn default() -> Self {
        Self {
            fovy: 45.0,
            azimuth: 90.0,
            elevation: -45.0,
            offscreen: [640, 480],
            znear: 0.01,
            zfar: 50.0,
            headlight_ambient: [0.1; 3],
            headlight_diffuse: [0.4; 3],
            headlight_specular: [0.5; 3],
            headlight_active: true,
            headlight_auto: true,
            haze: [1.0; 4],
            fog: [0.0, 0.0, 0.0, 1.0],
        }
    }
}

/// A piece of user data (`<custom>`).
#[derive(Clone, Debug, PartialEq)]
pub enum Custom {
    /// Numbers.
    Numeric {
        /// Name.
        name: String,
        /// Values.
        data: Vec<f64>,
    },
    /// Text.
    Text {
        /// Name.
        name: String,
        /// Value.
        data: String,
    },
    /// References: kind, name, parameter.
    Tuple {
        /// Name.
        name: String,
        /// Items.
        items: Vec<(String, String, f64)>,
    },
}
