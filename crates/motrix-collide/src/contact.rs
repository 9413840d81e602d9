//! What a collision is reported as: contacts, and the small fixed set of them that one pair can have.

use core::ops::Deref;

use crate::vector::{Vec3, add_scaled, cross, dot, norm, scale, unit};

/// One point where two shapes touch or nearly touch, in the frame their poses are given in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Gap between the surfaces along the normal; negative when they overlap.
    pub distance: f64,
    /// Midway between the two surfaces.
    pub position: Vec3,
    /// Unit direction from the first shape to the second.
    pub normal: Vec3,
    /// A direction that tells the contact's tangents, where the pair has a natural one (the axis of a capsule on a plane).
    /// It need not be exactly perpendicular to the normal.
    pub tangent: Option<Vec3>,
}

impl Contact {
    /// The same contact with the shapes in the other order.
    pub fn flipped(self) -> Contact {
        Contact {
            normal: [-self.normal[0], -self.normal[1], -self.normal[2]],
            ..self
        }
    }

    /// The contact frame: normal and two tangents as rows of a right-handed rotation.
    ///
    /// The first tangent is the given one, or else the world's y axis (z when the normal is within 60° of y), made
    /// perpendicular to the normal; x or y take over when nothing perpendicular is left.
    pub fn frame(&self) -> [Vec3; 3] {
        let normal = self.normal;
        let natural = self.tangent.filter(|&tangent| norm(tangent) >= 0.5);
        let seed = match natural {
            Some(tangent) => tangent,
            None if normal[1] < 0.5 && normal[1] > -0.5 => [0.0, 1.0, 0.0],
            None => [0.0, 0.0, 1.0],
        };
        let across = |seed: Vec3| unit(add_scaled(seed, normal, -dot(seed, normal)));
        let tangent = across(seed)
            .or_else(|| across([1.0, 0.0, 0.0]))
            .or_else(|| across([0.0, 1.0, 0.0]));
        let tangent = tangent.unwrap_or([0.0, 1.0, 0.0]);
        [normal, tangent, cross(normal, tangent)]
    }
}

/// The contacts of one pair: at most eight, kept in place.
#[derive(Clone, Copy, Debug)]
pub struct Manifold {
    contacts: [Contact; Manifold::CAPACITY],
    count: usize,
}

impl Manifold {
    /// Most contacts a pair of shapes can have: two boxes, face on face.
    pub const CAPACITY: usize = 8;

    const NOTHING: Contact = Contact {
        distance: 0.0,
        position: [0.0; 3],
        normal: [0.0; 3],
        tangent: None,
    };

    /// No contacts.
    pub const fn new() -> Manifold {
        Manifold {
            contacts: [Manifold::NOTHING; Manifold::CAPACITY],
            count: 0,
        }
    }

    /// Forgets all contacts.
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Adds a contact; beyond the capacity it is dropped.
    #[inline(always)]
    pub fn push(&mut self, contact: Contact) {
        if self.count < Manifold::CAPACITY {
            self.contacts[self.count] = contact;
            self.count += 1;
        }
    }

    /// Exchanges the two shapes.
    pub(crate) fn flip(&mut self) {
        for contact in &mut self.contacts[..self.count] {
            contact.normal = scale(contact.normal, -1.0);
        }
    }
}

impl Default for Manifold {
    fn default() -> Manifold {
        Manifold::new()
    }
}

impl Deref for Manifold {
    type Target = [Contact];

    fn deref(&self) -> &[Contact] {
        &self.contacts[..self.count]
    }
}

/// Which contacts a flat touch becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rules {
    /// Those of MuJoCo. An edge may then be clipped by a face that it merely passes, at almost a right angle to the direction
    /// of least overlap, with contacts as deep as the shape is thick; among random poses of cylinders one in a hundred does.
    #[default]
    MuJoCo,
    /// An edge lies only on a face that is turned towards it by at least 5°.
    Firm,
}

/// How convex pairs are resolved; the names and defaults are those of the model options.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// How closely distances between curved shapes are resolved, metres.
    pub ccd_tolerance: f64,
    /// Most iterations of the distance and of the depth algorithm, each.
    pub ccd_iterations: usize,
    /// Several contacts per convex pair instead of the nearest one alone.
    pub multiccd: bool,
    /// Pairs of boxes through the general convex algorithm instead of their own.
    pub boxconvex: bool,
    /// Which contacts a flat touch becomes.
    pub rules: Rules,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            ccd_tolerance: 1e-6,
            ccd_iterations: 35,
            multiccd: true,
            boxconvex: false,
            rules: Rules::MuJoCo,
        }
    }
}
