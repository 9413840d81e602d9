//! The project's own manifests and Rust sources, read so that tests can hold the architecture to its word.
//!
//! Sources are lexed by `proc-macro2`, so a rule about the word `unsafe` sees the keyword and not a comment or a string that
//! mentions it. Reading tokens rather than types keeps the tests fast and their rules easy to state.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The folder that holds the workspace manifest.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// One crate of `crates/`.
pub struct Crate {
    /// Package name, for example `motrix-spatial`.
    pub name: String,
    /// Its parsed `Cargo.toml`.
    pub manifest: toml::Table,
    /// Every Rust file below its folder.
    pub files: Vec<SourceFile>,
}

/// One Rust file.
pub struct SourceFile {
    /// Path from the root of the project, with forward slashes.
    pub path: String,
    /// The text as written.
    pub text: String,
}

/// A word or a punctuation mark of a source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The word, or one punctuation character.
    pub text: String,
    /// Line number, from 1.
    pub line: usize,
}

/// Whether the items marked `#[cfg(test)]` count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Everything in the file.
    Whole,
    /// Only what is compiled into the engine.
    WithoutTests,
}

impl SourceFile {
    /// Whether the whole file is a test: `tests.rs`, or below a folder `tests`.
    pub fn is_test(&self) -> bool {
        self.path.split('/').any(|part| part == "tests" || part == "tests.rs")
    }

    /// The file's words and punctuation, in order; literals, comments and documentation are left out.
    ///
    /// # Panics
    /// When the file is not Rust: a test has nothing sensible to say then.
    pub fn tokens(&self, scope: Scope) -> Vec<Token> {
        let stream: TokenStream = self
            .text
            .parse()
            .unwrap_or_else(|error| panic!("{} does not lex as Rust: {error}", self.path));
        let mut tokens = Vec::new();
        flatten(stream, scope, &mut tokens);
        tokens
    }

    /// `path:line` of every occurrence of one of `words`.
    pub fn mentions(&self, words: &[&str], scope: Scope) -> Vec<String> {
        self.tokens(scope)
            .iter()
            .filter(|token| words.contains(&token.text.as_str()))
            .map(|token| format!("{}:{} {}", self.path, token.line, token.text))
            .collect()
    }
}

/// Every crate of `crates/`, by name.
pub fn crates() -> io::Result<Vec<Crate>> {
    let root = root();
    let mut crates = Vec::new();
    for folder in sorted_entries(&root.join("crates"))? {
        let manifest_path = folder.join("Cargo.toml");
        if !manifest_path.is_file() {
            continue;
        }
        let manifest: toml::Table = fs::read_to_string(&manifest_path)?
            .parse()
            .map_err(|error| io::Error::other(format!("{}: {error}", manifest_path.display())))?;
        let name = manifest["package"]["name"].as_str().unwrap_or_default().to_owned();
        let mut files = Vec::new();
        collect_rust_files(&root, &folder, &mut files)?;
        crates.push(Crate { name, manifest, files });
    }
    Ok(crates)
}

/// Every Rust file of the project outside `crates/`: the tests and the benches.
pub fn files_outside_the_crates() -> io::Result<Vec<SourceFile>> {
    let root = root();
    let mut files = Vec::new();
    for folder in ["tests", "benches"].map(|name| root.join(name)) {
        if folder.is_dir() {
            collect_rust_files(&root, &folder, &mut files)?;
        }
    }
    Ok(files)
}

fn collect_rust_files(root: &Path, folder: &Path, files: &mut Vec<SourceFile>) -> io::Result<()> {
    for path in sorted_entries(folder)? {
        if path.is_dir() {
            collect_rust_files(root, &path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path)?;
            let parts = path
                .strip_prefix(root)
                .unwrap_or(&path)
                .iter()
                .map(|part| part.to_string_lossy());
            files.push(SourceFile {
                path: parts.collect::<Vec<_>>().join("/"),
                text,
            });
        }
    }
    Ok(())
}

fn sorted_entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

fn flatten(stream: TokenStream, scope: Scope, tokens: &mut Vec<Token>) {
    let mut trees = stream.into_iter().peekable();
    while let Some(tree) = trees.next() {
        let line = tree.span().start().line;
        match tree {
            TokenTree::Ident(word) => tokens.push(Token {
                text: word.to_string(),
                line,
            }),
            TokenTree::Punct(mark) if mark.as_char() == '#' && scope == Scope::WithoutTests => {
                if trees.peek().is_some_and(is_cfg_test) {
                    skip_item(&mut trees);
                }
            }
            TokenTree::Punct(mark) => tokens.push(Token {
                text: mark.to_string(),
                line,
            }),
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                tokens.push(Token {
                    text: open.to_owned(),
                    line,
                });
                flatten(group.stream(), scope, tokens);
                tokens.push(Token {
                    text: close.to_owned(),
                    line: group.span_close().start().line,
                });
            }
            TokenTree::Literal(_) => {}
        }
    }
}

/// Drops the trees of the item that an attribute marks: up to its body or its semicolon, over further attributes.
fn skip_item(trees: &mut impl Iterator<Item = TokenTree>) {
    for tree in trees {
        match tree {
            TokenTree::Group(body) if body.delimiter() == Delimiter::Brace => break,
            TokenTree::Punct(mark) if mark.as_char() == ';' => break,
            _ => {}
        }
    }
}

/// Whether a tree is the bracket of `#[cfg(test)]`.
fn is_cfg_test(tree: &TokenTree) -> bool {
    matches!(tree, TokenTree::Group(group) if group.stream().to_string().replace(' ', "") == "cfg(test)")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str, scope: Scope) -> Vec<String> {
        let file = SourceFile {
            path: "example.rs".to_owned(),
            text: text.to_owned(),
        };
        file.tokens(scope).into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn comments_documentation_and_strings_are_not_code() {
        let text = "/// unsafe\nfn f() { /* unsafe */ g(\"unsafe\") } // unsafe";
        assert!(!words(text, Scope::Whole).contains(&"unsafe".to_owned()));
    }

    #[test]
    fn test_items_can_be_left_out_and_what_follows_them_stays() {
        let text = "fn a() {}\n#[cfg(test)]\n#[allow(dead_code)]\nmod tests { fn hidden() {} }\n#[cfg(test)]\nuse hidden;\nfn b() {}";
        assert!(words(text, Scope::Whole).contains(&"hidden".to_owned()));
        let engine = words(text, Scope::WithoutTests);
        assert!(!engine.contains(&"hidden".to_owned()));
        assert!(engine.contains(&"a".to_owned()) && engine.contains(&"b".to_owned()));
    }

    #[test]
    fn a_mention_names_its_line() {
        let file = SourceFile {
            path: "example.rs".to_owned(),
            text: "fn f() {\n    unsafe { g() }\n}".to_owned(),
        };
        assert_eq!(file.mentions(&["unsafe"], Scope::Whole), ["example.rs:2 unsafe"]);
    }
}
