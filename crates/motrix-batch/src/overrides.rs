//! Parameters of single worlds that differ from the model's.
//!
//! A field is stored once some world overrides it: one row per world, filled with the model's values. Groups of worlds load the
//! stored fields into their lanes; what nobody overrides stays shared.

use std::sync::Arc;

use motrix_collide::Window;
use motrix_dynamics::Params;
use motrix_dynamics::params::DofParams;
use motrix_dynamics::reference::Reference;
use motrix_model::{GeomKind, Model};
use motrix_spatial::{Lanes, Mask, Real};

use crate::digest::Digest;
use crate::selection::Selection;

/// A parameter that a world may override.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Overridden {
    /// Gravity, 3 numbers.
    Gravity,
    /// Mass, per body.
    Mass,
    /// Principal inertia, 3 per body.
    Inertia,
    /// Centre of mass in the body, 3 per body.
    CentreOfMass,
    /// Rotor inertia, per dof.
    Armature,
    /// Damping, per dof.
    Damping,
    /// Dry friction, per dof.
    FrictionLoss,
    /// Size, 3 per geom.
    GeomSize,
    /// Friction, 3 per geom.
    GeomFriction,
    /// First three gain parameters, per actuator.
    ActuatorGain,
    /// First three bias parameters, per actuator.
    ActuatorBias,
    /// Mass of the body and all its descendants, per body; follows from the masses.
    SubtreeMass,
    /// Bounding radius, per geom; follows from the size.
    BoundingRadius,
    /// Inverse weight, 2 per body; follows from everything that has mass.
    BodyWeight,
    /// Inverse weight, per dof; follows likewise.
    DofWeight,
    /// Inverse weight, per tendon; follows likewise.
    TendonWeight,
    /// Window of a height field geom, 5 per such geom: first row, first column, rows, columns, factor of the heights.
    TerrainWindow,
    /// Orientation `w x y z` of the principal axes in the body, 4 per body.
    PrincipalAxes,
}

impl Overridden {
    /// All parameters.
    pub const ALL: [Overridden; 18] = [
        Overridden::Gravity,
        Overridden::Mass,
        Overridden::Inertia,
        Overridden::CentreOfMass,
        Overridden::Armature,
        Overridden::Damping,
        Overridden::FrictionLoss,
        Overridden::GeomSize,
        Overridden::GeomFriction,
        Overridden::ActuatorGain,
        Overridden::ActuatorBias,
        Overridden::SubtreeMass,
        Overridden::BoundingRadius,
        Overridden::BodyWeight,
        Overridden::DofWeight,
        Overridden::TendonWeight,
        Overridden::TerrainWindow,
        Overridden::PrincipalAxes,
    ];

    /// What gives a world its mass: the inverse weights follow from these.
    pub const MASSES: [Overridden; 5] = [
        Overridden::Mass,
        Overridden::Inertia,
        Overridden::PrincipalAxes,
        Overridden::CentreOfMass,
        Overridden::Armature,
    ];

    /// The model's values, as a row.
    pub fn of_model(self, model: &Model) -> Vec<f64> {
        match self {
            Overridden::Gravity => model.options.gravity.to_vec(),
            Overridden::Mass => model.bodies.iter().map(|b| b.mass).collect(),
            Overridden::Inertia => model.bodies.iter().flat_map(|b| b.inertia).collect(),
            Overridden::CentreOfMass => model.bodies.iter().flat_map(|b| b.com).collect(),
            Overridden::Armature => model.dofs.iter().map(|d| d.armature).collect(),
            Overridden::Damping => model.dofs.iter().map(|d| d.damping).collect(),
            Overridden::FrictionLoss => model.dofs.iter().map(|d| d.frictionloss).collect(),
            Overridden::GeomSize => model.geoms.iter().flat_map(|g| g.size).collect(),
            Overridden::GeomFriction => model.geoms.iter().flat_map(|g| g.friction).collect(),
            Overridden::ActuatorGain => model.actuators.iter().flat_map(|a| first3(&a.gain_params)).collect(),
            Overridden::ActuatorBias => model.actuators.iter().flat_map(|a| first3(&a.bias_params)).collect(),
            Overridden::SubtreeMass => model.bodies.iter().map(|b| b.subtree_mass).collect(),
            Overridden::BoundingRadius => model.geoms.iter().map(|g| g.bounding_radius).collect(),
            Overridden::BodyWeight => model.bodies.iter().flat_map(|b| b.invweight).collect(),
            Overridden::DofWeight => model.dofs.iter().map(|d| d.invweight).collect(),
            Overridden::TendonWeight => model.tendons.iter().map(|t| t.invweight).collect(),
            Overridden::TerrainWindow => model
                .geoms
                .iter()
                .filter_map(|g| whole_field(model, g.kind))
                .flatten()
                .collect(),
            Overridden::PrincipalAxes => model.bodies.iter().flat_map(|b| b.inertia_orientation).collect(),
        }
    }
}

/// Numbers of [`Overridden::TerrainWindow`] per geom.
pub const WINDOW_WIDTH: usize = 5;

/// The window of a height field geom that shows all of it.
fn whole_field(model: &Model, kind: GeomKind) -> Option<[f64; WINDOW_WIDTH]> {
    let GeomKind::HField(field) = kind else { return None };
    let Window {
        row,
        col,
        rows,
        cols,
        z_scale,
    } = Window::whole(&model.hfields[field.index()].field);
    Some([row as f64, col as f64, rows as f64, cols as f64, z_scale])
}

/// The window that such numbers describe.
pub fn window<E: Real>(numbers: &[E]) -> Window {
    let count = |k: usize| numbers[k].to_f64() as usize;
    Window {
        row: count(0),
        col: count(1),
        rows: count(2),
        cols: count(3),
        z_scale: numbers[4].to_f64(),
    }
}

fn first3(params: &[f64; 10]) -> [f64; 3] {
    [params[0], params[1], params[2]]
}

/// The overrides of a batch.
#[derive(Clone, Debug)]
pub struct Overrides<E> {
    count: usize,
    /// One row of the model's values per parameter.
    defaults: Arc<[Vec<E>]>,
    /// One row per world for each parameter that is overridden somewhere; empty otherwise.
    rows: Vec<Vec<E>>,
}

impl<E: Real> Overrides<E> {
    /// None, for no worlds of the same model.
    pub(crate) fn like(&self) -> Self {
        Self {
            count: 0,
            defaults: Arc::clone(&self.defaults),
            rows: vec![Vec::new(); Overridden::ALL.len()],
        }
    }

    /// No overrides.
    pub fn new(model: &Model, count: usize) -> Self {
        let row = |field: Overridden| field.of_model(model).into_iter().map(E::from_f64).collect();
        Self {
            count,
            defaults: Overridden::ALL.into_iter().map(row).collect(),
            rows: vec![Vec::new(); Overridden::ALL.len()],
        }
    }

    /// Whether some world overrides something.
    pub fn any(&self) -> bool {
        self.rows.iter().any(|rows| !rows.is_empty())
    }

    /// The values of a world.
    pub fn get(&self, field: Overridden, world: usize) -> &[E] {
        let (defaults, rows) = (&self.defaults[field as usize], &self.rows[field as usize]);
        let width = defaults.len();
        if rows.is_empty() {
            defaults
        } else {
            &rows[world * width..(world + 1) * width]
        }
    }

    /// The values of a world, to write.
    pub fn get_mut(&mut self, field: Overridden, world: usize) -> &mut [E] {
        let defaults = &self.defaults[field as usize];
        let width = defaults.len();
        let rows = &mut self.rows[field as usize];
        if rows.is_empty() {
            rows.reserve_exact(self.count * width);
            for _ in 0..self.count {
                rows.extend_from_slice(defaults);
            }
        }
        &mut rows[world * width..(world + 1) * width]
    }

    /// Whether some world overrides this parameter.
    pub fn has(&self, field: Overridden) -> bool {
        !self.rows[field as usize].is_empty()
    }

    /// Gives the selected worlds the model's values again.
    pub fn clear(&mut self, selection: Selection) {
        let count = self.count;
        for (defaults, rows) in self.defaults.iter().zip(&mut self.rows) {
            if rows.is_empty() {
                continue;
            }
            if matches!(selection, Selection::All) {
                rows.clear();
                continue;
            }
            let width = defaults.len();
            for world in selection.iter(count) {
                rows[world * width..(world + 1) * width].copy_from_slice(defaults);
            }
        }
    }

    /// The parameters that some world overrides, one bit each in the order of [`Overridden::ALL`].
    pub(crate) fn fields(&self) -> u64 {
        let stored = self.rows.iter().enumerate().filter(|(_, rows)| !rows.is_empty());
        stored.fold(0, |set, (i, _)| set | 1 << i)
    }

    /// Numbers per world of each parameter.
    pub(crate) fn widths(&self) -> [usize; Overridden::ALL.len()] {
        std::array::from_fn(|i| self.defaults[i].len())
    }

    /// Gives world `to` the values of world `from`.
    pub(crate) fn copy(&mut self, from: usize, to: usize) {
        for (defaults, rows) in self.defaults.iter().zip(&mut self.rows) {
            if !rows.is_empty() {
                let width = defaults.len();
                rows.copy_within(from * width..(from + 1) * width, to * width);
            }
        }
    }

    /// Folds in every value of a world that is not the model's.
    ///
    /// Whether a parameter is stored does not matter: it is, with the model's value, as soon as another world overrides it.
    pub(crate) fn fold(&self, world: usize, digest: &mut Digest) {
        for (field, defaults) in self.defaults.iter().enumerate() {
            for (i, (x, default)) in self.get(Overridden::ALL[field], world).iter().zip(defaults).enumerate() {
                if x.bits() != default.bits() {
                    digest.word((field as u64) << 32 | i as u64);
                    digest.word(x.bits());
                }
            }
        }
    }

    /// Copies the selected worlds into `to`.
    pub(crate) fn gather(&self, selection: Selection, to: &mut Self) {
        to.count = selection.len(self.count);
        for (i, rows) in self.rows.iter().enumerate() {
            to.rows[i].clear();
            if rows.is_empty() {
                continue;
            }
            let width = self.defaults[i].len();
            for world in selection.iter(self.count) {
                to.rows[i].extend_from_slice(&rows[world * width..(world + 1) * width]);
            }
        }
    }

    /// Brings the inverse weights of a world up to date with its masses. `reference` is that of the model.
    pub fn weigh(&mut self, world: usize, reference: &mut Reference) {
        // Axes that no world overrides stay the reference's own.
        reference.params.principal_axes.clear();
        let stored = |field: &Overridden| *field != Overridden::PrincipalAxes || self.has(*field);
        for field in Overridden::MASSES.into_iter().filter(stored) {
            write_lane::<f64, E>(field, self.get(field, world), 0, &mut reference.params);
        }
        reference.weigh();
        let params = &reference.params;
        let put = |to: &mut [E], from: &mut dyn Iterator<Item = f64>| {
            to.iter_mut().zip(from).for_each(|(x, w)| *x = E::from_f64(w));
        };
        let mut bodies = params.bodies.iter().flat_map(|b| b.invweight);
        put(self.get_mut(Overridden::BodyWeight, world), &mut bodies);
        let mut dofs = params.dofs.iter().map(|d| d.invweight);
        put(self.get_mut(Overridden::DofWeight, world), &mut dofs);
        let mut tendons = params.tendon_invweight.iter().copied();
        put(self.get_mut(Overridden::TendonWeight, world), &mut tendons);
        let mut sums = params.bodies.iter().map(|b| b.subtree_mass);
        put(self.get_mut(Overridden::SubtreeMass, world), &mut sums);
    }

    /// Fills the lanes of `params` with the values of the worlds `index`, counted from `first`; further lanes repeat the last one.
    pub(crate) fn load<L: Lanes>(&self, model: &Model, first: usize, index: &[u32], params: &mut Params<L>) {
        for field in Overridden::ALL {
            if self.rows[field as usize].is_empty() {
                continue;
            }
            for lane in 0..L::COUNT {
                let world = first + index[lane.min(index.len() - 1)] as usize;
                write_lane(field, self.get(field, world), lane, params);
            }
        }
        if [Overridden::GeomSize, Overridden::CentreOfMass]
            .iter()
            .any(|f| !self.rows[*f as usize].is_empty())
        {
            params.bound(model);
        }
        if !self.rows[Overridden::Damping as usize].is_empty() {
            let damped = |d: &DofParams<L>| d.damping.gt(L::ZERO).any();
            params.any_damping = params.dofs.iter().any(damped);
        }
    }
}

/// Writes one world's values of a parameter into a lane.
fn write_lane<L: Lanes, S: Real>(field: Overridden, row: &[S], lane: usize, params: &mut Params<L>) {
    fn set<L: Lanes, S: Real>(target: &mut L, lane: usize, value: S) {
        target.set_lane(lane, L::Elem::from_f64(value.to_f64()));
    }
    fn set3<L: Lanes, S: Real>(target: &mut [L; 3], lane: usize, values: &[S]) {
        for (t, v) in target.iter_mut().zip(values) {
            set(t, lane, *v);
        }
    }
    let threes = row.chunks_exact(3);
    match field {
        Overridden::Gravity => set3(&mut params.gravity, lane, row),
        Overridden::Mass => params
            .bodies
            .iter_mut()
            .zip(row)
            .for_each(|(b, v)| set(&mut b.mass, lane, *v)),
        Overridden::Inertia => params
            .bodies
            .iter_mut()
            .zip(threes)
            .for_each(|(b, v)| set3(&mut b.inertia, lane, v)),
        Overridden::CentreOfMass => params
            .bodies
            .iter_mut()
            .zip(threes)
            .for_each(|(b, v)| set3(&mut b.com, lane, v)),
        Overridden::Armature => params
            .dofs
            .iter_mut()
            .zip(row)
            .for_each(|(d, v)| set(&mut d.armature, lane, *v)),
        Overridden::Damping => params
            .dofs
            .iter_mut()
            .zip(row)
            .for_each(|(d, v)| set(&mut d.damping, lane, *v)),
        Overridden::FrictionLoss => {
            params
                .dofs
                .iter_mut()
                .zip(row)
                .for_each(|(d, v)| set(&mut d.frictionloss, lane, *v));
        }
        Overridden::GeomSize => params
            .geoms
            .iter_mut()
            .zip(threes)
            .for_each(|(g, v)| set3(&mut g.size, lane, v)),
        Overridden::GeomFriction => {
            params
                .geoms
                .iter_mut()
                .zip(threes)
                .for_each(|(g, v)| set3(&mut g.friction, lane, v));
        }
        Overridden::ActuatorGain => {
            params
                .actuators
                .iter_mut()
                .zip(threes)
                .for_each(|(a, v)| set3(&mut a.gain, lane, v));
        }
        Overridden::ActuatorBias => {
            params
                .actuators
                .iter_mut()
                .zip(threes)
                .for_each(|(a, v)| set3(&mut a.bias, lane, v));
        }
        Overridden::SubtreeMass => params
            .bodies
            .iter_mut()
            .zip(row)
            .for_each(|(b, v)| set(&mut b.subtree_mass, lane, *v)),
        Overridden::BoundingRadius => params
            .geoms
            .iter_mut()
            .zip(row)
            .for_each(|(g, v)| set(&mut g.bounding_radius, lane, *v)),
        Overridden::BodyWeight => {
            for (b, v) in params.bodies.iter_mut().zip(row.chunks_exact(2)) {
                set(&mut b.invweight[0], lane, v[0]);
                set(&mut b.invweight[1], lane, v[1]);
            }
        }
        Overridden::DofWeight => params
            .dofs
            .iter_mut()
            .zip(row)
            .for_each(|(d, v)| set(&mut d.invweight, lane, *v)),
        Overridden::TendonWeight => params
            .tendon_invweight
            .iter_mut()
            .zip(row)
            .for_each(|(t, v)| set(t, lane, *v)),
        Overridden::TerrainWindow => {
            for (terrain, numbers) in params.terrain.iter_mut().zip(row.chunks_exact(WINDOW_WIDTH)) {
                let shown = window(numbers);
                // Rows may come from outside of this program; one that does not fit shows the whole field.
                if shown.fits(&terrain.field) {
                    terrain.window.set_lane(lane, &terrain.field, shown);
                }
            }
        }
        Overridden::PrincipalAxes => {
            let axes = &mut params.principal_axes;
            axes.resize(row.len() / 4, [L::ZERO; 4]);
            for (to, from) in axes.iter_mut().zip(row.chunks_exact(4)) {
                to.iter_mut().zip(from).for_each(|(t, v)| set(t, lane, *v));
            }
        }
    }
}
