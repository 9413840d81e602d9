//! A tree of boxes over things that have bounds, and the walk of a ray through it.
//!
//! The tree is binary first: items are split where the surface area heuristic, evaluated in bins, expects the least work (Wald 2007, "On
//! fast construction of SAH-based bounding volume hierarchies"). For rays it is then folded into nodes of four children whose bounds
//! stand side by side, so that one pass of vector instructions tests all four.
//!
//! Boxes are kept in single precision about the middle of the root and padded outwards by more than the walk can round away; what
//! is in the leaves is tested by the caller in double precision. A ray starts at the root's border, so that nothing is lost however
//! far away it comes from.

mod bounds;
mod build;
mod walk;

use std::ops::Range;

pub use bounds::Bounds;
use build::{Item, Parts, all_bounds, split};

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

    /// The number of a wide node among [`Tree::wide_nodes`].
    pub(crate) fn number(self) -> u32 {
        self.0
    }
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

/// Padding of boxes in parts of the root's extent. The walk rounds coordinates of at most twice the extent three times by half a unit of
/// 1.2e-7: at most 4e-7 together.
const PAD: f64 = 2e-6;

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
        let number = |(number, bounds): (usize, &Bounds)| Item {
            bounds: *bounds,
            number: number as u32,
        };
        let mut items: Vec<Item> = items.iter().enumerate().map(number).collect();
        let mut nodes = vec![Node { first: 0, count: 0 }];
        let mut boxes = vec![all_bounds(&items)];
        let mut open = vec![(0, 0..items.len())];
        while let Some((node, range)) = open.pop() {
            let here = &mut items[range.clone()];
            if here.len() <= leaf.max(1) {
                nodes[node] = Node {
                    first: range.start as u32,
                    count: range.len() as u32,
                };
                continue;
            }
            let Parts { first_half, bounds } = split(here);
            let middle = range.start + first_half;
            let first = nodes.len();
            nodes[node].first = first as u32;
            nodes.extend([Node { first: 0, count: 0 }; 2]);
            boxes.extend(bounds);
            open.push((first, range.start..middle));
            open.push((first + 1, middle..range.end));
        }
        let order = items.iter().map(|item| item.number).collect();
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

    /// All wide nodes, root first; children come after their parents.
    pub(crate) fn wide_nodes(&self) -> &[Wide] {
        &self.wide
    }

    /// The wide node that is reached.
    ///
    /// # Panics
    /// If it is a leaf.
    #[inline(always)]
    pub fn wide(&self, reached: Reached) -> &Wide {
        &self.wide[reached.0 as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ray::Ray;

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
