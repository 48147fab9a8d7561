//! The accesses to a path, the verdict on them, and the rules that led to the verdict.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::path::RelPath;

/// The rule name of matches that come from grants. A rule of a policy file can have the same name,
/// but its matches always have a pattern.
pub(super) const GRANT_RULE: &str = "grant";

/// An access to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Access {
    /// Read the content of the file.
    Read,
    /// Create the file.
    Create,
    /// Change the content of the file.
    Modify,
    /// Delete the file.
    Delete,
    /// Rename the file, or rename another file to this path.
    Rename,
    /// Change the mode of the file.
    Mode,
}

impl Access {
    /// All accesses.
    pub const ALL: [Self; 6] = [
        Self::Read,
        Self::Create,
        Self::Modify,
        Self::Delete,
        Self::Rename,
        Self::Mode,
    ];

    /// Returns the name of the access in policy files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Create => "create",
            Self::Modify => "modify",
            Self::Delete => "delete",
            Self::Rename => "rename",
            Self::Mode => "mode",
        }
    }
}

/// The extent of writes that a policy allows, the strictest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Mode {
    /// Only reading is allowed.
    ReadOnly,
    /// Writing is allowed below the root and where a grant allows it.
    WorkspaceWrite,
    /// Like `WorkspaceWrite`. States that this policy file restricts nothing by its mode.
    Full,
}

impl Mode {
    /// Returns the name of the mode in policy files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::WorkspaceWrite => "workspace-write",
            Self::Full => "full",
        }
    }
}

/// The verdict on an access, the strictest last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Verdict {
    /// The access is allowed.
    #[default]
    Allow,
    /// A person must approve the access.
    Ask,
    /// The access is denied.
    Deny,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// The match of a rule with an access to a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleMatch {
    /// The path.
    pub path: RelPath,
    /// The access.
    pub access: Access,
    /// The verdict of the rule.
    pub verdict: Verdict,
    /// The name of the rule.
    pub rule: String,
    /// The pattern that the path matches.
    pub pattern: Option<String>,
    /// The reason.
    pub reason: String,
    /// The policy file and the line of the rule, counted from 1; `None` for a built-in rule.
    pub source: Option<(String, usize)>,
    /// The mode in effect, and the strictest mode that allows the access.
    pub modes: Option<(Mode, Mode)>,
}

impl RuleMatch {
    /// Returns whether the reason for this match is that no grant contains the path.
    #[must_use]
    pub fn is_missing_grant(&self) -> bool {
        self.rule == GRANT_RULE && self.source.is_some() && self.pattern.is_none()
    }

    /// Creates the match of a built-in rule, with the verdict `deny`.
    #[must_use]
    pub fn of_built_in(path: &RelPath, access: Access, rule: &str, reason: &str) -> Self {
        Self {
            path: path.clone(),
            access,
            verdict: Verdict::Deny,
            rule: rule.to_owned(),
            pattern: None,
            reason: reason.to_owned(),
            source: None,
            modes: None,
        }
    }
}

/// The result of evaluating a policy for a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicyDecision {
    /// The strictest verdict.
    pub verdict: Verdict,
    /// The rules that led to the verdict, the strictest first.
    pub matches: Box<[RuleMatch]>,
    /// Whether the user's rules with the verdict `allow` match every path that the operation
    /// writes. Only [`Policy::weigh`](super::Policy::judge_operation) computes this. Grants and rules of a
    /// project's own file do not count.
    pub has_allow_rule: bool,
}

impl PolicyDecision {
    /// Creates the decision for `hits`. Without any, the verdict is `allow`.
    #[must_use]
    pub fn of(mut hits: Vec<RuleMatch>) -> Self {
        hits.sort_by_key(|hit| std::cmp::Reverse(hit.verdict));
        Self {
            verdict: hits.first().map_or(Verdict::Allow, |hit| hit.verdict),
            matches: hits.into(),
            has_allow_rule: false,
        }
    }

    /// Returns the reason of the strictest rule, if a rule matches.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        self.matches.first().map(|hit| hit.reason.as_str())
    }
}
