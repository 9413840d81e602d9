//! `<worldbody>` and `<body>`: pose, inertia, and what stands inside.
//!
//! A body's inertia comes from `<inertial>` or, when there is none (or `inertiafromgeom` demands it), from its geoms.

use motrix_model::{JointKind, SleepPolicy};

use super::assets::Assets;
use super::draft::{BodyDraft, GeomDraft};
use super::geom::{self, Surroundings};
use super::inertia::{self, MassProperties, from_full, is_physical, principal};
use super::pose::{IDENTITY, Pose, rotate, unit};
use super::settings::UserSizes;
use super::{joint, site, user, viewpoint};
use crate::document::{Auto, Element};
use crate::problem::{NoteKind, Problems};

/// What reading a body needs beside its element.
pub struct BodyReader<'r> {
    /// Compiled assets.
    pub assets: &'r Assets,
    /// Lengths of user lists.
    pub users: UserSizes,
    /// Near clipping plane, which cameras without a sensor take as focal length.
    pub znear: f32,
}

/// What is known about a body before it is read.
#[derive(Clone, Copy)]
struct Above {
    is_world: bool,
    /// Whether the parent is the world.
    top_level: bool,
    /// Whether the parent cannot move, or is moved by the user.
    held: bool,
}

impl BodyReader<'_> {
    /// Reads the whole tree.
    pub fn world<'d>(&self, element: &'d Element, problems: &mut Problems) -> BodyDraft<'d> {
        self.body(
            element,
            Above {
                is_world: true,
                top_level: false,
                held: true,
            },
            problems,
        )
    }

    fn body<'d>(&self, element: &'d Element, above: Above, problems: &mut Problems) -> BodyDraft<'d> {
        let attribute = |name| !above.is_world && element.has(name);
        let mocap = attribute("mocap") && element.boolean("mocap", problems).unwrap_or(false);
        let has_joint = element
            .children()
            .iter()
            .any(|child| matches!(child.tag(), "joint" | "freejoint"));
        let held = mocap || (above.held && !has_joint);
        let local = if above.is_world {
            Pose::default()
        } else {
            element.local_pose(problems).into()
        };
        let inertial = element.child("inertial");
        let from_geoms = element.compiler().inertiafromgeom;
        let around = Surroundings {
            weighs: !above.is_world && (inertial.is_none() || from_geoms == Auto::True),
            held,
        };
        let mut draft = BodyDraft {
            element,
            name: if above.is_world {
                Some("world".to_owned())
            } else {
                element.name().map(str::to_owned)
            },
            pose: if above.is_world {
                local
            } else {
                element.in_body(local.into()).into()
            },
            inertia: nothing(&local),
            mocap,
            gravcomp: if above.is_world {
                0.0
            } else {
                element.real("gravcomp", problems).unwrap_or(0.0)
            },
            sleep: if above.is_world { None } else { sleep(element, problems) },
            not_simple: attribute("simple") && element.text("simple") == Some("false"),
            may_fuse: !(attribute("fuse") && element.text("fuse") == Some("false")),
            user: match above.is_world {
                true => Vec::new(),
                false => user::read(element, self.users.body, problems),
            },
            joints: Vec::new(),
            geoms: Vec::new(),
            sites: Vec::new(),
            cameras: Vec::new(),
            lights: Vec::new(),
            children: Vec::new(),
        };
        for child in element.children() {
            self.child(&mut draft, child, around, above, problems);
        }
        if !above.is_world {
            let written = inertial.and_then(|inertial| read_inertial(inertial, problems));
            set_inertia(&mut draft, written, from_geoms, &local, problems);
            hold_if_massless(&mut draft, problems);
            check_joints(&draft, above, problems);
            align_free_body(&mut draft);
        }
        draft
    }

    fn child<'d>(
        &self,
        draft: &mut BodyDraft<'d>,
        child: &'d Element,
        around: Surroundings,
        above: Above,
        problems: &mut Problems,
    ) {
        match child.tag() {
            "body" => {
                let above = Above {
                    is_world: false,
                    top_level: above.is_world,
                    held: around.held,
                };
                draft.children.push(self.body(child, above, problems));
            }
            "joint" => draft.joints.push(joint::read(child, self.users.joint, problems)),
            "freejoint" => draft.joints.push(joint::read_free(child, problems)),
            "geom" => draft
                .geoms
                .extend(geom::read(child, around, self.assets, self.users.geom, problems)),
            "site" => draft
                .sites
                .extend(site::read(child, self.assets, self.users.site, problems)),
            "camera" => draft
                .cameras
                .push((viewpoint::camera(child, self.znear, self.users.camera, problems), child)),
            "light" => draft.lights.push((viewpoint::light(child, problems), child)),
            "flexcomp" => problems.push(
                child
                    .problem("deformable bodies (flexcomp)")
                    .note(NoteKind::NotSupported),
            ),
            "plugin" => problems.push(child.problem("plugins").note(NoteKind::NotSupported)),
            _ => {}
        }
    }
}

/// A body without mass: MuJoCo gives it the body's own pose as inertial frame, and so do we.
fn nothing(local: &Pose) -> MassProperties {
    MassProperties {
        mass: 0.0,
        pose: *local,
        moments: [0.0; 3],
    }
}

fn sleep(element: &Element, problems: &mut Problems) -> Option<SleepPolicy> {
    const SLEEP: &[(&str, Option<SleepPolicy>)] = &[
        ("auto", None),
        ("never", Some(SleepPolicy::Never)),
        ("allowed", Some(SleepPolicy::Allowed)),
        ("init", Some(SleepPolicy::Initially)),
    ];
    element.keyword("sleep", SLEEP, problems).flatten()
}

/// Reads an `<inertial>`.
fn read_inertial(element: &Element, problems: &mut Problems) -> Option<MassProperties> {
    let position = element.reals("pos", problems)?;
    let mass = element.real("mass", problems)?;
    let (moments, orientation) = match element.reals("fullinertia", problems) {
        Some(full) => match principal(&from_full(full)) {
            Ok(principal) => principal,
            Err(_) => {
                problems.push(element.problem_with("fullinertia", "the inertia must be positive definite"));
                return None;
            }
        },
        None => {
            let moments = element.reals("diaginertia", problems).unwrap_or([0.0; 3]);
            (moments, unit(element.orientation(problems)))
        }
    };
    let pose = Pose::new(position, orientation);
    let in_body = match element.frame() {
        Some(frame) => Pose::new(frame.pose().pos, frame.pose().quat).then(&pose),
        None => pose,
    };
    Some(MassProperties {
        mass,
        pose: in_body,
        moments,
    })
}

/// Chooses between the written inertia and that of the geoms, and checks the result.
fn set_inertia(
    draft: &mut BodyDraft,
    written: Option<MassProperties>,
    from_geoms: Auto,
    local: &Pose,
    problems: &mut Problems,
) {
    let element = draft.element;
    let parts: Vec<MassProperties> = draft.geoms.iter().filter_map(|geom: &GeomDraft| geom.inertia).collect();
    let wanted = match from_geoms {
        Auto::True => true,
        Auto::Auto => written.is_none(),
        Auto::False => false,
    };
    draft.inertia = written.unwrap_or_else(|| nothing(local));
    if wanted && !parts.is_empty() {
        match inertia::join(&parts) {
            Ok(sum) => draft.inertia = sum,
            Err(_) => problems.push(element.problem("the geoms of the body have no positive definite inertia")),
        }
    }
    let compiler = element.compiler();
    let body = &mut draft.inertia;
    body.mass = body.mass.max(compiler.boundmass);
    body.moments = body.moments.map(|moment| moment.max(compiler.boundinertia));
    if body.mass < 0.0 || body.moments.iter().any(|&moment| moment < 0.0) {
        problems.push(element.problem("mass and inertia cannot be negative"));
    } else if !is_physical(body.moments) {
        if compiler.balanceinertia {
            body.moments = [body.moments.iter().sum::<f64>() / 3.0; 3];
        } else {
            let remedy = if element.is_urdf() {
                "<mujoco><compiler balanceinertia=\"true\"/></mujoco> in <robot>"
            } else {
                "compiler balanceinertia=\"true\""
            };
            let message = format!("the moments of inertia violate A + B >= C; {remedy} repairs them");
            problems.push(element.problem(message));
        }
    }
}

/// A body whose mass is that of signed distance fields only stays where it is: without them it has none to move.
fn hold_if_massless(draft: &mut BodyDraft, problems: &mut Problems) {
    let mut geoms = draft.element.children_named("geom");
    let left_out = geoms.any(|geom| geom.text("type") == Some("sdf"));
    if left_out && draft.inertia.mass == 0.0 && draft.children.is_empty() && !draft.joints.is_empty() {
        draft.joints.clear();
        let message = "the mass of signed distance fields; the body is held, without its joints";
        problems.push(draft.element.problem(message).note(NoteKind::NotSupported));
    }
}

/// Which joints can stand together.
fn check_joints(draft: &BodyDraft, above: Above, problems: &mut Problems) {
    let element = draft.element;
    let dofs: usize = draft.joints.iter().map(|joint| joint.joint.kind.dof_count()).sum();
    if dofs > 6 {
        problems.push(element.problem("the body has more than 6 degrees of freedom"));
    }
    let mut after_ball = false;
    for joint in &draft.joints {
        let kind = joint.joint.kind;
        if after_ball && matches!(kind, JointKind::Ball | JointKind::Hinge) {
            problems.push(
                joint
                    .element
                    .problem("a ball joint cannot be followed by another rotation"),
            );
        }
        after_ball |= kind == JointKind::Ball;
        if kind == JointKind::Free && draft.joints.len() > 1 {
            problems.push(joint.element.problem("a free joint must be the only joint of its body"));
        }
    }
    if draft.mocap && (dofs > 0 || !above.top_level) {
        problems.push(element.problem_with("mocap", "a mocap body must be a child of the world without joints"));
    }
}

/// A free joint moves its body relative to the world, so that only the world's children can have one. Which they are is known
/// once static bodies are fused.
pub fn check_free_joints(world: &BodyDraft, problems: &mut Problems) {
    let mut deeper: Vec<&BodyDraft> = world.children.iter().flat_map(|body| &body.children).collect();
    while let Some(body) = deeper.pop() {
        for joint in body.joints.iter().filter(|joint| joint.joint.kind == JointKind::Free) {
            let message = "a free joint is only allowed in children of the world";
            problems.push(joint.element.problem(message));
        }
        deeper.extend(&body.children);
    }
}

/// Moves the frame of a free body without children to its inertial frame, if that is asked for.
fn align_free_body(draft: &mut BodyDraft) {
    let [joint] = &draft.joints[..] else { return };
    let wanted = match joint.align {
        Auto::True => true,
        Auto::Auto => draft.element.compiler().alignfree,
        Auto::False => false,
    };
    if !wanted || joint.joint.kind != JointKind::Free || !draft.children.is_empty() {
        return;
    }
    let inertial = draft.inertia.pose;
    draft.pose = draft.pose.then(&inertial);
    draft.inertia.pose = Pose::default();
    move_contents(draft, &inertial.inverse());
}

/// Expresses all that is fixed to a body in another frame; `seen_from` is the body frame seen from it.
pub fn move_contents(draft: &mut BodyDraft, seen_from: &Pose) {
    for geom in &mut draft.geoms {
        let pose = seen_from.then(&Pose::new(geom.geom.position, geom.geom.orientation));
        (geom.geom.position, geom.geom.orientation) = (pose.position, pose.orientation);
    }
    for site in &mut draft.sites {
        let pose = seen_from.then(&Pose::new(site.position, site.orientation));
        (site.position, site.orientation) = (pose.position, pose.orientation);
    }
    for (camera, _) in &mut draft.cameras {
        let pose = seen_from.then(&Pose::new(camera.position, camera.orientation));
        (camera.position, camera.orientation) = (pose.position, pose.orientation);
    }
    for (light, _) in &mut draft.lights {
        light.position = seen_from.then(&Pose::new(light.position, IDENTITY)).position;
        light.direction = rotate(seen_from.orientation, light.direction);
    }
}
