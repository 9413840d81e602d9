//! Rows become lanes and lanes become rows without losing, moving or inventing a number.

use motrix_spatial::{LaneKind, Lanes, Real, Rows, load_rows, store_rows, with_lanes};
use proptest::prelude::*;

motrix_spatial::entry! {
    /// The transposes, compiled as kernels compile them.
    trait Transposes {
        fn load_single(table: &[f32], rows: Rows<'_>, lanes: &mut [Self]) {
            load_rows(table, rows, lanes);
        }
        fn load_double(table: &[f64], rows: Rows<'_>, lanes: &mut [Self]) {
            load_rows(table, rows, lanes);
        }
        fn store_single(lanes: &[Self], table: &mut [f32], rows: Rows<'_>) {
            store_rows(lanes, table, rows);
        }
        fn store_double(lanes: &[Self], table: &mut [f64], rows: Rows<'_>) {
            store_rows(lanes, table, rows);
        }
    }
}

const WORLDS: usize = 11;

/// A table in which every number tells its place; exact in `f32`.
fn table<S: Real>(stride: usize) -> Vec<S> {
    (0..WORLDS * stride).map(|i| S::from_f64(i as f64)).collect()
}

type Load<L, S> = fn(&[S], Rows<'_>, &mut [L]);
type Store<L, S> = fn(&[L], &mut [S], Rows<'_>);

fn round_trip<L: Lanes, S: Real>(load: Load<L, S>, store: Store<L, S>, worlds: &[u32], columns: usize, stride: usize) {
    let worlds = &worlds[..worlds.len().min(L::COUNT)];
    let rows = Rows { index: worlds, stride };
    let source = table::<S>(stride);

    let mut lanes = vec![L::c(-1.0); columns];
    load(&source, rows, &mut lanes);
    for j in 0..columns {
        for k in 0..L::COUNT {
            // Lanes without a world of their own repeat the last one.
            let world = worlds[k.min(worlds.len() - 1)] as usize;
            assert_eq!(
                lanes[j].lane(k).to_f64(),
                (world * stride + j) as f64,
                "{} column {j} lane {k}",
                L::NAME
            );
        }
    }

    let mut target = vec![S::from_f64(-1.0); source.len()];
    store(&lanes, &mut target, rows);
    for world in 0..WORLDS {
        for j in 0..stride {
            let stored = worlds.contains(&(world as u32)) && j < columns;
            let want = if stored {
                source[world * stride + j].to_f64()
            } else {
                -1.0
            };
            assert_eq!(
                target[world * stride + j].to_f64(),
                want,
                "{} world {world} column {j}",
                L::NAME
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn what_is_loaded_is_stored_again_and_nothing_else(
        worlds in Just((0..WORLDS as u32).collect::<Vec<_>>()).prop_shuffle(),
        live in 1usize..=8,
        columns in 0usize..40,
        padding in 0usize..5,
    ) {
        let stride = columns + padding;
        for &kind in LaneKind::ALL.iter().filter(|kind| kind.is_supported()) {
            with_lanes!(kind, L => {
                round_trip::<L, f32>(L::load_single, L::store_single, &worlds[..live], columns, stride);
                round_trip::<L, f64>(L::load_double, L::store_double, &worlds[..live], columns, stride);
            });
        }
    }
}

#[test]
fn a_number_of_another_precision_is_rounded_once() {
    let third = [1.0 / 3.0];
    let rows = Rows { index: &[0], stride: 1 };
    let mut lanes = [f32::NAN];
    load_rows(&third, rows, &mut lanes);
    assert_eq!(lanes[0], (1.0f64 / 3.0) as f32);
    let mut back = [0.0f64];
    store_rows(&lanes, &mut back, rows);
    assert_eq!(back[0], f64::from(lanes[0]));
}

#[test]
fn no_rows_move_nothing() {
    let rows = Rows { index: &[], stride: 3 };
    let mut lanes = [f64::NAN; 3];
    load_rows::<f64, f64>(&[], rows, &mut lanes);
    assert!(lanes[0].is_nan());
    store_rows::<f64, f64>(&lanes, &mut [], rows);
}

#[test]
#[should_panic(expected = "more rows than lanes")]
fn more_rows_than_lanes_are_refused() {
    load_rows(
        &[0.0f64; 2],
        Rows {
            index: &[0, 1],
            stride: 1,
        },
        &mut [0.0f64],
    );
}

#[test]
#[should_panic(expected = "out of range")]
fn a_row_beyond_the_table_is_refused() {
    load_rows(&[0.0f64; 4], Rows { index: &[2], stride: 2 }, &mut [0.0f64; 2]);
}
