//! The outcomes of commands, and their exit codes.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::preflight::{ProblemCode, ProblemKind, code};

/// The outcome of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Outcome {
    /// The change was applied.
    Applied,
    /// The change can be applied; nothing was written.
    WouldApply,
    /// A part of the change was applied, as requested. The rest conflicts or was rejected.
    Partial,
    /// A part of the change can be applied, as requested; nothing was written.
    WouldBePartial,
    /// The patch was read but not compared with any file.
    Described,
    /// Recovery is complete, or there was nothing to recover.
    Recovered,
    /// The directory for the history exists.
    Initialized,
    /// The history is within its limits.
    Cleaned,
    /// The plan was rejected and can no longer be approved.
    Rejected,
    /// The rejection of the plan was withdrawn. The plan can be approved again.
    Withdrawn,
    /// The edit session exists.
    Begun,
    /// The edit session was removed.
    Aborted,
    /// The patch does not apply to the tree.
    DoesNotApply,
    /// The patch is malformed.
    Malformed,
    /// The arguments are wrong.
    Usage,
    /// Policy or a safety rule forbids the change.
    Refused,
    /// A file system or system call failed. All changes were rolled back.
    Failed,
    /// The rollback is incomplete. A recovery can finish it, unless another program has changed the
    /// files.
    Incomplete,
    /// Another process holds the lock.
    Locked,
    /// A signal interrupted the command. All changes were rolled back.
    Interrupted,
}

impl Outcome {
    /// Returns the outcome of a command that fails with this error code.
    #[must_use]
    pub fn of(problem: &ProblemCode) -> Self {
        match *problem {
            code::LOCKED => return Self::Locked,
            code::INCOMPLETE => return Self::Incomplete,
            code::INTERRUPTED => return Self::Interrupted,
            code::BINARY_DENIED => return Self::Refused,
            code::NO_OVERLAY => return Self::Failed,
            code::BINARY_DATA | code::UNSUPPORTED_FORM | code::ED_SCRIPT => return Self::Malformed,
            _ => {}
        }
        Self::of_kind(problem.kind)
    }

    /// Returns the outcome of a command that fails with an error of this kind. [`Self::of`] handles
    /// the codes with another outcome.
    pub(super) fn of_kind(kind: ProblemKind) -> Self {
        match kind {
            ProblemKind::Usage => Self::Usage,
            ProblemKind::Parse => Self::Malformed,
            ProblemKind::OutsideRoot
            | ProblemKind::Denied
            | ProblemKind::Policy
            | ProblemKind::ApprovalRequired
            | ProblemKind::Suspicious => Self::Refused,
            ProblemKind::Io => Self::Failed,
            _ => Self::DoesNotApply,
        }
    }

    /// Returns the outcome if only a part of the change can be applied.
    #[must_use]
    pub fn to_partial(self) -> Self {
        match self {
            Self::Applied => Self::Partial,
            Self::WouldApply => Self::WouldBePartial,
            other => other,
        }
    }

    /// Returns whether only a part of the change was or would be applied.
    #[must_use]
    pub fn is_partial(self) -> bool {
        matches!(self, Self::Partial | Self::WouldBePartial)
    }

    /// Returns whether the change, or a part of it, can be applied and nothing was written.
    pub(super) fn is_dry_run(self) -> bool {
        matches!(self, Self::WouldApply | Self::WouldBePartial)
    }

    /// Returns whether the command succeeded.
    #[must_use]
    pub fn is_success(self) -> bool {
        self.exit_code(None) == 0
    }

    /// Returns the severity of the outcome; of several outcomes the most severe one is reported.
    ///
    /// A larger exit code is more severe, but [`Outcome::Incomplete`] is the most severe outcome.
    #[must_use]
    pub fn severity(self) -> u8 {
        if self == Self::Incomplete {
            u8::MAX
        } else {
            self.exit_code(None)
        }
    }

    /// Returns the exit code. `signal` is the signal of [`Outcome::Interrupted`].
    #[must_use]
    pub fn exit_code(self, signal: Option<i32>) -> u8 {
        match self {
            Self::Applied
            | Self::WouldApply
            | Self::Described
            | Self::Recovered
            | Self::Initialized
            | Self::Cleaned
            | Self::Rejected
            | Self::Withdrawn
            | Self::Begun
            | Self::Aborted => 0,
            Self::DoesNotApply | Self::Partial | Self::WouldBePartial => 1,
            Self::Malformed | Self::Usage => 2,
            Self::Refused => 3,
            Self::Failed => 4,
            Self::Incomplete => 5,
            Self::Locked => 6,
            Self::Interrupted => signal
                .and_then(|signal| u8::try_from(signal).ok())
                .unwrap_or(0)
                .saturating_add(128),
        }
    }

    /// Returns the name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::WouldApply => "would_apply",
            Self::Partial => "partial",
            Self::WouldBePartial => "would_be_partial",
            Self::Described => "described",
            Self::Recovered => "recovered",
            Self::Initialized => "initialized",
            Self::Cleaned => "cleaned",
            Self::Rejected => "rejected",
            Self::Withdrawn => "withdrawn",
            Self::Begun => "begun",
            Self::Aborted => "aborted",
            Self::DoesNotApply => "does_not_apply",
            Self::Malformed => "malformed",
            Self::Usage => "usage",
            Self::Refused => "refused",
            Self::Failed => "failed",
            Self::Incomplete => "incomplete",
            Self::Locked => "locked",
            Self::Interrupted => "interrupted",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_decides_where_the_kind_is_too_coarse() {
        let exit_codes =
            |codes: [&ProblemCode; 4]| codes.map(|code| Outcome::of(code).exit_code(Some(15)));
        assert_eq!(
            exit_codes([
                &code::IO,
                &code::LOCKED,
                &code::INCOMPLETE,
                &code::INTERRUPTED
            ]),
            [4, 6, 5, 143]
        );
        assert_eq!(
            exit_codes([
                &code::NO_BINARY_DATA,
                &code::BINARY_DATA,
                &code::BAD_LINK,
                &code::CLOSED
            ]),
            [1, 2, 1, 3]
        );
    }

    #[test]
    fn an_outcome_is_written_by_its_name() {
        let outcomes = [
            Outcome::Applied,
            Outcome::WouldApply,
            Outcome::DoesNotApply,
            Outcome::Interrupted,
        ];
        let names = outcomes.map(|outcome| serde_json::to_value(outcome).unwrap());
        assert_eq!(
            names,
            ["applied", "would_apply", "does_not_apply", "interrupted"]
        );
    }
}
