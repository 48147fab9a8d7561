//! Rejects plans, with reasons for the author of the patch.

use super::approval::{PLAN_ID_PREFIX, is_plan_id};
use super::audit::CommandSigner;
use super::plans::{add_save_result, find_plan, plan_id_problem};
use super::problems::{no_state_directory_problem, rejected_plan_problem};
use super::request::Attribution;
use super::saved::SavedPlan;
use super::stages::{Command, Committed, Resolved};
use super::task::CommandRun;
use super::top_roots::one_root_problem;
use super::{Outcome, refused_outcome};
use crate::plan::parse_id;
use crate::preflight::{Problem, code};
use crate::report;
use crate::transaction::audit::{AuditSigner, ChangeOrigin, HunkReason};
use crate::transaction::history::PlanRejection;
use crate::transaction::saved_plans::{self, StoredPlan};
use crate::transaction::{self, Failure, Interrupt, rejections};
use crate::workspace::Workspace;

/// The limit on the size of a reason, in bytes.
pub(crate) const MAX_REASON: usize = 4096;
/// The limit on the number of hunks with a reason.
pub(crate) const MAX_HUNKS: usize = 256;

/// The rejection of a plan.
#[derive(Clone, Debug, Default)]
pub struct RejectRequest {
    /// The reason, as free text.
    pub reason: Option<String>,
    /// The reasons for parts of the plan: the `id` of the file, hunk or lines in the report of the
    /// check, such as `f1`, `f1h2` or `f1h2:3-5`, and the text.
    pub hunks: Vec<(String, String)>,
    /// The options of the transaction.
    pub transaction: transaction::Options,
    /// Who rejects the plan.
    pub attribution: Attribution,
}

/// Rejects the plan `id`: a whole `plan_id`, or the first digits of a saved one. The history
/// records the rejection, and the saved plan is removed. An approval of the plan has no effect
/// until [`unreject`] removes the rejection.
///
/// The report of a later attempt with this plan contains the reasons.
pub fn reject(
    id: &str,
    request: &RejectRequest,
    workspace: &dyn Workspace,
    interrupt: &Interrupt,
) -> Outcome {
    if let Some(problem) = one_root_problem("reject", workspace) {
        return *refused_outcome("reject", problem);
    }
    let command = Command::of("reject", report::Outcome::Rejected);
    let mut done = Committed::default();
    if let Some(kept) = find_plan(id, workspace, &mut done) {
        reject_plan(&kept, request, (workspace, interrupt), &mut done);
    }
    done.finish(&command)
}

fn reject_plan(
    kept: &StoredPlan,
    request: &RejectRequest,
    (workspace, interrupt): (&dyn Workspace, &Interrupt),
    done: &mut Committed,
) {
    // The files are only for the log, so a damaged plan can be rejected without them.
    let saved = SavedPlan::read(kept).map(|(saved, _)| saved);
    let (files, hunks) = saved.map_or_else(Default::default, |saved| (saved.files, saved.hunks));
    if let Some(message) = usage_error(request, &hunks) {
        return done.problems().push(Problem::new(&code::USAGE, message));
    }
    let plan = format!("{PLAN_ID_PREFIX}{}", kept.name);
    let reasons = request.hunks.iter();
    let rejection = PlanRejection {
        plan: plan.clone(),
        reason: request.reason.clone(),
        files,
        hunks: reasons
            .map(|(hunk, reason)| HunkReason::new(hunk, reason))
            .collect(),
        audit: Vec::new(),
    };
    let origin = request.attribution.origin();
    let signer = CommandSigner::of(&request.attribution, interrupt);
    let signer = signer.as_ref().map(|signer| signer as &dyn AuditSigner);
    let options = (request.transaction, interrupt);
    match rejections::save(workspace, options, &rejection, (&origin, signer)) {
        Ok(Some(saved)) => {
            add_save_result(saved, done);
            saved_plans::forget(workspace, &kept.name);
            done.result.plan_id = Some(plan);
        }
        Ok(None) => done
            .problems()
            .push(no_state_directory_problem("the rejection")),
        Err(failure) => done.add_failure(&failure, None),
    }
}

/// Returns an error message if a reason is too long or names no hunk. `files` are the `id`s of the
/// files of the plan and the numbers of their hunks. It is empty if they are unknown.
fn usage_error(request: &RejectRequest, files: &[(String, usize)]) -> Option<String> {
    let reasons = request.hunks.iter().map(|(_, reason)| reason);
    if request
        .reason
        .iter()
        .chain(reasons)
        .any(|reason| reason.len() > MAX_REASON)
    {
        return Some(format!("the reason exceeds {MAX_REASON} bytes"));
    }
    if request.hunks.len() > MAX_HUNKS {
        return Some(format!("more than {MAX_HUNKS} hunks have a reason"));
    }
    for (id, reason) in &request.hunks {
        if reason.trim().is_empty() {
            return Some(format!("the reason for {id} is empty"));
        }
        if parse_id(id).is_err() {
            return Some(format!(
                "`{id}` is not the id of a file, a hunk or lines; the report of the check lists \
                 them, such as f1h2"
            ));
        }
        if let Some(message) = unknown_id(id, files) {
            return Some(message);
        }
    }
    request.attribution.usage_error()
}

/// Returns an error message with the existing files or hunks if `files` does not contain the file
/// or hunk `id`.
fn unknown_id(id: &str, files: &[(String, usize)]) -> Option<String> {
    let range = |ids: Vec<&str>| match &ids[..] {
        [] => "none".to_owned(),
        [only] => (*only).to_owned(),
        [first, .., last] => format!("{first} to {last}"),
    };
    files.first()?;
    // The number of lines is not saved.
    let id = id.split_once(':').map_or(id, |(hunk, _)| hunk);
    let (file, hunk) = match id.split_once('h') {
        Some((file, hunk)) => (file, Some(hunk)),
        None => (id, None),
    };
    let Some((_, count)) = files.iter().find(|(other, _)| other == file) else {
        let ids = files.iter().map(|(id, _)| &**id).collect();
        return Some(format!(
            "the plan has no {file}; its files are: {}",
            range(ids)
        ));
    };
    let hunk: usize = hunk?.parse().unwrap_or(usize::MAX);
    if hunk <= *count {
        return None;
    }
    let (first, last) = (format!("{file}h1"), format!("{file}h{count}"));
    let ids = match count {
        0 => vec![],
        1 => vec![&*first],
        _ => vec![&*first, &*last],
    };
    Some(format!(
        "the plan has no {id}; the hunks of {file} are: {}",
        range(ids)
    ))
}

/// Removes every rejection of the plan `id`, a whole `plan_id`.
pub fn unreject(
    id: &str,
    request: &RejectRequest,
    workspace: &dyn Workspace,
    interrupt: &Interrupt,
) -> Outcome {
    if let Some(problem) = one_root_problem("reject", workspace) {
        return *refused_outcome("reject", problem);
    }
    let mut done = Committed::default();
    let misuse = request.attribution.usage_error();
    if let Some(message) = misuse {
        done.problems().push(Problem::new(&code::USAGE, message));
    } else if is_plan_id(id) {
        let mut origin: ChangeOrigin = request.attribution.origin();
        origin.plan_id = Some(id.to_owned());
        let signer = CommandSigner::of(&request.attribution, interrupt);
        let signer = signer.as_ref().map(|signer| signer as &dyn AuditSigner);
        let options = (request.transaction, interrupt);
        match rejections::remove(workspace, options, (&origin, signer)) {
            Ok(0) => {
                let message = "this plan is not rejected";
                done.problems()
                    .push(Problem::new(&code::NOTHING_TO_UNDO, message));
            }
            Ok(_) => done.result.plan_id = Some(id.to_owned()),
            Err(failure) => done.add_failure(&failure, None),
        }
    } else {
        done.problems().push(plan_id_problem(id));
    }
    done.finish(&Command::of("reject", report::Outcome::Withdrawn))
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
