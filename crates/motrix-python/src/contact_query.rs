//! `ContactQuery`: what touches what, and how hard.

use std::sync::Arc;

use motrix_batch::frame::{self, add, cross, sub};
use motrix_batch::{Output, Overridden};
use motrix_spatial::Real;
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::arrays::{self, doubles};
use crate::data::SceneData;
use crate::each;
use crate::geom::Geom;
use crate::link::of_body;
use crate::scene::SceneCore;
use crate::selection::Pick;
use crate::store::Store;

/// A live view of the contacts of data.
#[pyclass(frozen, module = "motrixsim")]
pub struct ContactQuery {
    core: Arc<SceneCore>,
    store: Arc<Store>,
    pick: Pick,
}

impl ContactQuery {
    /// The contacts of data.
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

    /// Pairs of geoms that touch, world by world.
    fn touching(&self, py: Python<'_>) -> PyResult<Vec<Vec<[u32; 2]>>> {
        let data = self.data();
        let mut batch = data.results(py, Output::Contacts)?;
        Ok(each!(batch, worlds => {
            let pairs = |world| self.core.scene.contacts(worlds, world).iter().map(|c| [c.geom1, c.geom2]).collect();
            self.pick.worlds().map(pairs).collect()
        }))
    }
}

/// Pairs of geom indices from an integer array of shape (n, 2).
fn geom_pairs(value: &Bound<'_, PyAny>, geoms: usize) -> PyResult<Vec<[u32; 2]>> {
    let array = value.py().import("numpy")?.call_method1("asarray", (value,))?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    let given = arrays::numbers::<f64>(&array, "geom_pairs")?;
    if !matches!(kind.as_str(), "i" | "u") && !given.values.is_empty() {
        return Err(PyTypeError::new_err("geom_pairs: expected an array of integers"));
    }
    if given.shape.len() != 2 || given.shape[1] != 2 {
        let shape = arrays::shape_text(&given.shape);
        return Err(PyValueError::new_err(format!(
            "geom_pairs: expected shape (n, 2), got {shape}"
        )));
    }
    if let Some(bad) = given.values.iter().find(|i| **i < 0.0 || **i >= geoms as f64) {
        return Err(PyIndexError::new_err(format!(
            "geom_pairs: geom {bad} is out of range for {geoms} geoms"
        )));
    }
    Ok(given
        .values
        .chunks_exact(2)
        .map(|pair| [pair[0] as u32, pair[1] as u32])
        .collect())
}

#[pymethods]
impl ContactQuery {
    #[getter]
    fn num_contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let counts: Vec<u32> = self.touching(py)?.iter().map(|pairs| pairs.len() as u32).collect();
        match (&self.pick, &counts[..]) {
            (Pick::One(_), [count]) => Ok(count.into_pyobject(py)?.into_any()),
            _ => arrays::array(py, &self.pick.shape(), counts),
        }
    }

    /// Up to `most` contacts of each world, in their order: geom, geom, distance, position, force on the second geom in the world.
    fn _table<'py>(&self, py: Python<'py>, most: usize) -> PyResult<Bound<'py, PyAny>> {
        const WIDTH: usize = 9;
        let data = self.data();
        let mut batch = data.results(py, Output::Contacts)?;
        let mut table = vec![f64::NAN; self.pick.len() * most * WIDTH];
        each!(batch, worlds => {
            for (world, rows) in self.pick.worlds().zip(table.chunks_mut((most * WIDTH).max(1))) {
                let contacts = self.core.scene.contacts(worlds, world);
                for (contact, row) in contacts.iter().zip(rows.chunks_exact_mut(WIDTH)) {
                    let (frame, force): ([f64; 9], [f64; 6]) = (doubles(&contact.frame), doubles(&contact.force));
                    let in_world = |k: usize| (0..3).map(|i| frame[3 * i + k] * force[i]).sum();
                    row[0] = f64::from(contact.geom1);
                    row[1] = f64::from(contact.geom2);
                    row[2] = contact.distance.to_f64();
                    row[3..6].copy_from_slice(&doubles::<_, 3>(&contact.position));
                    row[6..9].copy_from_slice(&[0, 1, 2].map(in_world));
                }
            }
        });
        arrays::array(py, &[&self.pick.shape()[..], &[most, WIDTH]].concat(), table)
    }

    fn is_colliding<'py>(&self, geom_pairs: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = geom_pairs.py();
        let asked = self::geom_pairs(geom_pairs, self.core.model().geoms.len())?;
        let mut answers = Vec::with_capacity(self.pick.len() * asked.len());
        for pairs in self.touching(py)? {
            let touching: std::collections::HashSet<[u32; 2]> = pairs.into_iter().map(ordered).collect();
            answers.extend(asked.iter().map(|pair| touching.contains(&ordered(*pair))));
        }
        let shape = [&self.pick.shape()[..], &[asked.len()]].concat();
        arrays::array(py, &shape, answers)
    }

    fn contacting_geoms<'py>(&self, geom: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = geom.py();
        let count = self.core.model().geoms.len();
        let index = match geom.cast::<Geom>() {
            Ok(geom) => geom.get().part.index,
            Err(_) => geom.extract()?,
        };
        if index >= count {
            return Err(PyIndexError::new_err(format!(
                "geom {index} is out of range for {count} geoms"
            )));
        }
        let of_world = |pairs: Vec<[u32; 2]>| {
            let index = index as u32;
            let mut others: Vec<u32> = pairs
                .into_iter()
                .filter_map(|[a, b]| if a == index { Some(b) } else { (b == index).then_some(a) })
                .collect();
            others.sort_unstable();
            others.dedup();
            arrays::array(py, &[others.len()], others)
        };
        let mut lists: Vec<Bound<'py, PyAny>> =
            self.touching(py)?.into_iter().map(of_world).collect::<PyResult<_>>()?;
        match self.pick {
            Pick::One(_) if lists.len() == 1 => Ok(lists.remove(0)),
            _ => Ok(PyList::new(py, lists)?.into_any()),
        }
    }

    fn __repr__(&self) -> String {
        format!(
            "<motrixsim.ContactQuery shape={}>",
            arrays::shape_text(&self.pick.shape())
        )
    }
}

fn ordered([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

/// Force and moment about the centre of mass of all contacts on each of the links, world axes.
pub fn net_forces<'py>(
    core: &Arc<SceneCore>,
    data: &Bound<'py, SceneData>,
    links: &[usize],
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, data) = (data.py(), data.get());
    data.of_scene(core)?;
    let model = core.model();
    drop(data.results(py, Output::Contacts)?);
    let mut batch = data.results(py, Output::Poses)?;
    each!(batch, worlds => data.array_into::<E>(py, &[links.len(), 6], out, |world, out| {
        let poses = core.scene.output(worlds, Output::Poses, world);
        let coms = worlds.overrides.get(Overridden::CentreOfMass, world);
        let mut sums = vec![[0.0; 6]; model.bodies.len()];
        for contact in core.scene.contacts(worlds, world) {
            let in_world = |v: [f64; 3]| -> [f64; 3] {
                let f: [f64; 9] = doubles(&contact.frame);
                std::array::from_fn(|i| f[i] * v[0] + f[3 + i] * v[1] + f[6 + i] * v[2])
            };
            let [fx, fy, fz, tx, ty, tz] = doubles(&contact.force);
            let (force, torque) = (in_world([fx, fy, fz]), in_world([tx, ty, tz]));
            for (geom, sign) in [(contact.geom1, -1.0), (contact.geom2, 1.0)] {
                let body = model.geoms[geom as usize].body.index();
                let com = frame::attached(&of_body(poses, body, 7), &frame::pose(doubles(&coms[3 * body..]), [0.0, 0.0, 0.0, 1.0]));
                let arm = sub(doubles(&contact.position), frame::position(&com));
                let moment = add(torque, cross(arm, force));
                let wrench = force.into_iter().chain(moment);
                sums[body].iter_mut().zip(wrench).for_each(|(sum, x)| *sum += sign * x);
            }
        }
        for &link in links {
            out.extend(arrays::rounded::<E, 6>(sums[link + 1]));
        }
    }))
}
