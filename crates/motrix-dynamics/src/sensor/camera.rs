//! Where cameras are, and where they see points.

use motrix_model::{Camera, Model, TrackMode};
use motrix_spatial::algebra::*;
use motrix_spatial::{Lanes, Mat3, Real, Vec3};

use crate::data::Poses;
use crate::tables::{round_orientation, round3};

/// Smallest depth that is divided by (MuJoCo's `mjMINVAL`).
const MIN_DEPTH: f64 = 1e-15;

/// How a camera is held.
#[derive(Clone, Debug)]
enum Hold<E> {
    /// In the body.
    Fixed,
    /// At a fixed offset, in world axes, from the body or the centre of mass of its subtree.
    Tracking {
        of_com: bool,
        offset: [E; 3],
        rotation: [E; 9],
    },
    /// In the body, looking at a body or the centre of mass of its subtree.
    Aiming { at_com: bool, target: usize },
}

/// A camera as the kernels read it.
#[derive(Clone, Debug)]
pub struct CameraRow<E> {
    /// Body.
    pub body: usize,
    position: [E; 3],
    orientation: Option<[E; 4]>,
    hold: Hold<E>,
    /// Focal lengths, pixels.
    focal: [E; 2],
    /// Middle of the image, pixels.
    centre: [E; 2],
}

/// The cameras of a model.
pub fn table<E: Real>(model: &Model) -> Vec<CameraRow<E>> {
    model.cameras.iter().map(CameraRow::new).collect()
}

impl<E: Real> CameraRow<E> {
    fn new(camera: &Camera) -> Self {
        let tracking = |of_com, offset| Hold::Tracking {
            of_com,
            offset: round3(offset),
            rotation: camera.rotation0.map(E::from_f64),
        };
        let aiming = |at_com| match camera.target {
            Some(target) => Hold::Aiming {
                at_com,
                target: target.index(),
            },
            None => Hold::Fixed,
        };
        let resolution = camera.resolution.map(f64::from);
        let sensor = camera.sensor_size.map(f64::from);
        let focal = if sensor[0] != 0.0 && sensor[1] != 0.0 {
            [0, 1].map(|k| f64::from(camera.intrinsic[k]) / sensor[k] * resolution[k])
        } else {
            [0.5 / (camera.fovy.to_radians() / 2.0).tan() * resolution[1]; 2]
        };
        Self {
            body: camera.body.index(),
            position: round3(camera.position),
            orientation: round_orientation(camera.orientation),
            hold: match camera.mode {
                TrackMode::Fixed => Hold::Fixed,
                TrackMode::Track => tracking(false, camera.offset_from_body0),
                TrackMode::TrackCom => tracking(true, camera.offset_from_com0),
                TrackMode::TargetBody => aiming(false),
                TrackMode::TargetBodyCom => aiming(true),
            },
            focal: focal.map(E::from_f64),
            centre: resolution.map(|pixels| E::from_f64(0.5 * pixels)),
        }
    }

    /// Position and rotation in the world.
    #[inline(always)]
    pub fn frame<L: Lanes<Elem = E>>(&self, poses: &Poses<L>) -> (Vec3<L>, Mat3<L>) {
        let held = &poses.rotation[self.body];
        let position = add(mat_vec(held, splat3(self.position)), poses.position[self.body]);
        match &self.hold {
            Hold::Fixed => {
                let rotation = match self.orientation {
                    Some(q) => quat_to_mat(quat_mul(poses.orientation[self.body], splat4(q))),
                    None => *held,
                };
                (position, rotation)
            }
            Hold::Tracking {
                of_com,
                offset,
                rotation,
            } => {
                let from = if *of_com { &poses.subtree_com } else { &poses.position };
                (add(from[self.body], splat3(*offset)), rotation.map(L::splat))
            }
            Hold::Aiming { at_com, target } => {
                let points = if *at_com { &poses.subtree_com } else { &poses.position };
                (position, looking_at(position, points[*target]))
            }
        }
    }

    /// The body that holds it and its orientation there, whatever it looks at.
    #[inline(always)]
    pub fn held(&self) -> (usize, &Option<[E; 4]>) {
        (self.body, &self.orientation)
    }

    /// Pixel at which a point is seen.
    #[inline(always)]
    pub fn project<L: Lanes<Elem = E>>(&self, poses: &Poses<L>, point: Vec3<L>) -> [L; 2] {
        let (position, rotation) = self.frame(poses);
        let seen = mat_t_vec(&rotation, sub(point, position));
        let tiny = L::c(MIN_DEPTH);
        let floored = L::select(seen[2].lt(L::ZERO), seen[2].min(-tiny), seen[2].max(tiny));
        let [fx, fy] = self.focal.map(L::splat);
        let [cx, cy] = self.centre.map(L::splat);
        [cx - fx * (seen[0] / floored), cy + fy * (seen[1] / floored)]
    }
}

/// The rotation of a camera that looks at a point with its x axis level.
#[inline(always)]
fn looking_at<L: Lanes>(from: Vec3<L>, target: Vec3<L>) -> Mat3<L> {
    let (z, _) = normalize(sub(from, target));
    let (x, _) = normalize(cross([L::ZERO, L::ZERO, L::ONE], z));
    let (y, _) = normalize(cross(z, x));
    [x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]]
}
