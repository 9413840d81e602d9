//! Friction that is soft at first.
//!
//! Stiff friction makes Newton's method find its way by many short steps: a sliding contact and a sticking one are far apart, and
//! which is which changes with every step. With soft rows it learns that in one or two, and the solution with stiff ones is then near.
//! A quadruped whose friction is a hundred times as stiff as its normals (`impratio`) takes two thirds of the iterations.
//!
//! The first step with stiff rows is a whole one, during which what sticks is held: its residual is that of the soft rows, for
//! which the stiff ones would have it slide.

use motrix_model::{Cone, ContactModel, Options, Solver};
use motrix_spatial::{Lanes, Mask};

use super::Block;
use crate::solve::cost;

/// How friction comes to be stiff. It begins with the weight of the normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoftStart {
    /// Stiff over soft weight.
    stiffer: f64,
}

impl SoftStart {
    /// What the options ask for, if anything. Friction that holds ([`super::hold`]) never is stiffer than the normal.
    pub fn of(options: &Options) -> Option<Self> {
        let round = options.contact_model == ContactModel::Mujoco && options.cone == Cone::Elliptic;
        let stiffer = options.impratio;
        (options.solver == Solver::Newton && round && stiffer > 1.0).then_some(Self { stiffer })
    }
}

impl<L: Lanes> Block<L> {
    /// Makes the friction of a contact stiff in some lanes. What sticks is held until
    /// [`Rows::release`](super::Rows::release).
    #[inline(always)]
    pub fn stiffen(&mut self, start: SoftStart, lanes: L::Mask) {
        let sticking = match self.dim {
            3 => cost::cone_sticks::<L, 3>(self),
            4 => cost::cone_sticks::<L, 4>(self),
            _ => cost::cone_sticks::<L, 6>(self),
        };
        self.held |= (sticking & lanes).bits();
        self.weigh_stiffly(start, lanes);
    }

    /// Gives the friction rows of a contact the weights of stiff friction in some lanes.
    #[inline(always)]
    pub fn weigh_stiffly(&mut self, start: SoftStart, lanes: L::Mask) {
        self.friction[0] *= L::select(lanes, L::c(start.stiffer.sqrt().recip()), L::ONE);
        let middle_weight = cost::middle_weight(self.weight[0], self.friction[0]);
        self.middle_weight = L::select(lanes, middle_weight, self.middle_weight);
        let by = L::select(lanes, L::c(start.stiffer), L::ONE);
        for r in 1..self.dim {
            self.weight[r] *= by;
        }
    }
}
