//! Edit sessions: changes that are collected, seen by the session, and committed as one transaction.

mod faults;
mod limits;
mod program;
mod rebase;

use std::collections::BTreeMap;
use std::slice;
use std::sync::Arc;

use wpatch::engine::options::{HistoryLimits, Interrupt};
use wpatch::engine::{self, ListRequest, Outcome, ReadRequest, Request, UndoTarget};
use wpatch::mode::FileKind;
use wpatch::path::RelPath;
use wpatch::report::{Op, ProblemKind};
use wpatch::transaction::{Durability, Options};
use wpatch::workspace::Workspace;
use wpatch::workspace::memory::{Entry, Memory};

use crate::tree::path;

const OPTIONS: Options = Options {
    durability: Durability::Full,
    lock_timeout: std::time::Duration::ZERO,
    history: HistoryLimits {
        entries: 100,
        age: std::time::Duration::from_secs(3600),
        bytes: 1 << 30,
    },
    links: wpatch::transaction::HardLinkMode::Separate,
    journals: wpatch::transaction::JournalAdoption::Refuse,
    missing_roots: wpatch::transaction::MissingRoots::Refuse,
};

/// The changes of a session in two patches: each kind of operation, and two steps on one file.
const PATCHES: [&str; 2] = [
    "\
diff --git a/changed b/changed
--- a/changed
+++ b/changed
@@ -1 +1 @@
-old
+new
diff --git a/dir/gone b/dir/gone
deleted file mode 100644
--- a/dir/gone
+++ /dev/null
@@ -1 +0,0 @@
-gone
diff --git a/moved b/new/moved
rename from moved
rename to new/moved
diff --git a/script b/script
old mode 100644
new mode 100755
diff --git a/link b/link
index 1234567..7654321 120000
--- a/link
+++ b/link
@@ -1 +1 @@
-changed
\\ No newline at end of file
+script
\\ No newline at end of file
diff --git a/new/file b/new/file
new file mode 100644
--- /dev/null
+++ b/new/file
@@ -0,0 +1 @@
+one
",
    "\
diff --git a/new/file b/new/file
--- a/new/file
+++ b/new/file
@@ -1 +1,2 @@
 one
+two
diff --git a/new/moved b/last
rename from new/moved
rename to last
--- a/new/moved
+++ b/last
@@ -1 +1,2 @@
 moved
+and changed
diff --git a/dir b/dir
new file mode 100644
--- /dev/null
+++ b/dir
@@ -0,0 +1 @@
+file
",
];

fn memory() -> Memory {
    let memory = Memory::with_files([
        (path("changed"), Entry::file("old\n")),
        (path("dir/gone"), Entry::file("gone\n")),
        (path("link"), Entry::link("changed")),
        (path("moved"), Entry::file("moved\n")),
        (path("same"), Entry::file("same\n")),
        (path("script"), Entry::file("run\n")),
    ]);
    let report = engine::init(&memory, OPTIONS, &Interrupt::new()).report;
    assert!(report.ok, "{:?}", report.error);
    memory
}

/// Returns the files outside the state directory.
fn tree(memory: &Memory) -> BTreeMap<RelPath, Entry> {
    let mut files = memory.files();
    files.retain(|path, _| !path.as_bytes().starts_with(b".wpatch/"));
    files
}

/// Returns the files that the session `id` sees, as [`tree`] does.
fn seen(memory: &Memory, id: &str) -> BTreeMap<RelPath, Entry> {
    let session = engine::open_session(memory, id).unwrap();
    let (mut files, mut directories) = (BTreeMap::new(), vec![None::<RelPath>]);
    while let Some(directory) = directories.pop() {
        for name in session.list(directory.as_ref()).unwrap() {
            let at = match &directory {
                Some(directory) => directory.join(&name).unwrap(),
                None => RelPath::new(&name[..]).unwrap(),
            };
            if at.as_bytes() == b".wpatch" {
                continue;
            }
            let stat = session.stat(&at).unwrap().unwrap();
            let entry = match stat.kind {
                FileKind::Directory => {
                    directories.push(Some(at));
                    continue;
                }
                FileKind::Symlink => Entry::link(session.read_link(&at).unwrap()),
                _ => {
                    let (bytes, read) = session.read(&at, u64::MAX).unwrap();
                    assert_eq!((read.kind, read.size), (stat.kind, bytes.len() as u64));
                    Entry {
                        mode: stat.permissions,
                        ..Entry::file(bytes.to_vec())
                    }
                }
            };
            files.insert(at, entry);
        }
    }
    files
}

fn begin(memory: &Memory) -> String {
    let outcome = engine::begin(Some("a note"), memory, OPTIONS, &Interrupt::new());
    assert!(outcome.report.ok, "{:?}", outcome.problems);
    outcome.report.session.unwrap().id
}

fn request(request: Request) -> Request {
    let mut request = request;
    request.commit.transaction = OPTIONS;
    request
}

/// Applies `change` to the session `id`.
fn step(memory: &Memory, id: &str, change: Request) -> Outcome {
    let session = engine::open_session(memory, id).unwrap();
    engine::apply(request(change), &session, &Interrupt::new())
}

fn commit(memory: &Memory, id: &str) -> Outcome {
    engine::apply(
        request(Request::commit_session(id)),
        memory,
        &Interrupt::new(),
    )
}

fn sessions(memory: &Memory) -> Vec<String> {
    let log = engine::log(memory, &Arc::default()).unwrap();
    log.sessions.into_iter().map(|session| session.id).collect()
}

/// Makes the changes of [`PATCHES`] in a session. Returns the tree after them.
fn changed(memory: &Memory, id: &str) -> BTreeMap<RelPath, Entry> {
    for patch in PATCHES {
        let outcome = step(memory, id, Request::of(patch));
        assert!(outcome.report.ok, "{:#?}", outcome.problems);
    }
    let plain = self::memory();
    for patch in PATCHES {
        let outcome = engine::apply(request(Request::of(patch)), &plain, &Interrupt::new());
        assert!(outcome.report.ok, "{:#?}", outcome.problems);
    }
    tree(&plain)
}

/// Checks the entry of the session `id` with the changes of [`PATCHES`] in the log.
fn assert_listed(memory: &Memory, id: &str) {
    let log = engine::log(memory, &Arc::default()).unwrap();
    let [session] = &log.sessions[..] else {
        panic!("{:?}", log.sessions);
    };
    assert_eq!(
        (session.id.as_str(), session.note.as_deref()),
        (id, Some("a note"))
    );
    let files: Vec<_> = session
        .files
        .iter()
        .map(|file| (&*file.path, file.op))
        .collect();
    let expected = [
        ("changed", Op::Modify),
        ("dir", Op::Create),
        ("dir/gone", Op::Delete),
        ("last", Op::Rename),
        ("link", Op::Modify),
        ("moved", Op::Delete),
        ("new/file", Op::Create),
        ("script", Op::Mode),
    ];
    assert_eq!(files, expected);
}

#[test]
fn a_session_sees_its_changes_and_commits_them_as_one_transaction() {
    let memory = memory();
    let before = tree(&memory);
    let id = begin(&memory);
    let after = changed(&memory, &id);
    assert_eq!(tree(&memory), before);
    assert_eq!(seen(&memory, &id), after);

    assert_listed(&memory, &id);
    let outcome = commit(&memory, &id);
    assert!(
        outcome.report.ok && outcome.report.changed,
        "{:#?}",
        outcome.problems
    );
    assert_eq!(tree(&memory), after);
    assert!(sessions(&memory).is_empty());
    let log = engine::log(&memory, &Arc::default()).unwrap();
    let [entry] = &log.entries[..] else {
        panic!("{:?}", log.entries);
    };
    assert_eq!(
        (
            &*entry.command,
            entry.session.as_deref(),
            entry.note.as_deref()
        ),
        ("commit", Some(&*id), Some("a note"))
    );
    let undone = engine::apply(
        request(Request::undo(UndoTarget::Last(1))),
        &memory,
        &Interrupt::new(),
    );
    assert!(undone.report.ok, "{:#?}", undone.problems);
    assert_eq!(tree(&memory), before);
}

#[test]
fn commands_that_read_see_the_session() {
    let memory = memory();
    let id = begin(&memory);
    changed(&memory, &id);
    let session = engine::open_session(&memory, &id).unwrap();
    let text = engine::read(&ReadRequest::of("last"), &session).unwrap();
    assert_eq!(text.content, b"moved\nand changed\n");
    let listing = engine::list(&ListRequest::of("new"), &session).unwrap();
    let names: Vec<_> = listing.entries.iter().map(|entry| &*entry.name).collect();
    assert_eq!(names, ["file"]);
    let checked = engine::check(Request::edit("last", "moved", "x"), &session);
    assert!(checked.report.ok, "{:#?}", checked.problems);
    let checked = engine::check(Request::edit("last", "moved", "x"), &memory);
    assert_eq!(checked.report.error.unwrap().kind, ProblemKind::Missing);

    let diff = engine::diff_session(&session, &Arc::default(), usize::MAX).unwrap();
    assert_eq!((diff.identical, diff.truncated), (false, false));
    let other = self::memory();
    let applied = engine::apply(request(Request::of(diff.diff)), &other, &Interrupt::new());
    assert!(applied.report.ok, "{:#?}", applied.problems);
    assert_eq!(tree(&other), seen(&memory, &id));
    let shown = engine::show(&memory, &id, &Arc::default()).unwrap();
    let files = &shown.sessions[0].files;
    assert!(files.iter().any(|file| file.diff.is_some()), "{files:?}");
}

#[test]
fn sessions_do_not_see_each_other_and_a_removed_session_is_gone() {
    let memory = memory();
    let (first, second) = (begin(&memory), begin(&memory));
    assert!(
        step(&memory, &first, Request::edit("same", "same", "first"))
            .report
            .ok
    );
    assert!(
        step(&memory, &second, Request::edit("same", "same", "second"))
            .report
            .ok
    );
    assert_eq!(sessions(&memory), [second.clone(), first.clone()]);
    assert_eq!(seen(&memory, &first)[&path("same")].contents, b"first\n");
    let aborted = engine::abort(&second, &memory, OPTIONS, &Interrupt::new());
    assert!(aborted.report.ok, "{:#?}", aborted.problems);
    assert_eq!(sessions(&memory), slice::from_ref(&first));
    assert_eq!(tree(&memory)[&path("same")].contents, b"same\n");
    for outcome in [
        commit(&memory, &second),
        engine::abort(&second, &memory, OPTIONS, &Interrupt::new()),
        *engine::open_session(&memory, &second)
            .map(drop)
            .unwrap_err(),
    ] {
        let error = outcome.report.error.unwrap();
        assert_eq!(
            (error.kind, outcome.report.exit_code),
            (ProblemKind::Missing, 1)
        );
    }
    // The beginning of an ID suffices, unless it is the beginning of several.
    assert!(commit(&memory, &first[..12]).report.ok);
    let (_, _) = (begin(&memory), begin(&memory));
    let outcome = commit(&memory, "0");
    assert_eq!(outcome.report.error.unwrap().kind, ProblemKind::Missing);
}

#[test]
fn a_step_of_another_process_is_not_lost() {
    let memory = memory();
    let id = begin(&memory);
    let first = engine::open_session(&memory, &id).unwrap();
    assert!(
        step(&memory, &id, Request::edit("same", "same", "other"))
            .report
            .ok
    );
    let outcome = engine::apply(
        request(Request::edit("same", "other", "both")),
        &first,
        &Interrupt::new(),
    );
    assert!(outcome.report.ok, "{:#?}", outcome.problems);
    assert_eq!(seen(&memory, &id)[&path("same")].contents, b"both\n");
}

#[test]
fn a_refused_step_changes_nothing_and_options_for_the_tree_are_refused() {
    let memory = memory();
    let id = begin(&memory);
    assert!(
        step(&memory, &id, Request::edit("same", "same", "x"))
            .report
            .ok
    );
    let before = (seen(&memory, &id), memory.files().len());
    let outcome = step(&memory, &id, Request::of(PATCHES[1]));
    assert_eq!(outcome.report.exit_code, 1);
    assert_eq!((seen(&memory, &id), memory.files().len()), before);
    let mut in_place = Request::edit("same", "x", "y");
    in_place.decide.in_place = true;
    let mut reject = Request::edit("same", "x", "y");
    reject.decide.reject = true;
    let mut verify = Request::edit("same", "x", "y");
    verify.commit.commands.verify = Some("true".into());
    for refused in [in_place, reject, verify, Request::undo(UndoTarget::Last(1))] {
        assert_eq!(step(&memory, &id, refused).report.exit_code, 2);
    }
    assert_eq!((seen(&memory, &id), memory.files().len()), before);
}

#[test]
fn a_session_that_changes_a_file_back_changes_nothing() {
    let memory = memory();
    let id = begin(&memory);
    assert!(
        step(&memory, &id, Request::edit("same", "same", "x"))
            .report
            .ok
    );
    assert!(
        step(&memory, &id, Request::edit("same", "x", "same"))
            .report
            .ok
    );
    assert!(step(&memory, &id, Request::write("new", "x")).report.ok);
    let removal = "diff --git a/new b/new\ndeleted file mode 100644\n--- a/new\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\\ No newline at end of file\n";
    assert!(step(&memory, &id, Request::of(removal)).report.ok);
    let log = engine::log(&memory, &Arc::default()).unwrap();
    assert!(log.sessions[0].files.is_empty());
    let outcome = commit(&memory, &id);
    assert!(outcome.report.ok && !outcome.report.changed);
    assert!(sessions(&memory).is_empty());
}
