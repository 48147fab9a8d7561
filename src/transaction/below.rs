//! Between a root and the top of its work tree. A transaction, its journal and the history name every path from the
//! top, so that another command continues from any directory; the caller names paths from its own root.

use std::path::PathBuf;

use super::history::{IndexChange, Label};
use super::{Failure, KeptFile, annex};
use crate::change::{Content, FileChange, Postimage};
use crate::path::RelPath;
use crate::workspace::{self, Fault, WorkTree, WorkspaceError};

/// Where the root is below the top, and where that is; `None` at the top, and outside of git.
#[derive(Clone, Debug, Default)]
pub(super) struct Below(Option<(RelPath, PathBuf)>);

impl Below {
    pub(super) fn of(tree: Option<&WorkTree<'_>>) -> Self {
        Self(tree.map(|tree| (tree.prefix.clone(), tree.directory.to_owned())))
    }

    /// Returns the path of the root from the top on.
    pub(super) fn root(&self) -> Option<&RelPath> {
        self.0.as_ref().map(|(prefix, _)| prefix)
    }

    /// Returns `path` from the top on.
    pub(super) fn at_top(&self, path: RelPath) -> Result<RelPath, WorkspaceError> {
        let Some(prefix) = self.root().filter(|_| !annex::is_annexed(&path)) else { return Ok(path) };
        prefix.join(path.as_bytes()).map_err(|error| WorkspaceError {
            verb: "stage",
            path: path.to_string(),
            fault: Fault::Other,
            source: std::io::Error::other(error),
        })
    }

    /// Returns `change` with paths from the top on.
    pub(super) fn change(&self, change: FileChange) -> Result<FileChange, WorkspaceError> {
        if self.0.is_none() {
            return Ok(change);
        }
        let after = |after: Postimage| {
            let content = match after.content {
                Content::MovedFrom(from, state) => Content::MovedFrom(self.at_top(from)?, state),
                // Old files of the history are named from the top on.
                content => content,
            };
            let like = after.like.map(|like| self.at_top(like)).transpose()?;
            Ok(Postimage { content, like, ..after })
        };
        let path = self.at_top(change.path)?;
        Ok(FileChange { path, before: change.before, after: change.after.map(after).transpose()? })
    }

    /// Returns `label` with paths from the top on.
    pub(super) fn label(&self, mut label: Label) -> Result<Label, WorkspaceError> {
        if let Some(record) = label.index.as_mut().filter(|_| self.0.is_some()) {
            let entries = std::mem::take(&mut record.entries).into_iter();
            let at_top = |entry: IndexChange| Ok(IndexChange { path: self.at_top(entry.path)?, ..entry });
            record.entries = entries.map(at_top).collect::<Result<_, WorkspaceError>>()?;
        }
        Ok(label)
    }

    /// Returns `path` as the caller names it; one outside of the root stays as it is.
    pub(super) fn path(&self, path: RelPath) -> RelPath {
        self.root().and_then(|prefix| workspace::below(&path, prefix)).unwrap_or(path)
    }

    fn paths(&self, paths: Vec<RelPath>) -> Vec<RelPath> {
        paths.into_iter().map(|path| self.path(path)).collect()
    }

    /// Returns `kept` with absolute paths of the copies: most of them are outside of the root.
    pub(super) fn kept(&self, kept: Vec<KeptFile>) -> Vec<KeptFile> {
        let Some((_, top)) = &self.0 else { return kept };
        let top = top.as_os_str().as_encoded_bytes();
        let absolute = |copy: Vec<u8>| if copy.starts_with(b"/") { copy } else { [top, &copy].join(&b'/') };
        kept.into_iter().map(|kept| KeptFile { copy: absolute(kept.copy), ..kept }).collect()
    }

    pub(super) fn error(&self, error: WorkspaceError) -> WorkspaceError {
        let Some(prefix) = self.root() else { return error };
        let below = error.path.strip_prefix(&format!("{prefix}/")).map(str::to_owned);
        WorkspaceError { path: below.unwrap_or(error.path), ..error }
    }

    pub(super) fn failure(&self, failure: Failure) -> Failure {
        let inner = |failure: Option<Box<Failure>>| failure.map(|failure| Box::new(self.failure(*failure)));
        match failure {
            Failure::Stale(paths) => Failure::Stale(self.paths(paths)),
            Failure::Workspace(error) => Failure::Workspace(self.error(error)),
            Failure::Incomplete { left, kept, refused, cause } => Failure::Incomplete {
                left: self.paths(left),
                kept: self
                    .kept(kept)
                    .into_iter()
                    .map(|it| KeptFile { path: it.path.map(|it| self.path(it)), ..it })
                    .collect(),
                refused: inner(refused),
                cause: inner(cause),
            },
            failure => failure,
        }
    }
}
