//! A stage as a camera sees it, sorted by the tiles of the screen.

use std::sync::Arc;

use super::instance::{Instance, Rectangle};
use super::lamp::{Lamp, LampKind, Lit};
use super::look::Look;
use super::surface::{Form, Stage};
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
        let visible = |piece: &&super::Piece| stage.looks[piece.look].rgba[3] > 0.0;
        let seen = stage
            .pieces
            .iter()
            .filter(visible)
            .filter_map(|piece| Instance::seen(piece, &fine));
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

/// The tiles of a part of the screen.
fn touched(rectangle: &Rectangle, columns: usize) -> impl Iterator<Item = usize> + use<> {
    let across = rectangle.columns[0] / TILE..rectangle.columns[1].div_ceil(TILE);
    let down = rectangle.rows[0] / TILE..rectangle.rows[1].div_ceil(TILE);
    down.flat_map(move |row| across.clone().map(move |column| row * columns + column))
}
