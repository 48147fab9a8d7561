//! The record of a group in the journal of each member.

use serde::{Deserialize, Serialize};

use crate::path::RelPath;
use crate::transaction::Failure;
use crate::transaction::escape::{escape, unescape, unescape_bytes};
use crate::workspace::Workspace;

/// The transactions that commit together. All of them have the same ID.
///
/// The serialized names are part of the journal format and of the history, so they never change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::transaction) struct GroupRecord {
    /// The position of this transaction in `members`.
    pub(in crate::transaction) position: usize,
    /// The members in the order in which every process takes their locks. The first one is the
    /// coordinator. Its commit record is the decision about all of them.
    pub(in crate::transaction) members: Vec<GroupMember>,
}

/// One member of a group.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::transaction) struct GroupMember {
    /// The identity of the top directory, which distinguishes it from a copy.
    pub(in crate::transaction) identity: String,
    /// The location of the top directory, escaped.
    location: String,
    /// The name of the root, escaped.
    name: String,
}

impl GroupMember {
    /// Returns the member with the top directory `workspace`.
    ///
    /// # Errors
    ///
    /// Returns [`Failure::State`] if other processes cannot open the directory.
    pub(in crate::transaction) fn of(
        name: &RelPath,
        workspace: &dyn Workspace,
    ) -> Result<Self, Failure> {
        let location = workspace.location().ok_or_else(|| Failure::State {
            reason: format!("{name}: the root has no absolute path, so it cannot be recovered"),
        })?;
        Ok(Self {
            identity: workspace.identity()?,
            location: escape(&location).into(),
            name: escape(name.as_bytes()).into(),
        })
    }

    /// Returns the location of the top directory.
    pub(in crate::transaction) fn location(&self) -> Vec<u8> {
        unescape_bytes(&self.location).unwrap_or_default()
    }

    /// Returns the name of the root.
    pub(in crate::transaction) fn name(&self) -> Option<RelPath> {
        unescape(&self.name).filter(|name| name.components().count() == 1)
    }
}

impl GroupRecord {
    /// Returns whether `other` belongs to the same group. Their transactions have the same ID.
    pub(in crate::transaction) fn is_same_group(&self, other: &Self) -> bool {
        self.members == other.members
    }

    /// Returns whether the record can be used.
    pub(in crate::transaction) fn is_valid(&self) -> bool {
        self.position < self.members.len()
            && self
                .members
                .iter()
                .all(|member| !member.location().is_empty() && member.name().is_some())
    }
}
