//! Attempts to have commands run, or to use those that the user runs.
#![cfg(target_os = "linux")]

use std::process::{Command, Stdio};

use fs_err as fs;
use serde_json::Value;

use super::{DENIED, refused, replaced};
use crate::alone::may_mount;
use crate::systems::{Desk, program};
use crate::tree;
use crate::world;

#[test]
fn a_project_s_file_names_no_commands() {
    for text in [
        "verify = 'touch ran'\n",
        "[policy]\nbefore = 'touch ran'\n",
        "[[server]]\ncommand = ['touch', 'ran']\n",
    ] {
        let desk = Desk::with(&[("a", b"a\n"), ("wpatch.toml", text.as_bytes())]);
        refused(&desk, ("policy", 3), &["apply"], &replaced("a", "a", "x"));
        refused(
            &desk,
            ("policy", 3),
            &["apply", "--diagnostics"],
            &replaced("a", "a", "x"),
        );
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
    let desk = Desk::with(&[
        ("a", b"a\n"),
        ("../p", &replaced("a", "a", "x")),
        ("../q", &replaced("a", "a", "evil")),
    ]);
    desk.does(&["apply", "../p", "--before", "cp ../q ../p"], b"");
    assert_eq!(desk.bytes("a"), b"x\n");
}

#[test]
fn a_verification_that_changes_its_policy_opens_nothing() {
    let desk = Desk::with(&[
        ("a", b"a\n"),
        ("v", b"v\n"),
        ("wpatch.toml", b"[policy]\nmode = 'read-only'\n"),
    ]);
    let both = [replaced("a", "a", "x"), replaced("v", "v", "w")].concat();
    refused(
        &desk,
        DENIED,
        &["apply", "--before", "rm wpatch.toml"],
        &both,
    );
    assert!(fs::exists(desk.path("wpatch.toml")).unwrap());
}

/// A change of two files, so that there is a journal while it is verified.
fn pair() -> (Desk, Vec<u8>) {
    (
        Desk::with(&[("a", b"a\n"), ("b", b"b\n")]),
        [replaced("a", "a", "x"), replaced("b", "b", "y")].concat(),
    )
}

fn verified(desk: &Desk, patch: &[u8], command: &str) -> Value {
    desk.says(&["apply", "--verify", command], patch)
}

#[test]
fn a_verification_that_fills_the_disk_is_put_back() {
    if may_mount("attacks::commands::a_verification_that_fills_the_disk_is_put_back") {
        let (desk, patch) = pair();
        let place = Desk::with(&[]);
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=256k", "none"])
            .arg(place.root())
            .status();
        assert!(mounted.unwrap().success());
        for name in ["a", "b"] {
            fs::copy(desk.path(name), place.path(name)).unwrap();
        }
        let before = tree::read(&place.root());
        let refused = verified(&place, &patch, "cat /dev/zero > full; exit 1");
        assert_eq!(
            (&refused["exit_code"], &refused["changed"]),
            (&3.into(), &false.into()),
            "{refused:#}"
        );
        fs::remove_file(place.path("full")).unwrap();
        assert_eq!(tree::read(&place.root()), before);
        let kept = verified(&place, &patch, "cat /dev/zero > full; true");
        assert_eq!(
            (&kept["ok"], &kept["changed"]),
            (&true.into(), &true.into()),
            "{kept:#}"
        );
        assert_eq!(
            (place.bytes("a"), place.bytes("b")),
            (b"x\n".to_vec(), b"y\n".to_vec())
        );
    }
}

#[test]
fn a_state_that_a_verification_swaps_or_cuts_is_never_taken_for_another() {
    let deeds = [
        "rm -rf .wpatch; mkdir .wpatch",
        "mv .wpatch aside; ln -s aside .wpatch",
        "mv .wpatch aside; mkdir -m 700 .wpatch .wpatch/txn",
        "rm .wpatch/lock",
        "rm .wpatch/txn/*/journal",
        ": > .wpatch/txn/*/journal",
        "rm .wpatch/txn/*/[no]*",
    ];
    for deed in deeds {
        for end in ["true", "false"] {
            let (desk, patch) = pair();
            let report = verified(&desk, &patch, &format!("{deed}; {end}"));
            let contents = (desk.bytes("a"), desk.bytes("b"));
            let (old, new) = (
                (b"a\n".to_vec(), b"b\n".to_vec()),
                (b"x\n".to_vec(), b"y\n".to_vec()),
            );
            // What it says is what is there; of half a change it says so.
            match report["exit_code"].as_i64() {
                Some(0) => assert!(
                    end == "true" && contents == new,
                    "{deed}; {end}: {report:#}"
                ),
                Some(5) => assert!(
                    contents == new || contents == old,
                    "{deed}; {end}: {report:#}"
                ),
                Some(3 | 4) => assert!(
                    contents == old && report["changed"] == false,
                    "{deed}; {end}: {report:#}"
                ),
                _ => panic!("{deed}; {end}: {report:#}"),
            }
        }
    }
}

#[test]
fn a_root_that_a_verification_closes_is_put_back_all_the_same() {
    let (desk, patch) = pair();
    let report = verified(&desk, &patch, "chmod 000 .; exit 1");
    world::set_mode(desk.root(), 0o755);
    // Who may not do everything is refused by the disk, says so, and recovers later.
    if report["exit_code"] != 3 {
        assert_eq!(report["exit_code"], 5, "{report:#}");
        desk.does(&["recover"], b"");
    }
    assert_eq!(
        (desk.bytes("a"), desk.bytes("b")),
        (b"a\n".to_vec(), b"b\n".to_vec())
    );
    assert!(!desk.path(".wpatch").exists());
}

#[test]
fn a_daemon_and_a_flood_of_words_hold_nobody_up() {
    let (desk, patch) = pair();
    let daemon =
        "setsid sh -c 'echo $$ > ../pid; exec sleep 1000' & while ! [ -s ../pid ]; do :; done";
    let report = verified(
        &desk,
        &patch,
        &format!("{daemon}; head -c 1073741824 /dev/zero; echo the end; exit 1"),
    );
    assert!(
        Command::new("kill")
            .arg(String::from_utf8(desk.bytes("../pid")).unwrap().trim())
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(
        (&report["exit_code"], &report["verify"]["truncated"]),
        (&3.into(), &true.into())
    );
    assert!(
        report["verify"]["output"]
            .as_str()
            .unwrap()
            .ends_with("the end\n")
    );
    assert!(report["verify"]["duration_ms"].as_u64().unwrap() < 500_000);
    assert_eq!(
        (desk.bytes("a"), desk.bytes("b")),
        (b"a\n".to_vec(), b"b\n".to_vec())
    );
}

#[test]
fn a_verification_that_kills_who_waits_for_it_is_put_back_by_the_next_command() {
    let (desk, patch) = pair();
    let before = tree::read(&desk.root());
    fs::write(desk.path("../patch"), &patch).unwrap();
    let mut killed = program(
        &desk.root(),
        &["apply", "../patch", "--verify", "kill -9 $PPID"],
    );
    let ended = killed
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert_eq!(
        std::os::unix::process::ExitStatusExt::signal(&ended),
        Some(9)
    );
    assert_ne!(tree::read(&desk.root()), before);
    desk.does(&["recover"], b"");
    assert_eq!(tree::read(&desk.root()), before);
}
