//! Meshes against MuJoCo 4.0: mass, frame, transforms, fits, generated shapes. Numbers are those of the `mujoco` wheel.

use motrix_compile::assets::mesh::{
    self, FitShape, FitTo, MeshAsset, MeshInertia, MeshOptions, Surface, builtin::builtin,
};

/// A block of 1 x 1 with a slanted side: 2 m long at the bottom, 1 m at the top.
fn block() -> Surface {
    #[rustfmt::skip]
    let vertex = [
        0., 0., 0.,  2., 0., 0.,  2., 1., 0.,  0., 1., 0.,
        0., 0., 1.,  1., 0., 1.,  1., 1., 1.,  0., 1., 1.,
    ];
    #[rustfmt::skip]
    let face = [
        0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4, 1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 7,
    ];
    Surface::from_numbers(&vertex, &[], &[], &face).unwrap()
}

fn compiled(surface: Surface, options: MeshOptions) -> MeshAsset {
    mesh::compile(surface, &options).unwrap()
}

fn error(surface: Surface, options: MeshOptions) -> String {
    mesh::compile(surface, &options).unwrap_err().to_string()
}

/// Sums over faces may run in another order, so the last digits are free.
fn assert_close<const N: usize>(what: &str, ours: [f64; N], theirs: [f64; N]) {
    for (a, b) in ours.iter().zip(theirs) {
        assert!(
            (a - b).abs() < 1e-14 * (1.0 + b.abs()),
            "{what}: {ours:?}, MuJoCo {theirs:?}"
        );
    }
}

#[test]
fn every_inertia_rule_gives_the_mass_and_the_principal_frame_of_mujoco() {
    let solid = (
        1.5,
        [0.7777777777777777, 0.5, 0.4444444444444444],
        [0.0, 0.7891991336487374, 0.0, 0.6141373848318361],
        [0.48284577836996495, 0.4629629629629633, 0.23011718459299846],
    );
    let shell = (
        8.414213562373096,
        [0.8265363869527843, 0.5, 0.42076898670032753],
        [0.0, 0.7954219427862383, 0.0, 0.606056047683851],
        [4.40876819992502, 4.199921110928179, 2.193521838065343],
    );
    let rules = [
        MeshInertia::Convex,
        MeshInertia::Exact,
        MeshInertia::Legacy,
        MeshInertia::Shell,
    ];
    for (rule, (mass, pos, quat, inertia)) in rules.into_iter().zip([solid, solid, solid, shell]) {
        let asset = compiled(
            block(),
            MeshOptions {
                inertia: rule,
                ..MeshOptions::default()
            },
        );
        assert_close("mass", [asset.measure], [mass]);
        assert_close("pos", asset.pos, pos);
        assert_close("quat", asset.quat, quat);
        assert_close("inertia", asset.moments(asset.measure), inertia);
    }
}

#[test]
fn reference_pose_and_mirroring_scale_act_in_the_order_of_mujoco() {
    let options = MeshOptions {
        scale: [0.5, -2.0, 1.5],
        refpos: [0.1, -0.2, 0.3],
        refquat: [0.5, 0.1, -0.7, 0.2],
        inertia: MeshInertia::Exact,
        ..MeshOptions::default()
    };
    let asset = compiled(block(), options);
    assert_close("mass", [asset.measure], [2.249999999999999]);
    assert_close(
        "pos",
        asset.pos,
        [-0.0215893108298171, -0.5735583684950769, -1.4120253164556964],
    );
    let quat = [
        0.9100863348269832,
        0.4084644623674623,
        0.06987342279339431,
        -0.00416544489640838,
    ];
    assert_close("quat", asset.quat, quat);
    let centre = [0, 1, 2].map(|k| (asset.aabb_max[k] + asset.aabb_min[k]) / 2.0);
    let half = [0, 1, 2].map(|k| (asset.aabb_max[k] - asset.aabb_min[k]) / 2.0);
    assert_close(
        "box centre",
        centre,
        [0.01962172339242577, -0.07979779443315882, -0.08857996685484604],
    );
    assert_close(
        "box half sizes",
        half,
        [0.3103919756459327, 1.236074802680978, 1.8997382968381484],
    );
    assert_close("radius", [asset.bounding_radius()], [2.407039520058615]);
    assert_eq!(asset.vertices[0], [-0.29077026, 1.118588, 0.9804236]);
    assert_eq!(asset.normals[0], [0.9992649, 0.034688026, 0.01632318]);
    // Mirrored, hence turned round.
    assert_eq!(asset.faces[..2], [[0, 1, 2], [0, 2, 3]]);
}

#[test]
fn a_mirrored_hull_still_faces_outwards() {
    let mirrored = MeshOptions {
        scale: [1.0, -1.0, 1.0],
        inertia: MeshInertia::Convex,
        ..MeshOptions::default()
    };
    assert_close("volume", [compiled(block(), mirrored).measure], [1.5]);
}

#[test]
fn a_torus_weighs_as_in_mujoco_under_every_rule() {
    let table = [
        (
            MeshInertia::Convex,
            2.503967999153512,
            [1.692799821587166, 0.9133323928034859, 0.9133323928034862],
        ),
        (
            MeshInertia::Exact,
            1.439999969138262,
            [1.3785582008506874, 0.7185158547582237, 0.7185158547582237],
        ),
        (
            MeshInertia::Legacy,
            2.4365651044416743,
            [1.7007672078044511, 0.8939177798236678, 0.8939177798236685],
        ),
        (
            MeshInertia::Shell,
            10.823268928420218,
            [10.977318469816906, 5.920407616794684, 5.920407616794685],
        ),
    ];
    for (inertia, mass, moments) in table {
        let torus = builtin("supertorus", &[8.0, 0.3, 1.0, 1.0]).unwrap();
        let asset = compiled(
            torus.surface,
            MeshOptions {
                inertia,
                ..MeshOptions::default()
            },
        );
        assert_close("mass", [asset.measure], [mass]);
        assert_close("inertia", asset.moments(asset.measure), moments);
    }
}

#[test]
fn primitives_fitted_to_a_mesh_have_the_sizes_of_mujoco() {
    let options = MeshOptions {
        scale: [0.5, 0.2, 1.0],
        inertia: MeshInertia::Exact,
        ..MeshOptions::default()
    };
    let asset = compiled(block(), options);
    let table = [
        (
            FitShape::Sphere,
            [0.36460948663315623, 0.0, 0.0],
            [0.7513462183172969, 0.0, 0.0],
        ),
        (
            FitShape::Capsule,
            [0.2582289106469076, 0.44825618328219974, 0.0],
            [0.5132112665093467, 0.23813495180795016, 0.0],
        ),
        (
            FitShape::Cylinder,
            [0.2582289106469076, 0.5773706386056535, 0.0],
            [0.5132112665093467, 0.7513462183172969, 0.0],
        ),
        (
            FitShape::Box,
            [0.11, 0.40645782129381497, 0.5773706386056535],
            [0.11, 0.5132112665093467, 0.7513462183172969],
        ),
        (
            FitShape::Ellipsoid,
            [0.11, 0.40645782129381497, 0.5773706386056535],
            [0.11, 0.5132112665093467, 0.7513462183172969],
        ),
    ];
    for (shape, to_inertia, to_bounds) in table {
        let fit = asset.fit(shape, FitTo::InertiaBox, 1.1);
        assert_close("size by inertia", fit.size, to_inertia);
        assert_close(
            "place by inertia",
            fit.pos,
            [0.38888888888888884, 0.1, 0.4444444444444445],
        );
        let fit = asset.fit(shape, FitTo::BoundingBox, 1.1);
        assert_close("size by bounds", fit.size, to_bounds);
        assert_close(
            "place by bounds",
            fit.pos,
            [0.3125346933138026, 0.1, 0.3917268017439249],
        );
    }
}

#[test]
fn tiny_meshes_are_aligned_as_well_as_large_ones() {
    let frame = |scale: f64| {
        compiled(
            block(),
            MeshOptions {
                scale: [scale; 3],
                ..MeshOptions::default()
            },
        )
        .quat
    };
    // A millimetre block has an inertia of 1e-15: thresholds must not be absolute.
    assert_close("quat", frame(1e-3), frame(1.0));
}

#[test]
fn box_edges_stay_sharp_unless_smooth_normals_are_asked_for() {
    let cube = || {
        let grid = builtin("grid", &[2.0, 2.0, 2.0, 1.0, 1.0, 1.0]).unwrap();
        grid.surface
    };
    let lengths = |smooth_normals: bool| {
        let asset = compiled(
            cube(),
            MeshOptions {
                smooth_normals,
                ..MeshOptions::default()
            },
        );
        asset
            .normals
            .iter()
            .map(|n| n.iter().fold(0.0f32, |most, x| most.max(x.abs())))
            .collect::<Vec<_>>()
    };
    // Smooth: every normal points from the centre to its corner, more or less; at least two faces share in it.
    assert!(
        lengths(true).iter().all(|&largest| largest < 0.9),
        "{:?}",
        lengths(true)
    );
    // Sharp: faces beyond an edge are removed; where nothing is left the normal is the z axis.
    assert!(
        lengths(false).iter().any(|&largest| largest > 0.99),
        "{:?}",
        lengths(false)
    );
}

#[test]
fn a_point_cloud_becomes_its_convex_hull() {
    let mut cloud = block();
    cloud.faces.clear();
    cloud.vertices.push([0.5, 0.5, 0.5]);
    let asset = compiled(cloud, MeshOptions::default());
    assert_eq!(asset.faces.len(), 12, "six quadrilaterals");
    let hull = asset.hull.as_ref().unwrap();
    assert_eq!(
        hull.vertices,
        [0, 1, 2, 3, 4, 5, 6, 7],
        "the point inside is not part of it"
    );
    assert_close("volume", [asset.measure], [1.5]);
}

#[test]
fn generated_shapes_have_the_counts_and_masses_of_mujoco() {
    let table: [(&str, &[f64], usize, f64); 14] = [
        ("sphere", &[2.0], 162, 4.047044661651024),
        ("sphere", &[1.7], 42, 3.658712126251761),
        ("hemisphere", &[3.0], 42, 1.9097436909829885),
        ("cone", &[5.0, 0.0], 6, 1.585094227875054),
        ("cone", &[5.0, 0.5], 10, 2.773914898781344),
        ("supersphere", &[8.0, 0.5, 2.0], 58, 2.2423905649495855),
        ("supertorus", &[8.0, 0.3, 1.0, 1.0], 64, 2.436565104441674),
        ("wedge", &[4.0, 4.0, 30.0, 30.0, 0.0], 16, 0.04828756919511444),
        ("grid", &[3.0, 3.0, 3.0, 0.1, 0.1, 0.1], 27, 0.008000000357627876),
        ("box", &[3.0, 3.0, 3.0, 0.1, 0.1, 0.1, 2.0], 25, 0.20000000596046453),
        ("cylinder", &[3.0, 3.0, 3.0, 0.1, 0.1, 0.1], 27, 0.005656854678894714),
        ("ellipsoid", &[4.0, 3.0, 3.0, 0.1, 0.1, 0.1], 35, 0.005096103455784687),
        ("square", &[3.0, 3.0, 1.0, 0.1, 0.1, 0.1], 9, 0.0400000011920929),
        ("disc", &[5.0, 5.0, 1.0, 0.1, 0.1, 0.1], 25, 0.004886024667056815),
    ];
    for (name, params, vertices, mass) in table {
        let shape = builtin(name, params).unwrap();
        let inertia = shape.inertia(MeshInertia::Legacy);
        let needs_hull = !matches!(name, "square" | "disc");
        let asset = compiled(
            shape.surface,
            MeshOptions {
                inertia,
                needs_hull,
                ..MeshOptions::default()
            },
        );
        assert_eq!(asset.vertices.len(), vertices, "{name}");
        assert!(
            (asset.measure / mass - 1.0).abs() < 1e-14,
            "{name}: {} kg, MuJoCo {mass}",
            asset.measure
        );
    }
}

#[test]
fn parameters_of_generated_shapes_are_checked() {
    let table: [(&str, &[f64], &str); 9] = [
        ("sphere", &[5.0], "subdivision"),
        ("sphere", &[f64::NAN], "subdivision"),
        ("sphere", &[1.0, 2.0], "takes 1 parameters"),
        ("hemisphere", &[11.0], "resolution"),
        ("cone", &[2.0, 0.5], "corners"),
        ("cone", &[5.0, 2.0], "radius"),
        ("supertorus", &[8.0, 0.0, 1.0, 1.0], "radius"),
        ("grid", &[1e6, 1e6, 1e6, 1.0, 1.0, 1.0], "too many"),
        ("prism", &[5.0], "no built-in mesh"),
    ];
    for (name, params, expected) in table {
        let message = builtin(name, params).unwrap_err().to_string();
        assert!(message.contains(expected), "{name} {params:?}: {message}");
    }
}

#[test]
fn surfaces_without_volume_or_order_are_refused_with_a_reason() {
    let exact = || MeshOptions {
        inertia: MeshInertia::Exact,
        ..MeshOptions::default()
    };
    let mut inside_out = block();
    inside_out.faces.iter_mut().for_each(|face| face.swap(0, 1));
    assert!(error(inside_out.clone(), exact()).contains("negative"));
    // The legacy rule forgives.
    assert_close("volume", [compiled(inside_out, MeshOptions::default()).measure], [1.5]);

    let mut one_flipped = block();
    one_flipped.faces[3].swap(0, 1);
    assert!(error(one_flipped, exact()).contains("inconsistent orientation"));

    let flat = MeshOptions {
        scale: [1.0, 1.0, 0.0],
        ..MeshOptions::default()
    };
    assert!(error(block(), flat).contains("too small"));

    let cloud = |points: &[[f32; 3]]| Surface {
        vertices: points.to_vec(),
        ..Surface::default()
    };
    let plane = [[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 1.0]];
    assert!(error(cloud(&plane), MeshOptions::default()).contains("one plane"));
    assert!(error(cloud(&[0.0, 1.0, 2.0, 3.0].map(|x| [x; 3])), MeshOptions::default()).contains("one line"));
    assert!(error(cloud(&[[1.0; 3]; 4]), MeshOptions::default()).contains("one place"));
    assert!(error(cloud(&plane[..3]), MeshOptions::default()).contains("at least 4"));
    let mut infinite = block();
    infinite.vertices[5][1] = f32::NAN;
    assert!(error(infinite, MeshOptions::default()).contains("vertex 5 is not finite"));
}

#[test]
fn numbers_beside_a_file_complete_it_but_do_not_replace_it() {
    let texcoords = Surface::from_numbers(&[], &[], &[0.0; 16], &[]).unwrap();
    let textured = block().completed_by(texcoords).unwrap();
    assert_eq!(compiled(textured, MeshOptions::default()).face_texcoords.len(), 12);
    assert!(block().completed_by(block()).unwrap_err().to_string().contains("both"));
    assert!(
        Surface::from_numbers(&[0.0; 13], &[], &[], &[])
            .unwrap_err()
            .to_string()
            .contains("multiple of 3")
    );
    let too_few = Surface {
        texcoords: vec![[0.0; 2]; 7],
        ..block()
    };
    assert!(error(too_few, MeshOptions::default()).contains("7 texture coordinates for 8 vertices"));
    let bad = Surface::from_numbers(&[0.0; 12], &[], &[], &[0, 1, -1]).unwrap();
    assert!(error(bad, MeshOptions::default()).contains("vertex -1"));
}
