//! The contacts of every kind of pair are those that MuJoCo 4.0 reports.
//!
//! `tests/golden/contacts.txt` in the repository holds poses and MuJoCo's contacts; `contacts.py` beside it writes the file.
//! Set `MOTRIX_GOLDEN` to another such file to compare more poses, and run with `--nocapture` for the table of differences.
//!
//! Where MuJoCo's contacts differ the [`referee`] decides, from the shapes alone. It has to side with ours: because MuJoCo's are
//! deeper than the shapes overlap or point where they overlap more, or because ours lie on the surfaces and either span at least as large a
//! quadrilateral or run along the line of a cylinder that is nearest to the other shape, which MuJoCo's may miss.

use std::collections::BTreeMap;
use std::fmt::Write as _;

mod golden_file;
#[expect(dead_code, reason = "random poses serve the other tests")]
mod referee;

use golden_file::{GoldenFile, Vec3};
use motrix_collide::{Contact, Manifold, Placed, Scratch, Settings, Shape, collide, distance as measure};
use referee::{along, dot, gap, judge, norm, outside, sub};

/// Differences of one kind of pair.
#[derive(Default)]
struct Tally {
    poses: usize,
    /// Poses where the number of contacts differs.
    count: usize,
    /// Largest differences over the matched contacts of poses with equal counts.
    distance: f64,
    normal: f64,
    position: f64,
    /// Poses where the deepest distance, the normal or a position differs beyond tolerance.
    distance_off: usize,
    normal_off: usize,
    position_off: usize,
    /// Poses where the referee found MuJoCo wrong, and where it found ours as good or better.
    refuted: usize,
    decided: usize,
    /// Poses where the referee found neither.
    undecided: Vec<String>,
}

fn distance(a: Vec3, b: Vec3) -> f64 {
    (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
}

/// How closely contacts have to agree. MuJoCo resolves curved shapes to 1e-6 m, which leaves their normals uncertain by the
/// square root of that over the radius of curvature, and the place along a straight line or in a flat patch is free.
struct Tolerance {
    distance: f64,
    normal: f64,
    position: f64,
}

impl Tally {
    fn add(&mut self, ours: &[Contact], theirs: &[Contact], tolerance: &Tolerance) -> bool {
        self.poses += 1;
        if ours.len() != theirs.len() {
            self.count += 1;
            return false;
        }
        let mut free = theirs.to_vec();
        let (mut d, mut n, mut p) = (0f64, 0f64, 0f64);
        for contact in ours {
            let near = |t: &Contact| distance(t.position, contact.position);
            let (k, _) = free
                .iter()
                .enumerate()
                .min_by(|a, b| near(a.1).total_cmp(&near(b.1)))
                .expect("as many");
            let theirs = free.swap_remove(k);
            d = d.max((contact.distance - theirs.distance).abs());
            n = n.max(distance(contact.normal, theirs.normal));
            p = p.max(distance(contact.position, theirs.position));
        }
        self.distance = self.distance.max(d);
        self.normal = self.normal.max(n);
        self.position = self.position.max(p);
        let off = [d > tolerance.distance, n > tolerance.normal, p > tolerance.position];
        self.distance_off += usize::from(off[0]);
        self.normal_off += usize::from(off[1]);
        self.position_off += usize::from(off[2]);
        !off.contains(&true)
    }
}

#[test]
fn contacts_of_every_pair_are_those_of_mujoco() {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/contacts.txt");
    let path = std::env::var("MOTRIX_GOLDEN").unwrap_or_else(|_| default.to_string());
    let file = GoldenFile::read(&path);
    let verbose = std::env::var_os("MOTRIX_VERBOSE").is_some();
    let tolerance = Tolerance {
        distance: 1e-6,
        normal: 1e-3,
        position: 1e-3,
    };

    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    let mut scratch = Scratch::new();
    let mut found = Manifold::new();
    let settings = Settings {
        ccd_tolerance: 1e-10,
        ccd_iterations: 200,
        ..Settings::default()
    };
    for pair in &file.pairs {
        for case in &pair.cases {
            let [a, b] = pair.placed(case, &file.hulls);
            collide(&a, &b, pair.margin, &settings, &mut scratch, &mut found);
            let tally = tallies.entry(pair.name.clone()).or_default();
            if tally.add(&found, &case.contacts, &tolerance) {
                continue;
            }
            let text = format!(
                "{}\n{}\n  ours {:?}\n  theirs {:?}",
                pair.header,
                case.header,
                &found[..],
                case.contacts
            );
            let decision = match &a.shape {
                Shape::Plane => Err("planes leave no choice".to_string()),
                _ => verdict(&a, &b, &found, &case.contacts, &settings),
            };
            if verbose {
                println!("{text}");
            }
            match decision {
                Ok(Verdict::Refuted) => tally.refuted += 1,
                Ok(Verdict::Ours) => tally.decided += 1,
                Err(why) => tally.undecided.push(format!("{text}\n  {why}")),
            }
        }
    }

    let mut table = String::new();
    for (name, t) in &tallies {
        writeln!(
            table,
            "{name:20} {:6} poses, count off {:4}, distance off {:4} normal off {:4} position off {:4}; worst {:.1e} m {:.1e} rad {:.1e} m; \
             MuJoCo refuted {}, ours as good {}, undecided {}",
            t.poses, t.count, t.distance_off, t.normal_off, t.position_off, t.distance, t.normal, t.position,
            t.refuted, t.decided, t.undecided.len()
        )
        .expect("text");
    }
    println!("{table}");
    for (name, t) in &tallies {
        assert!(
            t.undecided.is_empty(),
            "{} contacts of {name} differ from MuJoCo's without being better, such as\n{}\n{table}",
            t.undecided.len(),
            t.undecided[0]
        );
    }
    // Only cylinders often leave MuJoCo a choice that rounding decides; quadrilaterals of equal area rarely do, one pose in
    // thousands.
    let disputed = |name: &str| ["cylinder-cylinder", "cylinder-box", "cylinder-hull"].contains(&name);
    for (name, t) in tallies.iter().filter(|(name, _)| !disputed(name)) {
        let differing = t.refuted + t.decided;
        assert!(
            differing <= t.poses / 1000,
            "{differing} contacts of {name} differ from MuJoCo's\n{table}"
        );
    }
}

/// Who is right where contacts differ.
enum Verdict {
    /// MuJoCo's contacts are deeper than the shapes overlap, or point where they overlap more.
    Refuted,
    /// Ours are as good or better.
    Ours,
}

/// Sine of the angle up to which a face counts as lying along another: contacts may be deeper than the shapes by that slope.
const SLOPE: f64 = 0.0888;
/// Angle to which the direction between curved shapes is resolved: √(tolerance / radius), with some to spare.
const RESOLVED: f64 = 1e-4;
/// How closely points have to lie on surfaces, metres.
const ON_SURFACE: f64 = 1e-6;

/// Decides from the shapes alone, or says why it cannot.
fn verdict(
    a: &Placed,
    b: &Placed,
    ours: &[Contact],
    theirs: &[Contact],
    settings: &Settings,
) -> Result<Verdict, String> {
    let found = measure(a, b, f64::INFINITY, settings, &mut Scratch::new()).ok_or("no distance")?;
    judge(a, b, &found, ON_SURFACE)?;
    for contact in ours {
        let (on_a, on_b) = surface_points(contact);
        let off = outside(a, on_a).abs().max(outside(b, on_b).abs());
        // The distance is measured across one face, the normal is that of the other.
        if off > ON_SURFACE + SLOPE * contact.distance.abs() {
            return Err(format!(
                "a contact of ours is {off:.1e} m off the surfaces: {contact:?}"
            ));
        }
    }
    // Points of contact are at most this far apart.
    let extent = theirs
        .iter()
        .chain(ours)
        .map(|c| distance(c.position, found.on_a))
        .fold(0.0, f64::max);
    let deepest = |contacts: &[Contact]| contacts.iter().map(|c| c.distance).fold(f64::INFINITY, f64::min);
    let allowed = found.distance - SLOPE * extent - ON_SURFACE;
    if deepest(ours) < allowed {
        return Err(format!("ours are too deep: {} below {allowed}", deepest(ours)));
    }
    // Contacts that point elsewhere must not point where the shapes overlap more.
    let steepest = |contacts: &[Contact]| {
        contacts
            .iter()
            .map(|c| gap(a, b, c.normal))
            .fold(f64::INFINITY, f64::min)
    };
    if deepest(theirs) < allowed || steepest(theirs) < steepest(ours) - 1e-9 {
        return Ok(Verdict::Refuted);
    }
    let (mine, others) = (area(ours), area(theirs));
    if ours.len() == 4 && theirs.len() == 4 && mine >= others * (1.0 - 1e-6) {
        return Ok(Verdict::Ours);
    }
    let misses = |contacts: &[Contact]| {
        let on_side = |c: &Contact| {
            let (on_a, on_b) = surface_points(c);
            miss(a, on_a, found.normal).max(miss(b, on_b, found.normal.map(|x| -x)))
        };
        contacts.iter().map(on_side).fold(0.0, f64::max)
    };
    let (mine, others) = (misses(ours), misses(theirs));
    if mine < RESOLVED {
        return Ok(Verdict::Ours);
    }
    Err(format!(
        "areas {:.3e} and {:.3e}, lines off by {mine:.1e} and {others:.1e}",
        area(ours),
        area(theirs)
    ))
}

/// The points of the two surfaces that a contact stands between.
fn surface_points(contact: &Contact) -> (Vec3, Vec3) {
    let half = 0.5 * contact.distance;
    (
        along(contact.position, -half, contact.normal),
        along(contact.position, half, contact.normal),
    )
}

/// Area of the quadrilateral of four contacts.
fn area(contacts: &[Contact]) -> f64 {
    let [a, b, c, d] = contacts else { return 0.0 };
    let (p, q) = (sub(c.position, a.position), sub(d.position, b.position));
    0.5 * norm([
        p[1] * q[2] - p[2] * q[1],
        p[2] * q[0] - p[0] * q[2],
        p[0] * q[1] - p[1] * q[0],
    ])
}

/// Angle about the axis of a cylinder between a point of its side and the line of it that is farthest along `outward`.
fn miss(placed: &Placed, point: Vec3, outward: Vec3) -> f64 {
    let Shape::Cylinder { radius, .. } = placed.shape else {
        return 0.0;
    };
    let axis = placed.pose.direction([0.0, 0.0, 1.0]);
    let across = |v: Vec3| along(v, -dot(v, axis), axis);
    let (spoke, lateral) = (across(sub(point, placed.pose.position)), across(outward));
    if norm(spoke) < radius - ON_SURFACE || norm(lateral) < 1e-3 {
        return 0.0;
    }
    let (spoke, lateral) = (referee::unit(spoke), referee::unit(lateral));
    2.0 * (0.5 * norm(sub(spoke, lateral))).min(1.0).asin()
}
