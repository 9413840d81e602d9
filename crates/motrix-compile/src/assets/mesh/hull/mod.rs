//! Convex hull of a point cloud, or of as many of its points as are wanted.
//!
//! The hull grows from a simplex ([`simplex`]) by one point after another ([`surface`]), with exact orientation tests: flat
//! faces, repeated points and needles need no tolerance and cannot fail. The order is that of qhull, which MuJoCo uses:
//! face by face as they were made, or with a limit (qhull's options `Q9 TAn`) always the point furthest outside of its
//! face. So a hull that is cut short has MuJoCo's vertices where the points are in general position. Where they are not,
//! qhull merges facets to survive rounding, cuts flat faces otherwise, and may take another of several points.
//!
//! Both agree on the vertices of whole hulls of real meshes: coordinates are `f32` numbers, and their faces are either
//! exactly flat or bent far beyond the rounding of `f64`.

mod simplex;
mod surface;

use super::orientation::Point;
use crate::assets::AssetError;
use surface::{Next, Surface};

/// Triangles around a convex body, counter-clockwise seen from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HullTriangles {
    /// Indices of the points that are corners of the hull, ascending.
    pub vertices: Vec<u32>,
    /// Faces by indices of points.
    pub faces: Vec<[u32; 3]>,
}

/// The convex hull of `points`, or of a subset if it would have more than `max_vertices` corners.
pub fn convex_hull(points: &[[f32; 3]], max_vertices: Option<usize>) -> Result<HullTriangles, AssetError> {
    let points: Vec<Point> = points.iter().map(|point| point.map(f64::from)).collect();
    if points.iter().flatten().any(|coordinate| !coordinate.is_finite()) {
        return Err("the convex hull of points that are not finite".into());
    }
    let hull = grow(&points, max_vertices)?;

    // A point picked early can end up inside a flat face or on a straight edge. The hull of the others is the same body.
    let extreme = hull.extreme_vertices();
    if extreme.len() == hull.vertex_count() {
        return Ok(HullTriangles {
            vertices: extreme,
            faces: hull.triangles(),
        });
    }
    let corners: Vec<Point> = extreme.iter().map(|&index| points[index as usize]).collect();
    let faces = grow(&corners, None)?
        .triangles()
        .into_iter()
        .map(|face| face.map(|corner| extreme[corner as usize]))
        .collect();
    Ok(HullTriangles {
        vertices: extreme,
        faces,
    })
}

fn grow(points: &[Point], max_vertices: Option<usize>) -> Result<Surface<'_>, AssetError> {
    let next = if max_vertices.is_some() {
        Next::Furthest
    } else {
        Next::Oldest
    };
    let mut hull = Surface::of_simplex(points, simplex::initial(points)?, next);
    while max_vertices.is_none_or(|limit| hull.vertex_count() < limit) && hull.add_point() {}
    Ok(hull)
}
