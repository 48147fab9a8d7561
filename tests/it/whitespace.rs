//! White space in patches: what is told and put right, by the installed git and by this program.

mod configuration;
mod conversions;

use std::path::Path;
use std::process::{Command, Output, Stdio};

use fs_err as fs;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::Value;
use tempfile::TempDir;
use wpatch::text::printable;

use crate::repository;

/// What becomes of one old line.
#[derive(Clone, Debug)]
enum Change {
    Kept,
    Gone,
    Before(String),
    Behind(String),
}

/// A file, what a patch has for its lines, and how it is applied.
#[derive(Clone, Debug)]
struct Scene {
    /// Each line as the patch has it and as the file has it, and what becomes of it.
    lines: Vec<(String, String, Change)>,
    /// How many lines the file lacks at its end.
    missing: usize,
    has_last_newline: bool,
    action: &'static str,
    rules: String,
    options: Vec<&'static str>,
}

fn spaced(word: &'static str) -> impl Strategy<Value = String> {
    let starts = vec![
        "",
        "",
        "",
        " ",
        "\t",
        " \t",
        "        ",
        "  \t  ",
        "\t        ",
        "         \t",
    ];
    let ends = vec!["", "", "", "", " ", "\t", "\r", " \r"];
    (prop::sample::select(starts), prop::sample::select(ends))
        .prop_map(move |(start, end)| [start, word, end].concat())
}

fn words() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["", "", "a", "b", "c", "d e"])
}

prop_compose! {
    fn line()(word in words())(
        old in spaced(word),
        other in spaced(word),
        is_other in prop::bool::weighted(0.3),
        new in words().prop_flat_map(spaced),
        change in 0..6,
    ) -> (String, String, Change) {
        let change = match change {
            0 => Change::Gone,
            1 => Change::Before(new),
            2 => Change::Behind(new),
            _ => Change::Kept,
        };
        let found = if is_other { other } else { old.clone() };
        (old, found, change)
    }
}

prop_compose! {
    fn scene()(
        lines in prop::collection::vec(line(), 1..7),
        missing in prop::sample::select(vec![0usize, 0, 0, 0, 1, 2]),
        has_last_newline in prop::bool::weighted(0.8),
        action in prop::sample::select(vec!["nowarn", "warn", "error", "error-all", "fix", "fix", "fix"]),
        rules in prop::collection::vec(prop::sample::select(vec![
            "trailing", "-trailing", "-blank-at-eof", "space-before-tab", "-space", "cr-at-eol", "tabwidth=4", "blank-at-eol",
        ]), 0..3),
        indent in prop::sample::select(vec!["", "indent", "tab"]),
        reverse in prop::bool::weighted(0.2),
        ignore in prop::bool::weighted(0.2),
    ) -> Scene {
        let options = [(reverse, "-R"), (ignore, "--ignore-whitespace")];
        let options = options.iter().filter(|(is_set, _)| *is_set).map(|(_, option)| *option).collect();
        let rules = rules.into_iter().chain([indent]).filter(|rule| !rule.is_empty()).collect::<Vec<_>>().join(",");
        Scene { lines, missing, has_last_newline, action, rules, options }
    }
}

impl Scene {
    /// Returns whether the last line has no terminator; then there is something in it. git takes
    /// the beginning of such a line for the whole of it, where only blanks follow.
    fn is_open(&self) -> bool {
        let is_right = |old: &str, found: &str| {
            !old.trim().is_empty()
                && !found.trim().is_empty()
                && (old == found || !found.starts_with(old))
        };
        !self.has_last_newline
            && self
                .lines
                .last()
                .is_some_and(|(old, found, _)| is_right(old, found))
    }

    fn patch(&self) -> String {
        let (mut body, mut old, mut new) = (String::new(), 0, 0);
        let count = self.lines.len();
        for (nth, (line, _, change)) in self.lines.iter().enumerate() {
            let is_open = nth + 1 == count && self.is_open();
            let end = if is_open {
                "\n\\ No newline at end of file\n"
            } else {
                "\n"
            };
            old += 1;
            new += usize::from(!matches!(change, Change::Gone));
            let text = match change {
                Change::Kept => format!(" {line}{end}"),
                Change::Gone => format!("-{line}{end}"),
                Change::Behind(_) if is_open => format!(" {line}{end}"),
                Change::Before(added) => format!("+{added}\n {line}{end}"),
                Change::Behind(added) => format!(" {line}{end}+{added}\n"),
            };
            body.push_str(&text);
            new += usize::from(
                matches!(change, Change::Before(_))
                    || matches!(change, Change::Behind(_)) && !is_open,
            );
        }
        format!(
            "--- a/file\n+++ b/file\n@@ -1,{old} +{},{new} @@\n{body}",
            usize::from(new > 0)
        )
    }

    /// Returns the file that the patch is for, or the one that it leads to if it is read backwards.
    fn file(&self) -> String {
        let mut lines = Vec::new();
        let is_reversed = self.options.contains(&"-R");
        for (_, found, change) in &self.lines {
            match change {
                Change::Before(added) if is_reversed => lines.extend([added, found]),
                Change::Behind(added) if is_reversed => lines.extend([found, added]),
                Change::Gone if is_reversed => {}
                _ => lines.push(found),
            }
        }
        lines.truncate(lines.len().saturating_sub(self.missing));
        let mut text: String = lines
            .into_iter()
            .flat_map(|line| [line.as_str(), "\n"])
            .collect();
        if self.is_open() && self.missing == 0 {
            text.pop();
        }
        text
    }

    /// Returns whether it changes anything, and nothing that is declared to be different: where
    /// blanks are ignored, new lines end as those around them.
    fn is_comparable(&self) -> bool {
        let is_returned = self.options.contains(&"--ignore-whitespace")
            && (self.file() + &self.patch()).contains('\r');
        !is_returned
            && self
                .lines
                .iter()
                .any(|(_, _, change)| !matches!(change, Change::Kept))
    }

    fn run(&self, program: &str, root: &Path) -> Output {
        let action = format!("--whitespace={}", self.action);
        let mut command = Command::new(program);
        command
            .arg("apply")
            .arg(action)
            .args(&self.options)
            .arg("../patch")
            .current_dir(root);
        configured(&mut command, &[("core.whitespace", &self.rules)])
            .output()
            .unwrap()
    }
}

/// Gives `command` a configuration, and no other.
pub(crate) fn configured<'c>(
    command: &'c mut Command,
    variables: &[(&str, &str)],
) -> &'c mut Command {
    command
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("LC_ALL", "C");
    command.env("GIT_CONFIG_COUNT", variables.len().to_string());
    for (nth, (key, value)) in variables.iter().enumerate() {
        command
            .env(format!("GIT_CONFIG_KEY_{nth}"), key)
            .env(format!("GIT_CONFIG_VALUE_{nth}"), value);
    }
    command
}

/// Returns whether it worked, the file, and what was said if it did: git does not look at the file
/// if it may not be changed.
fn ending(scene: &Scene, program: &str) -> (bool, Vec<u8>, String) {
    let directory = TempDir::new().unwrap();
    let root = directory.path().join("tree");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("file"), scene.file()).unwrap();
    fs::write(directory.path().join("patch"), scene.patch()).unwrap();
    let output = scene.run(program, &root);
    let file = fs::read(root.join("file")).unwrap_or_default();
    let said = String::from_utf8(output.stderr).unwrap();
    // git writes bytes as they are.
    let lines = said.split('\n').map(|line| {
        if program == "git" {
            printable(line.as_bytes()).to_string()
        } else {
            line.to_owned()
        }
    });
    let said = if output.status.success() {
        lines.collect::<Vec<_>>().join("\n")
    } else {
        String::new()
    };
    (output.status.success(), file, said)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, rng_seed: RngSeed::Fixed(7), ..ProptestConfig::default() })]

    #[cfg(unix)]
    #[test]
    fn git_finds_and_corrects_the_same(scene in scene().prop_filter("can be compared", Scene::is_comparable)) {
        let (git, ours) = (ending(&scene, "git"), ending(&scene, env!("CARGO_BIN_EXE_wpatch")));
        prop_assert_eq!(&git, &ours, "{}\n{}", scene.patch().escape_debug(), scene.file().escape_debug());
    }
}

/// Applies `patch` to `file` in a repository with `config` and `attributes`.
fn applied(
    config: &str,
    attributes: &str,
    file: &str,
    patch: &str,
    arguments: &[&str],
) -> (Value, String) {
    let directory = TempDir::new().unwrap();
    let root = directory.path();
    repository::init(root);
    let usual = fs::read_to_string(root.join(".git/config")).unwrap();
    fs::write(root.join(".git/config"), usual + config).unwrap();
    fs::write(root.join(".gitattributes"), attributes).unwrap();
    fs::write(root.join("file"), file).unwrap();
    let mut command = crate::world::wpatch();
    configured(&mut command, &[])
        .args(["apply", "--json"])
        .args(arguments)
        .current_dir(root);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), patch.as_bytes()).unwrap();
    let report = serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap();
    (
        crate::run::valid(report),
        fs::read_to_string(root.join("file")).unwrap(),
    )
}

const PATCH: &str = "--- a/file\n+++ b/file\n@@ -1,2 +1,3 @@\n one\n+\tnew \n two\n";

#[cfg(unix)]
#[test]
fn errors_are_those_of_the_file_that_has_them() {
    let patch = format!("--- a/other\n+++ b/other\n@@ -0,0 +1 @@\n+good\n{PATCH}");
    for action in ["warn", "fix", "error-all"] {
        let (report, _) = applied("", "", "one\ntwo\n", &patch, &["--whitespace", action]);
        assert!(
            report["files"][0]["whitespace"].is_null(),
            "{action}: {report}"
        );
        assert_eq!(
            report["files"][1]["whitespace"]["lines"][0]["source"]["line_start"], 9,
            "{action}"
        );
        assert_eq!(report["problems"][0]["path"], "file", "{action}");
    }
}

#[cfg(unix)]
#[test]
fn errors_in_a_large_patch_are_those_of_a_small_one() {
    let found = |count: usize| {
        let lines = "+good\n".repeat(count);
        let patch = format!(
            "--- a/other\n+++ b/other\n@@ -0,0 +1,{} @@\n+bad \n{lines}{PATCH}",
            count + 1
        );
        let (report, file) = applied("", "", "one\ntwo\n", &patch, &[]);
        let words = |key| {
            report["problems"]
                .as_array()
                .unwrap()
                .iter()
                .map(move |problem| problem[key].to_string())
        };
        (
            file,
            words("message").collect::<Vec<_>>(),
            words("path").collect::<Vec<_>>(),
        )
    };
    let (file, messages, paths) = found(1 << 18);
    assert_eq!((file, messages, paths.clone()), found(1));
    assert_eq!(paths, ["\"other\"", "\"file\""]);
}

#[test]
fn errors_are_also_reported_for_a_refused_change() {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("x");
    fs::write(&file, "a\n").unwrap();
    let codes = |lines: &str, options: &[&str]| {
        let patch = format!("--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n{lines}+b \n");
        fs::write(directory.path().join("patch"), patch).unwrap();
        let mut command = crate::world::wpatch();
        command
            .args(["apply", "patch", "--json"])
            .args(options)
            .current_dir(directory.path());
        let report: Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
        let problems = report["problems"].as_array().unwrap();
        let codes = problems.iter().map(|problem| problem["code"].to_string());
        codes.collect::<Vec<_>>()
    };
    let warning = "\"wpatch::whitespace::errors\"";
    for (lines, options, error) in [
        (" c\n", &[][..], "\"wpatch::hunk::not_found\""),
        (
            " a\n",
            &["--approve", &format!("sha256:{}", "0".repeat(64))][..],
            "\"wpatch::plan::not_approved\"",
        ),
    ] {
        assert_eq!(codes(lines, options), [error, warning]);
        assert_eq!(fs::read_to_string(&file).unwrap(), "a\n");
    }
    assert_eq!(codes(" a\n", &[]), [warning]);
}

#[test]
fn a_blank_line_that_is_not_added_takes_no_other_one_away() {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("x");
    fs::write(&file, "a\n\n").unwrap();
    let patch = "--- a/x\n+++ b/x\n@@ -1,2 +1,4 @@\n a\n+b \n+\n \n";
    fs::write(directory.path().join("patch"), patch).unwrap();
    let mut command = crate::world::wpatch();
    command
        .args(["apply", "--no-add", "--whitespace=fix", "patch", "--json"])
        .current_dir(directory.path());
    let output = command.output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(output.status.success(), "{report:#}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "a\n\n");
    let told = &report["files"][0]["whitespace"];
    assert_eq!(
        (&told["corrected"], &told["left_out"]),
        (&0.into(), &0.into()),
        "{told}"
    );
}
