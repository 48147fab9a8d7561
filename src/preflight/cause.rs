//! Known causes of a mismatch between the text in a patch and its file.

use bstr::ByteSlice;

use super::codes::code;
use super::findings::Findings;
use super::problem::{Markup, MismatchCause, Problem};
use crate::lines::{LADDER, LineOffsets};
use crate::matching::{ClosestMatch, DifferenceReason, Lookalike, LookalikeSearch, lookalike};
use crate::plan::{Hunk, HunkLine, LineKind, Operation};
use crate::syntax::unsupported::without_escapes;
use crate::text::{decode_entities, detect_utf16, without_ending};

/// Adds the cause of the mismatch between `hunk` and `file` to `problem`, if the cause is known.
pub(super) fn explain_hunk(
    problem: &mut Problem,
    (operation, hunk): (&Operation, &Hunk),
    text: &[u8],
    file: &LineOffsets<'_>,
    nearest: Option<&ClosestMatch>,
) {
    if let Some(name) = detect_utf16(file.text()) {
        add(problem, MismatchCause::Encoding(name));
        problem.help = Some(encoding_help(name));
        return;
    }
    let Some(nearest) = nearest else { return };
    let Some(difference) = &nearest.difference else {
        return;
    };
    let found = file.lines_from(difference.file_line).next();
    let found = found.unwrap_or_default();
    let old: Vec<_> = hunk
        .lines(text, operation.direction)
        .filter(|line| line.kind != LineKind::Insertion)
        .collect();
    let nth = difference.file_line.saturating_sub(nearest.line);
    if difference.reason == Some(DifferenceReason::LineEnd) {
        let is_file_crlf = found.ends_with(b"\r\n");
        let is_patch_crlf = old
            .get(nth)
            .is_some_and(|line| line.text.ends_with(b"\r\n"));
        if is_patch_crlf != is_file_crlf {
            add(problem, MismatchCause::LineEnding { is_file_crlf });
            problem.help = Some(line_ending_help((operation, hunk), &old, file, nearest));
        }
        return;
    }
    // The text of the difference is clipped.
    let wanted = old
        .get(nth)
        .map_or(&b""[..], |line| without_ending(line.text));
    if let Some(found) = lookalike(found, wanted) {
        add(
            problem,
            MismatchCause::Lookalike(Lookalike {
                line: difference.file_line,
                ..found
            }),
        );
        return;
    }
    if let Some(markup) = markup(wanted, |plain| plain == without_ending(found)) {
        add_markup(problem, markup);
    }
}

/// Returns the help for a hunk whose line endings differ from those of the closest match. `old` is
/// the hunk's preimage.
fn line_ending_help(
    (operation, hunk): (&Operation, &Hunk),
    old: &[HunkLine<'_>],
    file: &LineOffsets<'_>,
    nearest: &ClosestMatch,
) -> String {
    let key = LADDER
        .iter()
        .find(|rung| rung.name == "whitespace")
        .map(|rung| rung.key);
    let is_alike =
        |(line, found): (&HunkLine<'_>, &[u8])| key.is_some_and(|key| key(line.text) == key(found));
    let matched = old
        .iter()
        .zip(file.lines_from(nearest.line))
        .filter(|&pair| is_alike(pair))
        .count();
    if matched == old.len() && hunk.anchor.is_numbered() {
        return "use --ignore-whitespace to match the lines and keep the line endings of the file"
            .into();
    }
    let path = operation.from.as_ref().unwrap_or(&operation.path);
    let (line, of) = (nearest.line + 1, nearest.total);
    format!(
        "read {path} again from line {line}: {matched} of {of} lines match except for the line endings"
    )
}

/// Returns `text` without `markup`.
fn without(markup: Markup, text: &[u8]) -> Vec<u8> {
    match markup {
        Markup::Entities => decode_entities(text),
        Markup::Colours => without_escapes(text),
    }
}

/// Returns the kind of markup in `wanted` whose removal produces a text that satisfies `fits`.
fn markup(wanted: &[u8], fits: impl Fn(&[u8]) -> bool) -> Option<Markup> {
    [Markup::Entities, Markup::Colours]
        .into_iter()
        .find(|markup| {
            let plain = without(*markup, wanted);
            plain != wanted && fits(&plain)
        })
}

fn add_markup(problem: &mut Problem, markup: Markup) {
    add(problem, MismatchCause::Markup(markup));
    problem.help = Some(markup.help().to_owned());
    problem.facts.advice = Some(markup.advice().to_owned());
}

/// Adds the reason why `wanted` is missing from the text of `file` to `problem`, if it is known.
pub(super) fn explain_text(
    problem: &mut Problem,
    (file, text): (&LookalikeSearch<'_>, &[u8]),
    wanted: &[u8],
) {
    let contains = |wanted: &[u8]| !wanted.is_empty() && text.contains_str(wanted);
    if let Some(found) = file.find(wanted) {
        problem.lines = vec![found.line];
        add(problem, MismatchCause::Lookalike(found));
    } else if let Some(markup) = markup(wanted, contains) {
        add_markup(problem, markup);
    } else if wanted.contains_str(b"\r\n") && contains(&wanted.replace("\r\n", "\n")) {
        add(
            problem,
            MismatchCause::LineEnding {
                is_file_crlf: false,
            },
        );
        problem.help = Some("use the line endings of the file (LF) in the text".to_owned());
        problem.facts.advice = Some("send the text with LF line endings".to_owned());
    }
}

/// Reports that no text can be `done` (for example "inserted") in a file with the encoding `name`.
pub(super) fn refuse_encoding<'f>(
    name: &'static str,
    done: &str,
    findings: &'f mut Findings,
) -> &'f mut Problem {
    let problem = findings.error(&code::BINARY_FILE, format!("text cannot be {done}"));
    add(problem, MismatchCause::Encoding(name));
    problem.help = Some(encoding_help(name));
    problem
}

/// Returns a help text that explains how to change a file with the encoding `name`.
fn encoding_help(name: &str) -> String {
    format!("convert the file to UTF-8, or change it with `wpatch edit --encoding {name}`")
}

/// Appends `cause` to the message of `problem` and stores it in the problem's data.
pub(super) fn add(problem: &mut Problem, cause: MismatchCause) {
    problem.message = format!("{}: {cause}", problem.message);
    problem.facts.cause = Some(cause);
}
