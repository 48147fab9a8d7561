//! Patches that are small for what they ask, or large: each ends in little time and memory.

use std::fmt::Write as _;

use wpatch::path::{MAX_DEPTH, RelPath};
use wpatch::text::tag::HashlineTag;

use super::place::Place;
use crate::tree::{Node, Tree};

mod binary;
mod hunks;

/// A limit that is met soon: what is made up to it takes its time where nothing is built to be
/// quick.
const LOW: &[&str] = &["--json", "--max-growth=4000000"];

/// Checks and applies `patch`; each has to end with the problem `code`, or well without one, within
/// its means.
fn ends(files: &[(&str, String)], patch: &str, code: Option<&str>) {
    ends_with(&["--json"], files, patch, code);
}

fn ends_with(options: &[&str], files: &[(&str, String)], patch: &str, code: Option<&str>) {
    let tree: Tree = files
        .iter()
        .map(|(name, text)| {
            (
                RelPath::new(name.as_bytes()).unwrap(),
                Node::file(text.as_str()),
            )
        })
        .collect();
    for command in ["check", "apply"] {
        let place = Place::new(&tree);
        let before = place.traces();
        let arguments: Vec<_> = [command]
            .iter()
            .chain(options)
            .map(ToString::to_string)
            .collect();
        let output = place.run(&arguments, patch.as_bytes());
        let report = Place::report(&output);
        assert_eq!(
            report["error"]["code"].as_str(),
            code,
            "{command}: {}",
            report["error"]
        );
        place.is_safe(&output).unwrap();
        if let Some(code) = code {
            let help = report["error"]["help"].as_str().unwrap_or_default();
            let is_limit = ["too_many", "inflated", "growth", "too_large"]
                .iter()
                .any(|limit| code.contains(limit));
            assert_eq!(
                help.starts_with("use --max-") && help.contains(" to raise the limit"),
                is_limit,
                "{code}: {help}"
            );
        }
        if code.is_some() || command == "check" {
            assert_eq!(place.traces().files(), before.files());
        }
    }
}

#[test]
fn a_text_that_is_replaced_everywhere_is_measured_before_it_is_made() {
    let edit =
        serde_json::json!({"path": "x", "old": "a", "new": "b".repeat(100_000), "all": true});
    let patch = serde_json::json!({ "edits": [edit] }).to_string();
    ends(
        &[("x", "a".repeat(1_000_000))],
        &patch,
        Some("wpatch::file::too_large"),
    );
}

#[test]
fn numbered_lines_cost_no_more_in_another_order() {
    const COUNT: usize = 8_000;
    let text = "x\n".repeat(COUNT);
    // The step has no factor in common with the count: every line comes once.
    let section = |operation: &dyn Fn(usize) -> String| {
        let operations: Vec<_> = (0..COUNT)
            .map(|nth| operation(nth * 7919 % COUNT + 1))
            .collect();
        format!(
            "[x#{}]\n{}",
            HashlineTag::of(text.as_bytes()),
            operations.concat()
        )
    };
    let files = || [("x", text.clone())];
    ends(
        &files(),
        &section(&|line| format!("PUT {line}.={line}:\n+x\n")),
        None,
    );
    ends(
        &files(),
        &section(&|line| format!("CUT {line}.={}\n", line + COUNT)),
        Some("wpatch::lines::not_found"),
    );
    ends(
        &files(),
        &section(&|line| format!("CUT {line}.={COUNT}\n")),
        Some("wpatch::lines::overlap"),
    );
    let again = section(&|line| {
        if line == 1 {
            format!("CUT 1.={COUNT} @x\n")
        } else {
            format!("PUT >{COUNT} @x\n")
        }
    });
    ends_with(
        &["--json", "--max-file=1000000"],
        &files(),
        &again,
        Some("wpatch::file::too_large"),
    );
}

fn create(name: &str) -> String {
    format!("diff --git a/{name} b/{name}\nnew file mode 100644\n")
}

fn copy(from: &str, to: &str) -> String {
    format!("diff --git a/{from} b/{to}\nsimilarity index 99%\ncopy from {from}\ncopy to {to}\n")
}

fn hunks(count: usize, hunk: impl Fn(usize) -> String) -> String {
    let mut patch = "--- a/x\n+++ b/x\n".to_owned();
    (0..count).for_each(|number| patch.push_str(&hunk(number)));
    patch
}

#[test]
fn copies_of_a_large_file_are_too_much() {
    let line = "x".repeat(63) + "\n";
    let text = format!("first\n{}", line.repeat(1 << 14));
    let change = format!("--- a/x\n+++ b/NAME\n@@ -1,2 +1,2 @@\n-first\n+changed\n {line}");
    let names = || (0..1000).map(|number| format!("copy{number}"));
    let changed: String = names()
        .map(|name| copy("x", &name) + &change.replace("NAME", &name))
        .collect();
    ends_with(
        LOW,
        &[("x", text.clone())],
        &changed,
        Some("wpatch::file::growth"),
    );
    let renamed = changed
        .replace("copy from", "rename from")
        .replace("copy to", "rename to");
    ends_with(
        LOW,
        &[("x", text.clone())],
        &renamed,
        Some("wpatch::file::growth"),
    );
    ends_with(
        LOW,
        &[("x", text)],
        &names().map(|name| copy("x", &name)).collect::<String>(),
        Some("wpatch::file::growth"),
    );
}

#[test]
fn more_files_than_the_limit_are_too_many() {
    let patch: String = (0..150_000)
        .map(|number| create(&number.to_string()))
        .collect();
    ends(&[], &patch, Some("wpatch::parse::too_many_files"));
    let sections: String = (0..150_000).fold(String::new(), |mut text, number| {
        let _ = writeln!(text, "*** Delete File: {number}");
        text
    });
    let envelope = format!("*** Begin Patch\n{sections}*** End Patch\n");
    ends(&[], &envelope, Some("wpatch::parse::too_many_files"));
}

#[test]
fn a_path_is_not_too_deep() {
    let path = "d/".repeat(100_000);
    ends(
        &[],
        &create(&format!("{path}x")),
        Some("wpatch::path::too_long"),
    );
    let deepest = "d".repeat(14) + "/";
    let files = |number: usize| create(&format!("{}{number}", deepest.repeat(MAX_DEPTH - 1)));
    ends(&[], &(0..300).map(files).collect::<String>(), None);
}

#[test]
fn a_guard_parses_what_is_deep_or_large() {
    let guarded = |name: &str, text: &str, code: Option<&str>| {
        let before = "[]".repeat(usize::from(!name.ends_with("toml"))) + "\n";
        let patch = format!("--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-{before}+{text}\n");
        ends_with(
            &["--json", "--guard", "syntax"],
            &[(name, before)],
            &patch,
            code,
        );
    };
    let broken = Some("wpatch::guard::syntax");
    let huge = 10_000_000;
    for (name, depth, code) in [
        ("a.json", huge, broken),
        ("a.yaml", huge, None),
        ("a.toml", huge, None),
        ("a.yaml", 4_000_000, broken),
        ("a.toml", 1_000_000, broken),
    ] {
        guarded(name, &"[".repeat(depth), code);
    }
    for unit in ["- ", "? ", "{a: ", "[a, "] {
        guarded("a.yaml", &unit.repeat(100_000), broken);
    }
    for unit in ["a.", "[[", "[1],"] {
        guarded("a.toml", &format!("x = [{}", unit.repeat(250_000)), broken);
    }
    let mut patch = "--- a/a.yaml\n+++ b/a.yaml\n@@ -1 +1,30 @@\n-a\n+l0: &l0 x\n".to_owned();
    for level in 1..30 {
        writeln!(
            patch,
            "+l{level}: &l{level} [{}]",
            vec![format!("*l{}", level - 1); 9].join(", ")
        )
        .unwrap();
    }
    ends_with(
        &["--json", "--guard", "syntax"],
        &[("a.yaml", "a\n".to_owned())],
        &patch,
        None,
    );
}

#[test]
fn a_page_costs_no_more_for_each_problem_where_there_are_many() {
    const COUNT: usize = 40_000;
    let hunk = |number: usize| format!("@@ -{0} +{0} @@\n-x\n+y\n", number + 1);
    let lines = (1..=COUNT)
        .map(|number| format!("{number}\n"))
        .collect::<Vec<_>>()
        .concat();
    let place = Place::new(&Tree::from([(
        RelPath::new(b"x").unwrap(),
        Node::file(lines),
    )]));
    let options = ["show", "--html", "--max-hunks=100000"].map(str::to_owned);
    let output = place.run(&options, hunks(COUNT, hunk).as_bytes());
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let page = String::from_utf8(output.stdout).unwrap();
    // One badge for the file, and one for each of 100 hunks.
    assert_eq!(page.matches(">hunk does not apply<").count(), 101);
    assert!(
        page.contains("39900 more hunks are not listed"),
        "{}",
        &page[..page.find("</header>").unwrap()]
    );
}
