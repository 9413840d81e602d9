//! Which worlds a piece of data stands for, and how Python says so: numbers, slices, masks, lists of numbers.

use std::sync::Arc;

use motrix_batch::Selection;
use numpy::{PyArrayDyn, PyArrayMethods};
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PySlice};

/// Worlds of a batch.
#[derive(Clone, Debug)]
pub enum Pick {
    /// All of them, as a batch.
    All(usize),
    /// One of them, without a batch dimension.
    One([u32; 1]),
    /// Some of them, as a batch; each at most once.
    Some(Arc<[u32]>),
}

impl Pick {
    /// `()` for one world, `(n,)` for a batch.
    pub fn shape(&self) -> Vec<usize> {
        match self {
            Pick::All(n) => vec![*n],
            Pick::One(_) => Vec::new(),
            Pick::Some(rows) => vec![rows.len()],
        }
    }

    /// Number of worlds.
    pub fn len(&self) -> usize {
        match self {
            Pick::All(n) => *n,
            Pick::One(_) => 1,
            Pick::Some(rows) => rows.len(),
        }
    }

    /// The same worlds for the engine; `total` is the number of worlds in the batch.
    pub fn selection(&self, total: usize) -> Selection<'_> {
        match self {
            Pick::All(_) => Selection::All,
            // A batch of one needs no packing.
            Pick::One(_) if total == 1 => Selection::All,
            Pick::One(row) => Selection::Rows(row),
            Pick::Some(rows) => Selection::Rows(rows),
        }
    }

    /// The `k`-th world.
    pub fn world(&self, k: usize) -> usize {
        match self {
            Pick::All(_) => k,
            Pick::One([row]) => *row as usize,
            Pick::Some(rows) => rows[k] as usize,
        }
    }

    /// All worlds in order.
    pub fn worlds(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.len()).map(|k| self.world(k))
    }

    /// The worlds that an index picks from these.
    pub fn index(&self, key: &Bound<'_, PyAny>) -> PyResult<Pick> {
        if let Pick::One(_) = self {
            return Err(PyIndexError::new_err("data of a single world cannot be indexed"));
        }
        let places: Vec<usize> = match Index::parse(key)? {
            Index::One(i) => return Ok(Pick::One([self.world(position(i, self.len())?) as u32])),
            Index::Slice(slice) => {
                let range = slice.indices(self.len() as isize)?;
                (0..range.slicelength)
                    .map(|k| (range.start + k as isize * range.step) as usize)
                    .collect()
            }
            Index::Mask(mask) if mask.len() != self.len() => {
                let (given, expected) = (mask.len(), self.len());
                return Err(PyIndexError::new_err(format!(
                    "the mask has {given} entries for {expected} worlds"
                )));
            }
            Index::Mask(mask) => chosen(&mask),
            Index::List(list) => {
                let list: Vec<usize> = list
                    .into_iter()
                    .map(|i| position(i, self.len()))
                    .collect::<PyResult<_>>()?;
                refuse_repetition(&list, self.len())?;
                list
            }
        };
        Ok(Pick::Some(places.into_iter().map(|k| self.world(k) as u32).collect()))
    }
}

/// A Python index.
enum Index<'py> {
    One(isize),
    Slice(Bound<'py, PySlice>),
    Mask(Vec<bool>),
    List(Vec<isize>),
}

impl<'py> Index<'py> {
    fn parse(key: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(indices) = key.cast::<DisjointIndices>() {
            return Ok(Index::List(indices.get().rows.iter().map(|&i| i as isize).collect()));
        }
        if let Ok(slice) = key.cast::<PySlice>() {
            return Ok(Index::Slice(slice.clone()));
        }
        if !key.is_instance_of::<PyBool>()
            && let Ok(i) = key.extract::<isize>()
        {
            return Ok(Index::One(i));
        }
        let wrong = || {
            let found = key
                .get_type()
                .name()
                .map_or_else(|_| String::from("?"), |name| name.to_string());
            PyTypeError::new_err(format!(
                "an index is an int, a slice, a boolean mask, integers or DisjointIndices, got {found}"
            ))
        };
        match integers_or_mask(key)? {
            Some(Flat::Mask(mask)) => Ok(Index::Mask(mask)),
            Some(Flat::Integers(list)) => Ok(Index::List(list)),
            None => Err(wrong()),
        }
    }
}

/// A one-dimensional array of truth values or integers.
enum Flat {
    Mask(Vec<bool>),
    Integers(Vec<isize>),
}

fn integers_or_mask(value: &Bound<'_, PyAny>) -> PyResult<Option<Flat>> {
    let sequence = value.hasattr("__len__")? && !value.is_instance_of::<pyo3::types::PyString>();
    if !sequence || value.hasattr("keys")? {
        return Ok(None);
    }
    let Ok(array) = value.py().import("numpy")?.call_method1("asarray", (value,)) else {
        return Ok(None);
    };
    let (ndim, kind): (usize, String) = (
        array.getattr("ndim")?.extract()?,
        array.getattr("dtype")?.getattr("kind")?.extract()?,
    );
    let empty = array.getattr("size")?.extract::<usize>()? == 0;
    match kind.as_str() {
        _ if ndim != 1 => Ok(None),
        "b" => {
            let mask = array.cast::<PyArrayDyn<bool>>()?.readonly();
            Ok(Some(Flat::Mask(match mask.as_slice() {
                Ok(mask) => mask.to_vec(),
                Err(_) => mask.as_array().iter().copied().collect(),
            })))
        }
        "i" | "u" => {
            let array = array.call_method1("astype", ("int64",))?;
            let integers = array.cast::<PyArrayDyn<i64>>()?.readonly();
            Ok(Some(Flat::Integers(
                integers.as_array().iter().map(|&i| i as isize).collect(),
            )))
        }
        // An empty list has no integers to tell its type by.
        "f" if empty => Ok(Some(Flat::Integers(Vec::new()))),
        _ => Ok(None),
    }
}

/// Where a mask is true.
fn chosen(mask: &[bool]) -> Vec<usize> {
    let mut places = Vec::with_capacity(mask.iter().filter(|m| **m).count());
    places.extend(mask.iter().enumerate().filter(|(_, m)| **m).map(|(k, _)| k));
    places
}

/// An index counted from the start or, negative, from the end.
pub fn position(index: isize, len: usize) -> PyResult<usize> {
    let from_start = if index < 0 { index + len as isize } else { index };
    if from_start < 0 || from_start >= len as isize {
        return Err(PyIndexError::new_err(format!(
            "index {index} is out of range for {len} worlds"
        )));
    }
    Ok(from_start as usize)
}

fn refuse_repetition(list: &[usize], len: usize) -> PyResult<()> {
    let mut seen = vec![false; len];
    for &k in list {
        if std::mem::replace(&mut seen[k], true) {
            return Err(PyValueError::new_err(format!(
                "world {k} is named twice: a write to it would have two values"
            )));
        }
    }
    Ok(())
}

/// Different worlds by number.
#[pyclass(frozen, eq, hash, module = "motrixsim")]
#[derive(PartialEq, Eq, Hash)]
pub struct DisjointIndices {
    rows: Vec<usize>,
}

#[pymethods]
impl DisjointIndices {
    #[new]
    fn new(indices: &Bound<'_, PyAny>) -> PyResult<Self> {
        let wrong =
            || PyTypeError::new_err("DisjointIndices takes integers, which are not negative, or a boolean mask");
        let list: Vec<usize> = match integers_or_mask(indices)? {
            Some(Flat::Mask(mask)) => chosen(&mask),
            Some(Flat::Integers(list)) => list
                .into_iter()
                .map(|i| usize::try_from(i).map_err(|_| wrong()))
                .collect::<PyResult<_>>()?,
            None => return Err(wrong()),
        };
        let mut seen = std::collections::HashSet::new();
        Ok(Self {
            rows: list.into_iter().filter(|k| seen.insert(*k)).collect(),
        })
    }

    #[getter]
    fn size(&self) -> usize {
        self.rows.len()
    }

    fn __len__(&self) -> usize {
        self.rows.len()
    }

    fn __getnewargs__(&self) -> (Vec<usize>,) {
        (self.rows.clone(),)
    }

    fn __repr__(&self) -> String {
        format!("DisjointIndices({:?})", self.rows)
    }
}
