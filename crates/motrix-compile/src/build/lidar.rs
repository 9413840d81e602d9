//! `<lidar>`: patterns of rays among the assets, and the scanners among the sensors that turn one with a site.
//!
//! A pattern is rows of elevation times columns of azimuth, in the frame of the site: x forward, y to the left, z up; azimuths
//! grow to the left, elevations upwards, both in the unit of `compiler angle`. `grid` spreads both over their ranges with a ray
//! at either end; in `rings`, whose azimuths are those of a turning head, a full circle does not repeat its first ray. Of a
//! turning head the number of columns may be given, or the rays it reports per second, which the turns per second divide.

use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::sync::Arc;

use motrix_model::{LidarExclude, LidarScan, SensorKind};

use super::names::Names;
use crate::document::Element;
use crate::problem::Problems;
use crate::schema::Namespace;

/// Rays of one scanner beyond this are refused: 96 MB of directions.
const MOST_RAYS: usize = 1 << 22;

/// Turns per second of a head that does not say.
const HZ: f64 = 10.0;

/// A full circle up to rounding of degrees to radians, radians.
const FULL_CIRCLE: f64 = TAU - 1e-9;

/// A `<lidar>` asset.
#[derive(Debug)]
pub struct Pattern {
    elevations: Vec<f64>,
    columns: Columns,
    azimuths: [f64; 2],
    turning: bool,
    /// Turns per second that are possible.
    hz: Option<[f64; 2]>,
    reach: f64,
}

/// How many azimuths there are.
#[derive(Debug)]
enum Columns {
    Given(usize),
    /// All rays per second.
    Rate(f64),
}

/// Reads the asset.
pub fn pattern(element: &Element, problems: &mut Problems) -> Option<Pattern> {
    let turning = match element.has("pattern") {
        true => element.keyword("pattern", &[("grid", false), ("rings", true)], problems)?,
        false => false,
    };
    let azimuths = range(element, "hrange", [-PI, PI], problems);
    let elevations = elevations(element, problems);
    let columns = columns(element, problems);
    let reach = match element.real("cutoff", problems) {
        Some(cutoff) if cutoff <= 0.0 => {
            problems.push(element.problem_with("cutoff", "the range of a scanner must be positive"));
            None
        }
        given => Some(given.unwrap_or(f64::INFINITY)),
    };
    let hz = element.reals("hzrange", problems);
    if hz.is_some_and(|[low, high]: [f64; 2]| !(0.0 < low && low <= high)) {
        problems.push(element.problem_with("hzrange", "expected two positive numbers, the lower one first"));
        return None;
    }
    Some(Pattern {
        elevations: elevations?,
        columns: columns?,
        azimuths: azimuths?,
        turning,
        hz,
        reach: reach?,
    })
}

/// Two angles in radians, the lower one first.
fn range(element: &Element, name: &str, otherwise: [f64; 2], problems: &mut Problems) -> Option<[f64; 2]> {
    let Some(given) = element.reals::<2>(name, problems) else {
        return (!element.has(name)).then_some(otherwise);
    };
    let range = given.map(|angle| element.compiler().radians(angle));
    if range[0] > range[1] {
        problems.push(element.problem_with(name, "the lower angle must come first"));
        return None;
    }
    Some(range)
}

fn elevations(element: &Element, problems: &mut Problems) -> Option<Vec<f64>> {
    let list: Vec<f64> = match element.real_list("elevations", problems) {
        Some(list) => list.iter().map(|&angle| element.compiler().radians(angle)).collect(),
        None => {
            let range = range(element, "vrange", [0.0; 2], problems);
            let rows = count(element, "vscan", problems);
            spread(range?, rows?, true).collect()
        }
    };
    // The poles themselves may be rounded to a little more.
    if list.iter().any(|angle| angle.abs() > FRAC_PI_2 + 1e-9) {
        let name = if element.has("elevations") {
            "elevations"
        } else {
            "vrange"
        };
        problems.push(element.problem_with(name, "elevations go from straight down to straight up"));
        return None;
    }
    (!list.is_empty()).then_some(list)
}

/// A number of rows or columns; one where none is given.
fn count(element: &Element, name: &str, problems: &mut Problems) -> Option<usize> {
    let given = element.int(name, problems).unwrap_or(1);
    let rays = usize::try_from(given)
        .ok()
        .filter(|&rays| (1..=MOST_RAYS).contains(&rays));
    if rays.is_none() {
        problems.push(element.problem_with(name, format!("the number of rays must be between 1 and {MOST_RAYS}")));
    }
    rays
}

fn columns(element: &Element, problems: &mut Problems) -> Option<Columns> {
    match element.real("reportrate", problems) {
        None => count(element, "hscan", problems).map(Columns::Given),
        Some(rate) if rate > 0.0 => Some(Columns::Rate(rate)),
        Some(_) => {
            problems.push(element.problem_with("reportrate", "the rays per second must be positive"));
            None
        }
    }
}

/// Equally spaced angles; with `ends` the last is the end of the range.
fn spread(range: [f64; 2], count: usize, ends: bool) -> impl Iterator<Item = f64> {
    let steps = if ends { (count - 1).max(1) } else { count };
    (0..count).map(move |k| range[0] + (range[1] - range[0]) * k as f64 / steps as f64)
}

/// Reads what a scanner scans; its site is read as for other sensors.
pub fn scanner(
    element: &Element,
    names: &Names,
    patterns: &[Option<Pattern>],
    problems: &mut Problems,
) -> Option<SensorKind> {
    const EXCLUDE: &[(&str, LidarExclude)] = &[
        ("none", LidarExclude::Nothing),
        ("parentbody", LidarExclude::Body),
        ("parentsubtree", LidarExclude::Subtree),
    ];
    let exclude = element
        .keyword("exclude", EXCLUDE, problems)
        .unwrap_or(LidarExclude::Body);
    let hz = element.real("hz", problems);
    let pattern = patterns[names.require(element, "asset", Namespace::Lidar, problems)?].as_ref()?;
    let columns = pattern.columns(element, hz, problems)?;
    Some(SensorKind::Lidar(Arc::new(LidarScan {
        rows: pattern.elevations.len(),
        columns,
        directions: pattern.directions(columns),
        reach: pattern.reach,
        exclude,
    })))
}

impl Pattern {
    /// Rays of a row, for a head that turns `hz` times per second.
    fn columns(&self, element: &Element, hz: Option<f64>, problems: &mut Problems) -> Option<usize> {
        let turns = hz.unwrap_or(self.hz.map_or(HZ, |[low, _]| low));
        let [low, high] = self.hz.unwrap_or([f64::MIN_POSITIVE, f64::INFINITY]);
        if !(low..=high).contains(&turns) {
            let message = match self.hz {
                Some(_) => format!("the head turns {low} to {high} times per second"),
                None => "the turns per second must be positive".to_owned(),
            };
            problems.push(element.problem_with("hz", message));
            return None;
        }
        let rows = self.elevations.len();
        let columns = match self.columns {
            Columns::Given(columns) => columns,
            // Saturates where the number is absurd.
            Columns::Rate(rate) => ((rate / (turns * rows as f64)).round() as usize).max(1),
        };
        if columns.saturating_mul(rows) > MOST_RAYS {
            problems.push(element.problem(format!("the scanner has more than {MOST_RAYS} rays")));
            return None;
        }
        Some(columns)
    }

    /// Unit vectors, row by row.
    fn directions(&self, columns: usize) -> Vec<[f64; 3]> {
        let circle = self.turning && self.azimuths[1] - self.azimuths[0] >= FULL_CIRCLE;
        let azimuths: Vec<(f64, f64)> = spread(self.azimuths, columns, !circle).map(f64::sin_cos).collect();
        let rows = self.elevations.iter().map(|angle| angle.sin_cos());
        rows.flat_map(|(up, flat)| {
            azimuths
                .iter()
                .map(move |(left, ahead)| [flat * ahead, flat * left, up])
        })
        .collect()
    }
}
