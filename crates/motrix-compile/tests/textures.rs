//! Textures against MuJoCo 4.0, byte by byte. Numbers are those of the `mujoco` wheel.

use std::io::Cursor;

use image::{DynamicImage, GrayAlphaImage, ImageBuffer, ImageFormat, LumaA, Rgb, RgbImage, Rgba};
use motrix_compile::assets::texture::{
    self, Mark, Pattern, TextureAsset, TextureKind, TextureOptions, TextureSource, check_format,
};

const ORANGE_TO_BLUE: TextureOptions = TextureOptions {
    kind: TextureKind::Plane,
    rgb1: [1.0, 0.5, 0.0],
    rgb2: [0.0, 0.0, 1.0],
    mark: Mark::None,
    markrgb: [1.0; 3],
    random: 0.25,
    width: 2,
    height: 2,
    hflip: false,
    vflip: false,
    nchannel: 3,
    gridsize: [1, 1],
    gridlayout: String::new(),
};

fn pattern(pattern: Pattern, options: TextureOptions) -> TextureAsset {
    texture::compile(&TextureSource::Builtin(pattern), &options).unwrap()
}

fn png(image: impl Into<DynamicImage>) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    image.into().write_to(&mut bytes, ImageFormat::Png).unwrap();
    bytes.into_inner()
}

/// Pixel (x, y) has red 10 y + x.
fn numbered(width: u32, height: u32) -> Vec<u8> {
    png(RgbImage::from_fn(width, height, |x, y| Rgb([(10 * y + x) as u8, 1, 2])))
}

fn reds(texture: &TextureAsset) -> Vec<u8> {
    texture.data.iter().step_by(texture.nchannel).copied().collect()
}

fn image(bytes: &[u8], options: &TextureOptions) -> Result<TextureAsset, String> {
    texture::compile(&TextureSource::Image(bytes), options).map_err(|error| error.to_string())
}

#[test]
fn gradients_blend_as_in_mujoco() {
    let plane = pattern(
        Pattern::Gradient,
        TextureOptions {
            width: 3,
            height: 3,
            ..ORANGE_TO_BLUE
        },
    );
    let (orange, blue) = ([255, 127, 0], [0, 0, 255]);
    assert_eq!(
        plane.data,
        [blue, blue, blue, blue, orange, blue, blue, blue, blue].as_flattened()
    );

    let sky = pattern(
        Pattern::Gradient,
        TextureOptions {
            kind: TextureKind::Skybox,
            ..ORANGE_TO_BLUE
        },
    );
    assert_eq!((sky.width, sky.height), (2, 12));
    let (light, dark) = ([193, 96, 61], [61, 30, 193]);
    let left_column: Vec<u8> = sky.data.chunks(6).flat_map(|row| &row[..3]).copied().collect();
    let expected = [
        light, dark, light, dark, light, light, dark, dark, light, dark, light, dark,
    ];
    assert_eq!(left_column, expected.as_flattened());
}

#[test]
fn checkers_alternate_across_the_edges_of_a_cube() {
    let cube = pattern(
        Pattern::Checker,
        TextureOptions {
            kind: TextureKind::Cube,
            ..ORANGE_TO_BLUE
        },
    );
    let (side, other) = ([255, 0, 0, 255], [0, 255, 255, 0]);
    assert_eq!(reds(&cube), [side, side, side, side, other, other].as_flattened());
}

#[test]
fn flat_cubes_have_another_lower_side() {
    let cube = pattern(
        Pattern::Flat,
        TextureOptions {
            kind: TextureKind::Cube,
            width: 1,
            ..ORANGE_TO_BLUE
        },
    );
    assert_eq!(reds(&cube), [255, 255, 255, 0, 255, 255]);
}

#[test]
fn random_marks_are_the_pixels_mujoco_chooses() {
    let options = TextureOptions {
        rgb1: [0.0; 3],
        mark: Mark::Random,
        width: 8,
        height: 4,
        ..ORANGE_TO_BLUE
    };
    let marked: Vec<usize> = reds(&pattern(Pattern::Flat, options))
        .iter()
        .enumerate()
        .filter(|(_, red)| **red > 0)
        .map(|(k, _)| k)
        .collect();
    assert_eq!(marked, [3, 5, 10, 18, 19, 21, 23, 24, 25, 29]);
}

#[test]
fn edges_and_crosses_are_one_pixel_wide() {
    let marked = |mark| {
        let options = TextureOptions {
            rgb1: [0.0; 3],
            mark,
            width: 4,
            height: 3,
            ..ORANGE_TO_BLUE
        };
        reds(&pattern(Pattern::Flat, options))
            .iter()
            .map(|&red| u8::from(red > 0))
            .collect::<Vec<_>>()
    };
    assert_eq!(marked(Mark::Edge), [1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1]);
    assert_eq!(marked(Mark::Cross), [0, 0, 1, 0, 1, 1, 1, 1, 0, 0, 1, 0]);
}

#[test]
fn images_are_mirrored_on_request() {
    let with = |hflip, vflip| {
        reds(
            &image(
                &numbered(2, 2),
                &TextureOptions {
                    hflip,
                    vflip,
                    ..ORANGE_TO_BLUE
                },
            )
            .unwrap(),
        )
    };
    assert_eq!(with(false, false), [0, 1, 10, 11]);
    assert_eq!(with(true, false), [1, 0, 11, 10]);
    assert_eq!(with(false, true), [10, 11, 0, 1]);
}

#[test]
fn channels_are_the_upper_bytes_of_red_green_blue_alpha() {
    let deep = ImageBuffer::<Rgba<u16>, _>::from_pixel(1, 1, Rgba([0x12ff, 0x34ff, 0x56ff, 0x78ff]));
    let gray = GrayAlphaImage::from_pixel(1, 1, LumaA([9, 200]));
    for (nchannel, colour, brightness) in [
        (1, vec![0x12], vec![9]),
        (3, vec![0x12, 0x34, 0x56], vec![9; 3]),
        (4, vec![0x12, 0x34, 0x56, 0x78], vec![9, 9, 9, 200]),
    ] {
        let options = TextureOptions {
            nchannel,
            ..ORANGE_TO_BLUE
        };
        assert_eq!(
            image(&png(DynamicImage::ImageRgba16(deep.clone())), &options)
                .unwrap()
                .data,
            colour
        );
        assert_eq!(image(&png(gray.clone()), &options).unwrap().data, brightness);
    }
}

#[test]
fn sides_of_a_cube_are_cut_out_of_one_image() {
    let options = TextureOptions {
        kind: TextureKind::Cube,
        gridsize: [1, 2],
        gridlayout: "UR".into(),
        ..ORANGE_TO_BLUE
    };
    let cube = image(&numbered(4, 2), &options).unwrap();
    let missing = [255; 4];
    assert_eq!(
        reds(&cube),
        [[2, 3, 12, 13], missing, [0, 1, 10, 11], missing, missing, missing].as_flattened()
    );
    // One image for all sides is kept once.
    let all_alike = TextureOptions {
        kind: TextureKind::Cube,
        ..ORANGE_TO_BLUE
    };
    assert_eq!(image(&numbered(2, 2), &all_alike).unwrap().height, 2);
}

#[test]
fn sides_of_a_cube_are_read_from_a_file_each() {
    let [up, back] = [numbered(2, 2), numbered(2, 2)];
    let options = TextureOptions {
        kind: TextureKind::Skybox,
        ..ORANGE_TO_BLUE
    };
    let sides = |sides| texture::compile(&TextureSource::Sides(sides), &options).map_err(|error| error.to_string());
    let cube = sides([None, None, Some(&up), None, None, Some(&back)]).unwrap();
    assert_eq!(reds(&cube)[8..12], [0, 1, 10, 11]);
    assert_eq!(reds(&cube)[..8], [255; 8]);
    assert_eq!(sides([None; 6]).unwrap_err(), "no side of the cube is given");
    let wide = numbered(4, 4);
    assert_eq!(
        sides([Some(&up), Some(&wide), None, None, None, None]).unwrap_err(),
        "side L is 4 pixels wide, not 2"
    );
    let oblong = numbered(4, 2);
    assert_eq!(
        sides([Some(&oblong), None, None, None, None, None]).unwrap_err(),
        "side R is 4 x 2 pixels, not square"
    );
}

#[test]
fn what_cannot_be_a_texture_is_refused_with_a_reason() {
    let refused = |options: TextureOptions| image(&numbered(4, 2), &options).unwrap_err();
    let cube = TextureOptions {
        kind: TextureKind::Cube,
        ..ORANGE_TO_BLUE
    };
    assert!(refused(cube.clone()).contains("does not divide into squares"));
    assert!(
        refused(TextureOptions {
            gridsize: [0, 1],
            ..cube.clone()
        })
        .contains("gridsize")
    );
    assert!(
        refused(TextureOptions {
            gridsize: [i64::MAX, 2],
            ..cube.clone()
        })
        .contains("gridsize")
    );
    assert!(
        refused(TextureOptions {
            gridsize: [1, 2],
            gridlayout: "UX".into(),
            ..cube.clone()
        })
        .contains("'X'")
    );
    assert!(
        refused(TextureOptions {
            nchannel: 4,
            ..cube.clone()
        })
        .contains("3 channels")
    );
    assert!(
        refused(TextureOptions {
            nchannel: 2,
            ..ORANGE_TO_BLUE
        })
        .contains("1, 3 and 4")
    );
    let built = |options| {
        texture::compile(&TextureSource::Builtin(Pattern::Flat), &options)
            .unwrap_err()
            .to_string()
    };
    assert!(
        built(TextureOptions {
            width: 0,
            ..ORANGE_TO_BLUE
        })
        .contains("0 x 2")
    );
    assert!(
        built(TextureOptions {
            width: i64::MAX,
            ..cube
        })
        .contains("too large")
    );
    assert!(texture::compile(&TextureSource::Sides([None; 6]), &ORANGE_TO_BLUE).is_err());
    assert!(image(b"not a png", &ORANGE_TO_BLUE).is_err());
}

#[test]
fn only_png_files_are_textures() {
    assert!(check_format("wood.PNG", None).is_ok());
    assert!(check_format("wood", Some("image/png")).is_ok());
    assert!(check_format("wood.ktx", None).unwrap_err().message().contains("PNG"));
    assert!(
        check_format("wood.png", Some("image/ktx"))
            .unwrap_err()
            .message()
            .contains("image/ktx")
    );
}
