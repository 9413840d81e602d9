//! Scales of the model in its reference configuration: extent, centre, mean size, mass and inertia.

use motrix_model::{GeomKind, JointKind, Model, Vec3};

use crate::build::mechanics::{InertiaMatrix, Kinematics};
use crate::build::pose::{norm, sub};

/// Smallest size of a body or a scene, metres.
const MIN_SIZE: f64 = 1e-5;

/// Sets `model.statistic` and the length scale of each dof.
pub fn set(model: &mut Model, reference: &Kinematics, inertia: &InertiaMatrix) {
    let bounds = bounds(model, reference);
    let stat = &mut model.statistic;
    stat.center = std::array::from_fn(|i| 0.5 * (bounds.min[i] + bounds.max[i]));
    if bounds.max[0] > bounds.min[0] {
        let largest = (0..3).map(|i| bounds.max[i] - bounds.min[i]).fold(MIN_SIZE, f64::max);
        stat.extent = largest;
    }
    let sizes = body_sizes(model, reference);
    set_dof_lengths(model, &sizes);
    let stat = &mut model.statistic;
    let bodies = model.bodies.len() - 1;
    if bodies > 0 {
        stat.meansize = sizes[1..].iter().map(|size| size / bodies as f64).sum();
        stat.meanmass = model.bodies[1..].iter().map(|body| body.mass).sum::<f64>() / bodies as f64;
    }
    stat.extent = stat.extent.max(2.0 * stat.meansize);
    if !model.dofs.is_empty() {
        stat.meaninertia = inertia.diagonal().sum::<f64>() / model.dofs.len() as f64;
    }
}

/// Rotations move points at the distance of the body's size.
fn set_dof_lengths(model: &mut Model, sizes: &[f64]) {
    for i in 0..model.dofs.len() {
        let joint = &model.joints[model.dofs[i].joint.index()];
        let rotates = match joint.kind {
            JointKind::Ball | JointKind::Hinge => true,
            JointKind::Free => i - joint.first_dof >= 3,
            JointKind::Slide => false,
        };
        model.dofs[i].length = if rotates {
            sizes[model.dofs[i].body.index()]
        } else {
            1.0
        };
    }
}

struct Bounds {
    min: Vec3,
    max: Vec3,
}

impl Bounds {
    fn include(&mut self, point: Vec3, radius: f64) {
        for i in 0..3 {
            self.min[i] = self.min[i].min(point[i] - radius);
            self.max[i] = self.max[i].max(point[i] + radius);
        }
    }
}

/// The box around bodies, centres of mass, anchors, sites and geoms.
fn bounds(model: &Model, reference: &Kinematics) -> Bounds {
    let mut bounds = Bounds {
        min: [1e10; 3],
        max: [-1e10; 3],
    };
    let points = reference.bodies[1..]
        .iter()
        .chain(&reference.inertial[1..])
        .chain(&reference.sites);
    for frame in points {
        bounds.include(frame.position, 0.0);
    }
    for &anchor in &reference.anchors {
        bounds.include(anchor, 0.0);
    }
    for (geom, frame) in model.geoms.iter().zip(&reference.geoms) {
        let radius = match geom.kind {
            _ if geom.bounding_radius > 0.0 => geom.bounding_radius,
            // ground counts with a tenth of its size, so that it does not dwarf the robot
            GeomKind::Plane if geom.size[0] == 0.0 && geom.size[1] == 0.0 => 0.01,
            GeomKind::Plane => 0.1 * geom.size[0].max(geom.size[1]),
            _ => 0.0,
        };
        bounds.include(frame.position, radius);
    }
    bounds
}

/// How far each body reaches from its centre of mass: to its joints, its children's joints, and around its geoms.
fn body_sizes(model: &Model, reference: &Kinematics) -> Vec<f64> {
    let mut sizes = vec![0.0_f64; model.bodies.len()];
    for (joint, &anchor) in model.joints.iter().zip(&reference.anchors) {
        for body in [joint.body, model.bodies[joint.body.index()].parent] {
            let reach = norm(sub(anchor, reference.inertial[body.index()].position));
            sizes[body.index()] = sizes[body.index()].max(reach);
        }
    }
    sizes[0] = 0.0;
    for (geom, frame) in model.geoms.iter().zip(&reference.geoms) {
        let body = geom.body.index();
        if body > 0 && geom.bounding_radius > 0.0 {
            let reach = geom.bounding_radius + norm(sub(frame.position, reference.inertial[body].position));
            sizes[body] = sizes[body].max(reach);
        }
    }
    for size in &mut sizes[1..] {
        *size = size.max(MIN_SIZE);
    }
    sizes
}
