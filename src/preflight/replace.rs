//! Computes a postimage from a preimage, by text edits.

use super::cause;
use super::checks::add_limit;
use super::codes::code;
use super::edit_result::{EditResult, count_changed_lines, format_lines, set_edit_place};
use super::encoded::{self, DecodedText};
use super::findings::Findings;
use super::options::Options;
use super::problem::{Problem, Severity};
use super::symbol_problem::symbol_problem;
use super::{already_applied, guards};
use crate::matching::{
    self, ClosestMatch, LookalikeSearch, MismatchKind, TextChange, TextMismatch, UnplacedChanges,
};
use crate::plan::{AppendMode, Edit, EditOrder, EditTarget, Operation, Replacement, Replacements};
use crate::text::{Contents, detect_utf16, is_binary_for_edit};

/// Returns the postimage of `preimage`; `None` if the edits do not apply.
pub(super) fn postimage(
    operation: &Operation,
    changes: &Replacements,
    preimage: &[u8],
    options: &Options,
    findings: &mut Findings,
) -> Option<EditResult> {
    let encoded = match options.encoding {
        Some(choice) => Some(encoded::read(
            operation,
            changes,
            (preimage, choice),
            findings,
        )?),
        None => None,
    };
    let text = encoded.as_ref().map_or(preimage, |encoded| &encoded.text);
    if refuse_binary(changes, text, findings) {
        return None;
    }
    for edit in changes.edits.iter().filter(|edit| has_same_text(edit)) {
        let problem = findings.error(&code::SAME_TEXT, "the old and the new text are equal");
        set_edit_place(problem, operation, edit);
    }
    if findings.is_failed() {
        return None;
    }
    let left = options
        .idempotent
        .then(|| already_applied::pending_edits(text, changes, options));
    if let Some(left) = left.filter(|left| left.len() < changes.edits.len()) {
        warn_already_applied(changes.edits.len(), left.len(), findings);
        if left.is_empty() {
            findings.outcome.is_already_applied = true;
            return Some(EditResult::Same);
        }
        // Apply the remaining edits, without a second search for applied ones.
        let (changes, options) = (
            Replacements {
                edits: left,
                ..*changes
            },
            Options {
                idempotent: false,
                ..options.clone()
            },
        );
        return postimage(operation, &changes, preimage, &options, findings);
    }
    apply_edits(
        operation,
        changes,
        (preimage, encoded.as_ref()),
        options,
        findings,
    )
}

/// Warns that all but `left` of `all` edits are already applied.
fn warn_already_applied(all: usize, left: usize, findings: &mut Findings) {
    let message = if left == 0 {
        "the change is already applied".to_owned()
    } else {
        format!("{} of {all} edits are already applied", all - left)
    };
    findings.warning(&code::ALREADY_APPLIED, message);
}

/// Refuses edits that a file with binary data or in UTF-16 does not allow. Returns whether it
/// refused any.
fn refuse_binary(changes: &Replacements, text: &[u8], findings: &mut Findings) -> bool {
    let looks_inside =
        |edit: &Replacement| !matches!(edit.target, EditTarget::End(_) | EditTarget::EmptyFile);
    let is_appended = |edit: &Replacement| is_appended_text(edit, text);
    let encoding = detect_utf16(text);
    if is_binary_for_edit(text) && changes.edits.iter().any(looks_inside) {
        if let Some(name) = encoding {
            cause::refuse_encoding(name, "replaced", findings).help =
                Some(format!("use --encoding {name} to change the file"));
        } else {
            findings.error(
                &code::BINARY_FILE,
                "the file is binary, so text in it cannot be replaced",
            );
        }
    } else if let Some(name) = encoding.filter(|_| changes.edits.iter().any(is_appended)) {
        cause::refuse_encoding(name, "appended", findings).help =
            Some(format!("use --encoding {name} to append the text"));
    } else {
        return false;
    }
    findings.outcome.is_binary = true;
    true
}

/// Returns whether the edit appends UTF-8 text to `file`, which is in UTF-16. Bytes are appended
/// unchanged, unless the file has a byte order mark and the bytes are valid UTF-8 text.
fn is_appended_text(edit: &Replacement, file: &[u8]) -> bool {
    let is_text =
        || memchr::memchr(0, &edit.new).is_none() && std::str::from_utf8(&edit.new).is_ok();
    match edit.target {
        EditTarget::End(AppendMode::Lines) => true,
        EditTarget::End(AppendMode::Bytes) => {
            matches!(file, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) && is_text()
        }
        _ => false,
    }
}

/// Applies the edits, and records the place of each edit or the reason why it does not apply.
fn apply_edits(
    operation: &Operation,
    changes: &Replacements,
    (preimage, encoded): (&[u8], Option<&DecodedText>),
    options: &Options,
    findings: &mut Findings,
) -> Option<EditResult> {
    let is_filled =
        matches!(changes.edits.first(), Some(edit) if edit.target == EditTarget::EmptyFile);
    let before = if is_filled && options.overwrite {
        &[][..]
    } else {
        preimage
    };
    let (most, interrupt) = (options.max_write(), &options.rules.interrupt);
    let replaced = match encoded {
        Some(encoded) => encoded.replace(before, changes, most, interrupt),
        None if options.can_stop_early() => Ok(matching::replace_unexplained(
            before, changes, most, interrupt,
        )),
        None => Ok(matching::replace(before, changes, most, interrupt)),
    };
    let replaced = replaced
        .map_err(|error| encoded::refuse(error, operation, changes, findings))
        .ok()?;
    match replaced {
        Ok((after, places)) => {
            match encoded {
                Some(encoded) => count_changed_lines(
                    &encoded.text,
                    &encoded.decode(&after),
                    interrupt,
                    &mut findings.outcome,
                ),
                None => count_changed_lines(preimage, &after, interrupt, &mut findings.outcome),
            }
            judge(
                changes,
                encoded.map_or(preimage, |encoded| &encoded.text),
                &places,
                options,
                findings,
            );
            findings.outcome.set_placements(
                places
                    .into_iter()
                    .map(|place| (place.edit, place.new_lines, place.placement)),
            );
            Some(EditResult::Changed(after.into()))
        }
        Err(misplaced) => {
            let text = encoded.map_or(preimage, |encoded| &encoded.text);
            record_mismatches((operation, changes), text, misplaced, options, findings);
            None
        }
    }
}

/// Runs the guards on the places of the edits. Each place refers to `text`, unless several edits
/// are applied one after the other.
fn judge(
    changes: &Replacements,
    text: &[u8],
    places: &[TextChange],
    options: &Options,
    findings: &mut Findings,
) {
    let is_place = changes.order == EditOrder::Simultaneous || changes.edits.len() == 1;
    for place in places {
        let edit = &changes.edits[place.edit];
        if let Some(old) = guards::replaced_text(edit, is_place.then_some(text), &place.placement) {
            guards::guard_block(old, &edit.new, options, findings);
        }
    }
}

/// Records the known placements and the mismatches of the edits in their order, and reports the
/// mismatches.
fn record_mismatches(
    (operation, changes): (&Operation, &Replacements),
    text: &[u8],
    misplaced: UnplacedChanges,
    options: &Options,
    findings: &mut Findings,
) {
    let known = misplaced
        .places
        .into_iter()
        .map(|place| (place.edit, place.new_lines, Ok(place.placement)));
    let mut known: Vec<_> = known.collect();
    known.extend(
        misplaced
            .mismatches
            .iter()
            .map(|misfit| (misfit.edit, 0, Err(misfit.mismatch.clone()))),
    );
    known.sort_unstable_by_key(|(edit, ..)| *edit);
    let file = LookalikeSearch::new(text);
    for misfit in &misplaced.mismatches {
        if !matches!(misfit.mismatch.kind, MismatchKind::TooLarge { .. })
            && !findings.admit_hunk_problem(Severity::Error, options.has_unlimited_problems())
        {
            continue;
        }
        let edit = &changes.edits[misfit.edit];
        if options.can_stop_early() {
            refuse(operation, edit, misfit, options.max_write(), findings);
            continue;
        }
        let hunk = known.partition_point(|(before, ..)| *before < misfit.edit);
        let problem = refuse(operation, edit, misfit, options.max_write(), findings);
        if let (MismatchKind::NotFound, EditTarget::Text { old, .. } | EditTarget::Lines(old)) =
            (&misfit.mismatch.kind, &edit.target)
        {
            cause::explain_text(problem, (&file, text), old);
        }
        set_edit_place(problem, operation, edit).hunk = Some(hunk);
    }
    findings.outcome.edit_lines = known
        .iter()
        .map(|(edit, lines, _)| (*edit, *lines))
        .collect();
    findings.outcome.placements = known.into_iter().map(|(.., placed)| placed).collect();
}

fn has_same_text(edit: &Replacement) -> bool {
    matches!(&edit.target, EditTarget::Text { old, .. } | EditTarget::Lines(old) if *old == edit.new)
}

fn refuse<'f>(
    operation: &Operation,
    edit: &Replacement,
    misfit: &TextMismatch,
    most: u64,
    findings: &'f mut Findings,
) -> &'f mut Problem {
    let name = name(edit);
    match &misfit.mismatch.kind {
        MismatchKind::Ambiguous { lines, rung, .. } => {
            let count = misfit.count;
            let places = format_lines(lines);
            let message = format!("{name} occurs {count} times {places} ({rung})");
            let problem = findings.error(&code::TEXT_AMBIGUOUS, message);
            problem.lines.clone_from(lines);
            problem.facts.count = Some(count);
            let help = match edit.target {
                EditTarget::Lines(_) => "add surrounding lines until it is unique",
                _ => {
                    "add surrounding text until it is unique, or use --all to replace all occurrences"
                }
            };
            problem.help = Some(help.into());
            problem
        }
        &MismatchKind::TooLarge { size } => {
            let message =
                format!("the file would have {size} bytes, which exceeds the limit of {most}");
            add_limit(findings.error(&code::TOO_LARGE, message), size, most)
        }
        MismatchKind::NotEmpty => {
            let problem = findings.error(&code::EXISTS, "the file already exists and is not empty");
            problem.help = Some(
                "use --overwrite to replace it, or write a block with SEARCH lines to change it"
                    .into(),
            );
            problem
        }
        MismatchKind::Symbol { name, reason } => findings.refuse(symbol_problem(name, reason)),
        MismatchKind::Overlap => findings.error(
            &code::TEXT_OVERLAP,
            format!("{name} overlaps the text of another edit"),
        ),
        _ => {
            let problem = findings.error(
                &code::TEXT_NOT_FOUND,
                format!("{} is not in the file", describe_target(edit, &name)),
            );
            let nearest = misfit.mismatch.nearest.as_ref();
            problem.help = nearest.map(|nearest| describe_nearest(operation, edit, nearest));
            problem
        }
    }
}

fn describe_nearest(operation: &Operation, edit: &Replacement, nearest: &ClosestMatch) -> String {
    let (path, line) = (&operation.path, nearest.line + 1);
    match edit.target {
        EditTarget::After(_) | EditTarget::Before(_) => {
            format!("read {path} again; its last line is line {line}")
        }
        _ => format!("read {path} again around line {line}, the closest match"),
    }
}

fn name(edit: &Replacement) -> String {
    match (&edit.target, edit.index) {
        (EditTarget::Lines(_), Some(index)) => format!("the SEARCH text of block {}", index + 1),
        (_, Some(index)) => format!("the text of edit {}", index + 1),
        (_, None) => "the text".to_owned(),
    }
}

fn describe_target(edit: &Replacement, name: &str) -> String {
    match edit.target {
        EditTarget::After(line) | EditTarget::Before(line) => format!("line {line}"),
        EditTarget::Range { .. } => "the range between the two texts".to_owned(),
        EditTarget::Text { .. }
        | EditTarget::Lines(_)
        | EditTarget::EmptyFile
        | EditTarget::Symbol(_)
        | EditTarget::End(_) => name.to_owned(),
    }
}

/// Returns the operation at `index` with repaired texts for a file with `content`; `None` if no
/// text was repaired.
pub(super) fn repair_operation(
    index: usize,
    operation: &Operation,
    content: &Contents,
    options: &Options,
) -> Option<Operation> {
    let text_repair = options
        .text_repair
        .as_ref()
        .filter(|_| options.encoding.is_none())?;
    if !matches!(operation.edit, Edit::Replacements(_)) || is_binary_for_edit(content.whole()) {
        return None;
    }
    let changes = text_repair.repair(index, operation, content.whole())?;
    Some(Operation {
        edit: Edit::Replacements(Box::new(changes)),
        ..operation.clone()
    })
}
