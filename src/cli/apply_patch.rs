//! The program when it is called `apply_patch` or `applypatch`, with the interface of Codex's tool.
//!
//! The patch is the only argument, or standard input if there is no argument. The output is short.
//! The tree changes completely or not at all.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::args::Global;
use super::caller::Caller;
use super::output::{print, print_to_stderr_as};
use super::policy::load_policy;
use super::root::open_to_change;
use super::{EarlyExit, arguments, files, request, signals};
use crate::engine::options::code;
use crate::engine::{self, Outcome, Request};
use crate::report::letter_summary;
use crate::text::Bytes;

/// The names of the program in this mode.
const NAMES: [&str; 2] = ["apply_patch", "applypatch"];
const USAGE: &str = "usage: apply_patch PATCH, or apply_patch < PATCH";
/// The explanation of the format, printed for `--help` and if the input contains no patch.
const HELP: &str = "begin the patch with a line `*** Begin Patch` and end it with a line `*** End Patch`, with \
     sections between them: `*** Add File: PATH`, `*** Delete File: PATH`, `*** Update File: PATH`";
/// The exit codes of Codex's tool: for a patch that does not apply, and for a usage error.
const FAILED: u8 = 1;
const MISUSED: u8 = 2;

/// Returns whether the program was called by one of [`NAMES`], with any extension.
pub(super) fn is_called(arguments: &[OsString]) -> bool {
    let name = arguments
        .first()
        .and_then(|program| Path::new(program).file_stem());
    NAMES.iter().any(|known| name == Some(OsStr::new(known)))
}

/// Applies the patch in `arguments` or on standard input. `arguments` does not contain the name of
/// the program.
pub(super) fn run(arguments: &[OsString]) -> ExitCode {
    if matches!(arguments, [wish] if wish == "--help" || wish == "-h") {
        return print(format!("{USAGE}\n\n{HELP}\n").as_bytes());
    }
    let patch = match arguments {
        [] => files::read_contents(Path::new("-"), request::MAX_PATCH, &Caller::Process),
        [patch] => Ok(patch.as_encoded_bytes().into()),
        _ => return fail(MISUSED, "more than one argument", Some(USAGE)),
    };
    match patch {
        Ok(patch) if patch.is_empty() => fail(MISUSED, "the patch is empty", Some(USAGE)),
        Ok(patch) => {
            apply(patch).map_or_else(|stop| fail(FAILED, &stop.to_line(), None), print_outcome)
        }
        Err(stop) => fail(FAILED, &stop.to_line(), None),
    }
}

fn apply(patch: Bytes) -> Result<Outcome, EarlyExit> {
    let global = Global {
        root: Some(PathBuf::from(".")),
        ..Global::default()
    };
    let mut request = Request::of(patch);
    "codex".clone_into(&mut request.decide.format);
    request.decide.roots = arguments::roots(&global);
    request.context.policy = load_policy(&global)?;
    request.context.interrupt = global.caller.interrupt();
    let workspace = open_to_change(&global)?;
    Ok(engine::apply(
        request,
        &*workspace,
        &global.caller.catch_signals()?,
    ))
}

/// Prints the outcome with the next step for a model. A signal and an incomplete rollback keep
/// their exit codes, so that a harness can distinguish them from a patch that does not apply.
fn print_outcome(outcome: Outcome) -> ExitCode {
    signals::end_at_second_signal();
    let Outcome {
        report,
        problems,
        inputs,
        ..
    } = outcome;
    let report = report.for_model();
    if report.ok {
        let text = format!(
            "Success. Updated the following files:\n{}",
            letter_summary(&report.files)
        );
        return print(text.as_bytes());
    }
    let code = match report.exit_code {
        code @ (5 | 128..) => code,
        _ => FAILED,
    };
    let Some(error) = &report.error else {
        return ExitCode::from(code);
    };
    let path = error
        .path
        .as_ref()
        .map_or_else(String::new, |path| format!("{path}: "));
    let place = problems
        .iter()
        .find(|problem| problem.code.name == error.code)
        .and_then(|problem| problem.place);
    let line = place.and_then(|(input, span)| Some(inputs.get(input)?.position(span.start).line));
    let line = line.map_or_else(String::new, |line| format!("line {line} of the patch: "));
    let help = if error.code == code::NO_PATCH.name {
        Some(HELP)
    } else {
        error.help.as_deref()
    };
    fail(code, &format!("{line}{path}{}", error.message), help)
}

fn fail(code: u8, message: &str, help: Option<&str>) -> ExitCode {
    print_to_stderr_as("apply_patch", message);
    if let Some(help) = help {
        print_to_stderr_as("apply_patch", help);
    }
    ExitCode::from(code)
}
