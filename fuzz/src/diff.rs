//! The law of the clean diff: it leads there and back, whatever the contents and the name are.

use wpatch::engine::{self, Request};
use wpatch::mode::FileMode;
use wpatch::path::RelPath;
use wpatch::plan::{Action, Direction};
use wpatch::policy::{Access, Policy, Verdict};
use wpatch::syntax::write::{DiffSide, git_diff};
use wpatch::text::is_binary;
use wpatch::transaction::Interrupt;
use wpatch::workspace::memory::{Entry, Memory};

use crate::scene::pieces;

/// Writes the diff between two contents, and applies it in both directions.
///
/// The input is letters for what is asked for, two names and two contents, with borders between.
///
/// # Panics
///
/// If the law does not hold.
pub fn lead_there_and_back(bytes: &[u8]) {
    let [letters, old_name, new_name, old, new] = pieces(bytes)[..] else {
        return;
    };
    let names = [old_name, new_name].map(RelPath::new);
    let [Ok(old_path), Ok(new_path)] = names else {
        return;
    };
    let policy = Policy::default();
    let is_closed = |path: &RelPath| policy.judge(path, Access::Modify).verdict != Verdict::Allow;
    if is_closed(&old_path) || is_closed(&new_path) || is_binary(old) || is_binary(new) {
        return;
    }
    let is_rename = letters.contains(&b'r') && old_path != new_path;
    if is_rename && (old_path.is_below(&new_path) || new_path.is_below(&old_path)) {
        return;
    }
    let new_path = if is_rename {
        new_path
    } else {
        old_path.clone()
    };
    let action = if is_rename {
        Action::Rename
    } else {
        Action::Modify
    };
    let before = (!letters.contains(&b'c') || is_rename).then_some((
        &old_path,
        letters.contains(&b'x'),
        old,
    ));
    let after = (!letters.contains(&b'd') || is_rename).then_some((
        &new_path,
        letters.contains(&b'y'),
        new,
    ));
    let patch = git_diff(action, before.map(side).as_ref(), after.map(side).as_ref());
    if patch.is_empty() {
        assert!(before == after, "nothing differs, says the diff");
        return;
    }
    let memory = Memory::with_files(before.map(entry));
    step(&memory, &patch, Direction::Forward);
    assert_eq!(
        memory.files(),
        Memory::with_files(after.map(entry)).files(),
        "{}",
        String::from_utf8_lossy(&patch)
    );
    step(&memory, &patch, Direction::Reverse);
    assert_eq!(
        memory.files(),
        Memory::with_files(before.map(entry)).files(),
        "{}",
        String::from_utf8_lossy(&patch)
    );
}

type Side<'a> = (&'a RelPath, bool, &'a [u8]);

fn side((path, is_executable, content): Side<'_>) -> DiffSide<'_> {
    let bits = if is_executable { 0o100_755 } else { 0o100_644 };
    let mode = FileMode::from_bits(bits).expect("a mode of git");
    DiffSide {
        path,
        mode,
        content,
        blob: "",
    }
}

fn entry((path, is_executable, content): Side<'_>) -> (RelPath, Entry) {
    (
        path.clone(),
        if is_executable {
            Entry::executable(content)
        } else {
            Entry::file(content)
        },
    )
}

fn step(memory: &Memory, patch: &[u8], direction: Direction) {
    let mut request = Request::of(patch);
    request.decide.reverse = direction == Direction::Reverse;
    let report = engine::apply(request, memory, &Interrupt::new()).report;
    assert!(
        report.ok,
        "{direction:?} {:?}\n{}",
        report.problems,
        String::from_utf8_lossy(patch)
    );
}
