//! Reads the body of a hunk, and finds its end.

use super::markers::{
    Marker, is_closing_tag, is_end_marker, is_fence, is_file_header, is_heredoc_end, is_signature,
    parse_marker,
};
use super::{Line, SectionAction, SectionReader};
use crate::repair::RepairLog;
use crate::repair::chunk::{RawHunk, RawHunkHeader};
use crate::syntax::{is_from_line, is_mail_signature};

/// Facts about the lines that follow, computed once for all lines.
pub(super) struct Lookahead {
    /// For each line, whether an insertion or deletion follows it before the next header.
    has_more: Vec<bool>,
    /// The last line that ends an envelope.
    last_end: Option<usize>,
    /// The index after the last line that is not blank.
    end: usize,
    /// Whether the last line has a newline.
    has_final_newline: bool,
}

impl Lookahead {
    /// Returns whether the last line has a newline.
    pub(super) fn has_final_newline(&self) -> bool {
        self.has_final_newline
    }

    pub(super) fn of(lines: &[Line<'_>], is_whole: bool) -> Self {
        let mut has_more = vec![false; lines.len()];
        // Lines after a header belong to another hunk, so the search upwards starts again there.
        let mut is_behind = false;
        for (index, line) in lines.iter().enumerate().rev() {
            has_more[index] = is_behind;
            let next = lines.get(index + 1).map_or(&b""[..], |line| line.text);
            if is_file_header(line.text) || line.text.starts_with(b"@@") || is_pair(line.text, next)
            {
                is_behind = false;
            } else if matches!(line.text, [b'+' | b'-', ..]) && !is_signature(line.text) {
                is_behind = true;
            }
        }
        // `+*** End Patch` can be a line of a new file, so it does not count here.
        let last_end = lines
            .iter()
            .rposition(|line| !line.text.starts_with(b"+") && is_end_marker(line.text));
        let last = lines
            .iter()
            .rposition(|line| !line.text.trim_ascii().is_empty());
        Self {
            has_more,
            last_end,
            end: last.map_or(0, |last| last + 1),
            has_final_newline: is_whole,
        }
    }
}

/// Returns whether the lines are the `---` and `+++` lines of a header.
fn is_pair(line: &[u8], next: &[u8]) -> bool {
    line.starts_with(b"--- ") && next.starts_with(b"+++ ")
}

impl<'t> SectionReader<'t> {
    /// Reads a hunk: its header lines, if there are any, and its body.
    pub(super) fn read_hunk(&mut self, log: &mut RepairLog) {
        let Some(first) = self.peek(0) else { return };
        let mut header = RawHunkHeader::default();
        while let Some(line) = self.peek(0).filter(|line| line.text.starts_with(b"@@")) {
            header.read_line(line, log);
            self.next += 1;
        }
        self.has_gap = false;
        let is_create = self
            .sections
            .last()
            .is_some_and(|section| section.action == SectionAction::Create);
        let (body, is_at_end) =
            self.read_body(&header, self.is_enveloped && is_create, first.is_converted);
        // A new file has no context that could show where it ends.
        if self.is_enveloped && is_create && !self.is_certain_end(&body) {
            self.stray.get_or_insert(first.span);
        }
        self.is_closed = false;
        let is_bounded = self.is_enveloped && self.has_end();
        let Some(section) = self.sections.last_mut() else {
            return;
        };
        if let Some(last) = self
            .next
            .checked_sub(1)
            .and_then(|last| self.lines.get(last))
        {
            section.span.end = last.span.end;
        }
        let is_torn = self.next == self.lines.len() && !self.lookahead.has_final_newline();
        section.hunks.push(RawHunk {
            is_bounded,
            is_unterminated: is_torn,
            ..RawHunk::new(header, body, first, is_at_end)
        });
    }

    /// Reads the lines up to the end of the hunk. Also returns whether a marker states that the
    /// hunk is at the end of the file.
    fn read_body(
        &mut self,
        header: &RawHunkHeader<'t>,
        is_free: bool,
        is_converted: bool,
    ) -> (Vec<Line<'t>>, bool) {
        let (mut body, mut counts, mut is_at_end) = (Vec::new(), (0, 0), false);
        while let Some(line) = self.peek(0).filter(|line| !line.text.starts_with(b"@@")) {
            match parse_marker(line.text).filter(|_| !self.is_content(line)) {
                Some(Marker::EndOfFile) => {
                    is_at_end = true;
                    self.next += 1;
                    continue;
                }
                Some(_) => break,
                None => {}
            }
            // `older` has already found the end of a converted hunk.
            if is_converted && !line.is_converted || self.ends_body(line, header, counts, is_free) {
                break;
            }
            match line.text.first() {
                Some(b'+') => counts.1 += 1,
                Some(b'-') => counts.0 += 1,
                Some(b'\\') => {}
                _ => counts = (counts.0 + 1, counts.1 + 1),
            }
            body.push(line);
            self.next += 1;
        }
        (body, is_at_end)
    }

    /// Returns whether a line that looks like a marker after a sign is a line of the file, as in a
    /// test of this grammar. Only `+*** End Patch` can be a marker: if no change and no other end
    /// marker follows, a model has written a sign before the marker.
    fn is_content(&self, line: Line<'_>) -> bool {
        let is_end =
            is_end_marker(line.text) && self.is_enveloped && !self.has_more() && !self.has_end();
        line.text.starts_with(b"+") && !is_end
    }

    /// Returns whether the end of a new file in an envelope is certain. Either a marker follows, or
    /// the lines have signs and the last line is complete.
    fn is_certain_end(&self, body: &[Line<'_>]) -> bool {
        let has_marker = self
            .peek(0)
            .is_some_and(|line| parse_marker(line.text).is_some());
        let is_signed = body.iter().any(|line| line.text.starts_with(b"+"));
        has_marker
            || is_signed && (self.lookahead.has_final_newline || self.next < self.lines.len())
    }

    /// Returns whether `line` cannot belong to the body before it.
    fn ends_body(
        &self,
        line: Line<'t>,
        header: &RawHunkHeader<'t>,
        counts: (usize, usize),
        is_free: bool,
    ) -> bool {
        let text = line.text;
        let next = self.peek(1).map_or(&b""[..], |line| line.text);
        // A header can lack its `---` line.
        let is_lone_file = text.starts_with(b"+++ ") && next.starts_with(b"@@");
        if self.is_diff_or_message(text) || is_lone_file {
            return true;
        }
        let is_full = header.counts == Some(counts);
        if is_full && self.is_mail && is_mail_signature(text) {
            return true;
        }
        let is_closing = self.has_fence && is_fence(text) || is_heredoc_end(text);
        let is_tag = is_closing_tag(text) && !self.is_enveloped;
        if is_closing || is_tag {
            // Such a line can also be context that lost its sign, such as `</div>`. It ends the
            // hunk if the counts are used up, or if neither a change nor an end marker follows. In
            // a new file, which has no context, it must also be the last line of the text.
            let has_rest = self.has_more() || self.is_enveloped && self.has_end();
            return is_full || !has_rest && (!is_free || self.next + 1 == self.lookahead.end);
        }
        if is_signature(text) && next.first().is_none_or(u8::is_ascii_digit) {
            // git writes its version after `-- `. If the header still counts lines, `-- ` deletes
            // the line `- `.
            return !header
                .counts
                .is_some_and(|wanted| counts.0 < wanted.0 || counts.1 < wanted.1);
        }
        // After the last counted line, a line without a sign is prose.
        let is_marked = matches!(text.first(), Some(b' ' | b'+' | b'-' | b'\\'));
        !is_free && is_full && !is_marked
    }

    /// Returns whether a diff or a mail message begins at the next line, `text`.
    pub(super) fn is_diff_or_message(&self, text: &[u8]) -> bool {
        let next = self.peek(1).map_or(&b""[..], |line| line.text);
        text.starts_with(b"diff --git ") || is_pair(text, next) || is_from_line(text)
    }

    /// Returns whether an end marker without a sign follows, at the next line or later.
    fn has_end(&self) -> bool {
        self.lookahead
            .last_end
            .is_some_and(|last| last >= self.next)
    }

    /// Returns whether an insertion or deletion follows the next line, before another header.
    fn has_more(&self) -> bool {
        self.lookahead
            .has_more
            .get(self.next)
            .copied()
            .unwrap_or_default()
    }
}
