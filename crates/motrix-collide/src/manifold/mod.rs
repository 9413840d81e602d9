//! Several contacts for two shapes that touch along a face or an edge.
//!
//! A single nearest point lets flat things rock. Where a face of one shape lies within about 5° of a face of the other, the
//! one face is clipped by the other and the vertices below the margin become contacts; where only an edge lies along a face,
//! the edge is clipped. At most four contacts are kept, those of the largest quadrilateral; two for a capsule. The rules and
//! angles are those of MuJoCo 4.

mod clip;
mod features;

pub(crate) use clip::largest_quad_from;

use crate::contact::{Contact, Manifold, Rules, Settings};
use crate::minkowski::Pair;
use crate::separation::Touch;
use crate::shape::Pose;
use crate::support::Core;
use crate::vector::{Vec3, add_scaled, dot, middle, neg, sub};
use clip::{CAP_TIE, clip, farthest_two, keep_below, largest_quad};
use features::{EDGE_SINE, Edge, FACE_COSINE, FacePlane, Features, Side};

/// Cosine to the outward direction below which the sign of a face beside the contact is rounding noise.
const NOISE: f64 = 1e-6;

/// Working memory of the manifolds.
#[derive(Debug, Default)]
pub(crate) struct ClipBuffer {
    faces_a: Vec<FacePlane>,
    faces_b: Vec<FacePlane>,
    window: Vec<Vec3>,
    subject: Vec<Vec3>,
    spare: Vec<Vec3>,
}

/// What lies on what.
#[derive(Clone, Copy)]
enum Flat {
    Faces(FacePlane, FacePlane),
    /// An edge of A on a face of B.
    EdgeOfA([Vec3; 2], FacePlane),
    /// An edge of B on a face of A.
    EdgeOfB(FacePlane, [Vec3; 2]),
    /// The side of a cylinder that touches with its cap lies along a face, which says nothing of the place of contact.
    Beside,
}

/// Most contacts of a pair.
#[inline(always)]
fn most_contacts(a: &Core, b: &Core, settings: &Settings) -> usize {
    let has_faces = |core: &Core| matches!(core, Core::Cylinder { .. } | Core::Box { .. } | Core::Hull(_));
    let has_line = |core: &Core| matches!(core, Core::Segment { .. });
    if let (Core::Box { .. }, Core::Box { .. }) = (a, b) {
        8
    } else if !settings.multiccd {
        1
    } else if has_faces(a) && has_faces(b) {
        4
    } else if has_line(a) && (has_faces(b) || has_line(b)) || has_faces(a) && has_line(b) {
        2
    } else {
        1
    }
}

/// The contacts of two shapes that are nearest at `touch`, no farther apart than `margin`. `a` is the pose of the first.
#[inline(always)]
pub(crate) fn contacts(
    pair: &Pair,
    touch: &Touch,
    margin: f64,
    settings: &Settings,
    buffer: &mut ClipBuffer,
    a: &Pose,
    out: &mut Manifold,
) {
    let nearest = touch.rounded(pair);
    // The shapes are thought of as grown by half the margin each, so that they overlap.
    let on_a = add_scaled(nearest.on_a, nearest.normal, 0.5 * margin);
    let on_b = add_scaled(nearest.on_b, nearest.normal, -0.5 * margin);
    let most = most_contacts(&pair.a.core, &pair.b.core, settings);
    if most > 1 {
        let side_a = Side {
            core: pair.a.core,
            pose: &Pose::IDENTITY,
            outward: nearest.normal,
            witness: on_a,
            features: Features::new(touch.features_a, touch.count),
        };
        let side_b = Side {
            core: pair.b.core,
            pose: &pair.b_in_a,
            outward: neg(nearest.normal),
            witness: on_b,
            features: Features::new(touch.features_b, touch.count),
        };
        let least_facing = match settings.rules {
            Rules::MuJoCo => NOISE,
            Rules::Firm => EDGE_SINE,
        };
        let grown = Grown {
            side_a,
            side_b,
            margin,
            most,
            least_facing,
            rules: settings.rules,
        };
        if let Some(flat) = grown.lying_flat(buffer)
            && grown.clip_contacts(flat, buffer, a, out)
        {
            return;
        }
    }
    out.push(Contact {
        distance: nearest.distance,
        position: a.point(middle(on_a, on_b)),
        normal: a.direction(nearest.normal),
        tangent: None,
    });
}

/// Two shapes grown by half the margin each, where they overlap most.
struct Grown<'a> {
    side_a: Side<'a>,
    side_b: Side<'a>,
    margin: f64,
    most: usize,
    /// Cosine to the outward direction that a face needs for an edge to lie on it.
    least_facing: f64,
    rules: Rules,
}

impl Grown<'_> {
    /// Finds the faces that oppose each other best, or else an edge along a face.
    #[inline(always)]
    fn lying_flat(&self, buffer: &mut ClipBuffer) -> Option<Flat> {
        let ClipBuffer { faces_a, faces_b, .. } = buffer;
        let a_has_faces = self.side_a.faces(faces_a);
        let b_has_faces = self.side_b.faces(faces_b);
        if let Some((a, b)) = opposing_faces(faces_a, faces_b) {
            return Some(Flat::Faces(a, b));
        }
        let (dim_a, dim_b) = (self.side_a.features.dimension, self.side_b.features.dimension);
        let (a_may, b_may) = (dim_a != 3 && b_has_faces, dim_b != 3 && a_has_faces);
        // The side with fewer support points, or without faces, offers its edges first.
        let b_first = b_may && (dim_b < dim_a || !b_has_faces);
        for of_b in [b_first, !b_first] {
            let (may, side, faces) = if of_b {
                (b_may, &self.side_b, &*faces_a)
            } else {
                (a_may, &self.side_a, &*faces_b)
            };
            if may && let Some((edge, face)) = self.edge_on_face(side, faces) {
                return Some(match edge {
                    Edge::Along(ends) if of_b => Flat::EdgeOfB(face, ends),
                    Edge::Along(ends) => Flat::EdgeOfA(ends, face),
                    Edge::Beside => Flat::Beside,
                });
            }
        }
        None
    }

    /// The first face of the other shape that an edge of this side lies along.
    ///
    /// For a cylinder that touches inside its cap MuJoCo takes a line anywhere on the side, which as a rule misses the face, and
    /// then looks no further: one contact remains. Where it hits by chance the contacts are as deep as the shape is thick;
    /// that is not followed.
    #[inline(always)]
    fn edge_on_face(&self, side: &Side, faces: &[FacePlane]) -> Option<(Edge, FacePlane)> {
        for face in faces {
            if face.facing > self.least_facing
                && let Some(edge) = side.edge_along(face.normal)
                && (self.rules == Rules::MuJoCo || matches!(edge, Edge::Along(_)))
            {
                return Some((edge, *face));
            }
        }
        None
    }

    /// Clips and reports; false when nothing is left.
    #[inline(always)]
    fn clip_contacts(&self, flat: Flat, buffer: &mut ClipBuffer, a: &Pose, out: &mut Manifold) -> bool {
        let ClipBuffer {
            window, subject, spare, ..
        } = buffer;
        window.clear();
        subject.clear();
        // The window is a face; the vertices of the other shape over it are moved onto it along its normal, and their
        // distance is measured along `normal`, the direction of the contacts.
        let (face, normal, window_of_a) = match flat {
            Flat::Faces(face_a, face_b) => {
                self.side_b.polygon(face_b.number, subject);
                (face_a, neg(face_b.normal), true)
            }
            Flat::EdgeOfB(face_a, [from, to]) => {
                subject.push(from);
                subject.push(to);
                (face_a, face_a.normal, true)
            }
            Flat::EdgeOfA([from, to], face_b) => {
                subject.push(from);
                subject.push(to);
                (face_b, neg(face_b.normal), false)
            }
            Flat::Beside => return false,
        };
        let window_side = if window_of_a { &self.side_a } else { &self.side_b };
        window_side.polygon(face.number, window);
        let (Some(&origin), true) = (window.first(), window.len() >= 3) else {
            return false;
        };
        let (grow_a, grow_b) = (self.growth(&self.side_a), self.growth(&self.side_b));
        let is_edge = subject.len() == 2;
        clip(subject, window, face.normal, spare);
        keep_below(subject, origin, face.normal, grow_a + grow_b);

        let report = Report {
            origin,
            window_normal: face.normal,
            window_of_a,
            normal,
            margin: self.margin,
            grow_a,
            grow_b,
        };
        let (chosen, count) = self.choose(subject, is_edge);
        for &k in &chosen[..count] {
            out.push(report.contact(subject[k], a));
        }
        !subject.is_empty()
    }

    /// By how much the surface of a shape is thought to be grown. A capsule's line is already that of the grown surface.
    #[inline(always)]
    fn growth(&self, side: &Side) -> f64 {
        if matches!(side.core, Core::Segment { .. }) {
            0.0
        } else {
            0.5 * self.margin
        }
    }

    /// The four vertices of the largest quadrilateral, the two ends of an edge, or all; and how many these are.
    #[inline(always)]
    fn choose(&self, polygon: &[Vec3], is_edge: bool) -> ([usize; Manifold::CAPACITY], usize) {
        let mut chosen = [0, 1, 2, 3, 4, 5, 6, 7];
        if self.most < 5 && polygon.len() > 4 {
            let is_cylinder = |side: &Side| matches!(side.core, Core::Cylinder { .. });
            let has_cap = is_cylinder(&self.side_a) || is_cylinder(&self.side_b);
            chosen[..4].copy_from_slice(&largest_quad(polygon, if has_cap { CAP_TIE } else { 0.0 }));
            (chosen, 4)
        } else if is_edge && polygon.len() > 2 {
            chosen[..2].copy_from_slice(&farthest_two(polygon));
            (chosen, 2)
        } else {
            (chosen, polygon.len().min(self.most))
        }
    }
}

/// What makes a contact of a vertex over a window.
struct Report {
    /// A vertex of the window, and its outward normal.
    origin: Vec3,
    window_normal: Vec3,
    /// Whether the window is a face of A.
    window_of_a: bool,
    /// Direction of the contacts.
    normal: Vec3,
    margin: f64,
    grow_a: f64,
    grow_b: f64,
}

impl Report {
    #[inline(always)]
    fn contact(&self, v: Vec3, a: &Pose) -> Contact {
        let height = dot(sub(v, self.origin), self.window_normal);
        let foot = add_scaled(v, self.window_normal, -height);
        // Signed from the surface of A to that of B.
        let (on_a, on_b, gap) = if self.window_of_a {
            let gap = dot(sub(v, foot), self.normal);
            (foot, add_scaled(foot, self.normal, gap), gap)
        } else {
            (v, foot, height)
        };
        let on_a = add_scaled(on_a, self.normal, self.grow_a);
        let on_b = add_scaled(on_b, self.normal, -self.grow_b);
        Contact {
            distance: self.margin + gap - self.grow_a - self.grow_b,
            position: a.point(middle(on_a, on_b)),
            normal: a.direction(self.normal),
            tangent: None,
        }
    }
}

/// The pair of faces, both turned towards the other shape, that is nearest to antiparallel.
#[inline(always)]
fn opposing_faces(faces_a: &[FacePlane], faces_b: &[FacePlane]) -> Option<(FacePlane, FacePlane)> {
    let mut best = -FACE_COSINE;
    let mut found = None;
    for face_a in faces_a.iter().filter(|face| face.facing > EDGE_SINE) {
        for face_b in faces_b.iter().filter(|face| face.facing > EDGE_SINE) {
            let cosine = dot(face_a.normal, face_b.normal);
            if cosine < best {
                best = cosine;
                found = Some((*face_a, *face_b));
            }
        }
    }
    found
}
