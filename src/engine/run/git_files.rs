//! Notices changes of git's own files, which wpatch does not record.

use std::collections::BTreeMap;

use super::snapshot::join;
use crate::mode::FileKind;
use crate::path::RelPath;
use crate::preflight::{Problem, Severity, code};
use crate::transaction::Failure;
use crate::workspace::{ErrorKind, Timestamp, Workspace};

/// The name of wpatch's state directory in `.git`.
const STATE: &[u8] = b"wpatch";

/// Size, modification time and inode number of the files in the root's `.git`, except for those of
/// wpatch.
pub(super) struct GitFiles(BTreeMap<RelPath, (u64, Timestamp, u64)>);

impl GitFiles {
    pub(super) fn of(workspace: &dyn Workspace) -> Result<Self, Failure> {
        let mut files = BTreeMap::new();
        let git = join(None, b".git").into_iter();
        let mut rest: Vec<RelPath> = git.collect();
        while let Some(path) = rest.pop() {
            let Some(stat) = workspace.stat(&path)? else {
                continue;
            };
            if stat.kind != FileKind::Directory {
                files.insert(path, (stat.size, stat.modified, stat.inode));
                continue;
            }
            let names = match workspace.list(Some(&path)) {
                Err(error) if matches!(error.kind, ErrorKind::Denied | ErrorKind::Missing) => {
                    continue;
                }
                names => names?,
            };
            let is_top = path.parent().is_none();
            let names = names.iter().filter(|name| !is_top || *name != STATE);
            rest.extend(names.filter_map(|name| join(Some(&path), name)));
        }
        Ok(Self(files))
    }

    /// Returns a warning if the files differ from those of `before`.
    pub(super) fn warning(&self, before: &Self) -> Option<Problem> {
        let is_new = |&(path, file): &(&RelPath, _)| before.0.get(path) != Some(file);
        let is_removed = |&(path, _): &(&RelPath, _)| !self.0.contains_key(path);
        let changed = self.0.iter().find(is_new);
        let (path, _) = changed.or_else(|| before.0.iter().find(is_removed))?;
        let message = "the command changed files of git, which are not recorded";
        Some(Problem {
            severity: Severity::Warning,
            path: Some(path.clone()),
            ..Problem::new(&code::NOT_APPLIED, message)
        })
    }
}
