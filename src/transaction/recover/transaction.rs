//! Recovers one interrupted transaction.

use super::leftover_state::LeftoverState;
use crate::transaction::failure::{ignore_missing, no_history};
use crate::transaction::history::{self, OldFileLookup};
use crate::transaction::journal::Journal;
use crate::transaction::rollback::Rollback;
use crate::transaction::scratch::Scratch;
use crate::transaction::state::StateDirectory;
use crate::transaction::sweep::{is_kept, sweep};
use crate::transaction::{
    Durability, Failure, KeptFile, Options, RecoveredTransaction, RecoveryOutcome, git_index_file,
    kept, sessions,
};
use crate::workspace::{ErrorKind, Workspace};

/// Recovers one transaction. Returns `None` if none of its files is left.
pub(in crate::transaction) fn recover_one(
    workspace: &dyn Workspace,
    state: &StateDirectory,
    scratch: &Scratch,
    options: Options,
) -> Result<Option<RecoveredTransaction>, Failure> {
    let names = scratch.names(workspace)?;
    let mut recovered = match LeftoverState::of(scratch, &names) {
        LeftoverState::Kept => {
            return with_kept_files(workspace, scratch, RecoveryOutcome::Kept).map(Some);
        }
        // Without any file, the way in which it ended is unknown.
        LeftoverState::Scratch if names.is_empty() => {
            ignore_missing(scratch.remove(workspace))?;
            return Ok(None);
        }
        LeftoverState::Done => without_kept_files(scratch, RecoveryOutcome::Committed),
        // The process that rolled it back may have died before it reported the kept files.
        LeftoverState::Undone => with_kept_files(workspace, scratch, RecoveryOutcome::RolledBack)?,
        LeftoverState::Journal => roll_back(workspace, scratch, &names, options.durability)?,
        LeftoverState::Scratch => without_kept_files(scratch, RecoveryOutcome::Abandoned),
    };
    match finish_recovered(workspace, state, scratch, options.durability) {
        Err(_)
            if recovered.ending == RecoveryOutcome::Committed
                && scratch.names(workspace)?.iter().any(|name| name == b"done") =>
        {
            recovered.ending = RecoveryOutcome::HistoryPending;
        }
        // The next command removes the rest.
        _ => {}
    }
    if !recovered.kept.is_empty() {
        recovered.kept = locate_kept_files(workspace, state, scratch, recovered.kept);
    }
    Ok(Some(recovered))
}

/// Returns the report of a transaction without kept files.
fn without_kept_files(scratch: &Scratch, ending: RecoveryOutcome) -> RecoveredTransaction {
    RecoveredTransaction {
        id: scratch.id.clone(),
        ending,
        left: Vec::new(),
        root: None,
        kept: Vec::new(),
    }
}

/// Returns the report of a transaction with the kept files from its record.
fn with_kept_files(
    workspace: &dyn Workspace,
    scratch: &Scratch,
    ending: RecoveryOutcome,
) -> Result<RecoveredTransaction, Failure> {
    let kept = kept::find_by_record(workspace, scratch)?;
    Ok(RecoveredTransaction {
        left: kept.iter().filter_map(|kept| kept.path.clone()).collect(),
        kept,
        ..without_kept_files(scratch, ending)
    })
}

/// Rolls back the transaction of `scratch`. `names` are the names of its files.
fn roll_back(
    workspace: &dyn Workspace,
    scratch: &Scratch,
    names: &[Vec<u8>],
    durability: Durability,
) -> Result<RecoveredTransaction, Failure> {
    let journal = Journal::read(workspace, scratch)?;
    git_index_file::open_changed_index(workspace, (scratch, names), &journal.changes)?;
    let undone = Rollback::new(workspace, scratch, &journal, durability).run();
    let (left, kept) = undone.into_result()?;
    Ok(RecoveredTransaction {
        left,
        kept,
        ..without_kept_files(scratch, RecoveryOutcome::RolledBack)
    })
}

/// Returns the locations of the files `kept`. The transaction of `scratch` may have become a
/// history entry, which moves them.
pub(in crate::transaction) fn locate_kept_files(
    workspace: &dyn Workspace,
    state: &StateDirectory,
    scratch: &Scratch,
    kept: Vec<KeptFile>,
) -> Vec<KeptFile> {
    let moved = state
        .history()
        .map(|home| history::kept_files_of(workspace, home, &scratch.id));
    moved
        .and_then(Result::ok)
        .filter(|moved| !moved.is_empty())
        .unwrap_or(kept)
}

/// Sweeps a finished transaction, or adds it to the history.
///
/// Syncs the record first, because the dead process may not have done so. Otherwise a power loss
/// could restore the name `journal` after its files were removed, and the rollback would fail.
pub(in crate::transaction) fn finish_recovered(
    workspace: &dyn Workspace,
    state: &StateDirectory,
    scratch: &Scratch,
    durability: Durability,
) -> Result<(), Failure> {
    if durability == Durability::Full {
        workspace.sync(Some(&scratch.directory))?;
    }
    let journal = match Journal::read_committed(workspace, scratch) {
        Ok(journal) => journal,
        // There is no record, or it is damaged.
        Err(Failure::State { .. }) => return sweep(workspace, scratch),
        Err(Failure::Workspace(error)) if error.kind == ErrorKind::Missing => {
            // An external history records a rolled-back transaction only if it has kept files.
            let has_kept = scratch
                .names_outside_buckets(workspace)?
                .iter()
                .any(|name| is_kept(name));
            let is_recorded = !scratch.is_shared() && (has_kept || !state.is_temporary());
            return match state.history().filter(|_| is_recorded) {
                Some(home) => history::add_aborted(workspace, home, scratch, durability),
                None => sweep(workspace, scratch),
            };
        }
        Err(failure) => return Err(failure),
    };
    sessions::remove_committed(workspace, &journal, durability);
    let home = match state.history() {
        Some(home) if !scratch.is_shared() => home,
        _ if journal.undoes.is_empty() => return sweep(workspace, scratch),
        _ => return Err(no_history()),
    };
    match history::add_committed(
        workspace,
        home,
        (scratch, &journal),
        OldFileLookup::Unknown,
        durability,
    ) {
        // A temporary state directory must not remain in the user's tree, except with files that an
        // undo displaced.
        Err(_) if state.is_temporary() && journal.undoes.is_empty() => sweep(workspace, scratch),
        Err(failure) => Err(failure),
        Ok(()) => history::remove_undone_files(workspace, home, &journal.undoes),
    }
}
