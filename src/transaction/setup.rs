//! The settings of a transaction between its beginning and its commit.

use std::collections::BTreeMap;

use super::{Label, Links, Standing, Transaction, Trial};
use crate::path::RelPath;
use crate::progress::Progress;

impl<'w> Transaction<'w> {
    /// Says what the history is to say of it.
    #[must_use]
    pub fn labelled(mut self, label: Label) -> Self {
        self.label = label;
        self
    }

    /// Says whose directories are, and with which permission bits, if they have to be made; others
    /// are the user's own with 0777 less the umask.
    #[must_use]
    pub fn with_directories(mut self, directories: BTreeMap<RelPath, Standing>) -> Self {
        self.directories = directories;
        self
    }

    /// Lets `trial` have a say before it counts, after those that were named before.
    #[must_use]
    pub fn tried_by(mut self, trial: &'w dyn Trial) -> Self {
        self.trials.push(trial);
        self
    }

    /// Tells `progress` how far its commit is.
    #[must_use]
    pub fn followed_by(mut self, progress: Progress) -> Self {
        self.progress = progress;
        self
    }

    /// Makes room for `changes`, about as many as there are going to be: lists that grow leave what
    /// they moved out of.
    #[must_use]
    pub fn expecting(self, changes: usize) -> Self {
        self.stage.reserve(changes);
        self
    }

    /// Says what becomes of the other names of files that are staged from now on.
    #[must_use]
    pub fn with_links(mut self, links: Links) -> Self {
        self.stage.links = links;
        self
    }
}
