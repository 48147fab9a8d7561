//! Evaluates the policy for all paths of an operation.

use super::{
    Access, POLICY_FILE_RULE, Policy, PolicyDecision, PolicyLayer, RuleMatch, SymlinkSetting,
    Verdict,
};
use crate::mode::{FileKind, FileMode};
use crate::path::RelPath;
use crate::plan::{Action, Edit, Operation, Precondition};

/// The name of the rule that a change must state the hash of the existing file.
pub const REQUIRE_HASH_RULE: &str = "require-hash";

impl Policy {
    /// Returns the combined decision on all paths of `operation`. `find_kind` returns the type of
    /// a file, if it exists, and does not follow links. It is called only if its result makes a
    /// difference.
    ///
    /// Changing, moving or copying a file also reads it, because a report shows its content.
    #[must_use]
    pub fn judge_operation(
        &self,
        operation: &Operation,
        find_kind: impl Fn(&RelPath) -> Option<FileKind>,
    ) -> PolicyDecision {
        let is_there = |path: &RelPath| find_kind(path).is_some();
        let source = operation.from.as_ref();
        let found = self
            .hash_matches(operation, &is_there)
            .into_iter()
            .chain(self.link_hit(operation, &find_kind))
            .chain(source.into_iter().flat_map(|from| {
                self.judge_path(operation, from, source_accesses(operation))
                    .matches
            }))
            .chain(self.judge_target(operation, &is_there).matches)
            .chain(self.judge_mode_change(operation, &is_there).matches);
        let mut hits: Vec<RuleMatch> = Vec::new();
        for hit in found {
            if !hits.iter().any(|known| is_same_rule(known, &hit)) {
                hits.push(hit);
            }
        }
        let ruling = PolicyDecision::of(hits);
        let may_be_allowed =
            ruling.verdict == Verdict::Allow && self.layers.iter().any(PolicyLayer::has_allow_rule);
        PolicyDecision {
            has_allow_rule: may_be_allowed && self.allows_all_writes(operation, &is_there),
            ..ruling
        }
    }

    /// Returns a match for each file that the operation changes without stating its hash, if the
    /// policy requires hashes.
    fn hash_matches(
        &self,
        operation: &Operation,
        is_there: &dyn Fn(&RelPath) -> bool,
    ) -> Vec<RuleMatch> {
        if !self.requires_hash() {
            return Vec::new();
        }
        let reason = "policy requires the hash of the file (`require_hash`)";
        unguarded_files(operation)
            .into_iter()
            .filter(|changed| is_there(changed))
            .map(|changed| {
                RuleMatch::of_built_in(changed, Access::Modify, REQUIRE_HASH_RULE, reason)
            })
            .collect()
    }

    /// Returns a match if the operation creates, changes, copies or moves a symbolic link and the
    /// policy refuses links.
    fn link_hit(
        &self,
        operation: &Operation,
        find_kind: &dyn Fn(&RelPath) -> Option<FileKind>,
    ) -> Option<RuleMatch> {
        if self.symlink_setting() != SymlinkSetting::Refuse {
            return None;
        }
        // A copy or a rename need not state a mode.
        let is_copied = operation
            .from
            .as_ref()
            .is_some_and(|from| find_kind(from) == Some(FileKind::Symlink));
        let is_link = operation.new_mode == Some(FileMode::Symlink);
        let is_changed = operation.from.is_none() && operation.old_mode == operation.new_mode;
        let (access, reason) = match (is_copied || is_link, is_changed) {
            (false, _) => return None,
            (true, true) => (Access::Modify, "policy denies changes of symbolic links"),
            (true, false) => (Access::Create, "policy denies new symbolic links"),
        };
        let reason = format!("{reason} (`symlinks`)");
        Some(RuleMatch::of_built_in(
            &operation.path,
            access,
            "symlinks",
            &reason,
        ))
    }

    /// Returns the decision on `accesses` to `path`, one of the paths of `operation`.
    fn judge_path(
        &self,
        operation: &Operation,
        path: &RelPath,
        accesses: &[Access],
    ) -> PolicyDecision {
        if self.has_no_rule_for(path) {
            return PolicyDecision::default();
        }
        let hits = accesses
            .iter()
            .flat_map(|&access| self.judge(path, access).matches);
        // An empty directory cannot replace a policy file.
        let is_harmless = |hit: &RuleMatch| {
            hit.rule == POLICY_FILE_RULE
                && is_empty_directory(operation)
                && !self.is_exact_policy_file(path)
        };
        PolicyDecision::of(hits.filter(|hit| !is_harmless(hit)).collect())
    }

    /// Returns the decision on the resulting path of the operation.
    fn judge_target(
        &self,
        operation: &Operation,
        is_there: &dyn Fn(&RelPath) -> bool,
    ) -> PolicyDecision {
        let path = &operation.path;
        let weigh = |accesses| self.judge_path(operation, path, accesses);
        match target_accesses(operation) {
            TargetAccesses::Certain(accesses) => weigh(accesses),
            TargetAccesses::DependsOnTarget(new, old) => {
                // Equal decisions do not depend on the tree, so the tree is not examined.
                let (new, old) = (weigh(new), weigh(old));
                if new == old || !is_there(path) {
                    new
                } else {
                    old
                }
            }
        }
    }

    /// Returns the decision on the change of a file mode, if the operation contains one.
    fn judge_mode_change(
        &self,
        operation: &Operation,
        is_there: &dyn Fn(&RelPath) -> bool,
    ) -> PolicyDecision {
        if !is_mode_changed(operation) {
            return PolicyDecision::default();
        }
        let ruling = self.judge(&operation.path, Access::Mode);
        // Without an old mode, the mode changes only if the file exists.
        let is_certain = operation.old_mode.is_some();
        if is_certain || ruling.verdict > Verdict::Allow && is_there(&operation.path) {
            ruling
        } else {
            PolicyDecision::default()
        }
    }

    /// Returns whether rules with the verdict `allow` match every write of `operation`.
    fn allows_all_writes(
        &self,
        operation: &Operation,
        is_there: &dyn Fn(&RelPath) -> bool,
    ) -> bool {
        let allows = |path: &RelPath, accesses: &[Access]| {
            let mut written = accesses.iter().filter(|access| **access != Access::Read);
            written.all(|&access| {
                self.layers
                    .iter()
                    .any(|layer| layer.allows(path, access, &self.location))
            })
        };
        let path = &operation.path;
        let arrival = match target_accesses(operation) {
            TargetAccesses::DependsOnTarget(_, old) if is_there(path) => old,
            TargetAccesses::Certain(accesses) | TargetAccesses::DependsOnTarget(accesses, _) => {
                accesses
            }
        };
        let mode: &[Access] = if is_mode_changed(operation) {
            &[Access::Mode]
        } else {
            &[]
        };
        allows(path, arrival)
            && allows(path, mode)
            && operation
                .from
                .iter()
                .all(|from| allows(from, source_accesses(operation)))
    }
}

/// Returns whether the operation creates or deletes an empty directory. An undo contains such
/// operations.
fn is_empty_directory(operation: &Operation) -> bool {
    let mode = match operation.action {
        Action::Create => operation.new_mode,
        Action::Delete => operation.old_mode,
        _ => None,
    };
    mode == Some(FileMode::Submodule) && matches!(operation.edit, Edit::Keep | Edit::Directory)
}

/// Returns whether the operation changes the mode of an existing file.
fn is_mode_changed(operation: &Operation) -> bool {
    match (operation.old_mode, operation.new_mode) {
        (Some(old), Some(new)) => old != new,
        (None, Some(_)) => operation.action == Action::Modify,
        (_, None) => false,
    }
}

/// Returns the files that the operation changes without stating their required content. They need
/// not exist.
fn unguarded_files(operation: &Operation) -> Vec<&RelPath> {
    if matches!(operation.guard.as_deref(), Some(Precondition::Contents(..))) {
        return Vec::new();
    }
    let Some(from) = &operation.from else {
        return if has_stated_content(operation) {
            Vec::new()
        } else {
            vec![&operation.path]
        };
    };
    // The stated content is the content of the source. It proves nothing about a file that the
    // operation overwrites.
    let moved =
        (operation.action == Action::Rename && !has_stated_content(operation)).then_some(from);
    let replaced = (operation.path != *from).then_some(&operation.path);
    moved.into_iter().chain(replaced).collect()
}

/// Returns whether the operation states the required content of the whole file.
fn has_stated_content(operation: &Operation) -> bool {
    let is_binary = matches!(operation.edit, Edit::Binary(_));
    // wpatch compares the stated blob only for binary patches.
    let has_blob = is_binary
        && operation
            .blobs
            .as_ref()
            .is_some_and(|blobs| blobs.old.len() >= 40);
    operation.expected.is_some() || has_blob
}

/// Returns whether a report need not distinguish the two matches.
pub(super) fn is_same_rule(one: &RuleMatch, other: &RuleMatch) -> bool {
    (&one.path, &one.rule, &one.source, one.verdict)
        == (&other.path, &other.rule, &other.source, other.verdict)
}

/// The accesses to the path of an operation.
enum TargetAccesses {
    Certain(&'static [Access]),
    /// The first list if no file exists at the path, otherwise the second.
    DependsOnTarget(&'static [Access], &'static [Access]),
}

/// Returns the accesses to the source of a rename or a copy.
fn source_accesses(operation: &Operation) -> &'static [Access] {
    match (operation.action, &operation.edit) {
        (Action::Rename, Edit::Keep) => &[Access::Rename, Access::Delete, Access::Read],
        (Action::Rename, _) => &[Access::Rename, Access::Delete, Access::Modify, Access::Read],
        _ => &[Access::Read],
    }
}

/// Returns the accesses to the resulting path of the operation.
fn target_accesses(operation: &Operation) -> TargetAccesses {
    const CHANGED: &[Access] = &[Access::Modify, Access::Read];
    match operation.action {
        Action::Delete | Action::RemoveCopy => {
            TargetAccesses::Certain(&[Access::Delete, Access::Read])
        }
        Action::Rename => TargetAccesses::DependsOnTarget(
            &[Access::Rename, Access::Create],
            &[Access::Rename, Access::Modify, Access::Read],
        ),
        Action::Modify if matches!(operation.edit, Edit::Keep) && operation.new_mode.is_some() => {
            TargetAccesses::Certain(&[Access::Mode, Access::Read])
        }
        Action::Modify if operation.distinguishes_missing => TargetAccesses::Certain(CHANGED),
        // `Modify` is here because a diff without git header can also create its file.
        Action::Create | Action::Copy | Action::Modify => {
            TargetAccesses::DependsOnTarget(&[Access::Create], CHANGED)
        }
    }
}
