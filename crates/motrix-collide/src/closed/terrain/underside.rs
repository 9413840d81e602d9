//! The lower side of a capsule or sphere in one lane: which cells stay below it.
//!
//! A feature of the ground at q touches a ball about the point c of the axis when |q − c| ≤ w, with w the radius and the reach. Or c
//! has sunk below the feature, and is pushed up through it from wherever. A cell whose highest node is lower than all of the axis
//! has nothing of the second kind; of the first neither, if it is lower than the balls about the points of the axis that come
//! within w of it as seen from above.

use motrix_spatial::Real;

/// Widening that covers rounding, as a share of the radius.
const SLACK: f64 = 1e-3;

/// Roundings of the coordinates of a shape.
const ROUNDINGS: f64 = 16.0;

/// The balls about the points of an axis, above a grid of cells.
#[derive(Clone, Copy, Debug, Default)]
pub struct Underside {
    /// From the first point of the axis to the first node of the grid, and the size of a cell.
    offset: [f64; 2],
    size: [f64; 2],
    /// 1 over the way of the axis along x and y; 0 where it does not go anywhere.
    inverse: [f64; 2],
    /// Height of the first point, and how much higher the last one is.
    height: f64,
    rise: f64,
    wide: f64,
    wide2: f64,
    /// Height of the lower end of the axis.
    lowest: f64,
}

/// What an underside is of, in the frame of a field.
#[derive(Clone, Copy, Debug)]
pub struct Above {
    pub ends: [[f64; 3]; 2],
    /// Radius and reach.
    pub wide: f64,
    /// Half extents of the field.
    pub half: [f64; 2],
    /// Distances between its nodes.
    pub spacing: [f64; 2],
}

impl Underside {
    /// Of balls between two points whose numbers are rounded as those of `E` are.
    #[inline(always)]
    pub fn new<E: Real>(above: &Above) -> Self {
        let Above {
            ends: [start, end],
            wide,
            half,
            spacing,
        } = *above;
        let mut far = start[2].abs() + end[2].abs();
        let (mut offset, mut inverse) = ([0.0; 2], [0.0; 2]);
        for i in 0..2 {
            far += start[i].abs() + end[i].abs() + half[i];
            offset[i] = -half[i] - start[i];
            let step = end[i] - start[i];
            if step.abs() > SLACK * wide {
                inverse[i] = 1.0 / step;
            }
        }
        let rounding = ROUNDINGS * E::EPSILON * far;
        let wide = wide * (1.0 + SLACK) + rounding;
        Self {
            offset,
            size: spacing,
            inverse,
            height: start[2],
            rise: end[2] - start[2],
            wide,
            wide2: wide * wide,
            lowest: start[2].min(end[2]) - SLACK * wide - rounding,
        }
    }

    /// Whether the cell of a column and row, nowhere higher than `top`, stays below. What is not a number does not.
    #[inline(always)]
    pub fn is_above(&self, cell: [i32; 2], top: f64) -> bool {
        if !(top < self.lowest) {
            return false;
        }
        // The part of the axis that comes near, and how far beside the cell a ball stays that goes nowhere.
        let (mut first, mut last, mut beside2) = (0.0f64, 1.0f64, 0.0);
        for i in 0..2 {
            let from = self.size[i] * f64::from(cell[i]) + self.offset[i];
            if self.inverse[i] != 0.0 {
                let a = (from - self.wide) * self.inverse[i];
                let b = (from + self.size[i] + self.wide) * self.inverse[i];
                first = first.max(a.min(b));
                last = last.min(a.max(b));
            } else {
                let beside = from.max(-from - self.size[i]) - SLACK * self.wide;
                beside2 += beside * beside.max(0.0);
            }
        }
        let nearest = self.height + (self.rise * first).min(self.rise * last);
        let above = nearest - top;
        first > last || (above > 0.0 && above * above + beside2 > self.wide2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers from −1 to 1 that look random.
    struct Scatter(u64);

    impl Scatter {
        fn next(&mut self) -> f64 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) as f64 / (1u64 << 30) as f64 - 1.0
        }

        fn vector(&mut self) -> [f64; 3] {
            [self.next(), self.next(), self.next()]
        }
    }

    /// Of a cell that is left out, and all below it, no point is within reach of the axis, and none is above a point of the axis. Most
    /// cells that are out of reach are left out.
    #[test]
    fn a_cell_that_is_left_out_is_below_the_shape() {
        let mut scatter = Scatter(9);
        let (half, spacing) = ([1.0, 1.0], [0.2, 0.3]);
        let (mut left_out, mut beyond) = (0, 0);
        for i in 0..4000 {
            let (start, mut end) = (scatter.vector(), scatter.vector());
            match i % 4 {
                0 => end = start,
                1 => end[0] = start[0],
                2 => end[2] = start[2],
                _ => {}
            }
            let wide = 0.01 + 0.3 * scatter.next().abs();
            let underside = Underside::new::<f32>(&Above {
                ends: [start, end],
                wide,
                half,
                spacing,
            });
            for cell in (0..10).flat_map(|col| (0..6).map(move |row| [col, row])) {
                let top = scatter.next();
                // The nearest point of the cell and all below it to each of some points of the axis.
                let reached = (0..=20).any(|k| {
                    let t = f64::from(k) / 20.0;
                    let c = [0, 1, 2].map(|i| start[i] + t * (end[i] - start[i]));
                    let beside = [0, 1].map(|i| {
                        let low = -half[i] + spacing[i] * f64::from(cell[i]);
                        c[i] - c[i].clamp(low, low + spacing[i])
                    });
                    let above = (c[2] - top).max(0.0);
                    c[2] <= top || beside[0].powi(2) + beside[1].powi(2) + above * above <= wide * wide
                });
                let out = underside.is_above(cell, top);
                assert!(
                    !(out && reached),
                    "{cell:?} up to {top} reaches {start:?} {end:?} {wide}"
                );
                left_out += usize::from(out);
                beyond += usize::from(!reached);
            }
        }
        assert!(
            4 * left_out > 3 * beyond,
            "{left_out} left out of {beyond} beyond reach"
        );
    }
}
