//! The results of `read` and `list`, as data and as text.

use std::io;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::symbols::ListedSymbol;
use super::words::{hex_if_lossy, text};
use crate::digest::Sha256;
use crate::mode::FileKind;
use crate::text::{
    BYTE_ORDER_MARK, count_lines, encode_base64, format_rfc3339, line_ending_kind, printable,
};

/// A file or a part of it.
///
/// Offsets and lines refer to the text in UTF-8 if an encoding was requested, else to the file
/// itself.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "wpatch read"))]
#[non_exhaustive]
pub struct Extract {
    /// `wpatch.read/1`.
    pub schema: &'static str,
    /// Always true. If the file cannot be read, the command prints an error report instead.
    pub ok: bool,
    /// The path of the file, with all links resolved.
    pub path: String,
    /// All bytes of the path as hex digits, if the path is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_hex: Option<String>,
    /// The size of the whole file in bytes.
    pub size: u64,
    /// The SHA-256 digest of the whole file. An edit can require this digest.
    pub sha256: String,
    /// The encoding of the file, if one was requested. Else `utf-8`, or `base64` if the bytes are
    /// not UTF-8 and `content` is encoded in base64.
    pub encoding: String,
    /// `lf`, `crlf`, `mixed` or `none`, for the whole file.
    pub eol: &'static str,
    /// Whether the file begins with a byte order mark. The mark of UTF-16 counts only if an
    /// encoding was requested.
    pub bom: bool,
    /// The number of lines of the whole file, including a last line without terminator.
    pub lines: usize,
    /// The first line of `content`, counted from 1.
    pub first_line: usize,
    /// The offset of `content` in bytes, counted from 0.
    pub offset: u64,
    /// The offset after `content`; null at the end of the file.
    pub next_offset: Option<u64>,
    /// Whether the file continues after `content`.
    pub truncated: bool,
    /// The number of shortened lines. Only for output by lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines_cut: Option<usize>,
    /// The tag of this version for hashline edits, if it was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// The symbol that was requested by its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<ListedSymbol>,
    /// The content.
    #[serde(serialize_with = "as_content")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub content: Vec<u8>,
}

impl Extract {
    /// Returns the facts about the file at `path`, still without content.
    ///
    /// `raw` are the bytes of the file, `text` is the same text in UTF-8.
    #[must_use]
    pub fn new(path: &[u8], raw: &[u8], text: &[u8]) -> Self {
        let has_mark = [BYTE_ORDER_MARK, b"\xff\xfe", b"\xfe\xff"]
            .iter()
            .any(|mark| raw.starts_with(mark));
        let is_marked = text.starts_with(BYTE_ORDER_MARK) || has_mark && text.len() != raw.len();
        Self {
            schema: "wpatch.read/1",
            ok: true,
            path: self::text(path),
            path_hex: hex_if_lossy(&path),
            size: raw.len() as u64,
            sha256: Sha256::of(raw).to_string(),
            encoding: String::new(),
            eol: line_ending_kind(text),
            bom: is_marked,
            lines: count_lines(text),
            first_line: 1,
            offset: 0,
            next_offset: None,
            truncated: false,
            lines_cut: None,
            tag: None,
            symbol: None,
            content: Vec::new(),
        }
    }

    /// Sets the position of the content: the bytes from `start` to `end` of a text of `whole`
    /// bytes.
    pub fn set_position(&mut self, start: usize, end: usize, whole: usize) {
        self.offset = start as u64;
        self.truncated = end < whole;
        self.next_offset = self.truncated.then_some(end as u64);
    }

    /// Sets the content. `encoding` is the encoding of the file, if it is known.
    pub fn set_content(&mut self, content: Vec<u8>, encoding: Option<String>) {
        self.encoding = match encoding {
            Some(encoding) if std::str::from_utf8(&content).is_ok() => encoding,
            _ => encoding_of(&content).to_owned(),
        };
        self.content = content;
    }
}

/// A directory.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "wpatch list"))]
#[non_exhaustive]
pub struct Listing {
    /// `wpatch.list/1`.
    pub schema: &'static str,
    /// Always true. If the directory cannot be listed, the command prints an error report instead.
    pub ok: bool,
    /// The path of the directory, with all links resolved; `.` for the root.
    pub path: String,
    /// All bytes of the path as hex digits, if the path is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_hex: Option<String>,
    /// The entries of the directory.
    pub entries: Vec<ListingEntry>,
    /// Whether entries were omitted because there are too many.
    pub truncated: bool,
}

/// One entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct ListingEntry {
    /// The name. For an entry of a subdirectory: the path relative to the listed directory.
    pub name: String,
    /// All bytes of the name as hex digits, if the name is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name_hex: Option<String>,
    /// The type of the entry. Links are not followed.
    #[serde(rename = "type")]
    pub kind: EntryType,
    /// The size in bytes. For a link, the length of its target. Null for other types.
    pub size: Option<u64>,
    /// The time of the last change of the content, in RFC 3339 format; null if RFC 3339 cannot
    /// represent it.
    pub modified: Option<String>,
}

/// The type of a directory entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EntryType {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// A symbolic link.
    Symlink,
    /// A FIFO, a socket or a device.
    Other,
}

impl Listing {
    /// Returns the listing of the directory at `path`.
    #[must_use]
    pub fn of(path: &[u8], entries: Vec<ListingEntry>, truncated: bool) -> Self {
        Self {
            schema: "wpatch.list/1",
            ok: true,
            path: text(path),
            path_hex: hex_if_lossy(&path),
            entries,
            truncated,
        }
    }

    /// Prints the listing as text: one entry per line, directories with a final `/`.
    ///
    /// # Errors
    ///
    /// Returns the error of `out`.
    pub fn print(&self, out: &mut dyn io::Write) -> io::Result<()> {
        for entry in &self.entries {
            let end = if entry.kind == EntryType::Dir {
                "/"
            } else {
                ""
            };
            writeln!(out, "{}{end}", printable(entry.name.as_bytes()))?;
        }
        Ok(())
    }
}

/// The last second of the year 9999, the last one that RFC 3339 can represent.
const MAX_RFC3339_SECONDS: u64 = 253_402_300_799;

impl ListingEntry {
    /// Returns the entry `name` of the type `kind`. `modified` is in seconds since 1970, `size` in
    /// bytes.
    #[must_use]
    pub fn new(name: &[u8], kind: FileKind, size: u64, modified: i64) -> Self {
        let kind = match kind {
            FileKind::Regular => EntryType::File,
            FileKind::Directory => EntryType::Dir,
            FileKind::Symlink => EntryType::Symlink,
            FileKind::Special => EntryType::Other,
        };
        let modified = u64::try_from(modified)
            .ok()
            .filter(|&seconds| seconds <= MAX_RFC3339_SECONDS);
        Self {
            name: text(name),
            name_hex: hex_if_lossy(&name),
            kind,
            size: matches!(kind, EntryType::File | EntryType::Symlink).then_some(size),
            modified: modified.map(format_rfc3339),
        }
    }
}

pub(super) fn encoding_of(content: &[u8]) -> &'static str {
    if std::str::from_utf8(content).is_ok() {
        "utf-8"
    } else {
        "base64"
    }
}

pub(super) fn as_content<S: Serializer>(content: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    match std::str::from_utf8(content) {
        Ok(text) => serializer.serialize_str(text),
        Err(_) => serializer.serialize_str(&encode_base64(content)),
    }
}
