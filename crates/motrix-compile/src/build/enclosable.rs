//! What `<insidesite enclosed="true">` can be asked about: objects that end somewhere.

use motrix_model::{BodyId, Geom, GeomKind, Model, Object};

use crate::document::Element;
use crate::problem::Problems;

/// Refuses objects whose farthest point is not defined.
pub fn check(model: &Model, element: &Element, object: Object, problems: &mut Problems) {
    let of = |counts: &dyn Fn(BodyId) -> bool| -> Vec<&Geom> {
        model.geoms.iter().filter(|geom| counts(geom.body)).collect()
    };
    let geoms = match object {
        Object::Geom(geom) => vec![&model.geoms[geom.index()]],
        Object::Body(body) => of(&|other| other == body),
        Object::XBody(body) => of(&|other| is_below(model, other, body)),
        Object::Site(_) => return,
        _ => {
            let message = "only geoms, sites and bodies can be enclosed";
            return problems.push(element.problem_with("objtype", message));
        }
    };
    if geoms.is_empty() {
        problems.push(element.problem_with("objname", "a body without geoms cannot be enclosed"));
    }
    let endless = |geom: &&Geom| matches!(geom.kind, GeomKind::Plane | GeomKind::HField(_));
    if geoms.iter().any(endless) {
        problems.push(element.problem_with("objname", "planes and height fields cannot be enclosed"));
    }
}

/// Whether a body is another or below it in the tree.
fn is_below(model: &Model, mut body: BodyId, top: BodyId) -> bool {
    while body != top && body.index() > 0 {
        body = model.bodies[body.index()].parent;
    }
    body == top
}
