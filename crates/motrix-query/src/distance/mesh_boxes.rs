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
    /// How many boxes are right under the whole.
    count: u8,
    fours: Vec<Four>,
}

/// Four boxes side by side.
#[derive(Clone, Debug)]
struct Four {
    boxes: Boxes<4>,
    /// Squares of half their diagonals.
    reach2: [f32; 4],
    children: [Child; 4],
}

/// What is under a box.
#[derive(Clone, Copy, Debug)]
enum Child {
    /// Nothing: fewer than four were needed.
    Nothing,
    /// So many more boxes of the four with this number.
    Four { four: u32, count: u8 },
    /// Triangles from the first one on.
    Triangles { first: u32, count: u8 },
}

/// The node above all.
pub const WHOLE: NodeId = NodeId::MAX;

/// What a child of the tree is: boxes to come, or triangles.
fn child(tree: &Tree, reached: Reached) -> Child {
    match tree.items(reached) {
        Some(places) => Child::Triangles {
            first: places.start as u32,
            count: places.len() as u8,
        },
        None => Child::Four {
            four: reached.number(),
            count: tree.wide(reached).count() as u8,
        },
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
        let empty = Four {
            boxes: Boxes::of([&nothing; 4]),
            reach2: [0.0; 4],
            children: [Child::Nothing; 4],
        };
        let mut fours = vec![empty; wides.len()];
        // Children come after their parents, so that going backwards what is under them is known first.
        for (index, wide) in wides.iter().enumerate().rev() {
            let mut boxes = [nothing; 4];
            let mut all = none.clone();
            for slot in 0..wide.count() {
                let child = child(tree, wide.child(slot));
                let (places, moments) = match child {
                    Child::Four { four, .. } => under[four as usize].clone(),
                    Child::Triangles { first, count } => {
                        let places = first as usize..first as usize + usize::from(count);
                        let each = triangles[places.clone()].iter().map(|t| Moments::of(t, origin));
                        (places, each.fold(Moments::default(), |a, b| a + b))
                    }
                    Child::Nothing => continue,
                };
                boxes[slot] = around(&triangles[places.clone()], &moments);
                fours[index].children[slot] = child;
                all = if all.0.is_empty() {
                    (places, moments)
                } else {
                    (
                        all.0.start.min(places.start)..all.0.end.max(places.end),
                        all.1 + moments,
                    )
                };
            }
            fours[index].reach2 = boxes.map(|b| b.reach2());
            fours[index].boxes = Boxes::of(boxes.each_ref());
            under[index] = all;
        }
        let (places, moments) = &under[0];
        MeshBoxes {
            whole: around(&triangles[places.clone()], moments),
            count: wides[0].count() as u8,
            fours,
        }
    }

    /// The box of a node.
    #[inline(always)]
    pub fn obb(&self, node: NodeId) -> Obb {
        if node == WHOLE {
            return self.whole;
        }
        self.fours[(node / 4) as usize].boxes.get((node % 4) as usize)
    }

    /// The square of half the diagonal of a node's box.
    #[inline(always)]
    pub fn reach2(&self, node: NodeId) -> f32 {
        if node == WHOLE {
            return self.whole.reach2();
        }
        self.fours[(node / 4) as usize].reach2[(node % 4) as usize]
    }

    /// What is under a node.
    #[inline(always)]
    pub fn below(&self, node: NodeId) -> Below {
        let child = if node == WHOLE {
            Child::Four {
                four: 0,
                count: self.count,
            }
        } else {
            self.fours[(node / 4) as usize].children[(node % 4) as usize]
        };
        match child {
            Child::Triangles { first, count } => Below::Triangles(first.into(), count.into()),
            Child::Four { four, count } => {
                let first = 4 * NodeId::from(four);
                Below::Nodes([first, first + 1, first + 2, first + 3], count.into())
            }
            Child::Nothing => Below::Nodes([0; 4], 0),
        }
    }

    /// Bounds of the squared distances between another box and four nodes that stand together.
    #[inline(always)]
    pub fn gaps2(&self, nodes: &[NodeId; 4], other: &Obb) -> [f32; 4] {
        self.fours[(nodes[0] / 4) as usize].boxes.gaps2(other)
    }
}
