//! `--intent-to-add`: changes the work tree, and registers its new files in the index.

use std::collections::BTreeSet;

use super::{IndexTarget, NewIndexState, implied_removals, record_index_change, rejects};
use crate::change::{DiscardSink, Sink};
use crate::engine::stages::{Resolved, Selected};
use crate::engine::task::CommandRun;
use crate::mode::FileMode;
use crate::path::RelPath;
use crate::plan::{Action, Plan};
use crate::preflight::{self, Problem, Resolution, code};
use crate::transaction::Failure;
use crate::workspace::index::{BlobCollector, INTENT_TO_ADD_REFUSED, IndexTree, IndexUpdate};

/// Computes the changes of the work tree and passes them to `sink`. New files that are not in the
/// index get an intent-to-add entry.
pub(super) fn resolve<'i>(
    task: &CommandRun<'_>,
    (indexed, staged): (&'i IndexTarget, &IndexTree),
    options: &preflight::Options,
    (sink, blobs): (Option<&dyn Sink>, BlobCollector<'i>),
    resolved: &mut Resolved,
) -> Result<NewIndexState<'i>, Failure> {
    let Selected { plan, problems, .. } = &mut resolved.selected;
    let mut resolution = preflight::resolve_with_previews(
        plan,
        task.workspace,
        options,
        sink.unwrap_or(&DiscardSink),
        task.preview_sinks,
    )?;
    let entry = indexed.index.intent_to_add_entry();
    let is_new =
        |path: &&RelPath| staged.entry(path).is_none() && staged.conflict_stages(path).is_none();
    let new = created_files(plan, &resolution).into_iter().filter(is_new);
    let mut updates: Vec<_> = new
        .map(|path| IndexUpdate {
            path: path.clone(),
            entry,
            stage: 0,
        })
        .collect();
    for IndexUpdate { path, .. } in &updates {
        if !indexed.index.can_add_intent(path)? {
            problems.push(sparse_problem(path));
        }
    }
    updates.extend(implied_removals(staged, &updates));
    let kept =
        rejects::discard_updates_after_rejects(indexed, problems, &mut resolution, &mut updates);
    problems.extend(kept);
    record_index_change(indexed, staged, &updates, resolved);
    resolved.add_resolution(resolution, &task.command, task.approve());
    Ok(NewIndexState {
        blobs,
        updates,
        pending_smudges: Vec::new(),
    })
}

fn sparse_problem(path: &RelPath) -> Problem {
    let help = "run `git sparse-checkout reapply --no-sparse-index` to get a full index, or use --index to add the \
         file itself";
    Problem {
        path: Some(path.clone()),
        help: Some(help.to_owned()),
        ..Problem::new(&code::SPARSE_INDEX, INTENT_TO_ADD_REFUSED)
    }
}

/// Returns the files that `plan` creates without a failure, if no later operation moves or deletes
/// them.
fn created_files<'p>(plan: &'p Plan, resolution: &Resolution) -> BTreeSet<&'p RelPath> {
    let mut made = BTreeSet::new();
    let all = plan.operations.iter().zip(&resolution.files);
    for (operation, _) in all.filter(|(_, outcome)| outcome.failed.is_none()) {
        if let Some(path) = operation.removed_path() {
            made.remove(path);
        }
        if operation.action == Action::Create && operation.new_mode != Some(FileMode::Submodule) {
            made.insert(&operation.path);
        }
    }
    made
}
