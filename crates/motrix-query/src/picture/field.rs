//! Where rays meet terrain: its surface through the pyramid of extremes, its sides and its bottom by closed forms.
//!
//! A packet goes down the pyramid together: a block is opened when its box stands in the way of some ray, the near quarter first.
//! Rays are moved to the border of the field before, so that neither a distant camera nor a large field costs digits.

use motrix_collide::HeightField;
use motrix_spatial::algebra::add_scaled;
use motrix_spatial::{Lanes, Mask, Real, Vec3};

use super::packet::{Met, Packet, first_lane, lift, lift3, spread};
use super::shape;

/// What of a field a ray has met: the part of a [`Met`].
pub mod part {
    /// The surface.
    pub const TOP: f64 = 0.0;
    /// The sides towards −x, +x, −y, +y, in this order from here on.
    pub const SIDES: f64 = 1.0;
    /// The bottom.
    pub const BOTTOM: f64 = 5.0;
}

/// Blocks wait here for their turn: three per level, and a level per power of two of cells.
const STACK: usize = 128;

/// The field's numbers as lanes need them.
struct Grid<'a> {
    field: &'a HeightField,
    /// First node.
    corner: [f32; 2],
    /// Distance of nodes.
    step: [f32; 2],
    elevation: f32,
    /// What boxes are made thicker by: flat ground has none of its own.
    pad: f32,
}

impl Grid<'_> {
    /// Where a line of nodes is along an axis.
    #[inline(always)]
    fn node(&self, axis: usize, k: u32) -> f64 {
        f64::from(self.corner[axis] + self.step[axis] * k as f32)
    }
}

/// Rays from the border of a field on.
struct Inward<L: Lanes> {
    origin: Vec3<L>,
    direction: Vec3<L>,
    inverse: Vec3<L>,
    /// What was passed on the way to the border.
    start: L,
}

/// Lets rays of the field's frame meet it.
#[inline(always)]
pub fn meet<L: Lanes>(field: &HeightField, o: &Vec3<L>, d: &Vec3<L>, after: L, who: L, met: &mut Met<L>) {
    let size = field.size();
    let top = field
        .block(field.level_count() - 1, 0, 0)
        .map_or(1.0, |all| f64::from(all.max))
        * size.elevation_z;
    let packet = Packet {
        origin: *o,
        direction: *d,
        after,
    };
    let inverse = [inverse(d[0]), inverse(d[1]), inverse(d[2])];
    let (x0, x1) = between(-size.radius_x, size.radius_x, o[0], inverse[0]);
    let (y0, y1) = between(-size.radius_y, size.radius_y, o[1], inverse[1]);
    let (z0, z1) = between(-size.base_z, top, o[2], inverse[2]);
    let (enter, leave) = (x0.max(y0).max(z0), x1.min(y1).min(z1));
    let crossing = enter.le(leave) & enter.lt(met.depth) & leave.gt(after);
    if !crossing.any() {
        return;
    }
    border(field, &packet, [x0, y0, z0], crossing, who, met);

    let start = L::select(crossing, enter.max(after).max(L::ZERO), L::ZERO);
    let inward = Inward {
        origin: add_scaled(*o, start, *d),
        direction: *d,
        inverse,
        start,
    };
    let [dx, dy] = field.spacing();
    let grid = Grid {
        field,
        corner: [-size.radius_x as f32, -size.radius_y as f32],
        step: [dx as f32, dy as f32],
        elevation: size.elevation_z as f32,
        pad: 1e-5 * (size.elevation_z + size.base_z) as f32,
    };
    surface(&grid, &packet, &inward, crossing, who, met);
}

/// A reciprocal that stays finite.
#[inline(always)]
fn inverse<L: Lanes>(d: L) -> L {
    let least = L::c(1e-18);
    L::select(d.abs().lt(least), least, d).recip()
}

/// Parameters where a coordinate comes between two numbers and leaves them.
#[inline(always)]
fn between<L: Lanes>(low: f64, high: f64, o: L, inverse: L) -> (L, L) {
    let (a, b) = ((L::c(low) - o) * inverse, (L::c(high) - o) * inverse);
    (a.min(b), a.max(b))
}

/// The sides and the bottom: met where the border is crossed from outside below the surface.
#[inline(always)]
fn border<L: Lanes>(
    field: &HeightField,
    packet: &Packet<L>,
    enter: Vec3<L>,
    crossing: L::Mask,
    who: L,
    met: &mut Met<L>,
) {
    let t = enter[0].max(enter[1]).max(enter[2]);
    let outside = crossing & t.gt(packet.after);
    if !outside.any() {
        return;
    }
    let through_bottom = enter[2].ge(t) & packet.direction[2].gt(L::ZERO);
    let through_top = enter[2].ge(t) & !through_bottom;
    let side = outside & !through_top;
    if !side.any() {
        return;
    }
    let at = add_scaled(packet.origin, t, packet.direction);
    let (x, y) = (spread(at[0]), spread(at[1]));
    let mut ground = L::ZERO;
    for k in 0..L::COUNT {
        if side.lane(k) {
            ground.set_lane(k, L::Elem::from_f64(height_at(field, f64::from(x[k]), f64::from(y[k]))));
        }
    }
    let along_x = enter[0].ge(t);
    let minus = L::select(along_x, packet.direction[0], packet.direction[1]).gt(L::ZERO);
    let number = L::select(along_x, L::c(part::SIDES), L::c(part::SIDES + 2.0)) + L::select(minus, L::ZERO, L::ONE);
    let part = L::select(through_bottom, L::c(part::BOTTOM), number);
    let hit = side & (through_bottom | at[2].le(ground));
    met.offer(packet, L::select(hit, t, L::c(f64::INFINITY)), who, part);
}

/// The surface above a point, metres; beyond the border that of the border.
pub fn height_at(field: &HeightField, x: f64, y: f64) -> f64 {
    let ([dx, dy], size) = (field.spacing(), field.size());
    let split = |place: f64, nodes: usize| {
        let place = place.clamp(0.0, (nodes - 1) as f64);
        let cell = (place as usize).min(nodes - 2);
        (cell, place - cell as f64)
    };
    let ((col, u), (row, v)) = (
        split((x + size.radius_x) / dx, field.ncol()),
        split((y + size.radius_y) / dy, field.nrow()),
    );
    let h = |r: usize, c: usize| f64::from(field.height(r, c));
    let (near, far) = (h(row, col), h(row + 1, col + 1));
    // The triangle on this side of the diagonal.
    let number = if v > u {
        let corner = h(row + 1, col);
        near + v * (corner - near) + u * (far - corner)
    } else {
        let corner = h(row, col + 1);
        near + u * (corner - near) + v * (far - corner)
    };
    number * size.elevation_z
}

/// The slope of the ground at a point, blended between the nodes so that facets do not show.
pub fn smooth_normal(field: &HeightField, x: f64, y: f64) -> [f64; 3] {
    let [dx, dy] = field.spacing();
    let slope = |ax: f64, ay: f64| height_at(field, x + ax, y + ay) - height_at(field, x - ax, y - ay);
    [-slope(0.5 * dx, 0.0) / dx, -slope(0.0, 0.5 * dy) / dy, 1.0]
}

/// Walks down the pyramid.
#[inline(always)]
fn surface<L: Lanes>(grid: &Grid, packet: &Packet<L>, inward: &Inward<L>, crossing: L::Mask, who: L, met: &mut Met<L>) {
    let lead = first_lane(crossing);
    // Which child is met last: the one with the higher index where the rays go up along the axis.
    let far = [
        u32::from(inward.direction[0].lane(lead).to_f64() > 0.0),
        u32::from(inward.direction[1].lane(lead).to_f64() > 0.0),
    ];
    let mut stack = [(0_u8, 0_u32, 0_u32); STACK];
    stack[0] = (grid.field.level_count() as u8 - 1, 0, 0);
    let mut depth = 1;
    while depth > 0 {
        depth -= 1;
        let (level, row, col) = stack[depth];
        let Some(extremes) = grid.field.block(usize::from(level), row as usize, col as usize) else {
            continue;
        };
        let cells = 2_u32 << level;
        let box_of = [[col * cells, (col + 1) * cells], [row * cells, (row + 1) * cells]];
        if !in_the_way(
            grid,
            inward,
            box_of,
            [extremes.min, extremes.max],
            met,
            packet.after,
            crossing,
        ) {
            continue;
        }
        if level == 0 {
            for k in 0..4 {
                // From the near corner to the far one.
                let (down, right) = ((k >> 1) ^ far[1] ^ 1, (k & 1) ^ far[0] ^ 1);
                cell(
                    grid,
                    packet,
                    inward,
                    (2 * row + down, 2 * col + right),
                    crossing,
                    who,
                    met,
                );
            }
            continue;
        }
        for k in 0..4 {
            // The first pushed is opened last: from the far corner to the near one.
            let (down, right) = ((k >> 1) ^ far[1], (k & 1) ^ far[0]);
            if depth < STACK {
                stack[depth] = (level - 1, 2 * row + down, 2 * col + right);
                depth += 1;
            }
        }
    }
}

/// Whether a box of cells stands in the way of some ray that has met nothing nearer.
#[inline(always)]
fn in_the_way<L: Lanes>(
    grid: &Grid,
    inward: &Inward<L>,
    [cols, rows]: [[u32; 2]; 2],
    [min, max]: [f32; 2],
    met: &Met<L>,
    after: L,
    crossing: L::Mask,
) -> bool {
    let (o, i) = (&inward.origin, &inward.inverse);
    let (x0, x1) = between(grid.node(0, cols[0]), grid.node(0, cols[1]), o[0], i[0]);
    let (y0, y1) = between(grid.node(1, rows[0]), grid.node(1, rows[1]), o[1], i[1]);
    let (low, high) = (
        f64::from(min * grid.elevation - grid.pad),
        f64::from(max * grid.elevation + grid.pad),
    );
    let (z0, z1) = between(low, high, o[2], i[2]);
    let (enter, leave) = (x0.max(y0).max(z0), x1.min(y1).min(z1));
    // A hair for what rounding takes from the border between two boxes.
    let hair = L::c(1e-5);
    let open = enter.le(leave + hair) & (enter + inward.start).lt(met.depth) & (leave + inward.start + hair).gt(after);
    (open & crossing).any()
}

/// The two triangles of a cell.
#[inline(always)]
fn cell<L: Lanes>(
    grid: &Grid,
    packet: &Packet<L>,
    inward: &Inward<L>,
    (row, col): (u32, u32),
    crossing: L::Mask,
    who: L,
    met: &mut Met<L>,
) {
    let (r, c) = (row as usize, col as usize);
    if r + 1 >= grid.field.nrow() || c + 1 >= grid.field.ncol() {
        return;
    }
    let [near, right, left, far] = grid.field.cell(r, c);
    let (lower, upper) = ([near, right], [left, far]);
    let min = lower[0].min(lower[1]).min(upper[0]).min(upper[1]);
    let max = lower[0].max(lower[1]).max(upper[0]).max(upper[1]);
    if !in_the_way(
        grid,
        inward,
        [[col, col + 1], [row, row + 1]],
        [min, max],
        met,
        packet.after,
        crossing,
    ) {
        return;
    }
    let corner: Vec3<L> = [
        lift(grid.corner[0] + grid.step[0] * col as f32),
        lift(grid.corner[1] + grid.step[1] * row as f32),
        lift(lower[0] * grid.elevation),
    ];
    let [dx, dy] = grid.step;
    let rise = grid.elevation;
    let far = lift3(&[dx, dy, (upper[1] - lower[0]) * rise]);
    let left = lift3(&[0.0, dy, (upper[0] - lower[0]) * rise]);
    let right = lift3(&[dx, 0.0, (lower[1] - lower[0]) * rise]);
    let (first, ..) = shape::triangle(corner, far, left, inward.origin, inward.direction);
    let (second, ..) = shape::triangle(corner, right, far, inward.origin, inward.direction);
    met.offer(packet, first.min(second) + inward.start, who, L::c(part::TOP));
}
