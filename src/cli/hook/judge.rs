//! The decision on a call, independent of the harness: runs `check` on a change, and applies policy
//! to a read or a search.

use std::path::Path;

use super::action::{Action, Change};
use super::decision::{Decision, DefaultDecision};
use super::place::{CallPath, FileUse};
use super::rules::{decide_refusal, policy, question};
use super::{control_links, search};
use crate::cli::EarlyExit;
use crate::cli::args::Global;
use crate::cli::root::{absolute_paths, open, with_root};
use crate::engine::options::ApprovalGate;
use crate::engine::{self, Outcome, Request};
use crate::report::{FileReport, Report, Verdict};

/// Decides on `action` before it runs. `global` has the root, and `cwd` is the agent's current
/// directory.
///
/// # Errors
///
/// Returns an error if the policy or the root cannot be read.
pub(super) fn judge(
    action: &Action,
    cwd: &Path,
    default_decision: &DefaultDecision,
    global: &Global,
) -> Result<Decision, EarlyExit> {
    let decision = match action {
        Action::None => Decision::None,
        Action::Unclear(why) => Decision::Deny(why.clone()),
        Action::All(actions) => actions
            .iter()
            .map(|action| judge(action, cwd, default_decision, global))
            .try_fold(Decision::None, |strictest, decision| {
                Ok(strictest.stricter(decision?))
            })?,
        Action::Change(file, change) => judge_change(file, change, default_decision, global)?,
        Action::Delete(file) => CallPath::of(file, global)?.decide_names(FileUse::Deletes)?,
        // A patch is checked as a whole, so a file outside the root forbids it.
        Action::Patch { text, directory } => {
            return judge_patch(text, &cwd.join(directory), global);
        }
        Action::Read(file) => CallPath::of(file, global)?.decide(FileUse::Reads, check_read)?,
        Action::List(directory) => search::judge_list(directory, global)?,
        Action::Grep { path, glob } => search::judge_grep(path, glob, global)?,
        Action::Glob {
            directory,
            pattern,
            target,
        } => search::judge_glob(directory, pattern, *target, global)?,
    };
    Ok(match decision {
        // Outside the root, only rules decide.
        Decision::Outside(_) => Decision::None,
        decision => decision,
    })
}

/// Decides on `action` after it ran: reports the change of a file that policy protects.
///
/// # Errors
///
/// Returns an error if the policy or the root cannot be read.
pub(super) fn judge_result(action: &Action, global: &Global) -> Result<Decision, EarlyExit> {
    let Action::Change(file, _) = action else {
        return Ok(Decision::None);
    };
    Ok(
        match CallPath::of(file, global)?.decide_names(FileUse::Changed)? {
            Decision::Deny(reason) => Decision::Deny(format!(
                "the tool changed a file that policy protects; tell the user\n{reason}"
            )),
            _ => Decision::None,
        },
    )
}

fn judge_change(
    file: &Path,
    change: &Change,
    default_decision: &DefaultDecision,
    global: &Global,
) -> Result<Decision, EarlyExit> {
    let place = CallPath::of(file, global)?;
    let silence = place.default_for_write(default_decision)?;
    let checked = place.decide(FileUse::Writes, |path, global| {
        check_edit(change.clone().into_request(path.to_vec()), &silence, global)
    })?;
    Ok(checked.stricter(place.decide_outside_link()?))
}

/// Decides on a patch. Its names are relative to `directory`.
fn judge_patch(patch: &str, directory: &Path, global: &Global) -> Result<Decision, EarlyExit> {
    let roots = absolute_paths(global.root());
    let below = engine::relative_to(&roots, directory);
    let mut request = Request::of(patch);
    "codex".clone_into(&mut request.decide.format);
    request.decide.roots = engine::root_names(&roots);
    request.decide.directory = if below == b"." { Vec::new() } else { below };
    check_patch(request, global)
}

/// Returns the decision on a change of one file.
fn check_edit(
    mut request: Request,
    default_decision: &DefaultDecision,
    global: &Global,
) -> Result<Decision, EarlyExit> {
    (request.context.policy, request.context.approval_gate) =
        (policy(global)?, ApprovalGate::Reading);
    request.context.is_external_change = true;
    let outcome = engine::check(request, &*open(global)?);
    Ok(decide_outcome(outcome, default_decision, global))
}

/// Returns the decision on a patch. If policy asks before a file is read, the report contains no
/// `plan_id`. The `plan_id` is a digest that depends on the file, so a model could use it to test
/// guesses.
fn check_patch(mut request: Request, global: &Global) -> Result<Decision, EarlyExit> {
    request.context.policy = policy(global)?;
    request.context.is_external_change = true;
    // Without digests there is no `plan_id`.
    request.look.describe = true;
    request.context.approval_gate = ApprovalGate::Reading;
    let outcome = engine::check(request, &*open(global)?);
    let files = outcome.report.files.iter();
    let paths = files
        .flat_map(|file| file.from.iter().chain([&file.path]))
        .filter(|_| outcome.report.ok);
    let question = control_links::question_about(paths, global)?;
    let decision = decide_outcome(outcome, &DefaultDecision::None, global);
    Ok(decision.stricter(question.map_or(Decision::None, Decision::Ask)))
}

/// Returns the decision on reading a file. The tool reports a missing file itself.
fn check_read(path: &[u8], global: &Global) -> Result<Decision, EarlyExit> {
    Ok(decide_refusal(
        engine::may_read(path, &policy(global)?, &*open(global)?).err(),
    ))
}

fn decide_outcome(
    outcome: Outcome,
    default_decision: &DefaultDecision,
    global: &Global,
) -> Decision {
    let outcome = with_root(outcome, global);
    let report = &outcome.report;
    match &report.error {
        Some(_) => decide_refusal(Some(Box::new(outcome))),
        None => match questions(report) {
            Some(why) => Decision::Ask(why),
            None if !report.ok => Decision::None,
            None if has_allow_rules(report) => Decision::Allow,
            None => match default_decision {
                DefaultDecision::None => Decision::None,
                DefaultDecision::Allow => Decision::Allow,
                DefaultDecision::Ask(why) => Decision::Ask(file_question(report, why)),
            },
        },
    }
}

/// Returns whether rules of the user allow every file that the change writes.
fn has_allow_rules(report: &Report) -> bool {
    let has_rule = |file: &FileReport| file.has_allow_rule;
    !report.files.is_empty() && report.files.iter().all(has_rule)
}

/// Returns the question about the file of `report`, with the reason `why`.
fn file_question(report: &Report, why: &str) -> String {
    question(
        report
            .files
            .first()
            .map_or(&b"."[..], |file| file.path.as_bytes()),
        Some(why),
    )
}

/// Returns the questions for the user, one per line.
fn questions(report: &Report) -> Option<String> {
    let asked = report
        .files
        .iter()
        .filter(|file| file.verdict == Verdict::Ask);
    let lines: Vec<_> = asked
        .map(|file| question(file.path.as_bytes(), file.reason.as_deref()))
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}
