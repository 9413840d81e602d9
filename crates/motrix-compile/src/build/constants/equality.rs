//! Anchors and relative poses of equalities between bodies, as they are in the reference configuration.

use motrix_model::{EqualityKind, Model};

use crate::build::mechanics::Kinematics;
use crate::build::pose::{add, apply, apply_transposed, compose, conjugate, sub, unit};

/// Completes what the file leaves out of `connect` and `weld`.
pub fn set_anchors(model: &mut Model, reference: &Kinematics) {
    for equality in &mut model.equalities {
        match &mut equality.kind {
            EqualityKind::Connect {
                body1,
                body2,
                anchors,
                sites: None,
            } => {
                let (first, second) = (&reference.bodies[body1.index()], &reference.bodies[body2.index()]);
                let world = add(first.position, apply(&first.rotation, anchors[0]));
                anchors[1] = apply_transposed(&second.rotation, sub(world, second.position));
            }
            EqualityKind::Weld {
                body1,
                body2,
                data,
                at_reference,
                sites: None,
            } => {
                let relative = if !*at_reference {
                    unit(std::array::from_fn(|i| data[6 + i]))
                } else {
                    // the anchor is given in body 2; the relative pose is the present one
                    let (first, second) = (&reference.bodies[body1.index()], &reference.bodies[body2.index()]);
                    let world = add(second.position, apply(&second.rotation, [data[0], data[1], data[2]]));
                    let in_first = apply_transposed(&first.rotation, sub(world, first.position));
                    data[3..6].copy_from_slice(&in_first);
                    let [q1, q2] = [body1, body2].map(|b| reference.orientations[b.index()]);
                    compose(conjugate(q1), q2)
                };
                data[6..10].copy_from_slice(&relative);
            }
            _ => {}
        }
    }
}
