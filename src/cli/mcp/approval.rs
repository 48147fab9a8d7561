//! Asks the user to approve a change, if policy asks and the client can ask its user.
//!
//! Up to the protocol version 2025-11-25 the server sends a request for elicitation. Since
//! 2026-07-28 the server sends no requests: the result of the call contains the question, and the
//! client repeats the call with the answer.

use std::collections::BTreeMap;
use std::fmt::Write;

use rmcp::RoleServer;
use rmcp::model::{
    BooleanSchema, CancelledNotificationParam, ClientResult, ElicitRequest, ElicitRequestParams,
    ElicitResult, ElicitationAction, ElicitationSchema, InputRequest, InputRequiredResult,
    InputResponses, PrimitiveSchemaDefinition, ProtocolVersion, ServerRequest,
};
use rmcp::service::{PeerRequestOptions, RequestContext};

use crate::engine::ToolResult;

/// The name of the question, and of the property with the answer.
const APPROVE: &str = "approve";

/// The answer of the user.
pub(super) enum Answer {
    /// The user approves the plan with this identifier.
    Approved(String),
    /// The user does not approve, or cannot be asked.
    Refused,
    /// The client asks the user, and repeats the call.
    Question(InputRequiredResult),
    /// The call was cancelled. If the user was being asked, the question is withdrawn.
    Cancelled,
}

/// The answer in a repeated call.
pub(super) struct GivenAnswer {
    /// Whether the user was asked.
    pub(super) is_given: bool,
    /// The plan, if the user approves it.
    pub(super) approved_plan: Option<String>,
}

/// Returns the answer in a call. `state` is the identifier of the plan that the user was asked about.
pub(super) fn given_answer(
    responses: Option<&InputResponses>,
    state: Option<String>,
) -> GivenAnswer {
    let answer = responses.and_then(|responses| responses.get(APPROVE));
    let result = answer.and_then(|answer| serde_json::from_value(answer.clone()).ok());
    GivenAnswer {
        is_given: answer.is_some(),
        approved_plan: state.filter(|_| result.is_some_and(|result| is_approval(&result))),
    }
}

fn is_approval(result: &ElicitResult) -> bool {
    let content = result.content.as_ref();
    result.action == ElicitationAction::Accept
        && content.is_some_and(|content| content[APPROVE] == true)
}

/// Returns whether the client can ask its user with a form. A client that names no mode has forms.
pub(super) fn can_ask(context: &RequestContext<RoleServer>) -> bool {
    let modes = context
        .client_capabilities()
        .and_then(|capabilities| capabilities.elicitation);
    modes.is_some_and(|modes| modes.form.is_some() || modes.url.is_none())
}

/// Asks the user about the change that `checked` describes. `refused` contains the reason.
pub(super) async fn ask(
    checked: &ToolResult,
    refused: &ToolResult,
    context: &RequestContext<RoleServer>,
) -> Answer {
    let Some(plan) = checked.plan_id.clone().filter(|_| checked.ok) else {
        return Answer::Refused;
    };
    let question = ElicitRequest::new(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: question(checked, refused),
        requested_schema: schema(),
    });
    let is_new = |version: ProtocolVersion| version >= ProtocolVersion::V_2026_07_28;
    if context.protocol_version().is_some_and(is_new) {
        let requests = BTreeMap::from([(APPROVE.to_owned(), InputRequest::Elicitation(question))]);
        return Answer::Question(InputRequiredResult::new(Some(requests), Some(plan)));
    }
    let request = ServerRequest::ElicitRequest(question);
    let options = PeerRequestOptions::no_options();
    let sent = context.peer.send_cancellable_request(request, options);
    let Ok(handle) = sent.await else {
        return Answer::Refused;
    };
    let id = handle.id.clone();
    tokio::select! {
        answer = handle.await_response() => match answer {
            Ok(ClientResult::ElicitResult(result)) if is_approval(&result) => Answer::Approved(plan),
            _ => Answer::Refused,
        },
        () = context.ct.cancelled() => {
            let reason = "the call that needs the answer is cancelled".to_owned();
            let withdrawal = CancelledNotificationParam::new(Some(id), Some(reason));
            // A closed connection ends the service.
            let _ = context.peer.notify_cancelled(withdrawal).await;
            Answer::Cancelled
        }
    }
}

/// Returns the text of the question: why policy asks, and the change.
fn question(checked: &ToolResult, refused: &ToolResult) -> String {
    let mut text = String::new();
    for problem in &refused.problems {
        let path = problem.path.as_ref();
        let path = path.map_or_else(String::new, |path| format!("{path}: "));
        let _ = writeln!(text, "{path}{}", problem.message);
    }
    text + &checked.message
}

fn schema() -> ElicitationSchema {
    let approve = BooleanSchema::new().title("Approve the change");
    let properties = BTreeMap::from([(
        APPROVE.to_owned(),
        PrimitiveSchemaDefinition::Boolean(approve),
    )]);
    ElicitationSchema::new(properties).with_required(vec![APPROVE.to_owned()])
}
