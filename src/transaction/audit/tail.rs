//! The end of an audit file.

use super::chain::{LineFields, RecordKey};
use super::names::AUDIT_FILE;
use super::record::line_digest;
use crate::path::RelPath;
use crate::text::lines;
use crate::transaction::Failure;
use crate::transaction::failure::is_unreachable;
use crate::transaction::scratch::join;
use crate::workspace::{ErrorKind, Workspace};

/// The number of bytes that are read from the end of the file at first.
const END_LENGTH: u64 = 64 << 10;
/// Makes the audit file in `home` durable, if there is one.
pub(in crate::transaction) fn sync_file(
    workspace: &dyn Workspace,
    home: &RelPath,
) -> Result<(), Failure> {
    match workspace.sync(Some(&join(home, AUDIT_FILE)?)) {
        Err(error) if is_unreachable(error.kind) => Ok(()),
        Err(error) => Err(error.into()),
        // The file can be new.
        Ok(()) => Ok(workspace.sync(Some(home))?),
    }
}

/// Reads the end of the audit file in `home`.
pub(super) fn read_tail(workspace: &dyn Workspace, home: &RelPath) -> Result<Tail, Failure> {
    let path = join(home, AUDIT_FILE)?;
    let mut length = END_LENGTH;
    loop {
        let (bytes, stat) = match workspace.read_end(&path, length) {
            Err(error) if matches!(error.kind, ErrorKind::Missing | ErrorKind::NotDirectory) => {
                return Ok(Tail::default());
            }
            read => read?,
        };
        let is_whole = bytes.len() as u64 == stat.size;
        if let Some(tail) = Tail::parse(&bytes, is_whole) {
            return Ok(tail);
        }
        if is_whole {
            // The number of the damaged line is the number of lines.
            return Ok(Tail::of_damaged(&bytes));
        }
        length = if length < 1 << 24 {
            length * 4
        } else {
            u64::MAX
        };
    }
}

/// The end of an audit file.
#[derive(Clone, Debug, Default)]
pub(super) struct Tail {
    /// Whether the file exists.
    pub(super) exists: bool,
    /// The last complete record.
    pub(super) last: RecordKey,
    /// The bytes after the last line feed.
    pub(super) fragment: Vec<u8>,
}

impl Tail {
    /// Parses the end of a file. Returns `None` if `bytes` does not contain the whole last line, or
    /// if the line is damaged.
    fn parse(bytes: &[u8], is_whole: bool) -> Option<Self> {
        let fragment = memchr::memrchr(b'\n', bytes).map_or(0, |end| end + 1);
        let complete = &bytes[..fragment];
        let last = if complete.is_empty() {
            is_whole.then(RecordKey::default)?
        } else {
            let start = memchr::memrchr(b'\n', &complete[..complete.len() - 1]).map(|end| end + 1);
            let start = start.or(is_whole.then_some(0))?;
            let line = &complete[start..];
            let fields = LineFields::parse(line)?;
            RecordKey {
                seq: fields.seq,
                digest: Some(line_digest(line)),
                id: fields.id,
                is_damaged: false,
                needs_signature: fields.signed,
            }
        };
        Some(Self {
            exists: true,
            last,
            fragment: bytes[fragment..].to_vec(),
        })
    }

    /// Returns the end of the file `bytes`, whose last line is damaged.
    fn of_damaged(bytes: &[u8]) -> Self {
        let fragment = memchr::memrchr(b'\n', bytes).map_or(0, |end| end + 1);
        let all = lines(&bytes[..fragment]).map(|(_, line)| line);
        let (count, last) = all.fold((0, None), |(count, _), line| (count + 1, Some(line)));
        Self {
            exists: true,
            last: RecordKey {
                seq: count,
                digest: last.map(line_digest),
                id: String::new(),
                is_damaged: true,
                needs_signature: false,
            },
            fragment: bytes[fragment..].to_vec(),
        }
    }

    /// Returns whether the bytes after the last line feed are an incomplete append of `line`: its
    /// first bytes, and NUL bytes that a power loss left.
    pub(super) fn is_incomplete(&self, line: &[u8]) -> bool {
        let nul = self.fragment.iter().rev().take_while(|&&byte| byte == 0);
        let written = &self.fragment[..self.fragment.len() - nul.count()];
        self.fragment.len() <= line.len() && line.starts_with(written)
    }
}
