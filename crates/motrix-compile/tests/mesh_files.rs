//! Mesh files: what each format says, and that no bytes whatever make the decoders fail other than by an error.

use motrix_compile::assets::mesh::{self, MeshFormat, MeshOptions, Surface};
use proptest::prelude::*;

const CORNERS: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
const FACES: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];

fn stl() -> Vec<u8> {
    let mut bytes = vec![0; 80];
    bytes.extend((FACES.len() as u32).to_le_bytes());
    for face in FACES {
        bytes.extend([0; 12]);
        bytes.extend(
            face.iter()
                .flat_map(|&corner| CORNERS[corner as usize])
                .flat_map(f32::to_le_bytes),
        );
        bytes.extend([0; 2]);
    }
    bytes
}

fn text_stl() -> String {
    let mut text = "solid pyramid\n".to_owned();
    for face in FACES {
        text += "  facet normal 0 0 0\n    outer loop\n";
        for [x, y, z] in face.map(|corner| CORNERS[corner as usize]) {
            text += &format!("      vertex {x} {y} {z:e}\n");
        }
        text += "    endloop\n  endfacet\n";
    }
    text + "endsolid pyramid\n"
}

fn msh() -> Vec<u8> {
    let mut bytes: Vec<u8> = [4i32, 4, 4, 4].iter().flat_map(|count| count.to_le_bytes()).collect();
    bytes.extend(CORNERS.iter().flatten().flat_map(|x| x.to_le_bytes()));
    bytes.extend(
        CORNERS
            .iter()
            .flat_map(|_| [0.0f32, 0.0, 2.0])
            .flat_map(f32::to_le_bytes),
    );
    bytes.extend((0..8).flat_map(|k| (k as f32 / 8.0).to_le_bytes()));
    bytes.extend(FACES.iter().flatten().flat_map(|index| index.to_le_bytes()));
    bytes
}

const OBJ: &str = "# pyramid\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";

fn decode(format: MeshFormat, bytes: &[u8]) -> Result<Surface, String> {
    Surface::decode(format, bytes).map_err(|error| error.to_string())
}

fn obj(text: &str) -> Result<Surface, String> {
    decode(MeshFormat::Obj, text.as_bytes())
}

#[test]
fn the_format_follows_from_the_content_type_or_else_the_name() {
    assert_eq!(MeshFormat::of("a.b/foot.STL", None), Ok(MeshFormat::Stl));
    assert_eq!(MeshFormat::of("foot.obj", Some("")), Ok(MeshFormat::Obj));
    assert_eq!(
        MeshFormat::of("foot", Some("model/vnd.mujoco.msh")),
        Ok(MeshFormat::Msh)
    );
    assert!(MeshFormat::of("foot.dae", None).is_err());
    assert!(MeshFormat::of("foot.obj", Some("model/gltf")).is_err());
}

#[test]
fn the_same_pyramid_in_four_formats_has_the_same_volume() {
    for (format, bytes) in [
        (MeshFormat::Obj, OBJ.as_bytes().to_vec()),
        (MeshFormat::Stl, stl()),
        (MeshFormat::Stl, text_stl().into_bytes()),
        (MeshFormat::Msh, msh()),
    ] {
        let asset = mesh::compile(decode(format, &bytes).unwrap(), &MeshOptions::default()).unwrap();
        assert_eq!(asset.vertices.len(), 4, "{format:?}: corners are joined");
        assert!(
            (asset.measure - 1.0 / 6.0).abs() < 1e-16,
            "{format:?}: {}",
            asset.measure
        );
    }
}

#[test]
fn stl_corners_with_equal_bits_are_joined_in_order_of_appearance() {
    let surface = decode(MeshFormat::Stl, &stl()).unwrap();
    assert_eq!(surface.vertices, [CORNERS[0], CORNERS[2], CORNERS[1], CORNERS[3]]);
    assert_eq!(surface.faces, [[0, 1, 2], [0, 2, 3], [2, 1, 3], [0, 3, 1]]);
    assert_eq!(surface, decode(MeshFormat::Stl, text_stl().as_bytes()).unwrap());
    // Zero and minus zero are different bits; MuJoCo keeps both.
    let mut bytes = stl();
    bytes[84 + 12 + 3] = 0x80;
    assert_eq!(decode(MeshFormat::Stl, &bytes).unwrap().vertices.len(), 5);
}

#[test]
fn a_binary_stl_that_calls_itself_solid_is_still_binary() {
    let mut bytes = stl();
    bytes[..5].copy_from_slice(b"solid");
    assert_eq!(decode(MeshFormat::Stl, &bytes), decode(MeshFormat::Stl, &stl()));
}

#[test]
fn stl_errors_name_what_is_missing() {
    let message = |bytes: &[u8]| decode(MeshFormat::Stl, bytes).unwrap_err();
    assert_eq!(
        message(&stl()[..283]),
        "the STL file has 283 bytes, but 4 facets take 284"
    );
    assert_eq!(message(&[0; 10]), "the STL file ends within its header, after 10 bytes");
    assert_eq!(
        message(b"solid a vertex 1 2"),
        "a vertex of the STL file is not three numbers"
    );
    assert_eq!(
        message(b"solid a vertex 1 2 3 endloop"),
        "a facet of the STL file does not have three vertices"
    );
    let mut far = stl();
    far[84 + 12..84 + 16].copy_from_slice(&1e30f32.to_le_bytes());
    assert!(message(&far).contains("too far out"));
}

#[test]
fn msh_keeps_normals_and_texture_coordinates_per_vertex() {
    let asset = mesh::compile(decode(MeshFormat::Msh, &msh()).unwrap(), &MeshOptions::default()).unwrap();
    assert_eq!(asset.texcoords[3], [0.75, 0.875]);
    assert_eq!(asset.face_texcoords, FACES);
    assert_eq!(asset.face_normals, FACES);
    let mut short = msh();
    short.pop();
    assert_eq!(
        decode(MeshFormat::Msh, &short).unwrap_err(),
        "the MSH file has 191 bytes, its header asks for 192"
    );
    let mut huge = msh();
    huge[..4].copy_from_slice(&i32::MAX.to_le_bytes());
    assert!(decode(MeshFormat::Msh, &huge).is_err());
}

#[test]
fn obj_quadrilaterals_are_cut_along_the_shorter_diagonal() {
    let quad = |corners: &str| {
        obj(&format!("v 0 0 0\nv 2 0 0\nv 3 2 0\nv 0 1 0\nf {corners}\n"))
            .unwrap()
            .faces
    };
    assert_eq!(quad("4 3 2 1"), [[3, 2, 1], [3, 1, 0]]);
    assert_eq!(quad("1 4 3 2"), [[0, 3, 1], [3, 2, 1]]);
}

#[test]
fn obj_polygons_lose_their_ears() {
    // An arrow head: the corner at (1, 1) turns inwards, so the fan from corner 1 would cross the outside.
    let arrow = obj("v 0 0 0\nv 4 0 0\nv 1 1 0\nv 0 4 0\nv -1 1 0\nf 1 2 3 4 5\n").unwrap();
    let doubled_area = |face: &[u32; 3]| {
        let [a, b, c] = face.map(|corner| arrow.vertices[corner as usize]);
        (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    };
    let areas: Vec<f32> = arrow.faces.iter().map(doubled_area).collect();
    assert_eq!(arrow.faces.len(), 3);
    assert!(areas.iter().all(|&area| area > 0.0), "{areas:?}");
    assert_eq!(areas.iter().sum::<f32>(), 12.0, "they cover the polygon");
}

/// A star has an ear only at the corner that is tried last, and tinyobjloader, with it MuJoCo, then gives up on the rest.
#[test]
fn obj_polygons_end_with_an_ear_found_at_the_last_try() {
    let star = obj("v 2 3 0\nv 4 5 0\nv 1 3 0\nv 4 1 0\nv 2 5 0\nf 1 2 3 4 5\n").unwrap();
    assert_eq!(star.faces, [[3, 4, 0]]);
}

#[test]
fn obj_faces_count_from_one_or_backwards() {
    let pyramid = obj(OBJ).unwrap();
    assert_eq!(pyramid.faces, FACES);
    let backwards = OBJ.replace("f 1 3 2", "f -4 -2 -3");
    assert_eq!(obj(&backwards).unwrap(), pyramid);
    let windows = OBJ.replace('\n', "\r\n");
    assert_eq!(obj(&windows).unwrap(), pyramid);
    // Weights, colours and unknown lines do not matter.
    let decorated = OBJ.replace("v 1 0 0", "v 1 0 0 0.5 0.5 0.5\nusemtl steel\ns off\nl 1 2");
    assert_eq!(obj(&decorated).unwrap(), pyramid);
}

#[test]
fn of_several_obj_objects_the_first_with_faces_is_the_mesh() {
    let text = OBJ
        .replace("f 1 3 2", "o empty\no first\nf 1 3 2")
        .replace("f 2 3 4", "g second\nf 2 3 4");
    let surface = obj(&text).unwrap();
    assert_eq!(surface.faces, FACES[..2]);
    assert_eq!(surface.vertices.len(), 4);
}

#[test]
fn obj_attributes_are_kept_only_if_every_corner_has_them() {
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0.25\nvn 0 0 1\n";
    let full = obj(&format!("{text}f 1/1/1 2/1/1 3/1/1\n")).unwrap();
    // The picture's first row is its top.
    assert_eq!(full.texcoords, [[0.0, 0.75]]);
    assert_eq!((full.face_texcoords, full.face_normals), (vec![[0; 3]], vec![[0; 3]]));
    for corners in ["1/1/1 2/1/1 3", "1/1/1 2/1/1 3/2/2", "1//0 2//1 3//1"] {
        let partial = obj(&format!("{text}f {corners}\n")).unwrap();
        assert!(partial.texcoords.is_empty() && partial.normals.is_empty(), "{corners}");
    }
}

#[test]
fn obj_errors_point_at_the_line() {
    let message = |text: &str| obj(text).unwrap_err();
    assert_eq!(
        message("v 0 0 0\nf 0 1 1\n"),
        "line 2 of the OBJ file: a face uses vertex 0, but vertices count from 1"
    );
    assert_eq!(message("v 0 0\n"), "line 1 of the OBJ file: a vertex needs 3 numbers");
    assert_eq!(message("v 0 0 x\n"), "line 1 of the OBJ file: \"x\" is not a number");
    assert_eq!(
        message("v 0 0 0\nf 1 1 -2\n"),
        "line 2 of the OBJ file: index -2 is outside of the 1 defined so far"
    );
    assert_eq!(
        message("v 0 0 0\nf 1 1 9\n"),
        "a face of the OBJ file uses vertex 9 of 1"
    );
    let many = format!("v 0 0 0\nf {}\n", "1 ".repeat(2000));
    assert!(message(&many).contains("a face of 2000 corners"));
}

/// Decodes and, if that works, compiles: neither may panic.
fn survive(format: MeshFormat, bytes: &[u8]) {
    if let Ok(surface) = Surface::decode(format, bytes) {
        let _ = mesh::compile(surface, &MeshOptions::default());
    }
}

#[test]
fn files_cut_off_anywhere_give_an_answer() {
    for (format, bytes) in [
        (MeshFormat::Obj, OBJ.as_bytes().to_vec()),
        (MeshFormat::Stl, stl()),
        (MeshFormat::Stl, text_stl().into_bytes()),
        (MeshFormat::Msh, msh()),
    ] {
        for length in 0..bytes.len() {
            survive(format, &bytes[..length]);
        }
    }
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_make_a_decoder_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for format in [MeshFormat::Obj, MeshFormat::Stl, MeshFormat::Msh] {
            survive(format, &bytes);
        }
    }

    #[test]
    fn files_with_a_changed_byte_never_make_a_decoder_panic(place in any::<prop::sample::Index>(), byte in any::<u8>()) {
        for (format, mut bytes) in [
            (MeshFormat::Obj, OBJ.as_bytes().to_vec()),
            (MeshFormat::Stl, stl()),
            (MeshFormat::Stl, text_stl().into_bytes()),
            (MeshFormat::Msh, msh()),
        ] {
            let place = place.index(bytes.len());
            bytes[place] = byte;
            survive(format, &bytes);
        }
    }

    #[test]
    fn obj_words_in_any_order_never_make_the_decoder_panic(
        words in prop::collection::vec(prop::sample::select(vec!["v", "f", "vn", "vt", "o", "1", "2", "-1", "0", "1/1", "2//2", "1e9", ".5", "\n", "\n"]), 0..120),
    ) {
        survive(MeshFormat::Obj, words.join(" ").as_bytes());
    }
}
