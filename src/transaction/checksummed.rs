//! Records with a checksum, such as the journal, so that damage is detected.

use std::io::{self, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::failure::check_interrupt;
use super::{Failure, Interrupt};
use crate::digest::{Digest, Hasher};
use crate::mode::Permissions;
use crate::path::RelPath;
use crate::workspace::{NewFile, Workspace};

/// The first word of a record with the checksum in its first line. The checksum covers everything
/// after that line.
pub(super) const MAGIC: &str = "wpatch.journal/1";
/// The first line of a record that is written in pieces. Its last line is the checksum of
/// everything before it.
const TRAILING_CHECKSUM_HEADER: &[u8] = b"wpatch.journal/2\n";
/// The length of a line with a checksum in bytes: 32 hex digits and a line feed.
const CHECKSUM_LINE_LENGTH: usize = 33;
/// The size in bytes from which a piece is written.
const PIECE_SIZE: usize = 1 << 16;

/// Returns `record` as text with a checksum.
pub(super) fn to_checksummed(record: &impl Serialize) -> Result<Vec<u8>, Failure> {
    let mut body = serde_json::to_vec(record).map_err(|error| json_failure(&error))?;
    body.push(b'\n');
    Ok([head(&body).as_bytes(), &body].concat())
}

/// Returns the first line of the record with this `body`.
fn head(body: &[u8]) -> String {
    format!("{MAGIC} {}\n", Digest::of(body))
}

/// Writes `record` with a checksum to the new file `path`, with mode 0600.
///
/// A long record is written in pieces and is never completely in memory.
///
/// # Errors
///
/// Returns the error of the workspace, and [`Failure::Interrupted`] after a signal. The file can
/// then be incomplete.
pub(super) fn write(
    record: &impl Serialize,
    workspace: &dyn Workspace,
    path: &RelPath,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let mut pieces = ChecksummedWriter {
        workspace,
        path,
        interrupt,
        piece: TRAILING_CHECKSUM_HEADER.to_vec(),
        digest: Hasher::default(),
        has_file: false,
        error: None,
    };
    let written = serde_json::to_writer(&mut pieces, record);
    if let Some(error) = pieces.error {
        return Err(error);
    }
    written.map_err(|error| json_failure(&error))?;
    pieces.piece.push(b'\n');
    // The checksum covers the last piece, so it is computed before the checksum line is appended.
    pieces.digest.update(&pieces.piece);
    let last = format!("{}\n", pieces.digest.digest());
    pieces.piece.extend_from_slice(last.as_bytes());
    pieces.write_piece()
}

/// A file that is written in pieces.
struct ChecksummedWriter<'a> {
    workspace: &'a dyn Workspace,
    path: &'a RelPath,
    interrupt: &'a Interrupt,
    /// The bytes not written yet.
    piece: Vec<u8>,
    /// The digest of all previous bytes.
    digest: Hasher,
    /// Whether the file exists.
    has_file: bool,
    /// The error that stopped the writing.
    error: Option<Failure>,
}

impl ChecksummedWriter<'_> {
    /// Writes the piece at the end of the file.
    fn write_piece(&mut self) -> Result<(), Failure> {
        check_interrupt(self.interrupt)?;
        if self.has_file {
            self.workspace.append(self.path, &self.piece)?;
        } else {
            self.workspace.create(
                self.path,
                NewFile::new(&[&self.piece], Permissions::Exact(0o600), None),
            )?;
        }
        self.has_file = true;
        self.piece.clear();
        Ok(())
    }
}

impl Write for ChecksummedWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.piece.extend_from_slice(bytes);
        if self.piece.len() >= PIECE_SIZE {
            self.digest.update(&self.piece);
            self.write_piece().map_err(|error| {
                self.error = Some(error);
                io::Error::other("BUG: the field contains the cause")
            })?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Parses a record in either form and checks its checksum. `text` was read from the file `name`, a
/// path as other programs use it.
pub(super) fn parse_checksummed<T: DeserializeOwned>(
    text: &[u8],
    name: &str,
) -> Result<T, Failure> {
    let body = if text.starts_with(TRAILING_CHECKSUM_HEADER) {
        body_before_checksum(text)
    } else {
        body_after_checksum(text)
    };
    serde_json::from_slice(body.ok_or_else(|| damaged_failure(name))?)
        .map_err(|_| damaged_failure(name))
}

/// Returns the body of a text with the checksum in its first line.
fn body_after_checksum(text: &[u8]) -> Option<&[u8]> {
    let (first, body) = text.split_at(memchr::memchr(b'\n', text)? + 1);
    (first == head(body).as_bytes()).then_some(body)
}

/// Returns the body of a text with the checksum in its last line.
fn body_before_checksum(text: &[u8]) -> Option<&[u8]> {
    let (before, last) = text.split_at(text.len().checked_sub(CHECKSUM_LINE_LENGTH)?);
    let body = before.strip_prefix(TRAILING_CHECKSUM_HEADER)?;
    (last == format!("{}\n", Digest::of(before)).as_bytes()).then_some(body)
}

fn json_failure(error: &serde_json::Error) -> Failure {
    Failure::State {
        reason: error.to_string(),
    }
}

pub(super) fn damaged_failure(name: &str) -> Failure {
    state_failure(
        name,
        "the journal is damaged; no file was changed; check the files that the interrupted command \
         changed, then move the journal away",
    )
}

pub(super) fn state_failure(name: &str, why: &str) -> Failure {
    Failure::State {
        reason: format!("{name}: {why}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::memory::Memory;

    fn path() -> RelPath {
        RelPath::new(b"j").unwrap()
    }

    fn written(record: &[String]) -> Vec<u8> {
        let memory = Memory::new();
        write(&record, &memory, &path(), Interrupt::never()).unwrap();
        memory.read(&path(), u64::MAX).unwrap().0.into_vec()
    }

    #[test]
    fn a_record_is_read_in_both_forms_whatever_its_length() {
        for count in [0, 1, PIECE_SIZE / 8 - 5, PIECE_SIZE / 4, PIECE_SIZE] {
            let record: Vec<String> = (0..count).map(|number| format!("{number:05}")).collect();
            assert_eq!(
                parse_checksummed::<Vec<String>>(&written(&record), "record")
                    .ok()
                    .as_ref(),
                Some(&record)
            );
            assert_eq!(
                parse_checksummed::<Vec<String>>(&to_checksummed(&record).unwrap(), "record")
                    .ok()
                    .as_ref(),
                Some(&record)
            );
        }
    }

    #[test]
    fn a_record_that_was_cut_or_changed_anywhere_is_damaged() {
        let record: Vec<String> = vec!["x".repeat(2 * PIECE_SIZE), "y".to_owned()];
        let text = written(&record);
        let ends = [
            0,
            1,
            TRAILING_CHECKSUM_HEADER.len(),
            CHECKSUM_LINE_LENGTH,
            100,
            PIECE_SIZE,
            PIECE_SIZE + TRAILING_CHECKSUM_HEADER.len(),
            2 * PIECE_SIZE,
            text.len() - 1,
        ];
        for end in ends {
            assert!(
                parse_checksummed::<Vec<String>>(&text[..end], "record").is_err(),
                "{end}"
            );
            let mut changed = text.clone();
            changed[end] ^= 1;
            assert!(
                parse_checksummed::<Vec<String>>(&changed, "record").is_err(),
                "{end}"
            );
        }
    }
}
