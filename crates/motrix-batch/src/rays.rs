//! Rays through many worlds at once.
//!
//! A world's geoms are placed from the poses that its state gives, then its rays are traced. With many worlds each is a piece of work of
//! its own; with few worlds and many rays the rays of one world are shared out instead. Rays are independent, so neither changes a
//! bit of any result.

use motrix_collide::{Pose, Window};
use motrix_model::{BodyId, Geom, GeomId, GeomKind};
use motrix_query::{Hit, Placement, Ray, Surroundings, Visible};
use motrix_spatial::Real;

use crate::frame::{self, matrix, orientation, position};
use crate::output::Output;
use crate::overrides::{Overridden, WINDOW_WIDTH, window};
use crate::pool::{self, Threads};
use crate::scene::{Scalar, Scene};
use crate::worlds::Worlds;

/// Rays of one world from which on they are shared out among threads.
const RAYS_WORTH_SHARING: usize = 8192;

/// Rays in a piece of work of one world.
const RAYS_PER_PIECE: usize = 1024;

/// Rays that are traced in one call: enough that the call costs nothing, few enough to stay in the nearest cache.
const RAYS_AT_ONCE: usize = 32;

/// Stands where no ray is yet.
const NOWHERE: Ray = Ray {
    origin: [0.0; 3],
    direction: [0.0; 3],
};

/// What rays are asked.
#[derive(Clone, Copy, Debug)]
pub struct RayQuestion<'q> {
    /// Which geoms are seen.
    pub visible: &'q Visible,
    /// Geoms of this body are passed through.
    pub without: Option<BodyId>,
    /// How far rays reach, metres.
    pub reach: f64,
    /// Rays of each world.
    pub count: usize,
}

/// What rays meet: one entry per ray, world by world.
#[derive(Debug)]
pub struct RayAnswers<'a, E> {
    /// Distances; infinite where nothing is met.
    pub distance: &'a mut [E],
    /// Geoms; −1 where nothing is met.
    pub geom: &'a mut [i32],
    /// Outward normals; zero where nothing is met.
    pub normal: &'a mut [[E; 3]],
}

impl<'a, E> RayAnswers<'a, E> {
    /// Cuts the answers into pieces of at most `size` rays.
    fn pieces(self, size: usize) -> Vec<RayAnswers<'a, E>> {
        let distances = self.distance.chunks_mut(size);
        let geoms = self.geom.chunks_mut(size);
        let normals = self.normal.chunks_mut(size);
        let all = distances.zip(geoms).zip(normals);
        all.map(|((distance, geom), normal)| RayAnswers { distance, geom, normal })
            .collect()
    }
}

impl Scene {
    /// Traces rays in the given worlds, whose poses must be up to date. `ray` tells the rays by position among the worlds and number;
    /// directions must be of unit length.
    pub fn cast<E: Scalar>(
        &self,
        worlds: &Worlds<E>,
        picked: &[usize],
        question: RayQuestion,
        ray: impl Fn(usize, usize) -> Ray + Sync,
        answers: RayAnswers<E>,
        threads: Threads,
    ) {
        if question.count == 0 {
            return;
        }
        let shared = question.count >= RAYS_WORTH_SHARING;
        let mut pieces: Vec<_> = answers
            .pieces(question.count)
            .into_iter()
            .zip(picked)
            .enumerate()
            .collect();
        let trace = |around: &Surroundings, k: usize, first: usize, answers: &mut RayAnswers<E>| {
            let count = answers.distance.len();
            let (mut rays, mut hits) = ([NOWHERE; RAYS_AT_ONCE], [None; RAYS_AT_ONCE]);
            for start in (0..count).step_by(RAYS_AT_ONCE) {
                let here = RAYS_AT_ONCE.min(count - start);
                for (i, place) in rays[..here].iter_mut().enumerate() {
                    *place = ray(k, first + start + i);
                }
                around.nearest_of_each(&rays[..here], question.reach, question.without, &mut hits[..here]);
                for (i, hit) in hits[..here].iter().enumerate() {
                    answer(hit, start + i, answers);
                }
            }
        };
        if shared {
            for (k, (answers, world)) in pieces {
                let around = self.around(worlds, *world, question);
                let mut parts: Vec<_> = answers.pieces(RAYS_PER_PIECE).into_iter().enumerate().collect();
                pool::for_each(&mut parts, threads, |(part, answers)| {
                    trace(&around, k, *part * RAYS_PER_PIECE, answers);
                });
            }
        } else {
            pool::for_each(&mut pieces, threads, |(k, (answers, world))| {
                trace(&self.around(worlds, **world, question), *k, 0, answers);
            });
        }
    }

    /// The geoms of a world at their places.
    fn around<E: Scalar>(&self, worlds: &Worlds<E>, world: usize, question: RayQuestion) -> Surroundings<'_> {
        let mut around = Surroundings::new(self.shapes());
        let visible = question.visible.geoms();
        around.place(
            visible.map(|geom| self.geom_in_world(worlds, world, geom)),
            question.count,
        );
        around
    }

    /// A geom as a world has it: its pose, size, and window of a height field there. Poses must be up to date.
    pub fn geom_in_world<E: Scalar>(&self, worlds: &Worlds<E>, world: usize, geom: GeomId) -> Placement {
        let of_model = &self.model().geoms[geom.index()];
        let body = of_model.body.index();
        let row = &self.output(worlds, Output::Poses, world)[7 * body..7 * body + 7];
        let body: frame::Pose = std::array::from_fn(|i| row[i].to_f64());
        let local = frame::pose(of_model.position, frame::ijkw(of_model.orientation));
        let pose = frame::attached(&body, &local);
        let size = if worlds.overrides.has(Overridden::GeomSize) {
            let sizes = worlds.overrides.get(Overridden::GeomSize, world);
            std::array::from_fn(|i| sizes[3 * geom.index() + i].to_f64())
        } else {
            of_model.size
        };
        let pose = Pose {
            position: position(&pose),
            rotation: matrix(orientation(&pose)),
        };
        Placement {
            geom,
            pose,
            size,
            window: self.window_in_world(worlds, world, geom),
        }
    }

    /// What a world sees of the height field of a geom; `None` when the geom is another kind, or no world sees less than all.
    pub fn window_in_world<E: Scalar>(&self, worlds: &Worlds<E>, world: usize, geom: GeomId) -> Option<Window> {
        let geoms = &self.model().geoms;
        let is_terrain = |geom: &Geom| matches!(geom.kind, GeomKind::HField(_));
        if !is_terrain(&geoms[geom.index()]) || !worlds.overrides.has(Overridden::TerrainWindow) {
            return None;
        }
        let slot = geoms[..geom.index()].iter().filter(|geom| is_terrain(geom)).count();
        let numbers = worlds.overrides.get(Overridden::TerrainWindow, world);
        Some(window(&numbers[slot * WINDOW_WIDTH..(slot + 1) * WINDOW_WIDTH]))
    }
}

/// Writes what one ray meets.
#[inline]
fn answer<E: Real>(hit: &Option<Hit>, i: usize, answers: &mut RayAnswers<E>) {
    match hit {
        Some(hit) => {
            answers.distance[i] = E::from_f64(hit.distance);
            answers.geom[i] = hit.geom.index() as i32;
            answers.normal[i] = hit.normal.map(E::from_f64);
        }
        None => {
            answers.distance[i] = E::from_f64(f64::INFINITY);
            answers.geom[i] = -1;
            answers.normal[i] = [E::default(); 3];
        }
    }
}
