//! Capsule against box: the nearest point of the segment carries a ball, and often a second point does.
//!
//! Work is done in the frame of the box, with the segment **c** + t **h** for t in [−1, 1]. The nearest point is either an end
//! of the segment over a face (or inside), or the nearest approach to one of the twelve edges. The second point is sought along
//! the segment where it runs over the face or edge that is touched, as far as the segment or the box reaches. MuJoCo 4.0 decides
//! by branches (`engine_collision_box`); here all lanes evaluate the same candidates and keep their own by selection.

use motrix_spatial::algebra::{MIN_LENGTH, add_scaled, dot, mat_t_vec, norm_squared, scale, sub};
use motrix_spatial::{Lanes, Mask, Real, Vec3};

use super::sphere::ball_box;
use super::{Placed, TouchList};

/// The box and the segment in its frame.
struct Scene<L: Lanes> {
    half: Vec3<L>,
    /// Centre of the segment **c**, its unit direction, and its half **h**.
    centre: Vec3<L>,
    along: Vec3<L>,
    h: Vec3<L>,
    /// Where the components of **h** are positive.
    upward: [L::Mask; 3],
    half_length: L,
}

/// What of the box the segment is nearest to.
struct Nearest<L: Lanes> {
    /// Squared distance.
    distance2: L,
    /// The point of the segment.
    t: L,
    /// Whether an end of the segment is nearest, and over which face; over none it lies inside the box.
    is_end: L::Mask,
    face: [L::Mask; 3],
    /// Otherwise the axis of the nearest edge, the position in [−1, 1] on it, and whether that is inside the edge rather
    /// than at one of its corners.
    axis: [L::Mask; 3],
    u: L,
    inside: L::Mask,
    /// Which side of the box the edge or corner is on, per coordinate: true where positive.
    corner: [L::Mask; 3],
}

/// Capsule and box.
#[inline(always)]
pub fn capsule_box<L: Lanes>(a: &Placed<L>, b: &Placed<L>, reach: L, out: &mut TouchList<L>) {
    let along = mat_t_vec(b.rotation, a.z_axis());
    let (radius, half_length) = (a.size[0], a.size[1]);
    let h = scale(along, half_length);
    let scene = Scene {
        half: *b.size,
        centre: b.to_local(*a.position),
        along,
        h,
        upward: [h[0].gt(L::ZERO), h[1].gt(L::ZERO), h[2].gt(L::ZERO)],
        half_length,
    };
    let near = scene.nearest(reach, radius);
    let found = near.is_end | near.axis[0] | near.axis[1] | near.axis[2];

    let first = b.to_world(add_scaled(scene.centre, near.t, scene.h));
    let mut touch = ball_box(first, radius, b, reach);
    touch.active = touch.active & found;
    out.push(touch);

    let (has_second, step) = scene.second(&near);
    if (has_second & found).any() {
        let t = near.t + L::select(has_second, step, L::ZERO);
        let second = b.to_world(add_scaled(scene.centre, t, scene.h));
        let mut touch = ball_box(second, radius, b, reach);
        touch.active = touch.active & has_second & found;
        out.push(touch);
    }
}

impl<L: Lanes> Scene<L> {
    /// The nearest feature. As in MuJoCo the search starts from a length that squared distances are compared with: a cheap
    /// bound on what can matter.
    #[inline(always)]
    fn nearest(&self, reach: L, radius: L) -> Nearest<L> {
        let half = self.half;
        let sizes = radius + self.half_length + half[0] + half[1] + half[2];
        let none = L::Mask::NONE;
        let mut best = Nearest {
            distance2: L::c(2.0).mul_add(sizes, reach),
            t: L::ZERO,
            is_end: none,
            face: [none; 3],
            axis: [none; 3],
            u: L::ZERO,
            inside: none,
            corner: [none; 3],
        };
        for t in [-L::ONE, L::ONE] {
            self.try_end(t, &mut best);
        }
        for axis in 0..3 {
            for corner in 0..8 {
                if corner >> axis & 1 == 0 {
                    self.try_edge(axis, corner, &mut best);
                }
            }
        }
        best
    }

    /// The end `t` of the segment, when at most one coordinate lies outside the box.
    #[inline(always)]
    fn try_end(&self, t: L, best: &mut Nearest<L>) {
        let end = add_scaled(self.centre, t, self.h);
        let mut outside = [L::Mask::NONE; 3];
        let mut gap = [L::ZERO; 3];
        for k in 0..3 {
            let clamped = end[k].clamp(-self.half[k], self.half[k]);
            gap[k] = clamped - end[k];
            outside[k] = end[k].abs().gt(self.half[k]);
        }
        let twice = (outside[0] & outside[1]) | (outside[1] & outside[2]) | (outside[2] & outside[0]);
        let distance2 = norm_squared(gap);
        let nearer = distance2.lt(best.distance2) & !twice;
        best.distance2 = L::select(nearer, distance2, best.distance2);
        best.t = L::select(nearer, t, best.t);
        best.is_end = best.is_end | nearer;
        for k in 0..3 {
            best.face[k] = (nearer & outside[k]) | (best.face[k] & !nearer);
        }
    }

    /// The nearest approach of the segment to one edge; parallel ones are left to the ends and the other edges.
    #[inline(always)]
    fn try_edge(&self, axis: usize, corner: usize, best: &mut Nearest<L>) {
        let mut middle = self.half;
        for k in 0..3 {
            middle[k] = if corner >> k & 1 == 1 { middle[k] } else { -middle[k] };
        }
        middle[axis] = L::ZERO;
        let from_centre = sub(middle, self.centre);
        let length = self.half[axis];

        // Normal equations of |middle + x₁ length eₐ − c − x₂ h|².
        let ma = length * length;
        let mb = -(length * self.h[axis]);
        let mc = self.half_length * self.half_length;
        let u = -(length * from_centre[axis]);
        let v = dot(self.h, from_centre);
        let det = mb.neg_mul_add(mb, ma * mc);
        let noise = (ma * mc * L::c(4.0 * L::Elem::EPSILON)).max(L::c(MIN_LENGTH));
        let crossing = det.abs().ge(noise);
        let (one, det) = (L::ONE, L::select(crossing, det, L::ONE));
        let mut x1 = mb.neg_mul_add(v, mc * u) / det;
        let mut x2 = mb.neg_mul_add(u, ma * v) / det;

        let mut at_end = x1.gt(one);
        let mut at_start = x1.lt(-one);
        x1 = x1.clamp(-one, one);
        x2 = L::select(at_end | at_start, x1.neg_mul_add(mb, v) / mc, x2);
        let beyond = x2.abs().gt(one);
        x2 = x2.clamp(-one, one);
        let back = x2.neg_mul_add(mb, u) / ma;
        // A point that moves back inside the edge keeps counting as the corner it came from.
        let (back_end, back_start) = (beyond & back.gt(one), beyond & back.lt(-one));
        at_end = back_end | (at_end & !back_start);
        at_start = back_start | (at_start & !back_end);
        x1 = L::select(beyond, back.clamp(-one, one), x1);

        let mut gap = add_scaled(from_centre, -x2, self.h);
        gap[axis] = length.mul_add(x1, gap[axis]);
        let distance2 = norm_squared(gap);
        let nearer = crossing & distance2.lt(best.distance2 - L::c(MIN_LENGTH));
        best.distance2 = L::select(nearer, distance2, best.distance2);
        best.t = L::select(nearer, x2, best.t);
        best.u = L::select(nearer, x1, best.u);
        best.is_end = best.is_end & !nearer;
        best.inside = (nearer & !(at_end | at_start)) | (best.inside & !nearer);
        for k in 0..3 {
            let positive = if k == axis {
                at_end
            } else {
                L::Mask::from_bits(if corner >> k & 1 == 1 { u32::MAX } else { 0 })
            };
            best.corner[k] = (nearer & positive) | (best.corner[k] & !nearer);
            best.axis[k] = if k == axis {
                best.axis[k] | nearer
            } else {
                best.axis[k] & !nearer
            };
        }
    }

    /// The step along the segment to the second point, and the lanes that have one.
    #[inline(always)]
    fn second(&self, near: &Nearest<L>) -> (L::Mask, L) {
        let over_a_face = near.is_end & (near.face[0] | near.face[1] | near.face[2]);
        let over_face = self.second_over_face(near);
        let (has_across, across) = self.second_across_edge(near);
        let (has_beside, beside) = self.second_near_corner(near);
        let on_edge = !near.is_end & near.inside;
        let on_corner = !near.is_end & !near.inside;
        let has_second = over_a_face | (on_edge & has_across) | (on_corner & has_beside);
        (
            has_second,
            L::select(near.is_end, over_face, L::select(on_edge, across, beside)),
        )
    }

    /// How far along the segment, in units of t, a length along one axis takes.
    #[inline(always)]
    fn steps_along(&self, axis: usize, length: L) -> L {
        length / self.h[axis].abs()
    }

    /// From an end over a face, the farthest point of the segment that is still over the face.
    #[inline(always)]
    fn second_over_face(&self, near: &Nearest<L>) -> L {
        let towards = -near.t;
        let end = add_scaled(self.centre, near.t, self.h);
        let mut step = L::c(2.0);
        for k in 0..3 {
            for side in [self.half[k], -self.half[k]] {
                let crossing = (side - end[k]) / self.h[k] * towards;
                let sooner = !near.face[k] & crossing.gt(L::ZERO) & crossing.lt(step);
                step = L::select(sooner, crossing, step);
            }
        }
        step * towards
    }

    /// From a corner: along an edge when the segment is within 45° of it, otherwise over a face; nowhere when the segment
    /// points into the corner or away from it.
    #[inline(always)]
    fn second_near_corner(&self, near: &Nearest<L>) -> (L::Mask, L) {
        let m = [
            differs::<L>(self.upward[0], near.corner[0]),
            differs::<L>(self.upward[1], near.corner[1]),
            differs::<L>(self.upward[2], near.corner[2]),
        ];
        let some = m[0] | m[1] | m[2];
        let all = m[0] & m[1] & m[2];
        let twice = (m[0] & m[1]) | (m[1] & m[2]) | (m[2] & m[0]);
        let ahead_is_up = some & !twice;

        // The axis along which the segment and the corner differ from the other two.
        let (mut along_it, mut edge_step) = (L::ZERO, L::ZERO);
        let mut face_step = L::select(ahead_is_up, L::ONE + near.t, L::ONE - near.t);
        for k in 0..3 {
            let odd = differs::<L>(m[k], twice);
            let across = self.steps_along(k, L::c(2.0) * self.half[k]);
            along_it = L::select(odd, self.along[k], along_it);
            edge_step = L::select(odd, across, edge_step);
            face_step = L::select(odd, face_step, across.min(face_step));
        }
        let ahead = L::select(ahead_is_up, L::ONE - near.t, L::ONE + near.t);
        let along_edge = (along_it * along_it).gt(L::c(0.5));
        let step = L::select(along_edge, edge_step.min(ahead), -face_step);
        (some & !all, L::select(ahead_is_up, step, -step))
    }

    /// From the inside of an edge that the segment crosses: over the face that it makes the smaller angle with, as far as the
    /// opposite edge or the end of the crossed one.
    #[inline(always)]
    fn second_across_edge(&self, near: &Nearest<L>) -> (L::Mask, L) {
        let (mut has_second, mut step) = (L::Mask::NONE, L::ZERO);
        for edge in 0..3 {
            let (first, second) = ((edge + 1) % 3, (edge + 2) % 3);
            let m1 = differs::<L>(self.upward[first], near.corner[first]);
            let m2 = differs::<L>(self.upward[second], near.corner[second]);
            let take_first = self.along[first].abs().gt(self.along[second].abs());
            let upward = (take_first & m1) | (!take_first & m2);
            let sign = L::select(upward, L::ONE, -L::ONE);
            let across = L::select(
                take_first,
                self.steps_along(first, L::c(2.0) * self.half[first]),
                self.steps_along(second, L::c(2.0) * self.half[second]),
            );
            let to_end = L::select(
                differs::<L>(self.upward[edge], upward),
                L::ONE + near.u,
                L::ONE - near.u,
            );
            let along = self.steps_along(edge, self.half[edge] * to_end);
            let length = along.min(across.min(sign.neg_mul_add(near.t, L::ONE)));
            has_second = has_second | (near.axis[edge] & differs::<L>(m1, m2));
            step = L::select(near.axis[edge], sign * length, step);
        }
        (has_second, step)
    }
}

/// Exclusive or.
#[inline(always)]
fn differs<L: Lanes>(a: L::Mask, b: L::Mask) -> L::Mask {
    (a & !b) | (b & !a)
}
