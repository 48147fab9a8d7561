//! `--index`, `--cached` and `--intent-to-add`: changes of git's index.
//!
//! The patch is applied to the index: its blobs are the preimages, as in git. With `--index`, the
//! files in the work tree must match the index and get the same changes. The new index is one more
//! file of the same transaction, so the index and the work tree change together or not at all.
//!
//! The input is the selected plan. The results are problems, the updates of the index, and file
//! changes for a sink. Read [`resolve`] first. `compared.rs` compares the work tree with the index,
//! and `gather.rs` collects the updates.

mod ancestor;
pub(super) mod back;
mod compared;
mod gather;
mod gitlinks;
mod intent;
mod looking;
mod matches;
mod modes;
mod obstacles;
mod rejects;
mod restored;
mod stages;

use std::collections::{BTreeMap, BTreeSet};

use super::link_files::LinkFileSink;
use super::request::{IndexTarget, UpdateScope};
use super::stages::{Committed, Resolved, Selected, StagingTarget, TreeCheck};
use super::task::CommandRun;
use crate::change::{Content, FileChange, FileState, Postimage, Sink};
use crate::digest::Digest;
use crate::mode::{FileKind, Permissions};
use crate::path::RelPath;
use crate::preflight;
use crate::report::{IndexEntryReport, IndexReport, IndexStage, IndexVersion};
use crate::text::Bytes;
use crate::transaction::history::IndexChange;
use crate::transaction::{Failure, Transaction};
use crate::workspace::index::{BlobCollector, IndexEntry, IndexTree, IndexUpdate, Stages};
use crate::workspace::{ErrorKind, NewFile, Workspace, WorkspaceError};

use compared::ComparedIndex;

pub(super) use back::index_record;

pub use ancestor::build_ancestor;

/// Returns the report of the changes that `updates` make to `staged`.
fn index_report(indexed: &IndexTarget, staged: &IndexTree, updates: &[IndexUpdate]) -> IndexReport {
    let version = |entry: IndexEntry| IndexVersion {
        mode: entry.mode.to_string(),
        id: entry.id.to_string(),
    };
    let stage = |(&stage, &entry): (&u8, &IndexEntry)| IndexStage {
        stage,
        version: version(entry),
    };
    let entry = |(path, stages): (&RelPath, &Stages)| IndexEntryReport {
        path: crate::report::path_text(path),
        before: staged.entry(path).map(version),
        after: stages.0.get(&0).copied().map(version),
        stages: stages
            .0
            .iter()
            .filter(|(stage, _)| **stage > 0)
            .map(stage)
            .collect(),
    };
    let entries = stages_by_path(updates)
        .into_iter()
        .map(|(path, stages)| entry((path, &stages)))
        .collect();
    let file = indexed
        .index
        .directory()
        .join(String::from_utf8_lossy(&indexed.index.name()).as_ref());
    IndexReport {
        reach: indexed.scope.name(),
        file: Some(file.to_string_lossy().into_owned()),
        entries,
    }
}

/// The new state of an index.
pub(super) struct NewIndexState<'i> {
    blobs: BlobCollector<'i>,
    updates: Vec<IndexUpdate>,
    /// Changes of the work tree whose contents git must compute.
    pending_smudges: Vec<gather::PendingSmudge>,
}

/// Computes the updates of the index, and passes the changes of the work tree to `sink`. A check
/// has no sink.
fn resolve<'i>(
    task: &CommandRun<'_>,
    indexed: &'i IndexTarget,
    options: &preflight::Options,
    (sink, blobs): (Option<&dyn Sink>, BlobCollector<'i>),
    resolved: &mut Resolved,
) -> Result<NewIndexState<'i>, Failure> {
    let staged = indexed.index.read()?;
    // The git process of the index knows `core.symlinks`, even if the request has no git.
    let ignores_links = indexed.scope == UpdateScope::Both && indexed.index.ignores_links()?;
    let options = &preflight::Options {
        links_are_files: options.links_are_files || ignores_links,
        ..options.clone()
    };
    let link_files = sink.filter(|_| options.links_are_files).map(LinkFileSink);
    let sink = link_files.as_ref().map(|files| files as &dyn Sink).or(sink);
    if indexed.scope == UpdateScope::Intent {
        return intent::resolve(task, (indexed, &staged), options, (sink, blobs), resolved);
    }
    let compared = ComparedIndex::of(task, (indexed, staged), options, &resolved.selected.plan)?;
    let staged = &compared.staged;
    resolved
        .selected
        .problems
        .extend(compared.problems(&resolved.selected.plan));
    // A change that is refused, or whose files may not be read, stages nothing.
    let is_staged = !compared.needs_approval && !resolved.is_refused();
    let Selected { plan, problems, .. } = &mut resolved.selected;
    let sink = sink.filter(|_| is_staged);
    let resolve = if options.checks_rights && is_staged {
        obstacles::resolve
    } else {
        ComparedIndex::resolve
    };
    let (mut resolution, collected) = resolve(&compared, task, plan, (sink, &blobs))?;
    let mut updates = collected.updates;
    let links = gitlinks::updates(plan, staged);
    problems.extend(links.problems);
    updates.extend(links.updates);
    stages::add_conflict_stages(plan, &resolution, &blobs, &mut updates)?;
    let mut updates = complete_updates(staged, updates);
    let kept =
        rejects::discard_updates_after_rejects(indexed, problems, &mut resolution, &mut updates);
    problems.extend(kept);
    record_index_change(indexed, staged, &updates, resolved);
    if compared.needs_approval && resolution.is_clean() {
        let Selected { plan, problems, .. } = &mut resolved.selected;
        // A file that is new to the index can already exist in the work tree. The policy for
        // modifying that file applies.
        problems.extend(preflight::refusals(plan, task.workspace, &compared.options));
    }
    resolved.add_resolution(resolution, &task.command, task.approve());
    Ok(NewIndexState {
        blobs,
        updates,
        pending_smudges: collected.pending_smudges,
    })
}

/// Returns `updates` in order, with the removals that they cause, and with one update for each
/// stage of a path.
fn complete_updates(staged: &IndexTree, mut updates: Vec<IndexUpdate>) -> Vec<IndexUpdate> {
    updates.extend(implied_removals(staged, &updates));
    // A new entry replaces the old one, so the removal of the same path is redundant. Removals sort
    // after the entries of their path and stage, and `dedup_by` drops them.
    updates.sort_by(|a, b| {
        (&a.path, a.stage, b.entry.is_some()).cmp(&(&b.path, b.stage, a.entry.is_some()))
    });
    updates.dedup_by(|b, a| a.path == b.path && (b.entry.is_none() || a == b));
    updates
}

/// Records the changes of the index for the report and the history.
fn record_index_change(
    indexed: &IndexTarget,
    staged: &IndexTree,
    updates: &[IndexUpdate],
    resolved: &mut Resolved,
) {
    resolved.index_report = Some(index_report(indexed, staged, updates));
    let change = |(path, stages): (&RelPath, Stages)| IndexChange {
        path: path.clone(),
        before: staged.all_stages(path).text(),
        after: stages.text(),
    };
    resolved.index_changes = stages_by_path(updates).into_iter().map(change).collect();
}

/// Computes the resulting index and work tree. If the change is applied, takes the lock of the
/// index and stages both. Returns `None` if the change does not concern the index.
pub(super) fn resolve_index<'w>(
    task: &CommandRun<'w>,
    options: &preflight::Options,
    staging: &StagingTarget<'_>,
    resolved: &mut Resolved,
) -> Option<Result<Option<Box<dyn TreeCheck + 'w>>, Failure>> {
    let indexed = task.index_target.as_ref()?;
    let done = if let Some(transaction) = staging.transaction {
        stage_index(task, indexed, options, transaction, resolved)
    } else {
        let blobs = BlobCollector::without_writes(&indexed.index);
        resolve(task, indexed, options, (None, blobs), resolved).map(drop)
    };
    Some(done.map(|()| None))
}

/// Takes the lock of the index, computes the changes, and stages them unless there is a problem.
fn stage_index(
    task: &CommandRun<'_>,
    indexed: &IndexTarget,
    options: &preflight::Options,
    transaction: &Transaction<'_>,
    resolved: &mut Resolved,
) -> Result<(), Failure> {
    transaction.lock_index(&indexed.location())?;
    let blobs = BlobCollector::with_writes(&indexed.index);
    let restaged = resolve(task, indexed, options, (Some(transaction), blobs), resolved)?;
    if resolved.is_refused() {
        Ok(())
    } else {
        restaged.stage(indexed, transaction)
    }
}

/// Refreshes the index after it changed, as `git update-index --refresh` does.
pub(super) fn refresh(task: &CommandRun<'_>, done: &mut Committed) {
    if let Some(indexed) = &task.index_target
        && done.result.receipt.is_some()
    {
        indexed.refresh();
    }
}

impl NewIndexState<'_> {
    /// Stages the new index, and the changes of the work tree that need its blobs.
    pub(super) fn stage(
        self,
        indexed: &IndexTarget,
        transaction: &Transaction<'_>,
    ) -> Result<(), Failure> {
        if self.updates.is_empty() && self.pending_smudges.is_empty() {
            return Ok(());
        }
        // git can compute the contents of the held changes only after their blobs exist.
        self.blobs.write()?;
        for held in self.pending_smudges {
            transaction.receive(held.smudge(&indexed.index)?)?;
        }
        if self.updates.is_empty() {
            return Ok(());
        }
        let (path, workspace) = (indexed.location().path()?, transaction.workspace());
        let before = read_index_file(workspace, &path)?;
        // git changes a copy of the index. The transaction then puts the new contents in place.
        let aside = transaction.extra_file()?;
        if let Some((bytes, _)) = &before {
            workspace.create(
                &aside,
                NewFile::new(&[bytes], Permissions::Exact(0o600), None),
            )?;
        }
        let copy = workspace
            .absolute_path(&aside)
            .ok_or_else(|| unreachable_copy(&aside))?;
        indexed.index.rewrite(&copy, &self.updates)?;
        let (bytes, _) = workspace.read(&aside, u64::MAX)?;
        let before = before.map(|(_, state)| state);
        let permissions = before
            .as_ref()
            .map(|state| Permissions::Exact(state.stat.permissions));
        let after = Postimage {
            kind: FileKind::Regular,
            permissions: permissions.unwrap_or(Permissions::New { executable: false }),
            content: Content::Bytes(bytes.into()),
            attribute_source: before.is_some().then(|| path.clone()),
        };
        Ok(transaction.receive(FileChange {
            path,
            before,
            after: Some(after),
        })?)
    }
}

/// Returns the error of a workspace whose files git cannot write.
fn unreachable_copy(path: &RelPath) -> WorkspaceError {
    let source = std::io::Error::from(std::io::ErrorKind::Unsupported);
    WorkspaceError {
        verb: "write",
        path: path.to_string(),
        kind: ErrorKind::Unsupported,
        source,
    }
}

/// Returns the removals that `updates` cause without naming them. git removes a file from the index
/// if a directory with its name is added, and vice versa. The history must name every removed
/// entry; otherwise `undo` could not restore it.
fn implied_removals(staged: &IndexTree, updates: &[IndexUpdate]) -> Vec<IndexUpdate> {
    let named: BTreeSet<_> = updates.iter().map(|update| &update.path).collect();
    let comes = updates.iter().filter(|update| update.entry.is_some());
    let displaced: BTreeSet<_> = comes
        .flat_map(|update| staged.conflicting_paths(&update.path))
        .collect();
    let unnamed = displaced.into_iter().filter(|path| !named.contains(path));
    unnamed
        .map(|path| IndexUpdate {
            path,
            entry: None,
            stage: 0,
        })
        .collect()
}

/// Returns the stages of each path after `updates`.
fn stages_by_path(updates: &[IndexUpdate]) -> BTreeMap<&RelPath, Stages> {
    let mut states = BTreeMap::<_, Stages>::new();
    for IndexUpdate { path, entry, stage } in updates {
        states
            .entry(path)
            .or_default()
            .0
            .extend(entry.map(|entry| (*stage, entry)));
    }
    states
}

/// Returns the contents and the state of the index file, if it exists.
fn read_index_file(
    workspace: &dyn Workspace,
    path: &RelPath,
) -> Result<Option<(Bytes, FileState)>, Failure> {
    if workspace.stat(path)?.is_none() {
        return Ok(None);
    }
    let (bytes, stat) = workspace.read(path, u64::MAX)?;
    let digest = Digest::of(&bytes);
    Ok(Some((bytes, FileState { stat, digest })))
}
