//! Converts paths between a root and the top of its work tree. A transaction, its journal and the
//! history name every path from the top, so that another command continues from any directory; the
//! caller names paths from its own root.

use std::path::PathBuf;

use super::history::{IndexChange, Label};
use super::{Failure, KeptFile, annex};
use crate::change::{Content, FileChange, Postimage};
use crate::path::RelPath;
use crate::workspace::{self, Fault, WorkTree, WorkspaceError};

/// The path of the root below the top, and the absolute path of the top. `None` at the top, and
/// outside of git.
#[derive(Clone, Debug, Default)]
pub(super) struct RootPrefix(Option<(RelPath, PathBuf)>);

impl RootPrefix {
    pub(super) fn of(tree: Option<&WorkTree<'_>>) -> Self {
        Self(tree.map(|tree| (tree.prefix.clone(), tree.directory.to_owned())))
    }

    /// Returns the path of the root from the top on.
    pub(super) fn root(&self) -> Option<&RelPath> {
        self.0.as_ref().map(|(prefix, _)| prefix)
    }

    /// Returns `path` from the top on.
    pub(super) fn to_top_path(&self, path: RelPath) -> Result<RelPath, WorkspaceError> {
        let Some(prefix) = self.root().filter(|_| !annex::is_annexed(&path)) else {
            return Ok(path);
        };
        prefix
            .join(path.as_bytes())
            .map_err(|error| WorkspaceError {
                verb: "stage",
                path: path.to_string(),
                fault: Fault::Other,
                source: std::io::Error::other(error),
            })
    }

    /// Returns `change` with paths from the top on.
    pub(super) fn change_to_top(&self, change: FileChange) -> Result<FileChange, WorkspaceError> {
        if self.0.is_none() {
            return Ok(change);
        }
        let after = |after: Postimage| {
            let content = match after.content {
                Content::MovedFrom(from, state) => {
                    Content::MovedFrom(self.to_top_path(from)?, state)
                }
                // Old files of the history are named from the top on.
                content => content,
            };
            let like = after.like.map(|like| self.to_top_path(like)).transpose()?;
            Ok(Postimage {
                content,
                like,
                ..after
            })
        };
        let path = self.to_top_path(change.path)?;
        Ok(FileChange {
            path,
            before: change.before,
            after: change.after.map(after).transpose()?,
        })
    }

    /// Returns `label` with paths from the top on.
    pub(super) fn label_to_top(&self, mut label: Label) -> Result<Label, WorkspaceError> {
        if let Some(record) = label.index.as_mut().filter(|_| self.0.is_some()) {
            let entries = std::mem::take(&mut record.entries).into_iter();
            let at_top = |entry: IndexChange| {
                Ok(IndexChange {
                    path: self.to_top_path(entry.path)?,
                    ..entry
                })
            };
            record.entries = entries.map(at_top).collect::<Result<_, WorkspaceError>>()?;
        }
        Ok(label)
    }

    /// Returns `path` from the root on; a path outside of the root is returned unchanged.
    pub(super) fn to_root_path(&self, path: RelPath) -> RelPath {
        self.root()
            .and_then(|prefix| workspace::below(&path, prefix))
            .unwrap_or(path)
    }

    fn paths(&self, paths: Vec<RelPath>) -> Vec<RelPath> {
        paths
            .into_iter()
            .map(|path| self.to_root_path(path))
            .collect()
    }

    /// Returns `kept` with absolute paths of the copies: most of them are outside of the root.
    /// Their other paths do not change.
    pub(super) fn absolute_copies(&self, kept: Vec<KeptFile>) -> Vec<KeptFile> {
        let Some((_, top)) = &self.0 else { return kept };
        let top = top.as_os_str().as_encoded_bytes();
        let absolute = |copy: Vec<u8>| {
            if copy.starts_with(b"/") {
                copy
            } else {
                [top, &copy].join(&b'/')
            }
        };
        kept.into_iter()
            .map(|kept| KeptFile {
                copy: absolute(kept.copy),
                ..kept
            })
            .collect()
    }

    /// Returns `error` with its path from the root on, if that is below the root.
    pub(super) fn error_to_root(&self, error: WorkspaceError) -> WorkspaceError {
        let Some(prefix) = self.root() else {
            return error;
        };
        let below = error
            .path
            .strip_prefix(&format!("{prefix}/"))
            .map(str::to_owned);
        WorkspaceError {
            path: below.unwrap_or(error.path),
            ..error
        }
    }

    /// Returns `failure` with all paths from the root on.
    pub(super) fn failure_to_root(&self, failure: Failure) -> Failure {
        let inner = |failure: Option<Box<Failure>>| {
            failure.map(|failure| Box::new(self.failure_to_root(*failure)))
        };
        match failure {
            Failure::Stale(paths) => Failure::Stale(self.paths(paths)),
            Failure::Workspace(error) => Failure::Workspace(self.error_to_root(error)),
            Failure::Incomplete {
                left,
                kept,
                refused,
                cause,
            } => Failure::Incomplete {
                left: self.paths(left),
                kept: self
                    .absolute_copies(kept)
                    .into_iter()
                    .map(|it| KeptFile {
                        path: it.path.map(|it| self.to_root_path(it)),
                        ..it
                    })
                    .collect(),
                refused: inner(refused),
                cause: inner(cause),
            },
            failure => failure,
        }
    }
}
