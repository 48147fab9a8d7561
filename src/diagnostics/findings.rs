//! What language servers said of a change.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use super::difference::{Said, difference};
use super::document::{self, Document};
use super::protocol::{Code, Diagnostic, Position};
use super::session::Session;
use super::uri;
use crate::path::RelPath;

/// Most new diagnostics that are told in full, and most characters of each message.
const MOST: usize = 500;
const MAX_MESSAGE: usize = 4000;

/// What language servers said of a change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// The servers that were asked, in the order in which the user names them.
    pub servers: Vec<ServerFindings>,
    /// What the change brought, the gravest first.
    pub new: Vec<Found>,
    /// How many more it brought.
    pub more: usize,
    /// How many errors it brought.
    pub errors: usize,
    /// How many diagnostics it took away.
    pub fixed: usize,
    /// How many of what it brought are left out, because they are about files that nobody may be
    /// told of. The errors among them count as such.
    pub withheld: usize,
}

/// Says whether the contents of a file may be told.
pub type Telling<'a> = &'a dyn Fn(&RelPath) -> bool;

/// What is known of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerFindings {
    /// What the user calls it.
    pub name: String,
    /// The version that it tells.
    pub version: Option<String>,
    /// How many files it was asked about.
    pub files: usize,
    /// How long that took.
    pub duration: Duration,
    /// Why it was of no use; nothing of what it said counts then.
    pub problem: Option<String>,
}

/// How grave a diagnostic is, the gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Graveness {
    /// Also where a server says nothing of it.
    Error,
    /// Less.
    Warning,
    /// Still less.
    Information,
    /// Hardly worth a word.
    Hint,
}

impl fmt::Display for Graveness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// A diagnostic that a change brought.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Found {
    /// How grave it is.
    pub severity: Graveness,
    /// The file afterwards.
    pub path: RelPath,
    /// Its first line, counted from 1.
    pub line: usize,
    /// Its first column, in bytes, counted from 1.
    pub column: usize,
    /// Its last line.
    pub end_line: usize,
    /// The column behind its last character.
    pub end_column: usize,
    /// The rule, as the server calls it.
    pub code: Option<String>,
    /// Who says so: the server, or a tool that it asks.
    pub source: Option<String>,
    /// What is wrong.
    pub message: String,
}

impl Findings {
    /// Returns what `sessions` found out about `documents` below `root`. What is about other files
    /// for which `may_tell` says no is only counted.
    pub(super) fn of(
        root: &Path,
        documents: &[Document],
        sessions: Vec<Session>,
        may_tell: Telling<'_>,
    ) -> Self {
        let mut findings = Self::default();
        let may_tell = |path: &RelPath| {
            documents.iter().any(|document| document.path == *path) || may_tell(path)
        };
        for session in sessions {
            if session.problem.is_none() {
                findings.add(root, documents, &session, &may_tell);
            }
            findings.servers.push(ServerFindings {
                name: session.server.name,
                version: session.version,
                files: session.documents.len(),
                duration: session.spent,
                problem: session.problem,
            });
        }
        findings.new.sort();
        findings.errors += findings
            .new
            .partition_point(|found| found.severity == Graveness::Error);
        findings.more = findings.new.len().saturating_sub(MOST);
        findings.new.truncate(MOST);
        findings
    }

    fn add(
        &mut self,
        root: &Path,
        documents: &[Document],
        session: &Session,
        may_tell: Telling<'_>,
    ) {
        let is_told = |path: &RelPath, diagnostic: &Diagnostic| {
            // The words may quote what they point to.
            let mut pointed = diagnostic.related_uris().filter_map(|uri| below(root, uri));
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
                Said {
                    text: old_text,
                    diagnostics: &old,
                },
                Said {
                    text: new_text,
                    diagnostics: &new,
                },
            ];
            self.compare(&document.path, said, is_told);
        }
        // Of files that were not asked about nobody knows the text.
        for (uri, diagnostics) in &after {
            if let Some(path) = below(root, uri) {
                let old = before.remove(uri).unwrap_or_default();
                let said = [old.as_slice(), diagnostics].map(|diagnostics| Said {
                    text: "",
                    diagnostics,
                });
                self.compare(&path, said, is_told);
            }
        }
        self.fixed += before
            .into_iter()
            .filter(|(uri, _)| below(root, uri).is_some())
            .map(|(_, gone)| gone.len())
            .sum::<usize>();
    }

    fn compare(
        &mut self,
        path: &RelPath,
        [before, after]: [Said<'_>; 2],
        is_told: impl Fn(&RelPath, &Diagnostic) -> bool,
    ) {
        let (new, fixed) = difference(before, after);
        for diagnostic in new {
            let found = Found::of(path, after.text, diagnostic);
            if is_told(path, diagnostic) {
                self.new.push(found);
            } else {
                self.withheld += 1;
                self.errors += usize::from(found.severity == Graveness::Error);
            }
        }
        self.fixed += fixed;
    }
}

impl Found {
    fn of(path: &RelPath, text: &str, diagnostic: &Diagnostic) -> Self {
        let (line, column) = place(text, diagnostic.range.start);
        let (end_line, end_column) = place(text, diagnostic.range.end);
        Self {
            severity: match diagnostic.severity {
                Some(2) => Graveness::Warning,
                Some(3) => Graveness::Information,
                Some(4) => Graveness::Hint,
                _ => Graveness::Error,
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
        }
    }
}

/// Returns line and column of a place, which the protocol counts from 0 and in units of UTF-16. In
/// a line that is not known they are taken for bytes.
fn place(text: &str, position: Position) -> (usize, usize) {
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

/// Returns the path below `root` of the file that `uri` names.
fn below(root: &Path, uri: &str) -> Option<RelPath> {
    let path = uri::path(uri)?;
    let root = root.as_os_str().as_encoded_bytes();
    let path = path
        .strip_prefix(root.strip_suffix(b"/").unwrap_or(root))?
        .strip_prefix(b"/")?;
    RelPath::new(path).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_bytes_whatever_the_protocol_counts() {
        let places =
            |text| [0, 1, 2, 3, 9].map(|character| place(text, Position { line: 1, character }).1);
        assert_eq!(places("x\nabc\n"), [1, 2, 3, 4, 4]);
        assert_eq!(places("x\né😀z"), [1, 3, 7, 7, 8]);
        assert_eq!(
            place(
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
        let found = |uri| below(Path::new("/a b"), uri).map(|path| path.to_string());
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
