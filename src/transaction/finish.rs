//! What comes behind the commit record: the history, the sweep, and what is told of both.

use std::fmt;

use super::history::{self, Spares};
use super::{Done, Failure, Receipt, Transaction, unswept};
use crate::progress::Phase;

impl Transaction<'_> {
    /// Keeps what was done, if anything was, and cleans up.
    pub(super) fn receipt(&mut self, done: Option<Done>) -> Receipt {
        let mut warnings = Vec::new();
        let kept = match &done {
            Some(done) => self.keep(done, &mut warnings),
            None => Ok(self.unkept()),
        };
        let unkept = kept.unwrap_or_else(|failure| {
            // What could not be cleaned up now is for the next command, with the record that says how.
            self.keeps_journal = true;
            warnings.push(unswept(&failure));
            None
        });
        if let Err(failure) = self.clear() {
            warnings.push(unswept(&failure));
        }
        let altered = done.map(|done| done.altered).unwrap_or_default();
        let altered = altered.into_iter().map(|path| self.below.to_root_path(path)).collect();
        Receipt { id: self.scratch.id.clone(), durability: self.options.durability, warnings, unkept, altered }
    }

    /// Returns why no history is kept, if none is.
    fn unkept(&self) -> Option<String> {
        let state = self.state.as_ref().filter(|state| state.history().is_none())?;
        Some(history::reason(self.workspace, state.unusable.as_deref()))
    }

    /// Makes what was done an entry of the history, if one is kept, and removes what has to go for it. Returns why none is
    /// kept.
    fn keep(
        &self,
        Done { journal, old_places, .. }: &Done,
        warnings: &mut Vec<String>,
    ) -> Result<Option<String>, Failure> {
        let Some(state) = &self.state else { return Ok(None) };
        self.progress.enter(Phase::Sweeping, 0);
        let Some(home) = state.history() else {
            let why = self.unkept();
            if self.workspace.attic().is_some() {
                warnings.extend(why.as_ref().map(unkept));
            }
            return Ok(why);
        };
        let Self { workspace, scratch, options, .. } = self;
        match history::keep(*workspace, home, (scratch, journal), *old_places, options.durability) {
            // The tree is somebody's own, and nothing is to stay in it, but what an undo took out of it.
            Err(failure) if state.passes() && journal.undoes.is_empty() => {
                let why = failure.to_string();
                warnings.push(unkept(&why));
                return Ok(Some(why));
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
        Ok(None)
    }
}

/// Says that the transaction happened, but is in no history.
fn unkept(why: impl fmt::Display) -> String {
    format!("this change cannot be undone: {why}")
}
