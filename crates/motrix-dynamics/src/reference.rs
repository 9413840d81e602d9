//! Inverse weights in the reference pose, for worlds whose masses differ from the model's.
//!
//! A body's inverse weight is the mean diagonal of J M⁻¹ Jᵀ, J being the Jacobian of its centre of mass, for translation and rotation
//! apart; a dof's is the diagonal of M⁻¹, averaged over the translations and the rotations of its joint; a tendon's is j M⁻¹ jᵀ.
//! Constraints take them for the inertia they see, so a world with other masses, centres of mass, moments or armatures needs
//! its own, or it would be stiffer or softer than a model compiled with those numbers (MuJoCo's `mj_setConst`).

use core::ops::Range;

use motrix_model::{JointKind, Model};
use motrix_spatial::algebra::*;

use crate::data::Data;
use crate::inertia;
use crate::params::Params;
use crate::pattern;
use crate::stages;
use crate::tables::Tables;

/// Smallest mass (MuJoCo's `mjMINVAL`).
const MIN_VALUE: f64 = 1e-15;

/// The reference pose of a model with the parameters of one world.
pub struct Reference {
    tables: Tables<f64>,
    /// The parameters; set what differs from the model, then ask for the weights.
    pub params: Params<f64>,
    data: Data<f64>,
    /// Bodies that only slide along their own axes: their weight is their mass, whatever their armature.
    sliding: Vec<bool>,
    /// Whether something can move the body.
    movable: Vec<bool>,
    /// Dofs that share a weight.
    groups: Vec<Range<usize>>,
    /// Body of the joint of each group.
    group_body: Vec<usize>,
}

impl Reference {
    /// The reference pose of a model with its own parameters.
    pub fn new(model: &Model) -> Self {
        let tables = Tables::new(model, &model.options);
        let bodies = &model.bodies;
        let groups: Vec<_> = model.joints.iter().flat_map(|j| shared(j.kind, j.first_dof)).collect();
        Self {
            data: Data::new(model, &tables),
            params: Params::new(model, model.options.gravity),
            tables,
            sliding: bodies
                .iter()
                .map(|b| b.dof_count > 0 && b.invweight == [1.0 / b.mass.max(MIN_VALUE), 0.0])
                .collect(),
            movable: bodies.iter().map(|b| bodies[b.weld.index()].dof_count > 0).collect(),
            group_body: groups.iter().map(|g| model.dofs[g.start].body.index()).collect(),
            groups,
        }
    }

    /// Evaluates the pose, and writes the weights of bodies, dofs and tendons into [`Reference::params`].
    pub fn weigh(&mut self) {
        self.sum_subtrees();
        stages::masses(&self.tables, &self.params, &mut self.data);
        inertia::factor(&self.tables.pattern, &mut self.data.inertia);
        for body in 0..self.movable.len() {
            self.params.bodies[body].invweight = match (self.movable[body], self.sliding[body]) {
                (false, _) => [0.0; 2],
                (true, true) => [1.0 / self.params.bodies[body].mass.max(MIN_VALUE), 0.0],
                (true, false) => self.body_weight(body),
            };
        }
        for (group, &body) in self.groups.iter().zip(&self.group_body) {
            let weight = if self.sliding[body] {
                1.0 / self.params.bodies[body].mass.max(MIN_VALUE)
            } else {
                let sum: f64 = group.clone().map(|dof| self.inverse_weight(&[(dof, 1.0)])).sum();
                sum / group.len() as f64
            };
            for dof in &mut self.params.dofs[group.clone()] {
                dof.invweight = weight;
            }
        }
        for (t, tendon) in self.tables.tendons.rows.iter().enumerate() {
            let jacobian = tendon.jacobian(&self.data.tendons);
            let row: Vec<_> = tendon
                .dofs
                .iter()
                .map(|d| *d as usize)
                .zip(jacobian.iter().copied())
                .collect();
            self.params.tendon_invweight[t] = self.inverse_weight(&row);
        }
    }

    /// Masses of subtrees from those of bodies.
    fn sum_subtrees(&mut self) {
        let bodies = &mut self.params.bodies;
        for body in bodies.iter_mut() {
            body.subtree_mass = body.mass;
        }
        for i in (1..bodies.len()).rev() {
            let mass = bodies[i].subtree_mass;
            bodies[self.tables.tree.bodies[i].parent].subtree_mass += mass;
        }
    }

    /// Mean diagonal of J M⁻¹ Jᵀ for the translation and the rotation of a body's centre of mass.
    fn body_weight(&self, body: usize) -> [f64; 2] {
        let root = self.tables.tree.bodies[body].root;
        let arm = sub(self.data.poses.com[body], self.data.poses.subtree_com[root]);
        let mut weights = [0.0; 2];
        for axis in 0..3 {
            let chain = self.tables.chains[body].iter().map(|d| *d as usize);
            let column = |dof: usize| {
                let s = &self.data.inertia.cdof[dof];
                (add_cross(linear(s), angular(s), arm), angular(s))
            };
            let translation: Vec<_> = chain.clone().map(|dof| (dof, column(dof).0[axis])).collect();
            let rotation: Vec<_> = chain.map(|dof| (dof, column(dof).1[axis])).collect();
            weights[0] += self.inverse_weight(&translation) / 3.0;
            weights[1] += self.inverse_weight(&rotation) / 3.0;
        }
        weights
    }

    /// j M⁻¹ jᵀ of a sparse row.
    fn inverse_weight(&self, row: &[(usize, f64)]) -> f64 {
        let mut x = vec![0.0; self.tables.nv];
        for &(dof, value) in row {
            x[dof] = value;
        }
        let inertia = &self.data.inertia;
        pattern::solve(
            &self.tables.pattern,
            &inertia.factors,
            &inertia.inverse_diagonal,
            &mut x,
        );
        row.iter().map(|&(dof, value)| value * x[dof]).sum()
    }
}

/// The dofs of a joint that share a weight.
fn shared(kind: JointKind, first: usize) -> impl Iterator<Item = Range<usize>> {
    let (groups, size) = match kind {
        JointKind::Free => (2, 3),
        JointKind::Ball => (1, 3),
        JointKind::Slide | JointKind::Hinge => (1, 1),
    };
    (0..groups).map(move |k| first + k * size..first + (k + 1) * size)
}
