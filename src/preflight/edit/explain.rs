//! Reports the place of each hunk, or the reason why it does not apply.

use super::refusal::{refuse, report_applied};
use crate::lines::LineOffsets;
use crate::matching::{Mismatch, MismatchKind, Placement, Placements};
use crate::plan::{Direction, Hunk, LineKind, Operation};
use crate::preflight::cause;
use crate::preflight::codes::code;
use crate::preflight::edit_result::{header_span, report_candidates};
use crate::preflight::findings::Findings;
use crate::preflight::options::Options;
use crate::preflight::problem::{Problem, Severity};
use crate::text::Span;

/// Reports ambiguous places of the chosen hunks, and the problems of the hunks without a placement.
pub(super) fn explain(
    operation: &Operation,
    (text, hunks): (&[u8], &[Hunk]),
    placements: &Placements,
    file: &LineOffsets<'_>,
    options: &Options,
    findings: &mut Findings,
) {
    let explainer = Explainer {
        operation,
        text,
        count: hunks.len(),
        file,
        options,
    };
    let all = hunks.iter().zip(placements).enumerate();
    for (index, (hunk, placed)) in all.filter(|(index, _)| operation.is_applied(*index)) {
        match placed {
            Ok(_) if options.can_stop_early() => {}
            Ok(placement) => explainer.explain_placed((index, hunk), placement, findings),
            Err(mismatch) => explainer.explain_mismatch((index, hunk), mismatch, findings),
        }
    }
}

/// The inputs of all reports about the hunks of one operation.
struct Explainer<'a> {
    operation: &'a Operation,
    text: &'a [u8],
    /// The number of hunks.
    count: usize,
    file: &'a LineOffsets<'a>,
    options: &'a Options,
}

impl Explainer<'_> {
    /// Reports a hunk that does not apply.
    fn explain_mismatch(
        &self,
        (index, hunk): (usize, &Hunk),
        mismatch: &Mismatch,
        findings: &mut Findings,
    ) {
        let (operation, text, options) = (self.operation, self.text, self.options);
        let severity = match &mismatch.kind {
            MismatchKind::AlreadyApplied { .. } if options.idempotent => Severity::Warning,
            _ => Severity::Error,
        };
        // `--reject` never skips a hunk that makes the file too large. Its problem is therefore
        // always reported.
        if !matches!(mismatch.kind, MismatchKind::TooLarge { .. })
            && !findings.admit_hunk_problem(severity, options.has_unlimited_problems())
        {
            return;
        }
        let name = match self.count {
            1 => "the hunk".to_owned(),
            count => format!("hunk {} of {count}", index + 1),
        };
        let problem = match &mismatch.kind {
            MismatchKind::AlreadyApplied { line } => {
                report_applied(operation, (&name, *line), severity, findings)
            }
            _ => refuse(operation, &name, mismatch, findings),
        };
        if mismatch.kind == MismatchKind::NotFound {
            self.explain_missing(problem, (&name, hunk), mismatch);
        }
        problem.hunk = Some(index);
        let differs = mismatch
            .nearest
            .as_ref()
            .and_then(|nearest| nearest.difference.as_ref());
        let span = differs.map_or(header_span(hunk), |difference| {
            line_at(text, difference.patch_offset)
        });
        problem.place = Some((operation.input, span));
    }

    /// Adds the reason why the file does not contain the preimage of the hunk, if the reason is
    /// known.
    fn explain_missing(
        &self,
        problem: &mut Problem,
        (name, hunk): (&str, &Hunk),
        mismatch: &Mismatch,
    ) {
        let (operation, options) = (self.operation, self.options);
        if !options.can_stop_early() {
            cause::explain_hunk(
                problem,
                (operation, hunk),
                self.text,
                self.file,
                mismatch.nearest.as_ref(),
            );
        }
        let old = hunk.preimage_range(operation.direction);
        if is_ignored_by_fuzz(hunk, self.text, options.rules.fuzz) {
            problem
                .message
                .push_str(", because this fuzz ignores all of its lines");
            problem.facts.is_bare = false;
        } else if old.count == 0 && hunk.anchor.is_numbered() {
            explain_short_file(problem, name, old.start, self.file);
        }
    }

    /// Reports the other places that match a placed hunk.
    fn explain_placed(
        &self,
        (index, hunk): (usize, &Hunk),
        placement: &Placement,
        findings: &mut Findings,
    ) {
        let (operation, options) = (self.operation, self.options);
        report_candidates(
            operation,
            (index, hunk),
            placement,
            options.has_unlimited_problems(),
            findings,
        );
        if let Some(line) = placement.already_at.filter(|_| {
            findings.admit_hunk_problem(Severity::Warning, options.has_unlimited_problems())
        }) {
            report_repeated(operation, (index, hunk), (placement, line), findings);
        }
    }
}

/// Reports a hunk that matches at an offset although its result is already at the stated line
/// `line`.
fn report_repeated(
    operation: &Operation,
    (index, hunk): (usize, &Hunk),
    (placement, line): (&Placement, usize),
    findings: &mut Findings,
) {
    let (placed, stated) = (placement.lines.start + 1, line + 1);
    let message = format!(
        "the hunk was placed at line {placed}, but its result is already at line {stated}: the patch may already be applied"
    );
    let problem = findings.warning(&code::SEVERAL_PLACES, message);
    problem.lines = vec![line, placement.lines.start];
    problem.hunk = Some(index);
    problem.place = Some((operation.input, header_span(hunk)));
}

/// Explains that a hunk inserts lines after line `line`, but the file is shorter. The line is
/// counted from 1.
fn explain_short_file(problem: &mut Problem, name: &str, line: usize, file: &LineOffsets<'_>) {
    let count = file.count();
    if count < line {
        problem.message =
            format!("{name} belongs after line {line}, and the file ends after line {count}");
        problem.facts.is_bare = false;
    }
}

/// Returns whether a hunk deletes nothing and has only leading and trailing context, all of which
/// `fuzz` would ignore. Such a hunk would match everywhere, so it is not placed.
fn is_ignored_by_fuzz(hunk: &Hunk, text: &[u8], fuzz: usize) -> bool {
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

/// Returns the line of `text` from `offset` to its end, without the newline.
fn line_at(text: &[u8], offset: usize) -> Span {
    let length = memchr::memchr(b'\n', &text[offset..]).unwrap_or(text.len() - offset);
    Span::new(offset, offset + length)
}
