//! History: what committed transactions leave so that they can be undone, as long as there is a
//! place for it.
//!
//! A state directory that stays keeps each transaction as an entry, and where there is none, the
//! attic does: the directory of its scratch files, with its journal as the record and the old files
//! as they were taken out, copied only where they have to go to another file system. The name of
//! that directory has the time and the size in it, so that nothing has to be read to see what is
//! too old or too much.

mod attic;
mod chain;
mod index;
mod keep;
mod old_files;
mod prune;
mod record;
mod rejection;
mod unkept;

use std::collections::BTreeMap;

use super::change::Standing;
use super::failure::is_unreachable;
use super::journal::Journal;
use super::place::{is_state, place};
use super::scratch::Scratch;
use super::{Ending, Failure, KeptFile, Links, Recovered, kept};
use crate::digest::{Digest, is_hex};
use crate::mode::FileKind;
use crate::path::RelPath;
use crate::workspace::{Fault, Workspace, top};

pub(super) use old_files::OldPlaces;

pub use chain::{Chain, ambiguous, named};
pub use index::{IndexChange, IndexRecord};

pub(super) use attic::{home as attic_home, make as make_home, place as attic_place, prune_others};
pub(super) use keep::{bring_down, drain, keep, move_into, note_aborted, sync};
pub(super) use prune::{Spares, bury, prune, prune_all, prune_plans};
pub use rejection::PlanRejection;
pub(super) use unkept::reason;
pub use unkept::unkept;

/// The prefix of the directory names of entries.
const ENTRY: &str = "entry-";
/// The prefix of the directory names of saved plans.
const PLAN: &str = "plan-";

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
    /// Where the root of the command was below the top of the work tree; `None` at the top, and
    /// outside of git.
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
    /// The rejection of a plan.
    pub rejection: Option<PlanRejection>,
    /// The files that rolling it back could not put back.
    pub kept: Vec<KeptFile>,
}

impl Entry {
    /// Returns what it did to the file at `path`.
    #[must_use]
    pub fn file(&self, path: &RelPath) -> Option<&EntryFile> {
        let index = self
            .files
            .binary_search_by(|file| file.path.cmp(path))
            .ok()?;
        self.files.get(index)
    }
}

/// How a transaction ended that the history knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fate {
    /// It was committed.
    #[default]
    Committed,
    /// Its process died before, and what it had done was put back.
    Aborted,
    /// The plan was rejected, see [`Entry::rejection`].
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
#[non_exhaustive]
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

/// Returns the entries of the work tree, the newest first; their paths are from its top. Without a
/// state directory there are none.
///
/// # Errors
///
/// Returns [`Failure::State`] if the state directory cannot be trusted, and the errors of the disk.
pub fn entries(workspace: &dyn Workspace) -> Result<Vec<Entry>, Failure> {
    let workspace = top(workspace)?;
    let mut places = Vec::new();
    // Entries come from the attic to the state directory: whoever lists them the other way round
    // may miss one.
    for home in homes(workspace)?.iter().rev() {
        places.splice(0..0, entry_places(workspace, home)?);
    }
    // Newest first; of one that was copied and is in both, that in the state directory.
    places.sort_by(|a, b| b.scratch.id.cmp(&a.scratch.id));
    places.dedup_by(|a, b| a.scratch.id == b.scratch.id);
    let mut found = Vec::with_capacity(places.len());
    for place in places {
        let read = Journal::record(workspace, &place.scratch)
            .and_then(|journal| place.entry(workspace, journal));
        let read = match read {
            Err(Failure::Workspace(error)) if error.fault == Fault::Missing => {
                Journal::rolled_back(workspace, &place.scratch)
                    .and_then(|journal| place.aborted(workspace, journal))
            }
            read => read,
        };
        let read = match read {
            Err(Failure::Workspace(error)) if error.fault == Fault::Missing => {
                PlanRejection::read(workspace, &place.scratch)
                    .map(|rejection| place.rejected(rejection))
            }
            read => read,
        };
        match read {
            Ok(entry) => found.push(entry),
            // wpatch makes no such file.
            Err(Failure::Workspace(error))
                if matches!(error.fault, Fault::NotDirectory | Fault::ThroughLink) => {}
            // What is being removed has another name before anything of it goes.
            Err(Failure::Workspace(error))
                if error.fault == Fault::Missing && !place.is_there(workspace)? => {}
            Err(Failure::Workspace(error)) if error.fault != Fault::Missing => {
                return Err(error.into());
            }
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
        for Place { scratch, .. } in entry_places(workspace, &home)? {
            match workspace.stat(&scratch.file("undone")?) {
                Ok(Some(_)) => {}
                Ok(None) => continue,
                // wpatch makes no such file.
                Err(error) if is_unreachable(error.fault) => continue,
                Err(error) => return Err(error.into()),
            }
            let kept = kept::of_record(workspace, &scratch)?;
            let left: Vec<_> = kept.iter().filter_map(|kept| kept.path.clone()).collect();
            found.extend((!kept.is_empty()).then_some(Recovered {
                id: scratch.id,
                ending: Ending::Kept,
                left,
                kept,
            }));
        }
    }
    Ok(found)
}

/// Returns the kept files of the transaction `id`, if it is an entry of the history `home`.
pub(super) fn kept_of(
    workspace: &dyn Workspace,
    home: &RelPath,
    id: &str,
) -> Result<Vec<KeptFile>, Failure> {
    let place = entry_places(workspace, home)?
        .into_iter()
        .find(|place| place.scratch.id == id);
    place.map_or(Ok(Vec::new()), |place| {
        kept::of_record(workspace, &place.scratch)
    })
}

/// Returns where the history is: in the state directory, if that stays, and what has not been
/// brought from the attic yet.
pub(super) fn homes(workspace: &dyn Workspace) -> Result<Vec<RelPath>, Failure> {
    debug_assert!(
        matches!(workspace.work_tree(), Ok(None)),
        "the history is that of the work tree"
    );
    let state = place(workspace)?.directory;
    // One that was made for one command has no entries.
    let may_have = match is_state(workspace, &state) {
        // A file of another user.
        Err(Failure::Foreign { .. }) => false,
        is_there => is_there?,
    };
    Ok(may_have
        .then_some(state)
        .into_iter()
        .chain(attic::home(workspace))
        .collect())
}

/// A directory of the history: an entry or a saved plan.
pub(super) struct Place {
    pub(super) scratch: Scratch,
    /// Size of the old files of an entry, or of the plan, in bytes.
    bytes: u64,
    /// The name of the change that a saved plan makes, as 64 hex digits; `None` for an entry.
    pub(super) plan: Option<String>,
}

impl Place {
    /// Returns the place of `scratch`, of unknown size.
    pub(super) fn new(scratch: Scratch) -> Self {
        Self {
            scratch,
            bytes: 0,
            plan: None,
        }
    }

    /// Returns the place that the name of a directory in `home` states; `None` for any other name.
    fn parse(home: &RelPath, name: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(name).ok()?;
        let is_plan = text.starts_with(PLAN);
        let (id, rest) = text
            .strip_prefix(if is_plan { PLAN } else { ENTRY })?
            .split_once('.')?;
        let (bytes, plan) = if is_plan {
            let (bytes, plan) = rest
                .split_once('.')
                .filter(|(_, plan)| plan.len() == 64 && is_hex(plan))?;
            (bytes, Some(plan.to_owned()))
        } else {
            (rest, None)
        };
        Some(Self {
            scratch: Scratch::of_entry(home.join(name).ok()?, id),
            bytes: bytes.parse().ok()?,
            plan,
        })
    }
}

/// Returns the names in the directory `home`. A directory that does not exist has none: a command
/// removes the one that it made for itself.
pub(super) fn names(workspace: &dyn Workspace, home: &RelPath) -> Result<Vec<Vec<u8>>, Failure> {
    match workspace.list(Some(home)) {
        Err(error) if is_unreachable(error.fault) => Ok(Vec::new()),
        names => Ok(names?),
    }
}

/// Returns the entries and the saved plans, both in the order of time.
fn places(workspace: &dyn Workspace, home: &RelPath) -> Result<(Vec<Place>, Vec<Place>), Failure> {
    let all = names(workspace, home)?;
    Ok(all
        .iter()
        .filter_map(|name| Place::parse(home, name))
        .partition(|place| place.plan.is_none()))
}

/// Returns where the entries are, in the order of time.
pub(super) fn entry_places(
    workspace: &dyn Workspace,
    home: &RelPath,
) -> Result<Vec<Place>, Failure> {
    Ok(places(workspace, home)?.0)
}

/// Returns where the saved plans are, in the order of time.
pub(super) fn plan_places(
    workspace: &dyn Workspace,
    home: &RelPath,
) -> Result<Vec<Place>, Failure> {
    Ok(places(workspace, home)?.1)
}

/// Returns the name of the newest entry.
pub(super) fn newest(workspace: &dyn Workspace, home: &RelPath) -> Option<String> {
    Some(entry_places(workspace, home).ok()?.pop()?.scratch.id)
}

/// Returns the name of the directory of an entry.
pub(super) fn entry_name(id: &str, bytes: u64) -> String {
    format!("{ENTRY}{id}.{bytes}")
}

/// Returns the name of the directory of a saved plan.
pub(super) fn plan_name(id: &str, bytes: usize, plan: &str) -> String {
    format!("{PLAN}{id}.{bytes}.{plan}")
}
