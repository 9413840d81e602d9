//! `raycast`: what rays meet, in all worlds at once.

use std::sync::Arc;

use motrix_batch::frame::{self, Pose, add, orientation, position, rotate};
use motrix_batch::{Output, RayAnswers, RayQuestion, Threads};
use motrix_model::{BodyId, GeomId, Model};
use motrix_query::shapes::GROUPS;
use motrix_query::{Ray, Visible};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::arrays::{self, Number, Numbers, shape_text};
use crate::body::Body;
use crate::data::SceneData;
use crate::geom::Geom;
use crate::in_precision;
use crate::link::{Link, of_body};
use crate::model::SceneModel;
use crate::scene::{Part, SceneCore, engine_error};
use crate::site::Site;

/// Vectors of rays: one or many, shared by all worlds or each world's own.
struct Vectors<E> {
    values: Vec<E>,
    /// Vectors given per world.
    count: usize,
    shared: bool,
    /// Whether there is one vector without a dimension for rays.
    single: bool,
}

impl<E: Number> Vectors<E> {
    fn read(value: &Bound<'_, PyAny>, worlds: &[usize], name: &str) -> PyResult<Self> {
        let Numbers { shape, values } = arrays::numbers::<E>(value, name)?;
        let (count, shared, single) = match &shape[..] {
            [3] => (1, true, true),
            [n, 3] => (*n, true, false),
            [w, n, 3] if [*w] == *worlds => (*n, false, false),
            _ => {
                let own = worlds.first().map_or(String::new(), |w| format!(" or ({w}, n, 3)"));
                let given = shape_text(&shape);
                return Err(PyValueError::new_err(format!(
                    "{name}: expected shape (3,), (n, 3){own}, got {given}"
                )));
            }
        };
        Ok(Self {
            values,
            count,
            shared,
            single,
        })
    }

    /// Whether these vectors serve `rays` rays.
    fn serves(&self, rays: usize) -> bool {
        self.single || self.count == rays
    }

    fn at(&self, k: usize, ray: usize) -> [f64; 3] {
        let ray = if self.single { 0 } else { ray };
        let first = 3 * (if self.shared { 0 } else { k * self.count } + ray);
        arrays::doubles(&self.values[first..first + 3])
    }
}

/// A frame that rays are given in: a body, and a pose in it.
struct Carrier {
    body: usize,
    local: Pose,
}

impl Carrier {
    fn read(value: &Bound<'_, PyAny>, core: &Arc<SceneCore>) -> PyResult<Self> {
        let part_of = |part: &Part, body: usize, local: Pose| {
            if !Arc::ptr_eq(&part.core, core) {
                return Err(PyValueError::new_err("frame: it belongs to another model"));
            }
            Ok(Self { body, local })
        };
        let none = frame::pose([0.0; 3], [0.0, 0.0, 0.0, 1.0]);
        if let Ok(site) = value.cast::<Site>() {
            let site = site.get();
            let of_model = &site.part.model().sites[site.part.index];
            let local = frame::pose(of_model.position, frame::ijkw(of_model.orientation));
            return part_of(&site.part, of_model.body.index(), local);
        }
        if let Ok(link) = value.cast::<Link>() {
            return part_of(&link.get().part, link.get().part.index + 1, none);
        }
        if let Ok(geom) = value.cast::<Geom>() {
            let geom = geom.get();
            return part_of(&geom.part, geom.of_model().body.index(), geom.local());
        }
        let found = value.get_type().name()?.to_string();
        Err(PyTypeError::new_err(format!(
            "frame: expected a Link, Site or Geom, got {found}"
        )))
    }
}

/// Which geoms rays see.
fn visible(
    model: &Model,
    groups: Option<&Bound<'_, PyAny>>,
    include_static: bool,
    exclude: Option<&Bound<'_, PyAny>>,
    core: &Arc<SceneCore>,
) -> PyResult<Visible> {
    let mut visible = Visible::all(model);
    if let Some(groups) = groups {
        let mut seen = [false; GROUPS];
        for group in groups.try_iter()? {
            let group: i64 = group?
                .extract()
                .map_err(|_| PyTypeError::new_err("groups: expected numbers 0 to 5"))?;
            let slot = usize::try_from(group).ok().and_then(|g| seen.get_mut(g));
            *slot.ok_or_else(|| {
                PyValueError::new_err(format!("groups: {group} is not a group; they go from 0 to 5"))
            })? = true;
        }
        visible = visible.in_groups(model, seen);
    }
    if !include_static {
        visible = visible.moving(model);
    }
    let Some(exclude) = exclude else { return Ok(visible) };
    for item in exclude.try_iter()? {
        visible = without(visible, model, &item?, core)?;
    }
    Ok(visible)
}

fn without(visible: Visible, model: &Model, item: &Bound<'_, PyAny>, core: &Arc<SceneCore>) -> PyResult<Visible> {
    let own = |part: &Part| {
        let same = Arc::ptr_eq(&part.core, core);
        same.then_some(part.index)
            .ok_or_else(|| PyValueError::new_err("exclude: a part belongs to another model"))
    };
    if let Ok(geom) = item.cast::<Geom>() {
        return Ok(visible.without(GeomId::new(own(&geom.get().part)?)));
    }
    if let Ok(link) = item.cast::<Link>() {
        return Ok(visible.without_body(model, BodyId::new(own(&link.get().part)? + 1)));
    }
    if let Ok(body) = item.cast::<Body>() {
        // A body of Python is a kinematic tree: all links below its root.
        let bodies = core.structure.bodies[own(&body.get().part)?].links.clone();
        return Ok(bodies.fold(visible, |visible, body| visible.without_body(model, BodyId::new(body))));
    }
    let found = item.get_type().name()?.to_string();
    Err(PyTypeError::new_err(format!(
        "exclude: expected geoms, links or bodies, got {found}"
    )))
}

/// What rays meet first.
#[pyfunction]
#[pyo3(signature = (model, data, origins, directions, *, frame = None, max_distance = f64::INFINITY, groups = None,
    include_static = true, exclude = None))]
#[allow(clippy::too_many_arguments)] // The arguments of the Python function.
pub fn raycast<'py>(
    model: &Bound<'py, SceneModel>,
    data: &Bound<'py, SceneData>,
    origins: &Bound<'py, PyAny>,
    directions: &Bound<'py, PyAny>,
    frame: Option<&Bound<'py, PyAny>>,
    max_distance: f64,
    groups: Option<&Bound<'py, PyAny>>,
    include_static: bool,
    exclude: Option<&Bound<'py, PyAny>>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let (py, data) = (data.py(), data.get());
    let core = &model.get().core;
    data.of_scene(core)?;
    if !(max_distance >= 0.0) {
        return Err(PyValueError::new_err(format!(
            "max_distance must not be negative, got {max_distance}"
        )));
    }
    let visible = visible(core.model(), groups, include_static, exclude, core)?;
    let carrier = frame.map(|frame| Carrier::read(frame, core)).transpose()?;
    in_precision!(data.store, worlds => {
        let origins = Vectors::<E>::read(origins, &data.dims(), "origins")?;
        let directions = Vectors::<E>::read(directions, &data.dims(), "directions")?;
        let count = if origins.single { directions.count } else { origins.count };
        if !origins.serves(count) || !directions.serves(count) {
            return Err(PyValueError::new_err(format!(
                "{} origins do not fit {} directions",
                origins.count, directions.count
            )));
        }
        check(&origins, &directions)?;
        let picked: Vec<usize> = data.pick.worlds().collect();
        let total = picked.len() * count;
        let (mut distance, mut geom) = (vec![E::default(); total], vec![-1; total]);
        let mut normal = vec![[E::default(); 3]; total];
        let worlds = worlds.results(py, &core.scene, &data.pick, Output::Poses).map_err(engine_error)?;
        let all = &*worlds;
        py.detach(|| {
            let poses = |world| core.scene.output(all, Output::Poses, world);
            let carried: Option<Vec<Pose>> = carrier.as_ref().map(|carrier| {
                let place = |&world: &usize| frame::attached(&of_body(poses(world), carrier.body, 7), &carrier.local);
                picked.iter().map(place).collect()
            });
            let ray = |k: usize, i: usize| {
                let (origin, direction) = (origins.at(k, i), unit(directions.at(k, i)));
                match &carried {
                    None => Ray { origin, direction },
                    Some(poses) => Ray {
                        origin: add(position(&poses[k]), rotate(orientation(&poses[k]), origin)),
                        direction: rotate(orientation(&poses[k]), direction),
                    },
                }
            };
            let question = RayQuestion { visible: &visible, without: None, reach: max_distance, count };
            let answers = RayAnswers { distance: &mut distance, geom: &mut geom, normal: &mut normal };
            core.scene.cast(all, &picked, question, ray, answers, Threads::Pool);
        });
        drop(worlds);
        let single = origins.single && directions.single;
        let rays: &[usize] = if single { &[] } else { &[count] };
        let shape = data.shaped(rays);
        let normals = data.shaped(&[rays, &[3]].concat());
        Ok((
            arrays::array(py, &shape, distance)?,
            arrays::array(py, &shape, geom)?,
            arrays::array(py, &normals, normal.into_flattened())?,
        ))
    })
}

/// Refuses rays that start or go nowhere.
fn check<E: Number>(origins: &Vectors<E>, directions: &Vectors<E>) -> PyResult<()> {
    let finite = |values: &[E]| values.iter().all(|x| x.to_f64().is_finite());
    if !finite(&origins.values) {
        return Err(PyValueError::new_err("origins: a coordinate is not a finite number"));
    }
    if !finite(&directions.values) {
        return Err(PyValueError::new_err("directions: a component is not a finite number"));
    }
    let vectors = directions.values.chunks_exact(3);
    if let Some(k) = vectors
        .map(|v| v.iter().all(|x| x.to_f64() == 0.0))
        .position(|zero| zero)
    {
        return Err(PyValueError::new_err(format!("directions: vector {k} has no length")));
    }
    Ok(())
}

/// A vector of unit length; directions are checked not to vanish.
fn unit(v: [f64; 3]) -> [f64; 3] {
    let square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    // Far from where squares overflow or vanish.
    if (1e-200..1e200).contains(&square) {
        let inverse = 1.0 / square.sqrt();
        return v.map(|x| x * inverse);
    }
    let largest = v[0].abs().max(v[1].abs()).max(v[2].abs());
    let v = v.map(|x| x / largest);
    let length = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
    v.map(|x| x / length)
}
