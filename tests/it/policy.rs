//! Policies by the program: which files are in force, and that they hold.

mod explain;
mod reading;
mod reasons;

use fs_err as fs;
use serde_json::json;

use crate::repository;
use crate::systems::{Desk, program};
use crate::world;

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

#[cfg(unix)]
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
    world::link("real.toml", &own).unwrap();
    stops();
    fs::remove_file(&own).unwrap();
    world::link("nothing", &own).unwrap();
    stops();
    fs::remove_file(&own).unwrap();
    fs::write(&own, vec![b'#'; (1 << 20) + 1]).unwrap();
    stops();
    fs::write(&own, "[policy]\nmode = 1\n").unwrap();
    stops();
    fs::remove_file(&own).unwrap();
    desk.does(&["write", "b", "--content", "x"], b"");
}

#[cfg(unix)]
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
    let fifo = |name: &str| world::fifo(desk.path(name));
    fifo("given");
    world::link("given", desk.path("link")).unwrap();
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

#[cfg(unix)]
#[test]
fn no_link_leads_around_a_policy() {
    let desk = desk(DENY);
    world::link("wpatch.toml", desk.path("other")).unwrap();
    world::link("vendor", desk.path("open")).unwrap();
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

#[cfg(unix)]
#[test]
fn a_policy_file_below_the_root_is_closed_with_what_leads_to_it() {
    let desk = Desk::with(&[("pol/p.toml", b""), ("a", b"a\n")]);
    world::link("pol", desk.path("link")).unwrap();
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

#[cfg(unix)]
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
    world::set_mode(&file, 0o644);
    assert_eq!(
        desk.refuses("denied", &write, b"")["active_mode"],
        "read-only"
    );
    world::set_mode(&file, 0o666);
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

#[cfg(unix)]
#[test]
fn a_question_about_a_link_is_not_answered_by_where_it_leads() {
    let desk = Desk::with(&[
        ("a", b"1\n"),
        (
            "wpatch.toml",
            b"[[rule]]\npaths = ['link']\nverdict = 'ask'\n",
        ),
    ]);
    world::link("a", desk.path("link")).unwrap();
    desk.refuses(
        "approval_required",
        &["edit", "link", "--old", "1", "--new", "2"],
        b"",
    );
    desk.does(&["edit", "a", "--old", "1", "--new", "2"], b"");
}

#[cfg(unix)]
#[test]
fn refused_links_are_not_created_changed_copied_or_moved() {
    let desk = desk("[policy]\nsymlinks = 'refuse'\n");
    world::link("a", desk.path("link")).unwrap();
    let moved = |how: &str| {
        format!("diff --git a/link b/new\nsimilarity index 100%\n{how} from link\n{how} to new\n")
    };
    let created = "diff --git a/new b/new\nnew file mode 120000\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n\
                   +a\n\\ No newline at end of file\n";
    let changed = "diff --git a/link b/link\nindex 2e65efe..63d8dbd 120000\n--- a/link\n+++ b/link\n@@ -1 +1 @@\n\
                   -a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n";
    let retyped = "diff --git a/a b/a\nold mode 100644\nnew mode 120000\n";
    let new = "policy denies new symbolic links (`symlinks`)";
    for (patch, reason) in [
        (moved("copy"), new),
        (moved("rename"), new),
        (created.to_owned(), new),
        (
            changed.to_owned(),
            "policy denies changes of symbolic links (`symlinks`)",
        ),
        (retyped.to_owned(), new),
    ] {
        let error = desk.refuses("denied", &["apply"], patch.as_bytes());
        assert_eq!(error["reason"], reason, "{patch}");
    }
    desk.does(&["apply"], moved("copy").replace("link", "a").as_bytes());
    let deleted = "diff --git a/link b/link\ndeleted file mode 120000\n--- a/link\n+++ /dev/null\n@@ -1 +0,0 @@\n\
                   -a\n\\ No newline at end of file\n";
    desk.does(&["apply"], deleted.as_bytes());
}

#[test]
fn the_history_commands_show_the_invalid_line_of_a_policy() {
    let desk = Desk::with(&[("sub/a", b"a\n"), ("sub/wpatch.toml", b"")]);
    repository::init(&desk.root());
    desk.does(
        &[
            "write",
            "a",
            "--content",
            "b",
            "--overwrite",
            "--root",
            "sub",
        ],
        b"",
    );
    fs::write(desk.path("sub/wpatch.toml"), "[policy]\nmode = 1\n").unwrap();
    for command in ["log", "undo"] {
        let output = desk.runs(&[command], b"");
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(
            text.contains("sub/wpatch.toml:2:8") && text.contains("mode = 1"),
            "{text}"
        );
        let report = desk.refuses("policy", &[command], b"");
        assert_eq!(
            report["help"],
            "the policy file is invalid; fix it and retry"
        );
    }
    fs::remove_file(desk.path("sub/wpatch.toml")).unwrap();
    fs::create_dir(desk.path("sub/wpatch.toml")).unwrap();
    for command in [&["log"][..], &["undo"], &["list", "--root", "sub"]] {
        let report = desk.refuses("policy", command, b"");
        assert_eq!(
            report["help"],
            "correct the policy file or its permissions, and retry"
        );
    }
}
