//! Equalities between bodies: two points that coincide, two frames that coincide.

use motrix_spatial::algebra::*;
use motrix_spatial::{Lanes, Motion, Quat, Real, Vec3};

use super::{Anchor, BodyPair, FIRST, SECOND, State};
use crate::configuration::Movement;
use crate::data::Poses;
use crate::support::Support;

impl<E: Real> BodyPair<E> {
    /// An anchor in the world.
    #[inline(always)]
    pub fn place<L: Lanes<Elem = E>>(&self, which: usize, poses: &Poses<L>) -> Vec3<L> {
        let body = self.bodies[which];
        match &self.anchors[which] {
            Anchor::Point(local) => {
                let offset = mat_vec(&poses.rotation[body], splat3(*local));
                add(offset, poses.position[body])
            }
            Anchor::Site(site) => poses.site_position[*site],
        }
    }
}

/// An anchor in the world, and seen from the origin of its body's spatial vectors.
#[inline(always)]
fn place<L: Lanes>(pair: &BodyPair<L::Elem>, which: usize, movement: &Movement<L>) -> (Vec3<L>, Vec3<L>) {
    let point = pair.place(which, movement.at.poses);
    (point, movement.at.arm(pair.bodies[which], point))
}

/// Two points of two bodies: violation, velocity and J̇ q̇ of p₁ − p₂.
struct Gap<L> {
    arms: [Vec3<L>; 2],
    /// Σ Ṡ q̇ of each body.
    products: [Motion<L>; 2],
    violation: Vec3<L>,
    velocity: Vec3<L>,
    product: Vec3<L>,
}

#[inline(always)]
fn gap<L: Lanes>(pair: &BodyPair<L::Elem>, movement: &Movement<L>) -> Gap<L> {
    let (p1, arm1) = place(pair, 0, movement);
    let (p2, arm2) = place(pair, 1, movement);
    let [body1, body2] = pair.bodies;
    let products = [movement.velocity_product(body1), movement.velocity_product(body2)];
    Gap {
        arms: [arm1, arm2],
        products,
        violation: sub(p1, p2),
        velocity: sub(movement.velocity(body1, arm1), movement.velocity(body2, arm2)),
        product: sub(
            movement.point_velocity_product(body1, &products[0], arm1),
            movement.point_velocity_product(body2, &products[1], arm2),
        ),
    }
}

/// Column of ∂(p₁ − p₂)/∂q and of ω₁ − ω₂ for a dof.
#[inline(always)]
fn relative_column<L: Lanes>(cdof: &Motion<L>, moves: u8, arms: &[Vec3<L>; 2]) -> (Vec3<L>, Vec3<L>) {
    let (s, v) = (angular(cdof), linear(cdof));
    let (mut translation, mut rotation) = (zero3(), zero3());
    if moves & FIRST != 0 {
        translation = add_cross(v, s, arms[0]);
        rotation = s;
    }
    if moves & SECOND != 0 {
        translation = sub(translation, add_cross(v, s, arms[1]));
        rotation = sub(rotation, s);
    }
    (translation, rotation)
}

/// Two points that coincide.
#[inline(always)]
pub(super) fn connect<L: Lanes>(
    pair: &BodyPair<L::Elem>,
    support: &Support,
    movement: &Movement<L>,
    jacobian: &mut [L],
) -> State<L> {
    let gap = gap(pair, movement);
    for (k, &dof) in support.dofs.iter().enumerate() {
        let cdof = &movement.at.cdof[dof as usize];
        let (column, _) = relative_column(cdof, support.moves[k], &gap.arms);
        jacobian[3 * k..3 * k + 3].copy_from_slice(&column);
    }
    State {
        violation: six(gap.violation, zero3()),
        velocity: six(gap.velocity, zero3()),
        product: six(gap.product, zero3()),
        inverse_inertia: [inverse_weight(pair, movement, 0); 2],
    }
}

/// Two frames that coincide. The rotation part is r = s·vec(q̄₂ q₁), with q₁ and q₂ the frames in the world. With ω = ω₁ − ω₂ its rate is
/// ½ s·vec(q̄₂ ω q₁), linear in ω, and J̇ q̇ is the rate of that at constant joint velocities:
/// ½ s·vec(q̄₂' ω q₁ + q̄₂ ω' q₁ + q̄₂ ω q₁').
#[inline(always)]
pub(super) fn weld<L: Lanes>(
    pair: &BodyPair<L::Elem>,
    frames: &[[L::Elem; 4]; 2],
    torque_scale: L,
    support: &Support,
    movement: &Movement<L>,
    jacobian: &mut [L],
) -> State<L> {
    let gap = gap(pair, movement);
    let (q1, q2) = world_frames(pair, frames, &movement.at.poses.orientation);
    let half = L::c(0.5) * torque_scale;
    for (k, &dof) in support.dofs.iter().enumerate() {
        let cdof = &movement.at.cdof[dof as usize];
        let (translation, axis) = relative_column(cdof, support.moves[k], &gap.arms);
        let rotation = scale(sandwich(q2, axis, q1), half);
        jacobian[6 * k..6 * k + 3].copy_from_slice(&translation);
        jacobian[6 * k + 3..6 * k + 6].copy_from_slice(&rotation);
    }
    let [omega1, omega2] = [
        angular(&movement.twists.body[pair.bodies[0]]),
        angular(&movement.twists.body[pair.bodies[1]]),
    ];
    let omega = sub(omega1, omega2);
    let omega_rate = sub(angular(&gap.products[0]), angular(&gap.products[1]));
    // q₁' = ½ ω₁ q₁, and the conjugate of ½ ω₂ q₂ is −½ q̄₂ ω₂.
    let q1_rate = half_product(omega1, q1);
    let q2_rate = quat_scale(quat_mul_vec(q2, omega2), L::c(-0.5));
    let turning = add(
        add(sandwich(q2_rate, omega, q1), sandwich(q2, omega_rate, q1)),
        sandwich(q2, omega, q1_rate),
    );
    let error = quat_mul(q2, q1);
    State {
        violation: six(gap.violation, scale([error[1], error[2], error[3]], torque_scale)),
        velocity: six(gap.velocity, scale(sandwich(q2, omega, q1), half)),
        product: six(gap.product, scale(turning, half)),
        inverse_inertia: [inverse_weight(pair, movement, 0), inverse_weight(pair, movement, 1)],
    }
}

/// The torque, in world axes, that forces on the rotation rows of a weld put on its first body: their Jacobian transposed.
#[inline(always)]
pub fn weld_torque<L: Lanes>(
    pair: &BodyPair<L::Elem>,
    frames: &[[L::Elem; 4]; 2],
    torque_scale: L,
    poses: &Poses<L>,
    force: Vec3<L>,
) -> Vec3<L> {
    let (q1, q2) = world_frames(pair, frames, &poses.orientation);
    let half = L::c(0.5) * torque_scale;
    let along = |axis: [f64; 3]| half * dot(force, sandwich(q2, axis.map(L::c), q1));
    [along([1.0, 0.0, 0.0]), along([0.0, 1.0, 0.0]), along([0.0, 0.0, 1.0])]
}

/// The first frame of a weld in the world, and the conjugate of the second.
#[inline(always)]
fn world_frames<L: Lanes>(
    pair: &BodyPair<L::Elem>,
    frames: &[[L::Elem; 4]; 2],
    orientation: &[Quat<L>],
) -> (Quat<L>, Quat<L>) {
    let q1 = quat_mul(orientation[pair.bodies[0]], splat4(frames[0]));
    let q2 = quat_mul(orientation[pair.bodies[1]], splat4(frames[1]));
    (q1, quat_conjugate(q2))
}

/// vec(a v b).
#[inline(always)]
fn sandwich<L: Lanes>(a: Quat<L>, v: Vec3<L>, b: Quat<L>) -> Vec3<L> {
    let q = quat_mul(quat_mul_vec(a, v), b);
    [q[1], q[2], q[3]]
}

/// ½ v q.
#[inline(always)]
fn half_product<L: Lanes>(v: Vec3<L>, q: Quat<L>) -> Quat<L> {
    let half = L::c(0.5);
    quat_mul([L::ZERO, v[0] * half, v[1] * half, v[2] * half], q)
}

#[inline(always)]
fn quat_scale<L: Lanes>(q: Quat<L>, s: L) -> Quat<L> {
    [q[0] * s, q[1] * s, q[2] * s, q[3] * s]
}

#[inline(always)]
fn six<L: Lanes>(a: Vec3<L>, b: Vec3<L>) -> [L; 6] {
    [a[0], a[1], a[2], b[0], b[1], b[2]]
}

/// Mean inverse inertia of both bodies: 0 for translation, 1 for rotation.
#[inline(always)]
fn inverse_weight<L: Lanes>(pair: &BodyPair<L::Elem>, movement: &Movement<L>, which: usize) -> L {
    let bodies = &movement.at.params.bodies;
    bodies[pair.bodies[0]].invweight[which] + bodies[pair.bodies[1]].invweight[which]
}
