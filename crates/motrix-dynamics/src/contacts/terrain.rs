//! Contacts of a shape with terrain.
//!
//! Firm contacts are those of the surface: spheres and capsules in lanes, all other shapes lane by lane in `f64`. MuJoCo's are those
//! of the prisms below it, in lanes but for hulls of many corners. Either way shapes above the ground around them are left out
//! first.

use motrix_collide::closed::prisms::{
    General, MOST_CORNERS, prisms_box, prisms_capsule, prisms_cylinder, prisms_ellipsoid, prisms_hull, prisms_sphere,
};
use motrix_collide::closed::terrain::{Ground, LaneTally, terrain_capsule, terrain_sphere};
use motrix_collide::closed::{Placed, TouchList};
use motrix_collide::{Hull, Rules, Surface, Tally, collide_surface, collide_terrain};
use motrix_model::GeomKind;
use motrix_spatial::{Lanes, Mask, Real};

use super::narrow::{ConvexWork, pose_of_lane, put_lane};
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
    let Some(terrain) = params.terrain.iter().find(|t| t.geom == pair.geom1) else {
        return;
    };
    let reach = L::splat(pair.reach);
    let bottom = a.to_local(*b.position)[2] - params.geoms[pair.geom2].bounding_radius - reach;
    let near = near & bottom.le(terrain.window.highest(&terrain.field));
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
            let mut found = empty_tally();
            lane_by_lane(shapes, pair, terrain, a, b, near, work, &mut found);
            for touch in &work.places {
                out.push(*touch);
            }
            found
        }
    };
    tally.found += found.found;
    tally.merged += found.merged;
    tally.dropped += found.dropped;
}

/// Runs the scalar colliders in each lane that is near; the contacts are left in the memory's places.
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
        terrain: contacts,
        places,
        ..
    } = work;
    places.clear();
    let (reach, settings) = (pair.reach.to_f64(), &shapes.settings);
    let bits = near.bits();
    let mut last = None;
    let mut counted = Tally::default();
    for k in (0..L::COUNT).filter(|k| bits >> k & 1 != 0) {
        let Some(other) = shapes.lane(pair.kinds.1, b, k) else {
            continue;
        };
        let window = *terrain.window.lane(k);
        let pose = pose_of_lane(a, k);
        let sizes = b.size.map(|s| s.lane(k));
        // Lanes beyond the last world repeat it, and so do its contacts.
        let now = Some((pose, other.pose, sizes, window));
        if now != last {
            let surface = Surface::new(&terrain.field, window);
            counted = match settings.rules {
                Rules::Firm => collide_surface(&surface, &pose, &other, reach, settings, scratch, contacts),
                Rules::MuJoCo => collide_terrain(&surface, &pose, &other, reach, settings, scratch, contacts),
            };
            last = now;
        }
        tally.found.set_lane(k, L::Elem::from_f64(f64::from(counted.found)));
        tally.merged.set_lane(k, L::Elem::from_f64(f64::from(counted.merged)));
        tally.dropped.set_lane(k, L::Elem::from_f64(f64::from(counted.dropped)));
        put_lane(contacts, k, places);
    }
}
