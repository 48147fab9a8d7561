//! What is known of a file before and after: its mode, its contents, its digests, in a report.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::digest::Sha256;
use crate::mode::FileMode;
use crate::preflight::{FileOutcome, Side};

/// The mode of a file as git writes it, before and after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct Modes {
    /// Before; null for a new file, or if it is not known.
    pub old: Option<&'static str>,
    /// After; null for a file that goes, or if it is not known.
    pub new: Option<&'static str>,
}

/// What is known of the contents of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct Contents {
    /// Name of the blob in git, by SHA-1.
    pub git_oid: String,
    /// Size in bytes.
    pub size: u64,
    /// `lf`, `crlf`, `mixed` or `none`.
    pub eol: &'static str,
    /// `utf-8` if it begins with a byte order mark.
    pub bom: Option<&'static str>,
    /// Whether the last line has a terminator.
    pub final_newline: bool,
    /// `utf-8`, `binary` or `unknown`.
    pub encoding: &'static str,
}

/// A file as tools for reviews know it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct Review {
    /// Numbers of lines.
    pub stats: LineStats,
    /// The contents before; null if there are none.
    pub pre: Option<Digested>,
    /// The contents after; null if there are none.
    pub post: Option<Digested>,
}

/// Numbers of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct LineStats {
    /// Lines added.
    pub additions: usize,
    /// Lines removed.
    pub deletions: usize,
}

/// Contents by their digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct Digested {
    /// As `sha256:HEX`.
    pub sha256: String,
}

/// What another file takes the place of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct Replaced {
    /// Its mode.
    pub mode: String,
    /// Digest of its contents, or of the target of a link.
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
        let digested = |side: &Option<Box<Side>>| side.as_deref().map(Digested::of);
        Self {
            stats,
            pre: digested(&outcome.before),
            post: digested(&outcome.after),
        }
    }
}

impl Replaced {
    pub(super) fn of((mode, sha256): (FileMode, Sha256)) -> Self {
        Self {
            mode: mode.to_string(),
            sha256: sha256.to_string(),
        }
    }
}

impl Digested {
    fn of(side: &Side) -> Self {
        Self {
            sha256: side.sha256.to_string(),
        }
    }
}

impl Contents {
    pub(super) fn of(side: &Side) -> Self {
        Self {
            git_oid: side.blob.clone(),
            size: side.size,
            eol: side.line_end,
            bom: side.has_bom.then_some("utf-8"),
            final_newline: side.has_final_newline,
            encoding: side.encoding,
        }
    }
}
