//! How a surface looks, and where a texture's pixels fall on it.

use std::sync::Arc;

use super::texture::Pyramid;

/// The look of a piece.
#[derive(Clone, Debug)]
pub struct Look {
    /// Colour, and how much of what is behind it hides.
    pub rgba: [f32; 4],
    /// What the colour is multiplied with.
    pub texture: Option<Arc<Pyramid>>,
    /// Whether repetitions are per metre instead of per piece.
    pub uniform: bool,
    /// Repetitions of the texture.
    pub repeat: [f32; 2],
    /// How much it glows in its own colour.
    pub emission: f32,
    /// Strength of highlights.
    pub specular: f32,
    /// Sharpness of highlights, 0 to 1.
    pub shininess: f32,
    /// How much of its light it mirrors instead of showing its own colour, 0 to 1; obeyed by planes and by the upper sides of boxes.
    pub reflectance: f32,
    /// Whether it casts shadows.
    pub casts: bool,
}

impl Default for Look {
    /// MuJoCo's geom without a material.
    fn default() -> Self {
        Look {
            rgba: [0.5, 0.5, 0.5, 1.0],
            texture: None,
            uniform: false,
            repeat: [1.0; 2],
            emission: 0.0,
            specular: 0.5,
            shininess: 0.5,
            reflectance: 0.0,
            casts: true,
        }
    }
}

impl Look {
    /// Whether something is seen through it.
    pub fn is_transparent(&self) -> bool {
        self.rgba[3] < 1.0
    }

    /// Whether light ends at it. What lets light through throws no shadow here, rather than a black one.
    pub fn hides_light(&self) -> bool {
        self.casts && !self.is_transparent()
    }

    /// How texture coordinates follow from a place along one axis of a piece with half size `half`: factor and constant.
    pub fn mapping(&self, axis: usize, half: f32) -> [f32; 2] {
        let repeat = self.repeat[axis];
        // A piece without an end repeats its texture every metre.
        if self.uniform || half <= 0.0 {
            [repeat, 0.0]
        } else {
            [0.5 * repeat / half, 0.5 * repeat]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_texture_spans_a_piece_or_repeats_every_metre() {
        let look = Look {
            repeat: [2.0, 3.0],
            ..Look::default()
        };
        let at = |[factor, constant]: [f32; 2], x: f32| factor * x + constant;
        assert_eq!(at(look.mapping(0, 4.0), -4.0), 0.0, "it starts at one edge");
        assert_eq!(
            at(look.mapping(0, 4.0), 4.0),
            2.0,
            "and ends at the other after two repetitions"
        );
        assert_eq!(
            at(look.mapping(1, 0.0), 1.0),
            3.0,
            "without an end it repeats per metre"
        );
        let uniform = Look { uniform: true, ..look };
        assert_eq!(at(uniform.mapping(1, 4.0), 1.0), 3.0);
    }

    #[test]
    fn glass_throws_no_shadow() {
        let glass = Look {
            rgba: [1.0, 1.0, 1.0, 0.5],
            ..Look::default()
        };
        assert!(glass.is_transparent() && !glass.hides_light());
        assert!(Look::default().hides_light());
    }
}
