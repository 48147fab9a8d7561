//! Decides which accesses to a path are allowed.
//!
//! Input: a path and an [`Access`], or an operation. Output: a [`PolicyDecision`] with the verdict
//! (`allow`, `ask` or `deny`) and the matching rules. The module is pure; the caller reads the
//! policy files and inspects the tree.
//!
//! Invariants:
//!
//! - Every rule is evaluated, and the strictest verdict counts. No rule can release what another
//!   rule denies.
//! - The project's own policy file can only make the policy stricter.
//!
//! Start with [`Policy::judge`]. `protected` contains the protected paths, `secrets` the
//! credentials, `control` the files that control agents, and `layer` the rules of policy files.
//! `operation` combines the decisions on all paths of an operation.

mod built_in;
mod config;
#[cfg_attr(
    not(feature = "policy"),
    allow(dead_code, reason = "policy files use it")
)]
mod control;
mod control_files;
mod decision;
mod derive;
#[cfg(feature = "policy")]
mod document;
mod explain;
mod layer;
mod names;
mod operation;
mod parse;
#[cfg_attr(
    not(feature = "policy"),
    allow(dead_code, reason = "policy files use it")
)]
mod pattern;
mod places;
mod protected;
mod roots;
mod secrets;
mod tree;

use std::sync::Arc;

use crate::guard::{GUARDS, Guard};
use crate::path::RelPath;

pub use built_in::BuiltInRule;
pub use control::{control_paths, is_control_component};
pub use decision::{Access, Mode, PolicyDecision, RuleMatch, Verdict};
pub use explain::GrantedDirectory;
pub use layer::{PolicyError, PolicyLayer, PolicyOrigin, SymlinkSetting};
pub use operation::REQUIRE_HASH_RULE;
pub use parse::{MAX_FILE_BYTES, parse};
pub use protected::{
    GIT_DIRECTORY_RULE, PROTECTION_RULES, ProtectionRule, protecting_rule, root_rule,
};
pub use secrets::SecretsSetting;
pub use tree::GitDirectoryRole;

use config::ConfigPosition;
use control::ControlFileSetting;
use secrets::Secrets;
use tree::TreeFacts;

/// The name of the rule that protects policy files.
const POLICY_FILE_RULE: &str = "policy-file";

/// The policy for a root: the built-in rules and the policy files in effect.
///
/// The default has no policy files and knows no home directory. Only the rules that always apply
/// protect paths then.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    layers: Vec<PolicyLayer>,
    location: RootLocation,
    secrets: Secrets,
    /// The policy files below the root, and the links that lead to them.
    files: Vec<RelPath>,
    /// Facts about the tree that the caller found.
    tree: TreeFacts,
    /// The directory with the user's configuration.
    config: ConfigPosition,
    /// Whether a model requests the changes. The policy then asks before control files are changed.
    for_model: bool,
    /// The policies of the roots, for a tree with several roots.
    roots: Vec<(RelPath, Arc<Policy>)>,
}

/// The position of a root in the whole file system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RootLocation {
    /// The absolute paths of the root, without a final slash.
    pub roots: Vec<Vec<u8>>,
    /// The absolute paths of the user's home.
    pub homes: Vec<Vec<u8>>,
    /// The absolute paths of the directory with the user's configuration, whether it exists or not.
    pub configs: Vec<Vec<u8>>,
}

impl Policy {
    /// Creates the policy of `layers` for a root at `place`.
    ///
    /// `files` are the policy files below the root. They and the directories above them are
    /// protected from changes.
    #[must_use]
    pub fn new(layers: Vec<PolicyLayer>, place: RootLocation, files: Vec<RelPath>) -> Self {
        let secrets = Secrets::of(&place, secrets_setting(&layers));
        let config = ConfigPosition::of(&place);
        Self {
            layers,
            location: place,
            secrets,
            files,
            tree: TreeFacts::default(),
            config,
            for_model: false,
            roots: Vec::new(),
        }
    }

    /// Returns whether a policy file contains rules on paths.
    #[must_use]
    pub fn has_rules(&self) -> bool {
        let has_rules = |layer: &PolicyLayer| !layer.rules.is_empty();
        self.layers.iter().any(has_rules) || self.any_root(Self::has_rules)
    }

    /// Returns the policy files below the root, except the project's own file, and the links that
    /// lead to them.
    pub fn files(&self) -> impl Iterator<Item = &RelPath> {
        self.files.iter()
    }

    /// Returns the names of the policy files in effect.
    #[must_use]
    pub fn sources(&self) -> Vec<&str> {
        let own = self.layers.iter().map(|layer| layer.name.as_str());
        let roots = self.roots.iter().flat_map(|(_, policy)| policy.sources());
        own.chain(roots).collect()
    }

    /// Returns the decision on an access to `path`. It lists only rules with the verdict `ask` or
    /// `deny`.
    #[must_use]
    pub fn judge(&self, path: &RelPath, access: Access) -> PolicyDecision {
        let mut hits = self.rule_matches(path, access);
        if self.for_model {
            hits.extend(self.control_match(path, access));
        }
        hits.retain(|hit| hit.verdict > Verdict::Allow);
        PolicyDecision::of(hits)
    }

    /// Returns the matches of all rules with an access to `path`, including rules that allow it.
    /// The rule on control files is not included, because it applies only to models.
    fn rule_matches(&self, path: &RelPath, access: Access) -> Vec<RuleMatch> {
        let mut hits = Vec::new();
        if let Some(rule) = self.protecting_rule(path) {
            hits.push(RuleMatch::of_built_in(path, access, rule.name, rule.reason));
        } else if self.is_in_git_directory(path) {
            hits.push(RuleMatch::of_built_in(
                path,
                access,
                GIT_DIRECTORY_RULE,
                names::GIT_REASON,
            ));
        }
        if access != Access::Read && self.config.is_protected(path) {
            hits.push(RuleMatch::of_built_in(
                path,
                access,
                POLICY_FILE_RULE,
                "the path contains the configuration of wpatch",
            ));
        // Replacing a directory above a policy file would replace the file.
        } else if access != Access::Read && self.is_policy_file_or_above(path) {
            hits.push(RuleMatch::of_built_in(
                path,
                access,
                POLICY_FILE_RULE,
                "the path is a policy file or a directory above one",
            ));
        }
        if self.secrets.is_protected(path, access) {
            hits.push(RuleMatch::of_built_in(
                path,
                access,
                "secrets",
                "the path can contain credentials",
            ));
        }
        for layer in &self.layers {
            layer.add_matches(path, access, &self.location, &mut hits);
        }
        self.add_root_matches(path, access, &mut hits);
        hits
    }

    /// Returns the match of the rule on control files, if it applies. The caller checks whether a
    /// model requests the change.
    fn control_match(&self, path: &RelPath, access: Access) -> Option<RuleMatch> {
        if let Some(hit) = self.root_control_match(path, access) {
            return Some(hit);
        }
        if !self.has_control_rule() || access == Access::Read {
            return None;
        }
        let reason = self
            .control_reason(path)
            .or_else(|| self.tree_reason(path))?;
        Some(RuleMatch {
            verdict: Verdict::Ask,
            ..RuleMatch::of_built_in(path, access, control::CONTROL_FILES_RULE, &reason)
        })
    }

    fn has_control_rule(&self) -> bool {
        strictest(&self.layers, |layer| layer.control_files) == ControlFileSetting::Ask
    }

    /// Returns whether the policy is for changes by a model.
    #[must_use]
    pub fn is_for_model(&self) -> bool {
        self.for_model
    }

    /// Returns whether the policy asks before control files are changed.
    #[must_use]
    pub fn asks_about_control_files(&self) -> bool {
        self.for_model && self.has_control_rule() || self.any_root(Self::asks_about_control_files)
    }

    /// Returns whether no rule can match `path`, for any access. This check is faster than
    /// [`Policy::judge`] for the usual case of a policy without files.
    fn has_no_rule_for(&self, path: &RelPath) -> bool {
        self.layers.is_empty()
            && self.roots.is_empty()
            && !self.for_model
            && self.secrets.is_empty()
            && self.files.is_empty()
            && !self.tree.has_git_directories()
            && self.protecting_rule(path).is_none()
            && self.config.is_unrelated_to_root()
            && !names::is_project_policy_file(path)
    }

    /// Returns whether reading is restricted for some file, in addition to the protected paths.
    #[must_use]
    pub fn restricts_reading(&self) -> bool {
        !self.secrets.is_empty()
            || self.layers.iter().any(PolicyLayer::restricts_reading)
            || self.any_root(Self::restricts_reading)
    }

    /// Returns whether `path` is a policy file itself, not a directory above one.
    fn is_exact_policy_file(&self, path: &RelPath) -> bool {
        names::is_project_policy_file(path)
            || self.files.contains(path)
            || (self.split(path))
                .is_some_and(|(policy, rest, _)| policy.is_exact_policy_file(&rest))
    }

    /// Returns whether `path` is a policy file or a directory above one.
    fn is_policy_file_or_above(&self, path: &RelPath) -> bool {
        names::is_project_policy_file(path)
            || self
                .files
                .iter()
                .any(|file| names::is_at_or_above(path, file))
    }

    /// Returns whether a listing may contain `path`; `None` is the root. Grants hide all paths that
    /// are neither granted nor above a granted directory.
    #[must_use]
    pub fn is_visible(&self, path: Option<&RelPath>) -> bool {
        let root = path.and_then(|path| self.split(path));
        self.layers
            .iter()
            .all(|layer| layer.is_visible(path, &self.location))
            && root.is_none_or(|(policy, rest, _)| policy.is_visible(Some(&rest)))
    }

    /// Returns the longest absolute path with a grant that contains the file `name`.
    #[must_use]
    pub fn find_grant(&self, name: &[u8]) -> Option<&[u8]> {
        let prefixes = self
            .layers
            .iter()
            .flat_map(PolicyLayer::absolute_grants)
            .filter(|prefix| layer::covers(prefix, name));
        prefixes.max_by_key(|prefix| prefix.len())
    }

    /// Returns the handling of symbolic links.
    #[must_use]
    pub fn symlink_setting(&self) -> SymlinkSetting {
        let roots = self.roots.iter();
        let strictest_root = roots.map(|(_, policy)| policy.symlink_setting()).max();
        strictest(&self.layers, |layer| layer.symlinks).max(strictest_root.unwrap_or_default())
    }

    /// Returns whether writing binary content is refused.
    #[must_use]
    pub fn refuses_binary(&self) -> bool {
        self.layers.iter().any(|layer| layer.refuses_binary) || self.any_root(Self::refuses_binary)
    }

    /// Returns whether a change to an existing file must state the hash of its content.
    #[must_use]
    pub fn requires_hash(&self) -> bool {
        self.layers.iter().any(|layer| layer.requires_hash) || self.any_root(Self::requires_hash)
    }

    /// Returns the guards that must accept each change.
    #[must_use]
    pub fn guards(&self) -> Vec<&'static Guard> {
        let mut names: Vec<_> = self.layers.iter().flat_map(|layer| &layer.guards).collect();
        let roots: Vec<_> = self
            .roots
            .iter()
            .flat_map(|(_, policy)| policy.guards())
            .collect();
        names.extend(&roots);
        let is_required = |guard: &&Guard| names.iter().any(|required| required.name == guard.name);
        GUARDS.iter().filter(is_required).collect()
    }

    /// Returns the maximum size of a file that may be read, in bytes.
    #[must_use]
    pub fn max_read(&self) -> u64 {
        self.layers
            .iter()
            .filter_map(|layer| layer.max_read)
            .chain(self.roots.iter().map(|(_, policy)| policy.max_read()))
            .min()
            .unwrap_or(u64::MAX)
    }

    /// Returns the maximum size of a file that may be written, in bytes.
    #[must_use]
    pub fn max_write(&self) -> u64 {
        self.layers
            .iter()
            .filter_map(|layer| layer.max_write)
            .chain(self.roots.iter().map(|(_, policy)| policy.max_write()))
            .min()
            .unwrap_or(u64::MAX)
    }
}

/// Returns which files are protected as credentials.
fn secrets_setting(layers: &[PolicyLayer]) -> SecretsSetting {
    strictest(layers, |layer| layer.secrets)
}

/// Returns the strictest value of a setting.
///
/// The user's files can set a value below the default, and the strictest of their values counts. A
/// project's own file can only make the result stricter.
fn strictest<T: Copy + Ord + Default>(
    layers: &[PolicyLayer],
    setting: impl Fn(&PolicyLayer) -> Option<T>,
) -> T {
    let (own, given): (Vec<_>, Vec<_>) = layers
        .iter()
        .partition(|layer| layer.origin == PolicyOrigin::Project);
    let given = given
        .into_iter()
        .filter_map(&setting)
        .max()
        .unwrap_or_default();
    own.into_iter()
        .filter_map(&setting)
        .max()
        .map_or(given, |own| own.max(given))
}

#[cfg(test)]
#[cfg(feature = "policy")]
mod tests;
