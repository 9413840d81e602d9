//! Many pictures on the threads of the pool.
//!
//! Pictures are made a few hundred at a time, so that memory does not grow with their number. Few large ones are cut into bands of
//! rows; of many each is drawn by one thread. Bands do not touch each other, so the cut never changes a pixel.

use std::ops::Range;

use motrix_query::picture::{Kernels, Shot};
use motrix_spatial::{LaneError, LaneKind, Precision, with_lanes};

use crate::pool::{self, Threads};

/// Pictures that are prepared at once.
const AT_ONCE: usize = 256;

/// Pictures from which on each is drawn as a whole.
const MANY: usize = 16;

/// What a picture is made of.
pub trait Pixel: Copy + Default + Send {
    /// Numbers per pixel.
    const CHANNELS: usize;
    /// Draws rows of a shot.
    fn draw<L: Kernels>(shot: &Shot, rows: Range<usize>, out: &mut [Self]);
}

/// Colours.
impl Pixel for u8 {
    const CHANNELS: usize = 3;
    fn draw<L: Kernels>(shot: &Shot, rows: Range<usize>, out: &mut [u8]) {
        L::colours(shot, rows, out);
    }
}

/// Depths.
impl Pixel for f32 {
    const CHANNELS: usize = 1;
    fn draw<L: Kernels>(shot: &Shot, rows: Range<usize>, out: &mut [f32]) {
        L::depths(shot, rows, out);
    }
}

/// Segmentations.
impl Pixel for i32 {
    const CHANNELS: usize = 1;
    fn draw<L: Kernels>(shot: &Shot, rows: Range<usize>, out: &mut [i32]) {
        L::tags(shot, rows, out);
    }
}

/// Some rows of a picture, to be drawn.
struct Band<'a, P> {
    shot: &'a Shot,
    rows: Range<usize>,
    out: &'a mut [P],
}

/// Draws `count` pictures of `width` by `height` pixels one after the other into one row of numbers. `shot(k)` prepares the k-th.
pub fn draw<P: Pixel>(
    count: usize,
    [width, height]: [usize; 2],
    shot: impl Fn(usize) -> Shot + Sync,
    threads: Threads,
) -> Result<Vec<P>, LaneError> {
    let kind = LaneKind::detect(Precision::Single)?;
    let size = width * height * P::CHANNELS;
    let mut pixels = vec![P::default(); count * size];
    if pixels.is_empty() {
        return Ok(pixels);
    }
    for (number, out) in pixels.chunks_mut(AT_ONCE * size).enumerate() {
        let mut shots: Vec<(usize, Option<Shot>)> =
            (0..out.len() / size).map(|k| (number * AT_ONCE + k, None)).collect();
        pool::for_each(&mut shots, threads, |(k, made)| *made = Some(shot(*k)));
        let mut bands = Vec::new();
        for ((_, shot), out) in shots.iter().zip(out.chunks_mut(size)) {
            let Some(shot) = shot else { continue };
            let rows = if shots.len() >= MANY {
                height.next_multiple_of(shot.band())
            } else {
                shot.band()
            };
            for (k, out) in out.chunks_mut(rows * width * P::CHANNELS).enumerate() {
                let rows = k * rows..((k + 1) * rows).min(height);
                bands.push(Band { shot, rows, out });
            }
        }
        pool::for_each(&mut bands, threads, |band| {
            with_lanes!(kind, L => P::draw::<L>(band.shot, band.rows.clone(), band.out));
        });
    }
    Ok(pixels)
}
