//! Converts paths between the root and the top of its work tree.
//!
//! Transactions, journals and the history use paths from the top, so that a command in any
//! directory of the work tree can continue them. Callers use paths from their own root.

use std::path::PathBuf;

use super::history::{IndexChange, TransactionLabel};
use super::{KeptFile, git_index_file};
use crate::change::{Content, FileChange, Postimage};
use crate::path::RelPath;
use crate::workspace::{ErrorKind, WorkTree, WorkspaceError};

/// The path of the root below the top, and the absolute path of the top. `None` if the root is the
/// top or outside of git.
#[derive(Clone, Debug, Default)]
pub(super) struct RootPrefix(Option<(RelPath, PathBuf)>);

impl RootPrefix {
    pub(super) fn of(tree: Option<&WorkTree<'_>>) -> Self {
        Self(tree.map(|tree| (tree.prefix.clone(), tree.directory.to_owned())))
    }

    /// Returns the path of the root below the top.
    pub(super) fn root(&self) -> Option<&RelPath> {
        self.0.as_ref().map(|(prefix, _)| prefix)
    }

    /// Converts `path` from the root to the top.
    pub(super) fn to_top_path(&self, path: RelPath) -> Result<RelPath, WorkspaceError> {
        // git's index is not below the root, so its path has no prefix.
        let Some(prefix) = self
            .root()
            .filter(|_| !git_index_file::is_index_path(&path))
        else {
            return Ok(path);
        };
        prefix
            .join(path.as_bytes())
            .map_err(|error| WorkspaceError {
                verb: "stage",
                path: path.to_string(),
                kind: ErrorKind::Other,
                source: std::io::Error::other(error),
            })
    }

    /// Converts the paths in `change` to the top.
    pub(super) fn change_to_top(&self, change: FileChange) -> Result<FileChange, WorkspaceError> {
        if self.0.is_none() {
            return Ok(change);
        }
        let after = |after: Postimage| {
            let content = match after.content {
                Content::MovedFrom(from, state) => {
                    Content::MovedFrom(self.to_top_path(from)?, state)
                }
                // Files in the history already have paths from the top.
                content => content,
            };
            let like = after
                .attribute_source
                .map(|like| self.to_top_path(like))
                .transpose()?;
            Ok(Postimage {
                content,
                attribute_source: like,
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

    /// Converts the paths in `label` to the top.
    pub(super) fn label_to_top(
        &self,
        mut label: TransactionLabel,
    ) -> Result<TransactionLabel, WorkspaceError> {
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
        if self.0.is_some() {
            let digests = std::mem::take(&mut label.audit.sha256).into_iter();
            let at_top = |(path, digests)| Ok((self.to_top_path(path)?, digests));
            label.audit.sha256 = digests.map(at_top).collect::<Result<_, WorkspaceError>>()?;
        }
        Ok(label)
    }

    /// Makes the paths of the copies absolute, because most copies are outside the root. Other
    /// paths do not change.
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

    /// Converts the path in `error` to the root if it is below the root.
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
}
