//! The reason why a text of the patch is not in the file.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::words::text;
use crate::matching::Lookalike;
use crate::preflight::MismatchCause;

/// A known reason why a text of the patch is not in the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct CauseReport {
    /// `line-ending`, `look-alike`, `encoding`, `markup` or `look-alike-name`.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub kind: CauseKind,
    /// The existing file whose name looks like the missing name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line of the file that contains the character, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The column of the character, counted from 1 in characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// The line ending, code points or markup in the patch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// The line ending, code points, encoding or kind of text in the file.
    pub found: String,
}

/// The kinds of reasons why a text of the patch is not in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CauseKind {
    /// The line endings differ.
    LineEnding,
    /// A character looks like another one.
    LookAlike,
    /// The encodings differ.
    Encoding,
    /// The patch text has markup.
    Markup,
    /// The name of an existing file looks like the missing name.
    LookAlikeName,
}

impl CauseReport {
    pub(super) fn of(cause: &MismatchCause) -> Self {
        match cause {
            MismatchCause::LineEnding { is_file_crlf: true } => {
                Self::new(CauseKind::LineEnding, Some("LF"), "CR LF")
            }
            MismatchCause::LineEnding {
                is_file_crlf: false,
            } => Self::new(CauseKind::LineEnding, Some("CR LF"), "LF"),
            MismatchCause::Lookalike(lookalike) => Self {
                line: Some(lookalike.line + 1),
                ..Self::lookalike(CauseKind::LookAlike, lookalike)
            },
            MismatchCause::Encoding(name) => Self::new(CauseKind::Encoding, None, name),
            MismatchCause::Markup(markup) => {
                Self::new(CauseKind::Markup, Some(markup.name()), "plain text")
            }
            MismatchCause::Name { path, lookalike } => Self {
                path: Some(text(path.as_bytes())),
                ..Self::lookalike(CauseKind::LookAlikeName, lookalike)
            },
        }
    }

    /// Returns a cause without a position.
    fn new(kind: CauseKind, expected: Option<&str>, found: &str) -> Self {
        Self {
            kind,
            path: None,
            line: None,
            column: None,
            expected: expected.map(str::to_owned),
            found: found.to_owned(),
        }
    }

    /// Returns the cause with the column and the characters of `lookalike`.
    fn lookalike(kind: CauseKind, lookalike: &Lookalike) -> Self {
        Self {
            column: Some(lookalike.column + 1),
            ..Self::new(kind, Some(&lookalike.expected), &lookalike.found)
        }
    }
}
