//! Windows: what each world sees of a height field that all share.

use motrix_batch::{Overridden, WINDOW_WIDTH, Worlds, window};
use motrix_collide::Window;
use motrix_model::GeomKind;
use motrix_spatial::Real;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays;
use crate::data::SceneData;
use crate::each;
use crate::geom::Geom;
use crate::terrain::field;

/// The place of a height field geom among those of the model.
pub fn slot(geom: &Geom) -> usize {
    let earlier = &geom.part.model().geoms[..geom.part.index];
    earlier.iter().filter(|g| matches!(g.kind, GeomKind::HField(_))).count()
}

/// What a world sees of the height field geom in `slot`.
pub fn window_in<E: Real>(worlds: &Worlds<E>, slot: usize, world: usize) -> Window {
    let numbers = worlds.overrides.get(Overridden::TerrainWindow, world);
    window(&numbers[slot * WINDOW_WIDTH..(slot + 1) * WINDOW_WIDTH])
}

/// A whole number that rows and columns can be.
fn whole(x: f64) -> Option<usize> {
    // Beyond this single precision has gaps between whole numbers.
    const LARGEST: f64 = (1u32 << 24) as f64;
    ((0.0..=LARGEST).contains(&x) && x.fract() == 0.0).then_some(x as usize)
}

/// Gives worlds their windows; `shape` stays what it is when none is given. Nothing changes if one does not fit.
pub fn set(
    geom: &Geom,
    data: &Bound<'_, SceneData>,
    origin: &Bound<'_, PyAny>,
    z_scale: &Bound<'_, PyAny>,
    shape: Option<[usize; 2]>,
) -> PyResult<()> {
    let (py, data) = (data.py(), data.get());
    data.of_scene(&geom.part.core)?;
    let (field, slot) = (field(geom)?, slot(geom));
    let origins = data.input::<f64>(origin, &[2], "origin")?;
    let scales = data.input::<f64>(z_scale, &[], "z_scale")?;
    let mut batch = data.lock(py);
    each!(batch, worlds => {
        let mut windows = Vec::with_capacity(data.pick.len());
        for (k, world) in data.pick.worlds().enumerate() {
            let (origin, z_scale) = (origins.row(k), scales.row(k)[0]);
            let [rows, cols] = shape.unwrap_or_else(|| {
                let now = window_in(worlds, slot, world);
                [now.rows, now.cols]
            });
            let corner = (whole(origin[0]), whole(origin[1]));
            let fitting = match corner {
                (Some(row), Some(col)) => Some(Window { row, col, rows, cols, z_scale }).filter(|w| w.fits(&field)),
                _ => None,
            };
            let Some(window) = fitting else {
                return Err(PyValueError::new_err(format!(
                    "window of {rows} x {cols} nodes at {origin:?} with z_scale {z_scale} in row {k}: it must lie in the {} x {} \
                     nodes of the height field, have at least 2 x 2, and a finite scale that is not negative",
                    field.nrow(),
                    field.ncol(),
                )));
            };
            windows.push((world, window));
        }
        for (world, w) in windows {
            let numbers = [w.row as f64, w.col as f64, w.rows as f64, w.cols as f64, w.z_scale];
            let row = worlds.overrides.get_mut(Overridden::TerrainWindow, world);
            row[slot * WINDOW_WIDTH..(slot + 1) * WINDOW_WIDTH].copy_from_slice(&arrays::rounded::<E, WINDOW_WIDTH>(numbers));
        }
        Ok(())
    })
}

/// The windows of worlds: `origin`, `shape`, `z_scale`.
pub fn get<'py>(geom: &Geom, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyDict>> {
    let (py, data) = (data.py(), data.get());
    data.of_scene(&geom.part.core)?;
    let slot = slot(geom);
    let mut batch = data.lock(py);
    let windows: Vec<Window> =
        each!(batch, worlds => data.pick.worlds().map(|world| window_in(worlds, slot, world)).collect());
    let pairs = |pair: fn(&Window) -> [usize; 2]| {
        let values: Vec<i64> = windows.iter().flat_map(pair).map(|x| x as i64).collect();
        arrays::array(py, &data.shaped(&[2]), values)
    };
    let result = PyDict::new(py);
    result.set_item("origin", pairs(|w| [w.row, w.col])?)?;
    result.set_item("shape", pairs(|w| [w.rows, w.cols])?)?;
    let scales: Vec<f64> = windows.iter().map(|w| w.z_scale).collect();
    result.set_item("z_scale", arrays::array(py, &data.shaped(&[]), scales)?)?;
    Ok(result)
}
