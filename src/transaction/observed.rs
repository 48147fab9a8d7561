//! Records a change that a command has already made in the tree.
//!
//! [`Transaction::observe`] takes the states of the files before and after the command, and copies
//! the old contents to scratch files. The commit then moves no file. It only writes the commit
//! record, and the copies become the old files of the history entry. If the process is killed
//! before the record exists, the tree stays as the command left it, and the history has no entry.

use std::collections::BTreeMap;

use super::build_journal::{BuiltJournal, journal_of_label};
use super::change::{Change, DirAttributes, FileIdentity, MoveInSource};
use super::commit::Commit;
use super::failure::{ignore_missing, no_history};
use super::history::Version;
use super::journal::{CreatedDirectory, JOURNAL_DRAFT, Journal, RemovedDirectory};
use super::root_prefix::RootPrefix;
use super::scratch::ScratchFile;
use super::stage::unstaged_change;
use super::staged::FoundFiles;
use super::undone::FailedCommit;
use super::{Durability, Failure, Member, Transaction};
use crate::mode::{FileKind, Permissions};
use crate::path::RelPath;
use crate::workspace::{Layer, LayerFile, RenameMode};

/// The name of the commit record among the scratch files.
const RECORD: &str = "done";

/// Returns the content that the file at a path had before the command, or the target of a link.
pub type ReadOldContent<'a> = dyn FnMut(&RelPath) -> Result<Vec<u8>, Failure> + 'a;

/// The changes that a command made.
#[derive(Clone, Debug, Default)]
pub struct ObservedChange {
    /// The changed files, each path at most once.
    pub files: Vec<ObservedFile>,
    /// The directories that the command created.
    pub created_dirs: Vec<RelPath>,
    /// The directories that the command removed, with the attributes that they had.
    pub removed_dirs: BTreeMap<RelPath, DirAttributes>,
}

impl ObservedChange {
    /// Returns whether there is nothing to record.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.created_dirs.is_empty() && self.removed_dirs.is_empty()
    }
}

/// A file that a command changed.
#[derive(Clone, Debug)]
pub struct ObservedFile {
    /// The path after the change. For a deletion, the path of the deleted file.
    pub path: RelPath,
    /// The old path, if the command moved the file without changing its content. No file was at
    /// `path` then.
    pub from: Option<RelPath>,
    /// The file before; `None` if no file existed.
    pub before: Option<Version>,
    /// The file after; `None` if it was deleted.
    pub after: Option<Version>,
}

/// The parts of the journal that an observed change determines. Paths start at the top.
#[derive(Debug, Default)]
pub(super) struct ObservedParts {
    makes: Vec<CreatedDirectory>,
    removes: Vec<RemovedDirectory>,
    changes: Vec<Change>,
}

impl Transaction<'_> {
    /// Sets the change that [`Transaction::commit`] records. Copies the old contents, which
    /// `read_old` returns. The tree with the returned layer on top is the tree before the command.
    ///
    /// # Errors
    ///
    /// Returns [`Failure`] if a copy cannot be written, if no history is kept, or if the transaction
    /// has several roots.
    pub fn observe(
        &mut self,
        change: ObservedChange,
        read_old: &mut ReadOldContent<'_>,
    ) -> Result<Layer, Failure> {
        self.only_member()?;
        let member = &mut self.members[0];
        member.observe(change, read_old)
    }
}

impl Member<'_> {
    fn observe(
        &mut self,
        change: ObservedChange,
        read_old: &mut ReadOldContent<'_>,
    ) -> Result<Layer, Failure> {
        let has_history = |state: &super::StateDirectory| state.history().is_some();
        if !self.state.as_ref().is_some_and(has_history) {
            return Err(no_history());
        }
        let prefix = self.roots.only_prefix();
        let mut parts = ObservedParts::of_directories(&change, &prefix)?;
        let mut layer = Layer::new();
        for file in change.files {
            let top_path = prefix.to_top_path(file.path.clone())?;
            let Some(from) = file.from else {
                let old = self.observe_file(&file, &top_path, read_old)?;
                parts.changes.push(old.change);
                layer.insert(top_path, old.layer_file);
                continue;
            };
            let from = prefix.to_top_path(from)?;
            let number = self.stage.allocate_number(self.workspace)?.value;
            let old = file.before.map(|before| LayerFile {
                kind: before.kind,
                permissions: before.permissions.unwrap_or(0o644),
                content: top_path.clone(),
            });
            parts.changes.push(Change {
                before: file.before.map(FileIdentity::from),
                moves_out: true,
                ..unstaged_change(number, from.clone())
            });
            layer.insert(from, old);
            let arrival = self.stage.allocate_number(self.workspace)?.value;
            parts.changes.push(Change {
                after: file.after.map(FileIdentity::from),
                source: Some(MoveInSource::Old(number)),
                ..unstaged_change(arrival, top_path.clone())
            });
            layer.insert(top_path, None);
        }
        parts.changes.sort_by(|a, b| a.path.cmp(&b.path));
        self.observed = Some(parts);
        Ok(layer)
    }

    /// Returns the change of a file that did not move, after its old content was copied.
    fn observe_file(
        &self,
        file: &ObservedFile,
        top_path: &RelPath,
        read_old: &mut ReadOldContent<'_>,
    ) -> Result<ObservedOldFile, Failure> {
        let number = self.stage.allocate_number(self.workspace)?.value;
        let (before, after) = (file.before, file.after);
        let is_same = |before: Version, after: Version| {
            (before.kind, before.digest) == (after.kind, after.digest)
        };
        let is_mode_only =
            (before.zip(after)).is_some_and(|(before, after)| is_same(before, after));
        let change = Change {
            before: before.map(FileIdentity::from),
            after: after.map(FileIdentity::from),
            moves_out: after.is_none(),
            source: (after.is_some() && !is_mode_only).then_some(MoveInSource::Staged),
            ..unstaged_change(number, top_path.clone())
        };
        let layer_file = match before {
            None => None,
            Some(before) => {
                let content = if is_mode_only && before.kind == FileKind::Regular {
                    top_path.clone()
                } else {
                    let content = read_old(&file.path)?;
                    self.copy_old_content(number, before, &content)?
                };
                Some(LayerFile {
                    kind: before.kind,
                    permissions: before.permissions.unwrap_or(0o644),
                    content,
                })
            }
        };
        Ok(ObservedOldFile { change, layer_file })
    }

    /// Writes the old file number `number`. Returns the path of a regular file with the content, or
    /// with the target of the link.
    fn copy_old_content(
        &self,
        number: usize,
        version: Version,
        content: &[u8],
    ) -> Result<RelPath, Failure> {
        let slot = self
            .scratch
            .own_scratch_path(ScratchFile::Displaced, number)?;
        let write = |path: &RelPath, permissions| {
            let created =
                self.workspace
                    .create(path, &[content], Permissions::Exact(permissions), None);
            created.map(drop)
        };
        if version.kind != FileKind::Symlink {
            write(&slot, version.permissions.unwrap_or(0o644))?;
            return Ok(slot);
        }
        self.workspace.symlink(content, &slot, &slot, None)?;
        // The sweep removes it.
        let target = self.scratch.own_scratch_path(ScratchFile::Staged, number)?;
        write(&target, 0o600)?;
        Ok(target)
    }

    /// Returns the journal of the observed change, if there is one.
    pub(super) fn observed_journal(&self) -> Result<Option<BuiltJournal>, Failure> {
        let Some(observed) = &self.observed else {
            return Ok(None);
        };
        let label = self.roots.label_to_top(self.label.clone())?;
        let roots = self.roots.prefixes();
        let journal = Journal {
            makes: observed.makes.clone(),
            removes: observed.removes.clone(),
            changes: observed.changes.clone(),
            ..journal_of_label(self.workspace, &label, &roots)?
        };
        Ok(Some(BuiltJournal {
            journal,
            found: FoundFiles::default(),
        }))
    }
}

/// The change of a file, and the file in the tree before the command.
struct ObservedOldFile {
    change: Change,
    layer_file: Option<LayerFile>,
}

impl ObservedParts {
    /// Returns the created and removed directories of `change`, parents first.
    fn of_directories(change: &ObservedChange, prefix: &RootPrefix) -> Result<Self, Failure> {
        let mut parts = Self::default();
        for path in &change.created_dirs {
            parts.makes.push(CreatedDirectory {
                path: prefix.to_top_path(path.clone())?,
                standing: None,
            });
        }
        for (path, standing) in &change.removed_dirs {
            parts.removes.push(RemovedDirectory {
                path: prefix.to_top_path(path.clone())?,
                standing: *standing,
            });
        }
        parts.makes.sort_by(|a, b| a.path.cmp(&b.path));
        parts.removes.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(parts)
    }
}

impl Commit<'_> {
    /// Writes the commit record of an observed change, after its copies are durable.
    ///
    /// After an error there is no record, unless it cannot be removed. Then it must stay together
    /// with the copies, and the next command adds the entry.
    pub(super) fn record_observed(&self, built: &BuiltJournal) -> Result<(), FailedCommit> {
        let written = self.write_record(&built.journal, RECORD, |temporary| {
            self.sync_copies(&built.journal)?;
            Ok(self.workspace.sync(Some(temporary))?)
        });
        written.map_err(|failure| FailedCommit {
            keeps_journal: self.remove_record().is_err(),
            failure,
        })
    }

    /// Renames the commit record back, if it exists.
    fn remove_record(&self) -> Result<(), Failure> {
        let (record, draft) = (
            self.scratch.file(RECORD)?,
            self.scratch.file(JOURNAL_DRAFT)?,
        );
        ignore_missing(self.workspace.rename(&record, &draft, RenameMode::Replace))?;
        if self.durability == Durability::Full {
            self.workspace.sync(Some(&self.scratch.directory))?;
        }
        Ok(())
    }

    /// Syncs the copies of the old files, and the directories that contain them.
    fn sync_copies(&self, journal: &Journal) -> Result<(), Failure> {
        for change in &journal.changes {
            let slot = self
                .scratch
                .own_scratch_path(ScratchFile::Displaced, change.number)?;
            let is_link = |before: FileIdentity| before.kind == FileKind::Symlink.into();
            if !change.before.is_some_and(is_link) {
                ignore_missing(self.workspace.sync(Some(&slot)))?;
            }
            ignore_missing(self.workspace.sync(slot.parent().as_ref()))?;
        }
        Ok(())
    }
}

impl From<Version> for FileIdentity {
    fn from(version: Version) -> Self {
        Self {
            kind: version.kind.into(),
            digest: version.digest,
            size: version.size,
            mode: version.permissions,
        }
    }
}
