//! `run --observe`: runs a command on the tree itself, and records what it changed.
//!
//! [`observe_command`] is the whole flow: copy the tree (`tree_copy.rs`), run the command, find its
//! changes (`observed.rs`), and record them as a transaction whose old files are the copies. The
//! report comes from a check of the change on the tree as it was before, which is the tree with the
//! copies as a layer.

use std::sync::Arc;

use super::git_files::GitFiles;
use super::observed::Observed;
use super::tree_copy::{CopyLimits, TreeCopy};
use super::{NAME, RunCommand, start_problem};
use crate::engine::commands::exit_message;
use crate::engine::failure::failure_outcome;
use crate::engine::request::{Request, TreeChange};
use crate::engine::stages::{Committed, Resolved, StagingTarget};
use crate::engine::task::{CommandMode, CommandRun};
use crate::engine::tree_change::{CommandEffects, run_with_effects};
use crate::engine::{Outcome, refused_outcome};
use crate::path::RelPath;
use crate::preflight::{self, Problem, Severity, code};
use crate::process::sandbox::SandboxCommand;
use crate::process::{CommandOutput, ExitReason, direct};
use crate::report::CommandReport;
use crate::transaction::history::{TransactionLabel, no_history_reason};
use crate::transaction::{Failure, Interrupt, ObservedChange, ReadOldContent, Transaction};
use crate::workspace::{LayeredTree, Workspace};

/// Runs `command` on the tree itself, and records its changes. The copies have at most `max_copied`
/// bytes.
pub(super) fn observe_command(
    command: &RunCommand,
    max_copied: u64,
    mut request: Request,
    (workspace, interrupt): (&dyn Workspace, &Interrupt),
) -> Outcome {
    request.context.interrupt = interrupt.clone();
    if let Err(outcome) = check_request(&request, workspace) {
        return *outcome;
    }
    let limits = CopyLimits {
        max_file: request.decide.max_file,
        max_copied,
    };
    let ran = TreeCopy::take(workspace, limits, interrupt).and_then(|copy| match copy {
        Ok(copy) => run_and_compare(command, copy, (workspace, interrupt), limits.max_file),
        Err(problem) => Ok(Err(problem)),
    });
    let mut observation = match ran {
        Ok(Ok(observation)) => observation,
        Ok(Err(problem)) => return *refused_outcome(NAME, *problem),
        Err(failure) => return *failure_outcome(NAME, &failure),
    };
    // The changes exist, so a signal must not end the recording.
    request.context.interrupt = Interrupt::new();
    let Observed { files, change, .. } = observation.observed;
    let plan = TreeChange {
        command: NAME,
        files,
    };
    let effects = observation.effects;
    if change.is_empty() {
        return run_with_effects(plan, effects, request, (CommandMode::Apply, workspace));
    }
    let read_old = &mut |path: &RelPath| observation.copy.read(path);
    record((plan, effects), request, workspace, (change, read_old))
}

/// Checks everything that could later prevent the recording of the changes, or their undo.
fn check_request(request: &Request, workspace: &dyn Workspace) -> Result<(), Box<Outcome>> {
    let (task, _) = CommandRun::new(
        (NAME, CommandMode::Apply.success()),
        request.clone(),
        workspace,
    )?;
    if let Some(misuse) = task.usage_problem() {
        return Err(refused_outcome(NAME, misuse));
    }
    match no_history_reason(workspace) {
        Ok(None) => Ok(()),
        Ok(Some(unkept)) => {
            let message = format!("the changes could not be undone: {}", unkept.reason);
            let help = "run `wpatch init`, use a git work tree, or set XDG_STATE_HOME";
            let problem = Problem {
                help: Some(help.to_owned()),
                ..Problem::new(&code::NO_PLACE, message)
            };
            Err(refused_outcome(NAME, problem))
        }
        Err(failure) => Err(failure_outcome(NAME, &failure)),
    }
}

/// A command that ran, with its changes and the tree before.
struct Observation {
    observed: Observed,
    effects: CommandEffects,
    copy: TreeCopy,
}

/// Runs the command, and finds its changes. Returns a problem if it cannot run.
fn run_and_compare(
    command: &RunCommand,
    copy: TreeCopy,
    (workspace, interrupt): (&dyn Workspace, &Interrupt),
    max_file: u64,
) -> Result<Result<Observation, Box<Problem>>, Failure> {
    let git_files = GitFiles::of(workspace)?;
    let directly = SandboxCommand {
        root: &command.root,
        words: &command.words,
        environment: &command.environment(),
        stdout: command.stdout,
        limits: command.limits,
    };
    let ran = match direct::run(&directly, interrupt) {
        Ok(ran) => ran,
        Err(error) => return Ok(Err(Box::new(start_problem(&error)))),
    };
    // The command can have replaced directories.
    workspace.close_cached_handles();
    let mut observed = Observed::of(workspace, &copy, max_file)?;
    let mut problems = Vec::new();
    if ran.reason != ExitReason::Exited(0) {
        problems.push(exit_problem(&ran, command, &observed));
    }
    problems.append(&mut observed.problems);
    problems.extend(GitFiles::of(workspace)?.warning(&git_files));
    let report = Some(CommandReport::of(&command.text(), &ran));
    Ok(Ok(Observation {
        observed,
        effects: CommandEffects { report, problems },
        copy,
    }))
}

/// Returns the problem of a command that did not succeed. Its changes stay.
fn exit_problem(ran: &CommandOutput, command: &RunCommand, observed: &Observed) -> Problem {
    let reason = exit_message(ran, command.limits.time);
    let failed = Problem::new(&code::RUN, format!("the command failed: {reason}"));
    if observed.change.is_empty() {
        return failed;
    }
    Problem {
        severity: Severity::Reject,
        help: Some("its changes stay and are recorded; `wpatch undo` takes them back".to_owned()),
        ..failed
    }
}

/// Records the change that the command has made, and returns the outcome.
fn record(
    (change, effects): (TreeChange, CommandEffects),
    request: Request,
    workspace: &dyn Workspace,
    (observed, read_old): (ObservedChange, &mut ReadOldContent<'_>),
) -> Outcome {
    let success = CommandMode::Apply.success();
    let (task, begun) = match CommandRun::new((NAME, success), request, workspace) {
        Ok(begun) => begun,
        Err(outcome) => return *outcome,
    };
    let mut done = Committed::from(begun);
    done.problems().extend(effects.problems);
    done.result.command_reports.run = effects.report;
    done.resolved.selected.plan = change.into_plan();
    let options = task.request.transaction_options();
    let begun = Transaction::begin(workspace, options, task.interrupt());
    let kept = begun.and_then(|(mut transaction, recovered)| {
        done.note_recovered(recovered);
        let layer = transaction.observe(observed, read_old)?;
        Ok((transaction, layer))
    });
    let (transaction, layer) = match kept {
        Ok(kept) => kept,
        Err(failure) => return unrecorded(&task, failure, done),
    };
    // The tree before the command.
    let tree = LayeredTree::new(workspace, String::new(), layer);
    let task = CommandRun {
        workspace: &tree,
        ..task
    };
    if let Err(failure) = describe_and_commit(&task, transaction, &mut done) {
        return unrecorded(&task, failure, done);
    }
    task.note_history(&mut done);
    done.finish(&task.command)
}

/// Checks the change on the tree before the command, for the report and the audit record, and
/// commits it. A refusal is too late: it only becomes a part of the report.
fn describe_and_commit<'w>(
    task: &'w CommandRun<'_>,
    transaction: Transaction<'w>,
    done: &mut Committed,
) -> Result<(), Failure> {
    let mut options = preflight::Options {
        checks_rights: false,
        describe: task.request.look.describe || transaction.has_audit(),
        ..task.request.preflight_options()
    };
    task.resolve(&options, &StagingTarget::DISCARD, &mut done.resolved)?;
    if done.is_refused() {
        let errors = done.problems().iter_mut();
        let errors = errors.filter(|problem| problem.severity == Severity::Error);
        errors.for_each(|problem| problem.severity = Severity::Reject);
        let known = done.problems().len();
        // Without the policy, the report contains all files.
        options.policy = Arc::default();
        task.resolve(&options, &StagingTarget::DISCARD, &mut done.resolved)?;
        done.problems().truncate(known);
        add_decisions(task, &mut done.resolved);
    }
    let label = TransactionLabel {
        command: NAME.to_owned(),
        audit: task.audit_context(&transaction, &done.resolved),
        ..TransactionLabel::default()
    };
    task.commit(transaction.with_label(label), None, done)
}

/// Adds the verdicts of the policy to the files, which were checked without it.
fn add_decisions(task: &CommandRun<'_>, resolved: &mut Resolved) {
    let plan = &resolved.selected.plan;
    let decisions = preflight::decide_all(plan, task.workspace, &task.command.policy);
    let files = resolved.resolution.iter_mut().flat_map(|it| &mut it.files);
    for (file, decision) in files.zip(decisions) {
        file.decision = decision;
    }
}

/// Returns the outcome of a command whose changes could not be recorded.
fn unrecorded(task: &CommandRun<'_>, failure: Failure, mut done: Committed) -> Outcome {
    task.record_failure(failure, &mut done);
    let message = "the changes of the command stay in the tree, and `wpatch undo` cannot take them \
                   back: they are not recorded";
    done.problems().push(Problem {
        severity: Severity::Warning,
        ..Problem::new(&code::NOT_APPLIED, message)
    });
    done.finish(&task.command)
}
