//! The options that have no meaning in an edit session.

use crate::engine::request::Request;
use crate::preflight::{Problem, code};
use crate::workspace::Workspace;

/// The help for an option that only a change without a session has.
const AWAY: &str = "use it without a session";
/// The help for an option that `commit` also has.
const LATER: &str = "use it when you commit the session, or without a session";

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
            AWAY,
        ),
        (decide.reject, "--reject", AWAY),
        (decide.in_place, "--in-place", AWAY),
        (
            !commands.is_empty(),
            "a command (--before, --verify, --after)",
            LATER,
        ),
        (request.look.diagnostics.is_some(), "--diagnostics", LATER),
        (
            is_attributed,
            "an audit option (--actor, --by, --request-id, --sign-with)",
            LATER,
        ),
    ];
    let (_, name, help) = refused.into_iter().find(|(is_given, ..)| *is_given)?;
    Some(Problem {
        help: Some(help.to_owned()),
        ..Problem::new(
            &code::USAGE,
            format!("{name} is not possible in an edit session"),
        )
    })
}
