//! Edit sessions: begin, open, describe, commit and abort.
//!
//! A session collects changes until [`Request::commit_session`](super::Request::commit_session) commits all of them as one
//! transaction. [`open_session`] returns the tree as the session sees it: [`apply`](super::apply) of
//! a request on this tree changes the session, and commands that read see its files. `step.rs` makes
//! such a change. `commit.rs` turns a session into a plan, and `rebase.rs` merges it with files that
//! changed in the tree.

mod commit;
mod difference;
mod files;
mod options;
mod rebase;
mod step;

use std::sync::Arc;

use super::failure::failure_outcome;
use super::problems::no_state_directory_problem;
use super::stages::{Command, Committed};
use super::top_roots::one_root_problem;
use super::{Outcome, refused_outcome};
use crate::preflight::{Problem, code};
use crate::report::{self, SessionReport};
use crate::transaction::sessions::{self, MAX_NOTE, Session, SessionSearchResult};
use crate::transaction::{self, Failure, Interrupt};
use crate::workspace::{LayeredTree, Workspace};

pub(super) use commit::run;
pub use difference::diff_session;
pub(super) use difference::file_diffs;
pub(super) use options::refuse_options;

/// Begins an edit session. Its ID is in [`Report::session`](crate::report::Report::session).
///
/// The session survives a crash. It is kept with the history, and a tree without a history has no
/// sessions.
pub fn begin(
    note: Option<&str>,
    workspace: &dyn Workspace,
    options: transaction::Options,
    interrupt: &Interrupt,
) -> Outcome {
    if let Some(problem) = one_root_problem("begin", workspace) {
        return *refused_outcome("begin", problem);
    }
    let mut done = Committed::default();
    if note.is_some_and(|note| note.len() > MAX_NOTE) {
        let message = format!("the note exceeds {MAX_NOTE} bytes");
        done.problems().push(Problem::new(&code::USAGE, message));
    } else {
        match sessions::begin(workspace, options, interrupt, note) {
            Ok(Some(begun)) => {
                done.note_recovered(begun.recovered);
                done.result.session = Some(SessionReport {
                    id: begun.id,
                    note: note.map(str::to_owned),
                    files: 0,
                });
            }
            Ok(None) => done
                .problems()
                .push(no_state_directory_problem("an edit session")),
            Err(failure) => done.add_failure(&failure, None),
        }
    }
    done.finish(&Command::of("begin", report::Outcome::Begun))
}

/// Removes the edit session `id`, an ID or the beginning of one, with all its changes.
pub fn abort(
    id: &str,
    workspace: &dyn Workspace,
    options: transaction::Options,
    interrupt: &Interrupt,
) -> Outcome {
    if let Some(problem) = one_root_problem("abort", workspace) {
        return *refused_outcome("abort", problem);
    }
    let mut done = Committed::default();
    match sessions::search(workspace, id) {
        Ok(SessionSearchResult::Found(session)) => {
            match sessions::abort(workspace, (&session.id, None), options, interrupt) {
                Ok(Some(recovered)) => {
                    done.note_recovered(recovered);
                    done.result.session = Some(session_report(&session));
                }
                Ok(None) => done.problems().push(removed_problem(&session.id)),
                Err(failure) => done.add_failure(&failure, None),
            }
        }
        Ok(SessionSearchResult::NotFound(why)) => done.problems().push(no_session_problem(why)),
        Err(failure) => done.add_failure(&failure, None),
    }
    done.finish(&Command::of("abort", report::Outcome::Aborted))
}

/// Returns the tree as the edit session `id` sees it, for [`apply`](super::apply), [`check`](super::check),
/// [`read`](super::read), [`list`](super::list) and other commands. `id` is an ID or the beginning
/// of one.
///
/// # Errors
///
/// Returns the outcome with the problem if no session or more than one session matches `id`, or if
/// the session is damaged.
pub fn open_session<'w>(
    workspace: &'w dyn Workspace,
    id: &str,
) -> Result<LayeredTree<'w>, Box<Outcome>> {
    let session = find_session("begin", workspace, id)?;
    let layer = session.layer();
    Ok(LayeredTree::new(workspace, session.id, layer))
}

/// Returns the tree as [`open_session`] does, with shared ownership of `workspace`.
///
/// # Errors
///
/// Returns the same errors as [`open_session`].
pub fn open_shared_session(
    workspace: &Arc<dyn Workspace + Send>,
    id: &str,
) -> Result<LayeredTree<'static>, Box<Outcome>> {
    let session = find_session("begin", &**workspace, id)?;
    let layer = session.layer();
    Ok(LayeredTree::shared(
        Arc::clone(workspace),
        session.id,
        layer,
    ))
}

/// Returns the session whose ID starts with `id`. `command` is the name in the report of a failure.
fn find_session(
    command: &'static str,
    workspace: &dyn Workspace,
    id: &str,
) -> Result<Session, Box<Outcome>> {
    if let Some(problem) = one_root_problem("an edit session", workspace) {
        return Err(refused_outcome(command, problem));
    }
    match sessions::search(workspace, id) {
        Ok(SessionSearchResult::Found(session)) => match &session.damage {
            None => Ok(*session),
            Some(reason) => {
                let reason = reason.clone();
                Err(failure_outcome(command, &Failure::State { reason }))
            }
        },
        Ok(SessionSearchResult::NotFound(why)) => {
            Err(refused_outcome(command, no_session_problem(why)))
        }
        Err(failure) => Err(failure_outcome(command, &failure)),
    }
}

fn session_report(session: &Session) -> SessionReport {
    SessionReport {
        id: session.id.clone(),
        note: session.note.clone(),
        files: session.files.len(),
    }
}

fn no_session_problem(why: String) -> Problem {
    Problem {
        help: Some("run `wpatch log` to list the edit sessions".to_owned()),
        ..Problem::new(&code::NO_SESSION, why)
    }
}

/// Returns the problem of a session that another process committed or aborted.
fn removed_problem(id: &str) -> Problem {
    no_session_problem(format!("the edit session {id} was committed or aborted"))
}
