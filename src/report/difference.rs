//! The result of `diff`, as data and as text.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::Op;
use super::look::{as_content, encoding_of};
use super::words::{hex_if_lossy, text};
use crate::mode::FileMode;
use crate::path::RelPath;
use crate::text::{count_lines, printable};

/// The differences between two files or trees.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[cfg_attr(feature = "schema", schemars(title = "wpatch diff"))]
#[allow(clippy::struct_excessive_bools, reason = "the shape of the document")]
#[non_exhaustive]
pub struct Difference {
    /// `wpatch.diff/1`.
    pub schema: &'static str,
    /// Always true. If the files cannot be compared, the command prints an error report instead.
    pub ok: bool,
    /// The name of the first file or tree.
    pub label_a: String,
    /// The name of the second file or tree.
    pub label_b: String,
    /// Whether both are equal. Without `-b` and `-w`, equal files have the same bytes.
    pub identical: bool,
    /// Whether a file has binary data, so that there is no diff. A diff of trees contains binary data.
    pub binary: bool,
    /// The number of lines of the first file, including a last line without terminator. 0 for a tree.
    pub lines_a: usize,
    /// The number of lines of the second file. 0 for a tree.
    pub lines_b: usize,
    /// The number of lines that only the second file has.
    pub added: usize,
    /// The number of lines that only the first file has.
    pub removed: usize,
    /// Whether the diff was truncated. A truncated diff cannot be applied.
    pub truncated: bool,
    /// `utf-8`, or `base64` if the files are not UTF-8 and `diff` is encoded in base64.
    pub encoding: &'static str,
    /// The changed files of two trees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<ChangedFile>>,
    /// The differences between two trees that no diff can express, and other notes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<DifferenceWarning>,
    /// The diff; empty for identical files and for binary data.
    #[serde(serialize_with = "as_content")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub diff: Vec<u8>,
}

impl Difference {
    /// Returns the facts about two files, still without the diff.
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
            files: None,
            warnings: Vec::new(),
            diff: Vec::new(),
        }
    }

    /// Sets the diff.
    fn set_diff(&mut self, diff: Vec<u8>) {
        self.encoding = encoding_of(&diff);
        self.diff = diff;
    }

    /// Sets the diff, cut after the last line within `max_output` bytes.
    pub fn set_limited_diff(&mut self, mut diff: Vec<u8>, max_output: usize) {
        self.truncated = diff.len() > max_output;
        if self.truncated {
            let kept = memchr::memrchr(b'\n', &diff[..max_output]).map_or(0, |newline| newline + 1);
            diff.truncate(kept);
        }
        self.set_diff(diff);
    }

    /// Returns the text to print: the diff, or the statement that two binary files differ.
    #[must_use]
    pub fn to_text(&self) -> Vec<u8> {
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

/// A changed file of two trees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct ChangedFile {
    /// The kind of change.
    pub op: Op,
    /// The path after the change. For a deletion, the path of the deleted file.
    pub path: String,
    /// All bytes of the path as hex digits, if the path is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_hex: Option<String>,
    /// The source of a rename or a copy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// All bytes of `from` as hex digits, if the path is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_hex: Option<String>,
    /// The mode before the change, such as `100644`; null if the file is new.
    pub old_mode: Option<&'static str>,
    /// The mode after the change; null if the file is deleted.
    pub new_mode: Option<&'static str>,
    /// Whether the content is binary, so that no lines are counted.
    pub binary: bool,
    /// The number of added lines.
    pub added: usize,
    /// The number of removed lines.
    pub removed: usize,
}

impl ChangedFile {
    /// Returns a change of the file at `path`, still without line counts.
    #[must_use]
    pub fn new(
        op: Op,
        path: &RelPath,
        from: Option<&RelPath>,
        modes: [Option<FileMode>; 2],
    ) -> Self {
        let [old_mode, new_mode] = modes.map(|mode| mode.map(FileMode::digits));
        Self {
            op,
            path: text(path.as_bytes()),
            path_hex: hex_if_lossy(&path.as_bytes()),
            from: from.map(|from| text(from.as_bytes())),
            from_hex: from.and_then(|from| hex_if_lossy(&from.as_bytes())),
            old_mode,
            new_mode,
            binary: false,
            added: 0,
            removed: 0,
        }
    }
}

/// A note on the comparison of two trees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct DifferenceWarning {
    /// The path; null if the note is about the whole comparison.
    pub path: Option<String>,
    /// All bytes of the path as hex digits, if the path is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_hex: Option<String>,
    /// The reason.
    pub message: &'static str,
}

impl DifferenceWarning {
    /// Returns a note on the file or directory at `path`.
    #[must_use]
    pub fn new(path: Option<&RelPath>, message: &'static str) -> Self {
        Self {
            path: path.map(|path| text(path.as_bytes())),
            path_hex: path.and_then(|path| hex_if_lossy(&path.as_bytes())),
            message,
        }
    }
}
