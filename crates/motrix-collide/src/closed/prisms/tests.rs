//! The contacts of lanes are those of the general collider, prism by prism, and no lane's depend on its neighbours.

use std::sync::OnceLock;

use motrix_spatial::lanes::F32x8Portable;
use motrix_spatial::{Lanes, Mask, Real};

use super::*;
use crate::closed::Touch;
use crate::closed::terrain::LaneWindow;
use crate::height_field::{HeightField, HeightFieldSize};
use crate::prisms::collide_terrain;
use crate::shape;
use crate::terrain::Tally;

/// Numbers from 0 to 1 that look random.
struct Scatter(u64);

impl Scatter {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / (1u64 << 31) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }
}

fn rough() -> HeightField {
    let mut scatter = Scatter(7);
    let heights = (0..21 * 17).map(|_| scatter.next() as f32).collect();
    let size = HeightFieldSize {
        radius_x: 1.6,
        radius_y: 2.0,
        elevation_z: 0.3,
        base_z: 0.2,
    };
    HeightField::new(21, 17, size, heights).expect("a field")
}

/// Where the field is in all tests.
fn field_pose() -> Pose {
    Pose::new([0.1, -0.2, 0.3], [0.98, 0.05, -0.1, 0.15])
}

#[derive(Clone, Copy)]
enum Kind {
    Sphere,
    Capsule,
    Box,
    Cylinder,
    Ellipsoid,
    Hull,
}

const SIZE: [f64; 3] = [0.1, 0.17, 0.13];

impl Kind {
    fn shape(self) -> Shape<'static> {
        let [x, y, z] = SIZE;
        match self {
            Kind::Sphere => Shape::Sphere { radius: x },
            Kind::Capsule => Shape::Capsule {
                radius: x,
                half_length: y,
            },
            Kind::Box => Shape::Box { half: [x, y, z] },
            Kind::Cylinder => Shape::Cylinder {
                radius: x,
                half_length: y,
            },
            Kind::Ellipsoid => Shape::Ellipsoid { radii: SIZE },
            Kind::Hull => Shape::Hull(wedge()),
        }
    }
}

/// A hull of six corners that is not symmetric.
fn wedge() -> &'static Hull {
    static WEDGE: OnceLock<Hull> = OnceLock::new();
    WEDGE.get_or_init(|| {
        let corners = [
            [-0.1, -0.1, -0.08],
            [0.12, -0.1, -0.08],
            [-0.1, 0.15, -0.08],
            [-0.1, -0.1, 0.1],
            [0.12, -0.1, 0.07],
            [-0.1, 0.15, 0.05],
        ];
        let triangles = [
            [0, 2, 1],
            [3, 4, 5],
            [0, 1, 4],
            [0, 4, 3],
            [1, 2, 5],
            [1, 5, 4],
            [2, 0, 3],
            [2, 3, 5],
        ];
        Hull::from_triangles(&corners, &triangles).expect("a hull")
    })
}

/// The axes of one frame, given in another, in the outer one.
fn turned(outer: &Pose, inner: &Pose) -> [f64; 9] {
    let columns = [0, 1, 2].map(|k| outer.direction(crate::vector::axis(&inner.rotation, k)));
    [0, 1, 2, 3, 4, 5, 6, 7, 8].map(|i| columns[i % 3][i / 3])
}

/// Poses from above the ground to deep below it, some beside the field.
fn poses(count: usize, lowest: f64) -> Vec<Pose> {
    let mut scatter = Scatter(3);
    let mut random = |low: f64, high: f64| scatter.between(low, high);
    (0..count)
        .map(|_| {
            let place = [random(-1.7, 1.7), random(-2.1, 2.1), random(lowest, 0.45)];
            let turn = [0; 4].map(|_| random(-1.0, 1.0));
            let local = Pose::new(place, turn);
            let field = field_pose();
            Pose {
                position: field.point(local.position),
                rotation: turned(&field, &local),
            }
        })
        .collect()
}

/// Runs the lanes on as many poses as there are lanes.
fn in_lanes<L: Lanes>(
    settings: &Settings,
    kind: Kind,
    poses: &[Pose],
    near: L::Mask,
    reach: f64,
) -> (Vec<Touch<L>>, LaneTally<L>) {
    let field = rough();
    let window = LaneWindow::<L>::whole(&field);
    let pose = field_pose();
    let (position, rotation) = (pose.position.map(L::c), pose.rotation.map(L::c));
    let size = SIZE.map(L::c);
    let ground = Ground {
        field: &field,
        window: &window,
        placed: Placed {
            position: &position,
            rotation: &rotation,
            size: &size,
        },
    };
    let of = |get: &dyn Fn(&Pose) -> f64| L::from_lanes(|k| L::Elem::from_f64(get(&poses[k])));
    let b_position = [0, 1, 2].map(|i: usize| of(&|p| p.position[i]));
    let b_rotation = [0, 1, 2, 3, 4, 5, 6, 7, 8].map(|i: usize| of(&|p| p.rotation[i]));
    let b = Placed {
        position: &b_position,
        rotation: &b_rotation,
        size: &size,
    };
    let mut out = TouchList::default();
    let mut scratch = Scratch::new();
    let mut general = General {
        settings,
        scratch: &mut scratch,
    };
    let reach = L::c(reach);
    let (general, list) = (&mut general, &mut out);
    let tally = match kind {
        Kind::Sphere => prisms_sphere(&ground, &b, reach, near, general, list),
        Kind::Capsule => prisms_capsule(&ground, &b, reach, near, general, list),
        Kind::Box => prisms_box(&ground, &b, reach, near, general, list),
        Kind::Cylinder => prisms_cylinder(&ground, &b, reach, near, general, list),
        Kind::Ellipsoid => prisms_ellipsoid(&ground, &b, reach, near, general, list),
        Kind::Hull => prisms_hull(&ground, &b, wedge(), reach, near, general, list),
    };
    (out.as_slice().to_vec(), tally)
}

fn one_by_one(kind: Kind, pose: &Pose, reach: f64, settings: &Settings) -> (Vec<Contact>, Tally) {
    let field = rough();
    let mut out = Vec::new();
    let other = shape::Placed {
        shape: kind.shape(),
        pose: *pose,
    };
    let tally = collide_terrain(
        &Surface::whole(&field),
        &field_pose(),
        &other,
        reach,
        settings,
        &mut Scratch::new(),
        &mut out,
    );
    (out, tally)
}

/// Every pose has the contacts that the general collider finds.
fn same_as_general<L: Lanes>(kind: Kind, reach: f64, tolerance: f64) {
    same_as::<L>(&Settings::default(), kind, reach, tolerance);
}

/// Every pose has the contacts that the general collider finds with these settings. Where two ways out are as short to within
/// rounding either may be taken; `tolerance` is how close depths are.
fn same_as<L: Lanes>(settings: &Settings, kind: Kind, reach: f64, tolerance: f64) {
    let all = poses(3000, -0.2);
    let mut contacts = 0;
    let mut turned = 0;
    for group in all.chunks_exact(L::COUNT) {
        let (touches, tally) = in_lanes::<L>(settings, kind, group, L::Mask::ALL, reach);
        for (k, pose) in group.iter().enumerate() {
            let (expected, counted) = one_by_one(kind, pose, reach, settings);
            // A contact that barely is one may be lost to rounding.
            let certain = expected.iter().all(|c| (c.distance - reach).abs() > tolerance);
            let found: Vec<&Touch<L>> = touches.iter().filter(|t| t.active.lane(k)).collect();
            if !certain {
                continue;
            }
            assert_eq!(found.len(), expected.len(), "{pose:?}");
            assert_eq!(tally.found.lane(k).to_f64(), f64::from(counted.found));
            assert_eq!(tally.dropped.lane(k).to_f64(), f64::from(counted.dropped));
            for (touch, contact) in found.iter().zip(&expected) {
                contacts += 1;
                let distance = touch.distance.lane(k).to_f64();
                assert!(
                    (distance - contact.distance).abs() < tolerance,
                    "{distance} {contact:?} {pose:?}"
                );
                let off = (0..3).map(|i| (touch.normal[i].lane(k).to_f64() - contact.normal[i]).abs());
                let moved = (0..3).map(|i| (touch.position[i].lane(k).to_f64() - contact.position[i]).abs());
                turned += usize::from(off.chain(moved).fold(0.0, f64::max) > 1e3 * tolerance);
            }
        }
    }
    assert!(contacts > 2000, "{contacts}");
    assert!(turned * 100 <= contacts, "{turned} of {contacts} elsewhere");
}

#[test]
fn spheres_touch_prisms_as_in_the_general_collider() {
    same_as_general::<f64>(Kind::Sphere, 0.0, 1e-9);
    same_as_general::<f64>(Kind::Sphere, 0.02, 1e-9);
    same_as_general::<F32x8Portable>(Kind::Sphere, 0.0, 1e-6);
}

#[test]
fn capsules_touch_prisms_as_in_the_general_collider() {
    same_as_general::<f64>(Kind::Capsule, 0.0, 1e-9);
    same_as_general::<f64>(Kind::Capsule, 0.02, 1e-9);
    same_as_general::<F32x8Portable>(Kind::Capsule, 0.0, 1e-6);
}

#[test]
fn boxes_touch_prisms_as_in_the_general_collider() {
    same_as_general::<f64>(Kind::Box, 0.0, 1e-9);
    same_as_general::<f64>(Kind::Box, 0.02, 1e-9);
    same_as_general::<F32x8Portable>(Kind::Box, 0.0, 1e-6);
}

#[test]
fn solids_touch_prisms_as_in_the_general_collider() {
    for kind in [Kind::Cylinder, Kind::Ellipsoid, Kind::Hull] {
        same_as_general::<f64>(kind, 0.0, 1e-9);
        same_as_general::<f64>(kind, 0.02, 1e-9);
    }
    same_as_general::<F32x8Portable>(Kind::Hull, 0.0, 1e-6);
}

/// In single precision what is certain of curved shapes is told exactly: it is what the general collider comes to if it is not
/// content with MuJoCo's tolerance.
#[test]
fn curved_solids_in_single_precision_touch_prisms_where_the_exact_contact_is() {
    let fine = Settings {
        ccd_tolerance: 1e-11,
        ccd_iterations: 500,
        ..Settings::default()
    };
    for kind in [Kind::Cylinder, Kind::Ellipsoid] {
        same_as::<F32x8Portable>(&fine, kind, 0.0, 1e-6);
        same_as::<F32x8Portable>(&fine, kind, 0.02, 1e-6);
    }
}

/// What a lane finds is, bit for bit, what it finds when it is alone.
#[test]
fn a_lane_does_not_see_its_neighbours() {
    type L = F32x8Portable;
    let kinds = [
        (Kind::Sphere, 4000),
        (Kind::Capsule, 4000),
        (Kind::Box, 160),
        (Kind::Cylinder, 160),
        (Kind::Ellipsoid, 160),
        (Kind::Hull, 160),
    ];
    let settings = Settings::default();
    for (kind, count) in kinds {
        for group in poses(count, -0.1).chunks_exact(L::COUNT) {
            let (together, _) = in_lanes::<L>(&settings, kind, group, <L as Lanes>::Mask::ALL, 0.0);
            for k in 0..L::COUNT {
                let (alone, _) = in_lanes::<L>(&settings, kind, group, <L as Lanes>::Mask::from_bits(1 << k), 0.0);
                let mine: Vec<_> = together.iter().filter(|t| t.active.lane(k)).collect();
                assert_eq!(mine.len(), alone.len());
                for (a, b) in mine.iter().zip(&alone) {
                    assert_eq!(a.distance.lane(k).bits(), b.distance.lane(k).bits());
                    for i in 0..3 {
                        assert_eq!(a.position[i].lane(k).bits(), b.position[i].lane(k).bits());
                        assert_eq!(a.normal[i].lane(k).bits(), b.normal[i].lane(k).bits());
                    }
                }
            }
        }
    }
}
