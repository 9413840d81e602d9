//! Textures: images and procedural patterns to bytes.
//!
//! A texture is an image (`2d`) or the six square sides of a cube, right, left, up, down, front, back, one below the other; a
//! cube with the same image on all sides keeps one copy. Bytes are MuJoCo's `tex_data`.

use super::{AssetError, png};
use image::DynamicImage;

mod cube;
mod dots;
mod pattern;

pub use pattern::{Mark, Pattern};

/// How a texture is laid over a shape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextureKind {
    /// A rectangle.
    Plane,
    /// Six sides around the shape.
    #[default]
    Cube,
    /// Six sides around the scene.
    Skybox,
}

/// Where the pixels come from.
#[derive(Clone, Copy, Debug)]
pub enum TextureSource<'a> {
    /// Generated.
    Builtin(Pattern),
    /// One image file.
    Image(&'a [u8]),
    /// Image files of the sides right, left, up, down, front, back.
    Sides([Option<&'a [u8]>; 6]),
}

/// Attributes of a texture besides its source.
#[derive(Clone, Debug, PartialEq)]
pub struct TextureOptions {
    /// How it is laid over a shape.
    pub kind: TextureKind,
    /// First colour of patterns, and the colour of sides that are not given; components from 0 to 1.
    pub rgb1: [f64; 3],
    /// Second colour of patterns.
    pub rgb2: [f64; 3],
    /// What is drawn on top of a pattern.
    pub mark: Mark,
    /// Colour of marks.
    pub markrgb: [f64; 3],
    /// Probability of a random mark at each pixel.
    pub random: f64,
    /// Columns of a pattern.
    pub width: i64,
    /// Rows of a pattern; cubes have six times their width.
    pub height: i64,
    /// Mirror images left to right.
    pub hflip: bool,
    /// Mirror images top to bottom.
    pub vflip: bool,
    /// Bytes per pixel of an image: 1, 3 or 4.
    pub nchannel: i64,
    /// Rows and columns of sides in one image of a cube; `[1, 1]` for the same image on all sides.
    pub gridsize: [i64; 2],
    /// Which side each cell of the grid shows, row by row: one of `RLUDFB`, or `.` for none. Missing ones are `.`.
    pub gridlayout: String,
}

impl Default for TextureOptions {
    fn default() -> Self {
        Self {
            kind: TextureKind::default(),
            rgb1: [0.8; 3],
            rgb2: [0.5; 3],
            mark: Mark::default(),
            markrgb: [0.0; 3],
            random: 0.01,
            width: 0,
            height: 0,
            hflip: false,
            vflip: false,
            nchannel: 3,
            gridsize: [1, 1],
            gridlayout: String::new(),
        }
    }
}

/// Pixels, row by row from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextureAsset {
    /// Columns.
    pub width: usize,
    /// Rows, of all sides together for a cube.
    pub height: usize,
    /// Bytes per pixel.
    pub nchannel: usize,
    /// `width * height * nchannel` bytes.
    pub data: Vec<u8>,
}

/// Whether a file can be read as an image: PNG can.
pub fn check_format(file: &str, content_type: Option<&str>) -> Result<(), AssetError> {
    match content_type.filter(|name| !name.is_empty()) {
        Some("image/png") => Ok(()),
        None if file.to_ascii_lowercase().ends_with(".png") => Ok(()),
        Some(other) => Err(format!("textures of content type {other:?} are not supported, only image/png").into()),
        None => Err(format!("{file:?} is not a texture: only PNG images are supported").into()),
    }
}

/// The pixels of a texture.
pub fn compile(source: &TextureSource, options: &TextureOptions) -> Result<TextureAsset, AssetError> {
    match (source, options.kind) {
        (TextureSource::Builtin(pattern), TextureKind::Plane) => pattern::plane(*pattern, options),
        (TextureSource::Builtin(pattern), _) => pattern::cube(*pattern, options),
        (TextureSource::Image(bytes), TextureKind::Plane) => image(bytes, options),
        (TextureSource::Image(bytes), _) => cube::from_image(bytes, options),
        (TextureSource::Sides(_), TextureKind::Plane) => {
            Err("a 2d texture cannot be loaded from the sides of a cube".into())
        }
        (TextureSource::Sides(sides), _) => cube::from_sides(sides, options),
    }
}

/// One image, converted to the number of channels asked for and mirrored.
fn image(bytes: &[u8], options: &TextureOptions) -> Result<TextureAsset, AssetError> {
    let nchannel = match options.nchannel {
        1 | 3 | 4 => options.nchannel as usize,
        other => return Err(format!("a texture of {other} channels; 1, 3 and 4 are supported").into()),
    };
    let decoded = png::decode(bytes)?;
    let (width, height) = (decoded.width() as usize, decoded.height() as usize);
    let mut data = channels(&decoded, nchannel);
    if options.hflip {
        for row in data.chunks_exact_mut(width * nchannel) {
            row.reverse();
            // Pixels are in the right order now, their bytes are not.
            row.chunks_exact_mut(nchannel).for_each(<[u8]>::reverse);
        }
    }
    if options.vflip {
        data = data.rchunks_exact(width * nchannel).flatten().copied().collect();
    }
    Ok(TextureAsset {
        width,
        height,
        nchannel,
        data,
    })
}

/// The first `nchannel` of red, green, blue and alpha, each in its upper eight bits. One channel is red, as in MuJoCo:
/// single-channel textures hold properties rather than brightness.
fn channels(image: &DynamicImage, nchannel: usize) -> Vec<u8> {
    let upper = |value: u16| (value >> 8) as u8;
    let pick = |rgba: [u8; 4]| rgba.into_iter().take(nchannel);
    match image {
        DynamicImage::ImageLuma16(gray) => gray
            .pixels()
            .flat_map(|p| pick([upper(p.0[0]), upper(p.0[0]), upper(p.0[0]), 255]))
            .collect(),
        DynamicImage::ImageLumaA16(gray) => gray
            .pixels()
            .flat_map(|p| pick([upper(p.0[0]), upper(p.0[0]), upper(p.0[0]), upper(p.0[1])]))
            .collect(),
        DynamicImage::ImageRgb16(rgb) => rgb
            .pixels()
            .flat_map(|p| pick([upper(p.0[0]), upper(p.0[1]), upper(p.0[2]), 255]))
            .collect(),
        DynamicImage::ImageRgba16(rgba) => rgba.pixels().flat_map(|p| pick(p.0.map(upper))).collect(),
        _ => image.to_rgba8().pixels().flat_map(|p| pick(p.0)).collect(),
    }
}

/// A colour with components from 0 to 1 in bytes, rounded down.
fn color(rgb: &[f64; 3]) -> [u8; 3] {
    rgb.map(|component| (255.0 * component) as u8)
}
