//! Prints one line as terminal rows: escaped, with tabs expanded, wrapped.

use std::io;
use std::ops::Range;

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthChar;

use crate::report::syntax_colors::Token;
use crate::text::{is_dangerous, printable};

/// The distance between tab stops, in columns.
const TAB_WIDTH: usize = 8;
/// The style of escape sequences that replace bytes or characters.
const ESCAPED: Style = AnsiColor::Magenta.on_default();
/// The maximum number of bytes of a line that are shown.
const MAX_LINE_BYTES: usize = 4000;
/// The maximum number of bytes of a line that a review shows.
#[cfg(feature = "review")]
pub(crate) const MAX_STYLED_LINE_BYTES: usize = 256 << 10;

/// A syntax token and its bytes.
type TokenRange = (Range<usize>, Token);

/// One row. Each piece of text has one style.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) pieces: Vec<(TextStyle, String)>,
    /// The width in columns.
    pub(crate) width: usize,
    /// Whether the row continues the line of the row above it.
    pub(crate) is_continuation: bool,
}

/// The style of a piece of text within its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextStyle {
    pub(crate) emphasis: Emphasis,
    /// The token of which the text is a part.
    pub(crate) token: Option<Token>,
}

/// The emphasis of a piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Emphasis {
    /// The text has the style of its line.
    Plain,
    /// The text differs from the other file.
    Marked,
    /// The text replaces a byte or character that can affect the terminal.
    Escaped,
}

/// Returns `text` as one or more rows of at most `width` columns. `marks` are the marked byte
/// ranges, in order.
pub(super) fn wrap_line(text: &[u8], marks: &[Range<usize>], width: usize) -> Vec<Row> {
    wrap(text, (marks, &[]), width, MAX_LINE_BYTES)
}

/// Returns `text` as one or more rows of at most `width` columns. `marks` are the marked byte
/// ranges, and `tokens` the syntax tokens, both in order.
#[cfg(feature = "review")]
pub(crate) fn wrap_styled_line(
    text: &[u8],
    styles: (&[Range<usize>], &[TokenRange]),
    width: usize,
) -> Vec<Row> {
    wrap(text, styles, width, MAX_STYLED_LINE_BYTES)
}

fn wrap(
    text: &[u8],
    (marks, tokens): (&[Range<usize>], &[TokenRange]),
    width: usize,
    limit: usize,
) -> Vec<Row> {
    let end = if text.len() > limit {
        char_boundary(text, limit)
    } else {
        text.len()
    };
    let mut rows = RowBuilder {
        wrapped_rows: vec![Row::default()],
        width: width.max(1),
        column: 0,
    };
    let (mut marks, mut tokens) = (marks.iter().peekable(), tokens.iter().peekable());
    let mut style = |at: usize| {
        while marks.next_if(|mark| mark.end <= at).is_some() {}
        while tokens.next_if(|(range, _)| range.end <= at).is_some() {}
        let emphasis = match marks.peek() {
            Some(mark) if mark.start <= at => Emphasis::Marked,
            _ => Emphasis::Plain,
        };
        let token = tokens.peek().filter(|(range, _)| range.start <= at);
        TextStyle {
            emphasis,
            token: token.map(|(_, token)| *token),
        }
    };
    let mut at = 0;
    for chunk in text[..end].utf8_chunks() {
        for character in chunk.valid().chars() {
            rows.push_visible(character, style(at));
            at += character.len_utf8();
        }
        for byte in chunk.invalid() {
            rows.push_escaped(&printable(&[*byte]).to_string(), style(at));
            at += 1;
        }
    }
    if end < text.len() {
        rows.push_escaped(
            &format!("... {} more bytes", text.len() - end),
            TextStyle {
                emphasis: Emphasis::Plain,
                token: None,
            },
        );
    }
    rows.wrapped_rows
}

/// Returns the last offset up to `most` that is not inside a character.
fn char_boundary(text: &[u8], most: usize) -> usize {
    (most.saturating_sub(3)..=most)
        .rev()
        .find(|&at| text[at] & 0xc0 != 0x80)
        .unwrap_or(most)
}

struct RowBuilder {
    wrapped_rows: Vec<Row>,
    width: usize,
    /// The column in the unwrapped line, for tab stops.
    column: usize,
}

impl RowBuilder {
    fn push_visible(&mut self, character: char, style: TextStyle) {
        if character == '\t' {
            for _ in 0..TAB_WIDTH - self.column % TAB_WIDTH {
                self.push(' ', 1, style);
            }
        } else if is_dangerous(character) {
            self.push_escaped(
                &printable(character.encode_utf8(&mut [0; 4]).as_bytes()).to_string(),
                style,
            );
        } else {
            self.push(character, character.width().unwrap_or(0), style);
        }
    }

    fn push_escaped(&mut self, text: &str, style: TextStyle) {
        let emphasis = match style.emphasis {
            Emphasis::Marked => Emphasis::Marked,
            Emphasis::Plain | Emphasis::Escaped => Emphasis::Escaped,
        };
        for character in text.chars() {
            self.push(character, 1, TextStyle { emphasis, ..style });
        }
    }

    fn push(&mut self, character: char, width: usize, style: TextStyle) {
        // A row takes at least one character, even a wide one in a row of one column. Combining
        // characters have no width and stay with the character before them.
        let is_full = self
            .wrapped_rows
            .last()
            .is_none_or(|row| row.width > 0 && row.width + width > self.width);
        if is_full {
            self.wrapped_rows.push(Row {
                is_continuation: true,
                ..Row::default()
            });
        }
        let Some(row) = self.wrapped_rows.last_mut() else {
            return;
        };
        match row.pieces.last_mut() {
            Some((last, text)) if *last == style => text.push(character),
            _ => row.pieces.push((style, character.to_string())),
        }
        row.width += width;
        self.column += width;
    }
}

impl Row {
    /// Prints the row in `style`.
    pub(super) fn print(&self, style: Style, out: &mut dyn io::Write) -> io::Result<()> {
        for (part, text) in &self.pieces {
            let style = match part.emphasis {
                Emphasis::Plain => style,
                Emphasis::Marked => style.invert(),
                Emphasis::Escaped => ESCAPED,
            };
            write!(out, "{style}{text}{style:#}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &[u8], width: usize) -> Vec<String> {
        let joined = |row: Row| row.pieces.into_iter().map(|(_, text)| text).collect();
        wrap_line(text, &[], width)
            .into_iter()
            .map(joined)
            .collect()
    }

    #[test]
    fn nothing_reaches_the_terminal_that_acts_on_it() {
        let line = b"a\x1b[31m\x07\r\xff\xe2\x80\xae\xc2\x9b";
        assert_eq!(texts(line, 80), ["a\\x1b[31m\\x07\\r\\xff\\u{202e}\\u{9b}"]);
    }

    #[test]
    fn tabs_go_to_their_stops_and_wide_characters_stay_whole() {
        assert_eq!(texts(b"a\tb", 20), ["a       b"]);
        assert_eq!(texts("一二三".as_bytes(), 5), ["一二", "三"]);
        assert_eq!(texts("e\u{301}x".as_bytes(), 1), ["e\u{301}", "x"]);
        assert_eq!(texts(b"", 5), [""]);
    }

    #[test]
    fn a_mark_goes_on_in_the_next_row() {
        let found = wrap_line(b"abcdef", &[1..2, 3..5], 4);
        let pieces: Vec<_> = found.iter().map(|row| row.pieces.clone()).collect();
        let piece = |emphasis, text: &str| {
            let style = TextStyle {
                emphasis,
                token: None,
            };
            (style, text.to_owned())
        };
        let plain = |text| piece(Emphasis::Plain, text);
        let marked = |text| piece(Emphasis::Marked, text);
        assert_eq!(
            pieces,
            [
                vec![plain("a"), marked("b"), plain("c"), marked("d")],
                vec![marked("e"), plain("f")]
            ]
        );
    }

    #[test]
    fn a_long_line_is_cut() {
        let line = "é".repeat(3000);
        let all = texts(line.as_bytes(), 1000).concat();
        assert!(
            all.ends_with("é... 2000 more bytes"),
            "{}",
            &all[all.len() - 30..]
        );
    }
}
