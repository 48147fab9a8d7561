//! Checks out files that a merge leaves as they are in the index and that are missing in the work
//! tree, as git does.

use std::collections::BTreeSet;

use super::gather::IndexSink;
use super::matches::ComparisonResult;
use crate::change::{Content, FileChange, Postimage};
use crate::mode::{FileKind, FileMode, Permissions};
use crate::plan::{Action, Plan};
use crate::transaction::Failure;
use crate::workspace::Workspace;
use crate::workspace::index::IndexTree;

/// Passes the missing files of `plan` to `gather`, and returns their number.
pub(super) fn check_out_missing_files(
    plan: &Plan,
    (staged, matches): (&IndexTree, &ComparisonResult),
    workspace: &dyn Workspace,
    gather: &IndexSink<'_>,
) -> Result<usize, Failure> {
    let stays = plan
        .operations
        .iter()
        .filter(|operation| !matches!(operation.action, Action::Delete | Action::RemoveCopy));
    let paths: BTreeSet<_> = stays.map(|operation| &operation.path).collect();
    let (changed, mut count) = (gather.changed_paths(), 0);
    for path in paths {
        let Some(entry) = staged.entry(path).filter(|_| !changed.contains(path)) else {
            continue;
        };
        if matches.state(path).is_some() || workspace.stat(path)?.is_some() {
            continue;
        }
        let kind = entry.mode.kind();
        let content = match kind {
            FileKind::Regular => Content::Unchanged,
            FileKind::Symlink => Content::Bytes(staged.read_link(path)?.into()),
            FileKind::Directory | FileKind::Special => continue,
        };
        let permissions = Permissions::New {
            executable: entry.mode == FileMode::Executable,
        };
        let after = Some(Postimage {
            kind,
            permissions,
            content,
            attribute_source: None,
        });
        gather.check_out(
            FileChange {
                path: path.clone(),
                before: None,
                after,
            },
            entry,
        )?;
        count += 1;
    }
    Ok(count)
}
