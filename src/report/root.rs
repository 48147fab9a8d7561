//! The roots of a command with several.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

/// A root with the name with which its paths begin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct RootReport {
    /// The name.
    pub name: String,
    /// The absolute path of the directory.
    pub path: String,
}

impl RootReport {
    /// Returns the root `name` at `path`.
    #[must_use]
    pub fn new(name: String, path: String) -> Self {
        Self { name, path }
    }
}
