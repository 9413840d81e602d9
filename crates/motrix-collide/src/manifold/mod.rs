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
use clip::{CAP_TIE, clip, farthest_two, largest_quad};
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
            features: Features::new(&touch.features_a[..touch.count]),
        };
        let side_b = Side {
            core: pair.b.core,
            pose: &pair.b_in_a,
            outward: neg(nearest.normal),
            witness: on_b,
            features: Features::new(&touch.features_b[..touch.count]),
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
        let edge_of_a = || {
            self.edge_on_face(&self.side_a, faces_b).map(|(edge, face)| match edge {
                Edge::Along(ends) => Flat::EdgeOfA(ends, face),
                Edge::Beside => Flat::Beside,
            })
        };
        let edge_of_b = || {
            self.edge_on_face(&self.side_b, faces_a).map(|(edge, face)| match edge {
                Edge::Along(ends) => Flat::EdgeOfB(face, ends),
                Edge::Beside => Flat::Beside,
            })
        };
        let (a_may, b_may) = (dim_a != 3 && b_has_faces, dim_b != 3 && a_has_faces);
        // The side with fewer support points, or without faces, offers its edges first.
        if b_may && (dim_b < dim_a || !b_has_faces) {
            edge_of_b().or_else(|| if a_may { edge_of_a() } else { None })
        } else {
            let of_a = if a_may { edge_of_a() } else { None };
            of_a.or_else(|| if b_may { edge_of_b() } else { None })
        }
    }

    /// The first face of the other shape that an edge of this side lies along.
    ///
    /// For a cylinder that touches inside its cap MuJoCo takes a line anywhere on the side, which as a rule misses the face, and
    /// then looks no further: one contact remains. Where it hits by chance the contacts are as deep as the shape is thick;
    /// that is not followed.
    #[inline(always)]
    fn edge_on_face(&self, side: &Side, faces: &[FacePlane]) -> Option<(Edge, FacePlane)> {
        let facing = faces.iter().filter(|face| face.facing > self.least_facing);
        facing
            .filter_map(|face| side.edge_along(face.normal).map(|edge| (edge, *face)))
            .find(|(edge, _)| self.rules == Rules::MuJoCo || matches!(edge, Edge::Along(_)))
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
        let (window_normal, normal, window_of_a) = match flat {
            Flat::Faces(face_a, face_b) => {
                self.side_a.polygon(face_a.number, window);
                self.side_b.polygon(face_b.number, subject);
                (face_a.normal, neg(face_b.normal), true)
            }
            Flat::EdgeOfB(face_a, edge) => {
                self.side_a.polygon(face_a.number, window);
                subject.extend_from_slice(&edge);
                (face_a.normal, face_a.normal, true)
            }
            Flat::EdgeOfA(edge, face_b) => {
                self.side_b.polygon(face_b.number, window);
                subject.extend_from_slice(&edge);
                (face_b.normal, neg(face_b.normal), false)
            }
            Flat::Beside => return false,
        };
        let (Some(&origin), true) = (window.first(), window.len() >= 3) else {
            return false;
        };
        // A capsule's line is already that of the grown surface.
        let growth = |side: &Side| {
            if matches!(side.core, Core::Segment { .. }) {
                0.0
            } else {
                0.5 * self.margin
            }
        };
        let (grow_a, grow_b) = (growth(&self.side_a), growth(&self.side_b));
        let is_edge = subject.len() == 2;
        clip(subject, window, window_normal, spare);
        subject.retain(|&v| dot(sub(v, origin), window_normal) <= grow_a + grow_b);

        let mut report = |v: Vec3| {
            let height = dot(sub(v, origin), window_normal);
            let foot = add_scaled(v, window_normal, -height);
            // Signed from the surface of A to that of B.
            let (on_a, on_b, gap) = if window_of_a {
                let gap = dot(sub(v, foot), normal);
                (foot, add_scaled(foot, normal, gap), gap)
            } else {
                (v, foot, height)
            };
            let on_a = add_scaled(on_a, normal, grow_a);
            let on_b = add_scaled(on_b, normal, -grow_b);
            out.push(Contact {
                distance: self.margin + gap - grow_a - grow_b,
                position: a.point(middle(on_a, on_b)),
                normal: a.direction(normal),
                tangent: None,
            });
        };
        // The four vertices of the largest quadrilateral, the two ends of an edge, or all.
        if self.most < 5 && subject.len() > 4 {
            let has_cap = [&self.side_a, &self.side_b]
                .iter()
                .any(|side| matches!(side.core, Core::Cylinder { .. }));
            let tie = if has_cap { CAP_TIE } else { 0.0 };
            largest_quad(subject, tie).into_iter().for_each(|k| report(subject[k]));
        } else if is_edge && subject.len() > 2 {
            farthest_two(subject).into_iter().for_each(|k| report(subject[k]));
        } else {
            subject.iter().take(self.most).for_each(|&v| report(v));
        }
        !subject.is_empty()
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
