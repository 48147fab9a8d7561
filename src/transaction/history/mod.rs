//! History: what committed transactions leave so that they can be undone, as long as there is a place for it.
//!
//! A state directory that stays keeps each transaction as an entry, and where there is none, the attic does: the
//! directory of its scratch files, with its journal as the record and the old files as they were taken out, copied only
//! where they have to go to another file system. The name of that directory has the time and the size in it, so that
//! nothing has to be read to see what is too old or too much.

mod attic;
mod chain;
mod index;
mod keep;
mod old_files;
pub mod plans;
mod prune;
mod record;
pub mod refusals;
mod unkept;

use std::collections::BTreeMap;

use super::change::Standing;
use super::failure::is_unreachable;
use super::journal::Journal;
use super::place::{may_stay, place};
use super::scratch::Scratch;
use super::state::look;
use super::{Ending, Failure, Interrupt, KeptFile, Links, Options, Recovered, kept, recover};
use crate::digest::Digest;
use crate::mode::FileKind;
use crate::path::RelPath;
use crate::workspace::{Fault, Workspace, top};

pub(super) use old_files::OldPlaces;

pub use chain::{Chain, ambiguous, named};
pub use index::{IndexChange, IndexRecord};

pub use refusals::Refusal;
pub use unkept::unkept;
pub(super) use {
    attic::bring_down, attic::place as attic_place, keep::drain, keep::keep, keep::note_aborted, prune::Spares,
    prune::bury, prune::prune, unkept::reason,
};

/// How the names of entries begin in a state directory.
const PREFIX: &str = "entry-";

/// What the history says of a transaction besides its files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Label {
    /// The command that made it.
    pub command: String,
    /// The entries that it takes back.
    pub undoes: Vec<String>,
    /// Whether it takes back what took something back, so that a change is made again.
    pub is_redo: bool,
    /// What it did to git's index, if anything.
    pub index: Option<IndexRecord>,
}

/// A transaction that was committed and can be taken back, or that did not come to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Its name; names sort by time.
    pub id: String,
    /// When it began, in seconds since 1970.
    pub time: u64,
    /// Where the root of the command was below the top of the work tree; `None` at the top, and outside of git.
    pub below: Option<RelPath>,
    /// What made it, and what it takes back.
    pub label: Label,
    /// The files that it changed, by name.
    pub files: Vec<EntryFile>,
    /// The directories that it made, the outer ones first.
    pub made: Vec<RelPath>,
    /// The directories that went, with what they were.
    pub removed: BTreeMap<RelPath, Standing>,
    /// What became of the other names of its files.
    pub links: Links,
    /// How it ended.
    pub fate: Fate,
    /// What was refused, and why.
    pub refusal: Option<Refusal>,
    /// The files that rolling it back could not put back.
    pub kept: Vec<KeptFile>,
}

impl Entry {
    /// Returns what it did to the file at `path`.
    #[must_use]
    pub fn file(&self, path: &RelPath) -> Option<&EntryFile> {
        let index = self.files.binary_search_by(|file| file.path.cmp(path)).ok()?;
        self.files.get(index)
    }
}

/// How a transaction ended that the history knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fate {
    /// It was committed.
    #[default]
    Committed,
    /// Its process died before, and what it had done was put back.
    Aborted,
    /// Somebody refused the plan, see [`Entry::refusal`].
    Rejected,
    /// Nothing is known but its name, because its record cannot be read.
    Damaged,
}

/// What an entry did to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryFile {
    /// The file.
    pub path: RelPath,
    /// Where it was before, if it was renamed.
    pub from: Option<RelPath>,
    /// What was there.
    pub before: Option<Version>,
    /// What was there afterwards.
    pub after: Option<Version>,
    /// Where the old contents are.
    pub old: Old,
}

/// Where the contents are that a file had before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Old {
    /// There were none, or they are those that the file still has.
    None,
    /// In the history, at this path below the root.
    Kept(RelPath),
    /// At this path of the tree: it was renamed.
    MovedTo(RelPath),
    /// Nowhere: this file cannot be brought back.
    Lost,
}

/// One version of a file, by its contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// Regular file, symbolic link or directory.
    pub kind: FileKind,
    /// Digest of contents or target.
    pub digest: Digest,
    /// Size in bytes.
    pub size: u64,
    /// Permission bits, of 0o7777, where they are known.
    pub permissions: Option<u32>,
}

/// Returns the entries of the work tree, the newest first; their paths are from its top. Without a state directory there are none.
///
/// # Errors
///
/// Returns [`Failure::State`] if the state directory cannot be trusted, and the errors of the disk.
pub fn entries(workspace: &dyn Workspace) -> Result<Vec<Entry>, Failure> {
    let workspace = top(workspace)?;
    let mut places = Vec::new();
    // Entries come from the attic to the state directory: whoever lists them the other way round may miss one.
    for home in homes(workspace)?.iter().rev() {
        places.splice(0..0, self::places(workspace, home)?);
    }
    // Newest first; of one that was copied and is in both, that in the state directory.
    places.sort_by(|a, b| b.scratch.id.cmp(&a.scratch.id));
    places.dedup_by(|a, b| a.scratch.id == b.scratch.id);
    let mut found = Vec::with_capacity(places.len());
    for place in places {
        let read = Journal::record(workspace, &place.scratch).and_then(|journal| place.entry(workspace, journal));
        let read = match read {
            Err(Failure::Workspace(error)) if error.fault == Fault::Missing => {
                Journal::rolled_back(workspace, &place.scratch).and_then(|journal| place.aborted(workspace, journal))
            }
            read => read,
        };
        let read = match read {
            Err(Failure::Workspace(error)) if error.fault == Fault::Missing => {
                refusals::read(workspace, &place.scratch).map(|refusal| place.rejected(refusal))
            }
            read => read,
        };
        match read {
            Ok(entry) => found.push(entry),
            // wpatch makes no such file.
            Err(Failure::Workspace(error)) if matches!(error.fault, Fault::NotDirectory | Fault::ThroughLink) => {}
            // What is being removed has another name before anything of it goes.
            Err(Failure::Workspace(error)) if error.fault == Fault::Missing && !place.is_there(workspace)? => {}
            Err(Failure::Workspace(error)) if error.fault != Fault::Missing => return Err(error.into()),
            Err(_) => found.push(place.damaged()),
        }
    }
    Ok(found)
}

/// Returns the transactions that were rolled back and of which files are still kept in the history.
///
/// # Errors
///
/// Returns the errors of [`entries`].
pub(super) fn kept(workspace: &dyn Workspace) -> Result<Vec<Recovered>, Failure> {
    let mut found = Vec::new();
    for home in homes(workspace)? {
        for Place { scratch, .. } in places(workspace, &home)? {
            match workspace.stat(&scratch.file("undone")?) {
                Ok(Some(_)) => {}
                Ok(None) => continue,
                // wpatch makes no such file.
                Err(error) if is_unreachable(error.fault) => continue,
                Err(error) => return Err(error.into()),
            }
            let kept = kept::of_record(workspace, &scratch)?;
            let left: Vec<_> = kept.iter().filter_map(|kept| kept.path.clone()).collect();
            found.extend((!kept.is_empty()).then_some(Recovered { id: scratch.id, ending: Ending::Kept, left, kept }));
        }
    }
    Ok(found)
}

/// Returns the kept files of the transaction `id`, if it is an entry of the history `home`.
pub(super) fn kept_of(workspace: &dyn Workspace, home: &RelPath, id: &str) -> Result<Vec<KeptFile>, Failure> {
    let place = places(workspace, home)?.into_iter().find(|place| place.scratch.id == id);
    place.map_or(Ok(Vec::new()), |place| kept::of_record(workspace, &place.scratch))
}

/// Returns where the history is: in the state directory, if that stays, and what has not been brought from the attic
/// yet.
fn homes(workspace: &dyn Workspace) -> Result<Vec<RelPath>, Failure> {
    debug_assert!(matches!(workspace.work_tree(), Ok(None)), "the history is that of the work tree");
    let state = place(workspace)?.directory;
    // One that was made for one command has no entries.
    let may_have = match look(workspace, &state) {
        // A file of another user.
        Err(Failure::Foreign { .. }) => false,
        is_there => is_there?,
    };
    Ok(may_have.then_some(state).into_iter().chain(attic::home(workspace)).collect())
}

/// Makes a state directory that stays, with what the attic has of this root, and recovers what dead processes left.
///
/// # Errors
///
/// Returns [`Failure`] if it cannot be made, locked or trusted.
pub fn init(workspace: &dyn Workspace, options: Options, interrupt: &Interrupt) -> Result<Vec<Recovered>, Failure> {
    may_stay(top(workspace)?)?;
    let (mut state, recovered) = recover::open(workspace, options, interrupt)?;
    let workspace = top(workspace)?;
    state.stay(workspace, options)?;
    bring_down(workspace, &state.directory, options.durability);
    Ok(recovered)
}

/// Recovers what dead processes left, and removes the entries that are over the limits of `options`; returns how many
/// those were. Without a history and a state directory it does nothing.
///
/// # Errors
///
/// Returns [`Failure`] as [`recover`](super::recover()) does.
pub fn collect(
    workspace: &dyn Workspace,
    options: Options,
    interrupt: &Interrupt,
) -> Result<(Vec<Recovered>, usize), Failure> {
    let below = workspace;
    let workspace = top(below)?;
    attic::air(workspace);
    let (state, recovered) = match attic::home(workspace) {
        // Whoever removes something of this root's has its lock.
        Some(_) => recover::open(below, options, interrupt).map(|(state, recovered)| (Some(state), recovered))?,
        None => recover::open_existing(below, options)?,
    };
    let Some(state) = state else { return Ok((recovered, 0)) };
    let limits = (options.history, Spares::Nothing);
    let prune_all =
        |home| Ok::<_, Failure>(prune(workspace, home, limits)? + plans::prune(workspace, home, options.history)?);
    let pruned = state.history().map_or(Ok(0), prune_all);
    // What cannot be removed now goes with the next command.
    let _ = state.close(workspace);
    Ok((recovered, pruned?))
}

/// Where an entry is.
struct Place {
    scratch: Scratch,
    /// Size of the old files, in bytes.
    bytes: u64,
}

/// Returns the names in the directory `home`; none if it is not there, as when it was made for a command and went with
/// it.
pub(super) fn names(workspace: &dyn Workspace, home: &RelPath) -> Result<Vec<Vec<u8>>, Failure> {
    match workspace.list(Some(home)) {
        Err(error) if is_unreachable(error.fault) => Ok(Vec::new()),
        names => Ok(names?),
    }
}

/// Returns where the entries are, in the order of time.
fn places(workspace: &dyn Workspace, home: &RelPath) -> Result<Vec<Place>, Failure> {
    let place = |name: &Vec<u8>| {
        let name = std::str::from_utf8(name).ok()?;
        let (id, bytes) = name.strip_prefix(PREFIX)?.split_once('.')?;
        let directory = home.join(name.as_bytes()).ok()?;
        Some(Place { scratch: Scratch::of_entry(directory, id), bytes: bytes.parse().ok()? })
    };
    Ok(names(workspace, home)?.iter().filter_map(place).collect())
}

/// Returns the name of the newest entry.
pub(super) fn newest(workspace: &dyn Workspace, home: &RelPath) -> Option<String> {
    Some(places(workspace, home).ok()?.pop()?.scratch.id)
}

/// Returns the name of the directory of an entry.
fn name(id: &str, bytes: u64) -> String {
    format!("{PREFIX}{id}.{bytes}")
}
