//! Arrays that share memory with the engine: what is written into them is the state, what is read from them is the result.
//!
//! State rows and kept results never move in memory while the worlds exist, and an array keeps the worlds alive. Arrays are over
//! all worlds, over one, or over evenly spaced ones; an arbitrary choice of rows has no such layout.

use std::sync::Arc;

use motrix_batch::Output;
use numpy::PyArrayDyn;
use numpy::ndarray::{ArrayView, IxDyn, ShapeBuilder};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::{Number, shape_text};
use crate::data::{SceneData, StatePart};
use crate::each;
use crate::scene::SceneCore;
use crate::selection::Pick;
use crate::store::Store;

/// Arrays over the state and the results of worlds.
#[pyclass(frozen, module = "motrixsim")]
pub struct DataViews {
    core: Arc<SceneCore>,
    store: Arc<Store>,
    pick: Pick,
}

/// Columns of a table: rows of `stride` numbers, of which `width` from `first` on are shown in the shape `tail`.
struct Columns<'a> {
    stride: usize,
    first: usize,
    tail: &'a [usize],
}

impl DataViews {
    /// The views of data.
    pub fn new(data: &SceneData) -> Self {
        Self {
            core: Arc::clone(&data.core),
            store: Arc::clone(&data.store),
            pick: data.pick.clone(),
        }
    }

    fn data(&self) -> SceneData {
        SceneData::over(Arc::clone(&self.core), Arc::clone(&self.store), self.pick.clone())
    }

    /// First world, number of worlds and distance between two, when they are evenly spaced.
    fn spacing(&self) -> PyResult<(usize, usize)> {
        let uneven = || PyValueError::new_err("an array can share memory with all, one or evenly spaced worlds only");
        match &self.pick {
            Pick::All(_) => Ok((0, 1)),
            Pick::One([world]) => Ok((*world as usize, 1)),
            Pick::Some(rows) => match rows[..] {
                [] => Ok((0, 1)),
                [one] => Ok((one as usize, 1)),
                [a, b, ..] if b > a && rows.windows(2).all(|w| w[1].wrapping_sub(w[0]) == b - a) => {
                    Ok((a as usize, (b - a) as usize))
                }
                _ => Err(uneven()),
            },
        }
    }

    /// An array over columns of the table that begins at `table`.
    fn array<'py, E: Number>(slf: &Bound<'py, Self>, table: &[E], columns: &Columns) -> PyResult<Bound<'py, PyAny>> {
        let this = slf.get();
        let (world, step) = this.spacing()?;
        let (mut shape, mut strides) = (this.pick.shape(), Vec::new());
        if !shape.is_empty() {
            strides.push(step * columns.stride);
        }
        let mut inner: usize = columns.tail.iter().product();
        for &n in columns.tail {
            inner = inner.checked_div(n).unwrap_or(0);
            shape.push(n);
            strides.push(inner);
        }
        if shape.contains(&0) {
            return crate::arrays::array(slf.py(), &shape, Vec::<E>::new());
        }
        let first = world * columns.stride + columns.first;
        let extent: usize = shape.iter().zip(&strides).map(|(n, s)| (n - 1) * s).sum();
        if first + extent >= table.len() {
            let shape = shape_text(&shape);
            return Err(PyValueError::new_err(format!(
                "no memory of shape {shape} behind this view"
            )));
        }
        // SAFETY: first plus the largest offset lies inside the table, as just checked. The table belongs to the store, which `slf`
        // keeps alive and which never moves its rows; numpy may read and write it as it does with any memory shared by threads.
        let array = unsafe {
            let view = ArrayView::from_shape_ptr(IxDyn(&shape).strides(IxDyn(&strides)), table.as_ptr().add(first));
            PyArrayDyn::borrow_from_array(&view, slf.clone().into_any())
        };
        Ok(array.into_any())
    }

    fn state<'py>(slf: &Bound<'py, Self>, part: StatePart) -> PyResult<Bound<'py, PyAny>> {
        let mut batch = slf.get().store.lock(slf.py());
        each!(batch, worlds => {
            let columns = part.columns(worlds.layout());
            let motrix_batch::Columns { table, stride, first } = worlds.columns(&columns);
            Self::array(slf, table, &Columns { stride, first, tail: &[columns.len()] })
        })
    }

    fn output<'py>(slf: &Bound<'py, Self>, output: Output, skip: usize, tail: &[usize]) -> PyResult<Bound<'py, PyAny>> {
        let this = slf.get();
        let data = this.data();
        let mut batch = data.results(slf.py(), output)?;
        let stride = output.width(this.core.model());
        let array = each!(batch, worlds => {
            let shown = Columns { stride, first: skip, tail };
            Self::array(slf, worlds.output_rows(output).unwrap_or(&[]), &shown)
        })?;
        drop(batch);
        array.call_method1("setflags", (false,))?;
        Ok(array)
    }
}

#[pymethods]
impl DataViews {
    #[getter]
    fn dof_pos<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::state(slf, StatePart::Positions)
    }

    #[getter]
    fn dof_vel<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::state(slf, StatePart::Velocities)
    }

    #[getter]
    fn actuator_ctrls<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::state(slf, StatePart::Controls)
    }

    #[getter]
    fn link_poses<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let links = slf.get().core.model().bodies.len() - 1;
        Self::output(slf, Output::Poses, 7, &[links, 7])
    }

    #[getter]
    fn link_velocities<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let links = slf.get().core.model().bodies.len() - 1;
        Self::output(slf, Output::Velocities, 6, &[links, 6])
    }

    #[getter]
    fn sensor_values<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let numbers = slf.get().core.model().sensor_data_len;
        Self::output(slf, Output::Sensors, 0, &[numbers])
    }

    #[getter]
    fn dof_acc<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let dofs = slf.get().core.model().nv();
        Self::output(slf, Output::Accelerations, 0, &[dofs])
    }

    #[getter]
    fn actuator_forces<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let outputs = Output::ActuatorForces.width(slf.get().core.model());
        Self::output(slf, Output::ActuatorForces, 0, &[outputs])
    }

    fn __repr__(&self) -> String {
        format!("<motrixsim.DataViews shape={}>", shape_text(&self.pick.shape()))
    }
}
