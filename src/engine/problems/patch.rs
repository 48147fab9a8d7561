//! The problems of parsing a patch, of its names, and of the selection.

use super::MAX_NAMED;
use crate::path::{PathError, RelPath};
use crate::plan::{
    HunkSelectionError, Input, InvalidOperation, InvalidOperationKind, NameError, Plan,
};
use crate::preflight::{Problem, ProblemFacts, Severity, code};
use crate::syntax::{MalformedPatch, SyntaxError, SyntaxErrorKind};

/// The help for a patch that ends within a hunk.
const TRUNCATED_HUNK_HELP: &str =
    "the patch ends in the middle of this hunk; provide the complete patch";
/// The help for a patch that ends before a required part of its format.
const TRUNCATED_PATCH_HELP: &str = "the patch ends too early; provide the complete patch";
/// The help for a patch whose last line cannot be read and has no newline.
const TRUNCATED_LINE_HELP: &str =
    "if the patch ends in the middle of this line, provide the complete patch";
/// The help for a patch whose last line can be read and has no newline.
const FINAL_NEWLINE_HELP: &str =
    "if the patch is complete, add a final newline; otherwise provide the complete patch";

/// Returns the problem of a patch that cannot be parsed.
pub(in crate::engine) fn syntax_problem(
    MalformedPatch { error, input: text }: &MalformedPatch,
    input: usize,
) -> Problem {
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
        SyntaxErrorKind::UnsupportedConstruct(_) | SyntaxErrorKind::UnsupportedFormat(_) => {
            &code::UNSUPPORTED_FORM
        }
        SyntaxErrorKind::Mail(_) => &code::MAIL,
        SyntaxErrorKind::TooManyFiles(_) => &code::TOO_MANY_FILES,
        SyntaxErrorKind::TooManyHunks(_) => &code::TOO_MANY_HUNKS,
    };
    let cut_off = truncation_help(error, &text.bytes);
    let help = cut_off.or(match &error.kind {
        SyntaxErrorKind::LineCount { .. } => Some("fix the counts in the header, or use --recount to ignore them"),
        SyntaxErrorKind::NoPatch => Some(
            "provide a unified, git, context or normal diff, a Codex patch, SEARCH/REPLACE blocks, hashline edits or \
             a JSON document",
        ),
        SyntaxErrorKind::UnsupportedFormat(foreign) => Some(foreign.help()),
        SyntaxErrorKind::EdScript => Some("create a unified diff of the same files with `diff -u`"),
        SyntaxErrorKind::Mail(_) => {
            Some("save the patch without the mail and apply that file, or download the mail again")
        }
        SyntaxErrorKind::TooManyFiles(_) => Some("use --max-files to raise the limit"),
        SyntaxErrorKind::TooManyHunks(_) => Some("use --max-hunks to raise the limit"),
        _ => None,
    });
    let place = Some((input, error.span));
    let (mistake, advice, is_cut_off) = (
        Some(error.kind.clone()),
        cut_off.map(str::to_owned),
        cut_off.is_some(),
    );
    let is_bare = error.kind == SyntaxErrorKind::NoPatch;
    let facts = ProblemFacts {
        advice,
        mistake,
        is_bare,
        is_cut_off,
        ..ProblemFacts::default()
    };
    Problem {
        place,
        help: help.map(str::to_owned),
        facts,
        ..Problem::new(code, error.to_string())
    }
}

/// Returns the help for a truncated patch, if truncation can cause `error`.
fn truncation_help(error: &SyntaxError, text: &[u8]) -> Option<&'static str> {
    let rest = text.get(error.span.start..).unwrap_or_default();
    let is_at_end = rest.trim_ascii().is_empty();
    // The error extends to the end of the text. A document of one line ends in that line.
    let is_last_line = !is_at_end
        && memchr::memchr(b'\n', rest).is_none()
        && error.span.end >= text.trim_ascii_end().len();
    match &error.kind {
        SyntaxErrorKind::Truncated { .. } => Some(TRUNCATED_HUNK_HELP),
        SyntaxErrorKind::LineCount { .. } => is_at_end.then_some(TRUNCATED_HUNK_HELP),
        &SyntaxErrorKind::NO_NEWLINE => Some(FINAL_NEWLINE_HELP),
        SyntaxErrorKind::Expected(_) | SyntaxErrorKind::Binary(_) if is_at_end => {
            Some(TRUNCATED_PATCH_HELP)
        }
        SyntaxErrorKind::Expected(_) | SyntaxErrorKind::Binary(_) if is_last_line => {
            Some(TRUNCATED_LINE_HELP)
        }
        SyntaxErrorKind::NoPatch => ends_with_header(text).then_some(TRUNCATED_PATCH_HELP),
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

/// Returns the problem of an operation that was rejected, for example because of its name. `strip`
/// is the strip level.
pub(in crate::engine) fn rejection_problem(
    rejection: &InvalidOperation,
    plan: &Plan,
    strip: usize,
) -> Problem {
    let code = match rejection.kind {
        InvalidOperationKind::Irreversible => &code::IRREVERSIBLE,
        InvalidOperationKind::SeveralFiles => &code::USAGE,
        InvalidOperationKind::OtherDigest => &code::UNEXPECTED,
        InvalidOperationKind::Name(NameError::Disagreement) => &code::NAMES_DISAGREE,
        InvalidOperationKind::Name(NameError::Path(PathError::Outside | PathError::Absolute)) => {
            &code::OUTSIDE_ROOT
        }
        InvalidOperationKind::Name(NameError::Path(PathError::Nul)) => &code::CLOSED,
        InvalidOperationKind::Name(NameError::Path(PathError::TooLong)) => &code::PATH_TOO_LONG,
        InvalidOperationKind::Name(NameError::Path(
            PathError::Directory | PathError::Empty | PathError::Root,
        )) => &code::NOT_A_FILE,
        InvalidOperationKind::Name(NameError::Stripped) => &code::NAME_STRIPPED,
        InvalidOperationKind::Name(NameError::Unnamed) => &code::UNNAMED,
    };
    let is_too_deep = matches!(
        rejection.kind,
        InvalidOperationKind::Name(NameError::Stripped)
    );
    let help = is_too_deep.then(|| {
        "use -p0 to keep the names as they are, or -p1 to remove a first directory such as a/"
            .to_owned()
    });
    let is_patch = plan
        .inputs
        .get(rejection.input)
        .is_some_and(|input| !input.formats.is_empty());
    let place = is_patch.then_some((rejection.input, rejection.span));
    let name = rejection.name.clone();
    let facts = ProblemFacts {
        strip: Some(strip),
        ..ProblemFacts::default()
    };
    Problem {
        name,
        place,
        help,
        facts,
        ..Problem::new(code, rejection.kind.to_string())
    }
}

/// Returns the problem of a patch that changes nothing. If filters left out every file, the problem
/// is a warning.
pub(in crate::engine) fn no_change_problem(left_out: usize) -> Problem {
    if left_out == 0 {
        let facts = ProblemFacts {
            is_bare: true,
            ..ProblemFacts::default()
        };
        return Problem {
            facts,
            ..Problem::new(&code::NO_PATCH, "the patch changes nothing")
        };
    }
    let message = format!("the filters exclude every file of the patch ({left_out})");
    Problem {
        severity: Severity::Warning,
        ..Problem::new(&code::NOTHING_SELECTED, message)
    }
}

/// Returns the warning about files of a patch that are outside the root.
pub(in crate::engine) fn outside_root_warning(left_out: &[RelPath]) -> Problem {
    let shown: Vec<_> = left_out
        .iter()
        .take(MAX_NAMED)
        .map(ToString::to_string)
        .collect();
    let more = left_out.len() - shown.len();
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    let message = format!(
        "skipped, because the path is outside the root: {}{more}",
        shown.join(", ")
    );
    Problem {
        severity: Severity::Warning,
        ..Problem::new(&code::NOTHING_SELECTED, message)
    }
}

/// Adds to the message the line of the series file that lists the patch.
pub(in crate::engine) fn add_series_position(problem: &mut Problem, inputs: &[Input]) {
    let listed = problem
        .place
        .and_then(|(input, _)| inputs.get(input)?.series_entry.as_ref());
    if let Some((name, line)) = listed {
        problem.message = format!("{} (line {line} of {name})", problem.message);
    }
}

/// Returns the problem of a selection that names a missing file or hunk.
pub(in crate::engine) fn selection_problem(error: &HunkSelectionError) -> Problem {
    let help = Some("run `wpatch check --json` to list the ids of the files and hunks".to_owned());
    Problem {
        help,
        ..Problem::new(&code::USAGE, error.to_string())
    }
}
