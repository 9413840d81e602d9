//! Capsule against box: the nearest point of the segment carries a ball, and often a second point does.
//!
//! Work is done in the frame of the box, with the segment c + t h for t in [−1, 1]. The nearest point is either an end of the
//! segment over a face, or the nearest approach to one of the twelve edges. The second point is sought along the segment
//! where it runs over the face or edge that is touched: as far as the segment or the box reaches. After MuJoCo.

use super::sphere::{Ball, cuboid};
use crate::contact::Manifold;
use crate::shape::Pose;
use crate::vector::{TINY, Vec3, add, add_scaled, axis, dot, norm2, rotate, rotate_back, scale, sub};

/// The box and the segment in its frame.
struct Scene {
    half: Vec3,
    /// Centre of the segment.
    centre: Vec3,
    /// Unit direction of the segment, and its half.
    along: Vec3,
    reach: Vec3,
    /// Half length of the segment.
    half_length: f64,
}

/// Corners, as bits of positive coordinates, at the lower ends of the edges along each axis.
const EDGES: [[u8; 4]; 3] = [[0, 2, 4, 6], [0, 1, 4, 5], [0, 1, 2, 3]];

/// Normal equations of the approach of the segment to an edge.
#[derive(Clone, Copy)]
struct EdgeSystem {
    ma: f64,
    mb: f64,
    mc: f64,
    inverse: f64,
    inverse_ma: f64,
    inverse_mc: f64,
}

/// The nearest points of the segment, at `t`, and of an edge, at `u`.
struct Approach {
    distance2: f64,
    t: f64,
    u: f64,
    /// ±1 when the nearest point is the upper or lower corner of the edge, else 0.
    beyond: f64,
}

impl Approach {
    #[inline(always)]
    fn nearest(&self, axis: usize, corner: u8) -> Nearest {
        let at_corner = self.beyond != 0.0;
        let corner = if self.beyond > 0.0 { corner | 1 << axis } else { corner };
        Nearest::Edge {
            t: self.t,
            axis,
            u: self.u,
            at_corner,
            corner,
        }
    }
}

/// What of the box the segment is nearest to; `t` is the point of the segment.
#[derive(Clone, Copy)]
enum Nearest {
    /// An end of the segment lies over a face, or inside the box.
    End { t: f64, face: Option<usize> },
    /// An edge along `axis`, at position `u` in [−1, 1] on it. `corner` has a bit per positive coordinate, with that of the
    /// edge itself set when its upper end is nearest.
    Edge {
        t: f64,
        axis: usize,
        u: f64,
        at_corner: bool,
        corner: u8,
    },
}

/// Capsule and box.
#[inline(always)]
pub fn cuboid_contacts(
    capsule: &Pose,
    radius: f64,
    half_length: f64,
    b: &Pose,
    half: Vec3,
    margin: f64,
    out: &mut Manifold,
) {
    let along = rotate_back(&b.rotation, axis(&capsule.rotation, 2));
    let scene = Scene {
        half,
        centre: rotate_back(&b.rotation, sub(capsule.position, b.position)),
        along,
        reach: scale(along, half_length),
        half_length,
    };
    let far = margin + 2.0 * (radius + half_length + half[0] + half[1] + half[2]);
    let Some(nearest) = scene.nearest(far) else {
        return;
    };
    let (t, second) = match nearest {
        Nearest::End { t, face } => (t, face.and_then(|face| scene.second_over_face(t, face))),
        Nearest::Edge {
            t,
            axis,
            u,
            at_corner: false,
            corner,
        } => (t, scene.second_across_edge(t, axis, u, corner)),
        Nearest::Edge { t, corner, .. } => (t, scene.second_near_corner(t, corner)),
    };
    let ball = Ball::new(capsule, radius);
    for t in [Some(t), second.map(|step| t + step)].into_iter().flatten() {
        let local = add_scaled(scene.centre, scene.reach, t);
        cuboid(
            ball.moved_to(add(b.position, rotate(&b.rotation, local))),
            b,
            half,
            margin,
            out,
        );
    }
}

impl Scene {
    /// Bits of the coordinates along which the segment runs upward.
    #[inline(always)]
    fn direction_bits(&self) -> u8 {
        (0..3).map(|k| u8::from(self.reach[k] > 0.0) << k).sum()
    }

    /// How far along the segment, in units of t, a length along one axis takes.
    #[inline(always)]
    fn steps_along(&self, axis: usize, length: f64) -> f64 {
        length / self.reach[axis].abs()
    }

    /// The nearest feature; `None` when everything is farther than `far` (squared distances against a length, as a cheap
    /// bound on what can matter).
    #[inline(always)]
    fn nearest(&self, far: f64) -> Option<Nearest> {
        let mut best = far;
        let mut nearest = None;
        for t in [-1.0, 1.0] {
            let end = add_scaled(self.centre, self.reach, t);
            let clamped = [0, 1, 2].map(|k| end[k].clamp(-self.half[k], self.half[k]));
            let mut outside = (0..3).filter(|&k| clamped[k] != end[k]);
            let distance2 = norm2(sub(clamped, end));
            if outside.clone().count() <= 1 && distance2 < best {
                best = distance2;
                nearest = Some(Nearest::End {
                    t,
                    face: outside.next_back(),
                });
            }
        }
        let mut edge = None;
        for axis in 0..3 {
            let Some(system) = self.edge_system(axis) else {
                continue;
            };
            for corner in EDGES[axis] {
                let distance2 = self.approach_to_edge(axis, corner, &system).distance2;
                if distance2 < best - TINY {
                    best = distance2;
                    edge = Some((axis, corner, system));
                }
            }
        }
        match edge {
            Some((axis, corner, system)) => Some(self.approach_to_edge(axis, corner, &system).nearest(axis, corner)),
            None => nearest,
        }
    }

    /// What the edges along one axis have in common; `None` when the segment is parallel to them.
    #[inline(always)]
    fn edge_system(&self, axis: usize) -> Option<EdgeSystem> {
        let length = self.half[axis];
        let ma = length * length;
        let mb = -length * self.reach[axis];
        let mc = self.half_length * self.half_length;
        let det = ma * mc - mb * mb;
        if det.abs() < TINY {
            return None;
        }
        Some(EdgeSystem {
            ma,
            mb,
            mc,
            inverse: 1.0 / det,
            inverse_ma: 1.0 / ma,
            inverse_mc: 1.0 / mc,
        })
    }

    /// Nearest points of the segment and the edge along an axis at a corner: the least of
    /// |middle + x₁ length e − centre − x₂ reach|², e the unit vector of the axis, with x₁ and x₂ in [−1, 1].
    #[inline(always)]
    fn approach_to_edge(&self, axis: usize, corner: u8, system: &EdgeSystem) -> Approach {
        let EdgeSystem {
            ma,
            mb,
            mc,
            inverse,
            inverse_ma,
            inverse_mc,
        } = *system;
        let mut middle = [0, 1, 2].map(|k| {
            if corner >> k & 1 == 1 {
                self.half[k]
            } else {
                -self.half[k]
            }
        });
        middle[axis] = 0.0;
        let from_centre = sub(middle, self.centre);
        let length = self.half[axis];
        let u = -length * from_centre[axis];
        let v = dot(self.reach, from_centre);

        let free = (mc * u - mb * v) * inverse;
        let mut x1 = free.clamp(-1.0, 1.0);
        let mut beyond = if x1 == free { 0.0 } else { x1 };
        let mut x2 = if x1 == free {
            (ma * v - mb * u) * inverse
        } else {
            (v - x1 * mb) * inverse_mc
        };
        if x2.abs() > 1.0 {
            x2 = x2.clamp(-1.0, 1.0);
            let free = (u - x2 * mb) * inverse_ma;
            x1 = free.clamp(-1.0, 1.0);
            // A point that moves back inside the edge keeps counting as the corner it came from.
            beyond = if x1 == free { beyond } else { x1 };
        }
        let mut gap = add_scaled(from_centre, self.reach, -x2);
        gap[axis] += length * x1;
        Approach {
            distance2: norm2(gap),
            t: x2,
            u: x1,
            beyond,
        }
    }

    /// From an end over a face, the farthest point of the segment that is still over the face.
    #[inline(always)]
    fn second_over_face(&self, t: f64, face: usize) -> Option<f64> {
        let towards = -t;
        let end = add_scaled(self.centre, self.reach, t);
        let mut step: f64 = 2.0;
        for k in (0..3).filter(|&k| k != face) {
            for side in [self.half[k], -self.half[k]] {
                let crossing = (side - end[k]) / self.reach[k] * towards;
                if crossing > 0.0 && crossing < step {
                    step = crossing;
                }
            }
        }
        Some(step * towards)
    }

    /// From a corner: along an edge when the segment is within 45° of it, otherwise over a face; nowhere when the segment
    /// points into or away from the corner.
    #[inline(always)]
    fn second_near_corner(&self, t: f64, corner: u8) -> Option<f64> {
        let mixed = self.direction_bits() ^ corner;
        // The axis along which the segment and the corner differ from the other two.
        let (axis, upward) = match mixed {
            1 | 2 | 4 => (mixed.trailing_zeros() as usize, 1.0),
            3 | 5 | 6 => ((7 - mixed).trailing_zeros() as usize, -1.0),
            _ => return None,
        };
        let (ahead, behind) = if upward > 0.0 {
            (1.0 - t, 1.0 + t)
        } else {
            (1.0 + t, 1.0 - t)
        };
        if self.along[axis] * self.along[axis] > 0.5 {
            Some(upward * ahead.min(self.steps_along(axis, 2.0 * self.half[axis])))
        } else {
            let across = [(axis + 1) % 3, (axis + 2) % 3].map(|k| self.steps_along(k, 2.0 * self.half[k]));
            Some(-upward * behind.min(across[0]).min(across[1]))
        }
    }

    /// From the inside of an edge that the segment crosses: over the face that it makes the smaller angle with, as far as
    /// the opposite edge or the end of the crossed one.
    #[inline(always)]
    fn second_across_edge(&self, t: f64, edge: usize, u: f64, corner: u8) -> Option<f64> {
        let direction = self.direction_bits();
        let mixed = (direction ^ corner) & (7 - (1 << edge));
        if !mixed.is_power_of_two() {
            return None;
        }
        let (first, second) = ((edge + 1) % 3, (edge + 2) % 3);
        let across = if self.along[first].abs() > self.along[second].abs() {
            first
        } else {
            second
        };
        let upward = mixed >> across & 1 == 1;
        let sign = if upward { 1.0 } else { -1.0 };
        let along_edge = (direction >> edge & 1 == 1) == upward;
        let to_end = if along_edge { 1.0 - u } else { 1.0 + u };
        let step = (1.0 - sign * t)
            .min(self.steps_along(across, 2.0 * self.half[across]))
            .min(self.steps_along(edge, self.half[edge] * to_end));
        Some(sign * step)
    }
}
