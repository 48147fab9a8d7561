//! `run --observe`: runs a command on the tree itself, and records its changes.
//!
//! [`observe_command`] is the whole flow: copy the tree (`tree_copy.rs`), run the command, find its
//! changes (`compare.rs`), and record them as a transaction whose old files are the copies. The
//! report comes from a check of the recorded change. The check runs on the previous tree: the
//! current tree with the copies as a layer on top.
//!
//! Before the command starts, every error refuses it. Afterwards the tree has changed, so an error
//! only becomes a part of the report. If the changes cannot be recorded, the old contents are saved
//! outside the tree.

use std::sync::Arc;

use super::compare::CommandChanges;
use super::tree_copy::{CopyLimits, TreeCopy};
use super::{NAME, RunCommand, start_problem};
use crate::engine::commands::exit_message;
use crate::engine::failure::failure_outcome;
use crate::engine::problems::no_state_directory_problem;
use crate::engine::request::{Request, TreeChange};
use crate::engine::stages::{Command, Committed, Resolved, StagingTarget};
use crate::engine::task::{CommandMode, CommandRun};
use crate::engine::{Outcome, refused_outcome};
use crate::path::RelPath;
use crate::preflight::{self, Problem, Severity, code};
use crate::process::direct::{self, StartedCommand};
use crate::process::sandbox::SandboxCommand;
use crate::process::{CommandOutput, ExitReason};
use crate::report::CommandReport;
use crate::transaction::audit::RecordContext;
use crate::transaction::history::{TransactionLabel, no_history_reason};
use crate::transaction::{
    self, Failure, Interrupt, ObservedChange, RecoveredTransaction, Transaction,
};
use crate::workspace::{LayeredTree, Workspace};

/// Runs `command` on the tree itself, and records its changes. Refuses if the copies need more than
/// `max_copied` bytes.
pub(super) fn observe_command(
    command: &RunCommand,
    max_copied: u64,
    mut request: Request,
    (workspace, interrupt): (&dyn Workspace, &Interrupt),
) -> Outcome {
    request.context.interrupt = interrupt.clone();
    let limits = CopyLimits {
        max_file: request.decide.max_file,
        max_copied,
    };
    let success = CommandMode::Apply.success();
    // The policy from before the command decides.
    let (mut task, begun) = match CommandRun::new((NAME, success), request, workspace) {
        Ok(new) => new,
        Err(outcome) => return *outcome,
    };
    let (mut copy, recovered) = match prepare(&task, workspace, limits) {
        Ok(Ok(prepared)) => prepared,
        Ok(Err(problem)) => return *refused_outcome(NAME, *problem),
        Err(failure) => return *failure_outcome(NAME, &failure),
    };
    let sandbox_command = SandboxCommand {
        root: &command.root,
        words: &command.words,
        environment: &command.environment(),
        stdout: command.stdout,
        limits: command.limits,
    };
    let started = match direct::run(&sandbox_command, interrupt) {
        Ok(started) => started,
        Err(error) => return *refused_outcome(NAME, start_problem(&error)),
    };
    // The command can have replaced directories.
    workspace.close_cached_handles();
    let mut done = Committed::from(begun);
    let (report, failed) = describe_exit(&started, command);
    done.result.command_reports.run = report;
    // A signal must not end the recording.
    task.request.context.interrupt = Interrupt::new();
    let properties = task.command.clone();
    record(task, (workspace, recovered), (&mut copy, limits), &mut done);
    let is_unchanged = !done.result.is_observed;
    if let (Ok(ExitReason::Stopped), Some(signal), true) =
        (&started.reason, interrupt.signal(), is_unchanged)
    {
        return *failure_outcome(NAME, &Failure::Interrupted(signal));
    }
    finish(done, &properties, failed)
}

/// The copy of the tree, and the transactions that were recovered before.
type Prepared = (TreeCopy, Vec<RecoveredTransaction>);

/// Checks everything that could later prevent the recording of the changes, or their undo. Recovers
/// interrupted transactions, and copies the tree.
fn prepare(
    task: &CommandRun<'_>,
    workspace: &dyn Workspace,
    limits: CopyLimits,
) -> Result<Result<Prepared, Box<Problem>>, Failure> {
    if let Some(misuse) = task.usage_problem() {
        return Ok(Err(Box::new(misuse)));
    }
    if let Some(unkept) = no_history_reason(workspace)? {
        let message = format!("cannot record the changes for undo: {}", unkept.reason);
        return Ok(Err(Box::new(Problem {
            message,
            ..no_state_directory_problem("the record")
        })));
    }
    let recovered = if transaction::has_unfinished_changes(workspace)? {
        let options = task.request.transaction_options();
        transaction::recover_with_interrupt(workspace, options, task.interrupt())?
    } else {
        Vec::new()
    };
    let copy = TreeCopy::take(workspace, limits, task.interrupt())?;
    Ok(copy.map(|copy| (copy, recovered)))
}

/// Finds the changes of the command and records them. Adds all problems to `done`. `recovered` are
/// the transactions that were recovered before.
fn record(
    task: CommandRun<'_>,
    (workspace, mut recovered): (&dyn Workspace, Vec<RecoveredTransaction>),
    (copy, limits): (&mut TreeCopy, CopyLimits),
    done: &mut Committed,
) {
    // This recovers a change that the command left unfinished, so it precedes the comparison.
    let options = task.request.transaction_options();
    let begun = Transaction::begin(workspace, options, task.interrupt());
    let begun = begun.map(|(transaction, more)| {
        recovered.extend(more);
        transaction
    });
    done.note_recovered(recovered);
    let changes = match CommandChanges::of(workspace, copy, limits) {
        Ok(changes) => changes,
        // For example, the command removed the root.
        Err(failure) => {
            let all: Vec<_> = copy.scan.entries.keys().cloned().collect();
            return add_unrecorded(&failure, (copy, &all), done);
        }
    };
    done.result.is_observed = changes.has_changes();
    let old_paths = changes.old_paths();
    done.problems().extend(changes.problems);
    let plan = TreeChange {
        command: NAME,
        files: changes.files,
    };
    done.resolved.selected.plan = plan.into_plan();
    if changes.change.is_empty() {
        return;
    }
    let recorded = begun.and_then(|transaction| {
        commit(task, (transaction, changes.change), (workspace, copy), done)
    });
    if let Err(failure) = recorded {
        add_unrecorded(&failure, (copy, &old_paths), done);
    }
}

/// Commits the change, with the report and the audit record of a check.
fn commit(
    task: CommandRun<'_>,
    (mut transaction, change): (Transaction<'_>, ObservedChange),
    (workspace, copy): (&dyn Workspace, &mut TreeCopy),
    done: &mut Committed,
) -> Result<(), Failure> {
    let layer = transaction.observe(change, &mut |path| copy.read(path))?;
    let previous_tree = LayeredTree::new(workspace, String::new(), layer);
    let task = CommandRun {
        workspace: &previous_tree,
        ..task
    };
    let audit = match check(&task, transaction.has_audit(), done) {
        Ok(()) => task.audit_context(&transaction, &done.resolved),
        Err(failure) => {
            let message = format!("the report and the audit record are incomplete: {failure}");
            done.problems().push(Problem {
                severity: Severity::Warning,
                ..Problem::new(&code::NOT_APPLIED, message)
            });
            RecordContext::default()
        }
    };
    let label = TransactionLabel {
        command: NAME.to_owned(),
        audit,
        ..TransactionLabel::default()
    };
    task.commit(transaction.with_label(label), None, done)?;
    task.note_history(done);
    Ok(())
}

/// Checks the change on the previous tree. The change is already made, so a refusal only appears in
/// the report.
fn check(task: &CommandRun<'_>, has_audit: bool, done: &mut Committed) -> Result<(), Failure> {
    let options = preflight::Options {
        checks_rights: false,
        digests: has_audit,
        ..task.request.preflight_options()
    };
    task.resolve(&options, &StagingTarget::DISCARD, &mut done.resolved)?;
    if !done.is_refused() {
        return Ok(());
    }
    lower_errors(done);
    // A refused check stops before it has described all files. It is repeated without the policy.
    let without_policy = preflight::Options {
        policy: Arc::default(),
        ..options
    };
    let known = done.problems().len();
    task.resolve(&without_policy, &StagingTarget::DISCARD, &mut done.resolved)?;
    // The problems that remain are known already.
    done.problems().truncate(known);
    add_decisions(task, &mut done.resolved);
    Ok(())
}

/// Adds the verdicts of the policy to the files.
fn add_decisions(task: &CommandRun<'_>, resolved: &mut Resolved) {
    let plan = &resolved.selected.plan;
    let decisions = preflight::decide_all(plan, task.workspace, &task.command.policy);
    let files = resolved.resolution.iter_mut().flat_map(|it| &mut it.files);
    for (file, decision) in files.zip(decisions) {
        file.decision = decision;
    }
}

/// Turns errors into problems that do not mean an unchanged tree.
fn lower_errors(done: &mut Committed) {
    for problem in done.problems() {
        if problem.severity == Severity::Error {
            problem.severity = Severity::Reject;
        }
    }
}

/// Adds the problem of changes that could not be recorded because of `failure`. Saves the old files
/// at `paths`.
fn add_unrecorded(
    failure: &Failure,
    (copy, paths): (&mut TreeCopy, &[RelPath]),
    done: &mut Committed,
) {
    done.result.is_observed = true;
    done.add_failure(failure, None);
    let saved = match copy.save(paths) {
        Ok(directory) => format!("the old contents are in {}", directory.display()),
        Err(error) => format!("the old contents could not be saved: {error}"),
    };
    let message = "the changes of the command are in the tree but not recorded; `wpatch undo` \
                   cannot undo them";
    done.problems().push(Problem {
        severity: Severity::Reject,
        help: Some(saved).filter(|_| !paths.is_empty()),
        ..Problem::new(&code::NOT_APPLIED, message)
    });
}

/// Returns the report about the command, and the problem if it did not succeed.
fn describe_exit(
    started: &StartedCommand,
    command: &RunCommand,
) -> (Option<CommandReport>, Option<Problem>) {
    let failed = |reason: String| {
        let message = format!("the command failed: {reason}");
        Some(Problem::new(&code::RUN, message))
    };
    let reason = match &started.reason {
        Ok(reason) => *reason,
        Err(error) => return (None, failed(format!("its exit status is unknown: {error}"))),
    };
    let output = CommandOutput {
        reason,
        output: Vec::new(),
        is_cut: false,
        time: started.time,
    };
    let report = Some(CommandReport::of(&command.text(), &output));
    if reason == ExitReason::Exited(0) {
        return (report, None);
    }
    (report, failed(exit_message(&output, command.limits.time)))
}

/// Returns the outcome. `failed` is the problem of the command itself.
fn finish(mut done: Committed, properties: &Command, failed: Option<Problem>) -> Outcome {
    if let Some(mut problem) = failed {
        if done.result.receipt.is_some() {
            let help = "the changes stay and are recorded; run `wpatch undo` to undo them";
            problem.help = Some(help.to_owned());
        }
        done.problems().insert(0, problem);
    }
    if done.result.is_observed {
        lower_errors(&mut done);
    }
    done.finish(properties)
}
