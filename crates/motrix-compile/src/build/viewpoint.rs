//! `<camera>` and `<light>`. Their targets are resolved when bodies are numbered.

use motrix_model::{Camera, Light, LightKind, TrackMode};

use super::draft::UNNUMBERED;
use super::pose::{TINY, normalize, rotate, unit};
use super::user;
use crate::document::Element;
use crate::problem::Problems;

const MODE: &[(&str, TrackMode)] = &[
    ("fixed", TrackMode::Fixed),
    ("track", TrackMode::Track),
    ("trackcom", TrackMode::TrackCom),
    ("targetbody", TrackMode::TargetBody),
    ("targetbodycom", TrackMode::TargetBodyCom),
];

/// Bits of `mjtCamOutBit`, in this order.
const OUTPUT: &[&str] = &["rgb", "depth", "distance", "normal", "segmentation"];

/// Reads a `<camera>`. `znear` is where the picture of cameras without a sensor is formed.
pub fn camera(element: &Element, znear: f32, users: Option<usize>, problems: &mut Problems) -> Camera {
    const PROJECTION: &[(&str, bool)] = &[("perspective", false), ("orthographic", true)];
    let pose = element.pose(problems);
    let outputs = element.keywords("output", OUTPUT, problems);
    let resolution = element.ints("resolution", problems).unwrap_or([1, 1]);
    let mut camera = Camera {
        name: element.name().map(str::to_owned),
        body: UNNUMBERED,
        mode: element.keyword("mode", MODE, problems).unwrap_or_default(),
        target: None,
        position: pose.pos,
        orientation: unit(pose.quat),
        offset_from_com0: [0.0; 3],
        offset_from_body0: [0.0; 3],
        rotation0: [0.0; 9],
        orthographic: element.keyword("projection", PROJECTION, problems).unwrap_or(false),
        fovy: element.real("fovy", problems).unwrap_or(45.0),
        ipd: element.real("ipd", problems).unwrap_or(0.068),
        resolution: resolution.map(|pixels| u32::try_from(pixels).unwrap_or(0)),
        output: if outputs.is_empty() {
            1
        } else {
            outputs.iter().map(|bit| 1 << bit).sum()
        },
        sensor_size: pair(element, "sensorsize", problems),
        intrinsic: [znear, znear, 0.0, 0.0],
        user: user::read(element, users, problems),
    };
    if resolution.iter().any(|&pixels| pixels < 0) {
        problems.push(element.problem_with("resolution", "a picture cannot have a negative size"));
    }
    set_lens(element, &mut camera, problems);
    if camera.fovy >= 180.0 {
        problems.push(element.problem_with("fovy", "the field of view must be below 180 degrees"));
    }
    camera
}

/// Focal lengths and principal point of a camera with a sensor, and the field of view they make.
fn set_lens(element: &Element, camera: &mut Camera, problems: &mut Problems) {
    let mut lens = |name: &str| pair(element, name, problems);
    let (focal, focal_pixels) = (lens("focal"), lens("focalpixel"));
    let (principal, principal_pixels) = (lens("principal"), lens("principalpixel"));
    let size = camera.sensor_size;
    if !(size[0] > 0.0 && size[1] > 0.0) {
        if [focal, focal_pixels, principal, principal_pixels]
            .concat()
            .iter()
            .any(|&x| x != 0.0)
        {
            problems.push(element.problem("focal and principal need sensorsize"));
        }
        return;
    }
    if camera.resolution.contains(&0) {
        problems.push(element.problem_with("sensorsize", "sensorsize needs a positive resolution"));
        return;
    }
    let length = |i: usize, pixels: [f32; 2], given: [f32; 2]| {
        let density = camera.resolution[i] as f32 / size[i];
        if pixels[i] != 0.0 {
            pixels[i] / density
        } else {
            given[i]
        }
    };
    let intrinsic = [
        length(0, focal_pixels, focal),
        length(1, focal_pixels, focal),
        length(0, principal_pixels, principal),
        length(1, principal_pixels, principal),
    ];
    camera.intrinsic = intrinsic;
    // MuJoCo evaluates the angle in single precision.
    camera.fovy = f64::from((size[1] / 2.0).atan2(intrinsic[1])) * 360.0 / std::f64::consts::PI;
}

/// Reads a `<light>`.
pub fn light(element: &Element, problems: &mut Problems) -> Light {
    const KIND: &[(&str, LightKind)] = &[
        ("spot", LightKind::Spot),
        ("directional", LightKind::Directional),
        ("point", LightKind::Point),
        ("image", LightKind::Image),
    ];
    let position = element.reals("pos", problems).unwrap_or([0.0; 3]);
    let direction = element.reals("dir", problems).unwrap_or([0.0, 0.0, -1.0]);
    let (position, mut direction) = match element.frame() {
        Some(frame) => (frame.pose().transform(position), rotate(frame.pose().quat, direction)),
        None => (position, direction),
    };
    if normalize(&mut direction) < TINY {
        problems.push(element.problem_with("dir", "the direction is too short"));
    }
    let directional = element.boolean("directional", problems).unwrap_or(false);
    let kind = if directional {
        LightKind::Directional
    } else {
        LightKind::Spot
    };
    let mode = element.keyword("mode", MODE, problems).unwrap_or_default();
    let kind = element.keyword("type", KIND, problems).unwrap_or(kind);
    let cast_shadow = element.boolean("castshadow", problems).unwrap_or(true);
    let active = element.boolean("active", problems).unwrap_or(true);
    let mut number = |name: &str, default: f32| element.real(name, problems).map_or(default, |x| x as f32);
    let (bulb_radius, intensity, range) = (
        number("bulbradius", 0.02),
        number("intensity", 0.0),
        number("range", 10.0),
    );
    let (softness, cutoff, exponent) = (
        number("softness", 0.2),
        number("cutoff", 45.0),
        number("exponent", 10.0),
    );
    if !(0.0..=1.0).contains(&softness) {
        problems.push(element.problem_with("softness", "the softness of a light is between 0 and 1"));
    }
    let mut colour = |name: &str, default: [f32; 3]| {
        element
            .reals::<3>(name, problems)
            .map_or(default, |rgb| rgb.map(|channel| channel as f32))
    };
    Light {
        name: element.name().map(str::to_owned),
        body: UNNUMBERED,
        mode,
        target: None,
        kind,
        cast_shadow,
        active,
        position,
        direction,
        offset_from_com0: [0.0; 3],
        offset_from_body0: [0.0; 3],
        direction0: [0.0; 3],
        texture: None,
        bulb_radius,
        intensity,
        range,
        softness,
        attenuation: colour("attenuation", [1.0, 0.0, 0.0]),
        cutoff,
        exponent,
        ambient: colour("ambient", [0.0; 3]),
        diffuse: colour("diffuse", [0.7; 3]),
        specular: colour("specular", [0.3; 3]),
    }
}

fn pair(element: &Element, name: &str, problems: &mut Problems) -> [f32; 2] {
    element
        .reals::<2>(name, problems)
        .map_or([0.0; 2], |pair| pair.map(|x| x as f32))
}
