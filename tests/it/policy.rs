//! Policies by the program: which files are in force, and that they hold.

mod explain;

use std::os::unix::fs::{PermissionsExt, symlink};

use fs_err as fs;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::json;

use crate::systems::{Desk, program};

const DENY: &str =
    "[[rule]]\npaths = ['vendor/**']\nops = ['write']\nverdict = 'deny'\nreason = 'generated'\n";
const ASK: &str = "[[rule]]\npaths = ['vendor']\nops = ['write']\nverdict = 'ask'\n";

fn desk(policy: &str) -> Desk {
    Desk::with(&[
        ("vendor/v.c", b"v\n"),
        ("a", b"a\n"),
        ("wpatch.toml", policy.as_bytes()),
    ])
}

#[test]
fn a_project_s_own_file_that_cannot_be_read_stops_everything() {
    let desk = Desk::with(&[("a", b"a\n"), ("real.toml", b"")]);
    let own = desk.path("wpatch.toml");
    let stops = || {
        for command in [
            &["write", "b", "--content", "x"][..],
            &["read", "a"],
            &["list"],
            &["apply", "real.toml"],
        ] {
            let document = desk.says(command, b"");
            assert_eq!(
                document["error"]["kind"], "policy",
                "{command:?}: {document:#}"
            );
            assert_eq!(document["exit_code"], 3, "{command:?}");
        }
        assert!(!desk.path("b").exists());
    };
    fs::create_dir(&own).unwrap();
    stops();
    fs::remove_dir(&own).unwrap();
    symlink("real.toml", &own).unwrap();
    stops();
    fs::remove_file(&own).unwrap();
    symlink("nothing", &own).unwrap();
    stops();
    fs::remove_file(&own).unwrap();
    fs::write(&own, vec![b'#'; (1 << 20) + 1]).unwrap();
    stops();
    fs::write(&own, "[policy]\nmode = 1\n").unwrap();
    stops();
    fs::remove_file(&own).unwrap();
    desk.does(&["write", "b", "--content", "x"], b"");
}

#[test]
fn a_policy_file_that_is_no_file_is_refused_and_not_waited_for() {
    let patch = b"--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n";
    let desk = Desk::with(&[
        ("a", b"a\n"),
        ("patch", patch),
        ("../config/wpatch/other.toml", b""),
    ]);
    let refuses = |policy: &[&str]| {
        for command in [
            &["write", "b", "--content", "x"][..],
            &["apply", "patch"],
            &["policy", "explain", "a"],
        ] {
            let rule = "[[rule]]\npaths = ['patch']\nops = ['read']\nverdict = 'deny'\n";
            let error = desk.says(&[command, policy].concat(), rule.as_bytes())["error"].clone();
            assert_eq!(error["kind"], "policy", "{command:?} {policy:?}: {error:#}");
        }
    };
    // What can be read once says nothing when it is asked again.
    refuses(&["--policy", "-"]);
    refuses(&["--policy", "/dev/stdin"]);
    refuses(&["--policy", "/dev/zero"]);
    let fifo = |name: &str| mknodat(CWD, desk.path(name), FileType::Fifo, Mode::RWXU, 0).unwrap();
    fifo("given");
    symlink("given", desk.path("link")).unwrap();
    refuses(&["--policy", "given"]);
    refuses(&["--policy", "link"]);
    fifo("wpatch.toml");
    refuses(&[]);
    fs::remove_file(desk.path("wpatch.toml")).unwrap();
    fifo("../config/wpatch/config.toml");
    refuses(&[]);
    assert_eq!(
        (fs::read(desk.path("a")).unwrap(), desk.path("b").exists()),
        (b"a\n".to_vec(), false)
    );
}

#[test]
fn no_link_leads_around_a_policy() {
    let desk = desk(DENY);
    symlink("wpatch.toml", desk.path("other")).unwrap();
    symlink("vendor", desk.path("open")).unwrap();
    desk.refuses(
        "denied",
        &["edit", "other", "--old", "v", "--new", "x"],
        b"",
    );
    desk.refuses(
        "denied",
        &["edit", "open/v.c", "--old", "v", "--new", "x"],
        b"",
    );
    let away = b"diff --git a/wpatch.toml b/b\nrename from wpatch.toml\nrename to b\n";
    desk.refuses("denied", &["apply"], away);
    let into = b"diff --git a/a b/WPATCH.toml\nrename from a\nrename to WPATCH.toml\n";
    desk.refuses("denied", &["apply"], into);
    let into = b"diff --git a/a b/vendor/a\nrename from a\nrename to vendor/a\n";
    desk.refuses("denied", &["apply"], into);
    let lenient = b"--- vendor/v.c\n+++ vendor/v.c\n@@ ... @@\n-v \n+x\n";
    desk.refuses("denied", &["apply", "--lenient"], lenient);
}

#[test]
fn a_policy_file_below_the_root_is_closed_with_what_leads_to_it() {
    let desk = Desk::with(&[("pol/p.toml", b""), ("a", b"a\n")]);
    symlink("pol", desk.path("link")).unwrap();
    let refuses = |file: &str, policy: &str| {
        desk.refuses(
            "denied",
            &[
                "write",
                file,
                "--overwrite",
                "--content",
                "x",
                "--policy",
                policy,
            ],
            b"",
        )
    };
    refuses("pol/p.toml", "pol/p.toml");
    refuses("pol/P.toml", "pol/p.toml");
    refuses("pol/p.toml", "link/p.toml");
    let gone = b"diff --git a/link b/link\ndeleted file mode 120000\n--- a/link\n+++ /dev/null\n@@ -1 +0,0 @@\n-pol\n\\ No newline at end of file\n";
    desk.refuses("denied", &["apply", "--policy", "link/p.toml"], gone);
    desk.does(
        &["write", "pol/p.toml", "--overwrite", "--content", "x"],
        b"",
    );
}

#[test]
fn what_is_asked_is_done_with_the_approval_of_exactly_that() {
    let desk = desk(ASK);
    let edit = ["edit", "vendor/v.c", "--old", "v", "--new", "w"];
    desk.refuses("approval_required", &edit, b"");
    let would = desk.does(&[&edit[..], &["--dry-run"]].concat(), b"");
    assert_eq!(
        (&would["policy"]["verdict"], &would["files"][0]["verdict"]),
        (&json!("ask"), &json!("ask"))
    );
    let id = would["plan_id"].as_str().unwrap().to_owned();
    desk.refuses(
        "stale",
        &[
            "edit",
            "vendor/v.c",
            "--old",
            "v",
            "--new",
            "x",
            "--approve",
            &id,
        ],
        b"",
    );
    desk.does(&[&edit[..], &["--approve", &id]].concat(), b"");
    assert_eq!(desk.bytes("vendor/v.c"), b"w\n");
}

#[test]
fn limits_hashes_and_reading_hold() {
    let desk = desk(
        "[policy]\nmax_write_bytes = 3\nmax_read_bytes = 4\nrequire_hash = true\nsecrets = 'strict'\n",
    );
    fs::write(desk.path("long"), "12345").unwrap();
    fs::write(desk.path(".env"), "k").unwrap();
    desk.refuses("too_large", &["read", "long"], b"");
    desk.refuses("too_large", &["write", "n", "--content", "1234"], b"");
    desk.refuses("denied", &["edit", "a", "--old", "a", "--new", "b"], b"");
    let hash = desk.does(&["read", "a"], b"")["sha256"]
        .as_str()
        .unwrap()
        .to_owned();
    desk.does(
        &[
            "edit",
            "a",
            "--old",
            "a",
            "--new",
            "b",
            "--expect-hash",
            &hash,
        ],
        b"",
    );
    desk.refuses("denied", &["read", ".env"], b"");
    desk.refuses("denied", &["diff", "a", ".env"], b"");
    desk.refuses("denied", &["append", ".env", "--content", "x"], b"");
}

#[test]
fn the_configuration_holds_if_it_is_the_user_s_own() {
    let desk = Desk::with(&[
        ("a", b"a\n"),
        (
            "../config/wpatch/config.toml",
            b"[policy]\nmode = 'read-only'\n",
        ),
    ]);
    let write = ["write", "b", "--content", "x"];
    let file = desk.path("../config/wpatch/config.toml");
    fs::set_permissions(&file, PermissionsExt::from_mode(0o644)).unwrap();
    assert_eq!(
        desk.refuses("denied", &write, b"")["active_mode"],
        "read-only"
    );
    fs::set_permissions(&file, PermissionsExt::from_mode(0o666)).unwrap();
    desk.refuses("policy", &write, b"");
    fs::remove_file(&file).unwrap();
    desk.does(&write, b"");
}

#[test]
fn a_mistake_is_shown_where_it_is() {
    let desk = desk("[policy]\nmax_wrte_bytes = 9\n");
    let output = program(&desk.root(), &["write", "b", "--content", "x"])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(
        text.contains("wpatch.toml:2:1") && text.contains("2 | max_wrte_bytes = 9"),
        "{text}"
    );
}

#[test]
fn whoever_may_not_read_may_not_change_and_an_explanation_says_so() {
    let desk = desk("[[rule]]\npaths = ['a']\nops = ['read']\nverdict = 'deny'\nname = 'own'\n");
    let output = desk.runs(&["policy", "explain", "a"], b"");
    let text = String::from_utf8(output.stdout).unwrap();
    let expected = "a
  read    deny   wpatch.toml says so (own, pattern a, wpatch.toml:1)
  create  allow  no rule speaks of it
  modify  deny   wpatch.toml says so (own, pattern a, wpatch.toml:1, about read)
  delete  deny   wpatch.toml says so (own, pattern a, wpatch.toml:1, about read)
  rename  deny   wpatch.toml says so (own, pattern a, wpatch.toml:1, about read)
  mode    deny   wpatch.toml says so (own, pattern a, wpatch.toml:1, about read)
mode workspace-write, symlinks inside, binary allow, secrets places
built in, every command: git-directory, state-directory, drive-letter, backslash-parent, policy-file, secrets
built in, hook and mcp: control-files
";
    assert_eq!((output.status.code(), text.as_str()), (Some(0), expected));
    let alone = desk.runs(&["policy"], b"");
    assert_eq!(
        (alone.status.code(), alone.stdout.as_slice()),
        (Some(2), &b""[..])
    );
}

#[test]
fn what_may_not_be_read_is_not_shown_out_of_the_history_either() {
    let desk = Desk::with(&[("a", b"a\n"), (".env", b"key one\n")]);
    desk.does(&["init"], b"");
    let patch = b"--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n--- a/.env\n+++ b/.env\n@@ -1 +1 @@\n-key one\n+key two\n";
    desk.does(&["apply"], patch);
    desk.does(
        &["apply"],
        b"diff --git a/.env b/open\nsimilarity index 100%\nrename from .env\nrename to open\n",
    );
    fs::write(desk.path("wpatch.toml"), "[policy]\nsecrets = 'strict'\n").unwrap();
    let log = desk.does(&["log"], b"");
    let id = |index: usize| log["entries"][index]["id"].as_str().unwrap();
    let shown = |index: usize| -> serde_json::Value {
        serde_json::from_slice(&desk.runs(&["show", id(index), "--json"], b"").stdout).unwrap()
    };
    let document = shown(1);
    let files = &document["entries"][0]["files"];
    assert_eq!(
        (&files[0]["path"], &files[0]["diff"]),
        (&json!(".env"), &json!(null)),
        "{document:#}"
    );
    assert_eq!(files[0]["withheld"], "credentials are kept there");
    assert!(
        files[1]["diff"].as_str().unwrap().ends_with("-a\n+b\n")
            && files[1].get("withheld").is_none()
    );
    assert_eq!(
        shown(0)["entries"][0]["files"][0]["withheld"],
        "credentials are kept there"
    );
    let text = String::from_utf8(desk.runs(&["show", id(1)], b"").stdout).unwrap();
    assert!(
        text.contains("  modify .env (contents not shown: credentials are kept there)\n"),
        "{text}"
    );
    assert!(text.contains("+b\n") && !text.contains("key"), "{text}");
    fs::write(desk.path("wpatch.toml"), "mode = 1\n").unwrap();
    desk.refuses("policy", &["show", id(1)], b"");
}

#[test]
fn neither_a_log_nor_taking_back_tells_what_may_not_be_read() {
    for verdict in ["deny", "ask"] {
        let desk = Desk::with(&[("a", b"a\n"), ("key", b"old\n"), ("gone", b"old\n")]);
        desk.does(&["init"], b"");
        let patch = b"--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n--- a/key\n+++ b/key\n@@ -1 +1 @@\n-old\n+new\n\
            --- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n";
        desk.does(&["apply"], patch);
        let rule =
            format!("[[rule]]\npaths = ['key', 'gone']\nops = ['read']\nverdict = '{verdict}'\n");
        fs::write(desk.path("wpatch.toml"), rule).unwrap();
        let log = desk.does(&["log"], b"");
        let id = log["entries"][0]["id"].as_str().unwrap();
        for document in [
            &log,
            &serde_json::from_slice(&desk.runs(&["show", id, "--json"], b"").stdout).unwrap(),
        ] {
            for file in document["entries"][0]["files"].as_array().unwrap() {
                let is_open = file["path"] == "a";
                assert_eq!(file.get("withheld").is_none(), is_open, "{file:#}");
                for side in ["before", "after"]
                    .map(|side| &file[side])
                    .into_iter()
                    .filter(|side| !side.is_null())
                {
                    assert_eq!(side.get("xxh3").is_some(), is_open, "{file:#}");
                }
            }
        }
        let kind = if verdict == "deny" {
            "denied"
        } else {
            "approval_required"
        };
        // As they were before, as the change left them, and as somebody else did.
        fs::write(desk.path("a"), "a\n").unwrap();
        for contents in ["old\n", "new\n", "hum\n"] {
            fs::write(desk.path("key"), contents).unwrap();
            fs::write(desk.path("gone"), contents).unwrap();
            desk.refuses(kind, &["undo"], b"");
            if verdict == "deny" {
                desk.refuses(kind, &["undo", "--dry-run"], b"");
            }
        }
    }
}

#[test]
fn a_question_about_a_link_is_not_answered_by_where_it_leads() {
    let desk = Desk::with(&[
        ("a", b"1\n"),
        (
            "wpatch.toml",
            b"[[rule]]\npaths = ['link']\nverdict = 'ask'\n",
        ),
    ]);
    symlink("a", desk.path("link")).unwrap();
    desk.refuses(
        "approval_required",
        &["edit", "link", "--old", "1", "--new", "2"],
        b"",
    );
    desk.does(&["edit", "a", "--old", "1", "--new", "2"], b"");
}

#[test]
fn every_refusal_by_a_rule_has_its_reason() {
    let rule = |paths: &str, ops: &str, verdict: &str| {
        format!(
            "[[rule]]\npaths = ['{paths}']\nops = ['{ops}']\nverdict = '{verdict}'\nreason = 'why {paths}'\n"
        )
    };
    let policy = [
        rule("vendor/**", "write", "deny"),
        rule("key", "read", "deny"),
        rule("a", "write", "ask"),
    ]
    .concat();
    let desk = Desk::with(&[
        ("vendor/v.c", b"v\n"),
        ("a", b"a\n"),
        ("key", b"k\n"),
        ("private/x", b"x\n"),
        (
            "wpatch.toml",
            format!("{policy}{}", rule("private", "read", "deny")).as_bytes(),
        ),
    ]);
    let vendor = b"--- a/vendor/v.c\n+++ b/vendor/v.c\n@@ -1 +1 @@\n-v\n+w\n";
    let own = b"--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n";
    for (kind, command, input, reason) in [
        ("denied", &["apply"][..], &vendor[..], "why vendor/**"),
        ("denied", &["check"], vendor, "why vendor/**"),
        (
            "denied",
            &["edit", "vendor/v.c", "--old", "v", "--new", "w"],
            b"",
            "why vendor/**",
        ),
        (
            "denied",
            &["write", "vendor/new", "--content", "w"],
            b"",
            "why vendor/**",
        ),
        (
            "denied",
            &["append", "vendor/v.c", "--content", "w"],
            b"",
            "why vendor/**",
        ),
        ("denied", &["read", "key"], b"", "why key"),
        ("denied", &["diff", "a", "key"], b"", "why key"),
        ("denied", &["list", "private"], b"", "why private"),
        (
            "denied",
            &["edit", "key", "--old", "k", "--new", "w"],
            b"",
            "why key",
        ),
        ("approval_required", &["apply"], own, "why a"),
        (
            "approval_required",
            &["edit", "a", "--old", "a", "--new", "b"],
            b"",
            "why a",
        ),
        (
            "denied",
            &["write", ".git/x", "--content", "x"],
            b"",
            wpatch::policy::RULES[0].reason,
        ),
        (
            "denied",
            &["edit", "wpatch.toml", "--old", "a", "--new", "b"],
            b"",
            "it is a policy file, or on the way to one",
        ),
    ] {
        assert_eq!(
            desk.refuses(kind, command, input)["reason"],
            reason,
            "{command:?}"
        );
    }
    assert_eq!(
        desk.says(&["edit", "none", "--old", "a", "--new", "b"], b"")["error"].get("reason"),
        None
    );
}
