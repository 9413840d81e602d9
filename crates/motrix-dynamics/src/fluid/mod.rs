//! Drag and lift of the medium around the bodies.
//!
//! Two models (MuJoCo documentation, "Fluid forces"): a body is either the box with its inertia, with drag on the faces and
//! Stokes' drag of a sphere of the same size ([`inertia_box`]), or, when one of its geoms asks for it, an ellipsoid around each
//! such geom, with added mass, lift and drag ([`ellipsoid`]). Both take the velocity through the medium in a local frame,
//! (ω, v), and give a local torque and force; both also give the derivative ∂(τ, f)/∂(ω, v) for the implicit integrators.

pub mod ellipsoid;
pub mod ellipsoid_slope;
pub mod inertia_box;

use motrix_model::{BodyId, Model, Options};
use motrix_spatial::algebra::*;
use motrix_spatial::{Force, Lanes, Mat3, Motion, Real, Vec3};

use self::ellipsoid::EllipsoidRow;
use crate::configuration::Movement;
use crate::tables::round3;
use crate::wrench;

/// Bodies lighter than this feel no medium (MuJoCo's `mjMINVAL`).
const MIN_MASS: f64 = 1e-15;

/// The medium.
#[derive(Clone, Copy, Debug)]
pub struct Medium<T> {
    /// Density, kg/m³.
    pub density: T,
    /// Dynamic viscosity, Pa s.
    pub viscosity: T,
}

/// What stands for the shape of a body.
#[derive(Clone, Debug)]
pub enum FluidShape<E> {
    /// The box with the body's inertia, about its centre of mass.
    InertiaBox,
    /// An ellipsoid around each of these geoms.
    Ellipsoids(Vec<EllipsoidRow<E>>),
}

/// A body that moves through the medium.
#[derive(Clone, Debug)]
pub struct FluidRow<E> {
    /// Body.
    pub body: usize,
    /// Its shape.
    pub shape: FluidShape<E>,
}

/// The medium and who feels it.
#[derive(Clone, Debug)]
pub struct FluidTable<E> {
    /// The medium.
    pub medium: Medium<E>,
    /// Its velocity.
    pub wind: [E; 3],
    /// Bodies that feel it.
    pub rows: Vec<FluidRow<E>>,
}

impl<E: Real> FluidTable<E> {
    /// The medium of the options around the bodies of a model.
    pub fn new(model: &Model, options: &Options) -> Self {
        let present = options.density != 0.0 || options.viscosity != 0.0;
        let feels =
            |b: &usize| present && model.bodies[*b].mass >= MIN_MASS && !model.dof_chain(BodyId::new(*b)).is_empty();
        Self {
            medium: Medium {
                density: E::from_f64(options.density),
                viscosity: E::from_f64(options.viscosity),
            },
            wind: round3(options.wind),
            rows: (1..model.bodies.len()).filter(feels).map(|b| row(model, b)).collect(),
        }
    }

    /// The medium in every lane.
    #[inline(always)]
    pub fn splat_medium<L: Lanes<Elem = E>>(&self) -> Medium<L> {
        Medium {
            density: L::splat(self.medium.density),
            viscosity: L::splat(self.medium.viscosity),
        }
    }
}

fn row<E: Real>(model: &Model, body: usize) -> FluidRow<E> {
    let b = &model.bodies[body];
    let geoms = b.first_geom..b.first_geom + b.geom_count;
    let ellipsoids: Vec<_> = geoms.filter_map(|g| EllipsoidRow::new(model, g)).collect();
    let shape = if ellipsoids.is_empty() {
        FluidShape::InertiaBox
    } else {
        FluidShape::Ellipsoids(ellipsoids)
    };
    FluidRow { body, shape }
}

/// A local frame of a body: where it is seen from the origin of spatial vectors, and how it is turned.
#[derive(Clone, Copy, Debug)]
pub struct LocalFrame<L> {
    /// Position of its origin.
    pub arm: Vec3<L>,
    /// Its axes, as columns.
    pub rotation: Mat3<L>,
}

impl<L: Lanes> LocalFrame<L> {
    /// A motion in this frame: [ω; v] at its origin, along its axes.
    #[inline(always)]
    pub fn local(&self, motion: &Motion<L>) -> Motion<L> {
        let at = motion_at(motion, self.arm);
        spatial(
            mat_t_vec(&self.rotation, angular(&at)),
            mat_t_vec(&self.rotation, linear(&at)),
        )
    }

    /// A local [τ; f] as a spatial force about the origin of spatial vectors, along world axes.
    #[inline(always)]
    pub fn world(&self, local: &Force<L>) -> Force<L> {
        let torque = mat_vec(&self.rotation, angular(local));
        let force = mat_vec(&self.rotation, linear(local));
        wrench::of_force_and_torque(force, torque, self.arm)
    }
}

/// The frame of the inertia box of a body: centre of mass and principal axes.
#[inline(always)]
pub fn box_frame<L: Lanes>(movement: &Movement<L>, body: usize) -> LocalFrame<L> {
    let poses = movement.at.poses;
    LocalFrame {
        arm: movement.at.arm(body, poses.com[body]),
        rotation: poses.inertia_rotation[body],
    }
}

/// The frame of a geom.
#[inline(always)]
pub fn geom_frame<L: Lanes>(movement: &Movement<L>, body: usize, geom: usize) -> LocalFrame<L> {
    let poses = movement.at.poses;
    LocalFrame {
        arm: movement.at.arm(body, poses.geom_position[geom]),
        rotation: poses.geom_rotation[geom],
    }
}

/// Velocity of a body through the medium, in a frame of its own.
#[inline(always)]
pub fn relative_velocity<L: Lanes>(
    table: &FluidTable<L::Elem>,
    movement: &Movement<L>,
    body: usize,
    frame: &LocalFrame<L>,
) -> Motion<L> {
    let own = frame.local(&movement.twists.body[body]);
    let wind = mat_t_vec(&frame.rotation, splat3(table.wind));
    spatial(angular(&own), sub(linear(&own), wind))
}

/// Sets the spatial force of the medium on each body that feels it.
#[inline(always)]
pub fn wrenches<L: Lanes>(table: &FluidTable<L::Elem>, movement: &Movement<L>, out: &mut [Force<L>]) {
    let medium = table.splat_medium::<L>();
    let params = movement.at.params;
    for row in &table.rows {
        match &row.shape {
            FluidShape::InertiaBox => {
                let frame = box_frame(movement, row.body);
                let velocity = relative_velocity(table, movement, row.body, &frame);
                let edges = inertia_box::edges(&params.bodies[row.body]);
                let local = inertia_box::force(&medium, &edges, &velocity);
                out[row.body] = add6(&out[row.body], &frame.world(&local));
            }
            FluidShape::Ellipsoids(geoms) => {
                for geom in geoms {
                    let frame = geom_frame(movement, row.body, geom.geom);
                    let velocity = relative_velocity(table, movement, row.body, &frame);
                    let axes = geom.semi_axes(&params.geoms[geom.geom]);
                    let local = ellipsoid::force(&medium, geom, axes, &velocity);
                    out[row.body] = add6(&out[row.body], &frame.world(&local));
                }
            }
        }
    }
}
