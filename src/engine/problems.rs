//! What the stages before and behind preflight have to say, as problems.

use std::error::Error;

use crate::path::{PathError, RelPath};
use crate::plan::{Input, NameError, OnlyError, Plan, Rejection, RejectionKind, Repair};
use crate::preflight::{Facts, Problem, Severity, code};
use crate::repair::{self, RefusalKind};
use crate::syntax::{Broken, SyntaxError, SyntaxErrorKind};
use crate::text::printable;
use crate::transaction::history::PlanRejection;
use crate::transaction::{Failure, KeptFile, Recovered};
use crate::workspace::Fault;

/// What helps against somebody else who changes the tree.
const AGAIN: &str = "nothing was written; try again";

/// Most names in one message.
const MOST_NAMED: usize = 8;

/// The help for a patch that ends within a hunk.
const SEND_ALL: &str = "the patch ends in the middle of this hunk; send the complete patch";
/// The help for a patch that ends before something that its format needs.
const SEND_REST: &str = "the patch ends too early; send the complete patch";
/// The help for a patch whose last line cannot be read and has no newline.
const SEND_LINE: &str = "if the patch is cut off in this line, send the complete patch";
/// The help for a patch whose last line can be read and has no newline.
const END_LINE: &str =
    "if the patch is complete, end it with a newline; if it is cut off, send the complete patch";

/// A patch text that cannot be read.
pub(super) fn broken(Broken { error, input: text }: &Broken, input: usize) -> Problem {
    let code = match &error.kind {
        SyntaxErrorKind::NoPatch => &code::NO_PATCH,
        SyntaxErrorKind::NotIncluded => &code::NOT_INCLUDED,
        SyntaxErrorKind::Expected(_) => &code::EXPECTED,
        SyntaxErrorKind::LineCount { .. } => &code::LINE_COUNT,
        SyntaxErrorKind::Truncated { .. } => &code::TRUNCATED,
        SyntaxErrorKind::NumberTooLarge => &code::NUMBER_TOO_LARGE,
        SyntaxErrorKind::ExtraLines => &code::EXTRA_LINES,
        SyntaxErrorKind::Mode => &code::BAD_MODE,
        SyntaxErrorKind::QuotedName => &code::QUOTED_NAME,
        SyntaxErrorKind::Contradiction(_) => &code::CONTRADICTION,
        SyntaxErrorKind::Binary(_) => &code::BINARY_DATA,
        SyntaxErrorKind::EdScript => &code::ED_SCRIPT,
        SyntaxErrorKind::Unsupported(_) | SyntaxErrorKind::Foreign(_) => &code::UNSUPPORTED_FORM,
        SyntaxErrorKind::Mail(_) => &code::MAIL,
        SyntaxErrorKind::TooManyFiles(_) => &code::TOO_MANY_FILES,
        SyntaxErrorKind::TooManyHunks(_) => &code::TOO_MANY_HUNKS,
    };
    let cut_off = cut_off(error, &text.bytes);
    let help = cut_off.or(match &error.kind {
        SyntaxErrorKind::LineCount { .. } => Some("--recount counts the lines instead of believing the header"),
        SyntaxErrorKind::NoPatch => Some(
            "a patch is a unified, git, context or normal diff, a Codex envelope, SEARCH/REPLACE blocks, hashline edits or a JSON document",
        ),
        SyntaxErrorKind::Foreign(foreign) => Some(foreign.help()),
        SyntaxErrorKind::EdScript => Some("`diff -u` of the same files says what changes, and runs nothing"),
        SyntaxErrorKind::Mail(_) => {
            Some("save the patch itself, without its mail, and apply that file; or get the mail again from its archive")
        }
        SyntaxErrorKind::TooManyFiles(_) => Some("--max-files raises the limit"),
        SyntaxErrorKind::TooManyHunks(_) => Some("--max-hunks raises the limit"),
        _ => None,
    });
    let place = Some((input, error.span));
    let (mistake, advice, is_cut_off) = (
        Some(error.kind.clone()),
        cut_off.map(str::to_owned),
        cut_off.is_some(),
    );
    let is_bare = error.kind == SyntaxErrorKind::NoPatch;
    let facts = Facts {
        advice,
        mistake,
        is_bare,
        is_cut_off,
        ..Facts::default()
    };
    Problem {
        place,
        help: help.map(str::to_owned),
        facts,
        ..Problem::new(code, error.to_string())
    }
}

/// Returns the help for a patch that was cut off, if `error` can come from that.
fn cut_off(error: &SyntaxError, text: &[u8]) -> Option<&'static str> {
    let rest = text.get(error.span.start..).unwrap_or_default();
    let is_at_end = rest.trim_ascii().is_empty();
    // What is wrong goes on to the end: a document of one line has its end in that line.
    let is_last_line = !is_at_end
        && memchr::memchr(b'\n', rest).is_none()
        && error.span.end >= text.trim_ascii_end().len();
    match &error.kind {
        SyntaxErrorKind::Truncated { .. } => Some(SEND_ALL),
        SyntaxErrorKind::LineCount { .. } => is_at_end.then_some(SEND_ALL),
        &SyntaxErrorKind::NO_NEWLINE => Some(END_LINE),
        SyntaxErrorKind::Expected(_) | SyntaxErrorKind::Binary(_) if is_at_end => Some(SEND_REST),
        SyntaxErrorKind::Expected(_) | SyntaxErrorKind::Binary(_) if is_last_line => {
            Some(SEND_LINE)
        }
        SyntaxErrorKind::NoPatch => ends_with_header(text).then_some(SEND_REST),
        _ => None,
    }
}

/// Returns whether the last line of `text` is a header of a patch.
fn ends_with_header(text: &[u8]) -> bool {
    const STARTS: [&[u8]; 5] = [
        b"--- ",
        b"+++ ",
        b"*** ",
        b"diff --git ",
        b"***************",
    ];
    let text = text.trim_ascii_end();
    let last = &text[memchr::memrchr(b'\n', text).map_or(0, |newline| newline + 1)..];
    STARTS.iter().any(|start| last.starts_with(start)) && !last.starts_with(b"*** End ")
}

/// An operation whose name cannot be used, at the strip level `strip`.
pub(super) fn rejected(rejection: &Rejection, plan: &Plan, strip: usize) -> Problem {
    let code = match rejection.kind {
        RejectionKind::Irreversible => &code::IRREVERSIBLE,
        RejectionKind::SeveralFiles => &code::USAGE,
        RejectionKind::OtherDigest => &code::UNEXPECTED,
        RejectionKind::Name(NameError::Disagreement) => &code::NAMES_DISAGREE,
        RejectionKind::Name(NameError::Path(PathError::Outside | PathError::Absolute)) => {
            &code::OUTSIDE_ROOT
        }
        RejectionKind::Name(NameError::Path(PathError::Nul)) => &code::CLOSED,
        RejectionKind::Name(NameError::Path(PathError::TooLong)) => &code::PATH_TOO_LONG,
        RejectionKind::Name(NameError::Path(
            PathError::Directory | PathError::Empty | PathError::Root,
        )) => &code::NOT_A_FILE,
        RejectionKind::Name(NameError::Stripped) => &code::NAME_STRIPPED,
        RejectionKind::Name(NameError::Unnamed) => &code::UNNAMED,
    };
    let is_too_deep = matches!(rejection.kind, RejectionKind::Name(NameError::Stripped));
    let help = is_too_deep.then(|| {
        "-p0 uses names without a change; -p1 removes a first directory such as a/".to_owned()
    });
    let is_patch = plan
        .inputs
        .get(rejection.input)
        .is_some_and(|input| !input.formats.is_empty());
    let place = is_patch.then_some((rejection.input, rejection.span));
    let name = rejection.name.clone();
    let facts = Facts {
        strip: Some(strip),
        ..Facts::default()
    };
    Problem {
        name,
        place,
        help,
        facts,
        ..Problem::new(code, rejection.kind.to_string())
    }
}

/// A patch of which nothing is left to do.
pub(super) fn skipped(left_out: usize) -> Problem {
    if left_out == 0 {
        let facts = Facts {
            is_bare: true,
            ..Facts::default()
        };
        return Problem {
            facts,
            ..Problem::new(&code::NO_PATCH, "the patch changes nothing")
        };
    }
    let message = format!("the filters left out every file of the patch, {left_out} in all");
    Problem {
        severity: Severity::Warning,
        ..Problem::new(&code::NOTHING_SELECTED, message)
    }
}

/// Files of a patch that the root does not hold.
pub(super) fn elsewhere(left_out: &[RelPath]) -> Problem {
    let shown: Vec<_> = left_out
        .iter()
        .take(MOST_NAMED)
        .map(ToString::to_string)
        .collect();
    let more = left_out.len() - shown.len();
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    let message = format!(
        "left out, as outside of the root: {}{more}",
        shown.join(", ")
    );
    Problem {
        severity: Severity::Warning,
        ..Problem::new(&code::NOTHING_SELECTED, message)
    }
}

/// Says of a file that is missing that git's index decides: the work tree can have the file.
pub(super) fn name_index(problem: &mut Problem) {
    "does not exist in index".clone_into(&mut problem.message);
}

/// Says of a problem with a patch that a list names where it is listed.
pub(super) fn say_listed(problem: &mut Problem, inputs: &[Input]) {
    let listed = problem
        .place
        .and_then(|(input, _)| inputs.get(input)?.listed.as_ref());
    if let Some((name, line)) = listed {
        problem.message = format!("{} (line {line} of {name})", problem.message);
    }
}

/// A choice that names what is not there.
pub(super) fn unchosen(error: &OnlyError) -> Problem {
    let help = Some("`wpatch check --json` shows the files and hunks with their names".to_owned());
    Problem {
        help,
        ..Problem::new(&code::USAGE, error.to_string())
    }
}

/// A plan that somebody refused.
pub(super) fn rejected_plan(refusal: &PlanRejection) -> Problem {
    let why = refusal
        .reason
        .as_ref()
        .map_or_else(String::new, |reason| format!(": {reason}"));
    let help = Some(
        "`wpatch reject --withdraw` with its plan_id lets it be approved after all".to_owned(),
    );
    let facts = Facts {
        reason: refusal.reason.clone(),
        ..Facts::default()
    };
    Problem {
        help,
        facts,
        ..Problem::new(&code::REJECTED, format!("the plan was rejected{why}"))
    }
}

/// There is no history where `what` could be kept.
pub(super) fn unplaced(what: &str) -> Problem {
    let help = "`wpatch init` makes a place; a work tree of git has one, and so has XDG_STATE_HOME if that is set";
    let message = format!("there is no place here where {what} could be kept");
    Problem {
        help: Some(help.to_owned()),
        ..Problem::new(&code::NO_PLACE, message)
    }
}

/// A change that is not the one that was approved.
pub(super) fn not_approved() -> Problem {
    let stale = Problem::new(
        &code::NOT_APPROVED,
        "the change is not the one that was approved",
    );
    Problem {
        help: Some("check again, and approve the new plan".to_owned()),
        ..stale
    }
}

/// A transaction that was not committed.
pub(super) fn failed(failure: &Failure) -> Vec<Problem> {
    match failure {
        Failure::Locked => {
            let help = Some("try again, or wait longer with --lock-timeout".to_owned());
            vec![Problem {
                help,
                ..Problem::new(&code::LOCKED, failure.to_string())
            }]
        }
        Failure::LockedByUser { directory, owner } => {
            let help = format!(
                "try again, or wait longer with --lock-timeout; if no command runs, run `wpatch recover` as user {owner}, \
                 or remove {directory}"
            );
            vec![Problem {
                help: Some(help),
                ..Problem::new(&code::LOCKED, failure.to_string())
            }]
        }
        Failure::IndexLocked(_) => {
            let help = "wait until it is done; if it died, remove the file".to_owned();
            vec![Problem {
                help: Some(help),
                ..Problem::new(&code::LOCKED, failure.to_string())
            }]
        }
        Failure::Stale(paths) => paths.iter().map(stale).collect(),
        Failure::Interrupted(_) => vec![Problem::new(&code::INTERRUPTED, failure.to_string())],
        Failure::Command { .. } => vec![Problem::new(&code::IO, failure.to_string())],
        // Who sent it back says why.
        Failure::Rejected => Vec::new(),
        Failure::State { .. } => vec![Problem::new(&code::STATE, failure.to_string())],
        Failure::Foreign { .. } => vec![foreign(failure, Severity::Error)],
        // What stood there before is refused by preflight.
        Failure::Workspace(error) if error.fault == Fault::ThroughLink => {
            let message = format!(
                "{}: a link took the place of a directory meanwhile",
                error.path
            );
            vec![Problem {
                help: Some(AGAIN.to_owned()),
                ..Problem::new(&code::STALE, message)
            }]
        }
        Failure::Workspace(error) => {
            let cause = error
                .source()
                .map_or_else(String::new, |source| format!(": {source}"));
            vec![Problem::new(&code::IO, format!("{error}{cause}"))]
        }
        Failure::Incomplete {
            left,
            kept,
            refused,
            cause,
        } => {
            let reasons = [refused, cause]
                .into_iter()
                .flatten()
                .flat_map(|failure| failed(failure));
            std::iter::once(incomplete((left, kept), refused.is_some()))
                .chain(reasons)
                .collect()
        }
    }
}

/// A rollback that could not put back everything.
fn incomplete((left, kept): (&[RelPath], &[KeptFile]), goes_on: bool) -> Problem {
    let left = listed(left.iter().map(ToString::to_string));
    let message = match left.as_str() {
        "" => "the rollback is incomplete".to_owned(),
        left => format!(
            "the rollback is incomplete: another process changed {left} meanwhile; left as it is"
        ),
    };
    let help = if goes_on {
        "`wpatch recover` finishes it".to_owned()
    } else {
        restore(kept)
    };
    Problem {
        help: Some(help),
        ..Problem::new(&code::INCOMPLETE, message)
    }
}

/// An interrupted change that recovery could not roll back as a whole; `None` if it could.
pub(super) fn unrestored(recovered: &Recovered, severity: Severity) -> Option<Problem> {
    let Recovered { id, left, kept, .. } = recovered;
    if left.is_empty() && kept.is_empty() {
        return None;
    }
    let unknown = kept
        .iter()
        .filter(|kept| kept.path.is_none())
        .map(|kept| printable(&kept.copy).to_string());
    let left = listed(left.iter().map(ToString::to_string).chain(unknown));
    let message = format!(
        "the rollback of the interrupted change {id} is incomplete: {left} changed since; left as it is"
    );
    Some(Problem {
        severity,
        help: Some(restore(kept)),
        ..Problem::new(&code::INCOMPLETE, message)
    })
}

/// Returns how the user ends the state in which `kept` are kept.
fn restore(kept: &[KeptFile]) -> String {
    if kept.is_empty() {
        return "check the file; no previous version of it is kept".to_owned();
    }
    let copies = listed(kept.iter().map(|KeptFile { path, copy }| match path {
        Some(path) => format!("the previous {path} is kept as {}", printable(copy)),
        None => format!("a previous version is kept as {}", printable(copy)),
    }));
    format!("{copies}; move it back to restore the file, or delete it to keep the current one")
}

/// Returns the first of `names`, and how many more there are.
fn listed(names: impl Iterator<Item = String>) -> String {
    let names: Vec<_> = names.collect();
    let more = names.len().saturating_sub(MOST_NAMED);
    let shown = names[..names.len() - more].join(", ");
    if more > 0 {
        format!("{shown} and {more} more")
    } else {
        shown
    }
}

/// A state directory of another user. Reading commands go on.
pub(super) fn foreign(failure: &Failure, severity: Severity) -> Problem {
    let (directory, owner) = match failure {
        Failure::Foreign { directory, owner } => (directory.as_str(), *owner),
        _ => ("", 0),
    };
    let help = format!(
        "run `wpatch recover` as user {owner}, who may have an interrupted change here; if there is none, remove \
         {directory}, or change its owner with `chown -R`"
    );
    Problem {
        severity,
        help: Some(help),
        ..Problem::new(&code::STATE, failure.to_string())
    }
}

/// A change of another process that is open.
pub(super) fn half_made() -> Problem {
    let message = "another wpatch changes this tree, or was interrupted; this report describes the current tree";
    let help =
        Some("`wpatch recover`, or the next change, rolls back an interrupted change".to_owned());
    Problem {
        severity: Severity::Warning,
        help,
        ..Problem::new(&code::HALF_MADE, message)
    }
}

/// A file that changed while somebody had a say.
pub(super) fn altered(path: &RelPath) -> Problem {
    let message =
        "the file changed while the change was verified, and stays as it is now".to_owned();
    let help = Some(
        "format files before the patch is applied; `undo` of this change needs --force".to_owned(),
    );
    let problem = Problem::new(&code::ALTERED, message);
    Problem {
        severity: Severity::Warning,
        path: Some(path.clone()),
        help,
        ..problem
    }
}

/// What a committed transaction could not clean up.
pub(super) fn unswept(warning: &str) -> Problem {
    Problem {
        severity: Severity::Warning,
        ..Problem::new(&code::NOT_SWEPT, warning)
    }
}

fn stale(path: &RelPath) -> Problem {
    let message = "the file changed while the patch was being applied".to_owned();
    let help = Some(AGAIN.to_owned());
    Problem {
        path: Some(path.clone()),
        help,
        ..Problem::new(&code::STALE, message)
    }
}

/// A part of a patch that has no certain reading.
pub(super) fn unrepaired(refusal: &repair::Refusal, input: usize) -> Problem {
    let code = match refusal.kind {
        RefusalKind::NoPatch => &code::NO_PATCH,
        RefusalKind::Stray => &code::EXTRA_LINES,
        RefusalKind::Cut => &code::TRUNCATED,
        RefusalKind::NotFound => &code::NOT_FOUND,
        RefusalKind::Overlap => &code::OVERLAP,
        RefusalKind::Ambiguous => &code::AMBIGUOUS,
        RefusalKind::Applied => &code::ALREADY_APPLIED,
        RefusalKind::Name => &code::MISSING,
        RefusalKind::Outside => &code::OUTSIDE_ROOT,
        RefusalKind::Closed => &code::CLOSED,
        RefusalKind::Unapproved => &code::APPROVAL_REQUIRED,
        RefusalKind::Unreadable => &code::NOT_A_FILE,
        RefusalKind::TooMuch => &code::TOO_LARGE,
    };
    let path: Option<RelPath> = refusal.path.clone();
    let lines = refusal.lines.clone();
    let help = (refusal.kind == RefusalKind::Cut).then(|| "send the complete patch".to_owned());
    let facts = Facts {
        nearest: refusal.nearest.clone(),
        advice: help.clone(),
        ..Facts::default()
    };
    Problem {
        place: Some((input, refusal.span)),
        path,
        lines,
        facts,
        help,
        ..Problem::new(code, refusal.message.clone())
    }
}

/// Says what was repaired, each kind once.
pub(super) fn repair_warnings(repairs: &[Repair]) -> Vec<Problem> {
    let mut told: Vec<(&Repair, usize)> = Vec::new();
    for repair in repairs {
        match told.iter_mut().find(|(known, _)| known.code == repair.code) {
            Some((_, more)) => *more += 1,
            None => told.push((repair, 0)),
        }
    }
    let problem = |(repair, more): (&Repair, usize)| {
        let others = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        let message = format!(
            "repaired at line {}{others} of the patch: {}",
            repair.line, repair.message
        );
        Problem {
            severity: Severity::Warning,
            ..Problem::new(&code::REPAIRED, message)
        }
    };
    told.into_iter().map(problem).collect()
}
