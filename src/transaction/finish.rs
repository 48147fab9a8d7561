//! What comes behind the commit record: the history, the sweep, and what is told of both.

use std::fmt;

use super::history::{self, Spares};
use super::{Done, Failure, Receipt, Transaction, unswept};
use crate::progress::Phase;

impl Transaction<'_> {
    /// Keeps what was done, if anything was, and cleans up.
    pub(super) fn receipt(&mut self, done: Option<Done>) -> Receipt {
        let mut warnings = Vec::new();
        let kept = done.as_ref().map_or(Ok(()), |done| self.keep(done, &mut warnings));
        if let Err(failure) = kept {
            // What could not be cleaned up now is for the next command, with the record that says how.
            self.keeps_journal = true;
            warnings.push(unswept(&failure));
        }
        if let Err(failure) = self.clear() {
            warnings.push(unswept(&failure));
        }
        let altered = done.map(|done| done.altered).unwrap_or_default();
        Receipt { id: self.scratch.id.clone(), durability: self.options.durability, warnings, altered }
    }

    /// Makes what was done an entry of the history, if one is kept, and removes what has to go for it.
    fn keep(&self, Done { journal, old_places, .. }: &Done, warnings: &mut Vec<String>) -> Result<(), Failure> {
        let Some(state) = &self.state else { return Ok(()) };
        self.progress.enter(Phase::Sweeping, 0);
        let Some(home) = state.history() else {
            if self.workspace.attic().is_some() {
                warnings.push(unkept("there is no place for a history that is the user's own alone"));
            }
            return Ok(());
        };
        let Self { workspace, scratch, options, .. } = self;
        match history::keep(*workspace, home, (scratch, journal), *old_places, options.durability) {
            // The tree is somebody's own, and nothing is to stay in it, but what an undo took out of it.
            Err(failure) if state.passes() && journal.undoes.is_empty() => {
                warnings.push(unkept(failure));
                return Ok(());
            }
            kept => kept?,
        }
        let drained = history::drain(*workspace, home, &journal.undoes);
        match drained.and_then(|()| history::prune(*workspace, home, (options.history, Spares::Newest))) {
            Ok(0) => {}
            Ok(pruned) => {
                warnings.push(format!("{pruned} old entries of the history were removed, they were over its limits"));
            }
            Err(failure) => warnings.push(unswept(&failure)),
        }
        Ok(())
    }
}

/// Says that the transaction happened, but is in no history.
fn unkept(why: impl fmt::Display) -> String {
    format!("this change cannot be taken back: {why}")
}
