//! Checks or applies the edit of one file without a patch.

use super::follow::resolve_links;
use super::parse::select;
use super::request::{FileEdit, MissingParents, Request};
use super::stages::Committed;
use super::suggest::explain_missing_file;
use super::task::{CommandMode, CommandRun};
use super::{Outcome, texts};
use crate::mode::FileKind;
use crate::path::RelPath;
use crate::plan::{Operation, Plan, Selection};
use crate::policy::{Policy, Verdict};
use crate::preflight::{self, Problem, code};
use crate::workspace::Workspace;

/// Checks or applies `edit`.
pub(super) fn run(
    edit: FileEdit,
    request: Request,
    mode: CommandMode,
    workspace: &dyn Workspace,
) -> Outcome {
    let (mut task, begun) =
        match CommandRun::new((edit.command, mode.success()), request, workspace) {
            Ok(begun) => begun,
            Err(outcome) => return *outcome,
        };
    task.command.reports_dry_run = mode == CommandMode::Check;
    let misuse = task.usage_problem().or_else(|| {
        edit.usage_error()
            .map(|misuse| Problem::new(&code::USAGE, misuse))
    });
    if let Some(misuse) = misuse {
        let mut done = Committed::from(begun);
        done.problems().push(misuse);
        return done.finish(&task.command);
    }
    let (options, parents) = (task.request.preflight_options(), edit.parents);
    let mut selected = select(
        edit.into_plan(task.request.decide.expect_hash),
        &Selection::default(),
    );
    selected.problems.splice(..0, begun.problems);
    if let Err(problem) = retarget(&mut selected.plan, workspace, &options.policy, parents) {
        selected.problems.push(*problem);
    } else if task.request.decide.lenient {
        texts::repair(workspace, &options, &mut selected);
    }
    let mut done = task.run(selected, &options, mode);
    let of_file = done
        .problems()
        .iter_mut()
        .filter(|problem| problem.operation.is_some());
    of_file.for_each(|problem| explain_missing_file(problem, workspace, &task.command.policy));
    done.finish(&task.command)
}

/// Replaces the path of the operation with the path to which its links lead, if policy allows it.
fn retarget(
    plan: &mut Plan,
    workspace: &dyn Workspace,
    policy: &Policy,
    parents: MissingParents,
) -> Result<(), Box<Problem>> {
    let Some(operation) = plan.operations.first_mut() else {
        return Ok(());
    };
    let weigh = |operation: &Operation| {
        policy.judge_operation(operation, |path| preflight::find_kind(workspace, path))
    };
    let mut ruling = weigh(operation);
    // If policy denies the name itself, no link is followed.
    if ruling.verdict == Verdict::Deny {
        return Ok(());
    }
    let names = resolve_links(workspace, policy, &operation.path)?;
    let last = names.last().cloned();
    for path in names {
        // An approval names the file. It cannot cover a rule that asks about a link.
        if let Some(hit) = ruling.matches.first().filter(|_| path != operation.path) {
            let help = last.map(|path| format!("use the path that the link points to: {path}"));
            let mut problem = preflight::approval_problem(hit);
            problem.facts.advice.clone_from(&help);
            return Err(Box::new(Problem { help, ..problem }));
        }
        operation.path = path;
        ruling = weigh(operation);
        if ruling.verdict == Verdict::Deny {
            return Ok(());
        }
    }
    match operation.path.parent() {
        Some(parent) if parents == MissingParents::Refuse && !is_directory(workspace, &parent) => {
            let missing = Problem::new(
                &code::MISSING,
                format!("the directory {parent} does not exist"),
            );
            let help = Some("remove --no-mkdirs to create it".to_owned());
            Err(Box::new(Problem {
                path: Some(operation.path.clone()),
                help,
                ..missing
            }))
        }
        _ => Ok(()),
    }
}

fn is_directory(workspace: &dyn Workspace, path: &RelPath) -> bool {
    matches!(workspace.stat(path), Ok(Some(stat)) if stat.kind == FileKind::Directory)
}
