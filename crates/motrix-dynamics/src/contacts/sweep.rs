//! Which bodies are near each other, in scenes of many: a sweep along one axis in each world.
//!
//! The list of body pairs grows with the square of the bodies. In a scene of hundreds almost all of them are far apart, so each
//! lane sorts its bounding spheres by where they begin along the axis on which the bodies spread widest, deals them to columns
//! along that axis, and in each column compares each sphere with those that begin before it ends (Baraff's sort and sweep). The
//! rows found are marked in a set of bits, which joins the lanes and returns the rows in the order of the list.
//!
//! The sweep can only save time: it marks at least the rows whose spheres [`super::cull::bodies_near`] finds near, and that
//! test still decides. The order of the last sweep is kept because bodies move little in a step; a wrong one costs a sort.

use motrix_spatial::{Lanes, Real};

use super::MAX_LANES;
use super::columns::{Ball, Columns};
use super::pairs::BodyPairRow;
use crate::data::Poses;
use crate::params::Params;

/// Relative widening of a radius: twice what the test of spheres in lanes allows for its own rounding.
const SLACK: f64 = 2e-4;
/// What sweeping one body in one lane costs, in tests of a row of the list (which serves all lanes at once).
const ROWS_PER_BODY: usize = 8;
/// Places that sorting may move bodies by, per body, before it starts afresh.
const SHIFTS_PER_BODY: usize = 8;

/// Where the rows of each two bodies are.
#[derive(Clone, Debug)]
pub struct SweepTable {
    /// The bodies with bounding spheres that are in some row.
    members: Vec<usize>,
    /// Rows of the list, by the places of their bodies among the members: `(lower, higher, row)`, ascending.
    rows: Vec<(u32, u32, u32)>,
    /// First of `rows` for each lower member.
    start: Vec<u32>,
    /// A bit for each row whose bodies have no bounding spheres.
    always: Vec<u64>,
    /// Largest reach of a row, metres.
    reach: f64,
}

impl SweepTable {
    /// The table for a list of body pairs.
    pub fn new(list: &[BodyPairRow]) -> Self {
        let bounded = || list.iter().enumerate().filter(|(_, row)| row.bounded);
        let mut members: Vec<usize> = bounded()
            .flat_map(|(_, row)| [row.body1 as usize, row.body2 as usize])
            .collect();
        members.sort_unstable();
        members.dedup();
        let place = |body: usize| members.partition_point(|&m| m < body) as u32;
        let mut rows: Vec<(u32, u32, u32)> = bounded()
            .map(|(k, row)| (place(row.body1 as usize), place(row.body2 as usize), k as u32))
            .collect();
        rows.sort_unstable();
        let before = |m: usize| rows.partition_point(|row| (row.0 as usize) < m) as u32;
        let start = (0..=members.len()).map(before).collect();
        let mut always = vec![0; list.len().div_ceil(64)];
        for (k, _) in list.iter().enumerate().filter(|(_, row)| !row.bounded) {
            always[k / 64] |= 1 << (k % 64);
        }
        Self {
            start,
            always,
            reach: bounded().map(|(_, row)| row.reach).fold(0.0, f64::max),
            members,
            rows,
        }
    }

    /// Whether sweeping so many lanes costs less than walking the list.
    pub fn pays(&self, lanes: usize) -> bool {
        self.rows.len() > ROWS_PER_BODY * lanes * self.members.len()
    }

    /// The rows of two members, usually one or none.
    fn rows_of(&self, a: u32, b: u32) -> &[(u32, u32, u32)] {
        let (low, high) = (a.min(b), a.max(b));
        let of_low = &self.rows[self.start[low as usize] as usize..self.start[low as usize + 1] as usize];
        let first = lower_bound(of_low, high, (high - low - 1) as usize);
        let count = of_low[first..].iter().take_while(|row| row.1 == high).count();
        &of_low[first..first + count]
    }
}

/// Memory of the sweep, and what it found.
#[derive(Clone, Debug, Default)]
pub struct Sweep {
    /// Spheres of the members, lane after lane.
    balls: Vec<Ball>,
    /// Members in the order in which they began when last swept, lane after lane.
    order: Vec<u32>,
    /// Where each member of the lane at hand begins.
    begin: Vec<f64>,
    /// The spheres of the lane at hand, in order.
    columns: Columns,
    /// A bit for each row that may be near in some lane.
    near: Vec<u64>,
    /// These rows, in the order of the list.
    pub rows: Vec<u32>,
    /// Pairs of spheres compared in the last sweep, all lanes together: what it cost.
    pub compared: usize,
}

impl Sweep {
    /// Marks the rows whose bodies may be near in some of the first `lanes` lanes.
    #[inline(always)]
    pub fn find<L: Lanes>(&mut self, table: &SweepTable, params: &Params<L>, poses: &Poses<L>, lanes: usize) {
        self.place_balls::<L>(table, params, poses, lanes);
        self.mark(table, lanes);
    }

    /// Turns the spheres of lanes into spheres of worlds.
    #[inline(always)]
    fn place_balls<L: Lanes>(&mut self, table: &SweepTable, params: &Params<L>, poses: &Poses<L>, lanes: usize) {
        let members = table.members.len();
        self.balls.resize(members * lanes, Ball::default());
        let mut numbers = [[L::Elem::from_f64(0.0); MAX_LANES]; 4];
        for (m, &body) in table.members.iter().enumerate() {
            let [x, y, z] = poses.com[body];
            x.store(&mut numbers[0]);
            y.store(&mut numbers[1]);
            z.store(&mut numbers[2]);
            params.bodies[body].bounding_radius.store(&mut numbers[3]);
            for k in 0..lanes {
                self.balls[k * members + m] = Ball {
                    centre: [numbers[0][k].to_f64(), numbers[1][k].to_f64(), numbers[2][k].to_f64()],
                    radius: (numbers[3][k].to_f64() + 0.5 * table.reach) * (1.0 + SLACK),
                };
            }
        }
    }

    #[inline(never)]
    fn mark(&mut self, table: &SweepTable, lanes: usize) {
        let members = table.members.len();
        self.near.clone_from(&table.always);
        self.compared = 0;
        if self.order.len() != members * lanes {
            self.order.clear();
            (0..lanes).for_each(|_| self.order.extend(0..members as u32));
        }
        for k in 0..lanes {
            self.sweep_lane(table, k * members..(k + 1) * members);
        }
        // Room for all of them, so that a step which finds more than the one before does not allocate.
        self.rows.clear();
        self.rows.reserve(64 * self.near.len());
        for (word, &marks) in self.near.iter().enumerate() {
            let mut bits = marks;
            while bits != 0 {
                self.rows.push(64 * word as u32 + bits.trailing_zeros());
                bits &= bits - 1;
            }
        }
    }

    fn sweep_lane(&mut self, table: &SweepTable, lane: core::ops::Range<usize>) {
        let balls = &self.balls[lane.clone()];
        let order = &mut self.order[lane];
        let axis = widest_axis(balls);
        self.begin.clear();
        self.begin.extend(balls.iter().map(|ball| ball.begin(axis)));
        sort(order, &self.begin);
        self.columns.deal(balls, order, axis);

        for column in self.columns.iter() {
            for (i, &(ball, m)) in column.iter().enumerate() {
                let end = ball.end(axis);
                for &(other, n) in &column[i + 1..] {
                    if !(other.begin(axis) <= end) {
                        break;
                    }
                    self.compared += 1;
                    if ball.is_near(&other) {
                        for &(_, _, row) in table.rows_of(m, n) {
                            self.near[row as usize / 64] |= 1 << (row % 64);
                        }
                    }
                }
            }
        }
    }
}

/// Where the rows of one lower member reach `high`. `guess` is the place when the member meets all that follow it once, which is almost
/// true of most: looking outward from there reads one place of a long table instead of a dozen.
fn lower_bound(rows: &[(u32, u32, u32)], high: u32, guess: usize) -> usize {
    let (mut begin, mut end, mut stride) = (guess.min(rows.len()), rows.len(), 1);
    while begin > 0 && rows[begin - 1].1 >= high {
        end = begin - 1;
        begin = begin.saturating_sub(stride);
        stride *= 2;
    }
    if stride == 1 {
        // Not before the guess, and seldom far behind it: only bodies in several rows are.
        return begin + rows[begin..].iter().take_while(|row| row.1 < high).count();
    }
    begin + rows[begin..end].partition_point(|row| row.1 < high)
}

/// The axis along which centres spread most, by variance.
fn widest_axis(balls: &[Ball]) -> usize {
    let spread = |axis: usize| {
        let finite = || balls.iter().map(|ball| ball.centre[axis]).filter(|x| x.is_finite());
        let mean = finite().sum::<f64>() / finite().count().max(1) as f64;
        finite().map(|x| (x - mean).powi(2)).sum::<f64>()
    };
    let [x, y, z] = [spread(0), spread(1), spread(2)];
    if x >= y && x >= z {
        0
    } else if y >= z {
        1
    } else {
        2
    }
}

/// Sorts members by where they begin: by insertion while they are almost in order, otherwise from scratch.
fn sort(order: &mut [u32], begin: &[f64]) {
    let mut shifts = SHIFTS_PER_BODY * order.len();
    for i in 1..order.len() {
        let member = order[i];
        let mut j = i;
        while j > 0 && begin[order[j - 1] as usize] > begin[member as usize] {
            order[j] = order[j - 1];
            j -= 1;
        }
        order[j] = member;
        if i - j > shifts {
            order.sort_unstable_by(|&a, &b| begin[a as usize].total_cmp(&begin[b as usize]));
            return;
        }
        shifts -= i - j;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All pairs of so many bodies. As in models, some pairs are left out and some stand in the list twice.
    fn all_pairs(bodies: u32, reach: f64) -> Vec<BodyPairRow> {
        let pairs = (0..bodies).flat_map(|a| (a + 1..bodies).map(move |b| (a, b)));
        let pairs = pairs.filter(|(a, b)| (a + b) % 11 != 4 || a % 3 != 0);
        let again = (0..bodies)
            .filter(|a| a % 7 == 3)
            .flat_map(|a| [(a, a + 1), (a, a + 5)]);
        let pairs = pairs.chain(again.filter(|(_, b)| *b < bodies));
        let row = |(k, (body1, body2)): (usize, (u32, u32))| BodyPairRow {
            body1,
            body2,
            first: k as u32,
            end: k as u32 + 1,
            reach,
            bounded: k % 97 != 5,
        };
        pairs.enumerate().map(row).collect()
    }

    /// Numbers in [0, 1) from a linear congruential generator (Knuth's MMIX).
    fn random(seed: u64) -> impl FnMut() -> f64 {
        let mut state = seed;
        move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        }
    }

    /// Sweeps balls of several worlds, given lane after lane.
    fn swept(list: &[BodyPairRow], balls: Vec<Ball>, lanes: usize, memory: &mut Sweep) -> Vec<usize> {
        let table = SweepTable::new(list);
        memory.balls = balls;
        memory.mark(&table, lanes);
        memory.rows.iter().map(|&row| row as usize).collect()
    }

    #[test]
    fn a_sweep_finds_what_comparing_all_pairs_finds_in_the_order_of_the_list() {
        let mut random = random(7);
        let (bodies, lanes) = (60, 3);
        let list = all_pairs(bodies as u32, 0.0);
        let mut memory = Sweep::default();
        for round in 0..50 {
            // Sizes over four decades, a world that is flat, and bodies that are nowhere.
            let mut balls = Vec::new();
            for m in 0..bodies * lanes {
                let mut centre = [random(), random(), random() * if m < bodies { 0.0 } else { 1.0 }];
                if round % 5 == 4 && m % 17 == 3 {
                    centre[m % 3] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY][m % 3];
                }
                let radius = 10f64.powf(-4.0 * random()) * 0.5;
                balls.push(Ball { centre, radius });
            }
            let near = |row: &BodyPairRow| {
                let ball = |k: usize, body: u32| &balls[k * bodies + body as usize];
                (0..lanes).any(|k| ball(k, row.body1).is_near(ball(k, row.body2)))
            };
            let brute: Vec<usize> = (0..list.len())
                .filter(|&k| !list[k].bounded || near(&list[k]))
                .collect();
            assert!(brute.len() < list.len(), "some pairs are far apart");
            assert_eq!(
                swept(&list, balls.clone(), lanes, &mut memory),
                brute,
                "with the order of the round before"
            );
            assert_eq!(swept(&list, balls, lanes, &mut Sweep::default()), brute, "afresh");
        }
    }

    /// Balls of radius 0.5 about a grid with this many along each axis, a little apart from each other.
    fn grid(counts: [usize; 3]) -> Vec<Ball> {
        let mut random = random(3);
        let [nx, ny, nz] = counts;
        let cells = (0..nx).flat_map(|x| (0..ny).flat_map(move |y| (0..nz).map(move |z| [x, y, z])));
        cells
            .map(|cell| Ball {
                centre: cell.map(|c| 1.1 * c as f64 + 0.2 * random()),
                radius: 0.5,
            })
            .collect()
    }

    #[test]
    fn rows_found_and_comparisons_grow_with_the_bodies() {
        // Spheres on a floor, in a wide pile and in a cubic one: n, 4n and 16n of them. Neighbours per body stay the same but
        // for the rim, and comparisons per body below a bound that does not grow.
        for (name, scenes) in [
            ("floor", [[8, 8, 1], [16, 16, 1], [32, 32, 1]]),
            ("pile", [[4, 4, 4], [8, 8, 4], [16, 16, 4]]),
            ("heap", [[4, 4, 4], [6, 6, 7], [10, 10, 10]]),
        ] {
            let count = |counts: [usize; 3]| {
                let balls = grid(counts);
                let list = all_pairs(balls.len() as u32, 0.0);
                let unbounded = list.iter().filter(|row| !row.bounded).count();
                let mut memory = Sweep::default();
                swept(&list, balls, 1, &mut memory);
                ((memory.rows.len() - unbounded) as f64, memory.compared as f64)
            };
            let found = scenes.map(count);
            for (few, many) in [(found[0], found[1]), (found[1], found[2])] {
                let rows = many.0 / few.0;
                assert!(
                    rows < 5.5,
                    "{name}: four times the bodies have {rows:.2} times the near pairs"
                );
            }
            for ((_, compared), bodies) in found.into_iter().zip(scenes) {
                let per_body = compared / bodies.iter().product::<usize>() as f64;
                assert!(
                    per_body < 6.0,
                    "{name} of {bodies:?}: {per_body:.2} comparisons per body"
                );
            }
        }
    }
}
