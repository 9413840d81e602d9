//! From a compiled model and the poses of its bodies to a stage.

use std::sync::Arc;

use motrix_collide::vector::{Mat3, Vec3, add, rotate, scale};
use motrix_collide::{HeightField, HeightFieldSize, Surface, Window};
use motrix_model::{BodyId, Camera, Geom, GeomKind, Light, LightKind, MaterialId, Model, TextureKind, TrackMode};

use super::lamp::{Lamp, LampKind};
use super::look::Look;
use super::mesh::Triangles;
use super::surface::{Form, Piece, Stage};
use super::texture::Pyramid;

/// Position and orientation `i j k w` of a body.
pub type BodyPose = [f64; 7];

/// A world to be drawn.
#[derive(Clone, Copy, Debug)]
pub struct Choice<'a> {
    /// Poses of all bodies, the world's own first.
    pub bodies: &'a [BodyPose],
    /// Sizes of all geoms, where they differ from the model's.
    pub sizes: Option<&'a [f64]>,
    /// The terrain of all geoms, where it differs from the model's.
    pub terrain: Option<&'a [Option<Arc<HeightField>>]>,
    /// Where its origin is put.
    pub offset: Vec3,
}

impl Choice<'_> {
    /// The sizes of a geom.
    pub(super) fn size_of(&self, index: usize, geom: &Geom) -> Vec3 {
        self.sizes
            .map_or(geom.size, |sizes| [0, 1, 2].map(|k| sizes[3 * index + k]))
    }

    /// Position and axes of what a body carries; `orientation` is `w x y z`. Offsets are left out.
    pub(super) fn placed(&self, body: BodyId, at: Vec3, orientation: [f64; 4]) -> (Vec3, Mat3) {
        let body = &self.bodies[body.index()];
        let turned = rotation(body);
        let axes = product(&turned, &quaternion_matrix(ijkw(orientation)));
        (add(position(body), rotate(&turned, at)), axes)
    }

    /// The terrain of a geom, if it is the world's own.
    fn own_terrain(&self, geom: usize) -> Option<&Arc<HeightField>> {
        self.terrain?[geom].as_ref()
    }
}

/// What pictures of a model need that its worlds share: trees over meshes, textures, looks.
#[derive(Clone, Debug)]
pub struct Assets {
    model: Arc<Model>,
    /// Per geom; none for a mesh without triangles.
    forms: Vec<Option<Form>>,
    /// Per geom.
    looks: Arc<[Look]>,
    sky: Option<Arc<Pyramid>>,
    textures: Vec<Option<Arc<Pyramid>>>,
}

impl Assets {
    /// Prepares a model; the trees over its meshes take a moment.
    pub fn new(model: &Arc<Model>) -> Assets {
        let meshes: Vec<Option<Arc<Triangles>>> = model
            .meshes
            .iter()
            .map(|mesh| Triangles::new(mesh).map(Arc::new))
            .collect();
        let textures: Vec<Option<Arc<Pyramid>>> = model
            .textures
            .iter()
            .map(|texture| Pyramid::new(texture).map(Arc::new))
            .collect();
        let form = |geom: &Geom| {
            Some(match geom.kind {
                GeomKind::Plane => Form::Plane,
                GeomKind::HField(field) => Form::Field(Arc::clone(&model.hfields[field.index()].field)),
                GeomKind::Sphere => Form::Sphere,
                GeomKind::Capsule => Form::Capsule,
                GeomKind::Ellipsoid => Form::Ellipsoid,
                GeomKind::Cylinder => Form::Cylinder,
                GeomKind::Box => Form::Box,
                GeomKind::Mesh(mesh) => Form::Mesh(Arc::clone(meshes[mesh.index()].as_ref()?)),
            })
        };
        let is_sky = |k: &usize| model.textures[*k].kind == TextureKind::Skybox;
        Assets {
            forms: model.geoms.iter().map(form).collect(),
            looks: model
                .geoms
                .iter()
                .map(|geom| look(model, &textures, geom.rgba, geom.material, geom.cast_shadow))
                .collect(),
            sky: (0..textures.len()).find(is_sky).and_then(|k| textures[k].clone()),
            textures,
            model: Arc::clone(model),
        }
    }

    /// The model.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// The looks of all geoms.
    pub fn looks(&self) -> &[Look] {
        &self.looks
    }

    /// The look of something that is no geom.
    pub(super) fn look_of(&self, rgba: [f32; 4], material: Option<MaterialId>, casts: bool) -> Look {
        look(&self.model, &self.textures, rgba, material, casts)
    }

    /// The stage of some worlds. Bit *k* of `groups` shows the geoms of group *k*; `extras` are shown beside them.
    ///
    /// # Panics
    /// If a world has fewer poses than the model has bodies, or fewer sizes than it needs.
    pub fn stage(&self, worlds: &[Choice], groups: u32, extras: &[(Piece, Look)]) -> Stage {
        let mut pieces = Vec::with_capacity(worlds.len() * self.model.geoms.len());
        for (number, world) in worlds.iter().enumerate() {
            let drawn =
                |shared: fn(&Choice, &Choice) -> bool| worlds[..number].iter().any(|other| shared(other, world));
            // Planes without an end, and whatever stands still, are drawn once where they would coincide.
            let (again, plane_again) = (
                drawn(|a, b| a.offset == b.offset),
                drawn(|a, b| a.offset[2] == b.offset[2]),
            );
            for (index, geom) in self.model.geoms.iter().enumerate() {
                let endless = matches!(geom.kind, GeomKind::Plane) && (geom.size[0] <= 0.0 || geom.size[1] <= 0.0);
                let still = geom.body == BodyId::WORLD;
                let shown = (0..32).contains(&geom.group) && groups >> geom.group & 1 != 0;
                let shared = still && world.own_terrain(index).is_none();
                if shown && !(shared && (again || endless && plane_again)) {
                    pieces.extend(self.piece(index, geom, world));
                }
            }
        }
        let mut looks = Arc::clone(&self.looks);
        if !extras.is_empty() {
            let first = looks.len();
            looks = looks
                .iter()
                .chain(extras.iter().map(|(_, look)| look))
                .cloned()
                .collect();
            pieces.extend(extras.iter().enumerate().map(|(k, (piece, _))| Piece {
                look: first + k,
                ..piece.clone()
            }));
        }
        let lamps = worlds.first().map_or(Vec::new(), |world| self.lamps(world));
        Stage {
            pieces,
            looks,
            lamps,
            headlight: self.headlight(),
            sky: self.sky.clone(),
        }
    }

    fn piece(&self, index: usize, geom: &Geom, world: &Choice) -> Option<Piece> {
        let (at, axes) = world.placed(geom.body, geom.position, geom.orientation);
        let form = match world.own_terrain(index) {
            Some(field) => Form::Field(Arc::clone(field)),
            None => self.forms[index].clone()?,
        };
        Some(Piece {
            form,
            size: world.size_of(index, geom),
            position: add(world.offset, at),
            rotation: axes,
            look: index,
            tag: index as i32,
        })
    }

    /// Lights that are on, where the bodies of a world put them.
    fn lamps(&self, world: &Choice) -> Vec<Lamp> {
        let lights = self
            .model
            .lights
            .iter()
            .filter(|light| light.active && light.kind != LightKind::Image);
        lights.map(|light| self.lamp(light, world)).collect()
    }

    fn lamp(&self, light: &Light, world: &Choice) -> Lamp {
        let bodies = world.bodies;
        let body = &bodies[light.body.index()];
        let at = add(position(body), rotate(&rotation(body), light.position));
        let ahead = rotate(&rotation(body), light.direction);
        let place = |body: BodyId| position(&bodies[body.index()]);
        let (at, ahead) = match (light.mode, light.target) {
            (TrackMode::Track, _) => (add(position(body), light.offset_from_body0), light.direction0),
            (TrackMode::TrackCom, _) => {
                let com = subtree_com(&self.model, light.body, bodies);
                (add(com, light.offset_from_com0), light.direction0)
            }
            (TrackMode::TargetBody, Some(target)) => (at, towards(at, place(target), ahead)),
            (TrackMode::TargetBodyCom, Some(target)) => {
                (at, towards(at, subtree_com(&self.model, target, bodies), ahead))
            }
            _ => (at, ahead),
        };
        let at = add(world.offset, at);
        let kind = match light.kind {
            LightKind::Directional => LampKind::Directional(ahead),
            LightKind::Point => LampKind::Point(at),
            LightKind::Spot | LightKind::Image => LampKind::Spot {
                position: at,
                direction: ahead,
                cutoff: f64::from(light.cutoff).to_radians().cos(),
                exponent: light.exponent.clamp(0.0, 128.0) as u32,
            },
        };
        Lamp {
            kind,
            ambient: light.ambient,
            diffuse: light.diffuse,
            specular: light.specular,
            attenuation: light.attenuation,
            casts: light.cast_shadow,
        }
    }

    fn headlight(&self) -> Option<Lamp> {
        let visual = &self.model.visual;
        visual.headlight_active.then_some(Lamp {
            // It is moved into the camera when a shot is made.
            kind: LampKind::Directional([0.0, 0.0, -1.0]),
            ambient: visual.headlight_ambient,
            diffuse: visual.headlight_diffuse,
            specular: visual.headlight_specular,
            attenuation: [1.0, 0.0, 0.0],
            casts: false,
        })
    }
}

/// The part of a height field that a world sees, as a field of its own: centred, and stretched in height. None if it does not fit.
pub fn cut(field: &HeightField, window: &Window) -> Option<HeightField> {
    if !window.fits(field) {
        return None;
    }
    let surface = Surface::new(field, *window);
    let [radius_x, radius_y] = surface.half();
    // A field has some height; one that is pressed flat has numbers of 0 instead.
    let flat = surface.elevation() <= 0.0;
    let nodes = (window.row..window.row + window.rows)
        .flat_map(|row| (window.col..window.col + window.cols).map(move |col| (row, col)));
    let heights = nodes.map(|(row, col)| if flat { 0.0 } else { field.height(row, col) });
    let size = HeightFieldSize {
        radius_x,
        radius_y,
        elevation_z: if flat { 1.0 } else { surface.elevation() },
        base_z: field.size().base_z,
    };
    HeightField::new(window.rows, window.cols, size, heights.collect()).ok()
}

/// The window of a camera of the model, as [`View::window`](super::View::window) has it.
pub fn window(camera: &Camera, width: usize, height: usize) -> [f64; 4] {
    let [fx, fy, cx, cy] = camera.intrinsic.map(f64::from);
    let [w, h] = camera.sensor_size.map(f64::from);
    if camera.orthographic || !(w > 0.0 && h > 0.0 && fx > 0.0 && fy > 0.0) {
        let fovy = if camera.orthographic {
            camera.fovy
        } else {
            camera.fovy.to_radians()
        };
        return super::View::symmetric(fovy, camera.orthographic, width, height);
    }
    [
        (cx - 0.5 * w) / fx,
        (cx + 0.5 * w) / fx,
        (cy - 0.5 * h) / fy,
        (cy + 0.5 * h) / fy,
    ]
}

/// The look of something: its material's, in its own colour where it has one.
fn look(
    model: &Model,
    textures: &[Option<Arc<Pyramid>>],
    rgba: [f32; 4],
    material: Option<MaterialId>,
    casts: bool,
) -> Look {
    /// The colour of what was not given one.
    const UNSET: [f32; 4] = [0.5, 0.5, 0.5, 1.0];
    let Some(material) = material.map(|id| &model.materials[id.index()]) else {
        return Look {
            rgba,
            casts,
            ..Look::default()
        };
    };
    Look {
        rgba: if rgba == UNSET { material.rgba } else { rgba },
        texture: material.texture.and_then(|id| textures[id.index()].clone()),
        uniform: material.texture_uniform,
        repeat: material.texture_repeat,
        emission: material.emission,
        specular: material.specular,
        shininess: material.shininess,
        reflectance: material.reflectance,
        casts,
    }
}

/// The direction from one point to another; `otherwise` when they are the same.
fn towards(from: Vec3, to: Vec3, otherwise: Vec3) -> Vec3 {
    motrix_collide::vector::unit(motrix_collide::vector::sub(to, from)).unwrap_or(otherwise)
}

/// The centre of mass of a body and its descendants.
fn subtree_com(model: &Model, root: BodyId, bodies: &[BodyPose]) -> Vec3 {
    let (mut sum, mut mass) = ([0.0; 3], 0.0);
    let mut inside = vec![false; model.bodies.len()];
    for (index, body) in model.bodies.iter().enumerate().skip(root.index()) {
        inside[index] = index == root.index() || inside[body.parent.index()];
        if inside[index] {
            let com = add(position(&bodies[index]), rotate(&rotation(&bodies[index]), body.com));
            sum = add(sum, scale(com, body.mass));
            mass += body.mass;
        }
    }
    if mass > 0.0 {
        scale(sum, 1.0 / mass)
    } else {
        position(&bodies[root.index()])
    }
}

fn position(pose: &BodyPose) -> Vec3 {
    [pose[0], pose[1], pose[2]]
}

fn rotation(pose: &BodyPose) -> Mat3 {
    quaternion_matrix([pose[3], pose[4], pose[5], pose[6]])
}

/// A quaternion of the model, `w x y z`, in the order of poses.
fn ijkw([w, x, y, z]: [f64; 4]) -> [f64; 4] {
    [x, y, z, w]
}

/// The rotation of a quaternion `i j k w`, row-major.
pub fn quaternion_matrix([i, j, k, w]: [f64; 4]) -> Mat3 {
    [
        1.0 - 2.0 * (j * j + k * k),
        2.0 * (i * j - w * k),
        2.0 * (i * k + w * j),
        2.0 * (i * j + w * k),
        1.0 - 2.0 * (i * i + k * k),
        2.0 * (j * k - w * i),
        2.0 * (i * k - w * j),
        2.0 * (j * k + w * i),
        1.0 - 2.0 * (i * i + j * j),
    ]
}

/// The rotation `b`, then `a`.
fn product(a: &Mat3, b: &Mat3) -> Mat3 {
    std::array::from_fn(|i| {
        let (row, column) = (i / 3, i % 3);
        (0..3).map(|k| a[3 * row + k] * b[3 * k + column]).sum()
    })
}
