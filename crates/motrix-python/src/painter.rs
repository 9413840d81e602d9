//! `Painter`: pictures from arrays of poses. What users see of it is the package `motrixsim.render`.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use motrix_batch::{Overridden, Threads, WINDOW_WIDTH, pictures};
use motrix_collide::HeightField;
use motrix_model::GeomKind;
use motrix_query::picture::{
    Assets, BodyPose, Choice, Form, Look, NOTHING, Piece, Quality, Shot, View, quaternion_matrix, window,
};
use numpy::Element;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;

use crate::arrays::{self, Numbers, doubles, shape_text};
use crate::camera;
use crate::data::SceneData;
use crate::each;
use crate::model::SceneModel;
use crate::scene::{SceneCore, engine_error};
use crate::terrain_cuts::{cut_terrain, field_of, own_terrain};

/// Pixels along a side; a picture of this size still fits into memory.
const MAX_SIDE: usize = 16384;
/// Pose, window, orthographic or not, near, far.
const VIEW_WIDTH: usize = 14;
/// Kind, size, pose, colour.
const EXTRA_WIDTH: usize = 15;
/// Both ends, radius, colour.
const ROD_WIDTH: usize = 11;

/// Pictures of a model.
#[pyclass(frozen, module = "motrixsim")]
pub struct Painter {
    core: Arc<SceneCore>,
    assets: Assets,
}

/// What to draw, checked.
struct Order {
    links: Numbers<f64>,
    sizes: Option<Vec<f64>>,
    /// Per picture, world and geom: terrain that is not the model's.
    terrain: Option<Vec<Option<Arc<HeightField>>>>,
    /// Whether tendons are drawn. Depths and segmentations are those of geoms.
    tendons: bool,
    offsets: Vec<f64>,
    views: Vec<f64>,
    extras: Vec<(Piece, Look)>,
    size: [usize; 2],
    quality: Quality,
    groups: u32,
}

impl Order {
    fn pictures(&self) -> usize {
        self.links.shape[0]
    }

    fn worlds(&self) -> usize {
        self.links.shape[1]
    }

    fn view(&self, picture: usize) -> View {
        let row = &self.views[picture * VIEW_WIDTH..(picture + 1) * VIEW_WIDTH];
        View {
            position: doubles(row),
            rotation: quaternion_matrix(doubles(&row[3..])),
            window: doubles(&row[7..]),
            orthographic: row[11] != 0.0,
            width: self.size[0],
            height: self.size[1],
            range: doubles(&row[12..]),
        }
    }

    fn shot(&self, assets: &Assets, picture: usize) -> Shot {
        let (worlds, bodies) = (self.worlds(), self.links.shape[2] + 1);
        let (per_world, geoms) = (7 * (bodies - 1), assets.model().geoms.len());
        let first = picture * worlds * per_world;
        let poses = body_poses(&self.links.values[first..first + worlds * per_world], worlds);
        let own = |world: usize| {
            let first = (picture * worlds + world) * geoms;
            self.terrain.as_ref().map(|terrain| &terrain[first..first + geoms])
        };
        let choice = |world: usize| Choice {
            terrain: own(world),
            bodies: &poses[world * bodies..(world + 1) * bodies],
            sizes: self.sizes.as_ref().map(|sizes| {
                let first = (picture * worlds + world) * 3 * geoms;
                &sizes[first..first + 3 * geoms]
            }),
            offset: doubles(&self.offsets[3 * world..]),
        };
        let choices: Vec<Choice> = (0..worlds).map(choice).collect();
        let mut extras = Cow::Borrowed(&self.extras);
        if self.tendons {
            for choice in &choices {
                extras.to_mut().extend(assets.tendons(choice, self.groups));
            }
        }
        let stage = assets.stage(&choices, self.groups, &extras);
        Shot::new(&stage, &self.view(picture), self.quality)
    }
}

/// Poses of all bodies of some worlds, the world's own first, from those of their links.
fn body_poses(links: &[f64], worlds: usize) -> Vec<BodyPose> {
    const ORIGIN: BodyPose = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    let per_world = links.len() / worlds.max(1);
    let of_world = |world: usize| {
        let links = &links[world * per_world..(world + 1) * per_world];
        std::iter::once(ORIGIN).chain(links.chunks_exact(7).map(doubles))
    };
    (0..worlds).flat_map(of_world).collect()
}

/// An array of the shape expected.
fn shaped(value: &Bound<'_, PyAny>, shape: &[usize], name: &str) -> PyResult<Vec<f64>> {
    let given = arrays::numbers::<f64>(value, name)?;
    if given.shape != shape {
        let (expected, given) = (shape_text(shape), shape_text(&given.shape));
        return Err(PyValueError::new_err(format!(
            "{name}: expected shape {expected}, got {given}"
        )));
    }
    Ok(given.values)
}

/// Shapes that are drawn beside the model's, from rows of kind, size, pose and colour.
fn extras(value: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<(Piece, Look)>> {
    let Some(value) = value else { return Ok(Vec::new()) };
    let given = arrays::numbers::<f64>(value, "extras")?;
    if given.shape.len() != 2 || given.shape[1] != EXTRA_WIDTH {
        let message = format!(
            "extras: expected shape (n, {EXTRA_WIDTH}), got {}",
            shape_text(&given.shape)
        );
        return Err(PyValueError::new_err(message));
    }
    given.values.chunks_exact(EXTRA_WIDTH).map(extra).collect()
}

fn extra(row: &[f64]) -> PyResult<(Piece, Look)> {
    // MuJoCo's numbers of the shapes.
    let form = match row[0] as i64 {
        0 => Form::Plane,
        2 => Form::Sphere,
        3 => Form::Capsule,
        4 => Form::Ellipsoid,
        5 => Form::Cylinder,
        6 => Form::Box,
        other => {
            return Err(PyValueError::new_err(format!(
                "extras: no shape has the number {other}"
            )));
        }
    };
    let piece = Piece {
        form,
        size: doubles(&row[1..]),
        position: doubles(&row[4..]),
        rotation: quaternion_matrix(doubles(&row[7..])),
        look: 0,
        tag: NOTHING,
    };
    let colour: [f64; 4] = doubles(&row[11..]);
    let look = Look {
        rgba: colour.map(|x| x as f32),
        // Marks are to be seen: they glow, and are no part of the scene that could shade it.
        emission: 0.5,
        specular: 0.0,
        casts: false,
        ..Look::default()
    };
    Ok((piece, look))
}

impl Painter {
    fn drawn<'py, P: pictures::Pixel + Element>(&self, py: Python<'py>, order: &Order) -> PyResult<Bound<'py, PyAny>> {
        let [width, height] = order.size;
        let pixels = py.detach(|| {
            let shot = |picture: usize| order.shot(&self.assets, picture);
            pictures::draw::<P>(order.pictures(), order.size, shot, Threads::Pool)
        });
        let pixels = pixels.map_err(engine_error)?;
        let shape = [order.pictures(), height, width, P::CHANNELS];
        let shape = if P::CHANNELS == 1 { &shape[..3] } else { &shape[..] };
        arrays::array(py, shape, pixels)
    }
}

#[pymethods]
impl Painter {
    #[new]
    fn new(py: Python<'_>, model: &Bound<'_, SceneModel>) -> Self {
        let core = Arc::clone(&model.get().core);
        let assets = py.detach(|| Assets::new(core.model()));
        Self { core, assets }
    }

    #[getter]
    fn model<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, SceneModel>> {
        self.core.object(py)
    }

    /// Colours of the geoms as pictures show them, shape `(geoms, 4)`.
    fn geom_colours<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let looks = self.assets.looks();
        let values: Vec<f32> = looks.iter().flat_map(|look| look.rgba).collect();
        arrays::array(py, &[looks.len(), 4], values)
    }

    /// Groups of the geoms.
    fn geom_groups(&self) -> Vec<i32> {
        self.core.model().geoms.iter().map(|geom| geom.group).collect()
    }

    /// Vertices and faces of a mesh or of terrain, or of a window of it, in the frame of the geom; None for other shapes.
    #[pyo3(signature = (geom, window = None))]
    fn geom_mesh<'py>(
        &self,
        py: Python<'py>,
        geom: usize,
        window: Option<[f64; WINDOW_WIDTH]>,
    ) -> PyResult<Option<(Bound<'py, PyAny>, Bound<'py, PyAny>)>> {
        let model = self.core.model();
        let count = model.geoms.len();
        let found = model.geoms.get(geom);
        let found =
            found.ok_or_else(|| PyIndexError::new_err(format!("geom {geom} is out of range for {count} geoms")))?;
        let (vertices, faces) = match found.kind {
            GeomKind::Mesh(mesh) => {
                let mesh = &model.meshes[mesh.index()];
                (mesh.vertices.clone(), mesh.faces.clone())
            }
            GeomKind::HField(field) => {
                let field = &model.hfields[field.index()].field;
                let own = window.map(|row| own_terrain(field, &row)).transpose()?.flatten();
                surface_of(own.as_ref().unwrap_or(field))
            }
            _ => return Ok(None),
        };
        let (v, f) = ([vertices.len(), 3], [faces.len(), 3]);
        let vertices = arrays::array(py, &v, vertices.into_flattened())?;
        Ok(Some((vertices, arrays::array(py, &f, faces.into_flattened())?)))
    }

    /// Width and height of the images of a camera, or of the system camera; None when they go to a window.
    #[pyo3(signature = (camera = None))]
    fn image_size(&self, camera: Option<usize>) -> PyResult<Option<(u32, u32)>> {
        camera::image_size(&self.core, camera)
    }

    /// Where the file puts the free camera: point looked at, distance, elevation, azimuth, field of view; degrees.
    fn free_camera(&self) -> ([f64; 3], f64, f64, f64, f64) {
        let model = self.core.model();
        let (visual, statistic) = (&model.visual, &model.statistic);
        let [elevation, azimuth, fovy] = [visual.elevation, visual.azimuth, visual.fovy].map(f64::from);
        (statistic.center, 1.5 * statistic.extent, elevation, azimuth, fovy)
    }

    fn geom_sizes<'py>(&self, data: &Bound<'py, SceneData>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (py, data) = (data.py(), data.get());
        data.of_scene(&self.core)?;
        let geoms = self.core.model().geoms.len();
        let mut batch = data.lock(py);
        each!(batch, worlds => {
            if !worlds.overrides.has(Overridden::GeomSize) {
                return Ok(None);
            }
            let sizes = data.array::<E>(py, &[geoms, 3], |world, out| {
                out.extend_from_slice(worlds.overrides.get(Overridden::GeomSize, world));
            });
            sizes.map(Some)
        })
    }

    /// Windows of the height field geoms: row, column, rows, columns and factor of the heights; None when all worlds see all.
    fn geom_windows<'py>(&self, data: &Bound<'py, SceneData>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (py, data) = (data.py(), data.get());
        data.of_scene(&self.core)?;
        let model = self.core.model();
        let fields = model
            .geoms
            .iter()
            .filter(|geom| matches!(geom.kind, GeomKind::HField(_)))
            .count();
        let mut batch = data.lock(py);
        each!(batch, worlds => {
            if fields == 0 || !worlds.overrides.has(Overridden::TerrainWindow) {
                return Ok(None);
            }
            let windows = data.array::<E>(py, &[fields, WINDOW_WIDTH], |world, out| {
                out.extend_from_slice(worlds.overrides.get(Overridden::TerrainWindow, world));
            });
            windows.map(Some)
        })
    }

    /// A number that changes when heights of the model do.
    fn terrain_digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for hfield in &self.core.model().hfields {
            for height in hfield.field.heights() {
                height.to_bits().hash(&mut hasher);
            }
        }
        hasher.finish()
    }

    fn window(&self, camera: usize, width: usize, height: usize) -> PyResult<([f64; 4], bool)> {
        let cameras = &self.core.model().cameras;
        let camera = cameras.get(camera).ok_or_else(|| {
            PyIndexError::new_err(format!("camera {camera} is out of range for {} cameras", cameras.len()))
        })?;
        checked_size(width, height)?;
        Ok((window(camera, width, height), camera.orthographic))
    }

    fn tendons<'py>(
        &self,
        py: Python<'py>,
        links: &Bound<'py, PyAny>,
        offsets: &Bound<'py, PyAny>,
        groups: u32,
    ) -> PyResult<Bound<'py, PyAny>> {
        let model = self.core.model();
        let offsets = arrays::numbers::<f64>(offsets, "offsets")?;
        let [worlds, 3] = offsets.shape[..] else {
            let given = shape_text(&offsets.shape);
            return Err(PyValueError::new_err(format!(
                "offsets: expected shape (worlds, 3), got {given}"
            )));
        };
        let bodies = model.bodies.len();
        let links = shaped(links, &[worlds, bodies - 1, 7], "links")?;
        let poses = body_poses(&links, worlds);
        let choice = |world: usize| Choice {
            bodies: &poses[world * bodies..(world + 1) * bodies],
            sizes: None,
            terrain: None,
            offset: doubles(&offsets.values[3 * world..]),
        };
        let rods = (0..worlds).flat_map(|world| self.assets.tendons(&choice(world), groups));
        let rows: Vec<f64> = rods.flat_map(|(piece, look)| rod_row(&piece, &look)).collect();
        arrays::array(py, &[rows.len() / ROD_WIDTH, ROD_WIDTH], rows)
    }

    #[pyo3(signature = (kind, links, offsets, views, width, height, samples = 1, shadows = true, groups = 7, sizes = None, extras = None, windows = None))]
    #[allow(clippy::too_many_arguments)]
    fn paint<'py>(
        &self,
        py: Python<'py>,
        kind: &str,
        links: &Bound<'py, PyAny>,
        offsets: &Bound<'py, PyAny>,
        views: &Bound<'py, PyAny>,
        width: usize,
        height: usize,
        samples: usize,
        shadows: bool,
        groups: u32,
        sizes: Option<&Bound<'py, PyAny>>,
        extras: Option<&Bound<'py, PyAny>>,
        windows: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let model = self.core.model();
        let links = arrays::numbers::<f64>(links, "links")?;
        let [pictures, worlds, _, 7] = links.shape[..] else {
            let given = shape_text(&links.shape);
            return Err(PyValueError::new_err(format!(
                "links: expected shape (pictures, worlds, {}, 7), got {given}",
                model.bodies.len() - 1
            )));
        };
        if links.shape[2] + 1 != model.bodies.len() {
            return Err(PyValueError::new_err(format!(
                "links: the model has {} links, got {}",
                model.bodies.len() - 1,
                links.shape[2]
            )));
        }
        if !matches!(samples, 1 | 2 | 4) {
            return Err(PyValueError::new_err(format!(
                "samples must be 1, 2 or 4, got {samples}"
            )));
        }
        let size = checked_size(width, height)?;
        let geoms = model.geoms.len();
        let fields = model.geoms.iter().filter_map(|geom| field_of(model, geom)).count();
        let windows = windows
            .map(|windows| shaped(windows, &[pictures, worlds, fields, WINDOW_WIDTH], "windows"))
            .transpose()?;
        let order = Order {
            links,
            sizes: sizes
                .map(|sizes| shaped(sizes, &[pictures, worlds, geoms, 3], "sizes"))
                .transpose()?,
            terrain: windows.map(|windows| cut_terrain(model, &windows)).transpose()?,
            tendons: kind == "rgb" && !model.tendons.is_empty(),
            offsets: shaped(offsets, &[worlds, 3], "offsets")?,
            views: shaped(views, &[pictures, VIEW_WIDTH], "views")?,
            extras: self::extras(extras)?,
            size,
            quality: Quality {
                samples: if kind == "rgb" { samples } else { 1 },
                shadows,
            },
            groups,
        };
        match kind {
            "rgb" => self.drawn::<u8>(py, &order),
            "depth" => self.drawn::<f32>(py, &order),
            "segmentation" => self.drawn::<i32>(py, &order),
            other => Err(PyValueError::new_err(format!(
                "unknown kind of picture {other:?}, expected \"rgb\", \"depth\" or \"segmentation\""
            ))),
        }
    }
}

/// The ends of a rod, its radius and its colour.
fn rod_row(piece: &Piece, look: &Look) -> [f64; ROD_WIDTH] {
    let [radius, half, _] = piece.size;
    let end = |sign: f64| [0, 1, 2].map(|k| piece.position[k] + sign * half * piece.rotation[3 * k + 2]);
    let ([ax, ay, az], [bx, by, bz]) = (end(-1.0), end(1.0));
    let [r, g, b, a] = look.rgba.map(f64::from);
    [ax, ay, az, bx, by, bz, radius, r, g, b, a]
}

/// The surface of terrain as triangles.
fn surface_of(field: &HeightField) -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
    let (nrow, ncol) = (field.nrow(), field.ncol());
    let nodes = (0..nrow * ncol).map(|k| field.node(k / ncol, k % ncol).map(|x| x as f32));
    let cells = (0..(nrow - 1) * (ncol - 1)).map(|k| (k / (ncol - 1), k % (ncol - 1)));
    let faces = cells.flat_map(|(row, col)| {
        let node = |r: usize, c: usize| (r * ncol + c) as u32;
        let (near, far) = (node(row, col), node(row + 1, col + 1));
        [[near, far, node(row + 1, col)], [near, node(row, col + 1), far]]
    });
    (nodes.collect(), faces.collect())
}

fn checked_size(width: usize, height: usize) -> PyResult<[usize; 2]> {
    let fits = |side: usize| (1..=MAX_SIDE).contains(&side);
    if fits(width) && fits(height) {
        return Ok([width, height]);
    }
    let message = format!("a picture has 1 to {MAX_SIDE} pixels along a side, got {width} x {height}");
    Err(PyValueError::new_err(message))
}
