//! Recovers an interrupted transaction with several members, in all of its roots.
//!
//! Any member starts the recovery. It opens the roots that its journal names and takes their locks
//! in the order of the journal. Then it decides: a commit record in any member, or in its history,
//! means that the coordinator committed. Otherwise the transaction is rolled back.
//!
//! # Security
//!
//! A journal must not make wpatch write to a directory that the user did not name. Therefore a root
//! is changed only if its own state directory, which only this user can write, has a journal of the
//! same group.

use super::former_directories::former_directories;
use super::leftover_state::{LeftoverState, find_transactions};
use super::{
    Failure, Interrupt, Options, RecoveredTransaction, lock_existing, open_audit, recover_one,
};
use crate::text::printable;
use crate::transaction::failure::is_unreachable;
use crate::transaction::group::{GroupMember, GroupRecord};
use crate::transaction::history::{HistoryDirectory, history_directories, list_entries};
use crate::transaction::journal::Journal;
use crate::transaction::rollback::Rollback;
use crate::transaction::scratch::Scratch;
use crate::transaction::state::StateDirectory;
use crate::transaction::state_location::locate_state;
use crate::transaction::{Durability, KeptFile, MissingRoots, other_users};
use crate::workspace::{ErrorKind, RenameMode, Workspace, WorkspaceError};

/// An interrupted transaction with several members.
#[derive(Debug)]
pub(in crate::transaction) struct PendingGroup {
    pub(in crate::transaction) id: String,
    pub(super) record: GroupRecord,
}

/// Returns the first of the transactions `left` that has several members, except those with an ID
/// in `resolved`.
pub(super) fn find_group(
    workspace: &dyn Workspace,
    left: &[Scratch],
    resolved: &[String],
) -> Result<Option<PendingGroup>, Failure> {
    for scratch in left
        .iter()
        .filter(|scratch| !resolved.contains(&scratch.id))
    {
        if let Some((record, _)) = read_record(workspace, scratch)? {
            let id = scratch.id.clone();
            return Ok(Some(PendingGroup { id, record }));
        }
    }
    Ok(None)
}

/// The record of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MemberRecord {
    Journal,
    Done,
    Undone,
}

/// Returns the group of the transaction of `scratch`, and its record. Returns `None` for a
/// transaction with one member, and if there is no record.
fn read_record(
    workspace: &dyn Workspace,
    scratch: &Scratch,
) -> Result<Option<(GroupRecord, MemberRecord)>, Failure> {
    let names = match scratch.names(workspace) {
        Err(error) if is_unreachable(error.kind) => return Ok(None),
        names => names?,
    };
    let (read, record) = match LeftoverState::of(scratch, &names) {
        LeftoverState::Journal => (Journal::read(workspace, scratch), MemberRecord::Journal),
        LeftoverState::Done => (
            Journal::read_committed(workspace, scratch),
            MemberRecord::Done,
        ),
        LeftoverState::Undone => (
            Journal::read_rolled_back(workspace, scratch),
            MemberRecord::Undone,
        ),
        LeftoverState::Kept | LeftoverState::Scratch => return Ok(None),
    };
    let journal = match read {
        Ok(journal) => journal,
        Err(Failure::State { .. }) if record != MemberRecord::Journal => return Ok(None),
        Err(failure) => return Err(failure),
    };
    let group = journal.group.filter(GroupRecord::is_valid);
    Ok(group.map(|group| (group, record)))
}

/// An opened root of the group.
enum OpenedRoot<'w> {
    Own(&'w dyn Workspace),
    Other(Box<dyn Workspace + Send>),
}

impl OpenedRoot<'_> {
    fn workspace(&self) -> &dyn Workspace {
        match self {
            Self::Own(workspace) => *workspace,
            Self::Other(workspace) => &**workspace,
        }
    }
}

/// A locked member of the group.
pub(super) struct LockedRoot<'w> {
    pub(super) position: usize,
    /// The workspace of the state directory.
    pub(super) workspace: &'w dyn Workspace,
    /// The locked state directories of the root, the one with the transaction first.
    pub(super) states: Vec<(&'w dyn Workspace, StateDirectory)>,
    /// Whether the transaction is in the current state directory, not in a previous one.
    pub(super) is_current: bool,
    /// The transaction, if it has a record or scratch files.
    pub(super) found: Option<(Scratch, Option<MemberRecord>)>,
}

/// Recovers the transaction `pending` in all of its roots. `own` is the workspace of the top of one
/// of them. None of them is locked by this process.
///
/// # Errors
///
/// Returns [`Failure::MissingRoot`] if a root cannot be opened, unless `options` permit this. Then
/// nothing was changed. Also returns the errors of [`recover`](super::recover()).
pub(super) fn recover_group(
    own: &dyn Workspace,
    pending: &PendingGroup,
    (options, interrupt): (Options, &Interrupt),
) -> Result<Vec<RecoveredTransaction>, Failure> {
    let record = &pending.record;
    let mut opened = Vec::with_capacity(record.members.len());
    for (position, member) in record.members.iter().enumerate() {
        if position == record.position {
            opened.push((position, OpenedRoot::Own(own)));
            continue;
        }
        match own.open_root(&member.location()) {
            Ok(other) => opened.push((position, OpenedRoot::Other(other))),
            Err(error) => ignore_if_permitted(missing_root(member, &error), options)?,
        }
    }
    let mut locked = Vec::with_capacity(opened.len());
    for (position, root) in &opened {
        let one = lock_root((*position, root.workspace()), pending, (options, interrupt));
        match one {
            Ok(one) => locked.push(one),
            Err(failure @ Failure::MissingRoot { .. }) => ignore_if_permitted(failure, options)?,
            Err(failure) => return Err(failure),
        }
    }
    let recovered = finish_group(&mut locked, pending, options);
    for LockedRoot { states, .. } in locked {
        for (workspace, state) in states {
            // The next command removes the rest.
            let _ = state.close(workspace);
        }
    }
    recovered
}

/// Returns `failure` unless `options` permit to recover without the missing root.
fn ignore_if_permitted(failure: Failure, options: Options) -> Result<(), Failure> {
    match options.missing_roots {
        MissingRoots::Refuse => Err(failure),
        MissingRoots::Ignore => Ok(()),
    }
}

fn missing_root(member: &GroupMember, error: &WorkspaceError) -> Failure {
    let reason = match error.kind {
        ErrorKind::Missing | ErrorKind::NotDirectory => "which does not exist".to_owned(),
        _ => format!("which cannot be opened: {}", error.source),
    };
    Failure::MissingRoot {
        directory: printable(&member.location()).to_string(),
        reason,
    }
}

/// Locks the state directories of a member and finds its transaction.
fn lock_root<'w>(
    (position, workspace): (usize, &'w dyn Workspace),
    pending: &PendingGroup,
    (options, interrupt): (Options, &Interrupt),
) -> Result<LockedRoot<'w>, Failure> {
    let member = &pending.record.members[position];
    let about = |failure| match failure {
        Failure::State { reason } => Failure::State {
            reason: format!("{}: {reason}", printable(&member.location())),
        },
        failure => failure,
    };
    let top = crate::workspace::top(workspace)?;
    let place = locate_state(top)?;
    other_users::has_running_command(top, &place)?;
    let former = former_directories(workspace, &place)?;
    let directories = [(top, place.directory.clone())].into_iter().chain(former);
    let mut root = LockedRoot {
        position,
        workspace: top,
        states: Vec::new(),
        is_current: false,
        found: None,
    };
    for (number, (workspace, directory)) in directories.enumerate() {
        let Some(state) = lock_existing(workspace, &directory, options, interrupt)? else {
            continue;
        };
        let names = workspace.list(Some(&state.directory))?;
        let left = find_transactions(workspace, &state.directory, &names).map_err(about)?;
        let scratch = left.into_iter().find(|scratch| scratch.id == pending.id);
        let found = match scratch {
            Some(scratch) => own_record(workspace, scratch, &pending.record).map_err(about)?,
            None => None,
        };
        if found.is_some() && root.found.is_none() {
            (root.found, root.workspace) = (found, workspace);
            root.is_current = number == 0;
            root.states.insert(0, (workspace, state));
        } else {
            root.states.push((workspace, state));
        }
    }
    // Without a record, only the identity shows that this is the directory of the journal.
    let is_own = position == pending.record.position;
    if root.found.is_none() && !is_own && top.identity()? != member.identity {
        return Err(Failure::MissingRoot {
            directory: printable(&member.location()).to_string(),
            reason: "but another directory is at its path".to_owned(),
        });
    }
    Ok(root)
}

/// Returns the transaction of `scratch` with its record, unless it belongs to another group.
pub(super) fn own_record(
    workspace: &dyn Workspace,
    scratch: Scratch,
    group: &GroupRecord,
) -> Result<Option<(Scratch, Option<MemberRecord>)>, Failure> {
    Ok(match read_record(workspace, &scratch)? {
        None => Some((scratch, None)),
        Some((other, record)) if other.is_same_group(group) => Some((scratch, Some(record))),
        Some(_) => None,
    })
}

/// Decides about the group and brings every member to that result. Only then are records removed,
/// so that a command in any of the roots can continue after a kill.
pub(super) fn finish_group(
    locked: &mut [LockedRoot<'_>],
    pending: &PendingGroup,
    options: Options,
) -> Result<Vec<RecoveredTransaction>, Failure> {
    let is_full = options.durability == Durability::Full;
    for (root, scratch) in locked.iter().filter_map(recorded) {
        // The dead process may not have synced its last rename. The decision must not change after
        // a power loss.
        if is_full {
            root.workspace.sync(Some(&scratch.directory))?;
        }
    }
    let is_committed = is_committed(locked, pending)?;
    for (root, scratch) in locked.iter().filter_map(recorded) {
        if root.record() != Some(MemberRecord::Journal) {
            continue;
        }
        if is_committed {
            let (journal, done) = (scratch.file("journal")?, scratch.file("done")?);
            root.workspace
                .rename(&journal, &done, RenameMode::Replace)?;
            if is_full {
                root.workspace.sync(Some(&scratch.directory))?;
            }
        } else {
            let journal = Journal::read(root.workspace, scratch)?;
            Rollback::new(root.workspace, scratch, &journal, options.durability)
                .run()
                .into_result()?;
        }
    }
    let mut recovered = Vec::new();
    for root in locked {
        let (Some((scratch, _)), Some((workspace, state))) = (&root.found, root.states.first_mut())
        else {
            continue;
        };
        let one = recover_one(*workspace, state, scratch, options)?;
        // The audit file of each root gets its record now, not with the next command there.
        if root.is_current {
            open_audit(*workspace, state, (one.as_slice(), options));
        }
        let member = &pending.record.members[root.position];
        let is_own = root.position == pending.record.position;
        recovered.extend(one.map(|one| {
            if is_own {
                one
            } else {
                in_other_root(one, member)
            }
        }));
    }
    Ok(recovered)
}

impl LockedRoot<'_> {
    fn record(&self) -> Option<MemberRecord> {
        self.found.as_ref().and_then(|(_, record)| *record)
    }
}

/// Returns the root and its transaction if that has a record.
fn recorded<'l, 'w>(root: &'l LockedRoot<'w>) -> Option<(&'l LockedRoot<'w>, &'l Scratch)> {
    let (scratch, record) = root.found.as_ref()?;
    record.map(|_| (root, scratch))
}

/// Returns whether the coordinator has committed the group.
///
/// It writes its commit record first. Every other commit record, and every entry of a history, is
/// therefore a proof of the decision, too.
fn is_committed(locked: &[LockedRoot<'_>], pending: &PendingGroup) -> Result<bool, Failure> {
    if locked
        .iter()
        .any(|root| root.record() == Some(MemberRecord::Done))
    {
        return Ok(true);
    }
    for root in locked.iter().filter(|root| root.record().is_none()) {
        let workspace = crate::workspace::top(root.workspace)?;
        for home in history_directories(workspace)? {
            let entries = list_entries(workspace, &home)?;
            let is_it = |entry: &&HistoryDirectory| entry.scratch.id == pending.id;
            let Some(entry) = entries.iter().find(is_it) else {
                continue;
            };
            let group = match Journal::read_committed(workspace, &entry.scratch) {
                Ok(journal) => journal.group,
                Err(Failure::Workspace(error)) if error.kind == ErrorKind::Missing => None,
                Err(failure) => return Err(failure),
            };
            if group.is_some_and(|group| group.is_same_group(&pending.record)) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Returns `recovered` with the location of the root `member` and absolute paths of kept files.
fn in_other_root(recovered: RecoveredTransaction, member: &GroupMember) -> RecoveredTransaction {
    let location = member.location();
    let kept = recovered.kept.into_iter().map(|kept| KeptFile {
        copy: if kept.copy.starts_with(b"/") {
            kept.copy
        } else {
            [&location[..], &kept.copy].join(&b'/')
        },
        ..kept
    });
    RecoveredTransaction {
        kept: kept.collect(),
        root: Some(printable(&location).to_string()),
        ..recovered
    }
}
