//! The contacts of every kind of pair are those that MuJoCo 4.0 reports.
//!
//! `tests/golden/contacts.txt` in the repository holds poses and MuJoCo's contacts; `contacts.py` beside it writes the file.
//! Set `MOTRIX_GOLDEN` to another such file to compare more poses, and run with `--nocapture` for the table of differences.

use std::collections::BTreeMap;
use std::fmt::Write as _;

mod golden_file;

use golden_file::{GoldenFile, Vec3};
use motrix_collide::{Contact, Manifold, Scratch, Settings, collide};

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
            let agrees = tallies
                .entry(pair.name.clone())
                .or_default()
                .add(&found, &case.contacts, &tolerance);
            if verbose && !agrees {
                println!(
                    "{}\n{}\n  ours {:?}\n  theirs {:?}",
                    pair.header,
                    case.header,
                    &found[..],
                    case.contacts
                );
            }
        }
    }

    let mut table = String::new();
    for (name, t) in &tallies {
        writeln!(
            table,
            "{name:20} {:6} poses, count off {:4}, distance off {:4} normal off {:4} position off {:4}; worst {:.1e} m {:.1e} rad {:.1e} m",
            t.poses, t.count, t.distance_off, t.normal_off, t.position_off, t.distance, t.normal, t.position
        )
        .expect("text");
    }
    println!("{table}");
    for (name, t) in &tallies {
        // MuJoCo finds the further contacts of a cylinder on a flat face by tilting it a little and trying again; which of them
        // survive, and how deep, hangs on the last bits of the tilted runs. There one pose in ten may differ.
        let tilted = ["cylinder-cylinder", "cylinder-box", "cylinder-hull"].contains(&name.as_str());
        let allowed = if tilted { t.poses / 10 } else { 0 };
        assert!(
            t.count + t.distance_off + t.normal_off <= allowed,
            "contacts of {name} differ from MuJoCo's:\n{table}"
        );
    }
}
