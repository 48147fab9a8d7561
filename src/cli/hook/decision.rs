//! The decision on a call.

/// The decision on a change without a matching rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum DefaultDecision {
    /// The harness decides.
    None,
    /// The call is allowed (`--allow`).
    Allow,
    /// The user is asked even with `--allow`, because the file has another name. Contains the
    /// reason.
    Ask(String),
}

/// The decision on a call.
pub(super) enum Decision {
    /// No decision: the permissions of the harness decide.
    None,
    /// The user has allowed the call.
    Allow,
    /// The user must be asked. Contains the reason.
    Ask(String),
    /// The call is forbidden or cannot succeed. Contains the reason.
    Deny(String),
    /// The file is outside the root and cannot be checked. Contains the reason.
    Outside(String),
}

impl Decision {
    /// Returns the stricter of two decisions, or `self` if both are equally strict. `other` is the
    /// decision of the rules, or no decision if no rule matches.
    pub(super) fn stricter(self, other: Self) -> Self {
        // A harness gets no decision for a file outside the root, so a rule about another path of
        // the same file must win over it.
        let rank = |decision: &Self| match decision {
            Self::Allow | Self::None => 1,
            Self::Outside(_) => 2,
            Self::Ask(_) => 3,
            Self::Deny(_) => 4,
        };
        if rank(&other) > rank(&self) {
            other
        } else {
            self
        }
    }
}
