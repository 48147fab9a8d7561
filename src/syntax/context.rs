//! Context diffs, as `diff -c` writes them: each hunk has one half with the old lines and one half
//! with the new lines.
//!
//! The parser converts each section to an equivalent unified diff in an input of its own.

use super::edges::{LineBounds, count_error_span};
use super::unified::{STARS, is_context_header};
use super::{
    Options, Sections, Syntax, SyntaxError, SyntaxErrorKind, UnnamedHandling, content_span,
    find_line, unified,
};
use crate::plan::{Input, LineRange, PatchPart};
use crate::syntax::writers::{self, PatchChange, PatchHunk, WriteError};
use crate::text::{Lines, Span, without_ending};

const LONE_HUNK: SyntaxErrorKind = SyntaxErrorKind::Expected("`***` and `---` lines before a hunk");
const DIFFERENT_HALVES: SyntaxErrorKind = SyntaxErrorKind::Contradiction(
    "the old and the new lines of this hunk have \
     different context",
);
const OLD_LINES: SyntaxErrorKind =
    SyntaxErrorKind::Expected("the header of the old lines, `*** FIRST,LAST ****`");
const NEW_LINES: SyntaxErrorKind =
    SyntaxErrorKind::Expected("the header of the new lines, `--- FIRST,LAST ----`");

/// The grammar of context diffs.
pub(super) struct Context;

impl Syntax for Context {
    fn name(&self) -> &'static str {
        "context"
    }

    fn formats(&self) -> &'static [&'static str] {
        &["context", "diff"]
    }

    fn grammar(&self) -> &'static str {
        include_str!("../../grammar/context.lark")
    }

    fn is_diff(&self) -> bool {
        true
    }

    fn can_end_message(&self) -> bool {
        true
    }

    fn required_markers(&self) -> &'static [&'static str] {
        // A header has the row of stars in its third line. A hunk without a header has a line
        // `*** FIRST,LAST ****` after that row. C comments often contain the same characters, but a
        // diff in another format has a sign before them.
        &["\n*** ", "\n***************"]
    }

    fn find(&self, text: &[u8], from: usize) -> Option<usize> {
        find_line(text, from, |lines| {
            is_context_header(lines.clone()) || is_hunk_start(lines)
        })
    }

    fn parse(
        &self,
        text: &[u8],
        from: usize,
        options: Options,
        sections: &mut Sections,
    ) -> Result<usize, SyntaxError> {
        let mut lines = Lines::of_span(text, Span::new(from, text.len()));
        let is_named = is_context_header(lines.clone());
        if !is_named && options.unnamed == UnnamedHandling::Refused {
            return Err(SyntaxError::new(LONE_HUNK, content_span(text, from)));
        }
        let mut unified = Vec::new();
        for marker in [b"--- ", b"+++ "].iter().filter(|_| is_named) {
            let (_, line) = lines.next().unwrap_or_default();
            unified.extend_from_slice(*marker);
            unified.extend_from_slice(line.get(marker.len()..).unwrap_or_default());
        }
        while lines.peek().is_some_and(|line| line.starts_with(STARS)) {
            convert_hunk(text, &mut lines, &mut unified)?;
        }
        refuse_extra_lines(text, &lines)?;
        let part = PatchPart {
            span: Span::new(from, lines.offset()),
            format: "context",
        };
        sections.read_quoted(
            Input {
                bytes: unified.into(),
                ..Input::default()
            },
            (part, content_span(text, from)),
            |input, sections| {
                let read = if is_named {
                    unified::read_section
                } else {
                    unified::read_unnamed
                };
                read(&input.bytes, 0, options, sections).map(drop)
            },
        )?;
        Ok(lines.offset())
    }

    fn write(&self, changes: &[PatchChange<'_>], _: usize) -> Result<Vec<u8>, WriteError> {
        writers::write_context(changes)
    }

    fn write_hunk(&self, hunk: &PatchHunk<'_>) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        writers::put_context_hunk(&mut out, hunk);
        Some(out)
    }
}

/// Returns whether a hunk starts here.
fn is_hunk_start(mut lines: Lines<'_>) -> bool {
    let is_border = lines
        .next()
        .is_some_and(|(_, line)| line.starts_with(STARS));
    let old = lines
        .peek()
        .filter(|_| is_border)
        .and_then(|line| LineBounds::read(line.strip_prefix(b"*** ")?));
    old.is_some_and(|(_, rest)| rest.trim_ascii() == b"****")
}

/// Reads a hunk and appends it to `unified`.
fn convert_hunk<'a>(
    text: &'a [u8],
    lines: &mut Lines<'a>,
    unified: &mut Vec<u8>,
) -> Result<(), SyntaxError> {
    let (_, stars) = lines.next().unwrap_or_default();
    let (old_edges, old_at) = read_bounds(text, lines, b"*** ", OLD_LINES)?;
    let mut old = read_half(text, lines, b"-!", None)?;
    let (new_edges, new_at) = read_bounds(text, lines, b"--- ", NEW_LINES)?;
    // The header of the new half ends the old half. Nothing ends the new half, because other text
    // can follow, so its count does.
    let new_count = new_edges.count(new_at)?;
    let mut new = read_half(text, lines, b"+!", Some(new_count))?;
    let new_end = if new.len() < new_count {
        count_error_span(text, lines, new_at)
    } else {
        new_at
    };
    if new.is_empty() {
        // An omitted half consists of the context of the other one. At the end of the text, the
        // half can also be missing because the text is truncated.
        let is_cut_off = new_end != new_at;
        let missing = SyntaxErrorKind::LineCount {
            side: "new",
            promised: new_count,
            found: 0,
        };
        let kind = if is_cut_off {
            missing
        } else {
            DIFFERENT_HALVES
        };
        new = other_half(&old).ok_or_else(|| SyntaxError::new(kind, new_end))?;
    } else if old.is_empty() {
        old = other_half(&new).ok_or_else(|| SyntaxError::new(DIFFERENT_HALVES, old_at))?;
    }
    let (before, after) = (
        old_edges.range("old", old.len(), old_at)?,
        new_edges.range("new", new.len(), new_end)?,
    );
    let range = |range: LineRange| format!("{},{}", range.start, range.count);
    unified.extend(format!("@@ -{} +{} @@", range(before), range(after)).bytes());
    let words = without_ending(stars).trim_ascii_start();
    let section = words
        .iter()
        .position(|byte| *byte != b'*')
        .map_or(&b""[..], |start| &words[start..]);
    unified.extend([b" ".as_slice(), section.trim_ascii(), b"\n"].concat());
    merge(&old, &new, unified).map_err(|at| {
        SyntaxError::new(
            DIFFERENT_HALVES,
            content_span(text, at.unwrap_or(new_at.start)),
        )
    })
}

/// Reads the line numbers of a half between its marks. The last mark is optional.
fn read_bounds(
    text: &[u8],
    lines: &mut Lines<'_>,
    mark: &[u8],
    expected: SyntaxErrorKind,
) -> Result<(LineBounds, Span), SyntaxError> {
    let at = content_span(text, lines.offset());
    lines.next();
    let read = at
        .slice(text)
        .strip_prefix(mark)
        .and_then(|line| LineBounds::read(line.trim_ascii_start()));
    let is_over = |rest: &[u8]| rest.trim_ascii().iter().all(|byte| *byte == mark[0]);
    match read {
        Some((edges, rest)) if is_over(rest) => Ok((edges, at)),
        _ => Err(SyntaxError::new(expected, at)),
    }
}

/// One line of a half.
#[derive(Clone, Copy)]
struct HalfLine<'a> {
    /// ` `, `-`, `+` or `!`.
    marker: u8,
    /// The text without marker, with terminator.
    text: &'a [u8],
    /// Whether the next line states that this line has no terminator.
    is_unterminated: bool,
    /// The start of the line in the input.
    start: usize,
}

impl HalfLine<'_> {
    fn is_context(&self) -> bool {
        self.marker == b' '
    }

    fn write(&self, marker: u8, unified: &mut Vec<u8>) {
        unified.push(marker);
        unified.extend_from_slice(self.text);
        if self.is_unterminated {
            unified.extend_from_slice(b"\\ No newline at end of file\n");
        }
    }
}

/// Reads the lines of a half, at most `most`. A blank line may lack its blanks. Only the first line
/// of a half may not, because the half can be omitted.
fn read_half<'a>(
    text: &[u8],
    lines: &mut Lines<'a>,
    markers: &[u8],
    most: Option<usize>,
) -> Result<Vec<HalfLine<'a>>, SyntaxError> {
    let mut half: Vec<HalfLine<'_>> = Vec::new();
    while let Some(line) = lines.peek() {
        let is_full = most.is_some_and(|most| half.len() >= most);
        match half.last_mut() {
            Some(last) if line.starts_with(b"\\") => last.is_unterminated = true,
            _ if is_full => break,
            None if without_ending(line).is_empty() => break,
            _ => {
                let Some((marker, text)) = parse_body_line(line, markers) else {
                    break;
                };
                half.push(HalfLine {
                    marker,
                    text,
                    is_unterminated: false,
                    start: lines.offset(),
                });
            }
        }
        lines.next();
        // A truncated `\` line has only one meaning, so it is accepted.
        if !line.ends_with(b"\n") && !line.starts_with(b"\\") {
            return Err(SyntaxError::new(
                SyntaxErrorKind::NO_NEWLINE,
                Span::new(text.len(), text.len()),
            ));
        }
    }
    Ok(half)
}

/// Returns the marker of a line and the text after marker and blank.
fn parse_body_line<'a>(line: &'a [u8], markers: &[u8]) -> Option<(u8, &'a [u8])> {
    if without_ending(line).is_empty() {
        return Some((b' ', line));
    }
    let (marker, rest) = line.split_first()?;
    let text = rest
        .strip_prefix(b" ")
        .or_else(|| without_ending(rest).is_empty().then_some(rest))?;
    (*marker == b' ' || markers.contains(marker)).then_some((*marker, text))
}

/// Returns the omitted half, which consists of the context of `half`. Returns `None` if `half` has
/// changed lines (`!`), because such lines occur in both halves.
fn other_half<'a>(half: &[HalfLine<'a>]) -> Option<Vec<HalfLine<'a>>> {
    let is_changed = half.iter().any(|line| line.marker == b'!');
    (!is_changed).then(|| {
        half.iter()
            .filter(|line| line.is_context())
            .copied()
            .collect()
    })
}

/// Writes both halves as one body: deletions, then insertions, then the common context.
///
/// # Errors
///
/// Returns the start of the first context line that the halves do not share, if there is one.
fn merge(
    old: &[HalfLine<'_>],
    new: &[HalfLine<'_>],
    unified: &mut Vec<u8>,
) -> Result<(), Option<usize>> {
    let (mut old, mut new) = (old.iter().peekable(), new.iter().peekable());
    loop {
        while let Some(line) = old.next_if(|line| !line.is_context()) {
            line.write(b'-', unified);
        }
        while let Some(line) = new.next_if(|line| !line.is_context()) {
            line.write(b'+', unified);
        }
        match (old.next(), new.next()) {
            (None, None) => return Ok(()),
            (Some(old), Some(new))
                if old.text == new.text && old.is_unterminated == new.is_unterminated =>
            {
                old.write(b' ', unified);
            }
            (old, new) => return Err(new.or(old).map(|line| line.start)),
        }
    }
}

/// Rejects further lines of a half after its count is used up.
fn refuse_extra_lines(text: &[u8], lines: &Lines<'_>) -> Result<(), SyntaxError> {
    match lines.peek() {
        Some([b' ' | b'-' | b'+' | b'!', b' ', ..]) => Err(SyntaxError::new(
            SyntaxErrorKind::ExtraLines,
            content_span(text, lines.offset()),
        )),
        _ => Ok(()),
    }
}
