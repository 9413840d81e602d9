//! Assets as documents name them.

use std::io::Cursor;
use std::sync::Arc;

use image::{ImageFormat, Rgb, RgbImage};
use motrix_compile::document::MemoryFiles;
use motrix_compile::{LoadOptions, load_str};
use motrix_model::{Model, TextureKind};

fn load(assets: &str, files: MemoryFiles) -> Result<Model, String> {
    let text = format!("<mujoco><compiler texturedir=\"tex\"/>\n<asset>\n{assets}\n</asset></mujoco>");
    let options = LoadOptions {
        files: Arc::new(files),
        ..LoadOptions::default()
    };
    load_str(&text, &options)
        .map(|loaded| loaded.model)
        .map_err(|error| error.to_string())
}

fn with_image(path: &str) -> MemoryFiles {
    let mut bytes = Cursor::new(Vec::new());
    RgbImage::from_pixel(2, 2, Rgb([7, 8, 9]))
        .write_to(&mut bytes, ImageFormat::Png)
        .unwrap();
    let mut files = MemoryFiles::new();
    files.insert(path, bytes.into_inner());
    files
}

#[test]
fn textures_have_their_pixels() {
    let model = load(
        r#"<texture name="sky" type="skybox" builtin="gradient" width="4"/>
           <texture name="wood" type="2d" file="wood.png" nchannel="4"/>
           <texture name="die" fileup="wood.png" rgb1="1 0 0"/>
           <texture name="far" type="2d" file="far.png" embed="false"/>"#,
        with_image("tex/wood.png"),
    )
    .unwrap();
    let [sky, wood, die, far] = &model.textures[..] else {
        panic!("{:?}", model.textures)
    };
    assert_eq!(
        (sky.kind, sky.width, sky.height, sky.data.len()),
        (TextureKind::Skybox, 4, 24, 288)
    );
    assert_eq!(
        (wood.kind, wood.channels, &wood.data[..4]),
        (TextureKind::Flat, 4, &[7, 8, 9, 255][..])
    );
    assert_eq!(
        (die.kind, &die.data[..3], &die.data[24..27]),
        (TextureKind::Cube, &[255, 0, 0][..], &[7, 8, 9][..])
    );
    assert!(far.data.is_empty());
}

#[test]
fn bad_textures_are_reported_where_they_stand() {
    let error = |texture: &str| load(texture, with_image("tex/wood.png")).unwrap_err();
    assert!(
        error(r#"<texture name="t" file="wood.jpg"/>"#)
            .contains("<string>:3:19 <texture file=\"wood.jpg\">: \"wood.jpg\" is not")
    );
    assert!(error(r#"<texture name="t" file="no.png"/>"#).contains("no file tex/no.png"));
    assert!(
        error(r#"<texture name="t" fileup="wood.png" filedown="no.png"/>"#).contains("<texture filedown=\"no.png\">")
    );
    assert!(error(r#"<texture name="t" builtin="flat"/>"#).contains("0 x 0 pixels"));
}

#[test]
fn generated_meshes_are_assets_too() {
    let model = load(
        r#"<mesh name="ball" builtin="sphere" params="1" scale="2 2 2"/>
           <mesh name="sheet" builtin="square" params="3 3 1 0.1 0.1 0.1"/>"#,
        MemoryFiles::new(),
    )
    .unwrap();
    let counts: Vec<_> = model
        .meshes
        .iter()
        .map(|mesh| (mesh.vertices.len(), mesh.faces.len()))
        .collect();
    assert_eq!(counts, [(42, 80), (9, 8)]);
    let error = load(r#"<mesh name="m" builtin="sphere" params="9"/>"#, MemoryFiles::new()).unwrap_err();
    assert!(
        error.contains("<mesh params=\"9\">: built-in sphere: the subdivision must be from 0 to 4"),
        "{error}"
    );
}
