//! Defaults, frames, copies and attachments. Expected numbers and names are those of MuJoCo 4.0.0 for the same text.

use motrix_compile::document::{Document, Element, Limits, MemoryFiles, read_file, read_str};
use motrix_compile::problem::Problems;

fn files() -> MemoryFiles {
    let mut files = MemoryFiles::new();
    for (name, text) in [
        ("walker.xml", include_str!("models/walker.xml")),
        ("gripper.xml", include_str!("models/gripper.xml")),
        ("cell.xml", include_str!("models/cell.xml")),
        ("lights.xml", include_str!("models/lights.xml")),
    ] {
        files.insert(name, text);
    }
    files
}

/// A document without problems, and what was reported.
fn document(text: &str) -> (Document, String) {
    let mut problems = Problems::new(true);
    let document = read_str(text, "model.xml", &files(), Limits::default(), &mut problems);
    let report = problems.finish().unwrap_or_else(|error| panic!("{error}"));
    (document.unwrap(), report.to_string())
}

fn model(name: &str) -> Document {
    let mut problems = Problems::new(true);
    let document = read_file(name, &files(), Limits::default(), &mut problems);
    problems.finish().unwrap_or_else(|error| panic!("{error}"));
    document.unwrap()
}

/// All elements of the tree called `tag`, in the order of the file.
fn all<'d>(document: &'d Document, tag: &str) -> Vec<&'d Element> {
    fn collect<'d>(inside: &'d Element, tag: &str, into: &mut Vec<&'d Element>) {
        for child in inside.children() {
            if child.tag() == tag {
                into.push(child);
            }
            collect(child, tag, into);
        }
    }
    let mut found = Vec::new();
    collect(&document.world, tag, &mut found);
    found
}

fn named<'d>(document: &'d Document, tag: &str, name: &str) -> &'d Element {
    all(document, tag)
        .into_iter()
        .find(|element| element.name() == Some(name))
        .unwrap_or_else(|| panic!("{name}"))
}

fn names(elements: &[Element]) -> Vec<&str> {
    elements.iter().map(|element| element.name().unwrap_or("-")).collect()
}

/// A getter applied to a sound element.
fn sound<T>(get: impl FnOnce(&mut Problems) -> T) -> T {
    let mut problems = Problems::new(true);
    let value = get(&mut problems);
    problems.finish().unwrap_or_else(|error| panic!("{error}"));
    value
}

const FRICTION: [f64; 3] = [1.0, 0.005, 0.0001];

// ------------------------------------------------------------------------------------------------ defaults

#[test]
fn an_element_says_first_what_its_class_and_then_what_the_root_class_says() {
    let walker = model("walker.xml");
    let foot = named(&walker, "geom", "foot_2");
    // own class: 1.2; root class: 0.8 0.02; built in: the rest
    assert_eq!(sound(|p| foot.reals_over("friction", FRICTION, p)), [1.2, 0.02, 0.0001]);
    assert_eq!(sound(|p| foot.reals_over("size", [0.0; 3], p)), [0.03, 0.0, 0.0]);
    assert_eq!(sound(|p| foot.int("condim", p)), Some(4));
    let thigh = named(&walker, "geom", "thigh_1");
    assert_eq!(
        sound(|p| thigh.reals_over("friction", FRICTION, p)),
        [0.8, 0.02, 0.0001]
    );
    assert_eq!(thigh.text("type"), Some("capsule"));
    assert_eq!(sound(|p| thigh.int("priority", p)), None);
}

#[test]
fn layers_run_from_the_element_to_the_root_class_and_can_be_told_apart() {
    let walker = model("walker.xml");
    let knee = &walker.outer.actuators[1];
    let kp: Vec<_> = knee
        .layers()
        .map(|layer| layer.own("kp").map(|kp| kp.value.to_string()))
        .collect();
    assert_eq!(kp, [Some("60".to_owned()), Some("40".to_owned())]);
    assert_eq!(knee.own("kv").map(|_| ()), None);
    assert_eq!(sound(|p| knee.real("kv", p)), Some(1.0));
    let (layer, _) = knee.find("kv").unwrap();
    assert_eq!((layer.place().line, layer.tag()), (13, "position"));
}

#[test]
fn all_actuators_of_a_class_share_its_actuator_defaults() {
    let (document, _) = document(
        r#"<mujoco>
          <default><motor ctrlrange="-1 1"/><position kp="5"/></default>
          <worldbody><body><joint name="j"/><geom size="1"/></body></worldbody>
          <actuator><general joint="j"/></actuator>
        </mujoco>"#,
    );
    let layers: Vec<_> = document.outer.actuators[0].layers().map(Element::tag).collect();
    // strongest first: what stands later in the class was applied later
    assert_eq!(layers, ["general", "position", "motor"]);
}

#[test]
fn a_class_sees_the_root_class_as_it_was_when_the_class_was_defined() {
    let (document, _) = document(
        r#"<mujoco>
          <default><geom condim="4"/><default class="a"/></default>
          <default><geom size="3"/></default>
          <worldbody><geom class="a"/><geom/></worldbody>
        </mujoco>"#,
    );
    let [early, late] = document.world.children() else {
        panic!()
    };
    assert_eq!(sound(|p| (early.int("condim", p), early.has("size"))), (Some(4), false));
    assert_eq!(sound(|p| (late.int("condim", p), late.has("size"))), (Some(4), true));
}

#[test]
fn childclass_reaches_through_bodies_and_frames_until_another_one() {
    let (document, _) = document(
        r#"<mujoco>
          <default>
            <default class="a"><geom group="1"/></default>
            <default class="b"><geom group="2"/></default>
          </default>
          <worldbody>
            <geom name="world" size="1"/>
            <body childclass="a">
              <geom name="a" size="1"/>
              <geom name="own" class="b" size="1"/>
              <geom name="main" class="main" size="1"/>
              <frame>
                <body><geom name="deep" size="1"/></body>
                <frame childclass="b"><geom name="b" size="1"/></frame>
              </frame>
              <replicate count="1" childclass="b"><geom name="copy" size="1"/></replicate>
            </body>
          </worldbody>
        </mujoco>"#,
    );
    let group = |name| sound(|p| named(&document, "geom", name).int("group", p));
    let groups = ["world", "a", "own", "main", "deep", "b", "copy0"].map(group);
    assert_eq!(groups, [None, Some(1), Some(2), None, Some(1), Some(2), Some(2)]);
}

#[test]
fn the_stronger_layer_decides_the_orientation_whatever_words_it_uses() {
    let orientation = |class: &str, own: &str| {
        let (document, _) = document(&format!(
            r#"<mujoco><default><geom {class}/></default><worldbody><geom size="1" {own}/></worldbody></mujoco>"#
        ));
        sound(|p| document.world.children()[0].orientation(p))
    };
    let half = std::f64::consts::FRAC_1_SQRT_2;
    assert_eq!(
        orientation(r#"euler="90 0 0""#, r#"quat="0 0 0 1""#),
        [0.0, 0.0, 0.0, 1.0]
    );
    for class in [r#"quat="0 0 0 1""#, r#"axisangle="0 0 1 90""#] {
        let quat = orientation(class, r#"euler="90 0 0""#);
        // one rounding of sin and cos of 45 degrees
        assert!(
            (quat[0] - half).abs() < 1e-15 && (quat[1] - half).abs() < 1e-15,
            "{quat:?}"
        );
    }
}

#[test]
fn sections_that_are_repeated_are_one_with_the_later_word_winning() {
    let (document, _) = document(
        r#"<mujoco>
          <option timestep="0.01" gravity="0 0 -1"><flag contact="disable" energy="enable"/></option>
          <option timestep="0.02" o_solref="0.5"><flag contact="enable"/></option>
          <option o_solref="0.7"/>
          <compiler angle="radian"/>
          <compiler autolimits="false"/>
          <worldbody><geom name="a" size="1"/></worldbody>
          <worldbody><geom name="b" size="1"/></worldbody>
        </mujoco>"#,
    );
    let option = &document.settings.option;
    assert_eq!(sound(|p| option.real("timestep", p)), Some(0.02));
    assert_eq!(sound(|p| option.reals("gravity", p)), Some([0.0, 0.0, -1.0]));
    assert_eq!(sound(|p| option.reals_over("o_solref", [0.02, 1.0], p)), [0.7, 1.0]);
    let flag = option.child("flag").unwrap();
    assert_eq!(
        (flag.text("contact"), flag.text("energy")),
        (Some("enable"), Some("enable"))
    );
    let compiler = document.world.compiler();
    assert_eq!((compiler.degrees, compiler.autolimits), (false, false));
    assert_eq!(names(document.world.children()), ["a", "b"]);
}

// ------------------------------------------------------------------------------------------------ frames and copies

/// Poses agree with MuJoCo to a few rounding errors of a metre.
fn assert_pose(element: &Element, pos: [f64; 3], quat: [f64; 4]) {
    let pose = sound(|p| element.pose(p));
    let error = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
    let (position, rotation) = (error(&pose.pos, &pos), error(&pose.quat, &quat));
    assert!(
        position < 1e-15 && rotation < 1e-15,
        "{:?} {pose:?} {position:e} {rotation:e}",
        element.name()
    );
}

#[test]
fn frames_and_steps_of_copies_are_composed_as_in_mujoco() {
    let walker = model("walker.xml");
    let z = -0.02;
    assert_pose(
        named(&walker, "body", "leg_0"),
        [2.6794896468285148e-09, 9.999_999_999_999_998e-2, z],
        [0.707106790659974, 0.0, 0.0, 0.707106771713121],
    );
    assert_pose(
        named(&walker, "body", "leg_1"),
        [-0.04794254882945724, 0.187758257473653, z],
        [0.510183538008887, 0.0, 0.0, 0.8600655542135927],
    );
    assert_pose(
        named(&walker, "body", "leg_3"),
        [-0.2318391443333782, 0.24886221315472748, z],
        [0.03539078475635943, 0.0, 0.0, 0.9993735499573364],
    );
}

#[test]
fn frames_vanish_and_leave_their_children_in_place_and_order() {
    let (document, _) = document(
        r#"<mujoco><worldbody>
          <geom name="a" size="1"/>
          <frame pos="1 0 0"><geom name="b" size="1"/><frame pos="0 2 0"><geom name="c" size="1" pos="0 0 3"/></frame></frame>
          <geom name="d" size="1"/>
        </worldbody></mujoco>"#,
    );
    assert_eq!(names(document.world.children()), ["a", "b", "c", "d"]);
    let c = &document.world.children()[2];
    assert_eq!(sound(|p| c.local_pose(p)).pos, [0.0, 0.0, 3.0]);
    assert_eq!(sound(|p| c.pose(p)).pos, [1.0, 2.0, 3.0]);
    assert_eq!(c.frame().unwrap().pose().pos, [1.0, 2.0, 0.0]);
}

#[test]
fn copies_are_numbered_with_as_many_digits_as_their_count_has() {
    let copied = |count: usize| {
        let (document, _) = document(&format!(
            r#"<mujoco><worldbody><replicate count="{count}" sep="-"><geom name="g" size="1"/></replicate></worldbody></mujoco>"#
        ));
        let names = names(document.world.children()).into_iter();
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(copied(0), [""; 0]);
    assert_eq!(copied(1), ["g-0"]);
    assert_eq!(copied(9)[8], "g-8");
    assert_eq!(copied(10)[..2], ["g-00", "g-01"]);
    assert_eq!(copied(100)[99], "g-099");
}

#[test]
fn nested_copies_carry_both_numbers_inner_first() {
    let (document, _) = document(
        r#"<mujoco><worldbody>
          <replicate count="2" sep="-"><replicate count="2" sep="_"><body name="b"><joint name="j"/></body></replicate></replicate>
        </worldbody><actuator><motor name="m" joint="j"/></actuator></mujoco>"#,
    );
    assert_eq!(names(document.world.children()), ["b_0-0", "b_1-0", "b_0-1", "b_1-1"]);
    assert_eq!(names(&document.outer.actuators), ["m_0-0", "m_1-0", "m_0-1", "m_1-1"]);
}

#[test]
fn what_refers_to_copied_elements_is_copied_behind_the_rest() {
    let walker = model("walker.xml");
    let sensors = names(&walker.outer.sensors);
    assert_eq!(
        sensors[..6],
        ["gyro", "attitude", "clock", "touch_0", "hip_0", "ground_0"]
    );
    assert_eq!(sensors.len(), 3 + 4 * 3);
    let ground = &walker.outer.sensors[5];
    assert_eq!(
        (ground.reference("geom1"), ground.reference("geom2")),
        (Some("foot_0"), Some("floor"))
    );
    let string = &walker.outer.tendons[1];
    let sites: Vec<_> = string
        .children_named("site")
        .filter_map(|site| site.reference("site"))
        .collect();
    assert_eq!(
        (string.name(), sites),
        (Some("string_0"), vec!["imu", "sole_0", "sole_0", "imu"])
    );
}

#[test]
fn what_cannot_refer_to_a_copy_and_to_something_else_is_dropped_and_reported() {
    let (document, report) = document(
        r#"<mujoco><worldbody>
          <body><joint name="fixed"/><geom size="1"/></body>
          <replicate count="2"><body><joint name="j"/><geom size="1"/></body></replicate>
        </worldbody><equality><joint name="both" joint1="j" joint2="fixed"/><joint name="one" joint1="j"/></equality></mujoco>"#,
    );
    assert_eq!(names(&document.outer.equalities), ["one0", "one1"]);
    assert!(
        report.starts_with("no effect: model.xml:4:31 <joint name=\"both\">: dropped"),
        "{report}"
    );
}

#[test]
fn references_inside_a_copy_follow_it_and_references_to_others_stay() {
    let (document, _) = document(
        r#"<mujoco>
          <asset><material name="m"/></asset>
          <worldbody>
          <body name="sun"/>
          <replicate count="2"><body name="b">
            <geom size="1" material="m"/>
            <camera name="in" mode="targetbody" target="b"/>
            <camera name="out" mode="targetbody" target="sun"/>
          </body></replicate>
        </worldbody></mujoco>"#,
    );
    let target = |name| named(&document, "camera", name).reference("target");
    assert_eq!((target("in1"), target("out1")), (Some("b1"), Some("sun")));
    assert_eq!(all(&document, "geom")[1].reference("material"), Some("m"));
}

// ------------------------------------------------------------------------------------------------ attachments

#[test]
fn a_model_can_be_attached_twice_under_different_names() {
    let cell = model("cell.xml");
    let bodies: Vec<_> = all(&cell, "body").iter().filter_map(|body| body.name()).collect();
    assert_eq!(
        bodies,
        [
            "rail",
            "a_base",
            "a_left",
            "a_right",
            "b_left",
            "b_right",
            "second_rail",
            "second_a_base",
            "second_a_left",
            "second_a_right",
            "second_b_left",
            "second_b_right"
        ]
    );
    assert_eq!(
        names(&cell.outer.actuators)[..5],
        ["drive", "extra", "a_close", "b_close", "second_drive"]
    );
    assert_eq!(names(&cell.outer.sensors), ["a_grip", "second_a_grip"]);
    assert_eq!(names(&cell.assets), ["-", "a_rubber", "b_rubber"]);
}

#[test]
fn attached_parts_keep_their_own_pose_units_and_defaults() {
    let cell = model("cell.xml");
    let half = std::f64::consts::FRAC_1_SQRT_2;
    assert_pose(named(&cell, "body", "a_base"), [0.0, 0.0, 0.2], [half, half, 0.0, 0.0]);
    // zyx Euler angles are the gripper's own setting: 180 degrees about z
    assert_pose(
        named(&cell, "body", "a_right"),
        [0.02, 0.0, 0.05],
        [6.123233995736766e-17, 0.0, 0.0, 1.0],
    );
    assert_pose(
        named(&cell, "body", "b_right"),
        [0.02, 0.0, -0.15000000000000002],
        [6.123233995736766e-17, 0.0, 0.0, 1.0],
    );
    let palm = named(&cell, "geom", "a_palm");
    assert_eq!(sound(|p| palm.rgba("rgba", p)), Some([0.9, 0.2, 0.2, 1.0]));
    // a name in a default class of the attached model gets the prefix too
    assert_eq!(palm.reference("material"), Some("a_rubber"));
    assert_eq!(sound(|p| cell.settings.option.real("timestep", p)), Some(0.001));
}

#[test]
fn classes_of_an_attached_model_can_be_used_under_the_prefix() {
    let (document, _) = document(
        r#"<mujoco><asset><model name="g" file="gripper.xml"/></asset><worldbody>
          <attach model="g" body="left" prefix="l_"/>
          <geom class="l_finger"/>
        </worldbody></mujoco>"#,
    );
    let geom = &document.world.children()[1];
    assert_eq!(sound(|p| geom.reals_over("size", [0.0; 3], p)), [0.01, 0.02, 0.04]);
}

#[test]
fn keyframes_of_an_attached_model_know_which_joints_they_speak_of() {
    let cell = model("cell.xml");
    let [open, _] = &cell.keyframes[..] else { panic!() };
    assert_eq!(open.element.name(), Some("a_open"));
    let layout = open.layout.as_ref().unwrap();
    let joints: Vec<_> = layout.joints.iter().map(|joint| joint.name().unwrap()).collect();
    assert_eq!(joints, ["left", "right", "stand"]);
    let place_of = |identity| {
        all(&cell, "joint")
            .iter()
            .find(|joint| joint.identity() == identity)
            .map(|j| j.name().unwrap())
    };
    let places: Vec<_> = layout
        .joints
        .iter()
        .map(|joint| place_of(open.identity_of(joint)))
        .collect();
    assert_eq!(places, [Some("a_left"), Some("a_right"), None]);
}

#[test]
fn differing_options_are_kept_merged_or_refused_as_the_compiler_setting_says() {
    let load = |conflict: &str, option: &str| {
        let text = format!(
            r#"<mujoco><compiler conflict="{conflict}"/>{option}<asset><model name="g" file="gripper.xml"/></asset>
            <worldbody><attach model="g" prefix="l_"/></worldbody></mujoco>"#
        );
        let mut problems = Problems::new(true);
        let document = read_str(&text, "m.xml", &files(), Limits::default(), &mut problems).unwrap();
        let timestep = document.settings.option.real("timestep", &mut problems);
        (
            timestep,
            problems
                .finish()
                .map(|report| report.entries.len())
                .map_err(|error| error.to_string()),
        )
    };
    let coarse = r#"<option timestep="0.01"/>"#;
    let fine = r#"<option timestep="0.0001"/>"#;
    assert_eq!(load("warning", ""), (None, Ok(1)));
    assert_eq!(load("warning", coarse), (Some(0.01), Ok(1)));
    assert_eq!(load("merge", ""), (Some(0.001), Ok(0)));
    assert_eq!(load("merge", coarse), (Some(0.001), Ok(0)));
    assert_eq!(load("merge", fine), (Some(0.0001), Ok(0)));
    let (_, refused) = load("error", coarse);
    assert_eq!(
        refused.unwrap_err(),
        "m.xml:2:24 <attach>: the attached model says timestep=\"0.001\" and this one \"0.01\""
    );
}

// ------------------------------------------------------------------------------------------------ includes and files

#[test]
fn includes_are_found_beside_the_main_file_or_beside_the_including_one() {
    let mut files = MemoryFiles::new();
    files.insert(
        "robots/scene.xml",
        r#"<mujoco><include file="parts/arm.xml"/></mujoco>"#,
    );
    files.insert(
        "robots/parts/arm.xml",
        r#"<x><include file="hand.xml"/><include file="shared.xml"/></x>"#,
    );
    files.insert(
        "robots/parts/hand.xml",
        r#"<x><worldbody><geom name="hand" size="1"/></worldbody></x>"#,
    );
    files.insert(
        "robots/shared.xml",
        r#"<x><worldbody><geom name="shared" size="1"/></worldbody></x>"#,
    );
    files.insert(
        "robots/parts/shared.xml",
        r#"<x><worldbody><geom name="wrong" size="1"/></worldbody></x>"#,
    );
    let mut problems = Problems::new(true);
    let document = read_file("robots/scene.xml", &files, Limits::default(), &mut problems).unwrap();
    problems.finish().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(names(document.world.children()), ["hand", "shared"]);
    let chain: Vec<_> = document.world.children()[0]
        .place()
        .include_chain()
        .map(|p| p.to_string())
        .collect();
    assert_eq!(chain, ["robots/parts/arm.xml:1:4", "robots/scene.xml:1:9"]);
}

#[test]
fn assets_are_looked_for_in_the_directories_that_the_compiler_names() {
    use motrix_compile::document::AssetKind;
    let candidates = |compiler: &str, file: &str| {
        let mut files = MemoryFiles::new();
        let text = format!(r#"<mujoco><compiler {compiler}/><asset><mesh file="{file}"/></asset></mujoco>"#);
        files.insert("robots/go.xml", text);
        let mut problems = Problems::new(true);
        let document = read_file("robots/go.xml", &files, Limits::default(), &mut problems).unwrap();
        let mesh = &document.assets[0];
        (
            mesh.file_candidates("file", AssetKind::Mesh)[0].clone(),
            mesh.asset_name().unwrap().to_owned(),
        )
    };
    let case =
        |compiler, file, path: &str| assert_eq!(candidates(compiler, file), (path.to_owned(), "foot".to_owned()));
    case("", "foot.stl", "robots/foot.stl");
    case(r#"meshdir="meshes/""#, "foot.stl", "robots/meshes/foot.stl");
    case(r#"assetdir="a""#, "foot.stl", "robots/a/foot.stl");
    case(r#"assetdir="a" meshdir="b""#, "foot.stl", "robots/b/foot.stl");
    case(r#"meshdir="../shared""#, "x/foot.stl", "shared/x/foot.stl");
    case(
        r#"meshdir="m" strippath="true""#,
        "C:\\robots\\foot.stl",
        "robots/m/foot.stl",
    );
    case(r#"meshdir="m""#, "/abs/foot.stl", "/abs/foot.stl");
}
