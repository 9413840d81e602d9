//! A mesh to be searched: its triangles in double precision, in the order of a tree over them.
//!
//! Rays are tested after Woop, Benthin and Wald 2013, "Watertight ray/triangle intersection": the triangle is sheared so that the ray is an
//! axis, and the signs of three edge functions tell on which side of each edge it passes. The edge function of a shared edge is the same
//! number for both of its triangles up to the sign, so that no ray slips through between them. Triangles without area are never met.

use std::sync::OnceLock;

use motrix_collide::vector::{Vec3, cross, scale, unit_of_any_length};

use crate::bvh::{Bounds, Tree};
use crate::distance::mesh_boxes::MeshBoxes;
use crate::distance::probe;
use crate::ray::{OnFace, Ray};
use crate::topology::Topology;

/// Triangles in a leaf of the tree.
const LEAF: usize = 2;

/// A mesh and its tree.
#[derive(Clone, Debug)]
pub struct Mesh {
    tree: Tree,
    /// Corners of the triangle at each place of the tree's order.
    triangles: Vec<[Vec3; 3]>,
    /// Made when distances are first asked for.
    boxes: OnceLock<MeshBoxes>,
    topology: OnceLock<Topology>,
}

/// Where a ray meets a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshHit {
    /// How far, in units of the direction's length.
    pub distance: f64,
    /// Which triangle, by its place in the tree's order.
    pub place: usize,
}

impl Mesh {
    /// A mesh of triangles given by indices of vertices. Indices beyond the vertices are a programming error.
    ///
    /// # Panics
    /// If a triangle names a vertex that does not exist.
    pub fn new(vertices: &[Vec3], faces: &[[u32; 3]]) -> Mesh {
        let corners = |face: &[u32; 3]| face.map(|i| vertices[i as usize]);
        let bounds: Vec<Bounds> = faces.iter().map(|face| Bounds::of(&corners(face))).collect();
        let tree = Tree::new(&bounds, LEAF);
        let triangles = tree
            .order()
            .iter()
            .map(|&face| corners(&faces[face as usize]))
            .collect();
        Mesh {
            tree,
            triangles,
            boxes: OnceLock::new(),
            topology: OnceLock::new(),
        }
    }

    /// The tree over the triangles.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Corners of the triangles in the tree's order.
    pub fn triangles(&self) -> &[[Vec3; 3]] {
        &self.triangles
    }

    /// The oriented boxes over its triangles.
    #[inline(always)]
    pub fn boxes(&self) -> &MeshBoxes {
        self.boxes.get_or_init(|| MeshBoxes::new(&self.tree, &self.triangles))
    }

    /// How its triangles hang together.
    pub fn topology(&self) -> &Topology {
        self.topology.get_or_init(|| Topology::new(&self.triangles))
    }

    /// The ball about the middle of its box that holds it.
    pub fn ball(&self) -> (Vec3, f64) {
        (self.topology().centre, self.topology().radius)
    }

    /// Whether a point is inside of a closed mesh: rays from it leave more often than they enter. Of three rays two agree, since at most
    /// one of them can run through an edge, which it would count twice.
    pub fn holds(&self, p: Vec3) -> bool {
        let odd = |k: usize| {
            let ray = probe(p, k);
            let Some(sheared) = Sheared::new(&ray) else {
                return false;
            };
            let (mut limit, mut count) = (f64::INFINITY, 0);
            self.tree.walk(&ray, &mut limit, |places, limit| {
                count += self.triangles[places]
                    .iter()
                    .filter(|t| sheared.meets(t, *limit).is_some())
                    .count();
            });
            count % 2 == 1
        };
        let (first, second) = (odd(0), odd(1));
        if first == second { first } else { odd(2) }
    }

    /// The first triangle a ray meets before `limit`, from either side.
    #[inline(always)]
    pub fn met_by(&self, ray: &Ray, limit: f64) -> Option<MeshHit> {
        let sheared = Sheared::new(ray)?;
        let mut limit = limit;
        let mut hit = None;
        self.tree.walk(ray, &mut limit, |places, limit| {
            for place in places {
                if let Some(distance) = sheared.meets(&self.triangles[place], *limit) {
                    *limit = distance;
                    hit = Some(MeshHit { distance, place });
                }
            }
        });
        hit
    }

    /// Whether a ray meets any triangle before `limit`.
    #[inline]
    pub fn blocks(&self, ray: &Ray, limit: f64) -> bool {
        let Some(sheared) = Sheared::new(ray) else { return false };
        let (mut limit, mut blocked) = (limit, false);
        self.tree.walk(ray, &mut limit, |places, limit| {
            if self.triangles[places]
                .iter()
                .any(|t| sheared.meets(t, *limit).is_some())
            {
                (*limit, blocked) = (-1.0, true);
            }
        });
        blocked
    }

    /// The outward unit normal of a triangle, corners counter-clockwise seen from outside.
    pub fn normal(&self, place: usize) -> Vec3 {
        let [a, b, c] = self.triangles[place];
        let side = |p: Vec3| [0, 1, 2].map(|k| p[k] - a[k]);
        unit_of_any_length(cross(side(b), side(c))).unwrap_or([0.0, 0.0, 1.0])
    }

    /// The face of the asset at a place, and the shares of its corners where the ray meets it.
    pub fn on_face(&self, place: usize, ray: &Ray) -> OnFace {
        let weights = Sheared::new(ray).map_or([1.0 / 3.0; 3], |sheared| sheared.weights(&self.triangles[place]));
        OnFace {
            face: self.tree.order()[place],
            weights,
        }
    }
}

/// A ray as the z axis: x and y of a point are sheared along the ray's steepest axis.
struct Sheared {
    origin: Vec3,
    /// The axes, the steepest last.
    axes: [usize; 3],
    shear: [f64; 2],
    /// 1 over the steepest component.
    inverse: f64,
}

impl Sheared {
    /// `None` when the direction has no length.
    #[inline(always)]
    fn new(ray: &Ray) -> Option<Sheared> {
        let size = ray.direction.map(f64::abs);
        let z = if size[0] > size[1] && size[0] > size[2] {
            0
        } else if size[1] > size[2] {
            1
        } else {
            2
        };
        if !(size[z] > 0.0) {
            return None;
        }
        let (x, y) = ((z + 1) % 3, (z + 2) % 3);
        let inverse = 1.0 / ray.direction[z];
        Some(Sheared {
            origin: ray.origin,
            axes: [x, y, z],
            shear: [ray.direction[x] * inverse, ray.direction[y] * inverse],
            inverse,
        })
    }

    /// A corner in the sheared frame.
    #[inline(always)]
    fn corner(&self, p: &Vec3) -> Vec3 {
        let [x, y, z] = self.axes.map(|k| p[k] - self.origin[k]);
        [x - self.shear[0] * z, y - self.shear[1] * z, z]
    }

    /// Twice the signed areas that the ray makes with each edge, and the depths of the corners.
    #[inline(always)]
    fn edges(&self, triangle: &[Vec3; 3]) -> (Vec3, Vec3) {
        let [a, b, c] = [0, 1, 2].map(|k| self.corner(&triangle[k]));
        let wedge = |p: Vec3, q: Vec3| p[0] * q[1] - p[1] * q[0];
        ([wedge(c, b), wedge(a, c), wedge(b, a)], [a[2], b[2], c[2]])
    }

    #[inline(always)]
    fn meets(&self, triangle: &[Vec3; 3], limit: f64) -> Option<f64> {
        let (e, z) = self.edges(triangle);
        let negative = e[0] < 0.0 || e[1] < 0.0 || e[2] < 0.0;
        let positive = e[0] > 0.0 || e[1] > 0.0 || e[2] > 0.0;
        let sum = e[0] + e[1] + e[2];
        if negative && positive || sum == 0.0 {
            return None;
        }
        let t = (e[0] * z[0] + e[1] * z[1] + e[2] * z[2]) / sum * self.inverse;
        (t >= 0.0 && t <= limit).then_some(t)
    }

    fn weights(&self, triangle: &[Vec3; 3]) -> Vec3 {
        let (e, _) = self.edges(triangle);
        let sum = e[0] + e[1] + e[2];
        if sum == 0.0 {
            [1.0 / 3.0; 3]
        } else {
            scale(e, 1.0 / sum)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The cube of half size 1.
    fn cube() -> Mesh {
        let vertices: Vec<Vec3> = (0..8)
            .map(|i| [0, 1, 2].map(|k| if i >> k & 1 == 1 { 1.0 } else { -1.0 }))
            .collect();
        let quads = [
            [0, 2, 3, 1],
            [4, 5, 7, 6],
            [0, 1, 5, 4],
            [2, 6, 7, 3],
            [0, 4, 6, 2],
            [1, 3, 7, 5],
        ];
        let faces: Vec<[u32; 3]> = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        Mesh::new(&vertices, &faces)
    }

    proptest! {
        #[test]
        fn a_cube_of_triangles_is_met_like_a_box(
            origin in prop::array::uniform3(-3.0_f64..3.0),
            direction in prop::array::uniform3(-1.0_f64..1.0),
        ) {
            let ray = Ray { origin, direction };
            let expected = crate::ray::block([-1.0; 3], [1.0; 3], &ray);
            let found = cube().met_by(&ray, f64::INFINITY);
            prop_assert_eq!(found.is_some(), expected.is_some());
            if let (Some(hit), Some((t, _))) = (found, expected) {
                // A dozen roundings of coordinates of a few metres; slow directions stretch them.
                let slow = direction.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
                prop_assert!((hit.distance - t).abs() < 1e-13 / slow.powi(2), "{} {}", hit.distance, t);
                prop_assert!(cube().blocks(&ray, f64::INFINITY));
                prop_assert!(!cube().blocks(&ray, 0.5 * t));
            }
        }
    }

    #[test]
    fn rays_through_diagonals_edges_and_corners_do_not_slip_through() {
        let cube = cube();
        for k in 0..=100 {
            let x = -1.0 + 0.02 * f64::from(k);
            for y in [x, -x, 0.0, 1.0] {
                let ray = Ray {
                    origin: [x, y, 4.0],
                    direction: [0.0, 0.0, -1.0],
                };
                let hit = cube.met_by(&ray, f64::INFINITY).expect("the ray goes through the cube");
                assert!((hit.distance - 3.0).abs() < 2e-15, "{ray:?} {hit:?}: a few roundings");
            }
        }
    }

    #[test]
    fn the_weights_of_the_corners_give_the_point_back() {
        let cube = cube();
        let ray = Ray {
            origin: [0.3, -0.2, 5.0],
            direction: [0.1, 0.05, -1.0],
        };
        let hit = cube.met_by(&ray, f64::INFINITY).expect("the ray meets the cube");
        assert_eq!(cube.normal(hit.place), [0.0, 0.0, 1.0]);
        let OnFace { weights, .. } = cube.on_face(hit.place, &ray);
        let corners = cube.triangles()[hit.place];
        for k in 0..3 {
            let blended: f64 = (0..3).map(|i| weights[i] * corners[i][k]).sum();
            assert!((blended - ray.at(hit.distance)[k]).abs() < 1e-14, "{weights:?}");
        }
    }

    #[test]
    fn triangles_without_area_are_never_met() {
        let flat = Mesh::new(&[[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]], &[[0, 1, 2], [0, 0, 1]]);
        let ray = Ray {
            origin: [0.5, 0.0, 1.0],
            direction: [0.0, 0.0, -1.0],
        };
        assert_eq!(flat.met_by(&ray, f64::INFINITY), None);
    }
}
