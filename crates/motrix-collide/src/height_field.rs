//! Terrain as heights over a regular grid, and a pyramid of their extremes to pass over what is out of reach.
//!
//! `nrow` by `ncol` nodes span `2 radius_x` by `2 radius_y` metres around the origin; row 0 is at the lowest y, column 0 at the
//! lowest x. A node's height is its number times `elevation_z`, and the body under the surface reaches down to `-base_z`. Four
//! neighbouring nodes make a cell of two triangles, cut along the diagonal from its (-x, -y) to its (+x, +y) corner.
//!
//! The pyramid holds the lowest and highest number of blocks of 2, 4, 8, ... cells squared. Blocks of single cells are left out:
//! they would take twice the memory of the heights, while all others together take two thirds of it.
//!
//! Heights are the one part of a model that may change while it is in use ([`HeightField::update`]). Every reader shares them, so
//! they are kept in relaxed atomics: on all processors of interest a load is an ordinary load, nothing is locked or copied, and
//! whoever looks after an update sees it.

use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Heights over a grid. See the module for the layout.
#[derive(Debug)]
pub struct HeightField {
    nrow: usize,
    ncol: usize,
    size: HeightFieldSize,
    spacing: [f64; 2],
    /// Bits of the numbers, row-major, row 0 at the lowest y.
    heights: Vec<AtomicU32>,
    /// Finest first; the last has one block.
    levels: Vec<Level>,
}

/// Metric size of a height field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeightFieldSize {
    /// Half of the extent along x, metres.
    pub radius_x: f64,
    /// Half of the extent along y, metres.
    pub radius_y: f64,
    /// Height of the number 1, metres.
    pub elevation_z: f64,
    /// Thickness of the base below height 0, metres.
    pub base_z: f64,
}

/// Lowest and highest number among the nodes of a block or rectangle, corners included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extremes {
    /// Lowest.
    pub min: f32,
    /// Highest.
    pub max: f32,
}

/// A rectangle of cells; cell (r, c) has nodes r, r + 1 and c, c + 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellRange {
    /// Rows of cells.
    pub rows: Range<usize>,
    /// Columns of cells.
    pub cols: Range<usize>,
}

impl CellRange {
    /// Whether there is no cell in it.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty() || self.cols.is_empty()
    }
}

/// One level of the pyramid: blocks of the same number of cells, cut off at the far sides.
#[derive(Debug)]
struct Level {
    cols: usize,
    /// Bits of the extremes, the lower half those of the lowest number.
    blocks: Vec<AtomicU64>,
}

/// The blocks of one size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocks<'a> {
    /// None when they are larger than the field.
    level: Option<&'a Level>,
    /// Highest number of all.
    all: f32,
    /// Logarithm of their width in cells.
    shift: u32,
}

impl Blocks<'_> {
    /// The highest number in the blocks of four corners, from the first to the last row and column of cells.
    #[inline(always)]
    pub fn highest(&self, rows: [usize; 2], cols: [usize; 2]) -> f32 {
        let Some(level) = self.level else {
            return self.all;
        };
        let highest = |row: usize, col: usize| {
            let block = &level.blocks[(row >> self.shift) * level.cols + (col >> self.shift)];
            Extremes::from_bits(block.load(Ordering::Relaxed)).max
        };
        let ([top, bottom], [left, right]) = (rows, cols);
        let larger = |a: f32, b: f32| if a > b { a } else { b };
        let near = larger(highest(top, left), highest(top, right));
        larger(near, larger(highest(bottom, left), highest(bottom, right)))
    }
}

/// Why numbers do not make a height field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeightFieldError {
    /// A grid needs two rows and two columns.
    TooFewNodes,
    /// A different number of heights than nodes.
    WrongCount {
        /// Nodes of the grid or block.
        expected: usize,
        /// Heights given.
        given: usize,
    },
    /// A height is not a finite number.
    NotFinite,
    /// A size is not positive and finite.
    InvalidSize,
    /// A block reaches beyond the grid.
    OutOfGrid,
}

impl fmt::Display for HeightFieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFewNodes => f.write_str("a height field needs at least 2 rows and 2 columns"),
            Self::WrongCount { expected, given } => write!(f, "{given} heights for {expected} nodes"),
            Self::NotFinite => f.write_str("a height is not a finite number"),
            Self::InvalidSize => f.write_str("the sizes of a height field must be positive"),
            Self::OutOfGrid => f.write_str("the block reaches beyond the grid"),
        }
    }
}

impl std::error::Error for HeightFieldError {}

impl Extremes {
    /// Of nothing: the neutral element of [`Extremes::with`].
    const NONE: Self = Self {
        min: f32::INFINITY,
        max: f32::NEG_INFINITY,
    };

    fn to_bits(self) -> u64 {
        u64::from(self.min.to_bits()) | u64::from(self.max.to_bits()) << 32
    }

    #[inline(always)]
    fn from_bits(bits: u64) -> Self {
        Self {
            min: f32::from_bits(bits as u32),
            max: f32::from_bits((bits >> 32) as u32),
        }
    }

    /// Comparisons rather than `f32::min`, which spends most of its time on numbers that are not ones.
    fn with(self, other: Self) -> Self {
        Self {
            min: if other.min < self.min { other.min } else { self.min },
            max: if other.max > self.max { other.max } else { self.max },
        }
    }

    /// With one more number.
    fn and(self, height: f32) -> Self {
        self.with(Self {
            min: height,
            max: height,
        })
    }

    /// Of finite numbers; `min` is above `max` if there are none.
    pub fn of(heights: &[f32]) -> Self {
        // Eight independent chains, since one would wait for itself.
        let (eights, rest) = heights.as_chunks::<8>();
        let lanes = eights.iter().fold([Self::NONE; 8], |all, eight| {
            std::array::from_fn(|k| all[k].and(eight[k]))
        });
        let chained = lanes.into_iter().fold(Self::NONE, Self::with);
        rest.iter().fold(chained, |all, &height| all.and(height))
    }
}

/// The number in a node.
#[inline(always)]
pub(crate) fn load(node: &AtomicU32) -> f32 {
    f32::from_bits(node.load(Ordering::Relaxed))
}

impl PartialEq for HeightField {
    fn eq(&self, other: &Self) -> bool {
        (self.nrow, self.ncol, self.size) == (other.nrow, other.ncol, other.size)
            && self.heights.iter().map(load).eq(other.heights.iter().map(load))
    }
}

impl Clone for HeightField {
    fn clone(&self) -> Self {
        let copy = |level: &Level| Level {
            cols: level.cols,
            blocks: level
                .blocks
                .iter()
                .map(|block| AtomicU64::new(block.load(Ordering::Relaxed)))
                .collect(),
        };
        Self {
            nrow: self.nrow,
            ncol: self.ncol,
            size: self.size,
            spacing: self.spacing,
            heights: self
                .heights
                .iter()
                .map(|node| AtomicU32::new(node.load(Ordering::Relaxed)))
                .collect(),
            levels: self.levels.iter().map(copy).collect(),
        }
    }
}

impl HeightField {
    /// A field from numbers in row-major order, the row at the lowest y first.
    pub fn new(nrow: usize, ncol: usize, size: HeightFieldSize, heights: Vec<f32>) -> Result<Self, HeightFieldError> {
        if nrow < 2 || ncol < 2 {
            return Err(HeightFieldError::TooFewNodes);
        }
        let expected = nrow.saturating_mul(ncol);
        if heights.len() != expected {
            return Err(HeightFieldError::WrongCount {
                expected,
                given: heights.len(),
            });
        }
        let HeightFieldSize {
            radius_x,
            radius_y,
            elevation_z,
            base_z,
        } = size;
        if [radius_x, radius_y, elevation_z, base_z]
            .iter()
            .any(|&length| !(length > 0.0 && length.is_finite()))
        {
            return Err(HeightFieldError::InvalidSize);
        }
        if heights.iter().any(|height| !height.is_finite()) {
            return Err(HeightFieldError::NotFinite);
        }
        let mut field = Self {
            nrow,
            ncol,
            size,
            spacing: [
                2.0 * size.radius_x / (ncol - 1) as f64,
                2.0 * size.radius_y / (nrow - 1) as f64,
            ],
            heights: heights.into_iter().map(|h| AtomicU32::new(h.to_bits())).collect(),
            levels: Vec::new(),
        };
        let (mut rows, mut cols) = (nrow - 1, ncol - 1);
        while field.levels.is_empty() || rows > 1 || cols > 1 {
            (rows, cols) = (rows.div_ceil(2), cols.div_ceil(2));
            field.levels.push(Level {
                cols,
                blocks: (0..rows * cols).map(|_| AtomicU64::new(0)).collect(),
            });
        }
        field.refresh(0..nrow, 0..ncol);
        Ok(field)
    }

    /// Nodes along y.
    pub fn nrow(&self) -> usize {
        self.nrow
    }

    /// Nodes along x.
    pub fn ncol(&self) -> usize {
        self.ncol
    }

    /// Metric size.
    #[inline(always)]
    pub fn size(&self) -> HeightFieldSize {
        self.size
    }

    /// A copy of all numbers in row-major order; metres are these times `elevation_z`.
    pub fn heights(&self) -> Vec<f32> {
        self.heights.iter().map(load).collect()
    }

    /// The number of a node.
    ///
    /// # Panics
    /// If the node is outside of the grid.
    #[inline(always)]
    pub fn height(&self, row: usize, col: usize) -> f32 {
        load(&self.heights[row * self.ncol + col])
    }

    /// The numbers of a cell's four nodes, near, right, left, far.
    ///
    /// # Panics
    /// If the cell is outside of the grid.
    #[inline(always)]
    pub fn cell(&self, row: usize, col: usize) -> [f32; 4] {
        let first = row * self.ncol + col;
        let near = &self.heights[first..first + 2];
        let far = &self.heights[first + self.ncol..first + self.ncol + 2];
        [load(&near[0]), load(&near[1]), load(&far[0]), load(&far[1])]
    }

    /// The numbers of the four nodes of the cell whose near one is this of all nodes, row by row.
    ///
    /// # Panics
    /// If the cell is outside of the grid.
    #[inline(always)]
    pub(crate) fn cell_from(&self, first: usize) -> [f32; 4] {
        let nodes = &self.heights[first..][..self.ncol + 2];
        [&nodes[0], &nodes[1], &nodes[self.ncol], &nodes[self.ncol + 1]].map(load)
    }

    /// The numbers of the ends of a node's six edges in turn, from that along +x on, then its own.
    ///
    /// # Panics
    /// If one of them is outside of the grid.
    #[inline(always)]
    pub(crate) fn around(&self, row: usize, col: usize) -> [f32; 7] {
        let at = row * self.ncol + col;
        let below = &self.heights[at - self.ncol - 1..][..2];
        let own = &self.heights[at - 1..][..3];
        let above = &self.heights[at + self.ncol..][..2];
        [&own[2], &above[1], &above[0], &own[0], &below[0], &below[1], &own[1]].map(load)
    }

    /// The nodes around `count` cells beside each other: those of their row and of the next, to be read with [`load`].
    ///
    /// # Panics
    /// If a cell is outside of the grid.
    #[inline(always)]
    pub(crate) fn beside(&self, row: usize, col: usize, count: usize) -> [&[AtomicU32]; 2] {
        let first = row * self.ncol + col;
        let next = first + self.ncol;
        [&self.heights[first..=first + count], &self.heights[next..=next + count]]
    }

    /// Distances between neighbouring nodes along x and y, metres.
    #[inline(always)]
    pub fn spacing(&self) -> [f64; 2] {
        self.spacing
    }

    /// Lowest and highest number of all.
    #[inline(always)]
    pub fn all_extremes(&self) -> Extremes {
        self.block(self.levels.len() - 1, 0, 0).unwrap_or(Extremes::NONE)
    }

    /// Bytes held for heights and pyramid.
    pub fn memory(&self) -> usize {
        let blocks: usize = self.levels.iter().map(|level| level.blocks.len()).sum();
        self.heights.len() * size_of::<AtomicU32>() + blocks * size_of::<AtomicU64>()
    }

    /// Where a node of the surface is, metres.
    ///
    /// # Panics
    /// If the node is outside of the grid.
    pub fn node(&self, row: usize, col: usize) -> [f64; 3] {
        let [dx, dy] = self.spacing();
        let height = f64::from(self.height(row, col)) * self.size.elevation_z;
        [
            dx * col as f64 - self.size.radius_x,
            dy * row as f64 - self.size.radius_y,
            height,
        ]
    }

    /// The two triangles of a cell, counter-clockwise seen from above: that towards (-x, +y) first.
    ///
    /// # Panics
    /// If the cell is outside of the grid.
    pub fn triangles_of_cell(&self, row: usize, col: usize) -> [[[f64; 3]; 3]; 2] {
        let (near, far) = (self.node(row, col), self.node(row + 1, col + 1));
        [
            [near, far, self.node(row + 1, col)],
            [near, self.node(row, col + 1), far],
        ]
    }

    /// Lowest and highest number in a rectangle of cells, clipped to the grid; `None` if there is no cell in it.
    ///
    /// Takes time in proportion to the rectangle's outline, not to its area.
    pub fn extremes(&self, cells: &CellRange) -> Option<Extremes> {
        let rows = cells.rows.start..cells.rows.end.min(self.nrow - 1);
        let cols = cells.cols.start..cells.cols.end.min(self.ncol - 1);
        let cells = CellRange { rows, cols };
        (!cells.is_empty()).then(|| self.extremes_in_block(self.levels.len(), 0, 0, &cells))
    }

    /// A bound from above of the numbers in a rectangle of cells, which must start in the grid: the highest of the at most four
    /// blocks that it meets, on the first level where they are so few.
    #[inline]
    pub fn highest_around(&self, rows: Range<usize>, cols: Range<usize>) -> f32 {
        let last = |range: &Range<usize>, nodes: usize| (range.end.max(range.start + 1) - 1).min(nodes - 2);
        let rows = [rows.start.min(self.nrow - 2), last(&rows, self.nrow)];
        let cols = [cols.start.min(self.ncol - 2), last(&cols, self.ncol)];
        self.highest_between(rows, cols)
    }

    /// Whether the nodes of a rectangle of cells, which must be in the grid, are of one height as far as blocks tell that are at most
    /// half as wide: ground beside the rectangle may keep them from it.
    pub fn is_level(&self, rows: Range<usize>, cols: Range<usize>) -> bool {
        let shift = (rows.len().min(cols.len()) / 2).max(2).ilog2();
        let Some(level) = self.levels.get(shift as usize - 1) else {
            return false;
        };
        let blocks = |range: &Range<usize>| range.start >> shift..(range.end + (1 << shift) - 1) >> shift;
        let (rows, cols) = (blocks(&rows), blocks(&cols));
        let bits = |block: &AtomicU64| block.load(Ordering::Relaxed);
        let first = bits(&level.blocks[rows.start * level.cols + cols.start]);
        let Extremes { min, max } = Extremes::from_bits(first);
        let mut blocks = rows.flat_map(|row| &level.blocks[row * level.cols..][cols.clone()]);
        min == max && blocks.all(|block| bits(block) == first)
    }

    /// As [`HeightField::highest_around`], from the first to the last row and column of cells.
    #[inline(always)]
    fn highest_between(&self, rows: [usize; 2], cols: [usize; 2]) -> f32 {
        let ([top, bottom], [left, right]) = (rows.map(|row| row >> 1), cols.map(|col| col >> 1));
        // Blocks so large that they are at most two from one end to the other, or half of that where these lie well.
        let across = bottom.wrapping_sub(top).max(right.wrapping_sub(left));
        let mut shift = (across | 1).ilog2();
        if (bottom >> shift) - (top >> shift) > 1 || (right >> shift) - (left >> shift) > 1 {
            shift += 1;
        }
        let blocks = Blocks {
            level: self.levels.get(shift as usize),
            all: self.all_extremes().max,
            shift: shift + 1,
        };
        blocks.highest(rows, cols)
    }

    /// Blocks of the pyramid so large that it is at most one step from that of a cell to that of a cell so many steps away.
    #[inline(always)]
    pub(crate) fn blocks_across(&self, steps: usize) -> Blocks<'_> {
        let shift = (steps.saturating_sub(1) | 1).ilog2();
        Blocks {
            level: self.levels.get(shift as usize),
            all: self.all_extremes().max,
            shift: shift + 1,
        }
    }

    /// Number of pyramid levels; level `k` has blocks of `2^(k + 1)` cells squared, the last level one block.
    #[inline(always)]
    pub fn level_count(&self) -> usize {
        self.levels.len()
    }

    /// Extremes of one block: its cells start at `row * 2^(level + 1)`, `col * 2^(level + 1)`. `None` outside of the grid.
    #[inline(always)]
    pub fn block(&self, level: usize, row: usize, col: usize) -> Option<Extremes> {
        let level = self.levels.get(level)?;
        if col >= level.cols {
            return None;
        }
        let block = level.blocks.get(row * level.cols + col)?;
        Some(Extremes::from_bits(block.load(Ordering::Relaxed)))
    }

    /// Overwrites the rectangle of nodes from (row, col) on with `rows` rows of equal length, and the blocks above it.
    ///
    /// Takes time in proportion to the rectangle. The field is then the same, bit for bit, as one built from all heights.
    pub fn update(&self, row: usize, col: usize, rows: usize, values: &[f32]) -> Result<(), HeightFieldError> {
        if rows == 0 || values.is_empty() {
            return Ok(());
        }
        if !values.len().is_multiple_of(rows) {
            return Err(HeightFieldError::WrongCount {
                expected: values.len().next_multiple_of(rows),
                given: values.len(),
            });
        }
        let cols = values.len() / rows;
        let fits = |start: usize, count: usize, nodes: usize| start.checked_add(count).is_some_and(|end| end <= nodes);
        if !fits(row, rows, self.nrow) || !fits(col, cols, self.ncol) {
            return Err(HeightFieldError::OutOfGrid);
        }
        if values.iter().any(|height| !height.is_finite()) {
            return Err(HeightFieldError::NotFinite);
        }
        for (offset, line) in values.chunks_exact(cols).enumerate() {
            let start = (row + offset) * self.ncol + col;
            for (node, height) in self.heights[start..start + cols].iter().zip(line) {
                node.store(height.to_bits(), Ordering::Relaxed);
            }
        }
        self.refresh(row..row + rows, col..col + cols);
        Ok(())
    }

    /// Recomputes all blocks that contain one of the given nodes.
    fn refresh(&self, rows: Range<usize>, cols: Range<usize>) {
        // Node n is in the blocks of cells n - 1 and n.
        let touched =
            |nodes: &Range<usize>, total: usize| nodes.start.saturating_sub(1) / 2..=(nodes.end - 1).min(total - 2) / 2;
        let (mut rows, mut cols) = (touched(&rows, self.nrow), touched(&cols, self.ncol));
        for level in 0..self.levels.len() {
            for row in rows.clone() {
                for col in cols.clone() {
                    let extremes = self.children(level, row, col);
                    let level = &self.levels[level];
                    level.blocks[row * level.cols + col].store(extremes.to_bits(), Ordering::Relaxed);
                }
            }
            rows = rows.start() / 2..=rows.end() / 2;
            cols = cols.start() / 2..=cols.end() / 2;
        }
    }

    /// Extremes of a block from the finer level, or from the heights.
    fn children(&self, level: usize, row: usize, col: usize) -> Extremes {
        if level == 0 {
            let cols = 2 * col..(2 * col + 3).min(self.ncol);
            let rows = 2 * row..(2 * row + 3).min(self.nrow);
            return rows.fold(Extremes::NONE, |all, row| self.with_nodes(all, row, &cols));
        }
        [(0, 0), (0, 1), (1, 0), (1, 1)]
            .into_iter()
            .fold(Extremes::NONE, |all, (down, right)| {
                self.block(level - 1, 2 * row + down, 2 * col + right)
                    .map_or(all, |finer| all.with(finer))
            })
    }

    /// Extremes with those of some nodes of a row.
    #[inline(always)]
    fn with_nodes(&self, extremes: Extremes, row: usize, cols: &Range<usize>) -> Extremes {
        let nodes = &self.heights[row * self.ncol + cols.start..row * self.ncol + cols.end];
        nodes.iter().fold(extremes, |all, node| all.and(load(node)))
    }

    /// Extremes of the part of a block inside `cells`. `above` is one more than the block's level; 0 stands for one cell.
    fn extremes_in_block(&self, above: usize, row: usize, col: usize, cells: &CellRange) -> Extremes {
        let overlap = |wanted: &Range<usize>, block: usize| {
            let (start, end) = (block << above, (block + 1) << above);
            (
                start < wanted.end && end > wanted.start,
                start >= wanted.start && end <= wanted.end,
            )
        };
        let (rows_meet, rows_inside) = overlap(&cells.rows, row);
        let (cols_meet, cols_inside) = overlap(&cells.cols, col);
        if !rows_meet || !cols_meet {
            return Extremes::NONE;
        }
        if above == 0 {
            let cols = col..col + 2;
            return self.with_nodes(self.with_nodes(Extremes::NONE, row, &cols), row + 1, &cols);
        }
        if let (true, true, Some(extremes)) = (rows_inside, cols_inside, self.block(above - 1, row, col)) {
            return extremes;
        }
        [(0, 0), (0, 1), (1, 0), (1, 1)]
            .into_iter()
            .fold(Extremes::NONE, |all, (down, right)| {
                all.with(self.extremes_in_block(above - 1, 2 * row + down, 2 * col + right, cells))
            })
    }
}
