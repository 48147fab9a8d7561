//! The history as data, and as text.

use std::io;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::text::print_kept;
use super::words::{text, time};
use super::{KeptReport, Op};
use crate::mode::FileKind;
use crate::path::RelPath;
use crate::text::{lines, printable, printable_line, without_ending};
use crate::transaction::history::{Chain, Entry, EntryFile, Fate, Old, Version};

/// The name and version of the shape of [`Log`].
pub const LOG_SCHEMA: &str = "wpatch.log/1";

/// The changes that the history keeps.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "wpatch log"))]
#[non_exhaustive]
pub struct Log {
    /// `wpatch.log/1`.
    pub schema: &'static str,
    /// Always true: a log that cannot be read is reported as any other command that fails.
    pub ok: bool,
    /// The entries, the newest first.
    pub entries: Vec<LogEntry>,
}

/// One change.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct LogEntry {
    /// Its name, for `wpatch undo` and `wpatch show`; names sort by time.
    pub id: String,
    /// When it began, as in RFC 3339.
    pub time: String,
    /// The command that made it.
    pub command: String,
    /// Whether it holds or was taken back.
    pub state: State,
    /// The entries that it takes back.
    pub undoes: Vec<String>,
    /// The entry that took it back.
    pub undone_by: Option<String>,
    /// `full`, or `partial` if the old contents of some file are not kept.
    pub coverage: Coverage,
    /// The plan that was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan_id: Option<String>,
    /// Why it was, in somebody's words, which may hold control characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The files that it changed, by name; that it would have changed, for a plan that was refused.
    pub files: Vec<LogFile>,
    /// The previous versions of files that a rollback could not put back.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<KeptReport>,
}

/// Whether a change holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum State {
    /// It holds.
    Committed,
    /// It was taken back.
    Undone,
    /// Its process died before it was committed, and what it had done was put back.
    Aborted,
    /// It is no change: somebody refused a plan.
    Rejected,
    /// Nothing is known of it, because its record cannot be read.
    Damaged,
}

/// Whether everything can be taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Coverage {
    /// It can.
    Full,
    /// Not all of it.
    Partial,
}

/// One file of a change.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct LogFile {
    /// The file.
    pub path: String,
    /// The other file of a rename.
    pub from: Option<String>,
    /// What was done.
    pub op: Op,
    /// What was there before; null if nothing was.
    pub before: Option<LogVersion>,
    /// What was there afterwards; null if nothing was.
    pub after: Option<LogVersion>,
    /// Whether the old contents are not kept.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub lost: bool,
    /// What was changed, as a git diff; only for `wpatch show`, and while both versions can be
    /// found.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_text")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub diff: Option<Vec<u8>>,
    /// Why neither digests nor what was changed are shown: policy closes the file for reading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub withheld: Option<String>,
}

/// One version of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct LogVersion {
    /// Digest of its contents, or of the target of a link, by XXH3 with 128 bits; left out of a
    /// file that is closed for reading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub xxh3: Option<String>,
    /// Size in bytes.
    pub size: u64,
    /// Permission bits in octal, where they are known; a link has none.
    pub mode: Option<String>,
    /// `file` or `link`.
    pub file_type: &'static str,
}

impl Log {
    /// Returns the log of `shown`, which are some of `all`; `diff` finds what they changed, or says
    /// why neither that nor a digest is to be seen.
    pub fn of<'e>(
        all: &'e [Entry],
        shown: impl IntoIterator<Item = &'e Entry>,
        diff: impl Fn(&Entry, &EntryFile) -> Result<Option<Vec<u8>>, String>,
    ) -> Self {
        let chain = Chain::of(all);
        let entries = shown
            .into_iter()
            .map(|entry| LogEntry::of(entry, &chain, &diff))
            .collect();
        Self {
            schema: LOG_SCHEMA,
            ok: true,
            entries,
        }
    }

    /// Prints it for people.
    ///
    /// # Errors
    ///
    /// Returns the error of `out`.
    pub fn print(&self, out: &mut dyn io::Write) -> io::Result<()> {
        for entry in &self.entries {
            let state = match entry.state {
                State::Committed | State::Rejected => "",
                State::Undone => ", undone",
                State::Aborted => ", put back",
                State::Damaged => "its record is damaged",
            };
            writeln!(
                out,
                "{} {} {}{state}",
                entry.id,
                entry.time,
                printable(entry.command.as_bytes())
            )?;
            if let Some(plan) = &entry.plan_id {
                writeln!(out, "  {}", printable(plan.as_bytes()))?;
            }
            if let Some(reason) = &entry.reason {
                reason.lines().try_for_each(|line| {
                    writeln!(out, "  because: {}", printable(line.as_bytes()))
                })?;
            }
            for file in &entry.files {
                let path = |path: &str| printable(path.as_bytes()).to_string();
                let from = file
                    .from
                    .as_deref()
                    .map_or_else(String::new, |from| format!("{} => ", path(from)));
                let lost = if file.lost {
                    " (old contents not kept)"
                } else {
                    ""
                };
                let withheld = file
                    .withheld
                    .as_deref()
                    .map(|why| format!(" (contents not shown: {})", path(why)));
                let withheld = withheld.unwrap_or_default();
                writeln!(
                    out,
                    "  {} {from}{}{lost}{withheld}",
                    file.op,
                    path(&file.path)
                )?;
            }
            entry
                .kept
                .iter()
                .try_for_each(|kept| print_kept(kept, out))?;
            for diff in entry.files.iter().filter_map(|file| file.diff.as_deref()) {
                lines(diff).try_for_each(|(_, line)| print_line(line, out))?;
            }
        }
        Ok(())
    }
}

/// Prints a line of a diff; programs that read it need its line ending.
fn print_line(line: &[u8], out: &mut dyn io::Write) -> io::Result<()> {
    let text = without_ending(line);
    write!(out, "{}", printable_line(text))?;
    out.write_all(&line[text.len()..])
}

#[allow(clippy::ref_option, reason = "the shape that serde calls")]
fn as_text<S: Serializer>(diff: &Option<Vec<u8>>, serializer: S) -> Result<S::Ok, S::Error> {
    diff.as_deref().map(text).serialize(serializer)
}

impl LogEntry {
    fn of(
        entry: &Entry,
        chain: &Chain<'_>,
        diff: impl Fn(&Entry, &EntryFile) -> Result<Option<Vec<u8>>, String>,
    ) -> Self {
        // What was taken back is in the tree again.
        let is_lost = |file: &EntryFile| file.old == Old::Lost && chain.is_head(entry);
        let is_undone =
            !chain.is_head(entry) && Chain::holds(chain.head(entry)) != Chain::holds(entry);
        let file = |file: &EntryFile| {
            let told = LogFile {
                lost: is_lost(file),
                ..LogFile::of(entry, file)
            };
            match diff(entry, file) {
                Ok(diff) => LogFile { diff, ..told },
                Err(why) => told.withheld(why),
            }
        };
        let refused = entry
            .rejection
            .iter()
            .flat_map(|refusal| &refusal.files)
            .filter_map(LogFile::refused);
        let is_moved_away =
            |file: &&EntryFile| file.after.is_none() && matches!(file.old, Old::MovedTo(_));
        Self {
            id: entry.id.clone(),
            time: time(entry.time),
            command: entry.label.command.clone(),
            state: match entry.fate {
                Fate::Damaged => State::Damaged,
                Fate::Aborted => State::Aborted,
                Fate::Rejected => State::Rejected,
                Fate::Committed if is_undone => State::Undone,
                Fate::Committed => State::Committed,
            },
            undoes: entry.label.undoes.clone(),
            undone_by: chain.undone_by(entry).map(|by| by.id.clone()),
            coverage: if entry.fate == Fate::Damaged || entry.files.iter().any(is_lost) {
                Coverage::Partial
            } else {
                Coverage::Full
            },
            plan_id: entry.rejection.as_ref().map(|refusal| refusal.plan.clone()),
            reason: entry
                .rejection
                .as_ref()
                .and_then(|refusal| refusal.reason.clone()),
            files: entry
                .files
                .iter()
                .filter(|file| !is_moved_away(file))
                .map(file)
                .chain(refused)
                .collect(),
            kept: entry.kept.iter().map(KeptReport::of).collect(),
        }
    }
}

impl LogFile {
    /// Returns a file of a plan that was refused: what would have been done, and the file.
    fn refused((op, path): &(String, String)) -> Option<Self> {
        let op = Op::ALL.into_iter().find(|known| known.to_string() == *op)?;
        Some(Self {
            path: path.clone(),
            from: None,
            op,
            before: None,
            after: None,
            lost: false,
            diff: None,
            withheld: None,
        })
    }

    /// Returns it without what tells of contents.
    fn withheld(self, why: String) -> Self {
        let [before, after] =
            [self.before, self.after].map(|side| side.map(LogVersion::without_digest));
        Self {
            before,
            after,
            withheld: Some(why),
            ..self
        }
    }

    fn of(entry: &Entry, file: &EntryFile) -> Self {
        let source = file.from.as_ref().and_then(|from| entry.file(from));
        let before = source.map_or(file.before, |source| source.before);
        let op = match (source, before, file.after) {
            (Some(_), ..) => Op::Rename,
            (None, None, _) => Op::Create,
            (None, Some(_), None) => Op::Delete,
            (None, Some(before), Some(after))
                if before.digest == after.digest && before.kind == after.kind =>
            {
                Op::Mode
            }
            _ => Op::Modify,
        };
        let name = |path: &RelPath| text(path.as_bytes());
        Self {
            path: name(&file.path),
            from: source.map(|source| name(&source.path)),
            op,
            before: before.map(LogVersion::of),
            after: file.after.map(LogVersion::of),
            lost: false,
            diff: None,
            withheld: None,
        }
    }
}

impl LogVersion {
    fn without_digest(self) -> Self {
        Self { xxh3: None, ..self }
    }

    fn of(version: Version) -> Self {
        let is_link = version.kind == FileKind::Symlink;
        Self {
            xxh3: Some(version.digest.to_string()),
            size: version.size,
            mode: version
                .permissions
                .filter(|_| !is_link)
                .map(|bits| format!("{bits:04o}")),
            file_type: if is_link { "link" } else { "file" },
        }
    }
}
