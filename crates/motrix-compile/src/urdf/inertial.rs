//! Mass and inertia of links.

use crate::document::xml::Node;
use crate::principal_axes::{Noise, PrincipalAxes, principal_axes};
use crate::space;

use super::reading::{Origin, Reading, child};
use super::writing::Writing;

/// Writes the `<inertial>` of a link, if it has one, into its body. URDF turns the inertia by the origin; MJCF takes either a
/// full inertia or an orientation, so the principal axes are written: those of the inertia in the frame of the link, since
/// of equal moments the frame decides on the axes.
pub(super) fn write(link: &Node, body: &mut Writing, reading: &mut Reading) {
    let Some(inertial) = child(link, "inertial") else {
        return;
    };
    let mass = reading.required_child(inertial, "mass");
    let mass = mass.and_then(|mass| reading.required_numbers::<1>(mass, "value"));
    let inertia = reading
        .required_child(inertial, "inertia")
        .and_then(|node| inertia(node, reading));
    let (Some(mass), Some(inertia)) = (mass, inertia) else {
        return;
    };

    let Origin { xyz, quat } = reading.origin(inertial);
    let turn = space::matrix(&quat);
    let in_link = space::product(&space::product(&turn, &inertia), &space::transpose(&turn));
    let PrincipalAxes { moments, orientation } = principal_axes(&in_link, Noise::GIVEN);
    let written = Writing::new("inertial", &inertial.place).numbers("pos", &xyz);
    body.push(
        written
            .numbers("quat", &orientation)
            .numbers("mass", &mass)
            .numbers("diaginertia", &moments)
            .node(),
    );
}

/// The symmetric matrix of moments and products.
fn inertia(node: &Node, reading: &mut Reading) -> Option<space::Mat3> {
    // All are asked for before any is missed, so that one reading reports all that are missing.
    let entries = ["ixx", "iyy", "izz", "ixy", "ixz", "iyz"].map(|name| reading.required_numbers::<1>(node, name));
    let [xx, yy, zz, xy, xz, yz] = entries.map(|entry| entry.map(|[number]| number));
    let (xx, yy, zz, xy, xz, yz) = (xx?, yy?, zz?, xy?, xz?, yz?);
    Some([xx, xy, xz, xy, yy, yz, xz, yz, zz])
}
