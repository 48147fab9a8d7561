//! The open edit sessions in the log.

use std::io;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::Op;
use super::log_text::{as_text, print_line, print_note};
use super::words::{format_time, text};
use crate::text::{lines, printable};
use crate::transaction::sessions::{Session, SessionFile};

/// An open edit session.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct LogSession {
    /// The identifier of the session.
    pub id: String,
    /// The time at which the session began, in RFC 3339 format.
    pub time: String,
    /// The note of the user. It can contain control characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The reason why the session cannot be used, if it is damaged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damage: Option<String>,
    /// The files that the session changes, sorted by name.
    pub files: Vec<LogSessionFile>,
}

/// One file of an edit session.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct LogSessionFile {
    /// The path of the file.
    pub path: String,
    /// The operation.
    pub op: Op,
    /// The change as a git diff. Only the log of a single session contains it.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_text")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub diff: Option<Vec<u8>>,
}

impl LogSession {
    /// Returns the entry of `session`, without diffs.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        Self {
            id: session.id.clone(),
            time: format_time(session.time),
            note: session.note.clone(),
            damage: session.damage.clone(),
            files: session.files.iter().map(LogSessionFile::of).collect(),
        }
    }

    /// Prints the session as text.
    ///
    /// # Errors
    ///
    /// Returns the error of `out`.
    pub fn print(&self, out: &mut dyn io::Write) -> io::Result<()> {
        let damage = if self.damage.is_some() {
            ", damaged"
        } else {
            ""
        };
        writeln!(
            out,
            "{} {} open edit session{damage}",
            printable(self.id.as_bytes()),
            self.time
        )?;
        if let Some(note) = &self.note {
            print_note(note, out)?;
        }
        for file in &self.files {
            writeln!(out, "  {} {}", file.op, printable(file.path.as_bytes()))?;
        }
        for diff in self.files.iter().filter_map(|file| file.diff.as_deref()) {
            lines(diff).try_for_each(|(_, line)| print_line(line, out))?;
        }
        Ok(())
    }
}

impl LogSessionFile {
    fn of(file: &SessionFile) -> Self {
        let op = match (&file.base, &file.new) {
            (None, _) if file.from.is_some() => Op::Rename,
            (None, _) => Op::Create,
            (Some(_), None) => Op::Delete,
            (Some(base), Some(new)) if base.digest == new.digest && base.kind == new.kind => {
                Op::Mode
            }
            (Some(_), Some(_)) => Op::Modify,
        };
        Self {
            path: text(file.path.as_bytes()),
            op,
            diff: None,
        }
    }
}
