//! The new texts of the patch files.

use std::sync::Arc;

use super::checked::{Checked, patch_of};
use super::patch_text::{NO_LINE_NUMBERS, Section};
use super::text_edit::{TextEdit, apply_edits};
use crate::digest::Digest;
use crate::engine::request::{Patches, Series, TargetFile, TargetState};
use crate::mode::{FileKind, FileMode};
use crate::path::RelPath;
use crate::plan::{ExpectedFile, Input};
use crate::preflight::{Problem, code};
use crate::report::PatchStatus;
use crate::syntax::{Syntax, find_syntax};
use crate::text::Bytes;

/// The reason why a patch with a small deletion is not changed.
const UNCERTAIN: &str = "the lines that a hunk deletes are not in the file, but too few context lines \
                         confirm its place; remove the hunk if the tree has its change";

/// What happens to the text of a patch.
#[derive(Clone, Debug)]
pub(super) enum NewText {
    /// The text stays the same.
    Same,
    /// The patch gets this text.
    Changed(Vec<u8>),
    /// The tree already has all changes of the patch.
    Removed,
    /// The text must change and cannot, for this reason.
    Refused(&'static str),
}

impl NewText {
    pub(super) fn status(&self) -> PatchStatus {
        match self {
            Self::Same => PatchStatus::Unchanged,
            Self::Changed(_) => PatchStatus::Rewritten,
            Self::Removed => PatchStatus::Removed,
            Self::Refused(_) => PatchStatus::NotRewritable,
        }
    }

    /// Returns the problem of a patch that cannot be rewritten. `name` is its name.
    pub(super) fn problem(&self, name: &str) -> Option<Problem> {
        let Self::Refused(reason) = self else {
            return None;
        };
        let message = format!("{name} cannot be rewritten: {reason}");
        Some(Problem::new(&code::NOT_REFRESHABLE, message))
    }
}

/// The changes of one patch.
#[derive(Default)]
struct PatchDraft {
    edits: Vec<TextEdit>,
    /// The number of sections that are already applied.
    applied: usize,
    /// The number of other sections.
    remaining: usize,
    /// The reason why the patch cannot be rewritten.
    refusal: Option<&'static str>,
}

impl PatchDraft {
    fn add(&mut self, section: &Section<'_>) {
        if section.has_uncertain_result() {
            self.remaining += 1;
            self.refusal = self.refusal.or(Some(UNCERTAIN));
        } else if section.is_already_applied() {
            self.applied += 1;
        } else {
            self.remaining += 1;
        }
        // A section that does not apply keeps its text.
        if section.outcome.failed.is_none() {
            match section.edits() {
                Ok(edits) => self.edits.extend(edits),
                Err(reason) => self.refusal = self.refusal.or(Some(reason)),
            }
        }
    }

    /// Returns the new text of the patch `input`.
    fn finish(self, input: &Input) -> NewText {
        if self.applied > 0 && self.remaining == 0 {
            return NewText::Removed;
        }
        match self.refusal {
            Some(reason) => NewText::Refused(reason),
            None if self.edits.is_empty() => NewText::Same,
            None if !is_diff(input) => NewText::Refused(NO_LINE_NUMBERS),
            None => apply_edits(input, self.edits).map_or_else(NewText::Refused, NewText::Changed),
        }
    }
}

/// Returns the new text of each patch. `patch_inputs` are the indexes of the patches among the
/// inputs.
pub(super) fn new_texts(checked: &Checked, patch_inputs: &[usize]) -> Vec<NewText> {
    let plan = checked.plan();
    let mut drafts: Vec<PatchDraft> = patch_inputs.iter().map(|_| PatchDraft::default()).collect();
    for (index, outcome, contents) in checked.operations() {
        let patch = patch_of(plan.operations[index].input, patch_inputs);
        let section = Section::new(plan, index, (outcome, contents), patch_inputs[patch]);
        drafts[patch].add(&section);
    }
    let drafts = drafts.into_iter().zip(patch_inputs);
    drafts
        .map(|(draft, &start)| draft.finish(&plan.inputs[start]))
        .collect()
}

/// Returns whether all sections of the patch are in formats of diff programs.
fn is_diff(patch: &Input) -> bool {
    let mut formats = patch.formats.iter().map(|name| find_syntax(name));
    formats.all(|syntax| syntax.is_some_and(Syntax::is_diff))
}

/// Returns the patches with these indexes, in order.
pub(super) fn subset(patches: &Patches, kept: &[usize]) -> Patches {
    Patches {
        texts: kept
            .iter()
            .map(|&index| patches.texts[index].clone())
            .collect(),
        series: patches.series.as_ref().map(|series| Series {
            name: series.name.clone(),
            entries: kept.iter().map(|&index| series.entries[index]).collect(),
        }),
        is_saved: false,
    }
}

/// Returns `patches` with their new texts, without the removed ones.
pub(super) fn refreshed_patches(patches: &Patches, texts: &[NewText]) -> Patches {
    let is_kept = |index: &usize| !matches!(texts[*index], NewText::Removed);
    let kept: Vec<usize> = (0..texts.len()).filter(is_kept).collect();
    let mut refreshed = subset(patches, &kept);
    for ((_, text), index) in refreshed.texts.iter_mut().zip(kept) {
        if let NewText::Changed(new) = &texts[index] {
            *text = Bytes::from(&new[..]);
        }
    }
    refreshed
}

/// Returns the change of the file at `path` from `old` to `new`. `None` deletes it. `mode` is the
/// mode of the file, which stays the same.
pub(super) fn target_file(
    (path, mode): (RelPath, FileMode),
    old: &[u8],
    new: Option<Vec<u8>>,
) -> TargetFile {
    TargetFile {
        path,
        from: None,
        before: Some(ExpectedFile {
            kind: FileKind::Regular,
            digest: Digest::of(old),
            permissions: None,
        }),
        after: new.map(|text| TargetState {
            mode,
            permissions: None,
            content: Some(Arc::new(text.into())),
        }),
    }
}
