//! Every intermediate of a forward pass under MuJoCo's names, for one world.
//!
//! Comparison with MuJoCo is the point: matrices are dense, quaternions `w x y z`, the edges of pyramids are written out as rows.

use motrix_dynamics::constraint::listing::{ListedRow, Listing as Rows, RowKind};
use motrix_dynamics::{Data, Tables};
use motrix_model::Model;
use motrix_spatial::{Lanes, Real};

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

/// Lists the intermediates of lane `k`.
pub fn of_lane<L: Lanes>(model: &Model, tables: &Tables<L::Elem>, data: &Data<L>, k: usize) -> Vec<Array> {
    let mut list = Listing {
        lane: k,
        arrays: Vec::new(),
    };
    list.state(data);
    list.poses(data);
    list.cameras(tables, data);
    list.dynamics(model, tables, data);
    list.contacts(tables, data);
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

    fn dynamics<L: Lanes>(&mut self, model: &Model, tables: &Tables<L::Elem>, data: &Data<L>) {
        self.matrix("cinert", &data.inertia.body);
        self.matrix("crb", &data.inertia.composite);
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
        self.vector("actuator_length", &data.actuators.length);
        self.vector("actuator_velocity", &data.actuators.velocity);
        self.vector("actuator_force", &data.actuators.force);
        self.vector("act_dot", &data.actuators.activation_rate);
        self.vector("sensordata", &data.sensors);
        self.vector("energy", &data.energy);
        self.vector("solver_niter", &[data.solution.iterations]);
    }

    fn contacts<L: Lanes>(&mut self, tables: &Tables<L::Elem>, data: &Data<L>) {
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
        self.put("contact_exclude", &[n], flat(&|c| vec![f64::from(u8::from(!c.acting))]));
    }

    /// Constraint rows in MuJoCo's order.
    fn rows<L: Lanes>(&mut self, tables: &Tables<L::Elem>, data: &Data<L>) {
        let mut list = Rows::default();
        let (cone, nv) = (tables.solver.cone, tables.nv);
        list.fill(&data.rows, &data.contacts.slots, cone, nv, self.lane);
        let n = list.rows.len();
        let column = |f: fn(&ListedRow) -> f64| list.rows.iter().map(f).collect::<Vec<f64>>();
        self.put("nefc", &[1], vec![n as f64]);
        let of = |kinds: [RowKind; 2]| list.rows.iter().filter(|r| kinds.contains(&r.kind)).count() as f64;
        self.put("ne", &[1], vec![of([RowKind::Equality; 2])]);
        self.put("nf", &[1], vec![of([RowKind::DofFriction, RowKind::TendonFriction])]);
        self.put("nl", &[1], vec![of([RowKind::JointLimit, RowKind::TendonLimit])]);
        let velocity = |i: usize| -> f64 {
            let qvel = data.state.qvel.iter().map(|v| v.lane(self.lane).to_f64());
            list.jacobian_of(i).iter().zip(qvel).map(|(j, v)| j * v).sum()
        };
        self.put("efc_vel", &[n], (0..n).map(velocity).collect());
        self.put("efc_type", &[n], column(|r| f64::from(r.kind as u8)));
        self.put("efc_id", &[n], column(|r| r.id as f64));
        self.put("efc_pos", &[n], column(|r| r.position));
        self.put("efc_margin", &[n], column(|r| r.margin));
        self.put("efc_D", &[n], column(|r| r.weight));
        self.put("efc_R", &[n], column(|r| 1.0 / r.weight));
        self.put("efc_aref", &[n], column(|r| r.reference));
        self.put("efc_frictionloss", &[n], column(|r| r.loss));
        // Solvers in the space of forces keep theirs row by row; the others' follow from the accelerations.
        let force = match data.solution.dual.forces_of(self.lane) {
            Some(solved) => solved.to_vec(),
            None => column(|r| r.force),
        };
        self.put("efc_force", &[n], force);
        self.put("efc_J", &[n, nv], list.jacobian);
    }
}
