//! Inertia of tendon motion: the rotor that a tendon turns.
//!
//! An armature a at the end of a tendon with the length L(q) has the kinetic energy ½ a (J q̇)². It adds a JᵀJ to the inertia
//! matrix and a Jᵀ (J̇ q̇) to the bias forces. Of a JᵀJ the tree's pattern is kept (`rank_one.rs`). J̇ q̇ is known for
//! straight segments: with u the direction, v the relative velocity of the ends and a their relative acceleration at zero
//! joint acceleration, d(u·v)/dt = u·a + (|v|² − (u·v)²)/|x₁ − x₀|. Bent segments contribute none; MuJoCo rejects models
//! that would need it.

use motrix_model::{Model, Transmission};
use motrix_spatial::algebra::*;
use motrix_spatial::{Lanes, Real};

use super::path::SegmentRow;
use super::{TendonPath, TendonRow, TendonTable, scatter};
use crate::configuration::Movement;
use crate::data::Tendons;
use crate::pattern::Pattern;
use crate::rank_one::RankOne;

/// A tendon with inertia.
#[derive(Clone, Debug)]
pub struct ArmatureRow<E> {
    /// Tendon.
    pub tendon: usize,
    /// Inertia: the tendon's own and what its actuators add.
    pub armature: E,
    /// Where a JᵀJ goes.
    pub outer: RankOne,
}

/// The tendons with inertia.
pub fn rows<E: Real>(model: &Model, pattern: &Pattern, tendons: &[TendonRow<E>]) -> Vec<ArmatureRow<E>> {
    let coupled = vec![false; model.nv()];
    let row = |(t, tendon): (usize, &TendonRow<E>)| {
        let armature = model.tendons[t].armature + reflected(model, t);
        (armature != 0.0).then(|| ArmatureRow {
            tendon: t,
            armature: E::from_f64(armature),
            outer: RankOne::new(pattern, &tendon.dofs, &coupled),
        })
    };
    tendons.iter().enumerate().filter_map(row).collect()
}

/// Rotor inertia of the actuators on a tendon, seen through their gears.
fn reflected(model: &Model, tendon: usize) -> f64 {
    let drives = |t: &Transmission| matches!(t, Transmission::Tendon(id) if id.index() == tendon);
    let on_it = model.actuators.iter().filter(|a| drives(&a.transmission));
    on_it.map(|a| a.armature * a.gear[0] * a.gear[0]).sum()
}

/// M += a JᵀJ.
#[inline(always)]
pub fn add_inertia<L: Lanes>(table: &TendonTable<L::Elem>, tendons: &Tendons<L>, matrix: &mut [L]) {
    for row in &table.armatures {
        let jacobian = table.rows[row.tendon].jacobian(tendons);
        row.outer.add(jacobian, L::splat(row.armature), matrix);
    }
}

/// bias += a Jᵀ (J̇ q̇).
#[inline(always)]
pub fn add_bias<L: Lanes>(table: &TendonTable<L::Elem>, movement: &Movement<L>, tendons: &Tendons<L>, bias: &mut [L]) {
    for row in &table.armatures {
        let tendon = &table.rows[row.tendon];
        let TendonPath::Spatial(segments) = &tendon.path else {
            continue;
        };
        let force = L::splat(row.armature) * velocity_product(segments, movement);
        scatter(tendon.jacobian(tendons), &tendon.dofs, force, bias);
    }
}

/// J̇ q̇ of a spatial tendon.
#[inline(always)]
pub fn velocity_product<L: Lanes>(segments: &[SegmentRow<L::Elem>], movement: &Movement<L>) -> L {
    let mut rate = L::ZERO;
    for segment in segments {
        rate += segment_rate(segment, movement);
    }
    rate
}

/// J̇ q̇ of a segment.
#[inline(always)]
fn segment_rate<L: Lanes>(row: &SegmentRow<L::Elem>, movement: &Movement<L>) -> L {
    if row.wrap.is_some() || row.bodies[0] == row.bodies[1] {
        return L::ZERO;
    }
    let mut ends = [[[L::ZERO; 3]; 3]; 2];
    for (end, at) in ends.iter_mut().enumerate() {
        let body = row.bodies[end];
        let x = movement.at.poses.site_position[row.sites[end]];
        let arm = movement.at.arm(body, x);
        let product = movement.velocity_product(body);
        *at = [
            x,
            movement.velocity(body, arm),
            movement.point_velocity_product(body, &product, arm),
        ];
    }
    let [[x0, v0, a0], [x1, v1, a1]] = ends;
    let (u, distance) = normalize(sub(x1, x0));
    let (v, a) = (sub(v1, v0), sub(a1, a0));
    let along = dot(u, v);
    let turning = (dot(v, v) - along * along) / distance;
    let apart = distance.gt(L::c(MIN_LENGTH));
    L::splat(row.share) * (dot(u, a) + L::select(apart, turning, L::ZERO))
}
