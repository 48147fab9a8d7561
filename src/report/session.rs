//! The edit session of a command.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

/// An edit session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct SessionReport {
    /// The identifier of the session.
    pub id: String,
    /// The note that the user gave when the session began. It can contain control characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The number of files that the session changes.
    pub files: usize,
}
