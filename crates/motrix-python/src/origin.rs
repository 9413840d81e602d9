//! What a model was loaded from: enough to load it again anywhere.
//!
//! Every file that was read is kept, but for height fields in MuJoCo's binary layout: their elevations are the heights that the
//! model holds, and a map of millions of nodes would be in memory twice.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use motrix_collide::HeightField;
use motrix_compile::assets::height_field::{Elevations, HeightFieldFormat};
use motrix_model::Model;

/// What a model was loaded from.
#[derive(Clone)]
pub struct Origin {
    pub source: Source,
    pub strict: bool,
    /// Folders of ROS packages that the caller told, by name.
    pub packages: BTreeMap<String, String>,
    /// Every file that was read, by path.
    pub files: BTreeMap<String, Kept>,
}

/// Where the text of a model is.
#[derive(Clone)]
pub enum Source {
    File(String),
    Text(String),
}

/// What is kept of a file.
#[derive(Clone)]
pub enum Kept {
    /// All of it.
    Bytes(Arc<[u8]>),
    /// The numbers of the height fields that were made from it.
    Fields(Vec<usize>),
}

impl Kept {
    /// What a model leaves to be kept of a file that was read for it.
    pub fn of(bytes: Arc<[u8]>, model: &Model) -> Self {
        let made_from = |field: &HeightField| {
            let alike = bytes.len() == binary_length(field);
            alike && normalized(&bytes).is_some_and(|values| same_bits(&values, &field.heights()))
        };
        let fields = model.hfields.iter().enumerate();
        let fields: Vec<usize> = fields.filter(|(_, h)| made_from(&h.field)).map(|(k, _)| k).collect();
        if fields.is_empty() {
            Self::Bytes(bytes)
        } else {
            Self::Fields(fields)
        }
    }

    /// A file that makes the same model, given the height fields that were written to since it was loaded: their heights are told
    /// apart from the files.
    pub fn bytes(&self, model: &Model, changed: &BTreeSet<usize>) -> Arc<[u8]> {
        match self {
            Self::Bytes(bytes) => Arc::clone(bytes),
            Self::Fields(fields) => {
                let as_read = fields.iter().find(|field| !changed.contains(field));
                binary(&model.hfields[*as_read.unwrap_or(&fields[0])].field).into()
            }
        }
    }
}

/// Length of a height field's file in MuJoCo's binary layout.
fn binary_length(field: &HeightField) -> usize {
    4 * (2 + field.nrow() * field.ncol())
}

/// A height field in MuJoCo's binary layout: rows and columns, then the heights.
fn binary(field: &HeightField) -> Vec<u8> {
    let size = [field.nrow(), field.ncol()].map(|n| n as i32);
    let mut bytes = Vec::with_capacity(binary_length(field));
    bytes.extend(size.into_iter().flat_map(i32::to_le_bytes));
    bytes.extend(field.heights().into_iter().flat_map(f32::to_le_bytes));
    bytes
}

/// The elevations of a file from 0 to 1, if it holds some. Those that run from 0 to 1 stay as they are.
fn normalized(bytes: &[u8]) -> Option<Vec<f32>> {
    let elevations = Elevations::decode(HeightFieldFormat::Binary, bytes).ok()?;
    Some(elevations.normalized().ok()?.values)
}

fn same_bits(a: &[f32], b: &[f32]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x.to_bits() == y.to_bits())
}
