//! Where items are split: in bins along each axis, where the surface area heuristic expects the least work.

use motrix_collide::vector::Vec3;

use super::bounds::Bounds;

/// Bins per axis in which splits are tried.
const BINS: usize = 16;

/// Bins for few items.
const FEW_BINS: usize = 4;

/// Something in the tree.
#[derive(Clone, Copy)]
pub(super) struct Item {
    pub bounds: Bounds,
    pub number: u32,
}

pub(super) fn all_bounds(items: &[Item]) -> Bounds {
    items.iter().fold(Bounds::NONE, |all, item| all.with(&item.bounds))
}

/// Items in two parts: how many are in the first, and the bounds of both.
pub(super) struct Parts {
    pub first_half: usize,
    pub bounds: [Bounds; 2],
}

/// Orders items so that those of the first part stand before those that are better searched apart from them. A few items need few bins.
pub(super) fn split(here: &mut [Item]) -> Parts {
    if here.len() <= 2 * FEW_BINS {
        split_in::<FEW_BINS>(here)
    } else {
        split_in::<BINS>(here)
    }
}

fn split_in<const BINS: usize>(here: &mut [Item]) -> Parts {
    let range = here.iter().fold(Bounds::NONE, |all, item| {
        let p = item.bounds.middle();
        all.with(&Bounds { min: p, max: p })
    });
    let scale: Vec3 = std::array::from_fn(|k| BINS as f64 / (range.max[k] - range.min[k]));
    let bin = |p: Vec3, k: usize| (((p[k] - range.min[k]) * scale[k]) as usize).min(BINS - 1);

    let mut bins = [[(0_u32, Bounds::NONE); BINS]; 3];
    for item in here.iter() {
        let p = item.bounds.middle();
        for k in 0..3 {
            let (count, bounds) = &mut bins[k][bin(p, k)];
            *count += 1;
            *bounds = bounds.with(&item.bounds);
        }
    }
    // An axis on which all middles agree cannot tell them apart.
    let axes = (0..3).filter(|&k| scale[k].is_finite());
    let best = axes.filter_map(|k| cheapest_cut(&bins[k]).map(|(cost, cut)| (cost, k, cut)));
    let Some((_, axis, cut)) = best.min_by(|a, b| a.0.total_cmp(&b.0)) else {
        let first_half = here.len() / 2;
        return Parts {
            first_half,
            bounds: [all_bounds(&here[..first_half]), all_bounds(&here[first_half..])],
        };
    };
    let (mut low, mut high) = (0, here.len());
    while low < high {
        if bin(here[low].bounds.middle(), axis) <= cut {
            low += 1;
        } else {
            high -= 1;
            here.swap(low, high);
        }
    }
    let together = |bins: &[(u32, Bounds)]| bins.iter().fold(Bounds::NONE, |all, (_, bounds)| all.with(bounds));
    Parts {
        first_half: low,
        bounds: [together(&bins[axis][..=cut]), together(&bins[axis][cut + 1..])],
    }
}

/// The last bin of the first part, and its expected work: area times items, summed over both parts.
fn cheapest_cut<const BINS: usize>(bins: &[(u32, Bounds); BINS]) -> Option<(f64, usize)> {
    let mut after = [(0_u32, 0.0_f64); BINS];
    let (mut count, mut bounds) = (0, Bounds::NONE);
    for k in (1..BINS).rev() {
        count += bins[k].0;
        bounds = bounds.with(&bins[k].1);
        after[k - 1] = (count, bounds.half_area());
    }
    (count, bounds) = (0, Bounds::NONE);
    let mut best = None;
    for k in 0..BINS - 1 {
        count += bins[k].0;
        bounds = bounds.with(&bins[k].1);
        let (others, area) = after[k];
        let cost = bounds.half_area() * f64::from(count) + area * f64::from(others);
        if count > 0 && others > 0 && best.is_none_or(|(least, _)| cost < least) {
            best = Some((cost, k));
        }
    }
    best
}
