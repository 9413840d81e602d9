//! Results of all links at once, or of some: poses, rotations, velocities.

use motrix_batch::{Columns, Output};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;

use crate::arrays;
use crate::data::SceneData;
use crate::each;
use crate::model::SceneModel;
use crate::scene::SceneCore;
use crate::selection::Pick;

/// Which links, in which shape, and where to.
pub struct LinkChoice<'a, 'py> {
    pub indices: Option<&'a Bound<'py, PyAny>>,
    pub out: Option<&'a Bound<'py, PyAny>>,
    pub tail: &'a [usize],
}

impl LinkChoice<'_, '_> {
    /// The links, by position.
    pub fn links(&self, core: &SceneCore) -> PyResult<Vec<usize>> {
        let count = core.model().bodies.len() - 1;
        let Some(indices) = self.indices else {
            return Ok((0..count).collect());
        };
        let given = arrays::numbers::<f64>(indices, "indices")?;
        given
            .values
            .iter()
            .map(|&i| {
                let known = i.fract() == 0.0 && i >= 0.0 && (i as usize) < count;
                known
                    .then_some(i as usize)
                    .ok_or_else(|| PyIndexError::new_err(format!("link index {i} is out of range for {count} links")))
            })
            .collect()
    }
}

impl SceneModel {
    /// Numbers of links, `width` each, from rows of bodies; `pick` chooses those of a link.
    pub(crate) fn link_numbers<'py, const N: usize>(
        &self,
        data: &Bound<'py, SceneData>,
        output: Output,
        choice: &LinkChoice<'_, 'py>,
        convert: impl Fn([f64; 7]) -> [f64; N],
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, data) = (data.py(), data.get());
        data.of_scene(&self.core)?;
        let links = choice.links(&self.core)?;
        let tail = [&[links.len()], choice.tail].concat();
        let mut batch = data.results(py, output)?;
        let width = output.width(self.core.model()) / self.core.model().bodies.len();
        each!(batch, worlds => data.array_into::<E>(py, &tail, choice.out, |world, out| {
            let row = self.core.scene.output(worlds, output, world);
            for &link in &links {
                let own = &row[(link + 1) * width..][..width];
                let numbers = std::array::from_fn(|i| own.get(i).map_or(0.0, |x| motrix_spatial::Real::to_f64(*x)));
                out.extend(arrays::rounded::<E, N>(convert(numbers)));
            }
        }))
    }

    /// As [`SceneModel::link_numbers`] for all numbers of all links, which stand one after the other already.
    pub(crate) fn link_rows<'py>(
        &self,
        data: &Bound<'py, SceneData>,
        output: Output,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, data) = (data.py(), data.get());
        data.of_scene(&self.core)?;
        let bodies = self.core.model().bodies.len();
        let width = output.width(self.core.model()) / bodies;
        let mut batch = data.results(py, output)?;
        each!(batch, worlds => {
            if let (Pick::All(count), None, Some(table)) = (&data.pick, out, worlds.output_rows(output)) {
                let links = Columns { table, stride: bodies * width, first: width };
                return arrays::columns(py, *count, &[bodies - 1, width], &links);
            }
            data.array_into::<E>(py, &[bodies - 1, width], out, |world, out| {
                out.extend_from_slice(&self.core.scene.output(worlds, output, world)[width..]);
            })
        })
    }
}
