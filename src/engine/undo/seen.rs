//! The tree as it is going to be: entries that are taken back together see what the newer ones leave.

use std::collections::{BTreeMap, BTreeSet};

use crate::mode::FileKind;
use crate::path::RelPath;
use crate::transaction::Failure;
use crate::transaction::history::Entry;
use crate::workspace::{Fault, Workspace};

/// What stands where.
pub(super) struct Seen<'w> {
    workspace: &'w dyn Workspace,
    /// What becomes of the paths of the entries that are taken back; `None` if nothing is there then.
    kinds: BTreeMap<RelPath, Option<FileKind>>,
}

impl<'w> Seen<'w> {
    pub(super) fn new(workspace: &'w dyn Workspace) -> Self {
        Self { workspace, kinds: BTreeMap::new() }
    }

    /// Takes `entry` back as well.
    pub(super) fn take_back(&mut self, entry: &Entry) {
        let made = entry.made.iter().map(|path| (path.clone(), None));
        let removed = entry.removed.keys().map(|path| (path.clone(), Some(FileKind::Directory)));
        let files = entry.files.iter().map(|file| (file.path.clone(), file.before.map(|before| before.kind)));
        self.kinds.extend(made.chain(removed).chain(files));
    }

    /// Returns what is at `path`. Where a link stands in the place of a directory above it, nothing of the entries is.
    pub(super) fn kind(&self, path: &RelPath) -> Result<Option<FileKind>, Failure> {
        if let Some(kind) = self.kinds.get(path) {
            return Ok(*kind);
        }
        match self.workspace.stat(path) {
            Err(error) if error.fault == Fault::ThroughLink => Ok(None),
            stat => Ok(stat?.map(|stat| stat.kind)),
        }
    }

    /// Returns the names in `directory`, none if there is no such directory.
    pub(super) fn names(&self, directory: &RelPath) -> Result<BTreeSet<Vec<u8>>, Failure> {
        let listed = match self.workspace.list(Some(directory)) {
            Err(error) if matches!(error.fault, Fault::Missing | Fault::NotDirectory | Fault::ThroughLink) => {
                Vec::new()
            }
            listed => listed?,
        };
        let mut names: BTreeSet<_> = listed.into_iter().collect();
        for (path, kind) in self.kinds.iter().filter(|(path, _)| path.parent().as_ref() == Some(directory)) {
            match kind {
                Some(_) => drop(names.insert(path.name().to_vec())),
                None => drop(names.remove(path.name())),
            }
        }
        Ok(names)
    }
}
