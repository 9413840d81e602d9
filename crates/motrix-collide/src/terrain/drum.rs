//! The shortest way out of a cylinder for a segment that goes into it, in closed form but for one number.
//!
//! In the frame of the cylinder |(x, y)| ≤ r, |z| ≤ h, the segment from a to b leaves along the unit vector m once it has gone
//!
//! f(m) = r |m_xy| + h |m_z| − min(m·a, m·b),
//!
//! the larger of what its two ends take. Where one end alone decides, f is least on a cap, m = ±z, or on the side, m along that end's
//! way from the axis: between the two, through the rim, f has no minimum for a point inside. Where both decide, m is perpendicular
//! to the segment. Seen along it the cylinder is an ellipse, moved up and down: u is across the axis and the segment, w completes
//! the frame, the semi-axes are A = r along u and B = r c along w, with c and s the cosine and sine between axis and segment, and the
//! centres of the two ellipses are at ±h s along w. The segment is a point (α, β), and the nearest place of that outline is on a
//! straight side, m = ±u, or on the outer arc of one of the ellipses. From the centre of that ellipse the point is at (p, q), and
//! the nearest place of the arc is (A² p / (ν + A² − B²), B² q / ν) for the ν at which it is on the ellipse (Eberly, *Distance from a
//! point to an ellipse*, 2013):
//!
//! F(ν) = (A p / (ν + A² − B²))² + (B q / ν)² − 1 = 0.
//!
//! F is convex between its poles, so that Newton's method from the side where F > 0 goes straight to the root.
//!
//! Every direction that is tried is a way out, and all that may be the shortest are tried.

use crate::hull::Exit;
use crate::vector::{Vec3, add_scaled, dot, norm2, scale, sub};

/// A cosine between axis and segment below which they are perpendicular, a sine below which they are parallel.
const SQUARE: f64 = 1e-12;

/// What stands for an offset of 0, metres, where it is divided by something of its size.
const LEAST_OFFSET: f64 = 1e-30;

/// A Newton step that is no longer than this share of ν is the last.
const LAST_STEP: f64 = 1e-14;
/// Newton steps, each of which at least halves what is left: more than are ever needed.
const MOST_STEPS: usize = 64;

/// What of the cylinder is left last.
#[derive(Clone, Copy)]
enum Last {
    Cap,
    /// The side, by an end of the segment.
    End,
    /// The side, by its inside.
    Side,
    Rim,
}

/// A segment and a cylinder about the origin.
struct Question {
    radius: f64,
    half_length: f64,
    start: Vec3,
    way: Vec3,
    end: Vec3,
}

/// A way out, and how far it is.
struct Way {
    depth: f64,
    normal: Vec3,
    last: Last,
}

/// The shortest way out of a cylinder for the segment from `start` along `way`; `None` when it stays outside.
pub fn exit(radius: f64, half_length: f64, start: Vec3, way: Vec3) -> Option<Exit> {
    let question = Question {
        radius,
        half_length,
        start,
        way,
        end: add_scaled(start, way, 1.0),
    };
    let shortest = question.shortest()?;
    Some(Exit {
        at: question.place(&shortest).clamp(0.0, 1.0),
        depth: shortest.depth,
        normal: shortest.normal,
    })
}

impl Question {
    fn shortest(&self) -> Option<Way> {
        let mut best = Way {
            depth: f64::INFINITY,
            normal: [0.0, 0.0, 1.0],
            last: Last::Cap,
        };
        for normal in [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]] {
            self.consider(normal, Last::Cap, &mut best);
        }
        for end in [self.start, self.end] {
            let from_axis = (end[0] * end[0] + end[1] * end[1]).sqrt();
            if from_axis > f64::MIN_POSITIVE {
                let normal = [end[0] / from_axis, end[1] / from_axis, 0.0];
                self.consider(normal, Last::End, &mut best);
            }
        }
        let length = norm2(self.way).sqrt();
        let [x, y, z] = scale(self.way, 1.0 / length);
        let s = (x * x + y * y).sqrt();
        if s > SQUARE && best.depth > 0.0 {
            let u = [-y / s, x / s, 0.0];
            let w = [-z * u[1], z * u[0], s];
            let u = if dot(u, self.start) < 0.0 { scale(u, -1.0) } else { u };
            self.consider(u, Last::Side, &mut best);
            for w in [w, scale(w, -1.0)] {
                if z.abs() > SQUARE
                    && best.depth > 0.0
                    && let Some(normal) = self.through_rim(u, w, s, z.abs())
                {
                    self.consider(normal, Last::Rim, &mut best);
                }
            }
        }
        (best.depth > 0.0 && best.depth.is_finite()).then_some(best)
    }

    /// Keeps the shorter one of two ways.
    #[inline(always)]
    fn consider(&self, normal: Vec3, last: Last, best: &mut Way) {
        let across = (normal[0] * normal[0] + normal[1] * normal[1]).sqrt();
        let reach = self.radius * across + self.half_length * normal[2].abs();
        let depth = reach - dot(normal, self.start).min(dot(normal, self.end));
        if depth < best.depth {
            *best = Way { depth, normal, last };
        }
    }

    /// The way out through the arc of the ellipse that lies towards w, where it is a shortest one. The sine and the cosine are those
    /// between axis and segment.
    fn through_rim(&self, u: Vec3, w: Vec3, sine: f64, cosine: f64) -> Option<Vec3> {
        let p = dot(u, self.start);
        let q = dot(w, self.start) - self.half_length * sine;
        let (a, b) = (self.radius, self.radius * cosine);
        // A² − B².
        let flat = a * a * (sine * sine);
        // ν has the sign of q; beyond where the second term is 1 it is less, and the arc is on the far side of q < 0 only up to the
        // pole of the first.
        let sign = q.signum();
        let q = q.abs().max(LEAST_OFFSET);
        let (ap, bq) = (a * p, b * q);
        let mut n = if sign > 0.0 { bq.max(ap - flat) } else { bq };
        for _ in 0..MOST_STEPS {
            let pole = flat + sign * n;
            if pole <= 0.0 {
                return None;
            }
            let (first, second) = (ap / pole, bq / n);
            let value = first * first + second * second - 1.0;
            let fall = sign * first * first / pole + second * second / n;
            if fall <= 0.0 {
                return None;
            }
            let step = 0.5 * value / fall;
            n += step;
            if step.abs() <= LAST_STEP * n {
                break;
            }
        }
        // Along u and along w, times some length.
        let [along_u, along_w] = [p * n, q * (flat + sign * n)];
        let length = (along_u * along_u + along_w * along_w).sqrt();
        (length > f64::MIN_POSITIVE).then(|| add_scaled(scale(u, along_u / length), w, along_w / length))
    }

    /// Where the segment is deepest below the way out.
    fn place(&self, way: &Way) -> f64 {
        let deeper_end = if dot(way.normal, self.way) < 0.0 { 1.0 } else { 0.0 };
        match way.last {
            Last::Cap if self.way[2].abs() > SQUARE * norm2(self.way).sqrt() => deeper_end,
            Last::End => deeper_end,
            // All of it is as deep: where it passes the axis.
            Last::Cap | Last::Side => {
                let [x, y, _] = self.way;
                let across2 = x * x + y * y;
                if across2 > 0.0 {
                    -(self.start[0] * x + self.start[1] * y) / across2
                } else {
                    0.0
                }
            }
            Last::Rim => {
                let [x, y, z] = way.normal;
                let across = (x * x + y * y).sqrt();
                let rim = [
                    self.radius * x / across,
                    self.radius * y / across,
                    self.half_length.copysign(z),
                ];
                dot(sub(rim, self.start), self.way) / norm2(self.way)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::Settings;
    use crate::separation::{Scratch, distance};
    use crate::shape::{Placed, Pose, Shape};
    use crate::vector::{cross, middle, norm, perpendicular, unit};

    /// Numbers from −1 to 1 that look random.
    struct Scatter(u64);

    impl Scatter {
        fn next(&mut self) -> f64 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) as f64 / (1u64 << 30) as f64 - 1.0
        }

        fn vector(&mut self) -> Vec3 {
            [self.next(), self.next(), self.next()]
        }
    }

    /// By the general algorithm.
    fn depth(radius: f64, half_length: f64, start: Vec3, way: Vec3) -> Option<(f64, Vec3, Vec3)> {
        let z = unit(way).expect("a way");
        let x = perpendicular(z);
        let y = cross(z, x);
        let segment = Placed {
            shape: Shape::Capsule {
                radius: 0.0,
                half_length: 0.5 * norm(way),
            },
            pose: Pose {
                position: middle(start, add_scaled(start, way, 1.0)),
                rotation: [x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]],
            },
        };
        let cylinder = Placed {
            shape: Shape::Cylinder { radius, half_length },
            pose: Pose::IDENTITY,
        };
        let mut scratch = Scratch::new();
        let found = distance(&segment, &cylinder, 0.0, &Settings::default(), &mut scratch)?;
        Some((-found.distance, found.on_a, scale(found.normal, -1.0)))
    }

    /// The way out is a way out, to rounding, and no longer than that of the general algorithm; where both go the same way they start
    /// at the same place. Some segments run along the axis, across it, through the centre.
    #[test]
    fn a_segment_leaves_a_cylinder_the_shortest_way() {
        let mut scatter = Scatter(5);
        let (mut inside, mut alike) = (0, 0);
        for i in 0..40_000 {
            let (radius, half_length) = (0.05 + 0.1 * scatter.next().abs(), 0.02 + 0.15 * scatter.next().abs());
            let mut start = scale(scatter.vector(), 0.2);
            let mut way = scale(scatter.vector(), 0.3);
            match i % 8 {
                0 => way[2] = 0.0,
                1 => way = [0.0, 0.0, way[2]],
                2 => start = scale(way, -0.5 - 0.3 * scatter.next()),
                3 => way[2] *= 1e-3,
                4 => way = [1e-3 * way[0], 1e-3 * way[1], way[2]],
                _ => {}
            }
            if norm(way) < 1e-3 {
                continue;
            }
            let found = exit(radius, half_length, start, way);
            let expected = depth(radius, half_length, start, way);
            let Some(found) = found else {
                let apart = expected.is_none_or(|(depth, ..)| depth < 1e-9);
                assert!(apart, "{start:?} along {way:?} goes into {radius} {half_length}");
                continue;
            };
            inside += 1;
            assert!((norm(found.normal) - 1.0).abs() < 1e-12, "{:?}", found.normal);
            let point = add_scaled(start, way, found.at);
            let reach = |n: Vec3| radius * n[0].hypot(n[1]) + half_length * n[2].abs();
            let way_out = |n: Vec3| reach(n) - dot(n, start) - dot(n, way).min(0.0);
            let depth = reach(found.normal) - dot(found.normal, point);
            assert!(
                (depth - found.depth).abs() < 1e-9,
                "{depth} {found:?} {start:?} {way:?}"
            );
            let Some((expected, on_segment, normal)) = expected else {
                assert!(found.depth < 1e-9, "{found:?} {start:?} {way:?}");
                continue;
            };
            // Its polytope lies inside, so that it may end too shallow; the way it goes is a way out for all that.
            let difference = found.depth - expected;
            let theirs = way_out(normal).max(expected);
            assert!(
                difference > -1e-9 && found.depth < theirs + 1e-12,
                "{difference} {theirs} {found:?} {normal:?} {start:?} {way:?} {radius} {half_length}"
            );
            if dot(normal, found.normal) > 1.0 - 1e-14 && difference.abs() < 1e-10 {
                alike += 1;
                let apart = norm(sub(on_segment, point));
                // Along the axis all of a segment may be as deep.
                assert!(apart < 1e-5 || i % 8 == 1, "{apart} {found:?} {start:?} {way:?}");
            }
        }
        assert!(inside > 10_000 && 4 * alike > 3 * inside, "{alike} alike of {inside}");
    }
}
