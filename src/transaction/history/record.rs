//! Converts the record of a transaction to a history entry.

use super::old_files::{OldFileLocation, OldFiles};
use super::{
    EntryFile, EntryRoot, EntryStatus, HistoryDirectory, HistoryEntry, OldContentLocation,
    PlanRejection, TransactionLabel, Version,
};
use crate::mode::FileKind;
use crate::transaction::change::{Change, FileIdentity, JournalFileKind};
use crate::transaction::escape::unescape;
use crate::transaction::git_index_file;
use crate::transaction::group::GroupRecord;
use crate::transaction::ids::id_seconds;
use crate::transaction::journal::Journal;

use crate::transaction::{Failure, HardLinkMode, audit, kept};
use crate::workspace::Workspace;

impl HistoryDirectory {
    /// Returns the entry of the committed transaction with the record `journal`.
    pub(super) fn entry(
        &self,
        workspace: &dyn Workspace,
        journal: Journal,
    ) -> Result<HistoryEntry, Failure> {
        let names = self.scratch.names(workspace)?;
        let (old_files, leaving) = (OldFiles::new(&journal, &names), journal.outgoing_changes());
        let mut files = Vec::with_capacity(journal.changes.len());
        for change in journal
            .changes
            .iter()
            .filter(|change| !git_index_file::is_index_path(&change.path))
        {
            let (before, after) = (
                change.before.map(Version::from),
                change.after.map(Version::from),
            );
            let from = change
                .source_change(&leaving)
                .map(|source| source.path.clone());
            files.push(EntryFile {
                path: change.path.clone(),
                from,
                before,
                after,
                old_content: self.locate_old_content(&old_files, change)?,
            });
        }
        let is_in_place = journal.changes.iter().any(|change| change.overwrites);
        Ok(HistoryEntry {
            links: if is_in_place {
                HardLinkMode::Kept
            } else {
                HardLinkMode::Separate
            },
            origin: audit::origin_of_lines(&journal.audit),
            root_prefixes: (journal.below.iter().chain(&journal.also_below))
                .filter_map(|prefix| unescape(prefix))
                .collect(),
            roots: journal.group.as_ref().map(entry_roots).unwrap_or_default(),
            label: TransactionLabel {
                command: journal.command,
                undoes: journal.undoes,
                is_redo: journal.is_redo,
                index: journal.index,
                session: journal.session,
                ..TransactionLabel::default()
            },
            files,
            created_dirs: journal.makes.into_iter().map(|made| made.path).collect(),
            removed_dirs: journal
                .removes
                .into_iter()
                .map(|removed| (removed.path, removed.standing))
                .collect(),
            status: EntryStatus::Committed,
            ..self.damaged_entry()
        })
    }

    /// Returns the location of the old content of `change`.
    fn locate_old_content(
        &self,
        old_files: &OldFiles<'_>,
        change: &Change,
    ) -> Result<OldContentLocation, Failure> {
        Ok(match old_files.of(change) {
            OldFileLocation::None => OldContentLocation::None,
            OldFileLocation::MovedTo(path) => OldContentLocation::MovedTo(path.clone()),
            OldFileLocation::Scratch(slot) => {
                OldContentLocation::Kept(self.scratch.own_scratch_path(slot, change.number)?)
            }
            OldFileLocation::Lost => OldContentLocation::Lost,
        })
    }

    /// Returns the entry of the rolled-back transaction with the record `journal`. Its changes are
    /// not in the tree.
    pub(super) fn aborted_entry(
        &self,
        workspace: &dyn Workspace,
        journal: Journal,
    ) -> Result<HistoryEntry, Failure> {
        let kept = kept::find(workspace, &self.scratch, Some(&journal))?;
        let file = |change: Change| EntryFile {
            path: change.path,
            from: None,
            before: change.before.map(Version::from),
            after: change.after.map(Version::from),
            old_content: OldContentLocation::None,
        };
        Ok(HistoryEntry {
            origin: audit::origin_of_lines(&journal.audit),
            label: TransactionLabel {
                command: journal.command,
                ..TransactionLabel::default()
            },
            files: journal
                .changes
                .into_iter()
                .filter(|change| !git_index_file::is_index_path(&change.path))
                .map(file)
                .collect(),
            status: EntryStatus::Aborted,
            kept,
            ..self.damaged_entry()
        })
    }

    /// Returns the entry of a rejected plan.
    pub(super) fn rejected_entry(&self, rejection: PlanRejection) -> HistoryEntry {
        let label = TransactionLabel {
            command: "reject".to_owned(),
            ..TransactionLabel::default()
        };
        HistoryEntry {
            label,
            status: EntryStatus::Rejected,
            origin: rejection.origin(),
            rejection: Some(rejection),
            ..self.damaged_entry()
        }
    }

    /// Returns the entry for a record that cannot be read.
    pub(super) fn damaged_entry(&self) -> HistoryEntry {
        HistoryEntry {
            id: self.scratch.id.clone(),
            time: id_seconds(&self.scratch.id),
            status: EntryStatus::Damaged,
            ..HistoryEntry::default()
        }
    }

    /// Returns whether the directory still has its name.
    pub(super) fn is_present(&self, workspace: &dyn Workspace) -> Result<bool, Failure> {
        Ok(workspace
            .stat(&self.scratch.directory)?
            .is_some_and(|stat| stat.kind == FileKind::Directory))
    }
}

/// Returns the roots of `group`. The entry of a member contains its own files only.
fn entry_roots(group: &GroupRecord) -> Vec<EntryRoot> {
    let members = group.members.iter().enumerate();
    members
        .filter_map(|(position, member)| {
            Some(EntryRoot {
                name: member.name()?,
                location: member.location(),
                is_included: position == group.position,
            })
        })
        .collect()
}

impl From<FileIdentity> for Version {
    fn from(image: FileIdentity) -> Self {
        let kind = match image.kind {
            JournalFileKind::File => FileKind::Regular,
            JournalFileKind::Link => FileKind::Symlink,
            JournalFileKind::Directory => FileKind::Directory,
            JournalFileKind::Special => FileKind::Special,
        };
        Self {
            kind,
            digest: image.digest,
            size: image.size,
            permissions: image.mode,
        }
    }
}
