//! A prism of the surface in each lane, seen from the centre of a shape.

use motrix_spatial::algebra::{add_scaled, dot, norm_squared, select3, sub};
use motrix_spatial::{Lanes, Mask, Vec3};

use super::turn::Turn;
use super::walk::{Cells, View};

/// A triangle of the surface and what is below it, without end. The origin is the centre of the shape.
#[derive(Clone, Copy, Debug)]
pub struct Prism<L: Lanes> {
    /// Counter-clockwise seen from above.
    pub corners: [Vec3<L>; 3],
    /// Unit normal of the triangle, upwards.
    pub normal: Vec3<L>,
    /// Unit normal, away from the prism, of the wall below the edge that starts at each corner; horizontal.
    pub walls: [[L; 2]; 3],
    /// Height of the base.
    pub base: L,
}

impl<L: Lanes> Prism<L> {
    /// The upper left prisms of cells, or the others.
    #[inline(always)]
    pub fn of_cells(view: &View<L>, cells: &Cells<L>, upper_left: bool) -> Self {
        let [near, right, left, far] = cells.numbers;
        let (third, mask) = if upper_left {
            (left, L::Mask::ALL)
        } else {
            (right, L::Mask::NONE)
        };
        Self::new(view, [cells.col, cells.row], [near, far, third], mask)
    }

    /// The prisms of a turn.
    #[inline(always)]
    pub fn of_turn(view: &View<L>, turn: &Turn<L>) -> Self {
        let [col, row, near, far, third] = turn.places;
        Self::new(view, [col, row], [near, far, third], turn.upper_left)
    }

    /// From columns and rows behind the first, and the numbers of the near, the far and the third corner.
    #[inline(always)]
    fn new(view: &View<L>, [col, row]: [L; 2], [near, far, third]: [L; 3], upper_left: L::Mask) -> Self {
        let [dx, dy] = view.grid.spacing;
        let x = col.mul_add(dx, view.origin[0]);
        let y = row.mul_add(dy, view.origin[1]);
        let near = near.mul_add(view.elevation, view.level);
        let far = far.mul_add(view.elevation, view.level);
        let third = third.mul_add(view.elevation, view.level);
        let near = [x, y, near];
        let far = [x + dx, y + dy, far];
        let third = [
            L::select(upper_left, x, far[0]),
            L::select(upper_left, far[1], y),
            third,
        ];
        // near, far, left; or near, right, far.
        let corners = [near, select3(upper_left, far, third), select3(upper_left, third, far)];
        let [ix, iy] = view.grid.inverse;
        let (rise, run) = (far[2] - third[2], third[2] - near[2]);
        let slope_x = L::select(upper_left, rise, run) * ix;
        let slope_y = L::select(upper_left, run, rise) * iy;
        let nz = slope_x
            .mul_add(slope_x, slope_y.mul_add(slope_y, L::ONE))
            .sqrt()
            .recip();
        let [diagonal_x, diagonal_y] = view.grid.diagonal;
        let (zero, one) = (L::ZERO, L::ONE);
        Self {
            corners,
            normal: [-slope_x * nz, -slope_y * nz, nz],
            walls: [
                [
                    L::select(upper_left, diagonal_x, zero),
                    L::select(upper_left, -diagonal_y, -one),
                ],
                [L::select(upper_left, zero, one), L::select(upper_left, one, zero)],
                [
                    L::select(upper_left, -one, -diagonal_x),
                    L::select(upper_left, zero, diagonal_y),
                ],
            ],
            base: view.base,
        }
    }

    /// The edge that starts at corner `k`.
    #[inline(always)]
    pub fn edge(&self, k: usize) -> Vec3<L> {
        sub(self.corners[(k + 1) % 3], self.corners[k])
    }

    /// How far a point is above the plane of the triangle.
    #[inline(always)]
    pub fn above(&self, p: Vec3<L>) -> L {
        dot(self.normal, sub(p, self.corners[0]))
    }

    /// How far a point is beyond wall `k`.
    #[inline(always)]
    pub fn beyond(&self, k: usize, p: Vec3<L>) -> L {
        let [mx, my] = self.walls[k];
        let corner = self.corners[k];
        my.mul_add(p[1] - corner[1], mx * (p[0] - corner[0]))
    }

    /// How far the prism reaches along a direction that does not fall.
    #[inline(always)]
    pub fn highest(&self, d: Vec3<L>) -> L {
        let [a, b, c] = self.corners;
        dot(d, a).max(dot(d, b)).max(dot(d, c))
    }

    /// The point nearest to `p`, which is outside, and the square of its distance.
    ///
    /// It is the foot of `p` on the triangle if that is where the foot lies, a point of one of its edges, or a point of a wall at
    /// the height of `p`. All are points of the prism, so that the nearest of them is the nearest point.
    #[inline(always)]
    pub fn nearest(&self, p: Vec3<L>) -> (Vec3<L>, L) {
        let above = self.above(p);
        let foot = add_scaled(p, -above, self.normal);
        let mut over = L::Mask::ALL;
        for k in 0..3 {
            over = over & self.beyond(k, foot).le(L::ZERO);
        }
        let mut best = Nearest {
            point: foot,
            distance2: L::select(over, above * above, L::c(1e30)),
        };
        for k in 0..3 {
            let (corner, edge) = (self.corners[k], self.edge(k));
            let from = sub(p, corner);
            let t = (dot(from, edge) / norm_squared(edge)).clamp(L::ZERO, L::ONE);
            best.consider(L::Mask::ALL, add_scaled(corner, t, edge), p);
            // A wall is nearer only to what is beyond it and below its upper edge. Elsewhere it must not even tie with the edge, or
            // rounding would let one lane's result depend on whether another looks at its wall.
            let beside = self.beyond(k, p).gt(L::ZERO) & p[2].lt(corner[2].max(self.corners[(k + 1) % 3][2]));
            if !beside.any() {
                continue;
            }
            let flat2 = edge[1].mul_add(edge[1], edge[0] * edge[0]);
            let t = (from[1].mul_add(edge[1], from[0] * edge[0]) / flat2).clamp(L::ZERO, L::ONE);
            let mut on_wall = add_scaled(corner, t, edge);
            on_wall[2] = on_wall[2].min(p[2]);
            best.consider(beside, on_wall, p);
        }
        (best.point, best.distance2)
    }
}

/// The best of several points.
struct Nearest<L: Lanes> {
    point: Vec3<L>,
    distance2: L,
}

impl<L: Lanes> Nearest<L> {
    #[inline(always)]
    fn consider(&mut self, lanes: L::Mask, point: Vec3<L>, p: Vec3<L>) {
        let distance2 = norm_squared(sub(p, point));
        let nearer = lanes & distance2.lt(self.distance2);
        self.point = select3(nearer, point, self.point);
        self.distance2 = L::select(nearer, distance2, self.distance2);
    }
}
