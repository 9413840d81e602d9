//! URDF texts and the MJCF they become.

use std::fmt::Write as _;

use super::*;
use crate::document::files::MemoryFiles;
use crate::document::limits::Limits;
use crate::document::xml;
use crate::problem::Source;

/// The MJCF of a robot, without the compiler settings that all have, or the errors; and the notes.
fn translated(robot: &str) -> (String, String) {
    let mut problems = Problems::new(true);
    let mut budget = Budget::new(Limits {
        depth: 50,
        ..Limits::default()
    });
    let mut files = MemoryFiles::new();
    files.insert("ws/arm/meshes/hand.stl", "");
    let robot = xml::read(
        robot.as_bytes(),
        &Source::main("ws/arm/urdf/arm.urdf"),
        &mut budget,
        &mut problems,
    );
    let mut text = String::new();
    if let Some(robot) = robot {
        let model = translate(&robot, &files, &budget, &mut problems);
        model.children.iter().for_each(|section| write(section, 0, &mut text));
    }
    match problems.finish() {
        Ok(report) => (text, report.to_string()),
        Err(error) => (error.to_string(), error.report.to_string()),
    }
}

fn write(node: &Node, depth: usize, text: &mut String) {
    if node.name == "compiler" || (node.children.is_empty() && matches!(&*node.name, "asset" | "equality")) {
        return;
    }
    let _ = write!(text, "{}<{}", "  ".repeat(depth), node.name);
    for attribute in &node.attributes {
        let _ = write!(text, " {}=\"{}\"", attribute.name, attribute.value);
    }
    text.push_str(if node.children.is_empty() { "/>\n" } else { ">\n" });
    for child in &node.children {
        write(child, depth + 1, text);
    }
    if !node.children.is_empty() {
        let _ = writeln!(text, "{}</{}>", "  ".repeat(depth), node.name);
    }
}

fn assert_becomes(robot: &str, expected: &str) {
    let (text, _) = translated(robot);
    let lines = |text: &str| {
        text.lines()
            .map(|line| line.trim().to_owned())
            .filter(|line| !line.is_empty())
            .collect::<Vec<_>>()
    };
    assert_eq!(lines(&text), lines(expected), "\n{text}");
}

#[test]
fn links_nest_along_their_joints() {
    assert_becomes(
        r#"<robot name="arm">
          <link name="hand"/><link name="arm"/><link name="eye"/>
          <joint name="gaze" type="fixed"><parent link="arm"/><child link="eye"/><origin xyz="0 0 1"/></joint>
          <joint name="wrist" type="revolute">
            <parent link="arm"/><child link="hand"/><origin xyz="1 2 3" rpy="0 0 3.141592653589793"/><axis xyz="0 1 0"/>
            <limit lower="-1" upper="2" effort="5" velocity="9"/><dynamics damping="0.5" friction="0.1"/>
          </joint>
        </robot>"#,
        r#"<worldbody>
          <body name="arm">
            <body name="eye" pos="0 0 1"/>
            <body name="hand" pos="1 2 3" quat="0.00000000000000006123233995736766 0 0 1">
              <joint type="hinge" name="wrist" axis="0 1 0" damping="0.5" frictionloss="0.1" range="-1 2" actuatorfrcrange="-5 5"/>
            </body>
          </body>
        </worldbody>"#,
    );
}

#[test]
fn a_link_called_world_is_the_world() {
    assert_becomes(
        r#"<robot name="ball">
          <link name="world"><collision name="floor"><geometry><box size="2 2 1"/></geometry></collision></link>
          <link name="ball"/>
          <joint name="fly" type="floating"><parent link="world"/><child link="ball"/><limit lower="0" upper="1"/></joint>
        </robot>"#,
        r#"<worldbody>
          <geom type="box" size="1 1 0.5" name="floor"/>
          <body name="ball"><joint type="free" name="fly"/></body>
        </worldbody>"#
            .replace("ball\"><", "ball\">\n<")
            .replace("/></body>", "/>\n</body>")
            .as_str(),
    );
}

#[test]
fn every_joint_type_has_its_counterpart() {
    let joint = |kind: &str, inside: &str| {
        let (text, _) = translated(&format!(
            r#"<robot name="r"><link name="a"/><link name="b"/>
            <joint name="j" type="{kind}"><parent link="a"/><child link="b"/>{inside}</joint></robot>"#
        ));
        text.lines()
            .filter(|line| line.contains("<joint"))
            .map(|line| line.trim().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        joint("continuous", r#"<limit lower="-1" upper="1" effort="2"/>"#),
        [r#"<joint type="hinge" name="j" axis="1 0 0" limited="false" actuatorfrcrange="-2 2"/>"#]
    );
    assert_eq!(
        joint("prismatic", r#"<axis xyz="0 0 1"/>"#),
        [r#"<joint type="slide" name="j" axis="0 0 1"/>"#]
    );
    assert_eq!(
        joint("spherical", r#"<dynamics damping="1"/>"#),
        [r#"<joint type="ball" name="j" damping="1"/>"#]
    );
    assert_eq!(joint("fixed", ""), [""; 0]);
    // In the plane across x, the axes follow from the shortest turn of z to x.
    let planar = joint(
        "planar",
        r#"<axis xyz="1 0 0"/><dynamics friction="0.2"/><limit lower="-1" upper="1"/>"#,
    );
    assert_eq!(planar.len(), 3);
    assert!(
        planar[0].contains("j_TX") && planar[0].contains("range=\"-1 1\"") && planar[0].contains(" -1\""),
        "{planar:?}"
    );
    assert!(
        planar[1].contains("j_TY") && planar[1].contains("axis=\"0 1 0\""),
        "{planar:?}"
    );
    assert!(
        planar[2].contains("j_RZ") && planar[2].contains("hinge") && planar[2].contains("frictionloss=\"0.2\""),
        "{planar:?}"
    );
}

#[test]
fn ranges_that_are_none_leave_the_joint_free() {
    for limit in [r#"lower="1" upper="-1""#, r#"lower="0" upper="0""#, r#"lower="-1""#] {
        let (text, notes) = translated(&format!(
            r#"<robot name="r"><link name="a"/><link name="b"/>
            <joint name="j" type="revolute"><parent link="a"/><child link="b"/><limit {limit} effort="-3"/></joint></robot>"#
        ));
        assert!(text.contains(r#"limited="false" actuatorfrcrange="-3 3""#), "{text}");
        assert!(notes.contains("do not make a range"), "{notes}");
    }
}

#[test]
fn joints_that_follow_others_are_tied_to_them() {
    let (text, notes) = translated(
        r#"<robot name="hand"><link name="a"/><link name="b"/><link name="c"/><link name="d"/>
          <joint name="tip" type="revolute"><parent link="b"/><child link="c"/><mimic joint="root" multiplier="2" offset="0.1"/></joint>
          <joint name="root" type="revolute"><parent link="a"/><child link="b"/></joint>
          <joint name="nail" type="revolute"><parent link="c"/><child link="d"/><mimic joint="nobody"/></joint>
        </robot>"#,
    );
    assert!(
        text.contains(r#"<joint joint1="tip" joint2="root" polycoef="0.1 2 0 0 0"/>"#),
        "{text}"
    );
    assert!(
        notes.starts_with("ignored: ws/arm/urdf/arm.urdf:4") && notes.contains("<mimic"),
        "{notes}"
    );
}

#[test]
fn inertia_is_turned_by_its_origin() {
    // A quarter turn about z exchanges x and y; the axes are then sorted by moment.
    let (text, _) = translated(
        r#"<robot name="r"><link name="a"><inertial><origin xyz="1 0 0" rpy="0 0 1.5707963267948966"/><mass value="2"/>
          <inertia ixx="3" iyy="2" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"#,
    );
    let expected =
        r#"<inertial pos="1 0 0" quat="0.7071067811865476 0 0 0.7071067811865476" mass="2" diaginertia="3 2 1"/>"#;
    assert!(text.contains(expected), "{text}");
}

#[test]
fn shapes_have_half_lengths_and_the_colour_of_the_visual_before_them() {
    let link = r#"<link name="a">
        <visual><geometry><sphere radius="0.3"/></geometry><material name="red"/></visual>
        <collision name="c"><origin xyz="0 0 1"/><geometry><box size="1 2 3"/></geometry></collision>
        <collision name="c"><geometry><cylinder radius="0.1" length="2"/></geometry></collision>
        <collision><geometry><capsule radius="0.1" length="2"/></geometry></collision></link>"#;
    let robot = |extension: &str| {
        format!(r#"<robot name="r">{extension}<material name="red"><color rgba="1 0 0 1"/></material>{link}</robot>"#)
    };
    let collision = r#"<geom type="box" size="0.5 1 1.5" pos="0 0 1" rgba="1 0 0 1" name="c"/>
        <geom type="cylinder" size="0.1 1" rgba="1 0 0 1"/>
        <geom type="capsule" size="0.1 1" rgba="1 0 0 1"/>"#;
    let model = |geoms: &str| format!("<worldbody>\n<body name=\"a\">\n{geoms}\n</body>\n</worldbody>");
    assert_becomes(&robot(""), &model(collision));
    let visual = r#"<geom type="sphere" size="0.3" contype="0" conaffinity="0" group="1" density="0" rgba="1 0 0 1"/>"#;
    let keep = r#"<mujoco><compiler discardvisual="false"/></mujoco>"#;
    assert_becomes(&robot(keep), &model(&format!("{visual}\n{collision}")));
}

#[test]
fn a_mesh_is_one_asset_for_each_file_and_scale() {
    let mesh = |rest: &str| format!("<collision><geometry><mesh filename={rest}/></geometry></collision>");
    let link = [
        r#""package://arm/meshes/hand.stl""#,
        r#""../meshes/hand.stl" scale="2 2 2""#,
        r#""package://arm/meshes/hand.stl""#,
    ]
    .map(mesh);
    let (text, _) = translated(&format!(
        r#"<robot name="r"><link name="a">{}</link></robot>"#,
        link.concat()
    ));
    assert!(
        text.contains(r#"<mesh name="hand" file="../../arm/meshes/hand.stl"/>"#),
        "{text}"
    );
    assert!(
        text.contains(r#"<mesh name="hand1" file="../meshes/hand.stl" scale="2 2 2"/>"#),
        "{text}"
    );
    let used: Vec<&str> = text
        .lines()
        .filter(|line| line.contains("<geom"))
        .map(str::trim)
        .collect();
    assert_eq!(
        used,
        [
            r#"<geom type="mesh" mesh="hand"/>"#,
            r#"<geom type="mesh" mesh="hand1"/>"#,
            r#"<geom type="mesh" mesh="hand"/>"#
        ]
    );
}

#[test]
fn errors_point_into_the_urdf_file() {
    let link = |name: &str| format!("<link name=\"{name}\"/>\n");
    let joint = |name: &str, parent: &str, child: &str| {
        format!(
            "<joint name=\"{name}\" type=\"revolute\"><parent link=\"{parent}\"/><child link=\"{child}\"/></joint>\n"
        )
    };
    let error = |inside: String| translated(&format!("<robot name=\"r\">\n{inside}</robot>")).0;
    let at = "ws/arm/urdf/arm.urdf:";
    let (a, b, c) = (link("a"), link("b"), link("c"));
    assert_eq!(
        error(format!("{a}{}", joint("j", "a", "aa"))),
        format!("{at}3:58 <child link=\"aa\">: there is no link \"aa\"; did you mean \"a\"?")
    );
    assert_eq!(
        error(format!("{a}{a}")),
        format!("{at}3:7 <link name=\"a\">: there is another link of this name")
    );
    assert_eq!(
        error(format!("{a}{b}{c}{}{}", joint("j", "a", "c"), joint("k", "b", "c"))),
        format!("{at}6:1 <joint name=\"k\">: link \"c\" is held by two joints")
    );
    assert_eq!(
        error(format!("{a}{b}{}{}", joint("j", "a", "b"), joint("k", "b", "a"))),
        format!("{at}2:1 <link name=\"a\">: the joints above this link form a loop")
    );
    assert!(error("<link name=\"a\"><collision/></link>".into()).contains("<collision> needs a <geometry> inside"));
    assert!(
        error("<link name=\"a\"><inertial><mass value=\"x\"/></inertial></link>".into())
            .contains("expected a number, found \"x\"")
    );
    assert!(error("<link name=\"a\"><collision><geometry><mesh filename=\"package://no/x.stl\"/></geometry></collision></link>".into())
        .contains("tell where the package no is"));
}

#[test]
fn a_chain_deeper_than_the_limit_is_refused() {
    let links: String = (0..100).map(|k| format!("<link name=\"l{k}\"/>")).collect();
    let joints: String = (1..100)
        .map(|k| {
            format!(
                "<joint name=\"j{k}\" type=\"fixed\"><parent link=\"l{}\"/><child link=\"l{k}\"/></joint>",
                k - 1
            )
        })
        .collect();
    let (text, _) = translated(&format!("<robot name=\"r\">{links}{joints}</robot>"));
    assert!(text.contains("nested more than 50 deep"), "{text}");
}
