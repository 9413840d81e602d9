//! Clipping one polygon by another, and choosing the four vertices that span most.

use crate::vector::{TINY, Vec3, add, add_scaled, cross, dot, norm, sub, unit};

/// Clips `subject`, a polygon or an edge, by the sides of the face `window`, whose vertices run clockwise about its outward
/// normal, and keeps what lies no higher than `margin` over the face. The result is in `polygon`.
pub fn clip<'b>(
    subject: &[Vec3],
    window: &[Vec3],
    normal: Vec3,
    margin: f64,
    polygon: &'b mut Vec<Vec3>,
    clipped: &mut Vec<Vec3>,
) -> &'b [Vec3] {
    polygon.clear();
    polygon.extend_from_slice(subject);
    for (k, &corner) in window.iter().enumerate() {
        let next = window[(k + 1) % window.len()];
        // Inward normal of the side, in the plane of the face. The detour over the tip of the normal rounds as the
        // vertices themselves do.
        let inward = cross(sub(next, corner), sub(add(corner, normal), corner));
        let inward = unit(inward).unwrap_or([1.0, 0.0, 0.0]);
        clip_by_side(polygon, corner, inward, clipped);
        core::mem::swap(polygon, clipped);
    }
    if let Some(&origin) = window.first() {
        polygon.retain(|&v| dot(sub(v, origin), normal) <= margin);
    }
    polygon
}

/// Keeps the part of the polygon on the inner side of a plane (Sutherland and Hodgman).
fn clip_by_side(polygon: &[Vec3], corner: Vec3, inward: Vec3, kept: &mut Vec<Vec3>) {
    kept.clear();
    for (k, &p) in polygon.iter().enumerate() {
        let q = polygon[(k + 1) % polygon.len()];
        let (dp, dq) = (dot(sub(p, corner), inward), dot(sub(q, corner), inward));
        let (p_inside, q_inside) = (dp > -TINY, dq > -TINY);
        if p_inside != q_inside {
            let t = dp / (dp - dq);
            if (0.0..=1.0).contains(&t) {
                kept.push(add_scaled(p, sub(q, p), t));
            }
        }
        if q_inside {
            kept.push(q);
        }
    }
}

/// The two vertices farthest apart: what remains of a clipped edge, whose vertices come twice.
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

/// A search for the quadrilateral of largest area in a convex polygon: three corners advance in turn while that helps.
struct QuadSearch<F: Fn(usize) -> Vec3> {
    count: usize,
    at: F,
    corners: [usize; 4],
    area: f64,
}

impl<F: Fn(usize) -> Vec3> QuadSearch<F> {
    fn next(&self, k: usize) -> usize {
        if k + 1 == self.count { 0 } else { k + 1 }
    }

    /// Area of a quadrilateral from its diagonals.
    fn area(&self, [a, b, c, d]: [usize; 4]) -> f64 {
        0.5 * norm(cross(sub((self.at)(a), (self.at)(c)), sub((self.at)(b), (self.at)(d))))
    }

    /// Moves one corner forward if that enlarges the area.
    fn advance(&mut self, corner: usize) -> bool {
        let mut moved = self.corners;
        moved[corner] = self.next(moved[corner]);
        let area = self.area(moved);
        let larger = area > self.area;
        if larger {
            self.area = area;
            self.corners = moved;
        }
        larger
    }

    /// Moves the last three corners while the area grows.
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
    };
    search.area = search.area(corners);
    search.grow();
    search.corners
}

/// Four vertices of a convex polygon of at least five that span about the largest quadrilateral.
pub fn largest_quad(polygon: &[Vec3]) -> [usize; 4] {
    let mut search = QuadSearch {
        count: polygon.len(),
        at: |k: usize| polygon[k],
        corners: [0, 1, 2, 3],
        area: 0.0,
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
