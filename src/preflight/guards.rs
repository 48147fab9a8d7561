//! Runs the selected guards on files and on changed places.

use std::borrow::Cow;
use std::collections::HashMap;

use super::Options;
use super::codes::code;
use super::findings::Findings;
use super::overlay::Node;
use crate::guard::{Change, Guard, GuardFinding};
use crate::matching::Placement;
use crate::mode::FileKind;
use crate::path::RelPath;
use crate::plan::{Action, Direction, Edit, EditTarget, Hunk, LineKind, Operation, Replacement};
use crate::text::{Contents, TextEncoding};

/// The files of a group, each before the first operation on it and after the last one.
#[derive(Default)]
pub(super) struct GuardedFiles<'a>(HashMap<&'a RelPath, GuardedFile>);

/// The content of one file before and after.
struct GuardedFile {
    /// `None` for a new file, for an entry that is not a regular file, and for binary edits.
    before: Option<Contents>,
    after: Contents,
    /// The index of the operation that wrote `after`.
    index: usize,
    encoding: Option<TextEncoding>,
}

impl<'a> GuardedFiles<'a> {
    /// Records that the operation at `index` changes `before` to `after`.
    pub(super) fn note(
        &mut self,
        (index, operation): (usize, &'a Operation),
        before: Option<&Node>,
        after: &Node,
        encoding: Option<TextEncoding>,
    ) {
        if matches!(operation.action, Action::Delete | Action::RemoveCopy) {
            self.0.remove(&operation.path);
            return;
        }
        let from = operation.from.as_ref().unwrap_or(&operation.path);
        // The preimage of a rename can differ from the last recorded content, for example if two
        // files swap names.
        let is_left_so = |watch: &&GuardedFile| {
            before.is_some_and(|node| watch.after.has_same_memory(&node.bytes))
        };
        let first = match self.0.get(from).filter(is_left_so) {
            Some(watch) => watch.before.clone(),
            None => before.map(|node| node.bytes.clone()),
        };
        let is_text = |node: &Node| node.kind == FileKind::Regular;
        let is_judged = before.is_some_and(is_text)
            && is_text(after)
            && !matches!(operation.edit, Edit::Binary(_));
        let watch = GuardedFile {
            before: first.filter(|_| is_judged),
            after: after.bytes.clone(),
            index,
            encoding,
        };
        self.0.insert(&operation.path, watch);
    }

    /// Runs the guards on each changed file and adds their findings. `all` is sorted by operation.
    pub(super) fn run_guards(&self, options: &Options, all: &mut [(usize, Findings)]) {
        for (path, watch) in &self.0 {
            let Some(before) = watch
                .before
                .as_ref()
                .filter(|before| **before != watch.after)
            else {
                continue;
            };
            let Ok(place) = all.binary_search_by_key(&watch.index, |(index, _)| *index) else {
                continue;
            };
            let (before, after) = (
                text(before, watch.encoding),
                text(&watch.after, watch.encoding),
            );
            let change = Change {
                path,
                before: &before,
                after: &after,
            };
            for guard in &options.guards {
                if let Some(finding) = guard.check_file(&change) {
                    note(&finding, help(guard, options), &mut all[place].1);
                }
            }
        }
    }
}

/// Returns `bytes` in UTF-8.
fn text(bytes: &[u8], encoding: Option<TextEncoding>) -> Cow<'_, [u8]> {
    encoding.map_or(Cow::Borrowed(bytes), |encoding| {
        Cow::Owned(encoding.decode(bytes).0)
    })
}

/// Runs the guards on a place where `new` replaces `old`, and adds their findings.
pub(super) fn guard_block(old: &[u8], new: &[u8], options: &Options, findings: &mut Findings) {
    for guard in &options.guards {
        if let Some(finding) = guard.check_block(old, new) {
            note(&finding, help(guard, options), findings);
        }
    }
}

/// Runs the guards on each place of the hunks where insertions replace deletions.
pub(super) fn guard_hunks(
    hunks: &[Hunk],
    text: &[u8],
    direction: Direction,
    options: &Options,
    findings: &mut Findings,
) {
    if options.guards.is_empty() {
        return;
    }
    for hunk in hunks {
        let (mut old, mut new) = (Vec::new(), Vec::new());
        for line in hunk.lines(text, direction) {
            match line.kind {
                LineKind::Deletion => old.extend_from_slice(line.text),
                LineKind::Insertion => new.extend_from_slice(line.text),
                LineKind::Context => {
                    guard_block(&old, &new, options, findings);
                    (old, new) = (Vec::new(), Vec::new());
                }
            }
        }
        guard_block(&old, &new, options, findings);
    }
}

/// Returns the text that `edit` replaced, if it is known. `placement` refers to `preimage`.
pub(super) fn replaced_text<'t>(
    edit: &'t Replacement,
    preimage: Option<&'t [u8]>,
    placement: &Placement,
) -> Option<&'t [u8]> {
    match &edit.target {
        EditTarget::Text { old, .. } | EditTarget::Lines(old) => Some(old),
        EditTarget::Range { .. } | EditTarget::Symbol(_) => preimage?.get(placement.bytes.clone()),
        EditTarget::EmptyFile
        | EditTarget::After(_)
        | EditTarget::Before(_)
        | EditTarget::End(_) => None,
    }
}

/// Returns the help for a change that `guard` refuses.
fn help(guard: &Guard, options: &Options) -> &'static str {
    let mut required = options.policy.guards().into_iter();
    if required.any(|it| it.name == guard.name) {
        "check whether the change is intended; the policy requires this check"
    } else {
        "check whether the change is intended, or use --no-guard to skip this check"
    }
}

fn note(finding: &GuardFinding, help: &'static str, findings: &mut Findings) {
    let code = match finding {
        GuardFinding::Unbalanced(_) => &code::UNBALANCED,
        GuardFinding::Placeholder(_) => &code::PLACEHOLDER,
        GuardFinding::InvalidSyntax { .. } => &code::BROKEN_SYNTAX,
        GuardFinding::TooLarge { size, limit, .. } => {
            let problem = findings.warning(&code::NOT_GUARDED, finding.to_string());
            (problem.facts.size, problem.facts.limit) = (Some(*size as u64), Some(*limit as u64));
            return;
        }
        GuardFinding::NotParsed { .. } => {
            findings.warning(&code::NOT_PARSED, finding.to_string());
            return;
        }
    };
    let problem = findings.error(code, finding.to_string());
    problem.help = Some(help.into());
}
