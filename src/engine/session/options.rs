//! The options that have no meaning in an edit session.

use crate::engine::request::Request;
use crate::preflight::{Problem, code};
use crate::workspace::Workspace;

/// Returns a problem if an option of `request` has no meaning for the tree `workspace` of a session.
pub(in crate::engine) fn refuse_options(
    request: &Request,
    workspace: &dyn Workspace,
) -> Option<Problem> {
    workspace.layered()?;
    let (decide, commands) = (&request.decide, &request.commit.commands);
    let attribution = &request.commit.attribution;
    let is_attributed = attribution.actor.is_some()
        || attribution.by.is_some()
        || attribution.request_id.is_some()
        || attribution.sign_with.is_some();
    let refused = [
        (
            request.index_target().is_some(),
            "a change of git's index (--index, --cached)",
        ),
        (decide.reject, "--reject"),
        (decide.in_place, "--in-place"),
        (
            !commands.is_empty(),
            "a command (--before, --verify, --after)",
        ),
        (request.look.diagnostics.is_some(), "--diagnostics"),
        (
            is_attributed,
            "an audit option (--actor, --by, --request-id, --sign-with)",
        ),
    ];
    let (_, name) = refused.into_iter().find(|(is_given, _)| *is_given)?;
    Some(Problem {
        help: Some("use it when you commit the session, or without a session".to_owned()),
        ..Problem::new(
            &code::USAGE,
            format!("{name} is not possible in an edit session"),
        )
    })
}
