//! Procedural textures: gradients, checkers and flat colours, with marks on top.

use std::f64::consts::FRAC_PI_2;

use super::dots::Uniform;
use super::{AssetError, TextureAsset, TextureOptions, color};

/// Patterns of two colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// From the first colour to the second, outwards on a plane and downwards on a cube.
    Gradient,
    /// Four squares of alternating colour, on each side of a cube.
    Checker,
    /// The first colour; the second on the lower side of a cube.
    Flat,
}

/// What is drawn on top of a pattern, one pixel wide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mark {
    /// Nothing.
    #[default]
    None,
    /// The outline of each image.
    Edge,
    /// The middle row and column of each image.
    Cross,
    /// Pixels chosen at random.
    Random,
}

/// Bytes a pattern may take: that of a square of 8192 pixels a side.
const MAX_BYTES: i64 = 3 << 26;

type Rgb = [u8; 3];

/// One image.
pub(super) fn plane(pattern: Pattern, options: &TextureOptions) -> Result<TextureAsset, AssetError> {
    let (width, height) = checked_size(options.width, options.height, options)?;
    let [first, second] = [color(&options.rgb1), color(&options.rgb2)];
    let mut pixels = vec![[0; 3]; width * height];
    match pattern {
        Pattern::Gradient => {
            for (k, pixel) in pixels.iter_mut().enumerate() {
                let [x, y] = centred(k % width, k / width, width, height);
                *pixel = blend(&options.rgb2, &options.rgb1, 2.0 * (x * x + y * y).sqrt() - 1.0);
            }
        }
        Pattern::Checker => checker(&mut pixels, width, first, second),
        Pattern::Flat => pixels.fill(first),
    }
    mark_images(&mut pixels, width, height, options);
    mark_dots(&mut pixels, options);
    Ok(TextureAsset {
        width,
        height,
        nchannel: 3,
        data: pixels.into_flattened(),
    })
}

/// Six square images.
pub(super) fn cube(pattern: Pattern, options: &TextureOptions) -> Result<TextureAsset, AssetError> {
    let (width, height) = checked_size(options.width, options.width.saturating_mul(6), options)?;
    let [first, second] = [color(&options.rgb1), color(&options.rgb2)];
    let mut pixels = vec![[0; 3]; width * height];
    for (side, image) in pixels.chunks_exact_mut(width * width).enumerate() {
        match pattern {
            Pattern::Gradient => sky_gradient(image, width, side, options),
            // Front and back are the other way round, so that colours alternate across edges.
            Pattern::Checker if side < 4 => checker(image, width, first, second),
            Pattern::Checker => checker(image, width, second, first),
            Pattern::Flat => image.fill(if side == DOWN { second } else { first }),
        }
    }
    mark_images(&mut pixels, width, width, options);
    mark_dots(&mut pixels, options);
    Ok(TextureAsset {
        width,
        height,
        nchannel: 3,
        data: pixels.into_flattened(),
    })
}

const UP: usize = 2;
const DOWN: usize = 3;

fn checked_size(width: i64, height: i64, options: &TextureOptions) -> Result<(usize, usize), AssetError> {
    if options.nchannel != 3 {
        return Err(format!("a procedural texture has 3 channels, not {}", options.nchannel).into());
    }
    if width < 1 || height < 1 {
        return Err(format!("a procedural texture of {width} x {height} pixels").into());
    }
    match width.checked_mul(height).and_then(|pixels| pixels.checked_mul(3)) {
        Some(bytes) if bytes <= MAX_BYTES => Ok((width as usize, height as usize)),
        _ => Err(format!("a procedural texture of {width} x {height} pixels is too large").into()),
    }
}

/// Coordinates from -1 to 1, x to the right and y upwards.
fn centred(column: usize, row: usize, width: usize, height: usize) -> [f64; 2] {
    [
        2.0 * column as f64 / (width as f64 - 1.0) - 1.0,
        1.0 - 2.0 * row as f64 / (height as f64 - 1.0),
    ]
}

/// Colours by the elevation of the direction through each pixel.
fn sky_gradient(image: &mut [Rgb], width: usize, side: usize, options: &TextureOptions) {
    for (k, pixel) in image.iter_mut().enumerate() {
        let [x, y] = centred(k % width, k / width, width, width);
        let distance = (1.0 + x * x + y * y).sqrt();
        let towards_pole = || 1.0 - (1.0 / distance).acos() / FRAC_PI_2;
        let elevation = match side {
            UP => towards_pole(),
            DOWN => -towards_pole(),
            _ => (y / distance).asin() / FRAC_PI_2,
        };
        *pixel = blend(&options.rgb1, &options.rgb2, elevation);
    }
}

/// The first colour at `position` 1, the second at -1, a sigmoid between.
fn blend(first: &[f64; 3], second: &[f64; 3], position: f64) -> Rgb {
    let correction = 1.0 / 2f64.sqrt();
    let share = 0.5 * (1.0 + position / (1.0 + position * position).sqrt() / correction);
    let share = share.clamp(0.0, 1.0);
    color(&std::array::from_fn(|k| share * first[k] + (1.0 - share) * second[k]))
}

fn checker(image: &mut [Rgb], width: usize, first: Rgb, second: Rgb) {
    let height = image.len() / width;
    for (k, pixel) in image.iter_mut().enumerate() {
        let (right, lower) = (k % width >= width / 2, k / width >= height / 2);
        *pixel = if right == lower { first } else { second };
    }
}

/// Draws outlines or crosses on each of the images of `height` rows.
fn mark_images(pixels: &mut [Rgb], width: usize, height: usize, options: &TextureOptions) {
    let (columns, rows) = match options.mark {
        Mark::Edge => ([0, width - 1], [0, height - 1]),
        Mark::Cross => ([width / 2; 2], [height / 2; 2]),
        Mark::None | Mark::Random => return,
    };
    let mark = color(&options.markrgb);
    for image in pixels.chunks_exact_mut(width * height) {
        for row in image.chunks_exact_mut(width) {
            for column in columns {
                row[column] = mark;
            }
        }
        for row in rows {
            image[row * width..(row + 1) * width].fill(mark);
        }
    }
}

fn mark_dots(pixels: &mut [Rgb], options: &TextureOptions) {
    if options.mark == Mark::Random && options.random > 0.0 {
        let mark = color(&options.markrgb);
        let mut uniform = Uniform::new();
        for pixel in pixels {
            if uniform.sample() < options.random {
                *pixel = mark;
            }
        }
    }
}
