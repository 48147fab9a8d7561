//! The tools that take a patch.

use super::arguments::{PatchArguments, parse};
use super::result::{MAX_DIFFS, diffs};
use super::{Approver, ArgumentError, ToolContext, ToolResult, root_names};
use crate::engine::{Request, check as check_request};
use crate::preflight::ApprovalGate;
use crate::report::{FileReport, Report, Verdict};
use crate::text::printable;

/// The limit on the number of files that an answer lists as needing approval.
const MAX_LISTED: usize = 20;

pub(super) fn apply(arguments: &str, call: &ToolContext<'_>) -> Result<ToolResult, ArgumentError> {
    let mut request = build_request(parse(arguments)?, call);
    if call.approver() == Approver::Model {
        request.context.approval_gate = ApprovalGate::Everything;
    }
    Ok(ToolResult::of(&call.apply(request)))
}

pub(super) fn check(arguments: &str, call: &ToolContext<'_>) -> Result<ToolResult, ArgumentError> {
    let mut request = build_request(parse(arguments)?, call);
    if call.approver() == Approver::Model {
        request.context.approval_gate = ApprovalGate::Reading;
    }
    (request.look.diff, request.look.max_diff) = (true, MAX_DIFFS);
    let report = call
        .with_root(check_request(request, call.workspace))
        .report;
    let plan = report
        .plan_id
        .as_ref()
        .map(|plan| format!("plan_id: {plan}\n"));
    let more = approvals(&report, call.approver()) + &plan.unwrap_or_default() + &diffs(&report);
    Ok(ToolResult::from_report(&report, &more))
}

/// Lists the files of `report` that `apply_patch` refuses without approval, with the reasons and
/// the next step.
fn approvals(report: &Report, approver: Approver) -> String {
    let asked = report
        .files
        .iter()
        .filter(|file| file.verdict == Verdict::Ask);
    let reason = |file: &FileReport| match &file.reason {
        Some(reason) => format!(": {}", printable(reason.as_bytes())),
        None => String::new(),
    };
    let line = |file: &FileReport| {
        format!(
            "needs approval: {}{}\n",
            printable(file.path.as_bytes()),
            reason(file)
        )
    };
    let mut lines: Vec<_> = asked.map(line).collect();
    let more = lines.len().saturating_sub(MAX_LISTED);
    if lines.is_empty() {
        return String::new();
    }
    lines.truncate(MAX_LISTED);
    if more > 0 {
        lines.push(format!("and {more} more files need approval\n"));
    }
    lines.push(match approver {
        Approver::Model => {
            "help: apply_patch cannot apply this patch; ask the user to approve and apply the change\n".to_owned()
        }
        Approver::Person => "help: ask the user to approve the change, then call apply_patch with approve\n".to_owned(),
    });
    lines.concat()
}

fn build_request(patch: PatchArguments, call: &ToolContext<'_>) -> Request {
    let mut request = Request::of(patch.patch);
    let decide = &mut request.decide;
    decide.format = patch.format.unwrap_or_else(|| decide.format.clone());
    decide.strip = patch.strip;
    decide.lenient = patch.lenient == Some(true);
    decide.roots = root_names(&call.options.roots);
    request.commit.approve = patch.approve;
    call.prepare(&mut request);
    call.convert_as_git(&mut request);
    request
}
