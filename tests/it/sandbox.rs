//! Commands on an overlay of the root: their changes are applied like a patch, or not at all.
#![cfg(target_os = "linux")]

mod fuse;
mod limits;
mod refusals;

use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;
use std::sync::OnceLock;

use fs_err as fs;
use serde_json::Value;

use crate::repository::{git, init};
use crate::systems::Desk;
use crate::tree;

/// Returns whether this system can run commands on an overlay. If it cannot, the answer of the
/// program is the documented one.
pub(crate) fn is_supported() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(|| {
        let desk = Desk::with(&[("a", b"one\n")]);
        let report = desk.says(&["run", "--", "true"], b"");
        if report["ok"] == true {
            return true;
        }
        let told = [
            &report["error"]["kind"],
            &report["error"]["code"],
            &report["exit_code"],
        ];
        let expected = [
            Value::from("unsupported"),
            "wpatch::command::no_overlay".into(),
            4.into(),
        ];
        assert_eq!(
            told,
            [&expected[0], &expected[1], &expected[2]],
            "{report:#}"
        );
        let namespaces = Command::new("unshare").args(["-Urm", "true"]).output();
        let has_namespaces = namespaces.is_ok_and(|output| output.status.success());
        assert!(
            !has_namespaces || cfg!(wpatch_plain_unix),
            "namespaces exist here: {report:#}"
        );
        false
    })
}

/// The words of a shell script that runs on the overlay.
pub(crate) fn script<'a>(options: &[&'a str], text: &'a str) -> Vec<&'a str> {
    [&["run"], options, &["--", "sh", "-c", text]].concat()
}

fn desk() -> Desk {
    Desk::with(&[
        ("a", b"one\ntwo\n"),
        ("d/b", b"three\n"),
        ("d/c", b"four\n"),
        ("../out/o", b"outside\n"),
    ])
}

/// Returns the files of a report, as `op path` and `op from path`.
fn ops(report: &Value) -> Vec<String> {
    let op = |file: &Value| {
        let names = ["op", "from", "path"].map(|name| file[name].as_str().unwrap_or_default());
        names.join(" ").replace("  ", " ")
    };
    report["files"].as_array().unwrap().iter().map(op).collect()
}

#[test]
fn a_command_changes_the_tree_and_undo_restores_it() {
    if !is_supported() {
        return;
    }
    let desk = desk();
    init(&desk.root());
    let before = tree::read(&desk.root());
    let report = desk.does(&["run", "--", "sed", "-i", "s/one/1/", "a"], b"");
    assert_eq!(ops(&report), ["modify a"], "{report:#}");
    assert_eq!(
        (
            &report["command"],
            &report["run"]["command"],
            &report["run"]["exit_code"]
        ),
        (&"run".into(), &"sed -i s/one/1/ a".into(), &0.into())
    );
    assert_eq!(desk.bytes("a"), b"1\ntwo\n");
    desk.does(&["undo"], b"");
    let mut after = tree::read(&desk.root());
    after.retain(|path, _| before.contains_key(path));
    assert_eq!(after, before);
}

#[test]
fn every_kind_of_change_is_found() {
    if !is_supported() {
        return;
    }
    let desk = desk();
    let text = "rm -r d && mkdir d && echo new > d/n && mv a moved && ln -s moved link \
                && printf '#!/bin/sh\\n' > tool && chmod 755 tool && mkdir -p x/y && ln tool x/y/t";
    let report = desk.does(&script(&[], text), b"");
    let mut found = ops(&report);
    found.sort();
    let expected = [
        "create d/n",
        "create link",
        "create tool",
        "create x/y/t",
        "delete d/b",
        "delete d/c",
        "rename a moved",
    ];
    assert_eq!(found, expected, "{report:#}");
    assert_eq!(desk.bytes("moved"), b"one\ntwo\n");
    assert_eq!(
        fs::read_link(desk.path("link")).unwrap().to_str(),
        Some("moved")
    );
    let mode = fs::metadata(desk.path("tool"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o755);
    assert!(!desk.path("a").exists() && !desk.path("d/b").exists());
    let report = desk.does(
        &script(
            &[],
            "rm link && mkdir link && echo f > link/f && chmod 600 tool",
        ),
        b"",
    );
    let mut found = ops(&report);
    found.sort();
    assert_eq!(
        found,
        ["create link/f", "delete link", "mode tool"],
        "{report:#}"
    );
    let report = desk.does(&script(&[], "touch moved; cat moved > x/z; rm x/z"), b"");
    assert_eq!(
        (&report["changed"], ops(&report)),
        (&false.into(), vec![]),
        "{report:#}"
    );
}

#[test]
fn a_dry_run_changes_nothing_and_its_plan_can_be_approved() {
    if !is_supported() {
        return;
    }
    let desk = desk();
    let before = tree::read(&desk.root());
    let checked = desk.does(&script(&["--dry-run"], "echo 3 >> a"), b"");
    assert_eq!(
        (&checked["outcome"], &checked["changed"]),
        (&"would_apply".into(), &true.into())
    );
    assert_eq!(tree::read(&desk.root()), before);
    let id = checked["plan_id"].as_str().unwrap();
    let refused = desk.refuses("stale", &script(&["--approve", id], "echo 4 >> a"), b"");
    assert_eq!(refused["code"], "wpatch::plan::not_approved");
    desk.does(&script(&["--approve", id], "echo 3 >> a"), b"");
    assert_eq!(desk.bytes("a"), b"one\ntwo\n3\n");
}

#[test]
fn git_mv_needs_the_option_for_the_index() {
    if !is_supported() {
        return;
    }
    let desk = desk();
    init(&desk.root());
    let call = |words: &[&str]| git(words).current_dir(desk.root()).output().unwrap();
    assert!(call(&["add", "."]).status.success());
    let words = ["run", "--", "git", "mv", "a", "moved"];
    let refused = desk.refuses("denied", &words, b"");
    assert_eq!(refused["path"], ".git/index", "{refused:#}");
    assert!(refused["help"].as_str().unwrap().contains("--index"));
    let report = desk.does(&[&["run", "--index"], &words[1..]].concat(), b"");
    assert_eq!(ops(&report), ["rename a moved"], "{report:#}");
    let listed = String::from_utf8(call(&["ls-files"]).stdout).unwrap();
    assert_eq!(listed, "d/b\nd/c\nmoved\n");
    assert!(desk.path("moved").exists() && !desk.path("a").exists());
    // `git status` refreshes the index only on request.
    let report = desk.does(
        &script(&[], "touch d/b; git status --short; echo 1 >> d/b"),
        b"",
    );
    assert_eq!(ops(&report), ["modify d/b"], "{report:#}");
}

#[test]
fn make_creates_five_thousand_files() {
    if !is_supported() {
        return;
    }
    let rule =
        b"all: $(shell seq -f out/%g 5000)\nout/%: in | out\n\t@cp in $@\nout:\n\t@mkdir out\n";
    let desk = Desk::with(&[("Makefile", rule), ("in", b"x\n")]);
    let report = desk.does(&["run", "--durability=none", "--", "make", "-j2"], b"");
    assert_eq!(report["summary"]["creates"], 5000);
    assert_eq!(fs::read_dir(desk.path("out")).unwrap().count(), 5000);
}

#[test]
fn the_command_has_the_standard_streams() {
    if !is_supported() {
        return;
    }
    let desk = desk();
    let words = script(&[], "cat > a; echo out; echo err >&2; pwd");
    let output = desk.runs(&words, b"input\n");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let root = desk.root().canonicalize().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(
        stdout.starts_with(&format!("out\n{}\n", root.display())),
        "{stdout}"
    );
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .starts_with("err\n")
    );
    assert_eq!(desk.bytes("a"), b"input\n");
    // The report is the only text on standard output.
    desk.does(&words, b"");
}

#[test]
fn policy_decides_about_the_changes_of_a_command() {
    if !is_supported() {
        return;
    }
    let desk = desk();
    let policy = "[[rule]]\npaths = [\"d/**\"]\nverdict = \"deny\"\n[[rule]]\npaths = [\"a\"]\nverdict = \"ask\"\n";
    fs::write(desk.path("../policy.toml"), policy).unwrap();
    let options = ["--policy", "../policy.toml"];
    desk.refuses(
        "denied",
        &script(&options, "echo 1 >> d/b; echo 2 >> new"),
        b"",
    );
    desk.refuses("approval_required", &script(&options, "echo 1 >> a"), b"");
    desk.does(&script(&options, "echo 1 >> new"), b"");
}

#[test]
fn a_verification_can_refuse_the_changes_of_a_command() {
    if !is_supported() {
        return;
    }
    let desk = desk();
    let words = script(&["--verify", "grep -q three a"], "echo 3 >> a");
    assert_eq!(
        desk.refuses("denied", &words, b"")["code"],
        "wpatch::command::verify"
    );
    desk.does(&script(&["--verify", "grep -q 3 a"], "echo 3 >> a"), b"");
}

#[test]
fn a_link_out_of_the_root_leads_to_read_only_files() {
    if !is_supported() {
        return;
    }
    let desk = desk();
    symlink("../out", desk.path("link")).unwrap();
    desk.refuses("denied", &script(&[], "echo 1 > link/o"), b"");
    // The link itself belongs to the root.
    let report = desk.does(&script(&[], "cat link/o > copy; rm link"), b"");
    assert_eq!(ops(&report).len(), 2, "{report:#}");
    assert_eq!(desk.bytes("copy"), b"outside\n");
}
