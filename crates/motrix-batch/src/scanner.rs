//! Scanners: distances along many rays that move with a site.
//!
//! A reading is taken at one instant, as if the head turned infinitely fast: one number per ray, row by row, and -1 where
//! nothing is met within reach.

use std::sync::Arc;

use motrix_collide::Pose;
use motrix_collide::vector::rotate;
use motrix_model::{BodyId, LidarExclude, LidarScan, Model, Object, Sensor, SensorKind};
use motrix_query::{Ray, Surroundings, Visible};

/// A `<lidar>` sensor and what it sees.
pub struct Scanner {
    sensor: Sensor,
    scan: Arc<LidarScan>,
    site: usize,
    visible: Visible,
}

impl Scanner {
    /// All scanners of a model.
    pub fn all(model: &Model) -> Vec<Self> {
        let scanner = |sensor: &Sensor| {
            let (SensorKind::Lidar(scan), Some(Object::Site(site))) = (&sensor.kind, sensor.object) else {
                return None;
            };
            let body = model.sites[site.index()].body;
            Some(Self {
                sensor: sensor.clone(),
                scan: Arc::clone(scan),
                site: site.index(),
                visible: hidden(model, body, scan.exclude)
                    .fold(Visible::all(model), |visible, body| visible.without_body(model, body)),
            })
        };
        model.sensors.iter().filter_map(scanner).collect()
    }

    /// Where the reading is written.
    pub fn sensor(&self) -> &Sensor {
        &self.sensor
    }

    /// The site it moves with.
    pub fn site(&self) -> usize {
        self.site
    }

    /// The geoms it can see.
    pub fn visible(&self) -> &Visible {
        &self.visible
    }

    /// The reading from where the site is, among its visible geoms.
    pub fn look(&self, site: &Pose, around: &Surroundings, reading: &mut Vec<f64>) {
        reading.clear();
        reading.extend(self.scan.directions.iter().map(|&direction| {
            let ray = Ray {
                origin: site.position,
                direction: rotate(&site.rotation, direction),
            };
            around
                .nearest(&ray, self.scan.reach, None)
                .map_or(-1.0, |hit| hit.distance)
        }));
    }
}

/// The bodies that a scanner on `body` does not see.
fn hidden(model: &Model, body: BodyId, exclude: LidarExclude) -> impl Iterator<Item = BodyId> {
    let mut inside = vec![false; model.bodies.len()];
    inside[body.index()] = exclude != LidarExclude::Nothing;
    if exclude == LidarExclude::Subtree {
        // Parents come first.
        for (index, other) in model.bodies.iter().enumerate().skip(1) {
            inside[index] |= inside[other.parent.index()];
        }
    }
    (0..inside.len()).filter(move |&index| inside[index]).map(BodyId::new)
}
