//! Finds the sections of a damaged patch in a text.
//!
//! The input is the text, or the lines that `older` converted. The output is a list of [`Section`]s
//! with their hunks. The reader proceeds line by line and treats unrecognised lines as prose. A
//! line that looks like a change but belongs to none makes the text unreadable, so that no change
//! is lost. The reader reads no files: `place` decides later whether a section matches. Start with
//! `SectionReader::line`.

mod body;
mod header;
mod markers;
mod section;
mod source;

use super::chunk::RawHunk;
use super::line::Line;
use super::older::OwnedLine;
use super::{RepairKind, RepairLog};
use crate::syntax::{find_patch_after, is_from_line, is_mail_signature, is_patch_start, mail};
use crate::text::{Span, bom_length};

use body::Lookahead;
use markers::{Marker, is_closing_tag, is_exact_marker, is_heredoc_end, parse_marker};
pub(super) use markers::{is_fence, is_signature};
pub(crate) use section::{EndingSource, Section, SectionAction};
use source::read_lines;

/// Reads all sections of `text`.
///
/// # Errors
///
/// Returns the span of lines that look like a change but belong to no section, or the span of a
/// truncated section. Their meaning is unknown.
pub(super) fn read<'t>(
    text: &'t [u8],
    converted: Option<&'t [OwnedLine<'t>]>,
    file: Option<&'t [u8]>,
    log: &mut RepairLog,
) -> Result<Vec<Section<'t>>, ReadError> {
    let lines = read_lines(text, converted, log);
    let mut reader = SectionReader {
        lookahead: Lookahead::of(&lines, text.ends_with(b"\n")),
        lines,
        next: 0,
        sections: Vec::new(),
        is_enveloped: false,
        has_fence: false,
        has_gap: true,
        after_end: EnvelopeTail::Nothing,
        stray: None,
        has_begin: false,
        is_closed: true,
        header: None,
        truncated: None,
        file,
        text,
        message: Some(bom_length(text)),
        is_mail: mail::find_start(text).is_some(),
    };
    while reader.next < reader.lines.len() {
        reader.read_element(log);
    }
    reader.end_section();
    // A section without a change is not skipped silently: its hunks may be unrecognised.
    let is_empty = |section: &&Section<'_>| {
        section.has_contradicting_names()
            || !section.has_marker && section.hunks.is_empty() && !section.is_verbatim
    };
    // The grammar of this reader has no blocks, so it would skip them.
    let block = reader
        .lines
        .iter()
        .find(|line| line.text.trim_ascii_end() == b"<<<<<<< SEARCH");
    if let (Some(block), Some(section)) = (block, reader.sections.first()) {
        return Err(ReadError::Mixed {
            diff: section.line,
            block: block.number,
            span: block.span,
        });
    }
    let stray = reader.stray.or(block.map(|line| line.span)).or(reader
        .sections
        .iter()
        .find(is_empty)
        .map(|section| section.span));
    match (stray, reader.truncated) {
        (Some(span), _) => Err(ReadError::Stray(span)),
        (None, Some(span)) => Err(ReadError::Truncated(span)),
        (None, None) => Ok(reader.sections),
    }
}

/// The reason why a text cannot be read, and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadError {
    /// Lines that look like a change but belong to none, or a section without a change.
    Stray(Span),
    /// A diff or an envelope that does not apply without repairs, and a SEARCH/REPLACE block.
    /// `diff` and `block` are their first lines.
    Mixed {
        diff: usize,
        block: usize,
        span: Span,
    },
    /// The last section is truncated: an envelope without its end, or a header line without its
    /// newline.
    Truncated(Span),
}

#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
struct SectionReader<'t> {
    lines: Vec<Line<'t>>,
    lookahead: Lookahead,
    next: usize,
    sections: Vec<Section<'t>>,
    is_enveloped: bool,
    has_fence: bool,
    /// Whether an empty line is between the last hunk and the next line.
    has_gap: bool,
    after_end: EnvelopeTail,
    /// A line that looks like a line of a hunk but belongs to none.
    stray: Option<Span>,
    /// Whether the current envelope has its first line.
    has_begin: bool,
    /// Whether the text shows that the last section is complete. For example, a closing fence or
    /// the end of an envelope follows.
    is_closed: bool,
    /// The last header line.
    header: Option<Span>,
    /// A truncated section.
    truncated: Option<Span>,
    /// The file for hunks before the first header.
    file: Option<&'t [u8]>,
    text: &'t [u8],
    /// The possible start of a mail message whose patch was not located yet.
    message: Option<usize>,
    is_mail: bool,
}

/// The lines after the end of the last envelope.
#[derive(Clone, Copy)]
enum EnvelopeTail {
    /// No envelope has ended yet, or a section has begun since.
    Nothing,
    /// Nothing after the end line.
    End,
    /// Prose, which can be a part of the envelope if another end line follows.
    Prose(Span),
}

impl<'t> SectionReader<'t> {
    fn peek(&self, ahead: usize) -> Option<Line<'t>> {
        self.lines.get(self.next + ahead).copied()
    }

    /// Reads the element that starts at the next line.
    fn read_element(&mut self, log: &mut RepairLog) {
        let Some(line) = self.peek(0) else { return };
        if is_from_line(line.text) {
            self.message = Some(line.span.start);
        }
        if self.skip_message(line) {
            return;
        }
        // A marker or a file header ends the previous hunk, so both are tested before a hunk line.
        if let Some(marker) = parse_marker(line.text) {
            if !is_exact_marker(line.text) {
                log.note(RepairKind::Envelope, line.number);
            }
            return self.read_marker(marker, line, log);
        }
        if let Some(rest) = line.text.strip_prefix(b"diff --git ") {
            return self.read_git_header(rest, line);
        }
        if let Some(taken) = self.read_file_header(line) {
            self.next += taken;
            return;
        }
        // An option can name the file of hunks that have no header.
        if let Some(file) = self
            .file
            .filter(|_| self.sections.is_empty() && line.text.starts_with(b"@@"))
        {
            self.begin_section();
            self.sections
                .push(Section::new(SectionAction::Update, vec![file], line));
        }
        if self.is_hunk_start(line.text) {
            return self.read_hunk(log);
        }
        if self.is_mail && is_mail_signature(line.text) {
            return self.skip_signature();
        }
        self.skip_prose(line, log);
    }

    /// Skips the signature of a mail, up to the next diff or message. Its lines can have signs.
    fn skip_signature(&mut self) {
        self.is_closed = true;
        self.next += 1;
        while self
            .peek(0)
            .is_some_and(|line| !self.is_diff_or_message(line.text))
        {
            self.next += 1;
        }
    }

    /// Skips the rest of a message's text if `line`, which looks like a part of a patch, belongs to
    /// that text. `git am` reads no change there.
    fn skip_message(&mut self, line: Line<'t>) -> bool {
        if !matches!(line.text, [b'+' | b'-' | b'*' | b'@', ..]) {
            return false;
        }
        // The text of each message is located only once.
        let Some(start) = self.message.take().filter(|_| !is_patch_start(line.text)) else {
            return false;
        };
        let Some(patch) = find_patch_after(self.text, start, line.span.start) else {
            // A message after the last section has no patch.
            if self
                .sections
                .last()
                .is_some_and(|last| last.span.end <= start)
            {
                self.stray.get_or_insert(line.span);
            }
            return false;
        };
        while self.peek(0).is_some_and(|line| line.span.start < patch) {
            self.next += 1;
        }
        true
    }

    /// Returns whether a hunk of the last section begins at a line.
    fn is_hunk_start(&self, line: &[u8]) -> bool {
        let Some(section) = self.sections.last() else {
            return false;
        };
        let is_open = self.is_enveloped || !section.is_enveloped;
        // In an envelope, the first hunk of a section needs no `@@` line.
        let is_first = section.is_enveloped && section.hunks.is_empty();
        let is_headless = match section.action {
            SectionAction::Create => true,
            SectionAction::Update => !line.is_empty(),
            SectionAction::Delete => false,
        };
        is_open && (line.starts_with(b"@@") || is_first && is_headless)
    }

    /// Records that the last section is truncated, unless the text shows that it is complete.
    fn end_section(&mut self) {
        if std::mem::replace(&mut self.is_closed, true) {
            return;
        }
        // The name or mode on a header line without a newline can be truncated.
        let last = self.lines.last().map(|line| line.span);
        if let Some(section) = self
            .sections
            .last()
            .filter(|_| !self.lookahead.has_final_newline() && self.header == last)
        {
            self.truncated.get_or_insert(section.span);
        }
        let Some(section) = self.sections.last() else {
            return;
        };
        let is_change = |chunk: &RawHunk<'_>| {
            chunk
                .body
                .last()
                .is_some_and(|line| matches!(line.text, [b'+' | b'-', ..]))
        };
        let last = section.hunks.last();
        // The lines of the deleted file are missing.
        let is_bare_deletion =
            section.action == SectionAction::Delete && !section.is_enveloped && last.is_none();
        // `*** Begin Patch` requires an end marker. Without both, the last hunk of an envelope must
        // end in context: after a change, another change may be missing.
        if is_bare_deletion || self.is_enveloped && (self.has_begin || last.is_some_and(is_change))
        {
            self.truncated.get_or_insert(section.span);
        } else if let Some(chunk) = self
            .sections
            .last_mut()
            .and_then(|section| section.hunks.last_mut())
        {
            chunk.is_closed = false;
        }
    }

    /// Records the last header line of a section that begins, and that the end of this section is
    /// open.
    fn begin_section(&mut self) {
        self.is_closed = false;
        self.header = self
            .next
            .checked_sub(1)
            .and_then(|last| self.lines.get(last))
            .map(|line| line.span);
    }

    /// Reads a fence. A fence with a word opens a block. If another block is open, that block was
    /// truncated.
    fn read_fence(&mut self, line: &[u8]) {
        let is_opening = line.iter().any(u8::is_ascii_alphanumeric);
        if is_opening && self.has_fence {
            self.end_section();
        }
        self.is_closed |= self.has_fence;
        self.has_fence = is_opening || !self.has_fence;
    }

    /// Skips a line that belongs to no section. Records the line if it looks like a change.
    fn skip_prose(&mut self, line: Line<'t>, log: &mut RepairLog) {
        if is_fence(line.text) {
            self.read_fence(line.text);
        }
        self.is_closed |=
            is_signature(line.text) || is_heredoc_end(line.text) || is_closing_tag(line.text);
        let is_blank = line.text.trim_ascii().is_empty();
        self.has_gap |= is_blank;
        // A list item after an empty line and a rule (`---`) are prose. After the first section,
        // any other line with a sign may be a change whose hunk was not recognised.
        let is_item = self.has_gap
            && !self.is_enveloped
            && !self.has_fence
            && matches!(line.text, [_, b' ', ..]);
        let is_rule = line.text.len() > 2 && line.text.iter().all(|&byte| byte == b'-');
        let is_marked = matches!(line.text.first(), Some(b'+' | b'-')) && !self.sections.is_empty();
        let is_change = is_marked && !is_item && !is_rule && !is_signature(line.text);
        if is_change || line.text.starts_with(b"@@") {
            self.stray.get_or_insert(line.span);
        }
        if !is_blank {
            log.note(RepairKind::Wrapping, line.number);
            if matches!(self.after_end, EnvelopeTail::End) {
                self.after_end = EnvelopeTail::Prose(line.span);
            }
        }
        self.next += 1;
    }

    fn read_marker(&mut self, marker: Marker<'t>, line: Line<'t>, log: &mut RepairLog) {
        self.next += 1;
        let (action, name) = match marker {
            Marker::Begin => {
                (self.is_enveloped, self.after_end, self.has_begin) =
                    (true, EnvelopeTail::Nothing, true);
                self.is_closed = false;
                return;
            }
            Marker::End => {
                (self.has_begin, self.is_closed) = (false, true);
                // The lines between two end markers may be changes.
                if let EnvelopeTail::Prose(span) = self.after_end {
                    self.stray.get_or_insert(span);
                }
                (self.is_enveloped, self.after_end) = (false, EnvelopeTail::End);
                return;
            }
            Marker::Move(name) => return self.read_move(name, line),
            // Between hunks, these markers state nothing about a change.
            Marker::EndOfFile | Marker::Environment => return,
            Marker::Add(name) => (SectionAction::Create, name),
            Marker::Delete(name) => (SectionAction::Delete, name),
            Marker::Update(name) => (SectionAction::Update, name),
        };
        if !self.is_enveloped {
            log.note(RepairKind::Envelope, line.number);
        }
        (self.is_enveloped, self.after_end) = (true, EnvelopeTail::Nothing);
        self.begin_section();
        self.sections.push(Section {
            is_enveloped: true,
            has_marker: true,
            ..Section::new(action, vec![name], line)
        });
    }

    /// Reads `*** Move to:`, which a section can contain once.
    fn read_move(&mut self, name: &'t [u8], line: Line<'t>) {
        self.header = Some(line.span);
        let is_free = |section: &&mut Section<'_>| {
            section.action == SectionAction::Update && section.target.is_none()
        };
        match self
            .sections
            .last_mut()
            .filter(|_| self.is_enveloped)
            .filter(is_free)
        {
            Some(section) => section.target = Some(name),
            None => {
                self.stray.get_or_insert(line.span);
            }
        }
    }
}
