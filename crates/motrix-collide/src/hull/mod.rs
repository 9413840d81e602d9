//! Convex hulls of meshes: built once from a closed triangulation, then asked for support points, faces and edges.
//!
//! A hull keeps its vertices, the graph of its edges (for climbing to a support point), its triangles, and its *facets*:
//! the polygons that coplanar triangles form together, which flat contact needs. All tables are flat arrays.

mod facets;
mod pierced;
mod support;

use core::fmt;

use crate::vector::{Vec3, cross, dot, norm, sub, unit_of_any_length};
use facets::Facets;
pub(crate) use pierced::Exit;
use pierced::Outline;
use support::Search;

/// Sides that are looked at one by one; a search takes less time on hulls of more.
const MOST_SIDES: usize = 256;

/// The convex hull of a mesh.
#[derive(Clone, Debug)]
pub struct Hull {
    vertices: Vec<Vec3>,
    /// The vertices in single precision, for those that only ask how far the hull reaches.
    single_vertices: Vec<[f32; 3]>,
    triangles: Vec<[u32; 3]>,
    edges: Csr,
    /// The vertex at the end of each edge, so that climbing reads them in a row.
    edge_ends: Vec<Vec3>,
    facets: Facets,
    /// The outward unit normal of each triangle and how far the hull reaches along it.
    sides: Vec<(Vec3, f64)>,
    /// The same in single precision, for lanes that ask all of them.
    single_sides: Vec<[f32; 4]>,
    /// Sides and edges for segments that go into the hull.
    outline: Outline,
    facets_of_vertex: Csr,
    search: Search,
}

/// Why a triangulation is not the surface of a hull.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HullError {
    /// There is no vertex at all.
    Empty,
    /// A coordinate is infinite or not a number.
    NotFinite {
        /// The vertex.
        vertex: usize,
    },
    /// A triangle names a vertex that does not exist, or the same one twice.
    BadTriangle {
        /// The triangle.
        triangle: usize,
    },
    /// An edge does not lie between exactly two triangles that run along it in opposite directions.
    NotClosed {
        /// Where the edge starts.
        from: usize,
        /// Where it ends.
        to: usize,
    },
    /// The triangles face inward.
    Inverted,
    /// There is not one facet number per triangle.
    FacetCount,
}

impl fmt::Display for HullError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HullError::Empty => write!(f, "a hull needs at least one vertex"),
            HullError::NotFinite { vertex } => write!(f, "vertex {vertex} of the hull is not finite"),
            HullError::BadTriangle { triangle } => write!(f, "triangle {triangle} of the hull has no three vertices"),
            HullError::NotClosed { from, to } => {
                write!(
                    f,
                    "the hull is not closed at the edge from vertex {from} to vertex {to}"
                )
            }
            HullError::Inverted => write!(f, "the triangles of the hull face inward"),
            HullError::FacetCount => write!(f, "a hull needs one facet number per triangle"),
        }
    }
}

impl std::error::Error for HullError {}

impl Hull {
    /// A hull from a closed triangulation of its surface, counter-clockwise seen from outside. Coplanar triangles become
    /// one facet. Vertices that no triangle uses are dropped.
    pub fn from_triangles(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Result<Hull, HullError> {
        let surface = Surface::new(vertices, triangles)?;
        let groups = facets::group_coplanar(&surface, None);
        Ok(surface.into_hull(&groups))
    }

    /// As [`Hull::from_triangles`], but triangles of equal number count as coplanar too.
    pub fn from_alike(vertices: &[Vec3], triangles: &[[u32; 3]], alike: &[u32]) -> Result<Hull, HullError> {
        if alike.len() != triangles.len() {
            return Err(HullError::FacetCount);
        }
        let surface = Surface::new(vertices, triangles)?;
        let groups = facets::group_coplanar(&surface, Some(alike));
        Ok(surface.into_hull(&groups))
    }

    /// As [`Hull::from_triangles`], with the facets given: triangles of equal number that touch form one polygon.
    pub fn from_facets(vertices: &[Vec3], triangles: &[[u32; 3]], facet_of: &[u32]) -> Result<Hull, HullError> {
        if facet_of.len() != triangles.len() {
            return Err(HullError::FacetCount);
        }
        let surface = Surface::new(vertices, triangles)?;
        let groups = facets::group_by_number(&surface, facet_of);
        Ok(surface.into_hull(&groups))
    }

    /// The hull of points that span no volume (a point, points on a line or in a plane) or that have no triangulation:
    /// it has support points but no facets.
    pub fn from_points(points: &[Vec3]) -> Result<Hull, HullError> {
        check_points(points)?;
        let none = Csr::empty(points.len());
        Ok(Hull {
            vertices: points.to_vec(),
            single_vertices: single(points),
            triangles: Vec::new(),
            edges: none.clone(),
            edge_ends: Vec::new(),
            facets: Facets::default(),
            sides: Vec::new(),
            single_sides: Vec::new(),
            outline: Outline::default(),
            facets_of_vertex: none,
            search: Search::without_edges(points),
        })
    }

    /// The vertices.
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// The vertices in single precision.
    pub(crate) fn single_vertices(&self) -> &[[f32; 3]] {
        &self.single_vertices
    }

    /// The triangles, counter-clockwise seen from outside.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The vertices joined to `vertex` by an edge, ascending.
    pub fn neighbors(&self, vertex: usize) -> &[u32] {
        self.edges.row(vertex)
    }

    /// How many facets there are.
    pub fn facet_count(&self) -> usize {
        self.facets.normals.len()
    }

    /// Outward unit normal of a facet.
    pub fn facet_normal(&self, facet: usize) -> Vec3 {
        self.facets.normals[facet]
    }

    /// The way out from a point inside: how far it is to the nearest side, and that side's outward normal. `None` outside, and for
    /// hulls of more than [`MOST_SIDES`] or without any.
    pub(crate) fn way_out(&self, point: Vec3) -> Option<(f64, Vec3)> {
        if self.sides.len() > MOST_SIDES {
            return None;
        }
        let mut least = (f64::INFINITY, [0.0; 3]);
        for &(normal, height) in &self.sides {
            let depth = height - dot(normal, point);
            if depth < 0.0 {
                return None;
            }
            if depth < least.0 {
                least = (depth, normal);
            }
        }
        least.0.is_finite().then_some(least)
    }

    /// The outward normal of each triangle's side and how far it is from the origin.
    pub(crate) fn sides(&self) -> &[(Vec3, f64)] {
        &self.sides
    }

    /// The same in single precision: the normal, then the distance.
    pub(crate) fn single_sides(&self) -> &[[f32; 4]] {
        &self.single_sides
    }

    /// Vertices around a facet, counter-clockwise seen from outside.
    pub fn facet_loop(&self, facet: usize) -> &[u32] {
        self.facets.loops.row(facet)
    }

    /// The facets that have `vertex` on their boundary, ascending.
    pub fn facets_of(&self, vertex: usize) -> &[u32] {
        self.facets_of_vertex.row(vertex)
    }
}

/// Rows of different length in one array.
#[derive(Clone, Debug, Default)]
struct Csr {
    start: Vec<u32>,
    items: Vec<u32>,
}

impl Csr {
    fn empty(rows: usize) -> Csr {
        Csr {
            start: vec![0; rows + 1],
            items: Vec::new(),
        }
    }

    /// Groups `(row, item)` pairs by row; each row ascends and has no item twice.
    fn from_pairs(rows: usize, mut pairs: Vec<(u32, u32)>) -> Csr {
        pairs.sort_unstable();
        pairs.dedup();
        let mut start = vec![0u32; rows + 1];
        for &(row, _) in &pairs {
            start[row as usize + 1] += 1;
        }
        for row in 0..rows {
            start[row + 1] += start[row];
        }
        Csr {
            start,
            items: pairs.into_iter().map(|(_, item)| item).collect(),
        }
    }

    fn push_row(&mut self, row: &[u32]) {
        if self.start.is_empty() {
            self.start.push(0);
        }
        self.items.extend_from_slice(row);
        self.start.push(self.items.len() as u32);
    }

    #[inline(always)]
    fn range(&self, row: usize) -> core::ops::Range<usize> {
        self.start[row] as usize..self.start[row + 1] as usize
    }

    #[inline(always)]
    fn row(&self, row: usize) -> &[u32] {
        &self.items[self.range(row)]
    }
}

/// The side of a triangle, unless it is too thin to have a normal. It is moved out to where no vertex lies beyond it.
fn side(vertices: &[Vec3], triangle: &[u32; 3]) -> Option<(Vec3, f64)> {
    let [a, b, c] = triangle.map(|v| vertices[v as usize]);
    let normal = unit_of_any_length(cross(sub(b, a), sub(c, a)))?;
    let height = vertices
        .iter()
        .map(|&v| dot(normal, v))
        .fold(f64::NEG_INFINITY, f64::max);
    Some((normal, height))
}

fn single(points: &[Vec3]) -> Vec<[f32; 3]> {
    points.iter().map(|p| p.map(|x| x as f32)).collect()
}

fn check_points(points: &[Vec3]) -> Result<(), HullError> {
    if points.is_empty() {
        return Err(HullError::Empty);
    }
    match points.iter().position(|p| p.iter().any(|c| !c.is_finite())) {
        Some(vertex) => Err(HullError::NotFinite { vertex }),
        None => Ok(()),
    }
}

/// A checked closed triangulation: what the facets are found on.
struct Surface {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    /// `across[t][k]`: the triangle beyond the edge from corner `k` to the next corner of triangle `t`.
    across: Vec<[u32; 3]>,
}

impl Surface {
    fn new(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Result<Surface, HullError> {
        check_points(vertices)?;
        let known = |&i: &u32| (i as usize) < vertices.len();
        let proper = |t: &[u32; 3]| t.iter().all(known) && t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
        if let Some(triangle) = triangles.iter().position(|t| !proper(t)) {
            return Err(HullError::BadTriangle { triangle });
        }
        let (vertices, triangles) = drop_unused(vertices, triangles);
        if vertices.is_empty() {
            return Err(HullError::Empty);
        }
        let across = match_edges(&triangles)?;
        let surface = Surface {
            vertices,
            triangles,
            across,
        };
        if surface.volume() < -1e-9 * surface.extent().powi(3) {
            return Err(HullError::Inverted);
        }
        Ok(surface)
    }

    fn corners(&self, triangle: usize) -> [Vec3; 3] {
        self.triangles[triangle].map(|i| self.vertices[i as usize])
    }

    /// Normal of a triangle, as long as twice its area.
    fn area_normal(&self, triangle: usize) -> Vec3 {
        let [a, b, c] = self.corners(triangle);
        cross(sub(b, a), sub(c, a))
    }

    /// Volume by the divergence theorem, about the first vertex.
    fn volume(&self) -> f64 {
        let origin = self.vertices[0];
        let wedge = |t| dot(self.area_normal(t), sub(self.corners(t)[0], origin)) / 6.0;
        (0..self.triangles.len()).map(wedge).sum()
    }

    /// Largest distance from the first vertex.
    fn extent(&self) -> f64 {
        self.vertices
            .iter()
            .map(|&v| norm(sub(v, self.vertices[0])))
            .fold(0.0, f64::max)
    }

    fn into_hull(self, group_of: &[u32]) -> Hull {
        let directed = |t: &[u32; 3]| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])];
        let pairs = self.triangles.iter().flat_map(directed).collect();
        let edges = Csr::from_pairs(self.vertices.len(), pairs);
        let facets = Facets::new(&self, group_of);
        let on_boundary = |f: usize| facets.loops.row(f).iter().map(move |&v| (v, f as u32));
        let incident = (0..facets.normals.len()).flat_map(on_boundary).collect();
        let facets_of_vertex = Csr::from_pairs(self.vertices.len(), incident);
        let search = Search::new(&self.vertices);
        let sides: Vec<_> = self.triangles.iter().filter_map(|t| side(&self.vertices, t)).collect();
        let outline = Outline::new(&self, &sides);
        let edge_ends = edges.items.iter().map(|&v| self.vertices[v as usize]).collect();
        Hull {
            single_vertices: single(&self.vertices),
            vertices: self.vertices,
            triangles: self.triangles,
            edges,
            edge_ends,
            facets,
            single_sides: sides.iter().map(single_side).collect(),
            sides,
            outline,
            facets_of_vertex,
            search,
        }
    }
}

/// A side in single precision.
fn single_side(&([x, y, z], reach): &(Vec3, f64)) -> [f32; 4] {
    [x as f32, y as f32, z as f32, reach as f32]
}

/// Keeps the vertices that triangles use, in their order.
fn drop_unused(vertices: &[Vec3], triangles: &[[u32; 3]]) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let mut used = vec![false; vertices.len()];
    triangles.iter().flatten().for_each(|&i| used[i as usize] = true);
    let mut renumbered = vec![0u32; vertices.len()];
    let mut kept = Vec::new();
    for (i, &vertex) in vertices.iter().enumerate().filter(|&(i, _)| used[i]) {
        renumbered[i] = kept.len() as u32;
        kept.push(vertex);
    }
    (
        kept,
        triangles.iter().map(|t| t.map(|i| renumbered[i as usize])).collect(),
    )
}

/// Finds the triangle beyond each edge.
fn match_edges(triangles: &[[u32; 3]]) -> Result<Vec<[u32; 3]>, HullError> {
    let mut directed: Vec<((u32, u32), usize, usize)> = Vec::with_capacity(3 * triangles.len());
    for (t, corners) in triangles.iter().enumerate() {
        for k in 0..3 {
            directed.push(((corners[k], corners[(k + 1) % 3]), t, k));
        }
    }
    directed.sort_unstable();
    let not_closed = |edge: (u32, u32)| HullError::NotClosed {
        from: edge.0 as usize,
        to: edge.1 as usize,
    };
    if let Some(pair) = directed.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(not_closed(pair[0].0));
    }
    let mut across = vec![[0u32; 3]; triangles.len()];
    for &(edge, t, k) in &directed {
        let back = (edge.1, edge.0);
        let found = directed
            .binary_search_by_key(&back, |&(edge, ..)| edge)
            .map_err(|_| not_closed(edge))?;
        across[t][k] = directed[found].1 as u32;
    }
    Ok(across)
}

#[cfg(test)]
mod tests;
