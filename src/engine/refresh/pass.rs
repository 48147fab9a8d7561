//! Refreshes patches in memory.

use super::checked::{Checked, patch_inputs};
use super::texts::{NewText, new_texts, refreshed_patches, subset, target_file};
use super::{NAME, contained, statuses, verify};
use crate::engine::Outcome;
use crate::engine::request::{Decide, Patches, Request, TreeChange};
use crate::mode::FileMode;
use crate::path::RelPath;
use crate::report::RefreshReport;
use crate::text::{Bytes, lines};
use crate::workspace::Workspace;

/// The refreshed patches.
pub(super) struct RewrittenPatches {
    report: RefreshReport,
    /// The old and the new text of each patch.
    texts: Vec<(Bytes, NewText)>,
    /// The line of each patch in the series file, counted from 1. Empty without a series.
    series_lines: Vec<usize>,
}

impl RewrittenPatches {
    /// Refreshes `patches`.
    ///
    /// # Errors
    ///
    /// Returns the outcome if a patch does not apply, or if it cannot be written.
    pub(super) fn of(
        patches: Patches,
        request: &Request,
        tree: &dyn Workspace,
    ) -> Result<Self, Box<Outcome>> {
        let all = (0..patches.texts.len()).collect();
        let mut pass = RefreshPass::of(&patches, all, request, tree)?;
        // Malformed patches have no outcomes.
        if pass.checked.done.is_refused() && pass.checked.outcomes().is_some() {
            let contained = contained::find_contained(&patches, &pass.report, request, tree);
            if !contained.is_empty() {
                pass = pass.without(&contained, &patches, request, tree)?;
            }
        }
        let RefreshPass {
            mut checked,
            kept,
            report,
            texts,
        } = pass;
        let named = kept.iter().map(|&index| &patches.texts[index].0);
        let problems = named
            .zip(&texts)
            .filter_map(|(name, text)| text.problem(name));
        checked.done.problems().extend(problems);
        if !checked.done.is_refused() {
            let refreshed = refreshed_patches(&subset(&patches, &kept), &texts);
            let problem = verify::verify(refreshed, request, tree, &checked.final_tree()).err();
            checked
                .done
                .problems()
                .extend(problem.map(|problem| *problem));
        }
        if checked.done.is_refused() {
            return Err(checked.into_outcome(report));
        }
        let series = patches.series;
        let series_lines = series.map_or_else(Vec::new, |series| {
            series.entries.iter().map(|entry| entry.line).collect()
        });
        let mut all_texts = vec![NewText::Removed; patches.texts.len()];
        for (index, text) in kept.into_iter().zip(texts) {
            all_texts[index] = text;
        }
        let texts = patches.texts.into_iter().zip(all_texts);
        Ok(Self {
            report,
            texts: texts.map(|((_, old), new)| (old, new)).collect(),
            series_lines,
        })
    }

    /// Returns the report, and the change of the patch files and of the series file.
    pub(super) fn into_change(
        self,
        (paths, series): (Vec<RelPath>, Option<(RelPath, Bytes)>),
        mode: impl Fn(&RelPath) -> FileMode,
    ) -> (RefreshReport, TreeChange) {
        let with_mode = |path: RelPath| {
            let mode = mode(&path);
            (path, mode)
        };
        // Ascending, because the patches have the order of their lines.
        let mut removed: Vec<usize> = Vec::new();
        let mut files = Vec::new();
        for (index, ((old, new), path)) in self.texts.into_iter().zip(paths).enumerate() {
            match new {
                NewText::Removed => {
                    removed.extend(self.series_lines.get(index));
                    files.push(target_file(with_mode(path), &old, None));
                }
                NewText::Changed(new) => files.push(target_file(with_mode(path), &old, Some(new))),
                // A patch that cannot be rewritten is a problem, so there is no change.
                NewText::Same | NewText::Refused(_) => {}
            }
        }
        if let Some((path, old)) = series.filter(|_| !removed.is_empty()) {
            let kept = lines(&old)
                .enumerate()
                .filter(|(index, _)| removed.binary_search(&(index + 1)).is_err());
            let new: Vec<&[u8]> = kept.map(|(_, (_, line))| line).collect();
            files.push(target_file(with_mode(path), &old, Some(new.concat())));
        }
        let change = TreeChange {
            command: NAME,
            files,
        };
        (self.report, change)
    }
}

/// The refresh of some of the patches.
struct RefreshPass {
    checked: Checked,
    /// The indexes of these patches among all patches.
    kept: Vec<usize>,
    /// The report on all patches.
    report: RefreshReport,
    /// The new text of each of these patches.
    texts: Vec<NewText>,
}

impl RefreshPass {
    fn of(
        patches: &Patches,
        kept: Vec<usize>,
        request: &Request,
        tree: &dyn Workspace,
    ) -> Result<Self, Box<Outcome>> {
        let patches = subset(patches, &kept);
        let decide = Decide {
            idempotent: true,
            ..request.decide.clone()
        };
        let checked = Checked::of(patches, request, &decide, tree)?;
        let patch_inputs = patch_inputs(checked.plan());
        let report = statuses::refresh_report(&checked, &patch_inputs);
        let texts = new_texts(&checked, &patch_inputs);
        let statuses: Vec<_> = texts.iter().map(NewText::status).collect();
        let report = report.with_statuses(&statuses);
        Ok(Self {
            checked,
            kept,
            report,
            texts,
        })
    }

    /// Returns the refresh without the patches `contained`, which the tree has, if fewer patches
    /// fail then. Otherwise returns `self`. `contained` is ascending.
    fn without(
        self,
        contained: &[usize],
        patches: &Patches,
        request: &Request,
        tree: &dyn Workspace,
    ) -> Result<Self, Box<Outcome>> {
        let is_kept = |index: &usize| contained.binary_search(index).is_err();
        let kept = (0..patches.texts.len()).filter(is_kept).collect();
        let other = Self::of(patches, kept, request, tree)?;
        if other.report.count_failed() >= self.report.count_failed() {
            return Ok(self);
        }
        let report = self.report.with_contained(other.report, &other.kept);
        Ok(Self { report, ..other })
    }
}
