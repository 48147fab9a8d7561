//! Reverts the directories that a transaction created and removed.

use std::collections::{HashMap, HashSet};
use std::hash::RandomState;

use super::{RestoreOutcome, Rollback, is_path_occupied};
use crate::mode::{FileKind, Permissions};
use crate::path::RelPath;
use crate::text::hash_folded;
use crate::transaction::Failure;
use crate::transaction::change::DirAttributes;
use crate::transaction::journal::{CreatedDirectory, RemovedDirectory};
use crate::transaction::scratch;
use crate::transaction::verify::stat_in_tree;
use crate::workspace::{DirectoryPermissions, ErrorKind, FoldingCache, Stat};

impl Rollback<'_> {
    /// Gives the owner full access to a directory that the transaction created with fewer owner
    /// bits.
    pub(super) fn grant_owner_access(
        &self,
        CreatedDirectory { path, standing }: &CreatedDirectory,
    ) -> Result<(), Failure> {
        let mode = standing
            .map(|standing| standing.mode)
            .filter(|mode| mode & 0o700 != 0o700);
        let Some(mode) = mode else { return Ok(()) };
        // Other permission bits were set by another process and stay.
        let is_ours = |stat: Stat| stat.kind == FileKind::Directory && stat.permissions == mode;
        if stat_in_tree(self.moves.workspace, path)?.is_some_and(is_ours) {
            self.moves
                .workspace
                .set_permissions(path, Permissions::Exact(mode | 0o700))?;
        }
        Ok(())
    }

    /// Returns the directories that only seem to have been created.
    ///
    /// On a case-folding file system, such a path can be another spelling of a directory that was
    /// not removed yet.
    pub(super) fn find_existing_directories(&self) -> Result<HashSet<&RelPath>, Failure> {
        let workspace = self.moves.workspace;
        let mut existing = HashSet::new();
        if workspace.spellings().is_none() || self.journal.makes.is_empty() {
            return Ok(existing);
        }
        let hasher = RandomState::new();
        let hash = |path: &RelPath| hash_folded(path.as_bytes(), &hasher);
        let removed = self
            .journal
            .removes
            .iter()
            .enumerate()
            .map(|(index, removed)| (hash(&removed.path), index));
        let removed: HashMap<_, _> = removed.collect();
        let folding = FoldingCache::default();
        for CreatedDirectory { path, .. } in &self.journal.makes {
            let Some(&index) = removed.get(&hash(path)) else {
                continue;
            };
            let is_out = workspace
                .stat(&self.scratch.file(scratch::directory_name(index))?)?
                .is_some();
            if !is_out
                && self.journal.removes[index].path != *path
                && !folding.is_listed(workspace, path)?
            {
                existing.insert(path);
            }
        }
        Ok(existing)
    }

    /// Removes a directory that the transaction created. It stays if it is not empty.
    pub(super) fn remove_dir(&self, path: &RelPath) -> Result<RestoreOutcome, Failure> {
        match self.moves.workspace.remove_dir(path) {
            Err(error) if matches!(error.kind, ErrorKind::Other | ErrorKind::Denied) => {
                Err(error.into())
            }
            // A missing directory needs no removal. One that is not empty contains files of another
            // process.
            _ => Ok(RestoreOutcome::Restored),
        }
    }

    /// Moves a removed directory back, or creates it again.
    pub(super) fn restore_dir(
        &self,
        index: usize,
        removed: &RemovedDirectory,
    ) -> Result<RestoreOutcome, Failure> {
        let slot = self.scratch.file(scratch::directory_name(index))?;
        let is_out = self.moves.workspace.stat(&slot)?.is_some();
        if is_out && stat_in_tree(self.moves.workspace, &removed.path)?.is_none() {
            match self.moves.move_in(&slot, &removed.path) {
                Err(error) if is_path_occupied(error.kind) => {}
                put => put?,
            }
        }
        self.recreate_dir(removed)
    }

    /// Creates a removed directory again.
    fn recreate_dir(&self, removed: &RemovedDirectory) -> Result<RestoreOutcome, Failure> {
        let workspace = self.moves.workspace;
        let DirAttributes { mode, uid, gid } = removed.standing;
        if stat_in_tree(workspace, &removed.path)?.is_none() {
            match workspace.make_dir(&removed.path, DirectoryPermissions::Shared) {
                Err(error) if is_path_occupied(error.kind) => return Ok(RestoreOutcome::Skipped),
                made => made?,
            }
            workspace.restore_dir(&removed.path, mode, (uid, gid))?;
        }
        match workspace.stat(&removed.path)? {
            Some(stat) if stat.kind != FileKind::Directory => return Ok(RestoreOutcome::Skipped),
            Some(stat) if stat.permissions == mode => {}
            _ => workspace.set_permissions(&removed.path, Permissions::Exact(mode))?,
        }
        Ok(RestoreOutcome::Restored)
    }
}
