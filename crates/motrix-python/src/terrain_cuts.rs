//! The parts of height fields that worlds see, cut out for pictures.

use std::collections::HashMap;
use std::sync::Arc;

use motrix_batch::{WINDOW_WIDTH, window};
use motrix_collide::{HeightField, Window};
use motrix_model::{Geom, GeomKind, Model};
use motrix_query::picture::cut;
use pyo3::PyResult;
use pyo3::exceptions::PyValueError;

use crate::arrays::doubles;

/// What worlds see of the height fields of a model, per picture, world and geom; each part is cut out once.
pub fn cut_terrain(model: &Model, windows: &[f64]) -> PyResult<Vec<Option<Arc<HeightField>>>> {
    let fields: Vec<Option<&Arc<HeightField>>> = model.geoms.iter().map(|geom| field_of(model, geom)).collect();
    let per_world = WINDOW_WIDTH * fields.iter().flatten().count();
    let mut known: HashMap<(usize, [u64; WINDOW_WIDTH]), Option<Arc<HeightField>>> = HashMap::new();
    let mut terrain = Vec::new();
    for world in windows.chunks_exact(per_world.max(1)) {
        let mut rows = world.chunks_exact(WINDOW_WIDTH);
        for (geom, field) in fields.iter().enumerate() {
            let Some((field, row)) = field.and_then(|field| Some((field, rows.next()?))) else {
                terrain.push(None);
                continue;
            };
            let key = (geom, doubles(row).map(f64::to_bits));
            let own = match known.get(&key) {
                Some(own) => own.clone(),
                None => known.entry(key).or_insert(own_terrain(field, row)?).clone(),
            };
            terrain.push(own);
        }
    }
    Ok(terrain)
}

/// The part of a height field in a window; none when that is all of it.
pub fn own_terrain(field: &HeightField, row: &[f64]) -> PyResult<Option<Arc<HeightField>>> {
    let wanted = window(row);
    if wanted == Window::whole(field) {
        return Ok(None);
    }
    let message = || PyValueError::new_err(format!("windows: {wanted:?} does not lie in the height field"));
    cut(field, &wanted).map(Arc::new).map(Some).ok_or_else(message)
}

/// The height field of a geom.
pub fn field_of<'m>(model: &'m Model, geom: &Geom) -> Option<&'m Arc<HeightField>> {
    match geom.kind {
        GeomKind::HField(field) => Some(&model.hfields[field.index()].field),
        _ => None,
    }
}
