//! The values of the Language Server Protocol that a server sends.

use serde::Deserialize;
use serde_json::{Map, Value};

/// A diagnostic of a server at one place in a file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Diagnostic {
    pub(super) range: Range,
    /// 1 is an error, 2 a warning, 3 information, 4 a hint.
    pub(super) severity: Option<i32>,
    pub(super) code: Option<Code>,
    pub(super) source: Option<String>,
    pub(super) message: String,
    /// The remaining fields. Comparisons of two diagnostics include them.
    #[serde(flatten)]
    others: Map<String, Value>,
}

impl Diagnostic {
    /// Returns the URIs of the files in its related information.
    pub(super) fn related_uris(&self) -> impl Iterator<Item = &str> {
        let related = self
            .others
            .get("relatedInformation")
            .and_then(Value::as_array);
        related
            .into_iter()
            .flatten()
            .filter_map(|related| related["location"]["uri"].as_str())
    }
}

/// The rule of a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(untagged)]
pub(super) enum Code {
    Number(i32),
    Name(String),
}

/// The text between two positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Range {
    pub(super) start: Position,
    pub(super) end: Position,
}

/// A position in a text. Both numbers count from 0; `character` counts UTF-16 code units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Position {
    pub(super) line: u32,
    pub(super) character: u32,
}

/// The parameters of `textDocument/publishDiagnostics`.
#[derive(Deserialize)]
pub(super) struct PublishDiagnostics {
    pub(super) uri: String,
    pub(super) version: Option<i32>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// The response to `textDocument/diagnostic`.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(super) enum DocumentDiagnostics {
    Full { items: Vec<Diagnostic> },
    Unchanged {},
}
