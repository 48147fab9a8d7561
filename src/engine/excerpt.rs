//! Excerpts of a patch for messages: a few lines, escaped and shortened, with a marked range.

use std::ops::Range;

use crate::plan::Input;
use crate::text::{Lines, Position, Span, lines, printable, without_ending};

/// The number of lines before the marked line.
const LINES_BEFORE: usize = 2;
/// The number of lines after the marked line.
const LINES_AFTER: usize = 1;
/// The limit on the length of a line, in columns.
const COLUMNS: usize = 120;
/// The number of bytes before the mark that are shown if the marked line is too long.
const BYTES_BEFORE: usize = 40;

/// Lines of a patch that are safe for a terminal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Excerpt {
    /// The name of the patch, escaped.
    pub(crate) name: String,
    /// The lines, escaped.
    pub(crate) text: String,
    /// The number of the first line, counted from 1.
    pub(crate) first_line: usize,
    /// The marked range of `text`, in bytes.
    pub(crate) mark: Range<usize>,
}

impl Excerpt {
    /// Returns the lines around `span` of `input`, with their numbers in the original input. For
    /// base64 data, the excerpt contains the decoded line.
    pub(crate) fn of(input: &Input, span: Span) -> Self {
        Self {
            name: printable(input.name.as_bytes()).to_string(),
            ..Self::without_name(input, span)
        }
    }

    fn without_name(input: &Input, span: Span) -> Self {
        let Some(origin) = &input.origin else {
            return Self::of_span(&input.bytes, span);
        };
        if origin.is_readable(span.start) {
            let start = origin.offset(span.start);
            return Self::of_span(
                &origin.bytes,
                Span::new(start, origin.offset(span.end).max(start)),
            );
        }
        // The original is base64. Show the decoded line with the number of its encoded line.
        let start = span.start.min(input.bytes.len());
        let line = Lines::of_span(
            &input.bytes,
            Span::new(line_start(&input.bytes, start), input.bytes.len()),
        );
        let first = line.offset();
        let line = without_ending(line.peek().unwrap_or_default());
        let mut excerpt = Self {
            first_line: origin.position(start).line,
            ..Self::default()
        };
        excerpt.push_marked(line, start - first, span.end.saturating_sub(first));
        excerpt
    }

    /// Returns the lines around `span` of `patch`. Only the first line of the span is marked.
    ///
    /// The cost is linear in the length of the patch up to the span.
    fn of_span(patch: &[u8], span: Span) -> Self {
        let start = span.start.min(patch.len());
        let line_start = line_start(patch, start);
        let first_start = (0..LINES_BEFORE).fold(line_start, |at, _| line_start_before(patch, at));
        let mut excerpt = Self {
            first_line: Position::of(patch, first_start).line,
            ..Self::default()
        };
        for (_, line) in lines(&patch[first_start..line_start]) {
            excerpt.push(without_ending(line));
        }
        let mut rest = lines(&patch[line_start..]);
        let line = rest
            .next()
            .map_or(&b""[..], |(_, line)| without_ending(line));
        excerpt.push_marked(
            line,
            start - line_start,
            span.end.saturating_sub(line_start),
        );
        for (_, line) in rest.take(LINES_AFTER) {
            excerpt.push(without_ending(line));
        }
        excerpt
    }

    fn push(&mut self, line: &[u8]) {
        // A character has at most 4 bytes, so the rest of a long line need not be escaped.
        self.text += &clip(&line[..line.len().min(COLUMNS * 4)], COLUMNS);
        self.text.push('\n');
    }

    /// Adds a line and marks its bytes from `start` to `end`.
    fn push_marked(&mut self, line: &[u8], start: usize, end: usize) {
        let start = start.min(line.len());
        let end = end.clamp(start, line.len());
        let from = if line.len() > COLUMNS {
            start.saturating_sub(BYTES_BEFORE)
        } else {
            0
        };
        if from > 0 {
            self.text.push('…');
        }
        self.text += &printable(&line[from..start]).to_string();
        let mark_start = self.text.len();
        self.text += &clip(&line[start..end.min(start + COLUMNS * 4)], COLUMNS);
        self.mark = mark_start..self.text.len();
        self.text += &clip(&line[end..line.len().min(end + COLUMNS * 4)], COLUMNS / 2);
        self.text.push('\n');
    }
}

/// Returns the start of the line that contains the byte at `offset`.
fn line_start(text: &[u8], offset: usize) -> usize {
    memchr::memrchr(b'\n', &text[..offset]).map_or(0, |newline| newline + 1)
}

/// Returns the start of the line before the line that starts at `start`.
fn line_start_before(text: &[u8], start: usize) -> usize {
    start
        .checked_sub(1)
        .map_or(0, |newline| line_start(text, newline))
}

/// Escapes `bytes` and shortens the text to `width` characters.
pub(crate) fn clip(bytes: &[u8], width: usize) -> String {
    let text = printable(bytes).to_string();
    match text.char_indices().nth(width) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_is_marked_among_its_neighbours() {
        let excerpt = Excerpt::of_span(
            b"one\ntwo\nthree\nf\x1bur five\nsix\nseven\n",
            Span::new(14, 18),
        );
        let text = "two\nthree\nf\\x1bur five\nsix\n".to_owned();
        let expected = Excerpt {
            text,
            first_line: 2,
            mark: 10..17,
            ..Excerpt::default()
        };
        assert_eq!(excerpt, expected);
    }

    #[test]
    fn a_place_at_the_end_has_no_line() {
        let excerpt = Excerpt::of_span(b"one\n", Span::new(4, 4));
        assert_eq!(
            excerpt,
            Excerpt {
                text: "one\n\n".to_owned(),
                first_line: 1,
                mark: 4..4,
                ..Excerpt::default()
            }
        );
        assert_eq!(Excerpt::of_span(b"", Span::new(9, 12)).text, "\n");
    }

    #[test]
    fn a_long_line_is_cut_on_both_sides() {
        let line = [
            vec![b'a'; 2_000_000],
            b"x\n".to_vec(),
            vec![b'b'; 2_000_000],
        ]
        .concat();
        let excerpt = Excerpt::of_span(&line, Span::new(1_000_000, 1_000_001));
        assert_eq!(
            excerpt
                .text
                .lines()
                .map(|line| line.chars().count())
                .collect::<Vec<_>>(),
            [103, 121]
        );
        assert_eq!(&excerpt.text[excerpt.mark], "a");
    }
}
