//! Collects the updates of an index from the changes of its files, and passes the changes of the
//! work tree on.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use super::matches::ComparisonResult;
use crate::change::{Content, FileChange, FileState, Postimage, Sink};
use crate::mode::{FileKind, FileMode, Permissions, with_execution};
use crate::path::RelPath;
use crate::text::Contents;
use crate::workspace::index::{BlobCollector, GitIndex, IndexEntry, IndexTree, IndexUpdate};
use crate::workspace::objects::ObjectId;
use crate::workspace::{Workspace, WorkspaceError};

/// A sink for the changes of an index.
pub(super) struct IndexSink<'a> {
    staged: &'a IndexTree,
    blobs: &'a BlobCollector<'a>,
    /// The sink for the changes of the work tree, and the state of the work tree.
    tree: Option<(&'a dyn Sink, &'a ComparisonResult)>,
    /// The files for rejected hunks, which are not in an index, and their sink.
    rejects: (&'a BTreeSet<RelPath>, Option<&'a dyn Sink>),
    collected: Mutex<CollectedUpdates>,
}

/// The changes that an [`IndexSink`] collected.
#[derive(Default)]
pub(super) struct CollectedUpdates {
    pub(super) updates: Vec<IndexUpdate>,
    /// Changes of the work tree that wait until git can read their blobs.
    pub(super) pending_smudges: Vec<PendingSmudge>,
}

/// A change of the work tree whose content git computes from a blob.
pub(super) struct PendingSmudge {
    change: FileChange,
    id: ObjectId,
}

impl PendingSmudge {
    /// Returns the change with an empty content.
    pub(super) fn without_content(&self) -> FileChange {
        with_content(self.change.clone(), Content::Bytes(Vec::new().into()))
    }

    /// Returns the change with its content. The blob must exist.
    pub(super) fn smudge(self, index: &GitIndex) -> Result<FileChange, WorkspaceError> {
        let bytes = index.smudge(&self.change.path, self.id)?;
        Ok(with_content(self.change, Content::Bytes(bytes.into())))
    }
}

impl<'a> IndexSink<'a> {
    pub(super) fn new(
        staged: &'a IndexTree,
        blobs: &'a BlobCollector<'a>,
        tree: Option<(&'a dyn Sink, &'a ComparisonResult)>,
        rejects: (&'a BTreeSet<RelPath>, Option<&'a dyn Sink>),
    ) -> Self {
        Self {
            staged,
            blobs,
            tree,
            rejects,
            collected: Mutex::default(),
        }
    }

    pub(super) fn finish(self) -> CollectedUpdates {
        self.collected
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the entry of `after` at `path`; `None` if the index has no blob for it.
    fn entry(
        &self,
        path: &RelPath,
        after: &Postimage,
    ) -> Result<Option<IndexEntry>, WorkspaceError> {
        let mode = match after.kind {
            FileKind::Symlink => FileMode::Symlink,
            FileKind::Regular if is_executable(after.permissions) => FileMode::Executable,
            FileKind::Regular => FileMode::Regular,
            FileKind::Directory | FileKind::Special => return Ok(None),
        };
        let known = |path: &RelPath| self.staged.entry(path).map(|entry| entry.id);
        let id = match &after.content {
            Content::Bytes(bytes) => Some(self.blobs.add(bytes)?),
            Content::Unchanged => known(path),
            Content::MovedFrom(from, _) | Content::Restored(from, _) => known(from),
        };
        Ok(id.map(|id| IndexEntry::new(mode, id)))
    }

    /// Returns the paths at which the index changes.
    pub(super) fn changed_paths(&self) -> BTreeSet<RelPath> {
        let gathered = self
            .collected
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        gathered
            .updates
            .iter()
            .map(|update| update.path.clone())
            .collect()
    }

    /// Passes on a file of the work tree that gets the content of its entry. git computes the
    /// content of a regular file.
    pub(super) fn check_out(
        &self,
        change: FileChange,
        entry: IndexEntry,
    ) -> Result<(), WorkspaceError> {
        match (self.tree, entry.mode) {
            (None, _) => {}
            (Some((sink, _)), FileMode::Symlink) => sink.receive(change)?,
            (Some(_), _) => self.add_pending_smudge(change, Some(entry)),
        }
        Ok(())
    }

    /// Adds an update of the index.
    fn add_update(&self, update: IndexUpdate) {
        self.collected
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .updates
            .push(update);
    }

    /// Passes on the change of the work tree that follows a change of the index.
    fn pass_change(
        &self,
        (sink, matches): (&dyn Sink, &ComparisonResult),
        change: FileChange,
        entry: Option<IndexEntry>,
    ) -> Result<(), WorkspaceError> {
        let FileChange { path, after, .. } = change;
        let before = matches.state(&path).cloned();
        let Some(after) = after else {
            return if before.is_some() {
                sink.receive(FileChange {
                    path,
                    before,
                    after: None,
                })
            } else {
                Ok(())
            };
        };
        let (like, permissions) = self.attribute_source(matches, &path, &after);
        let kind = after.kind;
        let is_converted = kind == FileKind::Regular && matches.is_converted(&path);
        let is_known = before.is_some();
        let changed = |content| FileChange {
            path,
            before,
            after: Some(Postimage {
                kind,
                permissions,
                content,
                attribute_source: like,
            }),
        };
        match after.content {
            // git writes every changed file as a checkout does, even if only its mode changes.
            Content::Unchanged if is_known && !is_converted => {
                sink.receive(changed(Content::Unchanged))
            }
            Content::MovedFrom(from, _) => {
                self.pass_move((sink, matches), from, changed(Content::Unchanged), entry)
            }
            Content::Bytes(bytes) if !is_converted => sink.receive(changed(Content::Bytes(bytes))),
            _ if kind == FileKind::Directory => {
                sink.receive(changed(Content::Bytes(Contents::default())))
            }
            _ => {
                self.add_pending_smudge(changed(Content::Unchanged), entry);
                Ok(())
            }
        }
    }

    /// Passes on a file that is moved from `from`. `change` does not have the content yet.
    fn pass_move(
        &self,
        (sink, matches): (&dyn Sink, &ComparisonResult),
        from: RelPath,
        change: FileChange,
        entry: Option<IndexEntry>,
    ) -> Result<(), WorkspaceError> {
        let is = |kind| {
            change
                .after
                .as_ref()
                .is_some_and(|after| after.kind == kind)
        };
        let is_link = is(FileKind::Symlink);
        let is_converted = is(FileKind::Regular)
            && (matches.is_converted(&change.path) || matches.is_converted(&from));
        match matches.state(&from).cloned() {
            Some(state) if !is_converted => {
                let content = Content::MovedFrom(from, state);
                return sink.receive(with_content(change, content));
            }
            // git writes a converted file from its new blob, so the old file is deleted.
            Some(state) => sink.receive(FileChange {
                path: from.clone(),
                before: Some(state),
                after: None,
            })?,
            None => {}
        }
        if is_link {
            let target = self.staged.read_link(&from)?;
            return sink.receive(with_content(change, Content::Bytes(target.into())));
        }
        self.add_pending_smudge(change, entry);
        Ok(())
    }

    /// Adds a change of the work tree whose content git computes from the blob of `entry`.
    fn add_pending_smudge(&self, change: FileChange, entry: Option<IndexEntry>) {
        let Some(IndexEntry { id, .. }) = entry else {
            return;
        };
        self.collected
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pending_smudges
            .push(PendingSmudge { change, id });
    }

    /// Returns the attribute source of the new file at `path`, and its permissions. The permissions
    /// are the current ones, except for execute bits that change.
    fn attribute_source(
        &self,
        matches: &ComparisonResult,
        path: &RelPath,
        after: &Postimage,
    ) -> (Option<RelPath>, Permissions) {
        let executable = is_executable(after.permissions);
        let source = match &after.content {
            Content::MovedFrom(from, _) => Some(from),
            _ => after.attribute_source.as_ref(),
        };
        let model = source.unwrap_or(path);
        let is_file = |state: &&FileState| state.stat.kind == FileKind::Regular;
        let Some(state) = matches.state(model).filter(is_file) else {
            return (None, Permissions::New { executable });
        };
        // The index decides about execute bits. If its mode does not change, the bits of the file
        // in the work tree stay, even if they differ (`core.fileMode=false`).
        let was = self
            .staged
            .entry(model)
            .is_some_and(|entry| entry.mode == FileMode::Executable);
        let bits = state.stat.permissions;
        let bits = if was == executable {
            bits
        } else {
            with_execution(bits, executable)
        };
        (after.attribute_source.clone(), Permissions::Exact(bits))
    }
}

impl Sink for IndexSink<'_> {
    fn receive(&self, change: FileChange) -> Result<(), WorkspaceError> {
        if let (rejects, sink) = self.rejects
            && rejects.contains(&change.path)
        {
            return sink.map_or(Ok(()), |sink| sink.receive(change));
        }
        let entry = match &change.after {
            Some(after) => self.entry(&change.path, after)?,
            None => None,
        };
        // `gitlinks.rs` changes the entries of submodules.
        let is_blob = |entry: &IndexEntry| entry.mode != FileMode::Submodule;
        let goes = change.after.is_none()
            && self
                .staged
                .entry(&change.path)
                .is_some_and(|entry| is_blob(&entry));
        if entry.is_some() || goes {
            self.add_update(IndexUpdate {
                path: change.path.clone(),
                entry,
                stage: 0,
            });
        }
        if let Some(Postimage {
            content: Content::MovedFrom(from, _),
            ..
        }) = &change.after
        {
            self.add_update(IndexUpdate {
                path: from.clone(),
                entry: None,
                stage: 0,
            });
        }
        self.tree
            .map_or(Ok(()), |tree| self.pass_change(tree, change, entry))
    }
}

/// Returns `change` with another content.
fn with_content(change: FileChange, content: Content) -> FileChange {
    let after = change.after.map(|after| Postimage { content, ..after });
    FileChange { after, ..change }
}

fn is_executable(permissions: Permissions) -> bool {
    match permissions {
        Permissions::New { executable } => executable,
        Permissions::Exact(bits) => bits & 0o100 != 0,
    }
}
