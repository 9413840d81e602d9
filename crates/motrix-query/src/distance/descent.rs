//! The least distance between two surfaces: a descent of both hierarchies at once.
//!
//! Pairs of nodes wait on a stack. Of a pair whose boxes are nearer than the best pair of triangles so far the larger node is opened, and the
//! nearer of its children is looked at first. A pair of triangles that was nearest in a similar pose gives a first bound; it changes
//! how long the search takes, never the distance it finds.

use motrix_collide::Pose;
use motrix_collide::vector::{Vec3, dot, sub};

use super::hierarchy::{Below, Hierarchy, NodeId, TriangleId};
use super::obb::{Between, Obb};
use super::triangle::{self, Near, Triangle};

/// What of two triangles is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// All of both.
    Faces,
    /// Corners with faces, both ways.
    Corners,
}

impl Compared {
    #[inline(always)]
    fn nearest(self, a: &Triangle, b: &Triangle, limit: f64) -> Option<Near> {
        match self {
            Compared::Faces => triangle::nearest(a, b, limit),
            Compared::Corners => triangle::nearest_corner(a, b, limit),
        }
    }
}

/// The nearest points of two surfaces in the frame of the first, and the triangles they are on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// Points and squared distance.
    pub near: Near,
    /// The triangles.
    pub triangles: (TriangleId, TriangleId),
}

/// The nearest points of two surfaces when nearer than √`limit`. `hint` names triangles that may be near.
pub fn nearest<A: Hierarchy, B: Hierarchy>(
    a: &A,
    b: &B,
    b_in_a: &Pose,
    compared: Compared,
    hint: Option<(TriangleId, TriangleId)>,
    limit: f64,
) -> Option<Found> {
    let between = Between::new(b_in_a);
    let moved = |t: Triangle| t.map(|p| b_in_a.point(p));
    let mut best: Option<Found> = None;
    let mut limit = limit;
    let mut look = |i: TriangleId, ta: &Triangle, j: TriangleId, tb: &Triangle, limit: &mut f64| {
        if let Some(near) = compared.nearest(ta, tb, *limit) {
            *limit = near.d2;
            best = Some(Found {
                near,
                triangles: (i, j),
            });
        }
    };
    // What was near before may since be gone: terrain is seen through windows that change.
    if let Some((i, j)) = hint.filter(|&(i, j)| i < a.count() && j < b.count()) {
        look(i, &a.triangle(i), j, &moved(b.triangle(j)), &mut limit);
    }
    let mut open: Vec<(f32, NodeId, NodeId)> = Vec::with_capacity(STACK);
    open.push((between.gap2(&a.obb(a.root()), &b.obb(b.root())), a.root(), b.root()));
    while let Some((gap, i, j)) = open.pop() {
        if f64::from(gap) >= limit || limit <= 0.0 {
            continue;
        }
        match (a.below(i), b.below(j)) {
            (Below::Triangles(first_a, count_a), Below::Triangles(first_b, count_b)) => {
                for j in first_b..first_b + count_b as u64 {
                    let tb = moved(b.triangle(j));
                    for i in first_a..first_a + count_a as u64 {
                        look(i, &a.triangle(i), j, &tb, &mut limit);
                    }
                }
            }
            (Below::Nodes(nodes, count), other) if opens_first(&a.obb(i), &b.obb(j), &other) => {
                let box_b = b.obb(j);
                push(&mut open, limit, &nodes[..count], |n| {
                    (between.gap2(&a.obb(n), &box_b), n, j)
                });
            }
            (_, Below::Nodes(nodes, count)) => {
                let box_a = a.obb(i);
                push(&mut open, limit, &nodes[..count], |n| {
                    (between.gap2(&box_a, &b.obb(n)), i, n)
                });
            }
            (Below::Nodes(nodes, count), Below::Triangles(..)) => {
                let box_b = b.obb(j);
                push(&mut open, limit, &nodes[..count], |n| {
                    (between.gap2(&a.obb(n), &box_b), n, j)
                });
            }
        }
    }
    best
}

/// Pairs that wait for most meshes; more are allocated.
const STACK: usize = 256;

/// Whether the first node is opened rather than the second: the larger one that can be.
#[inline(always)]
fn opens_first(a: &Obb, b: &Obb, below_b: &Below) -> bool {
    matches!(below_b, Below::Triangles(..)) || a.reach2() > b.reach2()
}

/// Adds pairs that may be nearer than the limit, the nearest on top.
#[inline(always)]
fn push(
    open: &mut Vec<(f32, NodeId, NodeId)>,
    limit: f64,
    nodes: &[NodeId],
    pair: impl Fn(NodeId) -> (f32, NodeId, NodeId),
) {
    let bottom = open.len();
    for &node in nodes {
        let entry = pair(node);
        if f64::from(entry.0) < limit {
            let above = open[bottom..].iter().position(|other| other.0 < entry.0);
            open.insert(bottom + above.unwrap_or(open.len() - bottom), entry);
        }
    }
}

/// The triangle of a surface nearest to something convex, whose box `around` is in the surface's frame. `measure` compares it with a
/// triangle when it is nearer than the limit; distances are squared.
pub fn nearest_to<H: Hierarchy>(
    surface: &H,
    around: &Obb,
    limit: f64,
    mut measure: impl FnMut(&Triangle, f64) -> Option<Near>,
) -> Option<Near> {
    let between = Between::new(&Pose::IDENTITY);
    let mut limit = limit;
    let mut best = None;
    let mut open: Vec<(f32, NodeId, NodeId)> = Vec::with_capacity(STACK);
    let entry = |n: NodeId| (between.gap2(&surface.obb(n), around), n, 0);
    open.push(entry(surface.root()));
    while let Some((gap, node, _)) = open.pop() {
        if f64::from(gap) >= limit || limit <= 0.0 {
            continue;
        }
        match surface.below(node) {
            Below::Nodes(nodes, count) => push(&mut open, limit, &nodes[..count], entry),
            Below::Triangles(first, count) => {
                for id in first..first + count as u64 {
                    if let Some(near) = measure(&surface.triangle(id), limit) {
                        limit = near.d2;
                        best = Some(near);
                    }
                }
            }
        }
    }
    best
}

/// The point of a surface nearest to a point, when nearer than √`limit`.
pub fn nearest_point<H: Hierarchy>(surface: &H, p: Vec3, limit: f64) -> Option<Near> {
    let around = Obb::new(p, [0.0; 3], &motrix_collide::vector::IDENTITY);
    nearest_to(surface, &around, limit, |t, limit| triangle::nearest(&[p; 3], t, limit))
}

/// The corner of a surface lowest along `normal` and its height over `origin`, when that is below `limit`.
pub fn lowest_along<H: Hierarchy>(surface: &H, normal: Vec3, origin: Vec3, limit: f64) -> Option<(f64, Vec3)> {
    let height = |p: Vec3| dot(normal, sub(p, origin));
    let mut best: Option<(f64, Vec3)> = None;
    let mut open = vec![surface.root()];
    while let Some(node) = open.pop() {
        let least = best.map_or(limit, |(height, _)| height);
        if surface.obb(node).lowest_along(normal, origin) >= least {
            continue;
        }
        match surface.below(node) {
            Below::Nodes(nodes, count) => open.extend(&nodes[..count]),
            Below::Triangles(first, count) => {
                let corners = (first..first + count as u64).flat_map(|id| surface.triangle(id));
                best = corners.map(|p| (height(p), p)).fold(best, |best, (h, p)| {
                    if h < best.map_or(limit, |b| b.0) {
                        Some((h, p))
                    } else {
                        best
                    }
                });
            }
        }
    }
    best
}
