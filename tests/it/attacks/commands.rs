//! Attempts to have commands run, or to use those that the user runs.

use fs_err as fs;

use super::{DENIED, refused, replaced};
use crate::systems::Desk;

#[test]
fn a_project_s_file_names_no_commands() {
    for text in
        ["verify = 'touch ran'\n", "[policy]\nbefore = 'touch ran'\n", "[[server]]\ncommand = ['touch', 'ran']\n"]
    {
        let desk = Desk::with(&[("a", b"a\n"), ("wpatch.toml", text.as_bytes())]);
        refused(&desk, ("policy", 3), &["apply"], &replaced("a", "a", "x"));
        refused(&desk, ("policy", 3), &["apply", "--diagnostics"], &replaced("a", "a", "x"));
    }
}

#[test]
fn no_command_runs_for_what_is_denied_asked_about_or_does_not_fit() {
    let commands = ["--before", "touch ran", "--verify", "touch ran"];
    let run = |verdict: &str, patch: &[u8], kind: (&str, i32)| {
        let policy = format!("[[rule]]\npaths = ['a']\nops = ['write']\nverdict = '{verdict}'\n");
        let desk = Desk::with(&[("a", b"a\n"), ("wpatch.toml", policy.as_bytes())]);
        refused(&desk, kind, &[&["apply"], &commands[..]].concat(), patch);
    };
    run("deny", &replaced("a", "a", "x"), DENIED);
    run("ask", &replaced("a", "a", "x"), ("approval_required", 3));
    run("allow", &replaced("a", "nothing", "x"), ("not_found", 1));
}

#[test]
fn a_patch_that_is_swapped_by_a_command_is_applied_as_it_was() {
    let desk = Desk::with(&[("a", b"a\n"), ("../p", &replaced("a", "a", "x")), ("../q", &replaced("a", "a", "evil"))]);
    desk.does(&["apply", "../p", "--before", "cp ../q ../p"], b"");
    assert_eq!(desk.bytes("a"), b"x\n");
}

#[test]
fn a_verification_that_changes_its_policy_opens_nothing() {
    let desk = Desk::with(&[("a", b"a\n"), ("v", b"v\n"), ("wpatch.toml", b"[policy]\nmode = 'read-only'\n")]);
    let both = [replaced("a", "a", "x"), replaced("v", "v", "w")].concat();
    refused(&desk, DENIED, &["apply", "--before", "rm wpatch.toml"], &both);
    assert!(fs::exists(desk.path("wpatch.toml")).unwrap());
}
