//! Height fields: elevations from text, images or binary files, brought to the range from 0 to 1.
//!
//! Text and images are written as they are looked at, the row at the highest y first; MuJoCo's binary layout starts with the
//! row at the lowest y. Either way the lowest elevation becomes 0 and the highest 1: metres come from `size`.

use motrix_collide::{Extremes, HeightField, HeightFieldSize};

use super::{AssetError, png};

/// Elevations in any unit, row-major from the row at the lowest y.
#[derive(Clone, Debug, PartialEq)]
pub struct Elevations {
    /// Nodes along y.
    pub nrow: usize,
    /// Nodes along x.
    pub ncol: usize,
    /// `nrow * ncol` numbers.
    pub values: Vec<f32>,
}

/// File formats of height fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeightFieldFormat {
    /// An image; white is high.
    Png,
    /// `int32` rows and columns, then `f32` elevations, little endian.
    Binary,
}

impl HeightFieldFormat {
    /// The format a content type names, or else the one the file name suggests: PNG for `.png`, binary for all others.
    pub fn of(file: &str, content_type: Option<&str>) -> Self {
        match content_type {
            Some("image/png") => Self::Png,
            Some("image/vnd.mujoco.hfield") => Self::Binary,
            _ if file.to_ascii_lowercase().ends_with(".png") => Self::Png,
            _ => Self::Binary,
        }
    }
}

impl Elevations {
    /// The attributes `nrow`, `ncol` and `elevation` of a document, the row at the highest y first. Without elevations the
    /// field is flat.
    pub fn from_numbers(nrow: i64, ncol: i64, elevation: Option<&[f64]>) -> Result<Self, AssetError> {
        let (nrow, ncol, count) = grid(nrow, ncol)?;
        let values = match elevation {
            None => vec![0.0; count],
            Some(elevation) if elevation.len() != count => {
                return Err(format!("{} elevations for {nrow} x {ncol} nodes", elevation.len()).into());
            }
            Some(elevation) => elevation.rchunks(ncol).flatten().map(|&value| value as f32).collect(),
        };
        Ok(Self { nrow, ncol, values })
    }

    /// The elevations in the bytes of a file.
    pub fn decode(format: HeightFieldFormat, bytes: &[u8]) -> Result<Self, AssetError> {
        match format {
            HeightFieldFormat::Png => Self::decode_png(bytes),
            HeightFieldFormat::Binary => Self::decode_binary(bytes),
        }
    }

    /// Luminance of the pixels, in 16 bits whatever the depth of the image; transparency does not matter.
    fn decode_png(bytes: &[u8]) -> Result<Self, AssetError> {
        let image = png::decode(bytes)?.into_luma16();
        let (nrow, ncol, _) = grid(i64::from(image.height()), i64::from(image.width()))?;
        let values = image
            .as_raw()
            .rchunks(ncol)
            .flatten()
            .map(|&value| f32::from(value))
            .collect();
        Ok(Self { nrow, ncol, values })
    }

    fn decode_binary(bytes: &[u8]) -> Result<Self, AssetError> {
        let (words, rest) = bytes.as_chunks::<4>();
        let [nrow, ncol, elevations @ ..] = words else {
            return Err("the height field file ends within its header".into());
        };
        let [nrow, ncol] = [nrow, ncol].map(|&word| i64::from(i32::from_le_bytes(word)));
        let (nrow, ncol, count) = grid(nrow, ncol)?;
        if elevations.len() != count || !rest.is_empty() {
            let expected = 8 + 4 * count as u64;
            let given = bytes.len();
            return Err(format!("the file has {given} bytes, but {nrow} x {ncol} elevations take {expected}").into());
        }
        Ok(Self {
            nrow,
            ncol,
            values: elevations.iter().map(|&word| f32::from_le_bytes(word)).collect(),
        })
    }

    /// The field of these elevations with `size = [radius_x, radius_y, elevation_z, base_z]`.
    pub fn compile(self, size: [f64; 4]) -> Result<HeightField, AssetError> {
        let Self { nrow, ncol, values } = self.normalized()?;
        let [radius_x, radius_y, elevation_z, base_z] = size;
        let size = HeightFieldSize {
            radius_x,
            radius_y,
            elevation_z,
            base_z,
        };
        HeightField::new(nrow, ncol, size, values).map_err(|error| error.to_string().into())
    }

    /// Lowest to 0, highest to 1; a constant becomes 0.
    pub fn normalized(mut self) -> Result<Self, AssetError> {
        if let Some(index) = self.values.iter().position(|value| !value.is_finite()) {
            let (row, col) = (index / self.ncol, index % self.ncol);
            return Err(
                format!("the elevation {row} rows from the lowest y, column {col}, is not a finite number").into(),
            );
        }
        let Extremes { min, max } = Extremes::of(&self.values);
        let range = max - min;
        if !range.is_finite() {
            return Err(format!("elevations from {min} to {max} span more than numbers can hold").into());
        }
        let divisor = if range > 0.0 { range } else { 1.0 };
        for value in &mut self.values {
            *value = (*value - min) / divisor;
        }
        Ok(self)
    }
}

/// Rows, columns and nodes of a grid that two-dimensional terrain can have.
fn grid(nrow: i64, ncol: i64) -> Result<(usize, usize, usize), AssetError> {
    /// A square of 16384 nodes a side, 1 GiB: a document can ask for a flat field of any size.
    const MAX_NODES: i64 = 1 << 28;
    if nrow < 2 || ncol < 2 {
        return Err(format!("a height field of {nrow} rows and {ncol} columns; it needs at least 2 of each").into());
    }
    match nrow.checked_mul(ncol).filter(|&count| count <= MAX_NODES) {
        Some(count) => Ok((nrow as usize, ncol as usize, count as usize)),
        None => Err(format!("a height field of {nrow} x {ncol} nodes is too large").into()),
    }
}
