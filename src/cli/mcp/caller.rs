//! The names of the client and of the call, for the audit record.

use rmcp::RoleServer;
use rmcp::service::RequestContext;
use serde_json::Value;

use crate::engine::Attribution;

/// The limit on the length of a name, in characters.
const MAX_NAME: usize = 100;

/// The names of the client and of the call, for the audit record.
#[derive(Clone, Default)]
pub(super) struct CallerNames {
    /// The name and the version of the client.
    client: Option<String>,
    /// The identifier of the request.
    request: String,
    /// The trace context of the request.
    traceparent: Option<String>,
}

impl CallerNames {
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Self {
        let client = context.peer.peer_info().map(|client| {
            let client = &client.client_info;
            recorded_text(&format!("ai:{}/{}", client.name, client.version))
        });
        Self {
            client,
            request: recorded_text(&context.id.to_string()),
            traceparent: context
                .meta
                .get("traceparent")
                .and_then(Value::as_str)
                .map(str::to_owned),
        }
    }

    /// Adds these names to `attribution`. The command line has precedence.
    pub(super) fn complete(&self, attribution: &Attribution) -> Attribution {
        let mut attribution = attribution.clone();
        attribution.actor = attribution.actor.or_else(|| self.client.clone());
        let request = || Some(self.request.clone());
        attribution.request_id = attribution.request_id.or_else(request);
        // The context of the request is more specific than the one of the server.
        attribution.traceparent = self.traceparent.clone().or(attribution.traceparent);
        attribution
    }
}

/// Returns `text` as an audit record can contain it: without control characters, and not too long.
fn recorded_text(text: &str) -> String {
    let plain = text.chars().filter(|character| !character.is_control());
    plain.take(MAX_NAME).collect()
}
