//! Repairs of blocks and edits, for the files that they search in (`--lenient`).

use std::collections::HashMap;

use super::Run;
use super::lenient::{told, unrepaired};
use crate::matching;
use crate::path::RelPath;
use crate::plan::{Action, Edit, EditOrder, Operation, Repair, Replacements, Target};
use crate::policy::{Access, Verdict};
use crate::preflight::{self, Held};
use crate::repair::{ROWS, Refusal, repair_text};
use crate::text::{Position, is_data};
use crate::workspace::Workspace;

/// The files as the operations so far leave them.
type Files = HashMap<RelPath, Vec<u8>>;

/// The repairs of the edits of one operation, each with its offset in the input in bytes, or why there are none.
type Repaired = Result<Vec<(usize, Repair)>, Vec<Refusal>>;

impl Run {
    /// Repairs the texts that the plan searches for; returns whether there is a plan to look at.
    pub(super) fn repair_texts(&mut self, workspace: &dyn Workspace, options: &preflight::Options) -> bool {
        if options.encoding.is_some() {
            return true;
        }
        let (mut files, mut is_certain) = (Files::new(), true);
        let mut operations = std::mem::take(&mut self.plan.operations);
        for operation in &mut operations {
            let Some(content) = searched(operation, &files, workspace, options) else { continue };
            match repaired(operation, content) {
                (after, Ok(repairs)) => {
                    files.insert(operation.path.clone(), after);
                    self.note_repairs(operation.input, repairs);
                }
                (_, Err(refusals)) => {
                    is_certain = false;
                    let named = |refusal: Refusal| Refusal { path: Some(operation.path.clone()), ..refusal };
                    let problems = refusals.into_iter().map(|refusal| unrepaired(&named(refusal), operation.input));
                    self.problems.extend(problems);
                }
            }
        }
        self.plan.operations = operations;
        is_certain
    }

    fn note_repairs(&mut self, input: usize, repairs: Vec<(usize, Repair)>) {
        let Some(input) = self.plan.inputs.get_mut(input) else { return };
        let located = |(at, repair): (usize, Repair)| Repair { line: Position::of(&input.bytes, at).line, ..repair };
        let repairs: Vec<_> = repairs.into_iter().map(located).collect();
        self.problems.extend(told(&repairs));
        input.repairs.extend(repairs);
    }
}

/// Returns the text that `operation` searches in, if it may be read.
fn searched(
    operation: &Operation,
    files: &Files,
    workspace: &dyn Workspace,
    options: &preflight::Options,
) -> Option<Vec<u8>> {
    if !matches!(operation.edit, Edit::Replacements(_)) || operation.action != Action::Modify {
        return None;
    }
    if let Some(content) = files.get(&operation.path) {
        return Some(content.clone());
    }
    let unread = if options.held == Held::Nothing { Verdict::Deny } else { Verdict::Ask };
    if options.policy.judge(&operation.path, Access::Read).verdict >= unread {
        return None;
    }
    let (content, _) = workspace.read(&operation.path, options.max_read()).ok()?;
    (!is_data(&content)).then(|| content.to_vec())
}

/// Repairs the edits of `operation` for a file with `content`. Returns what becomes of the file, and each repair with its
/// place in the input.
fn repaired(operation: &mut Operation, content: Vec<u8>) -> (Vec<u8>, Repaired) {
    let span = operation.span;
    let Edit::Replacements(changes) = &mut operation.edit else { return (content, Ok(Vec::new())) };
    let (order, closeness) = (changes.order, changes.closeness);
    let (mut repairs, mut refusals, mut now) = (Vec::new(), Vec::new(), content);
    for edit in &mut changes.edits {
        match repair_text(&now, edit) {
            Ok(None) => {}
            Ok(Some(fixed)) => {
                (edit.target, edit.new) = (Target::Lines(fixed.old), fixed.new);
                let rows = ROWS.iter().filter(|(row, ..)| fixed.rows.contains(row));
                let repair = |&(_, code, message): &(_, &'static str, &'static str)| {
                    (edit.span.start, Repair { code, line: 0, message, section: Some(span) })
                };
                repairs.extend(rows.map(repair));
            }
            Err(refusal) => refusals.push(*refusal),
        }
        if order == EditOrder::InTurn {
            let alone = Replacements { order, closeness, edits: vec![edit.clone()] };
            if let Ok((after, _)) = matching::replace(&now, &alone, u64::MAX) {
                now = after;
            }
        }
    }
    if order == EditOrder::AtOnce
        && let Ok((after, _)) = matching::replace(&now, changes, u64::MAX)
    {
        now = after;
    }
    if refusals.is_empty() { (now, Ok(repairs)) } else { (now, Err(refusals)) }
}
