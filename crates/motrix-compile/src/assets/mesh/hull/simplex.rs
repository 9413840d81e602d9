//! Four points that span a volume, chosen as qhull chooses them: extremes along the axes where they do.
//!
//! The first two are the extremes along x. The third makes the largest triangle seen along z, the fourth the largest
//! volume. Extremes are asked first, and all points only if the best of them is a sliver of what the width promises.

use super::super::orientation::{Point, doubled_area, volume6};
use crate::assets::AssetError;

/// A measure below this share of what the width promises is that of a sliver.
const SLIVER: f64 = 1e-3;

/// A point that is no extreme is good enough at this share.
const GOOD_ENOUGH: f64 = 10.0 * SLIVER;

/// Indices of four points that are not in one plane.
pub(super) fn initial(points: &[Point]) -> Result<[u32; 4], AssetError> {
    if points.len() < 4 {
        return Err(format!("the convex hull of {} points; at least 4 are required", points.len()).into());
    }
    let extremes = axis_extremes(points);
    let at = |index: u32| &points[index as usize];
    let widths = [0, 1, 2].map(|axis| at(extremes[2 * axis + 1])[axis] - at(extremes[2 * axis])[axis]);
    let longest = widths.into_iter().fold(0.0, f64::max);
    let Some(axis) = widths.iter().position(|&width| width > 0.0) else {
        return Err("the vertices are all at one place, cannot compute a convex hull; \
                    consider a small sphere instead"
            .into());
    };

    let [a, b] = [extremes[2 * axis], extremes[2 * axis + 1]];
    let area = |index: u32| doubled_area(at(a), at(b), at(index));
    let flat_area = |index: u32| {
        let [u, v] = [b, index].map(|corner| [0, 1].map(|k| at(corner)[k] - at(a)[k]));
        (u[0] * v[1] - u[1] * v[0]).abs()
    };
    // Slivers are judged by what they are in space: seen along z a triangle can be narrow without harm.
    let c = largest(points, &extremes, widths[axis] * longest, flat_area)
        .filter(|&index| area(index) > 0.0)
        .or_else(|| best(0..points.len() as u32, area).1)
        .ok_or("the vertices are all on one line, cannot compute a convex hull; consider a thin capsule instead")?;
    let volume = |index: u32| volume6(at(a), at(b), at(c), at(index)).abs();
    let d = largest(points, &extremes, flat_area(c) * longest, volume).ok_or(
        "the vertices are all in one plane, cannot compute a convex hull; consider a plane or a thin box instead",
    )?;
    Ok([a, b, c, d])
}

/// The point with the largest measure among the extremes or, if that is a sliver of what is promised, the first of the
/// others that is not, or the largest of all. None if no measure is above zero.
fn largest(points: &[Point], extremes: &[u32], promised: f64, measure: impl Fn(u32) -> f64) -> Option<u32> {
    let (mut size, mut index) = best(extremes.iter().copied(), &measure);
    if size >= SLIVER * promised && index.is_some() {
        return index;
    }
    for other in (0..points.len() as u32).filter(|other| !extremes.contains(other)) {
        let found = measure(other);
        if found > size {
            (size, index) = (found, Some(other));
            if size > GOOD_ENOUGH * promised {
                break;
            }
        }
    }
    index
}

/// The largest measure above zero and the first point that has it.
fn best(indices: impl Iterator<Item = u32>, measure: impl Fn(u32) -> f64) -> (f64, Option<u32>) {
    let measured = indices.map(|index| (measure(index), index));
    measured.fold(
        (0.0, None),
        |best, (size, index)| if size > best.0 { (size, Some(index)) } else { best },
    )
}

/// Index of the lowest and highest point along each axis.
fn axis_extremes(points: &[Point]) -> [u32; 6] {
    let mut extremes = [0; 6];
    for axis in 0..3 {
        for (index, point) in points.iter().enumerate() {
            if point[axis] < points[extremes[2 * axis] as usize][axis] {
                extremes[2 * axis] = index as u32;
            }
            if point[axis] > points[extremes[2 * axis + 1] as usize][axis] {
                extremes[2 * axis + 1] = index as u32;
            }
        }
    }
    extremes
}
