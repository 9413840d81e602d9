//! Sensors of frames: positions, orientations, velocities and accelerations of bodies, geoms, sites and cameras.

use motrix_model::{Object, SensorKind};
use motrix_spatial::algebra::*;
use motrix_spatial::{Lanes, Mat3, Motion, Vec3};

use crate::data::{Data, Poses};
use crate::kinematics::Tree;
use crate::params::Params;
use crate::tables::Tables;

/// A frame in the world, and the body that carries it.
struct Frame<L> {
    body: usize,
    position: Vec3<L>,
    rotation: Mat3<L>,
}

/// Where an object is.
#[inline(always)]
fn frame_of<L: Lanes>(tables: &Tables<L::Elem>, poses: &Poses<L>, object: Object) -> Frame<L> {
    match object {
        Object::Body(b) => {
            let b = b.index();
            Frame {
                body: b,
                position: poses.com[b],
                rotation: poses.inertia_rotation[b],
            }
        }
        Object::Geom(g) => {
            let g = g.index();
            Frame {
                body: tables.tree.geoms[g].body,
                position: poses.geom_position[g],
                rotation: poses.geom_rotation[g],
            }
        }
        Object::Site(s) => {
            let s = s.index();
            Frame {
                body: tables.tree.sites[s].body,
                position: poses.site_position[s],
                rotation: poses.site_rotation[s],
            }
        }
        Object::Camera(c) => {
            let row = &tables.sensors.cameras[c.index()];
            let (rotation, position) = (&poses.rotation[row.body], poses.position[row.body]);
            let position = add(mat_vec(rotation, splat3(row.position)), position);
            let rotation = match row.orientation {
                Some(q) => quat_to_mat(quat_mul(poses.orientation[row.body], splat4(q))),
                None => *rotation,
            };
            Frame {
                body: row.body,
                position,
                rotation,
            }
        }
        Object::XBody(b) => {
            let b = b.index();
            Frame {
                body: b,
                position: poses.position[b],
                rotation: poses.rotation[b],
            }
        }
        // Joints, tendons and actuators have no frame of their own; the compiler lets no frame sensor name them.
        Object::Joint(_) | Object::Tendon(_) | Object::Actuator(_) | Object::Mesh(_) => Frame {
            body: 0,
            position: zero3(),
            rotation: mat_identity(),
        },
    }
}

/// The value of a frame sensor.
#[inline(always)]
pub fn read<L: Lanes>(
    tables: &Tables<L::Elem>,
    data: &Data<L>,
    kind: &SensorKind,
    object: Object,
    reference: Option<Object>,
    out: &mut [L; 4],
) {
    let frame = frame_of(tables, &data.poses, object);
    let reference = reference.map(|r| frame_of(tables, &data.poses, r));
    let value = match kind {
        SensorKind::FrameQuat => {
            let q = quat_from_mat(&frame.rotation);
            *out = match &reference {
                Some(r) => quat_mul(quat_conjugate(quat_from_mat(&r.rotation)), q),
                None => q,
            };
            return;
        }
        SensorKind::FramePos => match &reference {
            Some(r) => mat_t_vec(&r.rotation, sub(frame.position, r.position)),
            None => frame.position,
        },
        SensorKind::FrameXAxis => axis(&frame, &reference, 0),
        SensorKind::FrameYAxis => axis(&frame, &reference, 1),
        SensorKind::FrameZAxis => axis(&frame, &reference, 2),
        SensorKind::Magnetometer => mat_t_vec(&frame.rotation, tables.options.magnetic.map(L::c)),
        SensorKind::Gyro => mat_t_vec(&frame.rotation, angular(&data.twists.body[frame.body])),
        SensorKind::Velocimeter => mat_t_vec(&frame.rotation, point_velocity(tables, data, &frame)),
        SensorKind::FrameLinVel => relative_linear(tables, data, &frame, &reference),
        SensorKind::FrameAngVel => {
            let omega = angular(&data.twists.body[frame.body]);
            match &reference {
                Some(r) => mat_t_vec(&r.rotation, sub(omega, angular(&data.twists.body[r.body]))),
                None => omega,
            }
        }
        SensorKind::Accelerometer => mat_t_vec(&frame.rotation, point_acceleration(tables, data, &frame)),
        SensorKind::FrameLinAcc => point_acceleration(tables, data, &frame),
        SensorKind::FrameAngAcc => angular(&data.twists.total[frame.body]),
        _ => zero3(),
    };
    out[..3].copy_from_slice(&value);
}

/// An axis of a frame, in the reference frame if there is one.
#[inline(always)]
fn axis<L: Lanes>(frame: &Frame<L>, reference: &Option<Frame<L>>, k: usize) -> Vec3<L> {
    let axis = mat_column(&frame.rotation, k);
    match reference {
        Some(r) => mat_t_vec(&r.rotation, axis),
        None => axis,
    }
}

/// From the centre about which a body's spatial vectors are expressed to the frame.
#[inline(always)]
fn arm<L: Lanes>(tables: &Tables<L::Elem>, data: &Data<L>, frame: &Frame<L>) -> Vec3<L> {
    sub(
        frame.position,
        data.poses.subtree_com[tables.tree.bodies[frame.body].root],
    )
}

/// Velocity of the frame's origin in world axes.
#[inline(always)]
fn point_velocity<L: Lanes>(tables: &Tables<L::Elem>, data: &Data<L>, frame: &Frame<L>) -> Vec3<L> {
    let v = &data.twists.body[frame.body];
    add_cross(linear(v), angular(v), arm(tables, data, frame))
}

/// Velocity of a frame seen from a moving reference frame.
#[inline(always)]
fn relative_linear<L: Lanes>(
    tables: &Tables<L::Elem>,
    data: &Data<L>,
    frame: &Frame<L>,
    reference: &Option<Frame<L>>,
) -> Vec3<L> {
    let v = point_velocity(tables, data, frame);
    let Some(r) = reference else { return v };
    let turning = cross(angular(&data.twists.body[r.body]), sub(frame.position, r.position));
    mat_t_vec(&r.rotation, sub(sub(v, point_velocity(tables, data, r)), turning))
}

/// Acceleration of the frame's origin in world axes, gravity felt as an upward acceleration: a + α × r + ω × v.
#[inline(always)]
fn point_acceleration<L: Lanes>(tables: &Tables<L::Elem>, data: &Data<L>, frame: &Frame<L>) -> Vec3<L> {
    let a = &data.twists.total[frame.body];
    let spatial = add_cross(linear(a), angular(a), arm(tables, data, frame));
    add(
        spatial,
        cross(
            angular(&data.twists.body[frame.body]),
            point_velocity(tables, data, frame),
        ),
    )
}

/// Spatial accelerations of bodies with the solved joint accelerations: a(i) = a(parent) + Ṡ q̇ + S q̈, a(world) = −g.
#[inline(always)]
pub fn accelerations<L: Lanes>(tree: &Tree<L::Elem>, params: &Params<L>, data: &mut Data<L>) {
    let Data {
        state,
        inertia,
        twists,
        solution,
        ..
    } = data;
    twists.total[0] = sliding_along(neg(params.gravity));
    for (i, body) in tree.bodies.iter().enumerate().skip(1) {
        let mut a: Motion<L> = twists.total[body.parent];
        for d in body.first_dof..body.first_dof + body.dof_count {
            a = add_scaled6(&a, state.qvel[d], &twists.dof_rate[d]);
            a = add_scaled6(&a, solution.acceleration[d], &inertia.cdof[d]);
        }
        twists.total[i] = a;
    }
}
