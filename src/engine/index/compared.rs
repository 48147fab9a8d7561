//! Applies a plan to an index that was compared with the work tree.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::gather::{CollectedUpdates, IndexSink};
use super::matches::ComparisonResult;
use super::rejects::{self, IndexWithRejects};
use super::{IndexTarget, UpdateScope, modes, restored};
use crate::change::Sink;
use crate::engine::task::CommandRun;
use crate::path::RelPath;
use crate::plan::{Action, Plan};
use crate::preflight::{self, Problem, Resolution};
use crate::transaction::Failure;
use crate::workspace::index::{BlobCollector, IndexTree};

/// An index, with the result of its comparison with the work tree.
pub(super) struct ComparedIndex {
    pub(super) staged: IndexTree,
    matches: ComparisonResult,
    reach: UpdateScope,
    /// The files for rejected hunks.
    rejects: BTreeSet<RelPath>,
    /// Whether policy keeps files of the work tree from being read, so that the report cannot state
    /// how they differ.
    pub(super) needs_approval: bool,
    /// The options with which the plan is resolved.
    pub(super) options: preflight::Options,
}

impl ComparedIndex {
    /// Compares the files of `plan` in the work tree with the index, if the plan changes both.
    pub(super) fn of(
        task: &CommandRun<'_>,
        (indexed, mut staged): (&IndexTarget, IndexTree),
        options: &preflight::Options,
        plan: &Plan,
    ) -> Result<Self, Failure> {
        let (workspace, reach) = (task.workspace, indexed.scope);
        let is_held =
            reach == UpdateScope::Both && preflight::needs_approval(plan, workspace, options);
        let mut matches = if reach == UpdateScope::Both && !is_held {
            ComparisonResult::of(plan, (&staged, &indexed.index), workspace, options)?
        } else {
            ComparisonResult::default()
        };
        let created = plan
            .operations
            .iter()
            .filter(|operation| operation.action == Action::Create);
        // As in git, a patch can create a file that has only an intent-to-add entry.
        created.for_each(|operation| staged.hide_intent_to_add(&operation.path));
        // Blobs have the form of the repository, not of the work tree.
        let conversions = options
            .conversions
            .as_ref()
            .filter(|_| reach == UpdateScope::Both)
            .map(|conversions| Arc::new(conversions.for_index()));
        let rejects = rejects::files(plan, options);
        let options = preflight::Options {
            conversions,
            ..rejects::exclude_mismatches(&mut matches, options)
        };
        Ok(Self {
            staged,
            matches,
            reach,
            rejects,
            needs_approval: is_held,
            options,
        })
    }

    /// Returns the problems of files that differ from the index.
    pub(super) fn problems(&self, plan: &Plan) -> Vec<Problem> {
        let differences = self.matches.problems.iter().cloned();
        differences
            .chain(modes::mode_warnings(plan, &self.staged))
            .collect()
    }

    /// Applies `plan` to the index, and passes the changes of the work tree to `sink`.
    pub(super) fn resolve(
        &self,
        task: &CommandRun<'_>,
        plan: &Plan,
        (sink, blobs): (Option<&dyn Sink>, &BlobCollector<'_>),
    ) -> Result<(Resolution, CollectedUpdates), Failure> {
        let tree = sink
            .filter(|_| self.reach == UpdateScope::Both)
            .map(|sink| (sink, &self.matches));
        let gather = IndexSink::new(&self.staged, blobs, tree, (&self.rejects, sink));
        let beside = IndexWithRejects {
            staged: &self.staged,
            tree: task.workspace,
            rejects: &self.rejects,
        };
        let options = &self.options;
        let mut resolution =
            preflight::resolve_with_previews(plan, &beside, options, &gather, task.preview_sinks)?;
        if let Some(first) = resolution.files.first_mut() {
            first.omitted_problems += self.matches.omitted;
        }
        // A merge can result in the content of the index, which is then no change of the index.
        if self.reach == UpdateScope::Both && options.three_way.is_some() && resolution.is_clean() {
            let compared = (&self.staged, &self.matches);
            resolution.changes +=
                restored::check_out_missing_files(plan, compared, task.workspace, &gather)?;
        }
        Ok((resolution, gather.finish()))
    }
}
