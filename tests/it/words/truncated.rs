//! Patches that end too early: each grammar says to send the complete patch, to people and to
//! models.

use serde_json::json;

use super::spoken;
use crate::systems::Desk;

const FILE: &str = "one\ntwo\nthree\n";

/// A complete patch of each grammar for the file `f`.
const PATCHES: [&str; 8] = [
    "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
    "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
    "*** f\n--- f\n***************\n*** 1,3 ****\n  one\n! two\n  three\n--- 1,3 ----\n  one\n! 2\n  three\n",
    "2,3c2,3\n< two\n< three\n---\n> 2\n> 3\n",
    "*** Begin Patch\n*** Update File: f\n@@\n one\n-two\n+2\n*** End Patch\n",
    "f\n<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE\n",
    "{\n\"edits\": [\n{\"path\": \"f\", \"old\": \"two\", \"new\": \"2\"}\n]\n}\n",
    "diff --git a/b b/b\nnew file mode 100644\nindex 0000000000000000000000000000000000000000..718882ce3e4b770a94fed2050e5fb06aac7af37d\nGIT binary patch\nliteral 2\nJcmZRm0001b0C@la\n\nliteral 0\nHcmV?d00001\n\n",
];

#[test]
fn a_patch_that_was_cut_off_after_a_line_is_to_be_sent_again() {
    let desk = Desk::with(&[("f", FILE.as_bytes())]);
    let mut cuts = 0;
    for patch in PATCHES {
        let lines: Vec<_> = patch.split_inclusive('\n').collect();
        for count in 1..lines.len() {
            let cut = lines[..count].concat();
            // A normal diff does not name its file.
            let arguments: &[&str] = if patch == PATCHES[3] {
                &["check", "--file", "f"]
            } else {
                &["check"]
            };
            let output = desk.runs(arguments, cut.as_bytes());
            // What is left can be a patch, or no part of one.
            let is_start =
                count == 1 || cut.ends_with("new file mode 100644\n") || cut.ends_with("7af37d\n");
            if output.status.success() || is_start {
                continue;
            }
            let words = String::from_utf8(output.stderr).unwrap();
            assert!(
                words.contains("provide the complete patch"),
                "{cut}\n{words}"
            );
            assert!(!words.contains("--recount"), "{cut}\n{words}");
            cuts += 1;
        }
    }
    assert!(cuts >= 30, "{cuts}");
}

#[test]
fn a_model_is_told_to_send_the_complete_patch() {
    for patch in PATCHES {
        let desk = Desk::with(&[("f", FILE.as_bytes())]);
        let lines: Vec<_> = patch.split_inclusive('\n').collect();
        let cut = lines[..lines.len() - 1].concat();
        for lenient in [false, true] {
            let arguments = json!({"patch": cut, "lenient": lenient});
            let result = desk.serves(&[], &[("check_patch", arguments)])[0].take();
            let (is_refused, answer) = (result["isError"] == true, result.to_string());
            assert!(
                !is_refused || answer.contains("provide the complete patch"),
                "{lenient} {cut}\n{answer}"
            );
            assert!(
                is_refused || patch == PATCHES[7],
                "{lenient} {cut}\n{answer}"
            );
        }
    }
}

#[test]
fn a_last_line_without_a_newline_may_be_cut_off() {
    let root = Desk::with(&[("f", FILE.as_bytes())]);
    for (patch, advice) in [
        (
            "--- a/f\n+++ b/f\n@@ -1,3 +1,",
            "if the patch ends in the middle of this line, provide the complete patch",
        ),
        (
            "*** Begin Patch\n*** Update File: f\n@@\n-two\n*** End P",
            "if the patch ends in the middle of this line,",
        ),
        (
            "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-one\n+1",
            "add a final newline",
        ),
    ] {
        let words = spoken(&root.root(), &["check"], patch);
        assert!(words.contains(advice), "{patch}\n{words}");
    }
    let words = spoken(
        &root.root(),
        &["check"],
        r#"{"edits":[{"path":"f","olds":"two","new":"2"}]}"#,
    );
    assert!(
        words.contains("expected `path`, `old`") && !words.contains("ends in the middle"),
        "{words}"
    );
}
