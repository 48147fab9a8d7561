//! Describes the change of a session, compared with the files of the tree as they were when the
//! session changed them.

use std::sync::Arc;

use super::commit::{is_moved, target_file};
use super::{Session, find_session};
use crate::engine::Outcome;
use crate::engine::failure::failure_outcome;
use crate::engine::govern::work_tree_policy;
use crate::engine::request::{Request, TreeChange};
use crate::engine::stages::Selected;
use crate::engine::task::{CommandMode, CommandRun};
use crate::path::RelPath;
use crate::policy::Policy;
use crate::preflight::ApprovalGate;
use crate::report::Difference;
use crate::transaction::Failure;
use crate::workspace::{LayeredTree, Workspace, top};

/// The diff of one file.
pub(in crate::engine) struct FileDiff {
    pub(in crate::engine) path: RelPath,
    pub(in crate::engine) diff: Vec<u8>,
    added: usize,
    removed: usize,
}

/// Returns the whole change of the edit session in which `workspace` is opened, as a git diff of at
/// most `max_output` bytes.
///
/// # Errors
///
/// Returns the outcome with the problem, for example if policy denies reading a file. Its exit code
/// is 2, because 1 means that the session has changes.
pub fn diff_session(
    workspace: &dyn Workspace,
    policy: &Arc<Policy>,
    max_output: usize,
) -> Result<Difference, Box<Outcome>> {
    let id = workspace.layered().map_or("", LayeredTree::name).to_owned();
    let base = workspace.layered().map_or(workspace, LayeredTree::base);
    let files = file_diffs(base, &id, policy).map_err(|mut outcome| {
        outcome.report.exit_code = 2;
        outcome
    })?;
    let mut difference = Difference::new([b"tree", id.as_bytes()], [b"", b""]);
    difference.identical = files.is_empty();
    let mut text = Vec::new();
    for file in files {
        text.extend(file.diff);
        difference.added += file.added;
        difference.removed += file.removed;
    }
    difference.set_limited_diff(text, max_output);
    Ok(difference)
}

/// Returns the diff of each file that the session `id` changes.
pub(in crate::engine) fn file_diffs(
    workspace: &dyn Workspace,
    id: &str,
    policy: &Arc<Policy>,
) -> Result<Vec<FileDiff>, Box<Outcome>> {
    let session = find_session("diff", workspace, id)?;
    let mut request = Request::of("");
    request.context.policy = work_tree_policy("diff", policy, workspace)?;
    request.context.approval_gate = ApprovalGate::Reading;
    // The rights of this user on the files of the tree do not matter for a description.
    request.context.is_external_change = true;
    // A diff of a link or of binary data needs the digests.
    (request.look.describe, request.look.diff) = (true, true);
    let top = top(workspace).map_err(|error| failure_outcome("diff", &error.into()))?;
    let change = change_of(&session, top).map_err(|failure| failure_outcome("diff", &failure))?;
    let tree = LayeredTree::new(top, session.id.clone(), session.base_layer());
    let success = CommandMode::Check.success();
    let (task, begun) = CommandRun::new(("diff", success), request, &tree)?;
    let selected = Selected {
        plan: change.into_plan(),
        is_resolvable: true,
        ..begun
    };
    let options = task.request.preflight_options();
    let done = task.run(selected, &options, CommandMode::Check);
    if done.is_refused() {
        return Err(Box::new(done.finish(&task.command)));
    }
    let operations = &done.resolved.selected.plan.operations;
    let outcomes = done.resolved.resolution.iter().flat_map(|it| &it.files);
    let diffs = operations
        .iter()
        .zip(outcomes)
        .map(|(operation, outcome)| FileDiff {
            path: operation.path.clone(),
            diff: outcome.diff.clone().unwrap_or_default(),
            added: outcome.added,
            removed: outcome.removed,
        });
    Ok(diffs.collect())
}

fn change_of(session: &Session, workspace: &dyn Workspace) -> Result<TreeChange, Failure> {
    let mut files = Vec::with_capacity(session.files.len());
    for file in session.files.iter().filter(|file| !is_moved(session, file)) {
        files.push(target_file(session, file, workspace)?);
    }
    Ok(TreeChange {
        command: "diff",
        files,
    })
}
