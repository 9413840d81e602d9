//! Which dofs move which bodies: the columns of Jacobians that stay the same in every step.

use motrix_model::{BodyId, Model};

/// Dofs that move some of a few bodies, ascending, each with the bodies that it moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Support {
    /// The dofs.
    pub dofs: Vec<u32>,
    /// For each dof the set of bodies that it moves: bit *b* for the *b*-th body.
    pub moves: Vec<u8>,
    /// Whether all dofs lie on one way to the root, so that they fit the pattern of the inertia matrix.
    pub single_chain: bool,
}

impl Support {
    /// Dofs that move at least one of up to eight bodies.
    pub fn of_any(model: &Model, bodies: &[BodyId]) -> Self {
        let mut columns: Vec<(u32, u8)> = Vec::new();
        for (b, &body) in bodies.iter().enumerate() {
            for dof in model.dof_chain(body) {
                let dof = dof.index() as u32;
                match columns.iter_mut().find(|(d, _)| *d == dof) {
                    Some((_, moves)) => *moves |= 1 << b,
                    None => columns.push((dof, 1 << b)),
                }
            }
        }
        columns.sort_unstable();
        Self::new(model, &columns)
    }

    /// Dofs that move some of the bodies but not all, and so change how the bodies lie relative to each other.
    pub fn relative(model: &Model, bodies: &[BodyId]) -> Self {
        let all = Self::of_any(model, bodies);
        let everyone = (1u16 << bodies.len()) - 1;
        let columns = all.dofs.into_iter().zip(all.moves);
        let columns: Vec<_> = columns.filter(|&(_, moves)| u16::from(moves) != everyone).collect();
        Self::new(model, &columns)
    }

    fn new(model: &Model, columns: &[(u32, u8)]) -> Self {
        let dofs: Vec<u32> = columns.iter().map(|&(dof, _)| dof).collect();
        Self {
            single_chain: on_one_chain(model, &dofs),
            dofs,
            moves: columns.iter().map(|&(_, moves)| moves).collect(),
        }
    }
}

/// Whether ascending dofs all lie on the way from the last one to the root.
pub fn on_one_chain(model: &Model, dofs: &[u32]) -> bool {
    let Some(&last) = dofs.last() else { return true };
    let chain = model.dof_chain(model.dofs[last as usize].body);
    dofs.iter().all(|&dof| chain.iter().any(|d| d.index() as u32 == dof))
}
