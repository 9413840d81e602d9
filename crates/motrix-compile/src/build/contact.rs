//! `<pair>` and `<exclude>`.

use motrix_model::{BodyId, ContactParams, Exclude, ExplicitPair, GeomId, GeomKind, Model};

use super::geom::condim;
use super::joint::{SOLIMP, SOLREF};
use super::names::Names;
use crate::document::Element;
use crate::problem::{NoteKind, Problems};
use crate::schema::Namespace;

/// Reads all pairs and excludes, each in the order of their bodies.
pub fn read(elements: &[Element], names: &Names, model: &mut Model, problems: &mut Problems) {
    for element in elements {
        match element.tag() {
            "pair" => model.explicit_pairs.extend(pair(element, names, model, problems)),
            _ => model.excludes.extend(exclude(element, names, problems)),
        }
    }
    let body = |geom: GeomId| model.geoms[geom.index()].body;
    // stable: pairs of the same bodies keep the order of the file
    model
        .explicit_pairs
        .sort_by_key(|pair| (body(pair.geom1), body(pair.geom2)));
    model.excludes.sort_by_key(|exclude| (exclude.body1, exclude.body2));
}

fn pair(element: &Element, names: &Names, model: &Model, problems: &mut Problems) -> Option<ExplicitPair> {
    let geoms = ["geom1", "geom2"].map(|attribute| names.require(element, attribute, Namespace::Geom, problems));
    let params = ContactParams {
        dim: condim(element, problems),
        friction: element.reals_over("friction", [1.0, 1.0, 0.005, 0.0001, 0.0001], problems),
        solref: element.reals_over("solref", SOLREF, problems),
        solref_friction: element.reals_over("solreffriction", [0.0; 2], problems),
        solimp: element.reals_over("solimp", SOLIMP, problems),
        margin: element.real("margin", problems).unwrap_or(0.0),
        gap: element.real("gap", problems).unwrap_or(0.0),
        adhesion: element.real("adhesion", problems).unwrap_or(0.0),
    };
    let [geom1, geom2] = [GeomId::new(geoms[0]?), GeomId::new(geoms[1]?)];
    let flat = |geom: GeomId| matches!(model.geoms[geom.index()].kind, GeomKind::Plane | GeomKind::HField(_));
    if flat(geom1) && flat(geom2) {
        let message = "planes and height fields never touch each other: the pair has no contacts";
        problems.push(element.problem(message).note(NoteKind::NoEffect));
    }
    // the geom of the earlier body comes first
    let swap = model.geoms[geom1.index()].body > model.geoms[geom2.index()].body;
    let (geom1, geom2) = if swap { (geom2, geom1) } else { (geom1, geom2) };
    Some(ExplicitPair {
        name: element.name().map(str::to_owned),
        geom1,
        geom2,
        params,
    })
}

fn exclude(element: &Element, names: &Names, problems: &mut Problems) -> Option<Exclude> {
    let bodies = ["body1", "body2"].map(|attribute| names.require(element, attribute, Namespace::Body, problems));
    let (first, second) = (BodyId::new(bodies[0]?), BodyId::new(bodies[1]?));
    Some(Exclude {
        name: element.name().map(str::to_owned),
        body1: first.min(second),
        body2: first.max(second),
    })
}
