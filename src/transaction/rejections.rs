//! Rejections of plans. Each is a history entry, so that the log shows it.

use std::cell::RefCell;

use super::audit::{AuditEvent, AuditRecord, AuditSigner, ChangeOrigin, append_record};
use super::checksummed::to_checksummed;
use super::failure::is_unreachable;
use super::history::{
    HistoryDirectory, PlanRejection, attic_home, entry_name, history_directories, list_entries,
    prune,
};
use super::ids::id_seconds;
use super::saved_plans::{self, SaveResult};
use super::{Failure, Interrupt, Options, recover};
use crate::workspace::{Workspace, top};

/// Saves `rejection` as a history entry with an audit record. Returns `None` if no history can be
/// kept.
///
/// # Errors
///
/// Returns [`Failure`] like [`saved_plans::save`], and the error of `signer`.
pub fn save(
    workspace: &dyn Workspace,
    (options, interrupt): (Options, &Interrupt),
    rejection: &PlanRejection,
    (origin, signer): (&ChangeOrigin, Option<&dyn AuditSigner>),
) -> Result<Option<SaveResult>, Failure> {
    let tree = top(workspace)?;
    let written = RefCell::new(Vec::new());
    saved_plans::create_history_directory(
        workspace,
        options,
        interrupt,
        (
            PlanRejection::FILE,
            &|state, id| {
                let new = AuditRecord::new(AuditEvent::Rejected, id, id_seconds(id));
                let record = AuditRecord {
                    command: "reject".to_owned(),
                    origin: ChangeOrigin {
                        plan_id: Some(rejection.plan.clone()),
                        ..origin.clone()
                    },
                    reason: rejection.reason.clone(),
                    hunks: rejection.hunks.clone(),
                    ..new
                };
                let lines = state.audit.lines_of(|| record, signer)?;
                written.replace(lines.clone());
                to_checksummed(&PlanRejection {
                    audit: lines,
                    ..rejection.clone()
                })
            },
            &|id| entry_name(id, 0),
        ),
        |state, home, _| {
            if let Some(reason) = state.audit.append(tree, &written.borrow()) {
                return Err(Failure::State { reason });
            }
            prune(tree, home, (options.history, options.durability)).map(drop)
        },
    )
}

/// Returns the newest rejection of the change `plan`. Takes no lock.
///
/// # Errors
///
/// Returns [`Failure`] like [`entries`](super::history::entries).
pub fn find(workspace: &dyn Workspace, plan: &str) -> Result<Option<PlanRejection>, Failure> {
    let all = all(workspace)?;
    Ok(all.into_iter().find(|rejection| rejection.plan == plan))
}

/// Returns all rejections. Takes no lock.
///
/// # Errors
///
/// Returns [`Failure`] like [`entries`](super::history::entries).
pub fn all(workspace: &dyn Workspace) -> Result<Vec<PlanRejection>, Failure> {
    let workspace = top(workspace)?;
    let mut found = Vec::new();
    for home in history_directories(workspace)? {
        let entries = list_entries(workspace, &home)?;
        for place in entries
            .iter()
            .rev()
            .filter(|place| place.has_no_old_files())
        {
            match PlanRejection::read(workspace, &place.scratch) {
                Ok(rejection) => found.push(rejection),
                Err(Failure::State { .. }) => {}
                Err(Failure::Workspace(error)) if is_unreachable(error.kind) => {}
                Err(failure) => return Err(failure),
            }
        }
    }
    Ok(found)
}

/// Removes all rejections of the change `origin.plan_id` and returns their number. An audit record
/// is written first, so that no removal is without a record.
///
/// # Errors
///
/// Returns [`Failure`] like [`entries`](super::history::entries), the errors of
/// [`recover()`](super::recover()), and the error of `signer`.
pub fn remove(
    workspace: &dyn Workspace,
    (options, interrupt): (Options, &Interrupt),
    (origin, signer): (&ChangeOrigin, Option<&dyn AuditSigner>),
) -> Result<usize, Failure> {
    let below = workspace;
    let workspace = top(below)?;
    let plan = origin.plan_id.as_deref().unwrap_or_default();
    if find(below, plan)?.is_none() {
        return Ok(0);
    }
    let state = match attic_home(workspace) {
        Some(_) => Some(recover::open(below, options, interrupt)?.0),
        None => recover::open_existing(below, options, interrupt)?.0,
    };
    let Some(mut state) = state else {
        return Ok(0);
    };
    let mut count = 0;
    let mut removed = || {
        for home in history_directories(workspace)? {
            let entries = list_entries(workspace, &home)?;
            let is_of_plan = |place: &&HistoryDirectory| {
                PlanRejection::read(workspace, &place.scratch)
                    .is_ok_and(|rejection| rejection.plan == plan)
            };
            for place in entries.iter().filter(is_of_plan) {
                if count == 0 {
                    let new = AuditRecord::new(
                        AuditEvent::Withdrawn,
                        "",
                        u64::try_from(workspace.now().seconds).unwrap_or_default(),
                    );
                    let record = AuditRecord {
                        command: "reject".to_owned(),
                        origin: origin.clone(),
                        ..new
                    };
                    append_record(workspace, &home, (&mut state.audit, signer), record)?;
                }
                place.remove(workspace, &home)?;
                count += 1;
            }
        }
        Ok(count)
    };
    let removed = removed();
    // The next command removes the rest.
    let _ = state.close(workspace);
    removed
}
