//! What a message suggests for a patch that does not apply. Each command that is printed is run,
//! and has to apply.

use std::process::{Output, Stdio};

use wpatch::engine::{self, Request, SuggestionMode};
use wpatch::path::RelPath;
use wpatch::workspace::memory::{Entry, Memory};

use crate::repository;
use crate::systems::Desk;
use crate::world;

mod names;
mod order;

const FILE: &[u8] = b"one\ntwo\nthree\n";

fn change(name: &str) -> String {
    format!("--- a/{name}\n+++ b/{name}\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n")
}

fn git_change(name: &str) -> String {
    format!("diff --git a/{name} b/{name}\n{}", change(name))
}

/// Returns a root with `files`, in a repository of its own.
fn repository(files: &[(&str, &[u8])]) -> Desk {
    let desk = Desk::with(files);
    repository::init(&desk.root());
    desk
}

/// Runs the program in the directory `below` of the root.
fn runs(desk: &Desk, below: &str, arguments: &[&str]) -> Output {
    let mut command = world::wpatch();
    command
        .args(arguments)
        .current_dir(desk.path(below))
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// Returns what a failed command prints.
fn fails(desk: &Desk, below: &str, arguments: &[&str]) -> String {
    let output = runs(desk, below, arguments);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(
        [Some(1), Some(2)].contains(&output.status.code()),
        "{arguments:?}: {text}"
    );
    text
}

/// Returns the commands in back quotes of the last help in `text`.
fn commands(text: &str) -> Vec<String> {
    let help = text
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix("help: "))
        .unwrap_or_default();
    help.split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

/// Runs the only command that `text` suggests, as a shell does.
fn follows(desk: &Desk, below: &str, text: &str) {
    let [command] = &commands(text)[..] else {
        panic!("one command: {text}")
    };
    let output = world::sh(command)
        .current_dir(desk.path(below))
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{command}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// A file, a directory, a patch whose names do not match the file from there, options, and the
/// options that are suggested.
type Mismatch = (
    &'static str,
    &'static str,
    String,
    &'static [&'static str],
    &'static str,
);

fn mismatches() -> Vec<Mismatch> {
    vec![
        ("src/lib/x.c", "", change("lib/x.c"), &[], "--directory=src"),
        (
            "src/lib/x.c",
            "",
            change("deep/tree/src/lib/x.c"),
            &[],
            "-p3",
        ),
        (
            "x.c",
            "",
            change("x.c").replace("a/x", "x").replace("b/x", "x"),
            &["-p1"],
            "-p0",
        ),
        (
            "src/x.c",
            "",
            change("x.c"),
            &["-p", "0"],
            "-p1 --directory=src",
        ),
        (
            "a b/it's/x.c",
            "",
            change("it's/x.c"),
            &[],
            "'--directory=a b'",
        ),
        (
            "x.c",
            "",
            "*** Begin Patch\n*** Update File: top/x.c\n@@\n-two\n+2\n*** End Patch\n".to_owned(),
            &[],
            "",
        ),
    ]
}

/// Patches with the headers of git.
fn git_mismatches() -> Vec<Mismatch> {
    vec![
        (
            "x.c",
            "",
            git_change("x.c").replace("a/x", "x").replace("b/x", "x"),
            &[],
            "-p0",
        ),
        (
            "src/lib/x.c",
            "src",
            git_change("src/lib/x.c"),
            &[],
            "--git-paths",
        ),
        (
            "src/lib/x.c",
            "src/lib",
            git_change("src/lib/x.c"),
            &["-R", "-p9"],
            "-p3",
        ),
    ]
}

#[cfg(unix)]
#[test]
fn a_command_with_the_names_that_match_is_suggested_and_applies() {
    for (file, below, patch, options, expected) in [mismatches(), git_mismatches()].concat() {
        let is_reversed = options.contains(&"-R");
        let content = if is_reversed {
            &b"one\n2\nthree\n"[..]
        } else {
            FILE
        };
        let desk = repository(&[(file, content), ("../patch", patch.as_bytes())]);
        let name = desk.path("../patch").canonicalize().unwrap();
        let name = name.to_str().unwrap();
        let text = fails(&desk, below, &[&["apply"], options, &[name]].concat());
        assert_eq!(desk.bytes(file), content);
        if expected.is_empty() {
            assert!(!text.contains("the patch applies"), "{text}");
            continue;
        }
        assert!(
            text.contains(&format!(" apply {expected} ")),
            "{expected}: {text}"
        );
        follows(&desk, below, &text);
        assert_ne!(desk.bytes(file), content);
    }
}

#[cfg(unix)]
#[test]
fn files_outside_of_the_root_are_found_from_the_top_of_the_work_tree() {
    let patch = [git_change("src/x.c"), git_change("y.c")].concat();
    let desk = repository(&[
        ("src/x.c", FILE),
        ("y.c", FILE),
        ("../patch", patch.as_bytes()),
    ]);
    let name = desk.path("../patch").canonicalize().unwrap();
    let text = fails(&desk, "src", &["apply", name.to_str().unwrap()]);
    assert!(text.contains(" apply --root=.. "), "{text}");
    follows(&desk, "src", &text);
    assert_ne!(
        (desk.bytes("src/x.c"), desk.bytes("y.c")),
        (FILE.to_vec(), FILE.to_vec())
    );
}

#[test]
fn several_places_are_listed_and_none_is_chosen() {
    let desk = Desk::with(&[
        ("old/x.c", FILE),
        ("new/x.c", FILE),
        ("../patch", change("x.c").as_bytes()),
    ]);
    let text = fails(&desk, "", &["check", "../patch"]);
    assert!(text.contains("the patch applies in 2 places"), "{text}");
    assert_eq!(commands(&text).len(), 2, "{text}");
    let error = desk.says(&["check", "../patch"], b"")["error"].clone();
    assert!(
        error["help"].as_str().unwrap().contains("--directory=old"),
        "{error}"
    );
}

#[cfg(unix)]
#[test]
fn places_without_a_command_are_not_called_commands() {
    let desk = Desk::with(&[
        ("one/x", FILE),
        ("two/x", FILE),
        ("a\tb", change("x").as_bytes()),
    ]);
    let text = fails(&desk, "", &["check", "a\tb"]);
    assert!(
        text.contains(
            "the patch applies in 2 places; use the names of the intended one: `one/x`; `two/x`"
        ),
        "{text}"
    );
}

#[test]
fn files_that_the_patch_does_not_fit_are_named_as_such() {
    let desk = Desk::with(&[
        ("src/x.c", b"other\n"),
        ("../patch", change("x.c").as_bytes()),
    ]);
    let text = fails(&desk, "", &["check", "../patch"]);
    assert!(
        text.contains("to see how the existing files differ from the patch"),
        "{text}"
    );
    let desk = Desk::with(&[("src/y.c", FILE), ("../patch", change("x.c").as_bytes())]);
    let text = fails(&desk, "", &["check", "../patch"]);
    assert!(
        !text.contains("the existing files differ") && !text.contains("the patch applies"),
        "{text}"
    );
}

#[test]
fn a_path_that_policy_protects_is_not_suggested() {
    let policy = b"[[rule]]\npaths = [\"hidden/**\"]\nverdict = \"deny\"\nreason = \"hidden\"\n";
    let desk = Desk::with(&[
        ("hidden/x.c", FILE),
        ("wpatch.toml", policy),
        ("../patch", change("x.c").as_bytes()),
    ]);
    for arguments in [
        &["check", "../patch"][..],
        &["edit", "x.c", "--old", "two", "--new", "2"],
    ] {
        let text = fails(&desk, "", arguments);
        assert!(
            text.contains("x.c: ") && !text.contains("hidden/x.c"),
            "{text}"
        );
    }
}

#[test]
fn a_path_that_the_policy_of_the_top_protects_is_not_suggested_from_the_top() {
    let deny = |path: &str| {
        format!("[[rule]]\npaths = [\"{path}\"]\nverdict = \"deny\"\nreason = \"no\"\n")
    };
    for (protected, is_suggested) in [("hidden/**", false), ("other/**", true)] {
        let (policy, patch) = (deny(protected), change("hidden/x.c"));
        let desk = repository(&[
            ("hidden/x.c", FILE),
            ("src/y.c", FILE),
            ("wpatch.toml", policy.as_bytes()),
            ("../patch", patch.as_bytes()),
        ]);
        let name = desk.path("../patch").canonicalize().unwrap();
        let text = fails(&desk, "src", &["apply", name.to_str().unwrap()]);
        let words = ["--root=..", "the existing files differ"].map(|words| text.contains(words));
        assert_eq!(words, [is_suggested, false], "{protected}: {text}");
    }
}

/// Returns how many verbs a check of `patches` takes, with and without suggestions.
fn verbs(files: usize, size: usize, patches: &[String]) -> [usize; 2] {
    let content = b"line\n".repeat(size / 5);
    [SuggestionMode::Text, SuggestionMode::None].map(|hints| {
        let name = |number: usize| RelPath::new(format!("f{number}").as_bytes()).unwrap();
        let memory =
            Memory::with_files((0..files).map(|number| (name(number), Entry::file(&content[..]))));
        let texts = patches
            .iter()
            .map(|patch| ("-".to_owned(), patch.clone().into_bytes().into()))
            .collect();
        let mut request = Request::of_all(texts);
        request.look.hints = hints;
        let outcome = engine::check(request, &memory);
        assert_eq!(
            outcome.report.error.unwrap().kind,
            wpatch::report::ProblemKind::NotFound
        );
        memory.verb_count()
    })
}

#[test]
fn suggestions_cost_about_as_much_as_the_check_where_files_are_large() {
    let series = |files: usize| -> Vec<String> {
        let patch = |number: usize| {
            (0..files)
                .map(move |file| change(&format!("f{file}")).replace("two", &number.to_string()))
        };
        (0..16).map(|number| patch(number).collect()).collect()
    };
    let [small, large, many] = [(1, 1 << 10), (1, 20 << 20), (30, 1 << 20)]
        .map(|(files, size)| verbs(files, size, &series(files)));
    assert!(
        large[0] - large[1] < small[0] - small[1],
        "{small:?} {large:?}"
    );
    // One verb each for the sizes of the files of the patches, which are counted.
    assert!(many[0] < many[1] + 30 * 16 + 100, "{many:?}");
}
