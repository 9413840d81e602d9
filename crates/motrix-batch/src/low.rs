//! Every intermediate of a forward pass under MuJoCo's names, for one world.
//!
//! Comparison with MuJoCo is the point: matrices are dense, quaternions `w x y z`, the edges of pyramids are written out as rows.

use motrix_dynamics::constraint::{Block, BlockKind};
use motrix_dynamics::{Data, Tables};
use motrix_model::{Cone, Model};
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

/// Lists the intermediates of lane `k`.
pub fn of_lane<L: Lanes>(model: &Model, tables: &Tables<L::Elem>, data: &Data<L>, k: usize) -> Vec<Array> {
    let mut list = Listing {
        lane: k,
        arrays: Vec::new(),
    };
    list.state(data);
    list.poses(data);
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
    }

    /// Constraint rows in MuJoCo's order: equalities, friction, limits, contacts.
    fn rows<L: Lanes>(&mut self, tables: &Tables<L::Elem>, data: &Data<L>) {
        let rows = &data.rows;
        let mut efc = Efc {
            nv: tables.nv,
            ..Efc::default()
        };
        let n = |x: L| x.lane(self.lane).to_f64();
        let blocks = |wanted: fn(&BlockKind) -> bool| rows.blocks.iter().filter(move |b| wanted(&b.kind));
        for b in blocks(|k| matches!(k, BlockKind::Equality(_))) {
            efc.block(self.lane, data, b, 0);
        }
        for r in rows.friction.iter().filter(|r| n(r.weight) > 0.0) {
            efc.unit(
                1,
                r.dof,
                1.0,
                [0.0, 0.0, n(r.weight), n(r.reference), n(r.force), n(r.loss)],
            );
        }
        for b in blocks(|k| matches!(k, BlockKind::TendonFriction(_))) {
            efc.block(self.lane, data, b, 2);
        }
        for r in rows.limits.iter().filter(|r| n(r.weight) > 0.0) {
            let sign = if r.upper { -1.0 } else { 1.0 };
            efc.unit(
                3,
                r.dof,
                sign,
                [n(r.distance), n(r.margin), n(r.weight), n(r.reference), n(r.force), 0.0],
            );
        }
        for b in blocks(|k| matches!(k, BlockKind::BallLimit(_))) {
            efc.block(self.lane, data, b, 3);
        }
        for b in blocks(|k| matches!(k, BlockKind::TendonLimit(..))) {
            efc.block(self.lane, data, b, 4);
        }
        for b in blocks(|k| matches!(k, BlockKind::Contact(_))) {
            efc.contact(self.lane, tables, data, b);
        }
        let rows = efc.kind.len();
        self.put("nefc", &[1], vec![rows as f64]);
        self.put("efc_type", &[rows], efc.kind);
        self.put("efc_J", &[rows, tables.nv], efc.jacobian);
        self.put("efc_pos", &[rows], efc.position);
        self.put("efc_margin", &[rows], efc.margin);
        self.put("efc_D", &[rows], efc.weight);
        self.put("efc_aref", &[rows], efc.reference);
        self.put("efc_force", &[rows], efc.force);
        self.put("efc_frictionloss", &[rows], efc.loss);
    }
}

/// Rows as MuJoCo lays them out.
#[derive(Default)]
struct Efc {
    nv: usize,
    kind: Vec<f64>,
    jacobian: Vec<f64>,
    position: Vec<f64>,
    margin: Vec<f64>,
    weight: Vec<f64>,
    reference: Vec<f64>,
    force: Vec<f64>,
    loss: Vec<f64>,
}

impl Efc {
    /// A row: position, margin, weight, reference, force, loss.
    fn push(&mut self, kind: u8, jacobian: &[f64], [position, margin, weight, reference, force, loss]: [f64; 6]) {
        self.kind.push(f64::from(kind));
        self.jacobian.extend_from_slice(jacobian);
        self.position.push(position);
        self.margin.push(margin);
        self.weight.push(weight);
        self.reference.push(reference);
        self.force.push(force);
        self.loss.push(loss);
    }

    fn unit(&mut self, kind: u8, dof: usize, sign: f64, numbers: [f64; 6]) {
        let mut jacobian = vec![0.0; self.nv];
        jacobian[dof] = sign;
        self.push(kind, &jacobian, numbers);
    }

    /// Row `r` of a block, dense.
    fn dense<L: Lanes>(&self, k: usize, data: &Data<L>, block: &Block<L>, r: usize) -> Vec<f64> {
        let mut row = vec![0.0; self.nv];
        for d in 0..block.dof_count {
            let dof = data.rows.support[block.first_dof + d] as usize;
            row[dof] += data.rows.jacobian[block.jacobian + d * block.dim + r].lane(k).to_f64();
        }
        row
    }

    fn block<L: Lanes>(&mut self, k: usize, data: &Data<L>, block: &Block<L>, kind: u8) {
        let n = |x: L| x.lane(k).to_f64();
        if n(block.weight[0]) <= 0.0 {
            return;
        }
        for r in 0..block.dim {
            let loss = if kind == 2 { n(block.friction[0]) } else { 0.0 };
            let margin = if r == 0 { n(block.margin) } else { 0.0 };
            let jacobian = self.dense(k, data, block, r);
            let numbers = [
                n(block.violation[r]),
                margin,
                n(block.weight[r]),
                n(block.reference[r]),
                n(block.force[r]),
                loss,
            ];
            self.push(kind, &jacobian, numbers);
        }
    }

    fn contact<L: Lanes>(&mut self, k: usize, tables: &Tables<L::Elem>, data: &Data<L>, block: &Block<L>) {
        let BlockKind::Contact(index) = block.kind else { return };
        let slot = &data.contacts.slots[index];
        if !slot.acting.lane(k) {
            return;
        }
        let n = |x: L| x.lane(k).to_f64();
        let dim = slot.lane_dim.lane(k).to_f64() as usize;
        let (distance, margin) = (n(slot.distance), n(slot.margin));
        let normal = self.dense(k, data, block, 0);
        if dim == 1 {
            let numbers = [
                distance,
                margin,
                n(block.weight[0]),
                n(block.reference[0]),
                n(block.force[0]),
                0.0,
            ];
            self.push(5, &normal, numbers);
            return;
        }
        match tables.solver.cone {
            Cone::Elliptic => {
                for r in 0..dim {
                    let (p, m) = if r == 0 { (distance, margin) } else { (0.0, 0.0) };
                    let numbers = [p, m, n(block.weight[r]), n(block.reference[r]), n(block.force[r]), 0.0];
                    let jacobian = self.dense(k, data, block, r);
                    self.push(7, &jacobian, numbers);
                }
            }
            Cone::Pyramidal => {
                for r in 1..dim {
                    let side = self.dense(k, data, block, r);
                    for sign in [1.0, -1.0] {
                        let mu = sign * n(block.friction[r]);
                        let jacobian: Vec<f64> = normal.iter().zip(&side).map(|(a, b)| a + mu * b).collect();
                        let reference = n(block.reference[0]) + mu * n(block.reference[r]);
                        let residual = n(block.residual[0]) + mu * n(block.residual[r]);
                        let weight = n(block.weight[r]);
                        let force = -(weight * residual.min(0.0));
                        self.push(6, &jacobian, [distance, margin, weight, reference, force, 0.0]);
                    }
                }
            }
        }
    }
}
