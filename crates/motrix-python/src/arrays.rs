//! Numbers between Python and the engine: the one place where arrays are converted.
//!
//! Inputs may be numpy arrays of any number type and layout, nested lists or plain numbers. They are copied into row-major order in
//! the precision of the worlds, and their shape is checked against the one expected; one world's shape serves all worlds.
//! Outputs are fresh arrays, or a buffer of the caller that is checked first.

use motrix_batch::{Columns, Scalar};
use numpy::ndarray::IxDyn;
use numpy::{Element, PyArray1, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyFloat, PyString};

/// A scalar in which worlds are kept and arrays are given.
pub trait Number: Scalar + Element {
    /// numpy's name of it.
    const DTYPE: &'static str;
}

impl Number for f32 {
    const DTYPE: &'static str = "float32";
}

impl Number for f64 {
    const DTYPE: &'static str = "float64";
}

/// Why an argument is not the array expected.
pub enum Unfit {
    /// It is no array of numbers.
    Kind(PyErr),
    /// It has another shape; the message says which was expected.
    Shape(String),
}

impl From<Unfit> for PyErr {
    fn from(unfit: Unfit) -> Self {
        match unfit {
            Unfit::Kind(error) => error,
            Unfit::Shape(message) => PyValueError::new_err(message),
        }
    }
}

/// Row-major numbers and their shape.
pub struct Numbers<E> {
    pub shape: Vec<usize>,
    pub values: Vec<E>,
}

/// Converts any array of numbers.
pub fn numbers<E: Number>(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Numbers<E>> {
    if let Ok(number) = value.cast_exact::<PyFloat>() {
        let values = vec![E::from_f64(number.extract()?)];
        return Ok(Numbers {
            shape: Vec::new(),
            values,
        });
    }
    if let Ok(array) = value.cast::<PyArrayDyn<E>>() {
        return Ok(copied(array)?);
    }
    let wrong_kind = |found: String| PyTypeError::new_err(format!("{name}: expected an array of numbers, got {found}"));
    if value.is_none() || value.is_instance_of::<PyString>() || value.is_instance_of::<PyBytes>() {
        return Err(wrong_kind(value.get_type().name()?.to_string()));
    }
    let numpy = value.py().import(intern!(value.py(), "numpy"))?;
    let array = numpy.call_method1(intern!(value.py(), "asarray"), (value,))?;
    let dtype = array.getattr(intern!(value.py(), "dtype"))?;
    let kind: String = dtype.getattr(intern!(value.py(), "kind"))?.extract()?;
    // Booleans, integers and reals; an empty list is an array of reals.
    if !matches!(kind.as_str(), "b" | "i" | "u" | "f") {
        return Err(wrong_kind(format!("{} of {dtype}", value.get_type().name()?)));
    }
    let array = array.call_method1(intern!(value.py(), "astype"), (E::DTYPE,))?;
    Ok(copied(array.cast::<PyArrayDyn<E>>()?)?)
}

fn copied<E: Number>(array: &Bound<'_, PyArrayDyn<E>>) -> Result<Numbers<E>, numpy::BorrowError> {
    let array = array.try_readonly()?;
    Ok(Numbers {
        shape: array.shape().to_vec(),
        // Row-major arrays are one copy of memory; others are walked over in that order.
        values: match array.as_slice() {
            Ok(values) if array.is_c_contiguous() => values.to_vec(),
            _ => array.as_array().iter().copied().collect(),
        },
    })
}

/// Values for each of the selected worlds.
pub struct PerWorld<E> {
    values: Vec<E>,
    width: usize,
    shared: bool,
}

impl<E> PerWorld<E> {
    /// The values for the `k`-th selected world.
    pub fn row(&self, k: usize) -> &[E] {
        let k = if self.shared { 0 } else { k };
        &self.values[k * self.width..(k + 1) * self.width]
    }

    /// The rows given: one for all worlds, or one for each.
    pub fn rows(&self) -> impl Iterator<Item = &[E]> {
        let count = self.values.len().checked_div(self.width).unwrap_or(0);
        (0..count).map(|k| self.row_given(k))
    }

    fn row_given(&self, k: usize) -> &[E] {
        &self.values[k * self.width..(k + 1) * self.width]
    }
}

/// Reads values of shape `tail` for worlds of shape `worlds`: `tail` itself, which then serves all worlds, or `(*worlds, *tail)`.
pub fn per_world<E: Number>(
    value: &Bound<'_, PyAny>,
    worlds: &[usize],
    tail: &[usize],
    name: &str,
) -> Result<PerWorld<E>, Unfit> {
    let given = numbers::<E>(value, name).map_err(Unfit::Kind)?;
    fit(given, worlds, tail, false, name)
}

/// As [`per_world`], and also the values of all worlds one after the other in one dimension, those of a single world as a batch of
/// one, and a number where one is expected.
pub fn per_world_or_flat<E: Number>(
    value: &Bound<'_, PyAny>,
    worlds: &[usize],
    tail: &[usize],
    name: &str,
) -> Result<PerWorld<E>, Unfit> {
    let given = numbers::<E>(value, name).map_err(Unfit::Kind)?;
    fit(given, worlds, tail, true, name)
}

fn fit<E: Number>(
    given: Numbers<E>,
    worlds: &[usize],
    tail: &[usize],
    flat: bool,
    name: &str,
) -> Result<PerWorld<E>, Unfit> {
    let full = [worlds, tail].concat();
    let width: usize = tail.iter().product();
    let total: usize = full.iter().product();
    let shared = given.shape == tail || (flat && width == 1 && given.shape.is_empty());
    let one_after_the_other =
        flat && (given.shape == [total] || (worlds.is_empty() && given.shape == [&[1], tail].concat()));
    if !(shared || given.shape == full || one_after_the_other) {
        let expected = if worlds.is_empty() {
            shape_text(tail)
        } else {
            format!("{} or {}", shape_text(&full), shape_text(tail))
        };
        let given = shape_text(&given.shape);
        return Err(Unfit::Shape(format!("{name}: expected shape {expected}, got {given}")));
    }
    Ok(PerWorld {
        values: given.values,
        width,
        shared,
    })
}

/// A shape as Python writes it.
pub fn shape_text(shape: &[usize]) -> String {
    match shape {
        [one] => format!("({one},)"),
        _ => format!(
            "({})",
            shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
        ),
    }
}

/// A fresh array.
pub fn array<'py, E: Element>(py: Python<'py>, shape: &[usize], values: Vec<E>) -> PyResult<Bound<'py, PyAny>> {
    let flat = PyArray1::from_vec(py, values);
    if let [n] = shape
        && *n == flat.len()
    {
        return Ok(flat.into_any());
    }
    Ok(flat.reshape(IxDyn(shape))?.into_any())
}

/// A fresh array of columns of the first `count` rows of a table, each row in the shape `tail`.
pub fn columns<'py, E: Element + Copy>(
    py: Python<'py>,
    count: usize,
    tail: &[usize],
    columns: &Columns<'_, E>,
) -> PyResult<Bound<'py, PyAny>> {
    let Columns { table, stride, first } = *columns;
    let shape = [&[count], tail].concat();
    let width: usize = tail.iter().product();
    if width == stride {
        // They are all there is: one copy.
        let flat = PyArray1::from_slice(py, &table[..count * width]);
        return Ok(flat.reshape(IxDyn(&shape))?.into_any());
    }
    let mut values = Vec::with_capacity(count * width);
    for row in table.chunks_exact(stride).take(count) {
        values.extend_from_slice(&row[first..first + width]);
    }
    array(py, &shape, values)
}

/// A fresh array in single precision of numbers that belong to the model.
pub fn model_array<'py>(py: Python<'py>, shape: &[usize], values: &[f64]) -> PyResult<Bound<'py, PyAny>> {
    array(py, shape, values.iter().map(|x| *x as f32).collect())
}

/// The values in the caller's buffer if there is one, else in a fresh array.
pub fn array_into<'py, E: Number>(
    py: Python<'py>,
    shape: &[usize],
    values: Vec<E>,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(out) = out else {
        return array(py, shape, values);
    };
    let buffer = checked_buffer::<E>(out, shape)?;
    let mut buffer = buffer
        .try_readwrite()
        .map_err(|_| PyValueError::new_err("out: the array must be writable and not borrowed elsewhere"))?;
    buffer.as_slice_mut()?.copy_from_slice(&values);
    Ok(out.clone())
}

/// A buffer of the right type, shape and layout.
pub fn checked_buffer<'a, 'py, E: Number>(
    out: &'a Bound<'py, PyAny>,
    shape: &[usize],
) -> PyResult<&'a Bound<'py, PyArrayDyn<E>>> {
    let Ok(untyped) = out.cast::<PyUntypedArray>() else {
        let found = out.get_type().name()?.to_string();
        return Err(PyTypeError::new_err(format!(
            "out: expected a {} array, got {found}",
            E::DTYPE
        )));
    };
    let (given, contiguous) = (untyped.shape().to_vec(), untyped.is_c_contiguous());
    let Ok(array) = out.cast::<PyArrayDyn<E>>() else {
        return Err(PyTypeError::new_err(format!(
            "out: expected a {} array, got one of {}",
            E::DTYPE,
            untyped.dtype()
        )));
    };
    if given != shape {
        return Err(PyValueError::new_err(format!(
            "out: expected shape {}, got {}",
            shape_text(shape),
            shape_text(&given)
        )));
    }
    if !contiguous {
        return Err(PyValueError::new_err("out: the array must be C-contiguous"));
    }
    Ok(array)
}

/// Rounds a fixed number of values.
pub fn rounded<E: Scalar, const N: usize>(values: [f64; N]) -> [E; N] {
    values.map(E::from_f64)
}

/// The first `N` numbers of a slice in double precision.
pub fn doubles<E: Scalar, const N: usize>(values: &[E]) -> [f64; N] {
    std::array::from_fn(|i| values[i].to_f64())
}
