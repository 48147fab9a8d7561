//! `--only`: some files and hunks of a patch.

mod lines;
mod part_approval;

use serde_json::{Value, json};

use crate::systems::Desk;

/// A hunk that adds lines above a second one, which goes to one of many equal places, and a third
/// one.
const REPEATED: &str = "\
--- a/a
+++ b/a
@@ -1,2 +1,6 @@
 top
+1
+2
+3
+4
 {
@@ -10,3 +14,3 @@
 {
-x
+X
 }
@@ -18,3 +22,3 @@
 {
-x
+Y
 }
";

/// A rename with two hunks and another mode, a new file, a deletion, a mode.
const FILES: &str = "\
diff --git a/old b/moved
old mode 100644
new mode 100755
similarity index 50%
rename from old
rename to moved
--- a/old
+++ b/moved
@@ -1,3 +1,3 @@
-1
+one
 2
 3
@@ -7,3 +7,3 @@
 7
 8
-9
+nine
diff --git a/made b/made
new file mode 100644
--- /dev/null
+++ b/made
@@ -0,0 +1 @@
+hi
diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-bye
diff --git a/run b/run
old mode 100644
new mode 100755
";

fn repeated() -> String {
    format!("top\n{}", "{\nx\n}\n\n".repeat(6))
}

fn desk() -> Desk {
    Desk::with(&[
        ("old", b"1\n2\n3\n4\n5\n6\n7\n8\n9\n"),
        ("gone", b"bye\n"),
        ("run", b"#!\n"),
        ("a", repeated().as_bytes()),
    ])
}

fn ids(report: &Value) -> Value {
    let hunks = |file: &Value| -> Value {
        file["hunks"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["id"].clone())
            .collect()
    };
    report["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| json!([file["id"], hunks(file)]))
        .collect()
}

#[test]
fn hunks_go_where_they_would_go_together() {
    let whole = desk().does(&["check"], REPEATED.as_bytes())["files"][0]["hunks"].clone();
    for (list, hunk, line) in [("f1h2", 1, "X"), ("f1h3", 2, "Y")] {
        let desk = desk();
        let report = desk.does(&["apply", "--only", list], REPEATED.as_bytes());
        let chosen = &report["files"][0]["hunks"][0];
        assert_eq!(chosen["patch"], whole[hunk]["patch"]);
        assert_eq!(
            chosen["applied"]["old_start"], whole[hunk]["applied"]["old_start"],
            "{list}"
        );
        assert_eq!(
            (&chosen["offset"], &chosen["status"]),
            (&json!(0), &json!("clean")),
            "{list}"
        );
        let mut lines: Vec<_> = repeated().lines().map(str::to_owned).collect();
        lines[10 + (hunk - 1) * 8] = line.to_owned();
        assert_eq!(
            String::from_utf8(desk.bytes("a")).unwrap(),
            lines.join("\n") + "\n",
            "{list}"
        );
    }
}

#[test]
fn names_stay_those_of_the_whole_patch() {
    let desk = desk();
    let report = desk.does(&["check", "--only", "f1h2,3"], FILES.as_bytes());
    assert_eq!(ids(&report), json!([["f1", ["f1h2"]], ["f3", ["f3h1"]]]));
    let left_out = json!([{"id": "f1h1", "path": "moved"}, {"id": "f2", "path": "made"}, {"id": "f4", "path": "run"}]);
    assert_eq!(report["left_out"], left_out);
    assert_eq!(report["summary"]["hunks"], 2);
    let again = desk.does(&["check", "--only", "f3,f1h2,f1h2"], FILES.as_bytes());
    assert_eq!(
        (&again["plan_id"], &again["files"]),
        (&report["plan_id"], &report["files"])
    );
    let applied = desk.does(&["apply", "--only", "3,f1h2"], FILES.as_bytes());
    assert_eq!(applied["plan_id"], report["plan_id"]);
    assert_eq!(desk.bytes("moved"), b"1\n2\n3\n4\n5\n6\n7\n8\nnine\n");
    assert!(
        !desk.path("old").exists() && !desk.path("gone").exists() && !desk.path("made").exists()
    );
}

#[test]
fn a_rename_and_a_mode_come_with_any_hunk() {
    let desk = desk();
    let file = desk.does(&["check", "--only", "f1h1"], FILES.as_bytes())["files"][0].clone();
    assert_eq!(
        json!([file["op"], file["from"], file["mode"]["new"], file["added"]]),
        json!(["rename", "old", "100755", 1])
    );
    let all = desk.does(&["check"], FILES.as_bytes())["plan_id"].clone();
    for list in ["1-4", "f4,f3,f2,f1h2,f1h1", "4,1-2,2-3"] {
        assert_eq!(
            desk.does(&["check", "--only", list], FILES.as_bytes())["plan_id"],
            all,
            "{list}"
        );
    }
}

#[test]
fn what_does_not_fit_and_is_left_out_is_no_problem() {
    let desk = desk();
    let patch = REPEATED.replace("-x\n+X", "-nowhere\n+X");
    desk.refuses("not_found", &["apply"], patch.as_bytes());
    let error = desk.refuses("not_found", &["apply", "--only", "f1h2"], patch.as_bytes());
    assert_eq!(error["hunk"], 2);
    desk.does(&["apply", "--only", "f1h1,f1h3"], patch.as_bytes());
    assert!(desk.bytes("a").contains(&b'Y'));
}

#[test]
fn a_choice_of_what_is_not_there_says_how_much_there_is() {
    let desk = desk();
    for (list, message) in [
        ("5", "5 is not a file of the patch, which has 4 files"),
        ("0", "0 is not a file of the patch, which has 4 files"),
        (
            "1-99999999999999999999999",
            "1-99999999999999999999999 is not a file of the patch, which has 4 files",
        ),
        ("f5h1", "f5h1 is not a file of the patch, which has 4 files"),
        ("f1h3", "f1h3 is not a hunk of its file, which has 2 hunks"),
        ("f1h0", "f1h0 is not a hunk of its file, which has 2 hunks"),
        (
            "f4h1",
            "f4h1 is not a hunk of a diff; select the whole file with f4",
        ),
    ] {
        for command in ["check", "apply"] {
            let error = desk.refuses("usage", &[command, "--only", list], FILES.as_bytes());
            assert_eq!(error["message"], message, "{list}");
        }
    }
    for list in ["", "x", "1,", "-1", "1 2", "1,3-2"] {
        desk.refuses("usage", &["check", "--only", list], FILES.as_bytes());
    }
    let error = desk.refuses("usage", &["check", "--only", "3-2"], FILES.as_bytes());
    let message = error["message"].as_str().unwrap();
    assert!(message.ends_with("the range 3-2 is reversed; write the smaller number first"));
}

#[test]
fn numbers_are_those_of_a_check_with_the_same_options() {
    let desk = desk();
    let moved = |list| ["apply", "--exclude", "moved", "--only", list, "--check"];
    let report = desk.does(&moved("1"), FILES.as_bytes());
    assert_eq!(
        (ids(&report), &report["left_out"][0]["path"]),
        (json!([["f1", ["f1h1"]]]), &json!("gone"))
    );
    desk.refuses("usage", &moved("4"), FILES.as_bytes());
    desk.does(&["apply"], FILES.as_bytes());
    let reversed = desk.does(&["apply", "-R", "--only", "2"], FILES.as_bytes());
    assert_eq!(
        json!([reversed["files"][0]["path"], reversed["files"][0]["op"]]),
        json!(["gone", "create"])
    );
    desk.does(&["apply", "-R", "--only", "f4h1"], FILES.as_bytes());
    assert_eq!(desk.bytes("old"), b"1\n2\n3\n4\n5\n6\n7\n8\nnine\n");
}

#[test]
fn repaired_patches_have_the_names_that_their_check_shows() {
    let desk = Desk::with(&[("a", b"one\ntwo\n"), ("b", b"three\n")]);
    let patch = "Sure:\n```diff\n--- a/a\n+++ b/a\n@@ -9,9 +9,9 @@\n-one\n+1\n two\n--- a/b\n+++ b/b\n@@ -1,7 +1 @@\n-three\n+3\n```\n";
    let shown = desk.does(&["check", "--lenient"], patch.as_bytes());
    assert_eq!(ids(&shown), json!([["f1", ["f1h1"]], ["f2", ["f2h1"]]]));
    let report = desk.does(&["apply", "--lenient", "--only", "f2h1"], patch.as_bytes());
    assert_eq!(
        (&report["files"][0]["id"], &report["left_out"][0]["id"]),
        (&json!("f2"), &json!("f1"))
    );
    assert_eq!(
        (desk.bytes("a"), desk.bytes("b")),
        (b"one\ntwo\n".to_vec(), b"3\n".to_vec())
    );
}

#[test]
fn a_repair_names_its_file_as_the_list_of_files_does() {
    let desk = Desk::with(&[("a", b"one\ntwo\n"), ("b", b"three\n")]);
    let patch = "Sure:\n```diff\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n--- a/b\n+++ b/b\n\
                 @@ -1,7 +1 @@\n-three\n+3\n```\n";
    for options in [&[][..], &["--only", "f2"], &["--exclude", "a"]] {
        let options = [&["check", "--lenient"], options].concat();
        let report = desk.does(&options, patch.as_bytes());
        let files = report["files"].as_array().unwrap();
        let of_b = files.iter().find(|file| file["path"] == "b").unwrap();
        let repair = &report["inputs"][0]["repairs"][1];
        assert_eq!(
            (&repair["code"], &repair["file"]),
            (&json!("counts"), &of_b["id"]),
            "{options:?}"
        );
    }
}

#[test]
fn every_grammar_can_be_chosen_from() {
    let desk = || Desk::with(&[("a", b"one\ntwo\none\ntwo\n"), ("b", b"x\n")]);
    let codex = "*** Begin Patch\n*** Update File: a\n@@\n one\n-two\n+2\n@@\n one\n-two\n+zwei\n*** Delete File: b\n*** End Patch\n";
    let json = r#"{"replace":[{"path":"a","content":"A\n"},{"path":"b","content":"B\n"},{"path":"c","content":"C\n"}]}"#;
    let hashline = |tag: &str| format!("[a#{tag}]\nCUT 1.=1\nPUT 2.=2:\n+2\n[b#{tag}]\nREM\n");
    for (patch, list, expected) in [
        // Alone, the second would be the first place.
        (codex, "f1h2", json!(["one\ntwo\none\nzwei\n", "x\n"])),
        (codex, "f1h1", json!(["one\n2\none\ntwo\n", "x\n"])),
        (codex, "2", json!(["one\ntwo\none\ntwo\n", null])),
        (json, "2-3", json!(["one\ntwo\none\ntwo\n", "B\n"])),
    ] {
        let desk = desk();
        desk.does(&["apply", "--only", list], patch.as_bytes());
        let read = |name: &str| fs_err::read_to_string(desk.path(name)).ok();
        assert_eq!(json!([read("a"), read("b")]), expected, "{list}");
    }
    desk().refuses("usage", &["apply", "--only", "f1h1"], json.as_bytes());
    let desk = desk();
    let tag = desk.says(&["read", "a", "--hashline"], b"");
    let tag = tag["content"].as_str().unwrap()[3..7].to_owned();
    desk.refuses(
        "usage",
        &["apply", "--only", "f1h1"],
        hashline(&tag).as_bytes(),
    );
    desk.does(&["apply", "--only", "f1"], hashline(&tag).as_bytes());
    assert_eq!(desk.bytes("a"), b"2\none\ntwo\n");
}

#[test]
fn the_digest_that_is_expected_is_that_of_the_first_step_that_is_chosen() {
    let desk = Desk::with(&[("a", b"1\n2\n")]);
    let block = |old, new| format!("a\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n");
    let blocks = block("1", "one") + &block("2", "two");
    let hash = wpatch::digest::Sha256::of(b"1\n2\n").to_string();
    let wrong = wpatch::digest::Sha256::of(b"").to_string();
    desk.refuses(
        "stale",
        &["apply", "--only", "2", "--expect-hash", &wrong],
        blocks.as_bytes(),
    );
    desk.does(
        &["apply", "--only", "2", "--expect-hash", &hash],
        blocks.as_bytes(),
    );
    assert_eq!(desk.bytes("a"), b"1\ntwo\n");
}
