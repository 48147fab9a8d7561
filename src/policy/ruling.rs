//! What is done with a path, the verdict on it, and the rules that gave the verdict.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::path::RelPath;

/// The name of a match that no grant prevents. No rule of a policy file has this name: those have
/// their patterns as names.
pub(super) const GRANT: &str = "grant";

/// What is to be done with a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Access {
    /// Its contents are looked at.
    Read,
    /// A file comes to be there.
    Create,
    /// Its contents become others.
    Modify,
    /// It goes.
    Delete,
    /// It gets another name, or is the new name of another file.
    Rename,
    /// Its mode becomes another.
    Mode,
}

impl Access {
    /// Everything that can be done.
    pub const ALL: [Self; 6] = [
        Self::Read,
        Self::Create,
        Self::Modify,
        Self::Delete,
        Self::Rename,
        Self::Mode,
    ];

    /// Returns its name, as policies have it.
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

/// How far a run may go, the strictest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Mode {
    /// It may look.
    ReadOnly,
    /// It may write below the root, and where a grant says so.
    WorkspaceWrite,
    /// The same; it says that no mode of this file is to hold anything back.
    Full,
}

impl Mode {
    /// Returns its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::WorkspaceWrite => "workspace-write",
            Self::Full => "full",
        }
    }
}

/// What may be done, the strictest last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Verdict {
    /// It may be done.
    #[default]
    Allow,
    /// Somebody has to approve it.
    Ask,
    /// It may not be done.
    Deny,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// A rule that speaks of what is to be done with a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The path.
    pub path: RelPath,
    /// What is to be done with it.
    pub access: Access,
    /// What the rule says.
    pub verdict: Verdict,
    /// The name of the rule.
    pub rule: String,
    /// The pattern that the path matches.
    pub pattern: Option<String>,
    /// Why.
    pub reason: String,
    /// The policy file, and the line of the rule in it, counted from 1; `None` for what always
    /// holds.
    pub source: Option<(String, usize)>,
    /// The mode that holds, and the least one that allows it.
    pub modes: Option<(Mode, Mode)>,
}

impl Hit {
    /// Returns whether it is there because no grant opens the path.
    #[must_use]
    pub fn is_of_grant(&self) -> bool {
        self.rule == GRANT && self.source.is_some() && self.pattern.is_none()
    }

    /// Returns the hit of a rule that always holds.
    #[must_use]
    pub fn built_in(path: &RelPath, access: Access, rule: &str, reason: &str) -> Self {
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

/// What a policy says of a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ruling {
    /// The strictest verdict.
    pub verdict: Verdict,
    /// The rules that have something against it, the strictest first.
    pub hits: Box<[Hit]>,
    /// Whether the user's own rules with the verdict `allow` match every path that the operation
    /// writes. Only [`Policy::weigh`](super::Policy::weigh) finds out. A grant is no such rule, and
    /// a project's file has none that counts.
    pub has_allow_rule: bool,
}

impl Ruling {
    /// Returns the ruling of `hits`.
    #[must_use]
    pub fn of(mut hits: Vec<Hit>) -> Self {
        hits.sort_by_key(|hit| std::cmp::Reverse(hit.verdict));
        Self {
            verdict: hits.first().map_or(Verdict::Allow, |hit| hit.verdict),
            hits: hits.into(),
            has_allow_rule: false,
        }
    }

    /// Returns why it is not simply allowed; `None` if it is.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        self.hits.first().map(|hit| hit.reason.as_str())
    }
}
