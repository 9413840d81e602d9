//! Where everything is in a given configuration: bodies, joints, geoms, sites, centres of mass, and the spatial axes of dofs.
//!
//! Spatial vectors are `[angular; linear]` in world axes, about the centre of mass of the tree they belong to (MuJoCo's
//! `cinert`, `cdof`). Only the compiler uses this code: it runs once per model, in `f64`, and favours plainness over speed.

use motrix_model::{BodyId, JointKind, Model, Quat, Vec3};

use crate::build::pose::{Mat3, Pose, about, add, apply, compose, cross, dot, matrix, rotate, scale, sub, unit};

/// Spatial inertia about a point: `[Ixx Iyy Izz Ixy Ixz Iyz, m·x m·y m·z, m]`.
pub type Inertia = [f64; 10];
/// Spatial motion `[angular; linear]`.
pub type Motion = [f64; 6];

/// Poses closer than this to their body's, in every coordinate, count as equal to it (MuJoCo's `mjtSameFrame`).
const SAME_FRAME: f64 = 1e-6;
/// Masses below this are zero (`mjMINVAL`).
const MIN_MASS: f64 = 1e-15;

/// A frame in the world.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Origin.
    pub position: Vec3,
    /// Axes in columns.
    pub rotation: Mat3,
}

/// The model in one configuration.
#[derive(Debug)]
pub struct Kinematics {
    /// Configuration.
    pub qpos: Vec<f64>,
    /// Body frames.
    pub bodies: Vec<Frame>,
    /// Orientations of the body frames.
    pub orientations: Vec<Quat>,
    /// Inertial frames.
    pub inertial: Vec<Frame>,
    /// Joint anchors.
    pub anchors: Vec<Vec3>,
    /// Geom frames.
    pub geoms: Vec<Frame>,
    /// Site frames.
    pub sites: Vec<Frame>,
    /// Centre of mass of each body's subtree.
    pub subtree_com: Vec<Vec3>,
    /// Spatial inertia of each body about the centre of mass of its tree.
    pub inertia: Vec<Inertia>,
    /// Spatial axis of each dof about the centre of mass of its tree.
    pub axes: Vec<Motion>,
}

impl Kinematics {
    /// The model in configuration `qpos`.
    pub fn at(model: &Model, qpos: &[f64]) -> Self {
        let mut k = Self {
            qpos: qpos.to_vec(),
            bodies: Vec::with_capacity(model.bodies.len()),
            orientations: Vec::with_capacity(model.bodies.len()),
            inertial: Vec::with_capacity(model.bodies.len()),
            anchors: vec![[0.0; 3]; model.joints.len()],
            geoms: Vec::with_capacity(model.geoms.len()),
            sites: Vec::with_capacity(model.sites.len()),
            subtree_com: Vec::new(),
            inertia: Vec::new(),
            axes: vec![[0.0; 6]; model.dofs.len()],
        };
        let mut joint_axes = vec![[0.0; 3]; model.joints.len()];
        for body in 0..model.bodies.len() {
            k.place_body(model, body, &mut joint_axes);
        }
        k.place_attached(model);
        k.find_centres_of_mass(model);
        k.find_spatial_axes(model, &joint_axes);
        k
    }

    /// Body frame from the parent's, through the body's joints.
    fn place_body(&mut self, model: &Model, index: usize, joint_axes: &mut [Vec3]) {
        let body = &model.bodies[index];
        let mut position = body.position;
        let mut q = body.orientation;
        if index == 0 {
            (position, q) = ([0.0; 3], [1.0, 0.0, 0.0, 0.0]);
        } else if body.parent != BodyId::WORLD {
            let parent = self.bodies[body.parent.index()];
            position = add(parent.position, apply(&parent.rotation, body.position));
            q = compose(self.orientations[body.parent.index()], body.orientation);
        }
        for j in body.first_joint..body.first_joint + body.joint_count {
            let joint = &model.joints[j];
            let adr = joint.first_position;
            if joint.kind == JointKind::Free {
                position = [self.qpos[adr], self.qpos[adr + 1], self.qpos[adr + 2]];
                q = unit(quat_at(&self.qpos, adr + 3));
                self.anchors[j] = position;
                continue;
            }
            let anchor = add(position, rotate(q, joint.anchor));
            joint_axes[j] = rotate(q, joint.axis);
            self.anchors[j] = anchor;
            let travel = self.qpos[adr] - model.qpos0[adr];
            match joint.kind {
                JointKind::Slide => position = add(position, scale(travel, joint_axes[j])),
                JointKind::Hinge => q = compose(q, about(joint.axis, travel)),
                JointKind::Ball => q = compose(q, unit(quat_at(&self.qpos, adr))),
                JointKind::Free => {}
            }
            if joint.kind != JointKind::Slide {
                position = sub(anchor, rotate(q, joint.anchor));
            }
        }
        let q = unit(q);
        self.bodies.push(Frame {
            position,
            rotation: matrix(q),
        });
        self.orientations.push(q);
    }

    /// Frames of what is fixed to bodies: inertia, geoms, sites.
    fn place_attached(&mut self, model: &Model) {
        for (i, body) in model.bodies.iter().enumerate() {
            let local = Pose::new(body.com, body.inertia_orientation);
            let frame = if i == 0 {
                self.bodies[0]
            } else {
                self.attached(i, &local, None)
            };
            self.inertial.push(frame);
        }
        for geom in &model.geoms {
            let local = Pose::new(geom.position, geom.orientation);
            let body = &model.bodies[geom.body.index()];
            let inertial = Pose::new(body.com, body.inertia_orientation);
            self.geoms
                .push(self.attached(geom.body.index(), &local, Some(&inertial)));
        }
        for site in &model.sites {
            let local = Pose::new(site.position, site.orientation);
            let body = &model.bodies[site.body.index()];
            let inertial = Pose::new(body.com, body.inertia_orientation);
            self.sites
                .push(self.attached(site.body.index(), &local, Some(&inertial)));
        }
    }

    /// World frame of a pose fixed to a body. A pose that hardly differs from the body frame, or from its inertial frame, is
    /// that frame: MuJoCo saves the product there, and results must agree.
    fn attached(&self, body: usize, local: &Pose, inertial: Option<&Pose>) -> Frame {
        let frame = self.bodies[body];
        let upright = same_rotation(local.orientation, [1.0, 0.0, 0.0, 0.0]);
        if upright && same_point(local.position, [0.0; 3]) {
            return frame;
        }
        let as_inertia = inertial.filter(|i| !upright && same_rotation(local.orientation, i.orientation));
        if as_inertia.is_some_and(|i| same_point(local.position, i.position)) {
            return self.inertial[body];
        }
        let rotation = if upright {
            frame.rotation
        } else if as_inertia.is_some() {
            self.inertial[body].rotation
        } else {
            matrix(compose(self.orientations[body], local.orientation))
        };
        Frame {
            position: add(frame.position, apply(&frame.rotation, local.position)),
            rotation,
        }
    }

    /// Centres of mass of subtrees, then inertias about the centre of mass of each tree.
    fn find_centres_of_mass(&mut self, model: &Model) {
        let mut moment: Vec<Vec3> = model
            .bodies
            .iter()
            .zip(&self.inertial)
            .map(|(body, frame)| scale(body.mass, frame.position))
            .collect();
        let mut mass: Vec<f64> = model.bodies.iter().map(|body| body.mass).collect();
        for i in (1..model.bodies.len()).rev() {
            let parent = model.bodies[i].parent.index();
            moment[parent] = add(moment[parent], moment[i]);
            mass[parent] += mass[i];
        }
        self.subtree_com = (0..model.bodies.len())
            .map(|i| {
                if mass[i] < MIN_MASS {
                    self.inertial[i].position
                } else {
                    scale(1.0 / mass[i], moment[i])
                }
            })
            .collect();
        self.inertia = model
            .bodies
            .iter()
            .zip(&self.inertial)
            .enumerate()
            .map(|(i, (body, frame))| {
                if i == 0 {
                    return [0.0; 10];
                }
                let offset = sub(frame.position, self.subtree_com[body.root.index()]);
                inertia_about(body.mass, body.inertia, &frame.rotation, offset)
            })
            .collect();
    }

    /// Spatial axes of dofs: rotations about their anchor, seen from the centre of mass of the tree.
    fn find_spatial_axes(&mut self, model: &Model, joint_axes: &[Vec3]) {
        for (j, joint) in model.joints.iter().enumerate() {
            let body = joint.body.index();
            let lever = sub(self.subtree_com[model.bodies[body].root.index()], self.anchors[j]);
            let dof = joint.first_dof;
            let r = self.bodies[body].rotation;
            let column = |k: usize| [r[k], r[3 + k], r[6 + k]];
            match joint.kind {
                JointKind::Free => {
                    for i in 0..3 {
                        self.axes[dof + i][3 + i] = 1.0;
                        self.axes[dof + 3 + i] = rotation_about(column(i), lever);
                    }
                }
                JointKind::Ball => {
                    for i in 0..3 {
                        self.axes[dof + i] = rotation_about(column(i), lever);
                    }
                }
                JointKind::Slide => self.axes[dof][3..].copy_from_slice(&joint_axes[j]),
                JointKind::Hinge => self.axes[dof] = rotation_about(joint_axes[j], lever),
            }
        }
    }

    /// Velocity of the world point `point` of `body` per unit velocity of each dof that moves it: `(dof, linear, angular)`.
    pub fn point_jacobian(&self, model: &Model, body: BodyId, point: Vec3) -> Vec<(usize, Vec3, Vec3)> {
        let lever = sub(point, self.subtree_com[model.bodies[body.index()].root.index()]);
        model
            .dof_chain(body)
            .into_iter()
            .map(|dof| {
                let axis = &self.axes[dof.index()];
                let angular = [axis[0], axis[1], axis[2]];
                let linear = add([axis[3], axis[4], axis[5]], cross(angular, lever));
                (dof.index(), linear, angular)
            })
            .collect()
    }
}

fn quat_at(qpos: &[f64], at: usize) -> Quat {
    [qpos[at], qpos[at + 1], qpos[at + 2], qpos[at + 3]]
}

fn same_point(a: Vec3, b: Vec3) -> bool {
    (0..3).all(|i| (a[i] - b[i]).abs() < SAME_FRAME)
}

/// q and −q are the same rotation.
fn same_rotation(a: Quat, b: Quat) -> bool {
    (0..4).all(|i| (a[i] - b[i]).abs() < SAME_FRAME) || (0..4).all(|i| (a[i] + b[i]).abs() < SAME_FRAME)
}

/// Motion of unit rotation about `axis` through a point from which the reference point is `lever` away.
fn rotation_about(axis: Vec3, lever: Vec3) -> Motion {
    let linear = cross(axis, lever);
    [axis[0], axis[1], axis[2], linear[0], linear[1], linear[2]]
}

/// R diag(I) Rᵀ + m (|d|² 1 − d dᵀ), m d, m.
fn inertia_about(mass: f64, moments: Vec3, r: &Mat3, d: Vec3) -> Inertia {
    let entry = |i: usize, j: usize| -> f64 {
        let own: f64 = (0..3).map(|k| r[3 * i + k] * moments[k] * r[3 * j + k]).sum();
        let offset = if i == j { dot(d, d) - d[i] * d[i] } else { -d[i] * d[j] };
        own + mass * offset
    };
    [
        entry(0, 0),
        entry(1, 1),
        entry(2, 2),
        entry(0, 1),
        entry(0, 2),
        entry(1, 2),
        mass * d[0],
        mass * d[1],
        mass * d[2],
        mass,
    ]
}
