//! Files with their new states as the input of a request.

use std::collections::BTreeMap;
use std::sync::Arc;

use wpatch::digest::Digest;
use wpatch::engine::options::Interrupt;
use wpatch::engine::{
    self, Outcome, Request, TargetFile, TargetState, TreeChange, UndoTarget, What,
};
use wpatch::mode::{FileKind, FileMode};
use wpatch::path::RelPath;
use wpatch::plan::ExpectedFile;
use wpatch::report::{Op, ProblemKind};
use wpatch::transaction::Options;
use wpatch::workspace::memory::{Entry, Memory};

use crate::tree::path;

fn file(content: &str, permissions: u32) -> ExpectedFile {
    ExpectedFile {
        kind: FileKind::Regular,
        digest: Digest::of(content.as_bytes()),
        permissions: Some(permissions),
    }
}

fn link(target: &str) -> ExpectedFile {
    ExpectedFile {
        kind: FileKind::Symlink,
        permissions: None,
        ..file(target, 0)
    }
}

fn state(mode: FileMode, content: &str) -> TargetState {
    TargetState {
        mode,
        permissions: None,
        content: Some(Arc::new(content.into())),
    }
}

fn target(at: &str, before: Option<ExpectedFile>, after: Option<TargetState>) -> TargetFile {
    TargetFile {
        path: path(at),
        from: None,
        before,
        after,
    }
}

fn request(files: Vec<TargetFile>) -> Request {
    let mut request = Request::with(What::Tree(TreeChange {
        command: "run",
        files,
    }));
    request.look.describe = true;
    request
}

fn apply(files: Vec<TargetFile>, memory: &Memory) -> Outcome {
    engine::apply(request(files), memory, &Interrupt::new())
}

/// Returns a tree with one file for each kind of change.
fn tree() -> Memory {
    let memory = Memory::with_files([
        (path("changed"), Entry::file("old\n")),
        (path("dir/deleted"), Entry::file("gone\n")),
        (path("executable"), Entry::file("run\n")),
        (path("link"), Entry::link("changed")),
        (path("moved"), Entry::file("moved\n")),
        (path("private"), Entry::file("secret\n")),
        (path("same"), Entry::file("same\n")),
        (path("to-file"), Entry::link("changed")),
        (path("to-link"), Entry::file("text\n")),
    ]);
    let report = engine::init(&memory, Options::default(), &Interrupt::new()).report;
    assert!(report.ok);
    memory
}

/// Returns a change of every file of [`tree`], except `same`, and a new file.
fn changes() -> Vec<TargetFile> {
    let regular = |content: &str| Some(state(FileMode::Regular, content));
    vec![
        target("changed", Some(file("old\n", 0o644)), regular("new\n")),
        target("dir/deleted", Some(file("gone\n", 0o644)), None),
        target(
            "executable",
            Some(file("run\n", 0o644)),
            Some(TargetState {
                content: None,
                ..state(FileMode::Executable, "")
            }),
        ),
        target(
            "link",
            Some(link("changed")),
            Some(state(FileMode::Symlink, "same")),
        ),
        target("new/file", None, regular("")),
        TargetFile {
            from: Some(path("moved")),
            ..target(
                "new/moved",
                Some(file("moved\n", 0o644)),
                regular("and changed\n"),
            )
        },
        target(
            "private",
            Some(file("secret\n", 0o644)),
            Some(TargetState {
                permissions: Some(0o600),
                ..state(FileMode::Regular, "secret\n")
            }),
        ),
        target("same", Some(file("same\n", 0o644)), regular("same\n")),
        target("to-file", Some(link("changed")), regular("file\n")),
        target(
            "to-link",
            Some(file("text\n", 0o644)),
            Some(state(FileMode::Symlink, "same")),
        ),
    ]
}

/// Returns the files of [`tree`] after [`changes`].
fn changed() -> BTreeMap<RelPath, Entry> {
    let private = Entry {
        mode: 0o600,
        ..Entry::file("secret\n")
    };
    let files = [
        ("changed", Entry::file("new\n")),
        ("executable", Entry::executable("run\n")),
        ("link", Entry::link("same")),
        ("new/file", Entry::file("")),
        ("new/moved", Entry::file("and changed\n")),
        ("private", private),
        ("same", Entry::file("same\n")),
        ("to-file", Entry::file("file\n")),
        ("to-link", Entry::link("same")),
    ];
    files.map(|(at, entry)| (path(at), entry)).into()
}

/// Returns the files outside the state directory.
fn files(memory: &Memory) -> BTreeMap<RelPath, Entry> {
    let mut files = memory.files();
    files.retain(|path, _| !path.as_bytes().starts_with(b".wpatch/"));
    files
}

#[test]
fn files_get_their_new_states_and_undo_restores_them() {
    let memory = tree();
    let before = files(&memory);
    let checked = engine::check(request(changes()), &memory).report;
    let outcome = apply(changes(), &memory);
    let report = &outcome.report;
    assert!(report.ok && report.changed, "{:#?}", outcome.problems);
    assert_eq!(
        (report.plan_id.clone(), report.command),
        (checked.plan_id, "run")
    );
    let operations: Vec<_> = report
        .files
        .iter()
        .map(|file| (file.path.to_string(), file.op))
        .collect();
    let expected = [
        ("changed", Op::Modify),
        ("dir/deleted", Op::Delete),
        ("executable", Op::Mode),
        ("link", Op::Modify),
        ("new/file", Op::Create),
        ("new/moved", Op::Rename),
        ("private", Op::Modify),
        ("to-file", Op::Delete),
        ("to-file", Op::Create),
        ("to-link", Op::Delete),
        ("to-link", Op::Create),
    ];
    assert_eq!(operations, expected.map(|(path, op)| (path.to_owned(), op)));
    assert_eq!(files(&memory), changed());
    let undone = engine::apply(
        Request::undo(UndoTarget::Last(1)),
        &memory,
        &Interrupt::new(),
    );
    assert!(undone.report.ok, "{:#?}", undone.problems);
    assert_eq!(files(&memory), before);
}

#[test]
fn a_file_that_is_not_in_its_state_before_the_change_is_stale() {
    let other = |at: &str, before| {
        let content = Some(state(FileMode::Regular, "new\n"));
        (at.to_owned(), target(at, before, content))
    };
    let moved = TargetFile {
        from: Some(path("moved")),
        ..target(
            "new",
            Some(file("other\n", 0o644)),
            Some(state(FileMode::Regular, "x")),
        )
    };
    let cases = [
        other("changed", Some(file("other\n", 0o644))),
        other("changed", Some(file("old\n", 0o755))),
        other("changed", Some(link("old\n"))),
        other("changed", None),
        other("missing", Some(file("old\n", 0o644))),
        ("link".to_owned(), target("link", Some(link("other")), None)),
        ("moved".to_owned(), moved),
    ];
    for (at, stale) in cases {
        let memory = tree();
        let before = memory.files();
        let good = target("new/other", None, Some(state(FileMode::Regular, "x")));
        let outcome = apply(vec![stale, good], &memory);
        let report = outcome.report;
        assert_eq!((report.exit_code, report.changed), (1, false), "{at}");
        let problems: Vec<_> = report
            .problems
            .iter()
            .map(|problem| (problem.kind, problem.path.clone()))
            .collect();
        assert_eq!(problems, [(ProblemKind::Stale, Some(at.clone()))], "{at}");
        assert_eq!(memory.files(), before, "{at}");
    }
}

#[test]
fn a_directory_and_a_new_file_without_content_are_usage_errors() {
    let without = TargetState {
        content: None,
        ..state(FileMode::Regular, "")
    };
    let submodule = state(FileMode::Submodule, "");
    for after in [without, submodule] {
        let outcome = apply(vec![target("new", None, Some(after))], &tree());
        assert_eq!(outcome.report.exit_code, 2, "{:?}", outcome.report.error);
    }
}
