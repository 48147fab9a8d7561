//! The roots of a command with several.

use std::io;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::text::printable;

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

    /// Prints the root as a line of an entry of the log.
    pub(super) fn print(&self, out: &mut dyn io::Write) -> io::Result<()> {
        let [name, path] = [&self.name, &self.path].map(|text| printable(text.as_bytes()));
        writeln!(out, "  root {name}: {path}")
    }
}
