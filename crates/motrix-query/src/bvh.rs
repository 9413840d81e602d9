//! A tree of boxes over things that have bounds, and the walk of a ray through it.
//!
//! The tree is binary first: items are split where the surface area heuristic, evaluated in bins, expects the least work (Wald 2007, "On
//! fast construction of SAH-based bounding volume hierarchies"). For rays it is then folded into nodes of four children whose bounds
//! stand side by side, so that one pass of vector instructions tests all four.
//!
//! Boxes are kept in single precision about the middle of the root and padded outwards by more than the walk can round away; what
//! is in the leaves is tested by the caller in double precision. A ray starts at the root's border, so that nothing is lost however
//! far away it comes from.

use std::ops::Range;

use motrix_collide::vector::{Vec3, add_scaled, sub};

use crate::ray::Ray;

/// A box along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Lowest coordinates.
    pub min: Vec3,
    /// Highest coordinates.
    pub max: Vec3,
}

impl Bounds {
    /// Around nothing: the neutral element of [`Bounds::with`].
    pub const NONE: Bounds = Bounds {
        min: [f64::INFINITY; 3],
        max: [f64::NEG_INFINITY; 3],
    };

    /// Around points.
    pub fn of(points: &[Vec3]) -> Bounds {
        points
            .iter()
            .fold(Bounds::NONE, |all, &p| all.with(&Bounds { min: p, max: p }))
    }

    /// Around both. Comparisons rather than `f64::min`, which spends most of its time on what is not a number.
    #[inline(always)]
    #[must_use]
    pub fn with(&self, other: &Bounds) -> Bounds {
        let lower = |a: f64, b: f64| if b < a { b } else { a };
        let upper = |a: f64, b: f64| if b > a { b } else { a };
        Bounds {
            min: std::array::from_fn(|k| lower(self.min[k], other.min[k])),
            max: std::array::from_fn(|k| upper(self.max[k], other.max[k])),
        }
    }

    /// The middle.
    #[inline(always)]
    pub fn middle(&self) -> Vec3 {
        std::array::from_fn(|k| 0.5 * (self.min[k] + self.max[k]))
    }

    /// Half of the surface; 0 around nothing.
    #[inline(always)]
    fn half_area(&self) -> f64 {
        let [x, y, z] = sub(self.max, self.min);
        if x < 0.0 { 0.0 } else { x * y + y * z + z * x }
    }

    /// Where a ray with these inverses of its direction enters, if it does at or after its start.
    #[inline(always)]
    fn entered_by(&self, ray: &Ray, inverse: &Vec3) -> Option<f64> {
        let (mut enter, mut leave) = (0.0_f64, f64::INFINITY);
        for k in 0..3 {
            let (a, b) = (
                (self.min[k] - ray.origin[k]) * inverse[k],
                (self.max[k] - ray.origin[k]) * inverse[k],
            );
            let (near, far) = if inverse[k] < 0.0 { (b, a) } else { (a, b) };
            // What is not a number, of a ray along a side, bounds nothing.
            enter = if near > enter { near } else { enter };
            leave = if far < leave { far } else { leave };
        }
        // A ray that never moves along an axis enters at infinity when it is beside.
        (enter <= leave && enter < f64::INFINITY).then_some(enter)
    }

    /// Where a ray enters and leaves, if it does at or after its start.
    #[inline(always)]
    pub fn crossed_by(&self, ray: &Ray) -> Option<(f64, f64)> {
        let (mut enter, mut leave) = (0.0_f64, f64::INFINITY);
        for k in 0..3 {
            if ray.direction[k] == 0.0 {
                if !(self.min[k] <= ray.origin[k] && ray.origin[k] <= self.max[k]) {
                    return None;
                }
                continue;
            }
            let inverse = 1.0 / ray.direction[k];
            let (a, b) = (
                (self.min[k] - ray.origin[k]) * inverse,
                (self.max[k] - ray.origin[k]) * inverse,
            );
            enter = enter.max(a.min(b));
            leave = leave.min(a.max(b));
        }
        (enter <= leave).then_some((enter, leave))
    }
}

/// A node of the binary tree: items, or two children.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// First item of a leaf, or the first of two children that stand together.
    first: u32,
    /// Items of a leaf; 0 for a node with children.
    count: u32,
}

/// What is under a node.
#[derive(Clone, Debug)]
pub enum Under {
    /// These places of [`Tree::order`].
    Items(Range<usize>),
    /// These nodes.
    Children(usize, usize),
}

impl Node {
    /// What is under it.
    #[inline(always)]
    pub fn under(&self) -> Under {
        let first = self.first as usize;
        match self.count {
            0 => Under::Children(first, first + 1),
            n => Under::Items(first..first + n as usize),
        }
    }
}

/// Four children side by side.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Wide {
    min: [[f32; 4]; 3],
    max: [[f32; 4]; 3],
    /// A wide node, or with [`LEAF`] set a node of the binary tree.
    child: [u32; 4],
}

/// A node that a walk has come to: a wide one or a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached(u32);

impl Reached {
    /// Where every walk starts.
    pub const ROOT: Reached = Reached(0);
}

impl Wide {
    /// How many children there are; they fill the first places.
    #[inline(always)]
    pub fn count(&self) -> usize {
        (0..4)
            .take_while(|&slot| self.min[0][slot] <= self.max[0][slot])
            .count()
    }

    /// The extent of a child along an axis, about the middle of the tree's bounds.
    #[inline(always)]
    pub fn side(&self, axis: usize, slot: usize) -> (f32, f32) {
        (self.min[axis][slot], self.max[axis][slot])
    }

    /// A child.
    #[inline(always)]
    pub fn child(&self, slot: usize) -> Reached {
        Reached(self.child[slot])
    }
}

/// Marks a child that is a leaf.
const LEAF: u32 = 1 << 31;

/// A child that does not exist: no ray meets its bounds.
const NOBODY: Wide = Wide {
    min: [[f32::INFINITY; 4]; 3],
    max: [[f32::NEG_INFINITY; 4]; 3],
    child: [LEAF; 4],
};

/// Bins per axis in which splits are tried.
const BINS: usize = 16;

/// Padding of boxes in parts of the root's extent. The walk rounds coordinates of at most twice the extent three times by half a unit of
/// 1.2e-7: at most 4e-7 together.
const PAD: f64 = 2e-6;

/// Inverses of components of a direction above this, in parts of the least, count as this: they must stay finite in single precision.
const STEEPEST: f64 = 1e20;

/// Children that wait in a walk through most trees: three per level of a tree over some thousand items. More wait on the heap.
const FEW: usize = 32;

/// A tree of boxes.
#[derive(Clone, Debug)]
pub struct Tree {
    /// Bounds of everything, padded.
    bounds: Bounds,
    /// Item of each place; leaves name ranges of places.
    order: Vec<u32>,
    /// The binary tree, root first; children come after their parents.
    nodes: Vec<Node>,
    wide: Vec<Wide>,
}

impl Tree {
    /// A tree over items with these bounds, at most `leaf` in a leaf.
    pub fn new(items: &[Bounds], leaf: usize) -> Tree {
        let mut order: Vec<u32> = (0..items.len() as u32).collect();
        let middles: Vec<Vec3> = items.iter().map(Bounds::middle).collect();
        let mut nodes = vec![Node { first: 0, count: 0 }];
        let mut boxes = vec![Bounds::NONE];
        let mut open = vec![(0, 0..items.len())];
        while let Some((node, range)) = open.pop() {
            let here = &mut order[range.clone()];
            boxes[node] = here.iter().fold(Bounds::NONE, |all, &i| all.with(&items[i as usize]));
            if here.len() <= leaf.max(1) {
                nodes[node] = Node {
                    first: range.start as u32,
                    count: range.len() as u32,
                };
                continue;
            }
            let middle = range.start + split(items, &middles, here);
            let first = nodes.len();
            nodes[node].first = first as u32;
            nodes.extend([Node { first: 0, count: 0 }; 2]);
            boxes.extend([Bounds::NONE; 2]);
            open.push((first, range.start..middle));
            open.push((first + 1, middle..range.end));
        }
        Tree::folded(order, nodes, &boxes)
    }

    /// Adds the wide nodes to a binary tree.
    fn folded(order: Vec<u32>, nodes: Vec<Node>, boxes: &[Bounds]) -> Tree {
        let whole = boxes[0];
        let extent = (0..3).map(|k| whole.max[k] - whole.min[k]).fold(0.0, f64::max);
        let pad = PAD * extent + f64::MIN_POSITIVE;
        let bounds = Bounds {
            min: whole.min.map(|x| x - pad),
            max: whole.max.map(|x| x + pad),
        };
        let mut tree = Tree {
            bounds,
            order,
            nodes,
            wide: vec![NOBODY],
        };
        if tree.order.is_empty() {
            return tree;
        }
        let centre = whole.middle();
        let mut open = vec![(0, 0)];
        while let Some((wide, node)) = open.pop() {
            for (slot, child) in tree.four_under(node, boxes).into_iter().flatten().enumerate() {
                let b = &boxes[child];
                for k in 0..3 {
                    tree.wide[wide].min[k][slot] = (b.min[k] - centre[k] - pad) as f32;
                    tree.wide[wide].max[k][slot] = (b.max[k] - centre[k] + pad) as f32;
                }
                tree.wide[wide].child[slot] = match tree.nodes[child].under() {
                    Under::Items(_) => LEAF | child as u32,
                    Under::Children(..) => {
                        let next = tree.wide.len();
                        tree.wide.push(NOBODY);
                        open.push((next, child));
                        next as u32
                    }
                };
            }
        }
        tree
    }

    /// Up to four nodes that cover a node: its children, with the largest of them opened until there are four.
    fn four_under(&self, node: usize, boxes: &[Bounds]) -> [Option<usize>; 4] {
        let mut four = [Some(node), None, None, None];
        for filled in 1..4 {
            let area = |slot: &usize| four[*slot].map_or(0.0, |n| boxes[n].half_area());
            let inner = |slot: &usize| four[*slot].is_some_and(|n| self.nodes[n].count == 0);
            let largest = (0..filled).filter(inner).max_by(|a, b| area(a).total_cmp(&area(b)));
            let Some(slot) = largest else { break };
            let Some(Under::Children(left, right)) = four[slot].map(|n| self.nodes[n].under()) else {
                break;
            };
            (four[slot], four[filled]) = (Some(left), Some(right));
        }
        four
    }

    /// Bounds of everything.
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// The item at each place.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// The binary tree, root first; children come after their parents.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The places under a leaf; none when it is a wide node.
    #[inline(always)]
    pub fn items(&self, reached: Reached) -> Option<Range<usize>> {
        if reached.0 & LEAF == 0 {
            return None;
        }
        match self.nodes[(reached.0 & !LEAF) as usize].under() {
            Under::Items(range) => Some(range),
            Under::Children(..) => None,
        }
    }

    /// The wide node that is reached.
    ///
    /// # Panics
    /// If it is a leaf.
    #[inline(always)]
    pub fn wide(&self, reached: Reached) -> &Wide {
        &self.wide[reached.0 as usize]
    }

    /// Visits leaves that a ray may meet before `limit`, roughly in the order in which it meets them. `visit` gets places of
    /// [`Tree::order`] and lowers the limit when it finds something; below 0 the walk ends.
    #[inline]
    pub fn walk(&self, ray: &Ray, limit: &mut f64, mut visit: impl FnMut(Range<usize>, &mut f64)) {
        let inverse = ray.direction.map(|x| 1.0 / x);
        let Some(start) = self.bounds.entered_by(ray, &inverse) else {
            return;
        };
        if start > *limit {
            return;
        }
        let walk = Walk::new(ray, &inverse, start, self.bounds.middle());
        let mut waiting = Waiting::new();
        waiting.push((0.0, 0));
        while let Some((entry, child)) = waiting.pop() {
            let rest = (*limit - start) as f32 * ROUNDED_UP;
            if !(entry <= rest) {
                continue;
            }
            if child & LEAF != 0 {
                if let Under::Items(range) = self.nodes[(child & !LEAF) as usize].under() {
                    visit(range, limit);
                }
                continue;
            }
            let wide = &self.wide[child as usize];
            let entries = walk.entries(wide, rest);
            waiting.push_far_first(&entries, &wide.child);
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

    /// Adds the children a ray meets, the nearest on top.
    #[inline(always)]
    fn push_far_first(&mut self, entries: &[f32; 4], child: &[u32; 4]) {
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
        for &child in &met[..count] {
            self.push(child);
        }
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

/// Orders items so that those before the returned place are better searched apart from those after it.
fn split(items: &[Bounds], middles: &[Vec3], here: &mut [u32]) -> usize {
    let range = here.iter().fold(Bounds::NONE, |all, &i| {
        let p = middles[i as usize];
        all.with(&Bounds { min: p, max: p })
    });
    let scale: Vec3 = std::array::from_fn(|k| BINS as f64 / (range.max[k] - range.min[k]));
    let bin = |i: u32, k: usize| (((middles[i as usize][k] - range.min[k]) * scale[k]) as usize).min(BINS - 1);

    let mut bins = [[(0_u32, Bounds::NONE); BINS]; 3];
    for &i in here.iter() {
        for k in 0..3 {
            let (count, bounds) = &mut bins[k][bin(i, k)];
            *count += 1;
            *bounds = bounds.with(&items[i as usize]);
        }
    }
    // An axis on which all middles agree cannot tell them apart.
    let axes = (0..3).filter(|&k| scale[k].is_finite());
    let best = axes.filter_map(|k| cheapest_cut(&bins[k]).map(|(cost, cut)| (cost, k, cut)));
    let Some((_, axis, cut)) = best.min_by(|a, b| a.0.total_cmp(&b.0)) else {
        return here.len() / 2;
    };
    let (mut low, mut high) = (0, here.len());
    while low < high {
        if bin(here[low], axis) <= cut {
            low += 1;
        } else {
            high -= 1;
            here.swap(low, high);
        }
    }
    low
}

/// The last bin of the first part, and its expected work: area times items, summed over both parts.
fn cheapest_cut(bins: &[(u32, Bounds); BINS]) -> Option<(f64, usize)> {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Unit boxes at the points of a grid.
    fn grid(n: usize) -> Vec<Bounds> {
        let cells = (0..n * n * n).map(|i| [i % n, i / n % n, i / n / n].map(|x| 3.0 * x as f64));
        cells
            .map(|min| Bounds {
                min,
                max: min.map(|x| x + 1.0),
            })
            .collect()
    }

    fn met(tree: &Tree, ray: &Ray) -> Vec<u32> {
        let mut limit = f64::INFINITY;
        let mut found = Vec::new();
        tree.walk(ray, &mut limit, |places, _| found.extend(&tree.order()[places]));
        found.sort_unstable();
        found
    }

    #[test]
    fn every_item_is_in_one_leaf() {
        let tree = Tree::new(&grid(5), 2);
        let mut seen = vec![0; 125];
        for node in tree.nodes() {
            if let Under::Items(range) = node.under() {
                assert!(range.len() <= 2);
                tree.order()[range].iter().for_each(|&i| seen[i as usize] += 1);
            }
        }
        assert_eq!(seen, vec![1; 125]);
    }

    #[test]
    fn a_ray_meets_the_boxes_on_its_way_and_those_only() {
        let items = grid(6);
        let tree = Tree::new(&items, 1);
        for (origin, direction) in [
            ([-4.0, 0.5, 0.5], [1.0, 0.0, 0.0]),
            ([0.5, 0.5, 1e7], [0.0, 0.0, -1.0]),
            ([-1.0, -1.2, -0.9], [1.0, 1.02, 0.98]),
            ([7.5, 7.5, 7.5], [0.3, -0.8, 0.1]),
        ] {
            let ray = Ray { origin, direction };
            let every: Vec<u32> = (0..216)
                .filter(|&i| items[i as usize].crossed_by(&ray).is_some())
                .collect();
            assert_eq!(met(&tree, &ray), every, "{ray:?}");
        }
    }

    #[test]
    fn a_tree_that_leans_to_one_side_loses_no_item() {
        // Nested boxes that halve a thousand times: every cut leaves a few on one side and hundreds on the other, and a ray from where
        // they all meet has one leaf waiting at every level on its way down.
        for side in [-1.0, 1.0] {
            let nested = |k: i32| {
                let corner = [side * 0.5_f64.powi(k), 0.0, 0.0];
                Bounds::of(&[[0.0, -1.0, -1.0], [corner[0], 1.0, 1.0]])
            };
            let items: Vec<Bounds> = (0..1000).map(nested).collect();
            let ray = Ray {
                origin: [0.0; 3],
                direction: [0.0, 0.6, 0.8],
            };
            assert_eq!(met(&Tree::new(&items, 1), &ray).len(), items.len(), "{side}");
        }
    }

    #[test]
    fn equal_items_and_none_at_all_make_trees_too() {
        let same = vec![grid(1)[0]; 40];
        let ray = Ray {
            origin: [0.5, 0.5, -3.0],
            direction: [0.0, 0.0, 1.0],
        };
        assert_eq!(met(&Tree::new(&same, 2), &ray).len(), 40);
        assert!(met(&Tree::new(&[], 2), &ray).is_empty());
    }
}
