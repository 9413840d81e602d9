//! `TerrainScanner`, `GeomHField.sample_height` and `sample_normal`: terrain under many points.

use std::sync::Arc;

use motrix_batch::frame::{matrix, orientation, position};
use motrix_batch::{Output, Threads, for_each};
use motrix_collide::{HeightField, Surface};
use motrix_model::GeomKind;
use motrix_query::scan::{Interpolation, Points, ScanScalar, Sweep, Terrain};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::arrays::{self, Number, doubles, shape_text};
use crate::data::SceneData;
use crate::geom::Geom;
use crate::geom_shapes::GeomHField;
use crate::link::{Link, of_body};
use crate::scene::{Part, engine_error};
use crate::terrain_window::{slot, window_in};
use crate::{each, in_precision};

/// The heights of a height field geom.
pub fn field(geom: &Geom) -> PyResult<Arc<HeightField>> {
    match geom.of_model().kind {
        GeomKind::HField(field) => Ok(Arc::clone(&geom.part.model().hfields[field.index()].field)),
        _ => Err(PyTypeError::new_err("the geom is not a height field")),
    }
}

fn unknown(what: &str, given: &str, expected: &str) -> PyErr {
    PyValueError::new_err(format!("unsupported {what}: {given:?}, expected {expected}"))
}

/// How heights between nodes are found.
pub fn interpolation(name: &str) -> PyResult<Interpolation> {
    match name {
        "bilinear" => Ok(Interpolation::Bilinear),
        "surface" => Ok(Interpolation::Surface),
        other => Err(unknown("interp", other, "\"bilinear\" or \"surface\"")),
    }
}

/// Points of the xy plane: shared by all worlds, or each world's own.
struct WorldPoints<E> {
    values: Vec<E>,
    count: usize,
    shared: bool,
}

impl<E: Number> WorldPoints<E> {
    fn read(value: &Bound<'_, PyAny>, worlds: &[usize]) -> PyResult<Self> {
        let given = arrays::numbers::<E>(value, "xy")?;
        let (count, shared) = match &given.shape[..] {
            [2] => (1, true),
            [n, 2] => (*n, true),
            [w, n, 2] if [*w] == *worlds => (*n, false),
            [1, n, 2] => (*n, true),
            shape => {
                let own = if worlds.is_empty() {
                    String::new()
                } else {
                    format!(" or ({}, n, 2)", worlds[0])
                };
                let given = shape_text(shape);
                return Err(PyValueError::new_err(format!(
                    "xy: expected shape (n, 2){own}, got {given}"
                )));
            }
        };
        Ok(Self {
            values: given.values,
            count,
            shared,
        })
    }

    fn of_world(&self, k: usize) -> impl Iterator<Item = [f64; 2]> + '_ {
        let first = if self.shared { 0 } else { 2 * k * self.count };
        self.values[first..first + 2 * self.count].chunks_exact(2).map(doubles)
    }
}

/// What is read at a point.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// The world height of the surface.
    Height,
    /// Its upward normal.
    Normal,
}

/// Heights or normals of a field under points.
pub fn sample<'py>(
    geom: &Geom,
    data: &Bound<'py, SceneData>,
    xy: &Bound<'py, PyAny>,
    reading: Reading,
    interpolation: Interpolation,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, data) = (data.py(), data.get());
    data.of_scene(&geom.part.core)?;
    let (field, slot) = (field(geom)?, slot(geom));
    let (scene, body) = (&geom.part.core.scene, geom.of_model().body.index());
    in_precision!(data.store, worlds => {
        let points = WorldPoints::<E>::read(xy, &data.dims())?;
        let shape = match reading {
            Reading::Height => data.shaped(&[points.count]),
            Reading::Normal => data.shaped(&[points.count, 3]),
        };
        if let Some(out) = out {
            arrays::checked_buffer::<E>(out, &shape)?;
        }
        let mut readings = Vec::with_capacity(shape.iter().product());
        let worlds = worlds.results(py, scene, &data.pick, Output::Poses).map_err(engine_error)?;
        let all = &*worlds;
        py.detach(|| for (k, world) in data.pick.worlds().enumerate() {
            let pose = geom.pose_in(&of_body(scene.output(all, Output::Poses, world), body, 7));
            let terrain = Terrain {
                surface: Surface::new(&field, window_in(all, slot, world)),
                position: position(&pose),
                rotation: matrix(orientation(&pose)),
                interpolation,
            };
            for [x, y] in points.of_world(k) {
                match reading {
                    Reading::Height => readings.push(<E as motrix_spatial::Real>::from_f64(terrain.height(x, y))),
                    Reading::Normal => readings.extend(arrays::rounded::<E, 3>(terrain.normal(x, y))),
                }
            }
        });
        drop(worlds);
        arrays::array_into(py, &shape, readings, out)
    })
}

/// How points turn with a link.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Alignment {
    /// With its heading alone.
    Yaw,
    /// With all of its orientation.
    Full,
}

/// What a scan returns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ScanOutput {
    Height,
    Clearance,
}

/// Worlds of a scan that are worth a thread: some hundred microseconds.
const WORLDS_PER_PART: usize = 128;

/// Heights under points that move with a link.
#[pyclass(frozen, module = "motrixsim")]
pub struct TerrainScanner {
    terrain: Part,
    field: Arc<HeightField>,
    frame: Part,
    offsets: Points,
    alignment: Alignment,
    output: ScanOutput,
    interpolation: Interpolation,
}

#[pymethods]
impl TerrainScanner {
    #[new]
    #[pyo3(signature = (terrain, frame, offsets, alignment = "yaw", output = "height", interp = "bilinear"))]
    fn new(
        terrain: &Bound<'_, GeomHField>,
        frame: &Bound<'_, Link>,
        offsets: &Bound<'_, PyAny>,
        alignment: &str,
        output: &str,
        interp: &str,
    ) -> PyResult<Self> {
        let geom = terrain.as_super().get();
        if !Arc::ptr_eq(&geom.part.core, &frame.get().part.core) {
            return Err(PyValueError::new_err("terrain and frame belong to different models"));
        }
        let alignment = match alignment {
            "yaw" => Alignment::Yaw,
            "full" => Alignment::Full,
            other => return Err(unknown("alignment", other, "\"yaw\" or \"full\"")),
        };
        let output = match output {
            "height" => ScanOutput::Height,
            "clearance" => ScanOutput::Clearance,
            other => return Err(unknown("output", other, "\"height\" or \"clearance\"")),
        };
        let interpolation = interpolation(interp)?;
        let given = arrays::numbers::<f64>(offsets, "offsets")?;
        if given.shape.len() != 2 || given.shape[1] != 2 {
            let shape = shape_text(&given.shape);
            return Err(PyValueError::new_err(format!(
                "offsets must have shape (N, 2), got {shape}"
            )));
        }
        let points: Vec<[f64; 2]> = given.values.chunks_exact(2).map(doubles).collect();
        Ok(Self {
            field: field(geom)?,
            terrain: geom.part.clone(),
            frame: frame.get().part.clone(),
            offsets: Points::new(&points),
            alignment,
            output,
            interpolation,
        })
    }

    #[pyo3(signature = (data, out = None))]
    fn scan<'py>(&self, data: &Bound<'py, SceneData>, out: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        let (py, data) = (data.py(), data.get());
        data.of_scene(&self.frame.core)?;
        let ground = self.ground();
        let mut batch = data.results(py, Output::Poses)?;
        each!(batch, worlds => {
            let count = self.offsets.len();
            let shape = data.shaped(&[count]);
            if let Some(out) = out {
                arrays::checked_buffer::<E>(out, &shape)?;
            }
            let mut readings = vec![E::default(); data.pick.len() * count];
            let worlds = &*worlds;
            let parts = readings.chunks_mut((WORLDS_PER_PART * count).max(1));
            let mut parts: Vec<_> = parts.enumerate().collect();
            py.detach(|| for_each(&mut parts, Threads::Pool, |(part, readings)| {
                for (k, readings) in readings.chunks_exact_mut(count).enumerate() {
                    let world = data.pick.world(*part * WORLDS_PER_PART + k);
                    let poses = self.frame.core.scene.output(worlds, Output::Poses, world);
                    let window = window_in(worlds, ground.slot, world);
                    let sweep = self.sweep(&ground, poses, Surface::new(&self.field, window));
                    E::read(&sweep, &self.offsets, readings);
                }
            }));
            arrays::array_into::<E>(py, &shape, readings, out)
        })
    }

    #[pyo3(signature = (data, out = None))]
    fn scan_normals<'py>(
        &self,
        data: &Bound<'py, SceneData>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, data) = (data.py(), data.get());
        data.of_scene(&self.frame.core)?;
        let ground = self.ground();
        let mut batch = data.results(py, Output::Poses)?;
        each!(batch, worlds => {
            let shape = data.shaped(&[self.offsets.len(), 3]);
            if let Some(out) = out {
                arrays::checked_buffer::<E>(out, &shape)?;
            }
            let mut readings = Vec::with_capacity(shape.iter().product());
            py.detach(|| for world in data.pick.worlds() {
                let poses = self.frame.core.scene.output(worlds, Output::Poses, world);
                let window = window_in(worlds, ground.slot, world);
                let sweep = self.sweep(&ground, poses, Surface::new(&self.field, window));
                for k in 0..self.offsets.len() {
                    let [x, y] = sweep.place(self.offsets.get(k));
                    readings.extend(arrays::rounded::<E, 3>(sweep.terrain.normal(x, y)));
                }
            });
            arrays::array_into::<E>(py, &shape, readings, out)
        })
    }

    fn __repr__(&self) -> String {
        let frame = self.frame.model().bodies[self.frame.index + 1].name.as_deref();
        format!(
            "<motrixsim.TerrainScanner of {} points around {}>",
            self.offsets.len(),
            frame.unwrap_or("a link without a name")
        )
    }
}

/// The terrain of a scanner.
struct Ground {
    geom: Geom,
    body: usize,
    slot: usize,
}

impl TerrainScanner {
    fn ground(&self) -> Ground {
        let geom = Geom {
            part: self.terrain.clone(),
        };
        let (body, slot) = (geom.of_model().body.index(), slot(&geom));
        Ground { geom, body, slot }
    }

    /// The sweep of a world with the given poses of bodies.
    fn sweep<'a, E: ScanScalar>(&self, ground: &Ground, poses: &[E], surface: Surface<'a>) -> Sweep<'a> {
        let frame = of_body(poses, self.frame.index + 1, 7);
        let pose = ground.geom.pose_in(&of_body(poses, ground.body, 7));
        let r = matrix(orientation(&frame));
        let axes = match self.alignment {
            Alignment::Full => [[r[0], r[3]], [r[1], r[4]]],
            // The heading is that of the frame's x axis seen from above; roll and pitch are left out.
            Alignment::Yaw => {
                let length = r[0].hypot(r[3]);
                let [c, s] = if length > 0.0 {
                    [r[0] / length, r[3] / length]
                } else {
                    [1.0, 0.0]
                };
                [[c, s], [-s, c]]
            }
        };
        let (base, sign) = match self.output {
            ScanOutput::Height => (0.0, 1.0),
            ScanOutput::Clearance => (frame[2], -1.0),
        };
        Sweep {
            terrain: Terrain {
                surface,
                position: position(&pose),
                rotation: matrix(orientation(&pose)),
                interpolation: self.interpolation,
            },
            origin: [frame[0], frame[1]],
            axes,
            base,
            sign,
        }
    }
}
