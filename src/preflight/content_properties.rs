//! The properties of a file's content, for the report.

use crate::digest::Sha256;

/// The properties of a file's content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentProperties {
    /// The size in bytes.
    pub size: u64,
    /// The SHA-256 digest.
    pub sha256: Sha256,
    /// The other properties, if [`Options::describe`](super::Options::describe) is set.
    pub details: Option<ContentDetails>,
}

/// The properties of a file's content that only a report contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentDetails {
    /// The name of the blob in git (SHA-1).
    pub blob: String,
    /// `lf`, `crlf`, `mixed`, or `none` for a text without line endings.
    pub line_end: &'static str,
    /// Whether the content starts with the byte order mark of UTF-8.
    pub has_bom: bool,
    /// Whether the last line has a terminator.
    pub has_final_newline: bool,
    /// `utf-8`, `binary` for content that git treats as binary, or `unknown`.
    pub encoding: &'static str,
}
