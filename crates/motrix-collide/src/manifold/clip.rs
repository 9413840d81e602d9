//! Clipping one polygon by another, and choosing the four vertices that span most.

use crate::vector::{TINY, Vec3, add_scaled, cross, dot, norm, sub};

/// Clips `polygon`, which may be an edge of two vertices, by the sides of the face `window`, whose vertices run clockwise
/// about its outward normal (Sutherland and Hodgman). `spare` is working memory.
#[inline(always)]
pub fn clip(polygon: &mut Vec<Vec3>, window: &[Vec3], normal: Vec3, spare: &mut Vec<Vec3>) {
    for (k, &corner) in window.iter().enumerate() {
        let next = window[if k + 1 < window.len() { k + 1 } else { 0 }];
        let inward = cross(sub(next, corner), normal);
        clip_by_side(polygon, corner, inward, spare);
    }
}

/// Keeps the part of the polygon on the inner side of a plane.
#[inline(always)]
fn clip_by_side(polygon: &mut Vec<Vec3>, corner: Vec3, inward: Vec3, spare: &mut Vec<Vec3>) {
    let depth = |p: Vec3| dot(sub(p, corner), inward);
    let Some(&first) = polygon.first() else {
        return;
    };
    spare.clear();
    let first_depth = depth(first);
    let (mut p, mut dp) = (first, first_depth);
    for k in 1..=polygon.len() {
        let (q, dq) = match polygon.get(k) {
            Some(&q) => (q, depth(q)),
            None => (first, first_depth),
        };
        let (p_inside, q_inside) = (dp > -TINY, dq > -TINY);
        if p_inside != q_inside {
            let t = dp / (dp - dq);
            if (0.0..=1.0).contains(&t) {
                spare.push(add_scaled(p, sub(q, p), t));
            }
        }
        if q_inside {
            spare.push(q);
        }
        (p, dp) = (q, dq);
    }
    core::mem::swap(polygon, spare);
}

/// Keeps the vertices no higher than this over the plane through `origin`.
#[inline(always)]
pub fn keep_below(polygon: &mut Vec<Vec3>, origin: Vec3, normal: Vec3, height: f64) {
    let mut kept = 0;
    for k in 0..polygon.len() {
        let v = polygon[k];
        if dot(sub(v, origin), normal) <= height {
            polygon[kept] = v;
            kept += 1;
        }
    }
    polygon.truncate(kept);
}

/// The two vertices farthest apart: what remains of a clipped edge, whose vertices come twice.
#[inline(always)]
pub fn farthest_two(polygon: &[Vec3]) -> [usize; 2] {
    let mut best = [0, 1];
    let mut longest = 0.0;
    for i in 0..polygon.len() {
        for j in i + 1..polygon.len() {
            let d = sub(polygon[j], polygon[i]);
            if dot(d, d) > longest {
                longest = dot(d, d);
                best = [i, j];
            }
        }
    }
    best
}

/// Relative difference of areas below which rounding decides. The cap of a cylinder has many quadrilaterals of equal area.
pub const CAP_TIE: f64 = 1e-12;

/// A search for the quadrilateral of largest area in a convex polygon: three corners advance in turn while that helps.
struct QuadSearch<F: Fn(usize) -> Vec3> {
    count: usize,
    at: F,
    corners: [usize; 4],
    area: f64,
    tie: f64,
    moves: usize,
}

impl<F: Fn(usize) -> Vec3> QuadSearch<F> {
    #[inline(always)]
    fn next(&self, k: usize) -> usize {
        if k + 1 == self.count { 0 } else { k + 1 }
    }

    /// Area of a quadrilateral from its diagonals.
    #[inline(always)]
    fn area(&self, [a, b, c, d]: [usize; 4]) -> f64 {
        0.5 * norm(cross(sub((self.at)(a), (self.at)(c)), sub((self.at)(b), (self.at)(d))))
    }

    /// Moves one corner forward if that enlarges the area, or leaves it equal but for the tie: equal areas may lead to larger
    /// ones. No corner goes around more than once.
    #[inline(always)]
    fn advance(&mut self, corner: usize) -> bool {
        let mut moved = self.corners;
        moved[corner] = self.next(moved[corner]);
        let area = self.area(moved);
        let larger = area > self.area * (1.0 - self.tie) && self.moves < 4 * self.count;
        self.moves += usize::from(larger);
        if larger {
            self.area = area;
            self.corners = moved;
        }
        larger
    }

    /// Moves the last three corners while the area grows.
    #[inline(always)]
    fn grow(&mut self) -> bool {
        let mut grown = false;
        while self.advance(3) {
            while self.advance(2) {}
            while self.advance(1) {}
            grown = true;
        }
        grown
    }
}

/// Four vertices of a convex polygon that span about the largest quadrilateral, the first being `start`. A polygon of up to
/// four vertices is returned whole, from `start` on.
#[inline(always)]
pub fn largest_quad_from(count: usize, start: usize, at: impl Fn(usize) -> Vec3) -> [usize; 4] {
    let corners = [0, 1, 2, 3].map(|k| (start + k) % count.max(1));
    if count <= 4 {
        return corners;
    }
    let mut search = QuadSearch {
        count,
        at,
        corners,
        area: 0.0,
        tie: 0.0,
        moves: 0,
    };
    search.area = search.area(corners);
    search.grow();
    search.corners
}

/// Four vertices of a convex polygon of at least five that span about the largest quadrilateral; areas that differ by less than
/// `tie` of themselves count as equal.
#[inline(always)]
pub fn largest_quad(polygon: &[Vec3], tie: f64) -> [usize; 4] {
    let mut search = QuadSearch {
        count: polygon.len(),
        at: |k: usize| polygon[k],
        corners: [0, 1, 2, 3],
        area: 0.0,
        tie,
        moves: 0,
    };
    search.area = search.area(search.corners);
    let mut best = search.corners;
    for first in 0..polygon.len() {
        search.corners[0] = first;
        if search.grow() {
            best = search.corners;
        }
        // The first corner moves on and pushes the others before it.
        for k in 1..4 {
            if search.corners[k] != search.corners[k - 1] {
                break;
            }
            search.corners[k] = search.next(search.corners[k]);
        }
    }
    best
}
