//! The contacts of one pair: closed forms in lanes where they exist, otherwise lane by lane in `f64`.

use motrix_collide::closed::{self, Placed, Touch, TouchList};
use motrix_collide::{Contact, Manifold, Memory, Near, Pose, Scratch, Shape, collide_remembering};
use motrix_model::GeomKind;
use motrix_spatial::{Lanes, Mask, Real};

use super::MAX_LANES;
use super::pairs::{PairTable, ShapeTable};
use super::terrain::{self, TerrainTally};
use crate::data::Poses;
use crate::params::Params;

/// Places for remembered directions. Pairs that share one only take turns.
const MEMORIES: usize = 1024;

/// Memory of the convex collider.
#[derive(Debug)]
pub struct ConvexWork<L: Lanes> {
    pub(super) scratch: Scratch,
    manifold: Manifold,
    /// What separated the shapes of each pair in each lane when last asked. It can only save time.
    memories: Vec<Memory>,
    /// What of the ground may touch, and what does.
    pub(super) near: Near,
    /// The highest ground around all that may touch each field.
    pub(super) tops: Vec<L>,
    pub(super) terrain: Vec<Contact>,
    /// Contacts of all lanes by place, until they are complete.
    pub(super) places: Vec<Place<L::Elem>>,
}

impl<L: Lanes> ConvexWork<L> {
    /// Fresh memory.
    pub fn new() -> Self {
        Self {
            scratch: Scratch::new(),
            manifold: Manifold::new(),
            memories: vec![Memory::default(); MEMORIES],
            near: Near::default(),
            tops: Vec::new(),
            terrain: Vec::new(),
            places: Vec::new(),
        }
    }
}

impl<L: Lanes> Default for ConvexWork<L> {
    fn default() -> Self {
        Self::new()
    }
}

impl<L: Lanes> Clone for ConvexWork<L> {
    /// Memory holds nothing worth copying.
    fn clone(&self) -> Self {
        Self::new()
    }
}

/// Contacts of the `index`th pair in the lanes `near`; `tally` counts those with terrain.
#[inline(always)]
#[expect(
    clippy::too_many_arguments,
    reason = "the pair, where it is, the memory, the two results"
)]
pub fn touch<L: Lanes>(
    table: &PairTable<L::Elem>,
    index: usize,
    params: &Params<L>,
    poses: &Poses<L>,
    near: L::Mask,
    work: &mut ConvexWork<L>,
    tally: &mut TerrainTally<L>,
    out: &mut TouchList<L>,
) {
    let pair = &table.pairs[index];
    let a = placed(pair.geom1(), params, poses);
    let b = placed(pair.geom2(), params, poses);
    let reach = L::splat(pair.reach);
    use GeomKind as K;
    match pair.kinds {
        (K::Plane, K::Sphere) => closed::plane::plane_sphere(&a, &b, reach, out),
        (K::Plane, K::Capsule) => closed::plane::plane_capsule(&a, &b, reach, out),
        (K::Plane, K::Ellipsoid) => closed::plane::plane_ellipsoid(&a, &b, reach, out),
        (K::Plane, K::Cylinder) => closed::plane::plane_cylinder(&a, &b, reach, out),
        (K::Plane, K::Box) => closed::plane::plane_box(&a, &b, reach, out),
        (K::Sphere, K::Sphere) => closed::sphere::sphere_sphere(&a, &b, reach, out),
        (K::Sphere, K::Capsule) => closed::sphere::sphere_capsule(&a, &b, reach, out),
        (K::Sphere, K::Cylinder) => closed::sphere::sphere_cylinder(&a, &b, reach, out),
        (K::Sphere, K::Box) => closed::sphere::sphere_box(&a, &b, reach, out),
        (K::Capsule, K::Capsule) => closed::capsule::capsule_capsule(&a, &b, reach, out),
        (K::Capsule, K::Box) => closed::capsule_box::capsule_box(&a, &b, reach, out),
        (K::HField(_), _) => terrain::touch(&table.shapes, pair, params, &a, &b, near, work, tally, out),
        _ => convex(table, index, &a, &b, near, work, out),
    }
}

/// A geom where it is.
#[inline(always)]
fn placed<'a, L: Lanes>(geom: usize, params: &'a Params<L>, poses: &'a Poses<L>) -> Placed<'a, L> {
    Placed {
        position: &poses.geom_position[geom],
        rotation: &poses.geom_rotation[geom],
        size: &params.geoms[geom].size,
    }
}

/// Runs the scalar collider in each lane that is near; contact *c* of every lane makes one touch.
#[inline(always)]
fn convex<L: Lanes>(
    table: &PairTable<L::Elem>,
    index: usize,
    a: &Placed<L>,
    b: &Placed<L>,
    near: L::Mask,
    work: &mut ConvexWork<L>,
    out: &mut TouchList<L>,
) {
    let (shapes, pair) = (&table.shapes, &table.pairs[index]);
    let ConvexWork {
        scratch,
        manifold,
        memories,
        places,
        ..
    } = work;
    places.clear();
    let bits = near.bits();
    for k in (0..L::COUNT).filter(|k| bits >> k & 1 != 0) {
        let (Some(first), Some(second)) = (shapes.lane(pair.kinds.0, a, k), shapes.lane(pair.kinds.1, b, k)) else {
            continue;
        };
        manifold.clear();
        collide_remembering(
            &first,
            &second,
            pair.reach.to_f64(),
            &shapes.settings,
            scratch,
            &mut memories[(index * L::COUNT + k) % MEMORIES],
            manifold,
        );
        put_lane(manifold, k, places);
    }
    for place in places.iter() {
        out.push(place.touch());
    }
}

/// Contact *c* of every lane, as it is found lane by lane: to put a number into a lane is to store them all, so these stand in memory
/// until they are complete.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<E> {
    /// The lanes that have it, a bit each.
    active: u32,
    /// Distance, position, normal, tangent.
    numbers: [[E; MAX_LANES]; 10],
}

impl<E: Real> Place<E> {
    /// No contact in any lane.
    #[inline(always)]
    fn empty() -> Self {
        let mut numbers = [[E::default(); MAX_LANES]; 10];
        numbers[6] = [E::from_f64(1.0); MAX_LANES];
        Self { active: 0, numbers }
    }

    /// The contact of all lanes.
    #[inline(always)]
    pub fn touch<L: Lanes<Elem = E>>(&self) -> Touch<L> {
        let [distance, px, py, pz, nx, ny, nz, tx, ty, tz] = &self.numbers;
        Touch {
            active: L::Mask::from_bits(self.active),
            distance: L::load(distance),
            position: [L::load(px), L::load(py), L::load(pz)],
            normal: [L::load(nx), L::load(ny), L::load(nz)],
            tangent: [L::load(tx), L::load(ty), L::load(tz)],
        }
    }
}

/// Enters the contacts of lane `k`, one per place.
#[inline(always)]
pub(super) fn put_lane<E: Real>(contacts: &[Contact], k: usize, places: &mut Vec<Place<E>>) {
    for (c, contact) in contacts.iter().enumerate() {
        if c == places.len() {
            places.push(Place::empty());
        }
        let Place { active, numbers } = &mut places[c];
        *active |= 1 << k;
        numbers[0][k] = E::from_f64(contact.distance);
        for i in 0..3 {
            numbers[1 + i][k] = E::from_f64(contact.position[i]);
            numbers[4 + i][k] = E::from_f64(contact.normal[i]);
        }
        if let Some(tangent) = contact.tangent {
            for i in 0..3 {
                numbers[7 + i][k] = E::from_f64(tangent[i]);
            }
        }
    }
}

/// Where a geom is in one lane, in `f64`.
#[inline(always)]
fn pose_of_lane<L: Lanes>(placed: &Placed<L>, k: usize) -> Pose {
    Pose {
        position: placed.position.map(|x| x.lane(k).to_f64()),
        rotation: placed.rotation.map(|x| x.lane(k).to_f64()),
    }
}

impl ShapeTable {
    /// The hull of a mesh that has one.
    pub(super) fn hull(&self, kind: GeomKind) -> Option<&motrix_collide::Hull> {
        match kind {
            GeomKind::Mesh(mesh) => self.hulls[mesh.index()].as_deref(),
            _ => None,
        }
    }

    /// The shape of a geom of a given size. Height fields and unknown meshes have none.
    #[inline(always)]
    pub(super) fn shape(&self, kind: GeomKind, [x, y, z]: [f64; 3]) -> Option<Shape<'_>> {
        Some(match kind {
            GeomKind::Plane => Shape::Plane,
            GeomKind::Sphere => Shape::Sphere { radius: x },
            GeomKind::Capsule => Shape::Capsule {
                radius: x,
                half_length: y,
            },
            GeomKind::Ellipsoid => Shape::Ellipsoid { radii: [x, y, z] },
            GeomKind::Cylinder => Shape::Cylinder {
                radius: x,
                half_length: y,
            },
            GeomKind::Box => Shape::Box { half: [x, y, z] },
            GeomKind::Mesh(_) => Shape::Hull(self.hull(kind)?),
            GeomKind::HField(_) => return None,
        })
    }

    /// The shape of a geom in one lane, in `f64`. Height fields and unknown meshes have none.
    #[inline(always)]
    fn lane<L: Lanes>(&self, kind: GeomKind, placed: &Placed<L>, k: usize) -> Option<motrix_collide::Placed<'_>> {
        let shape = self.shape(kind, placed.size.map(|s| s.lane(k).to_f64()))?;
        Some(motrix_collide::Placed {
            shape,
            pose: pose_of_lane(placed, k),
        })
    }
}
