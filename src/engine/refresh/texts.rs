//! The new texts of the patch files, and the change of these files.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::NAME;
use super::attempt::Refresh;
use super::checked::{Checked, patch_of};
use super::patch_text::{Section, TextEdit, apply_edits};
use crate::digest::Digest;
use crate::engine::request::{Patches, Series, TargetFile, TargetState, TreeChange};
use crate::mode::{FileKind, FileMode};
use crate::path::RelPath;
use crate::plan::{ExpectedFile, Plan};
use crate::preflight::{Problem, code};
use crate::report::{PatchStatus, RefreshReport};
use crate::text::{Bytes, lines};

/// Returns the new text of each patch. `None` for a patch whose changes the tree already has.
///
/// # Errors
///
/// Returns the problem of the first patch that cannot be written.
pub(super) fn new_texts(
    checked: &Checked,
    starts: &[usize],
) -> Result<Vec<Option<Vec<u8>>>, Box<Problem>> {
    let plan = checked.plan();
    let mut edits: BTreeMap<usize, Vec<TextEdit>> = BTreeMap::new();
    let mut remaining: BTreeMap<usize, usize> = BTreeMap::new();
    for (index, outcome, contents) in checked.operations() {
        let patch = patch_of(plan.operations[index].input, starts);
        let section = Section::new(plan, index, outcome, contents, starts[patch]);
        if outcome.failed.is_some() {
            *remaining.entry(patch).or_default() += 1;
            continue;
        }
        let refuse = |reason| write_problem(plan, starts[patch], reason);
        edits
            .entry(patch)
            .or_default()
            .extend(section.edits().map_err(refuse)?);
        *remaining.entry(patch).or_default() += usize::from(!section.is_there());
    }
    let mut texts = Vec::with_capacity(starts.len());
    for (patch, &start) in starts.iter().enumerate() {
        let input = &plan.inputs[start];
        let edits = edits.remove(&patch).unwrap_or_default();
        texts.push(match remaining.get(&patch) {
            Some(0) => None,
            _ if edits.is_empty() => Some(input.original().to_vec()),
            _ => Some(
                apply_edits(input, edits).map_err(|reason| write_problem(plan, start, reason))?,
            ),
        });
    }
    Ok(texts)
}

fn write_problem(plan: &Plan, input: usize, reason: &str) -> Box<Problem> {
    let message = format!("{} cannot be rewritten: {reason}", plan.inputs[input].name);
    Box::new(Problem::new(&code::NOT_REFRESHABLE, message))
}

/// Returns the status of each patch that applies. `None` is the text of a removed patch.
pub(super) fn patch_statuses(patches: &Patches, texts: &[Option<Vec<u8>>]) -> Vec<PatchStatus> {
    let pairs = patches.texts.iter().zip(texts);
    let status = |((_, old), new): (&(String, Bytes), &Option<Vec<u8>>)| match new {
        None => PatchStatus::Removed,
        Some(new) if **new == **old => PatchStatus::Unchanged,
        Some(_) => PatchStatus::Rewritten,
    };
    pairs.map(status).collect()
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
pub(super) fn refreshed_patches(patches: &Patches, texts: &[Option<Vec<u8>>]) -> Patches {
    let is_kept = |index: &usize| texts[*index].is_some();
    let kept: Vec<usize> = (0..texts.len()).filter(is_kept).collect();
    let mut refreshed = subset(patches, &kept);
    let new = texts.iter().flatten();
    refreshed
        .texts
        .iter_mut()
        .zip(new)
        .for_each(|((_, old), new)| *old = Bytes::from(&new[..]));
    refreshed
}
/// Returns the change of the file at `path` from `old` to `new`. `None` deletes it.
fn target_file(path: RelPath, old: &[u8], new: Option<Vec<u8>>) -> TargetFile {
    TargetFile {
        path,
        from: None,
        before: Some(ExpectedFile {
            kind: FileKind::Regular,
            digest: Digest::of(old),
            permissions: None,
        }),
        after: new.map(|text| TargetState {
            mode: FileMode::Regular,
            permissions: None,
            content: Some(Arc::new(text.into())),
        }),
    }
}

impl Refresh {
    /// Returns the report, and the change of the patch files and of the series file.
    pub(super) fn into_change(
        self,
        (paths, series): (Vec<RelPath>, Option<(RelPath, Bytes)>),
    ) -> (RefreshReport, TreeChange) {
        // In the order of the lines.
        let mut removed: Vec<usize> = Vec::new();
        let mut files = Vec::new();
        for (index, ((old, new), path)) in self.texts.into_iter().zip(paths).enumerate() {
            if new.is_none() {
                removed.extend(self.entries.get(index));
            }
            if new.as_deref() != Some(&*old) {
                files.push(target_file(path, &old, new));
            }
        }
        if let Some((path, old)) = series.filter(|_| !removed.is_empty()) {
            let kept = lines(&old)
                .enumerate()
                .filter(|(index, _)| removed.binary_search(&(index + 1)).is_err());
            let new: Vec<&[u8]> = kept.map(|(_, (_, line))| line).collect();
            files.push(target_file(path, &old, Some(new.concat())));
        }
        let change = TreeChange {
            command: NAME,
            files,
        };
        (self.report, change)
    }
}
