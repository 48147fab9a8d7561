//! Hunks that name their lines, as unified and git diffs have them: the header by nom, the body by
//! counting.

mod header;

use header::Header;
pub(super) use header::{is_header, is_whole_header, ranges};

use super::{Foreign, Options, SyntaxError, SyntaxErrorKind, Unnamed, content_span, foreign};
use crate::plan::{Action, Anchor, Hunk, LineKind, has_note};
use crate::text::{Lines, Span, without_ending};

/// Reads the hunks that start at `from`, none or more, and returns them and where the next line
/// starts.
///
/// # Errors
///
/// Returns the first mistake in a header or in the number of lines, also lines of a body behind the
/// last counted one: git and GNU patch drop those without a word.
pub(super) fn read(
    text: &[u8],
    from: usize,
    options: Options,
) -> Result<(Vec<Hunk>, usize), SyntaxError> {
    let mut lines = Lines::within(text, Span::new(from, text.len()));
    let mut hunks = Vec::new();
    while lines.peek().is_some_and(is_header) {
        options.allow_hunks(hunks.len() + 1, content_span(text, lines.offset()))?;
        let start = lines.offset();
        hunks.push(hunk(text, &mut lines, options).map_err(|error| explained(text, start, error))?);
    }
    if let Some(last) = hunks.last().filter(|_| !options.recount) {
        let extra = refuse_extra_lines(text, lines.clone(), options);
        extra.map_err(|error| explained(text, last.span.start, error))?;
    }
    hunks.shrink_to_fit();
    Ok((hunks, lines.offset()))
}

/// Returns the error of a damaged hunk, which may be one of a word diff.
fn explained(text: &[u8], start: usize, error: SyntaxError) -> SyntaxError {
    if foreign::is_word_diff(text, start) {
        return SyntaxError::new(
            SyntaxErrorKind::Foreign(Foreign::WordDiff),
            content_span(text, start),
        );
    }
    error
}

/// Refuses lines that a file that is made or deleted cannot have.
///
/// # Errors
///
/// Returns [`SyntaxErrorKind::Contradiction`] at the first such hunk, as git does.
pub(super) fn refuse_other_side(action: Action, hunks: &[Hunk]) -> Result<(), SyntaxError> {
    let (has_other, says) = match action {
        Action::Create => (
            hunks.iter().find(|hunk| hunk.old.count > 0),
            "a new file has no old lines",
        ),
        Action::Delete => (
            hunks.iter().find(|hunk| hunk.new.count > 0),
            "a deleted file has no new lines",
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

/// Returns whether the header of `hunk` promises other numbers of lines than the hunk was read
/// with.
pub(super) fn is_miscounted(text: &[u8], hunk: &Hunk) -> bool {
    promised(text, hunk).is_some_and(|promised| promised != (hunk.old.count, hunk.new.count))
}

/// Returns the numbers of old and new lines in the header of `hunk`.
pub(super) fn promised(text: &[u8], hunk: &Hunk) -> Option<(usize, usize)> {
    let header = Header::parse(hunk.header.of(text), hunk.header).ok()?;
    Some((header.old.count, header.new.count))
}

fn hunk<'a>(text: &'a [u8], lines: &mut Lines<'a>, options: Options) -> Result<Hunk, SyntaxError> {
    let start = lines.offset();
    let line = lines
        .next()
        .map_or(&b""[..], |(_, line)| without_ending(line));
    let span = Span::new(start, start + line.len());
    let mut header = Header::parse(line, span)?;
    let body = if options.recount {
        let (body, counts) = recounted(text, lines, &header, options);
        header.set_counts(counts);
        body
    } else {
        counted(text, lines, &header, span)?
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
    })
}

/// What a line of a body is by its first byte.
enum BodyLine {
    Line(LineKind),
    /// `\ No newline at end of file`, in any language.
    Note,
}

/// An empty line is blank context that lost its blank.
fn body_line(line: &[u8]) -> Option<BodyLine> {
    match line.first()? {
        b' ' => Some(BodyLine::Line(LineKind::Context)),
        b'-' => Some(BodyLine::Line(LineKind::Deletion)),
        b'+' => Some(BodyLine::Line(LineKind::Insertion)),
        b'\\' => Some(BodyLine::Note),
        _ if without_ending(line).is_empty() => Some(BodyLine::Line(LineKind::Context)),
        _ => None,
    }
}

/// The lines seen so far in a body.
#[derive(Clone, Copy, Default)]
struct Counts {
    old: usize,
    new: usize,
    changed: usize,
}

impl Counts {
    fn add(&mut self, kind: LineKind) {
        self.old += usize::from(kind != LineKind::Insertion);
        self.new += usize::from(kind != LineKind::Deletion);
        self.changed += usize::from(kind != LineKind::Context);
    }
}

fn counted(
    text: &[u8],
    lines: &mut Lines<'_>,
    header: &Header,
    at: Span,
) -> Result<Span, SyntaxError> {
    let start = lines.offset();
    let mut counts = Counts::default();
    while counts.old < header.old.count || counts.new < header.new.count {
        let here = lines.offset();
        let Some(line) = lines.next().and_then(|(_, line)| body_line(line)) else {
            return Err(line_count(header, counts, content_span(text, here)));
        };
        if let BodyLine::Line(kind) = line {
            counts.add(kind);
        }
        if counts.old > header.old.count || counts.new > header.new.count {
            return Err(line_count(header, counts, content_span(text, here)));
        }
    }
    while lines.is_before(b'\\') {
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

/// Refuses a last line that is cut off, which git calls corrupt, and a line that goes on behind its
/// `\` line. The `\` line itself may be cut off: it has one meaning only.
fn refuse_damaged_ends(text: &[u8], body: Span) -> Result<(), SyntaxError> {
    let bytes = body.of(text);
    let last = &bytes[memchr::memrchr(b'\n', bytes).map_or(0, |newline| newline + 1)..];
    if !last.is_empty() && !last.starts_with(b"\\") {
        return Err(SyntaxError::new(
            SyntaxErrorKind::NO_NEWLINE,
            Span::new(body.end, body.end),
        ));
    }
    if !has_note(bytes) {
        return Ok(());
    }
    let (mut last, mut is_old_over, mut is_new_over) = ((false, false), false, false);
    for (span, line) in Lines::within(text, body) {
        if let Some(BodyLine::Line(kind)) = body_line(line) {
            let (is_old, is_new) = (kind != LineKind::Insertion, kind != LineKind::Deletion);
            if (is_old && is_old_over) || (is_new && is_new_over) {
                let says = SyntaxErrorKind::Contradiction(
                    "a line follows the one without a newline at its end",
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

fn line_count(header: &Header, counts: Counts, at: Span) -> SyntaxError {
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

/// Takes the lines of a body up to the next header, a signature or other text. Empty lines at the
/// end belong to the hunk only if the header counts them.
fn recounted<'a>(
    text: &'a [u8],
    lines: &mut Lines<'a>,
    header: &Header,
    options: Options,
) -> (Span, (usize, usize)) {
    let start = lines.offset();
    let (mut counts, mut solid) = (Counts::default(), (Counts::default(), start));
    while let Some(line) = lines.peek() {
        let is_full = (counts.old, counts.new) == (header.old.count, header.new.count);
        let is_over = is_full && options.is_mail && is_mail_signature(line);
        let Some(kind) = body_line(line).filter(|_| !is_over && !starts_other_text(lines.clone()))
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
        *lines = Lines::within(text, Span::new(solid.1, text.len()));
    }
    (Span::new(start, lines.offset()), (counts.old, counts.new))
}

fn refuse_extra_lines(
    text: &[u8],
    mut lines: Lines<'_>,
    options: Options,
) -> Result<(), SyntaxError> {
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
    // Behind an empty line text may well be indented or begin with a dash, hardly ever with a plus.
    let is_body = if is_direct {
        matches!(line[0], b' ' | b'-' | b'+')
    } else {
        line[0] == b'+'
    };
    let is_header = options.unnamed == Unnamed::Taken && starts_loose_header(lines.clone());
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

/// Returns whether `line` is the one above the signature of a mail. After a complete hunk of a mail
/// it ends the patch, also if the lines of the signature begin like those of a hunk.
pub(crate) fn is_mail_signature(line: &[u8]) -> bool {
    without_ending(line) == b"-- "
}

/// Returns whether a line that looks like one of a body is a mail signature or the header of the
/// next file.
fn starts_other_text(mut lines: Lines<'_>) -> bool {
    let Some((_, line)) = lines.next() else {
        return false;
    };
    let next = lines.peek().unwrap_or_default();
    let is_signature = line.trim_ascii_end() == b"--" && !is_marked(next);
    is_signature || (line.starts_with(b"--- ") && next.starts_with(b"+++ "))
}

/// Returns whether a rule of dashes starts here, and no line of a body follows it.
fn starts_rule(mut lines: Lines<'_>) -> bool {
    let is_rule = |line: &[u8]| line.len() >= 3 && line.iter().all(|byte| *byte == b'-');
    let starts = lines
        .next()
        .is_some_and(|(_, line)| is_rule(line.trim_ascii_end()));
    starts && !is_marked(lines.peek().unwrap_or_default())
}

/// Returns whether a header that only GNU patch reads starts here: `---` or `+++` alone above a
/// hunk, or `+++` first.
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

/// Returns whether `line` starts with a character that a line of a hunk or its header starts with.
fn is_marked(line: &[u8]) -> bool {
    matches!(line.first(), Some(b' ' | b'+' | b'-' | b'@'))
}

#[cfg(test)]
mod tests;
