//! Faults while a change is recorded: the tree is never touched, and the history has either the
//! whole entry or none.

use wpatch::digest::Digest;
use wpatch::engine::{self, Request, UndoTarget};
use wpatch::mode::FileKind;
use wpatch::path::RelPath;
use wpatch::transaction::history::{TransactionLabel, Version, entries};
use wpatch::transaction::{
    Failure, Interrupt, ObservedChange, ObservedFile, Options, Receipt, Transaction,
};
use wpatch::workspace::memory::{DurableChanges, Entry, FaultInjection, FaultKind, Memory};

fn path(name: &str) -> RelPath {
    RelPath::new(name.as_bytes()).unwrap()
}

fn version(text: &str) -> Version {
    Version {
        kind: FileKind::Regular,
        digest: Digest::of(text.as_bytes()),
        size: text.len() as u64,
        permissions: Some(0o644),
    }
}

/// Returns the tree after the command, with a history.
fn changed() -> Memory {
    let memory = Memory::with_files([
        (path("a"), Entry::file("new\n")),
        (path("created"), Entry::file("created\n")),
        (path("target"), Entry::file("moved\n")),
    ]);
    assert!(
        engine::init(&memory, Options::default(), &Interrupt::new())
            .report
            .ok
    );
    memory
}

fn observed() -> ObservedChange {
    let file = |name: &str, before: Option<&str>, after: Option<&str>| ObservedFile {
        path: path(name),
        from: None,
        owner: None,
        before: before.map(version),
        after: after.map(version),
    };
    ObservedChange {
        files: vec![
            file("a", Some("old\n"), Some("new\n")),
            file("created", None, Some("created\n")),
            file("deleted", Some("deleted\n"), None),
            ObservedFile {
                from: Some(path("source")),
                ..file("target", Some("moved\n"), Some("moved\n"))
            },
        ],
        ..ObservedChange::default()
    }
}

fn record(memory: &Memory) -> Result<Receipt, Failure> {
    let (mut transaction, _) = Transaction::begin(memory, Options::default(), &Interrupt::new())?;
    let mut read = |path: &RelPath| {
        Ok(match path.as_bytes() {
            b"a" => b"old\n".to_vec(),
            _ => b"deleted\n".to_vec(),
        })
    };
    transaction.observe(observed(), &mut read)?;
    let label = TransactionLabel {
        command: "run".to_owned(),
        ..TransactionLabel::default()
    };
    transaction.with_label(label).commit(&Interrupt::new())
}

/// Returns the contents of the files in the tree, without the state directory.
fn contents(memory: &Memory) -> Vec<(String, Vec<u8>)> {
    let files = memory.files().into_iter();
    let files = files.filter(|(path, _)| !path.as_bytes().starts_with(b".wpatch"));
    files
        .map(|(path, entry)| (path.to_string(), entry.contents))
        .collect()
}

fn expected(files: &[(&str, &str)]) -> Vec<(String, Vec<u8>)> {
    files
        .iter()
        .map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec()))
        .collect()
}

/// Asserts that the tree is as the command left it, and that an entry restores the old tree.
/// Returns whether there is an entry.
fn assert_recovers(next: &Memory, context: &str) -> bool {
    let after = [
        ("a", "new\n"),
        ("created", "created\n"),
        ("target", "moved\n"),
    ];
    let before = [
        ("a", "old\n"),
        ("deleted", "deleted\n"),
        ("source", "moved\n"),
    ];
    let recovered = engine::recover(next, Options::default()).report;
    assert!(recovered.ok, "{context}: {:?}", recovered.error);
    assert_eq!(contents(next), expected(&after), "{context}");
    let entries = entries(next).unwrap();
    assert!(entries.len() <= 1, "{context}: {entries:?}");
    if entries.is_empty() {
        return false;
    }
    let undo = Request::undo(UndoTarget::Last(1));
    let undone = engine::apply(undo, next, &Interrupt::new()).report;
    assert!(undone.ok, "{context}: {:?}", undone.error);
    assert_eq!(contents(next), expected(&before), "{context}");
    true
}

#[test]
fn without_a_fault_the_change_is_recorded() {
    let memory = changed();
    let receipt = record(&memory).unwrap();
    assert!(receipt.warnings.is_empty(), "{receipt:?}");
    let entries = entries(&memory).unwrap();
    let files: Vec<_> = entries[0]
        .files
        .iter()
        .map(|file| {
            (
                file.path.to_string(),
                file.from.as_ref().map(RelPath::to_string),
            )
        })
        .collect();
    let names = [
        ("a", None),
        ("created", None),
        ("deleted", None),
        ("source", None),
    ];
    let mut names: Vec<_> = names
        .into_iter()
        .map(|(name, from): (&str, Option<String>)| (name.to_owned(), from))
        .collect();
    names.push(("target".to_owned(), Some("source".to_owned())));
    assert_eq!(files, names);
    assert!(assert_recovers(&memory, "no fault"));
}

#[test]
fn a_fault_at_any_verb_leaves_the_whole_entry_or_none() {
    let mut faults = 0;
    for kind in FaultKind::ALL {
        for verb in 0.. {
            let memory = changed();
            memory.inject(FaultInjection {
                verb: memory.verb_count() + verb,
                kind,
            });
            let is_recorded = record(&memory).is_ok();
            if !memory.has_failed() {
                break;
            }
            faults += 1;
            let context = format!("{kind:?} {verb}");
            let has_entry = assert_recovers(&memory.restart(), &context);
            assert!(has_entry || !is_recorded, "{context}");
            for seed in 0..3 {
                let survivors = DurableChanges::Random(verb as u64 * 3 + seed);
                let next = memory.after_power_loss_with(survivors);
                let has_entry = assert_recovers(&next, &format!("{context} {survivors:?}"));
                assert!(has_entry || !is_recorded, "{context} {survivors:?}");
            }
        }
    }
    assert!(faults > 50, "{faults}");
}
