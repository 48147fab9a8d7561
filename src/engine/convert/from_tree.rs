//! Converts a patch by its effect on the tree.

use std::collections::HashSet;
use std::sync::Arc;

use bstr::ByteSlice;

use super::from_plan::patch_hunk;
use super::{Converted, NAME, inexpressible};
use crate::engine::request::Decide;
use crate::engine::stages::{Command, Committed};
use crate::engine::suggest::{SeriesInfo, suggest};
use crate::engine::task::{CommandMode, CommandRun};
use crate::engine::{Outcome, Request, What, check, refused_outcome, steps};
use crate::mode::FileMode;
use crate::plan::{Action, Edit, LineKind, Operation, Plan};
use crate::preflight::{ApprovalGate, ContentPair, FileOutcome, KeptContents, PreviewSinks};
use crate::report;
use crate::syntax::Syntax;
use crate::syntax::writers::{PatchChange, hunks_between};
use crate::text::{BYTE_ORDER_MARK, Bytes, is_binary};
use crate::workspace::Workspace;

/// The numbers of context lines to try, until the text has the same effect. `usize::MAX` means the
/// whole file.
const CONTEXTS: [usize; 4] = [3, 10, 50, usize::MAX];

/// Returns the patches of `request` in the format of `syntax`.
pub(super) fn convert(
    mut request: Request,
    syntax: &dyn Syntax,
    workspace: &dyn Workspace,
) -> Result<Converted, Box<Outcome>> {
    request.look.describe = true;
    // The result shows the contents of files, and changes none.
    request.context.approval_gate = ApprovalGate::Reading;
    request.context.is_external_change = true;
    let template = Request {
        what: What::default(),
        ..request.clone()
    };
    let contents_sink = KeptContents::with_limit(u64::MAX);
    let (done, command) = resolve(request, &contents_sink, workspace)?;
    let plan_id = done.report(&command).plan_id;
    let resolved = &done.resolved;
    let plan = &resolved.selected.plan;
    let files = resolved.resolution.as_ref().map_or(&[][..], |it| &it.files);
    let contents: Vec<_> = (0..files.len())
        .map(|index| file_contents(plan, index, files, &contents_sink))
        .collect();
    let changes_with = |context: usize| -> Vec<_> {
        let pairs = contents.iter().enumerate();
        pairs
            .map(|(index, pair)| {
                change_with_contents(&plan.operations[index], &files[index], pair, context)
            })
            .collect()
    };
    let mut previous = Vec::new();
    for context in CONTEXTS {
        let changes = changes_with(context);
        let text = syntax.write(&changes, context).map_err(|error| {
            inexpressible(Some(changes[error.index].path), syntax, error.reason)
        })?;
        // Some formats have no context.
        if text == previous {
            break;
        }
        if plan_id.is_some() && plan_id_of(&text, &template, workspace) == plan_id {
            drop(changes);
            return Ok((text, Box::new(done.finish(&command))));
        }
        previous = text;
    }
    let changes = changes_with(0);
    let (index, reason) = inexact_reason(&changes);
    Err(inexpressible(
        changes.get(index).map(|change| change.path),
        syntax,
        reason,
    ))
}

/// Returns the most likely reason why a text does not have the same effect as `changes`, and the
/// index of the change that causes it.
fn inexact_reason(changes: &[PatchChange<'_>]) -> (usize, &'static str) {
    let has = |change: &PatchChange<'_>, is_cause: fn(&[u8]) -> bool| {
        change.contents.iter().flatten().any(|text| is_cause(text))
    };
    let find = |is_cause| changes.iter().position(|change| has(change, is_cause));
    let mut paths = HashSet::new();
    let repeated = changes.iter().position(|change| {
        let mut names = [Some(change.path), change.from].into_iter().flatten();
        !names.all(|path| paths.insert(path))
    });
    if changes.is_empty() {
        (0, "the patch has no change that is selected")
    } else if let Some(index) = find(|text| !text.is_empty() && !text.ends_with(b"\n")) {
        (
            index,
            "the format cannot express a missing final newline here",
        )
    } else if let Some(index) = find(|text| text.starts_with(BYTE_ORDER_MARK)) {
        (index, "the format cannot express a byte order mark here")
    } else if let Some(index) = find(|text| text.to_str().is_err()) {
        (
            index,
            "the format cannot express text that is not UTF-8 here",
        )
    } else if let Some(index) = repeated {
        (
            index,
            "the format cannot express several changes of one file here",
        )
    } else {
        (0, "the format cannot express the change exactly")
    }
}

/// Checks the request. Returns its result and its command.
fn resolve(
    mut request: Request,
    contents_sink: &KeptContents,
    workspace: &dyn Workspace,
) -> Result<(Committed, Command), Box<Outcome>> {
    let patches = (request.take_patches()).map_err(|problem| refused_outcome(NAME, *problem))?;
    let success = report::Outcome::WouldApply;
    let (mut task, begun) = CommandRun::new((NAME, success), request, workspace)?;
    let origin = SeriesInfo::of(&patches);
    let (selected, options) = steps::read(&task, patches, begun);
    task.preview_sinks = PreviewSinks {
        contents: Some(contents_sink),
        ..PreviewSinks::default()
    };
    let mut done = task.run(selected, &options, CommandMode::Check);
    if done.is_refused() {
        suggest(&task, &origin, &options, &mut done);
        return Err(Box::new(done.finish(&task.command)));
    }
    Ok((done, task.command))
}

/// Returns the `plan_id` of `text`, whose format is detected; `None` if it does not apply.
fn plan_id_of(text: &[u8], template: &Request, workspace: &dyn Workspace) -> Option<String> {
    let given = &template.decide;
    let decide = Decide {
        overwrite: given.overwrite,
        max_files: given.max_files,
        max_hunks: given.max_hunks,
        max_file: given.max_file,
        max_ratio: given.max_ratio,
        max_growth: given.max_growth,
        ..Decide::default()
    };
    let request = Request {
        what: Request::of(text).what,
        decide,
        ..template.clone()
    };
    let report = check(request, workspace).report;
    report.plan_id.filter(|_| report.ok)
}

/// Returns the contents before and after the operation at `index`.
fn file_contents(
    plan: &Plan,
    index: usize,
    files: &[FileOutcome],
    contents_sink: &KeptContents,
) -> ContentPair {
    let operation = &plan.operations[index];
    let (old, new) = files[index].modes;
    if [old, new].contains(&Some(FileMode::Submodule)) {
        return submodule_lines(plan, operation);
    }
    contents_sink.contents(index)
}

/// Returns the old and the new line of a submodule, which the patch contains. In the tree, a
/// submodule is a directory.
fn submodule_lines(plan: &Plan, operation: &Operation) -> ContentPair {
    let Edit::Hunks(hunks) = &operation.edit else {
        return ContentPair::default();
    };
    let text = plan.text(operation);
    let side = |left_out: LineKind| {
        let hunks = hunks.iter().map(|hunk| patch_hunk(hunk, text, operation));
        let lines: Vec<&[u8]> = hunks
            .flat_map(|hunk| hunk.lines)
            .filter(|(kind, _)| *kind != left_out)
            .map(|(_, line)| line)
            .collect();
        Some(Arc::new(Bytes::from(lines.concat())))
    };
    [side(LineKind::Insertion), side(LineKind::Deletion)]
}

fn change_with_contents<'p>(
    operation: &'p Operation,
    outcome: &FileOutcome,
    contents: &'p ContentPair,
    context: usize,
) -> PatchChange<'p> {
    let (old_mode, new_mode) = outcome.modes;
    // In a diff without git's headers, `Modify` can create a file.
    let action = match operation.action {
        Action::Modify if old_mode.is_none() => Action::Create,
        action => action,
    };
    // With `overwrite`, a creation replaces a file. The patch does not contain the old content.
    let exists = [action != Action::Create, action != Action::Delete];
    let side = |side: usize| contents[side].as_ref().filter(|_| exists[side]);
    let bytes = [0, 1].map(|index| side(index).map_or(&b""[..], |content| content));
    let modes = [
        old_mode.filter(|_| exists[0]),
        new_mode.filter(|_| exists[1]),
    ];
    let [old, new] = bytes;
    let is_text = !is_binary(old) && !is_binary(new);
    PatchChange {
        action,
        path: &operation.path,
        from: operation.from.as_ref(),
        modes,
        contents: Some(bytes),
        blobs: None,
        hunks: if is_text {
            hunks_between(old, new, context)
        } else {
            Vec::new()
        },
    }
}
