//! PNG bytes to pixels, with a limit on what a small file may unfold to.

use std::io::Cursor;

use image::{DynamicImage, ImageDecoder, ImageError, Limits, codecs::png::PngDecoder};

use super::AssetError;

/// A square of 8192 pixels a side. A file of a few kilobytes can claim any size.
const MAX_PIXELS: u64 = 1 << 26;

/// Decodes an image of any colour type and depth.
pub(super) fn decode(bytes: &[u8]) -> Result<DynamicImage, AssetError> {
    let unreadable = |error| {
        let why = match error {
            ImageError::Limits(_) => "it takes too much memory",
            ImageError::Unsupported(_) => "its kind is not supported",
            _ => "it is damaged or cut short",
        };
        AssetError::from(format!("the PNG image cannot be read: {why}"))
    };
    let mut limits = Limits::no_limits();
    // Four channels of two bytes, and the decoder's own buffers.
    limits.max_alloc = Some(MAX_PIXELS * 8 + (1 << 24));
    let decoder = PngDecoder::with_limits(Cursor::new(bytes), limits).map_err(unreadable)?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(format!("the PNG image has {width} x {height} pixels; at most {MAX_PIXELS} are supported").into());
    }
    DynamicImage::from_decoder(decoder).map_err(unreadable)
}
