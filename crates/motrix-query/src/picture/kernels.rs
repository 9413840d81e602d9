//! The entry points: bands of pictures, drawn in lanes.

use std::ops::Range;

use motrix_collide::HeightField;
use motrix_spatial::algebra::{add_scaled, select3, sub};
use motrix_spatial::{Lanes, Mask, Vec3};

use super::NOTHING;
use super::field;
use super::instance::Instance;
use super::look::Look;
use super::mesh::{self, Triangles};
use super::packet::{Met, Packet, lift, never, spread};
use super::shade::{self, Surface, Texcoords};
use super::shadow::{self, Seen};
use super::shot::{Shot, TILE};

/// Layers of transparent surfaces that are looked through.
const LAYERS: usize = 8;

/// What is left of the light behind a surface when looking further is not worth it: less than one step of a byte.
const OPAQUE: f64 = 1.0 / 512.0;

motrix_spatial::entry! {
    /// Drawing, compiled for each lane type.
    ///
    /// `rows` are rows of pixels and start at a multiple of [`Shot::band`]; `out` holds just these rows.
    pub trait Kernels {
        /// Colours, three bytes per pixel.
        fn colours(shot: &Shot, rows: Range<usize>, out: &mut [u8]) {
            colours::<Self>(shot, rows, out);
        }
        /// Depths along the axis of the camera, metres; infinite where nothing is seen.
        fn depths(shot: &Shot, rows: Range<usize>, out: &mut [f32]) {
            depths::<Self>(shot, rows, out);
        }
        /// Tags of the pieces that are seen; −1 where nothing is.
        fn tags(shot: &Shot, rows: Range<usize>, out: &mut [i32]) {
            tags::<Self>(shot, rows, out);
        }
        /// Lets rays of a height field's frame meet it.
        fn meet_field(terrain: &HeightField, o: &Vec3<Self>, d: &Vec3<Self>, after: Self, who: Self, met: &mut Met<Self>) {
            field::meet(terrain, o, d, after, who, met);
        }
        /// Lets rays of a mesh's frame meet it.
        fn meet_mesh(triangles: &Triangles, o: &Vec3<Self>, d: &Vec3<Self>, after: Self, who: Self, met: &mut Met<Self>) {
            mesh::meet(triangles, o, d, after, who, met);
        }
        /// Normals and texture coordinates of meshes and terrain.
        fn uneven(instance: &Instance, local: &Vec3<Self>, parts: Self, mine: Self::Mask, normal: &mut Vec3<Self>) -> Texcoords {
            shade::uneven(instance, local, parts, mine, normal)
        }
        /// Colours of textures.
        fn texels(
            instance: &Instance, look: &Look, local: &Vec3<Self>, texcoords: &Texcoords, size: Self, mine: Self::Mask,
        ) -> Vec3<Self> {
            shade::texels(instance, look, local, texcoords, size, mine)
        }
        /// What surfaces mirror.
        fn mirrored(shot: &Shot, packet: &Packet<Self>, met: &Met<Self>, surface: &Surface<Self>) -> Vec3<Self> {
            shade::mirrored(shot, packet, met, surface)
        }
    }
}

/// What the rays of a packet meet first among the pieces of their tile.
#[inline(always)]
fn nearest<L: Kernels>(shot: &Shot, tile: &[u32], packet: &Packet<L>, limit: L) -> Met<L> {
    let mut met = Met::nothing(limit);
    for &place in tile {
        let instance = &shot.instances[place as usize];
        if !instance.is_behind(&met) {
            instance.meet(packet, place as usize, &mut met);
        }
    }
    met
}

/// The rays of samples from (`column`, `row`) on.
#[inline(always)]
fn packet_at<L: Lanes>(shot: &Shot, column: usize, row: usize) -> Packet<L> {
    let (origin, direction) = shot.lens.rays(column, row);
    Packet {
        origin,
        direction,
        after: lift(shot.range[0]),
    }
}

/// What is met in each pixel of a band, one sample per pixel, packet by packet: `visit(place in the band, lanes, met)`.
macro_rules! each_packet {
    ($L:ty, $shot:expr, $rows:expr, ($place:ident, $count:ident, $met:ident) => $visit:block) => {
        let width = $shot.width();
        for row in $rows.clone() {
            for tile_column in 0..$shot.tile_columns() {
                let tile = $shot.tile(row / TILE, tile_column);
                let end = ((tile_column + 1) * TILE).min(width);
                let mut column = tile_column * TILE;
                while column < end {
                    let packet = packet_at::<$L>($shot, column, row);
                    let $met = nearest($shot, tile, &packet, lift($shot.range[1]));
                    let $place = (row - $rows.start) * width + column;
                    let $count = <$L as Lanes>::COUNT.min(end - column);
                    $visit
                    column += <$L as Lanes>::COUNT;
                }
            }
        }
    };
}

#[inline(always)]
fn depths<L: Kernels>(shot: &Shot, rows: Range<usize>, out: &mut [f32]) {
    each_packet!(L, shot, rows, (place, count, met) => {
        let depth = spread(L::select(met.some(), met.depth, never()));
        out[place..place + count].copy_from_slice(&depth[..count]);
    });
}

#[inline(always)]
fn tags<L: Kernels>(shot: &Shot, rows: Range<usize>, out: &mut [i32]) {
    each_packet!(L, shot, rows, (place, count, met) => {
        let some = met.some();
        for k in 0..count {
            out[place + k] = if some.lane(k) { shot.instances[met.instance(k)].tag } else { NOTHING };
        }
    });
}

/// One packet of a tile while its colours are found.
#[derive(Clone, Copy)]
struct Pending<L: Lanes> {
    packet: Packet<L>,
    met: Met<L>,
    colour: Vec3<L>,
    /// What of the light behind comes through.
    through: L,
}

#[inline(always)]
fn colours<L: Kernels>(shot: &Shot, rows: Range<usize>, out: &mut [u8]) {
    let samples = shot.samples();
    let mut pending: Vec<Pending<L>> = Vec::with_capacity(TILE * TILE / L::COUNT);
    let mut casters = vec![Vec::new(); shot.lamps.len()];
    let mut fine = [[0.0_f32; TILE * TILE]; 3];
    for tile_row in rows.start * samples / TILE..(rows.end * samples).div_ceil(TILE) {
        for tile_column in 0..shot.tile_columns() {
            start_tile(shot, tile_row, tile_column, &mut pending);
            let tile = shot.tile(tile_row, tile_column);
            for _ in 0..LAYERS {
                if !draw_layer(shot, tile, &mut pending, &mut casters) {
                    break;
                }
            }
            for (k, one) in pending.iter().enumerate() {
                for c in 0..3 {
                    let numbers = spread(one.colour[c]);
                    fine[c][k * L::COUNT..(k + 1) * L::COUNT].copy_from_slice(&numbers[..L::COUNT]);
                }
            }
            average(shot, &fine, tile_row, tile_column, &rows, out);
        }
    }
}

/// The rays of all samples of a tile, row by row; those beyond the picture's edge are drawn and thrown away.
#[inline(always)]
fn start_tile<L: Lanes>(shot: &Shot, tile_row: usize, tile_column: usize, pending: &mut Vec<Pending<L>>) {
    pending.clear();
    for row in 0..TILE {
        let mut column = 0;
        while column < TILE {
            let packet = packet_at(shot, tile_column * TILE + column, tile_row * TILE + row);
            pending.push(Pending {
                packet,
                met: Met::nothing(L::ZERO),
                colour: [L::ZERO; 3],
                through: L::ONE,
            });
            column += L::COUNT;
        }
    }
}

/// Adds the next surface that rays meet, or the sky; whether some ray has to look further.
#[inline(always)]
fn draw_layer<L: Kernels>(shot: &Shot, tile: &[u32], pending: &mut [Pending<L>], casters: &mut [Vec<u32>]) -> bool {
    let (mut low, mut high) = ([never::<L>(); 3], [-never::<L>(); 3]);
    for one in pending.iter_mut() {
        let open = one.through.gt(L::c(OPAQUE));
        let limit = L::select(open, lift(shot.range[1]), L::c(-1.0));
        one.met = if open.any() {
            nearest(shot, tile, &one.packet, limit)
        } else {
            Met::nothing(limit)
        };
        let point = add_scaled(one.packet.origin, one.met.depth, one.packet.direction);
        let some = one.met.some();
        for k in 0..3 {
            low[k] = L::select(some, point[k].min(low[k]), low[k]);
            high[k] = L::select(some, point[k].max(high[k]), high[k]);
        }
    }
    list_casters(shot, &low, &high, casters);
    let mut further = false;
    for one in pending.iter_mut() {
        let open = one.through.gt(L::c(OPAQUE));
        let some = one.met.some();
        let past = open & !some;
        if past.any() {
            let share = L::select(past, one.through, L::ZERO);
            one.colour = add_scaled(one.colour, share, shade::sky(shot, &one.packet, past));
            one.through = L::select(past, L::ZERO, one.through);
        }
        if some.any() {
            let surface = shade::surface(shot, &one.packet, &one.met);
            let mut light = shade::lit(shot, &one.packet, &one.met, &surface, casters);
            let mirrors = some & surface.reflectance.gt(L::ZERO);
            if shot.mirrors && mirrors.any() {
                let mirrored = L::mirrored(shot, &one.packet, &one.met, &surface);
                let mixed = add_scaled(light, surface.reflectance, sub(mirrored, light));
                light = select3(mirrors, mixed, light);
            }
            let share = L::select(some, one.through * surface.alpha, L::ZERO);
            one.colour = add_scaled(one.colour, share, light);
            one.through -= share;
            one.packet.after = L::select(some, one.met.depth, one.packet.after);
        }
        further |= one.through.gt(L::c(OPAQUE)).any();
    }
    further
}

/// Lists for each lamp what may keep its light from the points of a tile.
#[inline(always)]
fn list_casters<L: Lanes>(shot: &Shot, low: &Vec3<L>, high: &Vec3<L>, casters: &mut [Vec<u32>]) {
    let mut corners = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
    for k in 0..3 {
        let (below, above) = (spread(low[k]), spread(high[k]));
        for lane in 0..L::COUNT {
            corners[0][k] = corners[0][k].min(below[lane]);
            corners[1][k] = corners[1][k].max(above[lane]);
        }
    }
    let seen = Seen::between(corners[0], corners[1]);
    for (lamp, list) in shot.lamps.iter().zip(casters) {
        if shot.shadows && lamp.casts && corners[0][0] <= corners[1][0] {
            shadow::casters(shot, lamp, &seen, list);
        } else {
            list.clear();
        }
    }
}

/// Averages the samples of each pixel of a tile and writes it as bytes.
fn average(
    shot: &Shot,
    fine: &[[f32; TILE * TILE]; 3],
    tile_row: usize,
    tile_column: usize,
    rows: &Range<usize>,
    out: &mut [u8],
) {
    let (samples, band, width) = (shot.samples(), shot.band(), shot.width());
    let weight = 255.0 / (samples * samples) as f32;
    let columns = tile_column * band..((tile_column + 1) * band).min(width);
    for row in tile_row * band..((tile_row + 1) * band).min(rows.end) {
        for column in columns.clone() {
            let first = (row - tile_row * band) * samples * TILE + (column - tile_column * band) * samples;
            let pixel = ((row - rows.start) * width + column) * 3;
            for (channel, byte) in fine.iter().zip(&mut out[pixel..pixel + 3]) {
                let mut sum = 0.0;
                for y in 0..samples {
                    for x in 0..samples {
                        sum += channel[first + y * TILE + x].clamp(0.0, 1.0);
                    }
                }
                *byte = (sum * weight + 0.5) as u8;
            }
        }
    }
}
