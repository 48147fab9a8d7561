//! Tampered audit files: each one is detected, and the first fault is located.

use serde_json::Value;
use wpatch::digest::Sha256;
use wpatch::engine;
use wpatch::transaction::audit::AuditProblemKind::{self, *};
use wpatch::transaction::{HistoryLimits, Interrupt, Options};
use wpatch::workspace::memory::Memory;

use super::{OPTIONS, bytes, change, memory, redo, undo, verify, write};
use crate::dice::Dice;

/// The number of records.
const RECORDS: usize = 24;

/// The files that contain copies of the records: the history, or only the newest record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Copies {
    History,
    Head,
}

/// Returns a root with many records.
fn recorded(copies: Copies) -> Memory {
    let memory = memory();
    for number in 0..RECORDS / 4 {
        let (old, new) = (2 * number, 2 * number + 2);
        assert!(change(&memory, old, new).report.ok);
        assert!(undo(&memory).report.ok);
        assert!(redo(&memory).report.ok);
        assert!(change(&memory, new, new + 1).report.ok);
        // The next round starts from an even number.
        assert!(change(&memory, new + 1, new).report.ok || number > RECORDS);
    }
    if copies == Copies::Head {
        let options = Options {
            history: HistoryLimits::NOTHING,
            ..OPTIONS
        };
        assert!(engine::gc(&memory, options, &Interrupt::new()).report.ok);
    }
    memory
}

fn lines(bytes: &[u8]) -> Vec<Vec<u8>> {
    let lines = bytes.split_inclusive(|&byte| byte == b'\n');
    lines.map(<[u8]>::to_vec).collect()
}

/// Returns `line` with the digest of `before` as its `prev`.
fn relinked(line: &[u8], before: &[u8]) -> Vec<u8> {
    edited(line, |record| {
        record["prev"] = Sha256::of(before).to_string().into();
    })
}

/// Returns `line` after `edit`, with the members in their order.
fn edited(line: &[u8], edit: impl FnOnce(&mut Value)) -> Vec<u8> {
    let mut record: Value = serde_json::from_slice(line).unwrap();
    edit(&mut record);
    let mut text = serde_json::to_vec(&record).unwrap();
    text.push(b'\n');
    text
}

/// Returns `line` with another actor, as a forger would write it.
fn forged(line: &[u8]) -> Vec<u8> {
    edited(line, |record| record["actor"] = "human:mallory".into())
}

/// A tampered file, the line of its first fault counted from 1, and the kinds of fault that fit.
type Tampered = (String, Vec<u8>, usize, Vec<AuditProblemKind>);

/// Returns a tampered file with the lines `lines`, made from the record at `index`.
fn tampered(
    (name, index): (&str, usize),
    lines: &[Vec<u8>],
    (line, kind): (usize, AuditProblemKind),
) -> Tampered {
    (format!("{name} {index}"), lines.concat(), line, vec![kind])
}

/// Returns `lines` with `new` in place of the lines in `range`.
fn spliced(lines: &[Vec<u8>], range: std::ops::Range<usize>, new: Vec<u8>) -> Vec<Vec<u8>> {
    let mut lines = lines.to_vec();
    lines.splice(range, [new]);
    lines
}

fn without(lines: &[Vec<u8>], index: usize) -> Vec<Vec<u8>> {
    let mut lines = lines.to_vec();
    lines.remove(index);
    lines
}

/// Returns the manipulations of the record at `index`.
fn manipulations(original: &[Vec<u8>], index: usize, copies: Copies) -> Vec<Tampered> {
    let (last, line) = (original.len() - 1, index + 1);
    let gone = if index == last { Truncated } else { Dropped };
    let changed = spliced(original, index..line, forged(&original[index]));
    let copy = || original[index].clone();
    let duplicate = spliced(original, line..line, copy());
    let at_the_end = spliced(original, last + 1..last + 1, copy());
    let garbage = spliced(original, index..index, b"garbage\n".to_vec());
    let mut all = vec![
        tampered(("drop", index), &without(original, index), (line, gone)),
        tampered(("change", index), &changed, (line, Changed)),
        tampered(("duplicate", index), &duplicate, (line + 1, Inserted)),
        tampered(
            ("copy to the end", index),
            &at_the_end,
            (last + 2, Inserted),
        ),
        tampered(("garbage", index), &garbage, (line, Changed)),
    ];
    if index < last {
        all.extend(manipulations_of_two(original, index, copies));
    }
    all.extend(manipulations_of_the_rest(original, index, copies));
    all
}

/// Returns the manipulations of the record at `index` and of the next one.
fn manipulations_of_two(original: &[Vec<u8>], index: usize, copies: Copies) -> Vec<Tampered> {
    let line = index + 1;
    let mut swapped = original.to_vec();
    swapped.swap(index, line);
    let mut moved = without(original, index);
    moved.push(original[index].clone());
    // A forger who corrects the next record only moves the contradiction.
    let mut both = spliced(original, index..line, forged(&original[index]));
    both[line] = relinked(&original[line], &both[index]);
    let proven = match copies {
        Copies::History => line,
        Copies::Head => line + 1,
    };
    let new = forged(&original[index]);
    let new = match index.checked_sub(1) {
        Some(before) => relinked(&new, &original[before]),
        None => new,
    };
    let inserted = spliced(original, index..index, new);
    vec![
        tampered(("swap", index), &swapped, (line, Reordered)),
        tampered(("move to the end", index), &moved, (line, Reordered)),
        tampered(("change and relink", index), &both, (proven, Changed)),
        tampered(("insert", index), &inserted, (line, Inserted)),
    ]
}

/// Returns the manipulations of the record at `index` and of all records after it.
fn manipulations_of_the_rest(original: &[Vec<u8>], index: usize, copies: Copies) -> Vec<Tampered> {
    let (start, line) = (&original[..index], index + 1);
    let half = original[index][..original[index].len() / 2].to_vec();
    let torn = [start, &[half]].concat();
    let mut all = vec![tampered(
        ("cut in the record", index),
        &torn,
        (line, Incomplete),
    )];
    if index > 0 {
        all.push(tampered(
            ("cut at the record", index),
            start,
            (line, Truncated),
        ));
    }
    if copies == Copies::History {
        // A forger who corrects the whole rest of the file does not have the history.
        let mut lines = spliced(original, index..line, forged(&original[index]));
        for index in line..original.len() {
            lines[index] = relinked(&original[index], &lines[index - 1]);
        }
        let name = ("change and relink all", index);
        all.push(tampered(name, &lines, (line, Changed)));
    }
    all
}

/// Returns files with one changed byte.
fn changed_bytes(original: &[Vec<u8>], dice: &mut Dice, count: usize) -> Vec<Tampered> {
    let whole = original.concat();
    let change = |_| {
        let place = dice.below(whole.len());
        let mut bytes = whole.clone();
        // Every other byte is as likely.
        bytes[place] = bytes[place].wrapping_add(1 + u8::try_from(dice.below(255)).unwrap());
        let line = whole[..place].split(|&byte| byte == b'\n').count();
        let kinds = vec![Changed, Incomplete, Inserted, Dropped, Reordered];
        (format!("byte {place}"), bytes, line, kinds)
    };
    (0..count).map(change).collect()
}

#[test]
fn every_tampered_file_is_detected_at_its_first_fault() {
    let mut count = 0;
    for copies in [Copies::History, Copies::Head] {
        let memory = recorded(copies);
        let original = bytes(&memory);
        let all = lines(&original);
        assert!(all.len() >= RECORDS, "{}", all.len());
        assert!(
            verify(&memory).ok,
            "{copies:?}: {:?}",
            verify(&memory).files
        );
        let mut dice = Dice::new(7);
        let mut tampered = changed_bytes(&all, &mut dice, 200);
        for index in 0..all.len() {
            tampered.extend(manipulations(&all, index, copies));
        }
        for (name, bytes, line, kinds) in tampered {
            write(&memory, &bytes);
            let report = verify(&memory);
            let problem = report.files[0].problem.clone();
            let problem = problem.unwrap_or_else(|| panic!("{copies:?} {name}: not detected"));
            assert_eq!(problem.line, line, "{copies:?} {name}: {problem:?}");
            assert!(
                kinds.contains(&problem.kind),
                "{copies:?} {name}: {problem:?}"
            );
            assert_eq!((report.ok, report.exit_code), (false, 1));
            count += 1;
        }
        // The file was not changed by the verification.
        write(&memory, &original);
        assert!(verify(&memory).ok, "{copies:?}");
    }
    assert!(count > 800, "{count}");
}

#[test]
fn a_later_change_does_not_hide_a_removed_end() {
    for removed in [1, 2, 5, RECORDS] {
        let memory = recorded(Copies::Head);
        let all = lines(&bytes(&memory));
        let kept = all.len().saturating_sub(removed);
        write(&memory, &all[..kept].concat());
        let state = 2 * (RECORDS / 4);
        for step in 0..3 {
            let (old, new) = (state + step, state + step + 1);
            assert!(change(&memory, old, new).report.ok);
            let problem = verify(&memory).files[0].problem.clone().unwrap();
            let found = (problem.kind, problem.line);
            assert_eq!(found, (Dropped, kept + 1), "{removed} {step}: {problem:?}");
            let options = Options {
                history: HistoryLimits::NOTHING,
                ..OPTIONS
            };
            assert!(engine::gc(&memory, options, &Interrupt::new()).report.ok);
            let problem = verify(&memory).files[0].problem.clone().unwrap();
            assert_eq!(
                (problem.kind, problem.line),
                found,
                "{removed} {step}: {problem:?}"
            );
        }
    }
}

#[test]
fn a_forged_record_at_the_end_is_detected() {
    for copies in [Copies::History, Copies::Head] {
        let memory = recorded(copies);
        let all = lines(&bytes(&memory));
        let last = all.last().unwrap();
        let own: Value = serde_json::from_slice(last).unwrap();
        let new = Value::from("ffffffffff00000000-00000000");
        for event in ["applied", "aborted", "rejected", "withdrawn", "repaired"] {
            for id in [&new, &own["id"]] {
                let forged = edited(last, |record| {
                    record["seq"] = (all.len() + 1).into();
                    record["prev"] = Sha256::of(last).to_string().into();
                    record["event"] = event.into();
                    record["id"] = id.clone();
                });
                write(&memory, &[all.concat(), forged].concat());
                let problem = verify(&memory).files[0].problem.clone().unwrap();
                assert_eq!(
                    (problem.kind, problem.line),
                    (Inserted, all.len() + 1),
                    "{copies:?} {event} {id}"
                );
            }
        }
    }
}

#[test]
fn a_removed_file_is_detected() {
    for copies in [Copies::History, Copies::Head] {
        let memory = recorded(copies);
        wpatch::workspace::Workspace::remove(&memory, &super::path(super::FILE)).unwrap();
        let problem = verify(&memory).files[0].problem.clone().unwrap();
        assert_eq!((problem.kind, problem.line), (Truncated, 1), "{copies:?}");
    }
}

#[test]
fn a_directory_or_a_link_in_the_place_of_the_file_is_an_error() {
    use wpatch::workspace::{DirectoryPermissions, Workspace};

    let file = super::path(super::FILE);
    for is_link in [false, true] {
        let memory = memory();
        if is_link {
            memory.symlink(b"elsewhere", &file, &file, None).unwrap();
        } else {
            memory
                .make_dir(&file, DirectoryPermissions::Private)
                .unwrap();
        }
        let verified = engine::verify_audit(&memory, OPTIONS);
        assert_eq!(verified.unwrap_err().report.exit_code, 4, "{is_link}");
    }
}
