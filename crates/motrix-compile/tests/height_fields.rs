//! Height field assets: which way up, how normalised, and what is refused.

use std::io::Cursor;

use image::{DynamicImage, GrayImage, ImageBuffer, ImageFormat, Luma, Rgb, RgbImage, RgbaImage};
use motrix_collide::HeightField;
use motrix_compile::assets::height_field::{Elevations, HeightFieldFormat};
use proptest::prelude::*;

const SIZE: [f64; 4] = [1.0, 2.0, 3.0, 0.1];

fn png(image: impl Into<DynamicImage>) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    image.into().write_to(&mut bytes, ImageFormat::Png).unwrap();
    bytes.into_inner()
}

fn binary(nrow: i32, ncol: i32, elevations: &[f32]) -> Vec<u8> {
    let header = [nrow, ncol].into_iter().flat_map(i32::to_le_bytes);
    header
        .chain(elevations.iter().flat_map(|value| value.to_le_bytes()))
        .collect()
}

fn load(format: HeightFieldFormat, bytes: &[u8]) -> Result<HeightField, String> {
    Elevations::decode(format, bytes)
        .and_then(|elevations| elevations.compile(SIZE))
        .map_err(|error| error.to_string())
}

fn inline(nrow: i64, ncol: i64, elevation: Option<&[f64]>) -> Result<HeightField, String> {
    Elevations::from_numbers(nrow, ncol, elevation)
        .and_then(|elevations| elevations.compile(SIZE))
        .map_err(|error| error.to_string())
}

#[test]
fn text_starts_with_the_row_at_the_highest_y() {
    let field = inline(2, 3, Some(&[4.0, 5.0, 6.0, 1.0, 2.0, 3.0])).unwrap();
    assert_eq!(field.heights(), [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
    assert_eq!(field.node(0, 0), [-1.0, -2.0, 0.0]);
    assert_eq!(field.node(1, 2), [1.0, 2.0, 3.0]);
}

#[test]
fn images_start_with_the_row_at_the_highest_y_and_white_is_high() {
    let image = GrayImage::from_raw(3, 2, vec![103, 104, 105, 100, 101, 102]).unwrap();
    let field = load(HeightFieldFormat::Png, &png(image)).unwrap();
    assert_eq!(field.heights(), [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
}

#[test]
fn binary_files_start_with_the_row_at_the_lowest_y() {
    let field = load(
        HeightFieldFormat::Binary,
        &binary(2, 3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
    )
    .unwrap();
    assert_eq!(field.heights(), [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
}

#[test]
fn constant_and_omitted_elevations_are_flat_zero() {
    assert_eq!(inline(2, 2, Some(&[2.5; 4])).unwrap().heights(), [0.0; 4]);
    assert_eq!(inline(2, 2, None).unwrap().heights(), [0.0; 4]);
}

#[test]
fn sixteen_bits_count_and_colours_become_luminance() {
    let deep = ImageBuffer::<Luma<u16>, _>::from_raw(2, 2, vec![0u16, 1, 1000, 65535]).unwrap();
    let field = load(HeightFieldFormat::Png, &png(DynamicImage::ImageLuma16(deep))).unwrap();
    assert_eq!(field.heights(), [1000.0 / 65535.0, 1.0, 0.0, 1.0 / 65535.0]);

    let colours = [[255, 255, 255], [0, 0, 0], [0, 255, 0], [255, 0, 0]].map(Rgb);
    let rgb = RgbImage::from_fn(2, 2, |x, y| colours[(2 * y + x) as usize]);
    let field = load(HeightFieldFormat::Png, &png(rgb)).unwrap();
    // Rec. 709 weights of green and red.
    for (height, expected) in field.heights().iter().zip([0.7152, 0.2126, 1.0, 0.0]) {
        assert!((height - expected).abs() < 1e-4, "{:?}", field.heights());
    }

    let transparent = RgbaImage::from_fn(2, 2, |x, y| {
        image::Rgba([(x * 100) as u8, (x * 100) as u8, (x * 100) as u8, (y * 9) as u8])
    });
    assert_eq!(
        load(HeightFieldFormat::Png, &png(transparent)).unwrap().heights(),
        [0.0, 1.0, 0.0, 1.0]
    );
}

#[test]
fn anything_but_png_is_binary_unless_the_content_type_says_otherwise() {
    assert_eq!(HeightFieldFormat::of("a/hill.PNG", None), HeightFieldFormat::Png);
    assert_eq!(
        HeightFieldFormat::of("hill.hfield", Some("hfield")),
        HeightFieldFormat::Binary
    );
    assert_eq!(HeightFieldFormat::of("hill.dat", None), HeightFieldFormat::Binary);
    assert_eq!(
        HeightFieldFormat::of("hill.dat", Some("image/png")),
        HeightFieldFormat::Png
    );
    assert_eq!(
        HeightFieldFormat::of("hill.png", Some("image/vnd.mujoco.hfield")),
        HeightFieldFormat::Binary
    );
}

#[test]
fn wrong_counts_sizes_and_numbers_are_named() {
    assert_eq!(
        inline(2, 3, Some(&[0.0; 5])).unwrap_err(),
        "5 elevations for 2 x 3 nodes"
    );
    assert!(inline(1, 3, None).unwrap_err().contains("at least 2"));
    assert!(inline(-2, 3, None).unwrap_err().contains("at least 2"));
    assert!(inline(i64::MAX, i64::MAX, None).unwrap_err().contains("too large"));
    assert!(
        inline(2, 2, Some(&[0.0, f64::NAN, 0.0, 0.0]))
            .unwrap_err()
            .contains("not a finite number")
    );
    assert!(
        inline(2, 2, Some(&[0.0, 1e300, 0.0, 0.0]))
            .unwrap_err()
            .contains("not a finite number")
    );
    assert!(
        inline(2, 2, Some(&[3e38, -3e38, 0.0, 0.0]))
            .unwrap_err()
            .contains("span more")
    );
    let flat = Elevations::from_numbers(2, 2, None)
        .unwrap()
        .compile([1.0, 2.0, 0.0, 0.1])
        .unwrap_err();
    assert_eq!(flat.to_string(), "the sizes of a height field must be positive");

    let message = |bytes: &[u8]| load(HeightFieldFormat::Binary, bytes).unwrap_err();
    assert_eq!(message(&[0; 7]), "the height field file ends within its header");
    assert_eq!(
        message(&binary(2, 3, &[0.0; 5])),
        "the file has 28 bytes, but 2 x 3 elevations take 32"
    );
    assert!(message(&binary(-2, 3, &[0.0; 6])).contains("at least 2"));
    assert!(message(&binary(i32::MAX, i32::MAX, &[])).contains("too large"));
    assert!(
        load(HeightFieldFormat::Png, &png(GrayImage::new(9, 1)))
            .unwrap_err()
            .contains("at least 2")
    );
}

#[test]
fn an_image_that_claims_to_be_huge_is_refused_before_memory_is_taken() {
    let mut bytes = png(GrayImage::new(4, 4));
    // Width and height in the header chunk, whose checksum then has to be right again.
    bytes[16..20].copy_from_slice(&60_000u32.to_be_bytes());
    bytes[20..24].copy_from_slice(&60_000u32.to_be_bytes());
    let checksum = crc32(&bytes[12..29]);
    bytes[29..33].copy_from_slice(&checksum.to_be_bytes());
    let message = load(HeightFieldFormat::Png, &bytes).unwrap_err();
    assert!(message.contains("60000 x 60000"), "{message}");
}

/// The checksum of PNG chunks, bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            if crc & 1 == 1 {
                (crc >> 1) ^ 0xedb8_8320
            } else {
                crc >> 1
            }
        })
    })
}

#[test]
fn images_cut_off_anywhere_give_an_answer() {
    let bytes = png(RgbImage::from_fn(9, 7, |x, y| Rgb([x as u8, y as u8, (x * y) as u8])));
    assert!(load(HeightFieldFormat::Png, &bytes).is_ok());
    for length in 0..bytes.len() - 12 {
        assert!(
            load(HeightFieldFormat::Png, &bytes[..length]).is_err(),
            "{length} bytes"
        );
    }
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..200), place in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let _ = load(HeightFieldFormat::Binary, &bytes);
        bytes.splice(0..0, *b"\x89PNG\r\n\x1a\n");
        let _ = load(HeightFieldFormat::Png, &bytes);
        let mut changed = png(GrayImage::new(5, 4));
        let place = place.index(changed.len());
        changed[place] = byte;
        let _ = load(HeightFieldFormat::Png, &changed);
    }
}
