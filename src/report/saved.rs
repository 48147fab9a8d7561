//! A saved plan in a report.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

/// A saved plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct SavedReport {
    /// The `plan_id` of the plan. Eight of its hex digits suffice if no other saved plan begins
    /// with them.
    pub id: String,
    /// The time at which the plan expires, in RFC 3339 format.
    pub expires: String,
}
