//! Checks of the patch during a review: after an edit, and after a file of the tree has changed.

use std::collections::HashSet;

use super::ReviewState;
use crate::cli::review::choices::Choices;
use crate::cli::review::reviewed::{Fingerprint, ReviewedPatch};
use crate::path::RelPath;

/// The result of a check of the same patch.
pub(super) struct Checked<'w> {
    pub(super) patch: ReviewedPatch<'w>,
    pub(super) choices: Choices,
    /// The fingerprints of the files before the check.
    fingerprints: Vec<Option<Fingerprint>>,
}

impl<'w> ReviewState<'w> {
    /// Checks the patch of the source.
    ///
    /// # Errors
    ///
    /// Returns the reason if the patch no longer has the same units.
    pub(super) fn check_again(&self) -> Result<Checked<'w>, String> {
        let fingerprints = self.source.fingerprints(self.patch.paths());
        let (patch, choices) = self.source.open();
        let is_same = choices.has_same_units(&self.choices) && patch.paths().eq(self.patch.paths());
        if is_same {
            return Ok(Checked {
                patch,
                choices,
                fingerprints,
            });
        }
        let error = patch.report().error.as_ref();
        Err(error.map_or_else(
            || "the patch no longer has the same hunks".to_owned(),
            |error| error.message.clone(),
        ))
    }

    /// Replaces the patch, and takes over `decisions`. Accepted parts of files that have changed lose
    /// their decision, and the message names these files. Returns whether there are any.
    pub(super) fn adopt(&mut self, checked: Checked<'w>, decisions: Choices) -> bool {
        let changed = self.changed_files(&checked);
        self.patch = checked.patch;
        self.choices = checked.choices;
        self.choices.keep_decisions(decisions);
        self.fingerprints = checked.fingerprints;
        self.discard_texts();
        (self.cursor.line, self.cursor.found) = (None, None);
        let parts = self.choices.units()[self.cursor.unit].parts().len();
        self.cursor.part = self.cursor.part.min(parts - 1);
        if self.edited.is_empty() {
            let report = self.patch.report();
            self.plan_id = report.plan_id.clone().filter(|_| report.ok);
        }
        for &file in &changed {
            self.patch.mark_changed(file);
            self.choices.clear_accepted(file);
        }
        let Some(&first) = changed.first() else {
            return false;
        };
        let others = match changed.len() - 1 {
            0 => String::new(),
            1 => " and 1 other file".to_owned(),
            others => format!(" and {others} other files"),
        };
        self.show_message(&format!(
            "{}{others} changed during the review; accept the hunks again",
            self.patch.files[first].title
        ));
        self.move_to(self.choices.file_units(first).start);
        true
    }

    /// Returns the files whose content differs from the content that the reviewer has seen. A file
    /// that was not read counts if its attributes have changed. If one of several operations on a file
    /// counts, all of them do.
    fn changed_files(&self, checked: &Checked<'_>) -> Vec<usize> {
        let (old, new) = (&self.patch.files, &checked.patch.files);
        let before = self.patch.fingerprints_by_file(&self.fingerprints);
        let after = self.patch.fingerprints_by_file(&checked.fingerprints);
        let is_changed = |file: usize| {
            let is_unread = old[file].before.0.is_none() && new[file].before.0.is_none();
            old[file].before != new[file].before || is_unread && before[file] != after[file]
        };
        let files = 0..old.len().min(new.len());
        let changed = files.clone().filter(|&file| is_changed(file));
        let paths: HashSet<&RelPath> = changed.map(|file| &old[file].path).collect();
        files
            .filter(|&file| paths.contains(&old[file].path))
            .collect()
    }

    /// Compares the files with those that the patch was checked against. If one has changed, checks
    /// the patch again. Returns whether the reviewer must look at something again.
    pub(in crate::cli::review) fn refresh(&mut self) -> bool {
        let is_same = self.source.fingerprints(self.patch.paths()) == self.fingerprints;
        !is_same && self.reload()
    }

    /// Checks the patch again. Returns whether the reviewer must look at something again.
    pub(super) fn reload(&mut self) -> bool {
        match self.check_again() {
            Ok(checked) => {
                let decisions = self.choices.clone();
                self.adopt(checked, decisions)
            }
            Err(reason) => {
                self.show_message(&format!("the tree changed during the review: {reason}"));
                true
            }
        }
    }
}
