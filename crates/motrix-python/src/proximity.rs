//! `_GeomPairs`: the engine's half of `motrixsim.Proximity`, two sets of geoms whose least distance is measured.

use std::sync::{Arc, Mutex, PoisonError};

use motrix_batch::{Output, ProximityAnswer, ProximityQuestion, Threads, Warm};
use motrix_model::{GeomId, GeomKind};
use motrix_query::distance::{Algorithm, Rules};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::arrays;
use crate::body::Body;
use crate::data::SceneData;
use crate::each;
use crate::geom::Geom;
use crate::link::Link;
use crate::model::SceneModel;
use crate::scene::{Part, SceneCore};

/// Numbers of the algorithms in Python (`ProximityType`).
const ALGORITHMS: [(u8, Algorithm); 4] = [
    (0, Algorithm::Spheres),
    (1, Algorithm::Hulls),
    (3, Algorithm::Corners),
    (4, Algorithm::Faces),
];

/// Two sets of geoms of a model.
#[pyclass(frozen, module = "motrixsim")]
pub struct _GeomPairs {
    core: Arc<SceneCore>,
    first: Vec<GeomId>,
    second: Vec<GeomId>,
    /// Where the nearest pair of each world of the store was found last.
    warm: Mutex<Vec<Warm>>,
}

/// The geoms of a geom, link or body.
fn geoms_of(value: &Bound<'_, PyAny>, core: &Arc<SceneCore>, name: &str) -> PyResult<Vec<GeomId>> {
    let own = |part: &Part| {
        let same = Arc::ptr_eq(&part.core, core);
        same.then_some(part.index)
            .ok_or_else(|| PyValueError::new_err(format!("{name}: it belongs to another model")))
    };
    let of_bodies = |bodies: std::ops::Range<usize>| {
        let geoms = bodies.flat_map(|b| {
            let body = &core.model().bodies[b];
            body.first_geom..body.first_geom + body.geom_count
        });
        geoms.map(GeomId::new).collect::<Vec<_>>()
    };
    let geoms = if let Ok(geom) = value.cast::<Geom>() {
        vec![GeomId::new(own(&geom.get().part)?)]
    } else if let Ok(link) = value.cast::<Link>() {
        let link = own(&link.get().part)?;
        of_bodies(link + 1..link + 2)
    } else if let Ok(body) = value.cast::<Body>() {
        of_bodies(core.structure.bodies[own(&body.get().part)?].links.clone())
    } else {
        let found = value.get_type().name()?.to_string();
        return Err(PyTypeError::new_err(format!(
            "{name}: expected a Geom, Link, Body or the name of one, got {found}"
        )));
    };
    if geoms.is_empty() {
        return Err(PyValueError::new_err(format!("{name}: it has no geoms")));
    }
    Ok(geoms)
}

#[pymethods]
impl _GeomPairs {
    #[new]
    fn new(model: &Bound<'_, SceneModel>, geom_1: &Bound<'_, PyAny>, geom_2: &Bound<'_, PyAny>) -> PyResult<Self> {
        let core = &model.get().core;
        let first = geoms_of(geom_1, core, "geom_1")?;
        let second = geoms_of(geom_2, core, "geom_2")?;
        if first.iter().any(|geom| second.contains(geom)) {
            return Err(PyValueError::new_err("geom_1 and geom_2 have a geom in common"));
        }
        let plane = |geom: &GeomId| core.model().geoms[geom.index()].kind == GeomKind::Plane;
        if first.iter().all(plane) && second.iter().all(plane) {
            return Err(PyValueError::new_err("two planes have no distance"));
        }
        Ok(Self {
            core: Arc::clone(core),
            first,
            second,
            warm: Mutex::new(Vec::new()),
        })
    }

    /// Distances, points on both, and the number of what found them.
    fn measure<'py>(
        &self,
        data: &Bound<'py, SceneData>,
        dist_max: f64,
        algorithm: u8,
        signed: bool,
        solid: bool,
        warm_start: bool,
    ) -> PyResult<[Bound<'py, PyAny>; 4]> {
        let (py, data) = (data.py(), data.get());
        data.of_scene(&self.core)?;
        let Some(&(_, algorithm)) = ALGORITHMS.iter().find(|(code, _)| *code == algorithm) else {
            return Err(PyValueError::new_err(format!(
                "algorithm: {algorithm} is none of 0, 1, 3, 4"
            )));
        };
        let question = ProximityQuestion {
            first: &self.first,
            second: &self.second,
            algorithm,
            rules: Rules { signed, solid },
            reach: dist_max,
        };
        let mut batch = data.results(py, Output::Poses)?;
        let picked: Vec<usize> = data.pick.worlds().collect();
        let answers = each!(batch, worlds => py.detach(|| {
            let mut remembered = self.warm.lock().unwrap_or_else(PoisonError::into_inner);
            remembered.resize(data.store.count, Warm::default());
            let mut warm: Vec<Warm> = match warm_start {
                true => picked.iter().map(|&world| remembered[world]).collect(),
                false => vec![Warm::default(); picked.len()],
            };
            let answers = self.core.scene.proximity(worlds, &picked, question, &mut warm, Threads::Pool);
            picked.iter().zip(warm).for_each(|(&world, warm)| remembered[world] = warm);
            answers
        }));
        let answers: Vec<ProximityAnswer> = answers.into_iter().flatten().collect();
        let points = |point: fn(&ProximityAnswer) -> [f64; 3]| answers.iter().flat_map(point).collect::<Vec<f64>>();
        let code = |answer: &ProximityAnswer| {
            let found = ALGORITHMS.iter().find(|(_, algorithm)| *algorithm == answer.found_by);
            found.map_or(0, |(code, _)| *code as i8)
        };
        Ok([
            arrays::array(py, &data.dims(), answers.iter().map(|a| a.apart.distance).collect())?,
            arrays::array(py, &data.shaped(&[3]), points(|a| a.apart.on_a))?,
            arrays::array(py, &data.shaped(&[3]), points(|a| a.apart.on_b))?,
            arrays::array(py, &data.dims(), answers.iter().map(code).collect())?,
        ])
    }
}
