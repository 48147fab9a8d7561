//! Writes the diff of one file in git's format.

mod hunks;

use super::line_diff::{LineDiff, WhitespaceComparison};
use super::{literal, quote};
use crate::interrupt::Interrupt;
use crate::mode::FileMode;
use crate::path::RelPath;
use crate::plan::Action;
use crate::text::is_binary;

#[cfg(feature = "cli")]
pub(crate) use hunks::hunk_line_counts;
pub use hunks::{DiffHunk, hunks};

/// The number of context lines around a change.
const CONTEXT: usize = 3;
/// The number of digits in an object name on an `index` line.
const ABBREVIATION: usize = 12;

/// One side of the change of a file.
#[derive(Clone, Copy, Debug)]
pub struct DiffSide<'a> {
    /// The path of the file.
    pub path: &'a RelPath,
    /// The type and the mode of the file.
    pub mode: FileMode,
    /// The content, or the target of a symbolic link.
    pub content: &'a [u8],
    /// The object name of the blob in hexadecimal, or empty if it is not known.
    pub blob: &'a str,
}

/// Returns the diff from `before` to `after` in git's format, with three context lines, or an empty
/// diff if nothing differs. `action` distinguishes a rename or copy from a change in place.
///
/// For binary content, the diff only states that the files differ.
#[must_use]
pub fn git_diff(
    action: Action,
    before: Option<&DiffSide<'_>>,
    after: Option<&DiffSide<'_>>,
) -> Vec<u8> {
    git_diff_until_raised(action, before, after, Interrupt::never())
}

/// Returns the same diff as [`git_diff`]. If `interrupt` is raised, it is incomplete and must not be
/// used.
pub(crate) fn git_diff_until_raised(
    action: Action,
    before: Option<&DiffSide<'_>>,
    after: Option<&DiffSide<'_>>,
    interrupt: &Interrupt,
) -> Vec<u8> {
    let style = DiffStyle {
        interrupt,
        ..DiffStyle::of(DiffDetail::Changes)
    };
    write_file(action, before, after, style).text
}

/// Returns the same diff as [`git_diff`], but with section headings, and with all binary content,
/// so that it can be applied (`git diff --binary`).
#[must_use]
pub fn whole_diff(
    action: Action,
    before: Option<&DiffSide<'_>>,
    after: Option<&DiffSide<'_>>,
) -> Vec<u8> {
    write_file(action, before, after, DiffStyle::of(DiffDetail::Full)).text
}

/// Returns the same diff as [`whole_diff`], with `context` context lines, and its line counts.
///
/// If `comparison` ignores white space, lines that differ only in white space are context lines as
/// in the old file.
#[must_use]
pub(crate) fn tree_diff_section(
    action: Action,
    before: Option<&DiffSide<'_>>,
    after: Option<&DiffSide<'_>>,
    context: usize,
    comparison: WhitespaceComparison,
) -> UnifiedDiff {
    let style = DiffStyle {
        context,
        comparison,
        ..DiffStyle::of(DiffDetail::Full)
    };
    write_file(action, before, after, style)
}

/// How a diff is written.
#[derive(Clone, Copy, Debug)]
struct DiffStyle<'i> {
    detail: DiffDetail,
    /// The number of context lines around a change.
    context: usize,
    comparison: WhitespaceComparison,
    interrupt: &'i Interrupt,
}

impl DiffStyle<'_> {
    /// Returns the style with the usual context and an exact comparison.
    fn of(detail: DiffDetail) -> Self {
        Self {
            detail,
            context: CONTEXT,
            comparison: WhitespaceComparison::Exact,
            interrupt: Interrupt::never(),
        }
    }

    fn compare<'a>(self, old: &'a [u8], new: &'a [u8]) -> LineDiff<'a> {
        let how = (self.context, self.comparison);
        LineDiff::with_whitespace(old, new, how, self.interrupt)
    }
}

/// The detail of a diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DiffDetail {
    /// Of binary content, a line that states that the files differ. No section headings.
    Changes,
    /// The complete binary data, and section headings.
    Full,
}

fn write_file(
    action: Action,
    before: Option<&DiffSide<'_>>,
    after: Option<&DiffSide<'_>>,
    style: DiffStyle<'_>,
) -> UnifiedDiff {
    match (action, before, after) {
        (Action::Rename, Some(_), Some(_)) => write_section(before, after, Some("rename"), style),
        (Action::Copy, Some(_), Some(_)) => write_section(before, after, Some("copy"), style),
        // As in git, a change of the file type is a deletion and a creation.
        (_, Some(old), Some(new)) if old.mode.kind() != new.mode.kind() => {
            let mut deletion = write_section(before, None, None, style);
            deletion.append(write_section(None, after, None, style));
            deletion
        }
        (_, Some(old), Some(new)) if old.mode == new.mode && old.content == new.content => {
            UnifiedDiff::default()
        }
        _ => write_section(before, after, None, style),
    }
}

/// Returns the diff from `before` to `after` without git's header lines, which suffices if only the
/// content changes.
#[must_use]
pub fn plain_diff(before: &DiffSide<'_>, after: &DiffSide<'_>) -> Vec<u8> {
    plain_diff_until_raised(before, after, Interrupt::never())
}

/// Returns the same diff as [`plain_diff`]. If `interrupt` is raised, it is incomplete and must not
/// be used.
pub(crate) fn plain_diff_until_raised(
    before: &DiffSide<'_>,
    after: &DiffSide<'_>,
    interrupt: &Interrupt,
) -> Vec<u8> {
    let diff = LineDiff::of(before.content, after.content, CONTEXT, interrupt);
    let mut out = Vec::new();
    if is_binary(before.content) || is_binary(after.content) || diff.is_empty() {
        return out;
    }
    put(
        &mut out,
        &[
            b"--- ",
            &file_name(Some([b"a/", before.path.as_bytes()].concat())),
        ],
    );
    put(
        &mut out,
        &[
            b"+++ ",
            &file_name(Some([b"b/", after.path.as_bytes()].concat())),
        ],
    );
    diff.write(&mut out, CONTEXT);
    out
}

/// Returns the unified diff of two texts with `context` context lines, or an empty diff if nothing
/// differs. Each text is a pair of the name in the header and the content.
///
/// The names get no prefixes `a/` and `b/`. The content is never treated as binary. Lines that are
/// equal for `comparison` are context lines.
#[must_use]
pub fn labelled_diff(
    before: (&[u8], &[u8]),
    after: (&[u8], &[u8]),
    (context, comparison): (usize, WhitespaceComparison),
) -> UnifiedDiff {
    let how = (context, comparison);
    let diff = LineDiff::of_lines_with_whitespace(before.1, after.1, how, Interrupt::never());
    let (added, removed) = diff.changed_lines();
    let mut text = Vec::new();
    if added + removed > 0 {
        put(&mut text, &[b"--- ", &file_name(Some(before.0.to_vec()))]);
        put(&mut text, &[b"+++ ", &file_name(Some(after.0.to_vec()))]);
        diff.write(&mut text, context);
    }
    UnifiedDiff {
        text,
        added,
        removed,
    }
}

/// A unified diff and its line counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnifiedDiff {
    /// The diff.
    pub text: Vec<u8>,
    /// The number of added lines.
    pub added: usize,
    /// The number of removed lines.
    pub removed: usize,
}

impl UnifiedDiff {
    fn without_lines(text: Vec<u8>) -> Self {
        Self {
            text,
            ..Self::default()
        }
    }

    fn append(&mut self, other: Self) {
        self.text.extend(other.text);
        self.added += other.added;
        self.removed += other.removed;
    }
}

/// Returns the numbers of added and of removed lines in a diff from `before` to `after`.
#[must_use]
pub fn changed_lines(before: &[u8], after: &[u8]) -> (usize, usize) {
    changed_lines_until_raised(before, after, Interrupt::never())
}

/// Returns the same numbers as [`changed_lines`]. If `interrupt` is raised, they are wrong and must
/// not be used.
pub(crate) fn changed_lines_until_raised(
    before: &[u8],
    after: &[u8],
    interrupt: &Interrupt,
) -> (usize, usize) {
    LineDiff::of(before, after, CONTEXT, interrupt).changed_lines()
}

fn write_section(
    before: Option<&DiffSide<'_>>,
    after: Option<&DiffSide<'_>>,
    moved: Option<&str>,
    style: DiffStyle<'_>,
) -> UnifiedDiff {
    let Some(named) = after.or(before) else {
        return UnifiedDiff::default();
    };
    let old_name = before.unwrap_or(named).path.as_bytes();
    let new_name = named.path.as_bytes();
    let [old, new] = [before, after].map(|side| side.map_or(&b""[..], |side| side.content));
    let is_data = is_binary(old) || is_binary(new);
    let diff = style.compare(old, new);
    let mut out = Vec::new();
    let [a, b] = [[b"a/", old_name].concat(), [b"b/", new_name].concat()];
    put(&mut out, &[b"diff --git ", &quote(&a), b" ", &quote(&b)]);
    write_mode_lines(&mut out, before, after);
    if let Some(verb) = moved {
        let similarity = format!("similarity index {}%", diff.similarity());
        put(&mut out, &[similarity.as_bytes()]);
        put(&mut out, &[verb.as_bytes(), b" from ", &quote(old_name)]);
        put(&mut out, &[verb.as_bytes(), b" to ", &quote(new_name)]);
    }
    let has_both = before.is_some() && after.is_some();
    if has_both && (old == new || !is_data && diff.is_empty()) {
        // Only the mode or the name changes, or only white space that the comparison ignores.
        let is_mode_changed = before.map(|side| side.mode) != after.map(|side| side.mode);
        let is_shown = moved.is_some() || is_mode_changed;
        return UnifiedDiff::without_lines(if is_shown { out } else { Vec::new() });
    }
    if is_data && style.detail == DiffDetail::Full {
        // git rejects binary patches with abbreviated object names.
        write_index_line(&mut out, before, after, usize::MAX);
        literal::put(&mut out, old, new);
        return UnifiedDiff::without_lines(out);
    }
    write_index_line(&mut out, before, after, ABBREVIATION);
    let label = |side: Option<&DiffSide<'_>>, prefix: &[u8]| {
        side.map(|side| [prefix, side.path.as_bytes()].concat())
    };
    let (old_label, new_label) = (label(before, b"a/"), label(after, b"b/"));
    let (mut added, mut removed) = (0, 0);
    if is_data {
        write_binary_line(&mut out, old_label.as_deref(), new_label.as_deref());
    } else if !diff.is_empty() {
        put(&mut out, &[b"--- ", &file_name(old_label)]);
        put(&mut out, &[b"+++ ", &file_name(new_label)]);
        put_hunks(&mut out, &diff, style);
        (added, removed) = diff.changed_lines();
    }
    UnifiedDiff {
        text: out,
        added,
        removed,
    }
}

fn put_hunks(out: &mut Vec<u8>, diff: &LineDiff<'_>, style: DiffStyle<'_>) {
    match style.detail {
        DiffDetail::Changes => diff.write(out, style.context),
        DiffDetail::Full => diff.write_with_headings(out, style.context),
    }
}

/// Writes the line that states that binary content differs.
fn write_binary_line(out: &mut Vec<u8>, old: Option<&[u8]>, new: Option<&[u8]>) {
    let name =
        |label: Option<&[u8]>| label.map_or(b"/dev/null".to_vec(), |name| quote(name).into());
    let (old, new) = (name(old), name(new));
    put(out, &[b"Binary files ", &old, b" and ", &new, b" differ"]);
}

fn put(out: &mut Vec<u8>, parts: &[&[u8]]) {
    out.extend(parts.concat());
    out.push(b'\n');
}

fn write_mode_lines(
    out: &mut Vec<u8>,
    before: Option<&DiffSide<'_>>,
    after: Option<&DiffSide<'_>>,
) {
    match (before, after) {
        (None, Some(new)) => put(out, &[format!("new file mode {}", new.mode).as_bytes()]),
        (Some(old), None) => put(out, &[format!("deleted file mode {}", old.mode).as_bytes()]),
        (Some(old), Some(new)) if old.mode != new.mode => {
            put(out, &[format!("old mode {}", old.mode).as_bytes()]);
            put(out, &[format!("new mode {}", new.mode).as_bytes()]);
        }
        _ => {}
    }
}

/// Writes the `index` line with at most `digits` digits of each object name.
fn write_index_line(
    out: &mut Vec<u8>,
    before: Option<&DiffSide<'_>>,
    after: Option<&DiffSide<'_>>,
    digits: usize,
) {
    let whole = before.or(after).map_or(0, |side| side.blob.len());
    // As in git, the object name of a missing side consists of zeros.
    let zeros = "0".repeat(digits.min(whole));
    let name = |side: Option<&DiffSide<'_>>| {
        side.map_or(zeros.clone(), |side| {
            side.blob.chars().take(digits).collect()
        })
    };
    let (old, new) = (name(before), name(after));
    // An unknown object name cannot be written.
    if old.is_empty() || new.is_empty() {
        return;
    }
    let mode = match (before, after) {
        (Some(old), Some(new)) if old.mode == new.mode => format!(" {}", new.mode),
        _ => String::new(),
    };
    put(out, &[format!("index {old}..{new}{mode}").as_bytes()]);
}

/// Returns a name for a `---` or `+++` line. A tab follows a name that contains a blank, so that no
/// part of it can be read as a time stamp.
pub(super) fn file_name(label: Option<Vec<u8>>) -> Vec<u8> {
    let Some(label) = label else {
        return b"/dev/null".to_vec();
    };
    let mut name = quote(&label).into_owned();
    if label.contains(&b' ') {
        name.push(b'\t');
    }
    name
}

#[cfg(test)]
mod tests;
