//! Height fields as data: geometry, lookups, and the pyramid against brute force.

use motrix_collide::{CellRange, Extremes, HeightField, HeightFieldError, HeightFieldSize, Surface};
use proptest::prelude::*;

const SIZE: HeightFieldSize = HeightFieldSize {
    radius_x: 3.0,
    radius_y: 1.0,
    elevation_z: 2.0,
    base_z: 0.5,
};

fn field(nrow: usize, ncol: usize, heights: &[f32]) -> HeightField {
    HeightField::new(nrow, ncol, SIZE, heights.to_vec()).unwrap()
}

/// Scattered numbers from 0 to 1.
fn scattered(count: usize) -> Vec<f32> {
    (0..count as u32)
        .map(|k| (k.wrapping_mul(2_654_435_761) >> 8) as f32 / (1 << 24) as f32)
        .collect()
}

/// Extremes of a rectangle of cells by looking at every node.
fn brute_force(field: &HeightField, cells: &CellRange) -> Option<Extremes> {
    let rows = cells.rows.start..=cells.rows.end.min(field.nrow() - 1);
    let cols = cells.cols.start..=cells.cols.end.min(field.ncol() - 1);
    let nodes = || rows.clone().flat_map(|r| cols.clone().map(move |c| field.height(r, c)));
    let is_cell = cells.rows.start < cells.rows.end.min(field.nrow() - 1)
        && cells.cols.start < cells.cols.end.min(field.ncol() - 1);
    is_cell.then(|| Extremes {
        min: nodes().fold(f32::MAX, f32::min),
        max: nodes().fold(f32::MIN, f32::max),
    })
}

#[test]
fn rows_run_along_y_and_columns_along_x() {
    let field = field(2, 3, &[0.0, 0.1, 0.2, 0.3, 0.4, 0.5]);
    assert_eq!(field.spacing(), [3.0, 2.0]);
    assert_eq!(field.node(0, 0), [-3.0, -1.0, 0.0]);
    assert_eq!(field.node(1, 2), [3.0, 1.0, 1.0]);
    assert_eq!(field.node(0, 1)[..2], [0.0, -1.0]);
}

#[test]
fn cells_are_cut_from_the_lower_left_to_the_upper_right_corner() {
    let field = field(2, 2, &[0.0, 0.0, 0.0, 0.5]);
    let [upper_left, lower_right] = field.triangles_of_cell(0, 0);
    let (near, far) = ([-3.0, -1.0, 0.0], [3.0, 1.0, 1.0]);
    assert!(
        [upper_left, lower_right]
            .iter()
            .all(|triangle| triangle.contains(&near) && triangle.contains(&far))
    );
    assert!(upper_left.contains(&[-3.0, 1.0, 0.0]) && lower_right.contains(&[3.0, -1.0, 0.0]));
    for [a, b, c] in [upper_left, lower_right] {
        let upwards = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        assert!(upwards > 0.0, "counter-clockwise from above");
    }
}

#[test]
fn boxes_find_the_cells_under_them() {
    let field = field(5, 7, &scattered(35));
    let surface = Surface::whole(&field);
    let under = |min: [f64; 2], max: [f64; 2]| surface.cells_overlapping([min[0], min[1], 9.0], [max[0], max[1], -9.0]);
    let range = |rows, cols| CellRange { rows, cols };
    // Cells are 1 by 0.5 metres.
    assert_eq!(under([-0.9, -0.9], [-0.1, -0.6]), range(0..1, 2..3));
    assert_eq!(under([-1.1, -0.9], [1.1, 0.1]), range(0..3, 1..5));
    assert_eq!(under([-9.0, -9.0], [9.0, 9.0]), range(0..4, 0..6));
    assert!(under([3.1, 0.0], [4.0, 0.0]).is_empty(), "beside");
    assert!(under([f64::NAN, 0.0], [f64::NAN, 0.0]).is_empty());
}

#[test]
fn the_pyramid_takes_less_than_the_heights() {
    let field = field(1000, 1000, &scattered(1_000_000));
    let blocks: usize = (0..field.level_count())
        .map(|level| {
            let side = 999usize.div_ceil(2 << level);
            assert!(field.block(level, side - 1, side - 1).is_some() && field.block(level, 0, side).is_none());
            side * side
        })
        .sum();
    let share = (blocks * size_of::<Extremes>()) as f64 / size_of_val(&field.heights()[..]) as f64;
    assert!(share < 0.7, "{share}");
    assert_eq!(
        field.block(field.level_count() - 1, 0, 0),
        Some(Extremes::of(&field.heights()))
    );
}

#[test]
fn what_is_no_height_field_is_refused() {
    let heights = vec![0.0; 6];
    let size = |radius_x, base_z| HeightFieldSize {
        radius_x,
        base_z,
        ..SIZE
    };
    assert_eq!(
        HeightField::new(1, 6, SIZE, heights.clone()),
        Err(HeightFieldError::TooFewNodes)
    );
    assert_eq!(
        HeightField::new(2, 4, SIZE, heights.clone()),
        Err(HeightFieldError::WrongCount { expected: 8, given: 6 })
    );
    assert!(HeightField::new(usize::MAX, 2, SIZE, heights.clone()).is_err());
    for bad in [
        size(0.0, 1.0),
        size(1.0, -1.0),
        size(f64::NAN, 1.0),
        size(f64::INFINITY, 1.0),
    ] {
        assert_eq!(
            HeightField::new(2, 3, bad, heights.clone()),
            Err(HeightFieldError::InvalidSize)
        );
    }
    assert_eq!(
        HeightField::new(2, 2, SIZE, vec![0.0, 0.0, f32::NAN, 0.0]),
        Err(HeightFieldError::NotFinite)
    );
}

#[test]
fn a_refused_update_changes_nothing() {
    let changed = field(4, 4, &scattered(16));
    let before = changed.clone();
    assert_eq!(changed.update(3, 3, 1, &[0.0, 1.0]), Err(HeightFieldError::OutOfGrid));
    assert_eq!(
        changed.update(usize::MAX, 0, 1, &[0.0]),
        Err(HeightFieldError::OutOfGrid)
    );
    assert_eq!(
        changed.update(0, 0, 2, &[0.0, 1.0, 2.0]),
        Err(HeightFieldError::WrongCount { expected: 4, given: 3 })
    );
    assert_eq!(
        changed.update(0, 0, 1, &[f32::INFINITY]),
        Err(HeightFieldError::NotFinite)
    );
    assert_eq!(changed.update(0, 0, 0, &[]), Ok(()));
    assert_eq!(changed, before);
}

proptest! {
    #[test]
    fn extremes_of_rectangles_agree_with_brute_force(
        (nrow, ncol) in (2usize..40, 2usize..40), rows in (0usize..40, 0usize..45), cols in (0usize..40, 0usize..45),
    ) {
        let field = field(nrow, ncol, &scattered(nrow * ncol));
        let cells = CellRange { rows: rows.0..rows.1, cols: cols.0..cols.1 };
        prop_assert_eq!(field.extremes(&cells), brute_force(&field, &cells));
    }

    /// A stone on level ground: what is level is told, what holds the stone is not, and a rectangle is only kept from it by ground
    /// nearer than half its width.
    #[test]
    fn level_ground_is_told(
        (nrow, ncol) in (4usize..60, 4usize..60), stone in (0usize..60, 0usize..60), rows in (0usize..60, 1usize..20), cols in (0usize..60, 1usize..20),
    ) {
        let (row, col) = (stone.0 % nrow, stone.1 % ncol);
        let mut heights = vec![0.25; nrow * ncol];
        heights[row * ncol + col] = 0.5;
        let field = field(nrow, ncol, &heights);
        let clip = |(first, count): (usize, usize), cells: usize| first % cells..(first % cells + count).min(cells);
        let (rows, cols) = (clip(rows, nrow - 1), clip(cols, ncol - 1));
        let holds = |range: &std::ops::Range<usize>, node: usize, beside: usize| (range.start.saturating_sub(beside)..=range.end + beside).contains(&node);
        let beside = (rows.len().min(cols.len()) / 2).max(2);
        let told = field.is_level(rows.clone(), cols.clone());
        prop_assert!(!(told && holds(&rows, row, 0) && holds(&cols, col, 0)), "the stone is in {rows:?} {cols:?}");
        if !(holds(&rows, row, beside) && holds(&cols, col, beside)) {
            prop_assert!(told, "the stone is far from {rows:?} {cols:?}");
        }
    }

    #[test]
    fn an_updated_field_equals_a_rebuilt_one_bit_for_bit(
        (nrow, ncol) in (2usize..40, 2usize..40), corner in (0usize..40, 0usize..40), block in (1usize..20, 1usize..20), sign in any::<bool>(),
    ) {
        let (row, col) = (corner.0 % nrow, corner.1 % ncol);
        let (rows, cols) = (block.0.min(nrow - row), block.1.min(ncol - col));
        let mut heights = scattered(nrow * ncol);
        let updated = field(nrow, ncol, &heights);
        // Zeros of either sign are equal but not the same bits.
        let values: Vec<f32> = (0..rows * cols).map(|k| if k % 3 == 0 { if sign { 0.0 } else { -0.0 } } else { k as f32 - 7.0 }).collect();
        updated.update(row, col, rows, &values).unwrap();
        for (k, &value) in values.iter().enumerate() {
            heights[(row + k / cols) * ncol + col + k % cols] = value;
        }
        let rebuilt = field(nrow, ncol, &heights);
        let bits = |field: &HeightField| -> Vec<u32> {
            let side = |nodes: usize, level: usize| (nodes - 1).div_ceil(2 << level);
            let blocks = (0..field.level_count()).flat_map(|level| {
                (0..side(nrow, level)).flat_map(move |r| (0..side(ncol, level)).map(move |c| (level, r, c)))
            });
            let extremes = blocks.filter_map(|(level, r, c)| field.block(level, r, c));
            field.heights().into_iter().chain(extremes.flat_map(|e| [e.min, e.max])).map(f32::to_bits).collect()
        };
        prop_assert_eq!(bits(&updated), bits(&rebuilt));
    }
}

/// The pyramid of extremes adds less than 70 % to the heights, whatever the shape of the grid.
#[test]
fn a_large_field_takes_little_more_memory_than_its_heights() {
    for (nrow, ncol) in [(2000, 2000), (500, 3000)] {
        let field = field(nrow, ncol, &vec![0.5; nrow * ncol]);
        let share = field.memory() as f64 / (nrow * ncol * size_of::<f32>()) as f64;
        assert!((1.0..=1.7).contains(&share), "{nrow} x {ncol}: {share}");
    }
}
