//! The checks after the operations of a step, and after all operations of a group.

use super::{Uncopied, Worker};
use crate::preflight::checks::Room;
use crate::preflight::codes::code;
use crate::preflight::findings::Findings;
use crate::preflight::overlay::Seen;
use crate::preflight::whole;
use crate::workspace::WorkspaceError;

impl Worker<'_> {
    /// Checks, at the end of a step, that each copy which was undone had the contents that its
    /// source has then: what somebody did to the copy since is not lost.
    pub(in crate::preflight) fn settle(
        &mut self,
        all: &mut [(usize, Findings)],
    ) -> Result<(), WorkspaceError> {
        for Uncopied { index, from, bytes } in std::mem::take(&mut self.uncopied) {
            let step = self.plan.operations[index].step;
            self.fill_rejects(from)?;
            let is_same = matches!(self.overlay.current(from, step)?, Seen::Node(node) if node.bytes == bytes);
            // Operations are done in their order.
            let Ok(place) = all.binary_search_by_key(&index, |(other, _)| *other) else {
                continue;
            };
            if !is_same {
                all[place].1.error(
                    &code::STALE,
                    format!("the copy does not have the contents of {from}"),
                );
            }
        }
        Ok(())
    }

    /// Checks, after all operations, that none of them made a file above what another one leaves
    /// there: an operation sees only what the ones before it made.
    pub(in crate::preflight) fn conclude(
        &mut self,
        all: &mut [(usize, Findings)],
    ) -> Result<(), WorkspaceError> {
        for (index, findings) in all.iter_mut().filter(|(_, findings)| !findings.is_failed()) {
            let operation = &self.plan.operations[*index];
            if matches!(
                self.overlay.current(&operation.path, operation.step)?,
                Seen::Node(_)
            ) {
                let overlay = &self.overlay;
                Room {
                    overlay,
                    is_going: &|_| false,
                }
                .is_free_above(&operation.path, findings);
            }
        }
        self.refuse_clash(all)
    }

    /// Refuses, after all operations, names that are one on the file system.
    fn refuse_clash(&self, all: &mut [(usize, Findings)]) -> Result<(), WorkspaceError> {
        let Some(clash) = self.overlay.clash()? else {
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

    /// Writes, after all operations, what became of each file as a diff, if that is asked for.
    pub(in crate::preflight) fn write_whole_diff(&self, all: &mut [(usize, Findings)]) {
        if self.options.whole_diff && all.iter().all(|(_, findings)| !findings.is_failed()) {
            whole::write(self.plan, &self.overlay, self.options, all);
        }
    }

    /// Looks, after all operations, at what became of the files.
    pub(in crate::preflight) fn guard(&self, all: &mut [(usize, Findings)]) {
        self.watched.judge(self.options, all);
    }
}
