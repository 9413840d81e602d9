//! `<material>`: how surfaces look, and the textures in their layers.

use motrix_model::{Material, TEXTURE_ROLES, TextureId};

use super::names::Names;
use crate::document::Element;
use crate::problem::Problems;
use crate::schema::{Namespace, TEXTURE_ROLE};

/// Reads a `<material>`.
pub(super) fn material(element: &Element, names: &Names, problems: &mut Problems) -> Material {
    let layers = layers(element, names, problems);
    let [_, colour, .., colour_with_transparency, _] = layers;
    let mut number = |name: &str, default: f32| element.real(name, problems).map_or(default, |x| x as f32);
    Material {
        emission: number("emission", 0.0),
        specular: number("specular", 0.5),
        shininess: number("shininess", 0.5),
        reflectance: number("reflectance", 0.0),
        metallic: number("metallic", -1.0),
        roughness: number("roughness", -1.0),
        name: element.name().unwrap_or_default().to_owned(),
        texture: colour.or(colour_with_transparency),
        layers,
        texture_uniform: element.boolean("texuniform", problems).unwrap_or(false),
        texture_repeat: element
            .reals("texrepeat", problems)
            .unwrap_or([1.0; 2])
            .map(|x| x as f32),
        rgba: element.rgba("rgba", problems).unwrap_or([1.0; 4]),
    }
}

/// The textures of a material by role: the attribute `texture` gives the colour, layers give what they say.
fn layers(element: &Element, names: &Names, problems: &mut Problems) -> [Option<TextureId>; TEXTURE_ROLES] {
    let mut layers = [None; TEXTURE_ROLES];
    layers[1] = names
        .find(element, "texture", Namespace::Texture, problems)
        .map(TextureId::new);
    for layer in element.children_named("layer") {
        // The first role is the user's own and has no word.
        let Some(role) = TEXTURE_ROLE.iter().position(|word| layer.text("role") == Some(word)) else {
            continue;
        };
        layers[role + 1] = names
            .find(layer, "texture", Namespace::Texture, problems)
            .map(TextureId::new);
    }
    layers
}
