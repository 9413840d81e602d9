//! Meshes generated from a few parameters, as the `builtin` and `params` attributes ask for.
//!
//! Shapes have about unit size; `scale` makes them what is needed. The vertices, their order and their rounding to `f32`
//! are MuJoCo 4.0's.

use super::{MeshInertia, Surface};
use crate::assets::AssetError;

mod lattice;
mod round;
mod touch;

/// A generated surface.
#[derive(Clone, Debug, PartialEq)]
pub struct BuiltinMesh {
    /// Vertices and, unless the shape is its own convex hull, faces.
    pub surface: Surface,
    flat: Flatness,
}

/// Whether a surface has an inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flatness {
    Solid,
    /// No volume: the legacy rule for mass becomes that for shells.
    Open,
    /// A plate is a shell whatever was asked for.
    Plate,
}

impl BuiltinMesh {
    /// The rule for mass that applies when `asked` is asked for: surfaces without volume are shells.
    pub fn inertia(&self, asked: MeshInertia) -> MeshInertia {
        match (self.flat, asked) {
            (Flatness::Plate, _) | (Flatness::Open, MeshInertia::Legacy) => MeshInertia::Shell,
            _ => asked,
        }
    }
}

/// Vertices a generated mesh may have: four million.
const MAX_VERTICES: usize = 1 << 22;

/// Generates the mesh called `name`.
pub fn builtin(name: &str, params: &[f64]) -> Result<BuiltinMesh, AssetError> {
    let params = Params { name, values: params };
    let (surface, flat) = match name {
        "sphere" => {
            let [subdivision] = params.exactly()?;
            (
                round::sphere(params.integer("subdivision", subdivision, 0, 4)?),
                Flatness::Solid,
            )
        }
        "hemisphere" => {
            let [resolution] = params.exactly()?;
            (
                round::hemisphere(params.integer("resolution", resolution, 0, 10)?),
                Flatness::Solid,
            )
        }
        "cone" => {
            let [corners, radius] = params.exactly()?;
            params.check("the radius must be from 0 to 1", (0.0..=1.0).contains(&radius))?;
            (
                round::cone(
                    params.integer("number of corners", corners, 3, MAX_VERTICES / 2)?,
                    radius,
                ),
                Flatness::Solid,
            )
        }
        "supersphere" => {
            let [resolution, e, n] = params.exactly()?;
            params.check("the exponents must not be negative", e >= 0.0 && n >= 0.0)?;
            (
                round::supersphere(params.integer("resolution", resolution, 3, 2048)?, e, n),
                Flatness::Solid,
            )
        }
        "supertorus" => {
            let [resolution, radius, s, t] = params.exactly()?;
            params.check(
                "the radius must be above 0 and at most 1",
                radius > 0.0 && radius <= 1.0,
            )?;
            params.check("the exponents must be positive", s > 0.0 && t > 0.0)?;
            (
                round::supertorus(params.integer("resolution", resolution, 3, 2048)?, radius, [s, t]),
                Flatness::Solid,
            )
        }
        "wedge" => {
            let [phi, theta, fov_phi, fov_theta, gamma] = params.exactly()?;
            params.check(
                "the first field of view must be above 0 and at most 180",
                fov_phi > 0.0 && fov_phi <= 180.0,
            )?;
            params.check(
                "the second field of view must be above 0 and at most 90",
                fov_theta > 0.0 && fov_theta <= 90.0,
            )?;
            params.check(
                "the foveal deformation must be from 0 to 1",
                (0.0..=1.0).contains(&gamma),
            )?;
            let resolution = [
                params.integer("resolution", phi, 1, 2048)?,
                params.integer("resolution", theta, 1, 2048)?,
            ];
            (touch::wedge(resolution, [fov_phi, fov_theta], gamma), Flatness::Solid)
        }
        "plate" => {
            let [x, y] = params.exactly()?;
            let resolution = [
                params.integer("resolution", x, 1, 2048)?,
                params.integer("resolution", y, 1, 2048)?,
            ];
            (touch::plate(resolution), Flatness::Plate)
        }
        "grid" | "box" | "cylinder" | "ellipsoid" | "square" | "disc" => lattice::from_params(&params)?,
        _ => return Err(format!("there is no built-in mesh {name:?}").into()),
    };
    Ok(BuiltinMesh { surface, flat })
}

/// The parameters of one shape, for checks that name it.
struct Params<'p> {
    name: &'p str,
    values: &'p [f64],
}

impl Params<'_> {
    fn exactly<const N: usize>(&self) -> Result<[f64; N], AssetError> {
        let wrong = |_| {
            format!(
                "a built-in {} takes {N} parameters, not {}",
                self.name,
                self.values.len()
            )
        };
        Ok(self.values.try_into().map_err(wrong)?)
    }

    fn check(&self, rule: &str, kept: bool) -> Result<(), AssetError> {
        if kept {
            Ok(())
        } else {
            Err(format!("built-in {}: {rule}", self.name).into())
        }
    }

    /// A whole number, rounded towards zero.
    fn integer(&self, what: &str, value: f64, least: usize, most: usize) -> Result<usize, AssetError> {
        let rule = format!("the {what} must be from {least} to {most}, not {value}");
        let whole = value.trunc();
        self.check(&rule, whole >= least as f64 && whole <= most as f64)?;
        Ok(whole as usize)
    }
}
