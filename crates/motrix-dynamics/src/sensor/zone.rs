//! The volume of a site: whether a point lies in it, and whether a ray meets it. A mesh counts as its convex hull.

use motrix_collide::vector::dot as dot64;
use motrix_collide::{Hull, Pose};
use motrix_model::{GeomKind, MeshId, Model, Site, SiteId};
use motrix_spatial::algebra::*;
use motrix_spatial::{Lanes, Mask, Real, Vec3};

use crate::data::Poses;

/// Keeps 1/x finite for rays along a face.
const TINY: f64 = 1e-15;

/// The half-space n·x ≤ d of a site's frame.
#[derive(Clone, Copy, Debug)]
pub struct HalfSpace<E> {
    /// Unit vector n.
    normal: [E; 3],
    /// d.
    offset: E,
}

/// A site's shape.
#[derive(Clone, Debug)]
pub struct Zone<E> {
    /// Site.
    pub site: usize,
    /// Shape.
    pub kind: GeomKind,
    /// Size parameters.
    pub size: [E; 3],
    /// Half-spaces whose intersection is a mesh.
    pub half_spaces: Vec<HalfSpace<E>>,
}

/// Distances along a ray: from where it enters a volume to where it leaves; empty when the first is not smaller.
#[derive(Clone, Copy)]
struct Interval<L> {
    enter: L,
    leave: L,
}

impl<L: Lanes> Interval<L> {
    /// Whether some of it lies ahead.
    #[inline(always)]
    fn ahead(self) -> L::Mask {
        self.enter.le(self.leave) & self.leave.ge(L::ZERO)
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self {
            enter: self.enter.max(other.enter),
            leave: self.leave.min(other.leave),
        }
    }

    /// Everywhere.
    #[inline(always)]
    fn whole() -> Self {
        Self {
            enter: L::c(-1e30),
            leave: L::c(1e30),
        }
    }

    /// Where x + t v ≤ 0.
    #[inline(always)]
    fn below(x: L, v: L) -> Self {
        let (far, none) = (L::c(1e30), L::c(-1e30));
        let parallel = v.abs().lt(L::c(TINY));
        let t = -x / L::select(parallel, L::ONE, v);
        let (out, leaves) = (x.gt(L::ZERO), v.gt(L::ZERO));
        Self {
            enter: L::select(parallel, L::select(out, far, none), L::select(leaves, none, t)),
            leave: L::select(parallel, L::select(out, none, far), L::select(leaves, t, far)),
        }
    }

    /// Where |x + t v| ≤ h.
    #[inline(always)]
    fn slab(x: L, v: L, h: L) -> Self {
        let (far, none) = (L::c(1e30), L::c(-1e30));
        let parallel = v.abs().lt(L::c(TINY));
        let inverse = L::select(parallel, L::ONE, v).recip();
        let (a, b) = ((-h - x) * inverse, (h - x) * inverse);
        let inside = x.abs().le(h);
        Self {
            enter: L::select(parallel, L::select(inside, none, far), a.min(b)),
            leave: L::select(parallel, L::select(inside, far, none), a.max(b)),
        }
    }

    /// Where a t² + 2 b t + c ≤ 0 for a ≥ 0; everywhere or nowhere by the sign of c when a vanishes.
    #[inline(always)]
    fn quadratic(a: L, b: L, c: L) -> Self {
        let (far, none) = (L::c(1e30), L::c(-1e30));
        let flat = a.lt(L::c(TINY));
        let discriminant = b.mul_add(b, -(a * c));
        let misses = discriminant.lt(L::ZERO);
        let root = discriminant.max(L::ZERO).sqrt();
        let inverse = L::select(flat, L::ONE, a).recip();
        let inside = c.le(L::ZERO);
        let enter = L::select(flat, L::select(inside, none, far), (-b - root) * inverse);
        let leave = L::select(flat, L::select(inside, far, none), (root - b) * inverse);
        Self {
            enter: L::select(misses & !flat, far, enter),
            leave: L::select(misses & !flat, none, leave),
        }
    }
}

impl<E: Real> Zone<E> {
    /// The volume of a site of a model.
    pub fn new(model: &Model, site: SiteId) -> Self {
        let Site { kind, size, .. } = &model.sites[site.index()];
        Self {
            site: site.index(),
            kind: *kind,
            size: size.map(E::from_f64),
            half_spaces: match kind {
                GeomKind::Mesh(mesh) => half_spaces(model, *mesh),
                _ => Vec::new(),
            },
        }
    }

    /// A point and a direction of the world in the frame of the site.
    #[inline(always)]
    fn local<L: Lanes<Elem = E>>(&self, poses: &Poses<L>, point: Vec3<L>, direction: Vec3<L>) -> (Vec3<L>, Vec3<L>) {
        let rotation = &poses.site_rotation[self.site];
        let offset = sub(point, poses.site_position[self.site]);
        (mat_t_vec(rotation, offset), mat_t_vec(rotation, direction))
    }

    /// Whether the zone holds a point strictly.
    #[inline(always)]
    pub fn holds<L: Lanes<Elem = E>>(&self, poses: &Poses<L>, point: Vec3<L>) -> L::Mask {
        let ([x, y, z], _) = self.local(poses, point, point);
        let [a, b, c] = self.size.map(L::splat);
        let square = x.mul_add(x, y * y);
        match self.kind {
            GeomKind::Sphere => z.mul_add(z, square).lt(a * a),
            GeomKind::Capsule => {
                let beyond = z - z.clamp(-b, b);
                beyond.mul_add(beyond, square).lt(a * a)
            }
            GeomKind::Ellipsoid => {
                let (x, y, z) = (x / a, y / b, z / c);
                z.mul_add(z, x.mul_add(x, y * y)).lt(L::ONE)
            }
            GeomKind::Cylinder => z.abs().lt(b) & square.lt(a * a),
            GeomKind::Box => x.abs().lt(a) & y.abs().lt(b) & z.abs().lt(c),
            GeomKind::Plane => z.lt(L::ZERO),
            GeomKind::Mesh(_) => {
                // A mesh without volume holds nothing.
                let mut inside = if self.half_spaces.is_empty() {
                    L::Mask::NONE
                } else {
                    L::Mask::ALL
                };
                for half in &self.half_spaces {
                    inside = inside & dot(half.normal.map(L::splat), [x, y, z]).lt(L::splat(half.offset));
                }
                inside
            }
            GeomKind::HField(_) => L::Mask::NONE,
        }
    }

    /// Whether a ray from `point` along the unit vector `direction` meets the zone, its boundary included.
    #[inline(always)]
    pub fn meets<L: Lanes<Elem = E>>(&self, poses: &Poses<L>, point: Vec3<L>, direction: Vec3<L>) -> L::Mask {
        let (p, v) = self.local(poses, point, direction);
        let [a, b, c] = self.size.map(L::splat);
        match self.kind {
            GeomKind::Sphere => ball(p, v, a).ahead(),
            GeomKind::Capsule => {
                let up = [L::ZERO, L::ZERO, b];
                let side = tube(p, v, a).and(Interval::slab(p[2], v[2], b));
                side.ahead() | ball(sub(p, up), v, a).ahead() | ball(add(p, up), v, a).ahead()
            }
            GeomKind::Ellipsoid => {
                let s = [a.recip(), b.recip(), c.recip()];
                ball(mul(p, s), mul(v, s), L::ONE).ahead()
            }
            GeomKind::Cylinder => tube(p, v, a).and(Interval::slab(p[2], v[2], b)).ahead(),
            GeomKind::Box => Interval::slab(p[0], v[0], a)
                .and(Interval::slab(p[1], v[1], b))
                .and(Interval::slab(p[2], v[2], c))
                .ahead(),
            GeomKind::Mesh(_) => {
                let mut within = Interval::whole();
                for half in &self.half_spaces {
                    let n = half.normal.map(L::splat);
                    within = within.and(Interval::below(dot(n, p) - L::splat(half.offset), dot(n, v)));
                }
                within.ahead()
            }
            GeomKind::Plane | GeomKind::HField(_) => L::Mask::NONE,
        }
    }
}

/// The convex hull of a mesh in the frame of the file that it came from, which is the frame of a site that looks like it.
fn half_spaces<E: Real>(model: &Model, mesh: MeshId) -> Vec<HalfSpace<E>> {
    let mesh = &model.meshes[mesh.index()];
    let pose = Pose::new(mesh.position, mesh.orientation);
    let built = match &mesh.hull {
        Some(_) => None,
        None => Hull::from_points(&mesh.vertices.iter().map(|v| v.map(f64::from)).collect::<Vec<_>>()).ok(),
    };
    let Some(hull) = mesh.hull.as_deref().or(built.as_ref()) else {
        return Vec::new();
    };
    let half_space = |facet| {
        let normal = pose.direction(hull.facet_normal(facet));
        let on_facet = hull.vertices()[hull.facet_loop(facet)[0] as usize];
        let point = pose.point(on_facet);
        HalfSpace {
            normal: normal.map(E::from_f64),
            offset: E::from_f64(dot64(normal, point)),
        }
    };
    (0..hull.facet_count()).map(half_space).collect()
}

/// Where a ray is within r of the origin.
#[inline(always)]
fn ball<L: Lanes>(p: Vec3<L>, v: Vec3<L>, r: L) -> Interval<L> {
    Interval::quadratic(dot(v, v), dot(p, v), dot(p, p) - r * r)
}

/// Where a ray is within r of the z axis.
#[inline(always)]
fn tube<L: Lanes>(p: Vec3<L>, v: Vec3<L>, r: L) -> Interval<L> {
    let a = v[0].mul_add(v[0], v[1] * v[1]);
    let b = p[0].mul_add(v[0], p[1] * v[1]);
    let c = p[0].mul_add(p[0], p[1] * p[1]) - r * r;
    Interval::quadratic(a, b, c)
}
