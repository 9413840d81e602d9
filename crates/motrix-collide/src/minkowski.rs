//! The Minkowski difference A − B of two cores: what the distance between them is the distance of the origin from.
//!
//! Everything is expressed in the frame of A, so that only the relative pose matters: far from the world's origin nothing is
//! lost, and the support point of A needs no rotation.

use crate::shape::{Placed, Pose};
use crate::support::{Core, Rounded};
use crate::vector::{Vec3, add, neg, rotate, rotate_back, sub};

/// Two cores and where B is, seen from A.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    pub a: Rounded<'a>,
    pub b: Rounded<'a>,
    /// Pose of B in the frame of A.
    pub b_in_a: Pose,
}

/// A support point of A − B with the point of A and the features it comes from, in the frame of A.
#[derive(Clone, Copy, Debug)]
pub struct Vertex {
    pub p: Vec3,
    pub a: Vec3,
    pub feature_a: u32,
    pub feature_b: u32,
}

impl Vertex {
    pub const ZERO: Vertex = Vertex {
        p: [0.0; 3],
        a: [0.0; 3],
        feature_a: 0,
        feature_b: 0,
    };

    /// The point of B.
    #[inline(always)]
    pub fn b(&self) -> Vec3 {
        sub(self.a, self.p)
    }
}

impl<'a> Pair<'a> {
    /// `None` when one of the shapes is unbounded.
    #[inline(always)]
    pub fn new(a: &Placed<'a>, b: &Placed<'a>) -> Option<Pair<'a>> {
        Some(Pair {
            a: Rounded::new(&a.shape)?,
            b: Rounded::new(&b.shape)?,
            b_in_a: a.pose.relative(&b.pose),
        })
    }

    /// Whether both cores have finitely many extreme points.
    #[inline(always)]
    pub fn is_polyhedral(&self) -> bool {
        self.a.core.is_polyhedral() && self.b.core.is_polyhedral()
    }

    /// Radius of both roundings together.
    #[inline(always)]
    pub fn radius(&self) -> f64 {
        self.a.radius + self.b.radius
    }

    /// Some point of A − B.
    #[inline(always)]
    pub fn centre(&self) -> Vec3 {
        sub(
            self.a.core.centre(),
            add(
                rotate(&self.b_in_a.rotation, self.b.core.centre()),
                self.b_in_a.position,
            ),
        )
    }

    /// The point of A − B farthest along `d`; `near` is a vertex found for a similar direction.
    #[inline(always)]
    pub fn support(&self, d: Vec3, near: &Vertex) -> Vertex {
        let (a, feature_a) = self.a.core.support(d, near.feature_a);
        let (b, feature_b) = self.support_b(neg(d), near.feature_b);
        Vertex {
            p: sub(a, b),
            a,
            feature_a,
            feature_b,
        }
    }

    #[inline(always)]
    fn support_b(&self, d: Vec3, near: u32) -> (Vec3, u32) {
        match self.b.core {
            Core::Point => (self.b_in_a.position, 0),
            core => {
                let (local, feature) = core.support(rotate_back(&self.b_in_a.rotation, d), near);
                (add(rotate(&self.b_in_a.rotation, local), self.b_in_a.position), feature)
            }
        }
    }
}
