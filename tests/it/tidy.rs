//! The plan of the house as data, and what fails when a file does not keep to it.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use fs_err as fs;
use layers::LAYERS;
use walkdir::WalkDir;

mod imports;
mod layers;
mod length;
mod modules;
mod platforms;
mod purity;

/// The files that put the crate together, and may import everything.
const ROOTS: &[&str] = &["lib.rs", "main.rs", "prelude.rs"];

/// A source file below the root of the project.
pub(crate) struct Source {
    /// As in `src/plan/mod.rs`.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl Source {
    /// Returns the module of the crate that it belongs to; `None` for a file outside `src/` and for
    /// the roots.
    fn module(&self) -> Option<&str> {
        let below = self.path.strip_prefix("src/")?;
        let first = below.split('/').next()?;
        (!ROOTS.contains(&below)).then(|| first.strip_suffix(".rs").unwrap_or(first))
    }

    /// Returns the code, without comments and without the module of tests at the end of the file,
    /// which may import anything.
    fn code(&self) -> impl Iterator<Item = &str> {
        let is_tests = |at: &(usize, &str)| {
            let mut rest = self.text[at.0..].lines();
            let item = rest.find(|line| !line.starts_with("#["));
            item.is_some_and(|item| item.starts_with("mod ") && item.ends_with('{'))
        };
        let tests = self.text.match_indices("#[cfg(test)]\n").find(is_tests);
        let code = &self.text[..tests.map_or(self.text.len(), |(at, _)| at)];
        code.lines()
            .filter(|line| !line.trim_start().starts_with("//"))
    }

    /// Returns the modules of the crate that it imports.
    fn imports(&self) -> BTreeSet<&str> {
        let paths = self.code().flat_map(|line| line.split("crate::").skip(1));
        paths
            .map(|path| {
                path.split(|c: char| !c.is_alphanumeric() && c != '_')
                    .next()
                    .unwrap_or_default()
            })
            .collect()
    }
}

#[test]
fn every_file_says_what_it_is_for() {
    let silent = |source: &&Source| !source.text.starts_with("//!");
    refuse(
        everything()
            .iter()
            .filter(silent)
            .map(|source| format!("{}: does not begin with //!", source.path)),
    );
}

#[test]
fn only_the_command_line_and_the_formats_print() {
    let prints = |line: &&str| {
        ["print!(", "println!(", "io::stdout(", "io::stderr("]
            .iter()
            .any(|word| line.contains(word))
    };
    // The sandbox passes the standard streams to the command, and uses those of its helpers as pipes.
    let is_sandbox = |source: &Source| {
        let paths = ["src/process/sandbox/linux/", "src/process/direct.rs"];
        paths.iter().any(|path| source.path.starts_with(path))
    };
    let is_closed = |source: &&Source| {
        !matches!(source.module(), None | Some("cli" | "report")) && !is_sandbox(source)
    };
    refuse(
        sources(&["src"])
            .iter()
            .filter(is_closed)
            .flat_map(|source| {
                source
                    .code()
                    .filter(prints)
                    .map(|line| format!("{}: {}", source.path, line.trim()))
                    .collect::<Vec<_>>()
            }),
    );
}

#[test]
fn no_test_is_left_out() {
    let word = concat!("#[ign", "ore");
    let skips = |source: &&Source| source.text.contains(word);
    refuse(
        everything()
            .iter()
            .filter(skips)
            .map(|source| format!("{}: leaves a test out", source.path)),
    );
}

#[test]
fn only_the_module_of_tests_is_no_code() {
    let source = Source {
        path: "src/matching/x.rs".to_owned(),
        text: "#[cfg(test)]\nmod tests;\nuse crate::a;\n#[cfg(test)]\nfn f() {}\nuse crate::b;\n\
               #[cfg(test)]\n#[allow(x)]\nmod tests {\n    use crate::c;\n}\n"
            .to_owned(),
    };
    assert_eq!(source.imports(), BTreeSet::from(["a", "b"]));
}

fn refuse(wrong: impl IntoIterator<Item = String>) {
    let wrong: Vec<_> = wrong.into_iter().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Refuses each of `wrong` that `left` does not list, and each of `left` that is no longer wrong.
fn refuse_more(wrong: impl IntoIterator<Item = String>, left: &[&str]) {
    let wrong: BTreeSet<_> = wrong.into_iter().collect();
    let left: BTreeSet<_> = left.iter().map(ToString::to_string).collect();
    refuse(
        wrong
            .difference(&left)
            .map(|it| format!("{it}: not in the table of exceptions")),
    );
    refuse(
        left.difference(&wrong)
            .map(|it| format!("{it}: remove the exception")),
    );
}

fn everything() -> Vec<Source> {
    sources(&[
        "src",
        "crates",
        "tests",
        "benches",
        "fuzz/fuzz_targets",
        "fuzz/src",
    ])
}

pub(crate) fn sources(directories: &[&str]) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let paths = directories
        .iter()
        .flat_map(|directory| rust_files(&root.join(directory)));
    let sources: Vec<_> = paths
        .map(|path| Source {
            text: fs::read_to_string(&path).unwrap(),
            path: path
                .strip_prefix(root)
                .unwrap()
                .to_string_lossy()
                .into_owned(),
        })
        .collect();
    assert!(!sources.is_empty(), "no sources in {directories:?}");
    sources
}

fn rust_files(directory: &Path) -> Vec<PathBuf> {
    let entries = WalkDir::new(directory)
        .sort_by_file_name()
        .into_iter()
        .map(|entry| entry.unwrap().into_path());
    entries
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}
