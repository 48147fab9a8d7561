//! The document of a session.

use serde::{Deserialize, Serialize};

use super::{Session, SessionFile, StoredFile};
use crate::digest::Digest;
use crate::mode::{FileKind, FileMode};
use crate::path::RelPath;
use crate::policy::protecting_rule;
use crate::transaction::Failure;
use crate::transaction::change::hex_digest;
use crate::transaction::escape;
use crate::transaction::scratch::join;

/// The content of the document.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SessionDocument {
    note: Option<String>,
    revision: u64,
    next: u64,
    files: Vec<FileRecord>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileRecord {
    #[serde(with = "escape")]
    path: RelPath,
    base: Option<VersionRecord>,
    new: Option<VersionRecord>,
    /// The escaped path from which the file was moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct VersionRecord {
    /// Git's mode number.
    mode: u32,
    permissions: Option<u32>,
    #[serde(with = "hex_digest")]
    digest: Digest,
    /// The number of the content.
    content: u64,
}

impl SessionDocument {
    /// Returns the document of a session without changes.
    pub(super) fn new(note: Option<&str>) -> Self {
        Self {
            note: note.map(str::to_owned),
            ..Self::default()
        }
    }

    pub(super) fn of(session: &Session) -> Self {
        let files = session.files.iter().map(|file| FileRecord {
            path: file.path.clone(),
            base: file.base.as_ref().map(VersionRecord::of),
            new: file.new.as_ref().map(VersionRecord::of),
            from: file
                .from
                .as_ref()
                .map(|from| escape::escape(from.as_bytes()).into()),
        });
        Self {
            note: session.note.clone(),
            revision: session.revision,
            next: session.next,
            files: files.collect(),
        }
    }

    /// Returns the session `id` with this document and the directory `directory`. Returns `None` if
    /// the document contains a path or a value that no session contains.
    pub(super) fn into_session(
        self,
        id: String,
        directory: RelPath,
    ) -> Result<Option<Session>, Failure> {
        let mut files = Vec::with_capacity(self.files.len());
        for record in self.files {
            let from = match record.from.as_deref().map(escape::unescape) {
                Some(None) => return Ok(None),
                from => from.flatten(),
            };
            if protecting_rule(&record.path).is_some() {
                return Ok(None);
            }
            let version = |record: Option<VersionRecord>| match record {
                None => Ok(Some(None)),
                Some(record) => Ok::<_, Failure>(record.into_stored(&directory)?.map(Some)),
            };
            let (Some(base), Some(new)) = (version(record.base)?, version(record.new)?) else {
                return Ok(None);
            };
            files.push(SessionFile {
                path: record.path,
                base,
                new,
                from,
            });
        }
        let is_sorted = files.is_sorted_by(|a, b| a.path < b.path);
        let time = id
            .get(..10)
            .and_then(|hex| u64::from_str_radix(hex, 16).ok());
        Ok(is_sorted.then(|| Session {
            time: time.unwrap_or_default(),
            id,
            note: self.note,
            revision: self.revision,
            files,
            damage: None,
            directory,
            next: self.next,
        }))
    }
}

impl VersionRecord {
    fn of(file: &StoredFile) -> Self {
        Self {
            mode: file.mode.bits(),
            permissions: file.permissions,
            digest: file.digest,
            content: content_number(file.content.name()).unwrap_or_default(),
        }
    }

    fn into_stored(self, directory: &RelPath) -> Result<Option<StoredFile>, Failure> {
        let mode = FileMode::from_bits(self.mode).filter(|mode| mode.kind() != FileKind::Directory);
        let Some(mode) = mode.filter(|_| self.permissions.is_none_or(|bits| bits <= 0o7777)) else {
            return Ok(None);
        };
        Ok(Some(StoredFile {
            kind: mode.kind(),
            digest: self.digest,
            permissions: self.permissions,
            mode,
            content: join(directory, &content_name(self.content))?,
        }))
    }
}

/// The prefix of the names of contents.
const CONTENT_PREFIX: &str = "content-";

/// Returns the name of the content with the number `number`.
pub(super) fn content_name(number: u64) -> String {
    format!("{CONTENT_PREFIX}{number}")
}

/// Returns the number of the content with the name `name`.
pub(super) fn content_number(name: &[u8]) -> Option<u64> {
    let digits = std::str::from_utf8(name)
        .ok()?
        .strip_prefix(CONTENT_PREFIX)?;
    digits
        .parse()
        .ok()
        .filter(|number| content_name(*number).as_bytes() == name)
}
