//! Random edits of random trees, each in every way that can say it: what has to come is worked out
//! beforehand, byte for byte, and nothing else may be other than it was - contents, modes, links,
//! what is there and what is not.

mod calls;
mod lines;
mod model;
mod notebooks;
mod patches;
mod texts;
mod trees;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fs_err as fs;
use tempfile::TempDir;
use walkdir::WalkDir;
use wpatch::mode::FileKind;
use wpatch::text::printable;
use wpatch::workspace::memory::{Entry, Memory};

use crate::dice::Dice;
use crate::tree::path;
use crate::world;
use calls::{Asks, Call};
use trees::Tree;

/// A tree, what becomes of it, and all ways of asking for that.
struct Case {
    before: Tree,
    after: Tree,
    calls: Vec<Call>,
}

/// What makes cases of one sort; `None` where the dice fell badly.
type Maker = fn(&mut Dice) -> Option<Case>;

const MAKERS: [Maker; 6] = [
    lines::case,
    lines::case,
    texts::case,
    texts::everywhere,
    |dice| Some(texts::at_the_end(dice)),
    notebooks::case,
];

/// How often each maker is asked.
const ROUNDS: usize = 200;

/// Every way, and how many edits it has to be tried with at least. What a grammar cannot say is
/// left to the others: JSON has no bytes that are not UTF-8, a patch of Codex cannot leave off the
/// last line end, and so on; each writer says so where it gives up.
const LEAST: &[(&str, usize)] = &[
    ("append", 80),
    ("append --line", 80),
    ("blocks", 100),
    ("codex", 100),
    ("edit --all", 80),
    ("edit --edits", 100),
    ("edit --edits all", 80),
    ("edit --edits of a part", 100),
    ("edit --from", 30),
    ("edit --insert-after", 30),
    ("edit --insert-before", 10),
    ("edit --old", 50),
    ("edit --old of a part", 100),
    ("edit --sequential", 100),
    ("git", 300),
    ("hashline", 300),
    ("json all", 80),
    ("json changes", 100),
    ("json old", 100),
    ("json old of a part", 100),
    ("json oldText", 100),
    ("json old_str", 100),
    ("json old_string", 100),
    ("json operations", 100),
    ("json replace", 100),
    ("json search", 100),
    ("notebook delete", 40),
    ("notebook insert", 40),
    ("notebook replace", 40),
    ("unified", 300),
    ("write --overwrite", 100),
];

#[test]
fn outside_of_an_edit_no_byte_differs() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut failures = Vec::new();
    for case in cases() {
        for call in &case.calls {
            *counts.entry(call.way).or_default() += 1;
            let memory = Memory::with_files(case.before.clone());
            let outcome = call.on_memory(&memory);
            let why = outcome
                .problems
                .iter()
                .map(|problem| problem.message.clone())
                .collect::<Vec<_>>();
            let before = Memory::with_files(case.after.clone()).entries();
            failures.extend(difference(
                call,
                &case,
                (&memory.entries(), &before),
                &why.join(", "),
            ));
        }
    }
    refuse(&failures);
    let few: Vec<_> = LEAST
        .iter()
        .filter(|(way, least)| counts.get(way).is_none_or(|count| count < least))
        .collect();
    assert!(few.is_empty(), "too few: {few:?} of {counts:?}");
    assert_eq!(counts.len(), LEAST.len(), "each way has a row: {counts:?}");
    assert!(counts.values().sum::<usize>() >= 2000, "{counts:?}");
}

#[cfg(unix)]
#[test]
fn nor_does_one_on_a_disk() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut failures = Vec::new();
    for case in cases() {
        for call in &case.calls {
            let count = counts.entry(call.way).or_default();
            if *count == 5 {
                continue;
            }
            *count += 1;
            let directory = TempDir::new().unwrap();
            let root = directory.path().join("root");
            write(&case.before, &root);
            let report = call.on_disk(&root);
            failures.extend(difference(
                call,
                &case,
                (&read(&root), &case.after),
                &report["error"].to_string(),
            ));
        }
    }
    refuse(&failures);
    assert_eq!(
        counts.values().sum::<usize>(),
        5 * LEAST.len(),
        "{counts:?}"
    );
}

fn cases() -> impl Iterator<Item = Case> {
    let makers = MAKERS.iter().enumerate();
    makers.flat_map(|(kind, maker)| {
        (0..ROUNDS).filter_map(move |round| {
            maker(&mut Dice::new((round * MAKERS.len() + kind + 1) as u64))
        })
    })
}

fn refuse(failures: &[String]) {
    // One of each way says enough.
    let first: BTreeMap<_, _> = failures
        .iter()
        .rev()
        .map(|why| (why.split(':').next(), why.as_str()))
        .collect();
    let told = first.into_values().collect::<Vec<_>>().join("\n\n");
    assert!(failures.is_empty(), "{} fail\n\n{told}", failures.len());
}

/// Returns what is wrong with a tree, for a person.
fn difference(
    call: &Call,
    case: &Case,
    (found, expected): (&Tree, &Tree),
    why: &str,
) -> Option<String> {
    if found == expected {
        return None;
    }
    let asked = match &call.asks {
        Asks::Patch(_, patch) => patch.escape_ascii().to_string().replace("\\n", "\\n\n"),
        asks => format!("{asks:?}"),
    };
    let names = found.keys().chain(expected.keys()).collect::<BTreeSet<_>>();
    let differing = names
        .into_iter()
        .filter(|name| found.get(*name) != expected.get(*name));
    let told = differing.map(|name| {
        let show = |tree: &Tree| {
            tree.get(name).map(|entry| {
                format!(
                    "{:?} {:o} {}",
                    entry.kind,
                    entry.mode,
                    printable(&entry.contents)
                )
            })
        };
        let [before, found, expected] = [&case.before, found, expected].map(show);
        format!("{name}\n  before {before:?}\n   found {found:?}\nexpected {expected:?}\n")
    });
    Some(format!(
        "{}: {why}\n{asked}\n{}",
        call.way,
        told.collect::<String>()
    ))
}

fn write(tree: &Tree, root: &Path) {
    for (path, entry) in tree {
        let path = root.join(world::path_of(path.as_bytes()));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match entry.kind {
            FileKind::Symlink => {
                world::link(world::path_of(&entry.contents), &path).unwrap();
            }
            FileKind::Regular => {
                fs::write(&path, &entry.contents).unwrap();
                world::set_mode(&path, entry.mode);
            }
            _ => fs::create_dir_all(&path).unwrap(),
        }
    }
}

/// Reads a tree without the directories that something is in.
fn read(root: &Path) -> Tree {
    let entries = WalkDir::new(root)
        .min_depth(1)
        .into_iter()
        .map(Result::unwrap);
    let entries = entries.filter(|entry| {
        !entry.file_type().is_dir() || fs::read_dir(entry.path()).unwrap().count() == 0
    });
    let node = |entry: &walkdir::DirEntry| {
        let mode = world::bits(&entry.path().symlink_metadata().unwrap());
        match entry.file_type() {
            kind if kind.is_dir() => Entry::directory(),
            kind if kind.is_symlink() => {
                Entry::link(world::bytes_of(fs::read_link(entry.path()).unwrap()))
            }
            _ => Entry {
                mode,
                ..Entry::file(fs::read(entry.path()).unwrap())
            },
        }
    };
    let name = |entry: &walkdir::DirEntry| {
        path(entry.path().strip_prefix(root).unwrap().to_str().unwrap())
    };
    entries.map(|entry| (name(&entry), node(&entry))).collect()
}
