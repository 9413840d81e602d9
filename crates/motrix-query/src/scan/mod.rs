//! The height of terrain above points of the world's xy plane.
//!
//! A height field is a grid of nodes; between them its height is either the bilinear blend of the four corners of a cell, as height
//! scans of other engines have it, or the triangle that collision uses. Beyond its border a field goes on at the height of
//! the border. A field that stands upright is read off directly. A tilted one is met by a vertical line at the highest place where
//! the line passes from above its surface to below.

mod sweep;

use motrix_collide::Surface;

pub use sweep::{Points, ScanScalar, Sweep};

/// How heights between the nodes are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// Blend of the four corners of a cell.
    #[default]
    Bilinear,
    /// The two triangles that collision uses.
    Surface,
}

/// A height field in the world.
#[derive(Clone, Copy, Debug)]
pub struct Terrain<'a> {
    /// Heights as the world sees them.
    pub surface: Surface<'a>,
    /// Where its origin is.
    pub position: [f64; 3],
    /// Its rotation, row by row: world = R · local.
    pub rotation: [f64; 9],
    /// How heights between the nodes are found.
    pub interpolation: Interpolation,
}

/// A field whose axis leans less than this from the vertical, per metre, counts as upright: below what single precision resolves.
const UPRIGHT: f64 = 1e-9;

/// Samples along a line across a tilted field are at most this many; more would mean a field larger than any robot's world.
const MOST_SAMPLES: f64 = 1e5;

/// Halvings of an interval that bring a crossing to the last bits.
const HALVINGS: usize = 50;

impl Terrain<'_> {
    /// The world height of the surface above or below (x, y); NaN for points that are not finite, and for fields that stand on edge
    /// or upside down, which have no upper surface.
    pub fn height(&self, x: f64, y: f64) -> f64 {
        let r = &self.rotation;
        let [px, py, pz] = self.position;
        // Local coordinates of the point at the field's own height, and of one metre up.
        let (dx, dy) = (x - px, y - py);
        let start = [r[0] * dx + r[3] * dy, r[1] * dx + r[4] * dy, r[2] * dx + r[5] * dy];
        let up = [r[6], r[7], r[8]];
        if !(start[0].is_finite() && start[1].is_finite()) {
            return f64::NAN;
        }
        if self.is_upright() {
            return pz + self.local_height(start[0], start[1]);
        }
        self.crossing(start, up).map_or(f64::NAN, |t| pz + t)
    }

    /// The upward unit normal of the surface over or under (x, y), in the world; NaN where [`Terrain::height`] is.
    pub fn normal(&self, x: f64, y: f64) -> [f64; 3] {
        let r = &self.rotation;
        let (dx, dy) = (x - self.position[0], y - self.position[1]);
        let height = self.height(x, y) - self.position[2];
        if !height.is_finite() {
            return [f64::NAN; 3];
        }
        let local = |k: usize| r[k] * dx + r[3 + k] * dy + r[6 + k] * height;
        let [gx, gy] = self.local_slope(local(0), local(1));
        let nz = 1.0 / (1.0 + gx * gx + gy * gy).sqrt();
        let n = [-gx * nz, -gy * nz, nz];
        std::array::from_fn(|i| r[3 * i] * n[0] + r[3 * i + 1] * n[1] + r[3 * i + 2] * n[2])
    }

    /// Whether heights can be read off without looking for a crossing.
    fn is_upright(&self) -> bool {
        let up = &self.rotation[6..];
        up[0].hypot(up[1]) < UPRIGHT && up[2] > 0.0
    }

    /// The largest t at which start + t · up passes through the surface from above.
    fn crossing(&self, start: [f64; 3], up: [f64; 3]) -> Option<f64> {
        if up[2] <= UPRIGHT {
            return None;
        }
        let at_height = |h: f64| (h - start[2]) / up[2];
        // A little beyond both ends, so that a crossing at an end is inside.
        let (bottom, top) = (
            at_height(self.surface.lowest()) - 1e-6,
            at_height(self.surface.highest()) + 1e-6,
        );
        let above = |t: f64| {
            let [x, y, z] = std::array::from_fn(|i| start[i] + t * up[i]);
            z - self.local_height(x, y) > 0.0
        };
        // Half a cell per sample: a surface of triangles is not crossed twice in between but by its sharpest spikes.
        let [cell_x, cell_y] = self.surface.spacing();
        let across = up[0].hypot(up[1]) * (top - bottom) / (0.5 * cell_x.min(cell_y));
        let samples = across.ceil().clamp(1.0, MOST_SAMPLES);
        let step = (top - bottom) / samples;
        let mut upper = top;
        while upper > bottom {
            let lower = (upper - step).max(bottom);
            if !above(lower) {
                return Some(halved(lower, upper, above));
            }
            upper = lower;
        }
        None
    }

    /// The height of the surface over a local point.
    fn local_height(&self, x: f64, y: f64) -> f64 {
        let Corners {
            near,
            right,
            left,
            far,
            u,
            v,
            ..
        } = self.corners(x, y);
        let height = match self.interpolation {
            Interpolation::Bilinear => {
                let (south, north) = (near + u * (right - near), left + u * (far - left));
                south + v * (north - south)
            }
            // The diagonal runs from the (-x, -y) to the (+x, +y) corner.
            Interpolation::Surface if u > v => near + u * (right - near) + v * (far - right),
            Interpolation::Surface => near + v * (left - near) + u * (far - left),
        };
        height * self.surface.elevation()
    }

    /// The slope of the surface over a local point, along x and y; none across a border.
    fn local_slope(&self, x: f64, y: f64) -> [f64; 2] {
        let Corners {
            near,
            right,
            left,
            far,
            u,
            v,
            inside,
        } = self.corners(x, y);
        let [along_x, along_y] = match self.interpolation {
            Interpolation::Bilinear => {
                let (south, north) = (right - near, far - left);
                let (west, east) = (left - near, far - right);
                [south + v * (north - south), west + u * (east - west)]
            }
            Interpolation::Surface if u > v => [right - near, far - right],
            Interpolation::Surface => [far - left, left - near],
        };
        let [dx, dy] = self.surface.spacing();
        let elevation = self.surface.elevation();
        let slope = |rise: f64, spacing: f64, inside: bool| if inside { rise * elevation / spacing } else { 0.0 };
        [slope(along_x, dx, inside[0]), slope(along_y, dy, inside[1])]
    }

    /// The cell over a local point, at most the one at the border.
    fn corners(&self, x: f64, y: f64) -> Corners {
        let [dx, dy] = self.surface.spacing();
        let [half_x, half_y] = self.surface.half();
        let window = self.surface.window();
        // Cell and place inside of it along one axis, at most the last cell's end.
        let along = |x: f64, half: f64, spacing: f64, nodes: usize| {
            let anywhere = (x + half) / spacing;
            let place = anywhere.clamp(0.0, (nodes - 1) as f64);
            let cell = (place as usize).min(nodes - 2);
            (cell, place - cell as f64, anywhere == place)
        };
        let (col, u, inside_x) = along(x, half_x, dx, window.cols);
        let (row, v, inside_y) = along(y, half_y, dy, window.rows);
        let node = |row: usize, col: usize| f64::from(self.surface.number(row, col));
        Corners {
            near: node(row, col),
            right: node(row, col + 1),
            left: node(row + 1, col),
            far: node(row + 1, col + 1),
            u,
            v,
            inside: [inside_x, inside_y],
        }
    }
}

/// Numbers of the four nodes of a cell, and a place in it.
struct Corners {
    near: f64,
    right: f64,
    left: f64,
    far: f64,
    u: f64,
    v: f64,
    /// Whether the point lies in the grid along x and y.
    inside: [bool; 2],
}

/// The place between `lower`, which is not above, and `upper`, which is, where one becomes the other.
fn halved(mut lower: f64, mut upper: f64, above: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..HALVINGS {
        let middle = 0.5 * (lower + upper);
        if above(middle) {
            upper = middle;
        } else {
            lower = middle;
        }
    }
    0.5 * (lower + upper)
}

#[cfg(test)]
mod tests {
    use motrix_collide::{HeightField, HeightFieldSize};

    use super::*;

    const LEVEL: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

    fn saddle() -> HeightField {
        let size = HeightFieldSize {
            radius_x: 1.0,
            radius_y: 1.0,
            elevation_z: 2.0,
            base_z: 0.1,
        };
        HeightField::new(2, 2, size, vec![0.0, 1.0, 1.0, 0.0]).expect("a valid field")
    }

    #[test]
    fn the_middle_of_a_saddle_is_half_high_when_blended_and_on_the_diagonal_when_not() {
        let field = saddle();
        let terrain = |interpolation| Terrain {
            surface: Surface::whole(&field),
            position: [0.0, 0.0, 5.0],
            rotation: LEVEL,
            interpolation,
        };
        assert_eq!(terrain(Interpolation::Bilinear).height(0.0, 0.0), 6.0);
        assert_eq!(
            terrain(Interpolation::Surface).height(0.0, 0.0),
            5.0,
            "both ends of the diagonal are at 0"
        );
    }

    #[test]
    fn beyond_its_border_a_field_goes_on_level() {
        let field = saddle();
        let terrain = Terrain {
            surface: Surface::whole(&field),
            position: [0.0; 3],
            rotation: LEVEL,
            interpolation: Interpolation::Bilinear,
        };
        assert_eq!(terrain.height(7.0, -9.0), terrain.height(1.0, -1.0));
        assert!(terrain.height(f64::NAN, 0.0).is_nan());
    }

    #[test]
    fn a_tilted_flat_field_is_a_tilted_plane() {
        let size = HeightFieldSize {
            radius_x: 5.0,
            radius_y: 5.0,
            elevation_z: 1.0,
            base_z: 0.1,
        };
        let field = HeightField::new(3, 3, size, vec![0.5; 9]).expect("a valid field");
        let (s, c) = 0.3_f64.sin_cos();
        let terrain = Terrain {
            surface: Surface::whole(&field),
            position: [0.2, 0.0, 1.0],
            // A turn by 0.3 about y: x goes down.
            rotation: [c, 0.0, s, 0.0, 1.0, 0.0, -s, 0.0, c],
            interpolation: Interpolation::Surface,
        };
        let x = 0.7;
        // The plane through position + 0.5 n with normal n = (s, 0, c).
        let expected = 1.0 + (0.5 - s * (x - 0.2)) / c;
        let found = terrain.height(x, 0.4);
        assert!(
            (found - expected).abs() < 1e-9,
            "{found} {expected}: halving ends far below this"
        );
    }
}
