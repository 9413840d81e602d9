//! The joint-space inertia matrix M and its inverse, in one configuration.
//!
//! M is made by the composite rigid body method and factored as Lᵀ D L along the tree without fill-in (Featherstone, *Rigid
//! Body Dynamics Algorithms*, 6.5): row *i* holds the entries between dof *i* and its ancestors only.

use motrix_model::{Model, Transmission};

use super::kinematics::{Inertia, Kinematics, Motion};
use super::tendon_path::TendonPath;

/// Pivots of a matrix that is singular are raised to this, as in MuJoCo (`mjMINVAL`): sliders along the same axis, say, then
/// accelerate without bound instead of without meaning.
const MIN_PIVOT: f64 = 1e-15;

/// M in one configuration, with its factor.
#[derive(Debug)]
pub struct InertiaMatrix {
    /// Ancestors of each dof, itself first, root last.
    chains: Vec<Vec<usize>>,
    /// M between each dof and its ancestors, in the order of `chains`.
    rows: Vec<Vec<f64>>,
    /// The factor, same layout: D on the diagonal, L beside it.
    factor: Vec<Vec<f64>>,
    /// Diagonal without the armature of tendons (`dof_M0`).
    pub tree_diagonal: Vec<f64>,
}

impl InertiaMatrix {
    /// M of the model in the configuration of `kinematics`.
    pub fn new(model: &Model, kinematics: &Kinematics, tendons: &[TendonPath]) -> Self {
        let chains: Vec<Vec<usize>> = (0..model.dofs.len()).map(|dof| ancestors(model, dof)).collect();
        let composite = composite_inertias(model, kinematics);
        let mut rows: Vec<Vec<f64>> = Vec::with_capacity(chains.len());
        for (i, chain) in chains.iter().enumerate() {
            let dof = &model.dofs[i];
            let momentum = times(&composite[dof.body.index()], &kinematics.axes[i]);
            let mut row: Vec<f64> = chain.iter().map(|&j| product(&kinematics.axes[j], &momentum)).collect();
            row[0] += dof.armature + joint_armature(model, dof.joint.index());
            rows.push(row);
        }
        let tree_diagonal = rows.iter().map(|row| row[0]).collect();
        for (k, path) in tendons.iter().enumerate() {
            let armature = model.tendons[k].armature + tendon_armature(model, k);
            if armature != 0.0 {
                add_outer_product(&chains, &mut rows, armature, path);
            }
        }
        let mut matrix = Self {
            chains,
            factor: rows.clone(),
            rows,
            tree_diagonal,
        };
        matrix.factorize();
        matrix
    }

    /// Diagonal of M.
    pub fn diagonal(&self) -> impl Iterator<Item = f64> {
        self.rows.iter().map(|row| row[0])
    }

    /// Lᵀ D L from the leaves to the root.
    fn factorize(&mut self) {
        for i in (0..self.rows.len()).rev() {
            let (below, row) = self.factor.split_at_mut(i);
            let row = &mut row[0];
            row[0] = row[0].max(MIN_PIVOT);
            let pivot = row[0];
            for a in 1..row.len() {
                // rows of ancestors: subtract what dof i accounts for
                let ancestor = &mut below[self.chains[i][a]];
                let share = row[a] / pivot;
                for b in a..row.len() {
                    ancestor[b - a] -= share * row[b];
                }
            }
            for entry in &mut row[1..] {
                *entry /= pivot;
            }
        }
    }

    /// x ← M⁻¹ x.
    pub fn solve(&self, x: &mut [f64]) {
        for i in (0..x.len()).rev() {
            let xi = x[i];
            for (k, &j) in self.chains[i].iter().enumerate().skip(1) {
                x[j] -= self.factor[i][k] * xi;
            }
        }
        for i in 0..x.len() {
            x[i] /= self.factor[i][0];
            let mut xi = x[i];
            for (k, &j) in self.chains[i].iter().enumerate().skip(1) {
                xi -= self.factor[i][k] * x[j];
            }
            x[i] = xi;
        }
    }

    /// J M⁻¹ Jᵀ of a row J whose entries, `(dof, number)`, all belong to dofs of one chain: `last` and its ancestors.
    ///
    /// With M = Lᵀ D L it is the sum of xᵢ² / Dᵢ over x = L⁻ᵀ Jᵀ, and x vanishes outside the chain: however large the model,
    /// only the chain is looked at.
    pub fn inverse_weight_on_chain(&self, last: usize, row: impl IntoIterator<Item = (usize, f64)>) -> f64 {
        let chain = &self.chains[last];
        let mut x = vec![0.0; chain.len()];
        for (dof, number) in row {
            // chains descend, so that a dof's place is found by bisection
            let place = chain.partition_point(|&other| other > dof);
            x[place] = number;
        }
        let mut sum = 0.0;
        for (k, &i) in chain.iter().enumerate() {
            let xi = x[k];
            sum += xi * xi / self.factor[i][0];
            for (above, entry) in x[k..].iter_mut().zip(&self.factor[i]).skip(1) {
                *above -= entry * xi;
            }
        }
        sum
    }

    /// J M⁻¹ Jᵀ of one row J.
    pub fn inverse_weight(&self, row: &[f64]) -> f64 {
        let mut x = row.to_vec();
        self.solve(&mut x);
        row.iter().zip(&x).map(|(a, b)| a * b).sum()
    }
}

/// `dof`, its parent, and so on to the root.
fn ancestors(model: &Model, dof: usize) -> Vec<usize> {
    let mut chain = vec![dof];
    while let Some(parent) = model.dofs[chain[chain.len() - 1]].parent {
        chain.push(parent.index());
    }
    chain
}

/// Inertia of each body together with all its descendants.
fn composite_inertias(model: &Model, kinematics: &Kinematics) -> Vec<Inertia> {
    let mut composite = kinematics.inertia.clone();
    for i in (1..composite.len()).rev() {
        let parent = model.bodies[i].parent.index();
        if parent > 0 {
            let own = composite[i];
            for (sum, part) in composite[parent].iter_mut().zip(own) {
                *sum += part;
            }
        }
    }
    composite
}

/// Armature that actuators add to a joint, reflected through the square of their gear.
fn joint_armature(model: &Model, joint: usize) -> f64 {
    let acts = |transmission: &Transmission| match transmission {
        Transmission::Joint(id) | Transmission::JointInParent(id) => id.index() == joint,
        _ => false,
    };
    reflected_armature(model, acts)
}

/// Armature that actuators add to a tendon.
fn tendon_armature(model: &Model, tendon: usize) -> f64 {
    reflected_armature(model, |t| matches!(t, Transmission::Tendon(id) if id.index() == tendon))
}

fn reflected_armature(model: &Model, acts: impl Fn(&Transmission) -> bool) -> f64 {
    let reflected = |a: &motrix_model::Actuator| a.armature * a.gear[0] * a.gear[0];
    model
        .actuators
        .iter()
        .filter(|a| acts(&a.transmission))
        .map(reflected)
        .sum()
}

/// M += a Jᵀ J, where both dofs are on one chain: M holds no other entries.
fn add_outer_product(chains: &[Vec<usize>], rows: &mut [Vec<f64>], armature: f64, path: &TendonPath) {
    for &(i, ji) in &path.jacobian {
        for (k, j) in chains[i].iter().enumerate() {
            if let Some(&(_, jj)) = path.jacobian.iter().find(|(dof, _)| dof == j) {
                rows[i][k] += armature * ji * jj;
            }
        }
    }
}

/// Momentum `[angular; linear]` of a body of inertia `i` moving with `v`.
pub fn times(i: &Inertia, v: &Motion) -> Motion {
    [
        i[0] * v[0] + i[3] * v[1] + i[4] * v[2] - i[8] * v[4] + i[7] * v[5],
        i[3] * v[0] + i[1] * v[1] + i[5] * v[2] + i[8] * v[3] - i[6] * v[5],
        i[4] * v[0] + i[5] * v[1] + i[2] * v[2] - i[7] * v[3] + i[6] * v[4],
        i[8] * v[1] - i[7] * v[2] + i[9] * v[3],
        i[6] * v[2] - i[8] * v[0] + i[9] * v[4],
        i[7] * v[0] - i[6] * v[1] + i[9] * v[5],
    ]
}

fn product(a: &Motion, b: &Motion) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
