//! The new text of a patch file: everything outside the changed hunks keeps its bytes.

use super::final_tree::is_skipped;
use super::hunks::{NewHunk, new_hunks};
use super::text_edit::{TextEdit, with_crlf};
use crate::digest::{ObjectFormat, blob_id};
use crate::matching::{Mismatch, Placement, Placements, is_recognisable};
use crate::plan::{Action, Direction, Edit, Hunk, Input, LineKind, LineRange, Operation, Plan};
use crate::preflight::{ContentPair, FileOutcome};
use crate::syntax::{Syntax, find_syntax, put_hunk_body};
use crate::text::{Span, lines, without_ending};

/// The words at the start of the lines above a section that belong to it.
const SECTION_LINES: [&[u8]; 5] = [
    b"Index: ",
    b"diff -",
    b"Prereq: ",
    b"RCS file: ",
    b"retrieving revision ",
];
/// The length of the line below `Index:` that Subversion and CVS write.
const SEPARATOR_LENGTH: usize = 67;

/// The reason why a patch in a format without line numbers cannot be rewritten.
pub(super) const NO_LINE_NUMBERS: &str =
    "only diffs with line numbers can be rewritten; convert it with `wpatch convert`";

/// The operation of a section with its result.
pub(super) struct Section<'a> {
    pub(super) operation: &'a Operation,
    pub(super) outcome: &'a FileOutcome,
    /// The contents before and after the operation.
    pub(super) contents: &'a ContentPair,
    /// The patch, in which the edits are.
    pub(super) patch: &'a Input,
    /// The input that contains the hunks. It differs from the patch if the parser has converted the
    /// section to a unified diff.
    pub(super) input: &'a Input,
}

impl<'a> Section<'a> {
    /// Returns the section of the operation at `index`. `patch` is the index of the patch among the
    /// inputs.
    pub(super) fn new(
        plan: &'a Plan,
        index: usize,
        (outcome, contents): (&'a FileOutcome, &'a ContentPair),
        patch: usize,
    ) -> Self {
        let operation = &plan.operations[index];
        Self {
            operation,
            outcome,
            contents,
            patch: &plan.inputs[patch],
            input: &plan.inputs[operation.input],
        }
    }

    /// Returns whether the tree already has the whole effect of the section. A rename or a copy
    /// must be in the tree as a whole, and so must a new mode.
    pub(super) fn is_already_applied(&self) -> bool {
        if self.outcome.failed.is_some() {
            return false;
        }
        let (old_mode, new_mode) = self.outcome.modes;
        let is_whole_applied = is_skipped(self.outcome, self.contents);
        let has_same_mode = self.operation.action == Action::Modify && old_mode == new_mode;
        let is_edit_applied = match &self.operation.edit {
            Edit::Keep => true,
            _ => self.outcome.is_already_applied,
        };
        is_whole_applied || has_same_mode && is_edit_applied
    }

    /// Returns whether a hunk counts as already applied, although its result can be in the file by
    /// chance: it only deletes lines, has little context, and does not describe the whole file.
    pub(super) fn has_uncertain_result(&self) -> bool {
        let (Edit::Hunks(hunks), Some(before)) = (&self.operation.edit, &self.contents[0]) else {
            return false;
        };
        let (text, direction) = (&self.input.bytes, self.operation.direction);
        let is_whole = |hunk: &Hunk| hunk.postimage_range(direction).count == lines(before).count();
        let is_uncertain = |(hunk, placed): (&Hunk, &Result<_, _>)| {
            is_applied(placed) && !is_recognisable(hunk, text, direction) && !is_whole(hunk)
        };
        hunks.iter().zip(&self.outcome.placements).any(is_uncertain)
    }

    /// Returns the edits that the section needs.
    ///
    /// # Errors
    ///
    /// Returns the reason if the section cannot be written.
    pub(super) fn edits(&self) -> Result<Vec<TextEdit>, &'static str> {
        if self.is_already_applied() {
            return Ok(vec![TextEdit {
                span: self.span_with_lines_above(),
                text: Vec::new(),
            }]);
        }
        let Edit::Hunks(hunks) = &self.operation.edit else {
            return Ok(Vec::new());
        };
        let placements = &self.outcome.placements;
        if placements.is_empty() {
            // The hunks of a submodule are not placed.
            return Ok(Vec::new());
        }
        if !hunks.iter().all(|hunk| hunk.anchor.is_numbered()) {
            // Without a line number, a hunk that matches completely needs no edit.
            let is_complete = |placed: &Result<Placement, _>| {
                placed
                    .as_ref()
                    .is_ok_and(|placed| placed.ignored_context == (0, 0))
            };
            let is_kept = placements.iter().all(is_complete);
            return if is_kept {
                Ok(Vec::new())
            } else {
                Err(NO_LINE_NUMBERS)
            };
        }
        if placements.iter().all(is_applied) {
            return self.removal_of_content(hunks).map(|edit| vec![edit]);
        }
        if has_stated_lines(
            self.operation.direction,
            hunks,
            placements,
            &self.input.bytes,
        ) {
            return Ok(Vec::new());
        }
        let before = self.contents[0]
            .as_ref()
            .map_or(&b""[..], |content| content);
        let text: &[u8] = &self.input.bytes;
        let found = new_hunks(self.operation, (text, hunks), placements, before)?;
        let mut edits = match &self.input.part {
            Some(part) => self.converted_edits(hunks, &found, part.span, part.format)?,
            None => hunk_edits(text, hunks, &found),
        };
        if !edits.is_empty() && self.input.part.is_none() {
            edits.extend(self.index_edit(hunks));
        }
        Ok(edits)
    }

    /// Returns the section with the lines above that belong to it.
    fn span_with_lines_above(&self) -> Span {
        let span = (self.input.part.as_ref()).map_or(self.operation.span, |part| part.span);
        let text = &self.patch.bytes[..span.start];
        let mut start = span.start;
        while start > 0 {
            let line_start = memchr::memrchr(b'\n', &text[..start - 1]).map_or(0, |end| end + 1);
            let line = &text[line_start..start];
            let content = without_ending(line);
            let is_separator =
                content.len() == SEPARATOR_LENGTH && content.iter().all(|&byte| byte == b'=');
            if !is_separator && !SECTION_LINES.iter().any(|words| line.starts_with(words)) {
                break;
            }
            start = line_start;
        }
        Span::new(start, span.end)
    }

    /// Returns the edit that removes the hunks and the lines of the header that need hunks. The
    /// rest of the header states a new mode or a new name.
    fn removal_of_content(&self, hunks: &[Hunk]) -> Result<TextEdit, &'static str> {
        if self.input.part.is_some() {
            return Err(NO_LINE_NUMBERS);
        }
        let span = self.operation.span;
        let header_end = hunks.first().map_or(span.end, |hunk| hunk.span.start);
        let header = &self.patch.bytes[span.start..header_end];
        let needs_hunks = |line: &[u8]| line.starts_with(b"index ") || line.starts_with(b"--- ");
        let first = lines(header).find(|(_, line)| needs_hunks(line));
        let start = first.map_or(header_end, |(line, _)| span.start + line.start);
        Ok(TextEdit {
            span: Span::new(start, span.end),
            text: Vec::new(),
        })
    }

    /// Returns the edit of a section that the parser has converted to a unified diff. All of its
    /// hunks are written again.
    fn converted_edits(
        &self,
        hunks: &[Hunk],
        found: &[NewHunk<'_>],
        span: Span,
        format: &str,
    ) -> Result<Vec<TextEdit>, &'static str> {
        let text: &[u8] = &self.input.bytes;
        if has_original_hunks(hunks, found) {
            return Ok(Vec::new());
        }
        let syntax: &dyn Syntax = find_syntax(format).ok_or(NO_LINE_NUMBERS)?;
        let written: Option<Vec<Vec<u8>>> = found
            .iter()
            .map(|hunk| syntax.write_hunk(&hunk.to_patch_hunk(text)))
            .collect();
        let written = written.ok_or(NO_LINE_NUMBERS)?.concat();
        let section = span.slice(&self.patch.bytes);
        let header: usize = lines(section)
            .take_while(|(_, line)| is_context_name(line))
            .map(|(line, _)| line.len())
            .sum();
        Ok(vec![TextEdit {
            span: Span::new(span.start + header, span.end),
            text: written,
        }])
    }

    /// Returns the edit of the object names on git's `index` line, if there is one.
    fn index_edit(&self, hunks: &[Hunk]) -> Option<TextEdit> {
        let span = self.operation.span;
        let text = &self.patch.bytes[span.start..hunks.first()?.span.start];
        let (line, names) = lines(text)
            .find_map(|(line, text)| Some((line, without_ending(text).strip_prefix(b"index ")?)))?;
        let names = names.split(|byte| *byte == b' ').next()?;
        let middle = names.windows(2).position(|pair| pair == b"..")?;
        let known = [&names[..middle], &names[middle + 2..]];
        let [before, after] = self.contents;
        let sides = match self.operation.direction {
            Direction::Forward => [before, after],
            Direction::Reverse => [after, before],
        };
        let mut written = Vec::new();
        for (side, (known, content)) in known.into_iter().zip(sides).enumerate() {
            if !known.iter().all(u8::is_ascii_hexdigit) {
                return None;
            }
            if side == 1 {
                written.extend_from_slice(b"..");
            }
            match content {
                Some(content) => {
                    let format = ObjectFormat::from_hex_length(known.len());
                    let id = blob_id(content, format.unwrap_or(ObjectFormat::Sha1));
                    written.extend_from_slice(&id.as_bytes()[..known.len().min(id.len())]);
                }
                None => written.extend_from_slice(known),
            }
        }
        let start = span.start + line.start + b"index ".len();
        let span = Span::new(start, start + names.len());
        (span.slice(&self.patch.bytes) != written).then_some(TextEdit {
            span,
            text: written,
        })
    }
}

/// Returns whether the hunk is already applied.
pub(super) fn is_applied(placed: &Result<Placement, Box<Mismatch>>) -> bool {
    placed.as_ref().is_err_and(|mismatch| mismatch.is_applied())
}

/// Returns whether all hunks match completely at the lines of their headers, and have as much
/// context before as after the change. Such hunks need no edit.
fn has_stated_lines(
    direction: Direction,
    hunks: &[Hunk],
    placements: &Placements,
    text: &[u8],
) -> bool {
    let mut added = 0_isize;
    let mut is_stated = |(hunk, placed): (&Hunk, &Result<Placement, _>)| {
        let Some(placement) = placed.as_ref().ok().filter(|placed| placed.is_as_stated()) else {
            return false;
        };
        let (old, new) = (
            hunk.preimage_range(direction),
            hunk.postimage_range(direction),
        );
        let first = |range: LineRange| range.start.saturating_sub(usize::from(range.count > 0));
        let is_numbered = first(old) == placement.lines.start
            && Some(first(new)) == placement.lines.start.checked_add_signed(added);
        added += new.count.cast_signed() - old.count.cast_signed();
        is_numbered && has_equal_context(hunk, text)
    };
    hunks.len() == placements.len() && hunks.iter().zip(placements).all(&mut is_stated)
}

/// Returns whether the hunk has as many context lines before its changes as after them.
fn has_equal_context(hunk: &Hunk, text: &[u8]) -> bool {
    let kinds: Vec<_> = hunk
        .lines(text, Direction::Forward)
        .map(|line| line.kind)
        .collect();
    let is_context = |kind: &&LineKind| **kind == LineKind::Context;
    let leading = kinds.iter().take_while(is_context).count();
    leading == kinds.iter().rev().take_while(is_context).count()
}

fn is_context_name(line: &[u8]) -> bool {
    !line.starts_with(b"***************")
        && (line.starts_with(b"*** ") || line.starts_with(b"--- "))
}

/// Returns whether `found` are the original hunks without a change.
fn has_original_hunks(hunks: &[Hunk], found: &[NewHunk<'_>]) -> bool {
    hunks.len() == found.len()
        && (hunks.iter().zip(found).enumerate()).all(|(index, (hunk, new))| {
            new.originals == (index..index + 1)
                && new.has_original_lines
                && has_same_ranges(hunk, new)
        })
}

fn has_same_ranges(hunk: &Hunk, new: &NewHunk<'_>) -> bool {
    (hunk.old, hunk.new) == (new.old, new.new)
}

/// Returns the edits that turn `hunks` into `found`. `text` is the patch.
fn hunk_edits(text: &[u8], hunks: &[Hunk], found: &[NewHunk<'_>]) -> Vec<TextEdit> {
    let is_single = |new: &NewHunk<'_>| new.originals.len() == 1;
    let is_in_order = found.is_sorted_by_key(|new| new.originals.start);
    if !is_in_order || !found.iter().all(is_single) {
        let (Some(first), Some(last)) = (hunks.first(), hunks.last()) else {
            return Vec::new();
        };
        let span = Span::new(first.span.start, last.span.end);
        let texts = found.iter().map(|new| hunk_text(text, hunks, new));
        let text = texts.collect::<Vec<_>>().concat();
        return vec![TextEdit { span, text }];
    }
    let mut edits = Vec::new();
    let mut found = found.iter().peekable();
    for (index, hunk) in hunks.iter().enumerate() {
        match found.next_if(|new| new.originals.start == index) {
            None => edits.push(TextEdit {
                span: hunk.span,
                text: Vec::new(),
            }),
            Some(new) if !new.has_original_lines => edits.push(TextEdit {
                span: hunk.span,
                text: hunk_text(text, hunks, new),
            }),
            Some(new) if !has_same_ranges(hunk, new) => edits.push(TextEdit {
                span: hunk.header,
                text: header_text(text, hunk, new),
            }),
            Some(_) => {}
        }
    }
    edits
}

/// Returns the whole text of a hunk.
fn hunk_text(text: &[u8], hunks: &[Hunk], new: &NewHunk<'_>) -> Vec<u8> {
    let first = &hunks[new.originals.start];
    let mut out = header_text(text, first, new);
    let is_crlf = text[first.header.end..].starts_with(b"\r\n");
    out.extend_from_slice(if is_crlf { b"\r\n" } else { b"\n" });
    if new.has_original_lines {
        out.extend_from_slice(first.body.slice(text));
    } else if is_crlf {
        let mut body = Vec::new();
        put_hunk_body(&mut body, &new.lines);
        out.extend(with_crlf(&body));
    } else {
        put_hunk_body(&mut out, &new.lines);
    }
    out
}

/// Returns the header of `hunk` with the line numbers of `new`.
fn header_text(text: &[u8], hunk: &Hunk, new: &NewHunk<'_>) -> Vec<u8> {
    let header = hunk.header.slice(text);
    let section = hunk.section.start - hunk.header.start;
    let end = section - usize::from(header[section - 1] == b' ') - b" @@".len();
    let ranges = format!("@@ -{} +{}", new.old, new.new);
    [ranges.as_bytes(), &header[end..]].concat()
}
