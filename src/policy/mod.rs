//! From a path and what is to be done with it to a verdict, and the rules that gave it.
//!
//! Every rule is asked, and the strictest answer counts: nothing that one of them denies is opened by another.

mod closed;
mod names;
mod operation;

use crate::path::RelPath;

pub use closed::{RULES, Rule, closed};

/// What is to be done with a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    pub const ALL: [Self; 6] = [Self::Read, Self::Create, Self::Modify, Self::Delete, Self::Rename, Self::Mode];

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

/// What may be done, the strictest last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// It may be done.
    #[default]
    Allow,
    /// Somebody has to approve it.
    Ask,
    /// It may not be done.
    Deny,
}

impl Verdict {
    /// Returns its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// A rule that has something against what is to be done with a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The path.
    pub path: RelPath,
    /// What is to be done with it.
    pub access: Access,
    /// [`Verdict::Ask`] or [`Verdict::Deny`].
    pub verdict: Verdict,
    /// The name of the rule.
    pub rule: String,
    /// The pattern that the path matches.
    pub pattern: Option<String>,
    /// Why.
    pub reason: String,
    /// The policy file, and the line of the rule in it, counted from 1; `None` for what always holds.
    pub source: Option<(String, usize)>,
}

/// What a policy says of a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ruling {
    /// The strictest verdict.
    pub verdict: Verdict,
    /// The rules that have something against it, the strictest first.
    pub hits: Vec<Hit>,
}

impl Ruling {
    /// Returns the ruling of `hits`.
    #[must_use]
    pub fn of(mut hits: Vec<Hit>) -> Self {
        hits.sort_by_key(|hit| std::cmp::Reverse(hit.verdict));
        Self { verdict: hits.first().map_or(Verdict::Allow, |hit| hit.verdict), hits }
    }

    /// Returns why it is not simply allowed; `None` if it is.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        self.hits.first().map(|hit| hit.reason.as_str())
    }
}

/// Everything that says what may be done below a root.
#[derive(Clone, Debug, Default)]
pub struct Policy {}

impl Policy {
    /// Returns the names of the policy files that are in force.
    #[must_use]
    pub fn sources(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Returns what may be done with `path`.
    #[must_use]
    pub fn judge(&self, path: &RelPath, access: Access) -> Ruling {
        let hit = |rule: &Rule| Hit {
            path: path.clone(),
            access,
            verdict: Verdict::Deny,
            rule: rule.name.to_owned(),
            pattern: None,
            reason: rule.reason.to_owned(),
            source: None,
        };
        Ruling::of(closed(path).map(hit).into_iter().collect())
    }
}
