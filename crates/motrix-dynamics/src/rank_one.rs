//! Outer products of a sparse row, added to a matrix of the tree's pattern: A += b JᵀJ.
//!
//! The row J of a tendon or an actuator may reach into several branches, and JᵀJ then couples dofs that the inertia matrix
//! keeps apart. As in MuJoCo, whose inertia matrix and velocity derivatives have the tree's pattern too, such couplings are
//! left out: the motion of one branch then lacks the inertia or damping that the other lends it through the row.

use motrix_spatial::Lanes;

use crate::pattern::Pattern;

/// An entry of JᵀJ that the pattern holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    /// Column of the row J for the row of the matrix.
    row: u32,
    /// Column of the row J for the column of the matrix.
    column: u32,
    /// Place in the matrix.
    place: usize,
}

/// The entries of JᵀJ, lower triangle, for a row over fixed dofs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RankOne {
    entries: Vec<Entry>,
}

impl RankOne {
    /// For a row over ascending `dofs`. Dofs in `alone` get no couplings (MuJoCo keeps only their diagonal).
    pub fn new(pattern: &Pattern, dofs: &[u32], alone: &[bool]) -> Self {
        let mut entries = Vec::new();
        for (row, &i) in dofs.iter().enumerate() {
            let i = i as usize;
            for (column, &j) in dofs[..=row].iter().enumerate() {
                let j = j as usize;
                let held = i == j || (!alone[i] && pattern.row(i).iter().any(|run| (run.start..run.end).contains(&j)));
                if held {
                    entries.push(Entry {
                        row: row as u32,
                        column: column as u32,
                        place: pattern.at(i, j),
                    });
                }
            }
        }
        Self { entries }
    }

    /// A += b JᵀJ.
    #[inline(always)]
    pub fn add<L: Lanes>(&self, row: &[L], b: L, matrix: &mut [L]) {
        for e in &self.entries {
            let product = row[e.row as usize] * row[e.column as usize];
            matrix[e.place] = b.mul_add(product, matrix[e.place]);
        }
    }
}
