//! The history as data and as text.

use std::io;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::log_session::LogSession;
use super::log_text::{as_text, print_line, print_note, print_origin};
use super::log_version::LogVersion;
use super::text::print_kept;
use super::words::{format_time, text};
use super::{KeptFileReport, Op, RootReport};
use crate::path::RelPath;
use crate::text::{lines, printable};
use crate::transaction::audit::{ChangeOrigin, HunkReason};
use crate::transaction::history::{
    EntryFile, EntryRoot, EntryStatus, HistoryEntry, OldContentLocation, UndoChain,
};

/// The name and version of the JSON format of [`Log`].
pub const LOG_SCHEMA: &str = "wpatch.log/1";

/// The changes in the history.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "wpatch log"))]
#[non_exhaustive]
pub struct Log {
    /// `wpatch.log/1`.
    pub schema: &'static str,
    /// Always true. If the history cannot be read, the command prints an error report instead.
    pub ok: bool,
    /// The entries, newest first.
    pub entries: Vec<LogEntry>,
    /// The open edit sessions, newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sessions: Vec<LogSession>,
}

/// One change.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct LogEntry {
    /// The identifier of the entry. Identifiers sort by time.
    pub id: String,
    /// The time at which the change began, in RFC 3339 format.
    pub time: String,
    /// The command that made the change.
    pub command: String,
    /// Whether the change is in effect or was undone.
    pub state: State,
    /// The entries that this entry undoes.
    pub undoes: Vec<String>,
    /// The entry that undid this one.
    pub undone_by: Option<String>,
    /// `full`, or `partial` if the old content of some file was not kept.
    pub coverage: Coverage,
    /// The plan, its approval and its origin. Changes of older versions have none.
    #[serde(flatten)]
    pub origin: ChangeOrigin,
    /// The reason for the rejection, in the user's words. It can contain control characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The edit session that the change committed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The note of that session, in the user's words. It can contain control characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The reasons for the rejection of single hunks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hunks: Vec<HunkReason>,
    /// The roots of a change of several. Undoing the entry undoes the change in all of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub roots: Vec<RootReport>,
    /// The changed files, sorted by name. For a rejection: the files that the plan would change.
    pub files: Vec<LogFile>,
    /// The previous versions of files that a rollback could not restore.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<KeptFileReport>,
}

/// The state of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum State {
    /// The change is in effect.
    Committed,
    /// The change was undone.
    Undone,
    /// The process died before the commit record, and the change was rolled back.
    Aborted,
    /// The entry records the rejection of a plan, not a change.
    Rejected,
    /// The record cannot be read.
    Damaged,
}

impl State {
    fn of(status: EntryStatus, is_undone: bool) -> Self {
        match status {
            EntryStatus::Damaged => Self::Damaged,
            EntryStatus::Aborted => Self::Aborted,
            EntryStatus::Rejected => Self::Rejected,
            EntryStatus::Committed if is_undone => Self::Undone,
            EntryStatus::Committed => Self::Committed,
        }
    }
}

/// Whether all files of a change can be undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Coverage {
    /// All files can be undone.
    Full,
    /// Some files cannot be undone.
    Partial,
}

/// One file of a change.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct LogFile {
    /// The path of the file.
    pub path: String,
    /// The source of a rename.
    pub from: Option<String>,
    /// The operation.
    pub op: Op,
    /// The version before the change; null for a new file.
    pub before: Option<LogVersion>,
    /// The version after the change; null for a deleted file.
    pub after: Option<LogVersion>,
    /// Whether the old content was not kept.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub lost: bool,
    /// The change as a git diff. Only the entry of a single change contains it, and only while both
    /// versions are available.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_text")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub diff: Option<Vec<u8>>,
    /// The reason why the digests and the diff are omitted: policy denies reading the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub withheld: Option<String>,
}

impl Log {
    /// Returns the log of the entries `shown`, a subset of `all`.
    ///
    /// `diff` returns the diff of a file, or the reason why its digests and diff must be omitted.
    pub fn of<'e>(
        all: &'e [HistoryEntry],
        shown: impl IntoIterator<Item = &'e HistoryEntry>,
        diff: impl Fn(&HistoryEntry, &EntryFile) -> Result<Option<Vec<u8>>, String>,
    ) -> Self {
        let chain = UndoChain::of(all);
        let entries = shown
            .into_iter()
            .map(|entry| LogEntry::of(entry, &chain, &diff))
            .collect();
        Self {
            schema: LOG_SCHEMA,
            ok: true,
            entries,
            sessions: Vec::new(),
        }
    }

    /// Returns the log with the open edit sessions `sessions`.
    #[must_use]
    pub fn with_sessions(self, sessions: Vec<LogSession>) -> Self {
        Self { sessions, ..self }
    }

    /// Prints the log as text.
    ///
    /// # Errors
    ///
    /// Returns the error of `out`.
    pub fn print(&self, out: &mut dyn io::Write) -> io::Result<()> {
        self.sessions
            .iter()
            .try_for_each(|session| session.print(out))?;
        self.entries.iter().try_for_each(|entry| entry.print(out))
    }
}

impl LogEntry {
    /// Prints the entry as text.
    ///
    /// # Errors
    ///
    /// Returns the error of `out`.
    pub fn print(&self, out: &mut dyn io::Write) -> io::Result<()> {
        let state = match self.state {
            State::Committed | State::Rejected => "",
            State::Undone => ", undone",
            State::Aborted => ", rolled back",
            State::Damaged => "damaged record",
        };
        writeln!(
            out,
            "{} {} {}{state}",
            self.id,
            self.time,
            printable(self.command.as_bytes())
        )?;
        print_origin(&self.origin, self.state == State::Rejected, out)?;
        if let Some(reason) = &self.reason {
            reason
                .lines()
                .try_for_each(|line| writeln!(out, "  because: {}", printable(line.as_bytes())))?;
        }
        if let Some(note) = &self.note {
            print_note(note, out)?;
        }
        for HunkReason { hunk, reason, .. } in &self.hunks {
            let line = format!("{hunk}: {reason}");
            writeln!(out, "  because: {}", printable(line.as_bytes()))?;
        }
        self.roots.iter().try_for_each(|root| root.print(out))?;
        for file in &self.files {
            let path = |path: &str| printable(path.as_bytes()).to_string();
            let from = file
                .from
                .as_deref()
                .map_or_else(String::new, |from| format!("{} => ", path(from)));
            let lost = if file.lost {
                " (previous content not kept)"
            } else {
                ""
            };
            let withheld = file
                .withheld
                .as_deref()
                .map(|why| format!(" (content not shown: {})", path(why)));
            let withheld = withheld.unwrap_or_default();
            writeln!(
                out,
                "  {} {from}{}{lost}{withheld}",
                file.op,
                path(&file.path)
            )?;
        }
        self.kept
            .iter()
            .try_for_each(|kept| print_kept(kept, out))?;
        for diff in self.files.iter().filter_map(|file| file.diff.as_deref()) {
            lines(diff).try_for_each(|(_, line)| print_line(line, out))?;
        }
        Ok(())
    }
}

fn root_report(root: &EntryRoot) -> RootReport {
    RootReport::new(text(root.name.as_bytes()), text(&root.location))
}

impl LogEntry {
    fn of(
        entry: &HistoryEntry,
        chain: &UndoChain<'_>,
        diff: impl Fn(&HistoryEntry, &EntryFile) -> Result<Option<Vec<u8>>, String>,
    ) -> Self {
        // After an undo the old content is in the tree again, so it is not lost.
        let is_lost =
            |file: &EntryFile| file.old_content == OldContentLocation::Lost && chain.is_head(entry);
        let is_undone = !chain.is_head(entry)
            && UndoChain::is_change(chain.head(entry)) != UndoChain::is_change(entry);
        let file = |file: &EntryFile| {
            let told = LogFile {
                lost: is_lost(file),
                ..LogFile::of(entry, file)
            };
            match diff(entry, file) {
                Ok(diff) => LogFile { diff, ..told },
                Err(why) => told.withhold(why),
            }
        };
        let rejection = entry.rejection.as_ref();
        let refused = rejection
            .iter()
            .flat_map(|refusal| &refusal.files)
            .filter_map(LogFile::of_rejected);
        // The history has two files for a rename. The entry of the target names the source.
        let is_moved_away = |file: &&EntryFile| {
            file.after.is_none() && matches!(file.old_content, OldContentLocation::MovedTo(_))
        };
        Self {
            id: entry.id.clone(),
            time: format_time(entry.time),
            command: entry.label.command.clone(),
            state: State::of(entry.status, is_undone),
            undoes: entry.label.undoes.clone(),
            undone_by: chain.undone_by(entry).map(|by| by.id.clone()),
            coverage: if entry.status == EntryStatus::Damaged || entry.files.iter().any(is_lost) {
                Coverage::Partial
            } else {
                Coverage::Full
            },
            origin: entry.origin.clone(),
            roots: entry.roots.iter().map(root_report).collect(),
            reason: rejection.and_then(|refusal| refusal.reason.clone()),
            session: entry.label.session.as_ref().map(|it| it.id.clone()),
            note: entry.label.session.as_ref().and_then(|it| it.note.clone()),
            hunks: rejection.map_or_else(Vec::new, |refusal| refusal.hunks.clone()),
            files: entry
                .files
                .iter()
                .filter(|file| !is_moved_away(file))
                .map(file)
                .chain(refused)
                .collect(),
            kept: entry.kept.iter().map(KeptFileReport::of).collect(),
        }
    }
}

impl LogFile {
    /// Returns a file of a rejected plan: the operation and the path.
    fn of_rejected((op, path): &(String, String)) -> Option<Self> {
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

    /// Returns the entry without the digests, with the reason `why`.
    fn withhold(self, why: String) -> Self {
        let [before, after] =
            [self.before, self.after].map(|side| side.map(LogVersion::without_digest));
        Self {
            before,
            after,
            withheld: Some(why),
            ..self
        }
    }

    fn of(entry: &HistoryEntry, file: &EntryFile) -> Self {
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
