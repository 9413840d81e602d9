//! Pairs that may touch, equalities and tendons.

use super::{Entry, addresses, all, each, flag, index, optional, rows, wide, wide_rows};
use crate::{BodyId, Equality, EqualityKind, JointId, MaterialId, PathItem, SiteId, TendonId};

pub(super) const PAIRS: &[Entry] = &[
    ("pair_dim", |m| each(&m.explicit_pairs, |p| f64::from(p.params.dim))),
    ("pair_geom1", |m| each(&m.explicit_pairs, |p| index(p.geom1.index()))),
    ("pair_geom2", |m| each(&m.explicit_pairs, |p| index(p.geom2.index()))),
    ("pair_solref", |m| rows(&m.explicit_pairs, |p| p.params.solref)),
    ("pair_solreffriction", |m| {
        rows(&m.explicit_pairs, |p| p.params.solref_friction)
    }),
    ("pair_solimp", |m| rows(&m.explicit_pairs, |p| p.params.solimp)),
    ("pair_margin", |m| each(&m.explicit_pairs, |p| p.params.margin)),
    ("pair_gap", |m| each(&m.explicit_pairs, |p| p.params.gap)),
    ("pair_adhesion", |m| each(&m.explicit_pairs, |p| p.params.adhesion)),
    ("pair_friction", |m| rows(&m.explicit_pairs, |p| p.params.friction)),
    ("exclude_signature", |m| {
        each(&m.excludes, |e| index(e.body1.index() << 16 | e.body2.index()))
    }),
    // Every pair of geoms that may touch: what is left of MuJoCo's filtering in each step. Not a field of `mjModel`.
    ("collision_pairs", |m| {
        rows(&m.pairs, |p| [index(p.geom1.index()), index(p.geom2.index())])
    }),
];

/// An equality as MuJoCo stores it.
struct Stored {
    kind: f64,
    objects: [f64; 2],
    object_kind: f64,
    data: [f64; EQUALITY_DATA],
}

/// Length of a row of `eq_data` (`mjNEQDATA`).
const EQUALITY_DATA: usize = 12;
/// Where the torque scale of a weld stands; other equalities carry its default, 1, except those between sites.
const TORQUE_SCALE: usize = 10;
/// Where a weld tells that its pose is that of the reference configuration.
const POSE_AT_REFERENCE: usize = 11;
/// `mjOBJ_BODY` and `mjOBJ_SITE`.
const OBJECT_BODY: f64 = 1.0;
const OBJECT_SITE: f64 = 6.0;

fn stored(equality: &Equality) -> Stored {
    let padded = |numbers: &[f64], unused: f64| {
        let mut data = [0.0; EQUALITY_DATA];
        data[TORQUE_SCALE] = unused;
        data[..numbers.len()].copy_from_slice(numbers);
        data
    };
    let fixed = |kind, bodies: [BodyId; 2], sites: &Option<[SiteId; 2]>, data| {
        let (objects, object_kind) = match sites {
            Some(sites) => (sites.map(|site| index(site.index())), OBJECT_SITE),
            None => (bodies.map(|body| index(body.index())), OBJECT_BODY),
        };
        Stored {
            kind,
            objects,
            object_kind,
            data,
        }
    };
    let coupled = |kind, first, second, polynomial: &[f64]| Stored {
        kind,
        objects: [index(first), optional(second)],
        object_kind: 0.0,
        data: padded(polynomial, 1.0),
    };
    match &equality.kind {
        EqualityKind::Connect {
            body1,
            body2,
            anchors,
            sites,
        } => {
            let data = padded(&anchors.concat(), flag(sites.is_none()));
            fixed(0.0, [*body1, *body2], sites, data)
        }
        EqualityKind::Weld {
            body1,
            body2,
            data,
            at_reference,
            sites,
        } => {
            let mut data = padded(data, 1.0);
            data[POSE_AT_REFERENCE] = flag(*at_reference);
            fixed(1.0, [*body1, *body2], sites, data)
        }
        EqualityKind::Joint {
            joint1,
            joint2,
            polynomial,
        } => coupled(2.0, joint1.index(), joint2.map(JointId::index), polynomial),
        EqualityKind::Tendon {
            tendon1,
            tendon2,
            polynomial,
        } => coupled(3.0, tendon1.index(), tendon2.map(TendonId::index), polynomial),
    }
}

pub(super) const EQUALITIES: &[Entry] = &[
    ("eq_type", |m| each(&m.equalities, |e| stored(e).kind)),
    ("eq_obj1id", |m| each(&m.equalities, |e| stored(e).objects[0])),
    ("eq_obj2id", |m| each(&m.equalities, |e| stored(e).objects[1])),
    ("eq_objtype", |m| each(&m.equalities, |e| stored(e).object_kind)),
    ("eq_active0", |m| each(&m.equalities, |e| flag(e.active))),
    ("eq_solref", |m| rows(&m.equalities, |e| e.solref)),
    ("eq_solimp", |m| rows(&m.equalities, |e| e.solimp)),
    ("eq_data", |m| rows(&m.equalities, |e| stored(e).data)),
];

/// Type, object and parameter of a path item.
fn wrap(item: &PathItem) -> [f64; 3] {
    let side = |site: &Option<SiteId>| optional(site.map(SiteId::index));
    match item {
        PathItem::Joint(id, coefficient) => [1.0, index(id.index()), *coefficient],
        PathItem::Pulley(divisor) => [2.0, -1.0, *divisor],
        PathItem::Site(id) => [3.0, index(id.index()), 0.0],
        PathItem::Sphere(id, site) => [4.0, index(id.index()), side(site)],
        PathItem::Cylinder(id, site) => [5.0, index(id.index()), side(site)],
    }
}

pub(super) const TENDONS: &[Entry] = &[
    ("tendon_adr", |m| addresses(&m.tendons, |t| t.path.len())),
    ("tendon_num", |m| each(&m.tendons, |t| index(t.path.len()))),
    ("tendon_matid", |m| {
        each(&m.tendons, |t| optional(t.material.map(MaterialId::index)))
    }),
    ("tendon_group", |m| each(&m.tendons, |t| f64::from(t.group))),
    ("tendon_limited", |m| each(&m.tendons, |t| flag(t.limited))),
    ("tendon_actfrclimited", |m| {
        each(&m.tendons, |t| flag(t.actuator_force_limited))
    }),
    ("tendon_width", |m| each(&m.tendons, |t| t.width)),
    ("tendon_solref_lim", |m| rows(&m.tendons, |t| t.solref_limit)),
    ("tendon_solimp_lim", |m| rows(&m.tendons, |t| t.solimp_limit)),
    ("tendon_solref_fri", |m| rows(&m.tendons, |t| t.solref_friction)),
    ("tendon_solimp_fri", |m| rows(&m.tendons, |t| t.solimp_friction)),
    ("tendon_range", |m| rows(&m.tendons, |t| t.range)),
    ("tendon_actfrcrange", |m| rows(&m.tendons, |t| t.actuator_force_range)),
    ("tendon_margin", |m| each(&m.tendons, |t| t.margin)),
    ("tendon_stiffness", |m| each(&m.tendons, |t| t.stiffness)),
    ("tendon_stiffnesspoly", |m| rows(&m.tendons, |t| t.stiffness_poly)),
    ("tendon_springyield", |m| each(&m.tendons, |t| t.spring_yield)),
    ("tendon_damping", |m| each(&m.tendons, |t| t.damping)),
    ("tendon_dampingpoly", |m| rows(&m.tendons, |t| t.damping_poly)),
    ("tendon_armature", |m| each(&m.tendons, |t| t.armature)),
    ("tendon_frictionloss", |m| each(&m.tendons, |t| t.frictionloss)),
    ("tendon_lengthspring", |m| rows(&m.tendons, |t| t.spring_length)),
    ("tendon_length0", |m| each(&m.tendons, |t| t.length0)),
    ("tendon_invweight0", |m| each(&m.tendons, |t| t.invweight)),
    ("tendon_rgba", |m| rows(&m.tendons, |t| wide(t.rgba))),
    ("tendon_user", |m| wide_rows(&m.tendons, |t| &t.user)),
    ("ten_J_rowadr", |m| addresses(&m.tendons, |t| t.dofs.len())),
    ("ten_J_rownnz", |m| each(&m.tendons, |t| index(t.dofs.len()))),
    ("ten_J_colind", |m| {
        all(&m.tendons, |t| t.dofs.iter().map(|dof| [index(dof.index())]))
    }),
    ("wrap_type", |m| {
        all(&m.tendons, |t| t.path.iter().map(|item| [wrap(item)[0]]))
    }),
    ("wrap_objid", |m| {
        all(&m.tendons, |t| t.path.iter().map(|item| [wrap(item)[1]]))
    }),
    ("wrap_prm", |m| {
        all(&m.tendons, |t| t.path.iter().map(|item| [wrap(item)[2]]))
    }),
];
