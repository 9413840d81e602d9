//! `<site>`: a marked frame.

use motrix_model::{GeomKind, Site};

use super::assets::Assets;
use super::draft::UNNUMBERED;
use super::geom::{between_points, check_size};
use super::pose::{Pose, unit};
use super::user;
use crate::document::Element;
use crate::problem::Problems;

/// Half size of sites that give none, metres.
const SMALL: f64 = 0.005;

/// Reads a `<site>`; none when its shape cannot be made.
pub fn read(element: &Element, assets: &Assets, users: Option<usize>, problems: &mut Problems) -> Option<Site> {
    const SHAPE: &[(&str, Option<GeomKind>)] = &[
        ("sphere", Some(GeomKind::Sphere)),
        ("capsule", Some(GeomKind::Capsule)),
        ("ellipsoid", Some(GeomKind::Ellipsoid)),
        ("cylinder", Some(GeomKind::Cylinder)),
        ("box", Some(GeomKind::Box)),
        ("mesh", None),
    ];
    let shape = element
        .keyword("type", SHAPE, problems)
        .unwrap_or(Some(GeomKind::Sphere));
    let size = element.reals_over("size", [SMALL; 3], problems);
    let (kind, size, pose) = match shape {
        Some(kind) => {
            if element.has("mesh") {
                problems.push(element.problem_with("mesh", "only sites of type mesh have a mesh"));
            }
            let (size, pose) = match between_points(element, kind, size, problems) {
                Some(between) => between?,
                None => (size, element.pose(problems).into()),
            };
            check_size(element, "size", kind, size, problems)?;
            (kind, size, pose)
        }
        None => mesh_site(element, assets, problems)?,
    };
    Some(Site {
        name: element.name().map(str::to_owned),
        body: UNNUMBERED,
        kind,
        size,
        position: pose.position,
        orientation: unit(pose.orientation),
        group: element.int("group", problems).unwrap_or(0),
        material: assets.material(element, problems),
        rgba: element.rgba("rgba", problems).unwrap_or([0.5, 0.5, 0.5, 1.0]),
        user: user::read(element, users, problems),
    })
}

/// A site that looks like a mesh.
fn mesh_site(element: &Element, assets: &Assets, problems: &mut Problems) -> Option<(GeomKind, [f64; 3], Pose)> {
    if !element.has("mesh") {
        problems.push(element.problem_with("type", "a site of type mesh needs the attribute mesh"));
        return None;
    }
    let (id, asset) = assets.mesh(element, "mesh", problems)?;
    // Unlike a geom's, a site's frame is the one the file gives.
    Some((GeomKind::Mesh(id), asset?.half_sizes(), element.pose(problems).into()))
}
