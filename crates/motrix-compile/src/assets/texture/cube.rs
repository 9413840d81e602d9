//! Cube textures from images: one for all sides, a grid of sides, or a file for each.

use super::{AssetError, TextureAsset, TextureOptions, color, image};

/// The letters of a grid layout, in the order sides are stored.
const SIDES: [char; 6] = ['R', 'L', 'U', 'D', 'F', 'B'];
/// More cells than this cannot be laid out.
const MAX_CELLS: i64 = 12;

/// Sides from the cells of one image.
pub(super) fn from_image(bytes: &[u8], options: &TextureOptions) -> Result<TextureAsset, AssetError> {
    let [rows, cols] = options.gridsize;
    let few_enough = rows.checked_mul(cols).is_some_and(|cells| cells <= MAX_CELLS);
    if rows < 1 || cols < 1 || !few_enough {
        return Err(format!("gridsize {rows} {cols} is not positive with at most {MAX_CELLS} cells").into());
    }
    let grid = rgb_image(bytes, options)?;
    let (rows, cols) = (rows as usize, cols as usize);
    if !grid.width.is_multiple_of(cols) || !grid.height.is_multiple_of(rows) || grid.width / cols != grid.height / rows
    {
        return Err(format!(
            "an image of {} x {} pixels does not divide into squares by gridsize {rows} {cols}",
            grid.width, grid.height
        )
        .into());
    }
    if (rows, cols) == (1, 1) {
        return Ok(grid);
    }

    let width = grid.width / cols;
    let mut cube = blank(width, options);
    for (cell, letter) in options.gridlayout.chars().enumerate().take(rows * cols) {
        let Some(side) = SIDES.iter().position(|&known| known == letter) else {
            if letter == '.' {
                continue;
            }
            return Err(format!("gridlayout has {letter:?}, which is none of .RLUDFB").into());
        };
        let (top, left) = (width * (cell / cols), width * (cell % cols));
        for (row, line) in side_of(&mut cube, side).chunks_exact_mut(3 * width).enumerate() {
            let start = 3 * ((top + row) * grid.width + left);
            line.copy_from_slice(&grid.data[start..start + 3 * width]);
        }
    }
    Ok(cube)
}

/// Sides from a file each; the first sets the size.
pub(super) fn from_sides(sides: &[Option<&[u8]>; 6], options: &TextureOptions) -> Result<TextureAsset, AssetError> {
    let mut cube: Option<TextureAsset> = None;
    for (side, bytes) in sides.iter().enumerate() {
        let Some(bytes) = bytes else { continue };
        let square = rgb_image(bytes, options)?;
        if square.width != square.height {
            return Err(format!(
                "side {} is {} x {} pixels, not square",
                SIDES[side], square.width, square.height
            )
            .into());
        }
        let cube = cube.get_or_insert_with(|| blank(square.width, options));
        if cube.width != square.width {
            return Err(format!(
                "side {} is {} pixels wide, not {}",
                SIDES[side], square.width, cube.width
            )
            .into());
        }
        side_of(cube, side).copy_from_slice(&square.data);
    }
    cube.ok_or_else(|| "no side of the cube is given".into())
}

fn rgb_image(bytes: &[u8], options: &TextureOptions) -> Result<TextureAsset, AssetError> {
    if options.nchannel != 3 {
        return Err(format!("a cube texture has 3 channels, not {}", options.nchannel).into());
    }
    image(bytes, options)
}

/// Six sides of the colour of sides that are not given.
fn blank(width: usize, options: &TextureOptions) -> TextureAsset {
    let data = vec![color(&options.rgb1); 6 * width * width].into_flattened();
    TextureAsset {
        width,
        height: 6 * width,
        nchannel: 3,
        data,
    }
}

fn side_of(cube: &mut TextureAsset, side: usize) -> &mut [u8] {
    let bytes = 3 * cube.width * cube.width;
    &mut cube.data[side * bytes..(side + 1) * bytes]
}
