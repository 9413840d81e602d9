//! Which triangles of a hull face alike, and so are one face of the body for MuJoCo.
//!
//! MuJoCo rounds the direction of each triangle to hundredths of a radian, azimuth and polar angle, in the frame of the file;
//! triangles with the same numbers that touch are one polygon. Contacts of flat faces follow from these polygons.

use std::collections::HashMap;

use crate::space;

/// Step of the angles, radians.
const STEP: f64 = 0.01;

/// Directions nearer to the polar axis than this have no azimuth: what their cosine may lack of 1.
const POLE: f64 = 1e-7;

/// A number for each face; those that face alike have the same.
pub fn facing(points: &[[f64; 3]], faces: &[[u32; 3]]) -> Vec<u32> {
    let mut known: HashMap<Option<[i64; 2]>, u32> = HashMap::new();
    let number = |face: &[u32; 3]| {
        let next = known.len() as u32;
        *known
            .entry(direction(face.map(|corner| points[corner as usize])))
            .or_insert(next)
    };
    faces.iter().map(number).collect()
}

/// Azimuth and polar angle of a triangle's normal in steps; none if it has no area.
fn direction([a, b, c]: [[f64; 3]; 3]) -> Option<[i64; 2]> {
    let normal = space::cross(&space::difference(&b, &a), &space::difference(&c, &a));
    let length = space::dot(&normal, &normal).sqrt();
    if length <= 0.0 {
        return None;
    }
    // The azimuth of a negative zero would be half a turn away from that of a positive one.
    let [x, y, z] = normal.map(|component| component / length + 0.0);
    let steps = |angle: f64| (angle / STEP).round() as i64;
    Some(match z {
        _ if z > 1.0 - POLE => [0, 0],
        _ if z < POLE - 1.0 => [0, steps(std::f64::consts::PI)],
        _ => [steps(y.atan2(x)), steps(z.acos())],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two triangles that share an edge along x, the second turned by an angle from level.
    fn bent(angle: f64) -> Vec<u32> {
        let points = [
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [0.0, -1.0, 0.0],
            [0.0, angle.cos(), angle.sin()],
        ];
        facing(&points, &[[2, 1, 0], [0, 1, 3]])
    }

    #[test]
    fn triangles_face_alike_within_a_hundredth_of_a_radian() {
        assert_eq!(bent(0.0), [0, 0]);
        assert_eq!(bent(4e-4), [0, 0], "both at the pole");
        assert_eq!(bent(0.02), [0, 1]);
    }
}
