//! The chain of crates and the privileges each of them has, held against the manifests and sources themselves.
//!
//! spatial → collide → model → {compile, dynamics, query} → batch → python. A crate may use what stands before it, and the
//! few outside crates named here. Development dependencies are free: a test may load a model to have something to move.

use motrix_tests::source::{self, Crate, Scope, SourceFile};

/// What each crate may depend on.
const CHAIN: &[(&str, &[&str])] = &[
    ("motrix-spatial", &[]),
    ("motrix-collide", &["motrix-spatial"]),
    ("motrix-model", &["motrix-spatial", "motrix-collide"]),
    (
        "motrix-compile",
        &[
            "motrix-spatial",
            "motrix-collide",
            "motrix-model",
            "nalgebra",
            "quick-xml",
            "image",
            "robust",
        ],
    ),
    ("motrix-dynamics", &["motrix-spatial", "motrix-collide", "motrix-model"]),
    ("motrix-query", &["motrix-spatial", "motrix-collide", "motrix-model"]),
    (
        "motrix-batch",
        &[
            "motrix-spatial",
            "motrix-collide",
            "motrix-model",
            "motrix-dynamics",
            "motrix-query",
            "rayon",
        ],
    ),
    (
        "motrix-python",
        &[
            "motrix-spatial",
            "motrix-collide",
            "motrix-model",
            "motrix-compile",
            "motrix-dynamics",
            "motrix-query",
            "motrix-batch",
            "pyo3",
            "numpy",
        ],
    ),
];

/// The only files that may contain `unsafe`, each for the reason beside it.
const UNSAFE_FILES: &[(&str, &str)] = &[
    (
        "crates/motrix-batch/src/pool.rs",
        "the pool of a process is found without a lock, which a fork could leave held",
    ),
    (
        "crates/motrix-dynamics/src/pattern/factors.rs",
        "places of a matrix, which its pattern holds",
    ),
    (
        "crates/motrix-dynamics/src/pattern/product.rs",
        "places of a matrix, which its pattern holds",
    ),
    (
        "crates/motrix-dynamics/src/solve/crowd/strip.rs",
        "places of vectors and matrices of a world, which its layout holds",
    ),
    (
        "crates/motrix-dynamics/src/solve/hessian.rs",
        "places of a matrix, which its pattern holds",
    ),
    (
        "crates/motrix-python/src/views.rs",
        "arrays of Python over the memory of the engine",
    ),
    (
        "crates/motrix-spatial/src/entries.rs",
        "entry points enable the instructions their lane type needs",
    ),
    ("crates/motrix-spatial/src/fetch.rs", "a hint to the processor"),
    ("crates/motrix-spatial/src/lanes/avx2/f32x8.rs", "intrinsics"),
    ("crates/motrix-spatial/src/lanes/avx2/f64x4.rs", "intrinsics"),
    ("crates/motrix-spatial/src/lanes/avx2/mod.rs", "intrinsics"),
    ("crates/motrix-spatial/src/lanes/sse2.rs", "intrinsics"),
    ("tests/rust/allocation.rs", "an allocator that counts"),
    ("crates/motrix-spatial/src/lanes/sse2.rs", "intrinsics"),
];

#[test]
fn every_crate_has_a_place_in_the_chain() {
    let placed: Vec<&str> = CHAIN.iter().map(|(name, _)| *name).collect();
    let strangers: Vec<String> = crates()
        .into_iter()
        .map(|krate| krate.name)
        .filter(|name| !placed.contains(&name.as_str()))
        .collect();
    assert!(strangers.is_empty(), "not in the chain: {strangers:?}");
}

#[test]
fn a_crate_uses_only_what_stands_before_it() {
    let mut violations = Vec::new();
    for krate in crates() {
        let allowed = CHAIN
            .iter()
            .find(|(name, _)| *name == krate.name)
            .map_or(&[][..], |(_, allowed)| allowed);
        for dependency in dependencies(&krate.manifest) {
            if !allowed.contains(&dependency.as_str()) {
                violations.push(format!("{} uses {dependency}", krate.name));
            }
        }
    }
    assert!(violations.is_empty(), "against the chain: {violations:#?}");
}

#[test]
fn only_compile_touches_files() {
    assert_only(&["motrix-compile"], &["fs"]);
}

#[test]
fn only_batch_starts_threads() {
    assert_only(&["motrix-batch"], &["thread", "rayon"]);
}

#[test]
fn only_python_knows_python() {
    assert_only(&["motrix-python"], &["pyo3", "numpy"]);
}

#[test]
fn physics_has_no_features_to_switch() {
    let mut switches = Vec::new();
    for krate in crates() {
        if krate.manifest.contains_key("features") {
            switches.push(format!("{} declares [features]", krate.name));
        }
        for file in &krate.files {
            switches.extend(feature_switches(file));
        }
    }
    assert!(switches.is_empty(), "features: {switches:#?}");
}

#[test]
fn unsafe_code_stands_only_in_the_files_named() {
    let mut strays = Vec::new();
    let mut found = Vec::new();
    for file in all_files() {
        let mentions = file.mentions(&["unsafe"], Scope::Whole);
        if mentions.is_empty() {
            continue;
        }
        if UNSAFE_FILES.iter().any(|(path, _)| *path == file.path) {
            found.push(file.path);
        } else {
            strays.extend(mentions);
        }
    }
    assert!(strays.is_empty(), "unsafe code outside the named files: {strays:#?}");

    let spurious: Vec<_> = UNSAFE_FILES
        .iter()
        .filter(|(path, _)| !found.iter().any(|file| file == path))
        .collect();
    assert!(spurious.is_empty(), "named, but without unsafe code: {spurious:#?}");
}

/// `path:line` of every `cfg(feature = "...")` and its relatives; a local called `feature` is none.
fn feature_switches(file: &SourceFile) -> Vec<String> {
    let tokens = file.tokens(Scope::Whole);
    tokens
        .windows(4)
        .filter(|window| {
            // The name of the feature is a literal, which the token list leaves out.
            let [before, word, equals, after] = [0, 1, 2, 3].map(|i| window[i].text.as_str());
            word == "feature" && equals == "=" && ["(", ","].contains(&before) && [")", ","].contains(&after)
        })
        .map(|window| format!("{}:{}", file.path, window[1].line))
        .collect()
}

/// Asserts that among the crates only `owners` use one of `words` outside their tests.
fn assert_only(owners: &[&str], words: &[&str]) {
    let intruders: Vec<String> = crates()
        .iter()
        .filter(|krate| !owners.contains(&krate.name.as_str()))
        .flat_map(|krate| &krate.files)
        .filter(|file| !file.is_test())
        .flat_map(|file| file.mentions(words, Scope::WithoutTests))
        .collect();
    assert!(
        intruders.is_empty(),
        "only {owners:?} may use {words:?}: {intruders:#?}"
    );
}

/// Names under `[dependencies]` and `[build-dependencies]`, for every target.
fn dependencies(manifest: &toml::Table) -> Vec<String> {
    let per_target = manifest
        .get("target")
        .and_then(toml::Value::as_table)
        .into_iter()
        .flat_map(|targets| targets.values());
    std::iter::once(manifest)
        .chain(per_target.filter_map(toml::Value::as_table))
        .flat_map(|table| {
            ["dependencies", "build-dependencies"]
                .into_iter()
                .filter_map(|key| table.get(key))
        })
        .filter_map(toml::Value::as_table)
        .flat_map(|dependencies| dependencies.keys().cloned())
        .collect()
}

fn crates() -> Vec<Crate> {
    source::crates().expect("the project's own crates can be read")
}

fn all_files() -> Vec<SourceFile> {
    let outside = source::files_outside_the_crates().expect("the project's own files can be read");
    crates()
        .into_iter()
        .flat_map(|krate| krate.files)
        .chain(outside)
        .collect()
}
