//! Where an edge of a prism meets the rim of a cylinder: the least overlap along the directions across the edge, from one side of the
//! prism to the other.
//!
//! Seen along the edge, the edge is a point c and the rim an ellipse. With n = (cos φ, sin φ), a the axis in that plane and β² what is
//! missing in its square, s = aᵀn and w² = 1 − s² = s′² + β², the overlap is f = nᵀc + h |s| + r w. An ellipse has a nearest point in
//! each of its quarters at most, so that the arc is cut where s′ = 0, n nearest to the axis, and where s = 0, n across it; Newton's
//! method looks for a least f in each part.

use motrix_spatial::algebra::{add_scaled, dot, norm_squared, scale};
use motrix_spatial::{Lanes, Mask, Vec3};

use super::drum::Drum;

/// Most steps of a search. Each squares the error once it is small.
const STEPS: usize = 8;
/// Longest step, radians.
const LONGEST_STEP: f64 = 0.4;
/// A step so short is the last, radians.
const LAST_STEP: f64 = 2e-4;

/// A vector of the plane; of length one, the cosine and sine of an angle.
type Planar<L> = [L; 2];

#[inline(always)]
fn inner<L: Lanes>(a: Planar<L>, b: Planar<L>) -> L {
    a[0].mul_add(b[0], a[1] * b[1])
}

/// The sine of the angle from one unit vector to another.
#[inline(always)]
fn sine<L: Lanes>(from: Planar<L>, to: Planar<L>) -> L {
    from[0].mul_add(to[1], -from[1] * to[0])
}

#[inline(always)]
fn choose<L: Lanes>(mask: L::Mask, a: Planar<L>, b: Planar<L>) -> Planar<L> {
    [L::select(mask, a[0], b[0]), L::select(mask, a[1], b[1])]
}

/// Directions from one unit vector to another: cos φ `from` + sin φ `towards`.
pub struct Arc<L> {
    from: Vec3<L>,
    towards: Vec3<L>,
    end: Planar<L>,
    /// The edge and the cylinder's axis.
    corner: Planar<L>,
    axis: Planar<L>,
    /// Square of the axis along the edge.
    along2: L,
    radius: L,
    half_length: L,
}

/// A part of an arc, no longer than a quarter turn.
pub struct Part<L> {
    from: Planar<L>,
    to: Planar<L>,
}

impl<L: Lanes> Arc<L> {
    /// Between unit vectors across an edge through `corner` that are neither equal nor opposite.
    #[inline(always)]
    pub fn new(drum: &Drum<L>, corner: Vec3<L>, from: Vec3<L>, to: Vec3<L>) -> Self {
        let cosine = dot(from, to);
        let across = add_scaled(to, -cosine, from);
        let sine = norm_squared(across).sqrt();
        let towards = scale(across, sine.recip());
        let axis = [dot(drum.axis, from), dot(drum.axis, towards)];
        let along = add_scaled(add_scaled(drum.axis, -axis[0], from), -axis[1], towards);
        Self {
            from,
            towards,
            end: [cosine, sine],
            corner: [dot(corner, from), dot(corner, towards)],
            axis,
            along2: norm_squared(along),
            radius: drum.radius,
            half_length: drum.half_length,
        }
    }

    /// A direction.
    #[inline(always)]
    pub fn at(&self, [cosine, sine]: Planar<L>) -> Vec3<L> {
        add_scaled(scale(self.from, cosine), sine, self.towards)
    }

    /// The parts, and the lanes that have them.
    #[inline(always)]
    pub fn parts(&self) -> [(Part<L>, L::Mask); 3] {
        let [x, y] = self.axis;
        let inverse = inner(self.axis, self.axis).sqrt().max(L::c(1e-6)).recip();
        // Of the four places a quarter turn apart, the one in the first quarter.
        let turned = (x * y).lt(L::ZERO);
        let (x, y) = (x.abs() * inverse, y.abs() * inverse);
        let first = choose::<L>(turned, [y, x], [x, y]);
        let second = [-first[1], first[0]];
        let has = [sine(first, self.end).gt(L::ZERO), sine(second, self.end).gt(L::ZERO)];
        [
            (self.part([L::ONE, L::ZERO], first), L::Mask::ALL),
            (self.part(first, second), has[0]),
            (self.part(second, self.end), has[1]),
        ]
    }

    /// From one place to another, or to the end of the arc if that comes first.
    #[inline(always)]
    fn part(&self, from: Planar<L>, to: Planar<L>) -> Part<L> {
        let ends = sine(to, self.end).lt(L::ZERO);
        Part {
            from,
            to: choose::<L>(ends, self.end, to),
        }
    }

    /// A bound from below of f along a part. The cylinder reaches least at one of its ends, since |s| does not turn on the way and
    /// h |s| + r √(1 − s²) has no dent; the point at one of them or opposite to it.
    #[inline(always)]
    pub fn bound(&self, part: &Part<L>) -> L {
        let mut ends = [L::ZERO; 2];
        let mut slopes = [L::ZERO; 2];
        let mut reaches = [L::ZERO; 2];
        for (i, n) in [part.from, part.to].into_iter().enumerate() {
            ends[i] = inner(n, self.corner);
            slopes[i] = sine(n, self.corner);
            let ds = sine(n, self.axis);
            let w = ds.mul_add(ds, self.along2).sqrt();
            reaches[i] = self.half_length.mul_add(inner(n, self.axis).abs(), self.radius * w);
        }
        let turns = slopes[0].lt(L::ZERO) & slopes[1].gt(L::ZERO);
        let opposite = -inner(self.corner, self.corner).sqrt();
        L::select(turns, opposite, ends[0].min(ends[1])) + reaches[0].min(reaches[1])
    }

    /// Goes down to the least f of a part, in the lanes `open`. A lane that has arrived stays, whatever the others do.
    #[inline(always)]
    pub fn search(&self, part: &Part<L>, open: L::Mask) -> Planar<L> {
        let mut n = part.middle();
        let mut moving = open;
        for _ in 0..STEPS {
            let next = part.clamp(turn(n, self.step(n)));
            let moved = sine(n, next).abs();
            n = choose::<L>(moving, next, n);
            moving = moving & moved.gt(L::c(LAST_STEP));
            if !moving.any() {
                break;
            }
        }
        n
    }

    /// The angle of a Newton step. Along a circle n″ = −n, and w′ = −s s′ / w.
    #[inline(always)]
    fn step(&self, n: Planar<L>) -> L {
        let (s, ds) = (inner(n, self.axis), sine(n, self.axis));
        let w = ds.mul_add(ds, self.along2).sqrt();
        let inverse = w.max(L::c(1e-6)).recip();
        let end = L::select(s.lt(L::ZERO), -self.half_length, self.half_length);
        let pull = (self.radius * s).neg_mul_add(inverse, end);
        let slope = pull.mul_add(ds, sine(n, self.corner));
        let sharp = self.radius * inverse * (ds * inverse) * (ds * inverse);
        let bend = -pull.mul_add(s, inner(n, self.corner)) - sharp;
        // On a crest, downhill as far as allowed.
        let most = L::c(LONGEST_STEP);
        let convex = bend.gt(L::ZERO);
        let newton = -slope / L::select(convex, bend, L::ONE);
        let downhill = L::select(slope.gt(L::ZERO), -most, most);
        L::select(convex, newton, downhill).clamp(-most, most)
    }
}

impl<L: Lanes> Part<L> {
    #[inline(always)]
    fn middle(&self) -> Planar<L> {
        let sum = [self.from[0] + self.to[0], self.from[1] + self.to[1]];
        let inverse = inner(sum, sum).sqrt().recip();
        [sum[0] * inverse, sum[1] * inverse]
    }

    /// A place that a step led to, or the end that it passed.
    #[inline(always)]
    fn clamp(&self, n: Planar<L>) -> Planar<L> {
        let (before, behind) = (sine(self.from, n).lt(L::ZERO), sine(self.to, n).gt(L::ZERO));
        choose::<L>(before, self.from, choose::<L>(behind, self.to, n))
    }
}

/// Turns a unit vector by a small angle: by twice the one whose tangent is half of it.
#[inline(always)]
fn turn<L: Lanes>([x, y]: Planar<L>, angle: L) -> Planar<L> {
    let half = L::c(0.5) * angle;
    let inverse = half.mul_add(half, L::ONE).recip();
    let (cosine, sine) = (half.neg_mul_add(half, L::ONE) * inverse, angle * inverse);
    [x.mul_add(cosine, -y * sine), x.mul_add(sine, y * cosine)]
}
