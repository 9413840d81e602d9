//! The walk of a ray through a tree, nearest children first.

use std::ops::Range;

use motrix_collide::vector::{Vec3, add_scaled, sub};

use super::{LEAF, Tree, Under, Wide};
use crate::ray::Ray;

/// Children that wait in a walk through most trees: three per level of a tree over some thousand items. More wait on the heap.
const FEW: usize = 32;

/// Inverses of components of a direction above this, in parts of the least, count as this: they must stay finite in single precision.
const STEEPEST: f64 = 1e20;

impl Tree {
    /// Visits leaves that a ray may meet before `limit`, roughly in the order in which it meets them. `visit` gets places of
    /// [`Tree::order`] and lowers the limit when it finds something; below 0 the walk ends.
    #[inline(always)]
    pub fn walk(&self, ray: &Ray, limit: &mut f64, mut visit: impl FnMut(Range<usize>, &mut f64)) {
        let inverse = ray.direction.map(|x| 1.0 / x);
        let Some(start) = self.bounds.entered_by(ray, &inverse) else {
            return;
        };
        if start > *limit {
            return;
        }
        let walk = Walk::new(ray, &inverse, start, self.bounds.middle());
        let rest_of = |limit: f64| (limit - start) as f32 * ROUNDED_UP;
        let mut rest = rest_of(*limit);
        let mut waiting = Waiting::new();
        let mut next = Some(0);
        while let Some(child) = next {
            if child & LEAF == 0 {
                let wide = &self.wide[child as usize];
                next = waiting.push_all_but_nearest(&walk.entries(wide, rest), &wide.child);
            } else {
                if let Under::Items(range) = self.nodes[(child & !LEAF) as usize].under() {
                    visit(range, limit);
                    rest = rest_of(*limit);
                }
                next = None;
            }
            if next.is_none() {
                next = waiting.pop_before(rest);
            }
        }
    }
}

/// A little more than 1: what a conversion to single precision may lose.
const ROUNDED_UP: f32 = 1.0 + 4.0 * f32::EPSILON;

/// Children a walk has yet to look at: where the ray enters them, and which. No tree is too deep for it: a few stand at hand, and
/// whatever comes on top of those is kept on the heap, so that none is ever left out.
struct Waiting {
    few: [(f32, u32); FEW],
    count: usize,
    more: Vec<(f32, u32)>,
}

impl Waiting {
    #[inline(always)]
    fn new() -> Waiting {
        Waiting {
            few: [(0.0, 0); FEW],
            count: 0,
            more: Vec::new(),
        }
    }

    #[inline(always)]
    fn push(&mut self, child: (f32, u32)) {
        if self.count < FEW {
            self.few[self.count] = child;
            self.count += 1;
        } else {
            self.more.push(child);
        }
    }

    #[inline(always)]
    fn pop(&mut self) -> Option<(f32, u32)> {
        if self.count == FEW
            && let Some(child) = self.more.pop()
        {
            return Some(child);
        }
        self.count = self.count.checked_sub(1)?;
        Some(self.few[self.count])
    }

    /// The next child that the ray enters before `rest`.
    #[inline(always)]
    fn pop_before(&mut self, rest: f32) -> Option<u32> {
        loop {
            let (entry, child) = self.pop()?;
            if entry <= rest {
                return Some(child);
            }
        }
    }

    /// Adds the children a ray meets, the nearer on top, but for the nearest of all, which is returned.
    #[inline(always)]
    fn push_all_but_nearest(&mut self, entries: &[f32; 4], child: &[u32; 4]) -> Option<u32> {
        let mut met = [(0.0_f32, 0_u32); 4];
        let mut count = 0;
        for slot in 0..4 {
            if entries[slot] < f32::INFINITY {
                let mut at = count;
                while at > 0 && met[at - 1].0 < entries[slot] {
                    met[at] = met[at - 1];
                    at -= 1;
                }
                met[at] = (entries[slot], child[slot]);
                count += 1;
            }
        }
        let last = count.checked_sub(1)?;
        for &child in &met[..last] {
            self.push(child);
        }
        Some(met[last].1)
    }
}

/// A ray from the root's border on, in the frame of the boxes.
struct Walk {
    origin: [f32; 3],
    inverse: [f32; 3],
}

impl Walk {
    #[inline(always)]
    fn new(ray: &Ray, inverse: &Vec3, start: f64, centre: Vec3) -> Walk {
        let origin = sub(add_scaled(ray.origin, ray.direction, start), centre);
        let least = inverse
            .iter()
            .fold(f64::INFINITY, |a, x| if x.abs() < a { x.abs() } else { a });
        let most = least * STEEPEST;
        Walk {
            origin: origin.map(|x| x as f32),
            inverse: inverse.map(|x| x.clamp(-most, most) as f32),
        }
    }

    /// Where the ray enters each child; infinity where it does not, before `rest`.
    #[inline(always)]
    fn entries(&self, wide: &Wide, rest: f32) -> [f32; 4] {
        let mut enter = [0.0_f32; 4];
        let mut leave = [rest; 4];
        for k in 0..3 {
            let (o, i) = (self.origin[k], self.inverse[k]);
            // The side met first is known from the direction, the same for all children.
            let (near, far) = if i < 0.0 {
                (&wide.max[k], &wide.min[k])
            } else {
                (&wide.min[k], &wide.max[k])
            };
            for c in 0..4 {
                let (a, b) = ((near[c] - o) * i, (far[c] - o) * i);
                enter[c] = if a > enter[c] { a } else { enter[c] };
                leave[c] = if b < leave[c] { b } else { leave[c] };
            }
        }
        std::array::from_fn(|c| if enter[c] <= leave[c] { enter[c] } else { f32::INFINITY })
    }
}
