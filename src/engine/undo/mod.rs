//! Undo and redo: turn entries of the history into a plan, and commit it like any other plan.
//!
//! The input is the list of entries that [`UndoTarget`] selects. The result is an outcome and a new
//! entry, which can be undone itself. `back.rs` derives the operations that reverse one entry.
//! `seen.rs` predicts the tree after the newer entries are reversed. Without `force`, every file
//! must still have the contents that the change left; each operation has a guard for this. Read
//! [`plan_reversal`] first.

mod back;
mod choice;
mod roots;
mod seen;

use std::sync::Arc;

use super::failure::failure_outcome;
use super::govern::{policy_for_entries, work_tree_policy};
use super::index::back::{IndexReversal, resolve_reversal};
use super::log::no_history_reason;
use super::problems::unfinished_warning;
use super::request::{Request, UndoRequest, UndoTarget};
use super::stages::{Committed, Selected};
use super::steps;
use super::task::{CommandMode, CommandRun};
use super::{Outcome, refused_outcome};
use crate::change::DiscardSink;
use crate::plan::Input;
use crate::preflight::{self, Problem, code};
use crate::progress::Phase;
use crate::transaction::history::{HistoryEntry, OldContentLocation, entries};
use crate::transaction::{self, Failure, HardLinkMode, Transaction};
use crate::workspace::Workspace;
use back::{EntryReversal, undo_label};
use choice::{Selection, choose};
use roots::find_roots;

use seen::PredictedTree;

/// The changes to reverse.
struct Reversal {
    selection: Selection,
    request: UndoRequest,
}

/// Undoes changes, or checks whether they can be undone.
pub(super) fn run(
    mut undo: UndoRequest,
    mut request: Request,
    mode: CommandMode,
    workspace: &dyn Workspace,
) -> Outcome {
    let command = if undo.target == UndoTarget::Undo {
        "redo"
    } else {
        "undo"
    };
    if workspace.layered().is_some() {
        let message = "an edit session has no history; undo without the session";
        return *refused_outcome(command, Problem::new(&code::USAGE, message));
    }
    request.context.policy = match work_tree_policy(command, &request.context.policy, workspace) {
        Ok(policy) => policy,
        Err(outcome) => return *outcome,
    };
    let selection = Selection::Target(undo.target.clone());
    let (several, selection) = match find_roots(workspace, selection, command) {
        Ok(found) => found,
        Err(outcome) => return *outcome,
    };
    let workspace = match (&several, workspace.work_tree()) {
        (Some(roots), _) => roots,
        (None, Ok(Some(tree))) => {
            tree.directory.clone_into(&mut undo.root);
            tree.top
        }
        (None, Ok(None)) => workspace,
        (None, Err(error)) => return *failure_outcome(command, &error.into()),
    };
    let undo = Reversal {
        selection,
        request: undo,
    };
    request.decide.overwrite = undo.request.force;
    let (mut task, begun) = match CommandRun::new((command, mode.success()), request, workspace) {
        Ok(begun) => begun,
        Err(outcome) => return *outcome,
    };
    task.command.reports_dry_run = mode == CommandMode::Check;
    let mut done = Committed::from(begun);
    if let Some(misuse) = task.usage_problem() {
        done.problems().push(misuse);
        return done.finish(&task.command);
    }
    run_in_mode(&mut task, &undo, mode, &mut done);
    steps::run_after_steps(&task, &mut done);
    done.finish(&task.command)
}

fn run_in_mode(
    task: &mut CommandRun<'_>,
    undo: &Reversal,
    mode: CommandMode,
    done: &mut Committed,
) {
    let result = match mode {
        CommandMode::Check => check(task, undo, done),
        CommandMode::Apply => apply_undo(task, undo, done),
    };
    if let Err(failure) = result {
        task.record_failure(failure, done);
    }
    if mode == CommandMode::Apply {
        task.note_history(done);
    }
}

fn check(task: &mut CommandRun<'_>, undo: &Reversal, done: &mut Committed) -> Result<(), Failure> {
    if transaction::has_unfinished_changes(task.workspace)? {
        done.problems().push(unfinished_warning());
    }
    let resolved = &mut done.resolved;
    if let Some((chosen, options)) = plan_reversal(task, undo, &mut resolved.selected)? {
        let resolution = preflight::resolve(
            &resolved.selected.plan,
            task.workspace,
            &options,
            &DiscardSink,
        )?;
        if let Some(back) = IndexReversal::of(&chosen, &undo.request.root, task.interrupt())? {
            resolve_reversal(&back, resolved)?;
        }
        resolved.add_resolution(resolution, &task.command, task.approve());
    }
    if done.is_refused() {
        return Ok(());
    }
    transaction::check_state_access(task.workspace)
}

fn apply_undo(
    task: &mut CommandRun<'_>,
    undo: &Reversal,
    done: &mut Committed,
) -> Result<(), Failure> {
    task.progress().enter(Phase::Waiting, 0);
    let (options, interrupt) = (task.request.transaction_options(), task.interrupt().clone());
    let (transaction, recovered) = Transaction::begin(task.workspace, options, &interrupt)?;
    done.note_recovered(recovered);
    // The history is read after the lock was taken, so no other process can change it.
    let resolved = &mut done.resolved;
    let Some((chosen, options)) = plan_reversal(task, undo, &mut resolved.selected)? else {
        return Ok(());
    };
    let options = preflight::Options {
        digests: options.digests || transaction.has_audit(),
        ..options
    };
    let plan = &resolved.selected.plan;
    let transaction = transaction
        .with_links(task.command.hard_links)
        .reserve_changes(plan.operations.len());
    let resolution = preflight::resolve(plan, task.workspace, &options, &transaction)?;
    let back = IndexReversal::of(&chosen, &undo.request.root, &interrupt)?;
    let restaged = match &back {
        Some(back) => {
            transaction.lock_index(&back.indexed.location())?;
            Some((resolve_reversal(back, resolved)?, &back.indexed))
        }
        None => None,
    };
    resolved.add_resolution(resolution, &task.command, task.approve());
    if resolved.is_refused() {
        return Ok(());
    }
    if let Some((restaged, indexed)) = restaged {
        restaged.stage(indexed, &transaction)?;
    }
    // `chosen` is newest first, so the oldest entry decides. The directories that it removed
    // existed before all of the changes.
    let directories = chosen
        .iter()
        .flat_map(|entry| entry.removed_dirs.clone())
        .collect();
    let label = undo_label(task, chosen, (&transaction, resolved));
    task.commit(
        transaction.with_label(label).with_directories(directories),
        None,
        done,
    )?;
    if let Some(back) = back.filter(|_| done.result.receipt.is_some()) {
        back.indexed.refresh();
    }
    Ok(())
}

/// Plans the reversal of the changes, under the policy of every root from which one of them was
/// made. Returns the entries, the newest first, and the options of preflight; `None` if there is a
/// problem.
fn plan_reversal(
    task: &mut CommandRun<'_>,
    undo: &Reversal,
    selected: &mut Selected,
) -> Result<Option<(Vec<HistoryEntry>, preflight::Options)>, Failure> {
    let workspace = task.workspace;
    let all = entries(workspace)?;
    let chosen = match choose(&all, &undo.selection) {
        Ok(chosen) => chosen,
        Err(why) => {
            selected
                .problems
                .push(nothing_to_undo(why, &all, workspace));
            return Ok(None);
        }
    };
    match policy_for_entries(&task.command.policy, chosen.iter().copied(), workspace) {
        Ok(policy) => {
            (task.command.policy, task.request.context.policy) = (Arc::clone(&policy), policy);
        }
        Err(unusable) => {
            selected.problems.push(unusable.problem);
            selected.unusable_policy = Some(unusable.text);
            return Ok(None);
        }
    }
    task.command.hard_links = hard_link_mode(&chosen, &task.request);
    let options = reversal_options(&chosen, task);
    let entries: Vec<_> = chosen.iter().copied().cloned().collect();
    // If the tree already has the old state, the plan stays empty. The undo then only records that
    // the entries are undone.
    if !undo.request.force && seen::has_old_state(workspace, &chosen, &options)? {
        return Ok(Some((entries, options)));
    }
    let mut seen = PredictedTree::new(workspace);
    for (step, entry) in chosen.iter().enumerate() {
        let input = Input {
            name: entry.id.clone(),
            formats: vec!["history"],
            sections: entry.files.len(),
            ..Input::default()
        };
        selected.plan.inputs.push(input);
        let reversal = EntryReversal {
            entry,
            step,
            is_forced: undo.request.force,
            predicted: &seen,
        };
        selected.plan.operations.extend(reversal.operations()?);
        selected.problems.extend(lost_problems(entry));
        selected.problems.extend(reversal.find_obstacles()?);
        seen.add_reversal(entry);
    }
    for (number, operation) in selected.plan.operations.iter_mut().enumerate() {
        operation.number = number;
    }
    Ok(Some((entries, options)))
}

/// Returns the problem that no entry of `all` can be undone.
fn nothing_to_undo(why: String, all: &[HistoryEntry], workspace: &dyn Workspace) -> Problem {
    let unkept = if all.is_empty() {
        no_history_reason(workspace)
    } else {
        None
    };
    let usual = || "run `wpatch log` to list the changes that can be undone".to_owned();
    Problem {
        help: Some(unkept.unwrap_or_else(usual)),
        ..Problem::new(&code::NOTHING_TO_UNDO, why)
    }
}

/// Returns how hard links are treated. If one of the changes overwrote a file for all its names,
/// the undo does so, too.
fn hard_link_mode(chosen: &[&HistoryEntry], request: &Request) -> HardLinkMode {
    let is_shared = chosen.iter().any(|entry| entry.links == HardLinkMode::Kept);
    if is_shared {
        HardLinkMode::Kept
    } else {
        request.transaction_options().links
    }
}

/// Returns the options of preflight for the reversal of `chosen`.
fn reversal_options(chosen: &[&HistoryEntry], task: &CommandRun<'_>) -> preflight::Options {
    preflight::Options {
        keeps_hard_links: task.command.hard_links == HardLinkMode::Kept,
        // The guards of the policy do not count, because the tree had this state before.
        guards: task.request.decide.guards.clone(),
        ..raise_size_limit(chosen, task.request.preflight_options())
    }
}

/// Returns `options` with a size limit that admits every file of `chosen`, because each of these
/// files was in the tree.
fn raise_size_limit(chosen: &[&HistoryEntry], options: preflight::Options) -> preflight::Options {
    let versions = chosen
        .iter()
        .flat_map(|entry| &entry.files)
        .flat_map(|file| [file.before, file.after]);
    let largest = versions
        .flatten()
        .map(|version| version.size)
        .max()
        .unwrap_or_default();
    preflight::Options {
        max_file: options.max_file.max(largest),
        ..options
    }
}

/// Returns a problem for each file whose old contents the history does not have.
fn lost_problems(entry: &HistoryEntry) -> impl Iterator<Item = Problem> + '_ {
    entry
        .files
        .iter()
        .filter(|file| file.old_content == OldContentLocation::Lost)
        .map(|file| Problem {
            path: Some(file.path.clone()),
            ..Problem::new(
                &code::NOTHING_TO_UNDO,
                format!(
                    "the history does not have the previous content of {}",
                    file.path
                ),
            )
        })
}
