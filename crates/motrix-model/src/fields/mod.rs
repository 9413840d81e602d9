//! The compiled model under the names of MuJoCo's `mjModel`.
//!
//! Every field is an array of numbers in MuJoCo's layout: one row per object, ids in place of references, −1 for none, flags
//! as 0 and 1, lists of different length one after the other. Options, scales and what pictures need stand under `opt.`,
//! `stat.` and `vis.`. What MuJoCo only derives for its own algorithms (bounding volumes of meshes, sparsity, addresses of
//! strings) is left out: it follows from what is here.

mod actuation;
mod asset;
mod constraint;
mod scene;
mod sensor;
mod settings;
mod tree;

use crate::Model;

/// Numbers of a field and their shape; an empty shape is a single number.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldArray {
    /// Length along each axis.
    pub shape: Vec<usize>,
    /// Row-major numbers.
    pub values: Vec<f64>,
}

/// How a field is read from a model.
type Read = fn(&Model) -> FieldArray;

/// A name and how to read it.
type Entry = (&'static str, Read);

/// All tables.
const TABLES: &[&[Entry]] = &[
    settings::SIZES,
    settings::OPTIONS,
    settings::STATISTIC,
    settings::VISUAL,
    settings::STATE,
    tree::BODIES,
    tree::JOINTS,
    tree::GEOMS,
    scene::SITES,
    scene::CAMERAS,
    scene::LIGHTS,
    asset::MESHES,
    asset::PICTURES,
    asset::HEIGHT_FIELDS,
    constraint::PAIRS,
    constraint::EQUALITIES,
    constraint::TENDONS,
    actuation::ACTUATORS,
    sensor::SENSORS,
    settings::CUSTOM,
];

fn entries() -> impl Iterator<Item = &'static Entry> {
    TABLES.iter().copied().flatten()
}

/// Names of all fields.
pub fn field_names() -> impl Iterator<Item = &'static str> {
    entries().map(|(name, _)| *name)
}

/// A field by its name.
pub fn field(model: &Model, name: &str) -> Option<FieldArray> {
    let (_, read) = entries().find(|(known, _)| *known == name)?;
    Some(read(model))
}

/// Names of all objects of a kind in the order of their ids, empty for those without; the kinds are MJCF's words.
pub fn object_names<'m>(model: &'m Model, kind: &str) -> Option<Vec<&'m str>> {
    fn list<'m, T>(objects: &'m [T], name: impl Fn(&'m T) -> Option<&'m str>) -> Vec<&'m str> {
        objects.iter().map(|object| name(object).unwrap_or("")).collect()
    }
    Some(match kind {
        "body" => list(&model.bodies, |b| b.name.as_deref()),
        "joint" => list(&model.joints, |j| j.name.as_deref()),
        "geom" => list(&model.geoms, |g| g.name.as_deref()),
        "site" => list(&model.sites, |s| s.name.as_deref()),
        "camera" => list(&model.cameras, |c| c.name.as_deref()),
        "light" => list(&model.lights, |l| l.name.as_deref()),
        "mesh" => list(&model.meshes, |m| Some(&m.name)),
        "hfield" => list(&model.hfields, |h| Some(&h.name)),
        "texture" => list(&model.textures, |t| Some(&t.name)),
        "material" => list(&model.materials, |m| Some(&m.name)),
        "pair" => list(&model.explicit_pairs, |p| p.name.as_deref()),
        "exclude" => list(&model.excludes, |e| e.name.as_deref()),
        "equality" => list(&model.equalities, |e| e.name.as_deref()),
        "tendon" => list(&model.tendons, |t| t.name.as_deref()),
        "actuator" => list(&model.actuators, |a| a.name.as_deref()),
        "sensor" => list(&model.sensors, |s| s.name.as_deref()),
        "key" => list(&model.keyframes, |k| k.name.as_deref()),
        _ => return None,
    })
}

/// A single number.
fn one(value: f64) -> FieldArray {
    FieldArray {
        shape: Vec::new(),
        values: vec![value],
    }
}

/// The length of a list.
fn count<T>(list: &[T]) -> FieldArray {
    one(list.len() as f64)
}

/// A list of numbers.
fn list(values: Vec<f64>) -> FieldArray {
    FieldArray {
        shape: vec![values.len()],
        values,
    }
}

/// One number per object.
fn each<'m, T>(objects: &'m [T], number: impl FnMut(&'m T) -> f64) -> FieldArray {
    list(objects.iter().map(number).collect())
}

/// A row of numbers per object.
fn rows<'m, T, const N: usize>(objects: &'m [T], numbers: impl Fn(&'m T) -> [f64; N]) -> FieldArray {
    FieldArray {
        shape: vec![objects.len(), N],
        values: objects.iter().flat_map(numbers).collect(),
    }
}

/// Rows whose length is known at run time only; all objects have the same.
fn wide_rows<'m, T>(objects: &'m [T], numbers: impl Fn(&'m T) -> &'m [f64]) -> FieldArray {
    let width = objects.first().map_or(0, |object| numbers(object).len());
    FieldArray {
        shape: vec![objects.len(), width],
        values: objects
            .iter()
            .flat_map(|object| numbers(object).iter().copied())
            .collect(),
    }
}

/// Rows of `N` numbers, several per object, one object after the other.
fn all<'m, T, I, const N: usize>(objects: &'m [T], numbers: impl Fn(&'m T) -> I) -> FieldArray
where
    I: IntoIterator<Item = [f64; N]>,
{
    let values: Vec<f64> = objects.iter().flat_map(numbers).flatten().collect();
    let shape = if N == 1 {
        vec![values.len()]
    } else {
        vec![values.len() / N, N]
    };
    FieldArray { shape, values }
}

/// Where each object's part of a common list begins.
fn addresses<'m, T>(objects: &'m [T], length: impl Fn(&'m T) -> usize) -> FieldArray {
    let mut next = 0;
    each(objects, |object| {
        let first = next;
        next += length(object);
        first as f64
    })
}

fn index(i: usize) -> f64 {
    i as f64
}

fn optional(i: Option<usize>) -> f64 {
    i.map_or(-1.0, index)
}

fn flag(b: bool) -> f64 {
    f64::from(u8::from(b))
}

fn wide<const N: usize>(values: [f32; N]) -> [f64; N] {
    values.map(f64::from)
}
