//! `run --observe`: commands that run on the tree itself, and whose changes are recorded.

mod faults;
#[cfg(unix)]
mod refusals;
#[cfg(unix)]
mod unrecorded;

use serde_json::Value;

use crate::repository::init;
use crate::systems::Desk;
use crate::tree;

/// Returns a tree with a history.
pub(crate) fn desk() -> Desk {
    let desk = Desk::with(&[
        ("a", b"one\ntwo\n"),
        ("d/b", b"three\n"),
        ("d/c", b"four\n"),
        ("old/only", b"five\n"),
    ]);
    init(&desk.root());
    desk
}

/// Returns the files and directories below the root, without those of git.
pub(crate) fn files(desk: &Desk) -> tree::Tree {
    let mut files = tree::read(&desk.root());
    files.retain(|path, _| !path.as_bytes().starts_with(b".git"));
    files
}

/// The words of a shell script that runs on the tree.
#[cfg(unix)]
pub(crate) fn script<'a>(options: &[&'a str], text: &'a str) -> Vec<&'a str> {
    [&["run", "--observe"], options, &["--", "sh", "-c", text]].concat()
}

/// Returns the files of a report, as `op path`, sorted.
fn ops(report: &Value) -> Vec<String> {
    let op = |file: &Value| {
        let names = ["op", "from", "path"].map(|name| file[name].as_str().unwrap_or_default());
        names.join(" ").replace("  ", " ")
    };
    let files = report["files"].as_array().unwrap();
    let mut ops: Vec<_> = files.iter().map(op).collect();
    ops.sort();
    ops
}

/// The program itself is a command that exists on every system.
#[test]
fn a_command_on_the_tree_is_recorded_on_every_system() {
    let desk = desk();
    let before = files(&desk);
    let program = env!("CARGO_BIN_EXE_wpatch");
    let words = [
        "run",
        "--observe",
        "--",
        program,
        "-q",
        "write",
        "new/file",
        "--content",
        "text\n",
    ];
    let report = desk.does(&words, b"");
    assert_eq!(ops(&report), ["create new/file"], "{report:#}");
    assert_eq!(desk.bytes("new/file"), b"text\n");
    let transaction = report["transaction"]["id"].as_str().unwrap();
    desk.does(&["undo", transaction], b"");
    assert_eq!(files(&desk), before);
}

#[cfg(unix)]
#[test]
fn every_kind_of_change_is_recorded_and_undone() {
    let desk = desk();
    let before = files(&desk);
    let text = "echo 2 >> a; chmod 755 a; rm -r d; echo file > d; mkdir -p new/empty; \
                ln -s a link; mv old/only moved; rmdir old; printf '\\0\\377' > binary";
    let report = desk.does(&script(&[], text), b"");
    let expected = [
        "create binary",
        "create d",
        "create link",
        "delete d/b",
        "delete d/c",
        "modify a",
        "rename old/only moved",
    ];
    assert_eq!(ops(&report), expected, "{report:#}");
    assert_eq!(report["changed"], true);
    assert_eq!(report["run"]["exit_code"], 0);
    let after = files(&desk);
    desk.does(&["undo"], b"");
    assert_eq!(files(&desk), before);
    desk.does(&["redo"], b"");
    assert_eq!(files(&desk), after);
    desk.does(&["undo"], b"");
    assert_eq!(files(&desk), before);
}

/// A link has no content that a layer of the tree could read, so it is copied in another way.
#[cfg(unix)]
#[test]
fn links_and_modes_are_restored() {
    let desk = desk();
    std::os::unix::fs::symlink("a", desk.path("link")).unwrap();
    std::os::unix::fs::symlink("d", desk.path("gone")).unwrap();
    let before = files(&desk);
    let text = "ln -sfn d link; rm gone; chmod 600 a; chmod 755 d/b";
    let report = desk.does(&script(&[], text), b"");
    assert_eq!(
        ops(&report),
        ["delete gone", "mode d/b", "modify a", "modify link"],
        "{report:#}"
    );
    desk.does(&["undo"], b"");
    assert_eq!(files(&desk), before);
}

#[cfg(unix)]
#[test]
fn a_root_below_the_top_of_a_work_tree_is_recorded_there() {
    let desk = desk();
    let before = files(&desk);
    let words = [
        "run",
        "--root",
        "d",
        "--observe",
        "--",
        "sh",
        "-c",
        "echo 1 >> b; rm c; pwd > where",
    ];
    let report = desk.does(&words, b"");
    assert_eq!(
        ops(&report),
        ["create where", "delete c", "modify b"],
        "{report:#}"
    );
    desk.does(&["undo"], b"");
    assert_eq!(files(&desk), before);
}

/// Many files, so that their copies are in buckets.
#[cfg(unix)]
#[test]
fn many_files_are_recorded_and_undone() {
    let desk = desk();
    for number in 0..100 {
        fs_err::write(desk.path(&format!("d/{number}")), format!("{number}\n")).unwrap();
    }
    let before = files(&desk);
    let report = desk.does(&script(&[], "for f in d/*; do echo more >> $f; done"), b"");
    assert_eq!(report["files"].as_array().unwrap().len(), 102);
    desk.does(&["undo"], b"");
    assert_eq!(files(&desk), before);
}

#[cfg(unix)]
#[test]
fn a_later_edit_is_never_overwritten_by_an_undo() {
    let desk = desk();
    desk.does(&script(&[], "echo 2 >> a; echo 3 >> d/b"), b"");
    fs_err::write(desk.path("a"), "mine\n").unwrap();
    desk.refuses("conflict", &["undo"], b"");
    assert_eq!(desk.bytes("a"), b"mine\n");
}

#[cfg(unix)]
#[test]
fn the_audit_record_describes_the_change() {
    let desk = desk();
    desk.does(&script(&["--actor", "model"], "echo 2 >> a"), b"");
    let verified = desk.runs(&["log", "--verify"], b"");
    assert!(verified.status.success(), "{verified:?}");
    let text = fs_err::read_to_string(desk.path(".git/wpatch/audit.jsonl")).unwrap();
    let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(last["actor"], "model", "{last:#}");
    assert_eq!(last["command"], "run", "{last:#}");
    assert_eq!(last["files"][0]["path"], "a", "{last:#}");
}

#[cfg(unix)]
#[test]
fn changes_of_files_of_git_cause_a_warning() {
    let desk = desk();
    let report = desk.does(&script(&[], "git add a && git mv a moved"), b"");
    let warnings = report["problems"].as_array().unwrap();
    let is_about_git = |problem: &&Value| problem["message"].as_str().unwrap().contains("of git");
    assert_eq!(
        warnings.iter().filter(is_about_git).count(),
        1,
        "{report:#}"
    );
    assert_eq!(ops(&report), ["rename a moved"], "{report:#}");
}

#[cfg(unix)]
#[test]
fn a_command_without_changes_adds_no_entry() {
    let desk = desk();
    let report = desk.does(&script(&[], "touch a"), b"");
    assert_eq!(
        (&report["changed"], ops(&report).len()),
        (&false.into(), 0),
        "{report:#}"
    );
    assert_eq!(
        desk.does(&["log"], b"")["entries"]
            .as_array()
            .unwrap()
            .len(),
        0
    );
}
