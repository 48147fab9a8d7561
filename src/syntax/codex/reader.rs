//! The lines of an envelope, which must be UTF-8.

use crate::syntax::{SyntaxError, SyntaxErrorKind, content_span};
use crate::text::{Lines, Span, without_ending};

/// One line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    content: &'a str,
    /// The line without terminator.
    pub(super) span: Span,
    /// The line with terminator.
    pub(super) whole: Span,
}

impl<'a> Line<'a> {
    /// Returns the line without its terminator, LF or CR LF.
    pub(super) fn content(&self) -> &'a str {
        self.content
    }

    /// Returns the line without white space on both sides.
    pub(super) fn trim(&self) -> &'a str {
        self.content.trim()
    }
}

/// A cursor over lines.
#[derive(Clone, Debug)]
pub(super) struct LineCursor<'a> {
    text: &'a [u8],
    lines: Lines<'a>,
    /// The delimiter of the here-document that contains the envelope.
    pub(super) heredoc: Option<&'a str>,
}

impl<'a> LineCursor<'a> {
    /// Returns a cursor at the line that starts at `from`.
    pub(super) fn new(text: &'a [u8], from: usize) -> Self {
        Self {
            text,
            lines: Lines::of_span(text, Span::new(from, text.len())),
            heredoc: None,
        }
    }

    /// Returns the start of the next line.
    pub(super) fn offset(&self) -> usize {
        self.lines.offset()
    }

    /// Returns the position of the next line.
    pub(super) fn place(&self) -> Span {
        content_span(self.text, self.offset())
    }

    /// Returns the next line without moving the cursor.
    ///
    /// # Errors
    ///
    /// Returns an error at the first byte that is not UTF-8.
    pub(super) fn peek(&self) -> Result<Option<Line<'a>>, SyntaxError> {
        let Some(line) = self.lines.peek() else {
            return Ok(None);
        };
        let start = self.offset();
        let span = Span::new(start, start + without_ending(line).len());
        let content = std::str::from_utf8(span.slice(self.text)).map_err(|error| {
            let place = Span::new(span.start + error.valid_up_to(), span.end);
            SyntaxError::new(SyntaxErrorKind::Expected("UTF-8"), place)
        })?;
        Ok(Some(Line {
            content,
            span,
            whole: Span::new(start, start + line.len()),
        }))
    }

    /// Returns whether only blank lines follow `line`, and optionally the line that ends the
    /// here-document.
    pub(super) fn is_last(&self, line: &Line<'_>) -> bool {
        let rest = self.text[line.whole.end..].trim_ascii_start();
        let rest = self
            .heredoc
            .and_then(|delimiter| rest.strip_prefix(delimiter.as_bytes()))
            .unwrap_or(rest);
        rest.trim_ascii_start().is_empty()
    }

    /// Returns the next line and moves the cursor past it.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`LineCursor::peek`].
    pub(super) fn next(&mut self) -> Result<Option<Line<'a>>, SyntaxError> {
        self.take_if(|_| true)
    }

    /// Returns the next line and moves the cursor past it, if `is_meant` returns `true`.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`LineCursor::peek`].
    pub(super) fn take_if(
        &mut self,
        is_meant: impl Fn(&Line<'a>) -> bool,
    ) -> Result<Option<Line<'a>>, SyntaxError> {
        let line = self.peek()?.filter(is_meant);
        if let Some(line) = &line {
            self.pass(line);
        }
        Ok(line)
    }

    /// Moves the cursor past `line`, which must be the next line.
    pub(super) fn pass(&mut self, line: &Line<'_>) {
        self.lines = Lines::of_span(self.text, Span::new(line.whole.end, self.text.len()));
    }

    /// Moves the cursor past blank lines.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`LineCursor::peek`].
    pub(super) fn skip_blank_lines(&mut self) -> Result<(), SyntaxError> {
        while self.take_if(|line| line.trim().is_empty())?.is_some() {}
        Ok(())
    }
}
