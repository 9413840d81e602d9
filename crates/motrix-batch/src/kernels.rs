//! What happens to a group of worlds around its step, compiled for every lane type: rows into lanes and back, the velocities users
//! see, and the look at the result.

use motrix_dynamics::{Data, Params, Tables};
use motrix_spatial::algebra::{add_cross, angular, linear, sub};
use motrix_spatial::rows::{Rows, load_rows, store_rows};
use motrix_spatial::{Lanes, Real};

use crate::health::{self, Findings, Notes, Watch};

motrix_spatial::entry! {
    /// The kernels of this crate.
    pub trait GroupKernels {
        /// Rows of single precision into lanes.
        fn rows_into_lanes(table: &[f32], rows: Rows, lanes: &mut [Self]) {
            load_rows(table, rows, lanes);
        }
        /// Lanes into rows of single precision.
        fn lanes_into_rows(lanes: &[Self], table: &mut [f32], rows: Rows) {
            store_rows(lanes, table, rows);
        }
        /// Velocities of the body frames in world axes: linear, then angular; six numbers per body.
        fn frame_velocities(tables: &Tables<Self::Elem>, data: &Data<Self>, out: &mut [Self]) {
            velocities(tables, data, out);
        }
        /// What the step just made looks like.
        fn examine(
            tables: &Tables<Self::Elem>,
            params: &Params<Self>,
            watch: &Watch,
            data: &Data<Self>,
            notes: &mut Notes<Self>,
        ) -> Findings {
            health::examine(tables, params, watch, data, notes)
        }
    }
}

/// Rows into lanes. Only single precision has an entry point of its own: double precision is for reference.
pub fn load<L: GroupKernels, S: Real>(table: &[S], rows: Rows, lanes: &mut [L]) {
    match S::as_f32s(table) {
        Some(table) => L::rows_into_lanes(table, rows, lanes),
        None => load_rows(table, rows, lanes),
    }
}

/// Lanes into rows.
pub fn store<L: GroupKernels, S: Real>(lanes: &[L], table: &mut [S], rows: Rows) {
    if let Some(table) = S::as_f32s_mut(table) {
        L::lanes_into_rows(lanes, table, rows);
    } else {
        store_rows(lanes, table, rows);
    }
}

#[inline(always)]
fn velocities<L: Lanes>(tables: &Tables<L::Elem>, data: &Data<L>, out: &mut [L]) {
    for (i, out) in out.as_chunks_mut::<6>().0.iter_mut().enumerate() {
        let v = &data.twists.body[i];
        let root = tables.tree.bodies[i].root;
        let arm = sub(data.poses.position[i], data.poses.subtree_com[root]);
        let [x, y, z] = add_cross(linear(v), angular(v), arm);
        let [a, b, c] = angular(v);
        *out = [x, y, z, a, b, c];
    }
}
