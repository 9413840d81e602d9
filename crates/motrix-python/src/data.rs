//! `SceneData`: the state of one world or of a batch, and views of some of its worlds.

use std::sync::Arc;
use std::time::{Duration, Instant};

use motrix_batch::{Output, Threads};
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PySequence, PyTuple};

use crate::arrays::{self, Number, PerWorld, Unfit, per_world, per_world_or_flat, shape_text};
use crate::health;
use crate::low::LowData;
use crate::model::SceneModel;
use crate::scene::{SceneCore, engine_error};
use crate::selection::{Pick, position};
use crate::store::{Batch, Guard, Store};
use crate::views::DataViews;
use crate::{each, in_precision};

/// How far the norm of a quaternion may be from 1.
const QUATERNION_TOLERANCE: f64 = 1e-4;

/// How long the engine runs before it looks whether the user pressed Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(250);

/// The state of worlds.
#[pyclass(frozen, weakref, module = "motrixsim")]
pub struct SceneData {
    pub core: Arc<SceneCore>,
    pub store: Arc<Store>,
    pub pick: Pick,
}

impl SceneData {
    /// Data over worlds that exist.
    pub fn over(core: Arc<SceneCore>, store: Arc<Store>, pick: Pick) -> Self {
        Self { core, store, pick }
    }

    /// `()` or `(n,)`.
    pub fn dims(&self) -> Vec<usize> {
        self.pick.shape()
    }

    /// The shape of results: that of the data, then `tail`.
    pub fn shaped(&self, tail: &[usize]) -> Vec<usize> {
        [&self.dims()[..], tail].concat()
    }

    /// Refuses data that belongs to another model.
    pub fn of_scene(&self, core: &Arc<SceneCore>) -> PyResult<()> {
        if Arc::ptr_eq(self.core.model(), core.model()) {
            return Ok(());
        }
        Err(PyRuntimeError::new_err(
            "the SceneData belongs to another model than the one it is used with",
        ))
    }

    /// The worlds.
    pub fn lock(&self, py: Python<'_>) -> Guard<'_> {
        self.store.lock(py)
    }

    /// The worlds, with a kind of result up to date.
    pub fn results(&self, py: Python<'_>, output: Output) -> PyResult<Guard<'_>> {
        let batch = self.store.with_output(py, &self.core.scene, &self.pick, output);
        batch.map_err(engine_error)
    }

    /// A fresh array of `tail` numbers per world; `fill` appends those of a world.
    pub fn array<'py, E: Number>(
        &self,
        py: Python<'py>,
        tail: &[usize],
        fill: impl FnMut(usize, &mut Vec<E>),
    ) -> PyResult<Bound<'py, PyAny>> {
        self.array_into(py, tail, None, fill)
    }

    /// As [`SceneData::array`], into the caller's buffer when there is one.
    pub fn array_into<'py, E: Number>(
        &self,
        py: Python<'py>,
        tail: &[usize],
        out: Option<&Bound<'py, PyAny>>,
        mut fill: impl FnMut(usize, &mut Vec<E>),
    ) -> PyResult<Bound<'py, PyAny>> {
        let shape = self.shaped(tail);
        if let Some(out) = out {
            arrays::checked_buffer::<E>(out, &shape)?;
        }
        let mut values = Vec::with_capacity(shape.iter().product());
        for world in self.pick.worlds() {
            fill(world, &mut values);
        }
        arrays::array_into(py, &shape, values, out)
    }

    /// Values of shape `tail` for each world.
    pub fn input<E: Number>(&self, value: &Bound<'_, PyAny>, tail: &[usize], name: &str) -> Result<PerWorld<E>, Unfit> {
        per_world(value, &self.dims(), tail, name)
    }

    /// Values of shape `tail` for each world, possibly all in one dimension.
    pub fn input_or_flat<E: Number>(
        &self,
        value: &Bound<'_, PyAny>,
        tail: &[usize],
        name: &str,
    ) -> Result<PerWorld<E>, Unfit> {
        per_world_or_flat(value, &self.dims(), tail, name)
    }

    /// Advances the worlds by `count` steps; Ctrl-C ends it between two steps.
    pub fn advance(&self, py: Python<'_>, count: usize, threads: Threads) -> PyResult<()> {
        let mut left = count;
        let mut found = Vec::new();
        while left > 0 {
            // As many steps as the last ones let expect within the time that the user may have to wait.
            let now = self.store.steps_within(PATIENCE).min(left);
            let start = Instant::now();
            let step = self.store.step(py, &self.core.scene, &self.pick, now, threads);
            step.map_err(engine_error)?;
            if now < count {
                health::add_up(py, self, &mut found);
            }
            health::raise_if_stopped(py, self)?;
            left -= now;
            if left > 0 {
                py.check_signals()?;
            }
            self.store.took(start.elapsed(), now);
        }
        Ok(())
    }

    /// Makes poses, velocities, sensors and contacts describe the current state.
    pub fn rebase(&self, py: Python<'_>) {
        let mut batch = self.lock(py);
        each!(batch, worlds => worlds.rebase(self.pick.selection(self.store.count)));
    }

    /// Checks the quaternions of configurations.
    pub fn checked_positions<E: Number>(&self, rows: &PerWorld<E>) -> PyResult<()> {
        for (k, row) in rows.rows().enumerate() {
            if let Some(first) = bad_quaternion(self.core.model(), row) {
                let q: [f64; 4] = arrays::doubles(&row[first..]);
                return Err(PyValueError::new_err(format!(
                    "dof_pos: entries {first} to {} of row {k} are not a unit quaternion: {q:?}",
                    first + 3
                )));
            }
        }
        Ok(())
    }

    /// The past of the worlds.
    pub fn snapshot_bytes(&self, py: Python<'_>) -> Vec<u8> {
        let selection = self.pick.selection(self.store.count);
        self.store.detached(py, |batch| {
            let model = self.core.scene.fingerprint();
            each!(*batch, worlds => worlds.snapshot(selection, model))
        })
    }

    /// Puts worlds back as a snapshot has them.
    pub fn restore_bytes(&self, py: Python<'_>, snapshot: &[u8]) -> PyResult<()> {
        let selection = self.pick.selection(self.store.count);
        let restored = self.store.detached(py, |batch| {
            let model = self.core.scene.fingerprint();
            each!(*batch, worlds => worlds.restore(selection, snapshot, model))
        });
        restored.map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// What steps look for.
    pub fn watch_settings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        health::watch(py, self, &health::Changes::default())
    }

    /// These data, or some of their worlds.
    fn part(&self, rows: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let pick = match rows {
            Some(rows) => self.pick.index(rows)?,
            None => self.pick.clone(),
        };
        Ok(Self::over(Arc::clone(&self.core), Arc::clone(&self.store), pick))
    }

    fn write(&self, py: Python<'_>, value: &Bound<'_, PyAny>, part: StatePart, name: &str) -> Result<(), Unfit> {
        let width = part.width(self);
        in_precision!(self.store, worlds => {
            let rows = match part {
                StatePart::Controls => self.input_or_flat::<E>(value, &[width], name)?,
                _ => self.input::<E>(value, &[width], name)?,
            };
            if part == StatePart::Positions {
                self.checked_positions(&rows).map_err(Unfit::Kind)?;
            }
            let mut worlds = worlds.lock(py);
            let columns = part.columns(worlds.layout());
            for (k, world) in self.pick.worlds().enumerate() {
                worlds.numbers_mut(world, columns.clone()).copy_from_slice(rows.row(k));
            }
            Ok(())
        })
    }

    fn read<'py>(&self, py: Python<'py>, part: StatePart) -> PyResult<Bound<'py, PyAny>> {
        let mut batch = self.lock(py);
        each!(batch, worlds => {
            let columns = part.columns(worlds.layout());
            if let Pick::All(count) = self.pick {
                return arrays::columns(py, count, &[columns.len()], &worlds.columns(&columns));
            }
            self.array::<E>(py, &[columns.len()], |world, out| out.extend_from_slice(worlds.numbers(world, columns.clone())))
        })
    }
}

/// A part of the state that users read and write as a whole.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum StatePart {
    Positions,
    Velocities,
    Controls,
    Activations,
}

impl StatePart {
    /// Its columns in a row.
    pub fn columns(self, layout: &motrix_batch::Layout) -> std::ops::Range<usize> {
        match self {
            StatePart::Positions => layout.qpos.clone(),
            StatePart::Velocities => layout.qvel.clone(),
            StatePart::Controls => layout.ctrl.clone(),
            StatePart::Activations => layout.act.clone(),
        }
    }

    fn width(self, data: &SceneData) -> usize {
        let model = data.core.model();
        match self {
            StatePart::Positions => model.nq(),
            StatePart::Velocities => model.nv(),
            StatePart::Controls => model.control_count,
            StatePart::Activations => model.activation_count,
        }
    }
}

/// Where the first quaternion of a configuration begins that is not of unit length.
pub fn bad_quaternion<E: Number>(model: &motrix_model::Model, row: &[E]) -> Option<usize> {
    use motrix_model::JointKind;
    let starts = model.joints.iter().filter_map(|joint| match joint.kind {
        JointKind::Free => Some(joint.first_position + 3),
        JointKind::Ball => Some(joint.first_position),
        JointKind::Slide | JointKind::Hinge => None,
    });
    let mut starts = starts;
    starts.find(|&first| !is_unit(&row[first..first + 4]))
}

/// Whether a quaternion has unit length within the tolerance.
pub fn is_unit<E: Number>(q: &[E]) -> bool {
    let norm = q.iter().map(|x| x.to_f64() * x.to_f64()).sum::<f64>().sqrt();
    (norm - 1.0).abs() < QUATERNION_TOLERANCE
}

/// The number of worlds that `batch` asks for.
fn batch_pick(batch: Option<&Bound<'_, PyAny>>) -> PyResult<Pick> {
    let Some(batch) = batch else {
        return Ok(Pick::One([0]));
    };
    let wrong = || PyTypeError::new_err("batch: expected a sequence of at most one number: () or (n,)");
    let batch = batch.cast::<PySequence>().map_err(|_| wrong())?;
    match batch.len()? {
        0 => Ok(Pick::One([0])),
        1 => {
            let count: isize = batch.get_item(0)?.extract().map_err(|_| wrong())?;
            let count = u32::try_from(count)
                .map_err(|_| PyValueError::new_err(format!("batch: the number of worlds cannot be {count}")))?;
            Ok(Pick::All(count as usize))
        }
        _ => Err(wrong()),
    }
}

/// Whether worlds of this precision are kept in `f64`.
pub fn is_double(precision: &str) -> PyResult<bool> {
    match precision {
        "f32" => Ok(false),
        "f64" => Ok(true),
        other => Err(PyValueError::new_err(format!(
            "unknown precision {other:?}, expected \"f32\" or \"f64\""
        ))),
    }
}

#[pymethods]
impl SceneData {
    #[new]
    #[pyo3(signature = (model, batch = None, precision = "f32"), text_signature = "(model, batch=(), precision='f32')")]
    fn new(model: &Bound<'_, SceneModel>, batch: Option<&Bound<'_, PyAny>>, precision: &str) -> PyResult<Self> {
        let core = &model.get().core;
        let pick = batch_pick(batch)?;
        let double = is_double(precision)?;
        let bytes = pick.len() * (2 * motrix_batch::Layout::new(core.model()).len + 4) * 8;
        if Vec::<u8>::new().try_reserve_exact(bytes).is_err() {
            return Err(PyMemoryError::new_err(format!(
                "{} worlds need {bytes} bytes",
                pick.len()
            )));
        }
        let store = Store::fresh(core.model(), pick.len(), double);
        Ok(Self::over(Arc::clone(core), store, pick))
    }

    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.dims())
    }

    #[getter]
    fn ndim(&self) -> usize {
        self.dims().len()
    }

    #[getter]
    fn precision(&self) -> &'static str {
        if self.store.double { "f64" } else { "f32" }
    }

    #[getter]
    fn model<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, SceneModel>> {
        self.core.object(py)
    }

    #[getter]
    fn dof_pos<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.read(py, StatePart::Positions)
    }

    #[getter]
    fn dof_vel<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.read(py, StatePart::Velocities)
    }

    #[getter]
    pub fn actuator_ctrls<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.read(py, StatePart::Controls)
    }

    #[setter]
    fn set_actuator_ctrls(&self, py: Python<'_>, ctrls: &Bound<'_, PyAny>) -> PyResult<()> {
        let written = self.write(py, ctrls, StatePart::Controls, "actuator_ctrls");
        // The documented exception for a wrong shape is a TypeError here.
        written.map_err(|unfit| match unfit {
            Unfit::Kind(error) => error,
            Unfit::Shape(message) => PyTypeError::new_err(message),
        })
    }

    #[getter]
    fn actuator_activations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.read(py, StatePart::Activations)
    }

    #[setter]
    fn set_actuator_activations(&self, py: Python<'_>, activations: &Bound<'_, PyAny>) -> PyResult<()> {
        Ok(self.write(py, activations, StatePart::Activations, "actuator_activations")?)
    }

    #[getter]
    fn time<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut batch = self.lock(py);
        each!(batch, worlds => self.array::<f64>(py, &[], |world, out| out.push(worlds.time(world))))
    }

    #[getter]
    fn terrain_counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let scene = &self.core.scene;
        let mut batch = self.results(py, motrix_batch::Output::TerrainCounts)?;
        let mut counts: Vec<i64> = Vec::with_capacity(3 * self.pick.len());
        each!(batch, worlds => for world in self.pick.worlds() {
            let row = scene.output(worlds, motrix_batch::Output::TerrainCounts, world);
            counts.extend(row.iter().map(|x| motrix_spatial::Real::to_f64(*x) as i64));
        });
        arrays::array(py, &self.shaped(&[3]), counts)
    }

    #[getter]
    fn health<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        health::masks(py, self)
    }

    #[pyo3(signature = (policy = None, *, on = None, speed = None, energy = None, depth = None, history = None))]
    #[allow(clippy::too_many_arguments)]
    fn watch<'py>(
        &self,
        py: Python<'py>,
        policy: Option<&str>,
        on: Option<u32>,
        speed: Option<f64>,
        energy: Option<f64>,
        depth: Option<f64>,
        history: Option<isize>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let changes = health::Changes {
            policy,
            on,
            speed,
            energy,
            depth,
            history,
        };
        health::watch(py, self, &changes)
    }

    fn history<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let past = health::history(py, self)?;
        Ok(past.iter().map(|state| PyBytes::new(py, state)).collect())
    }

    #[getter]
    fn views(slf: &Bound<'_, Self>) -> DataViews {
        DataViews::new(slf.get())
    }

    #[getter]
    fn low(&self, py: Python<'_>) -> PyResult<LowData> {
        LowData::of(py, self)
    }

    fn set_dof_pos(&self, py: Python<'_>, dof_pos: &Bound<'_, PyAny>, model: &Bound<'_, SceneModel>) -> PyResult<()> {
        self.of_scene(&model.get().core)?;
        Ok(self.write(py, dof_pos, StatePart::Positions, "dof_pos")?)
    }

    fn set_dof_vel(&self, py: Python<'_>, dof_vel: &Bound<'_, PyAny>) -> PyResult<()> {
        Ok(self.write(py, dof_vel, StatePart::Velocities, "dof_vel")?)
    }

    #[pyo3(signature = (model, dof_pos = None, dof_vel = None, forward_kinematic = false, reset_overrides = true))]
    fn reset(
        &self,
        py: Python<'_>,
        model: &Bound<'_, SceneModel>,
        dof_pos: Option<&Bound<'_, PyAny>>,
        dof_vel: Option<&Bound<'_, PyAny>>,
        forward_kinematic: bool,
        reset_overrides: bool,
    ) -> PyResult<()> {
        self.of_scene(&model.get().core)?;
        // Results describe the reset state at once, so there is nothing left for `forward_kinematic` but the given state.
        let (nq, nv) = (self.core.model().nq(), self.core.model().nv());
        in_precision!(self.store, worlds => {
            let positions = dof_pos.map(|value| self.input::<E>(value, &[nq], "dof_pos")).transpose()?;
            let velocities = dof_vel.map(|value| self.input::<E>(value, &[nv], "dof_vel")).transpose()?;
            if let Some(positions) = &positions {
                self.checked_positions(positions)?;
            }
            let selection = self.pick.selection(self.store.count);
            let mut worlds = worlds.lock(py);
            worlds.reset(selection, !reset_overrides);
            let (qpos, qvel) = (worlds.layout().qpos.clone(), worlds.layout().qvel.clone());
            for (k, world) in self.pick.worlds().enumerate() {
                if let Some(positions) = &positions {
                    worlds.numbers_mut(world, qpos.clone()).copy_from_slice(positions.row(k));
                }
                if let Some(velocities) = &velocities {
                    worlds.numbers_mut(world, qvel.clone()).copy_from_slice(velocities.row(k));
                }
            }
            if forward_kinematic {
                worlds.rebase(selection);
            }
            Ok(())
        })
    }

    #[pyo3(signature = (rows = None))]
    fn snapshot<'py>(&self, py: Python<'py>, rows: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.part(rows)?.snapshot_bytes(py)))
    }

    #[pyo3(signature = (snapshot, rows = None))]
    fn restore(&self, py: Python<'_>, snapshot: &[u8], rows: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        self.part(rows)?.restore_bytes(py, snapshot)
    }

    #[pyo3(signature = (world, rows = None))]
    fn fork(&self, py: Python<'_>, world: isize, rows: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let from = self.pick.world(position(world, self.pick.len())?);
        let to = self.part(rows)?;
        let mut batch = self.lock(py);
        each!(batch, worlds => worlds.fork(from, to.pick.selection(self.store.count)));
        Ok(())
    }

    fn digest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut batch = self.lock(py);
        let digests = each!(batch, worlds => self.pick.worlds().map(|world| worlds.digest(world)).collect());
        arrays::array::<u64>(py, &self.dims(), digests)
    }

    fn get(&self, index: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.part(Some(index))
    }

    fn __getitem__(&self, key: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.get(key)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if let Pick::One(_) = self.pick {
            return Err(PyTypeError::new_err("data of a single world is not iterable"));
        }
        let one = |world| {
            Bound::new(
                py,
                Self::over(
                    Arc::clone(&self.core),
                    Arc::clone(&self.store),
                    Pick::One([world as u32]),
                ),
            )
        };
        let worlds: Vec<_> = self.pick.worlds().map(one).collect::<PyResult<_>>()?;
        Ok(PyList::new(py, worlds)?.try_iter()?.into_any())
    }

    fn __len__(&self) -> PyResult<usize> {
        match self.pick {
            Pick::One(_) => Err(PyTypeError::new_err("data of a single world has no len()")),
            _ => Ok(self.pick.len()),
        }
    }

    fn __bool__(&self) -> bool {
        true
    }

    fn __copy__(&self, py: Python<'_>) -> Self {
        let selection = self.pick.selection(self.store.count);
        let copied = match &self.store.batch {
            Batch::Single(worlds) => Store::single(worlds.lock(py).select(selection)),
            Batch::Double(worlds) => Store::double(worlds.lock(py).select(selection)),
        };
        let pick = match self.pick {
            Pick::One(_) => Pick::One([0]),
            _ => Pick::All(self.pick.len()),
        };
        Self::over(Arc::clone(&self.core), copied, pick)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> Self {
        self.__copy__(py)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        crate::pickle::reduce_data(py, self)
    }

    fn __repr__(&self) -> String {
        let name = &self.core.model().name;
        let (shape, precision) = (shape_text(&self.dims()), self.precision());
        format!("<motrixsim.SceneData of {name:?} shape={shape} precision={precision:?}>")
    }
}
