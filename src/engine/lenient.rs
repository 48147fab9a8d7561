//! `--lenient`: reads patches with the typical mistakes of models.
//!
//! The input is the patches and the tree. The result is the same selection as without `--lenient`,
//! with a warning for each repair. A patch that applies without repairs is read without repairs. A
//! part of a patch that has no certain reading is refused; nothing is guessed.
//!
//! `repair` is pure: it interprets a damaged patch and computes new contents. This module finds and
//! reads the files for it:
//!
//! - `strict.rs` contains the result without repairs.
//! - `patch.rs` repairs one patch, section by section.
//! - `names.rs` finds the file of each section. `spelling.rs` reads the forms of its name.
//! - `files.rs` contains the files after the sections so far.
//! - `target_tree.rs` reads the files that policy allows to read.
//!
//! Read [`read_repairable`] first.

mod files;
mod names;
mod patch;
mod spelling;
mod strict;
mod target_tree;
#[cfg(test)]
mod tests;

use super::parse;
use super::problems::{refusal_problem, repair_warnings};
use super::request::{Decide, Patches, Request};
use super::stages::Selected;
use super::task::CommandRun;
use super::{not_included, texts};
use crate::plan::{ContentlessChange, Input, Plan, Repair};
use crate::repair::{RepairError, RepairLog, plain_text, unquote_json};
use crate::syntax;
use crate::text::{Bytes, lines};
use crate::transaction::Failure;
use crate::workspace::Workspace;
use bstr::ByteSlice;
use files::FileOverlay;
use patch::{RepairedPatch, repair};
use strict::StrictResolution;
use target_tree::{NameOptions, TargetTree};

/// The decoded texts of patches.
type Inputs = Vec<Input>;
/// The reasons why patches cannot be repaired, each with the number of its patch.
type Refusals = Vec<(usize, RepairError)>;
/// The text of each patch after its repairs.
type RepairedTexts = Vec<(Bytes, Vec<Repair>)>;

/// Reads patches without repairs.
pub(super) type ReadStrictFn<'r> = &'r dyn Fn(&Decide, Patches) -> Selected;
/// The type of [`read`].
pub(super) type ReadPatchesFn = fn(&CommandRun<'_>, Patches, ReadStrictFn<'_>) -> Selected;

/// Reads the patches. The first repairs concern the whole text and do not depend on the tree.
/// `strict` reads patches without repairs.
pub(super) fn read(
    task: &CommandRun<'_>,
    mut patches: Patches,
    strict: ReadStrictFn<'_>,
) -> Selected {
    let mut repairs = Vec::new();
    for (_, text) in &mut patches.texts {
        let (plain, repaired) = plain_text(text).unzip();
        *text = plain.unwrap_or_else(|| text.clone());
        repairs.push(repaired.unwrap_or_default());
    }
    let mut selected = read_repairable(task, &patches, strict);
    selected
        .problems
        .extend(repairs.iter().flat_map(|repairs| repair_warnings(repairs)));
    for (input, repairs) in selected.plan.inputs.iter_mut().zip(repairs) {
        input.repairs.splice(..0, repairs);
    }
    selected
}

/// Reads the patches without repairs if they apply, otherwise with repairs.
fn read_repairable(
    task: &CommandRun<'_>,
    patches: &Patches,
    read_strict: ReadStrictFn<'_>,
) -> Selected {
    let read_unrepaired = || read_strict(&task.request.decide, patches.clone());
    let strict = StrictResolution::of(task, patches, read_strict);
    if !strict.is_repairable {
        return read_unrepaired();
    }
    let fits = strict.is_applicable && !strict.has_placeholders();
    // A document that applies is not converted, because strict mode can read it.
    if let Some(alone) = unquote_patches(patches).filter(|_| !fits) {
        return read_repairable(task, &alone, read_strict);
    }
    if strict.has_separate_repairs() {
        return read_texts(task, read_unrepaired(), &strict);
    }
    if fits && strict.has_only_exact_formats() {
        return read_unrepaired();
    }
    // A mail that cannot be decoded is refused with the position of the error.
    let Some(inputs) = decode_patches(patches) else {
        return read_unrepaired();
    };
    match repair_all(&task.request, &inputs, task.workspace) {
        Ok(Ok(repairs)) if strict.needs_no_repair() && is_unchanged(&repairs) => read_unrepaired(),
        Ok(Ok(repairs)) => {
            let strict = &strict.selected;
            let read = strict.is_resolvable.then_some(&strict.plan.inputs[..]);
            let named = named_changes(read, &inputs);
            let (patches, repairs) = with_repairs(patches, inputs, repairs);
            read_repaired(&task.request.decide, patches, named, repairs, read_strict)
        }
        Ok(Err(refusals)) if strict.is_better_than(&refusals) => read_unrepaired(),
        Ok(Err(refusals)) => refuse_all(inputs, &refusals),
        Err(failure) => from_failure(&failure),
    }
}

/// Repairs the texts that blocks and edits search for, unless the patches apply without repairs.
fn read_texts(
    task: &CommandRun<'_>,
    mut selected: Selected,
    strict: &StrictResolution,
) -> Selected {
    let fits = strict.is_applicable && !strict.has_placeholders();
    if selected.is_resolvable && !fits {
        texts::repair(task.workspace, &strict.options, &mut selected);
    }
    selected
}

/// Returns the decoded text of each patch; `None` if one cannot be decoded.
fn decode_patches(patches: &Patches) -> Option<Inputs> {
    let texts = patches.texts.iter();
    texts
        .map(|(name, bytes)| syntax::decode_input(name, bytes.clone()).ok())
        .collect()
}

fn is_unchanged(repairs: &RepairedTexts) -> bool {
    repairs.iter().all(|(_, repairs)| repairs.is_empty())
}

/// Replaces the texts of `patches` with the repaired ones. The second value contains the repairs of
/// each patch.
fn with_repairs(
    patches: &Patches,
    inputs: Inputs,
    repairs: RepairedTexts,
) -> (Patches, Vec<Vec<Repair>>) {
    let (texts, repairs): (Vec<_>, Vec<_>) = repairs.into_iter().unzip();
    let names = inputs.into_iter().map(|input| input.name);
    let patches = Patches {
        texts: names.zip(texts).collect(),
        series: patches.series.clone(),
        is_saved: patches.is_saved,
    };
    (patches, repairs)
}

/// Returns no operations, and a problem for each of `refusals`.
fn refuse_all(inputs: Inputs, refusals: &Refusals) -> Selected {
    Selected {
        plan: Plan {
            inputs,
            operations: Vec::new(),
        },
        problems: refusals
            .iter()
            .map(|(input, refusal)| refusal_problem(refusal, *input))
            .collect(),
        ..Selected::default()
    }
}

fn from_failure(failure: &Failure) -> Selected {
    let mut selected = Selected::default();
    selected.add_failure(failure);
    selected
}

/// Returns every patch after its repairs, or the refusals, each with the number of its patch. Each
/// patch is repaired for the files of `workspace` with the changes of the patches before it.
fn repair_all(
    request: &Request,
    inputs: &[Input],
    workspace: &dyn Workspace,
) -> Result<Result<RepairedTexts, Refusals>, Failure> {
    let (mut patches, mut refusals) = (Vec::new(), Vec::new());
    let options = request.preflight_options();
    let tree = TargetTree {
        workspace,
        policy: &options.policy,
        min_unread_verdict: options.approval_gate.denied_read_verdict(),
        root: request.decide.root(),
        naming: NameOptions {
            strip_level: request.decide.strip,
            directory: &request.decide.directory,
            below: request.decide.below.as_deref(),
        },
        max_file: options.max_read(),
    };
    let mut files = FileOverlay::new(&tree);
    let file = request.decide.file.as_deref();
    for (index, input) in inputs.iter().enumerate() {
        match repair(&input.bytes, file, &mut files, RepairLog::default())
            .map_err(Failure::Workspace)?
        {
            Ok(RepairedPatch { text, mut repairs }) => {
                renumber(&mut repairs, input);
                patches.push((text.into(), repairs));
            }
            Err(found) => refusals.extend(found.into_iter().map(|refusal| (index, refusal))),
        }
    }
    Ok(if refusals.is_empty() {
        Ok(patches)
    } else {
        Err(refusals)
    })
}

/// Reads repaired patches. The repair writes them as git diffs. Their names are paths below the
/// root with git's prefixes, so the options for names have no further effect.
fn read_repaired(
    decide: &Decide,
    patches: Patches,
    not_included: Vec<Vec<ContentlessChange>>,
    repairs: Vec<Vec<Repair>>,
    read_strict: ReadStrictFn<'_>,
) -> Selected {
    let (format, directory) = ("auto".to_owned(), Vec::new());
    let decide = Decide {
        format,
        recount: false,
        strip: Some(1),
        directory,
        below: None,
        ..decide.clone()
    };
    let mut selected = read_strict(&decide, patches);
    let inputs = selected
        .plan
        .inputs
        .iter_mut()
        .zip(not_included.into_iter().zip(repairs));
    for (input, (named, repairs)) in inputs {
        (input.not_included, input.repairs) = (named, repairs);
    }
    not_included::report(parse::contentless_severity(&decide), &mut selected);
    selected.problems.extend(
        selected
            .plan
            .inputs
            .iter()
            .flat_map(|input| repair_warnings(&input.repairs)),
    );
    selected
}

/// Replaces each JSON document that contains a patch as a string with that patch; returns `None` if
/// no patch is such a document.
fn unquote_patches(patches: &Patches) -> Option<Patches> {
    let mut alone = patches.clone();
    let mut is_quoted = false;
    for (_, text) in &mut alone.texts {
        if let Some(patch) = unquote_json(text) {
            (*text, is_quoted) = (patch.into(), true);
        }
    }
    is_quoted.then_some(alone)
}

/// Returns the changes that each patch names but does not contain. `read` contains the patches if
/// they could be parsed.
fn named_changes(read: Option<&[Input]>, inputs: &[Input]) -> Vec<Vec<ContentlessChange>> {
    let damaged = |input: &Input| {
        let is_envelope = input.bytes.contains_str(b"*** Begin Patch");
        let mut found = if is_envelope {
            Vec::new()
        } else {
            syntax::find_in_damaged(&input.bytes)
        };
        if let Some(origin) = &input.origin {
            let line = origin.line_numbers();
            for named in &mut found {
                named.line = line(named.span.start);
            }
        }
        found
    };
    match read {
        Some(inputs) => inputs
            .iter()
            .map(|input| input.not_included.clone())
            .collect(),
        None => inputs.iter().map(damaged).collect(),
    }
}

/// Converts the line numbers of `repairs` from the decoded text of a mail to the original mail.
fn renumber(repairs: &mut [Repair], input: &Input) {
    let Some(origin) = &input.origin else { return };
    let starts: Vec<_> = lines(&input.bytes).map(|(span, _)| span.start).collect();
    let line = origin.line_numbers();
    for repair in repairs {
        if let Some(&start) = repair.line.checked_sub(1).and_then(|line| starts.get(line)) {
            repair.line = line(start);
        }
    }
}
