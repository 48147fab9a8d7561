//! The selection of lines of a hunk, such as `f1h2:3-5`.

use similar::TextDiff;
use wpatch::engine::{self, Request};
use wpatch::path::RelPath;
use wpatch::transaction::Interrupt;
use wpatch::workspace::memory::{Entry, Memory};

use crate::dice::Dice;
use crate::systems::Desk;

/// Line 1 is context, 2 to 4 are deletions, 5 and 6 are insertions, 7 is context.
const PATCH: &str = "\
--- a/f
+++ b/f
@@ -1,5 +1,4 @@
 top
-a
-b
-c
+A
+B
 end
";
const OLD: &[u8] = b"top\na\nb\nc\nend\n";
const NEW: &[u8] = b"top\nA\nB\nend\n";

#[test]
fn only_the_selected_lines_change() {
    for (list, expected) in [
        ("f1h1:2", "top\nb\nc\nend\n"),
        ("f1h1:4", "top\na\nb\nend\n"),
        ("f1h1:5", "top\na\nb\nc\nA\nend\n"),
        // A selected insertion replaces the selected deletion, also if other deletions follow.
        ("f1h1:2,f1h1:5", "top\nA\nb\nc\nend\n"),
        ("f1h1:3,f1h1:6", "top\na\nB\nc\nend\n"),
        ("f1h1:1-4", "top\nend\n"),
        ("f1h1:3-5", "top\na\nA\nend\n"),
        ("f1h1:2-3,f1h1:3-6", "top\nA\nB\nend\n"),
        ("f1h1:2,f1h1", "top\nA\nB\nend\n"),
        ("f1h1:2,1", "top\nA\nB\nend\n"),
    ] {
        let desk = Desk::with(&[("f", OLD)]);
        let checked = desk.does(&["check", "--only", list], PATCH.as_bytes());
        let applied = desk.does(&["apply", "--only", list], PATCH.as_bytes());
        assert_eq!(checked["plan_id"], applied["plan_id"]);
        assert_eq!(
            String::from_utf8(desk.bytes("f")).unwrap(),
            expected,
            "{list}"
        );
    }
    for (list, expected) in [
        ("f1h1:2", "top\na\nA\nB\nend\n"),
        ("f1h1:5", "top\nB\nend\n"),
        ("f1h1:2,f1h1:5", "top\na\nB\nend\n"),
        ("f1h1:3,f1h1:6", "top\nA\nb\nend\n"),
    ] {
        let desk = Desk::with(&[("f", NEW)]);
        desk.does(&["apply", "-R", "--only", list], PATCH.as_bytes());
        assert_eq!(
            String::from_utf8(desk.bytes("f")).unwrap(),
            expected,
            "{list}"
        );
    }
}

#[test]
fn the_report_counts_the_selected_lines_and_lists_the_others() {
    let desk = Desk::with(&[("f", OLD)]);
    let report = desk.does(&["check", "--only", "f1h1:3,f1h1:5"], PATCH.as_bytes());
    let file = &report["files"][0];
    assert_eq!(
        (&file["added"], &file["removed"]),
        (&1.into(), &1.into()),
        "{file:#}"
    );
    let ids: Vec<_> = report["left_out"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["f1h1:2", "f1h1:4", "f1h1:6"]);
    let others = ids.join(",");
    desk.does(&["apply", "--only", "f1h1:3,f1h1:5"], PATCH.as_bytes());
    assert_eq!(desk.bytes("f"), b"top\na\nA\nc\nend\n");
    // The ids can be used as a list.
    let desk = Desk::with(&[("f", OLD)]);
    desk.does(&["apply", "--only", &others], PATCH.as_bytes());
    assert_eq!(desk.bytes("f"), b"top\nb\nB\nend\n");
}

#[test]
fn a_part_of_a_new_a_deleted_and_a_moved_file() {
    let patch = "\
diff --git a/new b/new
new file mode 100644
--- /dev/null
+++ b/new
@@ -0,0 +1,3 @@
+1
+2
+3
diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1,3 +0,0 @@
-1
-2
-3
diff --git a/old b/moved
rename from old
rename to moved
--- a/old
+++ b/moved
@@ -1,2 +1,2 @@
-1
-2
+one
+two
";
    let list = "f1h1:1,f1h1:3,f2h1:2,f3h1:2,f3h1:4";
    let desk = Desk::with(&[("gone", b"1\n2\n3\n"), ("old", b"1\n2\n")]);
    desk.does(&["apply", "--only", list], patch.as_bytes());
    assert_eq!(desk.bytes("new"), b"1\n3\n");
    assert_eq!(desk.bytes("gone"), b"1\n3\n");
    assert_eq!(desk.bytes("moved"), b"1\ntwo\n");
    let desk = Desk::with(&[("gone", b"1\n2\n3\n"), ("old", b"1\n2\n")]);
    desk.does(&["apply", "--only", "f2h1:1-3"], patch.as_bytes());
    assert!(!desk.path("gone").exists());
}

#[test]
fn lines_of_other_grammars() {
    let desk = Desk::with(&[("f", OLD)]);
    let codex =
        "*** Begin Patch\n*** Update File: f\n@@\n top\n-a\n+A\n b\n-c\n+C\n*** End Patch\n";
    desk.does(&["apply", "--only", "f1h1:5-6"], codex.as_bytes());
    assert_eq!(desk.bytes("f"), b"top\na\nb\nC\nend\n");
    let blocks = "f\n<<<<<<< SEARCH\na\n=======\nA\n>>>>>>> REPLACE\n";
    let error = desk.refuses("usage", &["apply", "--only", "f1h1:1"], blocks.as_bytes());
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains("select the whole file with f1"),
        "{message}"
    );
}

#[test]
fn lines_that_cannot_be_selected_are_named() {
    let desk = Desk::with(&[("f", OLD)]);
    for (list, expected) in [
        ("f1h1:0", "f1h1:0 is not in its hunk, which has 7 lines"),
        ("f1h1:", "`f1h1:` is not a number, range or id"),
        ("f1h1:2-", "`f1h1:2-` is not a number, range or id"),
        ("f1:2", "`f1:2` is not a number, range or id"),
        ("f1h1:3-2", "the range f1h1:3-2 is reversed"),
        ("f1h1:2-8", "f1h1:2-8 is not in its hunk, which has 7 lines"),
        (
            "f1h2:1",
            "f1h2:1 is not a hunk of its file, which has 1 hunk",
        ),
        (
            "f1h1:1,f1h1:2",
            "f1h1:1 contains no line that the hunk deletes or inserts",
        ),
    ] {
        let output = desk.runs(&["apply", "--only", list], PATCH.as_bytes());
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{list}: {errors}");
        assert!(errors.contains(expected), "{list}: {errors}");
        assert_eq!(desk.bytes("f"), OLD);
    }
    let patch = "--- a/f\n+++ b/f\n@@ -1 +1,2 @@\n-a\n\\ No newline at end of file\n+a\n+b\n";
    let desk = Desk::with(&[("f", b"a")]);
    let error = desk.refuses("usage", &["apply", "--only", "f1h1:4"], patch.as_bytes());
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains("the line f1h1:1 would be inside the file"),
        "{message}"
    );
    desk.does(&["apply", "--only", "f1h1:1-3"], patch.as_bytes());
    assert_eq!(desk.bytes("f"), b"a\n");
}

/// Returns the lines of each hunk of a diff, with their markers.
fn bodies(diff: &str) -> Vec<Vec<&str>> {
    let mut bodies: Vec<Vec<&str>> = Vec::new();
    for line in diff.split_inclusive('\n').skip(2) {
        match bodies.last_mut() {
            Some(body) if !line.starts_with("@@") => body.push(line),
            _ => bodies.push(Vec::new()),
        }
    }
    bodies
}

/// Returns the list that selects the changed lines with the numbers `selected`, counted over all
/// hunks from 0.
fn list(diff: &str, selected: &[bool]) -> String {
    let mut words = Vec::new();
    let mut number = 0;
    for (hunk, body) in bodies(diff).iter().enumerate() {
        for (line, text) in body.iter().enumerate() {
            if text.starts_with(['-', '+']) {
                if selected[number] {
                    words.push(format!("f1h{}:{}", hunk + 1, line + 1));
                }
                number += 1;
            }
        }
    }
    words.join(",")
}

/// Returns the file after the selected changes of a diff that contains the whole file, or `None` if
/// they join two lines. `old` and `new` are the markers of the lines before and after the change.
fn expected(diff: &str, selected: &[bool], (old, new): (char, char)) -> Option<String> {
    let body = bodies(diff).concat();
    let mut lines = Vec::new();
    for (index, line) in body.iter().enumerate() {
        let is_open = body
            .get(index + 1)
            .is_some_and(|next| next.starts_with('\\'));
        let end = line.len() - usize::from(is_open);
        lines.push((line.chars().next().unwrap(), &line[1..end]));
    }
    lines.retain(|(marker, _)| *marker != '\\');
    let (mut result, mut number, mut index) = (Vec::new(), 0, 0);
    while index < lines.len() {
        if lines[index].0 == ' ' {
            result.push(lines[index].1);
            index += 1;
            continue;
        }
        // A run of `-` lines, and then a run of `+` lines.
        let start = index;
        for marker in ['-', '+'] {
            while lines.get(index).is_some_and(|line| line.0 == marker) {
                index += 1;
            }
        }
        let block: Vec<_> = (start..index)
            .map(|at| (lines[at].0, lines[at].1, selected[number + at - start]))
            .collect();
        number += block.len();
        let of = |marker| block.iter().filter(move |line| line.0 == marker);
        let olds: Vec<_> = of(old).collect();
        let last = olds.iter().rposition(|line| line.2);
        let split = last.unwrap_or(if old == '-' { olds.len() } else { 0 });
        let kept = |line: &&&(char, &str, bool)| !line.2;
        result.extend(olds[..split].iter().filter(kept).map(|line| line.1));
        result.extend(of(new).filter(|line| line.2).map(|line| line.1));
        result.extend(olds[split..].iter().filter(kept).map(|line| line.1));
    }
    let mut inside = result.iter().rev().skip(1);
    let are_separate = inside.all(|line| line.ends_with('\n'));
    are_separate.then(|| result.concat())
}

/// Returns the file after the selected lines of `diff`, or `None` if they would join two lines.
fn applied(file: &str, diff: &str, list: &str, reverse: bool) -> Option<Entry> {
    let (memory, path) = (Memory::new(), RelPath::new(b"f").unwrap());
    memory.put(&path, &Entry::file(file));
    let mut request = Request::of(diff);
    (request.decide.only, request.decide.reverse) = (Some(list.parse().unwrap()), reverse);
    let outcome = engine::apply(request, &memory, &Interrupt::new());
    if !outcome.report.ok {
        let error = outcome.report.error.unwrap();
        assert!(
            error.message.contains("would be inside the file"),
            "{}",
            error.message
        );
        return None;
    }
    memory.files().remove(&path)
}

#[test]
fn any_selection_gives_the_selected_changes() {
    let mut dice = Dice::new(34);
    for round in 0..2000 {
        let text = |dice: &mut Dice| -> String {
            let lines = (0..dice.below(12)).map(|_| dice.one(&["a\n", "b\n", "c\n", "\n"]));
            let text: String = lines.collect();
            let is_open = dice.once_in(4) && !text.ends_with("\n\n") && text.len() > 1;
            if is_open {
                text.trim_end().to_owned()
            } else {
                text
            }
        };
        let (old, new) = (text(&mut dice), text(&mut dice));
        if old == new {
            continue;
        }
        let diff = |radius| {
            let diff = TextDiff::from_lines(&old, &new);
            let mut diff = diff.unified_diff();
            diff.context_radius(radius).header("a/f", "b/f").to_string()
        };
        let whole = diff(usize::MAX / 2);
        let changed = bodies(&whole).concat();
        let changed = changed.iter().filter(|line| line.starts_with(['-', '+']));
        let selected: Vec<_> = changed.map(|_| dice.once_in(2)).collect();
        if !selected.contains(&true) {
            continue;
        }
        for (file, markers, reverse) in [(&old, ('-', '+'), false), (&new, ('+', '-'), true)] {
            let expected = expected(&whole, &selected, markers);
            for diff in [&whole, &diff(1)] {
                let found = applied(file, diff, &list(diff, &selected), reverse);
                let place = format!("round {round}: {file:?} {selected:?} {reverse}\n{diff}");
                let expected = expected.as_ref().map(|text| Entry::file(&**text));
                assert_eq!(found, expected, "{place}");
            }
        }
    }
}
