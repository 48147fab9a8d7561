//! The approval of a change and the rejection of a plan in an audit record.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The approval of a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct Approval {
    /// How the change was approved.
    pub how: ApprovalMethod,
    /// The person who approved it, as the caller states it (`--by`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The rule of the policy that approves the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The time at which wpatch received the approval, in RFC 3339 format.
    #[serde(default)]
    pub time: String,
}

/// How a change was approved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ApprovalMethod {
    /// The request names the `plan_id` (`--approve`).
    PlanId,
    /// The user answered a question of the MCP server.
    Elicitation,
    /// A person decided in `review`.
    Review,
    /// A rule of the policy allows the change.
    Policy,
}

/// The reason for the rejection of a hunk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct HunkReason {
    /// The `id` of the hunk in the report of the check, such as `f1h2`, of lines of it: `f1h2:3-5`, or
    /// of the file: `f1`.
    pub hunk: String,
    /// The reason, in the user's words.
    pub reason: String,
}

impl Approval {
    /// Returns an approval. The record supplies the time.
    #[must_use]
    pub fn new(how: ApprovalMethod, by: Option<String>, rule: Option<String>) -> Self {
        Self {
            how,
            by,
            rule,
            time: String::new(),
        }
    }
}

impl HunkReason {
    /// Returns the reason for the rejection of the hunk or file with the `id` `hunk`.
    #[must_use]
    pub fn new(hunk: &str, reason: &str) -> Self {
        Self {
            hunk: hunk.to_owned(),
            reason: reason.to_owned(),
        }
    }
}
