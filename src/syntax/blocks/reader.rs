//! The lines of a block and its markers.

use memchr::memmem;

use crate::syntax::content_span;
use crate::text::{LineEnding, Lines, Span, without_ending};

/// The minimum number of signs with which a line outside a block resembles a marker.
const FEW_SIGNS: usize = 4;

/// A marker line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marker {
    /// `<<<<<<< SEARCH`
    Search,
    /// `=======`
    Divider,
    /// `>>>>>>> REPLACE`
    Replace,
    /// `Search` with another number of signs. Inside a block it is content.
    NearSearch,
    /// `Replace` with another number of signs. Inside a block it is content.
    NearReplace,
}

impl Marker {
    pub(super) fn is_opening(self) -> bool {
        matches!(self, Self::Search | Self::NearSearch)
    }

    pub(super) fn is_closing(self) -> bool {
        matches!(self, Self::Replace | Self::NearReplace)
    }
}

/// Returns the marker on `line`. White space at the end is ignored.
pub(super) fn parse_marker(line: &[u8]) -> Option<Marker> {
    let (&sign, line) = (line.first()?, trim_end(line));
    let signs = line.iter().take_while(|&&byte| byte == sign).count();
    match (sign, signs, &line[signs..]) {
        (b'<', 7, b" SEARCH") => Some(Marker::Search),
        (b'=', 7, b"") => Some(Marker::Divider),
        (b'>', 7, b" REPLACE") => Some(Marker::Replace),
        (b'<', FEW_SIGNS.., b" SEARCH") => Some(Marker::NearSearch),
        (b'>', FEW_SIGNS.., b" REPLACE") => Some(Marker::NearReplace),
        _ => None,
    }
}

/// Returns the start of the first line of `text[from..end]` that starts with `sign` and is a marker
/// for which `is_meant` returns `true`.
pub(super) fn find_marker(
    text: &[u8],
    from: usize,
    end: usize,
    sign: u8,
    is_meant: fn(Marker) -> bool,
) -> Option<usize> {
    let signs = [sign; FEW_SIGNS];
    let finder = memmem::Finder::new(&signs);
    let mut offset = from;
    while let Some(found) = finder.find(&text[offset..end]) {
        let at = offset + found;
        let line = content_span(text, at);
        let is_start = at == from || text[at - 1] == b'\n';
        if is_start && parse_marker(line.slice(text)).is_some_and(is_meant) {
            return Some(at);
        }
        // The search continues after the line, so that each line is read only once.
        offset = line.end.min(end);
    }
    None
}

/// Reads a number after `:`, or after `=` or `>`, which models write instead.
fn read_number(text: &[u8]) -> Option<usize> {
    let number = trim(text)
        .split_first()
        .filter(|(sign, _)| matches!(sign, b':' | b'=' | b'>'))?
        .1;
    std::str::from_utf8(trim(number)).ok()?.parse().ok()
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

fn trim_end(line: &[u8]) -> &[u8] {
    &line[..line
        .iter()
        .rposition(|&byte| !is_blank(byte))
        .map_or(0, |last| last + 1)]
}

/// Returns `line` without blanks, tabs and carriage returns on both sides.
pub(super) fn trim(line: &[u8]) -> &[u8] {
    let start = line
        .iter()
        .position(|&byte| !is_blank(byte))
        .unwrap_or(line.len());
    trim_end(&line[start..])
}

/// Returns whether `line` starts or ends a Markdown fence.
pub(super) fn is_fence(line: &[u8]) -> bool {
    let line = trim(line);
    let Some(word) = line
        .strip_prefix(b"```")
        .or_else(|| line.strip_prefix(b"~~~"))
    else {
        return false;
    };
    word.iter()
        .all(|byte| byte.is_ascii_alphanumeric() || b"`~_+.#-".contains(byte))
}

/// One line.
pub(super) struct Line<'a> {
    /// The line without terminator.
    pub(super) content: &'a [u8],
    /// The line with terminator.
    pub(super) whole: &'a [u8],
    /// Whether the line ends with CR LF.
    pub(super) is_crlf: bool,
}

/// A cursor over lines.
pub(super) struct LineCursor<'a> {
    text: &'a [u8],
    lines: Lines<'a>,
}

impl<'a> LineCursor<'a> {
    /// Returns a cursor at the line that starts at `from`.
    pub(super) fn new(text: &'a [u8], from: usize) -> Self {
        Self {
            text,
            lines: Lines::of_span(text, Span::new(from, text.len())),
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
    pub(super) fn peek(&self) -> Option<Line<'a>> {
        let whole = self.lines.peek()?;
        Some(Line {
            content: without_ending(whole),
            whole,
            is_crlf: LineEnding::of(whole) == LineEnding::CrLf,
        })
    }

    /// Moves the cursor past the next line.
    pub(super) fn next(&mut self) {
        self.lines.next();
    }

    /// Moves the cursor past blank lines and fences.
    pub(super) fn skip_blanks_and_fences(&mut self) {
        while self
            .peek()
            .is_some_and(|line| trim(line.content).is_empty() || is_fence(line.content))
        {
            self.next();
        }
    }

    /// Moves the cursor past the lines `:start_line:N`, `:end_line:N` and `-------` that can follow
    /// the first marker. Returns the first number.
    pub(super) fn skip_line_numbers(&mut self) -> Option<usize> {
        // The cursor moves only if the separator follows the numbers.
        let mut ahead = self.lines.clone();
        let mut start = None;
        while let Some(line) = ahead.next().map(|(_, line)| trim(without_ending(line))) {
            if let Some(number) = line.strip_prefix(b":start_line") {
                start = Some(read_number(number)?);
            } else if line == b"-------" && start.is_some() {
                self.lines = ahead;
                return start.filter(|&line| line > 0);
            } else if line
                .strip_prefix(b":end_line")
                .and_then(read_number)
                .is_none()
            {
                return None;
            }
        }
        None
    }

    /// Returns whether the next line is the marker `wanted`.
    pub(super) fn is_before(&self, wanted: Marker) -> bool {
        self.peek()
            .is_some_and(|line| parse_marker(line.content) == Some(wanted))
    }
}

/// The lines of one half of a block.
pub(super) struct BlockHalf {
    bytes: Vec<u8>,
    /// Whether the lines of the patch end with CR LF. If so, the line endings state nothing about
    /// the file.
    is_crlf: bool,
}

impl BlockHalf {
    pub(super) fn new(is_crlf: bool) -> Self {
        Self {
            bytes: Vec::new(),
            is_crlf,
        }
    }

    pub(super) fn push(&mut self, line: &[u8]) {
        if self.is_crlf && LineEnding::of(line) == LineEnding::CrLf {
            self.bytes.extend_from_slice(without_ending(line));
            self.bytes.push(b'\n');
        } else {
            self.bytes.extend_from_slice(line);
        }
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}
