//! Length of a tendon in one configuration, and how it changes with each dof.

use motrix_collide::{Pose, WrapShape, wrap};
use motrix_model::{BodyId, GeomId, Model, PathItem, SiteId, Tendon, Vec3};

use super::kinematics::Kinematics;
use crate::build::pose::{dot, norm, sub};

/// The paths of all tendons.
pub fn tendon_paths(model: &Model, kinematics: &Kinematics) -> Vec<TendonPath> {
    model
        .tendons
        .iter()
        .map(|tendon| TendonPath::new(model, kinematics, tendon))
        .collect()
}

/// A tendon in one configuration.
#[derive(Clone, Debug, Default)]
pub struct TendonPath {
    /// Length.
    pub length: f64,
    /// Derivative of the length by each dof of [`Tendon::dofs`].
    pub jacobian: Vec<(usize, f64)>,
}

impl TendonPath {
    /// The path of `tendon`.
    pub fn new(model: &Model, kinematics: &Kinematics, tendon: &Tendon) -> Self {
        let mut path = Self {
            length: 0.0,
            jacobian: tendon.dofs.iter().map(|dof| (dof.index(), 0.0)).collect(),
        };
        if matches!(tendon.path.first(), Some(PathItem::Joint(..))) {
            path.follow_joints(model, kinematics, &tendon.path);
        } else {
            path.follow_sites(model, kinematics, &tendon.path);
        }
        path
    }

    /// A fixed tendon: the weighted sum of joint coordinates.
    fn follow_joints(&mut self, model: &Model, kinematics: &Kinematics, items: &[PathItem]) {
        for item in items {
            if let PathItem::Joint(id, coefficient) = item {
                let joint = &model.joints[id.index()];
                self.length += coefficient * kinematics.qpos[joint.first_position];
                self.add(joint.first_dof, *coefficient);
            }
        }
    }

    /// A spatial tendon: straight between sites, bent around geoms, divided after pulleys.
    fn follow_sites(&mut self, model: &Model, kinematics: &Kinematics, items: &[PathItem]) {
        let mut divisor = 1.0;
        let mut at = 0;
        while at + 1 < items.len() {
            let (from, wrap, to) = match (items[at], items[at + 1], items.get(at + 2)) {
                (PathItem::Pulley(d), _, _) => {
                    divisor = d;
                    at += 1;
                    continue;
                }
                (PathItem::Site(from), PathItem::Site(to), _) => (from, None, to),
                (PathItem::Site(from), PathItem::Sphere(geom, side), Some(PathItem::Site(to))) => {
                    (from, Some((WrapShape::Sphere, geom, side)), *to)
                }
                (PathItem::Site(from), PathItem::Cylinder(geom, side), Some(PathItem::Site(to))) => {
                    (from, Some((WrapShape::Cylinder, geom, side)), *to)
                }
                _ => {
                    at += 1;
                    continue;
                }
            };
            let points = bent(model, kinematics, from, wrap, to);
            self.length += (points.straight_length() + points.arc_length) / divisor;
            for pair in points.list.windows(2) {
                self.pull(model, kinematics, pair[0], pair[1], 1.0 / divisor);
            }
            at += if wrap.is_some() { 2 } else { 1 };
        }
    }

    /// Adds the derivative of the distance between two points fixed to bodies.
    fn pull(&mut self, model: &Model, kinematics: &Kinematics, a: (BodyId, Vec3), b: (BodyId, Vec3), share: f64) {
        if a.0 == b.0 {
            return;
        }
        let mut direction = sub(b.1, a.1);
        let length = norm(direction);
        // points that coincide pull along x, as MuJoCo's normalisation has it
        direction = if length < 1e-15 {
            [1.0, 0.0, 0.0]
        } else {
            direction.map(|x| x / length)
        };
        for (sign, (body, point)) in [(-1.0, a), (1.0, b)] {
            for (dof, linear, _) in kinematics.point_jacobian(model, body, point) {
                self.add(dof, sign * share * dot(direction, linear));
            }
        }
    }

    fn add(&mut self, dof: usize, derivative: f64) {
        if let Ok(at) = self.jacobian.binary_search_by_key(&dof, |&(column, _)| column) {
            self.jacobian[at].1 += derivative;
        }
    }

    /// The derivative as a full row of `nv` numbers.
    pub fn row(&self, nv: usize) -> Vec<f64> {
        let mut row = vec![0.0; nv];
        for &(dof, derivative) in &self.jacobian {
            row[dof] = derivative;
        }
        row
    }
}

/// Points of a path, each with the body it moves with: two, or four when the path is bent.
struct Points {
    list: Vec<(BodyId, Vec3)>,
    arc_length: f64,
}

impl Points {
    fn straight_length(&self) -> f64 {
        let distance = |i: usize| norm(sub(self.list[i + 1].1, self.list[i].1));
        // of four points, the middle pair spans the arc
        if self.list.len() == 4 {
            distance(0) + distance(2)
        } else {
            distance(0)
        }
    }
}

fn bent(
    model: &Model,
    kinematics: &Kinematics,
    from: SiteId,
    around: Option<(WrapShape, GeomId, Option<SiteId>)>,
    to: SiteId,
) -> Points {
    let place = |site: SiteId| kinematics.sites[site.index()].position;
    let body = |site: SiteId| model.sites[site.index()].body;
    let mut points = Points {
        list: vec![(body(from), place(from)), (body(to), place(to))],
        arc_length: 0.0,
    };
    if let Some((shape, id, side)) = around {
        let (frame, geom) = (&kinematics.geoms[id.index()], &model.geoms[id.index()]);
        let pose = Pose {
            position: frame.position,
            rotation: frame.rotation,
        };
        if let Some(arc) = wrap(shape, &pose, geom.size[0], place(from), place(to), side.map(place)) {
            points.list.splice(1..1, [(geom.body, arc.start), (geom.body, arc.end)]);
            points.arc_length = arc.length;
        }
    }
    points
}
