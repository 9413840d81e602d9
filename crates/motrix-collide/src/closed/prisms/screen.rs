//! Planes below a shape: cells beyond one of them are left out before anything else is asked.
//!
//! Along a direction d that points down, a shape reaches h(d) from its centre, and the prisms of a cell begin where the lowest of
//! their upper corners does. The directions are the same for all cells, so that h is asked once per shape and each cell costs a few
//! products. For boxes they are those of the faces. For shapes without a closed form they fan out over the lower half of the sphere: the nearer one is to the true separating direction, the more it
//! leaves out, and none can leave out a prism that touches.

use motrix_spatial::{Lanes, Real, Vec3};

use super::solid::Reach;
use super::walk::{Cells, View};

/// Rings of directions: the sine and cosine of their angle to the vertical, and how many there are.
const RINGS: [(f64, f64, usize); 3] = [
    (0.382_683_432_365_089_8, 0.923_879_532_511_286_7, 6),
    (core::f64::consts::FRAC_1_SQRT_2, core::f64::consts::FRAC_1_SQRT_2, 8),
    (0.923_879_532_511_286_7, 0.382_683_432_365_089_8, 8),
];

/// How many directions there are.
const COUNT: usize = RINGS[0].2 + RINGS[1].2 + RINGS[2].2;

/// Cosine and sine of the turns of a ring of six and of eight.
const SIX: [[f64; 2]; 6] = {
    let (c, s) = (0.5, 0.866_025_403_784_438_6);
    [[1.0, 0.0], [c, s], [-c, s], [-1.0, 0.0], [-c, -s], [c, -s]]
};
const EIGHT: [[f64; 2]; 8] = {
    let c = core::f64::consts::FRAC_1_SQRT_2;
    [
        [1.0, 0.0],
        [c, c],
        [0.0, 1.0],
        [-c, c],
        [-1.0, 0.0],
        [-c, -c],
        [0.0, -1.0],
        [c, -c],
    ]
};

/// Unit directions that point down.
const DIRECTIONS: [[f64; 3]; COUNT] = {
    let mut directions = [[0.0; 3]; COUNT];
    let mut filled = 0;
    let mut ring = 0;
    while ring < RINGS.len() {
        let (sine, cosine, count) = RINGS[ring];
        let mut k = 0;
        while k < count {
            let [x, y] = if count == 6 { SIX[k] } else { EIGHT[k] };
            directions[filled] = [sine * x, sine * y, -cosine];
            filled += 1;
            k += 1;
        }
        ring += 1;
    }
    directions
};

/// How far the shapes reach along each direction.
#[derive(Clone, Copy, Debug)]
pub struct Fan<L> {
    reaches: [L; COUNT],
}

impl<L: Lanes> Fan<L> {
    /// Nothing is known yet.
    #[inline(always)]
    pub fn empty() -> Self {
        Self {
            reaches: [L::ZERO; COUNT],
        }
    }

    #[inline(always)]
    pub fn of(shape: &impl Reach<L>) -> Self {
        let mut reaches = [L::ZERO; COUNT];
        for (reach, d) in reaches.iter_mut().zip(&DIRECTIONS) {
            *reach = shape.along(direction(d));
        }
        Self { reaches }
    }

    /// Lanes whose upper left prism, and whose other one, a plane at least `slack` beyond the shape separates from it.
    #[inline(always)]
    pub fn separate(&self, slack: L, view: &View<L>, cells: &Cells<L>) -> [L::Mask; 2] {
        let mut gaps = Gaps::new(view, cells);
        for k in 0..COUNT {
            gaps.consider(direction(&DIRECTIONS[k]), cells.worlds.pick(self.reaches[k]) + slack);
        }
        gaps.separated()
    }
}

#[inline(always)]
fn direction<L: Lanes>(d: &[f64; 3]) -> Vec3<L> {
    [
        L::splat(L::Elem::from_f64(d[0])),
        L::splat(L::Elem::from_f64(d[1])),
        L::splat(L::Elem::from_f64(d[2])),
    ]
}

/// How far cells are beyond the planes below their shapes.
pub struct Gaps<L> {
    /// The near corners in steps of the grid, from the shape's centre.
    col: L,
    row: L,
    /// Heights of the near, right, left and far node.
    heights: [L; 4],
    spacing: [L; 2],
    /// Of the upper left prisms, and of the others.
    most: [L; 2],
}

impl<L: Lanes> Gaps<L> {
    /// Nothing is separated yet.
    #[inline(always)]
    pub fn new(view: &View<L>, cells: &Cells<L>) -> Self {
        let [x, y] = view.grid.inverse;
        let mut heights = [L::ZERO; 4];
        for i in 0..4 {
            heights[i] = cells.numbers[i].mul_add(view.elevation, view.level);
        }
        Self {
            col: view.origin[0].mul_add(x, cells.col),
            row: view.origin[1].mul_add(y, cells.row),
            heights,
            spacing: view.grid.spacing,
            most: [L::c(-1.0); 2],
        }
    }

    /// A plane across a unit direction that does not rise, at this distance from the shape's centre.
    #[inline(always)]
    pub fn consider(&mut self, d: Vec3<L>, distance: L) {
        let (across, along, up) = (d[0] * self.spacing[0], d[1] * self.spacing[1], d[2]);
        let [near, right, left, far] = self.heights;
        let at_near = self.col.mul_add(across, self.row.mul_add(along, -distance));
        let at_right = at_near + across;
        let at_left = at_near + along;
        let at_far = at_right + along;
        let diagonal = up.mul_add(near, at_near).min(up.mul_add(far, at_far));
        self.most[0] = self.most[0].max(diagonal.min(up.mul_add(left, at_left)));
        self.most[1] = self.most[1].max(diagonal.min(up.mul_add(right, at_right)));
    }

    /// Lanes whose upper left prism, and whose other one, some plane separates from the shape.
    #[inline(always)]
    pub fn separated(&self) -> [L::Mask; 2] {
        [self.most[0].gt(L::ZERO), self.most[1].gt(L::ZERO)]
    }
}
