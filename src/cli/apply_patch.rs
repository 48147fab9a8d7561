//! The program under the name `apply_patch` or `applypatch`, as Codex has it: one patch, as the
//! only argument or on standard input, and few words. The tree changes as a whole or not at all.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::args::Global;
use super::output::{complain_as, print};
use super::policy::policy;
use super::root::open_to_change;
use super::{Stop, files, names, request, signals, watched};
use crate::engine::options::code;
use crate::engine::{self, Outcome, Request};
use crate::report::letters;
use crate::text::Bytes;

/// The names that it has.
const NAMES: [&str; 2] = ["apply_patch", "applypatch"];
const USAGE: &str = "usage: apply_patch PATCH, or apply_patch < PATCH";
/// What a patch is, for who asks for help or has none.
const HELP: &str = "a patch begins with a line `*** Begin Patch` and ends with a line `*** End Patch`; between them stand \
    sections: `*** Add File: PATH`, `*** Delete File: PATH`, `*** Update File: PATH`";
/// The exit code of Codex for whatever does not apply, and for a wrong command line.
const FAILED: u8 = 1;
const MISUSED: u8 = 2;

/// Returns whether the program was called by one of its names.
pub(super) fn is_meant(arguments: &[OsString]) -> bool {
    let name = arguments
        .first()
        .and_then(|program| Path::new(program).file_stem());
    NAMES.iter().any(|known| name == Some(OsStr::new(known)))
}

/// Applies the patch that `arguments`, without the name of the program, hold or that comes on
/// standard input.
pub(super) fn run(arguments: &[OsString]) -> ExitCode {
    if matches!(arguments, [wish] if wish == "--help" || wish == "-h") {
        return print(format!("{USAGE}\n\n{HELP}\n").as_bytes());
    }
    let patch = match arguments {
        [] => files::contents(Path::new("-"), request::MAX_PATCH),
        [patch] => Ok(patch.as_encoded_bytes().into()),
        _ => return failed(MISUSED, "more than one argument", Some(USAGE)),
    };
    match patch {
        Ok(patch) if patch.is_empty() => failed(MISUSED, "there is no patch", Some(USAGE)),
        Ok(patch) => apply(patch).map_or_else(
            |stop| failed(FAILED, &stop.words(), None),
            |outcome| told(&outcome),
        ),
        Err(stop) => failed(FAILED, &stop.words(), None),
    }
}

fn apply(patch: Bytes) -> Result<Outcome, Stop> {
    let global = Global {
        root: Some(PathBuf::from(".")),
        ..Global::default()
    };
    let mut request = Request::of(patch);
    "codex".clone_into(&mut request.decide.format);
    request.decide.roots = names::roots(&global);
    request.context.policy = policy(&global)?;
    request.context.interrupt = signals::interrupt();
    let workspace = open_to_change(&global)?;
    Ok(engine::apply(request, &workspace, &watched()?))
}

/// Prints the outcome. A signal, and a tree that could not be restored, keep their exit codes, so
/// that a harness does not mistake them for a patch that does not apply.
fn told(outcome: &Outcome) -> ExitCode {
    let report = &outcome.report;
    if report.ok {
        let text = format!(
            "Success. Updated the following files:\n{}",
            letters(&report.files)
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
    let place = outcome
        .problems
        .iter()
        .find(|problem| problem.code.name == error.code)
        .and_then(|problem| problem.place);
    let line =
        place.and_then(|(input, span)| Some(outcome.inputs.get(input)?.position(span.start).line));
    let line = line.map_or_else(String::new, |line| format!("line {line} of the patch: "));
    let help = if error.code == code::NO_PATCH.name {
        Some(HELP)
    } else {
        error.help.as_deref()
    };
    failed(code, &format!("{line}{path}{}", error.message), help)
}

fn failed(code: u8, message: &str, help: Option<&str>) -> ExitCode {
    complain_as("apply_patch", message);
    if let Some(help) = help {
        complain_as("apply_patch", help);
    }
    ExitCode::from(code)
}
