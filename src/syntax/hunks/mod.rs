//! Hunks with line numbers, as in unified and git diffs. nom parses the header, and a line cursor
//! counts the lines of the body.
//!
//! [`read`] takes the text and the offset of the first hunk. It returns the hunks and the offset of
//! the next line. The number of lines in each body equals the counts of the hunk. Read `header.rs`
//! for the form of the header.

mod header;

use header::HunkHeader;
pub(super) use header::{is_header, is_whole_header, ranges};

use super::{
    Options, SyntaxError, SyntaxErrorKind, UnnamedHandling, UnsupportedFormat, content_span,
    unsupported,
};
use crate::plan::{Action, Anchor, Hunk, LineKind, has_newline_note};
use crate::text::{Lines, Span, without_ending};

/// Reads zero or more hunks at `from`. Returns them and the start of the next line.
///
/// # Errors
///
/// Returns the first error in a header or in a number of lines. Hunk lines after the last counted
/// line are also an error, although git and GNU patch silently drop them.
pub(super) fn read(
    text: &[u8],
    from: usize,
    options: Options,
) -> Result<(Vec<Hunk>, usize), SyntaxError> {
    let mut lines = Lines::of_span(text, Span::new(from, text.len()));
    let mut hunks = Vec::new();
    while lines.peek().is_some_and(is_header) {
        options.allow_hunks(hunks.len() + 1, content_span(text, lines.offset()))?;
        let start = lines.offset();
        hunks.push(
            read_hunk(text, &mut lines, options)
                .map_err(|error| explain_error(text, start, error))?,
        );
    }
    if let Some(last) = hunks.last().filter(|_| !options.recount) {
        let extra = refuse_extra_lines(text, lines.clone(), options);
        extra.map_err(|error| explain_error(text, last.span.start, error))?;
    }
    hunks.shrink_to_fit();
    Ok((hunks, lines.offset()))
}

/// Returns the error of a damaged hunk. A word diff is a common cause and has its own error.
fn explain_error(text: &[u8], start: usize, error: SyntaxError) -> SyntaxError {
    if unsupported::is_word_diff(text, start) {
        return SyntaxError::new(
            SyntaxErrorKind::UnsupportedFormat(UnsupportedFormat::WordDiff),
            content_span(text, start),
        );
    }
    error
}

/// Rejects old lines of a created file and new lines of a deleted file.
///
/// # Errors
///
/// Returns [`SyntaxErrorKind::Contradiction`] at the first such hunk, as git does.
pub(super) fn refuse_lines_of_missing_side(
    action: Action,
    hunks: &[Hunk],
) -> Result<(), SyntaxError> {
    let (has_other, says) = match action {
        Action::Create => (
            hunks.iter().find(|hunk| hunk.old.count > 0),
            "a new file cannot have old lines",
        ),
        Action::Delete => (
            hunks.iter().find(|hunk| hunk.new.count > 0),
            "a deleted file cannot have new lines",
        ),
        _ => (None, ""),
    };
    has_other.map_or(Ok(()), |hunk| {
        Err(SyntaxError::new(
            SyntaxErrorKind::Contradiction(says),
            hunk.header,
        ))
    })
}

/// Returns whether the header of `hunk` states different counts than the hunk has.
pub(super) fn is_miscounted(text: &[u8], hunk: &Hunk) -> bool {
    header_counts(text, hunk).is_some_and(|promised| promised != (hunk.old.count, hunk.new.count))
}

/// Returns the numbers of old and new lines in the header of `hunk`.
pub(super) fn header_counts(text: &[u8], hunk: &Hunk) -> Option<(usize, usize)> {
    let header = HunkHeader::parse(hunk.header.slice(text), hunk.header).ok()?;
    Some((header.old.count, header.new.count))
}

fn read_hunk<'a>(
    text: &'a [u8],
    lines: &mut Lines<'a>,
    options: Options,
) -> Result<Hunk, SyntaxError> {
    let start = lines.offset();
    let line = lines
        .next()
        .map_or(&b""[..], |(_, line)| without_ending(line));
    let span = Span::new(start, start + line.len());
    let mut header = HunkHeader::parse(line, span)?;
    let body = if options.recount {
        let (body, counts) = recount_body(text, lines, &header, options);
        header.set_counts(counts);
        body
    } else {
        read_counted(text, lines, &header, span)?
    };
    refuse_damaged_ends(text, body)?;
    let section = span.end - header.section;
    Ok(Hunk {
        anchor: Anchor::Line,
        span: Span::new(start, body.end),
        header: span,
        body,
        old: header.old,
        new: header.new,
        section: Span::new(section, span.end),
        selection: None,
    })
}

/// The kinds of body line.
enum BodyLine {
    Line(LineKind),
    /// `\ No newline at end of file`, in any language.
    Note,
}

/// Classifies a line by its first byte. An empty line is a blank context line that lost its blank.
fn classify_line(line: &[u8]) -> Option<BodyLine> {
    match line.first()? {
        b' ' => Some(BodyLine::Line(LineKind::Context)),
        b'-' => Some(BodyLine::Line(LineKind::Deletion)),
        b'+' => Some(BodyLine::Line(LineKind::Insertion)),
        b'\\' => Some(BodyLine::Note),
        _ if without_ending(line).is_empty() => Some(BodyLine::Line(LineKind::Context)),
        _ => None,
    }
}

/// The numbers of lines read so far in a body.
#[derive(Clone, Copy, Default)]
struct BodyCounts {
    old: usize,
    new: usize,
    changed: usize,
}

impl BodyCounts {
    fn add(&mut self, kind: LineKind) {
        self.old += usize::from(kind != LineKind::Insertion);
        self.new += usize::from(kind != LineKind::Deletion);
        self.changed += usize::from(kind != LineKind::Context);
    }
}

fn read_counted(
    text: &[u8],
    lines: &mut Lines<'_>,
    header: &HunkHeader,
    at: Span,
) -> Result<Span, SyntaxError> {
    let start = lines.offset();
    let mut counts = BodyCounts::default();
    while counts.old < header.old.count || counts.new < header.new.count {
        let here = lines.offset();
        let Some(line) = lines.next().and_then(|(_, line)| classify_line(line)) else {
            return Err(line_count_error(header, counts, content_span(text, here)));
        };
        if let BodyLine::Line(kind) = line {
            counts.add(kind);
        }
        if counts.old > header.old.count || counts.new > header.new.count {
            return Err(line_count_error(header, counts, content_span(text, here)));
        }
    }
    // A note after the last counted line belongs to the hunk.
    while lines.is_next_byte(b'\\') {
        lines.next();
    }
    if counts.changed == 0 {
        return Err(SyntaxError::new(
            SyntaxErrorKind::Expected("a hunk that adds or removes a line"),
            at,
        ));
    }
    Ok(Span::new(start, lines.offset()))
}

/// Rejects a last line without a newline, which git calls corrupt, and a further line of a side
/// after the `\` line of that side. A truncated `\` line has only one meaning, so it is accepted.
fn refuse_damaged_ends(text: &[u8], body: Span) -> Result<(), SyntaxError> {
    let bytes = body.slice(text);
    let last = &bytes[memchr::memrchr(b'\n', bytes).map_or(0, |newline| newline + 1)..];
    if !last.is_empty() && !last.starts_with(b"\\") {
        return Err(SyntaxError::new(
            SyntaxErrorKind::NO_NEWLINE,
            Span::new(body.end, body.end),
        ));
    }
    if !has_newline_note(bytes) {
        return Ok(());
    }
    // `last` states whether the previous line belongs to the old and to the new side.
    let (mut last, mut is_old_over, mut is_new_over) = ((false, false), false, false);
    for (span, line) in Lines::of_span(text, body) {
        if let Some(BodyLine::Line(kind)) = classify_line(line) {
            let (is_old, is_new) = (kind != LineKind::Insertion, kind != LineKind::Deletion);
            if (is_old && is_old_over) || (is_new && is_new_over) {
                let says = SyntaxErrorKind::Contradiction(
                    "a line follows the line without a newline at the end of the file",
                );
                return Err(SyntaxError::new(says, content_span(text, span.start)));
            }
            last = (is_old, is_new);
        } else {
            (is_old_over, is_new_over) = (is_old_over || last.0, is_new_over || last.1);
        }
    }
    Ok(())
}

fn line_count_error(header: &HunkHeader, counts: BodyCounts, at: Span) -> SyntaxError {
    // If a side has too many lines, that side is reported, otherwise a side with too few lines.
    let is_old = if counts.old > header.old.count || counts.new > header.new.count {
        counts.old > header.old.count
    } else {
        counts.old < header.old.count
    };
    let (side, promised, found) = if is_old {
        ("old", header.old.count, counts.old)
    } else {
        ("new", header.new.count, counts.new)
    };
    SyntaxError::new(
        SyntaxErrorKind::LineCount {
            side,
            promised,
            found,
        },
        at,
    )
}

/// Reads the lines of a body up to the next header, a signature or other text. Empty lines at the
/// end belong to the hunk only if the header counts them.
fn recount_body<'a>(
    text: &'a [u8],
    lines: &mut Lines<'a>,
    header: &HunkHeader,
    options: Options,
) -> (Span, (usize, usize)) {
    let start = lines.offset();
    // `solid` is the state after the last line that is not empty.
    let (mut counts, mut solid) = (BodyCounts::default(), (BodyCounts::default(), start));
    while let Some(line) = lines.peek() {
        let is_full = (counts.old, counts.new) == (header.old.count, header.new.count);
        let is_over = is_full && options.is_mail && is_mail_signature(line);
        let Some(kind) =
            classify_line(line).filter(|_| !is_over && !starts_other_text(lines.clone()))
        else {
            break;
        };
        if let BodyLine::Line(kind) = kind {
            counts.add(kind);
        }
        lines.next();
        if !without_ending(line).is_empty() {
            solid = (counts, lines.offset());
        }
    }
    if (counts.old, counts.new) != (header.old.count, header.new.count) {
        counts = solid.0;
        *lines = Lines::of_span(text, Span::new(solid.1, text.len()));
    }
    (Span::new(start, lines.offset()), (counts.old, counts.new))
}

fn refuse_extra_lines(
    text: &[u8],
    mut lines: Lines<'_>,
    options: Options,
) -> Result<(), SyntaxError> {
    // `is_direct` states that no blank line separates the hunk from the next line.
    let is_direct = lines
        .peek()
        .is_some_and(|line| !line.trim_ascii().is_empty());
    while lines
        .peek()
        .is_some_and(|line| line.trim_ascii().is_empty())
    {
        lines.next();
    }
    let Some(line) = lines.peek() else {
        return Ok(());
    };
    // After an empty line, prose can be indented or start with a dash, but hardly ever with a plus.
    let is_body = if is_direct {
        matches!(line[0], b' ' | b'-' | b'+')
    } else {
        line[0] == b'+'
    };
    let is_header =
        options.unnamed == UnnamedHandling::Accept && starts_loose_header(lines.clone());
    let is_signature = options.is_mail && is_mail_signature(line);
    if !is_body
        || is_header
        || is_signature
        || starts_rule(lines.clone())
        || starts_other_text(lines.clone())
    {
        return Ok(());
    }
    Err(SyntaxError::new(
        SyntaxErrorKind::ExtraLines,
        content_span(text, lines.offset()),
    ))
}

/// Returns whether `line` is the separator above a mail signature. After a complete hunk of a mail
/// it ends the patch, even if lines of the signature look like hunk lines.
pub(crate) fn is_mail_signature(line: &[u8]) -> bool {
    without_ending(line) == b"-- "
}

/// Returns whether a line that looks like a body line is a mail signature or the header of the next
/// file.
fn starts_other_text(mut lines: Lines<'_>) -> bool {
    let Some((_, line)) = lines.next() else {
        return false;
    };
    let next = lines.peek().unwrap_or_default();
    let is_signature = line.trim_ascii_end() == b"--" && !has_hunk_sign(next);
    is_signature || (line.starts_with(b"--- ") && next.starts_with(b"+++ "))
}

/// Returns whether a rule of dashes starts here that is not followed by a body line.
fn starts_rule(mut lines: Lines<'_>) -> bool {
    let is_rule = |line: &[u8]| line.len() >= 3 && line.iter().all(|byte| *byte == b'-');
    let starts = lines
        .next()
        .is_some_and(|(_, line)| is_rule(line.trim_ascii_end()));
    starts && !has_hunk_sign(lines.peek().unwrap_or_default())
}

/// Returns whether a header starts here that only GNU patch reads: a single `---` or `+++` line
/// above a hunk, or a `+++` line before the `---` line.
fn starts_loose_header(mut lines: Lines<'_>) -> bool {
    let Some((_, line)) = lines.next() else {
        return false;
    };
    let next = lines.peek().unwrap_or_default();
    let is_swapped = line.starts_with(b"+++ ") && next.starts_with(b"--- ");
    let is_alone = [&b"--- "[..], b"+++ "]
        .iter()
        .any(|words| line.starts_with(words))
        && is_whole_header(without_ending(next));
    is_swapped || is_alone
}

/// Returns whether `line` starts with the first character of a hunk line or of a hunk header.
fn has_hunk_sign(line: &[u8]) -> bool {
    matches!(line.first(), Some(b' ' | b'+' | b'-' | b'@'))
}

#[cfg(test)]
mod tests;
