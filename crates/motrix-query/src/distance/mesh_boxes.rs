//! The boxes of a mesh: four side by side, in the shape of the wide tree over its triangles.

use std::ops::Range;

use super::fit::{Moments, around};
use super::hierarchy::{Below, NodeId};
use super::obb::{Boxes, Obb};
use super::triangle::Triangle;
use crate::bvh::{Reached, Tree};

/// Boxes over the triangles of a mesh. A node is a place among four, 4 · four + place, or the whole.
#[derive(Clone, Debug)]
pub struct MeshBoxes {
    whole: Obb,
    fours: Vec<Boxes<4>>,
    children: Vec<[Child; 4]>,
}

/// What is under a box.
#[derive(Clone, Copy, Debug)]
enum Child {
    /// Nothing: fewer than four were needed.
    Nothing,
    /// Four more boxes.
    Four(u32),
    /// Triangles from the first one on.
    Triangles { first: u32, count: u32 },
}

/// The node above all.
pub const WHOLE: NodeId = NodeId::MAX;

/// What a child of the tree is: boxes to come, or triangles.
fn child(tree: &Tree, reached: Reached) -> Child {
    match tree.items(reached) {
        Some(places) => Child::Triangles {
            first: places.start as u32,
            count: places.len() as u32,
        },
        None => Child::Four(reached.number()),
    }
}

impl MeshBoxes {
    /// Boxes for a tree over triangles in its order.
    pub fn new(tree: &Tree, triangles: &[Triangle]) -> MeshBoxes {
        let origin = tree.bounds().middle();
        let wides = tree.wide_nodes();
        let none: (Range<usize>, Moments) = (0..0, Moments::default());
        let mut under = vec![none.clone(); wides.len()];
        let nothing = Obb::new([0.0; 3], [0.0; 3], &motrix_collide::vector::IDENTITY);
        let mut fours = vec![Boxes::of([&nothing; 4]); wides.len()];
        let mut children = vec![[Child::Nothing; 4]; wides.len()];
        // Children come after their parents, so that going backwards what is under them is known first.
        for (index, wide) in wides.iter().enumerate().rev() {
            let mut boxes = [nothing; 4];
            let mut all = none.clone();
            for slot in 0..wide.count() {
                let child = child(tree, wide.child(slot));
                let (places, moments) = match child {
                    Child::Four(next) => under[next as usize].clone(),
                    Child::Triangles { first, count } => {
                        let places = first as usize..(first + count) as usize;
                        let each = triangles[places.clone()].iter().map(|t| Moments::of(t, origin));
                        (places, each.fold(Moments::default(), |a, b| a + b))
                    }
                    Child::Nothing => continue,
                };
                boxes[slot] = around(&triangles[places.clone()], &moments);
                children[index][slot] = child;
                all = if all.0.is_empty() {
                    (places, moments)
                } else {
                    (
                        all.0.start.min(places.start)..all.0.end.max(places.end),
                        all.1 + moments,
                    )
                };
            }
            fours[index] = Boxes::of(boxes.each_ref());
            under[index] = all;
        }
        let (places, moments) = &under[0];
        MeshBoxes {
            whole: around(&triangles[places.clone()], moments),
            fours,
            children,
        }
    }

    /// The box of a node.
    #[inline(always)]
    pub fn obb(&self, node: NodeId) -> Obb {
        if node == WHOLE {
            return self.whole;
        }
        self.fours[(node / 4) as usize].get((node % 4) as usize)
    }

    /// What is under a node.
    #[inline(always)]
    pub fn below(&self, node: NodeId) -> Below {
        let child = if node == WHOLE {
            Child::Four(0)
        } else {
            self.children[(node / 4) as usize][(node % 4) as usize]
        };
        match child {
            Child::Triangles { first, count } => Below::Triangles(first.into(), count as usize),
            Child::Four(four) => {
                let first = 4 * NodeId::from(four);
                let there = |slot: &&Child| !matches!(slot, Child::Nothing);
                let count = self.children[four as usize].iter().take_while(there).count();
                Below::Nodes([first, first + 1, first + 2, first + 3], count)
            }
            Child::Nothing => Below::Nodes([0; 4], 0),
        }
    }

    /// Bounds of the squared distances between another box and four nodes that stand together.
    #[inline(always)]
    pub fn gaps2(&self, nodes: &[NodeId; 4], other: &Obb) -> [f32; 4] {
        self.fours[(nodes[0] / 4) as usize].gaps2(other)
    }
}
