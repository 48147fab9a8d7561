//! What an operation does to each of its paths.

use super::{Access, Hit, Layer, Links, POLICY_FILE, Policy, Ruling, Verdict};
use crate::mode::FileMode;
use crate::path::RelPath;
use crate::plan::{Action, Edit, Guard, Operation};

/// The name of the rule that a change has to state what it is for.
pub const REQUIRE_HASH: &str = "require-hash";

impl Policy {
    /// Returns what may be done with the paths of `operation`, all together. Whether a file is
    /// there is asked only where it decides.
    ///
    /// Whoever changes, moves or copies a file reads it: a report says what was in it.
    #[must_use]
    pub fn weigh(&self, operation: &Operation, is_there: impl Fn(&RelPath) -> bool) -> Ruling {
        let source = operation.from.as_ref();
        let found = self
            .hash_hits(operation, &is_there)
            .into_iter()
            .chain(self.link_hit(operation))
            .chain(
                source
                    .into_iter()
                    .flat_map(|from| self.weigh_path(operation, from, left(operation)).hits),
            )
            .chain(self.arrival_ruling(operation, &is_there).hits)
            .chain(self.mode_ruling(operation, &is_there).hits);
        let mut hits: Vec<Hit> = Vec::new();
        for hit in found {
            if !hits.iter().any(|known| is_same(known, &hit)) {
                hits.push(hit);
            }
        }
        let ruling = Ruling::of(hits);
        let may_be_allowed =
            ruling.verdict == Verdict::Allow && self.layers.iter().any(Layer::has_allow_rule);
        Ruling {
            has_allow_rule: may_be_allowed && self.allows_all_writes(operation, &is_there),
            ..ruling
        }
    }

    /// Returns a hit for each file that the operation changes without stating its hash, if the
    /// policy requires hashes.
    fn hash_hits(&self, operation: &Operation, is_there: &dyn Fn(&RelPath) -> bool) -> Vec<Hit> {
        if !self.requires_hash() {
            return Vec::new();
        }
        let reason = "a change has to state the hash of the file that it is for";
        unknown(operation)
            .into_iter()
            .filter(|changed| is_there(changed))
            .map(|changed| Hit::built_in(changed, Access::Modify, REQUIRE_HASH, reason))
            .collect()
    }

    /// Returns the hit of an operation that creates a symbolic link, if the policy refuses links.
    fn link_hit(&self, operation: &Operation) -> Option<Hit> {
        let is_refused =
            self.links() == Links::Refuse && operation.new_mode == Some(FileMode::Symlink);
        let reason = "no symbolic link may be made";
        is_refused.then(|| Hit::built_in(&operation.path, Access::Create, "symlinks", reason))
    }

    /// Returns what all rules say of `accesses` to `path`, one of the paths of `operation`.
    fn weigh_path(&self, operation: &Operation, path: &RelPath, accesses: &[Access]) -> Ruling {
        if self.is_silent_about(path) {
            return Ruling::default();
        }
        let hits = accesses
            .iter()
            .flat_map(|&access| self.judge(path, access).hits);
        // An empty directory replaces no policy file and leads to none.
        let is_harmless = |hit: &Hit| {
            hit.rule == POLICY_FILE && is_empty_directory(operation) && !self.is_file(path)
        };
        Ruling::of(hits.filter(|hit| !is_harmless(hit)).collect())
    }

    /// Returns what all rules say of the path that the operation results in.
    fn arrival_ruling(&self, operation: &Operation, is_there: &dyn Fn(&RelPath) -> bool) -> Ruling {
        let path = &operation.path;
        let weigh = |accesses| self.weigh_path(operation, path, accesses);
        match arrival(operation) {
            Arrival::Certain(accesses) => weigh(accesses),
            Arrival::Open(new, old) => {
                let (new, old) = (weigh(new), weigh(old));
                if new == old || !is_there(path) {
                    new
                } else {
                    old
                }
            }
        }
    }

    /// Returns what all rules say of the change of a mode, if the operation makes one.
    fn mode_ruling(&self, operation: &Operation, is_there: &dyn Fn(&RelPath) -> bool) -> Ruling {
        if !is_mode_changed(operation) {
            return Ruling::default();
        }
        let ruling = self.judge(&operation.path, Access::Mode);
        let is_certain = operation.old_mode.is_some();
        if is_certain || ruling.verdict > Verdict::Allow && is_there(&operation.path) {
            ruling
        } else {
            Ruling::default()
        }
    }

    /// Returns whether rules with the verdict `allow` match everything that `operation` writes.
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
                    .any(|layer| layer.allows(path, access, &self.place))
            })
        };
        let path = &operation.path;
        let arrival = match arrival(operation) {
            Arrival::Open(_, old) if is_there(path) => old,
            Arrival::Certain(accesses) | Arrival::Open(accesses, _) => accesses,
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
                .all(|from| allows(from, left(operation)))
    }
}

/// Returns whether the operation creates or deletes an empty directory, as an undo does.
fn is_empty_directory(operation: &Operation) -> bool {
    let mode = match operation.action {
        Action::Create => operation.new_mode,
        Action::Delete => operation.old_mode,
        _ => None,
    };
    mode == Some(FileMode::Submodule) && matches!(operation.edit, Edit::Keep | Edit::Directory)
}

/// Returns whether the operation changes the mode of a file that exists.
fn is_mode_changed(operation: &Operation) -> bool {
    match (operation.old_mode, operation.new_mode) {
        (Some(old), Some(new)) => old != new,
        (None, Some(_)) => operation.action == Action::Modify,
        (_, None) => false,
    }
}

/// Returns the files that the operation changes without saying what has to be in them, if they are
/// there.
fn unknown(operation: &Operation) -> Vec<&RelPath> {
    if matches!(operation.guard.as_deref(), Some(Guard::Contents(..))) {
        return Vec::new();
    }
    let Some(from) = &operation.from else {
        return if is_known(operation) {
            Vec::new()
        } else {
            vec![&operation.path]
        };
    };
    // What is said is about the source: nothing is known of a file that it comes over.
    let moved = (operation.action == Action::Rename && !is_known(operation)).then_some(from);
    let replaced = (operation.path != *from).then_some(&operation.path);
    moved.into_iter().chain(replaced).collect()
}

/// Returns whether the operation says what has to be in the file, as a whole.
fn is_known(operation: &Operation) -> bool {
    let is_binary = matches!(operation.edit, Edit::Binary(_));
    // Of a binary patch the blob is compared, of others it is not.
    let has_blob = is_binary
        && operation
            .blobs
            .as_ref()
            .is_some_and(|blobs| blobs.old.len() >= 40);
    operation.expected.is_some() || has_blob
}

/// Returns whether a report need not tell the two apart.
pub(super) fn is_same(one: &Hit, other: &Hit) -> bool {
    (&one.path, &one.rule, &one.source, one.verdict)
        == (&other.path, &other.rule, &other.source, other.verdict)
}

/// What is done to the path of an operation.
enum Arrival {
    Certain(&'static [Access]),
    /// The first if no file is there, else the second.
    Open(&'static [Access], &'static [Access]),
}

/// Returns what is done to the source of a rename or a copy.
fn left(operation: &Operation) -> &'static [Access] {
    match (operation.action, &operation.edit) {
        (Action::Rename, Edit::Keep) => &[Access::Rename, Access::Delete, Access::Read],
        (Action::Rename, _) => &[Access::Rename, Access::Delete, Access::Modify, Access::Read],
        _ => &[Access::Read],
    }
}

fn arrival(operation: &Operation) -> Arrival {
    const CHANGED: &[Access] = &[Access::Modify, Access::Read];
    match operation.action {
        Action::Delete | Action::Uncopy => Arrival::Certain(&[Access::Delete, Access::Read]),
        Action::Rename => Arrival::Open(
            &[Access::Rename, Access::Create],
            &[Access::Rename, Access::Modify, Access::Read],
        ),
        Action::Modify if matches!(operation.edit, Edit::Keep) && operation.new_mode.is_some() => {
            Arrival::Certain(&[Access::Mode, Access::Read])
        }
        Action::Modify if operation.tells_missing => Arrival::Certain(CHANGED),
        Action::Create | Action::Copy | Action::Modify => Arrival::Open(&[Access::Create], CHANGED),
    }
}
