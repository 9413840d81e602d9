//! Mass properties: volume and moments of primitive shapes, their sum over the geoms of a body, and principal axes.
//!
//! A solid fills its volume, a shell covers its surface (`shellinertia`). Bodies carry the sum of their geoms about the common
//! centre of mass, rotated to principal axes in decreasing order of moment (MuJoCo documentation, "Inertia").

use std::f64::consts::PI;

use motrix_model::{GeomKind, Quat, Vec3};

use super::pose::{Pose, TINY, matrix, product, scale, sub, transpose};
use crate::principal_axes::{Noise, PrincipalAxes, principal_axes};

/// How a geom's mass is spread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fill {
    /// Over the volume.
    #[default]
    Solid,
    /// Over the surface.
    Shell,
}

/// Volume of a primitive, or its surface when it is a shell. Shapes without a closed form have none.
pub fn measure(kind: GeomKind, size: Vec3, fill: Fill) -> f64 {
    let [a, b, c] = size;
    match (kind, fill) {
        (GeomKind::Sphere, Fill::Solid) => 4.0 * PI * a * a * a / 3.0,
        (GeomKind::Sphere, Fill::Shell) => 4.0 * PI * a * a,
        (GeomKind::Capsule, Fill::Solid) => PI * (a * a * 2.0 * b + 4.0 * a * a * a / 3.0),
        (GeomKind::Capsule, Fill::Shell) => 4.0 * PI * a * a + 4.0 * PI * a * b,
        (GeomKind::Cylinder, Fill::Solid) => PI * a * a * 2.0 * b,
        (GeomKind::Cylinder, Fill::Shell) => 2.0 * PI * a * a + 4.0 * PI * a * b,
        (GeomKind::Ellipsoid, Fill::Solid) => 4.0 * PI * a * b * c / 3.0,
        (GeomKind::Ellipsoid, Fill::Shell) => {
            // Knud Thomsen's approximation of the surface, relative error below 1.2 %.
            let p = 1.6075;
            let mean = ((a * b).powf(p) + (b * c).powf(p) + (c * a).powf(p)) / 3.0;
            4.0 * PI * mean.powf(1.0 / p)
        }
        (GeomKind::Box | GeomKind::HField(_), Fill::Solid) => 8.0 * a * b * c,
        (GeomKind::Box | GeomKind::HField(_), Fill::Shell) => 8.0 * (a * b + b * c + c * a),
        (GeomKind::Plane | GeomKind::Mesh(_), _) => 0.0,
    }
}

/// Principal moments of a primitive of the given mass about its centre, along its own axes.
pub fn moments(kind: GeomKind, size: Vec3, fill: Fill, mass: f64) -> Vec3 {
    let [a, b, _] = size;
    match (kind, fill) {
        (GeomKind::Sphere, Fill::Solid) => [2.0 * mass * a * a / 5.0; 3],
        (GeomKind::Sphere, Fill::Shell) => [2.0 * mass * a * a / 3.0; 3],
        (GeomKind::Capsule, Fill::Solid) => solid_capsule(mass, a, 2.0 * b),
        (GeomKind::Capsule, Fill::Shell) => hollow_capsule(mass, a, 2.0 * b),
        (GeomKind::Cylinder, Fill::Solid) => {
            let side = mass * (3.0 * a * a + 4.0 * b * b) / 12.0;
            [side, side, mass * a * a / 2.0]
        }
        (GeomKind::Cylinder, Fill::Shell) => hollow_cylinder(mass, a, b),
        (GeomKind::Ellipsoid, Fill::Solid) => scale(mass / 5.0, sums_of_squares(size)),
        (GeomKind::Ellipsoid, Fill::Shell) => hollow_ellipsoid(mass, size),
        (GeomKind::Box | GeomKind::HField(_), Fill::Solid) => scale(mass / 3.0, sums_of_squares(size)),
        (GeomKind::Box | GeomKind::HField(_), Fill::Shell) => hollow_box(mass, size),
        (GeomKind::Plane | GeomKind::Mesh(_), _) => [0.0; 3],
    }
}

/// b² + c², a² + c², a² + b².
fn sums_of_squares([a, b, c]: Vec3) -> Vec3 {
    [b * b + c * c, a * a + c * c, a * a + b * b]
}

/// A cylinder of radius `r` and height `h` between two half balls.
fn solid_capsule(mass: f64, r: f64, h: f64) -> Vec3 {
    let ball = mass * 4.0 * r / (4.0 * r + 3.0 * h);
    let cylinder = mass - ball;
    let side =
        cylinder * (3.0 * r * r + h * h) / 12.0 + 2.0 * ball * r * r / 5.0 + ball * h * (3.0 * r + 2.0 * h) / 8.0;
    [side, side, cylinder * r * r / 2.0 + 2.0 * ball * r * r / 5.0]
}

/// A tube of radius `r` and height `h` between two half spheres.
fn hollow_capsule(mass: f64, r: f64, h: f64) -> Vec3 {
    let (sphere_area, tube_area) = (4.0 * PI * r * r, 2.0 * PI * r * h);
    let sphere = mass * sphere_area / (sphere_area + tube_area);
    let tube = mass - sphere;
    // A half sphere balances half a radius from its centre.
    let balance = r / 2.0;
    let offset = h / 2.0 + balance;
    let own = 2.0 * sphere * r * r / 3.0;
    let side = tube * (6.0 * r * r + h * h) / 12.0 + own + sphere * (offset * offset - balance * balance);
    [side, side, tube * r * r + own]
}

/// A tube of radius `r` and half height `l` with its two lids.
fn hollow_cylinder(mass: f64, r: f64, l: f64) -> Vec3 {
    let (lid_area, tube_area) = (PI * r * r, 4.0 * PI * r * l);
    let lid = mass * lid_area / (2.0 * lid_area + tube_area);
    let tube = mass - 2.0 * lid;
    let side = tube * (6.0 * r * r + 4.0 * l * l) / 12.0 + 2.0 * (lid * r * r / 4.0 + lid * l * l);
    [side, side, tube * r * r + lid * r * r]
}

/// The difference of two solid ellipsoids whose axes differ by a micrometre.
fn hollow_ellipsoid(mass: f64, size: Vec3) -> Vec3 {
    let outer = size.map(|s| s + 1e-6);
    let volume = |s: Vec3| 4.0 * PI * s[0] * s[1] * s[2] / 3.0;
    let density = mass / (volume(outer) - volume(size));
    let solid = |s: Vec3| scale(volume(s) * density / 5.0, sums_of_squares(s));
    sub(solid(outer), solid(size))
}

/// Six plates.
fn hollow_box(mass: f64, [a, b, c]: Vec3) -> Vec3 {
    let (lx, ly, lz) = (2.0 * a, 2.0 * b, 2.0 * c);
    let areas = [lx * ly, ly * lz, lz * lx];
    let total = 2.0 * (areas[0] + areas[1] + areas[2]);
    let [m0, m1, m2] = areas.map(|area| mass * area / total);
    let (x2, y2, z2) = (lx * lx / 12.0, ly * ly / 12.0, lz * lz / 12.0);
    [
        2.0 * (m0 * c * c + m2 * b * b + m0 * y2 + m1 * (y2 + z2) + m2 * z2),
        2.0 * (m0 * c * c + m1 * a * a + m0 * x2 + m1 * z2 + m2 * (x2 + z2)),
        2.0 * (m1 * a * a + m2 * b * b + m0 * (x2 + y2) + m1 * y2 + m2 * x2),
    ]
}

/// Mass, centre of mass with principal axes, and principal moments, all in one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Mass.
    pub mass: f64,
    /// Centre of mass and principal axes.
    pub pose: Pose,
    /// Principal moments.
    pub moments: Vec3,
}

/// Inertia is not positive definite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotPositive;

/// The sum of rigidly joined parts. One part is kept as it is; of several, the principal axes are found.
pub fn join(parts: &[MassProperties]) -> Result<MassProperties, NotPositive> {
    if let [one] = parts {
        return Ok(*one);
    }
    let mass: f64 = parts.iter().map(|part| part.mass).sum();
    let moment = parts.iter().fold([0.0; 3], |sum, part| {
        std::array::from_fn(|i| sum[i] + part.mass * part.pose.position[i])
    });
    let com = moment.map(|m| m / mass);
    let mut inertia = [0.0; 9];
    for part in parts {
        let own = rotated(part.moments, part.pose.orientation);
        let offset = about_point(part.mass, sub(part.pose.position, com));
        for k in 0..9 {
            inertia[k] += own[k] + offset[k];
        }
    }
    let (moments, orientation) = principal(&inertia)?;
    Ok(MassProperties {
        mass,
        pose: Pose::new(com, orientation),
        moments,
    })
}

/// R diag(moments) Rᵀ.
fn rotated(moments: Vec3, orientation: Quat) -> [f64; 9] {
    let r = matrix(orientation);
    let scaled: [f64; 9] = std::array::from_fn(|k| r[k] * moments[k % 3]);
    product(&scaled, &transpose(&r))
}

/// Inertia of a point mass at `d`: m (|d|² 1 − d dᵀ).
fn about_point(mass: f64, [x, y, z]: Vec3) -> [f64; 9] {
    [
        y * y + z * z,
        -x * y,
        -x * z,
        -x * y,
        x * x + z * z,
        -y * z,
        -x * z,
        -y * z,
        x * x + y * y,
    ]
    .map(|entry| mass * entry)
}

/// The symmetric matrix written as `fullinertia`: xx yy zz xy xz yz.
pub fn from_full([xx, yy, zz, xy, xz, yz]: [f64; 6]) -> [f64; 9] {
    [xx, xy, xz, xy, yy, yz, xz, yz, zz]
}

/// Principal moments in decreasing order and the rotation to their axes.
pub fn principal(inertia: &[f64; 9]) -> Result<(Vec3, Quat), NotPositive> {
    let PrincipalAxes { moments, orientation } = principal_axes(inertia, Noise::GIVEN);
    // NaN counts as not positive.
    if moments[2] >= TINY {
        Ok((moments, orientation))
    } else {
        Err(NotPositive)
    }
}

/// The same properties seen from `frame`.
pub fn seen_from(properties: &MassProperties, frame: &Pose) -> MassProperties {
    MassProperties {
        pose: frame.then(&properties.pose),
        ..*properties
    }
}

/// Whether three principal moments can belong to a body: none exceeds the sum of the other two.
pub fn is_physical([a, b, c]: Vec3) -> bool {
    a + b >= c && a + c >= b && b + c >= a
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::pose::IDENTITY;

    fn full(properties: &MassProperties) -> [f64; 9] {
        rotated(properties.moments, properties.pose.orientation)
    }

    #[test]
    fn principal_axes_rebuild_the_inertia() {
        let inertia = from_full([0.3, 0.5, 0.4, 0.02, -0.05, 0.03]);
        let (moments, q) = principal(&inertia).unwrap();
        assert!(moments[0] >= moments[1] && moments[1] >= moments[2]);
        let back = rotated(moments, q);
        for k in 0..9 {
            assert!(
                (back[k] - inertia[k]).abs() < 1e-14 * moments[0],
                "entry {k}: {} for {}",
                back[k],
                inertia[k]
            );
        }
    }

    #[test]
    fn two_half_boxes_weigh_as_the_whole_box() {
        let half = |x| MassProperties {
            mass: 1.0,
            pose: Pose::new([x, 0.0, 0.0], IDENTITY),
            moments: moments(GeomKind::Box, [0.5, 0.2, 0.1], Fill::Solid, 1.0),
        };
        let whole = join(&[half(-0.5), half(0.5)]).unwrap();
        let expected = moments(GeomKind::Box, [1.0, 0.2, 0.1], Fill::Solid, 2.0);
        let inertia = full(&whole);
        for i in 0..3 {
            assert!((inertia[4 * i] - expected[i]).abs() < 1e-14);
        }
    }

    #[test]
    fn a_thin_shell_is_the_difference_of_two_solids() {
        let (size, thickness) = ([0.3, 0.4, 0.2], 1e-5);
        for kind in [
            GeomKind::Sphere,
            GeomKind::Capsule,
            GeomKind::Cylinder,
            GeomKind::Ellipsoid,
            GeomKind::Box,
        ] {
            let grown = size.map(|s| s + thickness);
            // growing a capsule thickens its caps already
            let grown = if kind == GeomKind::Capsule {
                [grown[0], size[1], size[2]]
            } else {
                grown
            };
            let (inner, outer) = (measure(kind, size, Fill::Solid), measure(kind, grown, Fill::Solid));
            let solid = |s, volume| moments(kind, s, Fill::Solid, volume);
            let expected = sub(solid(grown, outer), solid(size, inner));
            let shell = moments(kind, size, Fill::Shell, outer - inner);
            for i in 0..3 {
                // the ellipsoid's layer is thicker where it is flatter; the rest converges with the thickness
                let error = (shell[i] / expected[i] - 1.0).abs();
                assert!(error < 1e-3, "{kind:?} axis {i}: {} for {}", shell[i], expected[i]);
            }
        }
    }

    #[test]
    fn inertia_without_extent_is_refused() {
        assert_eq!(principal(&[0.0; 9]), Err(NotPositive));
        assert_eq!(principal(&[f64::NAN; 9]), Err(NotPositive));
    }
}
