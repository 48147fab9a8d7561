//! Statements 17, 18, 20, 22: disks and commands that fail, others at work, and what is closed.

use std::process::{Command, Stdio};
use std::thread;

use fs_err as fs;
use serde_json::{Value, json};

use super::super::Desk;
use crate::alone::may_mount;
use crate::tree;
use crate::world;

/// A document that changes `first`, and then makes or changes `second`.
fn document(second: &str) -> String {
    let content = "new line\n".repeat(1000);
    json!({"replace": [{"path": "first", "content": "2\n"}, {"path": second, "content": content}]})
        .to_string()
}

#[cfg(target_os = "linux")]
#[test]
fn s17_a_full_disk_leaves_the_first_file_and_no_new_directory() {
    if may_mount(
        "systems::codewhale::failure::s17_a_full_disk_leaves_the_first_file_and_no_new_directory",
    ) {
        let desk = Desk::with(&[]);
        let root = desk.root();
        let options = ["-t", "tmpfs", "-o", "size=64k", "none"];
        assert!(
            Command::new("mount")
                .args(options)
                .arg(&root)
                .status()
                .unwrap()
                .success()
        );
        fs::write(root.join("first"), "1\n").unwrap();
        let free = || rustix::fs::statvfs(&root).unwrap().f_bfree;
        // Room for what is small, not for the second file.
        let ballast = vec![b'x'; 4096 * usize::try_from(free() - 2).unwrap()];
        fs::write(root.join("ballast"), ballast).unwrap();
        assert_eq!(free(), 2);
        let before = tree::read(&root);
        let refused = desk.says(&["apply"], document("new/dir/second").as_bytes());
        assert_eq!(
            json!([
                refused["error"]["kind"],
                refused["exit_code"],
                refused["changed"]
            ]),
            json!(["io", 4, false])
        );
        assert_eq!(tree::read(&root), before);
        fs::remove_file(root.join("ballast")).unwrap();
        desk.does(&["apply"], document("new/dir/second").as_bytes());
        assert_eq!(
            (desk.bytes("first"), desk.bytes("new/dir/second").len()),
            (b"2\n".to_vec(), 9000)
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn s17_a_directory_that_is_closed_to_writing_leaves_the_first_file() {
    let desk = Desk::with(&[("first", b"1\n"), ("closed/second", b"1\n")]);
    world::set_mode(desk.path("closed"), 0o555);
    let before = tree::read(&desk.root());
    for second in ["closed/second", "closed/new/dir/third"] {
        // Root may write anywhere unless that right is taken away.
        let is_root = world::is_root();
        let words: &[&str] = if is_root {
            &["setpriv", "--bounding-set=-all", "--inh-caps=-all"]
        } else {
            &["env"]
        };
        fs::write(desk.path("../p.json"), document(second)).unwrap();
        let mut command = Command::new(words[0]);
        command
            .args(&words[1..])
            .arg(env!("CARGO_BIN_EXE_wpatch"))
            .args(["apply", "--json", "../p.json"]);
        let output = command.current_dir(desk.root()).output().unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let told = json!([
            report["error"]["kind"],
            report["changed"],
            output.status.code()
        ]);
        assert_eq!(told, json!(["io", false, 4]), "{report}");
        assert_eq!(tree::read(&desk.root()), before);
    }
    world::set_mode(desk.path("closed"), 0o755);
}

#[test]
fn s18_two_processes_append_and_no_line_is_lost() {
    const LINES: usize = 100;
    let desk = Desk::with(&[("log", b"")]);
    let write = |who: &'static str| {
        let root = desk.root();
        thread::spawn(move || {
            (0..LINES)
                .map(|line| {
                    let text = format!("{who} {line}\n");
                    let mut command = world::wpatch();
                    command.args([
                        "append",
                        "log",
                        "--content",
                        &text,
                        "--durability",
                        "none",
                        "--json",
                    ]);
                    let output = command
                        .current_dir(&root)
                        .stdin(Stdio::null())
                        .output()
                        .unwrap();
                    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
                    assert!(
                        report["ok"] == true || report["error"]["kind"] == "stale",
                        "{report:#}"
                    );
                    (text, report["ok"] == true)
                })
                .filter_map(|(text, is_done)| is_done.then_some(text))
                .collect::<Vec<_>>()
        })
    };
    let writers = ["one", "two"].map(write);
    let done = writers.map(|writer| writer.join().unwrap());
    let text = String::from_utf8(desk.bytes("log")).unwrap();
    let of = |who: &str| {
        text.split_inclusive('\n')
            .filter(|line| line.starts_with(who))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        (of("one"), of("two")),
        (
            done[0].iter().map(String::as_str).collect(),
            done[1].iter().map(String::as_str).collect()
        )
    );
    assert_eq!(text.lines().count(), done[0].len() + done[1].len());
    assert_eq!(text.lines().count(), 2 * LINES);
}

#[test]
fn s22_the_state_directory_is_closed() {
    let desk = Desk::with(&[("a", b"1\n")]);
    desk.does(&["init"], b"");
    for path in [".wpatch/x", ".wpatch/entry-1/journal", ".wpatch"] {
        let state = |desk: &Desk| tree::traces(&desk.path(".wpatch"));
        let before = state(&desk);
        for arguments in [
            &["write", path, "--content", "x"][..],
            &["write", path, "--content", "x", "--overwrite"],
            &["edit", path, "--old", "a", "--new", "b"],
            &["append", path, "--content", "x"],
        ] {
            assert_eq!(
                desk.says(arguments, b"")["error"]["kind"],
                "denied",
                "{arguments:?}"
            );
        }
        let patch = format!("--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+x\n");
        assert_eq!(
            desk.says(&["apply"], patch.as_bytes())["error"]["kind"],
            "denied"
        );
        assert_eq!(state(&desk), before, "{path}");
    }
}

#[cfg(unix)]
#[test]
fn s20_a_change_that_does_not_verify_is_rolled_back_with_its_last_output() {
    let desk = Desk::with(&[("a.txt", b"one\ntwo\n"), ("b.txt", b"uno\n")]);
    let report = desk.says(
        &["apply", "-p0", "--verify", "cat a.txt b.txt; exit 3"],
        super::PLAIN_TWO.as_bytes(),
    );
    assert_eq!(
        (&report["ok"], &report["changed"]),
        (&false.into(), &false.into())
    );
    assert_eq!(report["verify"]["output"], "one\n2\nuno\ndos\n");
    assert_eq!(
        (desk.bytes("a.txt"), desk.bytes("b.txt")),
        (b"one\ntwo\n".to_vec(), b"uno\n".to_vec())
    );
    let report = desk.does(
        &["apply", "-p0", "--verify", "true", "--after", "exit 9"],
        super::PLAIN_TWO.as_bytes(),
    );
    assert_eq!(
        (&report["after"]["exit_code"], desk.bytes("b.txt")),
        (&9.into(), b"uno\ndos\n".to_vec())
    );
}

#[test]
fn s21_the_strictest_rule_counts_and_the_project_loosens_nothing() {
    let given = "[[rule]]\npaths = ['a']\nverdict = 'allow'\n[[rule]]\npaths = ['a']\nops = ['write']\nverdict = 'deny'\n\
                 [[rule]]\npaths = ['a', 'b']\nops = ['write']\nverdict = 'ask'\n";
    let open =
        "[policy]\nmode = 'full'\n[[rule]]\npaths = ['**']\nops = ['write']\nverdict = 'allow'\n";
    let desk = Desk::with(&[
        ("a", b"1\n"),
        ("b", b"1\n"),
        ("../given", given.as_bytes()),
        ("wpatch.toml", open.as_bytes()),
    ]);
    let edit = |path, policy| ["edit", path, "--old", "1", "--new", "2", "--policy", policy];
    desk.refuses("denied", &edit("a", "../given"), b"");
    desk.refuses("approval_required", &edit("b", "../given"), b"");
    fs::write(desk.path("../read"), "[policy]\nmode = 'read-only'\n").unwrap();
    desk.refuses("denied", &edit("b", "../read"), b"");
    fs::write(
        desk.path("../wrong"),
        "[policy]\nmode = 'full'\nmax_wrte_bytes = 9\n",
    )
    .unwrap();
    let error = desk.refuses("policy", &edit("b", "../wrong"), b"");
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains("max_wrte_bytes") && message.ends_with("at line 3, column 1"),
        "{message}"
    );
}

#[test]
fn s22_the_policy_file_is_closed() {
    let desk = Desk::with(&[
        ("wpatch.toml", b"[policy]\nmode = 'workspace-write'\n"),
        ("../x", b""),
    ]);
    for arguments in [
        &["write", "wpatch.toml", "--overwrite", "--content", "x"][..],
        &[
            "edit",
            "wpatch.toml",
            "--old",
            "workspace-write",
            "--new",
            "full",
        ],
        &["append", "wpatch.toml", "--content", "x"],
    ] {
        desk.refuses("denied", arguments, b"");
    }
    desk.refuses(
        "denied",
        &["apply"],
        b"--- a/wpatch.toml\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-[policy]\n-mode = 'workspace-write'\n",
    );
}
