//! The tool for edit sessions.

use super::arguments::{SessionAction, SessionArguments, parse};
use super::result::{MAX_DIFFS, diffs};
use super::{Approver, ArgumentError, ToolContext, ToolResult};
use crate::engine::{Outcome, Request, What, abort, begin, check as check_request};
use crate::preflight::ApprovalGate;

pub(super) fn session(
    arguments: &str,
    call: &ToolContext<'_>,
) -> Result<ToolResult, ArgumentError> {
    let arguments: SessionArguments = parse(arguments)?;
    let id = || {
        let id = arguments.id.clone().filter(|id| !id.is_empty());
        id.ok_or_else(|| ArgumentError("the argument `id` is missing for this action".to_owned()))
    };
    let outcome = match arguments.action {
        SessionAction::Begin => begin(
            arguments.note.as_deref(),
            call.workspace,
            call.options.transaction,
            call.interrupt,
        ),
        SessionAction::Abort => abort(
            &id()?,
            call.workspace,
            call.options.transaction,
            call.interrupt,
        ),
        SessionAction::Check => return Ok(check(commit_request(id()?, &arguments), call)),
        SessionAction::Commit => commit(commit_request(id()?, &arguments), call),
    };
    Ok(ToolResult::of(&call.with_root(outcome)))
}

fn commit_request(id: String, arguments: &SessionArguments) -> Request {
    let mut request = Request::commit_session(id);
    if let What::Session(session) = &mut request.what {
        session.rebase = arguments.rebase == Some(true);
    }
    request.commit.approve.clone_from(&arguments.approve);
    request
}

fn commit(mut request: Request, call: &ToolContext<'_>) -> Outcome {
    if call.approver() == Approver::Model {
        request.context.approval_gate = ApprovalGate::Everything;
    }
    call.apply(request)
}

fn check(mut request: Request, call: &ToolContext<'_>) -> ToolResult {
    call.prepare(&mut request);
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
    ToolResult::from_report(&report, &(plan.unwrap_or_default() + &diffs(&report)))
}
