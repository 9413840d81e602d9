//! How the bias forces change with the velocities: ∂c(i)/∂q̇(j), for the implicit integrator.
//!
//! The bias force of dof i is c(i) = S(i)·Σ f(b) over the bodies b that it moves, with f = I a + v ×* I v. A change of q̇(j)
//! changes v of every body behind the joint by S(j), and a by Ṡ(j) + S(j) × (v − v(j)), where v(j) is the velocity directly
//! behind the joint of j: the axes further out are carried along. Hence
//!
//! ∂f/∂q̇(j) = I w(j) + G S(j), with w(j) = Ṡ(j) − S(j) × v(j) and G s = I (s × v) + s ×* (I v) + v ×* (I s).
//!
//! I and G are sums over bodies, so with composite sums Iᶜ and Gᶜ of subtrees
//!
//! ∂c(i)/∂q̇(j) = S(i)·(Iᶜ w(j) + Gᶜ S(j)),
//!
//! both taken for the subtree of whichever of i and j is further out. (G is twice the matrix B of Echeandia & Wensing,
//! *Numerical methods to compute the Coriolis matrix*, 2021; MuJoCo propagates the same derivatives body by body in
//! `mjd_rne_vel`.)

use motrix_model::JointKind;
use motrix_spatial::algebra::*;
use motrix_spatial::{Inertia as BodyInertia, Lanes, Motion};

use crate::configuration::Configuration;
use crate::data::{Inertia, Twists};
use crate::inertia;
use crate::kinematics::{JointRow, Tree};
use crate::pattern::Pattern;

/// A 6×6 matrix by columns, each a spatial force.
type Matrix6<L> = [[L; 6]; 6];

/// Memory: I and G of each body or subtree, w of each dof.
#[derive(Clone, Debug, Default)]
pub struct BiasSlope<L> {
    composite: Vec<BodyInertia<L>>,
    g: Vec<Matrix6<L>>,
    w: Vec<Motion<L>>,
}

impl<L: Lanes> BiasSlope<L> {
    /// Fills w of every dof.
    #[inline(always)]
    pub fn carry(&mut self, tree: &Tree<L::Elem>, cdof: &[Motion<L>], qvel: &[L], twists: &Twists<L>) {
        self.w.clear();
        self.w.resize(cdof.len(), zero6());
        for body in tree.bodies.iter().skip(1) {
            let mut v = twists.body[body.parent];
            for joint in &tree.joints[body.first_joint..body.first_joint + body.joint_count] {
                self.carry_joint(joint, cdof, qvel, twists, &mut v);
            }
        }
    }

    /// w of a joint's dofs; `v` is the velocity before and then behind the joint.
    #[inline(always)]
    fn carry_joint(
        &mut self,
        joint: &JointRow<L::Elem>,
        cdof: &[Motion<L>],
        qvel: &[L],
        twists: &Twists<L>,
        v: &mut Motion<L>,
    ) {
        // A free joint carries its rotation axes with its translation: two groups of dofs.
        let groups: &[usize] = match joint.kind {
            JointKind::Free => &[3, 3],
            JointKind::Ball => &[3],
            JointKind::Slide | JointKind::Hinge => &[1],
        };
        let mut first = joint.first_dof;
        for &count in groups {
            for d in first..first + count {
                *v = add_scaled6(v, qvel[d], &cdof[d]);
            }
            for d in first..first + count {
                self.w[d] = sub6(&twists.dof_rate[d], &cross_motion(&cdof[d], v));
            }
            first += count;
        }
    }

    /// Fills I and G of every subtree.
    #[inline(always)]
    pub fn compose(&mut self, at: &Configuration<L>, inertia: &Inertia<L>, twists: &Twists<L>) {
        let tree = at.tree;
        self.composite.clear();
        self.composite.resize(tree.bodies.len(), [L::ZERO; 10]);
        self.g.clear();
        self.g.resize(tree.bodies.len(), [zero6(); 6]);
        for i in 1..tree.bodies.len() {
            self.composite[i] = inertia::about_tree(at, inertia, i);
            self.g[i] = own_g(&self.composite[i], &twists.body[i]);
        }
        inertia::compose(tree, &mut self.composite);
        for i in (1..tree.bodies.len()).rev() {
            let parent = tree.bodies[i].parent;
            if parent != 0 {
                for k in 0..6 {
                    self.g[parent][k] = add6(&self.g[parent][k], &self.g[i][k]);
                }
            }
        }
    }

    /// A += h ∂c/∂q̇, both triangles, after [`BiasSlope::carry`] and [`BiasSlope::compose`].
    #[inline(always)]
    pub fn add(
        &self,
        tree: &Tree<L::Elem>,
        pattern: &Pattern,
        inertia: &Inertia<L>,
        h: L,
        lower: &mut [L],
        upper: &mut [L],
    ) {
        let cdof = &inertia.cdof;
        for i in 0..cdof.len() {
            let body = tree.dof_body[i];
            let (composite, g) = (&self.composite[body], &self.g[body]);
            let column = column(composite, g, &self.w[i], &cdof[i]);
            // Row i: S(i)·Iᶜ w(j) + S(i)·Gᶜ S(j), with both matrices applied from the left once.
            let from_w = scale6(&inertia_mul(composite, &cdof[i]), h);
            let from_s = scale6(&transpose_mul(g, &cdof[i]), h);
            for run in pattern.row(i) {
                for j in run.start..run.end {
                    let place = pattern.at(i, j);
                    lower[place] += dot6(&from_w, &self.w[j]) + dot6(&from_s, &cdof[j]);
                    upper[place] = h.mul_add(dot6(&cdof[j], &column), upper[place]);
                }
            }
            let diagonal = pattern.diagonal(i);
            lower[diagonal] = h.mul_add(dot6(&cdof[i], &column), lower[diagonal]);
        }
    }

    /// ∂c/∂q̇ of a body that is alone in its tree: column `j` for its dof `dof`, as a force to be dotted with its axes. Needs
    /// [`BiasSlope::carry`] only.
    #[inline(always)]
    pub fn alone(&self, body: &BodyInertia<L>, twist: &Motion<L>, cdof: &[Motion<L>], dof: usize) -> Motion<L> {
        column(body, &own_g(body, twist), &self.w[dof], &cdof[dof])
    }
}

/// I w + G s.
#[inline(always)]
fn column<L: Lanes>(inertia: &BodyInertia<L>, g: &Matrix6<L>, w: &Motion<L>, s: &Motion<L>) -> Motion<L> {
    let mut sum = inertia_mul(inertia, w);
    for k in 0..6 {
        sum = add_scaled6(&sum, s[k], &g[k]);
    }
    sum
}

/// Gᵀ s.
#[inline(always)]
fn transpose_mul<L: Lanes>(g: &Matrix6<L>, s: &Motion<L>) -> Motion<L> {
    let mut out = zero6();
    for k in 0..6 {
        out[k] = dot6(&g[k], s);
    }
    out
}

/// G of one body, column by column.
#[inline(always)]
fn own_g<L: Lanes>(inertia: &BodyInertia<L>, v: &Motion<L>) -> Matrix6<L> {
    let momentum = inertia_mul(inertia, v);
    let mut g = [zero6(); 6];
    for k in 0..6 {
        let mut s = zero6();
        s[k] = L::ONE;
        let carried = inertia_mul(inertia, &cross_motion(&s, v));
        let turned = cross_force(v, &inertia_mul(inertia, &s));
        g[k] = add6(&add6(&carried, &cross_force(&s, &momentum)), &turned);
    }
    g
}
