//! The history: committed transactions that can be undone.
//!
//! Each entry is the scratch directory of a transaction, with the journal as the record and the
//! displaced files. It is in the state directory if that is permanent, otherwise in the external
//! history. Files are copied only to another file system. The name of the directory contains time
//! and size, so that pruning needs to read no file.
//!
//! [`entries()`] reads the history. `keep.rs` adds entries, `prune.rs` removes them. Read `record.rs`
//! for the conversion from a journal to a [`HistoryEntry`].

mod chain;
mod committed_session;
mod entries;
mod external_history;
mod import;
mod index;
mod keep;
mod merged;
mod old_files;
mod prune;
mod record;
mod rejection;
mod session;
mod unkept;

use std::collections::BTreeMap;

use super::audit::{ChangeOrigin, RecordContext};
use super::change::DirAttributes;
use super::failure::is_unreachable;
use super::scratch::Scratch;
use super::state_location::{is_state_directory, locate_state};
use super::{Failure, HardLinkMode, KeptFile, RecoveredTransaction, RecoveryOutcome, kept};
use crate::digest::{Digest, is_hex};
use crate::mode::FileKind;
use crate::path::RelPath;
use crate::workspace::Workspace;

pub(super) use old_files::OldFileLookup;

pub use chain::{UndoChain, ambiguous_message, find_entry};
pub use committed_session::CommittedSession;
pub use index::{IndexChange, IndexRecord};
pub use merged::{EntryRoot, entries};

pub(super) use external_history::{
    create_external_directory, existing_external_directory as attic_home,
    external_directory as attic_place, prune_others,
};
pub(super) use import::import_external_history;
pub(super) use keep::{add_aborted, add_committed, move_into, remove_undone_files, sync};
pub(super) use prune::{prune, prune_all, prune_plans, remove_dead_entries};
pub use rejection::PlanRejection;
pub(super) use session::{
    SESSION_DOCUMENT, list_sessions, prune_sessions, remove_session, session_name,
};
pub(super) use unkept::explain_no_history;
pub use unkept::no_history_reason;

/// The prefix of the directory names of entries.
const ENTRY_PREFIX: &str = "entry-";
/// The prefix of the directory names of saved plans.
const PLAN_PREFIX: &str = "plan-";

/// The description of a transaction in the history, without its files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TransactionLabel {
    /// The command that made the change.
    pub command: String,
    /// The entries that it undoes.
    pub undoes: Vec<String>,
    /// Whether it undoes an undo, so that a change is made again.
    pub is_redo: bool,
    /// The changes of git's index, if any.
    pub index: Option<IndexRecord>,
    /// The edit session that the transaction commits, if any.
    pub session: Option<CommittedSession>,
    /// The facts for the audit record.
    pub audit: RecordContext,
}

/// A history entry: a committed transaction that can be undone, or an aborted one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HistoryEntry {
    /// The ID. IDs sort by time.
    pub id: String,
    /// The start of the transaction, in seconds since 1970.
    pub time: u64,
    /// The paths of the command's roots below the top of the work tree, without roots at the top
    /// and outside of git.
    pub root_prefixes: Vec<RelPath>,
    /// All roots of a change of several work trees, each of which has an entry with the same ID.
    /// Empty for other changes.
    pub roots: Vec<EntryRoot>,
    /// The description, including the undone entries.
    pub label: TransactionLabel,
    /// The origin of the change, if it has an audit record.
    pub origin: ChangeOrigin,
    /// The changed files, sorted by path.
    pub files: Vec<EntryFile>,
    /// The created directories, parents first.
    pub created_dirs: Vec<RelPath>,
    /// The removed directories with their attributes.
    pub removed_dirs: BTreeMap<RelPath, DirAttributes>,
    /// The treatment of hard links.
    pub links: HardLinkMode,
    /// The state of the entry.
    pub status: EntryStatus,
    /// The rejected plan, if the entry is a rejection.
    pub rejection: Option<PlanRejection>,
    /// The files that a rollback could not restore.
    pub kept: Vec<KeptFile>,
}

impl HistoryEntry {
    /// Returns the change of the file at `path`.
    #[must_use]
    pub fn file(&self, path: &RelPath) -> Option<&EntryFile> {
        let index = self
            .files
            .binary_search_by(|file| file.path.cmp(path))
            .ok()?;
        self.files.get(index)
    }
}

/// The state of an entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum EntryStatus {
    /// The transaction was committed.
    #[default]
    Committed,
    /// The process died before the commit record, and the transaction was rolled back.
    Aborted,
    /// The plan was rejected, see [`HistoryEntry::rejection`].
    Rejected,
    /// The record cannot be read. Only the ID is known.
    Damaged,
}

/// The change of one file in an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryFile {
    /// The path of the file.
    pub path: RelPath,
    /// The old path, if the file was renamed.
    pub from: Option<RelPath>,
    /// The old version.
    pub before: Option<Version>,
    /// The new version.
    pub after: Option<Version>,
    /// The location of the old content.
    pub old_content: OldContentLocation,
}

/// The location of the old content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OldContentLocation {
    /// No location: there was no old content, or the file still has it.
    None,
    /// In the history, at this path.
    Kept(RelPath),
    /// In the tree, at this path, because the file was renamed.
    MovedTo(RelPath),
    /// The content is lost and cannot be restored.
    Lost,
}

/// One version of a file, identified by its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// Regular file, symbolic link or directory.
    pub kind: FileKind,
    /// The digest of the content or of the link target.
    pub digest: Digest,
    /// The size in bytes.
    pub size: u64,
    /// The permission bits (0o7777), if they are known.
    pub permissions: Option<u32>,
}

/// Returns the rolled-back transactions whose kept files are in the history.
///
/// # Errors
///
/// Returns the errors of [`entries`].
pub(super) fn find_kept_transactions(
    workspace: &dyn Workspace,
) -> Result<Vec<RecoveredTransaction>, Failure> {
    let mut found = Vec::new();
    for home in history_directories(workspace)? {
        for HistoryDirectory { scratch, .. } in list_entries(workspace, &home)? {
            match workspace.stat(&scratch.file("undone")?) {
                Ok(Some(_)) => {}
                Ok(None) => continue,
                // wpatch creates only directories with this name.
                Err(error) if is_unreachable(error.kind) => continue,
                Err(error) => return Err(error.into()),
            }
            let kept = kept::find_by_record(workspace, &scratch)?;
            let left: Vec<_> = kept.iter().filter_map(|kept| kept.path.clone()).collect();
            found.extend((!kept.is_empty()).then_some(RecoveredTransaction {
                id: scratch.id,
                ending: RecoveryOutcome::Kept,
                left,
                root: None,
                kept,
            }));
        }
    }
    Ok(found)
}

/// Returns the kept files of the transaction `id` if it is an entry of the history `home`.
pub(super) fn kept_files_of(
    workspace: &dyn Workspace,
    home: &RelPath,
    id: &str,
) -> Result<Vec<KeptFile>, Failure> {
    let place = list_entries(workspace, home)?
        .into_iter()
        .find(|place| place.scratch.id == id);
    place.map_or(Ok(Vec::new()), |place| {
        kept::find_by_record(workspace, &place.scratch)
    })
}

/// Returns the directories of the history: the state directory, if it is permanent, then the
/// external history.
pub(super) fn history_directories(workspace: &dyn Workspace) -> Result<Vec<RelPath>, Failure> {
    debug_assert!(
        matches!(workspace.work_tree(), Ok(None)),
        "the history belongs to the work tree"
    );
    let state = locate_state(workspace)?.directory;
    // A temporary state directory has no entries.
    let may_have = match is_state_directory(workspace, &state) {
        // The state directory belongs to another user.
        Err(Failure::Foreign { .. }) => false,
        is_there => is_there?,
    };
    Ok(may_have
        .then_some(state)
        .into_iter()
        .chain(external_history::existing_external_directory(workspace))
        .collect())
}

/// A directory of the history: an entry or a saved plan.
pub(super) struct HistoryDirectory {
    pub(super) scratch: Scratch,
    /// The size in bytes of the entry's old files, or of the plan.
    bytes: u64,
    /// The name of the saved plan's change, as 64 hex digits. `None` for an entry.
    pub(super) plan: Option<String>,
}

impl HistoryDirectory {
    /// Returns the history directory of `scratch`, with unknown size.
    pub(super) fn new(scratch: Scratch) -> Self {
        Self {
            scratch,
            bytes: 0,
            plan: None,
        }
    }

    /// Returns whether the entry has no old files. A rejection never has any.
    pub(super) fn has_no_old_files(&self) -> bool {
        self.bytes == 0
    }

    /// Parses the name of a directory in `home`. Returns `None` for any other name.
    fn parse(home: &RelPath, name: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(name).ok()?;
        let is_plan = text.starts_with(PLAN_PREFIX);
        let (id, rest) = text
            .strip_prefix(if is_plan { PLAN_PREFIX } else { ENTRY_PREFIX })?
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
            scratch: Scratch::for_entry(home.join(name).ok()?, id),
            bytes: bytes.parse().ok()?,
            plan,
        })
    }
}

/// Returns the names in the directory `home`. A directory that does not exist has none, because a
/// command can remove its temporary directory.
pub(super) fn list_names(
    workspace: &dyn Workspace,
    home: &RelPath,
) -> Result<Vec<Vec<u8>>, Failure> {
    match workspace.list(Some(home)) {
        Err(error) if is_unreachable(error.kind) => Ok(Vec::new()),
        names => Ok(names?),
    }
}

/// Returns the entries and the saved plans, each in the order of time.
fn list_entries_and_plans(
    workspace: &dyn Workspace,
    home: &RelPath,
) -> Result<(Vec<HistoryDirectory>, Vec<HistoryDirectory>), Failure> {
    let all = list_names(workspace, home)?;
    Ok(all
        .iter()
        .filter_map(|name| HistoryDirectory::parse(home, name))
        .partition(|place| place.plan.is_none()))
}

/// Returns the entries in the order of time.
pub(super) fn list_entries(
    workspace: &dyn Workspace,
    home: &RelPath,
) -> Result<Vec<HistoryDirectory>, Failure> {
    Ok(list_entries_and_plans(workspace, home)?.0)
}

/// Returns the saved plans in the order of time.
pub(super) fn list_plans(
    workspace: &dyn Workspace,
    home: &RelPath,
) -> Result<Vec<HistoryDirectory>, Failure> {
    Ok(list_entries_and_plans(workspace, home)?.1)
}

/// Returns the entries among `names` of the history `home`.
pub(super) fn entries_among<'a>(
    home: &'a RelPath,
    names: &'a [Vec<u8>],
) -> impl Iterator<Item = HistoryDirectory> + 'a {
    let directories = names
        .iter()
        .filter_map(|name| HistoryDirectory::parse(home, name));
    directories.filter(|directory| directory.plan.is_none())
}

/// Returns the ID of the newest entry or edit session among `names` of the history `home`.
pub(super) fn newest_id(home: &RelPath, names: &[Vec<u8>]) -> Option<String> {
    let entries = entries_among(home, names).map(|entry| entry.scratch.id);
    let sessions = session::sessions_among(home, names).map(|(id, _)| id);
    entries.chain(sessions).max()
}

/// Returns the name of the directory of an entry.
pub(super) fn entry_name(id: &str, bytes: u64) -> String {
    format!("{ENTRY_PREFIX}{id}.{bytes}")
}

/// Returns the name of the directory of a saved plan.
pub(super) fn plan_name(id: &str, bytes: usize, plan: &str) -> String {
    format!("{PLAN_PREFIX}{id}.{bytes}.{plan}")
}
