//! How numbers of the dofs of one world lie in memory: tree after tree, each padded to whole lanes, so that several dofs of a
//! tree are one operation.

use core::ops::Range;

use motrix_spatial::{Lanes, Real};

/// Fewest trees of a scene that is solved one world at a time. With fewer, worlds touch alike often enough that lanes of
/// worlds are faster.
const FEWEST_TREES: usize = 8;
/// Most dofs of a tree that is worth a full matrix: beyond, the pattern of the tree saves more than lanes gain.
const LARGEST_TREE: usize = 40;

/// Where a tree is.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// First dof.
    pub first: usize,
    /// Number of dofs.
    pub count: usize,
    /// Place of the first dof in vectors over dofs.
    pub start: usize,
    /// Numbers of a row of the tree's matrix: the dofs, padded to whole lanes.
    pub stride: usize,
    /// Where its matrix begins among those of all trees, `count` rows of `stride` numbers.
    pub square: usize,
}

impl Span {
    /// The places of its dofs, padded.
    #[inline(always)]
    pub fn places(&self) -> Range<usize> {
        self.start..self.start + self.stride
    }
    /// Where its matrix is.
    #[inline(always)]
    pub fn squares(&self) -> Range<usize> {
        self.square..self.square + self.count * self.stride
    }
}

/// The places of all dofs.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The trees.
    pub trees: Vec<Span>,
    /// Tree of each dof.
    pub tree_of: Vec<u32>,
    /// Length of a vector over dofs, with room to read a whole row of the widest tree from anywhere.
    pub len: usize,
    /// Length of all matrices of trees.
    pub squares: usize,
}

impl Layout {
    /// For trees of the given dofs, if they are many and small.
    pub fn new<L: Lanes>(trees: &[Range<usize>]) -> Option<Self> {
        if trees.len() < FEWEST_TREES || trees.iter().any(|tree| tree.len() > LARGEST_TREE) {
            return None;
        }
        let (mut start, mut square, mut widest) = (0, 0, 0);
        let mut tree_of = Vec::new();
        let mut spans = Vec::with_capacity(trees.len());
        for (t, dofs) in trees.iter().enumerate() {
            let count = dofs.len();
            let stride = count.div_ceil(L::COUNT) * L::COUNT;
            spans.push(Span {
                first: dofs.start,
                count,
                start,
                stride,
                square,
            });
            start += stride;
            square += count * stride;
            widest = stride.max(widest);
            tree_of.resize(dofs.end, t as u32);
        }
        Some(Self {
            trees: spans,
            tree_of,
            len: start + widest,
            squares: square,
        })
    }

    /// A vector of zeros.
    pub fn zeros<E: Real>(&self) -> Vec<E> {
        vec![E::from_f64(0.0); self.len]
    }
}
