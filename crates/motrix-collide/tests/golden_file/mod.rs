//! Reads the file of poses and contacts that `tests/golden/contacts.py` writes.

use std::collections::BTreeMap;

use motrix_collide::{Contact, Hull, Placed, Pose, Shape};

pub type Vec3 = [f64; 3];

/// The file: hulls by name, and pairs of shapes in many poses.
pub struct GoldenFile {
    pub hulls: BTreeMap<String, Hull>,
    pub pairs: Vec<Pair>,
}

/// Two shapes with a margin.
pub struct Pair {
    /// The kinds of shape, such as `sphere-box`.
    pub name: String,
    a: Kind,
    b: Kind,
    pub margin: f64,
    pub cases: Vec<Case>,
    /// The line of the file.
    pub header: String,
}

/// Poses of both shapes and the contacts there.
pub struct Case {
    pub poses: [Pose; 2],
    pub contacts: Vec<Contact>,
    /// The line of the file.
    pub header: String,
}

enum Kind {
    Plane,
    Sphere(f64),
    Capsule(f64, f64),
    Ellipsoid(Vec3),
    Cylinder(f64, f64),
    Box(Vec3),
    Hull(String),
}

impl Pair {
    /// The two shapes where a case has them.
    pub fn placed<'h>(&self, case: &Case, hulls: &'h BTreeMap<String, Hull>) -> [Placed<'h>; 2] {
        [
            Placed {
                shape: self.a.shape(hulls),
                pose: case.poses[0],
            },
            Placed {
                shape: self.b.shape(hulls),
                pose: case.poses[1],
            },
        ]
    }
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

impl GoldenFile {
    pub fn read(path: &str) -> GoldenFile {
        let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let mut file = GoldenFile {
            hulls: BTreeMap::new(),
            pairs: Vec::new(),
        };
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let mut words = line.split_whitespace();
            match words.next() {
                Some("hull") => {
                    let (name, hull) = read_hull(line, &mut lines);
                    file.hulls.insert(name, hull);
                }
                Some("pair") => {
                    let (name_a, a) = Kind::parse(&mut words);
                    let (name_b, b) = Kind::parse(&mut words);
                    let margin = words.next().expect("a margin").parse().expect("a number");
                    let name = format!("{name_a}-{name_b}");
                    file.pairs.push(Pair {
                        name,
                        a,
                        b,
                        margin,
                        cases: Vec::new(),
                        header: line.to_string(),
                    });
                }
                Some("pose") => {
                    let case = read_case(line, &mut lines);
                    file.pairs.last_mut().expect("a pair before its poses").cases.push(case);
                }
                _ => panic!("unexpected line {line}"),
            }
        }
        file
    }
}

fn read_case<'l>(header: &str, lines: &mut impl Iterator<Item = &'l str>) -> Case {
    let values = numbers(header.strip_prefix("pose").expect("a pose"));
    let pose = |k: usize| {
        let v = &values[7 * k..7 * k + 7];
        Pose::new([v[0], v[1], v[2]], [v[3], v[4], v[5], v[6]])
    };
    let contact = |line: &str| {
        let v = numbers(line);
        Contact {
            distance: v[0],
            position: [v[1], v[2], v[3]],
            normal: [v[4], v[5], v[6]],
            tangent: None,
        }
    };
    let contacts = lines.take(values[14] as usize).map(contact).collect();
    Case {
        poses: [pose(0), pose(1)],
        contacts,
        header: header.to_string(),
    }
}
