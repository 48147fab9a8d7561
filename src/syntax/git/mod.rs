//! Git diffs: extended header lines, then unified hunks or binary data ("Generating patch text with
//! -p" in `git-diff(1)`).
//!
//! Read this file first. `header.rs` reads the header lines, and `blocks.rs` reads binary data. A
//! section must change something, and its header lines must not contradict each other.

mod blocks;
mod header;

use bstr::ByteSlice;
use header::GitHeader;

use super::names::HeaderName;
use super::{Options, Sections, Syntax, SyntaxError, SyntaxErrorKind, content_span, hunks, names};
use crate::mode::FileMode;
use crate::plan::{Action, Edit, Name, NameCandidate, StripRule};
use crate::syntax::writers::{self, PatchChange, PatchHunk, WriteError};
use crate::text::Span;

/// The first bytes of a section.
const START: &[u8] = b"diff --git ";

/// The grammar of git diffs.
pub(super) struct Git;

impl Syntax for Git {
    fn name(&self) -> &'static str {
        "git"
    }

    fn formats(&self) -> &'static [&'static str] {
        &["git", "unified", "diff"]
    }

    fn grammar(&self) -> &'static str {
        include_str!("../../../grammar/git.lark")
    }

    fn is_diff(&self) -> bool {
        true
    }

    fn is_read_by_git(&self) -> bool {
        true
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn find(&self, text: &[u8], from: usize) -> Option<usize> {
        let is_start = |&at: &usize| at == from || text[at - 1] == b'\n';
        text[from..]
            .find_iter(START)
            .map(|at| from + at)
            .find(is_start)
    }

    fn parse(
        &self,
        text: &[u8],
        from: usize,
        options: Options,
        sections: &mut Sections,
    ) -> Result<usize, SyntaxError> {
        let line = content_span(text, from);
        let (header, content) = GitHeader::read(text, line)?;
        let (edit, end) = read_edit(text, content, options)?;
        if header.is_no_op(&edit) && header.has_content_change() {
            return Err(SyntaxError::new(
                SyntaxErrorKind::NO_HUNK,
                content_span(text, content),
            ));
        }
        // As in git, a header without any change is skipped, for example one that states only a
        // similarity.
        if header.is_no_op(&edit) {
            return Ok(end);
        }
        let action = header.action()?;
        if action == Action::Modify && header.old.is_some() != header.new.is_some() {
            return Err(SyntaxError::new(
                SyntaxErrorKind::ONE_NAME,
                content_span(text, content),
            ));
        }
        if let Edit::Hunks(hunks) = &edit {
            hunks::refuse_lines_of_missing_side(action, hunks)?;
        }
        push_operation(header, action, edit, Span::new(from, end), sections);
        Ok(end)
    }

    fn write(&self, changes: &[PatchChange<'_>], context: usize) -> Result<Vec<u8>, WriteError> {
        writers::write_git(changes, context)
    }

    fn write_hunk(&self, hunk: &PatchHunk<'_>) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        writers::put_unified_hunk(&mut out, hunk);
        Some(out)
    }
}

fn read_edit(text: &[u8], from: usize, options: Options) -> Result<(Edit, usize), SyntaxError> {
    if let Some((edit, end)) = blocks::read(text, from)? {
        return Ok((edit, end));
    }
    let (hunks, end) = hunks::read(text, from, options)?;
    Ok((
        if hunks.is_empty() {
            Edit::Keep
        } else {
            Edit::Hunks(hunks)
        },
        end,
    ))
}

fn push_operation(
    header: GitHeader,
    action: Action,
    edit: Edit,
    span: Span,
    sections: &mut Sections,
) {
    // The mode on an `index` line holds for both sides, so an existing regular file keeps its
    // permissions.
    let is_kept = matches!(
        header.index_mode,
        Some(FileMode::Regular | FileMode::Executable)
    ) && action != Action::Create;
    let (old_mode, both) = (
        header.old_mode.or(header.index_mode),
        header.index_mode.filter(|_| !is_kept),
    );
    let new_mode = header.new_mode.or(both);
    let blobs = header.blobs.clone();
    let (from, path) = header.names(action);
    let operation = sections.push(action, path, edit, span);
    operation.from = from;
    operation.old_mode = old_mode.filter(|_| action != Action::Create);
    operation.new_mode = new_mode.filter(|_| action != Action::Delete);
    operation.blobs = blobs;
}

impl GitHeader {
    /// Returns whether the section changes nothing.
    fn is_no_op(&self, edit: &Edit) -> bool {
        let is_new_name = self.rename.is_some() || self.copy.is_some();
        let is_new_mode = self.new_mode.is_some() && self.new_mode != self.old_mode;
        matches!(edit, Edit::Keep)
            && !is_new_name
            && !is_new_mode
            && !self.is_created()
            && !self.is_deleted()
    }

    fn has_content_change(&self) -> bool {
        self.old.is_some()
            || self.new.is_some()
            || self
                .blobs
                .as_ref()
                .is_some_and(|blobs| blobs.old != blobs.new)
    }

    fn is_created(&self) -> bool {
        self.new_file_line.is_some() || self.old == Some(HeaderName::Null)
    }

    fn is_deleted(&self) -> bool {
        self.deleted_file_line.is_some() || self.new == Some(HeaderName::Null)
    }

    /// Returns the action of the section.
    fn action(&self) -> Result<Action, SyntaxError> {
        let contradiction = |says| {
            Err(SyntaxError::new(
                SyntaxErrorKind::Contradiction(says),
                self.line,
            ))
        };
        let is_file = |side: &Option<HeaderName>| matches!(side, Some(HeaderName::File(_, false)));
        match (
            self.is_created(),
            self.is_deleted(),
            &self.rename,
            &self.copy,
        ) {
            (true, true, ..) => contradiction("a file cannot be both new and deleted"),
            (_, _, Some(_), Some(_)) => contradiction("a file cannot be both renamed and copied"),
            (true, _, Some(_), _) | (true, _, _, Some(_)) => {
                contradiction("a new file cannot have another name")
            }
            (_, true, Some(_), _) | (_, true, _, Some(_)) => {
                contradiction("a deleted file cannot have another name")
            }
            (true, ..) if is_file(&self.old) => {
                contradiction("the old name of a new file must be /dev/null")
            }
            (_, true, ..) if is_file(&self.new) => {
                contradiction("the new name of a deleted file must be /dev/null")
            }
            (true, ..) => Ok(Action::Create),
            (_, true, ..) => Ok(Action::Delete),
            (_, _, Some(_), _) => Ok(Action::Rename),
            (_, _, _, Some(_)) => Ok(Action::Copy),
            _ => Ok(Action::Modify),
        }
    }

    /// Returns the name of the source of a rename or copy, and the name of the file. All lines that
    /// name the file contribute.
    fn names(self, action: Action) -> (Option<Name>, Name) {
        let claim = |side: Option<HeaderName>| match side {
            Some(HeaderName::File(claim, _)) => Some(claim),
            _ => None,
        };
        let lines = |one: Option<NameCandidate>, other: Option<NameCandidate>| {
            one.into_iter().chain(other).collect()
        };
        let (old, new) = (claim(self.old), claim(self.new));
        if let (Action::Rename | Action::Copy, Some((from, to))) =
            (action, self.rename.or(self.copy))
        {
            let agreed = |bare, other| Name::Agreed(lines(Some(bare), other));
            return (Some(agreed(from, old)), agreed(to, new));
        }
        let name = match (self.both_names, old, new) {
            // Most headers only repeat the names on the `---` and `+++` lines.
            (Name::Header(header), Some(old), Some(new)) if is_repeated(&header, &old, &new) => {
                Name::from_pair(old, new)
            }
            (both, None, None) => both,
            (Name::Header(header), old, new) => Name::Below {
                header,
                lines: lines(old, new),
            },
            (_, old, new) => Name::Agreed(lines(old, new)),
        };
        (None, name)
    }
}

/// Returns whether the rest of a `diff --git` line consists of the names on both lines, separated
/// by a blank. The header then adds no information at any strip level.
fn is_repeated(header: &NameCandidate, old: &NameCandidate, new: &NameCandidate) -> bool {
    let rest = header
        .bytes
        .strip_prefix(&old.bytes[..])
        .and_then(|rest| rest.strip_prefix(b" "));
    rest == Some(&new.bytes[..])
}

/// Reads the two names after `diff --git `.
fn read_header_name(text: &[u8], span: Span) -> Result<Name, SyntaxError> {
    Ok(match names::read_quoted_pair(text, span)? {
        Some(pair) => Name::Agreed(pair.into()),
        None => Name::Header(Box::new(NameCandidate {
            bytes: span.slice(text).to_vec(),
            strip: StripRule::Prefixed,
            span,
        })),
    })
}

/// Parses an octal mode.
fn parse_mode(text: &[u8], span: Span) -> Result<FileMode, SyntaxError> {
    let digits = span.slice(text).trim_ascii_end();
    let is_octal = !digits.is_empty() && digits.iter().all(|digit| matches!(digit, b'0'..=b'7'));
    let bits = digits.iter().try_fold(0_u32, |bits, digit| {
        bits.checked_mul(8)?.checked_add((digit & 7).into())
    });
    // A mode has 16 bits.
    let mode = bits
        .filter(|&bits| is_octal && bits <= 0o177_777)
        .and_then(FileMode::from_bits);
    mode.ok_or_else(|| SyntaxError::new(SyntaxErrorKind::Mode, span))
}

#[cfg(test)]
mod tests;
