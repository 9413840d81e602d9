//! Where rays meet a mesh, and which way its surface looks there.
//!
//! A packet walks the tree together: a node is opened when its box stands in the way of some ray, the nearest child first as the
//! packet's first ray sees it. Triangles and boxes are about the middle of the mesh and rays are moved to its border before, so that
//! single precision suffices however far away the camera is.

use motrix_collide::vector::Vec3;
use motrix_model::Mesh;
use motrix_spatial::algebra::{add_scaled, sub};
use motrix_spatial::{Lanes, Mask, Real, Vec3 as LaneVec3};

use super::packet::{Met, Packet, first_lane, lift, lift3};
use super::shape;
use crate::bvh::{Bounds, Reached, Tree, Wide};

/// Triangles in a leaf: a leaf costs a packet about as much as the boxes above it.
const LEAF: usize = 4;

/// Boxes wait here for their turn, three per level.
const STACK: usize = 128;

/// The triangles of a mesh, in the order of a tree over them.
#[derive(Clone, Debug)]
pub struct Triangles {
    tree: Tree,
    /// The middle of the mesh, about which all else is.
    centre: Vec3,
    /// Half of the box around it.
    half: Vec3,
    /// First corner, and the ways from there to the other two.
    corners: Vec<[[f32; 3]; 3]>,
    /// Outward directions at the corners.
    normals: Vec<[[f32; 3]; 3]>,
    /// Texture coordinates of the corners; empty when the mesh has none.
    texcoords: Vec<[[f32; 2]; 3]>,
}

/// A place on a triangle.
#[derive(Clone, Copy, Debug)]
pub struct OnTriangle {
    /// Outward direction, blended between the corners.
    pub normal: [f32; 3],
    /// Texture coordinates, blended likewise.
    pub texcoord: Option<[f32; 2]>,
}

impl Triangles {
    /// The triangles of a mesh; none when it has none.
    pub fn new(mesh: &Mesh) -> Option<Triangles> {
        let corners_of = |face: &[u32; 3]| face.map(|v| mesh.vertices[v as usize].map(f64::from));
        let boxes: Vec<Bounds> = mesh.faces.iter().map(|face| Bounds::of(&corners_of(face))).collect();
        if boxes.is_empty() {
            return None;
        }
        let tree = Tree::new(&boxes, LEAF);
        let centre = tree.bounds().middle();
        let half = [0, 1, 2].map(|k| 0.5 * (tree.bounds().max[k] - tree.bounds().min[k]));
        let order = || tree.order().iter().map(|&face| face as usize);
        let corners = order().map(|face| {
            let [a, b, c] = corners_of(&mesh.faces[face]);
            let from = |p: Vec3, q: Vec3| [0, 1, 2].map(|k| (p[k] - q[k]) as f32);
            [from(a, centre), from(b, a), from(c, a)]
        });
        let normals = order().map(|face| match mesh.face_normals.get(face) {
            Some(three) => three.map(|n| mesh.normals[n as usize]),
            None => [flat_normal(&corners_of(&mesh.faces[face])); 3],
        });
        let texcoords = order().filter_map(|face| {
            let three = mesh.face_texcoords.get(face)?;
            Some(three.map(|t| mesh.texcoords[t as usize]))
        });
        Some(Triangles {
            centre,
            half,
            corners: corners.collect(),
            normals: normals.collect(),
            texcoords: texcoords.collect(),
            tree: tree.clone(),
        })
    }

    /// Opposite corners of a box around the mesh.
    pub fn bounds(&self) -> (Vec3, Vec3) {
        let corner = |sign: f64| [0, 1, 2].map(|k| self.centre[k] + sign * self.half[k]);
        (corner(-1.0), corner(1.0))
    }

    /// The surface where a triangle contains a point of the mesh's frame.
    pub fn surface(&self, place: usize, point: [f32; 3]) -> OnTriangle {
        let [corner, e1, e2] = self.corners[place];
        let p = [0, 1, 2].map(|k| point[k] - self.centre[k] as f32 - corner[k]);
        // Weights by least squares: p ≈ u e₁ + v e₂.
        let dot = |a: [f32; 3], b: [f32; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let (a, b, c, d, e) = (dot(e1, e1), dot(e1, e2), dot(e2, e2), dot(p, e1), dot(p, e2));
        let det = (a * c - b * b).max(f32::MIN_POSITIVE);
        let (u, v) = ((c * d - b * e) / det, (a * e - b * d) / det);
        let [n0, n1, n2] = self.normals[place];
        let w = 1.0 - u - v;
        OnTriangle {
            normal: [0, 1, 2].map(|k| w * n0[k] + u * n1[k] + v * n2[k]),
            texcoord: self
                .texcoords
                .get(place)
                .map(|[t0, t1, t2]| [0, 1].map(|k| w * t0[k] + u * t1[k] + v * t2[k])),
        }
    }
}

fn flat_normal([a, b, c]: &[Vec3; 3]) -> [f32; 3] {
    use motrix_collide::vector::{cross, sub, unit_of_any_length};
    unit_of_any_length(cross(sub(*b, *a), sub(*c, *a))).map_or([0.0, 0.0, 1.0], |n| n.map(|x| x as f32))
}

/// Rays from the border of a mesh on, about its middle.
struct Inward<L: Lanes> {
    origin: LaneVec3<L>,
    direction: LaneVec3<L>,
    inverse: LaneVec3<L>,
    /// What was passed on the way to the border.
    start: L,
}

/// Lets rays of the mesh's frame meet it.
#[inline(always)]
pub fn meet<L: Lanes>(mesh: &Triangles, o: &LaneVec3<L>, d: &LaneVec3<L>, after: L, who: L, met: &mut Met<L>) {
    let centre = [L::c(mesh.centre[0]), L::c(mesh.centre[1]), L::c(mesh.centre[2])];
    let half = [L::c(mesh.half[0]), L::c(mesh.half[1]), L::c(mesh.half[2])];
    let from_middle = sub(*o, centre);
    let enter = shape::block(half, from_middle, *d);
    let crossing = enter.lt(met.depth);
    if !crossing.any() {
        return;
    }
    let start = L::select(crossing, enter.max(L::ZERO), L::ZERO);
    let inward = Inward {
        origin: add_scaled(from_middle, start, *d),
        direction: *d,
        inverse: [inverse(d[0]), inverse(d[1]), inverse(d[2])],
        start,
    };
    let packet = Packet {
        origin: *o,
        direction: *d,
        after,
    };
    walk(mesh, &packet, &inward, crossing, who, met);
}

/// A reciprocal that stays finite.
#[inline(always)]
fn inverse<L: Lanes>(d: L) -> L {
    let least = L::c(1e-18);
    L::select(d.abs().lt(least), least, d).recip()
}

#[inline(always)]
fn walk<L: Lanes>(
    mesh: &Triangles,
    packet: &Packet<L>,
    inward: &Inward<L>,
    crossing: L::Mask,
    who: L,
    met: &mut Met<L>,
) {
    let lead = first_lane(crossing);
    let mut stack = [(f32::NEG_INFINITY, Reached::ROOT); STACK];
    let mut depth = 1;
    while depth > 0 {
        depth -= 1;
        let (_, reached) = stack[depth];
        if let Some(places) = mesh.tree.items(reached) {
            for place in places {
                let [corner, e1, e2] = &mesh.corners[place];
                let (t, ..) = shape::triangle(lift3(corner), lift3(e1), lift3(e2), inward.origin, inward.direction);
                met.offer(packet, t + inward.start, who, L::c(place as f64));
            }
            continue;
        }
        let wide = mesh.tree.wide(reached);
        let bottom = depth;
        for slot in 0..wide.count() {
            let (enter, open) = in_the_way(wide, slot, inward, met);
            if !(open & crossing).any() || depth == STACK {
                continue;
            }
            // Insertion keeps the nearest on top.
            let key = enter.lane(lead).to_f32();
            let mut at = depth;
            while at > bottom && stack[at - 1].0 < key {
                stack[at] = stack[at - 1];
                at -= 1;
            }
            stack[at] = (key, wide.child(slot));
            depth += 1;
        }
    }
}

/// Where rays enter a child's box, and which of them do before what they have met.
#[inline(always)]
fn in_the_way<L: Lanes>(wide: &Wide, slot: usize, inward: &Inward<L>, met: &Met<L>) -> (L, L::Mask) {
    let (o, i) = (&inward.origin, &inward.inverse);
    let (mut enter, mut leave) = (L::ZERO, met.depth - inward.start);
    for k in 0..3 {
        let (low, high) = wide.side(k, slot);
        let (a, b) = ((lift::<L>(low) - o[k]) * i[k], (lift::<L>(high) - o[k]) * i[k]);
        enter = a.min(b).max(enter);
        leave = a.max(b).min(leave);
    }
    (enter, enter.le(leave))
}
