//! The entries of an index, as they were read.

use std::collections::{BTreeMap, BTreeSet};

use super::{GitIndex, IndexEntry, Mark, Stages};
use crate::mode::FileMode;
use crate::path::RelPath;
use crate::workspace::objects::{ObjectId, Repository};

/// What an index holds below the root, as a [`Workspace`](super::super::Workspace) that can be
/// read: its files and links as the blobs that it names, each submodule an empty directory.
///
/// What is in conflict is not there: git has no contents for it either. Every verb that would write
/// is [`Fault::Unsupported`](super::super::Fault::Unsupported).
#[derive(Clone, Debug)]
pub struct Staged {
    pub(super) entries: BTreeMap<RelPath, IndexEntry>,
    unmerged: BTreeMap<RelPath, BTreeMap<u8, IndexEntry>>,
    /// What is only going to be added, and is no file that verbs find.
    absent: BTreeSet<RelPath>,
    /// Every directory that an entry is in.
    pub(super) directories: BTreeSet<RelPath>,
    pub(super) objects: Repository,
    pub(super) name: String,
}

impl Staged {
    /// Reads what `git ls-files -s -v -z` wrote; `None` if it cannot have been that.
    pub(super) fn of(list: &[u8], index: &GitIndex) -> Option<Self> {
        let (mut entries, mut unmerged) = (BTreeMap::new(), BTreeMap::<_, BTreeMap<_, _>>::new());
        let mut directories = BTreeSet::new();
        for line in list
            .split(|&byte| byte == 0)
            .filter(|line| !line.is_empty())
        {
            let (head, name) = line.split_at(memchr::memchr(b'\t', line)?);
            let mut words = head.split(|&byte| byte == b' ');
            let mark = Mark::of(words.next()?);
            let bits = u32::from_str_radix(std::str::from_utf8(words.next()?).ok()?, 8).ok()?;
            let id = ObjectId::from_hex(words.next()?)?;
            let stage = words.next()?;
            // A name that no file can have is nobody's, and so is a directory of a sparse index.
            let (Ok(path), Some(mode)) = (RelPath::new(&name[1..]), FileMode::from_bits(bits))
            else {
                continue;
            };
            let entry = IndexEntry { mode, id, mark };
            // The ones above it are there with the first that is.
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
        let name = format!("the index {}", super::shown(&index.file));
        Some(Self {
            entries,
            unmerged,
            absent: BTreeSet::new(),
            directories,
            objects: index.objects.clone(),
            name,
        })
    }

    /// Returns what it has for `path`, which is not in conflict.
    #[must_use]
    pub fn entry(&self, path: &RelPath) -> Option<IndexEntry> {
        self.entries.get(path).copied()
    }

    /// Returns all that it has for `path`.
    #[must_use]
    pub fn all(&self, path: &RelPath) -> Stages {
        self.unmerged.get(path).map_or_else(
            || Stages::of(self.entry(path)),
            |stages| Stages(stages.clone()),
        )
    }

    /// Returns the entries that git removes when one of `path` is put in: those of files that are
    /// directories of its name, and those below it.
    #[must_use]
    pub fn displaced_by(&self, path: &RelPath) -> Vec<RelPath> {
        let has =
            |path: &RelPath| self.entries.contains_key(path) || self.unmerged.contains_key(path);
        let mut found: Vec<_> = path.ancestors().filter(has).collect();
        if self.has_directory(path) {
            let all = self.entries.keys().chain(self.unmerged.keys());
            found.extend(all.filter(|other| other.is_below(path)).cloned());
        }
        found
    }

    /// Returns whether the entry of `path` only says that a file is going to be added.
    #[must_use]
    pub fn is_intended(&self, path: &RelPath) -> bool {
        self.entry(path).is_some_and(|entry| entry.is_intended())
    }

    /// Lets verbs find nothing at `path`, if its entry only says that a file is going to be added.
    pub fn fulfil(&mut self, path: &RelPath) {
        if self.is_intended(path) {
            self.absent.insert(path.clone());
        }
    }

    /// Returns the entry that verbs find at `path`.
    pub(super) fn found(&self, path: &RelPath) -> Option<IndexEntry> {
        self.entry(path).filter(|_| !self.absent.contains(path))
    }

    /// Returns the paths that verbs find.
    pub(super) fn paths(&self) -> impl Iterator<Item = &RelPath> {
        self.entries
            .keys()
            .filter(|path| !self.absent.contains(*path))
    }

    /// Returns whether an entry is in the directory `path`.
    #[must_use]
    pub fn has_directory(&self, path: &RelPath) -> bool {
        self.directories.contains(path)
    }

    /// Returns the stages that `path` has, which is in conflict.
    #[must_use]
    pub fn stages(&self, path: &RelPath) -> Option<&BTreeMap<u8, IndexEntry>> {
        self.unmerged.get(path)
    }
}
