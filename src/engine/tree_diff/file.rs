//! The files of the two trees, and their contents.

use super::{TreeDiffError, TreeDiffRequest, TreeResult};
use crate::digest::{ObjectFormat, blob_id};
use crate::mode::FileMode;
use crate::path::RelPath;
use crate::plan::Action;
use crate::policy::{Access, Verdict};
use crate::preflight::{self, Problem, code};
use crate::syntax::write::{DiffSide, UnifiedDiff, tree_diff_section};
use crate::text::Bytes;
use crate::transaction::Failure;
use crate::workspace::{ErrorKind, ObjectId, Workspace, WorkspaceError};

/// The old and the new tree, and the options.
pub(super) struct TreeComparison<'w> {
    pub(super) workspaces: [&'w dyn Workspace; 2],
    pub(super) request: TreeDiffRequest,
}

/// The index of the old tree.
pub(super) const OLD: usize = 0;
/// The index of the new tree.
pub(super) const NEW: usize = 1;

/// A file of one tree: a regular file, a link or a submodule.
#[derive(Clone, Debug)]
pub(super) struct TreeFile {
    pub(super) path: RelPath,
    pub(super) mode: FileMode,
    /// The size in bytes, if it is known without reading the file.
    pub(super) size: Option<u64>,
    /// The object, if the tree consists of git objects.
    pub(super) object: Option<ObjectId>,
}

/// A file before and after the change.
#[derive(Clone, Debug)]
pub(super) struct FilePair {
    pub(super) action: Action,
    pub(super) before: Option<TreeFile>,
    pub(super) after: Option<TreeFile>,
}

impl FilePair {
    /// Returns the change of a file that keeps its path.
    pub(super) fn in_place(before: Option<TreeFile>, after: Option<TreeFile>) -> Self {
        let action = match (&before, &after) {
            (None, _) => Action::Create,
            (_, None) => Action::Delete,
            _ => Action::Modify,
        };
        Self {
            action,
            before,
            after,
        }
    }

    pub(super) fn sides(&self) -> [Option<&TreeFile>; 2] {
        [self.before.as_ref(), self.after.as_ref()]
    }

    /// Returns the path after the change. For a deletion, the path of the deleted file.
    pub(super) fn path(&self) -> &RelPath {
        let [before, after] = self.sides();
        let file = after.or(before).expect("BUG: a pair has a file");
        &file.path
    }

    /// Returns the source of a rename or copy.
    pub(super) fn source(&self) -> Option<&TreeFile> {
        let is_rename_or_copy = matches!(self.action, Action::Rename | Action::Copy);
        self.before.as_ref().filter(|_| is_rename_or_copy)
    }
}

impl<'w> TreeComparison<'w> {
    pub(super) fn new(request: &TreeDiffRequest, workspaces: [&'w dyn Workspace; 2]) -> Self {
        Self {
            workspaces,
            request: request.clone(),
        }
    }

    /// Returns an error if a signal cancels the comparison.
    pub(super) fn check_interrupt(&self) -> TreeResult<()> {
        match self.request.interrupt.signal() {
            Some(signal) => Err(Failure::Interrupted(signal).into()),
            None => Ok(()),
        }
    }

    /// Returns an error if the policy of a tree forbids reading a file of `pair`.
    pub(super) fn check_access(&self, pair: &FilePair) -> TreeResult<()> {
        for (file, access) in pair.sides().into_iter().zip(&self.request.access) {
            let (Some(file), Some(access)) = (file, access) else {
                continue;
            };
            let Some(path) = access.path_below_root(&file.path) else {
                continue;
            };
            let decision = access.policy.judge(&path, Access::Read);
            let mut problem = match (decision.verdict, decision.matches.first()) {
                (Verdict::Deny, Some(hit)) => preflight::denial_problem(hit),
                (Verdict::Ask, Some(hit)) => preflight::approval_problem(hit),
                _ => continue,
            };
            problem.help = Some("skip the file with `--exclude`".to_owned());
            return Err(TreeDiffError::Refused(Box::new(problem)));
        }
        Ok(())
    }

    /// Returns whether the file differs. Reads the contents only if nothing else decides.
    pub(super) fn is_changed(&self, pair: &FilePair) -> TreeResult<bool> {
        self.check_interrupt()?;
        let [Some(before), Some(after)] = pair.sides() else {
            return Ok(true);
        };
        if before.mode != after.mode {
            return Ok(true);
        }
        if let (Some(before), Some(after)) = (before.object, after.object) {
            return Ok(before != after);
        }
        if before.size.is_some() && after.size.is_some() && before.size != after.size {
            return Ok(true);
        }
        Ok(self.content(before, OLD)? != self.content(after, NEW)?)
    }

    /// Returns the content of `file`, which is in the tree `side`: the bytes of a regular file, the
    /// target of a link, or the line that git shows for a submodule.
    pub(super) fn content(&self, file: &TreeFile, side: usize) -> TreeResult<Bytes> {
        let workspace = self.workspaces[side];
        Ok(match (file.mode, file.object) {
            (FileMode::Symlink, _) => workspace.read_link(&file.path)?.into(),
            (FileMode::Submodule, Some(commit)) => {
                format!("Subproject commit {commit}\n").into_bytes().into()
            }
            _ => {
                let access = self.request.access[side].as_ref();
                let max_read = access.map_or(u64::MAX, |access| access.policy.max_read());
                let limit = self.request.max_file.min(max_read);
                let content = workspace.read(&file.path, limit);
                let (bytes, _) = content.map_err(|error| too_large(error, file, limit))?;
                bytes
            }
        })
    }

    /// Returns the contents of both files.
    pub(super) fn contents(&self, pair: &FilePair) -> TreeResult<[Option<Bytes>; 2]> {
        let [before, after] = pair.sides();
        Ok([
            before.map(|file| self.content(file, OLD)).transpose()?,
            after.map(|file| self.content(file, NEW)).transpose()?,
        ])
    }

    /// Writes the section of the diff for `pair`.
    pub(super) fn write_section(
        &self,
        pair: &FilePair,
        contents: &[Option<Bytes>; 2],
    ) -> UnifiedDiff {
        let blobs = [OLD, NEW].map(|side| {
            let (file, content) = (pair.sides()[side]?, contents[side].as_ref()?);
            let object = file.object.map(|id| id.to_string());
            Some(object.unwrap_or_else(|| blob_id(content, ObjectFormat::Sha1)))
        });
        let [before, after] = [OLD, NEW].map(|side| {
            let file = pair.sides()[side]?;
            Some(DiffSide {
                path: &file.path,
                mode: file.mode,
                content: contents[side].as_ref()?,
                blob: blobs[side].as_ref()?,
            })
        });
        tree_diff_section(
            pair.action,
            before.as_ref(),
            after.as_ref(),
            self.request.context,
            self.request.whitespace,
        )
    }
}

/// Returns the error of a file that cannot be read.
fn too_large(error: WorkspaceError, file: &TreeFile, limit: u64) -> TreeDiffError {
    if error.kind != ErrorKind::TooLarge {
        return error.into();
    }
    let message = format!("the file exceeds the limit of {limit} bytes");
    TreeDiffError::Refused(Box::new(Problem {
        path: Some(file.path.clone()),
        help: Some(
            "raise the limit with `--max-file`, or skip the file with `--exclude`".to_owned(),
        ),
        ..Problem::new(&code::TOO_LARGE, message)
    }))
}
