//! Compiled assets and the search for those that geoms name.
//!
//! Assets are compiled before bodies, whose mass and bounds depend on them. An asset that cannot be made is reported once,
//! where it stands; what refers to it is then left out without further complaints.

use motrix_model::{GeomKind, HFieldId, Material, MaterialId, MeshId, Model, Texture};

use super::draft::BodyDraft;
use super::fuse::Referenced;
use super::lidar;
use super::material::material;
use super::names::Names;
use super::texture::texture;
use crate::assets::AssetError;
use crate::assets::height_field::{Elevations, HeightFieldFormat};
use crate::assets::mesh::builtin::builtin;
use crate::assets::mesh::{MeshAsset, MeshFormat, MeshInertia, MeshOptions, Surface, compile};
use crate::document::{AssetKind, Document, Element, FileError, Files};
use crate::problem::{NoteKind, Problems};
use crate::schema::Namespace;

/// All assets of a model.
#[derive(Debug, Default)]
pub struct Assets {
    names: Names,
    meshes: Vec<MeshEntry>,
    fields: Vec<Option<motrix_collide::HeightField>>,
    field_names: Vec<String>,
    materials: Vec<Material>,
    textures: Vec<Texture>,
    lidars: Vec<Option<lidar::Pattern>>,
    /// Whether geoms, sites and tendons have materials at all.
    discards_visuals: bool,
}

#[derive(Debug)]
struct MeshEntry {
    name: String,
    asset: Option<MeshAsset>,
    scale: [f64; 3],
    material: Option<MaterialId>,
}

impl Assets {
    /// Compiles all assets of the document.
    pub fn compile(document: &Document, files: &dyn Files, problems: &mut Problems) -> Self {
        let of = |tag: &'static str| document.assets.iter().filter(move |element| element.tag() == tag);
        let mut assets = Self {
            discards_visuals: document.settings.compiler.compiler().discardvisual,
            ..Self::default()
        };
        for (kind, tag) in [
            (Namespace::Mesh, "mesh"),
            (Namespace::HField, "hfield"),
            (Namespace::Texture, "texture"),
            (Namespace::Material, "material"),
            (Namespace::Lidar, "lidar"),
        ] {
            let names: Vec<Option<String>> = of(tag).map(|element| asset_name(element, problems)).collect();
            assets.names.add(kind, names.iter().map(Option::as_deref));
            if kind == Namespace::HField {
                assets.field_names = names.into_iter().map(Option::unwrap_or_default).collect();
            }
        }
        assets.materials = of("material")
            .map(|element| material(element, &assets.names, problems))
            .collect();
        if !assets.discards_visuals {
            assets.textures = of("texture").map(|element| texture(element, files, problems)).collect();
        }
        let colliding = Colliding::of(document, problems);
        for element in of("mesh") {
            let entry = assets.mesh_entry(element, &colliding, files, problems);
            assets.meshes.push(entry);
        }
        assets.fields = of("hfield").map(|element| field(element, files, problems)).collect();
        assets.lidars = of("lidar").map(|element| lidar::pattern(element, problems)).collect();
        for element in document
            .assets
            .iter()
            .filter(|element| matches!(element.tag(), "skin" | "gsplat"))
        {
            problems.push(
                element
                    .problem(format!("assets of type {}", element.tag()))
                    .note(NoteKind::NotSupported),
            );
        }
        assets
    }

    /// Names of all assets, for what refers to them from outside the tree.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// The mesh that `attribute` names; its data are none when it could not be made.
    pub fn mesh(
        &self,
        element: &Element,
        attribute: &str,
        problems: &mut Problems,
    ) -> Option<(MeshId, Option<&MeshAsset>)> {
        let index = self.names.find(element, attribute, Namespace::Mesh, problems)?;
        let asset = self.meshes[index].asset.as_ref();
        if asset.is_none() {
            let message = "the mesh is left out, and this with it";
            problems.push(element.problem_with(attribute, message).note(NoteKind::NotSupported));
        }
        Some((MeshId::new(index), asset))
    }

    /// The height field that `attribute` names, with its extent x, y, up, down.
    pub fn hfield(&self, element: &Element, attribute: &str, problems: &mut Problems) -> Option<(HFieldId, [f64; 4])> {
        let index = self.names.find(element, attribute, Namespace::HField, problems)?;
        let size = self.fields[index].as_ref()?.size();
        Some((
            HFieldId::new(index),
            [size.radius_x, size.radius_y, size.elevation_z, size.base_z],
        ))
    }

    /// The material that `element` names.
    pub fn material(&self, element: &Element, problems: &mut Problems) -> Option<MaterialId> {
        // fixed tendons have no attribute for it, but take that of their default class
        let has_one = element.rule().attribute("material").is_some() || element.rule().family.is_some();
        if self.discards_visuals || !has_one {
            return None;
        }
        self.names
            .find(element, "material", Namespace::Material, problems)
            .map(MaterialId::new)
    }

    /// The material of a geom: its own, or that of its mesh.
    pub fn material_of_geom(
        &self,
        element: &Element,
        mesh: Option<MeshId>,
        problems: &mut Problems,
    ) -> Option<MaterialId> {
        match element.has("material") {
            true => self.material(element, problems),
            false => mesh
                .and_then(|id| self.meshes[id.index()].material)
                .filter(|_| !self.discards_visuals),
        }
    }

    /// Drops the meshes that nothing in the tree uses and nothing else refers to.
    pub fn discard_meshes(&mut self, world: &mut BodyDraft, referenced: &Referenced) {
        let mut used: Vec<bool> = self
            .meshes
            .iter()
            .map(|mesh| referenced.needs_mesh(&mesh.name))
            .collect();
        world.visit_shapes(&mut |kind, _| {
            if let GeomKind::Mesh(id) = kind {
                used[id.index()] = true;
            }
        });
        let mut kept = 0;
        let renumbered: Vec<Option<MeshId>> = used
            .iter()
            .map(|&used| {
                kept += usize::from(used);
                used.then(|| MeshId::new(kept - 1))
            })
            .collect();
        world.visit_shapes(&mut |kind, fitted| {
            if let GeomKind::Mesh(id) = kind {
                *id = renumbered[id.index()].unwrap_or(*id);
            }
            *fitted = fitted.and_then(|id| renumbered[id.index()]);
        });
        let mut used = used.into_iter();
        self.meshes.retain(|_| used.next().unwrap_or(false));
        self.names
            .renumber(Namespace::Mesh, |index| renumbered[index].map(MeshId::index));
    }

    /// The patterns of scanners, which go into the model with the sensors that use them.
    pub fn take_lidars(&mut self) -> Vec<Option<lidar::Pattern>> {
        std::mem::take(&mut self.lidars)
    }

    /// Moves the assets into the model.
    pub fn store(self, model: &mut Model) {
        model.meshes = self.meshes.into_iter().map(MeshEntry::into_model).collect();
        let fields = self.fields.into_iter().zip(self.field_names);
        model.hfields = fields
            .filter_map(|(field, name)| {
                Some(motrix_model::HField {
                    name,
                    field: std::sync::Arc::new(field?),
                })
            })
            .collect();
        if !self.discards_visuals {
            model.materials = self.materials;
            model.textures = self.textures;
        }
    }

    fn mesh_entry(
        &self,
        element: &Element,
        colliding: &Colliding,
        files: &dyn Files,
        problems: &mut Problems,
    ) -> MeshEntry {
        let name = element.asset_name().unwrap_or_default().to_owned();
        let scale = element.reals("scale", problems).unwrap_or([1.0; 3]);
        let needs_hull = colliding.meshes.contains(&name);
        let material = self
            .names
            .find(element, "material", Namespace::Material, problems)
            .map(MaterialId::new);
        let asset = mesh(element, scale, needs_hull, files, problems);
        MeshEntry {
            name,
            asset,
            scale,
            material,
        }
    }
}

impl MeshEntry {
    fn into_model(self) -> motrix_model::Mesh {
        let Some(asset) = self.asset else {
            return motrix_model::Mesh {
                name: self.name,
                ..Default::default()
            };
        };
        let hull = asset.hull.as_ref().and_then(|hull| {
            let points: Vec<[f64; 3]> = asset.vertices.iter().map(|vertex| vertex.map(f64::from)).collect();
            motrix_collide::Hull::from_alike(&points, &hull.faces, &asset.hull_facing)
                .ok()
                .map(std::sync::Arc::new)
        });
        motrix_model::Mesh {
            name: self.name,
            vertices: asset.vertices,
            normals: asset.normals,
            texcoords: asset.texcoords,
            faces: asset.faces,
            face_normals: asset.face_normals,
            face_texcoords: asset.face_texcoords,
            position: asset.pos,
            orientation: asset.quat,
            scale: self.scale,
            hull,
        }
    }
}

/// An asset's name: its own or that of its file. Only skyboxes can do without.
fn asset_name(element: &Element, problems: &mut Problems) -> Option<String> {
    let name = element.asset_name().map(str::to_owned);
    let is_skybox = element.tag() == "texture" && element.text("type") == Some("skybox");
    if name.is_none() && !is_skybox {
        problems.push(element.problem("the asset needs a name or a file"));
    }
    name
}

/// Meshes whose hulls are needed: something can collide with them, or a site has their volume.
struct Colliding {
    meshes: std::collections::HashSet<String>,
}

impl Colliding {
    fn of(document: &Document, problems: &mut Problems) -> Self {
        let pairs = document.outer.contacts.iter().filter(|element| element.tag() == "pair");
        let paired: std::collections::HashSet<&str> = pairs
            .flat_map(|pair| ["geom1", "geom2"].map(|name| pair.text(name)))
            .flatten()
            .collect();
        let mut meshes = std::collections::HashSet::new();
        document.world.visit(&mut |element| {
            if !matches!(element.tag(), "geom" | "site") || element.text("type") != Some("mesh") {
                return;
            }
            let mut bits = |name: &str| element.int(name, problems).unwrap_or(1);
            let needed = element.tag() == "site"
                || bits("contype") != 0
                || bits("conaffinity") != 0
                || element.name().is_some_and(|name| paired.contains(name));
            if needed {
                meshes.extend(element.text("mesh").map(str::to_owned));
            }
        });
        Self { meshes }
    }
}

/// Reads the file that `attribute` mentions from the first place where it is.
pub fn read_asset(
    element: &Element,
    attribute: &str,
    kind: AssetKind,
    files: &dyn Files,
    problems: &mut Problems,
) -> Option<std::sync::Arc<[u8]>> {
    let candidates = element.file_candidates(attribute, kind);
    for path in &candidates {
        match files.read(path) {
            Ok(bytes) => return Some(bytes),
            Err(FileError::NotFound) => {}
            Err(error) => {
                problems.push(element.problem_with(attribute, format!("cannot read {path}: {error}")));
                return None;
            }
        }
    }
    if let Some(path) = candidates.first() {
        problems.push(element.problem_with(attribute, format!("no file {path}")));
    }
    None
}

/// The value, or a record of why there is none.
pub fn report<T>(
    element: &Element,
    attribute: &str,
    made: Result<T, AssetError>,
    problems: &mut Problems,
) -> Option<T> {
    made.map_err(|error| problems.push(element.problem_with(attribute, error.message())))
        .ok()
}

fn mesh(
    element: &Element,
    scale: [f64; 3],
    needs_hull: bool,
    files: &dyn Files,
    problems: &mut Problems,
) -> Option<MeshAsset> {
    const INERTIA: &[(&str, MeshInertia)] = &[
        ("convex", MeshInertia::Convex),
        ("exact", MeshInertia::Exact),
        ("legacy", MeshInertia::Legacy),
        ("shell", MeshInertia::Shell),
    ];
    if element.child("plugin").is_some() {
        problems.push(element.problem("meshes made by plugins").note(NoteKind::NotSupported));
        return None;
    }
    let max_hull_vertices = match element.int("maxhullvert", problems) {
        None | Some(-1) => None,
        Some(count) if count > 3 => usize::try_from(count).ok(),
        Some(_) => {
            problems.push(element.problem_with("maxhullvert", "a hull has at least 4 vertices"));
            None
        }
    };
    let mut options = MeshOptions {
        scale,
        refpos: element.reals("refpos", problems).unwrap_or([0.0; 3]),
        refquat: element.reals("refquat", problems).unwrap_or([1.0, 0.0, 0.0, 0.0]),
        inertia: element.keyword("inertia", INERTIA, problems).unwrap_or_default(),
        smooth_normals: element.boolean("smoothnormal", problems).unwrap_or(false),
        needs_hull,
        max_hull_vertices,
    };
    let surface = match element.own("builtin").filter(|shape| &*shape.value != "none") {
        Some(shape) => {
            let params = element.real_list("params", problems).unwrap_or_default();
            let attribute = if element.has("params") { "params" } else { "builtin" };
            let made = report(element, attribute, builtin(&shape.value, &params), problems)?;
            options.inertia = made.inertia(options.inertia);
            made.surface
        }
        None => surface(element, files, problems)?,
    };
    report(element, "file", compile(surface, &options), problems)
}

/// The surface of a mesh: from its file, from numbers beside it, or both.
fn surface(element: &Element, files: &dyn Files, problems: &mut Problems) -> Option<Surface> {
    let mut numbers = |name: &str| element.real_list(name, problems).unwrap_or_default();
    let (vertex, normal, texcoord) = (numbers("vertex"), numbers("normal"), numbers("texcoord"));
    let face: Vec<i64> = element
        .int_list("face", problems)
        .unwrap_or_default()
        .into_iter()
        .map(i64::from)
        .collect();
    let inline = report(
        element,
        "vertex",
        Surface::from_numbers(&vertex, &normal, &texcoord, &face),
        problems,
    )?;
    let Some(file) = element.own("file") else {
        if vertex.is_empty() {
            problems.push(element.problem("the mesh has neither a file nor vertices"));
            return None;
        }
        return Some(inline);
    };
    let format = report(
        element,
        "file",
        MeshFormat::of(&file.value, element.text("content_type")),
        problems,
    )?;
    let bytes = read_asset(element, "file", AssetKind::Mesh, files, problems)?;
    let read = report(element, "file", Surface::decode(format, &bytes), problems)?;
    report(element, "file", read.completed_by(inline), problems)
}

fn field(element: &Element, files: &dyn Files, problems: &mut Problems) -> Option<motrix_collide::HeightField> {
    let size: [f64; 4] = element.reals("size", problems)?;
    let elevations = match element.own("file") {
        Some(file) => {
            let format = HeightFieldFormat::of(&file.value, element.text("content_type"));
            let bytes = read_asset(element, "file", AssetKind::Mesh, files, problems)?;
            report(element, "file", Elevations::decode(format, &bytes), problems)?
        }
        None => {
            let mut count = |name: &str| i64::from(element.int(name, problems).unwrap_or(0));
            let (nrow, ncol) = (count("nrow"), count("ncol"));
            let given = element.real_list("elevation", problems);
            report(
                element,
                "elevation",
                Elevations::from_numbers(nrow, ncol, given.as_deref()),
                problems,
            )?
        }
    };
    report(element, "size", elevations.compile(size), problems)
}
