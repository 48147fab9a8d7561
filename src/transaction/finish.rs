//! What comes behind the commit record: the history, the sweep, and what is told of both.

use super::history::{self, Spares};
use super::unkept::Unkept;
use super::{Done, Durability, Failure, Transaction, unswept};
use crate::path::RelPath;
use crate::progress::Phase;

/// Proof of commit.
#[derive(Clone, Debug)]
#[must_use]
pub struct Receipt {
    /// The transaction's name.
    pub id: String,
    /// What survives a loss of power.
    pub durability: Durability,
    /// What should be known besides, such as scratch that could not be swept.
    pub warnings: Vec<String>,
    /// Why the change is in no history; `None` if it is in one.
    pub unkept: Option<Unkept>,
    /// Files of the change that are not as it made them, because they changed while a
    /// [`Trial`](super::Trial) looked at them.
    pub altered: Vec<RelPath>,
}

impl Transaction<'_> {
    /// Keeps what was done, if anything was, and cleans up.
    pub(super) fn receipt(&mut self, done: Option<Done>) -> Receipt {
        let mut warnings = Vec::new();
        let kept = match &done {
            Some(done) => self.keep(done, &mut warnings),
            None => Ok(self.unkept()),
        };
        let unkept = kept.unwrap_or_else(|failure| {
            // What could not be cleaned up now is for the next command, with the record that says
            // how.
            self.keeps_journal = true;
            warnings.push(unswept(&failure));
            None
        });
        if let Err(failure) = self.clear() {
            warnings.push(unswept(&failure));
        }
        let altered = done.map(|done| done.altered).unwrap_or_default();
        let altered = altered
            .into_iter()
            .map(|path| self.below.to_root_path(path))
            .collect();
        Receipt {
            id: self.scratch.id.clone(),
            durability: self.options.durability,
            warnings,
            unkept,
            altered,
        }
    }

    /// Returns why no history is kept, if none is.
    fn unkept(&self) -> Option<Unkept> {
        let state = self
            .state
            .as_ref()
            .filter(|state| state.history().is_none())?;
        Some(history::reason(self.workspace, state.unusable.as_ref()))
    }

    /// Makes what was done an entry of the history, if one is kept, and removes what has to go for
    /// it. Returns why none is kept.
    fn keep(
        &self,
        Done {
            journal,
            old_places,
            ..
        }: &Done,
        warnings: &mut Vec<String>,
    ) -> Result<Option<Unkept>, Failure> {
        let Some(state) = &self.state else {
            return Ok(None);
        };
        self.progress.enter(Phase::Sweeping, 0);
        let Some(home) = state.history() else {
            let unkept = self.unkept();
            if self.workspace.attic().is_none() {
                return Ok(unkept);
            }
            return Ok(unkept.map(|unkept| warn_of(unkept, warnings)));
        };
        let Self {
            workspace,
            scratch,
            options,
            ..
        } = self;
        match history::keep(
            *workspace,
            home,
            (scratch, journal),
            *old_places,
            options.durability,
        ) {
            // The tree is somebody's own, and nothing is to stay in it, but what an undo took out
            // of it.
            Err(failure) if state.passes() && journal.undoes.is_empty() => {
                return Ok(Some(warn_of(Unkept::new(failure.to_string()), warnings)));
            }
            kept => kept?,
        }
        let drained = history::drain(*workspace, home, &journal.undoes);
        match drained
            .and_then(|()| history::prune(*workspace, home, (options.history, Spares::Newest)))
        {
            Ok(0) => {}
            Ok(pruned) => {
                warnings.push(format!(
                    "{pruned} old entries of the history were removed, they were over its limits"
                ));
            }
            Err(failure) => warnings.push(unswept(&failure)),
        }
        Ok(None)
    }
}

/// Warns that the transaction happened, but is in no history.
fn warn_of(unkept: Unkept, warnings: &mut Vec<String>) -> Unkept {
    warnings.push(format!("this change cannot be undone: {}", unkept.reason));
    Unkept {
        is_warned: true,
        ..unkept
    }
}
