//! The tools that take a patch.

use std::sync::Arc;

use super::arguments::{PatchArguments, read};
use super::{Approver, Call, Misuse, ToolAnswer, root_names};
use crate::engine::{Lenience, Request, apply as apply_request, check as check_request};
use crate::preflight::Held;

pub(super) fn apply(arguments: &str, call: &Call<'_>) -> Result<ToolAnswer, Misuse> {
    let mut request = request(read(arguments)?, call);
    if call.options.approver == Approver::Model {
        request.preflight.held = Held::Everything;
    }
    Ok(ToolAnswer::of(&call.rooted(apply_request(request, call.workspace, call.interrupt))))
}

pub(super) fn check(arguments: &str, call: &Call<'_>) -> Result<ToolAnswer, Misuse> {
    let mut request = request(read(arguments)?, call);
    if call.options.approver == Approver::Model {
        request.preflight.held = Held::Reading;
    }
    let report = call.rooted(check_request(request, call.workspace)).report;
    let plan = report.plan_id.as_ref().map(|plan| format!("plan_id: {plan}\n"));
    Ok(ToolAnswer::told(&report, &plan.unwrap_or_default()))
}

fn request(patch: PatchArguments, call: &Call<'_>) -> Request {
    let mut request = Request::of(patch.patch);
    request.format = patch.format.unwrap_or(request.format);
    request.selection.strip = patch.strip.or(request.selection.strip);
    request.selection.roots = root_names(&call.options.roots);
    request.preflight.describe = true;
    request.transaction = call.options.transaction;
    request.commands = call.options.commands.clone();
    request.preflight.policy = Arc::clone(&call.options.policy);
    request.approve = patch.approve;
    // A server runs for long: each call reads the configuration again.
    request.whitespace.git = call.options.git.as_ref().map(|git| Arc::new(git.renewed(git.directory())));
    if patch.lenient == Some(true) {
        let root = call.options.roots.last().map_or(&b"/"[..], |root| root.as_os_str().as_encoded_bytes());
        request.syntax.lenient = true;
        request.lenience = Some(Lenience { root: root.to_vec() });
    }
    request
}
