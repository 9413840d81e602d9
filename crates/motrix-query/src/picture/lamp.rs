//! Lights: where they are, what they shine on, and how strongly.

use motrix_collide::vector::Vec3;
use motrix_spatial::algebra::{dot, norm, scale, sub};
use motrix_spatial::{Lanes, Vec3 as LaneVec3};

use super::packet::{lift, lift3};
use super::view::View;

/// Where light comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LampKind {
    /// From infinitely far, along this unit direction.
    Directional(Vec3),
    /// From a point, to all sides.
    Point(Vec3),
    /// From a point, within a cone.
    Spot {
        /// The point.
        position: Vec3,
        /// Unit direction of its middle.
        direction: Vec3,
        /// Cosine of its half angle.
        cutoff: f64,
        /// How fast it fades from the middle: a power of the cosine.
        exponent: u32,
    },
}

/// A light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lamp {
    /// Where it comes from.
    pub kind: LampKind,
    /// Light that is everywhere.
    pub ambient: [f32; 3],
    /// Light that surfaces scatter.
    pub diffuse: [f32; 3],
    /// Light that surfaces mirror.
    pub specular: [f32; 3],
    /// Constant, linear and quadratic fading with distance.
    pub attenuation: [f32; 3],
    /// Whether things throw shadows in it.
    pub casts: bool,
}

/// A lamp in the frame of a camera, in single precision.
#[derive(Clone, Copy, Debug)]
pub struct Lit {
    /// Unit direction towards the lamp, or its place.
    pub at: [f32; 3],
    pub directional: bool,
    /// Middle of the cone, cosine of its half angle, exponent.
    spot: Option<([f32; 3], f32, u32)>,
    pub ambient: [f32; 3],
    pub diffuse: [f32; 3],
    pub specular: [f32; 3],
    attenuation: Option<[f32; 3]>,
    pub casts: bool,
}

impl Lit {
    /// A lamp of the world as a camera sees it.
    pub fn seen(lamp: &Lamp, view: &View) -> Lit {
        let single = |v: Vec3| v.map(|x| x as f32);
        let (at, directional, spot) = match lamp.kind {
            LampKind::Directional(along) => (view.turned(along.map(|x| -x)), true, None),
            LampKind::Point(at) => (view.seen(at), false, None),
            LampKind::Spot {
                position,
                direction,
                cutoff,
                exponent,
            } => {
                let middle = single(view.turned(direction));
                (view.seen(position), false, Some((middle, cutoff as f32, exponent)))
            }
        };
        Lit {
            at: single(at),
            directional,
            spot,
            ambient: lamp.ambient,
            diffuse: lamp.diffuse,
            specular: lamp.specular,
            attenuation: (!directional && lamp.attenuation != [1.0, 0.0, 0.0]).then_some(lamp.attenuation),
            casts: lamp.casts,
        }
    }

    /// Towards the lamp from points: a unit direction, what to multiply it with to arrive there, and how much of the light comes.
    #[inline(always)]
    pub fn towards<L: Lanes>(&self, point: LaneVec3<L>) -> (LaneVec3<L>, L, L) {
        let at = lift3(&self.at);
        if self.directional {
            return (at, L::c(f64::INFINITY), L::ONE);
        }
        let way = sub(at, point);
        let distance = norm(way).max(L::c(1e-9));
        let unit = scale(way, distance.recip());
        let mut share = L::ONE;
        if let Some([constant, linear, quadratic]) = self.attenuation {
            let fading = distance.mul_add(distance.mul_add(lift(quadratic), lift(linear)), lift(constant));
            share = fading.max(L::c(1e-9)).recip();
        }
        if let Some((middle, cutoff, exponent)) = &self.spot {
            let cosine = -dot(lift3(middle), unit);
            let inside = cosine.ge(lift(*cutoff));
            share = L::select(inside, share * power(cosine, *exponent), L::ZERO);
        }
        (unit, distance, share)
    }
}

/// A whole power by repeated squaring.
#[inline(always)]
fn power<L: Lanes>(x: L, exponent: u32) -> L {
    let (mut result, mut square, mut left) = (L::ONE, x, exponent);
    while left > 0 {
        if left & 1 != 0 {
            result *= square;
        }
        square *= square;
        left >>= 1;
    }
    result
}
