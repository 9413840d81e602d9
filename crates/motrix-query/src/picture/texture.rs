//! Textures as pyramids of ever smaller copies, so that what is far away does not flicker (Williams 1983).

use motrix_model::{Texture, TextureKind};

/// One image of a pyramid.
#[derive(Clone, Debug)]
struct Image {
    width: usize,
    height: usize,
    texels: Vec<[f32; 3]>,
}

/// An image, or the six sides of a cube, each with its smaller copies.
#[derive(Clone, Debug)]
pub struct Pyramid {
    sides: Vec<Vec<Image>>,
}

impl Pyramid {
    /// From a texture of the model; none when it has no pixels.
    pub fn new(texture: &Texture) -> Option<Pyramid> {
        let (width, channels) = (texture.width, texture.channels);
        if width == 0 || texture.height == 0 || channels == 0 || texture.data.is_empty() {
            return None;
        }
        let count = match texture.kind {
            TextureKind::Flat => 1,
            TextureKind::Cube | TextureKind::Skybox => 6,
        };
        let height = texture.height / count;
        let texel = |bytes: &[u8]| {
            // One channel is grey, two are grey with something else.
            let channel = |k: usize| f32::from(bytes[if channels < 3 { 0 } else { k }]) / 255.0;
            [channel(0), channel(1), channel(2)]
        };
        let texels: Vec<[f32; 3]> = texture.data.chunks_exact(channels).map(texel).collect();
        let sides = texels.chunks_exact(width * height).take(count);
        let sides: Vec<Vec<Image>> = sides.map(|side| copies(width, height, side.to_vec())).collect();
        (sides.len() == count).then_some(Pyramid { sides })
    }

    /// Whether it wraps around a piece instead of lying on it.
    pub fn is_cube(&self) -> bool {
        self.sides.len() == 6
    }

    /// The colour at a place in units of the image, averaged over `spread` of it; the image repeats.
    #[inline(always)]
    pub fn sample(&self, s: f32, t: f32, spread: f32) -> [f32; 3] {
        blended(&self.sides[0], s, t, spread, true)
    }

    /// The colour of a cube in a direction, by the conventions of OpenGL: the sides are +x −x +y −y +z −z.
    #[inline(always)]
    pub fn around(&self, [x, y, z]: [f32; 3], spread: f32) -> [f32; 3] {
        let size = [x.abs(), y.abs(), z.abs()];
        let (side, s, t, middle) = if size[0] >= size[1] && size[0] >= size[2] {
            if x > 0.0 { (0, -z, -y, x) } else { (1, z, -y, -x) }
        } else if size[1] >= size[2] {
            if y > 0.0 { (2, x, z, y) } else { (3, x, -z, -y) }
        } else if z > 0.0 {
            (4, x, -y, z)
        } else {
            (5, -x, -y, -z)
        };
        let scale = 0.5 / middle.max(f32::MIN_POSITIVE);
        blended(&self.sides[side], s * scale + 0.5, t * scale + 0.5, spread, false)
    }
}

/// The image and its copies, each half as large, down to one texel.
fn copies(width: usize, height: usize, texels: Vec<[f32; 3]>) -> Vec<Image> {
    let mut all = vec![Image { width, height, texels }];
    while let Some(last) = all.last().filter(|image| image.width > 1 || image.height > 1) {
        let (width, height) = (last.width.div_ceil(2), last.height.div_ceil(2));
        let texels = (0..width * height)
            .map(|k| last.average(2 * (k % width), 2 * (k / width)))
            .collect();
        all.push(Image { width, height, texels });
    }
    all
}

impl Image {
    /// The mean of four texels, those beyond the far sides taken from the border.
    fn average(&self, x: usize, y: usize) -> [f32; 3] {
        let (right, below) = ((x + 1).min(self.width - 1), (y + 1).min(self.height - 1));
        let four = [(x, y), (right, y), (x, below), (right, below)].map(|(x, y)| self.texels[y * self.width + x]);
        [0, 1, 2].map(|c| 0.25 * (four[0][c] + four[1][c] + four[2][c] + four[3][c]))
    }
}

/// The two texels beside a place along one side of an image, and how far it is from the first to the second.
#[inline(always)]
fn beside(x: f32, count: usize, repeats: bool) -> (usize, usize, f32) {
    let x = if repeats { x - x.floor() } else { x.clamp(0.0, 1.0) };
    let at = x * count as f32 + 0.5;
    // One more than the first texel, so that it is not negative; a remainder would be a division.
    let next = (at as usize).min(count);
    let (first, second) = match (next, repeats) {
        (0, true) => (count - 1, 0),
        (0, false) => (0, 0),
        (n, true) if n == count => (n - 1, 0),
        (n, false) if n == count => (n - 1, n - 1),
        (n, _) => (n - 1, n),
    };
    (first, second, at - next as f32)
}

/// Four texels blended, from the copy whose texels are about as large as what is asked for.
#[inline(always)]
fn blended(images: &[Image], s: f32, t: f32, spread: f32, repeats: bool) -> [f32; 3] {
    let texels = spread * images[0].width as f32;
    // The exponent of a number is the logarithm that a copy is found with; half a step is rounded.
    let level = ((texels * std::f32::consts::SQRT_2).max(1.0).to_bits() >> 23) as usize - 127;
    let image = &images[level.min(images.len() - 1)];
    let ((x0, x1, fx), (y0, y1, fy)) = (beside(s, image.width, repeats), beside(t, image.height, repeats));
    let texel = |x: usize, y: usize| image.texels[y * image.width + x];
    let (a, b, c, d) = (texel(x0, y0), texel(x1, y0), texel(x0, y1), texel(x1, y1));
    [0, 1, 2].map(|k| {
        let above = a[k] + fx * (b[k] - a[k]);
        let below = c[k] + fx * (d[k] - c[k]);
        above + fy * (below - above)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checker(kind: TextureKind) -> Pyramid {
        let count = if kind == TextureKind::Flat { 1 } else { 6 };
        let data: Vec<u8> = (0..count)
            .flat_map(|side| [side * 10, 200, 200, side * 10])
            .flat_map(|grey| [grey; 3])
            .collect();
        let texture = Texture {
            name: "checker".into(),
            kind,
            width: 2,
            height: 2 * usize::from(count),
            channels: 3,
            data: data.into(),
        };
        Pyramid::new(&texture).expect("the texture has pixels")
    }

    #[test]
    fn a_texel_is_met_in_its_middle_and_again_after_a_whole_image() {
        let image = checker(TextureKind::Flat);
        assert_eq!(image.sample(0.25, 0.25, 0.0)[0], 0.0);
        assert_eq!(image.sample(0.75, 0.25, 0.0)[0], 200.0 / 255.0);
        assert_eq!(image.sample(3.75, -4.75, 0.0), image.sample(0.75, 0.25, 0.0));
    }

    #[test]
    fn what_covers_the_whole_image_has_its_mean_colour() {
        let image = checker(TextureKind::Flat);
        let grey = image.sample(0.1, 0.8, 1.0)[0];
        assert!((grey - 100.0 / 255.0).abs() < 1e-6, "{grey}");
    }

    #[test]
    fn the_sides_of_a_cube_are_found_by_direction() {
        let cube = checker(TextureKind::Cube);
        let directions = [
            [1.0, 0.0, 0.0],
            [-1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [0.0, -1.0, 0.0],
            [0.0, 0.0, 1.0],
            [0.0, 0.0, -1.0],
        ];
        for (side, direction) in directions.into_iter().enumerate() {
            let mean = (side as f32 * 10.0 + 200.0) / 2.0 / 255.0;
            let grey = cube.around(direction, 0.0)[0];
            assert!((grey - mean).abs() < 1e-6, "side {side}: {grey} is not {mean}");
        }
    }
}
