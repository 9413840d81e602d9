//! Heights under many points around a frame, in lanes of points.
//!
//! Over terrain that stands upright, the place of a point in the grid is linear in its coordinates in the frame:
//! place = start + x right + y up. The whole cells of `start` are split off in double precision, so that what is left is small
//! and single precision resolves a millionth of a cell, however large the map.

#[cfg(target_arch = "x86_64")]
use motrix_spatial::lanes::F32x8Avx2;
use motrix_spatial::lanes::F32x8Portable;
use motrix_spatial::lanes::F32x8PortableFma;
use motrix_spatial::{LaneKind, Lanes, Precision, Real};

use super::{Interpolation, Terrain};

/// Most lanes of any lane type.
const MAX_LANES: usize = 8;

/// Points in the xy plane of a frame, in both precisions, padded to whole lanes.
#[derive(Clone, Debug)]
pub struct Points {
    single: [Vec<f32>; 2],
    double: [Vec<f64>; 2],
    count: usize,
    /// Whether all coordinates are numbers; lanes clamp what is not to the border, where it has no business.
    finite: bool,
}

impl Points {
    /// From x and y of each.
    pub fn new(points: &[[f64; 2]]) -> Self {
        let padded = points.len().next_multiple_of(MAX_LANES);
        let axis = |k: usize| {
            let mut values: Vec<f64> = points.iter().map(|p| p[k]).collect();
            values.resize(padded, 0.0);
            values
        };
        let double = [axis(0), axis(1)];
        Self {
            single: [0, 1].map(|k| double[k].iter().map(|&x| x as f32).collect()),
            double,
            count: points.len(),
            finite: points.as_flattened().iter().all(|x| x.is_finite()),
        }
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Point `k`.
    pub fn get(&self, k: usize) -> [f64; 2] {
        [self.double[0][k], self.double[1][k]]
    }
}

/// A reading of terrain under points of a frame: `base + sign · height`.
#[derive(Clone, Copy, Debug)]
pub struct Sweep<'a> {
    /// The terrain.
    pub terrain: Terrain<'a>,
    /// Where the frame's origin is.
    pub origin: [f64; 2],
    /// What one metre along the frame's x and y is in the world's xy plane.
    pub axes: [[f64; 2]; 2],
    /// Added to each reading.
    pub base: f64,
    /// 1 for heights, −1 for what is above them.
    pub sign: f64,
}

/// A scalar in which readings are wanted.
pub trait ScanScalar: Real {
    /// Reads all points into `out`, of which there must be as many.
    fn read(sweep: &Sweep, points: &Points, out: &mut [Self]);
}

impl ScanScalar for f32 {
    fn read(sweep: &Sweep, points: &Points, out: &mut [f32]) {
        let Some(grid) = Grid::of(sweep, points) else {
            return sweep.read_singly(points, out);
        };
        match LaneKind::fastest(Precision::Single) {
            #[cfg(target_arch = "x86_64")]
            LaneKind::F32x8Avx2 => F32x8Avx2::sweep(&grid, &points.single, out),
            LaneKind::F32x8PortableFma => F32x8PortableFma::sweep(&grid, &points.single, out),
            _ => F32x8Portable::sweep(&grid, &points.single, out),
        }
    }
}

impl ScanScalar for f64 {
    fn read(sweep: &Sweep, points: &Points, out: &mut [f64]) {
        match Grid::of(sweep, points) {
            Some(grid) => f64::sweep(&grid, &points.double, out),
            None => sweep.read_singly(points, out),
        }
    }
}

impl Sweep<'_> {
    /// The world's x and y of a point of the frame.
    pub fn place(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let [right, up] = self.axes;
        [0, 1].map(|k| self.origin[k] + x * right[k] + y * up[k])
    }

    /// Point by point, for terrain that does not stand upright and points that are nowhere.
    fn read_singly<E: Real>(&self, points: &Points, out: &mut [E]) {
        for (k, reading) in out.iter_mut().enumerate() {
            let [x, y] = self.place(points.get(k));
            *reading = E::from_f64(self.base + self.sign * self.terrain.height(x, y));
        }
    }
}

/// A sweep in units of the grid.
#[derive(Clone, Copy, Debug)]
pub struct Grid<'a> {
    terrain: Terrain<'a>,
    /// Whole cells of the frame's origin, or of the border next to it: column, row.
    corner: [i64; 2],
    /// The rest of it, in cells.
    start: [f64; 2],
    /// Cells per metre along the frame's axes.
    axes: [[f64; 2]; 2],
    base: f64,
    scale: f64,
}

impl<'a> Grid<'a> {
    /// The sweep over upright terrain; none over any other, from a frame that is nowhere, or of points that are.
    fn of(sweep: &Sweep<'a>, points: &Points) -> Option<Self> {
        let terrain = sweep.terrain;
        let r = &terrain.rotation;
        let shift: [f64; 2] = [0, 1].map(|k| sweep.origin[k] - terrain.position[k]);
        if !points.finite || !terrain.is_upright() || !shift.iter().all(|x| x.is_finite()) {
            return None;
        }
        let (spacing, half) = (terrain.surface.spacing(), terrain.surface.half());
        let local = |v: [f64; 2], k: usize| (r[k] * v[0] + r[3 + k] * v[1]) / spacing[k];
        let start: [f64; 2] = [0, 1].map(|k| local(shift, k) + half[k] / spacing[k]);
        let axes: [[f64; 2]; 2] = sweep.axes.map(|axis| [0, 1].map(|k| local(axis, k)));
        // Beside the map the corner is that of its border, so that whole cells stay exact however far away the frame is.
        let window = terrain.surface.window();
        let nodes = [window.cols, window.rows];
        let corner = [0, 1].map(|k| start[k].floor().clamp(0.0, (nodes[k] - 1) as f64));
        Some(Self {
            terrain,
            corner: corner.map(|x| x as i64),
            start: [start[0] - corner[0], start[1] - corner[1]],
            axes,
            base: sweep.base + sweep.sign * terrain.position[2],
            scale: sweep.sign * terrain.surface.elevation(),
        })
    }
}

/// One axis of the grid in lanes.
#[derive(Clone, Copy)]
struct Axis<L> {
    start: L,
    per_x: L,
    per_y: L,
    first: L,
    end: L,
    last_cell: L,
}

impl<L: Lanes> Axis<L> {
    #[inline(always)]
    fn new(grid: &Grid, k: usize, nodes: usize) -> Self {
        let corner = grid.corner[k] as f64;
        Self {
            start: L::c(grid.start[k]),
            per_x: L::c(grid.axes[0][k]),
            per_y: L::c(grid.axes[1][k]),
            first: L::c(-corner),
            end: L::c((nodes - 1) as f64 - corner),
            last_cell: L::c((nodes - 2) as f64 - corner),
        }
    }

    /// Cell, counted from the corner, and place in it.
    #[inline(always)]
    fn cell(&self, x: L, y: L) -> (L, L) {
        let place = y.mul_add(self.per_y, x.mul_add(self.per_x, self.start));
        let place = place.max(self.first).min(self.end);
        let cell = place.floor().min(self.last_cell);
        (cell, place - cell)
    }
}

/// Whether a scalar tells all whole numbers up to this one apart: beyond, odd ones are rounded.
fn counts_to<E: Real>(number: usize) -> bool {
    let odd = (number | 1) as f64;
    E::from_f64(odd).to_f64() == odd
}

/// The near nodes of cells, counted row by row from that of the corner. Numbers of floating point are turned into whole ones
/// lane by lane, which is most of the work: where `one_count` is exact it is done once.
#[inline(always)]
fn counted<L: Lanes>(row: L, col: L, pitch: i64, one_count: bool) -> [i64; MAX_LANES] {
    let nothing = L::Elem::from_f64(0.0);
    let (mut counts, mut rows) = ([nothing; MAX_LANES], [nothing; MAX_LANES]);
    let mut nodes = [0; MAX_LANES];
    if one_count {
        row.mul_add(L::c(pitch as f64), col).store(&mut counts);
        for k in 0..L::COUNT {
            nodes[k] = counts[k].to_f64() as i64;
        }
    } else {
        col.store(&mut counts);
        row.store(&mut rows);
        for k in 0..L::COUNT {
            nodes[k] = pitch * (rows[k].to_f64() as i64) + counts[k].to_f64() as i64;
        }
    }
    nodes
}

/// Reads the points, as many as fit into `out`.
#[inline(always)]
fn sweep_points<L: Lanes>(grid: &Grid, points: &[Vec<L::Elem>; 2], out: &mut [L::Elem]) {
    let surface = grid.terrain.surface;
    let window = surface.window();
    let (across, along) = (
        Axis::<L>::new(grid, 0, window.cols),
        Axis::<L>::new(grid, 1, window.rows),
    );
    let (base, scale) = (L::c(grid.base), L::c(grid.scale));
    let [first_col, first_row] = grid.corner;
    let pitch = surface.pitch() as i64;
    let first_node = pitch * (first_row + window.row as i64) + first_col + window.col as i64;
    let one_count = counts_to::<L::Elem>(surface.node_count());
    let blended = grid.terrain.interpolation == Interpolation::Bilinear;
    let nothing = L::Elem::from_f64(0.0);
    let mut first = 0;
    while first < out.len() {
        let (x, y) = (L::load(&points[0][first..]), L::load(&points[1][first..]));
        let (col, u) = across.cell(x, y);
        let (row, v) = along.cell(x, y);
        let nodes = counted(row, col, pitch, one_count);
        let mut corners = [[nothing; MAX_LANES]; 4];
        for k in 0..L::COUNT {
            let cell = surface.cell_from((first_node + nodes[k]) as usize);
            for (corner, number) in corners.iter_mut().zip(cell) {
                corner[k] = L::Elem::from_f64(f64::from(number));
            }
        }
        let (near, right) = (L::load(&corners[0]), L::load(&corners[1]));
        let (left, far) = (L::load(&corners[2]), L::load(&corners[3]));
        let height = if blended {
            let south = u.mul_add(right - near, near);
            let north = u.mul_add(far - left, left);
            v.mul_add(north - south, south)
        } else {
            let lower_right = v.mul_add(far - right, u.mul_add(right - near, near));
            let upper_left = u.mul_add(far - left, v.mul_add(left - near, near));
            L::select(u.gt(v), lower_right, upper_left)
        };
        let reading = height.mul_add(scale, base);
        let rest = &mut out[first..];
        if rest.len() >= L::COUNT {
            reading.store(rest);
        } else {
            let mut last = [nothing; MAX_LANES];
            reading.store(&mut last);
            rest.copy_from_slice(&last[..rest.len()]);
        }
        first += L::COUNT;
    }
}

motrix_spatial::entry! {
    /// Sweeps compiled for each lane type.
    pub trait Kernels {
        /// Reads points, x and y of each, padded to whole lanes.
        fn sweep(grid: &Grid<'_>, points: &[Vec<Self::Elem>; 2], out: &mut [Self::Elem]) {
            sweep_points::<Self>(grid, points, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use motrix_collide::{HeightField, HeightFieldSize, Surface};

    use super::*;

    #[test]
    fn a_sweep_reads_what_single_points_read() {
        let heights: Vec<f32> = (0..35u32)
            .map(|k| (k.wrapping_mul(2_654_435_761) >> 8) as f32 / (1 << 24) as f32)
            .collect();
        let size = HeightFieldSize {
            radius_x: 3.0,
            radius_y: 2.0,
            elevation_z: 0.7,
            base_z: 0.1,
        };
        let field = HeightField::new(5, 7, size, heights).expect("a valid field");
        let points: Vec<[f64; 2]> = (0..27)
            .map(|k| [0.37 * f64::from(k) - 4.0, 0.21 * f64::from(k % 7) - 0.6])
            .collect();
        let points_in_lanes = Points::new(&points);
        for (interpolation, tilt) in [
            (Interpolation::Bilinear, 0.0),
            (Interpolation::Surface, 0.0),
            (Interpolation::Surface, 0.2f64),
        ] {
            let (s, c) = tilt.sin_cos();
            let terrain = Terrain {
                surface: Surface::whole(&field),
                position: [0.3, -0.2, 1.0],
                rotation: [c, 0.0, s, 0.0, 1.0, 0.0, -s, 0.0, c],
                interpolation,
            };
            let sweep = Sweep {
                terrain,
                origin: [0.4, 0.1],
                axes: [[0.8, 0.6], [-0.6, 0.8]],
                base: 2.0,
                sign: -1.0,
            };
            let mut single = vec![0.0f32; points.len()];
            let mut double = vec![0.0f64; points.len()];
            f32::read(&sweep, &points_in_lanes, &mut single);
            f64::read(&sweep, &points_in_lanes, &mut double);
            for (k, &point) in points.iter().enumerate() {
                let [x, y] = sweep.place(point);
                let expected = 2.0 - terrain.height(x, y);
                assert!((double[k] - expected).abs() < 1e-12, "{k}: {} {expected}", double[k]);
                assert!(
                    (f64::from(single[k]) - expected).abs() < 2e-6,
                    "{k}: {} {expected}",
                    single[k]
                );
            }
        }
    }

    #[test]
    fn near_nodes_are_counted_alike_in_one_number_and_in_two() {
        type L = F32x8PortableFma;
        let row = L::from_lanes(|k| 37.0 * k as f32 - 90.0);
        let col = L::from_lanes(|k| 11.0 - 3.0 * k as f32);
        assert_eq!(counted(row, col, 4001, true), counted(row, col, 4001, false));
        assert!(counts_to::<f32>((1 << 24) - 1) && !counts_to::<f32>(1 << 24));
        assert!(counts_to::<f64>(1 << 28), "as many nodes as a field may have");
    }
}
