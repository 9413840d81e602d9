//! Contacts of a shape with terrain.
//!
//! Firm contacts are those of the surface: spheres and capsules in lanes, all other shapes lane by lane in `f64`. MuJoCo's are those
//! of the prisms below it, in lanes but for hulls of many corners. Either way shapes above the ground around all of them are left
//! out first.

use motrix_collide::closed::prisms::{
    General, MOST_CORNERS, prisms_box, prisms_capsule, prisms_cylinder, prisms_ellipsoid, prisms_hull, prisms_sphere,
};
use motrix_collide::closed::terrain::{Ground, LaneTally, terrain_capsule, terrain_reached, terrain_sphere};
use motrix_collide::closed::{Placed, TouchList};
use motrix_collide::{Hull, Pose, Rules, Surface, collide_surface, collide_terrain};
use motrix_model::GeomKind;
use motrix_spatial::algebra::{mat_t_mul, norm_squared};
use motrix_spatial::{Lanes, Mask, Real, Vec3};

use super::MAX_LANES;
use super::narrow::{ConvexWork, put_lane};
use super::pairs::{PairRow, ShapeTable};
use crate::params::{Params, TerrainParams};

/// What became of the contacts with terrain in each lane.
pub type TerrainTally<L> = LaneTally<L>;

/// No contacts.
#[inline(always)]
pub fn empty_tally<L: Lanes>() -> TerrainTally<L> {
    LaneTally {
        found: L::ZERO,
        merged: L::ZERO,
        dropped: L::ZERO,
    }
}

/// Contacts of terrain `a` with a shape `b` in the lanes `near`; `tally` grows by what was found and merged.
#[inline(always)]
#[expect(
    clippy::too_many_arguments,
    reason = "the pair, where it is, the memory, the two results"
)]
pub fn touch<L: Lanes>(
    shapes: &ShapeTable,
    pair: &PairRow<L::Elem>,
    params: &Params<L>,
    a: &Placed<L>,
    b: &Placed<L>,
    near: L::Mask,
    work: &mut ConvexWork<L>,
    tally: &mut TerrainTally<L>,
    out: &mut TouchList<L>,
) {
    let Some(number) = params.terrain.iter().position(|t| t.geom == pair.geom1()) else {
        return;
    };
    let (terrain, top) = (&params.terrain[number], work.tops[number]);
    let reach = L::splat(pair.reach);
    let bottom = a.to_local(*b.position)[2] - params.geoms[pair.geom2()].bounding_radius - reach;
    let slack = L::c(1e-6) * (bottom.abs() + top.abs());
    let near = near & (bottom - slack).le(top);
    if !near.any() {
        return;
    }
    let ground = Ground {
        field: &terrain.field,
        window: &terrain.window,
        placed: *a,
    };
    let mut general = General {
        settings: &shapes.settings,
        scratch: &mut work.scratch,
    };
    let few_corners = |hull: &&Hull| hull.vertices().len() <= MOST_CORNERS * L::COUNT;
    let hull = shapes.hull(pair.kinds.1).filter(few_corners);
    let found = match (shapes.settings.rules, pair.kinds.1, hull) {
        (Rules::MuJoCo, GeomKind::Sphere, _) => prisms_sphere(&ground, b, reach, near, &mut general, out),
        (Rules::MuJoCo, GeomKind::Capsule, _) => prisms_capsule(&ground, b, reach, near, &mut general, out),
        (Rules::MuJoCo, GeomKind::Box, _) => prisms_box(&ground, b, reach, near, &mut general, out),
        (Rules::MuJoCo, GeomKind::Cylinder, _) => prisms_cylinder(&ground, b, reach, near, &mut general, out),
        (Rules::MuJoCo, GeomKind::Ellipsoid, _) => prisms_ellipsoid(&ground, b, reach, near, &mut general, out),
        (Rules::MuJoCo, GeomKind::Mesh(_), Some(hull)) => prisms_hull(&ground, b, hull, reach, near, &mut general, out),
        (Rules::Firm, GeomKind::Sphere, _) => terrain_sphere(&ground, b, reach, near, out),
        (Rules::Firm, GeomKind::Capsule, _) => terrain_capsule(&ground, b, reach, near, out),
        _ => {
            let centre = a.to_local(*b.position);
            let extents = extents(pair.kinds.1, a, b, params.geoms[pair.geom2()].bounding_radius);
            let near = terrain_reached(&ground, centre, extents, reach, near);
            if !near.any() {
                return;
            }
            let mut found = empty_tally();
            lane_by_lane(shapes, pair, terrain, a, b, near, work, &mut found);
            for place in &work.places {
                out.push(place.touch());
            }
            found
        }
    };
    tally.found += found.found;
    tally.merged += found.merged;
    tally.dropped += found.dropped;
}

/// How far a shape reaches to either side of its centre along the axes of the field.
#[inline(always)]
fn extents<L: Lanes>(kind: GeomKind, a: &Placed<L>, b: &Placed<L>, bounding_radius: L) -> Vec3<L> {
    let turn = mat_t_mul(a.rotation, b.rotation);
    let [x, y, z] = *b.size;
    let mut extents = [bounding_radius; 3];
    for k in 0..3 {
        let [i, j, l] = [turn[3 * k], turn[3 * k + 1], turn[3 * k + 2]];
        match kind {
            GeomKind::Box => extents[k] = i.abs().mul_add(x, j.abs().mul_add(y, l.abs() * z)),
            GeomKind::Cylinder => extents[k] = l.abs().mul_add(y, i.mul_add(i, j * j).sqrt() * x),
            GeomKind::Ellipsoid => extents[k] = norm_squared([i * x, j * y, l * z]).sqrt(),
            _ => {}
        }
    }
    extents
}

/// Runs the scalar colliders in each lane that is near; the contacts are left in the memory's places.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "the pair, where it is, the memory, the result")]
fn lane_by_lane<L: Lanes>(
    shapes: &ShapeTable,
    pair: &PairRow<L::Elem>,
    terrain: &TerrainParams<L>,
    a: &Placed<L>,
    b: &Placed<L>,
    near: L::Mask,
    work: &mut ConvexWork<L>,
    tally: &mut TerrainTally<L>,
) {
    let ConvexWork {
        scratch,
        near: ground,
        terrain: contacts,
        places,
        ..
    } = work;
    places.clear();
    let (reach, settings) = (pair.reach.to_f64(), &shapes.settings);
    let bits = near.bits();
    // Of all lanes at once: to take a number out of its lane is to store them all.
    let (a, b) = (Stored::new(a), Stored::new(b));
    let mut counts = [[L::Elem::default(); MAX_LANES]; 3];
    for k in (0..L::COUNT).filter(|k| bits >> k & 1 != 0) {
        let Some(shape) = shapes.shape(pair.kinds.1, b.size(k)) else {
            continue;
        };
        let surface = Surface::new(&terrain.field, *terrain.window.lane(k));
        let (pose, other) = (a.pose(k), motrix_collide::Placed { shape, pose: b.pose(k) });
        let counted = match settings.rules {
            Rules::Firm => collide_surface::<L>(&surface, &pose, &other, reach, settings, scratch, ground, contacts),
            Rules::MuJoCo => collide_terrain(&surface, &pose, &other, reach, settings, scratch, contacts),
        };
        for (i, count) in [counted.found, counted.merged, counted.dropped].into_iter().enumerate() {
            counts[i][k] = L::Elem::from_f64(f64::from(count));
        }
        put_lane(contacts, k, places);
    }
    *tally = LaneTally {
        found: L::load(&counts[0]),
        merged: L::load(&counts[1]),
        dropped: L::load(&counts[2]),
    };
}

/// Where a geom is and how large, number by number.
struct Stored<E> {
    numbers: [[E; MAX_LANES]; 15],
}

impl<E: Real> Stored<E> {
    #[inline(always)]
    fn new<L: Lanes<Elem = E>>(placed: &Placed<L>) -> Self {
        let mut numbers = [[E::default(); MAX_LANES]; 15];
        for i in 0..3 {
            placed.position[i].store(&mut numbers[i]);
            placed.size[i].store(&mut numbers[3 + i]);
        }
        for i in 0..9 {
            placed.rotation[i].store(&mut numbers[6 + i]);
        }
        Self { numbers }
    }

    #[inline(always)]
    fn pose(&self, k: usize) -> Pose {
        Pose {
            position: [0, 1, 2].map(|i| self.numbers[i][k].to_f64()),
            rotation: [0, 1, 2, 3, 4, 5, 6, 7, 8].map(|i| self.numbers[6 + i][k].to_f64()),
        }
    }

    #[inline(always)]
    fn size(&self, k: usize) -> [f64; 3] {
        [3, 4, 5].map(|i| self.numbers[i][k].to_f64())
    }
}
