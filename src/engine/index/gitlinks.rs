//! Changes of submodules in an index. A submodule is a commit that no file of the tree contains.

use std::collections::BTreeMap;

use crate::mode::FileMode;
use crate::path::RelPath;
use crate::plan::{LineKind, Operation, Plan};
use crate::preflight::{Problem, code};
use crate::workspace::index::{IndexEntry, IndexTree, IndexUpdate, Stages};
use crate::workspace::objects::ObjectId;

/// The start of the line for a submodule in a diff.
const SUBMODULE_LINE_PREFIX: &[u8] = b"Subproject commit ";

/// The changes of submodules.
#[derive(Debug)]
pub(super) struct GitlinkChanges {
    pub(super) updates: Vec<IndexUpdate>,
    pub(super) problems: Vec<Problem>,
}

/// Returns the changes that `plan` makes to the submodules in `staged`.
pub(super) fn updates(plan: &Plan, staged: &IndexTree) -> GitlinkChanges {
    let mut problems = Vec::new();
    // The entries after the earlier operations. `None` is a removed submodule.
    let mut changed: BTreeMap<RelPath, Option<IndexEntry>> = BTreeMap::new();
    for (number, operation) in plan.operations.iter().enumerate() {
        let source = operation
            .from
            .as_ref()
            .filter(|_| operation.has_new_path())
            .unwrap_or(&operation.path);
        let found = match changed.get(source) {
            Some(entry) => *entry,
            None => submodule(staged, source),
        };
        let is_submodule = |mode: Option<FileMode>| mode == Some(FileMode::Submodule);
        if found.is_none() && !is_submodule(operation.old_mode) && !is_submodule(operation.new_mode)
        {
            continue;
        }
        // The old commit is on a line that is not an insertion, the new one on a line that is not a
        // deletion.
        let commit = |other: LineKind| submodule_commit(operation, plan.text(operation), other);
        let expected = commit(LineKind::Insertion);
        if expected.is_some() && expected != found.map(|entry| entry.id) {
            problems.push(problem(number, source, found.map(|entry| entry.id)));
            continue;
        }
        if let Some(path) = operation.removed_path().filter(|_| found.is_some()) {
            changed.insert(path.clone(), None);
        }
        let stays = operation.removed_path() != Some(&operation.path)
            && operation
                .new_mode
                .is_none_or(|mode| is_submodule(Some(mode)));
        let next = commit(LineKind::Deletion)
            .or(found.map(|entry| entry.id))
            .filter(|_| stays);
        if let Some(id) = next {
            let entry = IndexEntry::new(FileMode::Submodule, id);
            changed.insert(operation.path.clone(), Some(entry));
        }
    }
    let is_change = |(path, entry): &(RelPath, Option<IndexEntry>)| match entry {
        Some(_) => !staged.all_stages(path).is_equivalent(&Stages::of(*entry)),
        None => submodule(staged, path).is_some(),
    };
    let updates = changed.into_iter().filter(is_change);
    let updates = updates.map(|(path, entry)| IndexUpdate {
        path,
        entry,
        stage: 0,
    });
    GitlinkChanges {
        updates: updates.collect(),
        problems,
    }
}

/// Returns the entry of the submodule at `path`.
fn submodule(staged: &IndexTree, path: &RelPath) -> Option<IndexEntry> {
    staged
        .entry(path)
        .filter(|entry| entry.mode == FileMode::Submodule)
}

/// Returns the commit that a line of any kind except `other` names.
pub(super) fn submodule_commit(
    operation: &Operation,
    text: &[u8],
    excluded: LineKind,
) -> Option<ObjectId> {
    let mut lines = operation
        .hunks()
        .flat_map(|hunk| hunk.lines(text, operation.direction));
    let line = lines.find(|line| line.kind != excluded)?;
    ObjectId::from_hex(line.content().strip_prefix(SUBMODULE_LINE_PREFIX)?)
}

/// Returns the problem of a submodule that has the commit `found` in the index, or after an earlier
/// operation.
fn problem(operation: usize, path: &RelPath, found: Option<ObjectId>) -> Problem {
    let message = found.map_or_else(
        || "the index has no submodule with this name".to_owned(),
        |id| format!("the submodule has the commit {id}, not the one of the patch"),
    );
    Problem {
        operation: Some(operation),
        path: Some(path.clone()),
        ..Problem::new(&code::WRONG_BLOB, message)
    }
}
