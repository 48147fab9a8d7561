//! An `*** Update File: ` section: an optional new name, then hunks.

use super::reader::{Line, LineCursor};
use super::{ADD, DELETE, END, UPDATE, parse_path};
use crate::plan::{Action, Anchor, Edit, Hunk, LineRange, Name};
use crate::syntax::{Options, Sections, SyntaxError, SyntaxErrorKind};
use crate::text::Span;

const MOVE: &str = "*** Move to: ";
const END_OF_FILE: &str = "*** End of File";

pub(super) const HUNK_LINE: SyntaxErrorKind =
    SyntaxErrorKind::Expected("a line that starts with ` `, `-` or `+`");
pub(super) const NEXT_HUNK: SyntaxErrorKind =
    SyntaxErrorKind::Expected("`@@`, a section header or `*** End Patch` after `*** End of File`");
pub(super) const ANY_HUNK: SyntaxErrorKind =
    SyntaxErrorKind::Expected("a hunk with lines that start with ` `, `-` or `+`");

/// Reads the rest of the section below `header`, which names `file`.
pub(super) fn read(
    reader: &mut LineCursor<'_>,
    header: &Line<'_>,
    file: Name,
    options: Options,
    sections: &mut Sections,
) -> Result<(), SyntaxError> {
    let is_move = |line: &Line<'_>| is_at_margin(line) && line.trim().starts_with(MOVE);
    let destination = reader
        .take_if(is_move)?
        .and_then(|line| parse_path(&line, MOVE));
    let hunks = read_hunks(reader, options)?;
    if hunks.is_empty() && destination.is_none() {
        return Err(SyntaxError::new(ANY_HUNK, reader.place()));
    }
    let edit = if hunks.is_empty() {
        Edit::Keep
    } else {
        Edit::Hunks(hunks)
    };
    let span = Span::new(header.whole.start, reader.offset());
    match destination {
        Some(destination) => {
            sections.push(Action::Rename, destination, edit, span).from = Some(file);
        }
        None => {
            sections.push(Action::Modify, file, edit, span);
        }
    }
    Ok(())
}

/// Reads the hunks up to the end of the section.
pub(super) fn read_hunks(
    reader: &mut LineCursor<'_>,
    options: Options,
) -> Result<Vec<Hunk>, SyntaxError> {
    let mut hunks: Vec<Hunk> = Vec::new();
    loop {
        let Some(line) = reader.peek()?.filter(|line| !is_section_end(line, reader)) else {
            return Ok(hunks);
        };
        let is_behind_end = hunks
            .last()
            .is_some_and(|hunk| matches!(hunk.anchor, Anchor::Headings { at_end: true, .. }));
        if is_behind_end && !is_heading(&line) {
            return Err(SyntaxError::new(NEXT_HUNK, line.span));
        }
        if hunks.is_empty() {
            let mut rest = reader.clone();
            if skip_empty_lines_at_end(&mut rest)? {
                *reader = rest;
                return Ok(hunks);
            }
        }
        options.allow_hunks(hunks.len() + 1, line.span)?;
        hunks.push(read_hunk(reader)?);
    }
}

/// Skips empty lines. Returns whether the section ends after them, in which case they are not a
/// hunk.
fn skip_empty_lines_at_end(reader: &mut LineCursor<'_>) -> Result<bool, SyntaxError> {
    while reader.take_if(|line| line.content().is_empty())?.is_some() {}
    Ok(reader
        .peek()?
        .is_none_or(|line| is_section_end(&line, reader)))
}

fn read_hunk(reader: &mut LineCursor<'_>) -> Result<Hunk, SyntaxError> {
    let start = reader.offset();
    let (header, headings) = read_headings(reader)?;
    let body_start = reader.offset();
    let (old, new) = read_body(reader)?;
    let body = Span::new(body_start, reader.offset());
    if body.is_empty() {
        return Err(SyntaxError::new(HUNK_LINE, reader.place()));
    }
    let at_end = reader
        .take_if(|line| line.content().trim_end() == END_OF_FILE)?
        .is_some();
    if at_end {
        reader.skip_blank_lines()?;
    }
    Ok(Hunk {
        anchor: Anchor::Headings {
            headings: headings.into(),
            at_end,
        },
        span: Span::new(start, body.end),
        header,
        body,
        old: LineRange {
            start: 0,
            count: old,
        },
        new: LineRange {
            start: 0,
            count: new,
        },
        section: Span::new(body_start, body_start),
        selection: None,
    })
}

/// Reads the `@@` lines of a hunk. The first hunk can have none, and several are allowed if each
/// has a text. Returns the first line, and the texts.
fn read_headings(reader: &mut LineCursor<'_>) -> Result<(Span, Vec<Span>), SyntaxError> {
    let start = reader.offset();
    let Some(first) = reader.take_if(is_heading)? else {
        return Ok((Span::new(start, start), Vec::new()));
    };
    let mut headings = Vec::from_iter(heading_text(&first));
    while !headings.is_empty() {
        let Some(next) = reader.take_if(|line| is_heading(line) && heading_text(line).is_some())?
        else {
            break;
        };
        headings.extend(heading_text(&next));
    }
    Ok((first.span, headings))
}

/// Returns the text after `@@ `, or `None` if there is none.
fn heading_text(heading: &Line<'_>) -> Option<Span> {
    let length = heading.content().trim_end().len();
    // `is_heading` accepts only `@@` alone, or `@@` with a blank after it.
    (length > 2).then(|| Span::new(heading.span.start + 3, heading.span.start + length))
}

/// Reads the lines of a hunk and returns the numbers of old and of new lines.
fn read_body(reader: &mut LineCursor<'_>) -> Result<(usize, usize), SyntaxError> {
    let (mut old, mut new) = (0, 0);
    loop {
        let Some(line) = reader.peek()?.filter(|line| !ends_body(line, reader)) else {
            return Ok((old, new));
        };
        let (is_old, is_new) = match line.content().as_bytes().first() {
            // An empty line is context that lost its leading space.
            None | Some(b' ') => (true, true),
            Some(b'-') => (true, false),
            Some(b'+') => (false, true),
            Some(_) => return Err(SyntaxError::new(HUNK_LINE, line.span)),
        };
        old += usize::from(is_old);
        new += usize::from(is_new);
        reader.pass(&line);
    }
}

fn ends_body(line: &Line<'_>, reader: &LineCursor<'_>) -> bool {
    is_heading(line) || is_section_end(line, reader) || line.content().trim_end() == END_OF_FILE
}

/// `@@`, or `@@` with a blank and a text after it.
fn is_heading(line: &Line<'_>) -> bool {
    let content = line.content().trim_end();
    content == "@@" || content.starts_with("@@ ")
}

/// Inside an update, a marker counts only at the start of a line. An indented marker is context,
/// except on the last line of the text.
fn is_section_end(line: &Line<'_>, reader: &LineCursor<'_>) -> bool {
    let content = line.content().trim_end();
    content == END
        || line.trim() == END && reader.is_last(line)
        || [ADD, DELETE, UPDATE]
            .iter()
            .any(|marker| content.starts_with(marker))
}

fn is_at_margin(line: &Line<'_>) -> bool {
    line.content().starts_with('*')
}
