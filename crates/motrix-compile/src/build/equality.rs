//! `<equality>`: connect, weld, joint and tendon.

use motrix_model::{BodyId, Equality, EqualityKind, JointId, JointKind, Model, SiteId, TendonId};

use super::joint::{SOLIMP, SOLREF};
use super::names::Names;
use crate::document::Element;
use crate::problem::{NoteKind, Problems};
use crate::schema::Namespace;

/// Reads all equalities.
pub fn read(elements: &[Element], names: &Names, model: &Model, problems: &mut Problems) -> Vec<Equality> {
    elements
        .iter()
        .filter_map(|element| one(element, names, model, problems))
        .collect()
}

fn one(element: &Element, names: &Names, model: &Model, problems: &mut Problems) -> Option<Equality> {
    Some(Equality {
        name: element.name().map(str::to_owned),
        active: element.boolean("active", problems).unwrap_or(true),
        solref: element.reals_over("solref", SOLREF, problems),
        solimp: element.reals_over("solimp", SOLIMP, problems),
        kind: kind(element, names, model, problems)?,
    })
}

fn kind(element: &Element, names: &Names, model: &Model, problems: &mut Problems) -> Option<EqualityKind> {
    match element.tag() {
        "connect" => connect(element, names, model, problems),
        "weld" => weld(element, names, model, problems),
        "joint" => joint(element, names, model, problems),
        "tendon" => tendon(element, names, problems),
        _ => {
            let message = "equalities of deformable bodies";
            problems.push(element.problem(message).note(NoteKind::NotSupported));
            None
        }
    }
}

/// What an equality ties together: two bodies, and the sites on them when the file names sites.
struct Ends {
    bodies: [BodyId; 2],
    sites: Option<[SiteId; 2]>,
}

fn ends(element: &Element, names: &Names, model: &Model, problems: &mut Problems) -> Option<Ends> {
    let ends = if element.has("body1") {
        let first = names.find(element, "body1", Namespace::Body, problems);
        let second = match element.has("body2") {
            true => names.find(element, "body2", Namespace::Body, problems),
            false => Some(BodyId::WORLD.index()),
        };
        Ends {
            bodies: [BodyId::new(first?), BodyId::new(second?)],
            sites: None,
        }
    } else {
        let sites = ["site1", "site2"].map(|attribute| names.require(element, attribute, Namespace::Site, problems));
        let sites = [SiteId::new(sites[0]?), SiteId::new(sites[1]?)];
        if sites[0] == sites[1] {
            problems.push(element.problem_with("site2", "a site cannot be tied to itself"));
            return None;
        }
        return Some(Ends {
            bodies: sites.map(|site| model.sites[site.index()].body),
            sites: Some(sites),
        });
    };
    if ends.bodies[0] == ends.bodies[1] {
        problems.push(element.problem_with("body1", "a body cannot be tied to itself"));
        return None;
    }
    Some(ends)
}

fn connect(element: &Element, names: &Names, model: &Model, problems: &mut Problems) -> Option<EqualityKind> {
    let anchor = element.reals("anchor", problems).unwrap_or([0.0; 3]);
    let Ends {
        bodies: [body1, body2],
        sites,
    } = ends(element, names, model, problems)?;
    // the anchor in body 2 follows from the reference configuration
    let anchors = if sites.is_some() {
        [[0.0; 3]; 2]
    } else {
        [anchor, [0.0; 3]]
    };
    Some(EqualityKind::Connect {
        body1,
        body2,
        anchors,
        sites,
    })
}

fn weld(element: &Element, names: &Names, model: &Model, problems: &mut Problems) -> Option<EqualityKind> {
    let anchor = element.reals("anchor", problems);
    let relative: [f64; 7] = element.reals("relpose", problems).unwrap_or([0.0; 7]);
    let torque_scale = element.real("torquescale", problems).unwrap_or(1.0);
    let Ends {
        bodies: [body1, body2],
        sites,
    } = ends(element, names, model, problems)?;
    let mut data = [0.0; 11];
    // Sites leave MuJoCo's default in the data, where nothing reads it.
    let unused = if sites.is_some() { [0.0, 1.0, 0.0] } else { [0.0; 3] };
    data[..3].copy_from_slice(&anchor.unwrap_or(unused));
    data[3..10].copy_from_slice(&relative);
    data[10] = torque_scale;
    Some(EqualityKind::Weld {
        body1,
        body2,
        data,
        at_reference: sites.is_none() && relative[3..] == [0.0; 4],
        sites,
    })
}

/// Coefficients of the quartic; by default the two sides are equal.
fn polynomial(element: &Element, problems: &mut Problems) -> [f64; 5] {
    element.reals_over("polycoef", [0.0, 1.0, 0.0, 0.0, 0.0], problems)
}

fn joint(element: &Element, names: &Names, model: &Model, problems: &mut Problems) -> Option<EqualityKind> {
    let joint1 = names.require(element, "joint1", Namespace::Joint, problems);
    let joint2 = names.find(element, "joint2", Namespace::Joint, problems);
    let polynomial = polynomial(element, problems);
    for (attribute, joint) in [("joint1", joint1), ("joint2", joint2)] {
        let kind = joint.map(|index| model.joints[index].kind);
        if kind.is_some_and(|kind| !matches!(kind, JointKind::Hinge | JointKind::Slide)) {
            problems.push(element.problem_with(attribute, "only hinge and slide joints can be equal"));
        }
    }
    if joint1.is_some() && joint1 == joint2 {
        problems.push(element.problem_with("joint2", "a joint cannot be tied to itself"));
    }
    if element.has("joint2") {
        joint2?;
    }
    Some(EqualityKind::Joint {
        joint1: JointId::new(joint1?),
        joint2: joint2.map(JointId::new),
        polynomial,
    })
}

fn tendon(element: &Element, names: &Names, problems: &mut Problems) -> Option<EqualityKind> {
    let tendon1 = names.require(element, "tendon1", Namespace::Tendon, problems);
    let tendon2 = names.find(element, "tendon2", Namespace::Tendon, problems);
    let polynomial = polynomial(element, problems);
    if tendon1.is_some() && tendon1 == tendon2 {
        problems.push(element.problem_with("tendon2", "a tendon cannot be tied to itself"));
    }
    if element.has("tendon2") {
        tendon2?;
    }
    Some(EqualityKind::Tendon {
        tendon1: TendonId::new(tendon1?),
        tendon2: tendon2.map(TendonId::new),
        polynomial,
    })
}
