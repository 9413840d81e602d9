//! `TerrainScanner` and `GeomHField.sample_height`: heights of terrain under many points.

use std::sync::Arc;

use motrix_batch::Output;
use motrix_batch::frame::{matrix, orientation, position};
use motrix_collide::HeightField;
use motrix_model::GeomKind;
use motrix_query::scan::{Interpolation, Terrain};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::arrays::{self, Number, doubles, shape_text};
use crate::data::SceneData;
use crate::each;
use crate::geom::Geom;
use crate::geom_shapes::GeomHField;
use crate::link::{Link, of_body};
use crate::scene::Part;

/// The heights of a height field geom.
fn field(geom: &Geom) -> PyResult<Arc<HeightField>> {
    match geom.of_model().kind {
        GeomKind::HField(field) => Ok(Arc::clone(&geom.part.model().hfields[field.index()].field)),
        _ => Err(PyTypeError::new_err("the geom is not a height field")),
    }
}

/// Points of the xy plane: shared by all worlds, or each world's own.
struct Points<E> {
    values: Vec<E>,
    count: usize,
    shared: bool,
}

impl<E: Number> Points<E> {
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

/// World heights of a field under points.
pub fn sample<'py>(
    geom: &Geom,
    data: &Bound<'py, SceneData>,
    xy: &Bound<'py, PyAny>,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, data) = (data.py(), data.get());
    data.of_scene(&geom.part.core)?;
    let field = field(geom)?;
    let (scene, body) = (&geom.part.core.scene, geom.of_model().body.index());
    let mut batch = data.results(py, Output::Poses)?;
    each!(batch, worlds => {
        let points = Points::<E>::read(xy, &data.dims())?;
        let shape = data.shaped(&[points.count]);
        if let Some(out) = out {
            arrays::checked_buffer::<E>(out, &shape)?;
        }
        let mut heights = Vec::with_capacity(data.pick.len() * points.count);
        py.detach(|| for (k, world) in data.pick.worlds().enumerate() {
            let pose = geom.pose_in(&of_body(scene.output(worlds, Output::Poses, world), body, 7));
            let terrain = Terrain {
                field: &field,
                position: position(&pose),
                rotation: matrix(orientation(&pose)),
                interpolation: Interpolation::Bilinear,
            };
            heights.extend(points.of_world(k).map(|[x, y]| <E as motrix_spatial::Real>::from_f64(terrain.height(x, y))));
        });
        arrays::array_into(py, &shape, heights, out)
    })
}

/// What a scan returns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ScanOutput {
    Height,
    Clearance,
}

/// Heights under points that move with a link.
#[pyclass(frozen, module = "motrixsim")]
pub struct TerrainScanner {
    terrain: Part,
    field: Arc<HeightField>,
    frame: Part,
    offsets: Vec<[f64; 2]>,
    output: ScanOutput,
    interpolation: Interpolation,
}

#[pymethods]
impl TerrainScanner {
    #[new]
    #[pyo3(signature = (terrain, frame, offsets, alignment = "yaw", output = "height", interpolation = "bilinear"))]
    fn new(
        terrain: &Bound<'_, GeomHField>,
        frame: &Bound<'_, Link>,
        offsets: &Bound<'_, PyAny>,
        alignment: &str,
        output: &str,
        interpolation: &str,
    ) -> PyResult<Self> {
        let geom = terrain.as_super().get();
        if !Arc::ptr_eq(&geom.part.core, &frame.get().part.core) {
            return Err(PyValueError::new_err("terrain and frame belong to different models"));
        }
        let unknown = |what: &str, given: &str, expected: &str| {
            PyValueError::new_err(format!("unsupported {what}: {given:?}, expected {expected}"))
        };
        if alignment != "yaw" {
            return Err(unknown("alignment", alignment, "\"yaw\""));
        }
        let output = match output {
            "height" => ScanOutput::Height,
            "clearance" => ScanOutput::Clearance,
            other => return Err(unknown("output", other, "\"height\" or \"clearance\"")),
        };
        let interpolation = match interpolation {
            "bilinear" => Interpolation::Bilinear,
            "surface" => Interpolation::Surface,
            other => return Err(unknown("interpolation", other, "\"bilinear\" or \"surface\"")),
        };
        let given = arrays::numbers::<f64>(offsets, "offsets")?;
        if given.shape.len() != 2 || given.shape[1] != 2 {
            let shape = shape_text(&given.shape);
            return Err(PyValueError::new_err(format!(
                "offsets must have shape (N, 2), got {shape}"
            )));
        }
        Ok(Self {
            field: field(geom)?,
            terrain: geom.part.clone(),
            frame: frame.get().part.clone(),
            offsets: given.values.chunks_exact(2).map(doubles).collect(),
            output,
            interpolation,
        })
    }

    #[pyo3(signature = (data, out = None))]
    fn scan<'py>(&self, data: &Bound<'py, SceneData>, out: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        let (py, data) = (data.py(), data.get());
        data.of_scene(&self.frame.core)?;
        let scene = &self.frame.core.scene;
        let geom = Geom {
            part: self.terrain.clone(),
        };
        let body = geom.of_model().body.index();
        let mut batch = data.results(py, Output::Poses)?;
        each!(batch, worlds => data.array_into::<E>(py, &[self.offsets.len()], out, |world, out| {
            let poses = scene.output(worlds, Output::Poses, world);
            let frame = of_body(poses, self.frame.index + 1, 7);
            let pose = geom.pose_in(&of_body(poses, body, 7));
            let terrain = Terrain {
                field: &self.field,
                position: position(&pose),
                rotation: matrix(orientation(&pose)),
                interpolation: self.interpolation,
            };
            py.detach(|| self.heights(&terrain, &frame, |height| out.push(motrix_spatial::Real::from_f64(height))));
        }))
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

impl TerrainScanner {
    /// Hands out the reading of each point around a frame.
    fn heights(&self, terrain: &Terrain, frame: &[f64; 7], mut take: impl FnMut(f64)) {
        let r = matrix(orientation(frame));
        // The heading is that of the frame's x axis seen from above; roll and pitch are left out.
        let yaw = r[3].atan2(r[0]);
        let (s, c) = yaw.sin_cos();
        for [x, y] in &self.offsets {
            let height = terrain.height(frame[0] + c * x - s * y, frame[1] + s * x + c * y);
            take(match self.output {
                ScanOutput::Height => height,
                ScanOutput::Clearance => frame[2] - height,
            });
        }
    }
}
