//! Checks patches against the tree without a change of any file.

use super::NAME;
use super::final_tree::{FinalTree, final_tree};
use crate::engine::request::{Commit, Decide, Look, Patches, Request, RequestContext, What};
use crate::engine::stages::{Command, Committed};
use crate::engine::task::{CommandMode, CommandRun};
use crate::engine::{Outcome, steps};
use crate::plan::Plan;
use crate::preflight::{
    ApprovalGate, ContentPair, FileOutcome, KeptContents, PreviewSinks, Problem, code,
};
use crate::report::{self, RefreshReport};
use crate::workspace::Workspace;

/// The limit on the contents of all changed files after each patch, in bytes. They are in memory at
/// the same time.
const MAX_CONTENTS: u64 = 2 << 30;

/// The patches, checked against the tree.
pub(super) struct Checked {
    pub(super) done: Committed,
    command: Command,
    /// The contents before and after each operation.
    pub(super) contents: Vec<ContentPair>,
}

impl Checked {
    /// Checks `patches` with the options `decide`.
    ///
    /// # Errors
    ///
    /// Returns the outcome if the policy cannot be used.
    pub(super) fn of(
        patches: Patches,
        request: &Request,
        decide: &Decide,
        tree: &dyn Workspace,
    ) -> Result<Self, Box<Outcome>> {
        let request = Request {
            what: What::default(),
            decide: decide.clone(),
            look: Look {
                describe: true,
                diff: false,
                ..request.look.clone()
            },
            commit: Commit::default(),
            context: RequestContext {
                // The new patches contain lines of the files, so policy must allow to read these.
                approval_gate: ApprovalGate::Reading,
                // The files are not changed, so the rights to write them do not matter.
                is_external_change: true,
                ..request.context.clone()
            },
        };
        let success = report::Outcome::WouldApply;
        let (mut task, begun) = CommandRun::new((NAME, success), request, tree)?;
        let kept = KeptContents::with_limit(MAX_CONTENTS);
        let (selected, mut options) = steps::read(&task, patches, begun);
        options.rules.as_quilt = true;
        task.preview_sinks = PreviewSinks {
            contents: Some(&kept),
            ..PreviewSinks::default()
        };
        let mut done = task.run(selected, &options, CommandMode::Check);
        if kept.is_incomplete() {
            done.problems().push(size_problem());
        }
        let command = task.command.clone();
        let operations = done.resolved.selected.plan.operations.len();
        let contents = (0..operations).map(|index| kept.contents(index)).collect();
        Ok(Self {
            done,
            command,
            contents,
        })
    }

    pub(super) fn plan(&self) -> &Plan {
        &self.done.resolved.selected.plan
    }

    /// Returns the outcome of each operation; `None` if the patches were not compared with the
    /// tree.
    pub(super) fn outcomes(&self) -> Option<&[FileOutcome]> {
        let resolution = self.done.resolved.resolution.as_ref();
        resolution.map(|resolution| &resolution.files[..])
    }

    /// Returns each operation that was compared with the tree: its index, its outcome and its
    /// contents.
    pub(super) fn operations(&self) -> impl Iterator<Item = (usize, &FileOutcome, &ContentPair)> {
        let outcomes = self
            .outcomes()
            .unwrap_or_default()
            .iter()
            .zip(&self.contents);
        outcomes
            .enumerate()
            .map(|(index, (outcome, contents))| (index, outcome, contents))
    }

    pub(super) fn final_tree(&self) -> FinalTree {
        let outcomes = self.outcomes().unwrap_or_default();
        final_tree(self.plan(), outcomes, &self.contents)
    }

    pub(super) fn into_outcome(self, report: RefreshReport) -> Box<Outcome> {
        // Malformed patches have not been compared with the tree.
        let is_compared = self.outcomes().is_some();
        let mut outcome = self.done.finish(&self.command);
        outcome.report.refresh = is_compared.then(|| Box::new(report));
        Box::new(outcome)
    }
}

fn size_problem() -> Problem {
    let message = format!(
        "the contents of the changed files after each patch exceed {MAX_CONTENTS} bytes in total"
    );
    Problem {
        help: Some("refresh fewer patches at a time".to_owned()),
        ..Problem::new(&code::TOO_LARGE, message)
    }
}

/// Returns the index of each patch among the inputs of `plan`. The other inputs are parts of
/// patches.
pub(super) fn patch_inputs(plan: &Plan) -> Vec<usize> {
    let inputs = plan.inputs.iter().enumerate();
    inputs
        .filter(|(_, input)| input.part.is_none())
        .map(|(index, _)| index)
        .collect()
}

/// Returns the index of the patch that contains the input with the index `input`.
pub(super) fn patch_of(input: usize, patch_inputs: &[usize]) -> usize {
    // The parts of a patch directly follow it.
    let next = patch_inputs.partition_point(|&patch| patch <= input);
    next.checked_sub(1)
        .expect("BUG: the first input is a patch")
}
