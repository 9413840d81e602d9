//! Friction that holds: the contact model "firm".
//!
//! MuJoCo's friction is a regularised convex cone. A contact that carries the tangential force f slides with the velocity R f/B,
//! however far inside the cone it is: boxes creep down ramps, grippers lose what they hold. And a contact that slides is pushed apart
//! by what slips, for the cone asks for x₀ ≥ T, with x₀ the residual of the normal and T that of friction times µ: what slides fast
//! hops. Here the cone is round and as soft as the model asks for, `impratio` has no say, and:
//!
//! * **Friction is remembered.** The rows ask for rest at the end of the step, a_ref = −v/h, and give f = f₀ − D r for the slip r they
//!   leave, with f₀ the force of the last step ([`super::grip`]). What holds with the force of before slips by nothing; in all, a
//!   load that comes and goes moves the contact by h² R times its force and back, as if the surfaces were elastic: a fraction of what
//!   the normal gives way. This is the return mapping of elasto-plasticity (Simo and Hughes, *Computational Inelasticity*, 1998)
//!   with the cone as the yield surface. What slides in earnest starts from f₀ = 0, and what has slowed down remembers.
//! * **Sliding does not lift.** The normal asks for T less where T is what slips with the acceleration of the last step. Sliding then
//!   obeys Coulomb's law, in the manner of De Saxcé and Feng (*The bipotential method*, 1998), who add µ|v| to the normal velocity.
//!   With a estimated rather than solved for, the estimate is off by the change of a alone, however fast the contact slides.
//! * **J̇ q̇ is subtracted,** half of it: a step moves a point by h J(q + h q̇/2)·q̇⁺. Without it bodies that turn together slide on
//!   each other.
//!
//! The solver sees the acceleration that the step will really take ([`crate::integrate::anticipation`]).
//!
//! Stiffer rows instead of a memory were tried: at a thousand times the stiffness a box at 0.99 of the friction angle creeps 5 µm in a
//! minute, a pile of 200 bodies moves by millimetres, and the solver takes half as many iterations again.

use motrix_spatial::algebra::*;
use motrix_spatial::{Lanes, Vec3};

use super::contact::Scene;
use super::grip::{Grip, Recall};
use super::{Block, Rows};
use crate::contacts::Slot;
use crate::solve::response::block_times;

/// Slip that a deceleration of this size ends within a step counts as none, in m/s², beside what is elastic. What slips so slowly is
/// still lifted by it: at ten times the size some bodies of a pile rattle for ever. Much less is the rounding of velocities in `f32`.
const SLOW: f64 = 0.2;
/// Keeps quotients finite where nothing slips.
const TINY: f64 = 1e-15;
/// The body that never moves.
const WORLD: usize = 0;

/// What makes friction rows hold.
#[derive(Clone, Copy, Debug)]
pub struct Hold<'a, L: Lanes> {
    /// 1/h.
    rate: L,
    /// Acceleration of the last step.
    last: &'a [L],
    recall: Recall<'a, L::Elem>,
}

impl<'a, L: Lanes> Hold<'a, L> {
    /// For steps of the duration h.
    #[inline(always)]
    pub fn new(timestep: L, last: &'a [L], recall: Recall<'a, L::Elem>) -> Self {
        Self {
            rate: timestep.recip(),
            last,
            recall,
        }
    }

    /// Makes the friction rows of the next contact hold, whose velocity in its own frame is known. What it remembers is left as its
    /// force, see [`carry`].
    #[inline(always)]
    pub fn apply(
        &mut self,
        scene: &Scene<L>,
        slot: &Slot<L>,
        velocity: &[L; 6],
        (support, jacobian): (&[u32], &[L]),
        block: &mut Block<L>,
    ) {
        let drift = drift(scene, slot);
        for r in 1..slot.dim {
            block.reference[r] = -(self.rate.mul_add(velocity[r], L::c(0.5) * drift[r]));
        }
        let grip = self.recall.contact(slot);
        let acceleration = block_times(block, support, jacobian, self.last);
        let slip = Slip::of(slot, velocity, &acceleration, &grip, block);
        let slow = slip.slow(self.rate, slot.friction[0]);
        block.reference[0] -= L::select(slot.acting, (L::ONE - slow) * slip.lift, L::ZERO);
        for r in 1..slot.dim {
            block.force[r] = slow * grip.along(slot, r);
        }
    }
}

/// How a contact slips, in the norm of the cone.
struct Slip<L> {
    /// Its speed.
    speed: L,
    /// T with the acceleration of the last step, as far as it goes on in the direction of the slip.
    lift: L,
    /// Acceleration of the slip that the most friction there can be, R µ N, leaves when it comes or goes, if the contact stuck.
    elastic: L,
}

impl<L: Lanes> Slip<L> {
    #[inline(always)]
    fn of(slot: &Slot<L>, velocity: &[L; 6], acceleration: &[L; 6], grip: &Grip<L>, block: &Block<L>) -> Self {
        let (mut speed, mut rate) = (L::ZERO, L::ZERO);
        for r in 1..slot.dim {
            let mu = block.friction[r];
            let v = mu * velocity[r];
            speed = v.mul_add(v, speed);
            rate = v.mul_add(mu * (acceleration[r] - block.reference[r]), rate);
        }
        let speed = speed.sqrt();
        // R N. All rows of a cone have the same R in its norm but for a factor of µ.
        let pressed = (block.reference[0] - acceleration[0]).max(L::ZERO);
        Self {
            speed,
            lift: (rate / speed.max(L::c(TINY))).max(L::ZERO),
            elastic: L::select(grip.stuck, slot.friction[0] * slot.friction[0] * pressed, L::ZERO),
        }
    }

    /// 1 for what holds, 0 for what slides in earnest, and in between for what slips up to twice as fast as what holds may.
    #[inline(always)]
    fn slow(&self, rate: L, friction: L) -> L {
        let most = self.elastic.mul_add(L::c(2.0), L::c(SLOW) * friction);
        (L::c(2.0) - self.speed * rate / most).clamp(L::ZERO, L::ONE)
    }
}

/// Moves the references of friction rows by what forces of before leave of the slip, R f₀: forces like these leave none. Weights are
/// final now.
#[inline(always)]
pub fn carry<L: Lanes>(rows: &mut Rows<L>) {
    for block in rows.blocks.iter_mut().filter(|block| block.has_friction()) {
        for r in 1..block.dim {
            let weight = block.weight[r];
            let present = weight.gt(L::ZERO);
            let slip = block.force[r] / L::select(present, weight, L::ONE);
            block.reference[r] += L::select(present, slip, L::ZERO);
        }
    }
}

/// J̇ q̇: the relative acceleration at the contact that velocities alone cause, in the contact frame.
#[inline(always)]
fn drift<L: Lanes>(scene: &Scene<L>, slot: &Slot<L>) -> [L; 6] {
    let (first, second) = (slot.body1, slot.body2);
    let alpha = sub(
        angular(&scene.twists.acceleration[second]),
        angular(&scene.twists.acceleration[first]),
    );
    let linear = sub(
        material_acceleration(scene, second, slot.position),
        material_acceleration(scene, first, slot.position),
    );
    let mut out = [L::ZERO; 6];
    for r in 1..slot.dim {
        let (row, a) = if r < 3 { (r, linear) } else { (r - 3, alpha) };
        out[r] = slot.orientation * dot(mat_row(&slot.frame, row), a);
    }
    out
}

/// Acceleration of the point of a body that is at `point`, without joint accelerations: a + α × r + ω × (v + ω × r).
#[inline(always)]
fn material_acceleration<L: Lanes>(scene: &Scene<L>, body: usize, point: Vec3<L>) -> Vec3<L> {
    let (a, v) = (&scene.twists.acceleration[body], &scene.twists.body[body]);
    if body == WORLD {
        return linear(a);
    }
    let arm = scene.arm(body, point);
    let velocity = add(linear(v), cross(angular(v), arm));
    add(add(linear(a), cross(angular(a), arm)), cross(angular(v), velocity))
}
