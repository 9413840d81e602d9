//! Reads models and prints what is in them, or every problem that keeps them from loading:
//! `cargo run --example inspect -- robot.xml`.

use motrix_compile::document::{DiskFiles, Document, Element, Limits, read_file};
use motrix_compile::problem::Problems;

fn main() {
    for path in std::env::args().skip(1) {
        let mut problems = Problems::new(true);
        let document = read_file(&path, &DiskFiles::default(), Limits::default(), &mut problems);
        println!("# {path}");
        match problems.finish() {
            Ok(report) => {
                println!("{report}");
                document.iter().for_each(print_names);
            }
            Err(error) => println!("cannot be loaded\n{error}"),
        }
    }
}

/// One line per kind: the names of all elements in the order of the model, `-` for those without.
fn print_names(document: &Document) {
    let mut bodies = Vec::new();
    collect_bodies(&document.world, &mut bodies);
    for kind in ["geom", "joint", "site", "camera", "light"] {
        let is_kind = |child: &&Element| child.tag() == kind || (kind == "joint" && child.tag() == "freejoint");
        let elements = bodies.iter().flat_map(|body| body.children().iter().filter(is_kind));
        print_line(kind, elements);
    }
    print_line("body", bodies.into_iter().skip(1));
    for kind in ["mesh", "hfield", "texture", "material", "skin"] {
        print_line(kind, document.assets.iter().filter(|asset| asset.tag() == kind));
    }
    for kind in ["pair", "exclude"] {
        print_line(
            kind,
            document.outer.contacts.iter().filter(|contact| contact.tag() == kind),
        );
    }
    print_line("tendon", &document.outer.tendons);
    print_line("equality", &document.outer.equalities);
    print_line("actuator", &document.outer.actuators);
    print_line("sensor", &document.outer.sensors);
    for kind in ["numeric", "text", "tuple"] {
        print_line(
            kind,
            document.outer.customs.iter().filter(|custom| custom.tag() == kind),
        );
    }
    print_line("key", document.keyframes.iter().map(|key| &key.element));
}

/// Bodies in the order of their numbers: each before the bodies inside it.
fn collect_bodies<'d>(body: &'d Element, into: &mut Vec<&'d Element>) {
    into.push(body);
    for child in body.children_named("body") {
        collect_bodies(child, into);
    }
}

fn print_line<'d>(kind: &str, elements: impl IntoIterator<Item = &'d Element>) {
    let names: Vec<_> = elements
        .into_iter()
        .map(|element| element.asset_name().unwrap_or("-").replace(' ', "~"))
        .collect();
    if !names.is_empty() {
        println!("{kind}: {}", names.join(" "));
    }
}
