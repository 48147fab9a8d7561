//! Converts paths between the caller and the members of a transaction.
//!
//! A caller with one root uses paths below it. A caller with several roots uses paths that begin
//! with the name of a root. A member uses paths from the top of its work tree.

use crate::path::RelPath;
use crate::transaction::root_prefix::RootPrefix;
use crate::transaction::{Failure, KeptFile, RecoveredTransaction, TransactionLabel};
use crate::workspace::{WorkspaceError, path_relative_to};

/// The roots of the command in one work tree.
#[derive(Clone, Debug)]
pub(in crate::transaction) struct MemberRoots(pub(super) Vec<MemberRoot>);

/// One root of the command.
#[derive(Clone, Debug)]
pub(in crate::transaction) struct MemberRoot {
    /// The name of the root, if the command has several.
    pub(super) name: Option<RelPath>,
    /// The path of the root below the top of the work tree.
    pub(super) prefix: RootPrefix,
}

impl MemberRoots {
    /// Returns the paths of the roots below the top of the work tree.
    pub(in crate::transaction) fn prefixes(&self) -> Vec<&RelPath> {
        let roots = self.0.iter();
        roots.filter_map(|root| root.prefix.root()).collect()
    }

    /// Returns the path of the only root below the top of the work tree.
    pub(in crate::transaction) fn only_prefix(&self) -> RootPrefix {
        match &self.0[..] {
            [root] => root.prefix.clone(),
            _ => RootPrefix::default(),
        }
    }

    /// Returns the name of the first root, or `None` if the command has one root.
    pub(in crate::transaction) fn name(&self) -> Option<&RelPath> {
        self.0.first()?.name.as_ref()
    }

    /// Converts the paths in `label` to the top. Only a command with one root changes git's index.
    pub(in crate::transaction) fn label_to_top(
        &self,
        label: TransactionLabel,
    ) -> Result<TransactionLabel, Failure> {
        match &self.0[..] {
            [root] if root.name.is_none() => Ok(root.prefix.label_to_top(label)?),
            _ => self.own_label(label),
        }
    }

    /// Converts the paths in `label`, which begin with the name of a root, to the top. Removes the
    /// paths of other work trees.
    fn own_label(&self, mut label: TransactionLabel) -> Result<TransactionLabel, Failure> {
        let digests = std::mem::take(&mut label.audit.sha256);
        for (path, digests) in digests {
            let found = self.0.iter().find_map(|root| {
                let rest = path_relative_to(&path, root.name.as_ref()?)?;
                Some(root.prefix.to_top_path(rest))
            });
            if let Some(path) = found {
                label.audit.sha256.insert(path?, digests);
            }
        }
        Ok(label)
    }

    /// Converts `path` from the top to the caller. A path outside the roots is returned unchanged.
    fn to_caller(&self, path: RelPath) -> RelPath {
        let found = self.0.iter().find_map(|root| {
            let rest = match root.prefix.root() {
                Some(prefix) => path_relative_to(&path, prefix)?,
                None => path.clone(),
            };
            match &root.name {
                Some(name) => name.join(rest.as_bytes()).ok(),
                None => Some(rest),
            }
        });
        found.unwrap_or(path)
    }

    pub(in crate::transaction) fn paths_to_caller(&self, paths: Vec<RelPath>) -> Vec<RelPath> {
        let paths = paths.into_iter();
        paths.map(|path| self.to_caller(path)).collect()
    }

    /// Converts the locations of `kept`. Other paths do not change.
    fn copies_to_caller(&self, kept: Vec<KeptFile>) -> Vec<KeptFile> {
        let Some(root) = self.0.first() else {
            return kept;
        };
        let kept = root.prefix.absolute_copies(kept).into_iter();
        kept.map(|kept| KeptFile {
            copy: named(root.name.as_ref(), kept.copy),
            ..kept
        })
        .collect()
    }

    /// Converts the locations of the kept files of a recovery.
    pub(in crate::transaction) fn recovered_to_caller(
        &self,
        recovered: RecoveredTransaction,
    ) -> RecoveredTransaction {
        // The paths of a recovered transaction start at the top of the work tree.
        RecoveredTransaction {
            kept: self.copies_to_caller(recovered.kept),
            root: recovered
                .root
                .or_else(|| self.name().map(ToString::to_string)),
            ..recovered
        }
    }

    pub(super) fn error_to_caller(&self, error: WorkspaceError) -> WorkspaceError {
        match &self.0[..] {
            [] => error,
            [root] => root.error_to_caller(error),
            [first, ..] => {
                let inside = |root: &&MemberRoot| {
                    let prefix = root.prefix.root();
                    prefix.is_some_and(|prefix| error.path.starts_with(&format!("{prefix}/")))
                };
                let root = self.0.iter().find(inside).unwrap_or(first);
                root.error_to_caller(error)
            }
        }
    }

    /// Converts all paths in `failure` to the caller.
    pub(in crate::transaction) fn failure_to_caller(&self, failure: Failure) -> Failure {
        let inner = |failure: Option<Box<Failure>>| {
            failure.map(|failure| Box::new(self.failure_to_caller(*failure)))
        };
        match failure {
            Failure::Stale(paths) => Failure::Stale(self.paths_to_caller(paths)),
            Failure::Workspace(error) => Failure::Workspace(self.error_to_caller(error)),
            Failure::Incomplete {
                left,
                kept,
                rollback_error,
                cause,
            } => Failure::Incomplete {
                left: self.paths_to_caller(left),
                kept: self
                    .copies_to_caller(kept)
                    .into_iter()
                    .map(|kept| KeptFile {
                        path: kept.path.map(|path| self.to_caller(path)),
                        ..kept
                    })
                    .collect(),
                rollback_error: inner(rollback_error),
                cause: inner(cause),
            },
            Failure::State { reason } => Failure::State {
                reason: match self.name() {
                    Some(name) => format!("root {name}: {reason}"),
                    None => reason,
                },
            },
            Failure::Unsigned { reason } => Failure::Unsigned {
                reason: match self.name() {
                    Some(name) => format!("root {name}: {reason}"),
                    None => reason,
                },
            },
            failure => failure,
        }
    }
}

impl MemberRoot {
    /// Converts `error`, whose path starts at the top of the work tree.
    pub(super) fn error_to_caller(&self, error: WorkspaceError) -> WorkspaceError {
        self.error_with_name(self.prefix.error_to_root(error))
    }

    /// Adds the name of the root to the path of `error`, which is below the root.
    pub(super) fn error_with_name(&self, error: WorkspaceError) -> WorkspaceError {
        let path = named(self.name.as_ref(), error.path.into_bytes());
        WorkspaceError {
            path: String::from_utf8_lossy(&path).into_owned(),
            ..error
        }
    }
}

/// Returns `path` below the root `name`, unless it is absolute.
fn named(name: Option<&RelPath>, path: Vec<u8>) -> Vec<u8> {
    match name {
        Some(name) if path == b"." => name.as_bytes().to_vec(),
        Some(name) if !path.starts_with(b"/") => [name.as_bytes(), &path].join(&b'/'),
        _ => path,
    }
}
