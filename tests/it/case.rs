//! The cases below `fixtures/`: one patch, a tree, and what becomes of them.

use std::path::{Path, PathBuf};

use fs_err as fs;
use serde::Deserialize;

#[cfg(unix)]
use wpatch::path::RelPath;

#[cfg(unix)]
use crate::tree::Node;
use crate::tree::{self, Tree};

/// One directory of cases.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// As in `git/rename`.
    pub(crate) name: String,
    /// Where it lies.
    pub(crate) directory: PathBuf,
    /// The patch.
    pub(crate) patch: Vec<u8>,
    /// The tree before.
    pub(crate) before: Tree,
    /// The tree afterwards; `None` if the patch is refused.
    pub(crate) after: Option<Tree>,
    /// `case.toml`.
    pub(crate) settings: Settings,
}

/// What `case.toml` says; the keys are described in `fixtures/README.md`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is an option of the command line"
)]
pub(crate) struct Settings {
    pub(crate) about: String,
    pub(crate) strip: Option<usize>,
    pub(crate) reverse: bool,
    pub(crate) directory: Option<String>,
    pub(crate) fuzz: Option<usize>,
    pub(crate) context: Option<usize>,
    pub(crate) unidiff_zero: bool,
    pub(crate) recount: bool,
    pub(crate) lenient: bool,
    pub(crate) strict_input: bool,
    pub(crate) ignore_whitespace: bool,
    pub(crate) inaccurate_eof: bool,
    pub(crate) whitespace: Option<String>,
    pub(crate) overwrite: bool,
    pub(crate) unique: bool,
    pub(crate) format: Option<String>,
    pub(crate) exclude: Vec<String>,
    pub(crate) include: Vec<String>,
    pub(crate) max_file: Option<u64>,
    pub(crate) max_files: Option<usize>,
    pub(crate) max_hunks: Option<usize>,
    pub(crate) max_ratio: Option<u64>,
    pub(crate) max_growth: Option<u64>,
    pub(crate) guard: Vec<String>,
    pub(crate) unix: bool,
    pub(crate) grammars: bool,
    pub(crate) error: Option<String>,
    pub(crate) code: Option<String>,
    pub(crate) warning: Option<String>,
    pub(crate) place: Option<Place>,
    pub(crate) oracle: Option<Declared>,
}

/// Where a mistake is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Place {
    pub(crate) line: u64,
    pub(crate) column: u64,
    pub(crate) byte: u64,
}

/// What the tools of others make of the case.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Declared {
    pub(crate) git: String,
    pub(crate) git_exit: Option<i32>,
    pub(crate) git_tree: Option<String>,
    pub(crate) patch: String,
    pub(crate) patch_exit: Option<i32>,
    pub(crate) patch_tree: Option<String>,
}

impl Case {
    /// Returns every case, or those whose name holds the word in the variable `CASE`. Windows has
    /// none of those with `unix = true`, and a build without grammars none with `grammars = true`.
    ///
    /// # Panics
    ///
    /// If a directory below `fixtures/` has no case in it, or a case is incomplete.
    pub(crate) fn all() -> Vec<Self> {
        let word = std::env::var("CASE").unwrap_or_default();
        let mut cases: Vec<_> = groups().iter().flat_map(|group| of(group)).collect();
        cases.retain(|case| {
            let can_run = (cfg!(unix) || !case.settings.unix)
                && (cfg!(feature = "code-guard") || !case.settings.grammars);
            can_run && case.name.contains(&word)
        });
        cases
    }

    /// Returns the cases of one directory below `fixtures/`.
    pub(crate) fn of(group: &str) -> Vec<Self> {
        let start = format!("{group}/");
        Self::all()
            .into_iter()
            .filter(|case| case.name.starts_with(&start))
            .collect()
    }

    /// Returns whether the disk has every name in the patch, and tells all of them apart.
    pub(crate) fn has_names_of_the_disk(&self) -> bool {
        let others = ["case-collision", "normalisation-collision", "say-"];
        let is_other = |name: &str| others.iter().any(|other| name.starts_with(other));
        cfg!(unix) || !self.name.strip_prefix("hostile/").is_some_and(is_other)
    }

    fn read(directory: &Path, group: &str) -> Self {
        let name = format!("{group}/{}", name_of(directory));
        let text = fs::read_to_string(directory.join("case.toml")).unwrap();
        let settings: Settings =
            toml::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let after = directory.join("after");
        let case = Self {
            patch: fs::read(directory.join("patch")).unwrap(),
            before: tree::fixture(&directory.join("before")),
            after: after.exists().then(|| tree::fixture(&after)),
            directory: directory.to_owned(),
            settings,
            name,
        };
        assert!(
            !case.settings.about.is_empty(),
            "{}: says nothing of what it is about",
            case.name
        );
        let says_why = case.settings.error.is_some() && case.settings.code.is_some();
        assert_eq!(
            case.after.is_none(),
            says_why,
            "{}: a tree afterwards, or the reason for none",
            case.name
        );
        #[cfg(unix)]
        assert_eq!(
            case.settings.unix,
            case.needs_unix(),
            "{}: `unix` has to say whether the case needs links, bits to execute or names that \
             Windows lacks",
            case.name
        );
        case
    }

    /// Returns whether a tree or the patch has what Windows lacks: a link, an executable file, or a
    /// name that is none there.
    #[cfg(unix)]
    fn needs_unix(&self) -> bool {
        let is_special = |(path, node): (&RelPath, &Node)| {
            let is_plain = matches!(
                node,
                Node::Directory
                    | Node::File {
                        is_executable: false,
                        ..
                    }
            );
            !is_plain || !is_windows_name(path.as_bytes())
        };
        let after = self.after.iter().flatten();
        self.before.iter().chain(after).any(is_special)
            || [&b" 120000"[..], b" 100755"]
                .iter()
                .any(|mode| memchr::memmem::find(&self.patch, mode).is_some())
    }
}

/// Returns whether each component of `path` is a name of a file on Windows.
#[cfg(unix)]
fn is_windows_name(path: &[u8]) -> bool {
    const DEVICES: &[&str] = &["aux", "con", "nul", "prn"];
    let is_closed = |byte: &u8| *byte < b' ' || b"<>:\"|?*\\".contains(byte);
    str::from_utf8(path).is_ok_and(|path| {
        path.split('/').all(|name| {
            let stem = name.split('.').next().unwrap_or_default();
            !name.bytes().any(|byte| is_closed(&byte))
                && !name.ends_with(['.', ' '])
                && !DEVICES.contains(&stem.to_ascii_lowercase().as_str())
        })
    })
}

impl Settings {
    /// Returns the options as arguments of `wpatch` and, where it has them, of `git apply`.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let flags = [
            (self.reverse, "-R"),
            (self.unidiff_zero, "--unidiff-zero"),
            (self.recount, "--recount"),
            (self.ignore_whitespace, "--ignore-whitespace"),
            (self.inaccurate_eof, "--inaccurate-eof"),
        ];
        let mut arguments: Vec<_> = flags
            .into_iter()
            .filter(|(is_set, _)| *is_set)
            .map(|(_, flag)| flag.into())
            .collect();
        arguments.extend(self.strip.map(|level| format!("-p{level}")));
        arguments.extend(
            self.directory
                .as_ref()
                .map(|directory| format!("--directory={directory}")),
        );
        arguments.extend(
            self.whitespace
                .as_ref()
                .map(|action| format!("--whitespace={action}")),
        );
        arguments.extend(self.context.map(|lines| format!("-C{lines}")));
        arguments.extend(
            self.exclude
                .iter()
                .map(|pattern| format!("--exclude={pattern}")),
        );
        arguments.extend(
            self.include
                .iter()
                .map(|pattern| format!("--include={pattern}")),
        );
        arguments
    }

    /// Returns the options that only `wpatch` has, as arguments.
    pub(crate) fn own_arguments(&self) -> Vec<String> {
        let flags = [
            (self.overwrite, "--overwrite"),
            (self.unique, "--unique"),
            (self.lenient, "--lenient"),
            (self.strict_input, "--strict-input"),
        ];
        let mut arguments: Vec<_> = flags
            .into_iter()
            .filter(|(is_set, _)| *is_set)
            .map(|(_, flag)| flag.into())
            .collect();
        arguments.extend(self.fuzz.map(|lines| format!("--fuzz={lines}")));
        arguments.extend(
            self.format
                .as_ref()
                .map(|format| format!("--format={format}")),
        );
        arguments.extend(self.max_file.map(|bytes| format!("--max-file={bytes}")));
        arguments.extend(self.max_files.map(|files| format!("--max-files={files}")));
        arguments.extend(self.max_hunks.map(|hunks| format!("--max-hunks={hunks}")));
        arguments.extend(self.max_ratio.map(|times| format!("--max-ratio={times}")));
        arguments.extend(self.max_growth.map(|bytes| format!("--max-growth={bytes}")));
        arguments.extend(self.guard.iter().map(|name| format!("--guard={name}")));
        arguments
    }
}

/// Runs `run` on every case of `cases` and fails with everything that went wrong.
pub(crate) fn each(cases: &[Case], run: impl Fn(&Case) -> Result<(), String>) {
    let failures: Vec<_> = cases
        .iter()
        .filter_map(|case| run(case).err().map(|why| format!("{}: {why}", case.name)))
        .collect();
    assert!(
        failures.is_empty(),
        "{} of {} cases fail\n\n{}",
        failures.len(),
        cases.len(),
        failures.join("\n\n")
    );
}

/// Returns an error that shows both values if they are not the same.
pub(crate) fn same<T: PartialEq + std::fmt::Debug>(
    what: &str,
    found: &T,
    expected: &T,
) -> Result<(), String> {
    if found == expected {
        Ok(())
    } else {
        Err(format!("{what}\n   found {found:?}\nexpected {expected:?}"))
    }
}

/// Returns the directories below `fixtures/`.
pub(crate) fn groups() -> Vec<String> {
    directories(&fixtures())
        .iter()
        .map(|directory| name_of(directory))
        .collect()
}

fn of(group: &str) -> Vec<Case> {
    let cases: Vec<_> = directories(&fixtures().join(group))
        .iter()
        .map(|case| Case::read(case, group))
        .collect();
    assert!(!cases.is_empty(), "fixtures/{group} has no cases");
    cases
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

fn directories(parent: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> = fs::read_dir(parent)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.retain(|path| path.is_dir());
    paths.sort();
    paths
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}
