//! The findings of language servers in a report.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::words::text;
use crate::diagnostics::{DiagnosticSeverity, Findings, NewDiagnostic, ServerFindings};
use crate::text::printable;

/// The findings of language servers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct DiagnosticsReport {
    /// The queried servers.
    pub servers: Vec<ServerReport>,
    /// The new diagnostics, errors first, then by file and line; at most 500.
    pub new: Vec<DiagnosticReport>,
    /// The number of new diagnostics that are not listed because of the limit.
    pub more: usize,
    /// The number of new errors.
    pub errors: usize,
    /// The number of fixed diagnostics.
    pub fixed: usize,
    /// The number of new diagnostics that are omitted because policy denies reading the file, or a
    /// file that they refer to. `errors` includes the errors among them.
    pub withheld: usize,
}

/// A queried language server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct ServerReport {
    /// The name that the user gave the server.
    pub name: String,
    /// The version that the server reports.
    pub version: Option<String>,
    /// The number of files in the query.
    pub files: usize,
    /// The duration of the query, in milliseconds.
    pub duration_ms: u64,
    /// The reason why the server failed. The findings of a failed server are ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// A diagnostic for one place in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct DiagnosticReport {
    /// The path of the file after the change.
    pub path: String,
    /// The first line after the change, counted from 1.
    pub line: usize,
    /// The first column in bytes, counted from 1.
    pub column: usize,
    /// The last line, counted from 1.
    pub end_line: usize,
    /// The column after the last byte, counted from 1.
    pub end_column: usize,
    /// `error`, `warning`, `information` or `hint`.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub severity: DiagnosticSeverity,
    /// The rule, with the server's name for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The server or tool that reports the diagnostic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The message.
    pub message: String,
    /// The name that the user gave the server.
    pub server: String,
}

impl DiagnosticsReport {
    pub(super) fn of(findings: &Findings) -> Self {
        Self {
            servers: findings.servers.iter().map(ServerReport::of).collect(),
            new: findings.new.iter().map(DiagnosticReport::of).collect(),
            more: findings.more,
            errors: findings.errors,
            fixed: findings.fixed,
            withheld: findings.withheld,
        }
    }
}

impl ServerReport {
    fn of(server: &ServerFindings) -> Self {
        Self {
            name: server.name.clone(),
            version: server.version.clone(),
            files: server.files,
            duration_ms: u64::try_from(server.duration.as_millis()).unwrap_or(u64::MAX),
            problem: server.problem.clone(),
        }
    }
}

impl DiagnosticReport {
    fn of(found: &NewDiagnostic) -> Self {
        Self {
            path: text(found.path.as_bytes()),
            line: found.line,
            column: found.column,
            end_line: found.end_line,
            end_column: found.end_column,
            severity: found.severity,
            code: found.code.clone(),
            source: found.source.clone(),
            message: found.message.clone(),
            server: found.server.clone(),
        }
    }

    /// Returns the diagnostic as one line of text.
    ///
    /// # Security
    ///
    /// The text of the server is escaped.
    #[must_use]
    pub fn to_text(&self) -> String {
        let rule: Vec<_> = [&self.source, &self.code]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect();
        let rule = if rule.is_empty() {
            String::new()
        } else {
            format!(" [{}]", rule.join(" "))
        };
        let message = self
            .message
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        let Self {
            path,
            line,
            column,
            severity,
            ..
        } = self;
        printable(format!("{path}:{line}:{column}: {severity}: {message}{rule}").as_bytes())
            .to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_for_people_is_one_line_without_escapes() {
        let found = DiagnosticReport {
            path: "a\n.py".to_owned(),
            line: 2,
            column: 3,
            end_line: 2,
            end_column: 4,
            severity: DiagnosticSeverity::Error,
            code: Some("x1".to_owned()),
            source: Some("Fake\x1b".to_owned()),
            message: "no\n  such\x07 name".to_owned(),
            server: "fake".to_owned(),
        };
        assert_eq!(
            found.to_text(),
            "a\\n.py:2:3: error: no such\\x07 name [Fake\\x1b x1]"
        );
        let plain = DiagnosticReport {
            source: None,
            code: None,
            message: "bad".to_owned(),
            ..found
        };
        assert_eq!(plain.to_text(), "a\\n.py:2:3: error: bad");
    }
}
