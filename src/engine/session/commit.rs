//! Commits an edit session: turns its files into a plan, and commits it like any other plan.

use std::sync::Arc;

use super::files::{REDO, expected, is_same, read_content, read_expected};
use super::rebase::{created_conflict, merge_file};
use super::{Session, find_session, session_report};
use crate::engine::Outcome;
use crate::engine::failure::failure_outcome;
use crate::engine::govern::work_tree_policy;
use crate::engine::request::{Request, SessionRequest, TargetFile, TargetState, TreeChange};
use crate::engine::stages::{Committed, Selected};
use crate::engine::task::{CommandMode, CommandRun};
use crate::path::RelPath;
use crate::preflight::{self, Problem, Severity, UnmetPrecondition, code};
use crate::transaction::Failure;
use crate::transaction::history::CommittedSession;
use crate::transaction::sessions::{self, SessionFile};
use crate::workspace::{Workspace, top};

/// Commits a session, or checks whether it can be committed.
pub(in crate::engine) fn run(
    commit: &SessionRequest,
    mut request: Request,
    mode: CommandMode,
    workspace: &dyn Workspace,
) -> Outcome {
    let session = match find_session("commit", workspace, &commit.id) {
        Ok(session) => session,
        Err(outcome) => return *outcome,
    };
    request.context.policy = match work_tree_policy("commit", &request.context.policy, workspace) {
        Ok(policy) => policy,
        Err(outcome) => return *outcome,
    };
    let workspace = match top(workspace) {
        Ok(top) => top,
        Err(error) => return *failure_outcome("commit", &error.into()),
    };
    let (mut task, begun) = match CommandRun::new(("commit", mode.success()), request, workspace) {
        Ok(begun) => begun,
        Err(outcome) => return *outcome,
    };
    task.command.reports_dry_run = mode == CommandMode::Check;
    let label = CommittedSession {
        id: session.id.clone(),
        note: session.note.clone(),
    };
    task.session = Some((label, session.revision));
    if let Some(misuse) = task.usage_problem() {
        let mut done = Committed::from(begun);
        done.problems().push(misuse);
        return done.finish(&task.command);
    }
    let mut done = match plan(&session, commit, workspace, begun) {
        Ok((selected, is_applied)) => {
            let options = preflight::Options {
                unmet_precondition: UnmetPrecondition::Stale,
                ..task.request.preflight_options()
            };
            let mut done = task.run(selected, &options, mode);
            if is_applied && !done.is_refused() {
                done.problems().push(applied_warning());
            }
            done
        }
        Err(failure) => {
            let mut done = Committed::default();
            task.record_failure(failure, &mut done);
            done
        }
    };
    explain_stale_files(&mut done, commit.rebase);
    if mode == CommandMode::Apply && !done.is_refused() {
        remove_session(&task, &session, &mut done);
    }
    done.result.session = Some(session_report(&session));
    done.finish(&task.command)
}

/// Returns the operations of the session, and whether the tree already has all its changes.
fn plan(
    session: &Session,
    commit: &SessionRequest,
    workspace: &dyn Workspace,
    mut selected: Selected,
) -> Result<(Selected, bool), Failure> {
    let mut files = Vec::with_capacity(session.files.len());
    for file in &session.files {
        // The item of the new path contains the removal of the old one.
        if is_moved(session, file) {
            continue;
        }
        let found = read_expected(workspace, &file.path)?;
        let new = file.new.as_ref().map(expected);
        let is_new = is_same(found.as_ref().map(|(found, _)| *found), new);
        let is_occupied = found.is_some();
        let source = move_source(session, file);
        let (origin, found) = match source {
            Some(source) => (source, read_expected(workspace, &source.path)?),
            None => (file, found),
        };
        if is_new && (source.is_none() || found.is_none()) {
            continue;
        }
        if source.is_some() && is_occupied && !is_new {
            selected.problems.push(*created_conflict(file));
            continue;
        }
        // If the new path already has the content, only the old path is removed.
        let file = if is_new { origin } else { file };
        match merge_file((origin, file), found, commit.rebase, workspace)? {
            Ok(Some(target)) => files.push(target),
            Ok(None) => files.push(target_file(session, file, workspace)?),
            Err(conflict) => selected.problems.push(*conflict),
        }
    }
    let is_applied = files.is_empty() && !session.files.is_empty() && selected.problems.is_empty();
    let change = TreeChange {
        command: "commit",
        files,
    };
    selected.plan = change.into_plan();
    selected.is_resolvable = true;
    Ok((selected, is_applied))
}

/// Returns the file of the tree that the session moves to the path of `file`, if there is one.
fn move_source<'s>(session: &'s Session, file: &SessionFile) -> Option<&'s SessionFile> {
    let source = session.file(file.from.as_ref()?)?;
    let is_this = |target: &SessionFile| target.path == file.path;
    let is_moved = source.new.is_none() && move_target(session, &source.path).is_some_and(is_this);
    is_moved.then_some(source)
}

/// Returns whether another file of the session is the moved `file`.
pub(super) fn is_moved(session: &Session, file: &SessionFile) -> bool {
    file.new.is_none() && move_target(session, &file.path).is_some()
}

/// Returns the file of the session to which the file of the tree at `path` moves. If several files
/// come from it, only the first is a move.
fn move_target<'s>(session: &'s Session, path: &RelPath) -> Option<&'s SessionFile> {
    session
        .files
        .iter()
        .find(|file| file.from.as_ref() == Some(path) && file.new.is_some() && file.base.is_none())
}

/// Returns the change of `file` from its state in the tree to its state in the session.
pub(super) fn target_file(
    session: &Session,
    file: &SessionFile,
    workspace: &dyn Workspace,
) -> Result<TargetFile, Failure> {
    let source = move_source(session, file);
    let base = source.map_or(&file.base, |source| &source.base);
    let after = file
        .new
        .as_ref()
        .map(|new| {
            Ok::<_, Failure>(TargetState {
                mode: new.mode,
                permissions: new.permissions,
                content: Some(Arc::new(read_content(workspace, new)?)),
            })
        })
        .transpose()?;
    Ok(TargetFile {
        path: file.path.clone(),
        from: source.map(|source| source.path.clone()),
        before: base.as_ref().map(expected),
        after,
    })
}

/// Adds the next step to the problem of each stale file.
fn explain_stale_files(done: &mut Committed, is_rebased: bool) {
    let (help, advice) = if is_rebased {
        (REDO, REDO)
    } else {
        (
            "use --rebase to merge the edit session with the changed file",
            "commit the session with `rebase` to merge it with the changed file",
        )
    };
    for problem in done.problems() {
        if problem.code == &code::STALE && problem.help.is_none() {
            problem.help = Some(help.to_owned());
            problem.facts.advice = Some(advice.to_owned());
        }
    }
}

/// Removes a session whose changes are all in the tree. A transaction has already removed its
/// session.
fn remove_session(task: &CommandRun<'_>, session: &Session, done: &mut Committed) {
    let (options, interrupt) = (task.request.transaction_options(), task.interrupt());
    let target = (&*session.id, Some(session.revision));
    if let Err(failure) = sessions::abort(task.workspace, target, options, interrupt) {
        let message = format!("the edit session could not be removed: {failure}");
        done.problems().push(Problem {
            severity: Severity::Warning,
            help: Some("run `wpatch abort` to remove it".to_owned()),
            ..Problem::new(&code::NOT_SWEPT, message)
        });
    }
}

fn applied_warning() -> Problem {
    let message = "the tree already has all changes of the edit session";
    Problem {
        severity: Severity::Warning,
        ..Problem::new(&code::ALREADY_APPLIED, message)
    }
}
