//! `<spatial>` and `<fixed>` tendons.

use motrix_model::{GeomId, GeomKind, JointId, JointKind, Model, PathItem, SiteId, Tendon, TendonKind};

use super::assets::Assets;
use super::joint::{SOLIMP, SOLREF};
use super::names::Names;
use super::{limits, user};
use crate::document::Element;
use crate::problem::Problems;
use crate::schema::Namespace;

/// What reading tendons needs beside their elements.
pub struct TendonReader<'r> {
    /// Names of joints, sites and geoms.
    pub names: &'r Names,
    /// The numbered tree.
    pub model: &'r Model,
    /// Materials.
    pub assets: &'r Assets,
    /// Length of user lists.
    pub users: Option<usize>,
}

impl TendonReader<'_> {
    /// Reads one tendon; none when its path cannot be followed.
    pub fn read(&self, element: &Element, problems: &mut Problems) -> Option<Tendon> {
        let kind = if element.tag() == "fixed" {
            TendonKind::Fixed
        } else {
            TendonKind::Spatial
        };
        let path = self.path(element, problems);
        let (limited, range) = limits::read(element, "limited", "range", problems);
        let (force_limited, force_range) = limits::read(element, "actuatorfrclimited", "actuatorfrcrange", problems);
        if force_limited && (force_range[0] > 0.0 || force_range[1] < 0.0) {
            problems.push(element.problem_with("actuatorfrcrange", "the range of forces must contain 0"));
        }
        let [stiffness, stiffness_poly @ ..] = element.reals_over("stiffness", [0.0; 3], problems);
        let [damping, damping_poly @ ..] = element.reals_over("damping", [0.0; 3], problems);
        let mut number = |name: &str, default: f64| element.real(name, problems).unwrap_or(default);
        let (armature, frictionloss) = (number("armature", 0.0), number("frictionloss", 0.0));
        let (margin, width, spring_yield) = (
            number("margin", 0.0),
            number("width", 0.003),
            number("springyield", 0.0),
        );
        let tendon = Tendon {
            name: element.name().map(str::to_owned),
            kind,
            path: path?,
            dofs: Vec::new(),
            limited,
            range,
            margin,
            solref_limit: element.reals_over("solreflimit", SOLREF, problems),
            solimp_limit: element.reals_over("solimplimit", SOLIMP, problems),
            solref_friction: element.reals_over("solreffriction", SOLREF, problems),
            solimp_friction: element.reals_over("solimpfriction", SOLIMP, problems),
            frictionloss,
            actuator_force_limited: force_limited,
            actuator_force_range: force_range,
            stiffness,
            stiffness_poly,
            spring_yield,
            damping,
            damping_poly,
            armature,
            spring_length: spring_length(element, problems),
            length0: 0.0,
            invweight: 0.0,
            width,
            group: element.int("group", problems).unwrap_or(0),
            material: self.assets.material(element, problems),
            rgba: element.rgba("rgba", problems).unwrap_or([0.5, 0.5, 0.5, 1.0]),
            user: user::read(element, self.users, problems),
        };
        check_path(element, &tendon, problems).then_some(tendon)
    }

    /// The items of the path, if all of them exist.
    fn path(&self, element: &Element, problems: &mut Problems) -> Option<Vec<PathItem>> {
        // all items are looked at, so that all problems are found
        let items: Vec<Option<PathItem>> = element
            .children()
            .iter()
            .map(|item| self.item(item, problems))
            .collect();
        items.into_iter().collect()
    }

    fn item(&self, item: &Element, problems: &mut Problems) -> Option<PathItem> {
        match item.tag() {
            "joint" => {
                let joint = self.names.require(item, "joint", Namespace::Joint, problems)?;
                if !matches!(self.model.joints[joint].kind, JointKind::Slide | JointKind::Hinge) {
                    problems.push(item.problem_with("joint", "a fixed tendon passes over slides and hinges only"));
                }
                let coefficient = required_number(item, "coef", problems)?;
                Some(PathItem::Joint(JointId::new(joint), coefficient))
            }
            "site" => Some(PathItem::Site(SiteId::new(self.names.require(
                item,
                "site",
                Namespace::Site,
                problems,
            )?))),
            "geom" => self.wrap(item, problems),
            _ => {
                let divisor = required_number(item, "divisor", problems)?;
                if divisor < 0.0 {
                    problems.push(item.problem_with("divisor", "the divisor of a pulley cannot be negative"));
                }
                Some(PathItem::Pulley(divisor))
            }
        }
    }

    fn wrap(&self, item: &Element, problems: &mut Problems) -> Option<PathItem> {
        let geom = self.names.require(item, "geom", Namespace::Geom, problems);
        let side = match item.has("sidesite") {
            true => Some(SiteId::new(self.names.find(
                item,
                "sidesite",
                Namespace::Site,
                problems,
            )?)),
            false => None,
        };
        let id = GeomId::new(geom?);
        match self.model.geoms[id.index()].kind {
            GeomKind::Sphere => Some(PathItem::Sphere(id, side)),
            GeomKind::Cylinder => Some(PathItem::Cylinder(id, side)),
            _ => {
                problems.push(item.problem_with("geom", "tendons wrap around spheres and cylinders only"));
                None
            }
        }
    }
}

fn required_number(item: &Element, attribute: &str, problems: &mut Problems) -> Option<f64> {
    if !item.has(attribute) {
        problems.push(item.problem(format!("the attribute {attribute} is missing")));
    }
    item.real(attribute, problems)
}

/// One number is a length, two are a range without force; −1 −1 waits for the configuration where springs rest.
fn spring_length(element: &Element, problems: &mut Problems) -> [f64; 2] {
    let length = match element.real_list("springlength", problems).as_deref() {
        Some([length]) => [*length; 2],
        Some([low, high]) => [*low, *high],
        _ => [-1.0; 2],
    };
    if length[0] > length[1] {
        problems.push(element.problem_with("springlength", "the lower length must not exceed the upper one"));
    }
    length
}

/// Which items can follow each other. All offences are recorded.
fn check_path(element: &Element, tendon: &Tendon, problems: &mut Problems) -> bool {
    let path = &tendon.path;
    let mut offences: Vec<(usize, &str)> = Vec::new();
    if path.is_empty() {
        problems.push(element.problem("the path of the tendon is empty"));
        return false;
    }
    if tendon.kind == TendonKind::Spatial {
        if path.len() < 2 {
            offences.push((0, "a spatial tendon needs at least two items"));
        }
        if tendon.width <= 0.0 {
            problems.push(element.problem_with("width", "the width must be positive"));
        }
        if tendon.armature < 0.0 {
            problems.push(element.problem_with("armature", "the armature cannot be negative"));
        }
        for i in 0..path.len() {
            offences.extend(offence(path, i, tendon.armature).map(|message| (i, message)));
        }
    }
    for &(i, message) in &offences {
        problems.push(element.children().get(i).unwrap_or(element).problem(message));
    }
    offences.is_empty()
}

/// What is wrong with item `i` of a spatial path among its neighbours.
fn offence(path: &[PathItem], i: usize, armature: f64) -> Option<&'static str> {
    let before = i.checked_sub(1).map(|j| &path[j]);
    let after = path.get(i + 1);
    let is_pulley = |item: Option<&PathItem>| matches!(item, Some(PathItem::Pulley(_)));
    let is_site = |item: Option<&PathItem>| matches!(item, Some(PathItem::Site(_)));
    match &path[i] {
        PathItem::Pulley(_) if is_pulley(before) => Some("a pulley cannot follow a pulley"),
        PathItem::Pulley(_) if after.is_none() => Some("a path cannot end with a pulley"),
        PathItem::Site(_) if (before.is_none() || is_pulley(before)) && (after.is_none() || is_pulley(after)) => {
            Some("the site needs a neighbour that is not a pulley")
        }
        PathItem::Site(site) if after == Some(&PathItem::Site(*site)) => Some("the site is repeated"),
        PathItem::Sphere(..) | PathItem::Cylinder(..) if !(is_site(before) && is_site(after)) => {
            Some("a geom must stand between two sites")
        }
        PathItem::Sphere(..) | PathItem::Cylinder(..) if armature > 0.0 => {
            Some("a tendon with armature cannot wrap around geoms")
        }
        PathItem::Joint(..) => Some("a spatial tendon has no joints"),
        _ => None,
    }
}
