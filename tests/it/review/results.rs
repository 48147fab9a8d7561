//! The end of a review: the decisions, saved plans, rejections, signals and files that change.

use fs_err as fs;
use rustix::process::{Pid, Signal, kill_process};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
use serde_json::json;

use super::{Desk, FILES, PATCH, Review};
use crate::terminal::wpatch;
use crate::tree;

#[test]
fn the_report_has_the_decisions_with_their_reasons() {
    let desk = Desk::new(FILES);
    let mut review = Review::of(&desk.root(), PATCH);
    review.press("syrtoo slow\ryn");
    let ended = review.finish();
    assert_eq!(
        ended.report["decisions"]["files"][0],
        json!({
            "id": "f1", "path": "a.txt", "decision": "partial",
            "hunks": [
                {"id": "f1h1", "decision": "partial", "lines": ["2-4"], "reason": "too slow"},
                {"id": "f1h2", "decision": "accepted"},
            ],
        })
    );
    assert_eq!(ended.report["decisions"]["result"], "applied");
    assert_eq!(ended.report["command"], "review");
    assert_eq!(
        ended.report["decisions"]["message"],
        "The reviewer applied the accepted part of the patch.\n\
         - a.txt (f1h1): only lines 2-4 accepted: too slow\n\
         - b.rs (f2h1): rejected\n\
         - renamed.txt (f3): rejected\n\
         - new.txt (f4h1): rejected"
    );
}

#[test]
fn the_accepted_part_can_be_saved_as_a_plan() {
    let desk = Desk::new(FILES);
    assert!(wpatch(&desk.root(), &["init"]).status().unwrap().success());
    let mut review = Review::of(&desk.root(), PATCH);
    review.press("ydS");
    review.wait_for("no decision");
    review.press("n");
    review.wait_for("(y/n)");
    review.press("y");
    let ended = review.end();
    assert_eq!((ended.code, ended.only()), (Some(0), Some("f1h1")));
    assert_eq!(ended.report["decisions"]["result"], "saved");
    assert_eq!(desk.read("a.txt"), FILES[0].1);
    let id = ended.report["saved"]["id"].as_str().unwrap();
    assert!(
        wpatch(&desk.root(), &["apply", "--plan", id])
            .status()
            .unwrap()
            .success()
    );
    assert!(desk.read("a.txt").starts_with("a1\nA2\nA2b\n"));
}

#[test]
fn a_rejected_patch_cannot_be_approved() {
    let desk = Desk::new(FILES);
    assert!(wpatch(&desk.root(), &["init"]).status().unwrap().success());
    let mut review = Review::of(&desk.root(), PATCH);
    review.press("rbecause\rDw");
    review.wait_for("Reject the patch?");
    review.press("y");
    let ended = review.end();
    assert_eq!(ended.code, Some(3));
    assert_eq!(ended.report["error"]["code"], "wpatch::plan::rejected");
    assert_eq!(ended.report["decisions"]["result"], "rejected");
    let id = ended.report["decisions"]["plan_id"].as_str().unwrap();
    let output = wpatch(&desk.root(), &["apply", "--approve", id, "../change.diff"]).output();
    assert_eq!(output.unwrap().status.code(), Some(3));
    let log = wpatch(&desk.root(), &["log"]).output().unwrap().stdout;
    assert!(String::from_utf8(log).unwrap().contains("because"));
}

#[test]
fn a_review_without_an_approval_changes_nothing_and_fails() {
    for (keys, code) in [("q", 3), ("ynqy", 3), ("y\x03\x03", 130), ("\x03", 130)] {
        let desk = Desk::new(FILES);
        let before = tree::read(&desk.root());
        let mut review = Review::of(&desk.root(), PATCH);
        review.press(keys);
        let ended = review.end();
        assert_eq!(ended.code, Some(code), "{keys:?}");
        assert_eq!(ended.report["decisions"]["result"], "ended");
        assert_eq!(tree::read(&desk.root()), before);
    }
}

#[test]
fn ctrl_c_ends_a_question_and_asks_before_decisions_are_lost() {
    let desk = Desk::new(FILES);
    let mut review = Review::of(&desk.root(), PATCH);
    review.press("yr\x03\x03");
    review.wait_for("End the review without applying?");
    review.press("n");
    review.wait_for("? help");
    let ended = review.finish();
    assert_eq!((ended.code, ended.only()), (Some(0), Some("f1h1")));
}

#[test]
fn a_continued_review_is_drawn_again() {
    let desk = Desk::new(FILES);
    let mut review = Review::of(&desk.root(), PATCH);
    let id = Pid::from_raw(review.child.id().cast_signed()).unwrap();
    kill_process(id, Signal::STOP).unwrap();
    // As a shell does for a job that has stopped.
    let mut modes = tcgetattr(&review.terminal).unwrap();
    modes.local_modes |= LocalModes::ICANON | LocalModes::ECHO;
    tcsetattr(&review.terminal, OptionalActions::Now, &modes).unwrap();
    review.screen.process(b"\x1b[2J");
    kill_process(id, Signal::CONT).unwrap();
    review.wait_for("0 of 5");
    let modes = tcgetattr(&review.terminal).unwrap().local_modes;
    assert!(!modes.intersects(LocalModes::ICANON | LocalModes::ECHO));
    review.press("q");
    assert_eq!(review.end().code, Some(3));
}

#[test]
fn a_signal_ends_the_review_and_restores_the_terminal() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::QUIT, 131)] {
        a_signal_restores_the_terminal(signal, code);
    }
}

fn a_signal_restores_the_terminal(signal: Signal, code: i32) {
    let desk = Desk::new(FILES);
    let review = Review::of(&desk.root(), PATCH);
    let terminal = review.terminal.try_clone().unwrap();
    let is_canonical = || {
        let modes = tcgetattr(&terminal).unwrap().local_modes;
        modes.contains(LocalModes::ICANON | LocalModes::ECHO)
    };
    assert!(!is_canonical());
    let id = Pid::from_raw(review.child.id().cast_signed()).unwrap();
    kill_process(id, signal).unwrap();
    let ended = review.end();
    assert_eq!(ended.code, Some(code));
    assert!(is_canonical());
    let written = String::from_utf8_lossy(&ended.written).into_owned();
    let (entered, left) = (written.rfind("\x1b[?1049h"), written.rfind("\x1b[?1049l"));
    assert!(entered < left && left.is_some(), "{written:?}");
}

#[test]
fn the_loss_of_the_terminal_ends_the_review() {
    let desk = Desk::new(FILES);
    let before = tree::read(&desk.root());
    let mut review = Review::of(&desk.root(), PATCH);
    review.press("A");
    review.wait_for("5 of 5");
    let Review {
        mut child,
        terminal,
        ..
    } = review;
    drop(terminal);
    assert_eq!(child.wait().unwrap().code(), Some(129));
    assert_eq!(tree::read(&desk.root()), before);
}

#[test]
fn a_change_after_the_confirmation_continues_the_review() {
    let desk = Desk::new(FILES);
    for command in [&["chmod", "755", "a.txt"][..], &["rm", "b.rs"]] {
        let mut review = Review::of(&desk.root(), PATCH);
        review.press("A");
        review.wait_for("5 of 5");
        review.press("w");
        review.wait_for("(y/n)");
        let mut change = std::process::Command::new(command[0]);
        let status = change.args(&command[1..]).current_dir(desk.root()).status();
        assert!(status.unwrap().success());
        review.press("y");
        review.wait_for("changed during the review");
        review.press("qy");
        assert_eq!(review.end().code, Some(3));
    }
}

#[test]
fn the_screen_notices_a_changed_file_without_a_key() {
    let desk = Desk::new(FILES);
    let mut review = Review::of(&desk.root(), PATCH);
    fs::write(desk.root().join("b.rs"), "other\n").unwrap();
    review.wait_for("b.rs changed during the review");
    review.press("q");
    assert_eq!(review.end().code, Some(3));
}

#[test]
fn a_selection_of_parts_that_do_not_exist_is_refused() {
    let desk = Desk::new(FILES);
    fs::write(desk.root().join("../change.diff"), PATCH).unwrap();
    for only in ["f9", "f1h7", "f1h1:1"] {
        let arguments = ["review", "--json", "--only", only, "../change.diff"];
        let ended = Review::start(&wpatch(&desk.root(), &arguments), (80, 24)).end();
        assert_eq!(ended.code, Some(2), "{only}: {}", ended.report);
    }
}

#[test]
fn a_file_that_changes_during_the_review_must_be_accepted_again() {
    let desk = Desk::new(FILES);
    let mut review = Review::of(&desk.root(), PATCH);
    review.press("A");
    review.wait_for("5 of 5");
    let path = desk.root().join("a.txt");
    fs::write(&path, FILES[0].1.replace("b9\n", "b9\nafter\n")).unwrap();
    review.press("w");
    review.wait_for("a.txt changed during the review");
    review.press("g");
    review.wait_for("! the file changed during the review");
    review.wait_for("3 of 5");
    review.press("awy");
    let ended = review.end();
    assert_eq!((ended.code, ended.only()), (Some(0), Some("1-4")));
    assert!(desk.read("a.txt").ends_with("b6\nb6b\nb7\nb8\nb9\nafter\n"));
}

#[test]
fn a_part_that_does_not_apply_can_be_left_out() {
    let files: Vec<_> = FILES
        .iter()
        .map(|&(name, text)| (name, if name == "b.rs" { "other\n" } else { text }))
        .collect();
    let desk = Desk::new(&files);
    fs::write(desk.root().join("../change.diff"), PATCH).unwrap();
    let command = wpatch(&desk.root(), &["review", "--json", "../change.diff"]);
    let mut review = Review::start(&command, (80, 24));
    review.wait_for("b.rs: the hunk does not match");
    review.press("!");
    review.wait_for("▌[ ] f2h1");
    review.wait_for("! the hunk does not match");
    review.press("Aw");
    review.wait_for("b.rs: the hunk does not match");
    review.press("gJn");
    let ended = review.finish();
    assert_eq!((ended.code, ended.only()), (Some(0), Some("f1,3-4")));
    assert_eq!(desk.read("b.rs"), "other\n");
    assert_eq!(desk.read("new.txt"), "n1\nn2\n");
}

#[test]
fn a_review_is_an_approval() {
    let policy = "[[rule]]\nname = 'careful'\npaths = ['b.rs']\nops = ['write']\nverdict = 'ask'\n\
                  reason = 'main'\n";
    let desk = Desk::new(FILES);
    assert!(wpatch(&desk.root(), &["init"]).status().unwrap().success());
    fs::write(desk.root().join("../policy.toml"), policy).unwrap();
    fs::write(desk.root().join("../change.diff"), PATCH).unwrap();
    let arguments = [
        "review",
        "--json",
        "--policy",
        "../policy.toml",
        "../change.diff",
    ];
    let mut review = Review::start(&wpatch(&desk.root(), &arguments), (80, 24));
    review.wait_for("? help");
    review.press("!");
    review.wait_for("! needs approval: main (rule `careful`)");
    review.press("yd");
    let ended = review.finish();
    assert_eq!(
        (ended.code, ended.only()),
        (Some(0), Some("f2")),
        "{}",
        ended.report
    );
    let log = wpatch(&desk.root(), &["log"]).output().unwrap().stdout;
    let log = String::from_utf8(log).unwrap();
    assert!(log.contains("approved: review in the terminal"), "{log}");
}
