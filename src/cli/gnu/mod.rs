//! The program when it is called `patch`: the command line, messages and exit codes of GNU patch.
//! The tree changes completely or not at all.
//!
//! [`run`] parses the options (`args`), removes indentation and CRs from the patch (`text`), passes
//! a request to the engine, and prints GNU patch's messages (`words`). The exit code is 0 for
//! success, 1 if something does not apply, and 2 for trouble. Read [`run_request`] first.

mod args;
mod backup;
mod messages;
mod output;
mod text;

use std::env::consts::EXE_SUFFIX;
use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;

use super::args::{Global, parse_conflict_style};
use super::early_exit::system_message;
use super::output::print_to_stderr_as;
use super::policy::load_policy;
use super::root::{open, open_to_change};
use super::{EarlyExit, arguments, files, request, signals};
use crate::engine::options::{NameGuessOptions, WhitespaceAction, Workspace, code};
use crate::engine::{self, Decide, GnuOptions, Outcome, Request};
use crate::path::path_bytes;
use crate::report::FileStatus;
use args::GnuArguments;
use messages::MessagePrinter;
use output::OutputTarget;
use text::CleanedPatch;

/// The name of the program in this mode.
const NAME: &str = "patch";
/// The exit codes: a part of the patch does not apply, and any other error.
const FAILED: u8 = 1;
const TROUBLE: u8 = 2;
/// The number of context lines that can be ignored by default, as in GNU patch.
const FUZZ: usize = 2;

/// Returns whether the program was called by this name, on Windows with the extension of programs.
pub(super) fn is_called(arguments: &[OsString]) -> bool {
    let name = arguments
        .first()
        .and_then(|program| Path::new(program).file_name()?.to_str());
    name.is_some_and(|name| name.strip_suffix(EXE_SUFFIX).unwrap_or(name) == NAME)
}

/// Runs the program. The first argument is its name.
pub(super) fn run(arguments: &[OsString]) -> ExitCode {
    let options = match GnuArguments::try_parse_from(arguments) {
        Ok(options) => options,
        Err(error) if error.use_stderr() => {
            let text = error.render().to_string();
            return report_trouble(
                text.lines()
                    .next()
                    .unwrap_or_default()
                    .trim_start_matches("error: "),
            );
        }
        Err(wish) => return super::output::print(wish.render().to_string().as_bytes()),
    };
    if let Some((option, why)) = options.refused_option() {
        return report_trouble(&format!("{option} is not supported: {why}"));
    }
    match run_request(&options) {
        Ok(Some((outcome, notes))) => print_outcome(&outcome, &notes, &options),
        Ok(None) => ExitCode::SUCCESS,
        Err(stop) => report_trouble(&stop.to_line()),
    }
}

/// Returns the outcome and the messages about the text. Returns `None` for an empty patch.
fn run_request(options: &GnuArguments) -> Result<Option<(Outcome, Vec<String>)>, EarlyExit> {
    let (root, file) = find_root(options)?;
    let global = Global {
        root: Some(root),
        ..Global::default()
    };
    let below = options.directory.as_deref().unwrap_or(Path::new("."));
    // Changing to a directory needs no permission to list it.
    if let Err(error) = fs_err::read_dir(below).map(drop)
        && error.kind() != io::ErrorKind::PermissionDenied
    {
        let words = format!(
            "Can't change to directory {} : {}",
            below.display(),
            system_message(&error)
        );
        return Err(EarlyExit::new(&code::USAGE, words));
    }
    let patch = match options.input.as_ref().or(options.patch.as_ref()) {
        Some(path) if path.as_os_str() != "-" => {
            let file = below.join(path);
            super::policy::check_readable(&file, &global)?;
            files::read_gnu_patch(&file, path, request::MAX_PATCH)?
        }
        _ => files::read_contents(Path::new("-"), request::MAX_PATCH, &global.caller)?,
    };
    if patch.is_empty() {
        return Ok(None);
    }
    let text = CleanedPatch::new(patch, options.binary);
    let notes = text.notes();
    let mut request = options_from(options, text, file, &global)?;
    let outcome = if let Some(output) = OutputTarget::of(options) {
        output.patch(request, options.dry_run, &global)?
    } else if options.dry_run {
        engine::check(request, &*open(&global)?)
    } else {
        let workspace = open_to_change(&global)?;
        exclude_unchanged(&mut request, options, &*workspace);
        engine::apply(
            request,
            &*workspace,
            &global.caller.catch_signals_in_transactions()?,
        )
    };
    Ok(Some((outcome, notes)))
}

/// Disables the backups of files that `--forward` skips. A check finds these files.
fn exclude_unchanged(request: &mut Request, options: &GnuArguments, workspace: &dyn Workspace) {
    if !options.forward || request.decide.gnu.backup.is_none() {
        return;
    }
    let mut without = request.clone();
    without.decide.gnu.backup = None;
    let files = engine::check(without, workspace).report.files;
    let unchanged = files
        .into_iter()
        .filter(|file| file.status == FileStatus::NoChange)
        .map(|file| file.path);
    if let Some(backup) = &mut request.decide.gnu.backup {
        backup.unchanged.extend(unchanged);
    }
}

/// Returns the root and the name of the file operand below the root. If the operand is outside the
/// directory, its parent directory is the root.
fn find_root(options: &GnuArguments) -> Result<(PathBuf, Option<Vec<u8>>), EarlyExit> {
    let directory = options
        .directory
        .clone()
        .unwrap_or_else(|| PathBuf::from("."));
    let Some(original) = &options.original else {
        return Ok((directory, None));
    };
    let plain: PathBuf = original
        .components()
        .filter(|part| *part != Component::CurDir)
        .collect();
    if plain
        .components()
        .all(|part| matches!(part, Component::Normal(_)))
    {
        return Ok((directory, Some(path_bytes(&plain).into_owned())));
    }
    match (original.parent(), original.file_name()) {
        (Some(parent), Some(name)) => Ok((
            directory.join(parent),
            Some(name.as_encoded_bytes().to_vec()),
        )),
        _ => Err(EarlyExit::new(
            &code::USAGE,
            format!("{} is not a file", original.display()),
        )),
    }
}

fn options_from(
    options: &GnuArguments,
    text: CleanedPatch,
    file: Option<Vec<u8>>,
    global: &Global,
) -> Result<Request, EarlyExit> {
    let forms = [
        (options.unified, "unified"),
        (options.context, "context"),
        (options.normal, "normal"),
    ];
    let format = forms
        .into_iter()
        .find(|(is_asked, _)| *is_asked)
        .map_or("diff", |(_, name)| name);
    let merging = options.merge.as_deref().map(parse_conflict_style);
    let gnu = GnuOptions {
        naming: Some(NameGuessOptions {
            strip: options.strip,
            is_posix: options.posix,
        }),
        backup: backup::backup_names(options)?,
        output: options
            .output
            .as_deref()
            .filter(|_| OutputTarget::of(options).is_none())
            .map(|name| output::relative_to_root(name, global))
            .map(|name| name.as_encoded_bytes().to_vec()),
        removes_empty: options.remove_empty_files,
        fills_empty: true,
        ignores_prerequisites: options.force,
        as_gnu: true,
        converts_line_ends: text.had_returns,
    };
    let mut request = Request::of(text.bytes);
    request.decide = Decide {
        format: format.to_owned(),
        file,
        strip: Some(options.strip.unwrap_or(1)),
        reverse: options.reverse,
        roots: arguments::roots(global),
        fuzz: if merging.is_some() {
            0
        } else {
            options.fuzz.unwrap_or(FUZZ)
        },
        whitespace: Some(WhitespaceAction::NoWarn),
        ignore_whitespace: Some(options.ignore_whitespace),
        idempotent: options.forward || merging.is_some(),
        merge_hunks: merging,
        reject: options.reject,
        reject_to: output::reject_target(options, global)?,
        gnu,
        ..Decide::default()
    };
    request.context.policy = load_policy(global)?;
    request.context.interrupt = global.caller.interrupt();
    request.look.describe = true;
    Ok(request)
}

/// Prints the outcome and returns the exit code. A signal and an incomplete rollback keep their
/// exit codes.
fn print_outcome(outcome: &Outcome, notes: &[String], options: &GnuArguments) -> ExitCode {
    signals::end_at_second_signal();
    let printer = MessagePrinter::new(outcome, notes, options);
    let result = printer.print();
    let report = &outcome.report;
    match report.exit_code {
        FAILED if printer.has_other_version() => ExitCode::from(TROUBLE),
        0 if printer.has_skipped() => ExitCode::from(FAILED),
        0 if result.is_err_and(|error| error.kind() != io::ErrorKind::BrokenPipe)
            && !report.changed =>
        {
            ExitCode::from(TROUBLE)
        }
        code @ (0 | FAILED | 5 | 128..) => ExitCode::from(code),
        _ => ExitCode::from(TROUBLE),
    }
}

fn report_trouble(message: &str) -> ExitCode {
    print_to_stderr_as(NAME, &format!("**** {message}"));
    ExitCode::from(TROUBLE)
}
