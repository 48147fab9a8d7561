//! Records a change that a command has already made in the tree.
//!
//! [`Transaction::observe`] takes the states of the files before and after the command, and copies
//! the old content of each file that was deleted or has another content. A file that was only
//! moved, or whose mode changed, still has its old content in the tree. The commit then moves no file. It only writes the commit
//! record, and the copies become the old files of the history entry. If the process is killed
//! before the record exists, the tree stays as the command left it, and the history has no entry.

use std::collections::{BTreeMap, BTreeSet};

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
use super::{Durability, Failure, Interrupt, Member, Transaction};
use crate::mode::{FileKind, Permissions};
use crate::path::RelPath;
use crate::workspace::{AttributeSource, Layer, LayerFile, NewFile, RenameMode};

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
    /// The user ID and the group ID of the file before, which an undo restores.
    pub owner: Option<(u32, u32)>,
    /// The file after; `None` if it was deleted.
    pub after: Option<Version>,
}

/// The parts of the journal that an observed change determines. Paths start at the top.
#[derive(Debug, Default)]
pub(super) struct JournalParts {
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
        let mut parts = JournalParts::of_directories(&change, &prefix)?;
        let mut layer = Layer::new();
        for file in change.files {
            let top_path = prefix.to_top_path(file.path.clone())?;
            let Some(from) = file.from else {
                let old = self.observe_file(&file, &top_path, read_old)?;
                parts.changes.push(old.change);
                layer.insert(top_path, old.layer_file);
                continue;
            };
            // A moved file keeps its content, so the layer reads it at the new path.
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
        parts.changes.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        self.observed = Some(parts);
        Ok(layer)
    }

    /// Returns the change of a file that did not move. Copies its old content if it is no longer in
    /// the tree.
    fn observe_file(
        &self,
        file: &ObservedFile,
        top_path: &RelPath,
        read_old: &mut ReadOldContent<'_>,
    ) -> Result<JournaledFile, Failure> {
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
                // If only the mode changed, the file in the tree still has the old content.
                let content = if is_mode_only && before.kind == FileKind::Regular {
                    top_path.clone()
                } else {
                    let content = read_old(&file.path)?;
                    self.copy_old_content(number, (before, file.owner), &content)?
                };
                Some(LayerFile {
                    kind: before.kind,
                    permissions: before.permissions.unwrap_or(0o644),
                    content,
                })
            }
        };
        Ok(JournaledFile { change, layer_file })
    }

    /// Writes the old file number `number`. Returns the path of a regular file with the content, or
    /// with the target of the link.
    fn copy_old_content(
        &self,
        number: usize,
        (version, owner): (Version, Option<(u32, u32)>),
        content: &[u8],
    ) -> Result<RelPath, Failure> {
        let displaced = self
            .scratch
            .own_scratch_path(ScratchFile::Displaced, number)?;
        let source = owner.map(|(uid, gid)| AttributeSource::OwnerOnly {
            uid,
            gid,
            inode_flags: 0,
        });
        let write = |path: &RelPath, permissions| {
            let permissions = Permissions::Exact(permissions);
            let created = self
                .workspace
                .create(path, NewFile::new(&[content], permissions, source));
            created.map(drop)
        };
        if version.kind != FileKind::Symlink {
            write(&displaced, version.permissions.unwrap_or(0o644))?;
            return Ok(displaced);
        }
        self.workspace
            .symlink(content, &displaced, &displaced, None)?;
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
struct JournaledFile {
    change: Change,
    layer_file: Option<LayerFile>,
}

impl JournalParts {
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
        parts.makes.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        parts.removes.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(parts)
    }
}

impl Commit<'_> {
    /// Writes the commit record of an observed change, after its copies are durable.
    ///
    /// After an error the commit record is removed. If the removal fails, the record and the copies
    /// stay, and the next command adds the history entry.
    pub(super) fn record_observed(&self, built: &BuiltJournal) -> Result<(), FailedCommit> {
        // The files are changed already. A signal must not prevent their record.
        let unraised = Interrupt::never();
        let written = self.write_record(&built.journal, RECORD, unraised, |temporary| {
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
        let mut directories = BTreeSet::new();
        let incoming = journal.incoming_changes();
        for change in &journal.changes {
            let Some(before) = change.before else {
                continue;
            };
            // Such a file is still in the tree.
            if change.is_mode_only() || incoming.contains_key(&change.number) {
                continue;
            }
            let displaced = self
                .scratch
                .own_scratch_path(ScratchFile::Displaced, change.number)?;
            // A link is durable with its name.
            if before.kind != FileKind::Symlink.into() {
                self.workspace.sync(Some(&displaced))?;
            }
            directories.extend(displaced.parent());
        }
        for directory in &directories {
            self.workspace.sync(Some(directory))?;
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
