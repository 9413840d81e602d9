//! Terrain as heights over a regular grid, and a pyramid of their extremes to pass over what is out of reach.
//!
//! `nrow` by `ncol` nodes span `2 radius_x` by `2 radius_y` metres around the origin; row 0 is at the lowest y, column 0 at the
//! lowest x. A node's height is its number times `elevation_z`, and the body under the surface reaches down to `-base_z`. Four
//! neighbouring nodes make a cell of two triangles, cut along the diagonal from its (-x, -y) to its (+x, +y) corner.
//!
//! The pyramid holds the lowest and highest number of blocks of 2, 4, 8, ... cells squared. Blocks of single cells are left out:
//! they would take twice the memory of the heights, while all others together take two thirds of it.

use std::fmt;
use std::ops::Range;

/// Heights over a grid. See the module for the layout.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightField {
    nrow: usize,
    ncol: usize,
    size: HeightFieldSize,
    /// Row-major, row 0 at the lowest y.
    heights: Vec<f32>,
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
#[derive(Clone, Debug, PartialEq)]
struct Level {
    cols: usize,
    blocks: Vec<Extremes>,
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

    /// Comparisons rather than `f32::min`, which spends most of its time on numbers that are not ones.
    fn with(self, other: Self) -> Self {
        Self {
            min: if other.min < self.min { other.min } else { self.min },
            max: if other.max > self.max { other.max } else { self.max },
        }
    }

    /// With a few more numbers.
    fn and(self, heights: &[f32]) -> Self {
        heights.iter().fold(self, |all, &height| {
            all.with(Self {
                min: height,
                max: height,
            })
        })
    }

    /// Of finite numbers; `min` is above `max` if there are none.
    pub fn of(heights: &[f32]) -> Self {
        // Eight independent chains, since one would wait for itself.
        let (eights, rest) = heights.as_chunks::<8>();
        let lanes = eights.iter().fold([Self::NONE; 8], |all, eight| {
            std::array::from_fn(|k| all[k].and(&eight[k..=k]))
        });
        lanes.into_iter().fold(Self::NONE, Self::with).and(rest)
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
            heights,
            levels: Vec::new(),
        };
        let (mut rows, mut cols) = (nrow - 1, ncol - 1);
        while field.levels.is_empty() || rows > 1 || cols > 1 {
            (rows, cols) = (rows.div_ceil(2), cols.div_ceil(2));
            field.levels.push(Level {
                cols,
                blocks: vec![Extremes::NONE; rows * cols],
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
    pub fn size(&self) -> HeightFieldSize {
        self.size
    }

    /// All numbers in row-major order; metres are these times `elevation_z`.
    pub fn heights(&self) -> &[f32] {
        &self.heights
    }

    /// Distances between neighbouring nodes along x and y, metres.
    pub fn spacing(&self) -> [f64; 2] {
        [
            2.0 * self.size.radius_x / (self.ncol - 1) as f64,
            2.0 * self.size.radius_y / (self.nrow - 1) as f64,
        ]
    }

    /// Where a node of the surface is, metres.
    ///
    /// # Panics
    /// If the node is outside of the grid.
    pub fn node(&self, row: usize, col: usize) -> [f64; 3] {
        let [dx, dy] = self.spacing();
        let height = f64::from(self.heights[row * self.ncol + col]) * self.size.elevation_z;
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

    /// Cells whose ground area overlaps the box from `min` to `max`, of which only x and y matter; none if it lies beside the
    /// field or is not a number.
    pub fn cells_overlapping(&self, min: [f64; 3], max: [f64; 3]) -> CellRange {
        let along = |axis: usize, radius: f64, nodes: usize| {
            let cells = (nodes - 1) as f64;
            let place = |x: f64| (x + radius) / (2.0 * radius) * cells;
            // Saturating conversions clip to the grid; a range that ends before it starts is empty.
            let first = place(min[axis]).floor().clamp(0.0, cells) as usize;
            let last = place(max[axis]).ceil().clamp(0.0, cells) as usize;
            first..last
        };
        CellRange {
            rows: along(1, self.size.radius_y, self.nrow),
            cols: along(0, self.size.radius_x, self.ncol),
        }
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

    /// Number of pyramid levels; level `k` has blocks of `2^(k + 1)` cells squared, the last level one block.
    pub fn level_count(&self) -> usize {
        self.levels.len()
    }

    /// Extremes of one block: its cells start at `row * 2^(level + 1)`, `col * 2^(level + 1)`. `None` outside of the grid.
    pub fn block(&self, level: usize, row: usize, col: usize) -> Option<Extremes> {
        let level = self.levels.get(level)?;
        if col >= level.cols {
            return None;
        }
        level.blocks.get(row * level.cols + col).copied()
    }

    /// Overwrites the rectangle of nodes from (row, col) on with `rows` rows of equal length, and the blocks above it.
    ///
    /// Takes time in proportion to the rectangle. The field is then the same, bit for bit, as one built from all heights.
    pub fn update(&mut self, row: usize, col: usize, rows: usize, values: &[f32]) -> Result<(), HeightFieldError> {
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
            self.heights[start..start + cols].copy_from_slice(line);
        }
        self.refresh(row..row + rows, col..col + cols);
        Ok(())
    }

    /// Recomputes all blocks that contain one of the given nodes.
    fn refresh(&mut self, rows: Range<usize>, cols: Range<usize>) {
        // Node n is in the blocks of cells n - 1 and n.
        let touched =
            |nodes: &Range<usize>, total: usize| nodes.start.saturating_sub(1) / 2..=(nodes.end - 1).min(total - 2) / 2;
        let (mut rows, mut cols) = (touched(&rows, self.nrow), touched(&cols, self.ncol));
        for level in 0..self.levels.len() {
            for row in rows.clone() {
                for col in cols.clone() {
                    let extremes = self.children(level, row, col);
                    let level = &mut self.levels[level];
                    level.blocks[row * level.cols + col] = extremes;
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
            return rows.fold(Extremes::NONE, |all, row| all.and(self.nodes(row, &cols)));
        }
        [(0, 0), (0, 1), (1, 0), (1, 1)]
            .into_iter()
            .fold(Extremes::NONE, |all, (down, right)| {
                self.block(level - 1, 2 * row + down, 2 * col + right)
                    .map_or(all, |finer| all.with(finer))
            })
    }

    fn nodes(&self, row: usize, cols: &Range<usize>) -> &[f32] {
        &self.heights[row * self.ncol + cols.start..row * self.ncol + cols.end]
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
            return Extremes::NONE
                .and(self.nodes(row, &cols))
                .and(self.nodes(row + 1, &cols));
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
