//! `--build-fake-ancestor`: writes an index of the files for which a patch was made, as far as the
//! patch names them.

use std::path::Path;

use super::gitlinks::submodule_commit;
use crate::engine::Outcome;
use crate::engine::parse::{ReadOptions, read};
use crate::engine::request::Request;
use crate::engine::stages::{Command, Committed, Selected};
use crate::mode::FileMode;
use crate::plan::{Action, BlobIds, Edit, LineKind, Operation};
use crate::preflight::{Problem, code};
use crate::report;
use crate::transaction::Failure;
use crate::workspace::WorkspaceError;
use crate::workspace::index::{GitIndex, IndexEntry, IndexTree, IndexUpdate};

/// Parses the patches, and writes an index to `file` with the preimage of each operation. The
/// preimage is the blob that the `index` line names. The repository of `index` must contain it.
/// Nothing else is written.
pub fn build_ancestor(mut request: Request, index: &GitIndex, file: &Path) -> Outcome {
    let command = Command {
        policy: request.context.policy.clone(),
        ..Command::of("apply", report::Outcome::Described)
    };
    let patches = match request.take_patches() {
        Ok(patches) => patches,
        Err(problem) => return Committed::of_problem(*problem).finish(&command),
    };
    let mut done = Committed::from(read(
        patches,
        ReadOptions::new(&request.decide, &request.look.progress),
    ));
    let selected = &mut done.resolved.selected;
    if selected.is_resolvable
        && let Err(failure) = build(selected, index, file, request.decide.max_file)
    {
        done.add_failure(&failure, None);
    }
    done.finish(&command)
}

fn build(
    selected: &mut Selected,
    index: &GitIndex,
    file: &Path,
    max_file: u64,
) -> Result<(), Failure> {
    let staged = index.read()?;
    let mut updates = Vec::new();
    for (number, operation) in selected.plan.operations.iter().enumerate() {
        if operation.action == Action::Create {
            continue;
        }
        let path = operation.from.as_ref().unwrap_or(&operation.path);
        match entry(
            operation,
            selected.plan.text(operation),
            (index, &staged),
            max_file,
        )? {
            Some(entry) => updates.push(IndexUpdate {
                path: path.clone(),
                entry: Some(entry),
                stage: 0,
            }),
            None => selected.problems.push(blob_problem(number, path)),
        }
    }
    if selected.is_refused() {
        Ok(())
    } else {
        Ok(index.write_new_index(file, &updates)?)
    }
}

/// Returns the entry of the operation's preimage, if it is known.
fn entry(
    operation: &Operation,
    text: &[u8],
    (index, staged): (&GitIndex, &IndexTree),
    max_file: u64,
) -> Result<Option<IndexEntry>, WorkspaceError> {
    let path = operation.from.as_ref().unwrap_or(&operation.path);
    let mode = operation.old_mode.unwrap_or(FileMode::Regular);
    if mode == FileMode::Submodule {
        // The preimage is the commit on a line that is not an insertion.
        let id = submodule_commit(operation, text, LineKind::Insertion);
        return Ok(id.map(|id| IndexEntry::new(mode, id)));
    }
    let find = |blobs: &BlobIds| index.objects().find_blob(&blobs.old, max_file);
    let named = operation.blobs.as_deref().map(find).transpose()?.flatten();
    // An operation that changes no line names no blob.
    let is_kept = matches!(operation.edit, Edit::Keep);
    let id = named
        .map(|(id, _)| id)
        .or_else(|| staged.entry(path).filter(|_| is_kept).map(|entry| entry.id));
    Ok(id.map(|id| IndexEntry::new(mode, id)))
}

fn blob_problem(operation: usize, path: &crate::path::RelPath) -> Problem {
    let message =
        "the patch does not name its base blob, or the repository does not have this blob";
    let help = Some(
        "create the patch with `git diff --full-index`, or fetch the commits that contain the blob"
            .to_owned(),
    );
    Problem {
        operation: Some(operation),
        path: Some(path.clone()),
        help,
        ..Problem::new(&code::NO_BLOB, message)
    }
}
