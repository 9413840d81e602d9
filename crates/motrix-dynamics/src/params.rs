//! Physical parameters that a world may override, one value per lane.
//!
//! Without overrides all lanes hold the model's values and one [`Params`] serves every group. With overrides the batch fills
//! the lanes from its rows; the kernels cannot tell the difference, so an override costs nothing where it is not used.

use std::sync::Arc;

use motrix_collide::HeightField;
use motrix_collide::closed::terrain::LaneWindow;
use motrix_model::{GeomKind, Model};
use motrix_spatial::algebra::{norm, sub};
use motrix_spatial::{Lanes, Quat, Real};

use crate::frames::centre;

/// Parameters of a body.
#[derive(Clone, Copy, Debug)]
pub struct BodyParams<L> {
    /// Mass.
    pub mass: L,
    /// Principal moments of inertia.
    pub inertia: [L; 3],
    /// Centre of mass in the body.
    pub com: [L; 3],
    /// Mass of the subtree.
    pub subtree_mass: L,
    /// Mean inverse inertia in the reference pose: translation, rotation.
    pub invweight: [L; 2],
    /// Radius about the centre of mass that holds all bounded geoms.
    pub bounding_radius: L,
}

/// Parameters of a dof.
#[derive(Clone, Copy, Debug)]
pub struct DofParams<L> {
    /// Rotor inertia.
    pub armature: L,
    /// Viscous damping.
    pub damping: L,
    /// Dry friction.
    pub frictionloss: L,
    /// Inverse inertia in the reference pose.
    pub invweight: L,
}

/// Parameters of a geom.
#[derive(Clone, Copy, Debug)]
pub struct GeomParams<L> {
    /// Size parameters.
    pub size: [L; 3],
    /// Friction: slide, spin, roll.
    pub friction: [L; 3],
    /// Bounding radius.
    pub bounding_radius: L,
}

/// Parameters of an actuator.
#[derive(Clone, Copy, Debug)]
pub struct ActuatorParams<L> {
    /// First three gain parameters.
    pub gain: [L; 3],
    /// First three bias parameters.
    pub bias: [L; 3],
}

/// Terrain of a geom: heights that all worlds share, and what each lane sees of them.
#[derive(Clone, Debug)]
pub struct TerrainParams<L> {
    /// The geom.
    pub geom: usize,
    /// Heights.
    pub field: Arc<HeightField>,
    /// Windows.
    pub window: LaneWindow<L>,
}

/// Everything a world may override.
#[derive(Clone, Debug)]
pub struct Params<L> {
    /// Gravitational acceleration.
    pub gravity: [L; 3],
    /// Per body.
    pub bodies: Vec<BodyParams<L>>,
    /// Orientation of the principal axes in each body; empty as long as they are the model's, which all worlds share.
    pub principal_axes: Vec<Quat<L>>,
    /// Per dof.
    pub dofs: Vec<DofParams<L>>,
    /// Per geom.
    pub geoms: Vec<GeomParams<L>>,
    /// Per geom that is a height field, in the order of the geoms.
    pub terrain: Vec<TerrainParams<L>>,
    /// Per actuator.
    pub actuators: Vec<ActuatorParams<L>>,
    /// Inverse weight of each tendon in the reference pose.
    pub tendon_invweight: Vec<L>,
    /// Whether some dof is damped, so that the Euler integrator solves with the damping.
    pub any_damping: bool,
}

impl<L: Lanes> Params<L> {
    /// The model's own values in every lane.
    pub fn new(model: &Model, gravity: [f64; 3]) -> Self {
        let c = |x: f64| L::splat(L::Elem::from_f64(x));
        let c3 = |x: [f64; 3]| x.map(c);
        let mut params = Self {
            gravity: c3(gravity),
            bodies: model
                .bodies
                .iter()
                .map(|b| BodyParams {
                    mass: c(b.mass),
                    inertia: c3(b.inertia),
                    com: c3(centre(b)),
                    subtree_mass: c(b.subtree_mass),
                    invweight: b.invweight.map(c),
                    bounding_radius: L::ZERO,
                })
                .collect(),
            principal_axes: Vec::new(),
            dofs: model
                .dofs
                .iter()
                .map(|d| DofParams {
                    armature: c(d.armature),
                    damping: c(d.damping),
                    frictionloss: c(d.frictionloss),
                    invweight: c(d.invweight),
                })
                .collect(),
            geoms: model
                .geoms
                .iter()
                .map(|g| GeomParams {
                    size: c3(g.size),
                    friction: c3(g.friction),
                    bounding_radius: c(g.bounding_radius),
                })
                .collect(),
            terrain: terrain_of(model),
            actuators: model
                .actuators
                .iter()
                .map(|a| ActuatorParams {
                    gain: [0, 1, 2].map(|i| c(a.gain_params[i])),
                    bias: [0, 1, 2].map(|i| c(a.bias_params[i])),
                })
                .collect(),
            any_damping: model.dofs.iter().any(|d| d.damping > 0.0),
            tendon_invweight: model.tendons.iter().map(|t| c(t.invweight)).collect(),
        };
        params.bound_bodies(model);
        params
    }

    /// Bounding radii of geoms from their sizes, and of bodies from their geoms; after sizes or centres of mass have changed.
    pub fn bound(&mut self, model: &Model) {
        for (geom, p) in model.geoms.iter().zip(&mut self.geoms) {
            let [x, y, z] = p.size;
            p.bounding_radius = match geom.kind {
                GeomKind::Sphere => x,
                GeomKind::Capsule => x + y,
                GeomKind::Cylinder => x.mul_add(x, y * y).sqrt(),
                GeomKind::Ellipsoid => x.max(y).max(z),
                GeomKind::Box => norm([x, y, z]),
                GeomKind::Plane | GeomKind::HField(_) | GeomKind::Mesh(_) => p.bounding_radius,
            };
        }
        self.bound_bodies(model);
    }

    fn bound_bodies(&mut self, model: &Model) {
        for body in &mut self.bodies {
            body.bounding_radius = L::ZERO;
        }
        for (geom, p) in model.geoms.iter().zip(&self.geoms) {
            let body = &mut self.bodies[geom.body.index()];
            let away = norm(sub(geom.position.map(L::c), body.com));
            body.bounding_radius = body.bounding_radius.max(away + p.bounding_radius);
        }
    }
}

/// The height fields among the geoms, all of each in every lane.
fn terrain_of<L: Lanes>(model: &Model) -> Vec<TerrainParams<L>> {
    let terrain = |(geom, kind): (usize, GeomKind)| {
        let GeomKind::HField(id) = kind else { return None };
        let field = Arc::clone(&model.hfields[id.index()].field);
        let window = LaneWindow::whole(&field);
        Some(TerrainParams { geom, field, window })
    };
    let kinds = model.geoms.iter().map(|geom| geom.kind);
    kinds.enumerate().filter_map(terrain).collect()
}
