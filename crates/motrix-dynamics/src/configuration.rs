//! Bodies where they are and as they move, as forces and constraints see them.

use motrix_spatial::algebra::*;
use motrix_spatial::{Lanes, Motion, Quat, Vec3};

use crate::data::{Poses, Twists};
use crate::kinematics::Tree;
use crate::params::Params;

/// Everything that follows from positions alone.
#[derive(Clone, Copy)]
pub struct Configuration<'a, L: Lanes> {
    /// The tree.
    pub tree: &'a Tree<L::Elem>,
    /// Dofs from the root to each body.
    pub chains: &'a [Vec<u32>],
    /// Parameters.
    pub params: &'a Params<L>,
    /// Positions of the dofs.
    pub qpos: &'a [L],
    /// Poses.
    pub poses: &'a Poses<L>,
    /// Axes of the dofs.
    pub cdof: &'a [Motion<L>],
}

impl<L: Lanes> Configuration<'_, L> {
    /// Where a point of `body` is, seen from the origin of the body's spatial vectors: the centre of mass of its tree.
    #[inline(always)]
    pub fn arm(&self, body: usize, point: Vec3<L>) -> Vec3<L> {
        sub(point, self.poses.subtree_com[self.tree.bodies[body].root])
    }

    /// Orientation of a site in the world.
    #[inline(always)]
    pub fn site_orientation(&self, site: usize) -> Quat<L> {
        let row = &self.tree.frames.sites[site];
        let body = self.poses.orientation[row.body];
        match &row.orientation {
            Some(q) => quat_mul(body, splat4(*q)),
            None => body,
        }
    }
}

/// Everything that follows from positions and velocities.
#[derive(Clone, Copy)]
pub struct Movement<'a, L: Lanes> {
    /// Where the bodies are.
    pub at: Configuration<'a, L>,
    /// Velocities of the dofs.
    pub qvel: &'a [L],
    /// Velocities of the bodies.
    pub twists: &'a Twists<L>,
}

impl<L: Lanes> Movement<'_, L> {
    /// Velocity of the point of `body` at `arm` from the origin.
    #[inline(always)]
    pub fn velocity(&self, body: usize, arm: Vec3<L>) -> Vec3<L> {
        let twist = &self.twists.body[body];
        add_cross(linear(twist), angular(twist), arm)
    }

    /// J̇ q̇ of `body`, spatial: its acceleration when no joint accelerates and nothing falls, Σ Ṡ q̇ over its dofs.
    ///
    /// The rotation axes of a ball or free joint are fixed to the body itself and turn with all of its velocity.
    #[inline(always)]
    pub fn velocity_product(&self, body: usize) -> Motion<L> {
        let mut sum = zero6();
        for &dof in &self.at.chains[body] {
            let d = dof as usize;
            let rate = if self.at.tree.dof_in_body_axes[d] {
                cross_motion(&self.twists.body[self.at.tree.dof_body[d]], &self.at.cdof[d])
            } else {
                self.twists.dof_rate[d]
            };
            sum = add_scaled6(&sum, self.qvel[d], &rate);
        }
        sum
    }

    /// J̇ q̇ of the point of `body` at `arm` from the origin: its share of [`Movement::velocity_product`] and ω × v.
    #[inline(always)]
    pub fn point_velocity_product(&self, body: usize, product: &Motion<L>, arm: Vec3<L>) -> Vec3<L> {
        let carried = add_cross(linear(product), angular(product), arm);
        add_cross(carried, angular(&self.twists.body[body]), self.velocity(body, arm))
    }
}
