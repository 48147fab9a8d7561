//! Every problem has one diagnosis. If git has a sentence for it, that sentence is the first line,
//! and no line after it states the same fact again.

use std::collections::BTreeSet;
use std::process::Command;

use fs_err as fs;
use tempfile::TempDir;

use crate::case::{Case, each, same};
use crate::systems::{Desk, fed};
use crate::tree;

/// The codes of problems that the sentence of git states in full.
const STATED: &[&str] = &[
    "wpatch::file::missing",
    "wpatch::file::exists",
    "wpatch::file::no_binary_data",
    "wpatch::file::wrong_blob",
    "wpatch::hunk::not_found",
    "wpatch::parse::mode",
    "wpatch::parse::no_patch",
    "wpatch::parse::number_too_large",
];

/// Words that state no fact.
const EMPTY: &[&str] = &[
    "a", "an", "and", "apply", "applied", "as", "at", "does", "error", "failed", "file", "for",
    "has", "in", "is", "it", "note", "of", "or", "patch", "that", "the", "this", "to", "with",
];

fn words(lines: &[&str]) -> BTreeSet<String> {
    let text = lines.join(" ").to_lowercase();
    let words = text.split(|character: char| !character.is_alphanumeric());
    words
        .filter(|word| !word.is_empty() && !EMPTY.contains(word))
        .map(str::to_owned)
        .collect()
}

/// Checks what is printed of a problem with the code `code`.
fn is_single(code: &str, is_warning: bool, text: &str) -> Result<(), String> {
    let starting = |start: &str| {
        text.lines()
            .filter(|line| line.starts_with(start))
            .collect::<Vec<_>>()
    };
    let (sentences, titles, notes) = (starting("error: "), starting("error["), starting("note: "));
    if is_warning {
        return same(
            "warnings",
            &(titles.len(), starting("warning[").len()),
            &(0, 1),
        );
    }
    // The lines of a patch with white space errors are listed as git lists them.
    if code == "wpatch::whitespace::errors" {
        return same("sentences", &(sentences.len(), titles.len()), &(1, 0));
    }
    if sentences.is_empty() {
        same("titles", &titles.len(), &1)?;
        return same(
            "the code",
            &titles[0].starts_with(&format!("error[{code}]: ")),
            &true,
        );
    }
    same("titles after a sentence of git", &titles, &Vec::new())?;
    same("the first line", &text.starts_with("error: "), &true)?;
    let notes: Vec<_> = notes
        .into_iter()
        .filter(|note| !note.starts_with("note: closest match: "))
        .collect();
    same("notes", &notes.len(), &usize::from(!STATED.contains(&code)))?;
    if notes.is_empty() {
        return Ok(());
    }
    let new: Vec<_> = words(&notes)
        .difference(&words(&sentences))
        .cloned()
        .collect();
    same("a fact besides the sentence", &(new.len() > 1), &true)
        .map_err(|why| format!("{why}\n{text}"))
}

#[test]
fn every_code_of_a_patch_has_one_diagnosis() {
    each(&Case::of("problems"), |case| {
        let directory = TempDir::new().unwrap();
        let root = directory.path().join("tree");
        tree::write(&case.before, &root);
        let mut command = crate::world::wpatch();
        command
            .args(["apply", "--durability", "none"])
            .args(case.settings.arguments());
        let output = fed(
            command
                .args(case.settings.own_arguments())
                .current_dir(&root),
            &case.patch,
        );
        let text = String::from_utf8(output.stderr).unwrap();
        let (code, is_warning) = match (&case.settings.code, &case.settings.warning) {
            (Some(code), _) => (code, false),
            (None, Some(code)) => (code, true),
            (None, None) => return Err("no code".to_owned()),
        };
        is_single(code, is_warning, &text).map_err(|why| format!("{why}\n{text}"))
    });
}

/// Returns a repository with a changed file `f` and an untracked file.
fn repository() -> TempDir {
    let root = TempDir::new().unwrap();
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=n", "-c", "user.email=e@x"]);
        command.args(["-c", "core.autocrlf=false"]).args(arguments);
        let status = command.current_dir(root.path()).output().unwrap().status;
        assert!(status.success(), "{arguments:?}");
    };
    git(&["init", "-q"]);
    fs::write(root.path().join("f"), "one\n").unwrap();
    git(&["add", "f"]);
    git(&["commit", "-qm", "m"]);
    fs::write(root.path().join("f"), "other\n").unwrap();
    fs::write(root.path().join("untracked"), "one\n").unwrap();
    root
}

#[cfg(unix)]
#[test]
fn every_code_of_an_index_has_one_diagnosis() {
    let change = |name: &str| format!("--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-one\n+two\n");
    let blob = "1".repeat(40);
    let unknown = format!(
        "diff --git a/f b/f\nindex {blob}..{blob} 100644\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-x\n+y\n"
    );
    let cases: [(&str, &[&str], &str, usize); 5] = [
        (
            &change("f"),
            &["--index"],
            "error: f: does not match index\n",
            0,
        ),
        (
            &change("untracked"),
            &["--index"],
            "error: untracked: does not exist in index\n",
            0,
        ),
        (
            &change("untracked"),
            &["--cached"],
            "error: untracked: does not exist in index\n",
            0,
        ),
        (
            &change("gone"),
            &["--index"],
            "error: gone: does not exist in index\n",
            0,
        ),
        (&unknown, &["--3way"], "", 1),
    ];
    for (patch, options, sentence, titles) in cases {
        let root = repository();
        let mut command = crate::world::wpatch();
        command.arg("apply").args(options).current_dir(root.path());
        let text = String::from_utf8(fed(&mut command, patch.as_bytes()).stderr).unwrap();
        assert!(text.starts_with(sentence), "{text}");
        let count = text
            .lines()
            .filter(|line| line.starts_with("error["))
            .count();
        assert!(count <= titles, "{text}");
    }
}

#[test]
fn a_digest_refusal_names_the_file_that_has_the_digest() {
    for kind in ["copy", "rename"] {
        let patch =
            format!("diff --git a/a b/c\nsimilarity index 100%\n{kind} from a\n{kind} to c\n");
        let document =
            serde_json::json!({ "patch": patch, "expected_hash": format!("sha256:{:064}", 0) });
        let report = Desk::with(&[("a", b"1\n")]).says(&["check"], document.to_string().as_bytes());
        assert_eq!(
            (&report["error"]["path"], &report["files"][0]["path"]),
            (&"a".into(), &"c".into()),
            "{report:#}"
        );
    }
}
