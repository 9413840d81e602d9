//! Sliding without lift.
//!
//! Where a round cone slides, its cost ½ w µ²(x₀ − T)² makes the normal force grow with the slip T = ‖µₖ xₖ‖ that friction cannot
//! remove: a convex problem has no other way to tie both forces together, and a body that slides fast takes off (Anitescu,
//! *Optimization-based simulation of nonsmooth rigid multibody dynamics*, 2006). With the reference of the normal lowered by T the
//! cost is ½ w µ² x₀² at the solution: the normal force is that of its own row, up to 1 + µ², and friction still µ times it. T is
//! taken from a solution at hand (De Saxcé and Feng, *The bipotential method*, 1998).

use motrix_spatial::Lanes;

use super::Block;

impl<L: Lanes> Block<L> {
    /// Frees the normal force of a round cone from its slip, and tells in which lanes it slides.
    #[inline(always)]
    pub fn uncouple(&mut self) -> L::Mask {
        let mut square = L::ZERO;
        for r in 1..self.dim {
            let u = self.friction[r] * self.residual[r];
            square = u.mul_add(u, square);
        }
        let slip = square.sqrt();
        let (mu, x) = (self.friction[0], self.residual[0]);
        let apart = slip.le(x);
        let sticks = (mu * mu).mul_add(x, slip).le(L::ZERO);
        let slides = !(apart | sticks) & self.middle_weight.gt(L::ZERO);
        let lowered = L::select(slides, slip, L::ZERO);
        let by = lowered - self.lowered;
        self.lowered = lowered;
        self.reference[0] -= by;
        self.residual[0] += by;
        slides
    }
}
