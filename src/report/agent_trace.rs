//! The history as trace records of Agent Trace (`log --format agent-trace`).
//!
//! The specification is at <https://agent-trace.dev>. A record lists the lines that one change
//! wrote, and the kind of author.

use std::io;

use serde::Serialize;

use super::json;
use super::log::{LogEntry, LogFile, State};
use crate::digest::Sha256;
use crate::text::lines;
use crate::transaction::audit::ChangeOrigin;

/// The version of the specification.
const VERSION: &str = "0.1.0";
/// The limit on the length of a model's identifier, in characters.
const MAX_MODEL: usize = 250;

/// One trace record.
#[derive(Clone, Debug, Serialize)]
pub struct AgentTrace {
    version: &'static str,
    id: String,
    timestamp: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    vcs: Option<Vcs>,
    tool: Tool,
    files: Vec<TraceFile>,
    metadata: Metadata,
}

/// The revision to which the change was made.
#[derive(Clone, Debug, Serialize)]
struct Vcs {
    #[serde(rename = "type")]
    vcs_type: &'static str,
    revision: String,
}

/// The program that made the record.
#[derive(Clone, Debug, Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

/// The lines of one file.
#[derive(Clone, Debug, Serialize)]
struct TraceFile {
    path: String,
    conversations: [Conversation; 1],
}

/// Lines with the same author.
#[derive(Clone, Debug, Serialize)]
struct Conversation {
    contributor: Contributor,
    ranges: Vec<LineRange>,
}

/// The author.
#[derive(Clone, Debug, Serialize)]
struct Contributor {
    #[serde(rename = "type")]
    contributor_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    model_id: Option<String>,
}

/// Lines of the file after the change, counted from 1. The last line is included.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct LineRange {
    start_line: usize,
    end_line: usize,
    /// The digest of the bytes of the lines.
    content_hash: String,
}

/// The data that the specification has no field for.
#[derive(Clone, Debug, Serialize)]
struct Metadata {
    #[serde(rename = "dev.wpatch")]
    wpatch: WpatchMetadata,
}

/// The history entry.
#[derive(Clone, Debug, Serialize)]
struct WpatchMetadata {
    id: String,
    command: String,
    state: State,
    #[serde(flatten)]
    origin: ChangeOrigin,
}

impl AgentTrace {
    /// Returns the record of `entry`, which contains the diffs of its files. `revision` is the
    /// commit of the work tree. Returns `None` for an entry that changed nothing.
    #[must_use]
    pub fn of(entry: &LogEntry, revision: Option<&str>) -> Option<Self> {
        if !matches!(entry.state, State::Committed | State::Undone) {
            return None;
        }
        let contributor = Contributor::of(entry.origin.actor.as_deref());
        let files = entry.files.iter().filter(|file| file.after.is_some());
        let file = |file: &LogFile| TraceFile {
            path: file.path.clone(),
            conversations: [Conversation {
                contributor: contributor.clone(),
                ranges: file.diff.as_deref().map_or_else(Vec::new, written_lines),
            }],
        };
        Some(Self {
            version: VERSION,
            id: uuid_of(&entry.id),
            timestamp: entry.time.clone(),
            vcs: revision.map(|revision| Vcs {
                vcs_type: "git",
                revision: revision.to_owned(),
            }),
            tool: Tool {
                name: "wpatch",
                version: env!("CARGO_PKG_VERSION"),
            },
            files: files.map(file).collect(),
            metadata: Metadata {
                wpatch: WpatchMetadata {
                    id: entry.id.clone(),
                    command: entry.command.clone(),
                    state: entry.state,
                    origin: entry.origin.clone(),
                },
            },
        })
    }

    /// Prints the records, one per line.
    ///
    /// # Errors
    ///
    /// Returns the error of `out`.
    pub fn print_all(traces: &[Self], out: &mut dyn io::Write) -> io::Result<()> {
        traces.iter().try_for_each(|trace| json::print(trace, out))
    }
}

impl Contributor {
    /// Returns the author that `actor` states: its kind before the colon, and for `ai` the model.
    fn of(actor: Option<&str>) -> Self {
        let (kind, name) = actor.and_then(|actor| actor.split_once(':')).unzip();
        let known = ["human", "ai", "mixed"];
        let contributor_type = known.into_iter().find(|known| Some(*known) == kind);
        let is_model = |name: &&str| {
            matches!(contributor_type, Some("ai" | "mixed"))
                && !name.is_empty()
                && name.chars().count() <= MAX_MODEL
        };
        Self {
            contributor_type: contributor_type.unwrap_or("unknown"),
            model_id: name.filter(is_model).map(str::to_owned),
        }
    }
}

/// Returns the lines that `diff`, a unified diff of one file, inserts.
fn written_lines(diff: &[u8]) -> Vec<LineRange> {
    let mut ranges = Vec::new();
    let mut text: Vec<u8> = Vec::new();
    // The next line of the new file, and the lines of the hunk that are left on each side.
    let (mut next, mut old_left, mut new_left) = (0, 0, 0);
    let mut close = |text: &mut Vec<u8>, next: usize| {
        if !text.is_empty() {
            let count = lines(text).count();
            ranges.push(LineRange {
                start_line: next - count,
                end_line: next - 1,
                content_hash: Sha256::of(text).to_string(),
            });
            text.clear();
        }
    };
    for (_, line) in lines(diff) {
        if old_left == 0 && new_left == 0 {
            close(&mut text, next);
            if let Some(hunk) = hunk_lines(line) {
                (old_left, next, new_left) = hunk;
            }
            continue;
        }
        match line.first() {
            Some(b'+') => {
                text.extend_from_slice(&line[1..]);
                (next, new_left) = (next + 1, new_left - 1);
            }
            Some(b'-') => old_left -= 1,
            Some(b'\\') => {}
            _ => {
                close(&mut text, next);
                (next, old_left, new_left) = (next + 1, old_left - 1, new_left - 1);
            }
        }
    }
    close(&mut text, next);
    ranges
}

/// Returns the number of old lines, the first new line and the number of new lines in the header of
/// a hunk.
fn hunk_lines(line: &[u8]) -> Option<(usize, usize, usize)> {
    let header = std::str::from_utf8(line).ok()?.strip_prefix("@@ -")?;
    let (old, new) = header.split_once(" @@")?.0.split_once(" +")?;
    let range = |text: &str| match text.split_once(',') {
        Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    };
    let ((_, old_count), (start, new_count)): ((usize, usize), (usize, usize)) =
        (range(old)?, range(new)?);
    Some((old_count, start, new_count))
}

/// Returns a UUID of version 8 for the history entry `id`.
fn uuid_of(id: &str) -> String {
    let digest = Sha256::of(format!("wpatch {id}").as_bytes()).to_string();
    let hex = digest.trim_start_matches("sha256:");
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    format!(
        "{}-{}-8{}-8{}-{}",
        part(0, 8),
        part(8, 12),
        part(12, 15),
        part(15, 18),
        part(18, 30)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inserted_lines_of_all_hunks_are_ranges() {
        let diff =
            b"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n+2b\n three\n\
            @@ -9 +10,2 @@ f()\n-++ x\n+--- y\n+z\n\\ No newline at end of file\n";
        let ranges: Vec<_> = written_lines(diff)
            .iter()
            .map(|range| (range.start_line, range.end_line))
            .collect();
        assert_eq!(ranges, [(2, 3), (10, 11)]);
        let digest = |text: &str| Sha256::of(text.as_bytes()).to_string();
        assert_eq!(written_lines(diff)[0].content_hash, digest("2\n2b\n"));
        assert_eq!(written_lines(b"Binary files a/a and b/a differ\n"), []);
    }

    #[test]
    fn the_author_is_of_the_kind_that_the_actor_states() {
        let of = |actor| {
            let contributor = Contributor::of(actor);
            (contributor.contributor_type, contributor.model_id)
        };
        let model = Some("anthropic/m".to_owned());
        assert_eq!(of(Some("ai:anthropic/m")), ("ai", model.clone()));
        assert_eq!(of(Some("mixed:anthropic/m")), ("mixed", model));
        assert_eq!(of(Some("human:alice")), ("human", None));
        let long = format!("ai:{}", "x".repeat(300));
        assert_eq!(of(Some(&long)), ("ai", None));
        for actor in [None, Some("alice"), Some("robot:x"), Some("ai")] {
            assert_eq!(of(actor), ("unknown", None), "{actor:?}");
        }
    }
}
