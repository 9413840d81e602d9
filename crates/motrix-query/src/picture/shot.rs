//! A stage as a camera sees it, sorted by the tiles of the screen.

use std::sync::Arc;

use super::instance::{Instance, Rectangle};
use super::lamp::{Lamp, LampKind, Lit};
use super::look::Look;
use super::surface::{Form, Piece, Stage};
use super::texture::Pyramid;
use super::view::{Lens, View};

/// Side of a tile in samples: small enough that few pieces touch it, large enough that their list pays. A multiple of every number
/// of lanes.
pub const TILE: usize = 16;

/// What a picture may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quality {
    /// Samples per pixel along each side: 1, 2 or 4.
    pub samples: usize,
    /// Whether shadows are looked for.
    pub shadows: bool,
}

/// A stage in the frame of a camera.
#[derive(Clone, Debug)]
pub struct Shot {
    pub(super) instances: Vec<Instance>,
    /// Places of the instances that throw shadows. Planes do not: they are seen from their lit side only.
    casters: Vec<u32>,
    pub(super) looks: Arc<[Look]>,
    pub(super) lamps: Vec<Lit>,
    pub(super) sky: Option<Arc<Pyramid>>,
    pub(super) lens: Lens,
    /// Axes of the camera in the world, row-major.
    pub(super) rotation: [f32; 9],
    /// Depths between which things are seen.
    pub(super) range: [f32; 2],
    /// Size of a sample at distance 1.
    pub(super) pixel: f32,
    pub(super) shadows: bool,
    /// Whether some surface mirrors others.
    pub(super) mirrors: bool,
    /// Samples per pixel along each side.
    samples: usize,
    /// Pixels of the picture.
    width: usize,
    height: usize,
    tiles: Tiles,
}

/// For each tile the pieces that can be seen in it, one list after the other.
#[derive(Clone, Debug)]
struct Tiles {
    columns: usize,
    /// Where the list of each tile starts; one more at the end.
    starts: Vec<u32>,
    places: Vec<u32>,
}

impl Shot {
    /// Moves a stage into the frame of a camera.
    pub fn new(stage: &Stage, view: &View, quality: Quality) -> Shot {
        let samples = quality.samples.max(1);
        let fine = View {
            width: view.width * samples,
            height: view.height * samples,
            ..view.clone()
        };
        let mirrors = stage.pieces.iter().any(|piece| mirrors(piece, stage));
        let visible = |piece: &&Piece| stage.looks[piece.look].rgba[3] > 0.0;
        // What is off the screen may still be seen in a mirror, or keep the light from what is on it.
        let matters = |piece: &Piece| mirrors || quality.shadows && stage.looks[piece.look].hides_light();
        let seen = stage
            .pieces
            .iter()
            .filter(visible)
            .filter_map(|piece| match Instance::seen(piece, &fine) {
                (instance, Some(rectangle)) => Some((instance, rectangle)),
                (instance, None) => matters(piece).then_some((instance, Rectangle::NOWHERE)),
            });
        let (instances, rectangles): (Vec<_>, Vec<_>) = seen.unzip();
        let tiles = Tiles::new(&instances, &rectangles, &fine);
        // The lamp in the camera's hand shines where the camera looks.
        let ahead = [0, 1, 2].map(|k| -view.rotation[3 * k + 2]);
        let headlight = stage.headlight.map(|lamp| Lamp {
            kind: LampKind::Directional(ahead),
            ..lamp
        });
        let hides_light = |place: &u32| {
            let instance: &Instance = &instances[*place as usize];
            stage.looks[instance.look as usize].hides_light() && !matches!(instance.form, Form::Plane)
        };
        let casters = (0..instances.len() as u32).filter(hides_light).collect();
        Shot {
            casters,
            instances,
            looks: Arc::clone(&stage.looks),
            lamps: stage
                .lamps
                .iter()
                .chain(&headlight)
                .map(|lamp| Lit::seen(lamp, view))
                .collect(),
            sky: stage.sky.clone(),
            lens: Lens::of(&fine),
            rotation: view.rotation.map(|x| x as f32),
            range: view.range.map(|x| x as f32),
            pixel: fine.pixel() as f32,
            shadows: quality.shadows,
            mirrors,
            samples,
            width: view.width,
            height: view.height,
            tiles,
        }
    }

    /// Pixels per row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Samples per pixel along each side.
    pub(super) fn samples(&self) -> usize {
        self.samples
    }

    /// Rows of pixels that are drawn together; a band starts at a multiple of them.
    pub fn band(&self) -> usize {
        TILE / self.samples
    }

    /// The instances that throw shadows, and their places.
    pub(super) fn casters(&self) -> impl Iterator<Item = (u32, &Instance)> {
        self.casters
            .iter()
            .map(|&place| (place, &self.instances[place as usize]))
    }

    /// Columns of tiles.
    pub(super) fn tile_columns(&self) -> usize {
        self.tiles.columns
    }

    /// Places of the instances that can be seen in a tile, about the nearest first.
    #[inline(always)]
    pub(super) fn tile(&self, row: usize, column: usize) -> &[u32] {
        let tile = row * self.tiles.columns + column;
        &self.tiles.places[self.tiles.starts[tile] as usize..self.tiles.starts[tile + 1] as usize]
    }
}

impl Tiles {
    fn new(instances: &[Instance], rectangles: &[Rectangle], view: &View) -> Tiles {
        let (columns, rows) = (view.width.div_ceil(TILE), view.height.div_ceil(TILE));
        // What is near goes first, so that it hides the rest. Terrain and meshes take longest, and a plane hides little.
        let order_of = |place: &u32| {
            let instance = &instances[*place as usize];
            let rank = match instance.form {
                Form::Field(_) => 2,
                Form::Plane => 1,
                _ => 0,
            };
            (rank, instance.nearest)
        };
        let mut order: Vec<u32> = (0..instances.len() as u32).collect();
        order.sort_by(|a, b| {
            let (a, b) = (order_of(a), order_of(b));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        });

        let mut starts = vec![0; columns * rows + 1];
        for rectangle in rectangles {
            for tile in touched(rectangle, columns) {
                starts[tile + 1] += 1;
            }
        }
        for tile in 1..starts.len() {
            starts[tile] += starts[tile - 1];
        }
        let mut next = starts.clone();
        let mut places = vec![0; starts.last().map_or(0, |&all| all as usize)];
        for place in order {
            for tile in touched(&rectangles[place as usize], columns) {
                places[next[tile] as usize] = place;
                next[tile] += 1;
            }
        }
        Tiles {
            columns,
            starts,
            places,
        }
    }
}

/// Whether a piece is of a kind that mirrors, with a look that does.
fn mirrors(piece: &Piece, stage: &Stage) -> bool {
    matches!(piece.form, Form::Plane | Form::Box) && stage.looks[piece.look].reflectance > 0.0
}

/// The tiles of a part of the screen.
fn touched(rectangle: &Rectangle, columns: usize) -> impl Iterator<Item = usize> + use<> {
    let across = rectangle.columns[0] / TILE..rectangle.columns[1].div_ceil(TILE);
    let down = rectangle.rows[0] / TILE..rectangle.rows[1].div_ceil(TILE);
    down.flat_map(move |row| across.clone().map(move |column| row * columns + column))
}

#[cfg(test)]
mod tests {
    use super::super::surface::Piece;
    use super::*;

    const IDENTITY: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

    /// Balls of radius 0.1 at some places, seen from the origin along −z with a right angle of view.
    fn shot(places: &[[f64; 3]], reflectance: f32, shadows: bool) -> Shot {
        let ball = |&position: &[f64; 3]| Piece {
            form: Form::Sphere,
            size: [0.1; 3],
            position,
            rotation: IDENTITY,
            look: 0,
            tag: 0,
        };
        let floor = Piece {
            form: Form::Plane,
            size: [0.0; 3],
            look: 1,
            ..ball(&[0.0, 0.0, -5.0])
        };
        let mirror = Look {
            reflectance,
            ..Look::default()
        };
        let stage = Stage {
            pieces: places.iter().map(ball).chain([floor]).collect(),
            looks: [Look::default(), mirror].into(),
            lamps: Vec::new(),
            headlight: None,
            sky: None,
        };
        let view = View {
            position: [0.0; 3],
            rotation: IDENTITY,
            window: [-1.0, 1.0, -1.0, 1.0],
            orthographic: false,
            width: 64,
            height: 64,
            range: [0.01, 100.0],
        };
        Shot::new(&stage, &view, Quality { samples: 1, shadows })
    }

    #[test]
    fn a_tile_lists_what_can_be_seen_in_it_and_the_nearest_first() {
        let shot = shot(&[[0.0, 0.0, -4.0], [0.0, 0.0, -2.0], [1.5, 1.5, -2.0]], 0.0, false);
        assert_eq!(shot.tile(2, 2), [1, 0, 3], "the balls by distance, then the plane");
        assert_eq!(shot.tile(0, 3), [2, 3]);
        assert_eq!(shot.tile(3, 0), [3]);
    }

    #[test]
    fn what_is_off_the_screen_is_kept_for_shadows_and_mirrors_alone() {
        let places = [[0.0, 0.0, -4.0], [0.0, 0.0, 4.0], [9.0, 0.0, -2.0]];
        let kept = |reflectance, shadows| {
            let shot = shot(&places, reflectance, shadows);
            (shot.instances.len(), shot.casters().count(), shot.mirrors)
        };
        assert_eq!(kept(0.0, false), (2, 1, false));
        assert_eq!(kept(0.0, true), (4, 3, false));
        assert_eq!(kept(0.5, false), (4, 3, true));
        let shot = shot(&places, 0.5, true);
        assert!(
            (0..16).all(|tile| shot.tile(tile / 4, tile % 4).len() <= 2),
            "but listed in no tile"
        );
    }
}
