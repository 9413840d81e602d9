//! `Camera` and `CameraMgr`: where cameras are, and what programs set on them for pictures.

use std::sync::{Arc, MutexGuard, PoisonError};

use motrix_batch::Output;
use motrix_batch::frame::{self, Pose, add, cross, sub};
use motrix_model::{Model, TrackMode};
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PySlice, PyString};

use crate::arrays::{self, doubles};
use crate::data::SceneData;
use crate::each;
use crate::link::Link;
use crate::model::SceneModel;
use crate::scene::{Part, SceneCore, describe};

/// Where pictures go.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum RenderTarget {
    Window,
    Image { width: u32, height: u32 },
}

impl RenderTarget {
    fn parse(target: &str, w: i64, h: i64) -> PyResult<Self> {
        match target {
            "window" => Ok(RenderTarget::Window),
            "image" => {
                let pixels = |n: i64| u32::try_from(n).ok().filter(|n| *n > 0);
                let size = pixels(w).zip(pixels(h));
                let (width, height) = size.ok_or_else(|| {
                    PyValueError::new_err(format!("the size of an image must be positive, got {w} x {h}"))
                })?;
                Ok(RenderTarget::Image { width, height })
            }
            other => Err(PyValueError::new_err(format!(
                "unknown render target {other:?}, expected \"window\" or \"image\""
            ))),
        }
    }

    fn name(self) -> &'static str {
        match self {
            RenderTarget::Window => "window",
            RenderTarget::Image { .. } => "image",
        }
    }
}

/// How a camera moves with its link.
const POSITION_TRACKS: [&str; 3] = ["free", "fixed_local", "fixed_world"];
/// How a camera turns with its link.
const ROTATION_TRACKS: [&str; 4] = ["free", "fixed_local", "fixed_world", "look_at_link"];

/// What programs set on a camera.
#[derive(Clone)]
pub struct CameraSettings {
    near: f64,
    far: f64,
    target: RenderTarget,
    depth_only: bool,
    position_track: &'static str,
    rotation_track: &'static str,
    /// Link that is looked at.
    looked_at: Option<usize>,
}

impl CameraSettings {
    /// As the file has it.
    pub fn of(camera: &motrix_model::Camera) -> Self {
        let (position_track, rotation_track) = match camera.mode {
            TrackMode::Fixed => ("fixed_local", "fixed_local"),
            TrackMode::Track | TrackMode::TrackCom => ("fixed_world", "fixed_world"),
            TrackMode::TargetBody | TrackMode::TargetBodyCom => ("fixed_local", "look_at_link"),
        };
        Self {
            near: 0.0,
            far: 0.0,
            target: RenderTarget::Window,
            depth_only: false,
            position_track,
            rotation_track,
            looked_at: camera.target.and_then(|body| body.index().checked_sub(1)),
        }
    }
}

/// The pose of a camera from those of the bodies.
fn pose(model: &Model, camera: &motrix_model::Camera, settings: &CameraSettings, bodies: &[Pose]) -> Pose {
    let body = &bodies[camera.body.index()];
    let local = frame::pose(camera.position, frame::ijkw(camera.orientation));
    let fixed = frame::attached(body, &local);
    let position = match (settings.position_track, camera.mode) {
        ("fixed_world", TrackMode::TrackCom) => {
            add(subtree_com(model, camera.body.index(), bodies), camera.offset_from_com0)
        }
        ("fixed_world", _) => add(frame::position(body), camera.offset_from_body0),
        _ => frame::position(&fixed),
    };
    let orientation = match (settings.rotation_track, settings.looked_at) {
        ("fixed_world", _) => frame::quaternion(camera.rotation0),
        ("look_at_link", Some(link)) => {
            let target = match camera.mode {
                TrackMode::TargetBodyCom => subtree_com(model, link + 1, bodies),
                _ => frame::position(&bodies[link + 1]),
            };
            looking(position, target).unwrap_or_else(|| frame::orientation(&fixed))
        }
        _ => frame::orientation(&fixed),
    };
    frame::pose(position, orientation)
}

/// The orientation of a camera that looks along −z at a target, its x axis level; none when it stands in the target.
fn looking(from: [f64; 3], at: [f64; 3]) -> Option<[f64; 4]> {
    let unit = |v: [f64; 3]| {
        let norm = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        (norm > 1e-15).then(|| v.map(|x| x / norm))
    };
    let z = unit(sub(from, at))?;
    // Straight up or down there is no level direction; x is then the world's.
    let x = unit(cross([0.0, 0.0, 1.0], z)).unwrap_or([1.0, 0.0, 0.0]);
    let y = cross(z, x);
    let q = frame::quaternion([x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]]);
    // Of the two quaternions of a rotation the one with a positive real part, so that poses do not jump between them.
    Some(if q[3] < 0.0 { q.map(|x| -x) } else { q })
}

/// The centre of mass of a body and its descendants.
fn subtree_com(model: &Model, root: usize, bodies: &[Pose]) -> [f64; 3] {
    let (mut sum, mut mass) = ([0.0; 3], 0.0);
    let mut inside = vec![false; model.bodies.len()];
    for (index, body) in model.bodies.iter().enumerate().skip(root) {
        inside[index] = index == root || inside[body.parent.index()];
        if inside[index] {
            let com = frame::attached(&bodies[index], &frame::pose(body.com, [0.0, 0.0, 0.0, 1.0]));
            sum = add(sum, frame::position(&com).map(|x| x * body.mass));
            mass += body.mass;
        }
    }
    if mass > 0.0 {
        sum.map(|x| x / mass)
    } else {
        frame::position(&bodies[root])
    }
}

/// Poses of the chosen cameras.
fn poses<'py>(
    core: &Arc<SceneCore>,
    data: &Bound<'py, SceneData>,
    cameras: &[usize],
    tail: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    let (py, data) = (data.py(), data.get());
    data.of_scene(core)?;
    let settings = settings(core).clone();
    let model = core.model();
    let mut batch = data.results(py, Output::Poses)?;
    each!(batch, worlds => data.array::<E>(py, tail, |world, out| {
        let bodies: Vec<Pose> = core.scene.output(worlds, Output::Poses, world).chunks_exact(7).map(doubles).collect();
        for &camera in cameras {
            let pose = pose(model, &model.cameras[camera], &settings[camera], &bodies);
            out.extend(arrays::rounded::<E, 7>(pose));
        }
    }))
}

/// Poses of all cameras.
pub fn all_poses<'py>(core: &Arc<SceneCore>, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
    let cameras: Vec<usize> = (0..core.model().cameras.len()).collect();
    poses(core, data, &cameras, &[cameras.len(), 7])
}

fn settings(core: &SceneCore) -> MutexGuard<'_, Vec<CameraSettings>> {
    core.cameras.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Width and height of the images of a camera, or of the system camera; none when they go to a window.
pub fn image_size(core: &SceneCore, camera: Option<usize>) -> PyResult<Option<(u32, u32)>> {
    let target = match camera {
        None => *core.system_target.lock().unwrap_or_else(PoisonError::into_inner),
        Some(index) => {
            let settings = settings(core);
            let found = settings.get(index).map(|settings| settings.target);
            found.ok_or_else(|| {
                PyIndexError::new_err(format!("camera {index} is out of range for {} cameras", settings.len()))
            })?
        }
    };
    Ok(match target {
        RenderTarget::Window => None,
        RenderTarget::Image { width, height } => Some((width, height)),
    })
}

/// A camera.
#[pyclass(frozen, eq, hash, module = "motrixsim")]
#[derive(PartialEq, Eq, Hash)]
pub struct Camera {
    part: Part,
}

impl Camera {
    fn of_model(&self) -> &motrix_model::Camera {
        &self.part.model().cameras[self.part.index]
    }

    fn get<T>(&self, read: impl FnOnce(&CameraSettings) -> T) -> T {
        read(&settings(&self.part.core)[self.part.index])
    }

    fn set(&self, write: impl FnOnce(&mut CameraSettings)) {
        write(&mut settings(&self.part.core)[self.part.index]);
    }
}

fn one_of(value: &str, allowed: &[&'static str], what: &str) -> PyResult<&'static str> {
    let found = allowed.iter().find(|known| **known == value);
    found
        .copied()
        .ok_or_else(|| PyValueError::new_err(format!("unknown {what} {value:?}, expected one of {allowed:?}")))
}

#[pymethods]
impl Camera {
    #[getter]
    fn name(&self) -> Option<&str> {
        self.of_model().name.as_deref()
    }

    #[getter]
    fn index(&self) -> usize {
        self.part.index
    }

    #[getter]
    fn model<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, SceneModel>> {
        self.part.scene(py)
    }

    #[getter]
    fn link<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, Link>>> {
        let scene = self.part.scene(py)?;
        let links = scene.get().all_links(py)?;
        let link = self.of_model().body.index().checked_sub(1);
        Ok(link.map(|link| links[link].bind(py).clone()))
    }

    #[getter]
    fn fovy(&self) -> f64 {
        f64::from(self.of_model().fovy as f32)
    }

    #[getter]
    fn near_plane(&self) -> f64 {
        self.get(|settings| settings.near)
    }

    #[getter]
    fn far_plane(&self) -> f64 {
        self.get(|settings| settings.far)
    }

    fn set_near_far(&self, near: f64, far: f64) -> PyResult<()> {
        if !(near > 0.0 && near < far && far.is_finite()) {
            let message = format!("the planes must satisfy 0 < near < far, got {near} and {far}");
            return Err(PyValueError::new_err(message));
        }
        self.set(|settings| (settings.near, settings.far) = (near, far));
        Ok(())
    }

    #[getter]
    fn depth_only(&self) -> bool {
        self.get(|settings| settings.depth_only)
    }

    #[setter]
    fn set_depth_only(&self, value: bool) {
        self.set(|settings| settings.depth_only = value);
    }

    #[getter]
    fn render_target(&self) -> &'static str {
        self.get(|settings| settings.target.name())
    }

    #[pyo3(signature = (target, w = 400, h = 300))]
    fn set_render_target(&self, target: &str, w: i64, h: i64) -> PyResult<()> {
        let target = RenderTarget::parse(target, w, h)?;
        self.set(|settings| settings.target = target);
        Ok(())
    }

    #[getter]
    fn position_track(&self) -> &'static str {
        self.get(|settings| settings.position_track)
    }

    #[setter]
    fn set_position_track(&self, value: &str) -> PyResult<()> {
        let track = one_of(value, &POSITION_TRACKS, "position track")?;
        self.set(|settings| settings.position_track = track);
        Ok(())
    }

    #[getter]
    fn rotation_track(&self) -> &'static str {
        self.get(|settings| settings.rotation_track)
    }

    #[setter]
    fn set_rotation_track(&self, value: &str) -> PyResult<()> {
        let track = one_of(value, &ROTATION_TRACKS, "rotation track")?;
        self.set(|settings| settings.rotation_track = track);
        Ok(())
    }

    #[getter]
    fn track_target_link<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, Link>>> {
        let scene = self.part.scene(py)?;
        let links = scene.get().all_links(py)?;
        let link = self.get(|settings| settings.looked_at);
        Ok(link.map(|link| links[link].bind(py).clone()))
    }

    #[setter]
    fn set_track_target_link(&self, value: Option<&Bound<'_, Link>>) -> PyResult<()> {
        let link = match value {
            Some(link) if !Arc::ptr_eq(&link.get().part.core, &self.part.core) => {
                return Err(PyValueError::new_err("the link belongs to another model"));
            }
            Some(link) => Some(link.get().part.index),
            None => None,
        };
        self.set(|settings| settings.looked_at = link);
        Ok(())
    }

    fn get_pose<'py>(&self, data: &Bound<'py, SceneData>) -> PyResult<Bound<'py, PyAny>> {
        poses(&self.part.core, data, &[self.part.index], &[7])
    }

    fn __repr__(&self) -> String {
        describe("Camera", self.of_model().name.as_deref(), self.part.index)
    }
}

/// The cameras of a scene.
#[pyclass(frozen, module = "motrixsim")]
pub struct CameraMgr {
    pub core: Arc<SceneCore>,
}

impl CameraMgr {
    fn camera(&self, index: usize) -> Camera {
        Camera {
            part: Part {
                core: Arc::clone(&self.core),
                index,
            },
        }
    }

    fn all(&self) -> Vec<Camera> {
        (0..self.__len__()).map(|index| self.camera(index)).collect()
    }
}

#[pymethods]
impl CameraMgr {
    #[getter]
    fn cameras(&self) -> Vec<Camera> {
        self.all()
    }

    #[getter]
    fn model<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, SceneModel>> {
        self.core.object(py)
    }

    fn tolist(&self) -> Vec<Camera> {
        self.all()
    }

    /// What IPython offers after `cameras["`.
    fn _ipython_key_completions_(&self) -> Vec<&str> {
        let cameras = self.core.model().cameras.iter();
        cameras.filter_map(|camera| camera.name.as_deref()).collect()
    }

    fn get_index(&self, name: &str) -> Option<usize> {
        self.core.structure.names.cameras.get(name).copied()
    }

    #[getter]
    fn system_render_target(&self) -> &'static str {
        self.core
            .system_target
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .name()
    }

    #[pyo3(signature = (target, w = 400, h = 300))]
    fn set_system_render_target(&self, target: &str, w: i64, h: i64) -> PyResult<()> {
        let target = RenderTarget::parse(target, w, h)?;
        *self.core.system_target.lock().unwrap_or_else(PoisonError::into_inner) = target;
        Ok(())
    }

    fn __len__(&self) -> usize {
        self.core.model().cameras.len()
    }

    fn __getitem__<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, len) = (key.py(), self.__len__());
        if let Ok(name) = key.cast::<PyString>() {
            let name = name.to_string();
            let index = self.get_index(&name);
            let index = index.ok_or_else(|| PyIndexError::new_err(format!("no camera named {name:?}")))?;
            return Ok(Bound::new(py, self.camera(index))?.into_any());
        }
        if let Ok(slice) = key.cast::<PySlice>() {
            let range = slice.indices(len as isize)?;
            let indices = (0..range.slicelength).map(|k| (range.start + k as isize * range.step) as usize);
            return Ok(PyList::new(py, indices.map(|i| self.camera(i)).collect::<Vec<_>>())?.into_any());
        }
        let wrong = || PyTypeError::new_err("a camera is found by its name, its index or a slice");
        let index: isize = key.extract().map_err(|_| wrong())?;
        let from_start = if index < 0 { index + len as isize } else { index };
        match usize::try_from(from_start) {
            Ok(i) if i < len => Ok(Bound::new(py, self.camera(i))?.into_any()),
            _ => Err(PyIndexError::new_err(format!(
                "camera {index} is out of range for {len} cameras"
            ))),
        }
    }

    fn __repr__(&self) -> String {
        format!("<motrixsim.CameraMgr of {} cameras>", self.__len__())
    }
}
