//! The table against itself, and its dump against the recorded one.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::*;

/// Every rule reachable from the root, once.
fn rules() -> Vec<&'static Rule> {
    let mut found: Vec<&'static Rule> = vec![&MUJOCO];
    let mut next = 0;
    while let Some(rule) = found.get(next).copied() {
        for child in rule.children {
            if !found.iter().any(|known| std::ptr::eq(*known, child.rule)) {
                found.push(child.rule);
            }
        }
        next += 1;
    }
    found
}

#[test]
fn no_rule_names_an_attribute_or_a_child_twice() {
    for rule in rules() {
        let names: Vec<_> = rule.attributes().map(|attribute| attribute.name).collect();
        let unique: BTreeSet<_> = names.iter().collect();
        assert_eq!(names.len(), unique.len(), "<{}> {names:?}", rule.name);
        let children: BTreeSet<_> = rule.children.iter().map(|child| child.rule.name).collect();
        assert_eq!(children.len(), rule.children.len(), "<{}>", rule.name);
    }
}

#[test]
fn presence_rules_speak_of_existing_attributes() {
    for rule in rules() {
        let names: Vec<&str> = rule
            .presence
            .iter()
            .flat_map(|presence| match presence {
                Presence::Exclusive(bundles) | Presence::OneOf(bundles) => bundles.concat(),
                Presence::Together(names) => names.to_vec(),
            })
            .collect();
        for name in names {
            assert!(rule.attribute(name).is_some(), "<{}> {name}", rule.name);
        }
        for attribute in rule.attributes() {
            if let Value::ReferenceBy(kind) = attribute.value {
                assert!(rule.attribute(kind).is_some(), "<{}> {kind}", rule.name);
            }
        }
    }
}

/// One line per element: path, how often, attributes; extensions are marked with `+`.
fn dump() -> String {
    let mut lines = String::new();
    dump_rule(&MUJOCO, "", false, &mut lines);
    lines
}

fn dump_rule(rule: &'static Rule, path: &str, in_default: bool, lines: &mut String) {
    let mark = |extension| if extension { "+" } else { "" };
    let path = format!("{path}/{}{}", mark(rule.extension), rule.name);
    let inheritable = |a: &&Attr| !in_default || a.inheritable || rule.name == "default";
    let names: BTreeSet<_> = rule
        .attributes()
        .filter(inheritable)
        .map(|a| format!("{}{}", mark(a.extension), a.name))
        .collect();
    let names: Vec<_> = names.into_iter().collect();
    writeln!(lines, "{path}: {}", names.join(" ")).unwrap();
    let in_default = in_default || rule.name == "default";
    let nests = |child: &Child| ["body", "frame", "replicate", "default"].contains(&child.rule.name);
    for child in rule.children {
        // Elements that contain themselves are shown once; classes have no plugins.
        let shown = !nests(child) || ["mujoco", "worldbody"].contains(&rule.name);
        if !shown || (in_default && child.rule.name == "plugin") {
            continue;
        }
        dump_rule(child.rule, &path, in_default, lines);
    }
}

/// The recorded dump is what a test outside this crate compares with MuJoCo's own schema. Set UPDATE_GOLDEN=1 to record.
#[test]
fn the_table_is_the_recorded_one() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/schema.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path, dump()).unwrap();
    }
    let recorded = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        recorded == dump(),
        "the schema differs from tests/schema.txt; run with UPDATE_GOLDEN=1 and review the change"
    );
}
