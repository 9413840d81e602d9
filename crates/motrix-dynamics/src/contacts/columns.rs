//! The bounding spheres of one world, dealt out to columns along an axis.
//!
//! Along one axis alone a floor of n bodies overlaps √n times as many as it has neighbours, a pile n^⅔ times. So the space
//! across the axis is cut into square columns about twice as wide as an average sphere, and each sphere is listed in every column
//! that it reaches. Two spheres that touch share a column; within one the overlaps along the axis are few however many bodies
//! there are.

/// Width of a column in average diameters. Narrower ones list each sphere more often, wider ones compare more of them.
const WIDTH: f64 = 2.0;
/// Most columns along either of their axes.
const MOST: usize = 24;
/// Listings per sphere above which the world is left whole: spheres too different in size to share columns.
const LISTINGS: usize = 4;

/// A bounding sphere, widened by half the reach.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ball {
    pub centre: [f64; 3],
    pub radius: f64,
}

impl Ball {
    /// Where it begins along an axis. A sphere that is nowhere, or has no size that is a number, begins after all others end.
    #[inline(always)]
    pub fn begin(&self, axis: usize) -> f64 {
        let begin = self.centre[axis] - self.radius;
        if begin.is_finite() { begin } else { f64::INFINITY }
    }

    /// Where it ends along an axis.
    #[inline(always)]
    pub fn end(&self, axis: usize) -> f64 {
        self.centre[axis] + self.radius
    }

    #[inline(always)]
    pub fn is_near(&self, other: &Ball) -> bool {
        let square = |k: usize| (other.centre[k] - self.centre[k]).powi(2);
        square(0) + square(1) + square(2) <= (self.radius + other.radius).powi(2)
    }

    fn is_somewhere(&self) -> bool {
        self.radius.is_finite() && self.centre.iter().all(|x| x.is_finite())
    }
}

/// The columns across one of the other axes.
#[derive(Clone, Copy, Debug)]
struct Cut {
    axis: usize,
    origin: f64,
    per_length: f64,
    count: usize,
}

impl Cut {
    fn new(axis: usize, balls: &[Ball]) -> Cut {
        let (mut low, mut high, mut radii, mut count) = (f64::INFINITY, f64::NEG_INFINITY, 0.0, 0);
        for ball in balls.iter().filter(|ball| ball.is_somewhere()) {
            low = low.min(ball.begin(axis));
            high = high.max(ball.end(axis));
            radii += ball.radius;
            count += 1;
        }
        let width = WIDTH * 2.0 * radii / f64::from(count.max(1));
        // A number that is none becomes one column.
        let columns = ((high - low) / width).min(MOST as f64) as usize;
        Cut {
            axis,
            origin: low,
            per_length: columns as f64 / (high - low),
            count: columns.max(1),
        }
    }

    /// The columns that a sphere reaches: rounding may add one, and keeps the order of places.
    #[inline(always)]
    fn reached(&self, ball: &Ball) -> core::ops::RangeInclusive<usize> {
        let column = |x: f64| (((x - self.origin) * self.per_length) as usize).min(self.count - 1);
        column(ball.begin(self.axis))..=column(ball.end(self.axis))
    }
}

/// The listings of one world, column after column.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns {
    /// Spheres with their members; each column in the order in which they were dealt.
    listings: Vec<(Ball, u32)>,
    /// One past the last listing of each column.
    end: Vec<u32>,
}

impl Columns {
    /// Deals the spheres of a world to columns along `axis`, in the given order.
    pub fn deal(&mut self, balls: &[Ball], order: &[u32], axis: usize) {
        // Room for the most there can be, so that a step which lists more than the one before does not allocate.
        self.listings.clear();
        self.listings.reserve(LISTINGS * balls.len());
        self.end.clear();
        self.end.reserve(MOST * MOST);
        let mut cuts = [(axis + 1) % 3, (axis + 2) % 3].map(|k| Cut::new(k, balls));
        let total = self.count(balls, &cuts);
        if total > LISTINGS * balls.len() {
            cuts.iter_mut().for_each(|cut| cut.count = 1);
            self.count(balls, &cuts);
        }
        self.list(balls, order, &cuts);
    }

    /// Counts the listings of each column, and all.
    fn count(&mut self, balls: &[Ball], [u, v]: &[Cut; 2]) -> usize {
        self.end.clear();
        self.end.resize(u.count * v.count, 0);
        for ball in balls.iter().filter(|ball| ball.is_somewhere()) {
            let across = v.reached(ball);
            for row in u.reached(ball) {
                across.clone().for_each(|k| self.end[row * v.count + k] += 1);
            }
        }
        self.end.iter().map(|&listings| listings as usize).sum()
    }

    /// Enters the spheres into the columns that have been counted.
    fn list(&mut self, balls: &[Ball], order: &[u32], [u, v]: &[Cut; 2]) {
        // Each column ends at first where it begins, and moves on with each listing.
        let mut total = 0;
        for end in &mut self.end {
            total += *end;
            *end = total - *end;
        }
        self.listings.clear();
        self.listings.resize(total as usize, (Ball::default(), 0));
        for &member in order {
            let ball = balls[member as usize];
            if !ball.is_somewhere() {
                continue;
            }
            let across = v.reached(&ball);
            for row in u.reached(&ball) {
                for k in across.clone() {
                    let end = &mut self.end[row * v.count + k];
                    self.listings[*end as usize] = (ball, member);
                    *end += 1;
                }
            }
        }
    }

    /// The spheres of each column.
    pub fn iter(&self) -> impl Iterator<Item = &[(Ball, u32)]> {
        let mut from = 0;
        self.end.iter().map(move |&end| {
            let column = &self.listings[from as usize..end as usize];
            from = end;
            column
        })
    }
}
