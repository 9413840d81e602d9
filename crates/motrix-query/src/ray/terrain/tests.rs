//! Rays over height fields against their triangles, cut-out windows and closed forms.

use motrix_collide::vector::Vec3;
use motrix_collide::{HeightField, HeightFieldSize, Window};
use proptest::prelude::*;

use super::*;
use crate::mesh::Mesh;

fn field(nrow: usize, ncol: usize, heights: Vec<f32>) -> HeightField {
    let size = HeightFieldSize {
        radius_x: 2.0,
        radius_y: 1.0,
        elevation_z: 0.8,
        base_z: 0.3,
    };
    HeightField::new(nrow, ncol, size, heights).expect("a valid field")
}

fn whole(field: &HeightField, ray: &Ray, limit: f64) -> Met {
    terrain(&Ground::new(Surface::whole(field)), ray, limit)
}

/// The closed surface of the ground: slopes, walls down to the floor.
fn triangulated(field: &HeightField) -> Mesh {
    let mut corners: Vec<Vec3> = Vec::new();
    for row in 0..field.nrow() - 1 {
        for col in 0..field.ncol() - 1 {
            corners.extend(field.triangles_of_cell(row, col).as_flattened());
        }
    }
    let mut wall = |a: Vec3, b: Vec3| {
        let down = |p: Vec3| [p[0], p[1], 0.0];
        corners.extend([a, b, down(a), b, down(b), down(a)]);
    };
    let (r, c) = (field.nrow() - 1, field.ncol() - 1);
    (0..c).for_each(|k| wall(field.node(0, k), field.node(0, k + 1)));
    (0..c).for_each(|k| wall(field.node(r, k), field.node(r, k + 1)));
    (0..r).for_each(|k| wall(field.node(k, 0), field.node(k + 1, 0)));
    (0..r).for_each(|k| wall(field.node(k, c), field.node(k + 1, c)));
    let faces: Vec<[u32; 3]> = (0..corners.len() as u32 / 3)
        .map(|k| [3 * k, 3 * k + 1, 3 * k + 2])
        .collect();
    Mesh::new(&corners, &faces)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_walk_meets_what_the_triangles_meet(
        (nrow, ncol) in (2_usize..20, 2_usize..20),
        seed in prop::collection::vec(0.0_f32..1.0, 400),
        from in prop::array::uniform3(-3.0_f64..3.0),
        to in prop::array::uniform3(-1.0_f64..1.0),
    ) {
        let field = field(nrow, ncol, seed[..nrow * ncol].to_vec());
        let to = [2.0 * to[0], to[1], 0.4 + 0.4 * to[2]];
        let ray = Ray { origin: from, direction: [0, 1, 2].map(|k| to[k] - from[k]) };
        let base = block([-2.0, -1.0, -0.3], [2.0, 1.0, 0.0], &ray).map(|(t, _)| t);
        let mut limit = base.unwrap_or(f64::INFINITY);
        if let Some(met) = triangulated(&field).met_by(&ray, limit) {
            limit = met.distance;
        }
        let found = whole(&field, &ray, f64::INFINITY).map_or(f64::INFINITY, |(t, _)| t);
        // Two ways to the same crossing, each rounded a few times at coordinates of a few metres.
        prop_assert!(found == limit || (found - limit).abs() < 1e-12, "{found} {limit}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_window_is_met_like_a_field_cut_out_along_it(
        (row, col) in (0_usize..9, 0_usize..12),
        (rows, cols) in (2_usize..9, 2_usize..9),
        z_scale in 0.1_f64..2.0,
        // Above the base, however they are stretched.
        heights in prop::collection::vec(-0.15_f32..1.0, 20 * 23),
        from in prop::array::uniform3(-1.5_f64..1.5),
        to in prop::array::uniform3(-0.5_f64..0.5),
    ) {
        let atlas = field(20, 23, heights);
        let shown = Surface::new(&atlas, Window { row, col, rows, cols, z_scale });
        let numbers = (0..rows).flat_map(|r| (0..cols).map(move |c| (r, c)));
        let numbers = numbers.map(|(r, c)| atlas.height(row + r, col + c)).collect();
        let size = HeightFieldSize {
            radius_x: shown.half()[0],
            radius_y: shown.half()[1],
            elevation_z: shown.elevation(),
            base_z: shown.base(),
        };
        let cut = HeightField::new(rows, cols, size, numbers).expect("a valid field");
        let ray = Ray { origin: from, direction: [0, 1, 2].map(|k| to[k] - from[k]) };
        let distance = |met: Met| met.map_or(f64::INFINITY, |(t, _)| t);
        let (ours, theirs) = (
            distance(terrain(&Ground::new(shown), &ray, f64::INFINITY)),
            distance(whole(&cut, &ray, f64::INFINITY)),
        );
        // Spacings of the cut-out field are rounded again.
        prop_assert!(ours == theirs || (ours - theirs).abs() < 1e-12, "{ours} {theirs}");
    }
}

#[test]
fn vertical_rays_meet_nodes_edges_and_borders() {
    let field = field(3, 5, (0..15).map(|i| (i * 7 % 15) as f32 / 15.0).collect());
    for row in 0..3 {
        for col in 0..5 {
            let [x, y, z] = field.node(row, col);
            let ray = Ray {
                origin: [x, y, 5.0],
                direction: [0.0, 0.0, -1.0],
            };
            let (t, _) = whole(&field, &ray, f64::INFINITY).expect("the ray stands over the field");
            assert!((5.0 - t - z).abs() < 1e-15, "{row} {col}: {t}");
        }
    }
    let beside = Ray {
        origin: [2.1, 0.0, 5.0],
        direction: [0.0, 0.0, -1.0],
    };
    assert_eq!(whole(&field, &beside, f64::INFINITY), None);
}

#[test]
fn rays_from_below_meet_the_base_and_rays_from_the_side_the_walls() {
    let field = field(3, 4, vec![0.25; 12]);
    let from_below = Ray {
        origin: [0.3, 0.2, -2.0],
        direction: [0.1, 0.0, 1.0],
    };
    let base = Feature::Flat {
        axis: 2,
        positive: false,
    };
    assert_eq!(whole(&field, &from_below, f64::INFINITY), Some((1.7, base)));
    // At the height of the base, and between it and the rim.
    for z in [-0.1, 0.15] {
        let from_beside = Ray {
            origin: [5.0, 0.2, z],
            direction: [-1.0, 0.0, 0.0],
        };
        let wall = Feature::Flat {
            axis: 0,
            positive: true,
        };
        let (t, feature) = whole(&field, &from_beside, f64::INFINITY).expect("there is a wall");
        assert!((t - 3.0).abs() < 1e-14, "{t}: a few roundings");
        assert_eq!(feature, wall);
    }
    // Over the rim there is none.
    let over = Ray {
        origin: [5.0, 0.2, 0.21],
        direction: [-1.0, 0.0, 0.0],
    };
    assert_eq!(whole(&field, &over, f64::INFINITY), None);
}

#[test]
fn a_limit_hides_what_is_beyond_it() {
    let field = field(2, 2, vec![0.5; 4]);
    let ray = Ray {
        origin: [0.1, 0.2, 1.4],
        direction: [0.0, 0.0, -1.0],
    };
    assert_eq!(whole(&field, &ray, 0.9), None);
    assert!(whole(&field, &ray, 1.1).is_some());
}
