//! Texture elements to textures of the model.

use std::sync::Arc;

use motrix_model::Texture;

use super::assets::{read_asset, report};
use crate::assets::texture::{self, Mark, Pattern, TextureKind, TextureOptions, TextureSource};
use crate::document::{AUTO, AssetKind, Auto, Element, Files};
use crate::problem::Problems;

/// Attributes that name the file of one side of a cube, in the order sides are stored.
const SIDES: [&str; 6] = ["fileright", "fileleft", "fileup", "filedown", "filefront", "fileback"];

/// The texture that an element describes; without pixels if they cannot be had, which is recorded, or are not to be embedded.
pub fn texture(element: &Element, files: &dyn Files, problems: &mut Problems) -> Texture {
    let options = options(element, problems);
    let made = match element.keyword("embed", AUTO, problems) {
        Some(Auto::False) => None,
        _ => pixels(element, &options, files, problems),
    };
    let mut texture = Texture {
        name: element.asset_name().unwrap_or_default().to_owned(),
        kind: match options.kind {
            TextureKind::Plane => motrix_model::TextureKind::Flat,
            TextureKind::Cube => motrix_model::TextureKind::Cube,
            TextureKind::Skybox => motrix_model::TextureKind::Skybox,
        },
        ..Texture::default()
    };
    if let Some(made) = made {
        (texture.width, texture.height, texture.channels) = (made.width, made.height, made.nchannel);
        texture.data = made.data.into();
    }
    texture
}

/// A pattern if there is one, else the file, else the files of the sides.
fn pixels(
    element: &Element,
    options: &TextureOptions,
    files: &dyn Files,
    problems: &mut Problems,
) -> Option<texture::TextureAsset> {
    const PATTERNS: &[(&str, Option<Pattern>)] = &[
        ("none", None),
        ("gradient", Some(Pattern::Gradient)),
        ("checker", Some(Pattern::Checker)),
        ("flat", Some(Pattern::Flat)),
    ];
    if let Some(pattern) = element.keyword("builtin", PATTERNS, problems).flatten() {
        return report(
            element,
            "builtin",
            texture::compile(&TextureSource::Builtin(pattern), options),
            problems,
        );
    }
    if element.own("file").is_some() {
        let bytes = image_file(element, "file", files, problems)?;
        return report(
            element,
            "file",
            texture::compile(&TextureSource::Image(&bytes), options),
            problems,
        );
    }
    let sides = SIDES.map(|side| element.own(side).map(|_| image_file(element, side, files, problems)));
    // A side that is given but could not be read has been reported.
    if sides.iter().any(|side| matches!(side, Some(None))) {
        return None;
    }
    if sides.iter().all(Option::is_none) && options.kind == TextureKind::Plane {
        problems.push(element.problem("the texture has neither a file nor a builtin pattern"));
        return None;
    }
    let sides = sides.each_ref().map(|side| side.as_ref()?.as_deref());
    report(
        element,
        "type",
        texture::compile(&TextureSource::Sides(sides), options),
        problems,
    )
}

/// The bytes of an image that can be read.
fn image_file(element: &Element, attribute: &str, files: &dyn Files, problems: &mut Problems) -> Option<Arc<[u8]>> {
    let checked = texture::check_format(&element.own(attribute)?.value, element.text("content_type"));
    report(element, attribute, checked, problems)?;
    read_asset(element, attribute, AssetKind::Texture, files, problems)
}

fn options(element: &Element, problems: &mut Problems) -> TextureOptions {
    const KINDS: &[(&str, TextureKind)] = &[
        ("2d", TextureKind::Plane),
        ("cube", TextureKind::Cube),
        ("skybox", TextureKind::Skybox),
    ];
    const MARKS: &[(&str, Mark)] = &[
        ("none", Mark::None),
        ("edge", Mark::Edge),
        ("cross", Mark::Cross),
        ("random", Mark::Random),
    ];
    let mut options = TextureOptions::default();
    let mut color = |name: &str, field: &mut [f64; 3]| *field = element.reals(name, problems).unwrap_or(*field);
    color("rgb1", &mut options.rgb1);
    color("rgb2", &mut options.rgb2);
    color("markrgb", &mut options.markrgb);
    let mut count = |name: &str, field: &mut i64| *field = element.int(name, problems).map_or(*field, i64::from);
    count("width", &mut options.width);
    count("height", &mut options.height);
    count("nchannel", &mut options.nchannel);
    let mut flag = |name: &str, field: &mut bool| *field = element.boolean(name, problems).unwrap_or(*field);
    flag("hflip", &mut options.hflip);
    flag("vflip", &mut options.vflip);
    options.kind = element.keyword("type", KINDS, problems).unwrap_or_default();
    options.mark = element.keyword("mark", MARKS, problems).unwrap_or_default();
    options.random = element.real("random", problems).unwrap_or(options.random);
    options.gridsize = element
        .ints("gridsize", problems)
        .map_or(options.gridsize, |size| size.map(i64::from));
    options.gridlayout = element.text("gridlayout").unwrap_or_default().to_owned();
    options
}
