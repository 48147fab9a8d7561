//! Refreshes patches in memory.

use super::checked::{Checked, patch_inputs};
use super::texts::{new_texts, patch_statuses, refreshed_patches, subset};
use super::{merged, statuses, verify};
use crate::engine::Outcome;
use crate::engine::request::{Decide, Patches, Request};
use crate::preflight::Problem;
use crate::report::RefreshReport;
use crate::text::Bytes;
use crate::workspace::Workspace;

/// The refreshed patches.
pub(super) struct Refresh {
    pub(super) report: RefreshReport,
    /// The old and the new text of each patch. `None` for a patch that is removed.
    pub(super) texts: Vec<(Bytes, Option<Vec<u8>>)>,
    /// The line of each patch in the series file, counted from 1.
    pub(super) entries: Vec<usize>,
}

impl Refresh {
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
        let mut attempt = Attempt::of(&patches, all, request, tree)?;
        if attempt.checked.done.is_refused() && attempt.checked.outcomes().is_some() {
            let merged = merged::find_merged(&patches, &attempt.report, request, tree);
            if !merged.is_empty() {
                attempt = attempt.without(&merged, &patches, request, tree)?;
            }
        }
        let Attempt {
            checked,
            kept,
            report,
            texts,
        } = attempt;
        if checked.done.is_refused() {
            return Err(checked.into_outcome(report));
        }
        let texts = match texts {
            Ok(texts) => texts,
            Err(problem) => return Err(checked.refuse(*problem, report)),
        };
        let refreshed = refreshed_patches(&subset(&patches, &kept), &texts);
        if let Err(problem) = verify::verify(refreshed, request, tree, &checked.final_tree()) {
            return Err(checked.refuse(*problem, report));
        }
        let series = patches.series;
        let entries = series.map_or_else(Vec::new, |series| {
            series.entries.iter().map(|entry| entry.line).collect()
        });
        let mut new_texts: Vec<Option<Vec<u8>>> = vec![None; patches.texts.len()];
        kept.into_iter()
            .zip(texts)
            .for_each(|(index, text)| new_texts[index] = text);
        let texts = patches.texts.into_iter().zip(new_texts);
        Ok(Self {
            report,
            texts: texts.map(|((_, old), new)| (old, new)).collect(),
            entries,
        })
    }
}

/// An attempt to refresh some of the patches.
struct Attempt {
    checked: Checked,
    /// The indexes of these patches among all patches.
    kept: Vec<usize>,
    /// The report on all patches.
    report: RefreshReport,
    /// The new text of each patch, or the problem of the first one that cannot be written.
    texts: Result<Vec<Option<Vec<u8>>>, Box<Problem>>,
}

impl Attempt {
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
        let checked = Checked::of(patches.clone(), request, &decide, tree)?;
        let starts = patch_inputs(checked.plan());
        let report = statuses::refresh_report(&checked, &starts);
        let texts = new_texts(&checked, &starts);
        let report = match &texts {
            Ok(texts) => report.with_statuses(&patch_statuses(&patches, texts)),
            Err(_) => report,
        };
        Ok(Self {
            checked,
            kept,
            report,
            texts,
        })
    }

    /// Returns an attempt without the patches `merged`, which the tree has, if it is better than this
    /// one.
    fn without(
        self,
        merged: &[usize],
        patches: &Patches,
        request: &Request,
        tree: &dyn Workspace,
    ) -> Result<Self, Box<Outcome>> {
        let is_kept = |index: &usize| merged.binary_search(index).is_err();
        let kept = (0..patches.texts.len()).filter(is_kept).collect();
        let other = Self::of(patches, kept, request, tree)?;
        if other.report.count_failed() >= self.report.count_failed() {
            return Ok(self);
        }
        let report = self.report.with_merged(other.report, &other.kept);
        Ok(Self { report, ..other })
    }
}
