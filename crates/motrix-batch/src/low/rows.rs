//! Constraint rows and islands of one world, in MuJoCo's order.
//!
//! What the solver does not keep is worked out again from what it does: the impedance d of a row from its violation, the diagonal of
//! the inverse inertia that the row was weighed with as R d/(1 − d), its state from the force or, for round cones, from the zone of
//! its residual.

use motrix_dynamics::constraint::listing::{ListedRow, Listing as Rows, RowKind};
use motrix_dynamics::constraint::{Block, BlockKind, exact, surface};
use motrix_dynamics::{Data, Tables};
use motrix_spatial::{Lanes, Mask, Real};

use super::Listing;

/// Numbers of `mjtConstraintState`.
const SATISFIED: f64 = 0.0;
const QUADRATIC: f64 = 1.0;
const LINEAR_NEGATIVE: f64 = 2.0;
const LINEAR_POSITIVE: f64 = 3.0;
const CONE: f64 = 4.0;

/// The rows of a lane beside where they come from.
struct Origin<'a, L: Lanes> {
    tables: &'a Tables<L::Elem>,
    data: &'a Data<L>,
    lane: usize,
    /// Block of each contact of the lane, by number; none where it does not act.
    contacts: Vec<Option<&'a Block<L>>>,
    /// Slot of each contact of the lane.
    slots: Vec<usize>,
}

impl<'a, L: Lanes> Origin<'a, L> {
    fn new(tables: &'a Tables<L::Elem>, data: &'a Data<L>, lane: usize) -> Self {
        let here = |(_, slot): &(usize, &motrix_dynamics::contacts::Slot<L>)| slot.active.lane(lane);
        let slots: Vec<usize> = data
            .contacts
            .slots
            .iter()
            .enumerate()
            .filter(here)
            .map(|(i, _)| i)
            .collect();
        let block = |slot: &usize| data.rows.blocks.iter().find(|b| b.kind == BlockKind::Contact(*slot));
        Self {
            contacts: slots.iter().map(block).collect(),
            slots,
            tables,
            data,
            lane,
        }
    }

    fn number(&self, x: L) -> f64 {
        x.lane(self.lane).to_f64()
    }

    /// The impedance of a row: d and 1 − d.
    fn impedance(&self, row: &ListedRow) -> [f64; 2] {
        let (t, slots) = (self.tables, &self.data.contacts.slots);
        let of_block = |kind: BlockKind| {
            let block = self.data.rows.blocks.iter().find(|b| b.kind == kind);
            block.map(|b| exact::impedance(t, slots, b))
        };
        let found = match row.kind {
            RowKind::Equality => of_block(BlockKind::Equality(row.id)),
            RowKind::DofFriction => t.friction.iter().find(|f| f.dof == row.id).map(|f| f.impedance.splat()),
            RowKind::TendonFriction => of_block(BlockKind::TendonFriction(row.id)),
            RowKind::JointLimit => {
                let scalar = t.limits.iter().find(|l| l.joint == row.id);
                let excess = L::c(row.position - row.margin);
                let at = scalar.map(|l| l.stop.impedance.splat::<L>().at(excess));
                at.or_else(|| of_block(BlockKind::BallLimit(row.id)))
            }
            RowKind::TendonLimit => {
                let limit = t.tendon_limits.iter().find(|l| l.tendon == row.id);
                limit.map(|l| l.stop.impedance.splat::<L>().at(L::c(row.position - row.margin)))
            }
            RowKind::Frictionless | RowKind::Edge | RowKind::Cone => of_block(BlockKind::Contact(self.slots[row.id])),
        };
        found.map_or([0.0, 1.0], |level| [level.d, level.lack].map(|x| self.number(x)))
    }

    /// What surfaces that move by themselves add to the velocity of a contact's row.
    fn driven(&self, row: &ListedRow) -> f64 {
        let mut velocity = [L::ZERO; 6];
        if matches!(row.kind, RowKind::Edge | RowKind::Cone) {
            let slot = &self.data.contacts.slots[self.slots[row.id]];
            let (t, poses) = (self.tables, &self.data.poses);
            surface::drive(&t.surfaces, &t.pairs, poses, slot, &mut velocity);
        }
        match row.kind {
            RowKind::Cone => self.number(velocity[row.part]),
            // Two edges for each direction of friction, one each way.
            RowKind::Edge => {
                let way = if row.part.is_multiple_of(2) {
                    row.friction
                } else {
                    -row.friction
                };
                way * self.number(velocity[1 + row.part / 2])
            }
            _ => 0.0,
        }
    }

    /// Where the cost of a row stands (`mjtConstraintState`).
    fn state(&self, row: &ListedRow, force: f64) -> f64 {
        match row.kind {
            RowKind::Equality => QUADRATIC,
            RowKind::DofFriction | RowKind::TendonFriction if force.abs() < row.loss => QUADRATIC,
            RowKind::DofFriction | RowKind::TendonFriction if force > 0.0 => LINEAR_NEGATIVE,
            RowKind::DofFriction | RowKind::TendonFriction => LINEAR_POSITIVE,
            RowKind::Cone => self.contacts[row.id].map_or(SATISFIED, |block| self.zone(block, row.span)),
            _ if force > 0.0 => QUADRATIC,
            _ => SATISFIED,
        }
    }

    /// The zone of a round cone: no force, sticking, or on the cone.
    fn zone(&self, block: &Block<L>, dim: usize) -> f64 {
        let n = |x: L| self.number(x);
        let mu = n(block.friction[0]);
        let normal = mu * n(block.residual[0]);
        let square: f64 = (1..dim)
            .map(|k| (n(block.friction[k]) * n(block.residual[k])).powi(2))
            .sum();
        let tangential = square.sqrt();
        if normal >= mu * tangential {
            SATISFIED
        } else if mu * normal + tangential <= 0.0 {
            QUADRATIC
        } else {
            CONE
        }
    }
}

impl Listing {
    /// Constraint rows, and where each contact's begin.
    pub(super) fn rows<L: Lanes>(&mut self, tables: &Tables<L::Elem>, data: &Data<L>) {
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
        let origin = Origin::new(tables, data, self.lane);
        let velocity = |i: usize| -> f64 {
            let qvel = data.state.qvel.iter().map(|v| v.lane(self.lane).to_f64());
            let moving: f64 = list.jacobian_of(i).iter().zip(qvel).map(|(j, v)| j * v).sum();
            moving + origin.driven(&list.rows[i])
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
        let diagonal = |r: &ListedRow| {
            let [d, lack] = origin.impedance(r);
            d / (r.weight * lack)
        };
        self.put("efc_diagA", &[n], list.rows.iter().map(diagonal).collect());
        let states = list.rows.iter().zip(&force).map(|(r, f)| origin.state(r, *f));
        self.put("efc_state", &[n], states.collect());
        self.put(
            "contact_efc_address",
            &[origin.slots.len()],
            addresses(&list, origin.slots.len()),
        );
        self.put("efc_force", &[n], force);
        self.islands(tables, &list);
        self.put("efc_J", &[n, nv], list.jacobian);
    }

    /// Groups of trees that constraints couple, numbered by their first row; −1 for trees without constraints.
    fn islands<E>(&mut self, tables: &Tables<E>, list: &Rows) {
        let tree_of = |row: usize| {
            let dofs = list.jacobian_of(row).iter().enumerate().filter(|(_, j)| **j != 0.0);
            dofs.map(|(dof, _)| tables.dof_tree[dof])
        };
        let mut group: Vec<usize> = (0..tables.trees.len()).collect();
        for row in 0..list.rows.len() {
            let trees: Vec<usize> = tree_of(row).map(|t| group[t]).collect();
            let Some(&first) = trees.iter().min() else { continue };
            for g in group.iter_mut().filter(|g| trees.contains(g)) {
                *g = first;
            }
        }
        let mut number = vec![-1.0; tables.trees.len()];
        let mut count = 0.0;
        for tree in 0..group.len() {
            let constrained = (0..list.rows.len()).any(|row| tree_of(row).any(|t| t == tree));
            if constrained && group[tree] == tree {
                number[tree] = count;
                count += 1.0;
            }
            if constrained {
                number[tree] = number[group[tree]];
            }
        }
        let of_row = |row: usize| tree_of(row).next().map_or(-1.0, |t| number[t]);
        self.put("nisland", &[1], vec![count]);
        self.put(
            "efc_island",
            &[list.rows.len()],
            (0..list.rows.len()).map(of_row).collect(),
        );
        let of_dof: Vec<f64> = tables.dof_tree.iter().map(|t| number[*t]).collect();
        self.put("dof_island", &[of_dof.len()], of_dof);
        self.put("tree_island", &[number.len()], number);
    }
}

/// First row of each contact; −1 for those that do not act.
fn addresses(list: &Rows, contacts: usize) -> Vec<f64> {
    let is_contact = |r: &ListedRow| matches!(r.kind, RowKind::Frictionless | RowKind::Edge | RowKind::Cone);
    let first = |id: usize| list.rows.iter().position(|r| is_contact(r) && r.id == id);
    (0..contacts)
        .map(|id| first(id).map_or(-1.0, |row| row as f64))
        .collect()
}
