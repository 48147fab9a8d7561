//! `--intent-to-add`: a change of the work tree, whose new files the index is told of.

use std::collections::BTreeSet;

use super::{Indexed, Restaged, displaced, rejects};
use crate::change::{Dropped, Sink};
use crate::engine::run::Run;
use crate::mode::FileMode;
use crate::path::RelPath;
use crate::plan::{Action, Plan};
use crate::preflight::{self, Problem, Resolution, code};
use crate::transaction::Failure;
use crate::workspace::Workspace;
use crate::workspace::index::{Blobs, SPOILING, Staged, Update};

impl Run {
    /// Works out what becomes of the work tree, and hands it to `sink`; the files that are new then, and not in the index,
    /// come into that.
    pub(super) fn intend<'i>(
        &mut self,
        indexed: &'i Indexed,
        staged: &Staged,
        (workspace, options): (&dyn Workspace, &preflight::Options),
        (sink, blobs): (Option<&dyn Sink>, Blobs<'i>),
        approve: Option<&str>,
    ) -> Result<Restaged<'i>, Failure> {
        let mut resolution = preflight::resolve(&self.plan, workspace, options, sink.unwrap_or(&Dropped))?;
        let entry = indexed.index.intention();
        let is_new = |path: &&RelPath| staged.entry(path).is_none() && staged.stages(path).is_none();
        let new = made(&self.plan, &resolution).into_iter().filter(is_new);
        let mut updates: Vec<_> = new.map(|path| Update { path: path.clone(), entry, stage: 0 }).collect();
        for Update { path, .. } in &updates {
            if !indexed.index.may_intend(path)? {
                self.problems.push(spoiling(path));
            }
        }
        updates.extend(displaced(staged, &updates));
        self.problems.extend(rejects::keep(indexed, &self.problems, &mut resolution, &mut updates));
        self.note_index(indexed, staged, &updates);
        self.resolved(resolution, approve);
        Ok(Restaged { blobs, updates, held: Vec::new() })
    }
}

fn spoiling(path: &RelPath) -> Problem {
    let help =
        "`git sparse-checkout reapply --no-sparse-index` makes a whole index of it; --index adds the file itself";
    Problem { path: Some(path.clone()), help: Some(help.to_owned()), ..Problem::new(&code::SPARSE_INDEX, SPOILING) }
}

/// Returns the files that `plan` makes as far as it can be done, and that are there then.
fn made<'p>(plan: &'p Plan, resolution: &Resolution) -> BTreeSet<&'p RelPath> {
    let mut made = BTreeSet::new();
    let all = plan.operations.iter().zip(&resolution.files);
    for (operation, _) in all.filter(|(_, outcome)| outcome.failed.is_none()) {
        if let Some(path) = operation.leaves() {
            made.remove(path);
        }
        if operation.action == Action::Create && operation.new_mode != Some(FileMode::Submodule) {
            made.insert(&operation.path);
        }
    }
    made
}
