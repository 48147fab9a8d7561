//! The place of the audit file, several commands at once, and entries of older versions.

use std::thread;

use fs_err as fs;
use serde_json::Value;
use wpatch::digest::Digest;

use super::requests::{desk, records};
use crate::systems::Desk;
use crate::world::wpatch;

/// Returns the records in `file`.
fn count(desk: &Desk, file: &str) -> usize {
    let bytes = desk.bytes(file);
    bytes.split_inclusive(|&byte| byte == b'\n').count()
}

#[test]
fn commands_at_the_same_time_leave_one_chain() {
    const COMMANDS: usize = 12;
    let desk = desk();
    thread::scope(|scope| {
        for number in 0..COMMANDS {
            let desk = &desk;
            scope.spawn(move || {
                let file = format!("f{number}");
                desk.does(
                    &["write", &file, "--content", "x\n", "--lock-timeout", "5m"],
                    b"",
                );
            });
        }
    });
    assert_eq!(records(&desk).len(), COMMANDS);
    let verified = desk.runs(&["log", "--verify"], b"");
    assert!(verified.status.success(), "{verified:?}");
}

#[test]
fn the_records_of_an_external_history_move_into_a_new_state_directory() {
    let desk = Desk::with(&[("a", b"1\n"), ("../state/x", b"")]);
    let run = |arguments: &[&str]| {
        let mut command = wpatch();
        command.args(arguments).current_dir(desk.root()).env(
            "XDG_STATE_HOME",
            desk.path("../state").canonicalize().unwrap(),
        );
        let output = command.output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        // Windows separates the components of a path in another way.
        String::from_utf8(output.stdout).unwrap().replace('\\', "/")
    };
    run(&["edit", "a", "--old", "1", "--new", "2", "--by", "Alice"]);
    run(&["undo"]);
    assert!(!desk.path(".wpatch").exists());
    let verified = run(&["log", "--verify"]);
    assert!(
        verified.contains("/state/wpatch/") && verified.contains("lines 2,"),
        "{verified}"
    );
    // A removed history leaves the records.
    run(&["gc", "--all"]);
    assert!(run(&["log", "--verify"]).contains("lines 2,"));
    run(&["init"]);
    assert_eq!(count(&desk, ".wpatch/audit.jsonl"), 2);
    assert!(!run(&["log", "--verify"]).contains("/state/"));
    run(&["edit", "a", "--old", "1", "--new", "3"]);
    assert_eq!(records(&desk).len(), 3);
    assert!(run(&["log", "--verify"]).contains("lines 3,"));
}

#[test]
fn an_entry_of_an_older_version_has_no_origin_and_the_chain_starts_after_it() {
    let desk = desk();
    desk.does(&["edit", "a", "--old", "1", "--new", "2"], b"");
    let entry = fs::read_dir(desk.path(".wpatch"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.join("done").exists())
        .unwrap();
    let text = fs::read_to_string(entry.join("done")).unwrap();
    let mut journal: Value = serde_json::from_str(text.lines().nth(1).unwrap()).unwrap();
    assert!(journal.as_object_mut().unwrap().remove("audit").is_some());
    let body = format!("{journal}\n");
    let head = format!("wpatch.journal/1 {}\n", Digest::of(body.as_bytes()));
    fs::write(entry.join("done"), head + &body).unwrap();
    fs::remove_file(desk.path(".wpatch/audit.jsonl")).unwrap();
    let log = desk.does(&["log"], b"");
    assert_eq!(log["entries"][0]["state"], "committed");
    assert_eq!(log["entries"][0].get("plan_id"), None);
    assert!(desk.runs(&["log", "--verify"], b"").status.success());
    desk.does(&["undo"], b"");
    let all = records(&desk);
    assert_eq!((all.len(), &all[0]["event"]), (1, &"undone".into()));
    assert!(desk.runs(&["log", "--verify"], b"").status.success());
}
