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

/// Returns the manipulations of the record at `index`.
fn manipulations(original: &[Vec<u8>], index: usize, copies: Copies) -> Vec<Tampered> {
    let last = original.len() - 1;
    let mut all = Vec::new();
    let mut add = |name: &str, lines: Vec<Vec<u8>>, line: usize, kinds: &[AuditProblemKind]| {
        all.push((
            format!("{name} {index}"),
            lines.concat(),
            line,
            kinds.to_vec(),
        ));
    };
    let without = |index: usize| {
        let mut lines = original.to_vec();
        lines.remove(index);
        lines
    };
    let with = |index: usize, line: Vec<u8>| {
        let mut lines = original.to_vec();
        lines[index] = line;
        lines
    };
    let inserted = |index: usize, line: Vec<u8>| {
        let mut lines = original.to_vec();
        lines.insert(index, line);
        lines
    };
    let gone = if index == last { Truncated } else { Dropped };
    add("drop", without(index), index + 1, &[gone]);
    add(
        "change",
        with(index, forged(&original[index])),
        index + 1,
        &[Changed],
    );
    let copy = original[index].clone();
    add(
        "duplicate",
        inserted(index + 1, copy.clone()),
        index + 2,
        &[Inserted],
    );
    add(
        "copy to the end",
        inserted(last + 1, copy.clone()),
        last + 2,
        &[Inserted],
    );
    add(
        "garbage",
        inserted(index, b"garbage\n".to_vec()),
        index + 1,
        &[Changed],
    );
    if index < last {
        let mut swapped = original.to_vec();
        swapped.swap(index, index + 1);
        add("swap", swapped, index + 1, &[Reordered]);
        let mut moved = without(index);
        moved.push(copy);
        add("move to the end", moved, index + 1, &[Reordered]);
        // A forger who corrects the next record only moves the contradiction.
        let mut lines = with(index, forged(&original[index]));
        lines[index + 1] = relinked(&original[index + 1], &lines[index]);
        let line = if copies == Copies::History {
            index + 1
        } else {
            index + 2
        };
        add("change and relink", lines, line, &[Changed]);
        let before = index.checked_sub(1).map(|index| original[index].clone());
        let forged = before.map_or_else(
            || forged(&original[index]),
            |before| relinked(&forged(&original[index]), &before),
        );
        add("insert", inserted(index, forged), index + 1, &[Inserted]);
    }
    if copies == Copies::History {
        // A forger who corrects the whole rest of the file does not have the history.
        let mut lines = with(index, forged(&original[index]));
        for index in index..last {
            lines[index + 1] = relinked(&original[index + 1], &lines[index]);
        }
        add("change and relink all", lines, index + 1, &[Changed]);
    }
    let end: usize = original[..index].iter().map(Vec::len).sum();
    let start = original.concat()[..end].to_vec();
    if index > 0 {
        add(
            "cut at the record",
            vec![start.clone()],
            index + 1,
            &[Truncated],
        );
    }
    let half = original[index][..original[index].len() / 2].to_vec();
    add(
        "cut in the record",
        vec![start, half],
        index + 1,
        &[Incomplete],
    );
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
        let line = 1 + whole[..place].iter().filter(|&&byte| byte == b'\n').count();
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
fn a_forged_record_at_the_end_has_no_entry() {
    for copies in [Copies::History, Copies::Head] {
        let memory = recorded(copies);
        let all = lines(&bytes(&memory));
        let last = all.last().unwrap();
        let forged = edited(last, |record| {
            record["seq"] = (all.len() + 1).into();
            record["prev"] = Sha256::of(last).to_string().into();
            record["id"] = "ffffffffff00000000-00000000".into();
        });
        write(&memory, &[all.concat(), forged].concat());
        let problem = verify(&memory).files[0].problem.clone().unwrap();
        assert_eq!(
            (problem.kind, problem.line),
            (Inserted, all.len() + 1),
            "{copies:?}"
        );
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
