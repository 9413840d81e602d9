//! The surface of a growing convex hull: quickhull, in the order of qhull.
//!
//! Method: Barber, Dobkin, Huhdanpaa, "The Quickhull Algorithm for Convex Hulls" (1996). Every point outside is kept by one
//! face that sees it. A point is added by replacing all faces that see it by a cone from their border. Which face keeps a
//! point decides when it is its turn, so the order of faces, of their corners and neighbours, and the search for a face
//! that sees a point follow qhull's.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::super::orientation::{Plane, Point};

/// Whose turn is next.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// The point furthest outside of the oldest face that has any.
    Oldest,
    /// The point furthest outside of its face.
    Furthest,
}

/// One triangle and the points outside that it keeps.
struct Face {
    /// Corners, the one that came last first.
    corners: [u32; 3],
    /// Whether they are clockwise seen from outside.
    clockwise: bool,
    /// Face across the edge opposite each corner.
    neighbours: [u32; 3],
    plane: Plane,
    /// Points outside, the furthest last.
    outside: Vec<u32>,
    furthest: f64,
    /// How many faces came before; tells a stale queue entry when the place is used again.
    born: u32,
    alive: bool,
    /// The last search that came by.
    visit: u32,
}

/// A face of the cone of a new point, yet to be made.
struct Slant {
    /// The two corners beside the new point.
    edge: [u32; 2],
    clockwise: bool,
    /// The face below the edge, and the place of the new face among its neighbours.
    beyond: (u32, usize),
}

/// Faces that see a new point, what borders them, and for each the border it has: the range ends here, of all slants.
struct Crater {
    visible: Vec<u32>,
    ends: Vec<usize>,
    slants: Vec<Slant>,
}

/// How a search goes among the faces of a cone: along neighbours, or one by one since the cone is sharp.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Search {
    Unknown,
    AlongNeighbours,
    OneByOne,
}

pub(super) struct Surface<'p> {
    points: &'p [Point],
    /// Bound of all coordinate differences, for the error bound of the planes.
    extent: f64,
    next: Next,
    faces: Vec<Face>,
    free: Vec<u32>,
    /// Faces with points outside, the next first. Distances are positive, so their bits order them.
    queue: BinaryHeap<(u64, Reverse<u32>, u32)>,
    born: u32,
    visits: u32,
    /// For a corner of a border, the new face met there first and the place its neighbour goes.
    met: Vec<(u32, usize)>,
}

const NONE: u32 = u32::MAX;

impl<'p> Surface<'p> {
    /// The surface of a simplex. Each face leaves out one corner, the last first.
    pub(super) fn of_simplex(points: &'p [Point], [a, b, c, d]: [u32; 4], next: Next) -> Self {
        let mut extent = 0.0f64;
        for axis in 0..3 {
            let along = || points.iter().map(|point| point[axis]);
            extent = extent.max(along().fold(f64::MIN, f64::max) - along().fold(f64::MAX, f64::min));
        }
        let mut surface = Self {
            points,
            extent,
            next,
            faces: Vec::new(),
            free: Vec::new(),
            queue: BinaryHeap::new(),
            born: 0,
            visits: 0,
            met: vec![(NONE, 0); points.len()],
        };
        for (face, (corners, apex)) in [([c, b, a], d), ([d, b, a], c), ([d, c, a], b), ([d, c, b], a)]
            .into_iter()
            .enumerate()
        {
            let plane = Plane::through(corners.map(|corner| points[corner as usize]), extent);
            surface.new_face(corners, plane.is_below(&points[apex as usize]));
            let others: Vec<u32> = (0..4).filter(|&other| other != face as u32).collect();
            surface.faces[face].neighbours.copy_from_slice(&others);
        }
        for index in (0..points.len() as u32).filter(|index| ![a, b, c, d].contains(index)) {
            let seen = (0..4).find_map(|face| surface.sees(face, index));
            if let Some((face, distance)) = seen {
                surface.keep(face, index, distance);
            }
        }
        surface.wait(&[0, 1, 2, 3]);
        surface
    }

    /// Adds the point whose turn it is; false if none is outside.
    pub(super) fn add_point(&mut self) -> bool {
        loop {
            let Some((_, Reverse(born), index)) = self.queue.pop() else {
                return false;
            };
            let face = &mut self.faces[index as usize];
            if face.alive
                && face.born == born
                && let Some(apex) = face.outside.pop()
            {
                self.raise(index, apex);
                return true;
            }
        }
    }

    /// Euler's formula for a closed triangulated surface: F = 2 V - 4.
    pub(super) fn vertex_count(&self) -> usize {
        (self.faces.len() - self.free.len()) / 2 + 2
    }

    /// Faces in the order in which they were made, counter-clockwise.
    pub(super) fn triangles(&self) -> Vec<[u32; 3]> {
        let mut living: Vec<&Face> = self.living().collect();
        living.sort_unstable_by_key(|face| face.born);
        let ordered = living
            .iter()
            .map(|face| counter_clockwise(face.corners, face.clockwise));
        ordered.collect()
    }

    /// Corners where the body really ends: at least three edges there are bent. With none the corner is inside a flat face,
    /// with two it is on a straight edge.
    pub(super) fn extreme_vertices(&self) -> Vec<u32> {
        let mut bent_edges = vec![0u32; self.points.len()];
        for face in self.living() {
            for side in 0..3 {
                let (p, q) = (face.corners[(side + 1) % 3], face.corners[(side + 2) % 3]);
                let beyond = &self.faces[face.neighbours[side] as usize];
                let apex = beyond.corners.iter().find(|&&corner| corner != p && corner != q);
                // Each edge is met from both of its faces and counts at both ends each time.
                if apex.is_some_and(|&apex| face.plane.is_above(&self.points[apex as usize])) {
                    bent_edges[p as usize] += 1;
                    bent_edges[q as usize] += 1;
                }
            }
        }
        (0..self.points.len() as u32)
            .filter(|&index| bent_edges[index as usize] >= 6)
            .collect()
    }

    fn living(&self) -> impl Iterator<Item = &Face> {
        self.faces.iter().filter(|face| face.alive)
    }

    fn new_face(&mut self, corners: [u32; 3], clockwise: bool) -> u32 {
        let ordered = counter_clockwise(corners, clockwise);
        let mut face = Face {
            corners,
            clockwise,
            neighbours: [NONE; 3],
            plane: Plane::through(ordered.map(|corner| self.points[corner as usize]), self.extent),
            outside: Vec::new(),
            furthest: 0.0,
            born: self.born,
            alive: true,
            visit: 0,
        };
        self.born += 1;
        match self.free.pop() {
            Some(place) => {
                // The list of points that the old face kept is empty and has room.
                face.outside = std::mem::take(&mut self.faces[place as usize].outside);
                self.faces[place as usize] = face;
                place
            }
            None => {
                self.faces.push(face);
                self.faces.len() as u32 - 1
            }
        }
    }

    /// The face and the distance of the point from it, if it is outside.
    fn sees(&self, face: u32, index: u32) -> Option<(u32, f64)> {
        let distance = self.distance(face, index);
        (distance > 0.0).then_some((face, distance))
    }

    /// How far the point is above the face; the sign is exact.
    fn distance(&self, face: u32, index: u32) -> f64 {
        self.faces[face as usize].plane.distance(&self.points[index as usize])
    }

    fn keep(&mut self, face: u32, index: u32, distance: f64) {
        let face = &mut self.faces[face as usize];
        face.outside.push(index);
        let last = face.outside.len() - 1;
        if last == 0 || distance > face.furthest {
            face.furthest = distance;
        } else {
            face.outside.swap(last - 1, last);
        }
    }

    /// Queues faces that keep points.
    fn wait(&mut self, faces: &[u32]) {
        for &index in faces {
            let face = &self.faces[index as usize];
            if !face.outside.is_empty() {
                let urgency = match self.next {
                    Next::Oldest => 0,
                    Next::Furthest => face.furthest.to_bits(),
                };
                self.queue.push((urgency, Reverse(face.born), index));
            }
        }
    }

    /// Replaces all faces that see the point by a cone from their border to it.
    fn raise(&mut self, start: u32, apex: u32) {
        let Crater { visible, ends, slants } = self.crater(start, apex);
        let cone: Vec<u32> = slants
            .iter()
            .map(|slant| self.new_face([apex, slant.edge[0], slant.edge[1]], slant.clockwise))
            .collect();
        for (slant, &new) in slants.iter().zip(&cone) {
            let (beyond, place) = slant.beyond;
            self.faces[beyond as usize].neighbours[place] = new;
            self.faces[new as usize].neighbours[0] = beyond;
            // The border is one simple cycle: each of its corners is met twice.
            for (place, corner) in [(2, slant.edge[0]), (1, slant.edge[1])] {
                let (other, other_place) = std::mem::replace(&mut self.met[corner as usize], (new, place));
                if other != NONE {
                    self.faces[new as usize].neighbours[place] = other;
                    self.faces[other as usize].neighbours[other_place] = new;
                    self.met[corner as usize] = (NONE, 0);
                }
            }
        }

        // Points of a face look for a new home from the last face that was made at its border.
        let (mut begin, mut search) = (0, Search::Unknown);
        for (&face, end) in visible.iter().zip(ends) {
            let nearest = if end > begin { end - 1 } else { 0 };
            begin = end;
            let mut outside = std::mem::take(&mut self.faces[face as usize].outside);
            for &index in &outside {
                if let Some((face, distance)) = self.home(index, nearest, &cone, &mut search) {
                    self.keep(face, index, distance);
                }
            }
            outside.clear();
            self.faces[face as usize].outside = outside;
        }
        self.free.extend(&visible);
        self.wait(&cone);
    }

    /// Faces the point lies strictly above, found from one of them, and the border around them. They are dead afterwards.
    fn crater(&mut self, start: u32, apex: u32) -> Crater {
        let point = self.points[apex as usize];
        let mut crater = Crater {
            visible: vec![start],
            ends: Vec::new(),
            slants: Vec::new(),
        };
        self.faces[start as usize].alive = false;
        let mut next = 0;
        while let Some(&index) = crater.visible.get(next) {
            let face = &self.faces[index as usize];
            let (corners, clockwise, neighbours) = (face.corners, face.clockwise, face.neighbours);
            for (side, neighbour) in neighbours.into_iter().enumerate() {
                let beyond = &mut self.faces[neighbour as usize];
                if !beyond.alive {
                    continue;
                }
                if beyond.plane.is_below(&point) {
                    beyond.alive = false;
                    crater.visible.push(neighbour);
                } else if let Some(place) = beyond.neighbours.iter().position(|&back| back == index) {
                    let edge = match side {
                        0 => [corners[1], corners[2]],
                        1 => [corners[0], corners[2]],
                        _ => [corners[0], corners[1]],
                    };
                    crater.slants.push(Slant {
                        edge,
                        // The edge keeps its direction; opposite the middle corner it runs against the order of corners.
                        clockwise: clockwise != (side == 1),
                        beyond: (neighbour, place),
                    });
                }
            }
            crater.ends.push(crater.slants.len());
            next += 1;
        }
        crater
    }

    /// The face of the cone that will keep a point, and the distance to it; none if it is inside of all of them.
    ///
    /// A point that is still outside is outside of the cone: the planes of the cone lie between those of the visible and the
    /// hidden face at each border edge, so no hidden face needs to be asked.
    fn home(&mut self, index: u32, start: usize, cone: &[u32], search: &mut Search) -> Option<(u32, f64)> {
        if *search == Search::OneByOne {
            return self.home_one_by_one(index, start, cone);
        }
        let stuck = match self.walk(index, cone[start]) {
            Ok(home) => return Some(home),
            Err(stuck) => stuck,
        };
        if *search == Search::Unknown {
            *search = if self.is_sharp(cone) {
                Search::OneByOne
            } else {
                Search::AlongNeighbours
            };
        }
        // Where the walk ends the distance is a local maximum only.
        let start = cone.iter().position(|&face| face == stuck).unwrap_or(0);
        self.home_one_by_one(index, start, cone)
    }

    /// Goes from face to neighbouring face of the cone as long as the point is further above; the first that sees it, or
    /// where the way ends.
    fn walk(&mut self, index: u32, start: u32) -> Result<(u32, f64), u32> {
        self.visits += 1;
        let (visit, newest) = (self.visits, self.faces[start as usize].corners[0]);
        let (mut here, mut best) = (start, self.distance(start, index));
        if best > 0.0 {
            return Ok((here, best));
        }
        self.faces[start as usize].visit = visit;
        'way: loop {
            for neighbour in self.faces[here as usize].neighbours {
                let face = &mut self.faces[neighbour as usize];
                if face.corners[0] != newest || face.visit == visit {
                    continue;
                }
                face.visit = visit;
                let distance = self.distance(neighbour, index);
                if distance > 0.0 {
                    return Ok((neighbour, distance));
                }
                if distance > best {
                    (here, best) = (neighbour, distance);
                    continue 'way;
                }
            }
            return Err(here);
        }
    }

    /// The first face that sees the point, from `start` on and around.
    fn home_one_by_one(&self, index: u32, start: usize, cone: &[u32]) -> Option<(u32, f64)> {
        let (before, after) = cone.split_at(start);
        after.iter().chain(before).find_map(|&face| self.sees(face, index))
    }

    /// Whether normals of the cone differ in a sign.
    fn is_sharp(&self, cone: &[u32]) -> bool {
        let signs = |face: &u32| self.faces[*face as usize].plane.normal_signs();
        cone.iter().any(|face| signs(face) != signs(&cone[0]))
    }
}

/// Corners seen from outside.
fn counter_clockwise([a, b, c]: [u32; 3], clockwise: bool) -> [u32; 3] {
    if clockwise { [b, a, c] } else { [a, b, c] }
}
