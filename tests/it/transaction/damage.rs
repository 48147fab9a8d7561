//! Damaged journals, and journals of older programs.

use wpatch::digest::Digest;
use wpatch::mode::Permissions;
use wpatch::transaction::{
    Failure, Interrupt, Options, RecoveryOutcome, Transaction, has_unfinished_changes, recover,
};
use wpatch::workspace::memory::{Entry, Memory};
use wpatch::workspace::{DirectoryPermissions, Workspace};

use super::{killed, memory, update};
use crate::case::Settings;
use crate::tree::path;

#[test]
fn a_damaged_journal_in_one_place_stops_what_was_left_in_the_other() {
    let memory = killed(&[("a", Entry::file("old"))]);
    memory.put(
        &path(".git/wpatch/txn-006553f10000000001-00000000/journal"),
        &Entry::file("damaged"),
    );
    memory
        .set_permissions(&path(".git/wpatch"), Permissions::Exact(0o700))
        .unwrap();
    let before = memory.entries();
    assert!(matches!(
        recover(&memory, Options::default()),
        Err(Failure::State { .. })
    ));
    assert_eq!(memory.entries(), before);
    assert!(matches!(update(&memory), Err(Failure::State { .. })));
    assert_eq!(memory.entries(), before);
}

#[test]
fn a_damaged_journal_stops_everything_and_nothing_is_touched() {
    let memory = killed(&[("a", Entry::file("old"))]);
    let journal = memory
        .files()
        .into_keys()
        .find(|path| path.name().ends_with(b"journal"))
        .unwrap();
    memory.put(&journal, &Entry::file("wpatch.journal/1 0\n{}"));
    let before = memory.files();
    assert!(matches!(
        has_unfinished_changes(&memory),
        Err(Failure::State { .. })
    ));
    assert!(matches!(
        recover(&memory, Options::default()),
        Err(Failure::State { .. })
    ));
    assert!(matches!(update(&memory), Err(Failure::State { .. })));
    assert_eq!(memory.files(), before);
}

/// Returns a journal in the format that was written at once: `a` was exchanged, `c` was moved to `d`.
fn older_journal(memory: &Memory) -> String {
    let image = |text: &str| {
        let digest = Digest::of(text.as_bytes());
        format!(
            r#"{{"kind":"file","digest":"{digest}","size":{},"mode":420}}"#,
            text.len()
        )
    };
    let change = |number: usize, path: &str, sides: [String; 2], rest: &str| {
        let [before, after] = sides;
        format!(
            r#"{{"number":{number},"path":"{path}","before":{before},"after":{after},{rest},"beside":null}}"#
        )
    };
    let nothing = || "null".to_owned();
    let changes = [
        change(
            0,
            "a",
            [image("old"), image("new")],
            r#""leaves":false,"arrives":"staged""#,
        ),
        change(
            1,
            "c",
            [image("moved"), nothing()],
            r#""leaves":true,"arrives":null"#,
        ),
        change(
            2,
            "d",
            [nothing(), image("moved")],
            r#""leaves":false,"arrives":{"old":1}"#,
        ),
    ];
    let (root, changes) = (memory.identity().unwrap(), changes.join(","));
    let body = format!(
        r#"{{"root":"{root}","command":"apply","undoes":[],"makes":[],"removes":[],"changes":[{changes}]}}{}"#,
        "\n"
    );
    format!("wpatch.journal/1 {}\n{body}", Digest::of(body.as_bytes()))
}

#[test]
fn a_journal_of_an_older_program_is_rolled_back() {
    let memory = memory(&[("a", Entry::file("new"))]);
    memory
        .make_dir(&path(".wpatch"), DirectoryPermissions::Private)
        .unwrap();
    let journal = older_journal(&memory);
    for (name, text) in [("journal", &*journal), ("n0", "old"), ("o1", "moved")] {
        memory.put(&path(&format!(".wpatch/txn-1.{name}")), &Entry::file(text));
    }
    let recovered = recover(&memory, Options::default()).unwrap();
    assert_eq!(
        recovered.iter().map(|one| one.ending).collect::<Vec<_>>(),
        [RecoveryOutcome::RolledBack]
    );
    let files = memory.files();
    let found = ["a", "c", "d"].map(|name| files.get(&path(name)).cloned());
    assert_eq!(
        found,
        [Some(Entry::file("old")), Some(Entry::file("moved")), None]
    );
    assert!(
        !files
            .keys()
            .any(|path| path.to_string().starts_with(".wpatch/txn-")),
        "{files:?}"
    );
}

#[test]
fn a_damaged_journal_behind_a_whole_one_stops_both() {
    let memory = killed(&[("a", Entry::file("old"))]);
    memory.put(
        &path(".wpatch/txn-f.journal"),
        &Entry::file("wpatch.journal/1 0\n{}"),
    );
    let before = memory.files();
    assert!(matches!(
        recover(&memory, Options::default()),
        Err(Failure::State { .. })
    ));
    assert!(matches!(update(&memory), Err(Failure::State { .. })));
    assert_eq!(memory.files(), before);
}

#[test]
fn what_is_going_to_be_recovered_is_examined_and_not_touched() {
    let memory = killed(&[("a", Entry::file("old"))]);
    let before = memory.fingerprint();
    assert!(has_unfinished_changes(&memory).unwrap());
    let patch = b"--- a/a\n+++ b/a\n@@ -1 +1 @@\n-old\n\\ No newline at end of file\n+x\n";
    let report = crate::run::check(&memory, patch, &Settings::default());
    assert_eq!(
        report["problems"][0]["code"], "wpatch::io::half_made",
        "{report:#}"
    );
    assert_eq!(memory.fingerprint(), before);
    let next = memory.restart();
    let _ = recover(&next, Options::default()).unwrap();
    assert!(!has_unfinished_changes(&next).unwrap());
    let memory = killed(&[("a", Entry::file("old"))]);
    let (transaction, _) =
        Transaction::begin(&memory, Options::default(), &Interrupt::new()).unwrap();
    has_unfinished_changes(&memory).unwrap();
    transaction.abandon();
    let before = memory.fingerprint();
    has_unfinished_changes(&memory).unwrap();
    assert_eq!(memory.fingerprint(), before);
}

#[test]
fn a_link_among_the_transactions_is_ignored() {
    let files = [
        ("a", Entry::file("old")),
        (".wpatch/txn-1", Entry::link("b")),
        ("b/journal", Entry::file("x")),
    ];
    let memory = memory(&files);
    memory
        .set_permissions(&path(".wpatch"), Permissions::Exact(0o700))
        .unwrap();
    let files = || {
        let mut files = memory.files();
        files.retain(|path, _| [&b"txn-1"[..], b"journal"].contains(&path.name()));
        files
    };
    let before = files();
    assert_eq!(before.len(), 2);
    assert!(!has_unfinished_changes(&memory).unwrap());
    update(&memory).unwrap();
    assert!(recover(&memory, Options::default()).unwrap().is_empty());
    assert_eq!(files(), before);
}
