//! The constraint rows of one world, one by one, in MuJoCo's order: equalities, friction, limits joint by joint, limits of tendons,
//! contacts. The edges of pyramids, which the lanes fold into their contact, are rows of their own here.
//!
//! Solvers that visit rows one after the other work on this list, and so does whoever compares rows with MuJoCo's. Everything
//! is in `f64`; memory is kept from world to world.

use motrix_model::Cone;
use motrix_spatial::{Lanes, Mask, Real};

use super::{Block, BlockKind, Rows};
use crate::contacts::Slot;

/// What a row constrains, with MuJoCo's numbers (`efc_type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum RowKind {
    /// An equality.
    Equality = 0,
    /// Dry friction of a dof.
    DofFriction = 1,
    /// Dry friction of a tendon.
    TendonFriction = 2,
    /// Limit of a joint.
    JointLimit = 3,
    /// Limit of a tendon.
    TendonLimit = 4,
    /// Contact without friction.
    Frictionless = 5,
    /// Edge of a pyramid.
    Edge = 6,
    /// Row of a round cone.
    Cone = 7,
}

/// Where the lanes keep a row.
#[derive(Clone, Copy, Debug)]
enum Place {
    Friction(usize),
    Limit(usize),
    Block { block: usize, row: usize },
    Edge { block: usize, row: usize, sign: f64 },
}

/// One row.
#[derive(Clone, Copy, Debug)]
pub struct ListedRow {
    /// What it constrains.
    pub kind: RowKind,
    /// Which one: the equality, dof, tendon, joint or contact (`efc_id`).
    pub id: usize,
    /// Rows from the first of its contact to this one.
    pub part: usize,
    /// Rows of its contact, 1 for everything else.
    pub span: usize,
    /// Violation (`efc_pos`).
    pub position: f64,
    /// Margin (`efc_margin`).
    pub margin: f64,
    /// 1/R (`efc_D`).
    pub weight: f64,
    /// Reference acceleration (`efc_aref`).
    pub reference: f64,
    /// Largest friction (`efc_frictionloss`).
    pub loss: f64,
    /// Friction coefficient of the direction, for contacts.
    pub friction: f64,
    /// Force as the lanes have it (`efc_force`).
    pub force: f64,
    place: Place,
}

/// The rows of one world.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// Rows in order.
    pub rows: Vec<ListedRow>,
    /// Their Jacobians, dense, one after the other (`efc_J`).
    pub jacobian: Vec<f64>,
    nv: usize,
}

/// Numbers of a row: position, margin, weight, reference, force.
type Numbers = [f64; 5];

impl Listing {
    /// The Jacobian of row `i`.
    pub fn jacobian_of(&self, i: usize) -> &[f64] {
        &self.jacobian[i * self.nv..(i + 1) * self.nv]
    }

    /// Lists the rows of lane `k` of a model with `nv` dofs.
    pub fn fill<L: Lanes>(&mut self, rows: &Rows<L>, slots: &[Slot<L>], cone: Cone, nv: usize, k: usize) {
        self.nv = nv;
        self.rows.clear();
        self.jacobian.clear();
        for (index, block) in rows.blocks.iter().enumerate() {
            if let BlockKind::Equality(id) = block.kind {
                self.block(rows, index, block, RowKind::Equality, id, k);
            }
        }
        for (index, row) in rows.friction.iter().enumerate().filter(|(_, r)| acts(r.weight, k)) {
            let numbers = [L::ZERO, L::ZERO, row.weight, row.reference, row.force].map(|x| number(x, k));
            self.unit(
                RowKind::DofFriction,
                row.dof,
                row.dof,
                1.0,
                numbers,
                Place::Friction(index),
            );
            if let Some(last) = self.rows.last_mut() {
                last.loss = number(row.loss, k);
            }
        }
        for (index, block) in rows.blocks.iter().enumerate() {
            if let BlockKind::TendonFriction(id) = block.kind {
                self.block(rows, index, block, RowKind::TendonFriction, id, k);
                if let Some(last) = self.rows.last_mut() {
                    last.loss = number(block.friction[0], k);
                }
            }
        }
        self.limits(rows, k);
        self.contacts(rows, slots, cone, k);
    }

    /// Limits of joints by number, then of tendons.
    fn limits<L: Lanes>(&mut self, rows: &Rows<L>, k: usize) {
        let mut balls = rows
            .blocks
            .iter()
            .enumerate()
            .filter_map(|(index, block)| match block.kind {
                BlockKind::BallLimit(joint) => Some((index, block, joint)),
                _ => None,
            });
        let mut ball = balls.next();
        for (index, row) in rows.limits.iter().enumerate() {
            while let Some((b, block, joint)) = ball.filter(|(_, _, joint)| *joint < row.joint) {
                self.block(rows, b, block, RowKind::JointLimit, joint, k);
                ball = balls.next();
            }
            if acts(row.weight, k) {
                let numbers = [row.distance, row.margin, row.weight, row.reference, row.force].map(|x| number(x, k));
                let sign = if row.upper { -1.0 } else { 1.0 };
                self.unit(
                    RowKind::JointLimit,
                    row.joint,
                    row.dof,
                    sign,
                    numbers,
                    Place::Limit(index),
                );
            }
        }
        while let Some((b, block, joint)) = ball {
            self.block(rows, b, block, RowKind::JointLimit, joint, k);
            ball = balls.next();
        }
        for (index, block) in rows.blocks.iter().enumerate() {
            if let BlockKind::TendonLimit(tendon, _) = block.kind {
                self.block(rows, index, block, RowKind::TendonLimit, tendon, k);
            }
        }
    }

    fn contacts<L: Lanes>(&mut self, rows: &Rows<L>, slots: &[Slot<L>], cone: Cone, k: usize) {
        let (mut seen, mut id) = (0, 0);
        for (index, block) in rows.blocks.iter().enumerate() {
            let BlockKind::Contact(slot) = block.kind else { continue };
            // Contacts are numbered with those that only come near.
            id += slots[seen..slot].iter().filter(|s| s.active.lane(k)).count();
            seen = slot;
            if slots[slot].acting.lane(k) {
                self.contact(rows, index, block, &slots[slot], cone, id, k);
            }
        }
    }

    #[allow(clippy::too_many_arguments)] // The lane and the number of a contact beside what it is made of.
    fn contact<L: Lanes>(
        &mut self,
        rows: &Rows<L>,
        index: usize,
        block: &Block<L>,
        slot: &Slot<L>,
        cone: Cone,
        id: usize,
        k: usize,
    ) {
        let n = |x: L| number(x, k);
        let dim = n(slot.lane_dim) as usize;
        let (distance, margin) = (n(slot.distance), n(slot.margin));
        let first = self.rows.len();
        if dim == 1 || cone == Cone::Elliptic {
            let kind = if dim == 1 { RowKind::Frictionless } else { RowKind::Cone };
            for row in 0..dim {
                let (p, m) = if row == 0 { (distance, margin) } else { (0.0, 0.0) };
                let numbers = [p, m, n(block.weight[row]), n(block.reference[row]), n(block.force[row])];
                self.push(kind, id, numbers, Place::Block { block: index, row });
                self.add_block_row(rows, block, row, 1.0, k);
                if let Some(last) = self.rows.last_mut() {
                    (last.part, last.span) = (row, dim);
                    last.friction = if row == 0 { 0.0 } else { n(block.friction[row]) };
                }
            }
            return;
        }
        for row in 1..dim {
            let mu = n(block.friction[row]);
            for sign in [1.0, -1.0] {
                let reference = n(block.reference[0]) + sign * mu * n(block.reference[row]);
                let residual = n(block.residual[0]) + sign * mu * n(block.residual[row]);
                let weight = n(block.weight[row]);
                let numbers = [distance, margin, weight, reference, -(weight * residual.min(0.0))];
                self.push(
                    RowKind::Edge,
                    id,
                    numbers,
                    Place::Edge {
                        block: index,
                        row,
                        sign,
                    },
                );
                self.add_block_row(rows, block, 0, 1.0, k);
                self.add_block_row(rows, block, row, sign * mu, k);
                let part = self.rows.len() - 1 - first;
                if let Some(last) = self.rows.last_mut() {
                    (last.part, last.span, last.friction) = (part, 2 * (dim - 1), mu);
                }
            }
        }
    }

    /// All rows of a block that act in lane `k`.
    fn block<L: Lanes>(&mut self, rows: &Rows<L>, index: usize, block: &Block<L>, kind: RowKind, id: usize, k: usize) {
        if !acts(block.weight[0], k) {
            return;
        }
        for row in 0..block.dim {
            let margin = if row == 0 { block.margin } else { L::ZERO };
            let numbers = [
                block.violation[row],
                margin,
                block.weight[row],
                block.reference[row],
                block.force[row],
            ];
            let place = Place::Block { block: index, row };
            self.push(kind, id, numbers.map(|x| number(x, k)), place);
            self.add_block_row(rows, block, row, 1.0, k);
        }
    }

    /// A row on a single dof.
    fn unit(&mut self, kind: RowKind, id: usize, dof: usize, sign: f64, numbers: Numbers, place: Place) {
        self.push(kind, id, numbers, place);
        let start = self.jacobian.len() - self.nv;
        self.jacobian[start + dof] = sign;
    }

    fn push(&mut self, kind: RowKind, id: usize, [position, margin, weight, reference, force]: Numbers, place: Place) {
        self.rows.push(ListedRow {
            kind,
            id,
            part: 0,
            span: 1,
            position,
            margin,
            weight,
            reference,
            loss: 0.0,
            friction: 0.0,
            force,
            place,
        });
        self.jacobian.resize(self.jacobian.len() + self.nv, 0.0);
    }

    /// Adds a multiple of a block's row to the last Jacobian.
    fn add_block_row<L: Lanes>(&mut self, rows: &Rows<L>, block: &Block<L>, row: usize, factor: f64, k: usize) {
        let start = self.jacobian.len() - self.nv;
        let dofs = &rows.support[block.first_dof..block.first_dof + block.dof_count];
        let columns = rows.jacobian[block.jacobian..].chunks_exact(block.dim);
        for (dof, column) in dofs.iter().zip(columns) {
            self.jacobian[start + *dof as usize] += factor * number(column[row], k);
        }
    }

    /// Writes the forces of all rows into lane `k`.
    pub fn put_forces<L: Lanes>(&self, forces: &[f64], rows: &mut Rows<L>, k: usize) {
        let put = |x: &mut L, force: f64| x.set_lane(k, L::Elem::from_f64(force));
        for (listed, &force) in self.rows.iter().zip(forces) {
            match listed.place {
                Place::Friction(i) => put(&mut rows.friction[i].force, force),
                Place::Limit(i) => put(&mut rows.limits[i].force, force),
                Place::Block { block, row } => put(&mut rows.blocks[block].force[row], force),
                Place::Edge { block, row, sign } => {
                    let target = &mut rows.blocks[block].force;
                    let before = |x: L, starts: bool| if starts { 0.0 } else { number(x, k) };
                    // The first edge of all starts the normal force, the first of a direction that direction's.
                    let normal = before(target[0], row == 1 && sign > 0.0) + force;
                    let side = before(target[row], sign > 0.0);
                    put(&mut target[0], normal);
                    put(&mut target[row], side + sign * listed.friction * force);
                }
            }
        }
    }
}

/// Whether a row acts in lane `k`.
fn acts<L: Lanes>(weight: L, k: usize) -> bool {
    number(weight, k) > 0.0
}

fn number<L: Lanes>(x: L, k: usize) -> f64 {
    x.lane(k).to_f64()
}
