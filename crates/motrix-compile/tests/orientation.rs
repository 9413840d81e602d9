//! Every way to say an orientation, with the quaternion that MuJoCo 4.0.0 makes of it.

use motrix_compile::document::{Limits, MemoryFiles, read_str};
use motrix_compile::problem::Problems;

/// Settings of the compiler, orientation of a site, quaternion.
#[rustfmt::skip]
const CASES: &[(&str, &str, [f64; 4])] = &[
    (r#"angle="degree" eulerseq="xyz""#, r#"euler="-149.2 -94.75 108.5""#, [-0.470648941450445, -0.540025266841901, 0.4157021126690188, 0.5604052449847553]),
    (r#"angle="degree" eulerseq="zyx""#, r#"euler="29.58 -146.1 -24.07""#, [0.32659764890612547, 0.18004640076368328, -0.9200563902188713, -0.12005627063362556]),
    (r#"angle="degree" eulerseq="XYZ""#, r#"euler="-7.542 -122.5 84.45""#, [0.3941574459647487, 0.5644976644052941, -0.6690800240467902, 0.27984677252571777]),
    (r#"angle="degree" eulerseq="ZYX""#, r#"euler="-139.1 -39.16 6.026""#, [0.31222638181118817, 0.33087121589850094, -0.0705246029371488, -0.8877303674942632]),
    (r#"angle="degree" eulerseq="xYz""#, r#"euler="-24.97 31.25 85.62""#, [0.6502245905112581, 0.02597277532058448, 0.3344013109479519, 0.6816957973120447]),
    (r#"angle="degree" eulerseq="zxz""#, r#"euler="164.3 -77.69 53.48""#, [-0.25215304385696463, -0.35607040296300463, -0.5163462145769517, 0.736898430789131]),
    (r#"angle="radian""#, r#"euler="1.177 -1.244 -2.991""#, [-0.2716753588652578, 0.5172076600486168, 0.4134136598139702, -0.6984109690230291]),
    (r#"angle="degree""#, r#"axisangle="1.546 0.5451 -0.5052 141""#, [0.3338068592337709, 0.8495706473294012, 0.29954783949499136, -0.27762166302122476]),
    (r#"angle="degree""#, r#"axisangle="0.5405 1.935 -0.2696 -169.1""#, [0.09497706908395415, -0.26543446969758233, -0.9502603124233522, 0.13239802595831304]),
    (r#"angle="radian""#, r#"axisangle="1.002 -0.8865 -0.2917 2.589""#, [0.27279432601617304, 0.7040081864484208, -0.6228575422021208, -0.204949289408188]),
    (r#""#, r#"xyaxes="0.5804 0.09152 0.6701 -2.828 1.021 -0.9596""#, [0.8332680673469732, 0.36233297306855483, -0.35689377665987376, 0.2168086177913462]),
    (r#""#, r#"xyaxes="-1.669 0.2764 0.7005 -0.4448 -1.076 0.02612""#, [0.0868909221163268, 0.19155859764743535, -0.048882697169414846, 0.9764045028770432]),
    (r#""#, r#"xyaxes="-0.05275 1.406 0.7474 0.1938 1.112 -0.2055""#, [0.5342021477104343, -0.44505407998584984, -0.6654039033445769, 0.27164789099735154]),
    (r#""#, r#"xyaxes="-0.9259 0.5841 0.5825 -0.2148 -0.7828 0.2292""#, [0.22020989885185405, 0.27960945572320156, 0.11155675272210795, 0.9278368626218348]),
    (r#""#, r#"xyaxes="-1 0 0 0 -1 0""#, [0.0, 0.0, 0.0, 1.0]),
    (r#""#, r#"xyaxes="-1 0 0 0 1 0""#, [0.0, 0.0, 1.0, 0.0]),
    (r#""#, r#"xyaxes="1 0 0 0 -1 0""#, [0.0, 1.0, 0.0, 0.0]),
    (r#""#, r#"zaxis="-2.494 0.6901 0.4914""#, [0.770247739844742, -0.17007572838693644, -0.6146484083422975, 0.0]),
    (r#""#, r#"zaxis="-1.639 0.06135 -0.9641""#, [0.49661375646998607, -0.03246662298888907, -0.8673642229631487, 0.0]),
    (r#""#, r#"zaxis="0.7572 -2.034 -0.9145""#, [0.5530393497616912, 0.7808056693564422, 0.2906716090642567, -0.0]),
    (r#""#, r#"zaxis="0 0 1""#, [1.0, 0.0, 0.0, 0.0]),
    (r#""#, r#"zaxis="0 0 -2""#, [6.123233995736766e-17, 1.0, 0.0, 0.0]),
    (r#""#, r#"quat="1 2 3 4""#, [0.18257418583505536, 0.3651483716701107, 0.5477225575051661, 0.7302967433402214]),
];

fn orientation(compiler: &str, attribute: &str) -> Result<[f64; 4], String> {
    let text = format!("<mujoco><compiler {compiler}/><worldbody><site {attribute}/></worldbody></mujoco>");
    let mut problems = Problems::new(true);
    let document = read_str(&text, "m.xml", &MemoryFiles::new(), Limits::default(), &mut problems).unwrap();
    let quat = document.world.children()[0].orientation(&mut problems);
    problems.finish().map(|_| quat).map_err(|error| error.to_string())
}

#[test]
fn orientations_are_those_of_mujoco() {
    for (compiler, attribute, expected) in CASES {
        let quat = orientation(compiler, attribute).unwrap();
        let error = quat
            .iter()
            .zip(expected)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f64::max);
        // Same operations in the same order; libraries may differ in the last bits of sin, cos and atan2.
        assert!(error < 1e-15, "{compiler} {attribute}: {quat:?}, off by {error:e}");
    }
}

#[test]
fn directions_without_length_are_refused() {
    for attribute in [
        "zaxis=\"0 0 0\"",
        "axisangle=\"0 0 0 1\"",
        "xyaxes=\"0 0 0 1 0 0\"",
        "quat=\"0 0 0 0\"",
    ] {
        assert!(orientation("", attribute).is_err(), "{attribute}");
    }
}

#[test]
fn euler_angles_with_numbers_missing_leave_the_orientation_alone() {
    let error = orientation("", "euler=\"1 2\"").unwrap_err();
    assert_eq!(error, "m.xml:1:38 <site euler=\"1 2\">: expected 3 numbers, found 2");
}
