//! Tactile sensors: how deep each vertex of a mesh lies in what the sensor's body touches, and how fast that slides past it.
//!
//! Readings are MuJoCo's (`mj_sensorVel`), channel by channel: the depth of all vertices, then, where each vertex carries a frame,
//! the speeds along its two tangents. Depths are those of its distance fields, which inside a box are not the Euclidean ones: they
//! are measured along a direction that turns from radial to normal towards the faces. Touched meshes without such a field read zero.

use motrix_collide::vector::{Vec3, cross, dot, norm, rotate_back, sub};
use motrix_dynamics::Tables;
use motrix_model::{BodyId, GeomId, GeomKind, MeshId, Object, Sensor, SensorKind};
use motrix_spatial::{Lanes, Mask};

use crate::perception::World;

/// A `<tactile>` sensor.
pub struct Tactile {
    sensor: Sensor,
    mesh: MeshId,
    geom: GeomId,
}

impl Tactile {
    /// The sensor, if it is of this kind.
    pub fn new(sensor: &Sensor) -> Option<Self> {
        match (&sensor.kind, sensor.object, sensor.reference) {
            (SensorKind::Tactile, Some(Object::Mesh(mesh)), Some(Object::Geom(geom))) => Some(Self {
                sensor: sensor.clone(),
                mesh,
                geom,
            }),
            _ => None,
        }
    }

    /// Where the reading is written.
    pub fn sensor(&self) -> &Sensor {
        &self.sensor
    }

    /// The reading in one world.
    pub fn feel<L: Lanes>(&self, world: &World<L>, tables: &Tables<L::Elem>, reading: &mut Vec<f64>) {
        reading.clear();
        reading.resize(self.sensor.dim, 0.0);
        let mesh = &world.model.meshes[self.mesh.index()];
        let count = mesh.vertices.len();
        let framed = mesh.normals.len() == 3 * count;
        let own = world.geom(self.geom).pose;
        let body = world.model.bodies[world.model.geoms[self.geom.index()].body.index()].weld;
        for geom in self.touched(world, tables, body) {
            let other = world.geom(geom);
            let kind = world.model.geoms[geom.index()].kind;
            let other_body = world.model.geoms[geom.index()].body;
            for (j, vertex) in mesh.vertices.iter().enumerate() {
                let point = own.point(vertex.map(f64::from));
                let local = rotate_back(&other.pose.rotation, sub(point, other.pose.position));
                let depth = depth(kind, other.size, local);
                if !(depth > 0.0) {
                    continue;
                }
                reading[j] = reading[j].max(depth);
                if framed {
                    let sliding = sub(velocity(world, body, point), velocity(world, other_body, point));
                    for channel in 1..3 {
                        let tangent = own.direction(mesh.normals[3 * j + channel].map(f64::from));
                        reading[channel * count + j] += dot(sliding, tangent).abs();
                    }
                }
            }
        }
    }

    /// The geoms in contact with a body and what is welded to it, each once, in the order of the contacts.
    fn touched<L: Lanes>(&self, world: &World<L>, tables: &Tables<L::Elem>, body: BodyId) -> Vec<GeomId> {
        let weld = |geom: usize| world.model.bodies[world.model.geoms[geom].body.index()].weld;
        let mut touched = Vec::new();
        for slot in world
            .data
            .contacts
            .slots
            .iter()
            .filter(|slot| slot.active.lane(world.lane))
        {
            let pair = &tables.pairs.pairs[slot.pair[world.lane] as usize];
            for (mine, other) in [(pair.geom1(), pair.geom2()), (pair.geom2(), pair.geom1())] {
                let other = GeomId::new(other);
                if weld(mine) == body && !touched.contains(&other) {
                    touched.push(other);
                }
            }
        }
        touched
    }
}

/// The velocity of a point of a body.
fn velocity<L: Lanes>(world: &World<L>, body: BodyId, point: Vec3) -> Vec3 {
    let root = world.model.bodies[body.index()].root;
    let twist = world.numbers(&world.data.twists.body[body.index()]);
    let arm = sub(point, world.numbers(&world.data.poses.subtree_com[root.index()]));
    let turning = cross([twist[0], twist[1], twist[2]], arm);
    [twist[3] + turning[0], twist[4] + turning[1], twist[5] + turning[2]]
}

/// How deep a point lies inside of a shape, in its frame; not positive outside.
fn depth(kind: GeomKind, size: Vec3, p: Vec3) -> f64 {
    let [a, b, _] = size;
    match kind {
        GeomKind::Plane => -p[2],
        GeomKind::Sphere => a - norm(p),
        GeomKind::Capsule => a - norm([p[0], p[1], p[2] - p[2].clamp(-b, b)]),
        // The distance of the first order: the level of the quadratic form over its gradient.
        GeomKind::Ellipsoid => {
            let scaled = [0, 1, 2].map(|k| p[k] / size[k]);
            let level = norm(scaled);
            level * (1.0 - level) / norm([0, 1, 2].map(|k| scaled[k] / size[k]))
        }
        GeomKind::Cylinder => (a - p[0].hypot(p[1])).min(b - p[2].abs()),
        GeomKind::Box => {
            let inside = [0, 1, 2].map(|k| size[k] - p[k].abs());
            if inside.iter().any(|&x| x <= 0.0) {
                return inside.into_iter().fold(f64::INFINITY, f64::min);
            }
            // Along the direction with the components size/inside, the faces are inside²/size of its length away.
            let direction = [0, 1, 2].map(|k| size[k] / inside[k]);
            let steps = [0, 1, 2].map(|k| inside[k] / direction[k]);
            steps.into_iter().fold(f64::INFINITY, f64::min) * norm(direction)
        }
        GeomKind::Mesh(_) | GeomKind::HField(_) => 0.0,
    }
}
