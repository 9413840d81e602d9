//! Surfaces for tactile sensors: each vertex carries the frame its readings are expressed in, as three normals.

use super::Surface;

/// Part of the unit sphere as seen from its centre looking along -z, `fov` degrees to either side, with bins that grow
/// outwards if `gamma` is above zero.
pub(super) fn wedge(resolution: [usize; 2], fov: [f64; 2], gamma: f64) -> Surface {
    let centres = |axis: usize| {
        let edges = bin_edges(resolution[axis], fov[axis].to_radians(), gamma);
        edges
            .windows(2)
            .map(|edge| 0.5 * (edge[1] + edge[0]))
            .collect::<Vec<_>>()
    };
    let (azimuths, elevations) = (centres(0), centres(1));
    let mut surface = Surface::default();
    for &azimuth in &azimuths {
        let (sa, ca) = azimuth.sin_cos();
        for &elevation in &elevations {
            let (se, ce) = elevation.sin_cos();
            surface.vertices.push([ce * sa, se, -ce * ca].map(|x| x as f32));
            let along_azimuth = unit([ce * ca, 0.0, ce * sa]);
            let along_elevation = unit([-se * sa, ce, se * ca]);
            let normal = crate::space::cross(&along_elevation, &along_azimuth);
            surface
                .normals
                .extend([normal, along_azimuth, along_elevation].map(|axis| axis.map(|x| x as f32)));
        }
    }
    surface
}

/// Rectangle from -1 to 1 at z = -1, with vertices at the centres of the bins.
pub(super) fn plate([nx, ny]: [usize; 2]) -> Surface {
    let mut surface = Surface::default();
    for i in 0..nx {
        for j in 0..ny {
            let centre = |k: usize, count: usize| (-1.0 + (k as f64 + 0.5) * (2.0 / count as f64)) as f32;
            surface.vertices.push([centre(i, nx), centre(j, ny), -1.0]);
            surface
                .normals
                .extend([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
            if i > 0 && j > 0 {
                let at = |back_x: usize, back_y: usize| ((i - back_x) * ny + j - back_y) as u32;
                surface
                    .faces
                    .extend([[at(1, 1), at(0, 1), at(1, 0)], [at(0, 0), at(1, 0), at(0, 1)]]);
            }
        }
    }
    surface
}

/// Edges of `count` bins from `-fov` to `fov` radians.
fn bin_edges(count: usize, fov: f64, gamma: f64) -> Vec<f64> {
    let step = 2.0 / count as f64;
    // Summed up rather than multiplied out, to round as MuJoCo does.
    let edges = std::iter::successors(Some(-1.0f64), |edge| Some(edge + step)).take(count + 1);
    let deformed = edges.map(|x| {
        if gamma == 0.0 {
            x
        } else {
            gamma * x.powi(5) + (1.0 - gamma) * x
        }
    });
    deformed.map(|x| fov * x).collect()
}

fn unit(v: [f64; 3]) -> [f64; 3] {
    crate::space::normalized(&v)
}
