//! Several contacts for two shapes that touch along a face or an edge.
//!
//! A single nearest point lets flat things rock. Where a face of one shape lies within about 5° of a face of the other, the
//! one face is clipped by the other and the vertices below the margin become contacts; where only an edge lies along a face,
//! the edge is clipped. At most four contacts are kept, those of the largest quadrilateral; two for a capsule. The rules and
//! angles are those of MuJoCo 4.

mod clip;
mod features;

pub(crate) use clip::largest_quad_from;

use crate::contact::{Contact, Manifold, Settings};
use crate::minkowski::Pair;
use crate::separation::Touch;
use crate::shape::Pose;
use crate::support::Core;
use crate::vector::{Vec3, add_scaled, dot, middle, neg, sub};
use clip::{clip, farthest_two, largest_quad};
use features::{Edge, FACE_COSINE, FacePlane, Side};

/// Sine of the angle within which an edge counts as lying along a face, and a face as turned towards the other shape.
const EDGE_SINE: f64 = 0.0888;
/// Least height, metres, that a face has to gain along the overlap to be clipped by.
const FACING: f64 = 1e-15;

/// Working memory of the manifolds.
#[derive(Debug, Default)]
pub(crate) struct ClipBuffer {
    faces_a: Vec<FacePlane>,
    faces_b: Vec<FacePlane>,
    edges: Vec<Edge>,
    polygon_a: Vec<Vec3>,
    polygon_b: Vec<Vec3>,
    clipped: Vec<Vec3>,
    spare: Vec<Vec3>,
}

/// What lies on what.
#[derive(Clone, Copy)]
enum Flat {
    Faces(FacePlane, FacePlane),
    /// An edge of A on a face of B.
    EdgeOfA(Edge, FacePlane),
    /// An edge of B on a face of A.
    EdgeOfB(FacePlane, Edge),
}

/// Most contacts of a pair.
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
        let features = |feature: fn(&crate::minkowski::Vertex) -> u32| [0, 1, 2].map(|k| feature(&touch.corners[k]));
        let (of_a, of_b) = (features(|v| v.feature_a), features(|v| v.feature_b));
        let side_a = Side::new(pair.a.core, Pose::IDENTITY, nearest.normal, on_a, &of_a[..touch.count]);
        let side_b = Side::new(
            pair.b.core,
            pair.b_in_a,
            neg(nearest.normal),
            on_b,
            &of_b[..touch.count],
        );
        let grown = Grown {
            side_a,
            side_b,
            overlap: margin - nearest.distance,
            margin,
            most,
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
    overlap: f64,
    margin: f64,
    most: usize,
}

impl Grown<'_> {
    /// Finds the faces that oppose each other best, or else an edge along a face.
    fn lying_flat(&self, buffer: &mut ClipBuffer) -> Option<Flat> {
        let ClipBuffer {
            faces_a,
            faces_b,
            edges,
            ..
        } = buffer;
        self.side_a.faces(faces_a);
        self.side_b.faces(faces_b);
        if let Some((a, b)) = self.opposing_faces(faces_a, faces_b) {
            return Some(Flat::Faces(a, b));
        }
        // The side with fewer support points, or without faces, offers its edges first.
        let (dim_a, dim_b) = (self.side_a.dimension(), self.side_b.dimension());
        let b_can = dim_b != 3 && !faces_a.is_empty();
        let a_can = dim_a != 3 && !faces_b.is_empty();
        let b_first = b_can && (dim_b < dim_a || faces_b.is_empty());
        let mut edge_of_b = || {
            self.side_b.edges(edges);
            along_face(edges, faces_a, self.side_a.outward, self.overlap).map(|(edge, face)| Flat::EdgeOfB(face, edge))
        };
        let of_b = if b_first { edge_of_b() } else { None };
        if of_b.is_some() {
            return of_b;
        }
        if a_can {
            self.side_a.edges(edges);
            if let Some((edge, face)) = along_face(edges, faces_b, self.side_b.outward, self.overlap) {
                return Some(Flat::EdgeOfA(edge, face));
            }
        }
        if b_can && !b_first {
            self.side_b.edges(edges);
            let found = along_face(edges, faces_a, self.side_a.outward, self.overlap);
            return found.map(|(edge, face)| Flat::EdgeOfB(face, edge));
        }
        None
    }

    /// The pair of faces, both turned towards the other shape, that is nearest to antiparallel.
    fn opposing_faces(&self, faces_a: &[FacePlane], faces_b: &[FacePlane]) -> Option<(FacePlane, FacePlane)> {
        let mut best = -FACE_COSINE;
        let mut found = None;
        for face_a in faces_a
            .iter()
            .filter(|f| dot(f.normal, self.side_a.outward) > EDGE_SINE)
        {
            for face_b in faces_b
                .iter()
                .filter(|f| dot(f.normal, self.side_b.outward) > EDGE_SINE)
            {
                let cosine = dot(face_a.normal, face_b.normal);
                if cosine < best {
                    best = cosine;
                    found = Some((*face_a, *face_b));
                }
            }
        }
        found
    }

    /// Clips and reports; false when nothing is left.
    fn clip_contacts(&self, flat: Flat, buffer: &mut ClipBuffer, a: &Pose, out: &mut Manifold) -> bool {
        let ClipBuffer {
            polygon_a,
            polygon_b,
            clipped,
            spare,
            ..
        } = buffer;
        // A capsule's line is already that of the grown surface.
        let growth = |side: &Side| {
            if matches!(side.core, Core::Segment { .. }) {
                0.0
            } else {
                0.5 * self.margin
            }
        };
        let (grow_a, grow_b) = (growth(&self.side_a), growth(&self.side_b));

        // The window is a face; the vertices of the other shape over it are moved onto it along its normal, and their
        // distance is measured along `normal`, the direction of the contacts.
        let (window_normal, normal, window_of_a) = match flat {
            Flat::Faces(face_a, face_b) => {
                self.side_a.polygon(face_a.number, polygon_a);
                self.side_b.polygon(face_b.number, polygon_b);
                (face_a.normal, neg(face_b.normal), true)
            }
            Flat::EdgeOfB(face_a, edge) => {
                self.side_a.polygon(face_a.number, polygon_a);
                polygon_b.clear();
                polygon_b.extend([edge.from, edge.to]);
                (face_a.normal, face_a.normal, true)
            }
            Flat::EdgeOfA(edge, face_b) => {
                polygon_a.clear();
                polygon_a.extend([edge.from, edge.to]);
                self.side_b.polygon(face_b.number, polygon_b);
                (face_b.normal, neg(face_b.normal), false)
            }
        };
        let (window, subject) = if window_of_a {
            (polygon_a, polygon_b)
        } else {
            (polygon_b, polygon_a)
        };
        let (Some(&origin), true) = (window.first(), window.len() >= 3) else {
            return false;
        };
        let kept = clip(subject, window, window_normal, grow_a + grow_b, clipped, spare);
        let chosen = choose(kept, subject.len() == 2, self.most);
        for &v in chosen.iter().flatten() {
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
        }
        chosen[0].is_some()
    }
}

/// The first edge that lies along a face which is turned towards the other shape.
fn along_face(edges: &[Edge], faces: &[FacePlane], outward: Vec3, overlap: f64) -> Option<(Edge, FacePlane)> {
    let facing = faces.iter().filter(|face| dot(face.normal, outward) * overlap > FACING);
    facing
        .flat_map(|face| edges.iter().map(move |edge| (*edge, *face)))
        .find(|(edge, face)| dot(edge.along, face.normal).abs() < EDGE_SINE)
}

/// The vertices that become contacts: the four of the largest quadrilateral, the two ends of an edge, or all.
fn choose(kept: &[Vec3], is_edge: bool, most: usize) -> [Option<Vec3>; 8] {
    let mut chosen = [None; 8];
    if most < 5 && kept.len() > 4 {
        largest_quad(kept)
            .iter()
            .zip(&mut chosen)
            .for_each(|(&k, slot)| *slot = Some(kept[k]));
    } else if is_edge && kept.len() > 2 {
        farthest_two(kept)
            .iter()
            .zip(&mut chosen)
            .for_each(|(&k, slot)| *slot = Some(kept[k]));
    } else {
        kept.iter()
            .take(most)
            .zip(&mut chosen)
            .for_each(|(&v, slot)| *slot = Some(v));
    }
    chosen
}
