//! Contacts of a convex shape with terrain: the union of triangular prisms below a height field.
//!
//! Each cell of the grid is two prisms: a triangle of the surface, the walls below its edges, and the base. The prisms under the
//! shape's bounding box are tried in the order of the grid, and each gives at most its deepest contact, as in MuJoCo.

use core::ops::Range;

use crate::contact::{Contact, Settings};
use crate::memory::Memory;
use crate::minkowski::Pair;
use crate::separation::{Apart, Scratch, nearest};
use crate::shape::{Placed, Pose};
use crate::support::{Core, Rounded};
use crate::terrain::{Surface, Tally};
use crate::vector::{Vec3, add_scaled, cross, dot, middle, neg, norm, rotate_back, sub, unit};

/// Most contacts of one pair (MuJoCo's `mjMAXCONPAIR`); further prisms are not tried.
pub const MAX_CONTACTS: usize = 50;

/// By how much a gap must exceed the margin for a prism to be left out, as a share of the lengths it is computed from: far above
/// their rounding.
const SLACK: f64 = 1e-9;

/// A prism of a window: its cell, and which of the two triangles is its top.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    pub row: u32,
    pub col: u32,
    /// Whether it is the triangle towards (−x, +y).
    pub upper_left: bool,
    /// How many prisms came before it.
    pub number: u32,
}

/// A walk over the prisms that can reach a box, in the order of the grid. They extend down to the base, so only their tops matter.
#[derive(Clone, Debug, Default)]
pub(crate) struct Walk {
    rows: Range<u32>,
    cols: Range<u32>,
    /// The cell to look at next, and its half.
    col: u32,
    lower_right: bool,
    /// Prisms whose corners are all below it cannot be reached.
    floor: f64,
    passed: u32,
}

impl Walk {
    /// Over the prisms below a box, in the field's frame; `None` when it is farther than `margin` from all.
    pub fn below(surface: &Surface, min: Vec3, max: Vec3, margin: f64) -> Option<Self> {
        if surface.is_beside(min, max, margin) {
            return None;
        }
        let cells = surface.cells_overlapping(min, max);
        let floor = min[2] - margin;
        if cells.is_empty() || floor > surface.highest_in(&cells) {
            return None;
        }
        let narrow = |range: Range<usize>| range.start as u32..range.end as u32;
        let cols = narrow(cells.cols);
        Some(Self {
            col: cols.start,
            rows: narrow(cells.rows),
            cols,
            lower_right: false,
            floor,
            passed: 0,
        })
    }

    /// How many prisms it has come by.
    pub fn passed(&self) -> u32 {
        self.passed
    }

    /// The next prism that reaches up to the box.
    #[inline(always)]
    pub fn next(&mut self, surface: &Surface) -> Option<Place> {
        while self.rows.start < self.rows.end {
            let (row, col, lower_right) = (self.rows.start, self.col, self.lower_right);
            let numbers = surface.cell_numbers(row as usize, col as usize);
            let [near, right, left, far] = numbers.map(|number| f64::from(number) * surface.elevation() >= self.floor);
            self.lower_right = !lower_right;
            if lower_right {
                self.col += 1;
                if self.col == self.cols.end {
                    self.col = self.cols.start;
                    self.rows.start += 1;
                }
            }
            // Both triangles of a cell have the diagonal in common.
            if near || far || if lower_right { right } else { left } {
                let number = self.passed;
                self.passed += 1;
                return Some(Place {
                    row,
                    col,
                    upper_left: !lower_right,
                    number,
                });
            }
        }
        None
    }
}

/// The corners of a prism: three points of the base, then the three of the surface above them.
pub(crate) fn corners(surface: &Surface, place: Place) -> [Vec3; 6] {
    let triangles = surface.triangles_of_cell(place.row as usize, place.col as usize);
    let [a, b, c] = triangles[usize::from(!place.upper_left)];
    let base = -surface.base();
    [[a[0], a[1], base], [b[0], b[1], base], [c[0], c[1], base], a, b, c]
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
    let (Some(rounded), Some((min, max))) = (Rounded::new(&shape.shape), bounding_box(&shape)) else {
        return tally;
    };
    let Some(mut walk) = Walk::below(surface, min, max, margin) else {
        return tally;
    };
    let mut last = 0;
    let mut above = Above::new(&rounded, &shape.pose, margin);
    while let Some(place) = walk.next(surface) {
        if out.len() >= MAX_CONTACTS {
            continue;
        }
        let points = corners(surface, place);
        if above.proves_apart(&points) {
            continue;
        }
        let contact = above.touch(&points, settings, scratch);
        out.extend(contact.map(|contact| Contact {
            position: field_in_world.point(contact.position),
            normal: field_in_world.direction(contact.normal),
            ..contact
        }));
        last = place.number;
    }
    tally.found = out.len() as u32;
    if out.len() >= MAX_CONTACTS {
        tally.dropped = walk.passed() - last - 1;
    }
    tally
}

/// A shape over prisms, and what is known of it from one prism to the next: none of it changes a result.
struct Above<'a> {
    shape: &'a Rounded<'a>,
    pose: &'a Pose,
    margin: f64,
    /// The feature of the shape's lowest point over the last prism, from where the search for the next begins.
    lowest: u32,
    /// What separated the shape from a prism last.
    memory: Memory,
}

impl<'a> Above<'a> {
    fn new(shape: &'a Rounded<'a>, pose: &'a Pose, margin: f64) -> Self {
        Self {
            shape,
            pose,
            margin,
            lowest: 0,
            memory: Memory::default(),
        }
    }

    /// Whether the shape is above the plane of a prism's top by more than the margin.
    fn proves_apart(&mut self, points: &[Vec3; 6]) -> bool {
        let [.., a, b, c] = *points;
        let (ab, ac) = (sub(b, a), sub(c, a));
        let normal = cross(ab, ac);
        let down = rotate_back(&self.pose.rotation, neg(normal));
        let (lowest, feature) = self.shape.core.support(down, self.lowest);
        self.lowest = feature;
        let from = sub(self.pose.point(lowest), a);
        let height = dot(normal, from);
        let limit = self.margin + self.shape.radius;
        height > norm(normal) * (limit + SLACK * norm(from))
    }

    /// The contact with a prism.
    fn touch(&mut self, points: &[Vec3; 6], settings: &Settings, scratch: &mut Scratch) -> Option<Contact> {
        let pair = Pair {
            a: Rounded {
                core: Core::Prism(points),
                radius: 0.0,
            },
            b: *self.shape,
            b_in_a: *self.pose,
        };
        let limit = self.margin + self.shape.radius;
        if self.memory.proves_apart(&pair, limit) {
            return None;
        }
        match nearest(&pair, limit, settings, scratch) {
            Ok(touch) => {
                let nearest = touch.rounded(&pair);
                // The shapes are thought of as grown by half the margin each.
                let on_a = add_scaled(nearest.on_a, nearest.normal, 0.5 * self.margin);
                let on_b = add_scaled(nearest.on_b, nearest.normal, -0.5 * self.margin);
                Some(Contact {
                    distance: nearest.distance,
                    position: middle(on_a, on_b),
                    normal: nearest.normal,
                    tangent: None,
                })
            }
            Err(Apart { axis }) => {
                if let Some(axis) = axis.and_then(unit) {
                    self.memory.keep(Some(axis));
                }
                None
            }
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::height_field::{HeightField, HeightFieldSize};
    use crate::shape::Shape;

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
