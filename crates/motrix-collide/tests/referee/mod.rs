//! An independent judge of distances between convex shapes: certificates that need no algorithm.
//!
//! For a unit direction n let s(n) be the gap between the slabs that two shapes fill along n. Shapes that are apart are at least
//! max s(n) and at most the distance of any two of their points apart, so a point in each and a direction that agree prove a
//! distance. Shapes that overlap are separated by a shift of −s(n) along any n; the depth is the least of them, so any
//! direction with a lesser shift disproves a depth. Heights and membership are written out here for each shape and share
//! nothing with the collider.

use motrix_collide::{Hull, Placed, Pose, Separation, Shape};

pub type Vec3 = [f64; 3];

pub fn dot(a: Vec3, b: Vec3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub fn sub(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub fn along(a: Vec3, s: f64, b: Vec3) -> Vec3 {
    [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]]
}

pub fn norm(a: Vec3) -> f64 {
    dot(a, a).sqrt()
}

pub fn unit(a: Vec3) -> Vec3 {
    a.map(|x| x / norm(a))
}

/// The coordinates of a world vector in the frame of a pose.
fn local(pose: &Pose, v: Vec3) -> Vec3 {
    [0, 1, 2].map(|k| (0..3).map(|i| pose.rotation[3 * i + k] * v[i]).sum())
}

/// How far a shape reaches along n, from the origin of the world.
pub fn height(placed: &Placed, n: Vec3) -> f64 {
    let d = local(&placed.pose, n);
    let reach = match placed.shape {
        Shape::Plane | Shape::Prism(_) => unreachable!("only bounded bodies are judged"),
        Shape::Sphere { radius } => radius,
        Shape::Capsule { radius, half_length } => radius + half_length * d[2].abs(),
        Shape::Ellipsoid { radii } => norm([radii[0] * d[0], radii[1] * d[1], radii[2] * d[2]]),
        Shape::Cylinder { radius, half_length } => radius * d[0].hypot(d[1]) + half_length * d[2].abs(),
        Shape::Box { half } => (0..3).map(|k| half[k] * d[k].abs()).sum(),
        Shape::Hull(hull) => hull
            .vertices()
            .iter()
            .map(|&v| dot(v, d))
            .fold(f64::NEG_INFINITY, f64::max),
    };
    dot(placed.pose.position, n) + reach
}

/// How far outside a shape a point is, as a length that is zero or less inside.
pub fn outside(placed: &Placed, point: Vec3) -> f64 {
    let p = local(&placed.pose, sub(point, placed.pose.position));
    match placed.shape {
        Shape::Plane | Shape::Prism(_) => unreachable!("only bounded bodies are judged"),
        Shape::Sphere { radius } => norm(p) - radius,
        Shape::Capsule { radius, half_length } => norm([p[0], p[1], (p[2].abs() - half_length).max(0.0)]) - radius,
        Shape::Ellipsoid { radii: r } => {
            (norm([p[0] / r[0], p[1] / r[1], p[2] / r[2]]) - 1.0) * r[0].min(r[1]).min(r[2])
        }
        Shape::Cylinder { radius, half_length } => (p[0].hypot(p[1]) - radius).max(p[2].abs() - half_length),
        Shape::Box { half } => (0..3).map(|k| p[k].abs() - half[k]).fold(f64::NEG_INFINITY, f64::max),
        Shape::Hull(hull) => {
            // A facet of nearly coplanar triangles is flat only to the angle that merges them: its outermost vertex counts.
            let over = |f: usize| {
                let height = |&v: &u32| dot(hull.facet_normal(f), hull.vertices()[v as usize]);
                let offset = hull.facet_loop(f).iter().map(height).fold(f64::NEG_INFINITY, f64::max);
                dot(hull.facet_normal(f), p) - offset
            };
            (0..hull.facet_count()).map(over).fold(f64::NEG_INFINITY, f64::max)
        }
    }
}

/// The gap between the slabs that the shapes fill along n; negative when they overlap.
pub fn gap(a: &Placed, b: &Placed, n: Vec3) -> f64 {
    -height(a, n) - height(b, n.map(|x| -x))
}

/// Whether a separation is the distance of the shapes to `tolerance`, or why not.
pub fn judge(a: &Placed, b: &Placed, found: &Separation, tolerance: f64) -> Result<(), String> {
    let Separation {
        distance,
        on_a,
        on_b,
        normal,
    } = *found;
    let finite = distance.is_finite() && [on_a, on_b, normal].iter().flatten().all(|x| x.is_finite());
    if !finite || (norm(normal) - 1.0).abs() > 1e-9 {
        return Err(format!("no proper numbers: {found:?}"));
    }
    let apart = norm(sub(on_b, along(on_a, distance, normal)));
    if apart > tolerance {
        return Err(format!("the points are {apart:.1e} off the normal: {found:?}"));
    }
    let short = gap(a, b, normal) - distance;
    if short.abs() > tolerance {
        return Err(format!(
            "along its own normal the gap is {short:.1e} more than the distance: {found:?}"
        ));
    }
    let out = outside(a, on_a).max(outside(b, on_b));
    if out > tolerance {
        return Err(format!("a point is {out:.1e} outside its shape: {found:?}"));
    }
    if distance < 0.0 {
        let best = directions(400).map(|n| gap(a, b, n)).fold(f64::NEG_INFINITY, f64::max);
        let nearby = tangents(normal).map(|n| gap(a, b, n)).fold(f64::NEG_INFINITY, f64::max);
        let shorter = best.max(nearby) - distance;
        if shorter > tolerance {
            return Err(format!("there is a way out shorter by {shorter:.1e}: {found:?}"));
        }
    }
    Ok(())
}

/// Directions spread evenly over the sphere (the golden spiral).
pub fn directions(count: usize) -> impl Iterator<Item = Vec3> {
    (0..count).map(move |k| {
        let z = 1.0 - (2 * k + 1) as f64 / count as f64;
        let (sine, cosine) = (k as f64 * 2.399_963_229_728_653).sin_cos();
        let r = (1.0 - z * z).sqrt();
        [r * cosine, r * sine, z]
    })
}

/// Directions a little off n, all around, from a tenth to a hundred-thousandth of a radian.
fn tangents(n: Vec3) -> impl Iterator<Item = Vec3> {
    (0..80).map(move |k| {
        let angle = 10f64.powi(-1 - k / 16);
        let turn = directions(16).nth(k as usize % 16).expect("sixteen directions");
        unit(along(n, angle, turn))
    })
}

/// Numbers in [0, 1) from a linear congruential generator (Knuth's MMIX).
pub struct Random(pub u64);

impl Random {
    pub fn number(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.number()
    }

    pub fn direction(&mut self) -> Vec3 {
        loop {
            let v = [0; 3].map(|_| self.within(-1.0, 1.0));
            if (0.01..1.0).contains(&dot(v, v)) {
                return unit(v);
            }
        }
    }

    pub fn quaternion(&mut self) -> [f64; 4] {
        [0; 4].map(|_| self.within(-1.0, 1.0))
    }
}

/// A hull with vertices on an ellipsoid: `rings` circles of `segments` and two poles.
pub fn round_hull(rings: usize, segments: usize, radii: Vec3) -> Hull {
    let mut vertices = vec![[0.0, 0.0, radii[2]]];
    for r in 1..=rings {
        let (sine, cosine) = (core::f64::consts::PI * r as f64 / (rings + 1) as f64).sin_cos();
        for s in 0..segments {
            let (y, x) = (core::f64::consts::TAU * s as f64 / segments as f64).sin_cos();
            vertices.push([radii[0] * sine * x, radii[1] * sine * y, radii[2] * cosine]);
        }
    }
    vertices.push([0.0, 0.0, -radii[2]]);
    let at = |ring: usize, s: usize| (1 + ring * segments + s % segments) as u32;
    let last = vertices.len() as u32 - 1;
    let mut triangles = Vec::new();
    for s in 0..segments {
        triangles.push([0, at(0, s), at(0, s + 1)]);
        triangles.push([last, at(rings - 1, s + 1), at(rings - 1, s)]);
        for ring in 1..rings {
            triangles.push([at(ring - 1, s), at(ring, s), at(ring, s + 1)]);
            triangles.push([at(ring - 1, s), at(ring, s + 1), at(ring - 1, s + 1)]);
        }
    }
    Hull::from_triangles(&vertices, &triangles).expect("a closed surface")
}
