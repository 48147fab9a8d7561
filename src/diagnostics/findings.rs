//! The result of the language servers for one change.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use super::difference::{TextDiagnostics, compare};
use super::document::{self, Document, DocumentRole};
use super::protocol::{Code, Diagnostic, Position};
use super::session::Session;
use super::uri;
use super::{NewErrors, Server};
use crate::path::{RelPath, below_root, path_bytes};

/// The maximum number of new diagnostics that are listed, and the maximum length of a message in
/// characters.
const MAX_DIAGNOSTICS: usize = 500;
const MAX_MESSAGE: usize = 4000;

/// The result of the language servers for one change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// The queried servers, in the order of the configuration.
    pub servers: Vec<ServerFindings>,
    /// The new diagnostics, sorted by severity.
    pub new: Vec<NewDiagnostic>,
    /// The number of new diagnostics that are not listed because of the limit.
    pub more: usize,
    /// The number of new errors, including errors that are not listed.
    pub errors: usize,
    /// The number of new errors of the servers whose errors deny a change.
    pub denied_errors: usize,
    /// The number of fixed diagnostics.
    pub fixed: usize,
    /// The number of new diagnostics that are omitted because they refer to protected content.
    /// [`Self::errors`] includes the errors among them.
    pub withheld: usize,
}

/// Returns whether the report may show the content of a file.
pub type PathFilter<'a> = &'a dyn Fn(&RelPath) -> bool;

/// The result of one server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerFindings {
    /// The name that the user gave the server.
    pub name: String,
    /// The version that the server reports.
    pub version: Option<String>,
    /// The number of files in the query.
    pub files: usize,
    /// The time that both queries took.
    pub duration: Duration,
    /// The reason why the server failed. The findings of a failed server are ignored.
    pub problem: Option<String>,
    /// The effect of new errors and of the failure of this server, if new errors are denied.
    pub new_errors: NewErrors,
}

/// The severity of a diagnostic, most severe first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum DiagnosticSeverity {
    /// An error. Also used if the server reports no severity.
    Error,
    /// A warning.
    Warning,
    /// Information.
    Information,
    /// A hint.
    Hint,
}

impl fmt::Display for DiagnosticSeverity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// A new diagnostic.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NewDiagnostic {
    /// The severity.
    pub severity: DiagnosticSeverity,
    /// The path of the file after the change.
    pub path: RelPath,
    /// The first line, counted from 1.
    pub line: usize,
    /// The first column, in bytes, counted from 1.
    pub column: usize,
    /// The last line, counted from 1.
    pub end_line: usize,
    /// The column after the last character, in bytes, counted from 1.
    pub end_column: usize,
    /// The rule, with the server's name for it.
    pub code: Option<String>,
    /// The server or tool that reports the diagnostic.
    pub source: Option<String>,
    /// The message.
    pub message: String,
    /// The name that the user gave the server.
    pub server: String,
}

impl Findings {
    /// Returns the result of `sessions` for `documents` below `root`.
    ///
    /// Diagnostics of other files are counted but not listed if `may_tell` returns false for the
    /// file.
    pub(super) fn of(
        root: &Path,
        documents: &[Document],
        sessions: Vec<Session>,
        may_tell: PathFilter<'_>,
    ) -> Self {
        let mut findings = Self::default();
        let is_changed = |document: &Document| document.role == DocumentRole::Changed;
        let may_tell = |path: &RelPath| {
            documents
                .iter()
                .any(|document| document.path == *path && is_changed(document))
                || may_tell(path)
        };
        for session in sessions {
            if session.problem.is_none() {
                findings.add(root, documents, &session, &may_tell);
            }
            findings.servers.push(ServerFindings {
                name: session.server.name.clone(),
                version: session.version,
                files: session.documents.len(),
                duration: session.duration,
                problem: session.problem,
                new_errors: session.server.new_errors,
            });
        }
        findings.new.sort_unstable();
        findings.errors += findings
            .new
            .partition_point(|found| found.severity == DiagnosticSeverity::Error);
        findings.more = findings.new.len().saturating_sub(MAX_DIAGNOSTICS);
        findings.new.truncate(MAX_DIAGNOSTICS);
        findings
    }

    fn add(
        &mut self,
        root: &Path,
        documents: &[Document],
        session: &Session,
        may_tell: PathFilter<'_>,
    ) {
        let is_told = |path: &RelPath, diagnostic: &Diagnostic| {
            // The message can quote text of the related files.
            let mut pointed = diagnostic
                .related_uris()
                .filter_map(|uri| path_below(root, uri));
            may_tell(path) && pointed.all(|path| may_tell(&path))
        };
        let (mut before, mut after) = (session.before.clone(), session.after.clone());
        for document in session.documents.iter().map(|&index| &documents[index]) {
            let [old, new] =
                [document.old_path(), &document.path].map(|path| document::uri(root, path));
            let (old, new) = (
                before.remove(&old).unwrap_or_default(),
                after.remove(&new).unwrap_or_default(),
            );
            let [old_text, new_text] = document.texts().map(Option::unwrap_or_default);
            let said = [
                TextDiagnostics {
                    text: old_text,
                    diagnostics: &old,
                },
                TextDiagnostics {
                    text: new_text,
                    diagnostics: &new,
                },
            ];
            self.compare(&session.server, &document.path, said, is_told);
        }
        // The text of files outside the query is unknown.
        for (uri, diagnostics) in &after {
            if let Some(path) = path_below(root, uri) {
                let old = before.remove(uri).unwrap_or_default();
                let said = [old.as_slice(), diagnostics].map(|diagnostics| TextDiagnostics {
                    text: "",
                    diagnostics,
                });
                self.compare(&session.server, &path, said, is_told);
            }
        }
        self.fixed += before
            .into_iter()
            .filter(|(uri, _)| path_below(root, uri).is_some())
            .map(|(_, gone)| gone.len())
            .sum::<usize>();
    }

    fn compare(
        &mut self,
        server: &Server,
        path: &RelPath,
        [before, after]: [TextDiagnostics<'_>; 2],
        is_told: impl Fn(&RelPath, &Diagnostic) -> bool,
    ) {
        let (new, fixed) = compare(before, after);
        for diagnostic in new {
            let found = NewDiagnostic::of(&server.name, path, after.text, diagnostic);
            let is_denied = found.severity == DiagnosticSeverity::Error
                && server.new_errors == NewErrors::Denied;
            self.denied_errors += usize::from(is_denied);
            if is_told(path, diagnostic) {
                self.new.push(found);
            } else {
                self.withheld += 1;
                self.errors += usize::from(found.severity == DiagnosticSeverity::Error);
            }
        }
        self.fixed += fixed;
    }
}

impl NewDiagnostic {
    fn of(server: &str, path: &RelPath, text: &str, diagnostic: &Diagnostic) -> Self {
        let (line, column) = line_and_column(text, diagnostic.range.start);
        let (end_line, end_column) = line_and_column(text, diagnostic.range.end);
        Self {
            severity: match diagnostic.severity {
                Some(2) => DiagnosticSeverity::Warning,
                Some(3) => DiagnosticSeverity::Information,
                Some(4) => DiagnosticSeverity::Hint,
                _ => DiagnosticSeverity::Error,
            },
            path: path.clone(),
            line,
            column,
            end_line,
            end_column,
            code: diagnostic.code.as_ref().map(|code| match code {
                Code::Number(number) => number.to_string(),
                Code::Name(name) => name.clone(),
            }),
            source: diagnostic.source.clone(),
            message: diagnostic.message.chars().take(MAX_MESSAGE).collect(),
            server: server.to_owned(),
        }
    }
}

/// Returns line and column of a position, both counted from 1.
///
/// The protocol counts both from 0, and columns in UTF-16 code units. If the text of the line is
/// unknown, the UTF-16 column is used as the byte column.
fn line_and_column(text: &str, position: Position) -> (usize, usize) {
    let number = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    let (line, units) = (number(position.line), number(position.character));
    let column = text.split('\n').nth(line).map_or(units, |text| {
        let mut left = units;
        let fits = |character: &char| {
            let is_before = left > 0;
            left = left.saturating_sub(character.len_utf16());
            is_before
        };
        text.chars().take_while(fits).map(char::len_utf8).sum()
    });
    (line.saturating_add(1), column.saturating_add(1))
}

/// Returns the path of the file `uri` relative to `root`; `None` if the file is not below `root`.
fn path_below(root: &Path, uri: &str) -> Option<RelPath> {
    let path = uri::to_path(uri)?;
    RelPath::new(below_root(&path_bytes(root), &path)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_bytes_whatever_the_protocol_counts() {
        let places = |text| {
            [0, 1, 2, 3, 9]
                .map(|character| line_and_column(text, Position { line: 1, character }).1)
        };
        assert_eq!(places("x\nabc\n"), [1, 2, 3, 4, 4]);
        assert_eq!(places("x\né😀z"), [1, 3, 7, 7, 8]);
        assert_eq!(
            line_and_column(
                "",
                Position {
                    line: u32::MAX,
                    character: u32::MAX
                }
            ),
            (1 << 32, 1 << 32)
        );
    }

    #[test]
    fn only_files_below_the_root_are_told_of() {
        let found = |uri| path_below(Path::new("/a b"), uri).map(|path| path.to_string());
        assert_eq!(found("file:///a%20b/c/d.py").as_deref(), Some("c/d.py"));
        assert_eq!(
            [
                found("file:///a%20bc/d"),
                found("file:///a%20b/../d"),
                found("file:///a%20b")
            ],
            [None, None, None]
        );
    }
}
