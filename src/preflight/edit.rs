//! From a preimage to a postimage, by hunks or by binary data.

mod binary;
mod known;
mod placed;
mod repeated;

use std::sync::Arc;

use super::cause::{self, FileLines};
use super::checks::way;
use super::codes::code;
use super::done::is_hunk_done;
use super::edited::{Edited, at_lines, compare, headed, tell_place};
use super::findings::Findings;
use super::guards::{judge_block, judge_hunks};
use super::options::Options;
use super::problem::{Problem, Severity};
use super::{hunkwise, reject, whitespace};
use crate::matching::{self, Mismatch, MismatchKind, Placement, Placements};
use crate::plan::{Action, Direction, Edit, Hunk, LineKind, Operation};
use crate::text::{BINARY_PREFIX, Contents, Span, is_binary, printable, utf16_name};
use placed::Placed;
use repeated::AppliedHunks;

pub(super) use placed::counted;

/// Returns what the operation makes of `preimage`; `None` if it cannot.
pub(super) fn postimage(
    operation: &Operation,
    text: &[u8],
    preimage: &Contents,
    options: &Options,
    findings: &mut Findings,
) -> Option<Edited> {
    let made = |bytes: Vec<u8>| Edited::Changed(bytes.into());
    findings.outcome.is_binary = matches!(operation.edit, Edit::Binary(_) | Edit::BinaryMissing);
    match &operation.edit {
        // The worker takes old files from the history itself.
        Edit::Keep | Edit::Restore(_) | Edit::Directory => Some(Edited::Same),
        Edit::Hunks(hunks) => {
            spliced(operation, (text, hunks), preimage, options, findings).map(Edited::Changed)
        }
        Edit::Binary(binary) => {
            binary::postimage(operation, **binary, text, preimage, options, findings).map(made)
        }
        Edit::BinaryMissing => known::postimage(operation, preimage, options, findings).map(made),
        Edit::Cell(wanted) => {
            super::notebook::postimage(wanted, preimage, options.max_made(), findings)
        }
        // The worker has the files that lines come from.
        Edit::Lines(_) => None,
        Edit::Replacements(changes) => {
            super::replace::postimage(operation, changes, preimage, options, findings)
        }
        Edit::Whole(contents) => {
            judge_block(preimage, contents, options, findings);
            compare(preimage, contents, &mut findings.outcome);
            Some(Edited::Changed(Arc::clone(contents).into()))
        }
    }
}

/// Returns what the hunks make of `preimage` that are chosen and not done already.
fn spliced(
    operation: &Operation,
    (text, hunks): (&[u8], &[Hunk]),
    preimage: &Contents,
    options: &Options,
    findings: &mut Findings,
) -> Option<Contents> {
    let direction = operation.direction;
    if let Some(name) = encoding_missed(operation, preimage) {
        cause::refuse_encoding(name, "inserted", findings);
        return None;
    }
    // Those that are left out are looked for as well: the others go where they would go beside
    // them.
    let rules = whitespace::rules(operation, (text, hunks), options);
    let Placed {
        placements,
        overlaid,
        counted,
    } = Placed::new(operation, (text, hunks), preimage, &rules);
    (findings.outcome.added, findings.outcome.removed) = counted;
    if hunkwise::may_merge(operation, options) && placements.iter().any(Result::is_err) {
        return Some(
            hunkwise::merged(
                operation,
                (text, hunks),
                preimage,
                (&rules, options),
                findings,
            )
            .into(),
        );
    }
    explain(
        operation,
        text,
        (hunks, &placements),
        preimage,
        options,
        findings,
    );
    let misfits: Vec<usize> = if options.reject {
        misfits(operation, &placements, options)
    } else {
        Vec::new()
    };
    let is_reduced =
        !misfits.is_empty() && reject::note(operation, (text, hunks), (misfits, options), findings);
    let is_done = |placed: &Result<_, Box<Mismatch>>| {
        options.idempotent && is_hunk_done(placed.as_ref().err().map(|mismatch| &mismatch.kind))
    };
    let chosen = || {
        placements
            .iter()
            .enumerate()
            .filter(|(index, _)| operation.takes(*index))
    };
    let is_pending = |placed: &Result<_, _>| !is_done(placed) && (placed.is_ok() || !is_reduced);
    let pending: Vec<_> = chosen().filter(|(_, placed)| is_pending(placed)).collect();
    let has_done = pending.len() + operation.left_out.len() < placements.len();
    let placed: Option<Vec<_>> = pending
        .iter()
        .map(|(_, placed)| placed.as_ref().ok())
        .collect();
    let some: Option<Vec<Hunk>> = (pending.len() < hunks.len()).then(|| {
        pending
            .iter()
            .map(|(index, _)| hunks[*index].clone())
            .collect()
    });
    findings.outcome.is_done = has_done && pending.is_empty() && !is_reduced;
    let is_as_stated = placements
        .iter()
        .all(|placed| placed.as_ref().is_ok_and(Placement::is_as_stated));
    let (hunks, Some(placed)) = (some.as_deref().unwrap_or(hunks), placed) else {
        findings.outcome.placements = placements;
        return None;
    };
    judge_hunks(hunks, text, direction, options, findings);
    let mut spliced = if let Some(spliced) = overlaid {
        spliced
    } else {
        if !rules.no_add {
            let pairs = hunks.iter().zip(placed.iter().copied());
            whitespace::judge_end(
                operation,
                text,
                preimage,
                pairs,
                &options.whitespace,
                findings,
            );
        }
        matching::splice_by(preimage, text, hunks, direction, &placed, &rules)
    };
    whitespace::note_correction(&mut spliced, findings);
    let after = Contents::of(preimage, spliced.pieces);
    if has_done || rules.correction.is_some() || rules.no_add {
        compare(preimage, &after, &mut findings.outcome);
    }
    findings.outcome.is_binary = is_binary(preimage) || is_binary(&after.beginning(BINARY_PREFIX));
    if options.describe || !is_as_stated {
        findings.outcome.placements = placements;
    }
    Some(after)
}

/// Returns the encoding of a file in UTF-16 if a hunk has neither a line number nor lines of the
/// file, so that the hunk fits although it is in UTF-8.
fn encoding_missed(operation: &Operation, preimage: &[u8]) -> Option<&'static str> {
    let is_unlocated = |hunk: &Hunk| {
        !hunk.anchor.is_numbered() && hunk.preimage_range(operation.direction).count == 0
    };
    operation
        .hunks()
        .any(is_unlocated)
        .then(|| utf16_name(preimage))
        .flatten()
}

/// Returns the chosen hunks that fit nowhere and have not been done either.
fn misfits(operation: &Operation, placements: &Placements, options: &Options) -> Vec<usize> {
    let is_misfit = |placed: &Result<_, Box<Mismatch>>| match placed {
        Ok(_) => false,
        Err(mismatch) => !(options.idempotent && is_hunk_done(Some(&mismatch.kind))),
    };
    let all = placements
        .iter()
        .enumerate()
        .filter(|(index, placed)| operation.takes(*index) && is_misfit(placed));
    all.map(|(index, _)| index).collect()
}

fn is_gone(operation: &Operation) -> bool {
    operation.action == Action::Delete
}

/// Notes what there is to say of each hunk.
fn explain(
    operation: &Operation,
    text: &[u8],
    (hunks, placements): (&[Hunk], &Placements),
    preimage: &[u8],
    options: &Options,
    findings: &mut Findings,
) {
    let all = hunks.iter().zip(placements).enumerate();
    let mut applied = AppliedHunks::new(preimage);
    let file = cause::file_lines(preimage);
    for (index, (hunk, placed)) in all.filter(|(index, _)| operation.takes(*index)) {
        let mismatch = match placed {
            Ok(_) if options.ends_early() => continue,
            Ok(placement) => {
                explain_placed(
                    operation,
                    text,
                    (index, hunk),
                    placement,
                    &mut applied,
                    options,
                    findings,
                );
                continue;
            }
            Err(mismatch) => mismatch,
        };
        let severity = match &mismatch.kind {
            MismatchKind::AlreadyApplied { .. } if options.idempotent => Severity::Warning,
            _ => Severity::Error,
        };
        // `--reject` does not leave out a hunk that makes the file too large, so that its problem
        // is always reported.
        if !matches!(mismatch.kind, MismatchKind::TooLarge { .. })
            && !findings.has_room(severity, options.is_complete())
        {
            continue;
        }
        let name = match hunks.len() {
            1 => "the hunk".to_owned(),
            count => format!("hunk {} of {count}", index + 1),
        };
        let problem = match &mismatch.kind {
            MismatchKind::AlreadyApplied { line } => {
                done(operation, (&name, *line), severity, findings)
            }
            _ => refuse(operation, &name, mismatch, findings),
        };
        if mismatch.kind == MismatchKind::NotFound {
            if !options.ends_early() {
                cause::explain_hunk(
                    problem,
                    (operation, hunk),
                    text,
                    (preimage, &file),
                    mismatch.nearest.as_ref(),
                );
            }
            let old = hunk.preimage_range(operation.direction);
            if fades(hunk, text, options.rules.fuzz) {
                problem
                    .message
                    .push_str(", and that much fuzz would leave none of its lines to look for");
                problem.facts.is_bare = false;
            } else if old.count == 0 && hunk.anchor.is_numbered() {
                explain_end(problem, &name, old.start, &file);
            }
        }
        problem.hunk = Some(index);
        let differs = mismatch
            .nearest
            .as_ref()
            .and_then(|nearest| nearest.difference.as_ref());
        let span = differs.map_or(headed(hunk), |difference| {
            line_at(text, difference.patch_offset)
        });
        problem.place = Some((operation.input, span));
    }
}

/// Reports other places of a hunk that was placed.
fn explain_placed(
    operation: &Operation,
    text: &[u8],
    (index, hunk): (usize, &Hunk),
    placement: &Placement,
    applied: &mut AppliedHunks<'_>,
    options: &Options,
    findings: &mut Findings,
) {
    tell_place(
        operation,
        (index, hunk),
        placement,
        options.is_complete(),
        findings,
    );
    // GNU patch asks about such a patch only if its first hunk fails.
    let may_repeat =
        placement.offset != 0 && placement.candidates.len() < 2 && !options.rules.as_gnu;
    let repeated = may_repeat
        .then(|| applied.line_of(hunk, text, operation.direction))
        .flatten();
    let repeated = repeated.filter(|line| !placement.lines.contains(line));
    if let Some(line) =
        repeated.filter(|_| findings.has_room(Severity::Warning, options.is_complete()))
    {
        report_repeated(operation, (index, hunk), (placement, line), findings);
    }
}

/// Explains why a hunk that inserts lines after line `line` of a shorter file does not fit.
fn explain_end(problem: &mut Problem, name: &str, line: usize, file: &FileLines<'_>) {
    let count = file.len();
    if count < line {
        problem.message =
            format!("{name} belongs after line {line}, and the file ends after line {count}");
        problem.facts.is_bare = false;
    }
}

/// Reports a hunk that fits at an offset although its result is already at `line`, the stated one.
fn report_repeated(
    operation: &Operation,
    (index, hunk): (usize, &Hunk),
    (placement, line): (&Placement, usize),
    findings: &mut Findings,
) {
    let (placed, stated) = (placement.lines.start + 1, line + 1);
    let message = format!(
        "several places fit: the hunk was placed at line {placed}, and its result is already at line {stated}; the patch may be \
         applied already"
    );
    let problem = findings.warning(&code::SEVERAL_PLACES, message);
    problem.lines = vec![line, placement.lines.start];
    problem.hunk = Some(index);
    problem.place = Some((operation.input, headed(hunk)));
}

/// Returns whether a hunk has only context to be found by, and so much fuzz would leave nothing of
/// it.
fn fades(hunk: &Hunk, text: &[u8], fuzz: usize) -> bool {
    let kinds: Vec<_> = hunk
        .lines(text, Direction::Forward)
        .map(|line| line.kind)
        .collect();
    let leading = kinds
        .iter()
        .take_while(|&&kind| kind == LineKind::Context)
        .count();
    let trailing = kinds
        .iter()
        .rev()
        .take_while(|&&kind| kind == LineKind::Context)
        .count();
    let count = |wanted| kinds.iter().filter(|&&kind| kind == wanted).count();
    let has_context_alone =
        count(LineKind::Deletion) == 0 && count(LineKind::Context) == leading + trailing;
    has_context_alone && (1..=fuzz).contains(&leading.max(trailing))
}

fn line_at(text: &[u8], offset: usize) -> Span {
    let length = memchr::memchr(b'\n', &text[offset..]).unwrap_or(text.len() - offset);
    Span::new(offset, offset + length)
}

fn refuse<'f>(
    operation: &Operation,
    hunk: &str,
    mismatch: &Mismatch,
    findings: &'f mut Findings,
) -> &'f mut Problem {
    match &mismatch.kind {
        MismatchKind::NotFound => {
            let problem = findings.error(&code::NOT_FOUND, format!("{hunk} does not match"));
            problem.facts.is_bare = true;
            problem.help = mismatch.nearest.as_ref().map(|nearest| {
                let (line, path) = (nearest.line + 1, &operation.path);
                if nearest.matched == nearest.of {
                    return format!(
                        "{path} has these lines at line {line}, but a hunk without context at one end must reach that end \
                         of the file; --unidiff-zero lifts that"
                    );
                }
                format!("re-read {path} from line {line} on: {} of {} lines match there", nearest.matched, nearest.of)
            });
            problem
        }
        MismatchKind::HeadingNotFound {
            heading,
            above: None,
        } => findings.error(
            &code::NOT_FOUND,
            format!("the heading {} is not in the file", printable(heading)),
        ),
        MismatchKind::HeadingNotFound {
            heading,
            above: Some(line),
        } => {
            let (heading, line) = (printable(heading), line + 1);
            let message =
                format!("the heading {heading} is only at line {line}, above the previous chunk");
            let problem = findings.error(&code::NOT_FOUND, message);
            problem.help = Some("write the chunks in the order of the file".into());
            problem
        }
        MismatchKind::Ambiguous { lines, rung } => {
            let problem = findings.error(
                &code::AMBIGUOUS,
                format!("{hunk} fits ({rung}) {}", at_lines(lines)),
            );
            problem.lines.clone_from(lines);
            problem.help = Some("add lines of context that occur only once".into());
            problem
        }
        MismatchKind::TooLarge { .. } => {
            findings.error(&code::TOO_LARGE, format!("{hunk} makes the file too large"))
        }
        MismatchKind::NotEmpty => findings.error(
            &code::EXISTS,
            format!("{hunk} fills a file that is not empty"),
        ),
        MismatchKind::Overlap => {
            let problem = findings.error(
                &code::OVERLAP,
                format!("{hunk} fits only where another hunk is placed"),
            );
            problem.help = Some("--allow-overlap allows hunks to overlap".into());
            problem
        }
        MismatchKind::AlreadyApplied { line } => {
            done(operation, (hunk, *line), Severity::Error, findings)
        }
    }
}

/// Says that the result of a hunk stands at a line already.
fn done<'f>(
    operation: &Operation,
    (hunk, line): (&str, usize),
    severity: Severity,
    findings: &'f mut Findings,
) -> &'f mut Problem {
    let message = format!(
        "{hunk} is already {}, at line {}",
        way(operation.direction),
        line + 1
    );
    let problem = match severity {
        Severity::Warning => findings.warning(&code::ALREADY_APPLIED, message),
        Severity::Error | Severity::Reject => findings.error(&code::ALREADY_APPLIED, message),
    };
    problem.lines = vec![line];
    problem
}
