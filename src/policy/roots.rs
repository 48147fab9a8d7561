//! The policy of a tree with several roots: each root has a policy of its own, whose paths are
//! relative to it.

use std::sync::Arc;

use super::{Access, Policy, RuleMatch};
use crate::path::RelPath;

impl Policy {
    /// Returns the policy of a tree with several roots. Paths begin with the name of a root. The
    /// policy of the root decides about the rest of the path, and the strictest value of each
    /// setting applies to all roots.
    #[must_use]
    pub fn of_roots(roots: Vec<(RelPath, Arc<Self>)>) -> Self {
        Self {
            for_model: roots.iter().any(|(_, policy)| policy.for_model),
            roots,
            ..Self::default()
        }
    }

    /// Returns the policy of the root `name`, or this policy if it has no roots.
    #[must_use]
    pub fn of_root(&self, name: &RelPath) -> Option<&Arc<Self>> {
        let found = self.roots.iter().find(|(root, _)| root == name);
        found.map(|(_, policy)| policy)
    }

    /// Returns this policy with the policy of each root changed by `change`.
    #[must_use]
    pub fn map_roots(&self, change: impl Fn(&RelPath, Arc<Self>) -> Arc<Self>) -> Self {
        let roots = self.roots.iter();
        let changed = roots.map(|(name, policy)| (name.clone(), change(name, Arc::clone(policy))));
        Self {
            roots: changed.collect(),
            ..self.clone()
        }
    }

    /// Returns the names and the policies of the roots.
    #[must_use]
    pub fn roots(&self) -> &[(RelPath, Arc<Self>)] {
        &self.roots
    }

    /// Returns the policy of the root that contains `path`, the path below the root and the name.
    pub(super) fn split(&self, path: &RelPath) -> Option<(&Self, RelPath, &RelPath)> {
        let (name, policy) = self.roots.iter().find(|(name, _)| path.is_below(name))?;
        let rest = path.as_bytes().get(name.as_bytes().len() + 1..)?;
        Some((policy, RelPath::new(rest).ok()?, name))
    }

    /// Adds the matches of the root that contains `path`. A rule that matches both in the root and
    /// in the whole tree is reported once.
    pub(super) fn add_root_matches(
        &self,
        path: &RelPath,
        access: Access,
        hits: &mut Vec<RuleMatch>,
    ) {
        let Some((policy, rest, name)) = self.split(path) else {
            return;
        };
        let of_root = policy.rule_matches(&rest, access);
        let is_new = |hit: &RuleMatch| of_root.iter().all(|other| other.rule != hit.rule);
        hits.retain(is_new);
        hits.extend(of_root.into_iter().map(|hit| in_root(hit, name)));
    }

    /// Returns the match of the rule on control files in the root that contains `path`.
    pub(super) fn root_control_match(&self, path: &RelPath, access: Access) -> Option<RuleMatch> {
        let (policy, rest, name) = self.split(path)?;
        Some(in_root(policy.control_match(&rest, access)?, name))
    }

    /// Returns whether a rule of this policy or of a root satisfies `has`.
    pub(super) fn any_root(&self, has: impl Fn(&Self) -> bool) -> bool {
        self.roots.iter().any(|(_, policy)| has(policy))
    }
}

/// Returns `hit` with its path in the tree with several roots.
fn in_root(hit: RuleMatch, name: &RelPath) -> RuleMatch {
    let path = name.join(hit.path.as_bytes()).unwrap_or(hit.path);
    RuleMatch { path, ..hit }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Verdict;

    #[test]
    fn the_policy_of_a_root_decides_about_its_own_paths_only() {
        let path = |name: &str| RelPath::new(name.as_bytes()).unwrap();
        let model = Arc::new(Policy::default().for_model());
        let user = Arc::new(Policy::default());
        let policy = Policy::of_roots(vec![(path("a"), model), (path("b"), user)]);
        let verdict = |name: &str| -> Verdict { policy.judge(&path(name), Access::Modify).verdict };
        assert_eq!(verdict("a/.claude/settings.json"), Verdict::Ask);
        assert_eq!(verdict("a/x"), Verdict::Allow);
        assert_eq!(verdict("a/.git/config"), Verdict::Deny);
        assert_eq!(verdict("b/.git/config"), Verdict::Deny);
        assert_eq!(verdict("b/wpatch.toml"), Verdict::Deny);
        let hits = policy.judge(&path("a/.git/config"), Access::Modify).matches;
        assert_eq!(hits[0].path, path("a/.git/config"));
    }
}
