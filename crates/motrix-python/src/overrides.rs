//! Parameters of single worlds that differ from the model's: reading, checking, writing.

use std::ops::Range;

use motrix_batch::Overridden;
use pyo3::prelude::*;

use crate::arrays;
use crate::data::SceneData;
use crate::{each, in_precision};

/// What to do with a row that is not valid.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Invalid {
    /// Leave the world as it is.
    Ignore,
    /// Raise, and leave all worlds as they are.
    Raise,
}

/// Numbers of a parameter that belong together, such as the three of a geom's friction.
pub struct Entry<'a> {
    pub field: Overridden,
    /// Columns in the parameter's row.
    pub columns: Range<usize>,
    /// Shape per world: empty for a single number.
    pub tail: &'a [usize],
    pub name: &'a str,
}

/// All finite.
pub fn finite(row: &[f64]) -> bool {
    row.iter().all(|x| x.is_finite())
}

/// All finite and none negative.
pub fn not_negative(row: &[f64]) -> bool {
    row.iter().all(|x| x.is_finite() && *x >= 0.0)
}

/// All finite and positive.
pub fn positive(row: &[f64]) -> bool {
    row.iter().all(|x| x.is_finite() && *x > 0.0)
}

/// The effective values.
pub fn read<'py>(data: &Bound<'py, SceneData>, entry: &Entry) -> PyResult<Bound<'py, PyAny>> {
    let (py, data) = (data.py(), data.get());
    let mut batch = data.lock(py);
    each!(batch, worlds => data.array::<E>(py, entry.tail, |world, out| {
        out.extend_from_slice(&worlds.overrides.get(entry.field, world)[entry.columns.clone()]);
    }))
}

/// Writes values; rows that are not valid are skipped. `after` adjusts what follows from the parameter in a world.
pub fn write(
    data: &Bound<'_, SceneData>,
    value: &Bound<'_, PyAny>,
    entry: &Entry,
    valid: fn(&[f64]) -> bool,
) -> PyResult<()> {
    write_then(data, value, entry, valid, |_, _| {})
}

/// As [`write()`]; `follow` gives further values that follow from the written ones: a parameter, its column, a number.
pub fn write_then(
    data: &Bound<'_, SceneData>,
    value: &Bound<'_, PyAny>,
    entry: &Entry,
    valid: fn(&[f64]) -> bool,
    follow: impl Fn(&[f64], &mut Vec<(Overridden, usize, f64)>),
) -> PyResult<()> {
    let (py, data) = (data.py(), data.get());
    in_precision!(data.store, worlds => {
        let rows = data.input::<E>(value, entry.tail, entry.name)?;
        let mut worlds = worlds.lock(py);
        let mut further = Vec::new();
        for (k, world) in data.pick.worlds().enumerate() {
            let row = rows.row(k);
            let numbers: Vec<f64> = row.iter().map(|x| motrix_spatial::Real::to_f64(*x)).collect();
            if !valid(&numbers) {
                continue;
            }
            worlds.overrides.get_mut(entry.field, world)[entry.columns.clone()].copy_from_slice(row);
            further.clear();
            follow(&numbers, &mut further);
            for &(field, column, number) in &further {
                worlds.overrides.get_mut(field, world)[column] = motrix_spatial::Real::from_f64(number);
            }
        }
        if Overridden::MASSES.contains(&entry.field) {
            data.core.scene.weigh(&mut worlds, data.pick.selection(data.store.count));
        }
        Ok(())
    })
}

/// The effective gravity: the override, or the options' while nothing is overridden.
pub fn gravity<'py>(data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
    let (py, data) = (data.py(), data.get());
    let options = data.core.scene.options().gravity;
    let mut batch = data.lock(py);
    each!(batch, worlds => data.array::<E>(py, &[3], |world, out| {
        if worlds.overrides.has(Overridden::Gravity) {
            out.extend_from_slice(worlds.overrides.get(Overridden::Gravity, world));
        } else {
            out.extend(arrays::rounded::<E, 3>(options));
        }
    }))
}

/// Overrides gravity; rows that are not finite are skipped.
pub fn set_gravity(data: &Bound<'_, SceneData>, gravity: &Bound<'_, PyAny>) -> PyResult<()> {
    let options = data.get().core.scene.options().gravity;
    let (py, data) = (data.py(), data.get());
    in_precision!(data.store, worlds => {
        let rows = data.input::<E>(gravity, &[3], "gravity")?;
        let valid = |row: &[E]| row.iter().all(|x| motrix_spatial::Real::is_finite(*x));
        if !rows.rows().any(valid) {
            return Ok(());
        }
        let mut worlds = worlds.lock(py);
        if !worlds.overrides.has(Overridden::Gravity) {
            // The first override fixes the gravity of the other worlds at what it is now.
            for world in 0..data.store.count {
                let row = worlds.overrides.get_mut(Overridden::Gravity, world);
                row.copy_from_slice(&arrays::rounded::<E, 3>(options));
            }
        }
        for (k, world) in data.pick.worlds().enumerate().filter(|(k, _)| valid(rows.row(*k))) {
            worlds.overrides.get_mut(Overridden::Gravity, world).copy_from_slice(rows.row(k));
        }
        Ok(())
    })
}
