//! Health as Python sees it: what steps look for, what they do about it, and the error that tells it.

use motrix_batch::{Finding, Policy, Watch};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::data::SceneData;
use crate::each;

/// Settings of [`SceneData::watch`] that were given.
#[derive(Default)]
pub struct Changes<'a> {
    pub policy: Option<&'a str>,
    pub on: Option<u32>,
    pub speed: Option<f64>,
    pub energy: Option<f64>,
    pub depth: Option<f64>,
    pub history: Option<isize>,
}

/// Names of the policies.
const POLICIES: [(&str, Policy); 4] = [
    ("keep", Policy::Keep),
    ("freeze", Policy::Freeze),
    ("reset", Policy::Reset),
    ("raise", Policy::Raise),
];

fn policy_of(name: &str) -> PyResult<Policy> {
    let found = POLICIES.iter().find(|(own, _)| *own == name);
    found.map(|(_, policy)| *policy).ok_or_else(|| {
        PyValueError::new_err(format!(
            "unknown policy {name:?}, expected \"keep\", \"freeze\", \"reset\" or \"raise\""
        ))
    })
}

fn name_of(policy: Policy) -> &'static str {
    let found = POLICIES.iter().find(|(_, own)| *own == policy);
    found.map_or("keep", |(name, _)| name)
}

/// A limit, which must be a positive number; infinity switches it off.
fn limit(value: f64, name: &str) -> PyResult<f64> {
    if value > 0.0 {
        return Ok(value);
    }
    Err(PyValueError::new_err(format!("{name} must be positive, got {value}")))
}

impl Changes<'_> {
    /// The settings with the changes made.
    fn applied(&self, mut watch: Watch) -> PyResult<Watch> {
        if let Some(name) = self.policy {
            watch.policy = policy_of(name)?;
        }
        if let Some(on) = self.on {
            let known = Finding::ALL.into_iter().fold(0, |set, finding| set | finding.bit());
            if on & !known != 0 {
                return Err(PyValueError::new_err(format!(
                    "on: {on:#x} has bits that are no finding"
                )));
            }
            watch.on = on;
        }
        if let Some(speed) = self.speed {
            watch.speed = limit(speed, "speed")?;
        }
        if let Some(energy) = self.energy {
            watch.energy = limit(energy, "energy")?;
        }
        if let Some(depth) = self.depth {
            watch.depth = limit(depth, "depth")?;
        }
        Ok(watch)
    }
}

/// Changes what steps look for in all worlds of the batch, and tells the settings.
pub fn watch<'py>(py: Python<'py>, data: &SceneData, changes: &Changes) -> PyResult<Bound<'py, PyDict>> {
    let depth = changes.history.map(|history| {
        usize::try_from(history)
            .map_err(|_| PyValueError::new_err(format!("history: the number of states cannot be {history}")))
    });
    let depth = depth.transpose()?;
    let mut batch = data.lock(py);
    let (watch, history) = each!(batch, worlds => {
        worlds.watch = changes.applied(worlds.watch)?;
        if let Some(depth) = depth {
            worlds.keep_history(depth);
        }
        (worlds.watch, worlds.history().map_or(0, motrix_batch::History::depth))
    });
    let settings = PyDict::new(py);
    settings.set_item("policy", name_of(watch.policy))?;
    settings.set_item("on", watch.on)?;
    settings.set_item("speed", watch.speed)?;
    settings.set_item("energy", watch.energy)?;
    settings.set_item("depth", watch.depth)?;
    settings.set_item("history", history)?;
    Ok(settings)
}

/// What was noticed in the last steps, a mask per world.
pub fn masks<'py>(py: Python<'py>, data: &SceneData) -> PyResult<Bound<'py, PyAny>> {
    let mut batch = data.lock(py);
    let masks = each!(batch, worlds => data.pick.worlds().map(|world| worlds.health(world)).collect());
    crate::arrays::array::<u32>(py, &data.dims(), masks)
}

/// Snapshots of the last states of a single world.
pub fn history(py: Python<'_>, data: &SceneData) -> PyResult<Vec<Vec<u8>>> {
    if !data.dims().is_empty() {
        return Err(PyTypeError::new_err(
            "a batch has a history per world: data[i].history()",
        ));
    }
    let world = data.pick.world(0);
    Ok(data.store.detached(py, |batch| {
        let model = data.core.scene.fingerprint();
        each!(*batch, worlds => worlds.past(world, model))
    }))
}

/// Makes what was found in the parts of a call so far the findings of each world, and keeps it in `found` for the next part.
pub fn add_up(py: Python<'_>, data: &SceneData, found: &mut Vec<u32>) {
    let mut batch = data.lock(py);
    found.resize(data.pick.len(), 0);
    each!(batch, worlds => for (found, world) in found.iter_mut().zip(data.pick.worlds()) {
        worlds.note(world, *found);
        *found = worlds.health(world);
    });
}

/// Fails with the worlds that stopped, if the policy says so.
pub fn raise_if_stopped(py: Python<'_>, data: &SceneData) -> PyResult<()> {
    let mut batch = data.lock(py);
    let stopped: Vec<(usize, u32)> = each!(batch, worlds => {
        if worlds.watch.policy != Policy::Raise {
            return Ok(());
        }
        let masks = data.pick.worlds().map(|world| worlds.health(world)).enumerate();
        masks.filter(|(_, mask)| worlds.watch.stops(*mask)).collect()
    });
    drop(batch);
    if stopped.is_empty() {
        return Ok(());
    }
    let (rows, masks): (Vec<usize>, Vec<u32>) = stopped.into_iter().unzip();
    let class = py.import("motrixsim._health")?.getattr("HealthError")?;
    Err(PyErr::from_value(class.call1((rows, masks))?))
}
