//! Sensors of frames: positions, orientations, velocities and accelerations of bodies, geoms, sites and cameras, and the forces
//! through the joint that holds a body.

use motrix_model::{Object, SensorKind};
use motrix_spatial::algebra::*;
use motrix_spatial::{Lanes, Mat3, Quat, Vec3};

use crate::data::{Data, Poses};
use crate::frames::FrameRow;
use crate::params::Params;
use crate::tables::Tables;

/// Masses below this count as none (MuJoCo's `mjMINVAL`).
const MIN_MASS: f64 = 1e-15;

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
                body: tables.tree.frames.geoms[g].body,
                position: poses.geom_position[g],
                rotation: poses.geom_rotation[g],
            }
        }
        Object::Site(s) => {
            let s = s.index();
            Frame {
                body: tables.tree.frames.sites[s].body,
                position: poses.site_position[s],
                rotation: poses.site_rotation[s],
            }
        }
        Object::Camera(c) => {
            let camera = &tables.sensors.cameras[c.index()];
            let (position, rotation) = camera.frame(poses);
            Frame {
                body: camera.body,
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

/// The point by which an object is said to be somewhere: a body without mass stands where its subtree's mass is.
#[inline(always)]
pub fn point_of<L: Lanes>(tables: &Tables<L::Elem>, params: &Params<L>, poses: &Poses<L>, object: Object) -> Vec3<L> {
    let point = frame_of(tables, poses, object).position;
    let Object::Body(body) = object else { return point };
    let (own, tiny) = (&params.bodies[body.index()], L::c(MIN_MASS));
    let elsewhere = own.mass.lt(tiny) & own.subtree_mass.ge(tiny);
    let com = select3(elsewhere, poses.subtree_com[body.index()], point);
    if body.index() == 0 { point } else { com }
}

/// The orientation of an object as the product of orientations on the way to it, which fixes the sign that a rotation leaves open.
#[inline(always)]
fn orientation_of<L: Lanes>(tables: &Tables<L::Elem>, params: &Params<L>, poses: &Poses<L>, object: Object) -> Quat<L> {
    if let Object::Body(b) = object
        && let Some(axes) = params.principal_axes.get(b.index())
    {
        return quat_mul(poses.orientation[b.index()], *axes);
    }
    let (body, local) = match object {
        Object::Body(b) => (b.index(), &tables.tree.bodies[b.index()].inertia_orientation),
        Object::Geom(g) => frame_orientation(&tables.tree.frames.geoms[g.index()]),
        Object::Site(s) => frame_orientation(&tables.tree.frames.sites[s.index()]),
        Object::Camera(c) => tables.sensors.cameras[c.index()].held(),
        Object::XBody(b) => (b.index(), &None),
        Object::Joint(_) | Object::Tendon(_) | Object::Actuator(_) | Object::Mesh(_) => (0, &None),
    };
    match local {
        Some(q) => quat_mul(poses.orientation[body], splat4(*q)),
        None => poses.orientation[body],
    }
}

#[inline(always)]
fn frame_orientation<E>(row: &FrameRow<E>) -> (usize, &Option<[E; 4]>) {
    (row.body, &row.orientation)
}

/// The value of a frame sensor.
#[inline(always)]
pub fn read<L: Lanes>(
    tables: &Tables<L::Elem>,
    params: &Params<L>,
    data: &Data<L>,
    kind: &SensorKind,
    object: Object,
    reference: Option<Object>,
    out: &mut [L; 4],
) {
    if *kind == SensorKind::FrameQuat {
        let q = orientation_of(tables, params, &data.poses, object);
        *out = match reference {
            Some(r) => quat_mul(quat_conjugate(orientation_of(tables, params, &data.poses, r)), q),
            None => q,
        };
        return;
    }
    let frame = frame_of(tables, &data.poses, object);
    let reference = reference.map(|r| frame_of(tables, &data.poses, r));
    let value = match kind {
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
        SensorKind::Force => mat_t_vec(&frame.rotation, linear(&data.twists.interaction[frame.body])),
        SensorKind::Torque => {
            let at_site = force_at(&data.twists.interaction[frame.body], arm(tables, data, &frame));
            mat_t_vec(&frame.rotation, angular(&at_site))
        }
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
