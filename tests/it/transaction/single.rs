//! A single change that need not survive a loss of power: what it leaves when it is killed, and what the next command
//! makes of that.

use wpatch::transaction::{
    Durability, Ending, Failure, Interrupt, Links, Options, SingleChange, Transaction, examine, recover,
};
use wpatch::workspace::Workspace;
use wpatch::workspace::memory::{Entry, FaultKind, Injection, Memory};

use super::memory;
use crate::changes::{Step, run};
use crate::tree::path;

const NONE: Options = Options {
    durability: Durability::None,
    patience: std::time::Duration::ZERO,
    history: wpatch::transaction::history::Limits { entries: 1, age: std::time::Duration::ZERO, bytes: 0 },
    links: Links::Parted,
};

fn update(memory: &Memory) -> Result<(), Failure> {
    run(memory, &[Step::Put("d/a", Entry::file("new"))], NONE, &Interrupt::new()).map(|_receipt| ())
}

fn files() -> Memory {
    memory(&[("d/a", Entry::file("old"))])
}

/// Kills an update behind the first verb that leaves what `is_there` looks for.
fn killed(is_there: impl Fn(&Memory) -> bool) -> Memory {
    for verb in 0..100 {
        let memory = files();
        memory.inject(Injection { verb, kind: FaultKind::KilledAfter });
        let _ = update(&memory);
        if is_there(&memory) {
            return memory.restart();
        }
    }
    panic!("no verb leaves it");
}

fn note(memory: &Memory) -> Option<Entry> {
    memory.files().remove(&path(".wpatch"))
}

fn has_scratch(memory: &Memory) -> bool {
    memory.files().keys().any(|path| path.name().starts_with(b".wpatch-"))
}

fn target(memory: &Memory) -> Vec<u8> {
    memory.files()[&path("d/a")].contents.clone()
}

#[test]
fn each_step_that_was_reached_has_its_ending() {
    let lock = killed(|memory| note(memory).is_some());
    let noted = killed(|memory| note(memory).is_some_and(|note| !note.contents.is_empty()));
    let staged = killed(has_scratch);
    let swapped = killed(|memory| target(memory) == b"new");
    let done = killed(|memory| note(memory).is_some_and(|note| note.contents.ends_with(b"done\n")));
    let swept = killed(|memory| target(memory) == b"new" && !has_scratch(memory));
    let (abandoned, back, committed) = (Ending::Abandoned, Ending::RolledBack, Ending::Committed);
    let old = [(&lock, None), (&noted, Some(abandoned)), (&staged, Some(abandoned)), (&swapped, Some(back))];
    let new = [(&done, Some(committed)), (&swept, Some(committed))];
    for ((memory, ending), contents) in old.map(|one| (one, b"old")).into_iter().chain(new.map(|one| (one, b"new"))) {
        let recovered = recover(memory, NONE).unwrap();
        assert_eq!(recovered.first().map(|one| one.ending), ending);
        assert_eq!(target(memory), contents);
        assert_eq!(memory.files().len(), 1, "{:?}", memory.files());
    }
}

#[test]
fn the_next_command_says_what_it_recovered() {
    let memory = killed(|memory| target(memory) == b"new");
    let (transaction, recovered) = Transaction::begin(&memory, Options::default(), &Interrupt::new()).unwrap();
    assert_eq!(recovered.iter().map(|one| one.ending).collect::<Vec<_>>(), [Ending::RolledBack]);
    transaction.abandon();
    assert_eq!(memory.files().len(), 1);
}

#[test]
fn a_note_that_was_not_written_to_its_end_says_nothing() {
    let text = note(&killed(has_scratch)).unwrap().contents;
    let whole = text.iter().rposition(|&byte| byte == b'}').unwrap() + 2;
    for end in 0..whole {
        let memory = memory(&[("d/a", Entry::file("old"))]);
        memory.put(&path(".wpatch"), &Entry { contents: text[..end].to_vec(), mode: 0o600, ..Entry::file("") });
        examine(&memory).unwrap();
        assert_eq!(recover(&memory, NONE).unwrap(), [], "{end}");
        assert_eq!(memory.files().len(), 1, "{end}");
    }
}

#[test]
fn what_is_no_note_is_not_believed_and_not_touched() {
    let text = note(&killed(has_scratch)).unwrap().contents;
    let mut damaged = text.clone();
    damaged[text.len() / 2] ^= 1;
    let foreign = Entry { contents: damaged, mode: 0o600, ..Entry::file("") };
    let own = Entry { mode: 0o600, ..Entry::file("notes of my own\n") };
    let open = Entry { contents: text, mode: 0o644, ..Entry::file("") };
    for entry in [foreign, own, open] {
        let memory = files();
        memory.put(&path(".wpatch"), &entry);
        let before = memory.fingerprint();
        assert!(matches!(examine(&memory), Err(Failure::State { .. })), "{entry:?}");
        assert!(matches!(recover(&memory, NONE), Err(Failure::State { .. })), "{entry:?}");
        assert!(matches!(update(&memory), Err(Failure::State { .. })), "{entry:?}");
        assert_eq!(memory.fingerprint(), before, "{entry:?}");
    }
}

#[test]
fn two_at_once_are_refused() {
    let memory = files();
    let first = SingleChange::begin(&memory, NONE).unwrap();
    assert!(matches!(update(&memory), Err(Failure::Locked)));
    examine(&memory).unwrap();
    drop(first);
    update(&memory).unwrap();
    let (first, _) = Transaction::begin(&memory, NONE, &Interrupt::new()).unwrap();
    assert!(SingleChange::begin(&memory, NONE).is_none());
    first.abandon();
}

#[test]
fn it_is_not_for_what_has_to_be_durable_or_has_a_history() {
    let memory = files();
    assert!(SingleChange::begin(&memory, Options { durability: Durability::Full, ..NONE }).is_none());
    memory.make_dir(&path(".git"), wpatch::workspace::Privacy::Shared).unwrap();
    assert!(SingleChange::begin(&memory, NONE).is_none());
    assert_eq!(memory.files().len(), 1);
}
