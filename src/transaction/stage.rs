//! Staging: writes new contents to scratch files at once and keeps only their identities in memory.

mod content;
mod place;

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::sync::Mutex;

use super::change::{Change, DirAttributes, FileIdentity};
use super::escape;
use super::numbers::{AllocatedNumber, FileNumbers};
use super::scratch::{Scratch, ScratchFile};
use super::staged::{StagedChange, StagedChanges};
use super::verify::read_content;
use super::{Durability, Failure, HardLinkMode, Interrupt, Options};
use crate::change::{FileChange, FileState, Postimage};
use crate::mode::{FileKind, Permissions};
use crate::mutex::lock_unpoisoned;
use crate::path::RelPath;
use crate::text::Contents;
use crate::workspace::{ErrorKind, NewFile, Workspace, WorkspaceError};

/// The source of a file that moves from another root.
#[derive(Debug)]
pub(super) struct Arrival {
    /// The absolute path of the root.
    pub(super) location: Vec<u8>,
    pub(super) path: RelPath,
}

/// Receives changes from several threads.
#[derive(Debug)]
pub(super) struct ChangeStager {
    scratch: Scratch,
    pub(super) interrupt: Interrupt,
    durability: Durability,
    /// The treatment of hard links.
    pub(super) links: HardLinkMode,
    numbers: FileNumbers,
    staged: Mutex<StagedChanges>,
    /// The sources of copies that changed after they were first read.
    stale: Mutex<Vec<RelPath>>,
    /// The missing directories above the staged paths.
    missing: Mutex<BTreeSet<RelPath>>,
    /// For each examined directory, whether its scratch files must be in the directory itself,
    /// because a rename from the state directory fails. The empty name is the root.
    examined_directories: Mutex<HashMap<Box<[u8]>, bool>>,
}

impl ChangeStager {
    pub(super) fn new(scratch: Scratch, options: Options, interrupt: &Interrupt) -> Self {
        Self {
            interrupt: interrupt.clone(),
            scratch,
            durability: options.durability,
            links: options.links,
            numbers: FileNumbers::default(),
            staged: Mutex::default(),
            stale: Mutex::default(),
            missing: Mutex::default(),
            examined_directories: Mutex::default(),
        }
    }

    /// Reserves memory for `changes` changes. Does nothing if the memory is not available.
    pub(super) fn reserve(&self, changes: usize) {
        lock_unpoisoned(&self.staged).reserve(changes);
    }

    /// Returns the staged changes, and the files that changed while they were staged.
    pub(super) fn finish(&self) -> (StagedChanges, Vec<RelPath>) {
        let staged = std::mem::take(&mut *lock_unpoisoned(&self.staged));
        (
            staged.into_sorted(),
            std::mem::take(&mut *lock_unpoisoned(&self.stale)),
        )
    }

    /// Stages the departure of the file at `path` to another root. `found` is its state.
    pub(super) fn take_departure(&self, path: RelPath, found: FileState) {
        lock_unpoisoned(&self.staged)
            .moves
            .push((None, path, found));
    }

    /// Returns a number that no scratch file has yet.
    pub(super) fn allocate_number(
        &self,
        workspace: &dyn Workspace,
    ) -> Result<AllocatedNumber<'_>, Failure> {
        self.numbers.take(workspace, &self.scratch)
    }

    /// Stages one change. `arrival` is the source of a file that moves from another root.
    pub(super) fn take(
        &self,
        workspace: &dyn Workspace,
        (change, arrival): (FileChange, Option<&Arrival>),
    ) -> Result<(), Failure> {
        let FileChange {
            path,
            before,
            after,
        } = change;
        let becomes_directory = |after: &Postimage| after.kind == FileKind::Directory;
        let is_directory_after = after.as_ref().is_some_and(becomes_directory);
        // The directory of a submodule exists already. It must stay even if it becomes empty.
        if is_directory_after && before.as_ref().is_some_and(is_directory) {
            self.keep_directory(path);
            return Ok(());
        }
        let going = before.as_ref().filter(|state| is_directory(state));
        let removes = going.map(|state| (path.clone(), DirAttributes::from(&state.stat)));
        let found = before.filter(|state| !is_directory(state));
        let place = self.locate_scratch(workspace, &path, found.is_some() || removes.is_some())?;
        let mut one = StagedChange {
            found,
            created_dirs: place.created_dirs,
            removed_dir: removes,
            ..StagedChange::default()
        };
        let number = self.allocate_number(workspace)?;
        let mut change = Change {
            before: one.found.as_ref().map(FileIdentity::from),
            moves_out: after.is_none(),
            stage_depth: place.is_outside_state.then_some(place.missing),
            overwrites: self.has_links_to_keep(one.found.as_ref()),
            ..unstaged_change(number.value, path)
        };
        self.record_location(workspace, &change)?;
        match after {
            // A new directory needs no staged file. An old file at its path makes room.
            Some(after) if becomes_directory(&after) => {
                one.created_dirs.push(change.path.clone());
                change.moves_out = true;
            }
            Some(after) => {
                let missing = place.missing;
                self.stage(
                    workspace,
                    &mut change,
                    (&mut one, missing),
                    (after, arrival),
                )?;
            }
            None => {}
        }
        // The file is written, so other threads can use its bucket.
        drop(number);
        change.overwrites &= change.is_between_files();
        one.change = (change.before.is_some() || change.after.is_some()).then_some(change);
        self.push(one);
        Ok(())
    }

    /// Returns whether the file has other hard links that must stay linked.
    fn has_links_to_keep(&self, found: Option<&FileState>) -> bool {
        self.links == HardLinkMode::Kept && found.is_some_and(|found| found.stat.links > 1)
    }

    fn keep_directory(&self, path: RelPath) {
        self.push(StagedChange {
            kept_dir: Some(path),
            ..StagedChange::default()
        });
    }

    fn push(&self, one: StagedChange) {
        lock_unpoisoned(&self.staged).add(one);
    }

    /// Records the location of scratch files outside the state directory, so that the sweep can
    /// find them.
    ///
    /// The record is durable before the files exist.
    pub(super) fn record_location(
        &self,
        workspace: &dyn Workspace,
        change: &Change,
    ) -> Result<(), Failure> {
        if change.stage_depth.is_none() {
            return Ok(());
        }
        let note = self.scratch.file(format!("b{}", change.number))?;
        let path = self.scratch.scratch_path(change, ScratchFile::Staged)?;
        let text = escape::escape(path.as_bytes());
        let noted = workspace.create(
            &note,
            NewFile::new(&[text.as_bytes()], Permissions::Exact(0o600), None),
        );
        let about = |error| Failure::from(error).with_path(&change.path);
        noted.map_err(about)?;
        if self.durability == Durability::Full {
            self.scratch.make_durable(workspace, &note).map_err(about)?;
        }
        Ok(())
    }

    /// Replaces the recorded location of scratch files that do not exist yet.
    pub(super) fn update_location(
        &self,
        workspace: &dyn Workspace,
        change: &Change,
    ) -> Result<(), Failure> {
        workspace.remove(&self.scratch.file(format!("b{}", change.number))?)?;
        self.record_location(workspace, change)
    }
}

/// Returns the change `number` of the file at `path`, without its states.
pub(super) fn unstaged_change(number: usize, path: RelPath) -> Change {
    Change {
        number,
        path,
        before: None,
        after: None,
        moves_out: false,
        source: None,
        stage_depth: None,
        overwrites: false,
    }
}

fn is_directory(state: &FileState) -> bool {
    state.stat.kind == FileKind::Directory
}

/// Returns the content of the file at `path`, which moves to another root. `found` is its state.
///
/// # Errors
///
/// Returns an error if the file cannot be read, or if it has changed.
pub(super) fn read_departing(
    workspace: &dyn Workspace,
    path: &RelPath,
    found: &FileState,
    interrupt: &Interrupt,
) -> Result<Contents, WorkspaceError> {
    let (bytes, digest) = read_content(workspace, path, found.stat.kind, interrupt)?;
    if digest == found.digest {
        return Ok(bytes.into());
    }
    Err(WorkspaceError {
        verb: "read",
        path: path.to_string(),
        kind: ErrorKind::Other,
        source: io::Error::other("another process changed the file"),
    })
}
