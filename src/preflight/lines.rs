//! Computes a postimage from a preimage, by edits of numbered lines.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::Options;
use super::codes::code;
use super::constructs::{self, NumberedFile};
use super::edit_result::{EditResult, count_changed_lines};
use super::findings::Findings;
use super::guards::guard_block;
use super::problem::ProblemFacts;
use super::symbol_problem::unparsed_problem;
use crate::matching::{self, LineEditError, LineMismatch};
use crate::path::RelPath;
use crate::plan::{Action, Edit, LineEdit, LineEdits, LineTarget, NewLines, Operation, Plan};
use crate::text::tag::HashlineTag;
use crate::text::{Bytes, is_binary_for_edit, lines, printable, without_bom, without_ending};

/// The number of lines that a report shows on each side of a place.
const AROUND: usize = 2;

/// The maximum number of lines that a report shows.
const MAX_AROUND: usize = 40;

/// The maximum number of bytes shown of one line.
const MAX_SHOWN: usize = 200;

/// The files whose lines are edited, in the version to which the line numbers refer; by [`key`].
pub(super) type NumberedFiles = HashMap<(usize, usize), NumberedFile>;

/// Returns pairs of operations, by index. The first operation of a pair inserts lines from the file
/// of the second one.
pub(super) fn find_line_sources(plan: &Plan) -> Vec<(usize, usize)> {
    let changed = |(index, operation)| edits(operation).map(|edits| (index, operation, edits));
    let changed = || plan.operations.iter().enumerate().filter_map(changed);
    let known: HashMap<_, _> = changed()
        .map(|(index, operation, _)| (key(operation), index))
        .collect();
    let sources = |(index, operation, edits): (usize, &Operation, &LineEdits)| -> Vec<_> {
        let source = |start| {
            known
                .get(&(operation.input, start))
                .map(|&source| (index, source))
        };
        edits
            .sources()
            .filter_map(source)
            .filter(|(index, source)| index != source)
            .collect()
    };
    changed().flat_map(sources).collect()
}

/// Returns the key of an operation from which lines are taken: its input, and its start there.
fn key(operation: &Operation) -> (usize, usize) {
    (operation.input, operation.span.start)
}

fn edits(operation: &Operation) -> Option<&LineEdits> {
    match &operation.edit {
        Edit::Lines(edits) => Some(edits),
        _ => None,
    }
}

/// Returns the postimage of `preimage`; `None` if the edits do not apply. `numbered` contains the
/// files from which lines are taken. If the edits apply, the function adds this file in the version
/// to which the line numbers refer.
pub(super) fn postimage(
    operation: &Operation,
    changes: &LineEdits,
    preimage: &Arc<Bytes>,
    numbered: &mut NumberedFiles,
    options: &Options,
    findings: &mut Findings,
) -> Option<EditResult> {
    let Some((version, shift)) = version(operation, changes, preimage) else {
        refuse_version(changes, preimage, findings);
        return None;
    };
    findings.outcome.is_recovered = !Arc::ptr_eq(&version, preimage);
    for &(what, span) in &changes.repairs {
        findings.warning(&code::LINES_MENDED, what).place = Some((operation.input, span));
    }
    if operation.action == Action::Delete {
        count_changed_lines(
            preimage,
            b"",
            &options.rules.interrupt,
            &mut findings.outcome,
        );
        return Some(EditResult::Same);
    }
    if changes.edits.is_empty() {
        findings.outcome.tag = Some(changes.tag);
        return Some(EditResult::Same);
    }
    if is_binary_for_edit(preimage) {
        findings.outcome.is_binary = true;
        findings.error(
            &code::BINARY_FILE,
            "the file is binary, so its lines cannot be changed",
        );
        return None;
    }
    let constructs = constructs::find_ends(&changes.edits, named_file(operation), &version)
        .map_err(|reason| findings.refuse(unparsed_problem(reason)).code)
        .ok()?;
    let text = version;
    numbered.insert(key(operation), NumberedFile { text, constructs });
    splice(
        operation,
        changes,
        (preimage, shift),
        numbered,
        options,
        findings,
    )
}

/// Applies the edits to `preimage`, whose lines are moved by `shift`. `numbered` contains the file.
fn splice(
    operation: &Operation,
    changes: &LineEdits,
    (preimage, shift): (&[u8], isize),
    numbered: &mut NumberedFiles,
    options: &Options,
    findings: &mut Findings,
) -> Option<EditResult> {
    let file = |start| numbered.get(&(operation.input, start));
    let source = |start| Some(&file(start)?.text[..]);
    let edits = constructs::with_lines(
        &changes.edits,
        &numbered[&key(operation)].constructs,
        |start, line| file(start)?.constructs.get(&line).copied(),
    );
    match matching::change_lines(preimage, &edits, shift, &source, options.max_write()) {
        Ok((after, places)) => {
            count_changed_lines(
                preimage,
                &after,
                &options.rules.interrupt,
                &mut findings.outcome,
            );
            findings.outcome.tag = Some(HashlineTag::of(&after));
            note_places(changes, preimage, places, options, findings);
            Some(EditResult::Changed(after.into()))
        }
        Err(misfits) => {
            numbered.remove(&key(operation));
            refuse_all(operation, (changes, misfits), preimage, findings);
            None
        }
    }
}

/// Reports the edits that have no place.
fn refuse_all(
    operation: &Operation,
    (changes, misfits): (&LineEdits, Vec<LineEditError>),
    preimage: &[u8],
    findings: &mut Findings,
) {
    let count = lines(without_bom(preimage)).count();
    for misfit in misfits {
        let edit = &changes.edits[misfit.edit];
        refuse(operation, edit, misfit.mismatch, count, findings);
    }
}

/// Runs the guards on the new lines at `places`, and records the places.
fn note_places(
    changes: &LineEdits,
    preimage: &[u8],
    places: Vec<matching::LineChange>,
    options: &Options,
    findings: &mut Findings,
) {
    for place in &places {
        if let NewLines::Given(new) = &changes.edits[place.edit].new {
            guard_block(
                &preimage[place.placement.bytes.clone()],
                &new.join(&b'\n'),
                options,
                findings,
            );
        }
    }
    findings.outcome.set_placements(
        places
            .into_iter()
            .map(|place| (place.edit, place.new_lines, place.placement)),
    );
}

/// Returns the path of the file before the change. Its name can determine the language.
fn named_file(operation: &Operation) -> &RelPath {
    operation.from.as_ref().unwrap_or(&operation.path)
}

/// Returns the version to which the line numbers refer, and the offset of the lines in `preimage`
/// from their numbers. Returns `None` if `preimage` is another version and no single offset fits
/// all earlier versions.
fn version(
    operation: &Operation,
    changes: &LineEdits,
    preimage: &Arc<Bytes>,
) -> Option<(Arc<Bytes>, isize)> {
    if HashlineTag::of(preimage) == changes.tag {
        return Some((Arc::clone(preimage), 0));
    }
    // All earlier versions have the stated tag. Different files can have the same short tag, so all
    // of them must agree on the offset.
    let mut shifts = changes.earlier.iter().map(|earlier| {
        let constructs =
            constructs::find_ends(&changes.edits, named_file(operation), earlier).ok()?;
        let edits = constructs::with_named_lines(&changes.edits, &constructs);
        matching::line_offset(earlier, preimage, &edits)
    });
    let shift = shifts.next()??;
    shifts
        .all(|other| other == Some(shift))
        .then(|| (Arc::clone(&changes.earlier[0]), shift))
}

/// Reports that the line numbers refer to another version. The report shows the current lines at
/// these numbers.
fn refuse_version(changes: &LineEdits, preimage: &[u8], findings: &mut Findings) {
    let actual = HashlineTag::of(preimage);
    let message = format!(
        "the file is not the version {}; its tag is {actual}",
        changes.tag
    );
    let problem = findings.error(&code::OTHER_TAG, message);
    let help = if changes.earlier.is_empty() {
        "the file has changed, and its line numbers may differ; read it again"
    } else {
        "the named lines have changed or moved; read the file again"
    };
    problem.help = Some(help.into());
    let around = lines_around(preimage, &changes.edits);
    problem.lines = around.iter().map(|(line, _)| *line).collect();
    problem.facts = ProblemFacts {
        actual_tag: Some(actual),
        around,
        ..ProblemFacts::default()
    };
}

fn refuse(
    operation: &Operation,
    edit: &LineEdit,
    mismatch: LineMismatch,
    count: usize,
    findings: &mut Findings,
) {
    let problem = match mismatch {
        LineMismatch::NotFound(line) => {
            let message = format!("the file has no line {line}; it has {count} lines");
            let problem = findings.error(&code::LINE_NOT_FOUND, message);
            problem.help = Some("use `>$` for the end of the file".into());
            problem
        }
        LineMismatch::ConstructNotFound(line) => {
            let message = format!("no complete construct begins on line {line}");
            let problem = findings.error(&code::SYMBOL_UNSUPPORTED, message);
            problem.help = Some("state the first and the last line, `N.=M`".into());
            problem
        }
        LineMismatch::Overlap(other) => {
            let message = format!("change {} already uses these lines", other + 1);
            let problem = findings.error(&code::LINES_OVERLAP, message);
            problem.help =
                Some("combine the two changes; all line numbers refer to the original file".into());
            problem
        }
        LineMismatch::ExpectedMissing(row) => {
            let row = printable(&edit.expected[row][..edit.expected[row].len().min(MAX_SHOWN)])
                .to_string();
            let message = format!("the row `-{row}` is not one of the deleted lines");
            let problem = findings.error(&code::LINE_NOT_FOUND, message);
            problem.help = Some(
                "begin each row of new text with `+`, even if the text begins with `-`".into(),
            );
            problem
        }
        LineMismatch::SourceMissing => findings.error(
            &code::LINES_LOST,
            "the section that cuts these lines is excluded or does not apply",
        ),
        LineMismatch::TooLarge => {
            let problem = findings.error(
                &code::TOO_LARGE,
                "the inserted lines would make the file too large",
            );
            problem.help = Some("use --max-file to raise the limit".into());
            problem
        }
    };
    problem.place = Some((operation.input, edit.span));
}

/// Returns the lines around the places of `edits`, without terminators. Lines are counted from 0.
fn lines_around(preimage: &[u8], edits: &[LineEdit]) -> Vec<(usize, Vec<u8>)> {
    let text = without_bom(preimage);
    let last = lines(text).count().saturating_sub(1);
    let mut wanted = BTreeSet::new();
    for edit in edits {
        let anchors = match edit.target {
            LineTarget::Lines(lines) => [lines.first, lines.last],
            LineTarget::Before(line)
            | LineTarget::After(line)
            | LineTarget::Construct(line)
            | LineTarget::AfterConstruct(line) => [line, line],
            LineTarget::End => [last + 1, last + 1],
        };
        for anchor in anchors.map(|line| line.saturating_sub(1).min(last)) {
            wanted.extend(anchor.saturating_sub(AROUND)..=(anchor + AROUND).min(last));
        }
        if wanted.len() >= MAX_AROUND {
            break;
        }
    }
    let shown = |(line, (_, text)): (usize, (_, &[u8]))| {
        let text = without_ending(text);
        wanted
            .contains(&line)
            .then(|| (line, text[..text.len().min(MAX_SHOWN)].to_vec()))
    };
    lines(text)
        .enumerate()
        .filter_map(shown)
        .take(MAX_AROUND)
        .collect()
}
