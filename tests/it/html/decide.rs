//! The page on which a reviewer accepts and rejects the parts of a change.

use std::process::Command;

use ::fs_err as fs;
use base64::prelude::{BASE64_STANDARD, Engine as _};
use scraper::Html;
use sha2::{Digest as _, Sha256};
use wpatch::engine;
use wpatch::report::print_html;
use wpatch::workspace::memory::{Entry, Memory};

use super::{CHANGE, DECISION_ELEMENTS, all, parsed_with, path, request, texts};
use crate::systems::Desk;

/// The file that `CHANGE` changes.
const FRUIT: &[u8] = b"1\n2\none\ntwo apples\nthree\n";

/// A rename with two hunks, and a new file.
const MIXED: &str = "\
diff --git a/old b/moved
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
";

fn decision_page(files: &[(&str, &[u8])], patch: impl Into<Vec<u8>>) -> (String, Html) {
    let files = files
        .iter()
        .map(|(name, content)| (path(name.as_bytes()), Entry::file(content.to_vec())));
    let workspace = Memory::with_files(files);
    let preview = engine::render_page(request(patch), &workspace);
    let mut out = Vec::new();
    print_html(&preview.decision_page(), &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    let page = parsed_with(&text, DECISION_ELEMENTS);
    (text, page)
}

/// Returns the values of the attribute `name` of the elements that match.
fn values(page: &Html, selector: &str, name: &str) -> Vec<String> {
    let elements = all(page, selector).into_iter();
    elements
        .filter_map(|element| element.value().attr(name).map(str::to_owned))
        .collect()
}

/// Returns the ids of the choices on a page.
fn ids(page: &Html) -> Vec<String> {
    values(page, "fieldset.decide", "data-id")
}

/// Returns a root with the files of [`MIXED`].
fn desk() -> Desk {
    Desk::with(&[("old", b"1\n2\n3\n4\n5\n6\n7\n8\n9\n")])
}

/// Returns the page that the program prints.
fn printed(desk: &Desk, options: &[&str], patch: &[u8]) -> Html {
    let output = desk.runs(&[&["show", "--html", "--decide"], options].concat(), patch);
    assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]));
    parsed_with(
        std::str::from_utf8(&output.stdout).unwrap(),
        DECISION_ELEMENTS,
    )
}

#[test]
fn only_the_script_of_the_page_is_allowed_to_run() {
    let (_, page) = decision_page(&[("list", FRUIT)], CHANGE);
    let text = |selector: &str| -> String { all(&page, selector)[0].text().collect() };
    let hash = |text: String| BASE64_STANDARD.encode(Sha256::digest(text));
    let expected = format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; img-src data:; \
         base-uri 'none'; form-action 'none'",
        hash(text("style")),
        hash(text("script"))
    );
    let policy = values(&page, "meta[http-equiv=Content-Security-Policy]", "content");
    assert_eq!(policy, [expected]);
    assert_eq!(all(&page, "script, style").len(), 2);
}

#[test]
fn the_ids_on_the_page_are_those_that_can_be_selected() {
    let desk = desk();
    let blocks = "made2\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n";
    let edits = r#"{"edits":[{"path":"old","old":"1\n","new":"I\n"},{"path":"old","old":"9\n","new":"IX\n"}]}"#;
    for (patch, expected) in [
        (MIXED, &["f1", "f1h1", "f1h2", "f2"][..]),
        (blocks, &["f1"]),
        (edits, &["f1"]),
    ] {
        let page = printed(&desk, &[], patch.as_bytes());
        let mut found = ids(&page);
        found.sort_unstable();
        assert_eq!(found, expected);
        for id in found {
            desk.does(&["check", "--only", &id], patch.as_bytes());
        }
        // No other hunk can be selected.
        for file in 1..=3 {
            for hunk in 1..=3 {
                let id = format!("f{file}h{hunk}");
                let has_one = !expected.contains(&id.as_str());
                let is_only = expected.contains(&format!("f{file}").as_str()) && hunk == 1;
                if has_one && !is_only {
                    desk.refuses("usage", &["check", "--only", &id], patch.as_bytes());
                }
            }
        }
    }
}

#[test]
fn a_page_without_its_script_lists_the_ids_and_the_commands() {
    let desk = desk();
    let page = printed(&desk, &[], MIXED.as_bytes());
    let plan = &values(&page, "section", "data-plan")[0];
    let commands: String = all(&page, "#commands")[0].text().collect();
    let program = format!("wpatch{}", std::env::consts::EXE_SUFFIX);
    let expected = format!(
        "# Keep only the ids that you accept:\n\
         {program} apply --approve-part {plan} --only f2,f1h1,f1h2\n\
         # Reject the others, with reasons:\n\
         {program} reject {plan} --hunk ID=REASON"
    );
    assert_eq!(commands, expected);
    let choices = ["Accept", "Reject", "As the file"];
    assert_eq!(
        texts(&page, "[data-id=f1h2] label:not(.reason-text)"),
        choices
    );
    assert_eq!(texts(&page, "[data-id=f1h2] .reason-text"), ["Reason"]);
    // Only the script can copy.
    assert_eq!(
        all(&page, "button").len(),
        all(&page, "button[hidden]").len()
    );
}

#[test]
fn each_choice_has_a_name_for_screen_readers_and_starts_undecided() {
    let (_, page) = decision_page(&[("list", FRUIT)], CHANGE);
    let legends = [
        "Decision about the whole change",
        "Decision about the file f1",
    ];
    assert_eq!(texts(&page, "fieldset > legend"), legends);
    assert_eq!(values(&page, "fieldset input[checked]", "value"), ["", ""]);
    let names = values(&page, "fieldset input", "name");
    assert_eq!(names, ["d-all", "d-all", "d-all", "d-f1", "d-f1", "d-f1"]);
}

#[cfg(unix)]
#[test]
fn the_commands_on_the_page_apply_and_reject_the_parts() {
    let desk = desk();
    desk.does(&["init"], b"");
    fs::write(desk.path("it's.diff"), MIXED).unwrap();
    let page = printed(&desk, &["it's.diff"], b"");
    let data = |name: &str| values(&page, "section", name).remove(0);
    let run = |command: String| {
        let command = command.replacen("wpatch", env!("CARGO_BIN_EXE_wpatch"), 1);
        let mut shell = Command::new("sh");
        let status = shell
            .current_dir(desk.root())
            .args(["-c", &command])
            .status();
        assert_eq!(status.unwrap().code(), Some(0), "{command}");
    };
    run(data("data-before") + "f1h2,f2" + &data("data-after"));
    assert!(desk.bytes("moved").ends_with(b"nine\n") && desk.bytes("moved").starts_with(b"1\n"));
    desk.does(&["undo"], b"");
    run(data("data-approve"));
    assert!(desk.bytes("moved").starts_with(b"one\n"));
    // A reason can have line feeds.
    run(data("data-reject") + " --reason 'a\nb' --hunk 'f1h1=it'\\''s\n\"$(x)\"'");
    let log = desk.says(&["log"], b"");
    assert_eq!(log["entries"][0]["reason"], "a\nb");
}

#[test]
fn hostile_names_and_texts_cannot_act_on_a_page_with_a_script() {
    let names = [
        "\"><script>alert(1)</script>",
        "' onfocus='alert(1)' autofocus='",
        "</script><script>alert(1)</script>",
        "a\u{202e}b\nc",
        "&quot; data-approve=&quot;rm -rf",
    ];
    for name in names {
        let quoted: Vec<_> = name.bytes().map(|byte| format!("\\{byte:03o}")).collect();
        let quoted = quoted.concat();
        let patch = format!(
            "diff --git \"a/{quoted}\" \"b/{quoted}\"\nnew file mode 100644\n--- /dev/null\n\
             +++ \"b/{quoted}\"\n@@ -0,0 +1,2 @@ {0}\n+<script>alert(1)</script>\n+</textarea></pre>{0}\n",
            name.replace('\n', " ")
        );
        let (text, page) = decision_page(&[], patch);
        assert_eq!(all(&page, "script").len(), 1, "{name}");
        assert_eq!(text.matches("<script").count(), 1, "{name}");
        assert_eq!(ids(&page), ["f1"]);
    }
}

#[test]
fn a_change_that_cannot_be_made_has_no_choices_and_no_script() {
    let (text, page) = decision_page(&[("list", b"other\n")], CHANGE);
    assert_eq!(ids(&page), [""; 0]);
    assert!(!text.contains("<script"));
    let note = "The change cannot be made, so there is nothing to decide.";
    assert!(texts(&page, "header .word").contains(&note.to_owned()));
}

#[test]
fn a_change_that_is_not_shown_completely_has_no_choices() {
    let files: Vec<_> = (0..2001)
        .map(|n| format!("--- /dev/null\n+++ b/f{n}\n@@ -0,0 +1 @@\n+x\n"))
        .collect();
    let (_, page) = decision_page(&[], files.concat());
    assert_eq!(ids(&page), [""; 0]);
    let note = "The page does not show all files, so the change cannot be decided here.";
    assert!(texts(&page, "header .word").contains(&note.to_owned()));
}

#[cfg(unix)]
#[test]
fn a_decision_needs_a_whole_patch_that_is_not_applied_yet() {
    let desk = desk();
    desk.does(&["init"], b"");
    desk.does(&["apply"], MIXED.as_bytes());
    let log = desk.says(&["log"], b"");
    let change = log["entries"][0]["id"].as_str().unwrap();
    let plan = format!("sha256:{}", "0".repeat(64));
    for (arguments, message) in [
        (
            &["show", "--html", "--decide", change][..],
            format!("--decide needs a patch, and {change} is a change of the history"),
        ),
        (
            &["show", "--html", "--decide", &plan],
            format!("{plan} is the plan_id of a plan; name the patch of the plan instead"),
        ),
        (&["show", "--decide"], "--html".to_owned()),
        (
            &["show", "--html", "--decide", "--only", "f1"],
            "--only".to_owned(),
        ),
    ] {
        let output = desk.runs(arguments, MIXED.as_bytes());
        let words = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), &*output.stdout), (Some(2), &b""[..]));
        assert!(words.contains(&message), "{words}");
    }
}
