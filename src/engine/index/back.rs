//! Reverses changes of an index, entry by entry. Entries that another process has changed since
//! then stay unchanged.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{NewIndexState, record_index_change};
use crate::engine::request::{IndexTarget, UpdateScope};
use crate::engine::stages::Resolved;
use crate::interrupt::Interrupt;
use crate::path::RelPath;
use crate::preflight::{Problem, Severity, code};
use crate::transaction::Failure;
use crate::transaction::history::{HistoryEntry, IndexChange, IndexRecord};
use crate::workspace::index::{BlobCollector, GitIndex, IndexTree, Stages};

/// The changes of an index to reverse.
pub(in crate::engine) struct IndexReversal {
    pub(in crate::engine) indexed: IndexTarget,
    /// The records of the changes, the newest first.
    records: Vec<IndexRecord>,
}

impl IndexReversal {
    /// Returns the changes that the entries `chosen`, the newest first, made to the index of
    /// `root`; `None` if they did not change it.
    pub(in crate::engine) fn of(
        chosen: &[HistoryEntry],
        root: &std::path::Path,
        interrupt: &Interrupt,
    ) -> Result<Option<Self>, Failure> {
        let records: Vec<_> = chosen
            .iter()
            .filter_map(|entry| entry.label.index.clone())
            .collect();
        if records.is_empty() {
            return Ok(None);
        }
        let reach = if records.iter().all(|record| record.is_cached) {
            UpdateScope::Cached
        } else {
            UpdateScope::Both
        };
        let indexed = IndexTarget {
            index: Arc::new(GitIndex::find(root, interrupt)?),
            scope: reach,
        };
        Ok(Some(Self { indexed, records }))
    }
}

/// Computes the index after the changes in `back` are reversed.
pub(in crate::engine) fn resolve_reversal<'i>(
    reversal: &'i IndexReversal,
    resolved: &mut Resolved,
) -> Result<NewIndexState<'i>, Failure> {
    let staged = reversal.indexed.index.read()?;
    let (mut now, mut left) = previous_stages(reversal, &staged);
    left.extend(keep_blocked(&mut now, &staged));
    resolved.selected.problems.append(&mut left);
    let changed = now
        .into_iter()
        .filter(|(path, stages)| staged.all_stages(path) != *stages);
    let updates: Vec<_> = changed
        .flat_map(|(path, stages)| stages.updates(path))
        .collect();
    record_index_change(&reversal.indexed, &staged, &updates, resolved);
    Ok(NewIndexState {
        blobs: BlobCollector::without_writes(&reversal.indexed.index),
        updates,
        pending_smudges: Vec::new(),
    })
}

/// Entries of an index, by path.
type StagesByPath<'b> = BTreeMap<&'b RelPath, Stages>;

/// Returns the entries before the changes in `back`, and a problem for each change that cannot be
/// reversed.
fn previous_stages<'b>(
    reversal: &'b IndexReversal,
    staged: &IndexTree,
) -> (StagesByPath<'b>, Vec<Problem>) {
    let (mut now, mut left) = (StagesByPath::new(), Vec::new());
    // The newest change comes first, so an older change sees the entries that are then restored.
    for change in reversal.records.iter().flat_map(|record| &record.entries) {
        let IndexChange {
            path,
            before,
            after,
        } = change;
        let parsed =
            |text: &Option<String>| text.as_deref().and_then(Stages::parse).unwrap_or_default();
        let here = now.entry(path).or_insert_with(|| staged.all_stages(path));
        let before = parsed(before);
        if !here.is_equivalent(&parsed(after)) {
            left.push(index_warning(
                path,
                "the index entry changed after this change and was not restored",
            ));
        } else if !reversal.indexed.index.has_blobs(&before) {
            left.push(index_warning(
                path,
                "the repository no longer has the blob of the previous index entry, so the entry was not restored",
            ));
        } else {
            *here = before;
        }
    }
    (now, left)
}

/// Keeps the current entries of paths in `now` whose old entries are blocked, and returns a problem
/// for each. An old entry is blocked if git would remove an entry that the reversed changes did not
/// create.
fn keep_blocked(now: &mut StagesByPath<'_>, staged: &IndexTree) -> Vec<Problem> {
    let is_in_the_way = |other: &RelPath| {
        now.get(other).map_or_else(
            || !staged.all_stages(other).0.is_empty(),
            |it| !it.0.is_empty(),
        )
    };
    let comes = now
        .iter()
        .filter(|(path, stages)| !stages.0.is_empty() && staged.all_stages(path) != **stages);
    let blocked =
        comes.filter(|(path, _)| staged.conflicting_paths(path).iter().any(is_in_the_way));
    let blocked: Vec<&RelPath> = blocked.map(|(path, _)| *path).collect();
    let why = "another index entry blocks this path, so its previous entry was not restored";
    let problems = blocked
        .iter()
        .map(|path| index_warning(path, why))
        .collect();
    // A path with its current entry is not updated.
    now.extend(
        blocked
            .into_iter()
            .map(|path| (path, staged.all_stages(path))),
    );
    problems
}

/// Returns the changes of the index for the history.
pub(in crate::engine) fn index_record(resolved: &Resolved) -> Option<IndexRecord> {
    let report = resolved.index_report.as_ref()?;
    (!resolved.index_changes.is_empty()).then(|| IndexRecord {
        is_cached: report.reach == UpdateScope::Cached.name(),
        entries: resolved.index_changes.clone(),
    })
}

fn index_warning(path: &RelPath, message: &str) -> Problem {
    let help = Some("run `git add` or `git reset` on this path".to_owned());
    Problem {
        severity: Severity::Warning,
        path: Some(path.clone()),
        help,
        ..Problem::new(&code::ALTERED, message)
    }
}
