//! Muscles: how activation follows excitation, and how force follows activation, length and speed.
//!
//! With lengths in units of the optimal length L₀ and speeds in units of L₀ v_max per second, the force is
//! −F (FL(l) FV(v) act + FP(l)): a bell over the operating range, a curve that falls with shortening speed and rises to f_v
//! with lengthening, and a passive spring (MuJoCo documentation, "Muscles"; Millard et al., *Flexing computational muscle*,
//! 2013). The activation follows the excitation with time constants that depend on the activation itself.

use motrix_model::Actuator;
use motrix_spatial::{Lanes, Real};

/// Smallest denominator (MuJoCo's `mjMINVAL`).
const MIN_VALUE: f64 = 1e-15;

/// The constants of a muscle's curves. Its operating range and its force may differ between worlds and come from the
/// parameters: range, range, force.
#[derive(Clone, Debug)]
pub struct MuscleCurve<E> {
    /// Force when the parameter is negative: scale over the acceleration of unit force.
    default_force: E,
    /// Shortest normalised length at which it pulls.
    shortest: E,
    /// Longest normalised length at which it pulls.
    longest: E,
    /// Shortening speed at which its force vanishes.
    fastest: E,
    /// Passive force at the longest length.
    passive: E,
    /// Force of fast lengthening, f_v.
    eccentric: E,
    /// Lengths of the actuator at the ends of the operating range.
    length_range: [E; 2],
}

impl<E: Real> MuscleCurve<E> {
    /// The curves of an actuator, from its gain or bias parameters.
    pub fn new(actuator: &Actuator, params: &[f64; 10]) -> Self {
        let e = E::from_f64;
        Self {
            default_force: e(params[3] / actuator.acc0.max(MIN_VALUE)),
            shortest: e(params[4]),
            longest: e(params[5]),
            fastest: e(params[6]),
            passive: e(params[7]),
            eccentric: e(params[8]),
            length_range: actuator.length_range.map(e),
        }
    }
}

/// A muscle in its own units.
struct Normalised<L> {
    /// Largest active force, F.
    force: L,
    /// l.
    length: L,
    /// v.
    velocity: L,
    /// What velocities were divided by.
    speed: L,
}

#[inline(always)]
fn normalise<L: Lanes>(curve: &MuscleCurve<L::Elem>, params: &[L; 3], length: L, velocity: L) -> Normalised<L> {
    let tiny = L::c(MIN_VALUE);
    let [from, to] = [L::splat(curve.length_range[0]), L::splat(curve.length_range[1])];
    let optimal = (to - from) / (params[1] - params[0]).max(tiny);
    let speed = (optimal * L::splat(curve.fastest)).max(tiny);
    Normalised {
        force: L::select(params[2].lt(L::ZERO), L::splat(curve.default_force), params[2]),
        length: params[0] + (length - from) / optimal.max(tiny),
        velocity: velocity / speed,
        speed,
    }
}

/// FL(l): a bell of parabolas, 1 at the optimal length, 0 at the ends of the range.
#[inline(always)]
fn force_of_length<L: Lanes>(curve: &MuscleCurve<L::Elem>, l: L) -> L {
    let (half, one, tiny) = (L::c(0.5), L::ONE, L::c(MIN_VALUE));
    let (lo, hi) = (L::splat(curve.shortest), L::splat(curve.longest));
    // Where the parabolas meet.
    let (a, b) = (half * (lo + one), half * (one + hi));
    let rising = (l - lo) / (a - lo).max(tiny);
    let left = (one - l) / (one - a).max(tiny);
    let right = (l - one) / (b - one).max(tiny);
    let falling = (hi - l) / (hi - b).max(tiny);
    let tail = half * L::select(l.le(a), rising * rising, falling * falling);
    let side = L::select(l.le(one), left, right);
    let top = one - half * side * side;
    let middle = l.gt(a) & l.le(b);
    L::select(l.ge(lo) & l.le(hi), L::select(middle, top, tail), L::ZERO)
}

/// FV(v), and its derivative.
#[inline(always)]
fn force_of_velocity<L: Lanes>(curve: &MuscleCurve<L::Elem>, v: L) -> (L, L) {
    let one = L::ONE;
    let eccentric = L::splat(curve.eccentric);
    let y = eccentric - one;
    let inverse = y.max(L::c(MIN_VALUE)).recip();
    let shortening = v.le(L::ZERO);
    let curve_value = L::select(
        shortening,
        (v + one) * (v + one),
        eccentric - (y - v) * (y - v) * inverse,
    );
    let two = L::c(2.0);
    let curve_slope = L::select(shortening, two * (v + one), two * (y - v) * inverse);
    // Constant beyond both ends.
    let stalled = v.le(-one);
    let fast = v.gt(y) & !shortening;
    let value = L::select(stalled, L::ZERO, L::select(fast, eccentric, curve_value));
    let slope = L::select(stalled | fast, L::ZERO, curve_slope);
    (value, slope)
}

/// Active force of unit activation.
#[inline(always)]
pub fn gain<L: Lanes>(curve: &MuscleCurve<L::Elem>, params: &[L; 3], length: L, velocity: L) -> L {
    let m = normalise(curve, params, length, velocity);
    -(m.force * force_of_length(curve, m.length) * force_of_velocity(curve, m.velocity).0)
}

/// Derivative of [`gain`] by the velocity.
#[inline(always)]
pub fn gain_slope<L: Lanes>(curve: &MuscleCurve<L::Elem>, params: &[L; 3], length: L, velocity: L) -> L {
    let m = normalise(curve, params, length, velocity);
    -(m.force * force_of_length(curve, m.length) * force_of_velocity(curve, m.velocity).1 / m.speed)
}

/// Passive force: quadratic beyond the optimal length, then linear.
#[inline(always)]
pub fn bias<L: Lanes>(curve: &MuscleCurve<L::Elem>, params: &[L; 3], length: L) -> L {
    let m = normalise(curve, params, length, L::ZERO);
    let (half, one) = (L::c(0.5), L::ONE);
    let b = half * (one + L::splat(curve.longest));
    let width = (b - one).max(L::c(MIN_VALUE));
    let (near, far) = ((m.length - one) / width, (m.length - b) / width);
    let stretched = L::select(m.length.le(b), half * near * near, half + far);
    let share = L::select(m.length.le(one), L::ZERO, stretched);
    -(m.force * L::splat(curve.passive) * share)
}

/// How activation follows excitation.
#[derive(Clone, Debug)]
pub struct MuscleDynamics<E> {
    /// Time constant of activation, seconds.
    rising: E,
    /// Time constant of deactivation, seconds.
    falling: E,
    /// Width over which the one turns into the other; a hard switch when zero.
    width: Option<E>,
}

impl<E: Real> MuscleDynamics<E> {
    /// From `actuator_dynprm`.
    pub fn new(params: &[f64; 10]) -> Self {
        Self {
            rising: E::from_f64(params[0]),
            falling: E::from_f64(params[1]),
            width: (params[2] >= MIN_VALUE).then(|| E::from_f64(params[2])),
        }
    }
}

/// Rate of the activation.
#[inline(always)]
pub fn rate<L: Lanes>(dynamics: &MuscleDynamics<L::Elem>, excitation: L, activation: L) -> L {
    let excess = excitation.clamp(L::ZERO, L::ONE) - activation;
    let slowness = L::c(1.5).mul_add(activation.clamp(L::ZERO, L::ONE), L::c(0.5));
    let rising = L::splat(dynamics.rising) * slowness;
    let falling = L::splat(dynamics.falling) / slowness;
    let time = match dynamics.width {
        None => L::select(excess.gt(L::ZERO), rising, falling),
        Some(width) => {
            // A quintic from 0 to 1 with flat ends.
            let x = (excess / L::splat(width) + L::c(0.5)).clamp(L::ZERO, L::ONE);
            let inner = L::c(3.0) * x * (L::c(2.0) * x - L::c(5.0)) + L::c(10.0);
            (rising - falling).mul_add(x * x * x * inner, falling)
        }
    };
    excess / time.max(L::c(MIN_VALUE))
}
