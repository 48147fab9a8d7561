//! Finds changes of the work tree that the file system would refuse. Preflight resolves the plan on
//! the index, so it does not examine the work tree.

use std::sync::Mutex;

use super::compared::ComparedIndex;
use super::gather::{CollectedUpdates, PendingSmudge};
use crate::change::{DiscardSink, FileChange, Sink};
use crate::engine::task::CommandRun;
use crate::mutex::lock_unpoisoned;
use crate::path::RelPath;
use crate::plan::Plan;
use crate::preflight::{Obstacles, Problem, Resolution, RightsCache};
use crate::transaction::Failure;
use crate::workspace::WorkspaceError;
use crate::workspace::index::BlobCollector;

/// Applies `plan` to the index as [`ComparedIndex::resolve`] does. Adds a problem for each change of
/// the work tree that the file system would refuse.
pub(super) fn resolve(
    compared: &ComparedIndex,
    task: &CommandRun<'_>,
    plan: &Plan,
    (sink, blobs): (Option<&dyn Sink>, &BlobCollector<'_>),
) -> Result<(Resolution, CollectedUpdates), Failure> {
    let rights = RightsCache::default();
    let checked = ObstacleSink {
        plan,
        obstacles: Obstacles {
            workspace: task.workspace,
            rights: &rights,
            keeps_hard_links: compared.options.keeps_hard_links,
        },
        sink: sink.unwrap_or(&DiscardSink),
        refused: Mutex::default(),
    };
    let (mut resolution, collected) = compared.resolve(task, plan, (Some(&checked), blobs))?;
    checked.finish(&collected.pending_smudges, &mut resolution);
    Ok((resolution, collected))
}

/// A sink that passes on the changes that the file system permits.
struct ObstacleSink<'a> {
    plan: &'a Plan,
    obstacles: Obstacles<'a>,
    sink: &'a dyn Sink,
    /// The other changes, each with its operation and its problem.
    refused: Mutex<Vec<RefusedChange>>,
}

/// The path of a change, the index of its operation, and its problem.
type RefusedChange = (RelPath, usize, Problem);

impl ObstacleSink<'_> {
    /// Returns whether the file system permits `change`, and stores the problem if not.
    fn allow(&self, change: &FileChange) -> bool {
        let found = self.obstacles.find_in_plan(self.plan, change);
        let is_allowed = found.is_none();
        lock_unpoisoned(&self.refused)
            .extend(found.map(|(index, problem)| (change.path.clone(), index, problem)));
        is_allowed
    }

    /// Adds the problems to `resolution` if it is clean, in the order of the paths. After another
    /// error not all changes have reached the sink.
    fn finish(self, pending: &[PendingSmudge], resolution: &mut Resolution) {
        if !resolution.is_clean() {
            return;
        }
        for held in pending {
            self.allow(&held.without_content());
        }
        let mut refused = std::mem::take(&mut *lock_unpoisoned(&self.refused));
        refused.sort_unstable_by(|(a, i, _), (b, j, _)| (a, i).cmp(&(b, j)));
        for (_, index, problem) in refused {
            if let Some(file) = resolution.files.get_mut(index) {
                file.failed.get_or_insert(problem.code);
            }
            resolution.problems.push(problem);
        }
    }
}

impl Sink for ObstacleSink<'_> {
    fn receive(&self, change: FileChange) -> Result<(), WorkspaceError> {
        if self.allow(&change) {
            self.sink.receive(change)
        } else {
            Ok(())
        }
    }
}
