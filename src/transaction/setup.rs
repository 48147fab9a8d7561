//! The settings of a transaction between `begin` and `commit`.

use std::collections::BTreeMap;

use super::audit::{AuditSigner, AuditState};
use super::{CommitHook, DirAttributes, HardLinkMode, Transaction, TransactionLabel};
use crate::path::RelPath;
use crate::progress::Progress;

impl<'w> Transaction<'w> {
    /// Sets the label that the history records.
    #[must_use]
    pub fn with_label(mut self, label: TransactionLabel) -> Self {
        let Some((last, others)) = self.members.split_last_mut() else {
            return self;
        };
        for member in others {
            member.label.clone_from(&label);
        }
        last.label = label;
        self
    }

    /// Sets owner and permission bits for new directories. Any other new directory belongs to the
    /// user and has 0777 less the umask.
    #[must_use]
    pub fn with_directories(mut self, directories: BTreeMap<RelPath, DirAttributes>) -> Self {
        for (path, attributes) in directories {
            if let Some((member, path)) = self.member_path(&path) {
                self.members[member].directories.insert(path, attributes);
            }
        }
        self
    }

    /// Adds a commit hook, which runs after those added before.
    #[must_use]
    pub fn with_hook(mut self, hook: &'w dyn CommitHook) -> Self {
        self.hooks.push(hook);
        self
    }

    /// Returns whether the commit has an audit record.
    #[must_use]
    pub fn has_audit(&self) -> bool {
        let mut states = self.members.iter().filter_map(|it| it.state.as_ref());
        states.any(|state| matches!(state.audit, AuditState::Open(_)))
    }

    /// Signs the audit record of the commit with `signer`.
    #[must_use]
    pub fn with_signer(mut self, signer: Option<&'w dyn AuditSigner>) -> Self {
        for member in &mut self.members {
            member.signer = signer;
        }
        self
    }

    /// Reports the progress of the commit to `progress`.
    #[must_use]
    pub fn with_progress(mut self, progress: &Progress) -> Self {
        for member in &mut self.members {
            member.progress.clone_from(progress);
        }
        self
    }

    /// Reserves memory for about `changes` changes. Growing lists would leave unused memory.
    #[must_use]
    pub fn reserve_changes(self, changes: usize) -> Self {
        for member in &self.members {
            member.stage.reserve(changes);
        }
        self
    }

    /// Sets whether later staged files keep or break their hard links.
    #[must_use]
    pub fn with_links(mut self, links: HardLinkMode) -> Self {
        for member in &mut self.members {
            member.stage.links = links;
        }
        self
    }
}
