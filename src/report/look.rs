//! What `read`, `list` and `diff` found, as data and as text.

use std::io;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::words::{lossless, text};
use crate::digest::Sha256;
use crate::mode::FileKind;
use crate::text::{BYTE_ORDER_MARK, base64, line_end, printable, rfc3339};

/// A file, or a part of it.
///
/// Offsets and lines are those of the text in UTF-8 where an encoding was asked for, and else of
/// the file as it is.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "wpatch read"))]
#[non_exhaustive]
pub struct Extract {
    /// `wpatch.read/1`.
    pub schema: &'static str,
    /// Always true: a file that cannot be read is reported as any other command that fails.
    pub ok: bool,
    /// The file, without links on the way.
    pub path: String,
    /// All bytes of the path as hex digits, where it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_hex: Option<String>,
    /// Size of the whole file in bytes.
    pub size: u64,
    /// Digest of the whole file, for `--expect-hash`.
    pub sha256: String,
    /// The encoding that the file was read from, where one was asked for; else `utf-8`, or `base64`
    /// if `content` is that because the bytes are no text.
    pub encoding: String,
    /// `lf`, `crlf`, `mixed` or `none`, of the whole file.
    pub eol: &'static str,
    /// Whether the file begins with a byte order mark.
    pub bom: bool,
    /// How many lines the whole file has; a last one without line end counts.
    pub lines: usize,
    /// The line of the first byte that is given, counted from 1.
    pub first_line: usize,
    /// Where what is given begins, in bytes counted from 0.
    pub offset: u64,
    /// Where the file goes on; null at its end.
    pub next_offset: Option<u64>,
    /// Whether the file goes on behind what is given.
    pub truncated: bool,
    /// How many lines were cut to be shown; only where they are shown by lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines_cut: Option<usize>,
    /// The tag of this version in hashline edits, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// What is given.
    #[serde(serialize_with = "as_content")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub content: Vec<u8>,
}

impl Extract {
    /// Returns what is known of the file at `path`, of which nothing is given yet. `raw` is in it,
    /// `text` is that in UTF-8.
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
            path_hex: lossless(&path),
            size: raw.len() as u64,
            sha256: Sha256::of(raw).to_string(),
            encoding: String::new(),
            eol: line_end(text),
            bom: is_marked,
            lines: count_lines(text),
            first_line: 1,
            offset: 0,
            next_offset: None,
            truncated: false,
            lines_cut: None,
            tag: None,
            content: Vec::new(),
        }
    }

    /// Says that of a text of `whole` bytes those from `start` up to `end` are given.
    pub fn set_place(&mut self, start: usize, end: usize, whole: usize) {
        self.offset = start as u64;
        self.truncated = end < whole;
        self.next_offset = self.truncated.then_some(end as u64);
    }

    /// Gives `content`, which was read from `encoding` if that is known.
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
    /// Always true: a directory that cannot be listed is reported as any other command that fails.
    pub ok: bool,
    /// The directory, without links on the way; `.` for the root.
    pub path: String,
    /// All bytes of the path as hex digits, where it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_hex: Option<String>,
    /// What is in it.
    pub entries: Vec<ListingEntry>,
    /// Whether entries were left out because there are too many.
    pub truncated: bool,
}

/// One name in a directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct ListingEntry {
    /// The name; below the directory that is listed, with the directories between.
    pub name: String,
    /// All bytes of the name as hex digits, where it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name_hex: Option<String>,
    /// What it is. A link is not followed.
    #[serde(rename = "type")]
    pub kind: EntryType,
    /// Size in bytes, of a link the length of its target; null for what has no size of its own.
    pub size: Option<u64>,
    /// When the contents were last changed, as in RFC 3339; null for times that it has no words
    /// for.
    pub modified: Option<String>,
}

/// What a name stands for.
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
            path_hex: lossless(&path),
            entries,
            truncated,
        }
    }

    /// Prints it for people: one entry a line, directories with a final `/`.
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

/// The last second of the year 9999, behind which RFC 3339 has no name for a time.
const END: u64 = 253_402_300_799;

impl ListingEntry {
    /// Returns the entry of `name`, which is `kind`, was last changed at `modified` (seconds since
    /// 1970) and has `size` bytes.
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
            .filter(|&seconds| seconds <= END);
        Self {
            name: text(name),
            name_hex: lossless(&name),
            kind,
            size: matches!(kind, EntryType::File | EntryType::Symlink).then_some(size),
            modified: modified.map(rfc3339),
        }
    }
}

/// What tells one file from another.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "wpatch diff"))]
#[allow(clippy::struct_excessive_bools, reason = "the shape of the document")]
#[non_exhaustive]
pub struct Difference {
    /// `wpatch.diff/1`.
    pub schema: &'static str,
    /// Always true: files that cannot be compared are reported as any other command that fails.
    pub ok: bool,
    /// What the first file is called.
    pub label_a: String,
    /// What the second file is called.
    pub label_b: String,
    /// Whether the two have the same bytes.
    pub identical: bool,
    /// Whether one of them has binary data, so that there is no diff.
    pub binary: bool,
    /// Lines of the first file; a last one without line end counts.
    pub lines_a: usize,
    /// Lines of the second file.
    pub lines_b: usize,
    /// Lines that only the second file has.
    pub added: usize,
    /// Lines that only the first file has.
    pub removed: usize,
    /// Whether the diff was cut because it is long. It cannot be applied then.
    pub truncated: bool,
    /// `utf-8`, or `base64` if `diff` is that because the files are no text in UTF-8.
    pub encoding: &'static str,
    /// The diff; empty if the files are the same, and for binary data.
    #[serde(serialize_with = "as_content")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub diff: Vec<u8>,
}

impl Difference {
    /// Returns what two files have in common before they are compared line by line.
    #[must_use]
    pub fn new(labels: [&[u8]; 2], sides: [&[u8]; 2]) -> Self {
        Self {
            schema: "wpatch.diff/1",
            ok: true,
            label_a: text(labels[0]),
            label_b: text(labels[1]),
            identical: sides[0] == sides[1],
            binary: false,
            lines_a: count_lines(sides[0]),
            lines_b: count_lines(sides[1]),
            added: 0,
            removed: 0,
            truncated: false,
            encoding: "utf-8",
            diff: Vec::new(),
        }
    }

    /// Gives the diff.
    pub fn set_diff(&mut self, diff: Vec<u8>) {
        self.encoding = encoding_of(&diff);
        self.diff = diff;
    }

    /// Returns what stands for the diff where it is printed: of binary files, that they differ.
    #[must_use]
    pub fn printed(&self) -> Vec<u8> {
        if self.binary && !self.identical {
            let name = |label: &str| printable(label.as_bytes()).to_string();
            return format!(
                "Binary files {} and {} differ\n",
                name(&self.label_a),
                name(&self.label_b)
            )
            .into();
        }
        self.diff.clone()
    }
}

fn count_lines(text: &[u8]) -> usize {
    let is_open = text.last().is_some_and(|&byte| byte != b'\n');
    memchr::memchr_iter(b'\n', text).count() + usize::from(is_open)
}

fn encoding_of(content: &[u8]) -> &'static str {
    if std::str::from_utf8(content).is_ok() {
        "utf-8"
    } else {
        "base64"
    }
}

fn as_content<S: Serializer>(content: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    match std::str::from_utf8(content) {
        Ok(text) => serializer.serialize_str(text),
        Err(_) => serializer.serialize_str(&base64(content)),
    }
}
