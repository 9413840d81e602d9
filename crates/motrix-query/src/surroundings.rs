//! The geoms of one world at their places, to be searched by rays.
//!
//! ```
//! # use std::sync::Arc;
//! # use motrix_collide::Pose;
//! # use motrix_model::Model;
//! # use motrix_query::{Placement, Ray, Shapes, Surroundings, Visible};
//! # let model = Arc::new(Model::default());
//! let shapes = Shapes::new(Arc::clone(&model)); // once per model
//! let visible = Visible::all(&model); // once per question
//! let placed = visible.geoms().map(|geom| Placement {
//!     geom,
//!     pose: Pose::IDENTITY,
//!     size: model.geoms[geom.index()].size,
//!     window: None,
//! });
//! let mut around = Surroundings::new(&shapes);
//! around.place(placed, 1000); // once per world and pose: 1000 rays are worth a tree
//! let ray = Ray { origin: [0.0, 0.0, 1.0], direction: [0.0, 0.0, -1.0] };
//! let hit = around.nearest(&ray, f64::INFINITY, None); // distance, geom, normal, place on a mesh's face
//! let shadow = around.blocked(&ray, 10.0, None); // any surface before 10, which is found sooner
//! # assert!(hit.is_none() && !shadow);
//! ```

use motrix_collide::Pose;
use motrix_collide::vector::{Vec3, add, rotate};
use motrix_model::{BodyId, GeomId};
#[cfg(target_arch = "x86_64")]
use motrix_spatial::lanes::F32x8Avx2;
use motrix_spatial::{LaneKind, Precision};

use crate::bvh::{Bounds, Tree};
use crate::ray::{self, Feature, Hit, Ray};
use crate::shapes::{Geometry, Placement, Shapes};

/// A geom somewhere.
#[derive(Clone, Copy, Debug)]
struct Placed<'s> {
    geom: GeomId,
    body: BodyId,
    geometry: Geometry<'s>,
    pose: Pose,
}

/// The geoms of one world at their places.
#[derive(Debug)]
pub struct Surroundings<'s> {
    shapes: &'s Shapes,
    /// Planes, which have no bounds, first.
    unbounded: Vec<Placed<'s>>,
    bounded: Vec<Placed<'s>>,
    bounds: Vec<Bounds>,
    /// Over what is bounded, when there are rays enough to make up for it.
    tree: Option<Tree>,
}

/// What a search has found so far.
#[derive(Clone, Copy)]
struct Nearest {
    distance: f64,
    feature: Feature,
    place: Place,
}

/// Which list, and where in it.
#[derive(Clone, Copy)]
enum Place {
    Unbounded(usize),
    Bounded(usize),
}

/// Rays from which on a tree is made: an estimate, since making one costs about as much as a few dozen rays past 60 geoms one by one.
const RAYS_WORTH_A_TREE: usize = 24;

/// With so few geoms a tree is no faster than looking at all of them.
const GEOMS_WORTH_A_TREE: usize = 4;

impl<'s> Surroundings<'s> {
    /// Nothing around yet.
    pub fn new(shapes: &'s Shapes) -> Surroundings<'s> {
        Surroundings {
            shapes,
            unbounded: Vec::new(),
            bounded: Vec::new(),
            bounds: Vec::new(),
            tree: None,
        }
    }

    /// Puts geoms where they are, in place of those before. `rays` is about how many will be asked.
    pub fn place(&mut self, geoms: impl Iterator<Item = Placement>, rays: usize) {
        self.unbounded.clear();
        self.bounded.clear();
        self.bounds.clear();
        for placement in geoms {
            let Placement { geom, pose, .. } = placement;
            let geometry = self.shapes.geometry(&placement);
            let body = self.shapes.model().geoms[geom.index()].body;
            let placed = Placed {
                geom,
                body,
                geometry,
                pose,
            };
            match geometry.bounds() {
                None => self.unbounded.push(placed),
                Some(bounds) => {
                    self.bounds.push(in_world(&bounds, &pose));
                    self.bounded.push(placed);
                }
            }
        }
        let worth_it = rays >= RAYS_WORTH_A_TREE && self.bounded.len() > GEOMS_WORTH_A_TREE;
        self.tree = worth_it.then(|| Tree::new(&self.bounds, 1));
    }

    /// What rays meet first before `limit`, in units of their directions, one by one; geoms of the body `without` are passed through.
    ///
    /// Rays are compiled for the widest registers of the processor too. Products are never fused, so that every processor finds the
    /// same bits.
    pub fn nearest_of_each(&self, rays: &[Ray], limit: f64, without: Option<BodyId>, hits: &mut [Option<Hit>]) {
        match LaneKind::fastest(Precision::Single) {
            #[cfg(target_arch = "x86_64")]
            LaneKind::F32x8Avx2 => F32x8Avx2::nearest_of_each(self, rays, limit, without, hits),
            _ => f64::nearest_of_each(self, rays, limit, without, hits),
        }
    }

    /// What a ray meets first before `limit`, in units of its direction; geoms of the body `without` are passed through.
    pub fn nearest(&self, ray: &Ray, limit: f64, without: Option<BodyId>) -> Option<Hit> {
        let mut hit = [None];
        self.nearest_of_each(std::slice::from_ref(ray), limit, without, &mut hit);
        hit[0]
    }

    #[inline(always)]
    fn met_first(&self, ray: &Ray, limit: f64, without: Option<BodyId>) -> Option<Hit> {
        let mut limit = limit;
        let mut nearest: Option<Nearest> = None;
        for (k, placed) in self.unbounded.iter().enumerate() {
            if let Geometry::Plane { half } = placed.geometry
                && without != Some(placed.body)
                && let Some((distance, feature)) = ray::plane(half, &ray.seen_from(&placed.pose))
                && distance <= limit
            {
                self.offer(&mut nearest, &mut limit, (distance, feature), Place::Unbounded(k));
            }
        }
        // One search or the other, each with its own look: what is called from two places is not inlined, and then not compiled for
        // the processor.
        match &self.tree {
            Some(tree) => tree.walk(ray, &mut limit, |places, limit| {
                for place in places {
                    self.look(ray, tree.order()[place] as usize, without, &mut nearest, limit);
                }
            }),
            None => {
                for (k, bounds) in self.bounds.iter().enumerate() {
                    if bounds.crossed_by(ray).is_some_and(|(enter, _)| enter <= limit) {
                        self.look(ray, k, without, &mut nearest, &mut limit);
                    }
                }
            }
        }
        nearest.map(|nearest| self.hit(ray, nearest))
    }

    /// Looks whether a ray meets a bounded geom before the limit.
    #[inline(always)]
    fn look(&self, ray: &Ray, k: usize, without: Option<BodyId>, nearest: &mut Option<Nearest>, limit: &mut f64) {
        let placed = &self.bounded[k];
        if without != Some(placed.body)
            && let Some(met) = placed.geometry.met_by(&ray.seen_from(&placed.pose), *limit)
        {
            self.offer(nearest, limit, met, Place::Bounded(k));
        }
    }

    /// Takes what is met at a place when it is nearer. Of two at the same distance the first geom is met, whatever the order of the search.
    #[inline(always)]
    fn offer(&self, nearest: &mut Option<Nearest>, limit: &mut f64, (distance, feature): (f64, Feature), place: Place) {
        if nearest.is_none_or(|n| distance < n.distance || self.placed(place).geom < self.placed(n.place).geom) {
            *nearest = Some(Nearest {
                distance,
                feature,
                place,
            });
            *limit = distance;
        }
    }

    /// Whether a ray meets anything before `limit`; geoms of the body `without` are passed through.
    #[inline]
    pub fn blocked(&self, ray: &Ray, limit: f64, without: Option<BodyId>) -> bool {
        let blocks = |placed: &Placed, limit: f64| {
            without != Some(placed.body) && placed.geometry.blocks(&ray.seen_from(&placed.pose), limit)
        };
        if self.unbounded.iter().any(|placed| blocks(placed, limit)) {
            return true;
        }
        let (mut limit, mut blocked) = (limit, false);
        match &self.tree {
            Some(tree) => tree.walk(ray, &mut limit, |places, limit| {
                if tree.order()[places]
                    .iter()
                    .any(|&k| blocks(&self.bounded[k as usize], *limit))
                {
                    (*limit, blocked) = (-1.0, true);
                }
            }),
            None => {
                let crossed = |bounds: &Bounds| bounds.crossed_by(ray).is_some_and(|(enter, _)| enter <= limit);
                let mut near = self.bounds.iter().zip(&self.bounded);
                blocked = near.any(|(bounds, placed)| crossed(bounds) && blocks(placed, limit));
            }
        }
        blocked
    }

    #[inline(always)]
    fn placed(&self, place: Place) -> &Placed<'s> {
        match place {
            Place::Unbounded(k) => &self.unbounded[k],
            Place::Bounded(k) => &self.bounded[k],
        }
    }

    #[inline(always)]
    fn hit(&self, ray: &Ray, nearest: Nearest) -> Hit {
        let placed = self.placed(nearest.place);
        let local = ray.seen_from(&placed.pose);
        let normal = placed.geometry.normal(&local, nearest.distance, nearest.feature);
        Hit {
            distance: nearest.distance,
            geom: placed.geom,
            normal: rotate(&placed.pose.rotation, normal),
            face: placed.geometry.on_face(&local, nearest.feature),
        }
    }
}

motrix_spatial::entry! {
    /// Rays compiled for each instruction set.
    pub trait Kernels {
        /// See [`Surroundings::nearest_of_each`].
        fn nearest_of_each(
            around: &Surroundings<'_>,
            rays: &[Ray],
            limit: f64,
            without: Option<BodyId>,
            hits: &mut [Option<Hit>],
        ) {
            for (ray, hit) in rays.iter().zip(hits) {
                *hit = around.met_first(ray, limit, without);
            }
        }
    }
}

/// Boxes in the world are padded by this part of their size, so that rounding of the pose cannot push a surface out of them.
const PAD: f64 = 1e-9;

/// The box in the world around a box at a pose.
fn in_world(bounds: &Bounds, pose: &Pose) -> Bounds {
    let r = &pose.rotation;
    let centre = add(pose.position, rotate(r, bounds.middle()));
    let half: Vec3 = std::array::from_fn(|k| 0.5 * (bounds.max[k] - bounds.min[k]));
    let reach = |k: usize| r[3 * k].abs() * half[0] + r[3 * k + 1].abs() * half[1] + r[3 * k + 2].abs() * half[2];
    let half: Vec3 = std::array::from_fn(|k| reach(k) + PAD * (reach(k) + centre[k].abs()));
    Bounds {
        min: std::array::from_fn(|k| centre[k] - half[k]),
        max: std::array::from_fn(|k| centre[k] + half[k]),
    }
}
