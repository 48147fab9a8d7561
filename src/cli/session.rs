//! The commands for edit sessions: `begin`, `commit` and `abort`.

use std::process::ExitCode;

use super::args::{BeginOptions, CommitOptions, Global};
use super::history::{run_and_print, run_in_root};
use super::output::{self, Output, Verbosity};
use super::policy::load_policy;
use super::root::{open, open_to_change};
use super::{finish, watcher};
use crate::engine::{self, Commit, Request, What};

/// Begins a session. Prints only its ID, so that a script can read it.
pub(super) fn begin(options: &BeginOptions, global: &Global) -> ExitCode {
    let outcome = run_in_root(
        "begin",
        (open_to_change, global),
        |workspace, transaction, interrupt| {
            engine::begin(options.note.as_deref(), workspace, transaction, interrupt)
        },
    );
    let session = outcome
        .report
        .session
        .as_ref()
        .filter(|_| outcome.report.ok && !global.has_report() && !global.caller.is_library());
    match session {
        Some(session) => {
            output::exit_code(global.caller.print(|out| writeln!(out, "{}", session.id)))
        }
        None => finish(&outcome, &Output::of(global, Verbosity::Verbose)),
    }
}

/// Commits a session, or checks whether it can be committed.
pub(super) fn commit(options: CommitOptions, global: &Global) -> ExitCode {
    let prepared = load_policy(global)
        .and_then(|policy| Ok((policy, options.diagnostics.to_options(global)?)));
    let (policy, diagnostics) = match prepared {
        Ok(prepared) => prepared,
        Err(stop) => {
            let output = Output::of(global, Verbosity::Verbose);
            return finish(&stop.into_outcome("commit"), &output);
        }
    };
    let open = if options.dry_run {
        open
    } else {
        open_to_change
    };
    run_and_print(
        "commit",
        (open, global),
        |workspace, transaction, interrupt| {
            watcher::show_progress(global, |progress| {
                let mut request = Request::commit_session(options.id);
                if let What::Session(session) = &mut request.what {
                    session.rebase = options.rebase;
                }
                request.decide.guards = options.guard.selected_guards();
                request.look.describe = global.has_digests();
                request.look.diff = global.has_digests();
                (request.look.progress, request.look.diagnostics) = (progress, diagnostics);
                request.commit = Commit {
                    approve: options.approve,
                    approve_part: None,
                    transaction,
                    commands: options.commands.commands(global),
                    attribution: options.attribution.attribution(global),
                };
                request.context.policy = policy;
                request.context.interrupt = interrupt.clone();
                if options.dry_run {
                    engine::check(request, workspace)
                } else {
                    engine::apply(request, workspace, interrupt)
                }
            })
        },
    )
}

/// Removes a session.
pub(super) fn abort(id: &str, global: &Global) -> ExitCode {
    run_and_print(
        "abort",
        (open_to_change, global),
        |workspace, transaction, interrupt| engine::abort(id, workspace, transaction, interrupt),
    )
}
