//! A piece in the frame of a camera: how rays meet it, and which part of the screen it can be seen in.

use motrix_collide::vector::{Vec3, norm};
use motrix_spatial::algebra::{add_scaled, dot, scale};
use motrix_spatial::{Lanes, Mask, Vec3 as LaneVec3};

use super::kernels::Kernels;
use super::packet::{Met, Packet, lift, lift3};
use super::shape;
use super::surface::{Form, Piece};
use super::view::View;

/// A piece as a camera sees it, in single precision.
#[derive(Clone, Debug)]
pub struct Instance {
    pub form: Form,
    pub size: [f32; 3],
    /// Origin of the piece.
    pub position: [f32; 3],
    /// Axes of the piece.
    pub axes: [[f32; 3]; 3],
    /// Least depth at which it can be.
    pub nearest: f32,
    /// Bounding ball; infinite for a plane.
    pub centre: [f32; 3],
    pub radius: f32,
    pub look: u32,
    pub tag: i32,
}

/// A part of the screen in pixels, ends excluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rectangle {
    pub columns: [usize; 2],
    pub rows: [usize; 2],
}

impl Rectangle {
    /// No part of the screen.
    pub const NOWHERE: Rectangle = Rectangle {
        columns: [0, 0],
        rows: [0, 0],
    };
}

impl Instance {
    /// The piece as seen by a camera, and where on the screen it can be; none when it is nowhere, but may throw a shadow.
    pub fn seen(piece: &Piece, view: &View) -> (Instance, Option<Rectangle>) {
        let position = view.seen(piece.position);
        let column = |k: usize| [piece.rotation[k], piece.rotation[3 + k], piece.rotation[6 + k]];
        let axes = [0, 1, 2].map(|k| view.turned(column(k)));
        let bounds = local_bounds(piece);
        let part = match bounds {
            Some((low, high)) => on_screen(view, &corners(low, high, position, &axes)),
            None => Some((whole(view), 0.0)),
        };
        let (centre, radius) = match bounds {
            Some((low, high)) => {
                let half: Vec3 = [0, 1, 2].map(|k| 0.5 * (high[k] - low[k]));
                let middle: Vec3 = [0, 1, 2].map(|k| 0.5 * (high[k] + low[k]));
                let radius = match piece.form {
                    Form::Sphere => piece.size[0],
                    Form::Capsule => piece.size[0] + piece.size[1],
                    Form::Ellipsoid => piece.size.iter().fold(0.0, |a: f64, &b| a.max(b)),
                    _ => norm(half),
                };
                (place(middle, position, &axes), radius)
            }
            None => (position, f64::INFINITY),
        };
        let single = |v: Vec3| v.map(|x| x as f32);
        let instance = Instance {
            form: piece.form.clone(),
            size: single(piece.size),
            position: single(position),
            axes: axes.map(single),
            nearest: part.map_or(0.0, |(_, nearest)| nearest as f32),
            centre: single(centre),
            radius: radius as f32,
            look: piece.look as u32,
            tag: piece.tag,
        };
        (instance, part.map(|(rectangle, _)| rectangle))
    }

    /// Half sizes along the axes of the piece, for what is laid on it; 0 where it has no end.
    pub fn extent(&self) -> [f32; 3] {
        let [a, b, c] = self.size;
        match &self.form {
            Form::Plane => [a, b, 1.0],
            Form::Sphere => [a; 3],
            Form::Capsule => [a, a, a + b],
            Form::Cylinder => [a, a, b],
            Form::Ellipsoid | Form::Box => [a, b, c],
            Form::Field(field) => {
                [field.size().radius_x, field.size().radius_y, field.size().elevation_z].map(|x| x as f32)
            }
            Form::Mesh(mesh) => {
                let (low, high) = mesh.bounds();
                [0, 1, 2].map(|k| (0.5 * (high[k] - low[k])) as f32)
            }
        }
    }

    /// A point of the camera's frame in that of the piece.
    #[inline(always)]
    pub fn inside<L: Lanes>(&self, point: LaneVec3<L>) -> LaneVec3<L> {
        let p = lift3::<L>(&self.position);
        self.turned([point[0] - p[0], point[1] - p[1], point[2] - p[2]])
    }

    /// A direction of the camera's frame in that of the piece.
    #[inline(always)]
    pub fn turned<L: Lanes>(&self, v: LaneVec3<L>) -> LaneVec3<L> {
        [
            dot(lift3(&self.axes[0]), v),
            dot(lift3(&self.axes[1]), v),
            dot(lift3(&self.axes[2]), v),
        ]
    }

    /// A direction of the piece's frame in that of the camera.
    #[inline(always)]
    pub fn turned_back<L: Lanes>(&self, v: LaneVec3<L>) -> LaneVec3<L> {
        let x = scale(lift3(&self.axes[0]), v[0]);
        add_scaled(add_scaled(x, v[1], lift3(&self.axes[1])), v[2], lift3(&self.axes[2]))
    }

    /// Lets rays meet the piece.
    #[inline(always)]
    pub fn meet<L: Kernels>(&self, packet: &Packet<L>, who: usize, met: &mut Met<L>) {
        let o = self.inside(packet.origin);
        let d = self.turned(packet.direction);
        let who = L::c(who as f64);
        let [a, b, c]: LaneVec3<L> = lift3(&self.size);
        let depth = match &self.form {
            Form::Plane => shape::plane([a, b, c], o, d),
            Form::Sphere => shape::ball(a, o, d),
            Form::Capsule => shape::capsule(a, b, o, d),
            Form::Ellipsoid => shape::ellipsoid([a, b, c], o, d),
            Form::Cylinder => shape::cylinder(a, b, o, d),
            Form::Box => shape::block([a, b, c], o, d),
            Form::Field(field) => return L::meet_field(field, &o, &d, packet.after, who, met),
            Form::Mesh(mesh) => return L::meet_mesh(mesh, &o, &d, packet.after, who, met),
        };
        met.offer(packet, depth, who, L::ZERO);
    }

    /// Whether all lanes have met something nearer than the piece can be.
    #[inline(always)]
    pub fn is_behind<L: Lanes>(&self, met: &Met<L>) -> bool {
        met.depth.le(lift(self.nearest)).all()
    }
}

/// Opposite corners of a box around a piece in its own frame; none around a plane without end.
fn local_bounds(piece: &Piece) -> Option<(Vec3, Vec3)> {
    let [a, b, c] = piece.size;
    let half = match &piece.form {
        Form::Plane if a > 0.0 && b > 0.0 => [a, b, 0.0],
        Form::Plane => return None,
        Form::Sphere => [a; 3],
        Form::Capsule => [a, a, a + b],
        Form::Cylinder => [a, a, b],
        Form::Ellipsoid | Form::Box => [a, b, c],
        Form::Field(field) => {
            let size = field.size();
            let highest = field
                .block(field.level_count() - 1, 0, 0)
                .map_or(1.0, |all| f64::from(all.max));
            let top = (highest * size.elevation_z).max(-size.base_z);
            return Some((
                [-size.radius_x, -size.radius_y, -size.base_z],
                [size.radius_x, size.radius_y, top],
            ));
        }
        Form::Mesh(mesh) => return Some(mesh.bounds()),
    };
    Some((half.map(|x| -x), half))
}

/// A point of a piece in the frame of the camera.
fn place(point: Vec3, position: Vec3, axes: &[Vec3; 3]) -> Vec3 {
    [0, 1, 2].map(|k| position[k] + point[0] * axes[0][k] + point[1] * axes[1][k] + point[2] * axes[2][k])
}

fn corners(low: Vec3, high: Vec3, position: Vec3, axes: &[Vec3; 3]) -> [Vec3; 8] {
    std::array::from_fn(|i| {
        let corner = [0, 1, 2].map(|k| if i >> k & 1 == 0 { low[k] } else { high[k] });
        place(corner, position, axes)
    })
}

fn whole(view: &View) -> Rectangle {
    Rectangle {
        columns: [0, view.width],
        rows: [0, view.height],
    }
}

/// The part of the screen that a box with these corners can touch, and its least depth.
fn on_screen(view: &View, corners: &[Vec3; 8]) -> Option<(Rectangle, f64)> {
    /// A box nearer than this may be anywhere on the screen, metres.
    const CLOSE: f64 = 1e-3;
    let depths = corners.map(|corner| -corner[2]);
    let nearest = depths.iter().fold(f64::INFINITY, |a, &b| a.min(b));
    let furthest = depths.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
    if furthest <= view.range[0] || nearest >= view.range[1] {
        return None;
    }
    if nearest < CLOSE && !view.orthographic {
        return Some((whole(view), 0.0));
    }
    let [left, right, bottom, top] = view.window;
    let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    for (corner, depth) in corners.iter().zip(depths) {
        let shrink = if view.orthographic { 1.0 } else { 1.0 / depth };
        let x = (corner[0] * shrink - left) / (right - left) * view.width as f64;
        let y = (top - corner[1] * shrink) / (top - bottom) * view.height as f64;
        low = [low[0].min(x), low[1].min(y)];
        high = [high[0].max(x), high[1].max(y)];
    }
    // One more pixel on every side for what single precision rounds away.
    let span = |low: f64, high: f64, count: usize| {
        let clip = |x: f64| x.clamp(0.0, count as f64) as usize;
        [clip(low.floor() - 1.0), clip(high.ceil() + 1.0)]
    };
    let (columns, rows) = (span(low[0], high[0], view.width), span(low[1], high[1], view.height));
    let rounded_down = nearest - 1e-6 * nearest.abs() - 1e-9;
    (columns[0] < columns[1] && rows[0] < rows[1]).then_some((Rectangle { columns, rows }, rounded_down.max(0.0)))
}
