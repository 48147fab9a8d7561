//! The entries of an index as a read-only workspace.

use std::collections::{BTreeMap, BTreeSet};

use super::{EntryFlag, GitIndex, IndexEntry, Stages};
use crate::mode::FileMode;
use crate::path::RelPath;
use crate::workspace::objects::{ObjectId, Repository};

/// The entries of an index below the root, as a read-only [`Workspace`](super::super::Workspace).
/// Files and links have the content of their blobs. A submodule is an empty directory.
///
/// Paths in conflict are missing, because git has no content for them either. Verbs that change
/// files fail with [`ErrorKind::Unsupported`](super::super::ErrorKind::Unsupported).
#[derive(Clone, Debug)]
pub struct IndexTree {
    pub(super) entries: BTreeMap<RelPath, IndexEntry>,
    unmerged: BTreeMap<RelPath, BTreeMap<u8, IndexEntry>>,
    /// Intent-to-add entries that verbs report as missing.
    hidden: BTreeSet<RelPath>,
    /// All directories that contain an entry.
    pub(super) directories: BTreeSet<RelPath>,
    pub(super) objects: Repository,
    pub(super) name: String,
}

impl IndexTree {
    /// Parses the output of `git ls-files -s -v -z`. Returns `None` if it does not have this form.
    pub(super) fn of(list: &[u8], index: &GitIndex) -> Option<Self> {
        let (mut entries, mut unmerged) = (BTreeMap::new(), BTreeMap::<_, BTreeMap<_, _>>::new());
        let mut directories = BTreeSet::new();
        for line in list
            .split(|&byte| byte == 0)
            .filter(|line| !line.is_empty())
        {
            let (head, name) = line.split_at(memchr::memchr(b'\t', line)?);
            let mut words = head.split(|&byte| byte == b' ');
            let mark = EntryFlag::from_tag(words.next()?);
            let bits = u32::from_str_radix(std::str::from_utf8(words.next()?).ok()?, 8).ok()?;
            let id = ObjectId::from_hex(words.next()?)?;
            let stage = words.next()?;
            // Ignore names that are not valid paths, and directory entries of a sparse index.
            let (Ok(path), Some(mode)) = (RelPath::new(&name[1..]), FileMode::from_bits(bits))
            else {
                continue;
            };
            let entry = IndexEntry {
                mode,
                id,
                flag: mark,
            };
            // If a directory is in the set, all directories above it are too.
            path.ancestors()
                .take_while(|above| directories.insert(above.clone()))
                .for_each(drop);
            match stage {
                b"0" => drop(entries.insert(path, entry)),
                [stage @ b'1'..=b'3'] => drop(
                    unmerged
                        .entry(path)
                        .or_default()
                        .insert(stage - b'0', entry),
                ),
                _ => return None,
            }
        }
        let name = format!("the index {}", super::display_path(&index.file));
        Some(Self {
            entries,
            unmerged,
            hidden: BTreeSet::new(),
            directories,
            objects: index.objects.clone(),
            name,
        })
    }

    /// Returns the entry of `path`, if it is not in conflict.
    #[must_use]
    pub fn entry(&self, path: &RelPath) -> Option<IndexEntry> {
        self.entries.get(path).copied()
    }

    /// Returns all stages of `path`.
    #[must_use]
    pub fn all_stages(&self, path: &RelPath) -> Stages {
        self.unmerged.get(path).map_or_else(
            || Stages::of(self.entry(path)),
            |stages| Stages(stages.clone()),
        )
    }

    /// Returns the entries that git removes when an entry for `path` is added: files at the path of
    /// one of its parent directories, and entries below it.
    #[must_use]
    pub fn conflicting_paths(&self, path: &RelPath) -> Vec<RelPath> {
        let has =
            |path: &RelPath| self.entries.contains_key(path) || self.unmerged.contains_key(path);
        let mut found: Vec<_> = path.ancestors().filter(has).collect();
        if self.has_directory(path) {
            let all = self.entries.keys().chain(self.unmerged.keys());
            found.extend(all.filter(|other| other.is_below(path)).cloned());
        }
        found
    }

    /// Returns whether `path` has an intent-to-add entry.
    #[must_use]
    pub fn is_intent_to_add(&self, path: &RelPath) -> bool {
        self.entry(path)
            .is_some_and(|entry| entry.is_intent_to_add())
    }

    /// Makes verbs report `path` as missing if it has an intent-to-add entry.
    pub fn hide_intent_to_add(&mut self, path: &RelPath) {
        if self.is_intent_to_add(path) {
            self.hidden.insert(path.clone());
        }
    }

    /// Returns the entry of `path` that verbs use.
    pub(super) fn visible_entry(&self, path: &RelPath) -> Option<IndexEntry> {
        self.entry(path).filter(|_| !self.hidden.contains(path))
    }

    /// Returns the paths that verbs find.
    pub(super) fn paths(&self) -> impl Iterator<Item = &RelPath> {
        self.entries
            .keys()
            .filter(|path| !self.hidden.contains(*path))
    }

    /// Returns whether the directory `path` contains an entry.
    #[must_use]
    pub fn has_directory(&self, path: &RelPath) -> bool {
        self.directories.contains(path)
    }

    /// Returns the conflict stages of `path`, if it is in conflict.
    #[must_use]
    pub fn conflict_stages(&self, path: &RelPath) -> Option<&BTreeMap<u8, IndexEntry>> {
        self.unmerged.get(path)
    }
}
