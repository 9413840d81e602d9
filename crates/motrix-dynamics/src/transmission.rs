//! From the scalar force of an actuator to the dofs: lengths and moments.
//!
//! An actuator with the length l(q) and the scalar force f pushes the dofs with mᵀ f, where m = ∂l/∂q is its moment; its
//! velocity is m q̇ (MuJoCo's `mj_transmission`). The dofs of a moment are fixed by the model.
//!
//! | on | length | moment |
//! |---|---|---|
//! | hinge, slide | g q | g |
//! | ball | g·θ, θ the rotation vector | g, in the joint or in its parent |
//! | free | 0 | (g₁, g₂), rotation in the body or in the world |
//! | slider-crank | g (a·v − √((a·v)² + r² − v·v)) | its derivative |
//! | tendon | g L | g J |
//! | site | 0 | the wrench (g₁, g₂) fixed in the site |
//! | site and reference | g₁·x + g₂·θ, x and θ seen from the reference | that wrench between the two |
//! | body | 0 | minus the mean normal Jacobian of its contacts |
//! | orientation | θ of a ball joint, or of a site in another | the rotation of that joint, or of the site about its axes |
//!
//! An orientation has three outputs, one per component, all others have one.

use motrix_model::{Actuator, BodyId, JointKind, Model, Options, Transmission};
use motrix_spatial::algebra::*;
use motrix_spatial::{Force, Lanes, Mask, Real};

use crate::configuration::Configuration;
use crate::contacts::Slot;
use crate::data::{Actuators, Tendons};
use crate::support::Support;
use crate::tables::round3;
use crate::tendon::{TendonTable, sparse_dot};
use crate::wrench;

/// What an actuator acts on, as the kernels read it.
#[derive(Clone, Debug)]
pub enum Drive<E> {
    /// A hinge or slide.
    Scalar {
        /// Entry of `qpos`.
        position: usize,
        /// Gear.
        gear: E,
    },
    /// A ball joint.
    Ball {
        /// First entry of `qpos`.
        position: usize,
        /// Gear axis.
        gear: [E; 3],
        /// Whether the axis is fixed in the parent.
        in_parent: bool,
    },
    /// A free joint.
    Free {
        /// First entry of `qpos`.
        position: usize,
        /// Force, then torque of unit actuator force.
        gear: [[E; 3]; 2],
        /// Whether the torque is fixed in the world.
        in_parent: bool,
    },
    /// A slider-crank.
    SliderCrank {
        /// Site of the pin.
        crank: usize,
        /// Site whose z axis is the slider.
        slider: usize,
        /// Length of the rod.
        rod: E,
        /// Gear.
        gear: E,
    },
    /// A tendon.
    Tendon {
        /// Tendon.
        tendon: usize,
        /// Gear.
        gear: E,
    },
    /// A site, seen from the world or from another site.
    Site {
        /// Site.
        site: usize,
        /// Reference site.
        reference: Option<usize>,
        /// Force, then torque of unit actuator force.
        gear: [[E; 3]; 2],
    },
    /// The contacts of a body.
    Body {
        /// Body.
        body: usize,
    },
    /// A component of the rotation vector of a ball joint.
    BallComponent {
        /// First entry of `qpos`.
        position: usize,
        /// Component.
        component: usize,
    },
    /// A component of the rotation vector of a site in another.
    SiteComponent {
        /// Site and reference.
        sites: [usize; 2],
        /// Component.
        component: usize,
    },
}

/// One output of an actuator.
#[derive(Clone, Debug)]
pub struct TransmissionRow<E> {
    /// What it acts on.
    pub drive: Drive<E>,
    /// Where its moment starts among those of all actuators.
    pub first: usize,
    /// Dofs that it can push, ascending: the columns of its moment.
    pub dofs: Vec<u32>,
    /// For drives between two sites which of them each dof moves: bit 0 the first, bit 1 the second.
    moves: Vec<u8>,
}

impl<E> TransmissionRow<E> {
    /// Its part of the moments of all actuators.
    #[inline(always)]
    pub fn moment<'a, L>(&self, actuators: &'a Actuators<L>) -> &'a [L] {
        &actuators.moment[self.first..self.first + self.dofs.len()]
    }
}

/// The transmissions of a model.
#[derive(Clone, Debug)]
pub struct TransmissionTable<E> {
    /// One row per output; those of an actuator follow each other.
    pub rows: Vec<TransmissionRow<E>>,
    /// Whether actuators are enabled; without them there are no velocities.
    pub enabled: bool,
}

impl<E: Real> TransmissionTable<E> {
    /// Flattens the transmissions of a model.
    pub fn new(model: &Model, options: &Options) -> Self {
        let mut first = 0;
        let mut rows = Vec::with_capacity(model.actuators.len());
        let mut push = |drive: Drive<E>, Support { dofs, moves, .. }: Support| {
            let next = first + dofs.len();
            rows.push(TransmissionRow {
                drive,
                first,
                dofs,
                moves,
            });
            first = next;
        };
        for actuator in &model.actuators {
            for component in 0..actuator.transmission.output_count() {
                push(drive(model, actuator, component), support(model, actuator, component));
            }
        }
        Self {
            rows,
            enabled: !options.disable.actuation,
        }
    }

    /// Length of all moments together.
    pub fn moment_len(&self) -> usize {
        self.rows.iter().map(|row| row.dofs.len()).sum()
    }
}

fn drive<E: Real>(model: &Model, actuator: &Actuator, component: usize) -> Drive<E> {
    let e = E::from_f64;
    let [x, y, z, a, b, c] = actuator.gear;
    let wrench = [round3([x, y, z]), round3([a, b, c])];
    match actuator.transmission {
        Transmission::Joint(id) | Transmission::JointInParent(id) => {
            let in_parent = matches!(actuator.transmission, Transmission::JointInParent(_));
            let joint = &model.joints[id.index()];
            let position = joint.first_position;
            match joint.kind {
                JointKind::Hinge | JointKind::Slide => Drive::Scalar { position, gear: e(x) },
                JointKind::Ball => Drive::Ball {
                    position,
                    gear: wrench[0],
                    in_parent,
                },
                JointKind::Free => Drive::Free {
                    position,
                    gear: wrench,
                    in_parent,
                },
            }
        }
        Transmission::SliderCrank { crank, slider, length } => Drive::SliderCrank {
            crank: crank.index(),
            slider: slider.index(),
            rod: e(length),
            gear: e(x),
        },
        Transmission::Tendon(id) => Drive::Tendon {
            tendon: id.index(),
            gear: e(x),
        },
        Transmission::Site(site, reference) => Drive::Site {
            site: site.index(),
            reference: reference.map(|r| r.index()),
            gear: wrench,
        },
        Transmission::Body(id) => Drive::Body { body: id.index() },
        Transmission::BallOrientation(id) => Drive::BallComponent {
            position: model.joints[id.index()].first_position,
            component,
        },
        Transmission::SiteOrientation(site, reference) => Drive::SiteComponent {
            sites: [site.index(), reference.index()],
            component,
        },
    }
}

/// The dofs that an output of an actuator can push.
fn support(model: &Model, actuator: &Actuator, component: usize) -> Support {
    let body_of = |site: motrix_model::SiteId| model.sites[site.index()].body;
    let exactly = |dofs: Vec<u32>| Support {
        moves: vec![1; dofs.len()],
        dofs,
        single_chain: true,
    };
    match actuator.transmission {
        Transmission::Joint(id) | Transmission::JointInParent(id) => {
            let joint = &model.joints[id.index()];
            let first = joint.first_dof as u32;
            exactly((first..first + joint.kind.dof_count() as u32).collect())
        }
        Transmission::Tendon(id) => {
            let dofs = &model.tendons[id.index()].dofs;
            exactly(dofs.iter().map(|d| d.index() as u32).collect())
        }
        Transmission::SliderCrank { crank, slider, .. } => Support::relative(model, &[body_of(crank), body_of(slider)]),
        Transmission::Site(site, None) => Support::of_any(model, &[body_of(site)]),
        Transmission::Site(site, Some(reference)) | Transmission::SiteOrientation(site, reference) => {
            Support::relative(model, &[body_of(site), body_of(reference)])
        }
        Transmission::BallOrientation(id) => exactly(vec![(model.joints[id.index()].first_dof + component) as u32]),
        Transmission::Body(body) => {
            let mut dofs: Vec<u32> = touching(model, body)
                .into_iter()
                .flat_map(|b| model.dof_chain(b))
                .map(|d| d.index() as u32)
                .collect();
            dofs.sort_unstable();
            dofs.dedup();
            exactly(dofs)
        }
    }
}

/// A body and everything that may touch it.
fn touching(model: &Model, body: BodyId) -> Vec<BodyId> {
    let mut bodies = vec![body];
    for pair in &model.pairs {
        let (b1, b2) = (
            model.geoms[pair.geom1.index()].body,
            model.geoms[pair.geom2.index()].body,
        );
        if b1 == body {
            bodies.push(b2);
        } else if b2 == body {
            bodies.push(b1);
        }
    }
    bodies.sort_unstable();
    bodies.dedup();
    bodies
}

/// Lengths and moments of all actuators.
#[inline(always)]
pub fn lengths<L: Lanes>(
    table: &TransmissionTable<L::Elem>,
    at: &Configuration<L>,
    tendon_table: &TendonTable<L::Elem>,
    tendons: &Tendons<L>,
    slots: &[Slot<L>],
    actuators: &mut Actuators<L>,
) {
    for (k, row) in table.rows.iter().enumerate() {
        let moment = &mut actuators.moment[row.first..row.first + row.dofs.len()];
        actuators.length[k] = match &row.drive {
            Drive::Scalar { position, gear } => {
                moment[0] = L::splat(*gear);
                L::splat(*gear) * at.qpos[*position]
            }
            Drive::Ball {
                position,
                gear,
                in_parent,
            } => {
                let q = &at.qpos[*position..];
                let quat = quat_normalize([q[0], q[1], q[2], q[3]]);
                let mut axis = splat3(*gear);
                if *in_parent {
                    axis = rotate_inverse(quat, axis);
                }
                moment.copy_from_slice(&axis);
                dot(quat_to_rotation_vector(quat), axis)
            }
            Drive::Free {
                position,
                gear,
                in_parent,
            } => {
                let q = &at.qpos[*position + 3..];
                let mut torque = splat3(gear[1]);
                if *in_parent {
                    torque = rotate_inverse(quat_normalize([q[0], q[1], q[2], q[3]]), torque);
                }
                moment[..3].copy_from_slice(&splat3::<L>(gear[0]));
                moment[3..].copy_from_slice(&torque);
                L::ZERO
            }
            Drive::SliderCrank {
                crank,
                slider,
                rod,
                gear,
            } => slider_crank(row, at, [*crank, *slider], L::splat(*rod), L::splat(*gear), moment),
            Drive::Tendon { tendon, gear } => {
                let gear = L::splat(*gear);
                for (m, j) in moment.iter_mut().zip(tendon_table.rows[*tendon].jacobian(tendons)) {
                    *m = gear * *j;
                }
                gear * tendons.length[*tendon]
            }
            Drive::Site {
                site,
                reference: None,
                gear,
            } => {
                push_site(row, at, *site, gear, moment);
                L::ZERO
            }
            Drive::Site {
                site,
                reference: Some(reference),
                gear,
            } => push_between_sites(row, at, [*site, *reference], gear, moment),
            Drive::Body { body } => {
                adhere(*body, &row.dofs, at, slots, moment);
                L::ZERO
            }
            Drive::BallComponent { position, component } => {
                let q = &at.qpos[*position..];
                moment[0] = L::ONE;
                quat_to_rotation_vector(quat_normalize([q[0], q[1], q[2], q[3]]))[*component]
            }
            Drive::SiteComponent { sites, component } => turn_site(row, at, *sites, *component, moment),
        };
    }
}

/// Velocities of all actuators.
#[inline(always)]
pub fn velocities<L: Lanes>(table: &TransmissionTable<L::Elem>, qvel: &[L], actuators: &mut Actuators<L>) {
    if !table.enabled {
        return;
    }
    for (k, row) in table.rows.iter().enumerate() {
        actuators.velocity[k] = match &row.drive {
            Drive::Scalar { gear, .. } => L::splat(*gear) * qvel[row.dofs[0] as usize],
            _ => sparse_dot(row.moment(actuators), &row.dofs, qvel),
        };
    }
}

/// Sets the moment to what a force on the first and one on the second body do to the dofs.
#[inline(always)]
fn project<L: Lanes>(row: &TransmissionRow<L::Elem>, at: &Configuration<L>, forces: &[Force<L>; 2], moment: &mut [L]) {
    for (k, &dof) in row.dofs.iter().enumerate() {
        let first = row.moves[k] == 1;
        moment[k] = dot6(&at.cdof[dof as usize], &forces[usize::from(!first)]);
    }
}

/// l = a·v − √((a·v)² + r² − v·v), or a·v where the rod is too short; v leads from the slider to the pin.
#[inline(always)]
fn slider_crank<L: Lanes>(
    row: &TransmissionRow<L::Elem>,
    at: &Configuration<L>,
    [crank, slider]: [usize; 2],
    rod: L,
    gear: L,
    moment: &mut [L],
) -> L {
    let (pin, base) = (at.poses.site_position[crank], at.poses.site_position[slider]);
    let a = mat_column(&at.poses.site_rotation[slider], 2);
    let v = sub(pin, base);
    let av = dot(a, v);
    let determinant = rod.mul_add(rod, av * av) - dot(v, v);
    let reaches = determinant.gt(L::ZERO);
    let root = L::select(reaches, determinant, L::ONE).sqrt();
    let share = L::select(reaches, L::ONE - av / root, L::ONE);
    // ∂l/∂v = (1 − a·v/√) a + v/√ and ∂l/∂a = (1 − a·v/√) v.
    let by_v = add_scaled(scale(a, share), L::select(reaches, root.recip(), L::ZERO), v);
    let by_a = scale(v, share);
    let (by_v, by_a) = (scale(by_v, gear), scale(by_a, gear));
    let bodies = [at.tree.frames.sites[crank].body, at.tree.frames.sites[slider].body];
    let on_pin = wrench::of_force(by_v, at.arm(bodies[0], pin));
    // The axis turns with the slider: ∂l/∂a·(ω × a) = ω·(a × ∂l/∂a).
    let on_slider = wrench::of_force_and_torque(neg(by_v), cross(a, by_a), at.arm(bodies[1], base));
    project(row, at, &[on_pin, on_slider], moment);
    gear * (av - L::select(reaches, root, L::ZERO))
}

/// The wrench (g₁, g₂) fixed in a site.
#[inline(always)]
fn push_site<L: Lanes>(
    row: &TransmissionRow<L::Elem>,
    at: &Configuration<L>,
    site: usize,
    gear: &[[L::Elem; 3]; 2],
    moment: &mut [L],
) {
    let rotation = &at.poses.site_rotation[site];
    let arm = at.arm(at.tree.frames.sites[site].body, at.poses.site_position[site]);
    let force = mat_vec(rotation, splat3(gear[0]));
    let torque = mat_vec(rotation, splat3(gear[1]));
    let wrench = wrench::of_force_and_torque(force, torque, arm);
    project(row, at, &[wrench, wrench], moment);
}

/// The wrench (g₁, g₂) fixed in the reference, on the site and back on the reference; returns the length.
#[inline(always)]
fn push_between_sites<L: Lanes>(
    row: &TransmissionRow<L::Elem>,
    at: &Configuration<L>,
    [site, reference]: [usize; 2],
    gear: &[[L::Elem; 3]; 2],
    moment: &mut [L],
) -> L {
    let poses = at.poses;
    let rotation = &poses.site_rotation[reference];
    let (translation, turn) = (splat3(gear[0]), splat3(gear[1]));
    let x = mat_t_vec(rotation, sub(poses.site_position[site], poses.site_position[reference]));
    let mut length = dot(x, translation);
    if gear[1] != [L::Elem::from_f64(0.0); 3] {
        let theta = quat_difference(at.site_orientation(site), at.site_orientation(reference));
        length += dot(theta, turn);
    }
    let force = mat_vec(rotation, translation);
    let torque = mat_vec(rotation, turn);
    let arms = [
        at.arm(at.tree.frames.sites[site].body, poses.site_position[site]),
        at.arm(at.tree.frames.sites[reference].body, poses.site_position[reference]),
    ];
    let on_site = wrench::of_force_and_torque(force, torque, arms[0]);
    let on_reference = wrench::of_force_and_torque(neg(force), neg(torque), arms[1]);
    project(row, at, &[on_site, on_reference], moment);
    length
}

/// The rotation of a site in a reference: its axis `component` turns the site and back the reference.
#[inline(always)]
fn turn_site<L: Lanes>(
    row: &TransmissionRow<L::Elem>,
    at: &Configuration<L>,
    [site, reference]: [usize; 2],
    component: usize,
    moment: &mut [L],
) -> L {
    let theta = quat_difference(at.site_orientation(site), at.site_orientation(reference));
    let axis = mat_column(&at.poses.site_rotation[site], component);
    let turn = spatial(axis, zero3());
    project(row, at, &[turn, spatial(neg(axis), zero3())], moment);
    theta[component]
}

/// Minus the mean of the normal Jacobians of a body's contacts, those in the gap included: a positive force pulls them shut.
#[inline(always)]
fn adhere<L: Lanes>(body: usize, dofs: &[u32], at: &Configuration<L>, slots: &[Slot<L>], moment: &mut [L]) {
    moment.fill(L::ZERO);
    let mut count = L::ZERO;
    for slot in slots {
        if (slot.body1 != body && slot.body2 != body) || !slot.active.any() {
            continue;
        }
        count += L::select(slot.active, L::ONE, L::ZERO);
        // The normal points from the first geom, which may be on either body.
        let direction = L::select(slot.active, slot.orientation, L::ZERO);
        let normal = scale(mat_row(&slot.frame, 0), direction);
        for (b, n) in [(slot.body1, normal), (slot.body2, neg(normal))] {
            let pull = wrench::of_force(n, at.arm(b, slot.position));
            for &dof in &at.chains[b] {
                if let Ok(k) = dofs.binary_search(&dof) {
                    moment[k] += dot6(&at.cdof[dof as usize], &pull);
                }
            }
        }
    }
    let mean = L::select(count.gt(L::ZERO), count.recip(), L::ZERO);
    for m in moment {
        *m *= mean;
    }
}
