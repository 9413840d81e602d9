//! What an actuator acts on.

use motrix_model::{BodyId, GainKind, JointId, JointKind, Model, SiteId, TendonId, Transmission};

use super::law::Law;
use crate::build::names::Names;
use crate::document::Element;
use crate::problem::Problems;
use crate::schema::Namespace;

/// Reads the target of an actuator with the given law.
pub fn read(
    element: &Element,
    law: &Law,
    names: &Names,
    model: &Model,
    problems: &mut Problems,
) -> Option<Transmission> {
    let target = target(element, names, problems)?;
    if law.gain != GainKind::Orientation {
        return Some(target);
    }
    match target {
        Transmission::Joint(id) if model.joints[id.index()].kind == JointKind::Ball => {
            Some(Transmission::BallOrientation(id))
        }
        Transmission::Site(site, Some(reference)) => Some(Transmission::SiteOrientation(site, reference)),
        _ => {
            problems
                .push(element.problem("an orientation servo acts on a ball joint, or on a site with a reference site"));
            None
        }
    }
}

fn target(element: &Element, names: &Names, problems: &mut Problems) -> Option<Transmission> {
    let given =
        |name: &str| element.rule().attribute(name).is_some() && element.own(name).is_some_and(|a| !a.value.is_empty());
    let targets: Vec<&str> = ["joint", "jointinparent", "tendon", "cranksite", "site", "body"]
        .into_iter()
        .filter(|name| given(name))
        .collect();
    // MuJoCo takes the last of several; here one has to be chosen
    let target = match targets[..] {
        [target] => target,
        [] => {
            problems.push(element.problem("the actuator acts on nothing; give it a joint, tendon, site or body"));
            return None;
        }
        [_, second, ..] => {
            problems.push(element.problem_with(second, format!("an actuator has one target: {}", targets.join(", "))));
            return None;
        }
    };
    if given("refsite") && target != "site" {
        problems.push(element.problem_with("refsite", "only a site has a reference site"));
    }
    if given("slidersite") && target != "cranksite" {
        problems.push(element.problem_with("slidersite", "only a crank has a slider"));
    }
    match target {
        "joint" => {
            find(element, "joint", Namespace::Joint, names, problems).map(|i| Transmission::Joint(JointId::new(i)))
        }
        "jointinparent" => find(element, "jointinparent", Namespace::Joint, names, problems)
            .map(|i| Transmission::JointInParent(JointId::new(i))),
        "tendon" => {
            find(element, "tendon", Namespace::Tendon, names, problems).map(|i| Transmission::Tendon(TendonId::new(i)))
        }
        "body" => find(element, "body", Namespace::Body, names, problems).map(|i| Transmission::Body(BodyId::new(i))),
        "site" => site(element, given("refsite"), names, problems),
        _ => slider_crank(element, names, problems),
    }
}

fn find(element: &Element, attribute: &str, kind: Namespace, names: &Names, problems: &mut Problems) -> Option<usize> {
    names.require(element, attribute, kind, problems)
}

fn site(element: &Element, has_reference: bool, names: &Names, problems: &mut Problems) -> Option<Transmission> {
    let site = find(element, "site", Namespace::Site, names, problems);
    let reference = match has_reference {
        true => Some(SiteId::new(find(element, "refsite", Namespace::Site, names, problems)?)),
        false => None,
    };
    Some(Transmission::Site(SiteId::new(site?), reference))
}

fn slider_crank(element: &Element, names: &Names, problems: &mut Problems) -> Option<Transmission> {
    let crank = find(element, "cranksite", Namespace::Site, names, problems);
    let slider = find(element, "slidersite", Namespace::Site, names, problems);
    let length = element.real("cranklength", problems).unwrap_or(0.0);
    if length <= 0.0 {
        problems.push(element.problem_with("cranklength", "the length of the crank must be positive"));
        return None;
    }
    Some(Transmission::SliderCrank {
        crank: SiteId::new(crank?),
        slider: SiteId::new(slider?),
        length,
    })
}
