//! Files that want to hang, exhaust or crash the reader. Each must be refused quickly, with a message.
//!
//! The bound on elements is lower here than what is usual, and the files are smaller in proportion, since the reader is not
//! optimised; `tests/test_hostile.py` meets the usual bounds with an optimised one, a clock and little memory.

use std::fmt::Write;
use std::time::{Duration, Instant};

use motrix_compile::document::{Files, Limits, MemoryFiles, read_bytes, read_file};
use motrix_compile::problem::Problems;

/// Generous: each case takes a fraction of a second in an unoptimised build; what these files aim at is minutes or for ever.
const PATIENCE: Duration = Duration::from_secs(60);

/// The usual limits, with a fiftieth of the elements.
const LIMITS: Limits = Limits {
    bytes: 256 << 20,
    elements: 20_000,
    depth: 500,
};

/// What is said about `bytes`, within [`PATIENCE`].
fn refusal(bytes: &[u8], files: &dyn Files) -> String {
    let start = Instant::now();
    let mut problems = Problems::new(true);
    read_bytes(bytes, "hostile.xml", files, LIMITS, &mut problems);
    let error = problems.finish().expect_err("a hostile file was accepted");
    assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
    error.to_string()
}

fn refusal_of(text: &str) -> String {
    refusal(text.as_bytes(), &MemoryFiles::new())
}

fn in_world(inside: &str) -> String {
    format!("<mujoco><worldbody>{inside}</worldbody></mujoco>")
}

#[test]
fn a_billion_laughs_are_refused_at_the_declaration() {
    let mut text = String::from("<!DOCTYPE lolz [<!ENTITY lol0 \"lol\">");
    for i in 1..30 {
        write!(text, "<!ENTITY lol{i} \"&lol{0};&lol{0};&lol{0};&lol{0};\">", i - 1).unwrap();
    }
    text += "]><mujoco model=\"&lol29;\"/>";
    assert!(refusal_of(&text).contains("DOCTYPE"));
}

#[test]
fn very_many_nested_elements_are_refused_at_the_depth_limit() {
    for tag in ["body", "default class=\"a\"", "frame", "x"] {
        let message = refusal_of(&format!("<mujoco><worldbody>{}", format!("<{tag}>").repeat(50_000)));
        assert!(message.contains("nested more than 500 deep"), "{message}");
    }
}

#[test]
fn the_deepest_allowed_tree_of_frames_and_copies_does_not_overflow_the_stack() {
    for (open, close) in [("<body>", "</body>"), ("<frame pos=\"0 0 1\">", "</frame>")] {
        let text = in_world(&format!("{}<geom size=\"1\"/>{}", open.repeat(490), close.repeat(490)));
        let mut problems = Problems::new(true);
        read_bytes(
            text.as_bytes(),
            "deep.xml",
            &MemoryFiles::new(),
            Limits::default(),
            &mut problems,
        );
        problems.finish().unwrap_or_else(|error| panic!("{error}"));
    }
    // Each level doubles the copies, so the number of elements ends it first.
    let open = "<replicate count=\"2\">".repeat(490);
    let message = refusal_of(&in_world(&format!(
        "{open}<geom size=\"1\"/>{}",
        "</replicate>".repeat(490)
    )));
    assert!(message.contains("more than 20000 elements"), "{message}");
}

#[test]
fn too_many_elements_are_refused() {
    let message = refusal_of(&in_world(&"<geom size=\"1\"/>".repeat(20_001)));
    assert!(message.contains("more than 20000 elements"), "{message}");
    for count in ["2000000000", "2147483647"] {
        for inside in ["", "<geom size=\"1\"/>"] {
            let message = refusal_of(&in_world(&format!("<replicate count=\"{count}\">{inside}</replicate>")));
            assert!(message.contains("more than 20000 elements"), "{message}");
        }
    }
}

#[test]
fn very_many_mistakes_are_counted_rather_than_kept() {
    for mistake in [
        "<goem/>",
        "<geom siez=\"1\"/>",
        "<geom type=\"bxo\"/>",
        "<geom mesh=\"a\"/>",
        "<geom class=\"a\"/>",
    ] {
        let message = refusal_of(&in_world(&mistake.repeat(5_000)));
        let last = message.lines().last().unwrap();
        assert!(
            last.starts_with("... and ") && message.lines().count() <= 201,
            "{mistake} {last}"
        );
    }
}

#[test]
fn an_element_with_very_many_attributes_is_refused() {
    let mut attributes = String::new();
    for i in 0..20_000 {
        write!(attributes, " a{i}=\"1\"").unwrap();
    }
    let message = refusal_of(&in_world(&format!("<geom{attributes}/>")));
    assert!(message.contains("more than 64 attributes"), "{message}");
}

#[test]
fn very_many_attributes_in_all_are_refused() {
    let element = format!("<geom{}/>", (0..50).map(|i| format!(" a{i}=\"\"")).collect::<String>());
    let message = refusal_of(&in_world(&element.repeat(1_000)));
    assert!(message.contains("more than 40000 attributes"), "{message}");
}

#[test]
fn very_many_or_very_deep_default_classes_are_refused() {
    let message = refusal_of(&format!(
        "<mujoco>{}</mujoco>",
        "<default><geom/></default>".repeat(5_000)
    ));
    assert!(
        message.contains("more than 256 top-level <default> sections"),
        "{message}"
    );
    let mut text = String::from("<mujoco><default>");
    for i in 0..400 {
        write!(text, "<default class=\"c{i}\"><geom size=\"1\"/>").unwrap();
    }
    let message = refusal_of(&format!("{text}{}</default></mujoco>", "</default>".repeat(400)));
    assert!(
        message.contains("default classes are nested more than 64 deep"),
        "{message}"
    );
}

#[test]
fn a_chain_of_includes_ends_at_the_depth_limit() {
    let mut files = MemoryFiles::new();
    for i in 0..2000 {
        files.insert(&format!("{i}.xml"), format!("<x><include file=\"{}.xml\"/></x>", i + 1));
    }
    let message = refusal(b"<mujoco><include file=\"0.xml\"/></mujoco>", &files);
    assert!(
        message.contains("nested more than 500 deep"),
        "{}",
        message.lines().next().unwrap()
    );
}

#[test]
fn models_that_contain_each_other_are_refused() {
    let mut files = MemoryFiles::new();
    let model = |file: &str| format!("<mujoco><asset><model name=\"m\" file=\"{file}\"/></asset></mujoco>");
    files.insert("a.xml", model("b.xml"));
    files.insert("b.xml", model("a.xml"));
    let message = refusal(model("a.xml").as_bytes(), &files);
    assert!(message.contains("the model contains itself"), "{message}");
    for i in 0..100 {
        files.insert(&format!("{i}.xml"), model(&format!("{}.xml", i + 1)));
    }
    let message = refusal(model("0.xml").as_bytes(), &files);
    assert!(message.contains("models are nested more than 32 deep"), "{message}");
}

#[test]
fn attaching_a_large_model_very_often_is_refused() {
    let mut files = MemoryFiles::new();
    let bodies = "<body><geom size=\"1\"/></body>".repeat(2_000);
    files.insert("large.xml", in_world(&format!("{bodies}<body name=\"b\"/>")));
    let mut text = String::from("<mujoco><asset><model name=\"m\" file=\"large.xml\"/></asset><worldbody>");
    for i in 0..1_000 {
        write!(text, "<attach model=\"m\" body=\"b\" prefix=\"p{i}\"/>").unwrap();
    }
    let message = refusal(format!("{text}</worldbody></mujoco>").as_bytes(), &files);
    assert!(
        message.contains("making copies takes too long"),
        "{}",
        message.lines().next().unwrap()
    );
}

#[test]
fn attachments_cannot_pile_up_deeper_than_a_file_may_be_nested() {
    let deep = |inside: &str| format!("{}{inside}{}", "<body>".repeat(300), "</body>".repeat(300));
    let mut files = MemoryFiles::new();
    files.insert("deep.xml", in_world(&format!("<body name=\"top\">{}</body>", deep(""))));
    let attach = deep("<attach model=\"m\" body=\"top\" prefix=\"p\"/>");
    let text =
        format!("<mujoco><asset><model name=\"m\" file=\"deep.xml\"/></asset><worldbody>{attach}</worldbody></mujoco>");
    let message = refusal(text.as_bytes(), &files);
    assert!(message.contains("nested more than 500 deep"), "{message}");
    let own = format!(
        "<body name=\"a\">{}</body>{}",
        deep(""),
        deep("<attach body=\"a\" prefix=\"p\"/>")
    );
    let message = refusal_of(&in_world(&own));
    assert!(message.contains("nested more than 500 deep"), "{message}");
}

#[test]
fn attaching_a_model_to_itself_without_end_is_refused() {
    let doubling: String = (0..200)
        .map(|i| format!("<attach body=\"b\" prefix=\"p{i}\"/>"))
        .collect();
    let message = refusal_of(&in_world(&format!("<body name=\"b\">{doubling}</body>")));
    assert!(message.contains("cannot be attached inside itself"), "{message}");
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    for bytes in [
        &b"\xff\xfe\x00"[..],
        b"\xf0\x28\x8c\x28",
        b"<mujoco \xc3/>",
        b"\x00\x00\x00\x00",
        b"<mujoco\x00/>",
    ] {
        refusal(bytes, &MemoryFiles::new());
    }
    refusal(&[b'<'; 100_000], &MemoryFiles::new());
    refusal(&vec![b'&'; 100_000], &MemoryFiles::new());
}

#[test]
fn an_enormous_number_or_name_is_handled_in_time() {
    let digits = "9".repeat(1_000_000);
    assert!(refusal_of(&in_world(&format!("<geom size=\"{digits}\"/>"))).contains("too large"));
    assert!(refusal_of(&in_world(&format!("<geom mesh=\"{digits}\"/>"))).contains("no mesh named"));
    assert!(refusal_of(&in_world(&format!("<geom {digits}=\"1\"/>"))).len() < 1000);
}

#[test]
fn the_usual_limits_are_those_that_are_documented() {
    let Limits { bytes, elements, depth } = Limits::default();
    assert_eq!(
        (bytes, elements, depth),
        (LIMITS.bytes, 50 * LIMITS.elements, LIMITS.depth)
    );
}

#[test]
fn too_much_text_is_refused_before_it_is_parsed() {
    let limits = Limits {
        bytes: 1000,
        ..Limits::default()
    };
    let mut files = MemoryFiles::new();
    files.insert("big.xml", format!("<x>{}</x>", " ".repeat(990)));
    files.insert("main.xml", "<mujoco><include file=\"big.xml\"/></mujoco>");
    let mut problems = Problems::new(true);
    read_file("main.xml", &files, limits, &mut problems);
    assert!(problems.finish().unwrap_err().to_string().contains("of XML"));
}

#[test]
fn a_model_cut_off_at_any_byte_is_refused_or_complete_but_never_a_crash() {
    let text = include_str!("models/walker.xml");
    let end = text.trim_end().len();
    for cut in 0..text.len() {
        if !text.is_char_boundary(cut) {
            continue;
        }
        let mut problems = Problems::new(true);
        read_bytes(
            &text.as_bytes()[..cut],
            "cut.xml",
            &MemoryFiles::new(),
            Limits::default(),
            &mut problems,
        );
        assert_eq!(problems.has_errors(), cut < end, "cut at {cut}");
    }
}
