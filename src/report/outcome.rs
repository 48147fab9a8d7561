//! How a command ended, and the exit code of each ending.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::preflight::{Code, ProblemKind, code};

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Outcome {
    /// The change is in the tree.
    Applied,
    /// The change can be made; nothing was written.
    WouldApply,
    /// Part of the change is in the tree, as was asked for: the rest is in conflict, or was
    /// rejected.
    Partial,
    /// Part of the change can be made, as is asked for; nothing was written.
    WouldBePartial,
    /// The patch was read and compared with no file.
    Described,
    /// What a dead process left was put right, or nothing was left.
    Recovered,
    /// There is a place for the history.
    Initialized,
    /// The history is within its limits.
    Cleaned,
    /// Nobody's approval of the plan counts any more.
    Rejected,
    /// The plan can be approved again.
    Withdrawn,
    /// The patch does not fit the tree.
    DoesNotApply,
    /// The patch is broken.
    Malformed,
    /// The command line is wrong.
    Usage,
    /// Policy or safety forbids it.
    Refused,
    /// The disk or the system failed; everything was put back.
    Failed,
    /// The tree is not as it was: `wpatch recover` finishes putting it back, or somebody else's
    /// work is in the way.
    Incomplete,
    /// Somebody else holds the lock.
    Locked,
    /// A signal came; everything was put back.
    Interrupted,
}

impl Outcome {
    /// Returns the ending that an error of this code means.
    #[must_use]
    pub fn of(problem: &Code) -> Self {
        match *problem {
            code::LOCKED => return Self::Locked,
            code::INCOMPLETE => return Self::Incomplete,
            code::INTERRUPTED => return Self::Interrupted,
            code::BINARY_DENIED => return Self::Refused,
            code::BINARY_DATA | code::UNSUPPORTED_FORM | code::ED_SCRIPT => return Self::Malformed,
            _ => {}
        }
        Self::of_kind(problem.kind)
    }

    /// Returns the ending that an error of this kind means, unless its code decides.
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

    /// Returns the ending of which only a part can be done.
    #[must_use]
    pub fn partial(self) -> Self {
        match self {
            Self::Applied => Self::Partial,
            Self::WouldApply => Self::WouldBePartial,
            other => other,
        }
    }

    /// Returns whether only a part of what was asked for is done, or would be.
    #[must_use]
    pub fn is_partial(self) -> bool {
        matches!(self, Self::Partial | Self::WouldBePartial)
    }

    /// Returns whether what was asked for is done, or would be.
    #[must_use]
    pub fn is_success(self) -> bool {
        self.exit_code(None) == 0
    }

    /// Returns how grave the ending is: of several the gravest is the one to report. A larger exit
    /// code is a graver ending, but nothing is graver than a tree that is not put back.
    #[must_use]
    pub fn gravity(self) -> u8 {
        if self == Self::Incomplete {
            u8::MAX
        } else {
            self.exit_code(None)
        }
    }

    /// Returns the exit code; `signal` is the one that [`Outcome::Interrupted`] speaks of.
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
            | Self::Withdrawn => 0,
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

    /// Returns its name in reports.
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
            |codes: [&Code; 4]| codes.map(|code| Outcome::of(code).exit_code(Some(15)));
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
