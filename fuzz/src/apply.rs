//! The laws of applying: refused means untouched, the check says what happens, nothing else is
//! changed.

use std::collections::{BTreeMap, BTreeSet};

use wpatch::engine::{self, Outcome};
use wpatch::mode::FileKind;
use wpatch::path::RelPath;
use wpatch::plan::Direction;
use wpatch::transaction::Interrupt;
use wpatch::workspace::memory::{Entry, Memory};

use crate::scene::{Scene, is_state};

/// Checks and applies the patch of an input, and takes it back where that has to work.
///
/// # Panics
///
/// If a law does not hold.
pub fn agree(bytes: &[u8]) {
    let mut scene = Scene::decode(bytes);
    scene.entries.retain(|(path, _)| !is_state(path));
    let memory = scene.memory();
    let (before, fingerprint) = (tree(&memory), memory.fingerprint());
    let checked = engine::check(scene.request(scene.direction()), &memory);
    assert_eq!(
        memory.fingerprint(),
        fingerprint,
        "checking left something behind"
    );
    assert!(!checked.report.changed, "a check changes nothing");
    let applied = engine::apply(scene.request(scene.direction()), &memory, &Interrupt::new());
    assert_eq!(
        verdict(&checked),
        verdict(&applied),
        "check and apply do not agree"
    );
    let after = tree(&memory);
    swept(&memory);
    if applied.report.ok {
        named(&applied, &before, &after);
        if !applied.report.changed {
            assert_eq!(before, after, "changed, and it says that it did not");
        }
        back(&scene, &applied, &memory, &before);
    } else {
        assert_eq!(before, after, "refused, and the tree is another");
    }
}

/// Returns everything but the state directory.
#[must_use]
pub fn tree(memory: &Memory) -> BTreeMap<RelPath, Entry> {
    let mut entries = memory.entries();
    entries.retain(|path, _| !is_state(path));
    entries
}

fn verdict(outcome: &Outcome) -> impl PartialEq + std::fmt::Debug + use<> {
    let report = &outcome.report;
    let problems = serde_json::to_string(&report.problems).expect("problems are data");
    (
        report.ok,
        report.exit_code,
        report.plan_id.clone(),
        problems,
    )
}

/// Asserts that no scratch file is left. The history and the audit file stay.
fn swept(memory: &Memory) {
    let kept: [&[u8]; 2] = [b".git/wpatch/entry-", b".git/wpatch/audit."];
    let is_history = |path: &RelPath| kept.iter().any(|it| path.as_bytes().starts_with(it));
    let stays = |path: &RelPath| {
        is_history(path) || path.as_bytes() == b".git/wpatch" || path.name() == b"lock"
    };
    let is_left = |path: &&RelPath| is_state(path) && !stays(path);
    assert_eq!(
        memory.entries().keys().find(is_left),
        None,
        "scratch is left"
    );
}

/// Asserts that no file changed but those of the report, and none in `.git`.
fn named(applied: &Outcome, before: &BTreeMap<RelPath, Entry>, after: &BTreeMap<RelPath, Entry>) {
    let files = &applied.report.files;
    let told: BTreeSet<_> = files
        .iter()
        .flat_map(|file| std::iter::once(&file.path).chain(&file.from))
        .collect();
    for path in before.keys().chain(after.keys()) {
        let sides = [before.get(path), after.get(path)];
        if sides[0] == sides[1] {
            continue;
        }
        assert!(!path.as_bytes().starts_with(b".git/"), "{path:?} is closed");
        let is_directory = |entry: &Entry| entry.kind == FileKind::Directory;
        let is_above = || told.iter().any(|told| told.is_below(path));
        let is_told =
            told.contains(path) || sides.into_iter().flatten().all(is_directory) && is_above();
        assert!(is_told, "{path:?} changed, and the report does not say so");
    }
}

/// Takes a change back of which every hunk stood where it says, and asserts that the tree is as it
/// was.
fn back(scene: &Scene, applied: &Outcome, memory: &Memory, before: &BTreeMap<RelPath, Entry>) {
    let summary = &applied.report.summary;
    let moves =
        summary.creates + summary.deletes + summary.renames + summary.copies + summary.mode_changes;
    let is_loose = [b'w', b'F', b'C', b'z', b'c']
        .iter()
        .any(|&letter| scene.has(letter));
    let of_lines = |format: &str| format == "git" || format == "unified";
    let is_numbered = applied
        .report
        .inputs
        .iter()
        .all(|input| input.format.as_deref().is_some_and(of_lines));
    let paths: BTreeSet<_> = applied.report.files.iter().map(|file| &file.path).collect();
    if moves + summary.hunks_offset + summary.hunks_fuzzy > 0
        || is_loose
        || !is_numbered
        || paths.len() != applied.report.files.len()
        || !applied.report.changed
    {
        return;
    }
    let other = match scene.direction() {
        Direction::Forward => Direction::Reverse,
        _ => Direction::Forward,
    };
    let undone = engine::apply(scene.request(other), memory, &Interrupt::new());
    if undone.report.ok && undone.report.summary.hunks_offset == 0 {
        assert_eq!(&tree(memory), before, "there and back is another tree");
    }
}
