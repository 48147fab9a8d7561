//! The checks after the operations of a step, and after all operations of a group.

use super::{GroupExecutor, RevertedCopy};
use crate::preflight::checks::CreationCheck;
use crate::preflight::codes::code;
use crate::preflight::findings::Findings;
use crate::preflight::full_diff;
use crate::preflight::overlay::PathState;
use crate::workspace::WorkspaceError;

impl GroupExecutor<'_> {
    /// Checks at the end of a step that each undone copy still had the content of its source.
    /// Undoing the copy must not lose a later change of it.
    pub(in crate::preflight) fn check_uncopies(
        &mut self,
        all: &mut [(usize, Findings)],
    ) -> Result<(), WorkspaceError> {
        for RevertedCopy { index, from, bytes } in std::mem::take(&mut self.reverted_copies) {
            let step = self.plan.operations[index].step;
            self.store_rejects(from)?;
            let is_same = matches!(self.overlay.current(from, step)?, PathState::Node(node) if node.bytes == bytes);
            // The findings are in plan order.
            let Ok(place) = all.binary_search_by_key(&index, |(other, _)| *other) else {
                continue;
            };
            if !is_same {
                all[place].1.error(
                    &code::STALE,
                    format!("the content of the copy differs from {from}"),
                );
            }
        }
        Ok(())
    }

    /// Checks after all operations that no operation created a file above the file of another one.
    /// During resolution, an operation sees only the results of earlier operations.
    pub(in crate::preflight) fn check_parents(
        &mut self,
        all: &mut [(usize, Findings)],
    ) -> Result<(), WorkspaceError> {
        for (index, findings) in all.iter_mut().filter(|(_, findings)| !findings.is_failed()) {
            let operation = &self.plan.operations[*index];
            if matches!(
                self.overlay.current(&operation.path, operation.step)?,
                PathState::Node(_)
            ) {
                let overlay = &self.overlay;
                CreationCheck {
                    overlay,
                    is_removed: &|_| false,
                }
                .is_free_above(&operation.path, findings);
            }
        }
        self.refuse_collision(all)
    }

    /// Refuses two different names that are one name on the file system.
    fn refuse_collision(&self, all: &mut [(usize, Findings)]) -> Result<(), WorkspaceError> {
        let Some(clash) = self.overlay.find_collision()? else {
            return Ok(());
        };
        let mut all = all.iter_mut().rev();
        if let Some((_, findings)) =
            all.find(|(index, _)| clash.is_at(&self.plan.operations[*index].path))
        {
            findings.refuse(clash.problem());
        }
        Ok(())
    }

    /// Writes the combined diff of each file, if it is requested.
    pub(in crate::preflight) fn write_full_diff(&self, all: &mut [(usize, Findings)]) {
        if self.options.full_diff && all.iter().all(|(_, findings)| !findings.is_failed()) {
            full_diff::write(self.plan, &self.overlay, self.options, all);
        }
    }

    /// Runs the guards on the final files.
    pub(in crate::preflight) fn run_guards(&self, all: &mut [(usize, Findings)]) {
        self.watched.run_guards(self.options, all);
    }
}
