//! Frames fixed in bodies: their poses, velocities and Jacobians from the results kept for the bodies.
//!
//! A pose is `[x y z i j k w]`: the position of a frame's origin in the world and the rotation that takes its axes to the world's.
//! All of it is a handful of numbers per world, computed in `f64` and rounded once.

pub use motrix_collide::vector::{add, cross, sub};
use motrix_model::{BodyId, JointKind, Model};
pub use motrix_query::picture::quaternion_matrix as matrix;

/// Position and orientation `i j k w`.
pub type Pose = [f64; 7];
/// Linear velocity of the origin, angular velocity; world axes.
pub type Velocity = [f64; 6];

/// The position of a pose.
pub fn position(pose: &Pose) -> [f64; 3] {
    [pose[0], pose[1], pose[2]]
}

/// The orientation of a pose.
pub fn orientation(pose: &Pose) -> [f64; 4] {
    [pose[3], pose[4], pose[5], pose[6]]
}

/// A quaternion of the model, `w x y z`, in the order of poses.
pub fn ijkw([w, x, y, z]: [f64; 4]) -> [f64; 4] {
    [x, y, z, w]
}

/// A pose of its parts.
pub fn pose(p: [f64; 3], q: [f64; 4]) -> Pose {
    [p[0], p[1], p[2], q[0], q[1], q[2], q[3]]
}

/// v turned by the quaternion q = (u, w): v + 2 w (u × v) + 2 u × (u × v).
pub fn rotate(q: [f64; 4], v: [f64; 3]) -> [f64; 3] {
    let u = [q[0], q[1], q[2]];
    let t = cross(u, v).map(|x| 2.0 * x);
    add(add(v, t.map(|x| q[3] * x)), cross(u, t))
}

/// v turned back by the quaternion.
pub fn rotate_back(q: [f64; 4], v: [f64; 3]) -> [f64; 3] {
    rotate([-q[0], -q[1], -q[2], q[3]], v)
}

/// First b, then a.
pub fn multiply(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    let (u, v) = ([a[0], a[1], a[2]], [b[0], b[1], b[2]]);
    let mixed = add(cross(u, v), add(v.map(|x| a[3] * x), u.map(|x| b[3] * x)));
    let dot = u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
    [mixed[0], mixed[1], mixed[2], a[3] * b[3] - dot]
}

/// The quaternion of a rotation matrix, by the largest of its four components (Shepperd's method).
pub fn quaternion(m: [f64; 9]) -> [f64; 4] {
    let trace = m[0] + m[4] + m[8];
    let squares = [m[0], m[4], m[8], trace];
    let largest = (0..4).fold(0, |best, c| if squares[c] > squares[best] { c } else { best });
    let q = match largest {
        0 => [1.0 + m[0] - m[4] - m[8], m[1] + m[3], m[2] + m[6], m[7] - m[5]],
        1 => [m[1] + m[3], 1.0 + m[4] - m[0] - m[8], m[5] + m[7], m[2] - m[6]],
        2 => [m[2] + m[6], m[5] + m[7], 1.0 + m[8] - m[0] - m[4], m[3] - m[1]],
        _ => [m[7] - m[5], m[2] - m[6], m[3] - m[1], 1.0 + trace],
    };
    let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    q.map(|x| x / norm)
}

/// The pose of a frame that stands at `local` in a body.
pub fn attached(body: &Pose, local: &Pose) -> Pose {
    let q = orientation(body);
    pose(
        add(position(body), rotate(q, position(local))),
        multiply(q, orientation(local)),
    )
}

/// The velocity of a point fixed in a body whose frame moves with `velocity`.
pub fn velocity_at(body: &Pose, velocity: &Velocity, point: [f64; 3]) -> Velocity {
    let [vx, vy, vz, wx, wy, wz] = *velocity;
    let v = add([vx, vy, vz], cross([wx, wy, wz], sub(point, position(body))));
    [v[0], v[1], v[2], wx, wy, wz]
}

/// The dofs that move a body, from the nearest joint to the root, as the columns of [`jacobian`] list them.
///
/// A free joint lists its rotations before its translations.
pub fn jacobian_dofs(model: &Model, body: BodyId) -> Vec<usize> {
    joints_to_root(model, body)
        .flat_map(|joint| {
            let joint = &model.joints[joint];
            let a = joint.first_dof;
            match joint.kind {
                JointKind::Free => vec![a + 3, a + 4, a + 5, a, a + 1, a + 2],
                JointKind::Ball => vec![a, a + 1, a + 2],
                JointKind::Slide | JointKind::Hinge => vec![a],
            }
        })
        .collect()
}

/// How the velocities of [`jacobian_dofs`] move a point fixed in a body: one column per dof, angular then linear, world axes.
///
/// `poses` are the rows of bodies, `axes` anchor and axis of joints, both as kept by a step.
pub fn jacobian(model: &Model, body: BodyId, point: [f64; 3], poses: &[Pose], axes: &[[f64; 6]]) -> Vec<[f64; 6]> {
    let turning = |axis: [f64; 3], anchor: [f64; 3]| {
        let v = cross(axis, sub(point, anchor));
        [axis[0], axis[1], axis[2], v[0], v[1], v[2]]
    };
    let mut columns = Vec::new();
    for index in joints_to_root(model, body) {
        let joint = &model.joints[index];
        let [ax, ay, az, x, y, z] = axes[index];
        let frame = &poses[joint.body.index()];
        let r = matrix(orientation(frame));
        let own_axes = [0, 1, 2].map(|c| [r[c], r[c + 3], r[c + 6]]);
        match joint.kind {
            JointKind::Free => {
                columns.extend(own_axes.map(|axis| turning(axis, position(frame))));
                for c in 0..3 {
                    let mut column = [0.0; 6];
                    column[3 + c] = 1.0;
                    columns.push(column);
                }
            }
            JointKind::Ball => columns.extend(own_axes.map(|axis| turning(axis, [ax, ay, az]))),
            JointKind::Slide => columns.push([0.0, 0.0, 0.0, x, y, z]),
            JointKind::Hinge => columns.push(turning([x, y, z], [ax, ay, az])),
        }
    }
    columns
}

/// Joints on the way from a body to the root, nearest first.
fn joints_to_root(model: &Model, body: BodyId) -> impl Iterator<Item = usize> + '_ {
    let parents = std::iter::successors(Some(body), |at| {
        let parent = model.bodies[at.index()].parent;
        (*at != BodyId::WORLD).then_some(parent)
    });
    parents.flat_map(|at| {
        let body = &model.bodies[at.index()];
        (body.first_joint..body.first_joint + body.joint_count).rev()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quaternion_and_its_matrix_turn_vectors_alike() {
        let q = quaternion(matrix([0.5, -0.5, 0.5, 0.5]));
        let (v, m) = ([0.3, -1.0, 2.0], matrix(q));
        let by_matrix = [0, 3, 6].map(|r| m[r] * v[0] + m[r + 1] * v[1] + m[r + 2] * v[2]);
        let by_quaternion = rotate(q, v);
        for (a, b) in by_matrix.into_iter().zip(by_quaternion) {
            assert!((a - b).abs() < 1e-15, "{a} {b}: a few roundings apart");
        }
        assert_eq!(rotate_back(q, [1.0, 0.0, 0.0]), [0, 1, 2].map(|c| m[c]));
    }

    #[test]
    fn a_frame_on_a_turned_body_stands_where_the_turn_puts_it() {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let body = [1.0, 2.0, 3.0, 0.0, 0.0, half, half];
        let site = attached(&body, &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
        let expected = [1.0, 3.0, 3.0, 0.0, 0.0, half, half];
        for (a, b) in site.iter().zip(expected) {
            assert!((a - b).abs() < 1e-15, "{site:?}");
        }
    }
}
