//! Contacts of a convex shape with terrain: the union of triangular prisms below a height field.
//!
//! Each cell of the grid is two prisms: a triangle of the surface, the walls below its edges, and the base. The prisms under the
//! shape's bounding box are tried in the order of the grid, and each gives at most its deepest contact, as in MuJoCo.

use crate::contact::{Contact, Manifold, Settings};
use crate::pairs::collide;
use crate::separation::Scratch;
use crate::shape::{Placed, Pose, Shape};
use crate::support::Rounded;
use crate::terrain::{Surface, Tally};
use crate::vector::{Vec3, rotate_back};

/// Most contacts of one pair (MuJoCo's `mjMAXCONPAIR`); further prisms are not tried.
pub const MAX_CONTACTS: usize = 50;

/// Three points of the base, then the three of the surface above them.
type Prism = [Vec3; 6];

/// Prisms of the field that can reach a box in the field's frame: they extend down to the base, so only their tops matter.
pub fn prisms_under<'a>(surface: &'a Surface, min: Vec3, max: Vec3) -> impl Iterator<Item = Prism> + use<'a> {
    let cells = surface.cells_overlapping(min, max);
    let base = -surface.base();
    let floor = min[2];
    cells
        .rows
        .flat_map(move |row| cells.cols.clone().map(move |col| (row, col)))
        .flat_map(|(row, col)| surface.triangles_of_cell(row, col))
        .filter(move |top| top.iter().any(|p| p[2] >= floor))
        .map(move |top| {
            let below = top.map(|p| [p[0], p[1], base]);
            [below[0], below[1], below[2], top[0], top[1], top[2]]
        })
}

/// Finds where a shape touches the field or is no farther from it than `margin`. The contacts replace what `out` held; their
/// normals point from the field to the shape. Prisms beyond the bound on contacts count as dropped.
pub fn collide_terrain(
    surface: &Surface,
    field_in_world: &Pose,
    other: &Placed,
    margin: f64,
    settings: &Settings,
    scratch: &mut Scratch,
    out: &mut Vec<Contact>,
) -> Tally {
    out.clear();
    let mut tally = Tally::default();
    // Everything in the frame of the field.
    let shape = Placed {
        shape: other.shape,
        pose: field_in_world.relative(&other.pose),
    };
    let Some((min, max)) = bounding_box(&shape) else {
        return tally;
    };
    if beside(surface, min, max, margin) {
        return tally;
    }
    // One contact per prism: the manifold of a pair of bodies would count shared edges twice.
    let single = Settings {
        multiccd: false,
        ..*settings
    };
    let mut manifold = Manifold::new();
    let mut prisms = prisms_under(surface, [min[0], min[1], min[2] - margin], max);
    for prism in prisms.by_ref() {
        let prism = Placed {
            shape: Shape::Prism(&prism),
            pose: Pose::IDENTITY,
        };
        collide(&prism, &shape, margin, &single, scratch, &mut manifold);
        out.extend(manifold.iter().take(1).map(|contact| Contact {
            position: field_in_world.point(contact.position),
            normal: field_in_world.direction(contact.normal),
            tangent: contact.tangent.map(|t| field_in_world.direction(t)),
            ..*contact
        }));
        if out.len() >= MAX_CONTACTS {
            break;
        }
    }
    tally.found = out.len() as u32;
    tally.dropped = prisms.count() as u32;
    tally
}

/// The box around a placed shape, aligned with the axes of its outer frame; none for a plane.
pub(crate) fn bounding_box(placed: &Placed) -> Option<(Vec3, Vec3)> {
    let rounded = Rounded::new(&placed.shape)?;
    let along = |axis: usize, sign: f64| {
        let mut direction = [0.0; 3];
        direction[axis] = sign;
        let local = rotate_back(&placed.pose.rotation, direction);
        placed.pose.point(rounded.core.support(local, 0).0)[axis] + sign * rounded.radius
    };
    Some((
        [0, 1, 2].map(|axis| along(axis, -1.0)),
        [0, 1, 2].map(|axis| along(axis, 1.0)),
    ))
}

/// Whether a box stays clear of the box of the whole field. Not a number counts as clear.
fn beside(surface: &Surface, min: Vec3, max: Vec3, margin: f64) -> bool {
    let [x, y] = surface.half();
    let low = [-x, -y, -surface.base()];
    let high = [x, y, surface.highest().max(0.0)];
    !(0..3).all(|k| min[k] - margin <= high[k] && max[k] + margin >= low[k])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::height_field::{HeightField, HeightFieldSize};

    fn flat(cells: usize) -> HeightField {
        let size = HeightFieldSize {
            radius_x: 1.0,
            radius_y: 1.0,
            elevation_z: 1.0,
            base_z: 0.1,
        };
        HeightField::new(cells + 1, cells + 1, size, vec![0.0; (cells + 1) * (cells + 1)]).expect("a field")
    }

    fn contacts(field: &HeightField, shape: Shape, position: Vec3, margin: f64) -> Vec<Contact> {
        let mut out = Vec::new();
        let other = Placed {
            shape,
            pose: Pose::at(position),
        };
        let settings = Settings::default();
        collide_terrain(
            &Surface::whole(field),
            &Pose::IDENTITY,
            &other,
            margin,
            &settings,
            &mut Scratch::new(),
            &mut out,
        );
        out
    }

    #[test]
    fn a_ball_in_the_middle_of_a_cell_rests_on_the_surface() {
        let found = contacts(&flat(4), Shape::Sphere { radius: 0.1 }, [0.1, 0.3, 0.09], 0.0);
        let upright = found.iter().filter(|c| c.normal[2] > 1.0 - 1e-9).count();
        assert!(upright >= 1, "{found:?}");
        for c in &found {
            // The deepest overlap is that of the surface itself: 1 cm.
            assert!(c.distance <= 0.0 && c.distance >= -0.01 - 1e-9, "{c:?}");
        }
    }

    #[test]
    fn a_ball_beside_or_above_the_field_touches_nothing() {
        for position in [
            [1.2, 0.0, 0.05],
            [0.0, 0.0, 0.11],
            [0.0, -1.11, 0.0],
            [f64::NAN, 0.0, 0.0],
        ] {
            assert!(
                contacts(&flat(4), Shape::Sphere { radius: 0.1 }, position, 0.0).is_empty(),
                "{position:?}"
            );
        }
    }

    #[test]
    fn a_margin_reports_the_true_distance() {
        let found = contacts(&flat(4), Shape::Sphere { radius: 0.1 }, [0.1, 0.3, 0.12], 0.05);
        let nearest = found.iter().map(|c| c.distance).fold(f64::INFINITY, f64::min);
        assert!((nearest - 0.02).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn no_pair_has_more_contacts_than_the_bound() {
        let found = contacts(&flat(40), Shape::Box { half: [0.8, 0.8, 0.1] }, [0.0, 0.0, 0.09], 0.0);
        assert_eq!(found.len(), MAX_CONTACTS);
    }
}
