//! One step of a session: file changes that go to the session in place of the tree.

use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::document::{SessionDocument, content_name};
use super::store::{self, DRAFT};
use super::{Session, SessionFile};
use crate::change::{Content, FileChange, Sink};
use crate::digest::Digest;
use crate::mode::{FileKind, Permissions};
use crate::mutex::lock_unpoisoned;
use crate::path::RelPath;
use crate::transaction::checksummed;
use crate::transaction::failure::{check_interrupt, ignore_missing};
use crate::transaction::history::{SESSION_DOCUMENT, list_names, sync};
use crate::transaction::root_prefix::RootPrefix;
use crate::transaction::scratch::join;
use crate::transaction::state::StateDirectory;
use crate::transaction::{Failure, Interrupt, Options, RecoveredTransaction, recover};
use crate::workspace::{ErrorKind, NewFile, RenameMode, Workspace, WorkspaceError, top};

/// A step in progress. It holds the lock, receives changes as a [`Sink`], and changes the session
/// with [`SessionStep::commit`]. Dropping it leaves the session as it was.
pub struct SessionStep<'w> {
    pub(super) workspace: &'w dyn Workspace,
    root_prefix: RootPrefix,
    options: Options,
    state: Option<StateDirectory>,
    pub(super) session: Session,
    next: AtomicU64,
    received: Mutex<Vec<ReceivedChange>>,
    pub(super) interrupt: Interrupt,
}

/// A received change whose new content, if any, is already in a file of the session.
pub(super) struct ReceivedChange {
    pub(super) change: FileChange,
    pub(super) content: Option<(RelPath, Digest)>,
}

impl<'w> SessionStep<'w> {
    /// Takes the lock, recovers interrupted transactions and reads the session with the full ID
    /// `id`. Returns `None` for the step if the session does not exist.
    ///
    /// # Errors
    ///
    /// Returns [`Failure`] like [`Transaction::begin`](crate::transaction::Transaction::begin), and
    /// [`Failure::State`] if the session is damaged.
    pub fn begin(
        workspace: &'w dyn Workspace,
        id: &str,
        options: Options,
        interrupt: &Interrupt,
    ) -> Result<(Option<Self>, Vec<RecoveredTransaction>), Failure> {
        let root_prefix = RootPrefix::of(workspace.work_tree()?.as_ref());
        let (state, recovered) = recover::open(workspace, options, interrupt)?;
        let workspace = top(workspace)?;
        let found = store::find(workspace, id);
        let Ok(Some(session)) = found else {
            // The next command removes the rest.
            let _ = state.close(workspace);
            return found.map(|_| (None, recovered));
        };
        let step = Self {
            workspace,
            root_prefix,
            options,
            state: Some(state),
            next: AtomicU64::new(session.next),
            session,
            received: Mutex::default(),
            interrupt: interrupt.clone(),
        };
        // An interrupted step may have left files with the names of the next contents.
        step.remove_unnamed_files()?;
        Ok((Some(step), recovered))
    }

    /// Returns the session before the step.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Ends the step without a change, and removes the contents that it wrote.
    pub fn abandon(self) {
        // The next step removes the rest.
        let _ = self.remove_unnamed_files();
    }

    /// Changes the session. After an error it is as it was, unless the error concerns the last sync
    /// or the sweep.
    ///
    /// # Errors
    ///
    /// Returns [`Failure::Stale`] if another process changed a file of the tree after it was read,
    /// [`Failure::Interrupted`] after a signal, and the errors of the disk.
    pub fn commit(mut self) -> Result<Session, Failure> {
        let mut received = std::mem::take(&mut *lock_unpoisoned(&self.received));
        received.sort_unstable_by(|a, b| a.change.path.cmp(&b.change.path));
        let before = self.session.clone();
        for file in self.moved_files(&before, &received)? {
            self.put(file);
        }
        for received in received {
            let file = self.session_file(&before, received)?;
            self.put(file);
        }
        check_interrupt(&self.interrupt)?;
        self.write_document()?;
        Ok(self.session.clone())
    }

    /// Replaces the record of a file, or removes it if the session does not change the file.
    fn put(&mut self, file: SessionFile) {
        let files = &mut self.session.files;
        let place = files.binary_search_by(|other| other.path.cmp(&file.path));
        let is_unchanged = match (&file.base, &file.new) {
            (None, None) => true,
            (Some(base), Some(new)) => base.is_same(new),
            _ => false,
        };
        match (place, is_unchanged) {
            (Ok(place), true) => drop(files.remove(place)),
            (Ok(place), false) => files[place] = file,
            (Err(_), true) => {}
            (Err(place), false) => files.insert(place, file),
        }
    }

    /// Writes a content to a new file of the session.
    pub(super) fn write_content(&self, slices: &[&[u8]]) -> Result<RelPath, Failure> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let path = join(&self.session.directory, &content_name(number))?;
        let new = NewFile::new(slices, Permissions::Exact(0o600), None);
        self.workspace
            .create(&path, new.with_interrupt(&self.interrupt))?;
        sync(self.workspace, &path, self.options.durability)?;
        Ok(path)
    }

    /// Replaces the document.
    fn write_document(&mut self) -> Result<(), Failure> {
        self.session.revision += 1;
        self.session.next = self.next.load(Ordering::Relaxed);
        let (workspace, durability) = (self.workspace, self.options.durability);
        let directory = &self.session.directory;
        let (draft, document) = (join(directory, DRAFT)?, join(directory, SESSION_DOCUMENT)?);
        // The caller has just read the interrupt, and the document is small.
        let record = SessionDocument::of(&self.session);
        checksummed::write(&record, workspace, &draft, Interrupt::never())?;
        sync(workspace, &draft, durability)?;
        // The names of the contents must be durable before a document names them.
        sync(workspace, directory, durability)?;
        workspace.rename(&draft, &document, RenameMode::Replace)?;
        sync(workspace, directory, durability)?;
        // The next step removes the rest.
        let _ = self.remove_unnamed_files();
        Ok(())
    }

    /// Removes the files of the directory that the session does not name.
    fn remove_unnamed_files(&self) -> Result<(), Failure> {
        let directory = &self.session.directory;
        let contents = self.session.files.iter().flat_map(|file| {
            let versions = [file.base.as_ref(), file.new.as_ref()];
            versions
                .into_iter()
                .flatten()
                .map(|file| file.content.name())
        });
        let named: std::collections::HashSet<_> =
            contents.chain([SESSION_DOCUMENT.as_bytes()]).collect();
        for name in list_names(self.workspace, directory)? {
            if !named.contains(&name[..])
                && let Ok(path) = directory.join(&name)
            {
                ignore_missing(self.workspace.remove(&path))?;
            }
        }
        Ok(())
    }

    fn receive_change(&self, change: FileChange) -> Result<(), Failure> {
        let change = self.root_prefix.change_to_top(change)?;
        let is_directory = |kind| kind == FileKind::Directory;
        let was_directory = change.before.as_ref().map(|state| state.stat.kind);
        let is_submodule = change
            .after
            .as_ref()
            .map_or(was_directory.is_some_and(is_directory), |after| {
                is_directory(after.kind)
            });
        if is_submodule {
            let why = "an edit session cannot change submodules or empty directories";
            return Err(Failure::Workspace(WorkspaceError {
                verb: "change",
                path: change.path.to_string(),
                kind: ErrorKind::Unsupported,
                source: io::Error::new(io::ErrorKind::Unsupported, why),
            }));
        }
        let content = match change.after.as_ref().map(|after| &after.content) {
            Some(Content::Bytes(bytes)) => {
                let slices = bytes.slices();
                let path = self.write_content(&slices)?;
                let digest = Digest::of_slices(&slices, &self.interrupt)
                    .ok_or_else(|| WorkspaceError::interrupted("stage", &change.path))?;
                Some((path, digest))
            }
            _ => None,
        };
        lock_unpoisoned(&self.received).push(ReceivedChange { change, content });
        Ok(())
    }
}

impl Sink for SessionStep<'_> {
    fn receive(&self, change: FileChange) -> Result<(), WorkspaceError> {
        let path = change.path.to_string();
        self.receive_change(change)
            .map_err(|failure| match failure {
                Failure::Workspace(error) => error,
                failure => WorkspaceError {
                    verb: "stage",
                    path,
                    kind: ErrorKind::Other,
                    source: io::Error::other(failure),
                },
            })
    }
}

impl Drop for SessionStep<'_> {
    fn drop(&mut self) {
        if let Some(state) = self.state.take() {
            // The next command removes the rest.
            let _ = state.close(self.workspace);
        }
    }
}
