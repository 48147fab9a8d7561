//! Explains the effect of a policy.

use super::layer::Grant;
use super::operation::is_same_rule;
use super::{
    Access, Mode, Policy, PolicyDecision, PolicyLayer, RuleMatch, SecretsSetting, secrets_setting,
};
use crate::path::RelPath;

/// A directory that a policy file grants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrantedDirectory {
    /// The path of the directory below the root, `.` for the root itself, or an absolute path.
    pub prefix: String,
    /// Whether the directory is also writable.
    pub is_writable: bool,
    /// The policy file and the line of the grant, counted from 1.
    pub source: (String, usize),
}

impl Policy {
    /// Returns every rule that applies to this access to `path`, the strictest first. Rules that
    /// allow the access are included.
    ///
    /// Changing, moving or deleting a file also reads it, because a report shows its content.
    /// Moving a file also deletes it at its old path.
    #[must_use]
    pub fn explain(&self, path: &RelPath, access: Access) -> Vec<RuleMatch> {
        let mut hits: Vec<RuleMatch> = Vec::new();
        // The rule applies only to models, and the reason states this.
        let control = |access| {
            let hit = self.control_match(path, access)?;
            Some(RuleMatch {
                reason: format!("`hook` and `mcp` ask: {}", hit.reason),
                ..hit
            })
        };
        let all = |&access: &Access| {
            self.rule_matches(path, access)
                .into_iter()
                .chain(control(access))
        };
        for hit in access.required_accesses().iter().flat_map(all) {
            if !hits.iter().any(|known| is_same_rule(known, &hit)) {
                hits.push(hit);
            }
        }
        PolicyDecision::of(hits).matches.into_vec()
    }

    /// Returns the mode, or `None` if no file sets it. Then it is [`Mode::WorkspaceWrite`].
    #[must_use]
    pub fn mode(&self) -> Option<Mode> {
        self.layers
            .iter()
            .filter_map(|layer| Some(layer.mode?.0))
            .min()
    }

    /// Returns which files are protected as credentials.
    #[must_use]
    pub fn secrets_setting(&self) -> SecretsSetting {
        secrets_setting(&self.layers)
    }

    /// Returns all grants. Each policy file that contains grants must grant a file.
    pub fn grants(&self) -> impl Iterator<Item = GrantedDirectory> {
        let granted = |layer: &PolicyLayer, grant: &Grant| GrantedDirectory {
            prefix: grant.name(),
            is_writable: grant.is_writable,
            source: (layer.name.clone(), grant.line),
        };
        self.layers
            .iter()
            .flat_map(move |layer| layer.grants.iter().map(move |grant| granted(layer, grant)))
    }
}

impl Access {
    /// Returns all accesses that this access needs.
    fn required_accesses(self) -> &'static [Self] {
        match self {
            Self::Read => &[Self::Read],
            Self::Create => &[Self::Create],
            Self::Modify => &[Self::Modify, Self::Read],
            Self::Delete => &[Self::Delete, Self::Read],
            Self::Rename => &[Self::Rename, Self::Delete, Self::Read],
            Self::Mode => &[Self::Mode, Self::Read],
        }
    }
}
