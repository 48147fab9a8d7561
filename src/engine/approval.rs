//! The approval of a plan by its `plan_id`.

use super::problems::rejected_plan_problem;
use super::stages::{Resolved, Selected};
use super::task::CommandRun;
use crate::digest::is_hex;
use crate::preflight::{Problem, code};
use crate::transaction::history::PlanRejection;
use crate::transaction::{Failure, rejections};
use crate::workspace::Workspace;

/// The start of a `plan_id`.
pub(super) const PLAN_ID_PREFIX: &str = "sha256:";

/// Returns whether `id` has the form of a `plan_id`.
pub(super) fn is_plan_id(id: &str) -> bool {
    id.strip_prefix(PLAN_ID_PREFIX)
        .is_some_and(|digits| digits.len() == 64 && is_hex(digits))
}

/// Adds a problem if `approve` does not name a plan, or names one that was rejected.
pub(super) fn check_approval(
    approve: Option<&str>,
    workspace: &dyn Workspace,
    selected: &mut Selected,
) {
    let Some(approve) = approve else { return };
    if !is_plan_id(approve) {
        let help = Some("run `wpatch check --json` and use the plan_id that it prints".to_owned());
        let message = "the approval needs a full plan_id (`sha256:` and 64 hex digits)";
        selected.problems.push(Problem {
            help,
            ..Problem::new(&code::USAGE, message)
        });
        return;
    }
    match rejections::find(workspace, approve) {
        Ok(None) => {}
        Ok(Some(refusal)) => selected.problems.push(rejected_plan_problem(&refusal)),
        Err(failure) => selected.add_failure(&failure),
    }
}

impl CommandRun<'_> {
    /// Returns the rejections that the author of the change must see: a model often sends a
    /// rejected change again. A person can apply it without an approval.
    pub(super) fn rejections(&self) -> Result<Vec<PlanRejection>, Failure> {
        if !self.command.policy.is_for_model() {
            return Ok(Vec::new());
        }
        match rejections::all(self.workspace) {
            // The directory belongs to another user, or its location is not known.
            Err(Failure::Foreign { .. } | Failure::State { .. }) => Ok(Vec::new()),
            all => all,
        }
    }

    /// Adds a problem if the change in `resolved` is one of `rejections`.
    pub(super) fn check_rejections(&self, rejections: &[PlanRejection], resolved: &mut Resolved) {
        if rejections.is_empty() || resolved.is_refused() {
            return;
        }
        let plan = self.full_report(resolved).plan_id;
        let rejection = rejections
            .iter()
            .find(|rejection| Some(&rejection.plan) == plan.as_ref());
        let problem = rejection.map(rejected_plan_problem);
        resolved.selected.problems.extend(problem);
    }
}
