//! Facets: the polygons that coplanar triangles of a hull form together.
//!
//! Triangles are grouped first, by angle to the largest triangle of the group or by the caller's numbers; then the boundary
//! of each connected group is walked. A group whose boundary is not one simple polygon (which rounding can produce on
//! slivers) falls apart into its triangles, so every triangle belongs to exactly one facet.

use super::{Csr, Surface};
use crate::vector::{Vec3, add, cross, dot, norm, sub, unit_of_any_length};

/// Angle up to which neighbouring triangles count as coplanar, radians. Meshes state flat faces to single precision, which
/// is finer; round bodies are tessellated more coarsely.
const FLAT_ANGLE: f64 = 5e-3;
/// Deviation from a plane, relative to the size of the hull, up to which such triangles make one facet: about what files with
/// six digits keep of a flat face. Contacts lie in the plane of the facet, so they are off the hull by as much.
const UNEVEN: f64 = 1e-5;
/// Deviation from a plane, relative to the size of the hull, up to which a triangle counts as part of it however its normal
/// points: the normal of a sliver is noise.
const FLAT_DEVIATION: f64 = 1e-7;

/// Polygons with outward unit normals.
#[derive(Clone, Debug, Default)]
pub(super) struct Facets {
    pub normals: Vec<Vec3>,
    pub loops: Csr,
}

impl Facets {
    /// Facets from a number per triangle; triangles of equal number must be connected.
    pub fn new(surface: &Surface, group_of: &[u32]) -> Facets {
        let count = group_of.iter().map(|&g| g as usize + 1).max().unwrap_or(0);
        let mut members = vec![Vec::new(); count];
        group_of
            .iter()
            .enumerate()
            .for_each(|(t, &g)| members[g as usize].push(t));
        let mut facets = Facets::default();
        for group in members.iter().filter(|group| !group.is_empty()) {
            match boundary(surface, group, group_of) {
                Some(polygon) => facets.push(surface, &polygon),
                None => group.iter().for_each(|&t| facets.push(surface, &surface.triangles[t])),
            }
        }
        facets
    }

    /// Adds a polygon, unless it is so thin that it has no normal.
    fn push(&mut self, surface: &Surface, polygon: &[u32]) {
        if let Some(normal) = newell(surface, polygon) {
            self.normals.push(normal);
            self.loops.push_row(polygon);
        }
    }
}

/// Normal of a nearly flat polygon: the sum of the areas of its fan, after Newell.
fn newell(surface: &Surface, polygon: &[u32]) -> Option<Vec3> {
    let at = |k: usize| surface.vertices[polygon[k % polygon.len()] as usize];
    let origin = at(0);
    let fan = (1..polygon.len()).map(|k| cross(sub(at(k), origin), sub(at(k + 1), origin)));
    unit_of_any_length(fan.fold([0.0; 3], add))
}

/// The vertices around a connected group of triangles, if its boundary is one polygon without repeated vertices.
fn boundary(surface: &Surface, group: &[usize], group_of: &[u32]) -> Option<Vec<u32>> {
    let mut edges = Vec::new();
    for &t in group {
        let corners = surface.triangles[t];
        for k in 0..3 {
            if group_of[surface.across[t][k] as usize] != group_of[t] {
                edges.push((corners[k], corners[(k + 1) % 3]));
            }
        }
    }
    let first = *edges.first()?;
    let mut next_of = edges.clone();
    next_of.sort_unstable();
    if next_of.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return None;
    }
    let mut polygon = vec![first.0];
    let mut at = first.1;
    while at != first.0 && polygon.len() < edges.len() {
        polygon.push(at);
        at = next_of[next_of.binary_search_by_key(&at, |edge| edge.0).ok()?].1;
    }
    (at == first.0 && polygon.len() == edges.len()).then_some(polygon)
}

/// Numbers the triangles by plane: each group grows from its largest triangle over neighbours that are coplanar with it, or of
/// the same number among those that count as `alike`.
pub(super) fn group_coplanar(surface: &Surface, alike: Option<&[u32]>) -> Vec<u32> {
    let count = surface.triangles.len();
    let normals: Vec<Vec3> = (0..count).map(|t| surface.area_normal(t)).collect();
    let mut by_area: Vec<usize> = (0..count).collect();
    by_area.sort_by(|&a, &b| norm(normals[b]).total_cmp(&norm(normals[a])).then(a.cmp(&b)));

    let extent = surface.extent();
    let deviation = FLAT_DEVIATION * extent;
    let cos_flat = FLAT_ANGLE.cos();
    let mut group_of = vec![u32::MAX; count];
    let mut groups = 0;
    for &seed in &by_area {
        if group_of[seed] != u32::MAX {
            continue;
        }
        let plane = unit_of_any_length(normals[seed]);
        let coplanar = |t: usize| {
            alike.is_some_and(|numbers| numbers[t] == numbers[seed])
                || plane.is_some_and(|normal| {
                    let height = |p: Vec3| dot(normal, sub(p, surface.corners(seed)[0])).abs();
                    let along = dot(normals[t], normal);
                    // The far side of a plate lies in the plane too, but faces the other way with more area than a sliver has.
                    let sliver_or_front = along >= -deviation * extent;
                    let highest = surface.corners(t).into_iter().map(height).fold(0.0, f64::max);
                    along >= cos_flat * norm(normals[t]) && highest <= UNEVEN * extent
                        || sliver_or_front && highest <= deviation
                })
        };
        flood(surface, seed, groups, &mut group_of, coplanar);
        groups += 1;
    }
    group_of
}

/// Numbers the triangles by the caller's facets, each connected part on its own.
pub(super) fn group_by_number(surface: &Surface, facet_of: &[u32]) -> Vec<u32> {
    let mut by_facet: Vec<usize> = (0..facet_of.len()).collect();
    by_facet.sort_by_key(|&t| (facet_of[t], t));
    let mut group_of = vec![u32::MAX; facet_of.len()];
    let mut groups = 0;
    for &seed in &by_facet {
        if group_of[seed] == u32::MAX {
            flood(surface, seed, groups, &mut group_of, |t| facet_of[t] == facet_of[seed]);
            groups += 1;
        }
    }
    group_of
}

/// Gives `number` to the triangles reachable from `seed` over free neighbours that `joins` accepts.
fn flood(surface: &Surface, seed: usize, number: u32, group_of: &mut [u32], joins: impl Fn(usize) -> bool) {
    group_of[seed] = number;
    let mut open = vec![seed];
    while let Some(t) = open.pop() {
        for &beyond in &surface.across[t] {
            let beyond = beyond as usize;
            if group_of[beyond] == u32::MAX && joins(beyond) {
                group_of[beyond] = number;
                open.push(beyond);
            }
        }
    }
}
