//! Writes changes as patches in any grammar.
//!
//! The input is a list of [`PatchChange`]s, and the output is a text that the grammar parses to the
//! same changes, or a [`WriteError`] if the grammar cannot express one of them. A writer does not
//! know whether a hunk is unique in its file. The caller checks the text against the tree, and
//! writes it again with more context if necessary.
//!
//! Read [`PatchChange`] first, then `unified.rs`.

mod blocks;
mod codex;
mod context;
mod git;
mod hashline;
mod hunk;
mod json;
mod normal;
mod unified;

use super::line_diff::LineDiff;
use crate::interrupt::Interrupt;
use crate::mode::{FileKind, FileMode};
use crate::path::RelPath;
use crate::plan::{Action, BlobIds, LineKind};
use crate::text::is_binary;

pub(super) use blocks::write as write_blocks;
pub(super) use codex::write as write_codex;
pub(super) use context::{put_hunk as put_context_hunk, write as write_context};
pub(super) use git::write as write_git;
pub(super) use hashline::write as write_hashline;
pub use hunk::PatchHunk;
pub(super) use json::write as write_json;
pub(super) use normal::{put_hunk as put_normal_hunk, write as write_normal};
pub(crate) use unified::put_body as put_hunk_body;
pub(super) use unified::{put_hunk as put_unified_hunk, write as write_unified};

/// The change of one file.
#[derive(Clone, Debug)]
pub struct PatchChange<'a> {
    /// The kind of change.
    pub action: Action,
    /// The path after the change. For a deletion, the path of the deleted file.
    pub path: &'a RelPath,
    /// The source of a rename or a copy.
    pub from: Option<&'a RelPath>,
    /// The modes before and after the change, if they are known.
    pub modes: [Option<FileMode>; 2],
    /// The content before and after the change; `None` if it is not known.
    pub contents: Option<[&'a [u8]; 2]>,
    /// The object names of an `index` line, if the contents are not known.
    pub blobs: Option<&'a BlobIds>,
    /// The changed lines with their context.
    pub hunks: Vec<PatchHunk<'a>>,
}

/// The reason why a grammar cannot express a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteError {
    /// The index of the change.
    pub index: usize,
    /// The reason.
    pub reason: &'static str,
}

/// Returns the hunks of the difference of two texts, with `context` context lines.
pub(crate) fn hunks_between<'a>(
    old: &'a [u8],
    new: &'a [u8],
    context: usize,
) -> Vec<PatchHunk<'a>> {
    LineDiff::of_lines(old, new, context, Interrupt::never()).hunks(context)
}

impl PatchChange<'_> {
    /// Returns whether a content is binary.
    fn is_binary(&self) -> bool {
        self.contents
            .iter()
            .flatten()
            .any(|content| is_binary(content))
    }

    /// Returns whether the file is a link or a submodule, before or after the change.
    fn is_link_or_submodule(&self) -> bool {
        let kinds = self.modes.iter().flatten().map(|mode| mode.kind());
        kinds.into_iter().any(|kind| kind != FileKind::Regular)
    }

    /// Returns the reason why a grammar of plain texts without modes cannot express the change.
    fn text_error(&self) -> Option<&'static str> {
        let [old, new] = self.modes;
        let is_mode_changed = old.is_some() && new.is_some() && old != new;
        if self.is_link_or_submodule() {
            Some("the format cannot express links and submodules")
        } else if is_mode_changed || old.is_none() && new == Some(FileMode::Executable) {
            Some("the format cannot express file modes")
        } else if self.is_binary() {
            Some("the format cannot express binary data")
        } else {
            match self.action {
                Action::Copy => Some("the format cannot express copies"),
                Action::RemoveCopy => Some("the format cannot express the reverse of a copy"),
                _ => None,
            }
        }
    }

    /// Returns whether lines change. A change of binary data has no hunks.
    fn has_hunks(&self) -> bool {
        !self.hunks.is_empty()
    }
}

/// Calls `write` for each change, and adds the index of the change to its error.
fn for_each_change<'c, 'a>(
    changes: &'c [PatchChange<'a>],
    mut write: impl FnMut(&'c PatchChange<'a>) -> Result<(), &'static str>,
) -> Result<(), WriteError> {
    for (index, change) in changes.iter().enumerate() {
        write(change).map_err(|reason| WriteError { index, reason })?;
    }
    Ok(())
}

/// Returns the marker of a hunk line, as in unified diffs and in envelopes.
fn marker(kind: LineKind) -> u8 {
    match kind {
        LineKind::Context => b' ',
        LineKind::Deletion => b'-',
        LineKind::Insertion => b'+',
    }
}

/// Appends `line`, and the line `\ No newline at end of file` if it has no terminator.
fn put_line(out: &mut Vec<u8>, marker: &[u8], line: &[u8]) {
    out.extend_from_slice(marker);
    out.extend_from_slice(line);
    if !line.ends_with(b"\n") {
        out.extend_from_slice(b"\n\\ No newline at end of file\n");
    }
}
