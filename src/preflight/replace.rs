//! From a preimage to a postimage, by changes of texts.

use super::edit::{Edited, at_lines, compare};
use super::findings::Findings;
use super::problem::{Facts, Problem, code};
use crate::matching::{self, MismatchKind, TextMismatch};
use crate::plan::{Operation, Replacement, Replacements, Target};
use crate::text::is_binary;

/// Returns what `changes` make of `preimage`; `None` if they cannot.
pub(super) fn postimage(
    operation: &Operation,
    changes: &Replacements,
    preimage: &[u8],
    max_file: u64,
    findings: &mut Findings,
) -> Option<Edited> {
    let looks_inside = |edit: &Replacement| !matches!(edit.target, Target::End(_));
    if is_binary(preimage) && changes.edits.iter().any(looks_inside) {
        findings.outcome.is_binary = true;
        findings.error(&code::BINARY_FILE, "the file has binary data, in which no text is replaced");
        return None;
    }
    for edit in changes.edits.iter().filter(|edit| is_nothing(edit)) {
        let problem = findings.error(&code::SAME_TEXT, "the old and the new text are the same");
        at(problem, operation, edit);
    }
    if findings.is_failed() {
        return None;
    }
    match matching::replace(preimage, changes, max_file) {
        Ok((after, places)) => {
            compare(preimage, &after, &mut findings.outcome);
            findings.outcome.texts = places.iter().map(|place| (place.edit, place.new_lines)).collect();
            findings.outcome.placements = places.into_iter().map(|place| Ok(place.placement)).collect();
            Some(Edited::Changed(after))
        }
        Err(misfits) => {
            for (index, misfit) in misfits.iter().enumerate() {
                let edit = &changes.edits[misfit.edit];
                let problem = refuse(operation, edit, misfit, findings);
                at(problem, operation, edit).hunk = Some(index);
            }
            findings.outcome.texts = misfits.iter().map(|misfit| (misfit.edit, 0)).collect();
            findings.outcome.placements = misfits.into_iter().map(|misfit| Err(misfit.mismatch)).collect();
            None
        }
    }
}

fn is_nothing(edit: &Replacement) -> bool {
    matches!(&edit.target, Target::Text { old, .. } if *old == edit.new)
}

fn at<'p>(problem: &'p mut Problem, operation: &Operation, edit: &Replacement) -> &'p mut Problem {
    problem.place = Some((operation.input, edit.span));
    problem.facts.edit = edit.index;
    problem
}

fn refuse<'f>(
    operation: &Operation,
    edit: &Replacement,
    misfit: &TextMismatch,
    findings: &'f mut Findings,
) -> &'f mut Problem {
    let name = edit.index.map_or_else(|| "the text".to_owned(), |index| format!("the text of edit {}", index + 1));
    match &misfit.mismatch.kind {
        MismatchKind::Ambiguous { lines, rung } => {
            let count = misfit.count;
            let message = format!("{name} is there {count} times ({rung}), {}", at_lines(lines));
            let problem = findings.error(&code::TEXT_AMBIGUOUS, message);
            problem.lines.clone_from(lines);
            problem.facts = Facts { count: Some(count), ..Facts::default() };
            problem.help = Some("add text around it that is there only once, or replace all of it with --all".into());
            problem
        }
        MismatchKind::TooLarge => {
            let message = format!("{name} is there {} times, and the file would be over the limit", misfit.count);
            let problem = findings.error(&code::TOO_LARGE, message);
            problem.help = Some("--max-file raises the limit".into());
            problem
        }
        MismatchKind::Overlap => {
            findings.error(&code::TEXT_OVERLAP, format!("{name} overlaps with that of another edit"))
        }
        _ => {
            let problem = findings.error(&code::TEXT_NOT_FOUND, format!("{} is not in the file", wanted(edit, &name)));
            problem.help = misfit.mismatch.nearest.as_ref().map(|nearest| {
                format!("re-read {} around line {}, which is most like it", operation.path, nearest.line + 1)
            });
            problem
        }
    }
}

fn wanted(edit: &Replacement, name: &str) -> String {
    match edit.target {
        Target::After(line) | Target::Before(line) => format!("line {line}"),
        Target::Range { .. } => "a range from the one text to the other".to_owned(),
        Target::Text { .. } | Target::End(_) => name.to_owned(),
    }
}
