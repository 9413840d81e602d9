//! Every intermediate of a forward pass under MuJoCo's names, for one world.
//!
//! Comparison with MuJoCo is the point: matrices are dense, quaternions `w x y z`, the edges of pyramids are written out as rows.

mod rows;

use motrix_dynamics::configuration::Configuration;
use motrix_dynamics::sensor::momentum;
use motrix_dynamics::{Data, Params, Tables, energy, frames, inertia};
use motrix_model::Model;
use motrix_spatial::algebra::quat_from_mat;
use motrix_spatial::{Lanes, Mask, Real};

/// A named array in `f64`.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// MuJoCo's name.
    pub name: &'static str,
    /// Shape, row-major.
    pub shape: Vec<usize>,
    /// Numbers.
    pub data: Vec<f64>,
}

/// Lists the intermediates of lane `k`, those included that a step did not need.
pub fn of_lane<L: Lanes>(
    model: &Model,
    tables: &Tables<L::Elem>,
    params: &Params<L>,
    data: &mut Data<L>,
    k: usize,
) -> Vec<Array> {
    frames::all_geoms(&tables.tree.frames, params, &mut data.poses);
    inertia::factor(&tables.pattern, &mut data.inertia);
    let mut list = Listing {
        lane: k,
        arrays: Vec::new(),
    };
    list.state(data);
    list.poses(data);
    list.cameras(tables, data);
    list.dynamics(model, tables, params, data);
    list.momenta(tables, params, data);
    list.energy(tables, params, data);
    list.contacts(model, tables, data);
    list.rows(tables, data);
    list.arrays
}

/// Arrays of one lane under construction.
struct Listing {
    lane: usize,
    arrays: Vec<Array>,
}

impl Listing {
    fn number<L: Lanes>(&self, x: L) -> f64 {
        x.lane(self.lane).to_f64()
    }

    fn put(&mut self, name: &'static str, shape: &[usize], data: Vec<f64>) {
        self.arrays.push(Array {
            name,
            shape: shape.to_vec(),
            data,
        });
    }

    fn vector<L: Lanes>(&mut self, name: &'static str, x: &[L]) {
        let data = x.iter().map(|v| self.number(*v)).collect();
        self.put(name, &[x.len()], data);
    }

    fn matrix<L: Lanes, const N: usize>(&mut self, name: &'static str, x: &[[L; N]]) {
        let data = x.as_flattened().iter().map(|v| self.number(*v)).collect();
        self.put(name, &[x.len(), N], data);
    }

    /// Rotations as quaternions `w x y z`.
    fn orientations<L: Lanes>(&mut self, name: &'static str, x: &[[L; 9]]) {
        let quaternions: Vec<_> = x.iter().map(|m| quat_from_mat(m)).collect();
        self.matrix(name, &quaternions);
    }

    /// Rows over some dofs each, written out over all.
    fn dense<'a, L: Lanes>(&mut self, name: &'static str, nv: usize, rows: impl Iterator<Item = (&'a [L], &'a [u32])>) {
        let mut dense = Vec::new();
        for (values, dofs) in rows {
            let start = dense.len();
            dense.resize(start + nv, 0.0);
            for (value, &dof) in values.iter().zip(dofs) {
                dense[start + dof as usize] += self.number(*value);
            }
        }
        self.put(name, &[dense.len() / nv.max(1), nv], dense);
    }

    /// Potential and kinetic energy, whether or not a step computes them.
    fn energy<L: Lanes>(&mut self, tables: &Tables<L::Elem>, params: &Params<L>, data: &Data<L>) {
        let at = configuration(tables, params, data);
        let (options, springs) = (&tables.options, &tables.passive);
        let potential = energy::potential(options, springs, &at, &data.tendons, &data.state.plastic);
        let mut momentum = vec![L::ZERO; tables.nv];
        let kinetic = energy::kinetic(&tables.pattern, &data.inertia, &data.state.qvel, &mut momentum);
        self.vector("energy", &[potential, kinetic]);
    }

    fn momenta<L: Lanes>(&mut self, tables: &Tables<L::Elem>, params: &Params<L>, data: &Data<L>) {
        let bodies = 0..data.twists.body.len();
        let linear = |b: usize| momentum::linear_velocity(tables, params, data, b);
        let angular = |b: usize| momentum::angular_momentum(tables, params, data, b);
        self.matrix("subtree_linvel", &bodies.clone().map(linear).collect::<Vec<_>>());
        self.matrix("subtree_angmom", &bodies.map(angular).collect::<Vec<_>>());
    }

    fn state<L: Lanes>(&mut self, data: &Data<L>) {
        self.put("time", &[1], vec![data.state.time[self.lane]]);
        self.vector("qpos", &data.state.qpos);
        self.vector("qvel", &data.state.qvel);
        self.vector("act", &data.state.act);
        self.vector("qacc_warmstart", &data.state.warmstart);
        self.vector("ctrl", &data.input.ctrl);
        self.vector("qfrc_applied", &data.input.qfrc);
        self.matrix("xfrc_applied", &data.input.xfrc);
        self.matrix("mocap_pos", &data.input.mocap_position);
        self.matrix("mocap_quat", &data.input.mocap_orientation);
    }

    fn poses<L: Lanes>(&mut self, data: &Data<L>) {
        let p = &data.poses;
        self.matrix("xpos", &p.position);
        self.matrix("xquat", &p.orientation);
        self.matrix("xmat", &p.rotation);
        self.matrix("xipos", &p.com);
        self.matrix("ximat", &p.inertia_rotation);
        self.matrix("subtree_com", &p.subtree_com);
        self.matrix("xanchor", &p.anchor);
        self.matrix("xaxis", &p.axis);
        self.orientations("xiquat", &p.inertia_rotation);
        self.orientations("geom_xquat", &p.geom_rotation);
        self.orientations("site_xquat", &p.site_rotation);
        self.matrix("geom_xpos", &p.geom_position);
        self.matrix("geom_xmat", &p.geom_rotation);
        self.matrix("site_xpos", &p.site_position);
        self.matrix("site_xmat", &p.site_rotation);
    }

    fn cameras<L: Lanes>(&mut self, tables: &Tables<L::Elem>, data: &Data<L>) {
        let cameras = &tables.sensors.cameras;
        let (positions, rotations): (Vec<_>, Vec<_>) = cameras.iter().map(|c| c.frame(&data.poses)).unzip();
        self.matrix("cam_xpos", &positions);
        self.matrix("cam_xmat", &rotations);
    }

    fn dynamics<L: Lanes>(&mut self, model: &Model, tables: &Tables<L::Elem>, params: &Params<L>, data: &Data<L>) {
        let at = configuration(tables, params, data);
        let mut inertias = vec![[L::ZERO; 10]; model.bodies.len()];
        for (i, inertia) in inertias.iter_mut().enumerate().skip(1) {
            *inertia = inertia::about_tree(&at, &data.inertia, i);
        }
        self.matrix("cinert", &inertias);
        inertia::compose(&tables.tree, &mut inertias);
        self.matrix("crb", &inertias);
        self.matrix("cdof", &data.inertia.cdof);
        let nv = model.nv();
        let mut dense = vec![0.0; nv * nv];
        for i in 0..nv {
            for j in tables.pattern.columns(i).chain([i]) {
                let x = self.number(data.inertia.matrix[tables.pattern.at(i, j)]);
                (dense[i * nv + j], dense[j * nv + i]) = (x, x);
            }
        }
        self.put("qM", &[nv, nv], dense);
        let mut factors = vec![0.0; nv * nv];
        for i in 0..nv {
            factors[i * nv + i] = 1.0 / self.number(data.inertia.inverse_diagonal[i]);
            for j in tables.pattern.columns(i) {
                factors[i * nv + j] = self.number(data.inertia.factors[tables.pattern.at(i, j)]);
            }
        }
        self.put("qLD", &[nv, nv], factors);
        self.vector("qLDiagInv", &data.inertia.inverse_diagonal);
        self.matrix("cvel", &data.twists.body);
        self.matrix("cdof_dot", &data.twists.dof_rate);
        if tables.sensors.accelerations {
            self.matrix("cacc", &data.twists.total);
        }
        if tables.sensors.reactions {
            self.matrix("cfrc_ext", &data.twists.external);
            self.matrix("cfrc_int", &data.twists.interaction);
        }
        let f = &data.forces;
        self.vector("qfrc_bias", &f.bias);
        self.vector("qfrc_spring", &f.spring);
        self.vector("qfrc_damper", &f.damper);
        self.vector("qfrc_gravcomp", &f.gravcomp);
        self.vector("qfrc_fluid", &f.fluid);
        self.vector("qfrc_passive", &f.passive);
        self.vector("qfrc_actuator", &f.actuator);
        self.vector("qfrc_smooth", &f.smooth);
        self.vector("qacc_smooth", &data.solution.smooth);
        self.vector("qacc", &data.solution.acceleration);
        self.vector("qfrc_constraint", &data.solution.constraint_force);
        self.vector("ten_length", &data.tendons.length);
        self.vector("ten_velocity", &data.tendons.velocity);
        let tendons = tables.tendons.rows.iter();
        self.dense(
            "ten_J",
            nv,
            tendons.map(|t| (t.jacobian(&data.tendons), t.dofs.as_slice())),
        );
        let drives = tables.transmission.rows.iter();
        self.dense(
            "actuator_moment",
            nv,
            drives.map(|d| (d.moment(&data.actuators), d.dofs.as_slice())),
        );
        self.vector("actuator_length", &data.actuators.length);
        self.vector("actuator_velocity", &data.actuators.velocity);
        self.vector("actuator_force", &data.actuators.force);
        self.vector("act_dot", &data.actuators.activation_rate);
        self.vector("sensordata", &data.sensors);
        self.vector("solver_niter", &[data.solution.iterations]);
    }

    fn contacts<L: Lanes>(&mut self, model: &Model, tables: &Tables<L::Elem>, data: &Data<L>) {
        let mut list = Vec::new();
        crate::contact::of_lane::<L, f64>(tables, data, self.lane, &mut list);
        let n = list.len();
        self.put("ncon", &[1], vec![n as f64]);
        let flat = |f: &dyn Fn(&crate::Contact<f64>) -> Vec<f64>| list.iter().flat_map(f).collect::<Vec<f64>>();
        self.put("contact_dist", &[n], flat(&|c| vec![c.distance]));
        self.put("contact_pos", &[n, 3], flat(&|c| c.position.to_vec()));
        self.put("contact_frame", &[n, 9], flat(&|c| c.frame.to_vec()));
        self.put(
            "contact_geom",
            &[n, 2],
            flat(&|c| vec![f64::from(c.geom1), f64::from(c.geom2)]),
        );
        self.put("contact_dim", &[n], flat(&|c| vec![f64::from(c.dim)]));
        self.put("contact_friction", &[n, 5], flat(&|c| c.friction.to_vec()));
        self.put("contact_force", &[n, 6], flat(&|c| c.force.to_vec()));
        // MuJoCo's numbers: within the gap only, and between bodies that do not move against each other.
        let weld = |geom: u32| model.bodies[model.geoms[geom as usize].body.index()].weld;
        let still = |geom: u32| model.bodies[weld(geom).index()].dof_count == 0;
        let exclude = |c: &crate::Contact<f64>| {
            let fixed = weld(c.geom1) == weld(c.geom2) || still(c.geom1) && still(c.geom2);
            match (c.acting, fixed) {
                (false, _) => 1.0,
                (true, true) => 3.0,
                (true, false) => 0.0,
            }
        };
        self.put("contact_exclude", &[n], flat(&|c| vec![exclude(c)]));
        let slots = data.contacts.slots.iter().filter(|s| s.active.lane(self.lane));
        let params = |s: &motrix_dynamics::contacts::Slot<L>| {
            motrix_dynamics::contacts::pair_params(model, &tables.options, s.pair[self.lane] as usize)
        };
        let params: Vec<_> = slots.map(params).collect();
        let flat =
            |f: &dyn Fn(&motrix_model::ContactParams) -> Vec<f64>| params.iter().flat_map(f).collect::<Vec<f64>>();
        self.put("contact_solref", &[n, 2], flat(&|p| p.solref.to_vec()));
        self.put("contact_solreffriction", &[n, 2], flat(&|p| p.solref_friction.to_vec()));
        self.put("contact_solimp", &[n, 5], flat(&|p| p.solimp.to_vec()));
        self.put("contact_includemargin", &[n], flat(&|p| vec![p.margin]));
    }
}

/// What follows from positions alone.
fn configuration<'a, L: Lanes>(
    tables: &'a Tables<L::Elem>,
    params: &'a Params<L>,
    data: &'a Data<L>,
) -> Configuration<'a, L> {
    Configuration {
        tree: &tables.tree,
        chains: &tables.chains,
        params,
        qpos: &data.state.qpos,
        poses: &data.poses,
        cdof: &data.inertia.cdof,
    }
}
