//! Edits of hunks in the user's editor.

use fs_err as fs;
use rustix::termios::{LocalModes, tcgetattr};

use super::{Desk, FILES, PATCH, Review};
use crate::terminal::wpatch;
use crate::tree;

/// Starts a review in which `sed -i SCRIPT` is the editor.
fn with_editor(desk: &Desk, patch: &str, script: &str) -> Review {
    with_command(desk, patch, &format!("sed -i '{script}'"))
}

/// Starts a review with this editor.
fn with_command(desk: &Desk, patch: &str, editor: &str) -> Review {
    fs::write(desk.root().join("../change.diff"), patch).unwrap();
    let verify = "test ! -e ../stop || { kill -INT $PPID; sleep 60; }";
    let arguments = ["review", "--json", "--verify", verify, "../change.diff"];
    let mut command = wpatch(&desk.root(), &arguments);
    command.env("GIT_EDITOR", editor);
    let mut review = Review::start(&command, (80, 24));
    review.wait_for("decided");
    review
}

#[test]
fn an_edited_hunk_replaces_the_hunk_of_the_patch() {
    let desk = Desk::new(FILES);
    let mut review = with_editor(&desk, PATCH, "s/+A2b/+edited\\n+twice/");
    review.press("e");
    review.wait_for("the edited hunk is accepted");
    let ended = review.finish();
    assert_eq!((ended.code, ended.only()), (Some(0), Some("f1h1")));
    assert!(
        desk.read("a.txt")
            .starts_with("a1\nA2\nedited\ntwice\na3\na4\na6\n")
    );
    let hunk = &ended.report["decisions"]["files"][0]["hunks"][0];
    assert_eq!(
        hunk["edited"],
        "@@ -1,6 +1,7 @@\n a1\n-a2\n+A2\n+edited\n+twice\n a3\n a4\n-a5\n a6\n"
    );
}

#[test]
fn an_edit_in_a_grammar_without_line_numbers_is_possible() {
    let desk = Desk::new(FILES);
    let patch = "*** Begin Patch\n*** Update File: b.rs\n@@ fn main() {\n-    let limit = 10;\n\
                 +    let limit = 20;\n*** End Patch\n";
    let mut review = with_editor(&desk, patch, "s/= 20/= 30/");
    review.press("e");
    review.wait_for("the edited hunk is accepted");
    let ended = review.finish();
    assert_eq!(ended.code, Some(0), "{}", ended.report);
    assert_eq!(
        desk.read("b.rs"),
        "fn main() {\n    let limit = 30;\n    run(limit);\n}\n"
    );
}

#[test]
fn an_edit_that_does_not_apply_is_not_used() {
    for (script, message) in [
        ("s/^ a1/ other/", "the edited hunk was not used"),
        ("s/^-a2/@@ -30 +30 @@/", "the edited hunk was not used"),
        ("s/^ a3/?a3/", "the edited hunk was not used"),
        (
            "1s,^,--- a/b.rs\\n+++ b/b.rs\\n,",
            "the edited hunk was not used",
        ),
        ("d", "the hunk has not changed"),
        ("s/x/y/", "the hunk has not changed"),
    ] {
        let desk = Desk::new(FILES);
        let mut review = with_editor(&desk, PATCH, script);
        review.press("e");
        review.wait_for(message);
        review.press("y");
        let ended = review.finish();
        assert_eq!(ended.only(), Some("f1h1"), "{script}");
        assert!(desk.read("a.txt").starts_with("a1\nA2\nA2b\na3\na4\na6\n"));
    }
}

#[test]
fn an_editor_that_fails_changes_nothing() {
    let desk = Desk::new(FILES);
    fs::write(desk.root().join("../change.diff"), PATCH).unwrap();
    for editor in ["false", "no-such-editor", "exit 3; true"] {
        let mut command = wpatch(&desk.root(), &["review", "--json", "../change.diff"]);
        command.env("GIT_EDITOR", editor);
        let mut review = Review::start(&command, (80, 24));
        review.wait_for("decided");
        review.press("e");
        review.wait_for_any(&["failed, so nothing changes", "cannot find the editor"]);
        review.press("q");
        assert_eq!(review.end().code, Some(3));
    }
}

#[test]
fn the_terminal_is_restored_after_an_editor_that_was_killed() {
    let desk = Desk::new(FILES);
    fs::write(desk.root().join("../change.diff"), PATCH).unwrap();
    let mut command = wpatch(&desk.root(), &["review", "--json", "../change.diff"]);
    command.env("GIT_EDITOR", "stty raw -echo <&2; kill -9 $$; true");
    let mut review = Review::start(&command, (80, 24));
    let terminal = review.terminal.try_clone().unwrap();
    review.wait_for("decided");
    review.press("e");
    review.wait_for("failed, so nothing changes");
    review.press("q");
    assert_eq!(review.end().code, Some(3));
    let modes = tcgetattr(&terminal).unwrap().local_modes;
    assert!(modes.contains(LocalModes::ICANON | LocalModes::ECHO));
}

#[test]
fn an_edit_can_be_undone() {
    let desk = Desk::new(FILES);
    let mut review = with_editor(&desk, PATCH, "s/+A2b/+edited/");
    review.press("ne");
    // The editor changed nothing in the second hunk.
    review.wait_for("the hunk has not changed");
    review.press("ge");
    review.wait_for("+ edited");
    review.press("u");
    review.wait_for("+ A2b");
    review.press("u");
    review.wait_for("0 of 5");
    review.press("yd");
    let ended = review.finish();
    assert_eq!(ended.only(), Some("f1h1"));
    assert!(desk.read("a.txt").starts_with("a1\nA2\nA2b\n"));
    assert_eq!(
        ended.report["decisions"]["files"][0]["hunks"][0].get("edited"),
        None
    );
}

#[test]
fn a_change_without_hunks_cannot_be_edited() {
    let desk = Desk::new(FILES);
    let mut review = with_editor(&desk, PATCH, "s/a/b/");
    review.press("JJe");
    review.wait_for("only hunks of diffs can be edited");
    review.press("q");
    assert_eq!(review.end().code, Some(3));
}

#[test]
fn a_signal_for_the_editor_does_not_end_the_review() {
    let desk = Desk::new(FILES);
    let mut review = with_command(&desk, PATCH, "kill -INT $PPID; true");
    review.press("yge");
    review.wait_for("the hunk has not changed");
    let ended = review.finish();
    assert_eq!((ended.code, ended.only()), (Some(0), Some("f1h1")));
}

#[test]
fn after_an_edit_a_signal_rolls_the_change_back() {
    let desk = Desk::new(FILES);
    let before = tree::read(&desk.root());
    fs::write(desk.root().join("../stop"), "").unwrap();
    let mut review = with_editor(&desk, PATCH, "s/+A2b/+edited/");
    review.press("e");
    review.wait_for("the edited hunk is accepted");
    let ended = review.finish();
    assert_eq!(ended.code, Some(130), "{}", ended.report);
    assert_eq!(ended.report["decisions"]["result"], "failed");
    assert_eq!(tree::read(&desk.root()), before);
}

#[test]
fn a_file_that_changes_while_the_editor_is_open_must_be_accepted_again() {
    let desk = Desk::new(FILES);
    let mut review = with_command(
        &desk,
        PATCH,
        "echo '// more' >> b.rs; sed -i s/+A2b/+edited/",
    );
    review.press("A");
    review.wait_for("5 of 5");
    review.press("ge");
    review.wait_for("b.rs changed during the review");
    review.wait_for("4 of 5");
    review.press("y");
    let ended = review.finish();
    assert_eq!((ended.code, ended.only()), (Some(0), Some("1-4")));
    assert!(
        desk.read("b.rs")
            .ends_with("= 20;\n    run(limit);\n}\n// more\n")
    );
}

#[test]
fn an_edit_ends_the_selection_of_lines() {
    let desk = Desk::new(FILES);
    let mut review = with_editor(&desk, PATCH, "/^-a5/d; /^+A2b/d");
    review.press("ljjje");
    review.wait_for("the edited hunk");
    review.press("gny");
    let ended = review.finish();
    assert_eq!(
        (ended.code, ended.only()),
        (Some(0), Some("f1h2")),
        "{}",
        ended.report
    );
}

#[test]
fn a_hunk_of_a_reversed_patch_cannot_be_edited() {
    let patch = "--- a/b.rs\n+++ b/b.rs\n@@ -1,4 +1,4 @@\n-other\n+fn main() {\n     let limit = 10;\n\
                 \x20    run(limit);\n }\n";
    let desk = Desk::new(FILES);
    fs::write(desk.root().join("../change.diff"), patch).unwrap();
    let command = wpatch(&desk.root(), &["review", "-R", "--json", "../change.diff"]);
    let mut review = Review::start(&command, (80, 24));
    review.wait_for("+ other");
    review.press("e");
    review.wait_for("a hunk of a reversed patch cannot be edited");
    review.press("y");
    let ended = review.finish();
    assert_eq!(ended.code, Some(0), "{}", ended.report);
    assert!(desk.read("b.rs").starts_with("other\n"));
}
