//! Facts about a file before and after the change: mode, content and digests.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::digest::Sha256;
use crate::mode::FileMode;
use crate::preflight::{ContentProperties, FileOutcome};

/// The mode of a file in git's notation, before and after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct Modes {
    /// The mode before; null for a new file or if it is unknown.
    pub old: Option<&'static str>,
    /// The mode after; null for a deleted file or if it is unknown.
    pub new: Option<&'static str>,
}

/// Facts about the content of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct Contents {
    /// The git object name of the blob (SHA-1).
    pub git_oid: String,
    /// The size in bytes.
    pub size: u64,
    /// `lf`, `crlf`, `mixed` or `none`.
    pub eol: &'static str,
    /// `utf-8` if the content begins with a byte order mark.
    pub bom: Option<&'static str>,
    /// Whether the last line has a terminator.
    pub final_newline: bool,
    /// `utf-8`, `binary` or `unknown`.
    pub encoding: &'static str,
}

/// Line counts and digests in the format of code review tools.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct Review {
    /// The line counts.
    pub stats: LineStats,
    /// The content before; null if there is none.
    pub pre: Option<ContentDigest>,
    /// The content after; null if there is none.
    pub post: Option<ContentDigest>,
}

/// Line counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct LineStats {
    /// The number of added lines.
    pub additions: usize,
    /// The number of removed lines.
    pub deletions: usize,
}

/// The digest of a content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct ContentDigest {
    /// The digest as `sha256:HEX`.
    pub sha256: String,
}

/// An existing file or link that is overwritten.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct OverwrittenFile {
    /// The mode.
    pub mode: String,
    /// The SHA-256 digest of the content, or of the target of a link.
    pub sha256: String,
}

impl Modes {
    pub(super) fn of((old, new): (Option<FileMode>, Option<FileMode>)) -> Self {
        Self {
            old: old.map(FileMode::digits),
            new: new.map(FileMode::digits),
        }
    }
}

impl Review {
    pub(super) fn of(outcome: &FileOutcome, stats: LineStats) -> Self {
        let digested =
            |side: &Option<Box<ContentProperties>>| side.as_deref().map(ContentDigest::of);
        Self {
            stats,
            pre: digested(&outcome.before),
            post: digested(&outcome.after),
        }
    }
}

impl OverwrittenFile {
    pub(super) fn of((mode, sha256): (FileMode, Sha256)) -> Self {
        Self {
            mode: mode.to_string(),
            sha256: sha256.to_string(),
        }
    }
}

impl ContentDigest {
    fn of(side: &ContentProperties) -> Self {
        Self {
            sha256: side.sha256.to_string(),
        }
    }
}

impl Contents {
    /// Returns `None` if the details of the content are unknown.
    pub(super) fn of(side: &ContentProperties) -> Option<Self> {
        let details = side.details.as_ref()?;
        Some(Self {
            git_oid: details.blob.clone(),
            size: side.size,
            eol: details.line_end,
            bom: details.has_bom.then_some("utf-8"),
            final_newline: details.has_final_newline,
            encoding: details.encoding,
        })
    }
}
