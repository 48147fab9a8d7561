//! The laws of recovery: it touches nothing but what a journal names, and of that only what the
//! journal knows.

use std::collections::BTreeMap;

use serde_json::Value;
use wpatch::digest::Digest;
use wpatch::mode::FileKind;
use wpatch::path::RelPath;
use wpatch::transaction::{Failure, RecoveredTransaction, has_unfinished_changes, recover};
use wpatch::workspace::memory::Entry;

use crate::apply::tree;
use crate::scene::Scene;

/// First word of a journal.
const MAGIC: &str = "wpatch.journal/1";

/// Recovers the tree of an input, whose journals are given the checksums that they need to be
/// believed.
///
/// # Panics
///
/// If a law does not hold.
pub fn keep_to_the_journal(bytes: &[u8]) {
    let mut scene = Scene::decode(bytes);
    let contents: Vec<_> = scene
        .entries
        .iter()
        .map(|(_, entry)| entry.contents.clone())
        .collect();
    for (path, entry) in &mut scene.entries {
        if is_journal(path) && !scene.options.contains(&b'k') {
            entry.contents = stamped(&entry.contents, &contents);
        }
    }
    let memory = scene.memory();
    let (all, fingerprint) = (memory.entries(), memory.fingerprint());
    let before = tree(&memory);
    let examined = has_unfinished_changes(&memory);
    assert_eq!(
        memory.fingerprint(),
        fingerprint,
        "looking left something behind"
    );
    let recovered = recover(&memory, scene.transaction());
    let after = tree(&memory);
    let known = Known::of(&all);
    known.untouched_else(&before, &after);
    match &recovered {
        Err(Failure::State { .. }) => {
            assert_eq!(before, after, "refused, and the tree is another");
            assert!(
                matches!(examined, Err(Failure::State { .. })),
                "{examined:?}"
            );
        }
        Err(_) => {}
        Ok(_) => {
            assert!(examined.is_ok(), "{examined:?}");
            let again = memory.restart();
            let second = recover(&again, scene.transaction());
            let is_over =
                |found: &Vec<RecoveredTransaction>| found.iter().all(|one| one.left.is_empty());
            assert!(
                second.as_ref().is_ok_and(is_over),
                "{recovered:?}, and again {second:?}"
            );
            assert_eq!(
                tree(&again),
                after,
                "the second time it does something else"
            );
        }
    }
}

fn is_journal(path: &RelPath) -> bool {
    path.name() == b"journal" || path.name().ends_with(b".journal")
}

/// Returns the journal with the body `body`, in which `@N@` stands for the digest of entry `N`.
fn stamped(body: &[u8], contents: &[Vec<u8>]) -> Vec<u8> {
    let mut parts = body.split(|&byte| byte == b'@');
    let mut whole = parts.next().unwrap_or_default().to_vec();
    for (index, part) in parts.enumerate() {
        let number = std::str::from_utf8(part)
            .ok()
            .and_then(|text| text.parse::<usize>().ok());
        match number
            .filter(|_| index % 2 == 0)
            .and_then(|number| contents.get(number % contents.len()))
        {
            Some(contents) => whole.extend(Digest::of(contents).to_string().bytes()),
            None => whole.extend(part),
        }
    }
    [
        format!("{MAGIC} {}\n", Digest::of(&whole)).as_bytes(),
        &whole,
    ]
    .concat()
}

/// What the journals of a state directory name.
#[derive(Debug, Default)]
struct Known {
    /// For each file, the digests that it may have had.
    files: BTreeMap<RelPath, Vec<String>>,
    directories: Vec<RelPath>,
    /// The transactions, whose scratch files may stand beside their targets.
    ids: Vec<Vec<u8>>,
}

impl Known {
    fn of(all: &BTreeMap<RelPath, Entry>) -> Self {
        let mut known = Self::default();
        for (path, entry) in all {
            let id = path
                .components()
                .find_map(|part| part.strip_prefix(b"txn-"));
            known.ids.extend(id.map(|id| {
                id.split(|&byte| byte == b'.')
                    .next()
                    .unwrap_or_default()
                    .to_vec()
            }));
            if is_journal(path) {
                known.read(&entry.contents);
            }
        }
        known
    }

    fn read(&mut self, text: &[u8]) {
        let Some(end) = text.iter().position(|&byte| byte == b'\n') else {
            return;
        };
        let Ok(journal) = serde_json::from_str::<Value>(&String::from_utf8_lossy(&text[end + 1..]))
        else {
            return;
        };
        let path = |value: &Value| unescaped(value.as_str()?);
        for change in journal["changes"].as_array().into_iter().flatten() {
            let Some(path) = path(&change["path"]) else {
                continue;
            };
            let digests =
                ["before", "after"].map(|side| change[side]["digest"].as_str().map(str::to_owned));
            self.files
                .entry(path)
                .or_default()
                .extend(digests.into_iter().flatten());
        }
        let removes = journal["removes"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|removed| &removed["path"]);
        let makes = journal["makes"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|made| &made["path"]);
        self.directories
            .extend(removes.chain(makes).filter_map(path));
    }

    /// Asserts that only what is known changed, and only where it was what the journals say.
    fn untouched_else(&self, before: &BTreeMap<RelPath, Entry>, after: &BTreeMap<RelPath, Entry>) {
        for path in before.keys().chain(after.keys()) {
            let (old, new) = (before.get(path), after.get(path));
            if old == new || self.is_scratch(path) {
                continue;
            }
            let is_directory = |entry: &Entry| entry.kind == FileKind::Directory;
            if [old, new].into_iter().flatten().any(is_directory) {
                assert!(
                    self.directories.contains(path),
                    "{path:?} is a directory that no journal names"
                );
            }
            let is_file = |entry: &&Entry| !is_directory(entry);
            if [old, new]
                .into_iter()
                .flatten()
                .any(|entry| is_file(&entry))
            {
                let digests = self
                    .files
                    .get(path)
                    .unwrap_or_else(|| panic!("{path:?} changed, and no journal names it"));
                let is_known =
                    |old: &Entry| digests.contains(&Digest::of(&old.contents).to_string());
                assert!(
                    old.filter(is_file).is_none_or(is_known),
                    "{path:?} was somebody else's: {old:?}"
                );
            }
        }
    }

    fn is_scratch(&self, path: &RelPath) -> bool {
        let rest = path.name().strip_prefix(b".wpatch-").unwrap_or_default();
        self.ids.iter().any(|id| {
            rest.strip_prefix(&id[..])
                .is_some_and(|rest| rest.starts_with(b"-"))
        })
    }
}

fn unescaped(text: &str) -> Option<RelPath> {
    let mut parts = text.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(part.get(..2)?, 16).ok()?);
        bytes.extend_from_slice(part.get(2..)?.as_bytes());
    }
    RelPath::new(&bytes).ok()
}
