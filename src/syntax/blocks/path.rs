//! The path line of a block, with the decorations that models add.

use bstr::ByteSlice;

use super::reader::{is_fence, parse_marker, trim};
use crate::plan::{Name, NameCandidate, StripRule};
use crate::text::{Span, without_ending};

/// Returns the last line between `from` and `at` that is neither blank nor a fence, if it is a path
/// line.
pub(super) fn find_path_line(text: &[u8], from: usize, at: usize) -> Option<Span> {
    let mut end = at;
    while end > from {
        let start =
            memchr::memrchr(b'\n', &text[from..end - 1]).map_or(from, |newline| from + newline + 1);
        let line = without_ending(&text[start..end]);
        if !trim(line).is_empty() && !is_fence(line) {
            return (parse_marker(line).is_none() && is_named(text, start, line.len(), at))
                .then(|| Span::new(start, end));
        }
        end = start;
    }
    None
}

fn is_named(text: &[u8], start: usize, length: usize, at: usize) -> bool {
    parse_name(text, Span::new(start, start + length), at).is_some()
}

/// Returns the name on `line`, which has no terminator, for the block at `block`. Returns `None` if
/// the line can also be prose.
pub(super) fn parse_name(text: &[u8], line: Span, block: usize) -> Option<Name> {
    let whole = line.slice(text);
    let (bare, is_decorated) = strip_decoration(trim(whole));
    let is_direct = without_ending(&text[line.end..block]).is_empty();
    let (found, is_certain) = match unquote(bare) {
        Some(name) => (name, true),
        None if is_decorated => (bare, is_path_like(bare)),
        None => (
            bare,
            // Prose has blanks. Such a line is a name only directly above the block, and if it does
            // not end like a sentence.
            !has_blanks(bare) || is_direct && !bare.ends_with(b"."),
        ),
    };
    let start = line.start + whole.find(found)?;
    let span = Span::new(start, start + found.len());
    let claim = NameCandidate {
        bytes: found.to_vec(),
        strip: StripRule::Literal,
        span,
    };
    (is_certain && !found.is_empty()).then(|| Name::Agreed(vec![claim]))
}

/// Removes the decoration of a heading, a comment or a title. Also returns whether there was a
/// decoration.
fn strip_decoration(line: &[u8]) -> (&[u8], bool) {
    let marks = line.iter().take_while(|&&byte| byte == b'#').count();
    let marks = if marks == 0 && line.starts_with(b"//") {
        2
    } else {
        marks
    };
    let rest = if line.get(marks).is_some_and(u8::is_ascii_whitespace) {
        trim(&line[marks..])
    } else {
        line
    };
    let rest = rest.strip_suffix(b":").unwrap_or(rest);
    let bold = rest
        .strip_prefix(b"**")
        .and_then(|rest| rest.strip_suffix(b"**"));
    let rest = bold.unwrap_or(rest);
    let rest = rest.strip_suffix(b":").unwrap_or(rest);
    (rest, rest.len() < line.len())
}

/// Returns the text between two backticks if they enclose all of `name`.
fn unquote(name: &[u8]) -> Option<&[u8]> {
    let inside = name.strip_prefix(b"`")?.strip_suffix(b"`")?;
    (!inside.is_empty() && !inside.contains(&b'`')).then_some(inside)
}

/// Returns whether a decorated name is more likely a path than a word of prose.
fn is_path_like(name: &[u8]) -> bool {
    !has_blanks(name) && name.iter().any(|byte| matches!(byte, b'.' | b'/'))
}

fn has_blanks(name: &[u8]) -> bool {
    name.iter().any(u8::is_ascii_whitespace)
}
