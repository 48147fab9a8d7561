//! What language servers said of the change.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::words::text;
use crate::diagnostics::{Findings, Found, Graveness, ServerFindings};
use crate::text::printable;

/// What language servers said of the change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct DiagnosticsReport {
    /// The servers that were asked.
    pub servers: Vec<ServerReport>,
    /// What the change brought, errors first, by file and line; at most 500.
    pub new: Vec<DiagnosticReport>,
    /// How many more it brought.
    pub more: usize,
    /// How many errors it brought.
    pub errors: usize,
    /// How many diagnostics it took away.
    pub fixed: usize,
    /// How many of what it brought are not told, because they are about files that policy closes
    /// for reading, or point to them. The errors among them count in `errors`.
    pub withheld: usize,
}

/// A language server that was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct ServerReport {
    /// What the user calls it.
    pub name: String,
    /// The version that it tells.
    pub version: Option<String>,
    /// How many files it was asked about.
    pub files: usize,
    /// How long that took, in milliseconds.
    pub duration_ms: u64,
    /// Why it was of no use. Nothing that it said counts then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// What a language server says of a place in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct DiagnosticReport {
    /// The file, under its name afterwards.
    pub path: String,
    /// Its first line, counted from 1, afterwards.
    pub line: usize,
    /// Its first column in bytes, counted from 1.
    pub column: usize,
    /// Its last line.
    pub end_line: usize,
    /// The column behind its last byte.
    pub end_column: usize,
    /// `error`, `warning`, `information` or `hint`.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub severity: Graveness,
    /// The rule, as the server calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Who says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// What is wrong.
    pub message: String,
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
    fn of(found: &Found) -> Self {
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
        }
    }

    /// Returns it as one line for people.
    ///
    /// # Security
    ///
    /// Whatever the server said is escaped.
    #[must_use]
    pub fn line(&self) -> String {
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
            severity: Graveness::Error,
            code: Some("x1".to_owned()),
            source: Some("Fake\x1b".to_owned()),
            message: "no\n  such\x07 name".to_owned(),
        };
        assert_eq!(
            found.line(),
            "a\\n.py:2:3: error: no such\\x07 name [Fake\\x1b x1]"
        );
        let plain = DiagnosticReport {
            source: None,
            code: None,
            message: "bad".to_owned(),
            ..found
        };
        assert_eq!(plain.line(), "a\\n.py:2:3: error: bad");
    }
}
