//! Sensors that look around: range finders, scanners, distances between geoms, how far things reach out of sites, tactile surfaces.
//!
//! The kernels of a step work on all worlds of a group at once; what these sensors need is a search through one world, in double
//! precision. They are therefore read after the kernels, from the poses that all other sensors of the same evaluation saw. Values are
//! MuJoCo's (`mj_sensorPos`, `mj_sensorVel`), cutoffs included.
//!
//! Those that show past readings have to be read in every step. They are read before it, which leaves what they show in the sensor
//! vector, and their readings are entered at once: nothing in the step looks at them.

use std::ops::Range;
use std::sync::Arc;

use motrix_collide::vector::{Vec3, add_scaled, dot, norm, rotate, scale, sub, unit_of_any_length};
use motrix_collide::{Placed, Pose, Scratch, Settings, distance};
use motrix_dynamics::delay::{Buffer, DelayTable};
use motrix_dynamics::{Data, Params, Tables};
use motrix_model::{BodyId, Camera, GeomId, Model, Object, Options, Sensor, SensorDataKind, SensorKind, TrackMode};
use motrix_query::distance::{Algorithm, Apart, Rules, between};
use motrix_query::{Hit, Placement, Ray, Shapes, Surroundings, Visible};
use motrix_spatial::{Lanes, Real};

use crate::enclosed::Enclosed;
use crate::scanner::Scanner;
use crate::tactile::Tactile;

/// Fields of a range finder's reading (`mjtRayDataField`), in their order.
const FIELDS: [Field; 6] = [
    Field::Distance,
    Field::Direction,
    Field::Origin,
    Field::Point,
    Field::Normal,
    Field::Depth,
];

/// What a range finder tells of a ray.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Distance,
    Direction,
    Origin,
    Point,
    Normal,
    Depth,
}

/// The sensors of a model that look around.
pub struct Perception {
    shapes: Arc<Shapes>,
    visible: Visible,
    rangefinders: Vec<Sensor>,
    scanners: Vec<Scanner>,
    distances: Vec<Sensor>,
    enclosed: Vec<Enclosed>,
    tactile: Vec<Tactile>,
    rays: usize,
    /// Where sensors that show past readings write, and where these are kept.
    memories: Vec<(Range<usize>, Buffer)>,
}

/// One world of a group.
pub(crate) struct World<'w, L: Lanes> {
    pub model: &'w Model,
    pub data: &'w Data<L>,
    pub params: &'w Params<L>,
    pub lane: usize,
}

impl<L: Lanes> World<'_, L> {
    /// The lane's part of some numbers.
    pub fn numbers<const N: usize>(&self, x: &[L; N]) -> [f64; N] {
        x.map(|x| x.lane(self.lane).to_f64())
    }

    /// A place in this world.
    pub fn pose(&self, position: &[L; 3], rotation: &[L; 9]) -> Pose {
        Pose {
            position: self.numbers(position),
            rotation: self.numbers(rotation),
        }
    }

    /// Where a geom is.
    pub fn geom(&self, geom: GeomId) -> Placement {
        let (poses, g) = (&self.data.poses, geom.index());
        let terrain = self.params.terrain.iter().find(|terrain| terrain.geom == g);
        Placement {
            geom,
            pose: self.pose(&poses.geom_position[g], &poses.geom_rotation[g]),
            size: self.numbers(&self.params.geoms[g].size),
            window: terrain.map(|terrain| *terrain.window.lane(self.lane)),
        }
    }

    fn body(&self, body: BodyId) -> Pose {
        let (poses, b) = (&self.data.poses, body.index());
        self.pose(&poses.position[b], &poses.rotation[b])
    }

    /// Where a camera is, which may follow its body or look at another (`cam_xpos`, `cam_xmat`).
    fn camera(&self, camera: &Camera) -> Pose {
        let body = self.body(camera.body);
        let com = |b: BodyId| self.numbers(&self.data.poses.subtree_com[b.index()]);
        let local = Pose::new(camera.position, camera.orientation);
        let fixed = Pose {
            position: body.point(local.position),
            rotation: times(&body.rotation, &local.rotation),
        };
        match (camera.mode, camera.target) {
            (TrackMode::Track, _) => Pose {
                position: add_scaled(body.position, camera.offset_from_body0, 1.0),
                rotation: camera.rotation0,
            },
            (TrackMode::TrackCom, _) => Pose {
                position: add_scaled(com(camera.body), camera.offset_from_com0, 1.0),
                rotation: camera.rotation0,
            },
            (TrackMode::TargetBody, Some(target)) => looking_at(&fixed, self.body(target).position),
            (TrackMode::TargetBodyCom, Some(target)) => looking_at(&fixed, com(target)),
            _ => fixed,
        }
    }
}

/// A B
pub(crate) fn times(a: &[f64; 9], b: &[f64; 9]) -> [f64; 9] {
    std::array::from_fn(|i| (0..3).map(|k| a[3 * (i / 3) + k] * b[3 * k + i % 3]).sum())
}

/// A camera at the same place that looks at a point, upright in the world.
fn looking_at(at: &Pose, point: Vec3) -> Pose {
    use motrix_collide::vector::cross;
    let Some(z) = unit_of_any_length(sub(at.position, point)) else {
        return *at;
    };
    let Some(x) = unit_of_any_length(cross([0.0, 0.0, 1.0], z)) else {
        return *at;
    };
    let y = cross(z, x);
    Pose {
        position: at.position,
        rotation: [x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]],
    }
}

impl Perception {
    /// The sensors of a model that look around; none when it has none or the options switch sensors off.
    pub fn new(shapes: &Arc<Shapes>, options: &Options, delays: &DelayTable) -> Option<Self> {
        if options.disable.sensor {
            return None;
        }
        let model = shapes.model();
        let of = |wanted: fn(&SensorKind) -> bool| model.sensors.iter().filter(move |s| wanted(&s.kind)).cloned();
        let rangefinders: Vec<Sensor> = of(|k| matches!(k, SensorKind::Rangefinder { .. })).collect();
        let measures = |k: &SensorKind| {
            matches!(
                k,
                SensorKind::GeomDist | SensorKind::GeomNormal | SensorKind::GeomFromTo
            )
        };
        let distances: Vec<Sensor> = model.sensors.iter().filter(|s| measures(&s.kind)).cloned().collect();
        let scanners = Scanner::all(model);
        let enclosed: Vec<_> = model.sensors.iter().filter_map(|s| Enclosed::new(shapes, s)).collect();
        let tactile: Vec<_> = model.sensors.iter().filter_map(Tactile::new).collect();
        let count = rangefinders.len() + scanners.len() + distances.len() + enclosed.len() + tactile.len();
        let memory = |(sensor, buffer): (&Sensor, &Option<Buffer>)| {
            Some((sensor.first..sensor.first + sensor.dim, buffer.clone()?))
        };
        (count > 0).then(|| Self {
            visible: Visible::all(model),
            rays: rangefinders.iter().map(|s| s.dim / fields_size(s).max(1)).sum(),
            shapes: Arc::clone(shapes),
            rangefinders,
            scanners,
            distances,
            enclosed,
            tactile,
            memories: model.sensors.iter().zip(&delays.elsewhere).filter_map(memory).collect(),
        })
    }

    /// Whether some sensor shows past readings, so that all must be read in every step.
    pub fn remembers(&self) -> bool {
        !self.memories.is_empty()
    }

    /// Writes what the sensors of the first `live` worlds of a group show into the sensor vector.
    pub fn read<L: Lanes>(&self, tables: &Tables<L::Elem>, params: &Params<L>, data: &mut Data<L>, live: usize) {
        let mut sensors = std::mem::take(&mut data.sensors);
        self.measure(tables, params, data, live, &mut sensors);
        for (place, buffer) in &self.memories {
            buffer.show(&data.state.history, &data.state.time, &mut sensors[place.clone()]);
        }
        data.sensors = sensors;
    }

    /// The same, and the present readings become past ones.
    pub fn read_and_remember<L: Lanes>(
        &self,
        tables: &Tables<L::Elem>,
        params: &Params<L>,
        data: &mut Data<L>,
        live: usize,
    ) {
        let mut sensors = std::mem::take(&mut data.sensors);
        self.measure(tables, params, data, live, &mut sensors);
        let state = &mut data.state;
        for (place, buffer) in &self.memories {
            let present = sensors[place.clone()].to_vec();
            buffer.show(&state.history, &state.time, &mut sensors[place.clone()]);
            buffer.enter_reading(&state.time, &present, &mut state.history);
        }
        data.sensors = sensors;
    }

    /// Writes the present readings.
    fn measure<L: Lanes>(
        &self,
        tables: &Tables<L::Elem>,
        params: &Params<L>,
        data: &Data<L>,
        live: usize,
        sensors: &mut [L],
    ) {
        let mut around = Surroundings::new(&self.shapes);
        let mut scratch = Scratch::new();
        let mut reading = Vec::new();
        let model = self.shapes.model();
        for lane in 0..live {
            let world = World {
                model,
                data,
                params,
                lane,
            };
            let mut write = |sensor: &Sensor, reading: &[f64]| {
                for (slot, &x) in sensors[sensor.first..sensor.first + sensor.dim].iter_mut().zip(reading) {
                    slot.set_lane(lane, L::Elem::from_f64(clamped(sensor, x)));
                }
            };
            if !self.rangefinders.is_empty() {
                around.place(self.visible.geoms().map(|geom| world.geom(geom)), self.rays);
            }
            for sensor in &self.rangefinders {
                reading.clear();
                look(&world, &around, sensor, &mut reading);
                write(sensor, &reading);
            }
            for scanner in &self.scanners {
                let seen = scanner.visible().geoms().map(|geom| world.geom(geom));
                around.place(seen, scanner.sensor().dim);
                let (poses, site) = (&data.poses, scanner.site());
                let pose = world.pose(&poses.site_position[site], &poses.site_rotation[site]);
                scanner.look(&pose, &around, &mut reading);
                write(scanner.sensor(), &reading);
            }
            for sensor in &self.distances {
                let nearest = self.nearest(&world, sensor, &mut scratch);
                write(sensor, &distance_reading(sensor, nearest.as_ref()));
            }
            for enclosed in &self.enclosed {
                let reach = enclosed.measure(&world, &self.shapes, &mut scratch);
                write(enclosed.sensor(), &[reach]);
            }
            for tactile in &self.tactile {
                tactile.feel(&world, tables, &mut reading);
                write(tactile.sensor(), &reading);
            }
        }
    }

    /// The nearest points of two geoms or bodies within the sensor's cutoff.
    fn nearest<L: Lanes>(&self, world: &World<L>, sensor: &Sensor, scratch: &mut Scratch) -> Option<Apart> {
        let geoms = |object: Option<Object>| -> Vec<GeomId> {
            match object {
                Some(Object::Geom(geom)) => vec![geom],
                Some(Object::Body(body) | Object::XBody(body)) => {
                    let body = &world.model.bodies[body.index()];
                    (body.first_geom..body.first_geom + body.geom_count)
                        .map(GeomId::new)
                        .collect()
                }
                _ => Vec::new(),
            }
        };
        let mut nearest: Option<Apart> = None;
        for a in geoms(sensor.object) {
            for b in geoms(sensor.reference) {
                let limit = nearest.map_or(sensor.cutoff, |n| n.distance);
                let pair = [a, b].map(|geom| world.geom(geom));
                nearest = self
                    .apart(&pair, limit, scratch)
                    .filter(|f| f.distance < limit)
                    .or(nearest);
            }
        }
        nearest
    }

    /// How far two geoms are apart, when that is less than `limit`. Convex pairs are resolved as MuJoCo does for distances; terrain, for
    /// which MuJoCo's depend on the cutoff, by its surface.
    fn apart(&self, pair: &[Placement; 2], limit: f64, scratch: &mut Scratch) -> Option<Apart> {
        let convex = |p: &Placement| {
            let shape = self.shapes.convex(p.geom, p.size)?;
            Some(Placed { shape, pose: p.pose })
        };
        if let (Some(a), Some(b)) = (convex(&pair[0]), convex(&pair[1])) {
            let found = distance(&a, &b, limit, &Settings::default(), scratch)?;
            return Some(Apart {
                distance: found.distance,
                on_a: found.on_a,
                on_b: found.on_b,
            });
        }
        let rules = Rules {
            signed: true,
            solid: true,
        };
        // Whatever is nearer than nothing overlaps, which the search finds out by going all the way.
        let reach = if limit > 0.0 { limit } else { f64::INFINITY };
        let [a, b] = pair.each_ref().map(|p| self.shapes.body(p));
        between(&a, &b, Algorithm::Hulls, rules, reach, &mut None, scratch)
    }
}

/// Cutoffs clamp real values on both sides, non-negative ones from above; segments are left alone.
fn clamped(sensor: &Sensor, x: f64) -> f64 {
    match sensor.data {
        _ if !(sensor.cutoff > 0.0) || sensor.kind == SensorKind::GeomFromTo => x,
        SensorDataKind::Real => x.clamp(-sensor.cutoff, sensor.cutoff),
        SensorDataKind::Positive => x.min(sensor.cutoff),
        SensorDataKind::Axis | SensorDataKind::Quaternion => x,
    }
}

/// The reading of a distance sensor; its cutoff and zeros when nothing is within the cutoff.
fn distance_reading(sensor: &Sensor, nearest: Option<&Apart>) -> [f64; 6] {
    let mut reading = [0.0; 6];
    match (&sensor.kind, nearest) {
        (SensorKind::GeomDist, nearest) => reading[0] = nearest.map_or(sensor.cutoff, |n| n.distance),
        (SensorKind::GeomNormal, Some(n)) => {
            let way = sub(n.on_b, n.on_a);
            let length = norm(way);
            if length > 0.0 {
                reading[..3].copy_from_slice(&scale(way, 1.0 / length));
            }
        }
        (_, Some(n)) => {
            reading[..3].copy_from_slice(&n.on_a);
            reading[3..].copy_from_slice(&n.on_b);
        }
        (_, None) => {}
    }
    reading
}

/// Fields that a range finder tells of each ray.
fn fields(sensor: &Sensor) -> impl Iterator<Item = Field> + use<> {
    let bits = match sensor.kind {
        SensorKind::Rangefinder { fields } => fields,
        _ => 0,
    };
    FIELDS
        .into_iter()
        .enumerate()
        .filter(move |(k, _)| bits >> k & 1 == 1)
        .map(|(_, field)| field)
}

/// Numbers per ray.
fn fields_size(sensor: &Sensor) -> usize {
    let size = |field| match field {
        Field::Distance | Field::Depth => 1,
        _ => 3,
    };
    fields(sensor).map(size).sum()
}

/// The reading of a range finder: along z of a site, or through every pixel of a camera.
fn look<L: Lanes>(world: &World<L>, around: &Surroundings, sensor: &Sensor, reading: &mut Vec<f64>) {
    let poses = &world.data.poses;
    match sensor.object {
        Some(Object::Site(site)) => {
            let pose = world.pose(&poses.site_position[site.index()], &poses.site_rotation[site.index()]);
            let body = world.model.sites[site.index()].body;
            let axis = rotate(&pose.rotation, [0.0, 0.0, 1.0]);
            let ray = Ray {
                origin: pose.position,
                direction: axis,
            };
            tell(
                sensor,
                &ray,
                axis,
                around.nearest(&ray, f64::INFINITY, Some(body)),
                reading,
            );
        }
        Some(Object::Camera(camera)) => {
            let camera = &world.model.cameras[camera.index()];
            let pose = world.camera(camera);
            let forward = rotate(&pose.rotation, [0.0, 0.0, -1.0]);
            let [width, height] = camera.resolution;
            for row in 0..height {
                for col in 0..width {
                    let local = pixel(camera, col, row);
                    let ray = Ray {
                        origin: pose.point(local.origin),
                        direction: rotate(&pose.rotation, local.direction),
                    };
                    let hit = around.nearest(&ray, f64::INFINITY, Some(camera.body));
                    tell(sensor, &ray, forward, hit, reading);
                }
            }
        }
        _ => {}
    }
}

/// The ray through the middle of a pixel, in the camera's frame; row 0 is the upper one.
fn pixel(camera: &Camera, col: u32, row: u32) -> Ray {
    let [width, height] = camera.resolution.map(f64::from);
    // Places on the picture in pixels from its middle, right and up.
    let (right, up) = (f64::from(col) + 0.5 - 0.5 * width, 0.5 * height - f64::from(row) - 0.5);
    if camera.orthographic {
        // The field of view is the height in metres.
        let metres = camera.fovy / height;
        return Ray {
            origin: [right * metres, up * metres, 0.0],
            direction: [0.0, 0.0, -1.0],
        };
    }
    let [sensor_width, sensor_height] = camera.sensor_size.map(f64::from);
    let direction = if sensor_height > 0.0 {
        let [fx, fy, cx, cy] = camera.intrinsic.map(f64::from);
        // The principal point is counted from the upper left corner of the chip.
        let x = ((f64::from(col) + 0.5) * sensor_width / width - cx) / fx;
        let y = ((f64::from(row) + 0.5) * sensor_height / height - cy) / -fy;
        [x, y, -1.0]
    } else {
        let per_pixel = 2.0 * (0.5 * camera.fovy.to_radians()).tan() / height;
        [right * per_pixel, up * per_pixel, -1.0]
    };
    Ray {
        origin: [0.0; 3],
        direction: scale(direction, 1.0 / norm(direction)),
    }
}

/// Appends what a sensor tells of a ray; −1 and zeros where nothing is met.
fn tell(sensor: &Sensor, ray: &Ray, forward: Vec3, hit: Option<Hit>, reading: &mut Vec<f64>) {
    for field in fields(sensor) {
        match (field, &hit) {
            (Field::Distance, hit) => reading.push(hit.as_ref().map_or(-1.0, |hit| hit.distance)),
            (Field::Depth, Some(hit)) => reading.push(hit.distance * dot(ray.direction, forward)),
            (Field::Depth, None) => reading.push(-1.0),
            (Field::Origin, _) => reading.extend(ray.origin),
            (Field::Direction, Some(_)) => reading.extend(ray.direction),
            (Field::Point, Some(hit)) => reading.extend(ray.at(hit.distance)),
            (Field::Normal, Some(hit)) => reading.extend(hit.normal),
            (_, None) => reading.extend([0.0; 3]),
        }
    }
}
