//! The commands for the history and the state directory: `undo`, `redo`, `log`, `show`, `reject`,
//! `recover`, `init` and `gc`.

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;

use super::args::{Global, LogOptions, RecoverOptions, RejectOptions, RevertOptions, UndoOptions};
use super::library_call::Document;
use super::output::{Output, Verbosity};
use super::policy::load_policy;
use super::root::{open, open_to_change, root_name, root_reports};
use super::{EarlyExit, finish, output, pager, request, watcher};
use crate::engine::options::{
    HistoryLimits, Interrupt, JournalAdoption, MissingRoots, TransactionOptions, Workspace,
};
use crate::engine::{self, Commit, Outcome, RejectRequest, Request, UndoTarget, What};
use crate::report::{AgentTrace, Log, print_change_html};

/// A function that opens the root.
pub(super) type OpenRoot = fn(&Global) -> Result<Arc<dyn Workspace>, EarlyExit>;

pub(super) fn recover(options: &RecoverOptions, global: &Global) -> ExitCode {
    let journals = if options.adopt {
        JournalAdoption::Adopt
    } else {
        JournalAdoption::Refuse
    };
    let missing_roots = if options.without_missing_roots {
        MissingRoots::Ignore
    } else {
        MissingRoots::Refuse
    };
    run_and_print(
        "recover",
        (open_to_change, global),
        |workspace, transaction, interrupt| {
            let transaction = TransactionOptions {
                journals,
                missing_roots,
                ..transaction
            };
            engine::recover_with_interrupt(workspace, transaction, interrupt)
        },
    )
}

pub(super) fn init(global: &Global) -> ExitCode {
    run_and_print(
        "init",
        (open_to_change, global),
        |workspace, options, interrupt| engine::init(workspace, options, interrupt),
    )
}

pub(super) fn gc(all: bool, global: &Global) -> ExitCode {
    run_and_print(
        "gc",
        (open_to_change, global),
        |workspace, options, interrupt| {
            let history = if all {
                HistoryLimits::NOTHING
            } else {
                options.history
            };
            engine::gc(
                workspace,
                TransactionOptions { history, ..options },
                interrupt,
            )
        },
    )
}

pub(super) fn reject(options: &RejectOptions, global: &Global) -> ExitCode {
    run_and_print(
        "reject",
        (open_to_change, global),
        |workspace, transaction, interrupt| {
            let request = RejectRequest {
                reason: options.reason.clone(),
                hunks: options.hunks.clone(),
                transaction,
                attribution: options.attribution.attribution(global),
            };
            if options.withdraw {
                engine::unreject(&options.id, &request, workspace, interrupt)
            } else {
                engine::reject(&options.id, &request, workspace, interrupt)
            }
        },
    )
}

pub(super) fn undo(options: UndoOptions, global: &Global) -> ExitCode {
    let last = options
        .last
        .map_or(1, |last| usize::try_from(last).unwrap_or(usize::MAX));
    let target = options.id.map_or(UndoTarget::Last(last), UndoTarget::Entry);
    revert(target, &options.revert, global)
}

/// Undoes `target`, and prints the outcome.
pub(super) fn revert(target: UndoTarget, options: &RevertOptions, global: &Global) -> ExitCode {
    let command = if target == UndoTarget::Undo {
        "redo"
    } else {
        "undo"
    };
    let policy = match load_policy(global) {
        Ok(policy) => policy,
        Err(stop) => {
            return finish(
                &stop.into_outcome(command),
                &Output::of(global, Verbosity::Verbose),
            );
        }
    };
    let open = if options.dry_run {
        open
    } else {
        open_to_change
    };
    run_and_print(
        command,
        (open, global),
        |workspace, transaction, interrupt| {
            watcher::show_progress(global, |progress| {
                let mut request = Request::undo(target);
                if let What::Undo(undo) = &mut request.what {
                    (undo.force, undo.root) = (options.force, global.root().to_owned());
                }
                (request.look.describe, request.look.progress) = (global.has_digests(), progress);
                let (approve, commands) =
                    (options.approve.clone(), options.commands.commands(global));
                request.commit = Commit {
                    approve,
                    approve_part: None,
                    transaction,
                    commands,
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

/// Runs a command that prints each action unless `--quiet` is given. `open` opens the root.
pub(super) fn run_and_print(
    command: &'static str,
    root: (OpenRoot, &Global),
    run: impl FnOnce(&dyn Workspace, TransactionOptions, &Interrupt) -> Outcome,
) -> ExitCode {
    let outcome = run_in_root(command, root, run);
    finish(&outcome, &Output::of(root.1, Verbosity::Verbose))
}

/// Runs a command on the work tree, and returns its outcome. `open` opens the root.
pub(super) fn run_in_root(
    command: &'static str,
    (open, global): (OpenRoot, &Global),
    run: impl FnOnce(&dyn Workspace, TransactionOptions, &Interrupt) -> Outcome,
) -> Outcome {
    let outcome = || -> Result<Outcome, EarlyExit> {
        let workspace = open(global)?;
        let interrupt = global.caller.catch_signals()?;
        let mut outcome = run(
            &*workspace,
            request::transaction_options(global),
            &interrupt,
        );
        // The history belongs to the whole work tree, so report its top directory as the root.
        let top = engine::history_root(&*workspace).map(|top| top.to_string_lossy().into_owned());
        outcome.report.root = top.or_else(|| root_name(global));
        outcome.report.roots = root_reports(global);
        Ok(outcome)
    };
    outcome().unwrap_or_else(|stop| stop.into_outcome(command))
}

pub(super) fn log(options: &LogOptions, global: &Global) -> ExitCode {
    if options.verify {
        return verify(global);
    }
    if options.format.is_some() {
        return print_traces(global);
    }
    print_list(
        "log",
        global,
        |workspace| Ok(engine::log(workspace, &load_policy(global)?)),
        Log::print,
    )
}

/// Verifies the audit file, and prints the result.
fn verify(global: &Global) -> ExitCode {
    let report = open(global)
        .map(|workspace| engine::verify_audit(&*workspace, request::transaction_options(global)));
    let report = match report {
        Ok(Ok(report)) => report,
        Ok(Err(outcome)) => return finish(&outcome, &Output::of(global, Verbosity::Normal)),
        Err(stop) => {
            return finish(
                &stop.into_outcome("log"),
                &Output::of(global, Verbosity::Normal),
            );
        }
    };
    let printed = if global.json {
        global.caller.print_document(&report, Document::Audit)
    } else if global.quiet {
        Ok(())
    } else {
        global.caller.print(|mut out| report.print(&mut out))
    };
    match (printed.is_err(), report.exit_code) {
        (false, code) if code > 0 => ExitCode::from(code),
        _ => output::exit_code(printed),
    }
}

/// Prints the history as trace records.
fn print_traces(global: &Global) -> ExitCode {
    let traces = open(global)
        .and_then(|workspace| Ok(engine::agent_traces(&*workspace, &load_policy(global)?)));
    match traces {
        Ok(Ok(traces)) => output::exit_code(if global.caller.is_library() {
            global.caller.print_document(&traces, Document::Traces)
        } else {
            global
                .caller
                .print(|mut out| AgentTrace::print_all(&traces, &mut out))
        }),
        Ok(Err(outcome)) => finish(&outcome, &Output::of(global, Verbosity::Normal)),
        Err(stop) => finish(
            &stop.into_outcome("log"),
            &Output::of(global, Verbosity::Normal),
        ),
    }
}

pub(super) fn show(id: &str, global: &Global) -> ExitCode {
    print_list(
        "show",
        global,
        |workspace| Ok(engine::show(workspace, id, &load_policy(global)?)),
        Log::print,
    )
}

/// Prints the change `id` as an HTML page.
pub(super) fn print_html(id: &str, global: &Global) -> ExitCode {
    let print = |log: &Log, mut out: &mut dyn Write| {
        log.entries
            .iter()
            .try_for_each(|entry| print_change_html(entry, &mut out))
    };
    print_list(
        "show",
        global,
        |workspace| Ok(engine::show(workspace, id, &load_policy(global)?)),
        print,
    )
}

/// Prints the result of `list` as JSON, or with `print`.
fn print_list(
    command: &'static str,
    global: &Global,
    list: impl FnOnce(&dyn Workspace) -> Result<Result<Log, Box<Outcome>>, EarlyExit>,
    print: impl Fn(&Log, &mut dyn Write) -> io::Result<()>,
) -> ExitCode {
    let log = match open(global).and_then(|workspace| list(&*workspace)) {
        Ok(Ok(log)) => log,
        Ok(Err(outcome)) => return finish(&outcome, &Output::of(global, Verbosity::Normal)),
        Err(stop) => {
            return finish(
                &stop.into_outcome(command),
                &Output::of(global, Verbosity::Normal),
            );
        }
    };
    if log.entries.is_empty() && log.sessions.is_empty() && !global.quiet && !global.json {
        let unkept = open(global)
            .ok()
            .and_then(|workspace| engine::no_history_reason(&*workspace));
        output::print_to_stderr(unkept.as_deref().unwrap_or("the history is empty"));
    }
    output::exit_code(if global.json {
        global.caller.print_document(&log, Document::Log)
    } else {
        pager::print_paged(global, |out| print(&log, out))
    })
}
