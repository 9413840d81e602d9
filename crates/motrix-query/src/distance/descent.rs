//! The least distance between two surfaces: a descent of both hierarchies at once.
//!
//! Pairs of nodes wait on a stack. Of a pair whose boxes are nearer than the best pair of triangles so far the larger node is opened, and the
//! nearer of its children is looked at first. A pair of triangles that was nearest in a similar pose gives a first bound; it changes
//! how long the search takes, never the distance it finds.

use motrix_collide::Pose;
use motrix_collide::vector::{Vec3, dot, rotate_back, sub};
#[cfg(target_arch = "x86_64")]
use motrix_spatial::lanes::F32x8Avx2;
use motrix_spatial::{LaneKind, Lanes, Precision};

use super::edges::Doubles;
use super::hierarchy::{Below, Hierarchy, NodeId, TriangleId};
use super::obb::{Between, Obb};
use super::triangle::{self, Face, Near, Triangle};
use crate::mesh::Mesh;

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
    fn nearest<L: Lanes<Elem = f64>>(self, a: &Face, b: &Face, limit: f64) -> Option<Near> {
        match self {
            Compared::Faces => a.nearest::<L>(b, limit),
            Compared::Corners => a.nearest_corner(b, limit),
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

/// The nearest pair of triangles so far.
struct Best {
    compared: Compared,
    /// The square of the distance below which a pair counts.
    limit: f64,
    found: Option<Found>,
}

impl Best {
    #[inline(always)]
    fn look<L: Lanes<Elem = f64>>(&mut self, (i, a): (TriangleId, &Face), (j, b): (TriangleId, &Face)) {
        if let Some(near) = self.compared.nearest::<L>(a, b, self.limit) {
            self.limit = near.d2;
            self.found = Some(Found {
                near,
                triangles: (i, j),
            });
        }
    }
}

/// The nearest points of two meshes when nearer than √`limit`. `hint` names triangles that may be near.
///
/// The search is compiled for the widest registers of the processor too. Products are never fused, so that every processor finds the
/// same bits.
pub fn nearest_of_meshes(
    a: &Mesh,
    b: &Mesh,
    b_in_a: &Pose,
    compared: Compared,
    hint: Option<(TriangleId, TriangleId)>,
    limit: f64,
) -> Option<Found> {
    match LaneKind::fastest(Precision::Single) {
        #[cfg(target_arch = "x86_64")]
        LaneKind::F32x8Avx2 => F32x8Avx2::nearest_of_meshes(a, b, b_in_a, compared, hint, limit),
        _ => f64::nearest_of_meshes(a, b, b_in_a, compared, hint, limit),
    }
}

motrix_spatial::entry! {
    /// Searches compiled for each instruction set.
    pub trait Kernels {
        /// See [`nearest_of_meshes`].
        fn nearest_of_meshes(
            a: &Mesh,
            b: &Mesh,
            b_in_a: &Pose,
            compared: Compared,
            hint: Option<(TriangleId, TriangleId)>,
            limit: f64,
        ) -> Option<Found> {
            nearest::<_, _, <Self as Doubles>::Lanes>(a, b, b_in_a, compared, hint, limit)
        }
    }
}

/// The nearest points of two surfaces when nearer than √`limit`. `hint` names triangles that may be near. The lanes are those in which
/// edges of triangles are compared; they change no bit.
#[inline(always)]
pub fn nearest<A: Hierarchy, B: Hierarchy, L: Lanes<Elem = f64>>(
    a: &A,
    b: &B,
    b_in_a: &Pose,
    compared: Compared,
    hint: Option<(TriangleId, TriangleId)>,
    limit: f64,
) -> Option<Found> {
    let (b_to_a, a_to_b) = (Between::new(b_in_a), Between::new(&inverse(b_in_a)));
    let moved = |[p, q, r]: Triangle| [b_in_a.point(p), b_in_a.point(q), b_in_a.point(r)];
    let mut best = Best {
        compared,
        limit,
        found: None,
    };
    if a.count() == 0 || b.count() == 0 {
        return None;
    }
    // What was near before may since be gone: terrain is seen through windows that change.
    if let Some((i, j)) = hint.filter(|&(i, j)| i < a.count() && j < b.count()) {
        let (face_a, face_b) = (Face::new(&a.triangle(i)), Face::new(&moved(b.triangle(j))));
        best.look::<L>((i, &face_a), (j, &face_b));
    }
    let mut open: Vec<Open> = Vec::with_capacity(STACK);
    open.push(Open {
        gap: 0.0,
        pair: (a.root(), b.root()),
    });
    while let Some(Open { gap, pair: (i, j) }) = open.pop() {
        if f64::from(gap) >= best.limit || best.limit <= 0.0 {
            continue;
        }
        match (a.below(i), b.below(j)) {
            (Below::Triangles(first_a, count_a), Below::Triangles(first_b, count_b)) => {
                for j in first_b..first_b + count_b as u64 {
                    let face_b = Face::new(&moved(b.triangle(j)));
                    for i in first_a..first_a + count_a as u64 {
                        best.look::<L>((i, &Face::new(&a.triangle(i))), (j, &face_b));
                    }
                }
            }
            // The larger one that can be is opened.
            (Below::Nodes(nodes, count), other)
                if matches!(other, Below::Triangles(..)) || a.reach2(i) > b.reach2(j) =>
            {
                let gaps = a.gaps2(&nodes, count, &b_to_a.moved(&b.obb(j)));
                push(&mut open, best.limit, count, |k| (gaps[k], (nodes[k], j)));
            }
            (_, Below::Nodes(nodes, count)) => {
                let gaps = b.gaps2(&nodes, count, &a_to_b.moved(&a.obb(i)));
                push(&mut open, best.limit, count, |k| (gaps[k], (i, nodes[k])));
            }
            // Not reached: nodes over triangles are opened above.
            (Below::Nodes(..), Below::Triangles(..)) => {}
        }
    }
    best.found
}

/// The pose of the outer frame in the inner one.
fn inverse(pose: &Pose) -> Pose {
    let position = rotate_back(&pose.rotation, pose.position).map(|x| -x);
    Pose {
        position,
        rotation: std::array::from_fn(|i| pose.rotation[3 * (i % 3) + i / 3]),
    }
}

/// A pair of nodes that waits, and a bound of their squared distance.
#[derive(Clone, Copy)]
struct Open {
    gap: f32,
    pair: (NodeId, NodeId),
}

/// Pairs that wait for most meshes; more are allocated.
const STACK: usize = 256;

/// Adds pairs that may be nearer than the limit, the nearest on top.
#[inline(always)]
fn push(open: &mut Vec<Open>, limit: f64, count: usize, pair: impl Fn(usize) -> (f32, (NodeId, NodeId))) {
    let bottom = open.len();
    for k in 0..count {
        let (gap, pair) = pair(k);
        if f64::from(gap) < limit {
            open.push(Open { gap, pair });
            let mut at = open.len() - 1;
            while at > bottom && open[at - 1].gap < gap {
                open.swap(at - 1, at);
                at -= 1;
            }
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
    let mut limit = limit;
    let mut best = None;
    if surface.count() == 0 {
        return None;
    }
    let mut open: Vec<Open> = Vec::with_capacity(STACK);
    open.push(Open {
        gap: 0.0,
        pair: (surface.root(), 0),
    });
    while let Some(Open { gap, pair: (node, _) }) = open.pop() {
        if f64::from(gap) >= limit || limit <= 0.0 {
            continue;
        }
        match surface.below(node) {
            Below::Nodes(nodes, count) => {
                let gaps = surface.gaps2(&nodes, count, around);
                push(&mut open, limit, count, |k| (gaps[k], (nodes[k], 0)));
            }
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
    nearest_to(surface, &around, limit, |t, limit| {
        triangle::nearest_to_point(t, p, limit).map(|on_t| Near {
            d2: on_t.d2,
            a: p,
            b: on_t.a,
        })
    })
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
