//! What of the surface a shape may touch: convex edges, and for curved shapes faces, that nothing simple keeps apart from it.
//!
//! Level ground has no convex edges, and shapes with corners know what is below them. Elsewhere nodes are looked at along the rows of
//! the grid, as many side by side as there are lanes, in the frame of the field with the shape's centre as origin. An edge is left
//! out when it is flat or hollow, when it lies below the shape, or when both of its ends are beyond one of the planes around the
//! shape (see `bounds`); a face, when a curved shape is above its plane or would touch that beside the face (see `curve`). Of what
//! is left, `entered` keeps the edges that come into the shape itself. Rounding may let pass what the exact rules then refuse, never
//! the other way round, so the lanes decide about time alone and not about a bit.

use core::marker::PhantomData;

use motrix_spatial::algebra::dot;
use motrix_spatial::{Lanes, Mask, Part, Real};

use super::bounds::{MOST_SIDES, Sides};
use super::curve::{Curve, Triangle};
use super::edges::{FOLD_ROUNDING, least_fold};
use super::entered;
use super::surface::{Nodes, Surface};
use crate::closed::terrain::MAX_LANES;
use crate::shape::Placed;
use crate::vector::Vec3;

/// Roundings of the numbers that planes are computed from.
const ROUNDINGS: f64 = 16.0;

/// Numbers of a row that one batch reads: one beside it on either side.
const READ: usize = MAX_LANES + 2;

/// An edge that may touch: its first node, and which of the three that start there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EdgeAt {
    pub row: u32,
    pub col: u32,
    pub kind: u8,
}

/// A cell whose faces may touch: the one towards (−x, +y), and the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CellAt {
    pub row: u32,
    pub col: u32,
    pub faces: [bool; 2],
}

/// What may touch, in the order of the grid.
#[derive(Clone, Debug, Default)]
pub struct Near {
    pub(super) edges: Vec<EdgeAt>,
    /// For curved shapes only: corners of the others know what is below them.
    pub(super) cells: Vec<CellAt>,
}

/// The search, as a part of a kernel.
pub struct Find<'a, 'b, L> {
    pub surface: &'a Surface<'a>,
    pub nodes: &'a Nodes,
    pub shape: &'a Placed<'a>,
    /// Lowest and highest corner of the box around the shape, margin included.
    pub bounds: [Vec3; 2],
    pub margin: f64,
    pub near: &'b mut Near,
    pub lanes: PhantomData<L>,
}

/// What a batch of nodes is compared with.
struct Batch<L: Lanes> {
    sides: [Side<L>; MOST_SIDES],
    count: usize,
    /// One over the distances between neighbours.
    cells_per_metre: [L; 2],
    /// Slope of a difference of 1 between the numbers of neighbours along x, along y.
    inverse: [L; 2],
    elevation: L,
    /// Height of the shape's centre.
    level: L,
    /// Height below which nothing matters.
    floor: L,
    least_fold: L,
    slack: L,
    margin: L,
}

/// A half-space around the shape: its normal, how far beyond it the origin is, and how much farther the next column, the next row
/// and the nearest node of a cell are.
#[derive(Clone, Copy)]
struct Side<L> {
    normal: [L; 3],
    beyond: L,
    across: L,
    along: L,
    nearest: L,
    /// Whether it looks up, so that the lowest node of a cell is the nearest.
    up: bool,
}

/// The numbers of a batch of nodes and around it: of the row below, its own and the row above, each one column before, at the
/// nodes and one column behind.
#[derive(Clone, Copy)]
struct Numbers<L> {
    below: [L; 3],
    own: [L; 3],
    above: [L; 3],
}

impl<L: Lanes> Part for Find<'_, '_, L> {
    type Out = ();

    #[inline(always)]
    fn run(self) {
        let Self {
            surface,
            nodes,
            shape,
            bounds: [low, high],
            margin,
            near,
            ..
        } = self;
        near.edges.clear();
        near.cells.clear();
        let curve = Curve::<L>::new(shape);
        if curve.is_none() && surface.is_level(nodes) {
            return;
        }
        let [rows, cols] = nodes;
        let [dx, dy] = surface.spacing();
        let sides = Sides::new::<L>(shape);
        let c = shape.pose.position;
        let size = (high[0] - low[0]) + (high[1] - low[1]) + (high[2] - low[2]) + dx + dy;
        let slack = ROUNDINGS * (L::Elem::EPSILON * (size + c[2].abs()));
        let batch = Batch::<L>::new(surface, &sides, c[2], low[2], margin, slack);
        let (last_row, last_col) = (surface.window().rows - 1, surface.window().cols - 1);
        let mut ramp = [L::Elem::default(); MAX_LANES];
        for k in 0..L::COUNT {
            ramp[k] = L::Elem::from_f64(k as f64 * dx);
        }
        let ramp = L::load(&ramp);
        let mut col = *cols.start();
        while col <= *cols.end() {
            let count = (*cols.end() - col + 1).min(L::COUNT);
            let live = L::Mask::from_bits((1 << count) - 1);
            let x = L::c(dx * col as f64 - surface.half()[0] - c[0]) + ramp;
            let mut rim = u32::from(col == 0);
            if last_col < col + L::COUNT {
                rim |= 1 << (last_col - col);
            }
            let mut numbers = Numbers::read(surface, *rows.start(), col);
            for row in rows.clone() {
                let y = dy * row as f64 - surface.half()[1] - c[1];
                let rim = if row == 0 || row == last_row {
                    L::Mask::ALL
                } else {
                    L::Mask::from_bits(rim)
                };
                let mut edges = batch.convex(&numbers, live, rim);
                if curve.is_some() || (edges[0] | edges[1] | edges[2]).any() {
                    let y = L::c(y);
                    let [all, down] = batch.beyond(&numbers, x, y);
                    let touched = !all.gt(batch.slack);
                    for k in 0..3 {
                        edges[k] = edges[k] & touched;
                    }
                    near.push_edges::<L>(row, col, batch.edges(&numbers, edges, x, y));
                    if let Some(curve) = &curve
                        && row < last_row
                        && col < last_col
                    {
                        // Where a shape has sunk below a face, a side that looks up may lie between them.
                        let exists = L::Mask::from_bits((1 << (last_col - col).min(count)) - 1);
                        let exists = exists & !down.gt(batch.slack);
                        let faces = batch.faces(&numbers, exists, x, y, curve);
                        near.push_cells::<L>(row, col, faces);
                    }
                }
                numbers = numbers.next(surface, row, col);
            }
            col += L::COUNT;
        }
        entered::keep::<L>(surface, shape, margin, slack, &mut near.edges);
        // Rows of a few columns after one another: the order of the grid does not depend on how many.
        near.edges.sort_unstable();
        near.cells.sort_unstable();
    }
}

impl Near {
    #[inline(always)]
    fn push_edges<L: Lanes>(&mut self, row: usize, col: usize, edges: [L::Mask; 3]) {
        let bits = [edges[0].bits(), edges[1].bits(), edges[2].bits()];
        let mut left = bits[0] | bits[1] | bits[2];
        while left != 0 {
            let k = left.trailing_zeros();
            left &= left - 1;
            for kind in 0..3 {
                if bits[kind] >> k & 1 != 0 {
                    self.edges.push(EdgeAt {
                        row: row as u32,
                        col: col as u32 + k,
                        kind: kind as u8,
                    });
                }
            }
        }
    }

    #[inline(always)]
    fn push_cells<L: Lanes>(&mut self, row: usize, col: usize, faces: [L::Mask; 2]) {
        let bits = [faces[0].bits(), faces[1].bits()];
        let mut left = bits[0] | bits[1];
        while left != 0 {
            let k = left.trailing_zeros();
            left &= left - 1;
            self.cells.push(CellAt {
                row: row as u32,
                col: col as u32 + k,
                faces: [bits[0] >> k & 1 != 0, bits[1] >> k & 1 != 0],
            });
        }
    }
}

impl<L: Lanes> Numbers<L> {
    /// Of the batch of nodes from a place on. Beyond the border the nearest node stands in.
    #[inline(always)]
    fn read(surface: &Surface, row: usize, col: usize) -> Self {
        Self {
            below: read_row(surface, row.max(1) - 1, col),
            own: read_row(surface, row, col),
            above: read_row(surface, (row + 1).min(surface.window().rows - 1), col),
        }
    }

    /// One row above the row these are of.
    #[inline(always)]
    fn next(self, surface: &Surface, row: usize, col: usize) -> Self {
        Self {
            below: self.own,
            own: self.above,
            above: read_row(surface, (row + 2).min(surface.window().rows - 1), col),
        }
    }
}

/// The numbers of a row, those one column before and those one column behind.
#[inline(always)]
fn read_row<L: Lanes>(surface: &Surface, row: usize, col: usize) -> [L; 3] {
    let last = surface.window().cols - 1;
    let mut numbers = [L::Elem::default(); READ];
    for i in 0..L::COUNT + 2 {
        let c = ((col + i).max(1) - 1).min(last);
        numbers[i] = L::Elem::from_f64(f64::from(surface.number(row, c)));
    }
    [L::load(&numbers), L::load(&numbers[1..]), L::load(&numbers[2..])]
}

impl<L: Lanes> Batch<L> {
    #[inline(always)]
    fn new(surface: &Surface, sides: &Sides, level: f64, floor: f64, margin: f64, slack: f64) -> Self {
        let [dx, dy] = surface.spacing();
        let nothing = Side {
            normal: [L::ZERO; 3],
            beyond: L::ZERO,
            across: L::ZERO,
            along: L::ZERO,
            nearest: L::ZERO,
            up: false,
        };
        let mut batch = Self {
            sides: [nothing; MOST_SIDES],
            count: sides.count,
            cells_per_metre: [L::c(1.0 / dx), L::c(1.0 / dy)],
            inverse: [L::c(surface.elevation() / dx), L::c(surface.elevation() / dy)],
            elevation: L::c(surface.elevation()),
            level: L::c(level),
            floor: L::c(floor - slack),
            least_fold: L::c(least_fold(surface)),
            slack: L::c(slack),
            margin: L::c(margin + slack),
        };
        for k in 0..sides.count {
            let [nx, ny, nz] = sides.normals[k];
            let (across, along) = (nx * dx, ny * dy);
            batch.sides[k] = Side {
                normal: [L::c(nx), L::c(ny), L::c(nz)],
                beyond: L::c(-sides.reaches[k] - margin),
                across: L::c(across),
                along: L::c(along),
                nearest: L::c(across.min(0.0) + along.min(0.0)),
                up: nz > 0.0,
            };
        }
        batch
    }

    /// How far the cells of a batch are beyond the sides around the shape: beyond all, and beyond those that look down.
    #[inline(always)]
    fn beyond(&self, n: &Numbers<L>, x: L, y: L) -> [L; 2] {
        let ([_, own, right], [_, above, corner]) = (n.own, n.above);
        let highest = own.max(right).max(above.max(corner));
        let lowest = own.min(right).min(above.min(corner));
        let highest = highest.mul_add(self.elevation, -self.level);
        let lowest = lowest.mul_add(self.elevation, -self.level);
        let mut apart = [L::c(f64::from(f32::MIN)); 2];
        for side in &self.sides[..self.count] {
            let beyond = side.at(x, y) + side.nearest;
            if side.up {
                apart[0] = side.normal[2].mul_add(lowest, beyond).max(apart[0]);
            } else {
                apart[1] = side.normal[2].mul_add(highest, beyond).max(apart[1]);
            }
        }
        [apart[0].max(apart[1]), apart[1]]
    }

    /// Edges along x, y and the diagonal that are convex and high enough.
    #[inline(always)]
    fn convex(&self, n: &Numbers<L>, live: L::Mask, rim: L::Mask) -> [L::Mask; 3] {
        let ([left, own, right], [_, above, corner], below) = (n.own, n.above, n.below[1]);
        // Differences of neighbours first: where the ground is flat they are exact.
        let least = -self.least_fold.max(L::c(FOLD_ROUNDING) * own.abs());
        let folds = [
            (corner - right, below - own),
            (corner - above, left - own),
            (right - own, above - corner),
        ];
        let tops = [own.max(right), own.max(above), own.max(corner)];
        let mut here = [L::Mask::NONE; 3];
        for k in 0..3 {
            let (a, b) = folds[k];
            let rounding = (a.abs() + b.abs()) * L::c(4.0 * L::Elem::EPSILON);
            let convex = (a + b - rounding).lt(least) | rim;
            here[k] = live & convex & (tops[k] * self.elevation).ge(self.floor);
        }
        here
    }

    /// Those of the edges that are not beyond a side.
    #[inline(always)]
    fn edges(&self, n: &Numbers<L>, mut here: [L::Mask; 3], x: L, y: L) -> [L::Mask; 3] {
        if !(here[0] | here[1] | here[2]).any() {
            return here;
        }
        let mut z = [n.own[1], n.own[2], n.above[1], n.above[2]];
        for height in &mut z {
            *height = height.mul_add(self.elevation, -self.level);
        }
        let mut apart = [L::c(f64::from(f32::MIN)); 3];
        for side in &self.sides[..self.count] {
            let beyond = side.at(x, y);
            let own = side.normal[2].mul_add(z[0], beyond);
            let right = side.normal[2].mul_add(z[1], beyond + side.across);
            let above = side.normal[2].mul_add(z[2], beyond + side.along);
            let corner = side.normal[2].mul_add(z[3], beyond + side.across + side.along);
            apart[0] = own.min(right).max(apart[0]);
            apart[1] = own.min(above).max(apart[1]);
            apart[2] = own.min(corner).max(apart[2]);
        }
        for k in 0..3 {
            here[k] = here[k] & !apart[k].gt(self.slack);
        }
        here
    }

    /// Faces, of the cells that there are, whose planes the shape may reach.
    #[inline(always)]
    fn faces(&self, n: &Numbers<L>, exists: L::Mask, x: L, y: L, curve: &Curve<L>) -> [L::Mask; 2] {
        let ([_, own, right], [_, above, corner]) = (n.own, n.above);
        let top = own.max(right).max(above.max(corner));
        let high = exists & (top * self.elevation).ge(self.floor);
        if !high.any() {
            return [high; 2];
        }
        let [ix, iy] = self.inverse;
        let z = own.mul_add(self.elevation, -self.level);
        let slopes = [
            [(corner - above) * ix, (above - own) * iy],
            [(right - own) * ix, (corner - right) * iy],
        ];
        let mut out = [high; 2];
        for k in 0..2 {
            let [gx, gy] = slopes[k];
            // Upright to the face, not of unit length; from a node of it to the centre is −(x, y, z).
            let m = [-gx, -gy, L::ONE];
            let length = gx.mul_add(gx, gy.mul_add(gy, L::ONE)).sqrt();
            let height = -dot(m, [x, y, z]);
            let near = high & !height.gt(curve.reach(m) + self.margin * length);
            if near.any() {
                let inverse = length.recip();
                let normal = [m[0] * inverse, m[1] * inverse, inverse];
                let triangle = Triangle {
                    k,
                    node: [x, y],
                    cells_per_metre: self.cells_per_metre,
                    height: height * inverse,
                };
                out[k] = near & curve.lowest(normal).is_over(&triangle, self.margin + self.slack);
            } else {
                out[k] = near;
            }
        }
        out
    }
}

impl<L: Lanes> Side<L> {
    /// How far beyond it the points at the height of the centre are.
    #[inline(always)]
    fn at(&self, x: L, y: L) -> L {
        self.normal[0].mul_add(x, self.normal[1].mul_add(y, self.beyond))
    }
}
