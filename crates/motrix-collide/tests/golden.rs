//! The contacts of every kind of pair are those that MuJoCo 4.0 reports.
//!
//! `tests/golden/contacts.txt` in the repository holds poses and MuJoCo's contacts; `contacts.py` beside it writes the file.
//! Set `MOTRIX_GOLDEN` to another such file to compare more poses, and run with `--nocapture` for the table of differences.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use motrix_collide::{Contact, Hull, Manifold, Placed, Pose, Scratch, Settings, Shape, collide};

type Vec3 = [f64; 3];

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

/// One pair of shapes as the file states them.
enum Kind {
    Plane,
    Sphere(f64),
    Capsule(f64, f64),
    Ellipsoid(Vec3),
    Cylinder(f64, f64),
    Box(Vec3),
    Hull(String),
}

impl Kind {
    fn parse<'w>(words: &mut impl Iterator<Item = &'w str>) -> (String, Kind) {
        let name = words.next().expect("a kind").to_string();
        let mut word = || words.next().expect("a size").to_string();
        let mut number = || word().parse::<f64>().expect("a number");
        let kind = match name.as_str() {
            "plane" => Kind::Plane,
            "sphere" => Kind::Sphere(number()),
            "capsule" => Kind::Capsule(number(), number()),
            "ellipsoid" => Kind::Ellipsoid([number(), number(), number()]),
            "cylinder" => Kind::Cylinder(number(), number()),
            "box" => Kind::Box([number(), number(), number()]),
            "hull" => Kind::Hull(word()),
            other => panic!("unknown kind {other}"),
        };
        (name, kind)
    }

    fn shape<'h>(&self, hulls: &'h BTreeMap<String, Hull>) -> Shape<'h> {
        match *self {
            Kind::Plane => Shape::Plane,
            Kind::Sphere(radius) => Shape::Sphere { radius },
            Kind::Capsule(radius, half_length) => Shape::Capsule { radius, half_length },
            Kind::Ellipsoid(radii) => Shape::Ellipsoid { radii },
            Kind::Cylinder(radius, half_length) => Shape::Cylinder { radius, half_length },
            Kind::Box(half) => Shape::Box { half },
            Kind::Hull(ref name) => Shape::Hull(&hulls[name]),
        }
    }
}

fn numbers(line: &str) -> Vec<f64> {
    line.split_whitespace().map(|w| w.parse().expect("a number")).collect()
}

fn distance(a: Vec3, b: Vec3) -> f64 {
    (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
}

fn read_hull<'l>(header: &str, lines: &mut impl Iterator<Item = &'l str>) -> (String, Hull) {
    let words: Vec<&str> = header.split_whitespace().collect();
    let count = |k: usize| words[k].parse::<usize>().expect("a count");
    let vertices: Vec<Vec3> = lines
        .by_ref()
        .take(count(2))
        .map(|l| numbers(l).try_into().expect("three"))
        .collect();
    let rows: Vec<[u32; 4]> = lines
        .by_ref()
        .take(count(3))
        .map(|l| {
            l.split_whitespace()
                .map(|w| w.parse().expect("an index"))
                .collect::<Vec<_>>()
                .try_into()
                .expect("four")
        })
        .collect();
    let triangles: Vec<[u32; 3]> = rows.iter().map(|r| [r[0], r[1], r[2]]).collect();
    let facets: Vec<u32> = rows.iter().map(|r| r[3]).collect();
    (
        words[1].to_string(),
        Hull::from_facets(&vertices, &triangles, &facets).expect("a hull"),
    )
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
    let text = std::fs::read_to_string(&path).expect("the golden file");
    let verbose = std::env::var_os("MOTRIX_VERBOSE").is_some();
    let tolerance = Tolerance {
        distance: 1e-6,
        normal: 1e-3,
        position: 1e-3,
    };

    let mut lines = text.lines();
    let mut hulls = BTreeMap::new();
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    let mut scratch = Scratch::new();
    let mut found = Manifold::new();
    let settings = Settings::default();
    let mut pair = None;
    while let Some(line) = lines.next() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("hull") => {
                let (name, hull) = read_hull(line, &mut lines);
                hulls.insert(name, hull);
            }
            Some("pair") => {
                let (name_a, a) = Kind::parse(&mut words);
                let (name_b, b) = Kind::parse(&mut words);
                let margin: f64 = words.next().expect("a margin").parse().expect("a number");
                pair = Some((format!("{name_a}-{name_b}"), a, b, margin, line));
            }
            Some("pose") => {
                let values: Vec<f64> = words.map(|w| w.parse().expect("a number")).collect();
                let pose = |k: usize| {
                    let v = &values[7 * k..7 * k + 7];
                    Pose::new([v[0], v[1], v[2]], [v[3], v[4], v[5], v[6]])
                };
                let theirs: Vec<Contact> = lines
                    .by_ref()
                    .take(values[14] as usize)
                    .map(|l| {
                        let v = numbers(l);
                        Contact {
                            distance: v[0],
                            position: [v[1], v[2], v[3]],
                            normal: [v[4], v[5], v[6]],
                            tangent: None,
                        }
                    })
                    .collect();
                let (name, a, b, margin, header) = pair.as_ref().expect("a pair before its poses");
                let a = Placed {
                    shape: a.shape(&hulls),
                    pose: pose(0),
                };
                let b = Placed {
                    shape: b.shape(&hulls),
                    pose: pose(1),
                };
                collide(&a, &b, *margin, &settings, &mut scratch, &mut found);
                let agrees = tallies
                    .entry(name.clone())
                    .or_default()
                    .add(&found, &theirs, &tolerance);
                if verbose && !agrees {
                    println!("{header}\n{line}\n  ours {:?}\n  theirs {theirs:?}", &found[..]);
                }
            }
            _ => panic!("unexpected line {line}"),
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
    let off: usize = tallies.values().map(|t| t.count + t.distance_off + t.normal_off).sum();
    assert_eq!(off, 0, "contacts differ from MuJoCo's:\n{table}");
}
