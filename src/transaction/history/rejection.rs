//! The record of a rejected plan: a history entry without changed files.

use serde::{Deserialize, Serialize};

use crate::transaction::Failure;
use crate::transaction::audit::{ChangeOrigin, HunkReason, origin_of_lines};
use crate::transaction::checksummed::{damaged_failure, parse_checksummed};
use crate::transaction::scratch::Scratch;
use crate::transaction::state_location::display_path;
use crate::workspace::{ErrorKind, Workspace};

/// The maximum size of a record in bytes.
const MAX_SIZE: u64 = 16 << 20;

/// A rejected plan with the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanRejection {
    /// The name of the change, as `sha256:HEX`.
    pub plan: String,
    /// The reason that the user gave, as free text.
    pub reason: Option<String>,
    /// The path and the operation of each file of the plan, as far as they are known.
    pub files: Vec<(String, String)>,
    /// The reasons for the rejection of single hunks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hunks: Vec<HunkReason>,
    /// The lines of the audit record.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub audit: Vec<String>,
}

impl PlanRejection {
    /// The only file of such an entry.
    pub(in crate::transaction) const FILE: &'static str = "refused";

    /// Returns the origin of the rejection.
    pub(super) fn origin(&self) -> ChangeOrigin {
        ChangeOrigin {
            plan_id: Some(self.plan.clone()),
            ..origin_of_lines(&self.audit)
        }
    }

    /// Reads the rejection in `scratch`.
    pub(in crate::transaction) fn read(
        workspace: &dyn Workspace,
        scratch: &Scratch,
    ) -> Result<Self, Failure> {
        let path = scratch.file(Self::FILE)?;
        let name = display_path(workspace, &path);
        let read = workspace
            .read(&path, MAX_SIZE)
            .map_err(|error| match error.kind {
                ErrorKind::NotRegular | ErrorKind::TooLarge => damaged_failure(&name),
                _ => error.into(),
            });
        parse_checksummed(&read?.0, &name)
    }
}
