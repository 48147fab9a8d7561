//! The patch language of Codex: an envelope with sections. Each section sees the tree after the
//! previous one.
//!
//! The parser accepts the language of codex 0.169.0. It also accepts stacked `@@` headings, a
//! rename without a hunk, blank lines between sections, and an addition below its heading. Read
//! this file first; `update.rs` reads the hunks of an update.

mod reader;
mod update;

use bstr::ByteSlice;
use reader::{Line, LineCursor};

use super::{Options, Sections, Syntax, SyntaxError, SyntaxErrorKind};
use crate::plan::{Action, Anchor, Edit, Hunk, LineRange, Name, NameCandidate, StripRule};
use crate::syntax::writers::{self, PatchChange, WriteError};
use crate::text::Span;

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const ENVIRONMENT: &str = "*** Environment ID:";
const ADD: &str = "*** Add File: ";
const DELETE: &str = "*** Delete File: ";
const UPDATE: &str = "*** Update File: ";

const SECTION: SyntaxErrorKind = SyntaxErrorKind::Expected(
    "`*** Add File: `, `*** Delete File: `, `*** Update File: ` or `*** End Patch`",
);

/// The grammar of Codex envelopes.
pub(super) struct Codex;

impl Syntax for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn formats(&self) -> &'static [&'static str] {
        &["codex"]
    }

    fn grammar(&self) -> &'static str {
        include_str!("../../../grammar/codex.lark")
    }

    fn has_sign_column(&self) -> bool {
        true
    }

    fn has_lenient_hunks(&self) -> bool {
        true
    }

    fn has_letter_summary(&self) -> bool {
        true
    }

    fn find(&self, text: &[u8], from: usize) -> Option<usize> {
        let mut offset = from;
        loop {
            let at = offset + text[offset..].find(BEGIN.as_bytes())?;
            let start = memchr::memrchr(b'\n', &text[offset..at])
                .map_or(offset, |newline| offset + newline + 1);
            let end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |newline| at + newline);
            // The marker can be indented, but it must be alone on its line.
            if std::str::from_utf8(&text[start..end]).is_ok_and(|line| line.trim() == BEGIN) {
                return Some(find_heredoc_start(text, from, start).unwrap_or(start));
            }
            offset = end;
        }
    }

    fn parse(
        &self,
        text: &[u8],
        from: usize,
        options: Options,
        sections: &mut Sections,
    ) -> Result<usize, SyntaxError> {
        let mut reader = LineCursor::new(text, from);
        let wrapper = reader.take_if(|line| heredoc_delimiter(line.content()).is_some())?;
        reader.heredoc = wrapper.and_then(|line| heredoc_delimiter(line.content()));
        reader
            .take_if(|line| line.trim() == BEGIN)?
            .ok_or_else(|| {
                SyntaxError::new(
                    SyntaxErrorKind::Expected("`*** Begin Patch`"),
                    reader.place(),
                )
            })?;
        skip_environment(&mut reader)?;
        let mut is_first = true;
        while !take_end_marker(&mut reader, is_first)? {
            options.allow_files(sections.operations.len() + 1, reader.place())?;
            read_section(&mut reader, options, sections)?;
            // Each section sees the tree after the previous one.
            sections.step += 1;
            is_first = false;
        }
        if let Some(delimiter) = reader.heredoc {
            reader.skip_blank_lines()?;
            let is_closing = |line: &Line<'_>| line.trim().ends_with(delimiter);
            if reader.take_if(is_closing)?.is_none() {
                return Err(SyntaxError::new(
                    SyntaxErrorKind::Expected("the delimiter of the here-document"),
                    reader.place(),
                ));
            }
        }
        Ok(reader.offset())
    }

    fn write(&self, changes: &[PatchChange<'_>], _: usize) -> Result<Vec<u8>, WriteError> {
        writers::write_codex(changes)
    }
}

/// Returns the delimiter of a here-document, with or without quotes, if `line` is a redirection
/// such as `<<'EOF'`.
fn heredoc_delimiter(line: &str) -> Option<&str> {
    let word = line.strip_prefix("<<")?.trim_matches([' ', '\t']);
    let quoted = |quote: char| word.strip_prefix(quote)?.strip_suffix(quote);
    let name = quoted('\'').or_else(|| quoted('"')).unwrap_or(word);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    // In a shell, `<<-` also removes leading tabs, which a patch needs.
    (!name.is_empty() && !word.starts_with('-') && name.chars().all(is_plain)).then_some(name)
}

/// Returns the start of the line before `start` if it begins a here-document.
fn find_heredoc_start(text: &[u8], from: usize, start: usize) -> Option<usize> {
    let end = start.checked_sub(1).filter(|&end| end >= from)?;
    let line_start =
        memchr::memrchr(b'\n', &text[from..end]).map_or(from, |newline| from + newline + 1);
    let line = text[line_start..end]
        .strip_suffix(b"\r")
        .unwrap_or(&text[line_start..end]);
    std::str::from_utf8(line)
        .ok()
        .and_then(heredoc_delimiter)
        .map(|_| line_start)
}

/// Skips the line with the machine that the patch is intended for. wpatch does not use it.
fn skip_environment(reader: &mut LineCursor<'_>) -> Result<(), SyntaxError> {
    let Some(line) = reader.take_if(|line| line.trim().starts_with(ENVIRONMENT))? else {
        return Ok(());
    };
    if line.trim() == ENVIRONMENT {
        return Err(SyntaxError::new(
            SyntaxErrorKind::Expected("an environment name"),
            line.span,
        ));
    }
    Ok(())
}

/// Reads the end marker if it is next. Blank lines are allowed between sections, but not before the
/// first. As in Codex, a second end marker is ignored.
fn take_end_marker(reader: &mut LineCursor<'_>, is_first: bool) -> Result<bool, SyntaxError> {
    if !is_first {
        reader.skip_blank_lines()?;
    }
    let place = reader.place();
    let is_marker = |line: &Line<'_>| line.trim() == END;
    if reader.take_if(is_marker)?.is_none() {
        return Ok(false);
    }
    if is_first {
        return Err(SyntaxError::new(
            SyntaxErrorKind::Expected("a section, such as `*** Update File: PATH`"),
            place,
        ));
    }
    reader.take_if(is_marker)?;
    Ok(true)
}

fn read_section(
    reader: &mut LineCursor<'_>,
    options: Options,
    sections: &mut Sections,
) -> Result<(), SyntaxError> {
    let Some(header) = reader.next()? else {
        return Err(SyntaxError::new(
            SyntaxErrorKind::Expected("`*** End Patch`"),
            reader.place(),
        ));
    };
    if let Some(path) = parse_path(&header, ADD) {
        read_addition(reader, &header, path, sections)
    } else if let Some(path) = parse_path(&header, DELETE) {
        sections.push(Action::Delete, path, Edit::Keep, header.whole);
        Ok(())
    } else if let Some(path) = parse_path(&header, UPDATE) {
        update::read(reader, &header, path, options, sections)
    } else {
        Err(SyntaxError::new(SECTION, header.span))
    }
}

/// Reads hunks of an update without an envelope. They must fill all of `text`.
///
/// # Errors
///
/// Returns the first error.
pub(super) fn parse_hunks(text: &[u8], options: Options) -> Result<Vec<Hunk>, SyntaxError> {
    let mut reader = LineCursor::new(text, 0);
    let hunks = update::read_hunks(&mut reader, options)?;
    if hunks.is_empty() {
        return Err(SyntaxError::new(update::ANY_HUNK, reader.place()));
    }
    match reader.peek()? {
        Some(line) => Err(SyntaxError::new(update::HUNK_LINE, line.span)),
        None => Ok(hunks),
    }
}

/// Reads the lines of a new file without an envelope. They must fill all of `text`.
///
/// # Errors
///
/// Returns the first error.
pub(super) fn parse_addition(text: &[u8]) -> Result<Edit, SyntaxError> {
    let mut reader = LineCursor::new(text, 0);
    let (edit, _) = read_added(&mut reader)?;
    match reader.peek()? {
        Some(line) => Err(SyntaxError::new(
            SyntaxErrorKind::Expected("lines that start with `+`"),
            line.span,
        )),
        None => Ok(edit),
    }
}

fn read_addition(
    reader: &mut LineCursor<'_>,
    header: &Line<'_>,
    path: Name,
    sections: &mut Sections,
) -> Result<(), SyntaxError> {
    let (edit, body) = read_added(reader)?;
    sections.push(
        Action::Create,
        path,
        edit,
        Span::new(header.whole.start, body.end),
    );
    Ok(())
}

/// Reads the lines of a new file.
fn read_added(reader: &mut LineCursor<'_>) -> Result<(Edit, Span), SyntaxError> {
    let start = reader.offset();
    let mut count = 0;
    while reader
        .take_if(|line| line.content().starts_with('+'))?
        .is_some()
    {
        count += 1;
    }
    let body = Span::new(start, reader.offset());
    let edit = match count {
        // A section without lines creates an empty file.
        0 => Edit::Keep,
        _ => Edit::Hunks(vec![Hunk {
            anchor: Anchor::Headings {
                headings: Box::default(),
                at_end: false,
            },
            span: body,
            header: Span::new(start, start),
            body,
            old: LineRange::default(),
            new: LineRange { start: 0, count },
            section: Span::new(start, start),
            selection: None,
        }]),
    };
    Ok((edit, body))
}

/// Returns the path after `marker`: the rest of the trimmed line, without any quoting.
fn parse_path(line: &Line<'_>, marker: &str) -> Option<Name> {
    let path = line.trim().strip_prefix(marker)?;
    let end = line.span.start + line.content().trim_end().len();
    let claim = NameCandidate {
        bytes: path.into(),
        strip: StripRule::Literal,
        span: Span::new(end - path.len(), end),
    };
    Some(Name::Agreed(vec![claim]))
}

#[cfg(test)]
mod tests;
