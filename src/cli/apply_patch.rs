//! The program under the name `apply_patch` or `applypatch`, as Codex has it: one patch, as the only argument or on
//! standard input, and few words. The tree changes as a whole or not at all.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::args::Global;
use super::output::complain_as;
use super::{Stop, document, input, open, watched};
use crate::engine::{self, Outcome, Request};
use crate::report::{FileReport, Op};
use crate::text::{Position, printable};

/// The names that it has.
const NAMES: [&str; 2] = ["apply_patch", "applypatch"];
/// Largest patch that is read, in bytes.
const MAX_PATCH: u64 = 4 << 30;
const USAGE: &str = "usage: apply_patch PATCH, or apply_patch < PATCH";
/// The exit code of Codex for whatever does not apply, and for a wrong command line.
const FAILED: u8 = 1;
const MISUSED: u8 = 2;

/// Returns whether the program was called by one of its names.
pub(super) fn is_meant(arguments: &[OsString]) -> bool {
    let name = arguments.first().and_then(|program| Path::new(program).file_stem());
    NAMES.iter().any(|known| name == Some(OsStr::new(known)))
}

/// Applies the patch that `arguments`, without the name of the program, hold or that comes on standard input.
pub(super) fn run(arguments: &[OsString]) -> ExitCode {
    let patch = match arguments {
        [] => input::contents(Path::new("-"), MAX_PATCH),
        [patch] => Ok(patch.as_encoded_bytes().to_vec()),
        _ => return failed(MISUSED, "more than one argument", Some(USAGE)),
    };
    match patch {
        Ok(patch) if patch.is_empty() => failed(MISUSED, "there is no patch", Some(USAGE)),
        Ok(patch) => apply(patch).map_or_else(|stop| failed(FAILED, &stop.message, None), |outcome| told(&outcome)),
        Err(stop) => failed(FAILED, &stop.message, None),
    }
}

fn apply(patch: Vec<u8>) -> Result<Outcome, Stop> {
    let global = Global { root: Some(PathBuf::from(".")), ..Global::default() };
    let request = Request { format: "codex".to_owned(), ..Request::of(patch) };
    let workspace = open(&global)?;
    Ok(engine::apply(request, &workspace, watched()?))
}

/// Says what came of it. A signal, and a tree that could not be put back, keep their exit codes: nobody may take them for
/// a patch that does not fit.
fn told(outcome: &Outcome) -> ExitCode {
    let report = &outcome.report;
    if report.ok {
        return document::print(listed(&report.files).as_bytes());
    }
    let code = match report.exit_code {
        code @ (5 | 128..) => code,
        _ => FAILED,
    };
    let Some(error) = &report.error else { return ExitCode::from(code) };
    let path = error.path.as_ref().map_or_else(String::new, |path| format!("{path}: "));
    let place =
        outcome.problems.iter().find(|problem| problem.code.name == error.code).and_then(|problem| problem.place);
    let line = place.and_then(|(input, span)| Some(Position::of(&outcome.inputs.get(input)?.bytes, span.start).line));
    let line = line.map_or_else(String::new, |line| format!("line {line} of the patch: "));
    failed(code, &format!("{line}{path}{}", error.message), error.help.as_deref())
}

/// The files, as Codex lists them: what is new, what is changed or moved, what is gone.
fn listed(files: &[FileReport]) -> String {
    let mut text = "Success. Updated the following files:\n".to_owned();
    for letter in ['A', 'M', 'D'] {
        for file in files.iter().filter(|file| self::letter(file.op) == letter) {
            let _ = writeln!(text, "{letter} {}", printable(file.path.as_bytes()));
        }
    }
    text
}

fn letter(op: Op) -> char {
    match op {
        Op::Create | Op::Copy => 'A',
        Op::Modify | Op::Rename | Op::Mode => 'M',
        Op::Delete => 'D',
    }
}

fn failed(code: u8, message: &str, help: Option<&str>) -> ExitCode {
    complain_as("apply_patch", message);
    if let Some(help) = help {
        complain_as("apply_patch", help);
    }
    ExitCode::from(code)
}
