//! The cells under a shape, lane by lane, and the nodes around each.

use motrix_spatial::{Lanes, Mask, Real, Vec3};

use super::Ground;
use super::underside::{Above, Underside};
use super::window::MAX_LANES;

/// Number of a node beyond the border: so far below that a cone ends at the horizontal, not so far that squares overflow.
const BEYOND: f32 = -1e6;

/// A fold smaller than this share of a cell is flat: 0.006°.
const LEAST_FOLD: f64 = 1e-4;

/// Rectangles of more cells than this are narrowed to what lies below the highest ground around.
const MANY_CELLS: i32 = 9;

/// Of rectangles of no more cells than this none is left out: to ask which takes longer.
const FEW_CELLS: i32 = 9;

/// A node with its neighbours, one per lane; see the picture in the parent module.
#[derive(Clone, Copy, Debug)]
pub struct Cell<L: Lanes> {
    /// The node.
    pub origin: Vec3<L>,
    /// From the node to E, NE, N, W, SW, S.
    pub around: [Vec3<L>; 6],
    /// Lanes in which the cell towards (+x, +y) exists, the edge towards E, and the edge towards N.
    pub exists: [L::Mask; 3],
    /// Negative where the edge towards E, NE, N, W, SW, S is convex.
    pub folds: [L; 6],
    /// Folds below this are convex.
    pub least_fold: L,
    /// 1 over the distances between nodes.
    pub inverse_spacing: [L; 2],
}

/// The plane of a triangle through the cell's node.
#[derive(Clone, Copy, Debug)]
pub struct Plane<L> {
    slope: [L; 2],
    pub normal: Vec3<L>,
}

impl<L: Lanes> Plane<L> {
    #[inline(always)]
    fn new(slope: [L; 2]) -> Self {
        let [gx, gy] = slope;
        let nz = L::ONE / gx.mul_add(gx, gy.mul_add(gy, L::ONE)).sqrt();
        Self {
            slope,
            normal: [-gx * nz, -gy * nz, nz],
        }
    }

    /// Distance of a point, from the node, above it.
    #[inline(always)]
    pub fn height(&self, p: Vec3<L>) -> L {
        let [gx, gy] = self.slope;
        gy.neg_mul_add(p[1], gx.neg_mul_add(p[0], p[2])) * self.normal[2]
    }
}

/// Indices of the neighbours.
pub const E: usize = 0;
pub const NE: usize = 1;
pub const N: usize = 2;
const W: usize = 3;
const SW: usize = 4;
const S: usize = 5;

/// Rows and columns of each neighbour, from the node.
const STEPS: [[i32; 2]; 6] = [[0, 1], [1, 1], [1, 0], [0, -1], [-1, -1], [-1, 0]];

/// For the edge towards each neighbour, the two nodes beside it.
pub const BESIDE: [[usize; 2]; 6] = [[NE, S], [E, N], [NE, W], [N, SW], [W, S], [SW, E]];

/// A walk over the cells under a shape, each lane at its own.
#[derive(Clone, Copy, Debug)]
pub struct CellWalk<L: Lanes> {
    /// The lanes that are under way, a bit each.
    live: u32,
    first: [[i32; MAX_LANES]; 2],
    count: [[i32; MAX_LANES]; 2],
    /// Lowest height of the shape, reach included.
    bottom: L,
    undersides: [Underside; MAX_LANES],
    /// Height of the number 1.
    elevations: [f64; MAX_LANES],
    /// The cell that is next.
    at: [[i32; MAX_LANES]; 2],
}

impl<L: Lanes> CellWalk<L> {
    /// The cells under the balls about two points, and between them, as far as they reach below the highest ground around.
    #[inline(always)]
    pub fn under(ground: &Ground<L>, ends: [Vec3<L>; 2], radius: L, reach: L, near: L::Mask) -> Self {
        let wide = radius + reach;
        let window = ground.window;
        let mut walk = Self {
            live: 0,
            first: [[0; MAX_LANES]; 2],
            count: [[0; MAX_LANES]; 2],
            bottom: ends[0][2].min(ends[1][2]) - wide,
            undersides: [Underside::default(); MAX_LANES],
            elevations: [0.0; MAX_LANES],
            at: [[0; MAX_LANES]; 2],
        };
        let near = near & (ends[0][2].max(ends[1][2]) + wide).ge(-window.base);
        // First and last column, first and last row.
        let mut rectangle = [[L::Elem::from_f64(0.0); MAX_LANES]; 4];
        for k in 0..2 {
            let inverse = L::ONE / window.spacing[k];
            let low = ends[0][k].min(ends[1][k]) - wide;
            let high = ends[0][k].max(ends[1][k]) + wide;
            ((low + window.half[k]) * inverse).floor().store(&mut rectangle[2 * k]);
            ((high + window.half[k]) * inverse)
                .floor()
                .store(&mut rectangle[2 * k + 1]);
        }
        let mut bottom = [L::Elem::from_f64(0.0); MAX_LANES];
        walk.bottom.store(&mut bottom);
        let numbers = numbers_of_lanes(ends, wide, window);
        let bits = near.bits();
        for lane in 0..L::COUNT {
            if bits >> lane & 1 == 0 || !walk.clip(ground, &rectangle, lane) {
                continue;
            }
            let highest = walk.highest(ground, lane);
            let many = walk.count[0][lane] * walk.count[1][lane] > MANY_CELLS;
            if bottom[lane].to_f64() > highest || (many && !walk.narrow(ground, ends, wide, highest, lane)) {
                continue;
            }
            walk.live |= 1 << lane;
            let [ax, ay, az, bx, by, bz, wide, hx, hy, elevation] = numbers.map(|of_lanes| of_lanes[lane].to_f64());
            walk.elevations[lane] = elevation;
            walk.undersides[lane] = Underside::new::<L::Elem>(&Above {
                ends: [[ax, ay, az], [bx, by, bz]],
                wide,
                half: [hx, hy],
                spacing: ground.field.spacing(),
            });
        }
        walk
    }

    /// Clips a lane's rectangle to its window; false when it lies beside it.
    #[inline(always)]
    fn clip(&mut self, ground: &Ground<L>, rectangle: &[[L::Elem; MAX_LANES]; 4], lane: usize) -> bool {
        let window = ground.window.lane(lane);
        for (k, nodes) in [(0, window.rows), (1, window.cols)] {
            let first = rectangle[2 - 2 * k][lane].to_f64();
            let last = rectangle[3 - 2 * k][lane].to_f64();
            let end = (nodes - 1) as f64;
            // What is not a number is nowhere.
            if !(first <= end && last >= 0.0) {
                return false;
            }
            let (first, last) = (first.max(0.0) as i32, last.min(end) as i32);
            (self.first[k][lane], self.count[k][lane]) = (first, last - first + 1);
        }
        true
    }

    /// A bound from above of the ground in a lane's rectangle, metres.
    #[inline(always)]
    fn highest(&self, ground: &Ground<L>, lane: usize) -> f64 {
        let window = ground.window.lane(lane);
        let range = |k: usize, shift: usize| {
            let first = self.first[k][lane] as usize + shift;
            first..first + self.count[k][lane] as usize
        };
        let highest = ground.field.highest_around(range(0, window.row), range(1, window.col));
        f64::from(highest) * ground.window.elevation.lane(lane).to_f64()
    }

    /// Narrows a lane's rectangle to the part of the shape that reaches below the highest ground around, twice.
    fn narrow(&mut self, ground: &Ground<L>, ends: [Vec3<L>; 2], wide: L, mut highest: f64, lane: usize) -> bool {
        let [a, b] = ends.map(|end| end.map(|x| x.lane(lane).to_f64()));
        let wide = wide.lane(lane).to_f64();
        let window = ground.window.lane(lane);
        for _ in 0..3 {
            let mut low = [f64::INFINITY; 2];
            let mut high = [f64::NEG_INFINITY; 2];
            // The part of the axis whose ball reaches below the ground around.
            let (step, limit) = (b[2] - a[2], highest + wide);
            // The widest section of a ball below that height, at the lower end: no other is wider.
            let above = (a[2].min(b[2]) - highest).max(0.0);
            let flat_radius = (wide * wide - above * above).max(0.0).sqrt();
            let cut = if step.abs() > f64::MIN_POSITIVE {
                (limit - a[2]) / step
            } else {
                f64::NAN
            };
            let inside = |t: f64| a[2] + t * step <= limit;
            for t in [0.0, cut, 1.0] {
                if !(0.0..=1.0).contains(&t) || !(inside(t) || t == cut) {
                    continue;
                }
                for k in 0..2 {
                    let x = a[k] + t * (b[k] - a[k]);
                    low[k] = low[k].min(x - flat_radius);
                    high[k] = high[k].max(x + flat_radius);
                }
            }
            let mut shrunk = false;
            for (k, nodes) in [(1, window.rows), (0, window.cols)] {
                let spacing = ground.field.spacing()[k];
                let half = ground.window.half[k].lane(lane).to_f64();
                let place = |x: f64| ((x + half) / spacing).floor();
                let (first, last) = (place(low[k]).max(0.0), place(high[k]).min((nodes - 1) as f64));
                if !(first <= last) {
                    return false;
                }
                let (first, last) = (first as i32, last as i32);
                shrunk |= last - first + 1 < self.count[1 - k][lane];
                (self.first[1 - k][lane], self.count[1 - k][lane]) = (first, last - first + 1);
            }
            highest = self.highest(ground, lane);
            if self.bottom.lane(lane).to_f64() > highest {
                return false;
            }
            if !shrunk {
                break;
            }
        }
        true
    }

    /// The next cell of each lane that may reach up to the shape, and the lanes in which it does.
    #[inline(always)]
    pub fn next(&mut self, ground: &Ground<L>) -> Option<(Cell<L>, L::Mask)> {
        while self.live != 0 {
            let mut node = [[0; MAX_LANES]; 2];
            let mut bits = self.live;
            while bits != 0 {
                let lane = bits.trailing_zeros() as usize % MAX_LANES;
                bits &= bits - 1;
                match self.advance(ground, lane) {
                    Some([row, col]) => (node[0][lane], node[1][lane]) = (row, col),
                    None => self.live &= !(1 << lane),
                }
            }
            if self.live == 0 {
                return None;
            }
            let (cell, top) = Cell::read(ground, &node, self.live);
            let active = L::Mask::from_bits(self.live) & top.ge(self.bottom);
            if active.any() {
                return Some((cell, active));
            }
        }
        None
    }

    /// The next node of a lane, row and column, whose cell does not stay below the shape.
    #[inline(always)]
    fn advance(&mut self, ground: &Ground<L>, lane: usize) -> Option<[i32; 2]> {
        let window = ground.window.lane(lane);
        let (underside, elevation) = (&self.undersides[lane], self.elevations[lane]);
        let [first_row, first_col] = [self.first[0][lane], self.first[1][lane]];
        let [rows, cols] = [self.count[0][lane], self.count[1][lane]];
        let [mut row, mut col] = [self.at[0][lane], self.at[1][lane]];
        if rows * cols <= FEW_CELLS && row < rows {
            let last = col + 1 >= cols;
            self.at[0][lane] = row + i32::from(last);
            self.at[1][lane] = if last { 0 } else { col + 1 };
            return Some([first_row + row, first_col + col]);
        }
        while row < rows {
            let node = (first_row + row) as usize;
            let near = window.row + node;
            let far = window.row + (node + 1).min(window.rows - 1);
            // The higher node of a column is that of two cells.
            let mut left = higher(ground, lane, [near, far], first_col + col);
            while col < cols {
                let node = [first_row + row, first_col + col];
                let right = higher(ground, lane, [near, far], node[1] + 1);
                let top = f64::from(left.max(right)) * elevation;
                (left, col) = (right, col + 1);
                if !underside.is_above([node[1], node[0]], top) {
                    self.at[0][lane] = row;
                    self.at[1][lane] = col;
                    return Some(node);
                }
            }
            (row, col) = (row + 1, 0);
        }
        self.at[0][lane] = row;
        None
    }
}

/// The higher node of two rows of the field in a column of a lane's window, or in its last one.
#[inline(always)]
fn higher<L: Lanes>(ground: &Ground<L>, lane: usize, [near, far]: [usize; 2], col: i32) -> f32 {
    let window = ground.window.lane(lane);
    let col = window.col + (col as usize).min(window.cols - 1);
    ground.field.height(near, col).max(ground.field.height(far, col))
}

/// Two points, a radius, half extents and the height of the number 1, number by number.
#[inline(always)]
fn numbers_of_lanes<L: Lanes>(
    [a, b]: [Vec3<L>; 2],
    wide: L,
    window: &super::LaneWindow<L>,
) -> [[L::Elem; MAX_LANES]; 10] {
    let mut numbers = [[L::Elem::default(); MAX_LANES]; 10];
    let ([hx, hy], elevation) = (window.half, window.elevation);
    let lanes = [a[0], a[1], a[2], b[0], b[1], b[2], wide, hx, hy, elevation];
    for i in 0..10 {
        lanes[i].store(&mut numbers[i]);
    }
    numbers
}

impl<L: Lanes> Cell<L> {
    /// The cell of each lane's node in the lanes that are `live`, and its highest corner.
    #[inline(always)]
    fn read(ground: &Ground<L>, node: &[[i32; MAX_LANES]; 2], live: u32) -> (Self, L) {
        let window = ground.window;
        let mut numbers = [[L::Elem::from_f64(0.0); MAX_LANES]; 7];
        let mut columns = [[L::Elem::from_f64(0.0); MAX_LANES]; 2];
        let mut existing = [0u32; 3];
        for lane in 0..L::COUNT {
            if live >> lane & 1 == 0 {
                continue;
            }
            let own = window.lane(lane);
            let (row, col) = (node[0][lane], node[1][lane]);
            let read = |[down, across]: [i32; 2]| {
                let (r, c) = ((row + down) as usize, (col + across) as usize);
                // A negative number is a large one here.
                if r < own.rows && c < own.cols {
                    ground.field.height(own.row + r, own.col + c)
                } else {
                    BEYOND
                }
            };
            let (r, c) = (row as usize, col as usize);
            let inner = r > 0 && c > 0 && r + 1 < own.rows && c + 1 < own.cols;
            let around = if inner {
                ground.field.around(own.row + r, own.col + c)
            } else {
                let mut around = [read([0, 0]); 7];
                for k in 0..6 {
                    around[k] = read(STEPS[k]);
                }
                around
            };
            for k in 0..7 {
                numbers[k][lane] = L::Elem::from_f64(f64::from(around[k]));
            }
            columns[0][lane] = L::Elem::from_f64(f64::from(col));
            columns[1][lane] = L::Elem::from_f64(f64::from(row));
            let (right, up) = ((col as usize) + 1 < own.cols, (row as usize) + 1 < own.rows);
            existing[0] |= u32::from(right && up) << lane;
            existing[1] |= u32::from(right) << lane;
            existing[2] |= u32::from(up) << lane;
        }
        Self::assemble(window, &numbers, &columns, existing)
    }

    #[inline(always)]
    fn assemble(
        window: &super::LaneWindow<L>,
        numbers: &[[L::Elem; MAX_LANES]; 7],
        columns: &[[L::Elem; MAX_LANES]; 2],
        existing: [u32; 3],
    ) -> (Self, L) {
        let [dx, dy] = window.spacing;
        let own = L::load(&numbers[6]) * window.elevation;
        let origin = [
            L::load(&columns[0]).mul_add(dx, -window.half[0]),
            L::load(&columns[1]).mul_add(dy, -window.half[1]),
            own,
        ];
        let mut around = [[L::ZERO; 3]; 6];
        let mut top = own;
        for k in 0..6 {
            let height = L::load(&numbers[k]) * window.elevation;
            around[k] = [
                L::c(f64::from(STEPS[k][1])) * dx,
                L::c(f64::from(STEPS[k][0])) * dy,
                height - own,
            ];
            if k < 3 {
                top = top.max(height);
            }
        }
        let mut folds = [L::ZERO; 6];
        for k in 0..6 {
            let [a, b] = BESIDE[k];
            folds[k] = around[a][2] + around[b][2] - around[k][2];
        }
        // Heights are rounded to single precision whatever the lanes.
        let rounding = own.abs() * L::c(8.0 * f64::from(f32::EPSILON));
        let cell = Self {
            origin,
            around,
            exists: [
                L::Mask::from_bits(existing[0]),
                L::Mask::from_bits(existing[1]),
                L::Mask::from_bits(existing[2]),
            ],
            folds,
            least_fold: -(L::c(LEAST_FOLD) * dx.min(dy)).max(rounding),
            inverse_spacing: [L::ONE / dx, L::ONE / dy],
        };
        (cell, top)
    }

    /// The planes of the two triangles, that towards (−x, +y) first.
    #[inline(always)]
    pub fn planes(&self) -> [Plane<L>; 2] {
        let [ix, iy] = self.inverse_spacing;
        let (e, ne, n) = (self.around[E][2], self.around[NE][2], self.around[N][2]);
        [Plane::new([(ne - n) * ix, n * iy]), Plane::new([e * ix, (ne - e) * iy])]
    }

    /// The nodes beyond the near sides of the grid must not make an edge that does not exist convex.
    #[inline(always)]
    pub fn convex(&self, k: usize) -> L::Mask {
        self.folds[k].lt(self.least_fold)
    }
}
