//! Tendons: scalar lengths that depend on the configuration.
//!
//! A *fixed* tendon is a linear combination of joint coordinates, L = Σ c q, with the constant Jacobian c. A *spatial* tendon
//! is the shortest way through its sites and around its geoms ([`path`]). Velocities are J q̇. Inertia of tendon motion is
//! the business of [`armature`].

pub mod armature;
pub mod path;

use motrix_model::{Model, PathItem, Tendon, TendonKind};
use motrix_spatial::{Lanes, Real};

use self::armature::ArmatureRow;
use self::path::SegmentRow;
use crate::configuration::Configuration;
use crate::data::Tendons;
use crate::pattern::Pattern;
use crate::support;

/// A joint of a fixed tendon.
#[derive(Clone, Debug)]
pub struct JointTerm<E> {
    /// Entry of `qpos`.
    pub position: usize,
    /// Column of the tendon's Jacobian.
    pub column: usize,
    /// Coefficient.
    pub coefficient: E,
}

/// How the length of a tendon is made.
#[derive(Clone, Debug)]
pub enum TendonPath<E> {
    /// A sum over joints.
    Fixed(Vec<JointTerm<E>>),
    /// A sum over segments from site to site.
    Spatial(Vec<SegmentRow<E>>),
}

/// A tendon.
#[derive(Clone, Debug)]
pub struct TendonRow<E> {
    /// Where its Jacobian starts among those of all tendons.
    pub first: usize,
    /// Dofs that can change its length, ascending: the columns of its Jacobian.
    pub dofs: Vec<u32>,
    /// Whether the dofs lie on one way to the root.
    pub single_chain: bool,
    /// How its length is made.
    pub path: TendonPath<E>,
}

impl<E> TendonRow<E> {
    /// Its part of the Jacobians of all tendons.
    #[inline(always)]
    pub fn jacobian<'a, L>(&self, tendons: &'a Tendons<L>) -> &'a [L] {
        &tendons.jacobian[self.first..self.first + self.dofs.len()]
    }
}

/// The tendons of a model.
#[derive(Clone, Debug)]
pub struct TendonTable<E> {
    /// All tendons.
    pub rows: Vec<TendonRow<E>>,
    /// Those with inertia.
    pub armatures: Vec<ArmatureRow<E>>,
}

impl<E: Real> TendonTable<E> {
    /// Flattens the tendons of a model.
    pub fn new(model: &Model, pattern: &Pattern) -> Self {
        let mut first = 0;
        let mut rows = Vec::with_capacity(model.tendons.len());
        for tendon in &model.tendons {
            let dofs: Vec<u32> = tendon.dofs.iter().map(|d| d.index() as u32).collect();
            let path = match tendon.kind {
                TendonKind::Fixed => TendonPath::Fixed(joint_terms(model, tendon)),
                TendonKind::Spatial => TendonPath::Spatial(path::segments(model, tendon)),
            };
            let next = first + dofs.len();
            rows.push(TendonRow {
                first,
                single_chain: support::on_one_chain(model, &dofs),
                dofs,
                path,
            });
            first = next;
        }
        Self {
            armatures: armature::rows(model, pattern, &rows),
            rows,
        }
    }
}

/// The joints of a fixed tendon.
fn joint_terms<E: Real>(model: &Model, tendon: &Tendon) -> Vec<JointTerm<E>> {
    let term = |item: &PathItem| {
        let PathItem::Joint(id, coefficient) = item else {
            return None;
        };
        let joint = &model.joints[id.index()];
        Some(JointTerm {
            position: joint.first_position,
            column: tendon.dofs.iter().position(|d| d.index() == joint.first_dof)?,
            coefficient: E::from_f64(*coefficient),
        })
    };
    tendon.path.iter().filter_map(term).collect()
}

/// Lengths and Jacobians of all tendons.
#[inline(always)]
pub fn lengths<L: Lanes>(table: &TendonTable<L::Elem>, at: &Configuration<L>, tendons: &mut Tendons<L>) {
    tendons.jacobian.fill(L::ZERO);
    for (t, row) in table.rows.iter().enumerate() {
        let jacobian = &mut tendons.jacobian[row.first..row.first + row.dofs.len()];
        let mut length = L::ZERO;
        match &row.path {
            TendonPath::Fixed(terms) => {
                for term in terms {
                    let c = L::splat(term.coefficient);
                    length = c.mul_add(at.qpos[term.position], length);
                    jacobian[term.column] += c;
                }
            }
            TendonPath::Spatial(segments) => {
                for segment in segments {
                    length += path::segment(segment, at, jacobian);
                }
            }
        }
        tendons.length[t] = length;
    }
}

/// Rates of all lengths.
#[inline(always)]
pub fn velocities<L: Lanes>(table: &TendonTable<L::Elem>, qvel: &[L], tendons: &mut Tendons<L>) {
    for (t, row) in table.rows.iter().enumerate() {
        tendons.velocity[t] = sparse_dot(row.jacobian(tendons), &row.dofs, qvel);
    }
}

/// Σ row(k) x(dofs(k)).
#[inline(always)]
pub(crate) fn sparse_dot<L: Lanes>(row: &[L], dofs: &[u32], x: &[L]) -> L {
    let mut sum = L::ZERO;
    for (r, &dof) in row.iter().zip(dofs) {
        sum = r.mul_add(x[dof as usize], sum);
    }
    sum
}

/// out(dofs(k)) += s row(k).
#[inline(always)]
pub(crate) fn scatter<L: Lanes>(row: &[L], dofs: &[u32], s: L, out: &mut [L]) {
    for (r, &dof) in row.iter().zip(dofs) {
        out[dof as usize] = s.mul_add(*r, out[dof as usize]);
    }
}
