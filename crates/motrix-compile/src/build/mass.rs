//! Checks and scaling of masses once all bodies are known.

use motrix_model::Model;

use super::numbering::Pending;
use crate::document::Element;
use crate::problem::Problems;

/// Least mass and moment of inertia of what moves (`mjMINVAL`).
const MIN_VALUE: f64 = 1e-15;

/// Every body with joints needs inertia, its own or that of bodies fixed to it.
pub fn check(pending: &Pending, model: &Model, problems: &mut Problems) {
    let mut has_inertia: Vec<bool> = model
        .bodies
        .iter()
        .map(|body| body.mass >= MIN_VALUE && body.inertia.iter().all(|&moment| moment >= MIN_VALUE))
        .collect();
    for i in (1..model.bodies.len()).rev() {
        let body = &model.bodies[i];
        if body.joint_count == 0 && has_inertia[i] {
            has_inertia[body.parent.index()] = true;
        }
    }
    for (i, body) in model.bodies.iter().enumerate().skip(1) {
        if body.joint_count > 0 && !has_inertia[i] && !is_in_doubt(pending.bodies[i], problems) {
            let element = pending.bodies[i];
            problems.push(element.problem(if element.is_urdf() {
                "a link that moves needs mass and inertia: give it an <inertial>"
            } else {
                "a body that moves needs mass and inertia: give it a geom with mass or an <inertial>"
            }));
        }
    }
}

/// Whether a body may have mass that could not be read: of an `<inertial>` or a geom with an error, or of a mesh, which is
/// left out when its file has one.
fn is_in_doubt(body: &Element, problems: &Problems) -> bool {
    let weighs = |child: &&Element| matches!(child.tag(), "geom" | "inertial");
    problems.has_errors()
        && body.children().iter().filter(weighs).any(|child| {
            let values = child.attributes.iter().map(|attribute| &attribute.place);
            let classes = child
                .layers()
                .flat_map(|layer| &layer.attributes)
                .map(|attribute| &attribute.place);
            let is_mesh = child.tag() == "geom" && child.has("mesh");
            is_mesh || problems.concern(values.chain([child.place()]).chain(classes))
        })
}

/// Scales all masses and inertias to a given total (`settotalmass`).
pub fn scale_to_total(total: Option<f64>, model: &mut Model) {
    let Some(total) = total else { return };
    let present: f64 = model.bodies[1..].iter().map(|body| body.mass).sum();
    let scale = (total / present.max(MIN_VALUE)).max(MIN_VALUE);
    for body in &mut model.bodies[1..] {
        body.mass *= scale;
        body.inertia = body.inertia.map(|moment| moment * scale);
    }
}
