//! Repairs a whole text before it is parsed: UTF-16, the colours of a diff, text around a JSON
//! document or a hashline patch, and the markers of blocks.
//!
//! Colours are removed where git and GNU diff write them: around a header, around the sign, and
//! around the rest of a line. Other escape sequences in a line belong to the file.

use bstr::ByteSlice;

use super::rows::{REPAIRS, RepairKind};
use super::unwrap::unwrap_patch;
use crate::plan::Repair;
use crate::syntax::UnicodeEncoding;
use crate::syntax::unsupported::{
    detect_encoding, is_coloured_header, leading_escapes_len, without_escapes,
};
use crate::text::{Bytes, Lines, Span, without_ending};

/// Returns `original` as UTF-8 with the repairs of this module, and the list of the repairs.
/// Returns `None` if no repair is necessary, or if the UTF-16 is invalid.
pub fn plain_text(original: &[u8]) -> Option<(Bytes, Vec<Repair>)> {
    let decoded = match detect_encoding(original) {
        Some(UnicodeEncoding::Utf16Le) => Some(decode_utf16(original, u16::from_le_bytes)?),
        Some(UnicodeEncoding::Utf16Be) => Some(decode_utf16(original, u16::from_be_bytes)?),
        _ => None,
    };
    let mut repairs: Vec<_> = decoded
        .iter()
        .filter_map(|_| build_repair(RepairKind::Utf16, 1))
        .collect();
    let text = decoded.as_deref().unwrap_or(original);
    // The order is fixed: escape sequences are visible only in decoded text, and they hide the
    // start of a line from the later steps.
    let plain = match strip_colours(text) {
        Some((plain, line)) => {
            repairs.extend(build_repair(RepairKind::Colours, line));
            Some(plain)
        }
        None => decoded.clone(),
    };
    let plain = match unwrap_patch(plain.as_deref().unwrap_or(original)) {
        Some((unwrapped, line)) => {
            repairs.extend(build_repair(RepairKind::Wrapping, line));
            Some(unwrapped)
        }
        None => plain,
    };
    let plain = match replace_markers(plain.as_deref().unwrap_or(original)) {
        Some((marked, line)) => {
            repairs.extend(build_repair(RepairKind::Envelope, line));
            Some(marked)
        }
        None => plain,
    };
    Some((plain?.into(), repairs))
}

/// Replaces the markers `------- SEARCH` and `+++++++ REPLACE` of blocks by the usual markers.
/// Returns the text and the line number of the first replaced end marker; `None` if there is no
/// such block.
///
/// A replacement has the same length, so all offsets stay valid.
fn replace_markers(text: &[u8]) -> Option<(Vec<u8>, usize)> {
    let (mut marked, mut first, mut open) = (text.to_vec(), None, None);
    for (number, (span, line)) in Lines::of_span(text, Span::new(0, text.len())).enumerate() {
        // After a hunk header, such a line is a deletion or an insertion of a diff.
        if open.is_none() && line.starts_with(b"@@ -") {
            break;
        }
        match (without_ending(line).trim_ascii_end(), open) {
            (b"------- SEARCH", None) => open = Some(span.start),
            (b"+++++++ REPLACE", Some(start)) => {
                // Both markers change together. A start marker without an end can be prose, or a
                // line of a file.
                marked[start..start + 7].copy_from_slice(b"<<<<<<<");
                marked[span.start..span.start + 7].copy_from_slice(b">>>>>>>");
                first.get_or_insert(number + 1);
                open = None;
            }
            _ => {}
        }
    }
    Some((marked, first?))
}

fn build_repair(row: RepairKind, line: usize) -> Option<Repair> {
    let &(_, code, message) = REPAIRS.iter().find(|(known, ..)| *known == row)?;
    Some(Repair {
        code,
        line,
        message,
        section: None,
    })
}

/// Decodes UTF-16 to UTF-8; `None` if the text is not valid UTF-16.
fn decode_utf16(text: &[u8], unit: impl Fn([u8; 2]) -> u16) -> Option<Vec<u8>> {
    let (pairs, rest) = text.as_chunks::<2>();
    let units = pairs.iter().map(|pair| unit(*pair));
    // A shell may append a newline of one byte.
    let end: &[u8] = match rest {
        [] | [0 | b'\r'] => b"",
        [b'\n'] => b"\n",
        _ => return None,
    };
    let decoded: String = char::decode_utf16(units).collect::<Result<_, _>>().ok()?;
    Some(
        [
            decoded
                .strip_prefix('\u{feff}')
                .unwrap_or(&decoded)
                .as_bytes(),
            end,
        ]
        .concat(),
    )
}

/// Returns the text without colours, and the line of the first coloured header. Returns `None` if
/// no line is a coloured header, or if colours mark parts of lines. Such colours cannot be
/// distinguished from the content of the file.
fn strip_colours(text: &[u8]) -> Option<(Vec<u8>, usize)> {
    let all = || Lines::of_span(text, Span::new(0, text.len()));
    // Escape sequences alone do not prove that the diff is coloured, because a file can contain
    // them. Only a coloured header does.
    let first = all().position(|(_, line)| is_coloured_header(line))?;
    // git resets with `ESC [ m`, GNU diff with `ESC [ 0 m`.
    let clear: &[u8] = if text.contains_str(b"\x1b[m") {
        b"\x1b[m"
    } else {
        b"\x1b[0m"
    };
    let mut plain = Vec::with_capacity(text.len());
    for (_, line) in all() {
        let content = without_ending(line);
        plain.extend(strip_line_colours(content, clear)?);
        plain.extend_from_slice(&line[content.len()..]);
    }
    Some((plain, first + 1))
}

fn strip_line_colours(line: &[u8], clear: &[u8]) -> Option<Vec<u8>> {
    // GNU diff resets before it sets a colour.
    let set = leading_escapes_len(line);
    let rest = &line[set..];
    let is_body = matches!(
        rest.first(),
        Some(b' ' | b'+' | b'-' | b'!' | b'<' | b'>' | b'\\')
    ) && !is_header(&line[..set], rest);
    if !is_body {
        return Some(without_escapes(line));
    }
    let (sign, mut rest) = rest.split_at(1);
    // The last reset is the reset of the line itself.
    rest = rest.strip_suffix(clear).unwrap_or(rest);
    // git sets the colour again after the sign.
    let again = [clear, &line[..set]].concat();
    rest = if set > 0 {
        rest.strip_prefix(&*again)
            .or_else(|| rest.strip_prefix(clear))
            .unwrap_or(rest)
    } else {
        rest
    };
    let rest = without_blank_errors(rest, clear, &line[..set]);
    // Tools such as `diff-highlight` and `grep --color` mark parts of lines. The marks of an
    // insertion would be written to the file, while other lines are only compared with it.
    let marks_parts = sign == b"+"
        && [&b"\x1b[7m"[..], b"\x1b[27m", b"\x1b[K", b"\x1b[01;31m"]
            .iter()
            .any(|mark| rest.contains_str(mark));
    (!marks_parts).then(|| [sign, &rest].concat())
}

/// Returns whether the line is the `---` or `+++` line of a header, whose colour is bold. The
/// deletion of the line `-- x` starts with `--- ` too, but has another colour.
fn is_header(set: &[u8], rest: &[u8]) -> bool {
    let is_bold = matches!(set, b"\x1b[1m" | b"\x1b[0m\x1b[1m" | b"\x1b[0;1m");
    is_bold && (rest.starts_with(b"--- ") || rest.starts_with(b"+++ "))
}

/// Returns `rest` without the background that git gives to white space errors: reset, background,
/// blanks, reset, colour. The background is git's default for `color.diff.whitespace`.
fn without_blank_errors(rest: &[u8], clear: &[u8], set: &[u8]) -> Vec<u8> {
    const BACKGROUND: &[u8] = b"\x1b[41m";
    let (mut plain, mut rest) = (Vec::with_capacity(rest.len()), rest);
    while let Some(at) = rest.find(BACKGROUND) {
        let before = rest[..at].strip_suffix(set).unwrap_or(&rest[..at]);
        plain.extend_from_slice(before.strip_suffix(clear).unwrap_or(before));
        rest = &rest[at + BACKGROUND.len()..];
        let blanks = rest
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace())
            .count();
        plain.extend_from_slice(&rest[..blanks]);
        rest = &rest[blanks..];
        let after = rest.strip_prefix(clear).unwrap_or(rest);
        rest = after.strip_prefix(set).unwrap_or(after);
    }
    plain.extend_from_slice(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIFF: &str = "diff --git a/f b/f\nindex 1..2 100644\n--- a/f\n+++ b/f\n@@ -1,5 +1,5 @@ fn main\n one\n-two\n+2 \x1b[31mred\x1b[0m\n\
                        --- minus\n+++ plus\n \n\tthree\n\\ No newline at end of file\n";

    fn plain(text: &[u8]) -> Option<(String, Vec<&'static str>)> {
        let (plain, repairs) = plain_text(text)?;
        let codes = repairs.iter().map(|repair| repair.code).collect();
        Some((String::from_utf8(plain.to_vec()).unwrap(), codes))
    }

    /// Colours a diff as git does. `context` is the colour of context lines.
    fn coloured(clear: &str, again: bool, context: &str) -> String {
        let mut in_hunk = false;
        let line = |line: &str| {
            let (sign, rest) = line.split_at(line.len().min(1));
            let body = |set: &str| {
                let after_sign = if again {
                    format!("{clear}{set}")
                } else {
                    String::new()
                };
                format!("{set}{sign}{after_sign}{rest}{clear}\n")
            };
            let is_frag = line.starts_with("@@");
            let text = match sign {
                _ if is_frag => {
                    let (range, section) = line.split_at(line.rfind("@@").unwrap() + 2);
                    format!("\x1b[36m{range}{clear}\x1b[33m{section}{clear}\n")
                }
                _ if !in_hunk => format!("\x1b[1m{line}{clear}\n"),
                "-" => body("\x1b[31m"),
                "+" => body("\x1b[1;32m"),
                _ => format!("{context}{line}{clear}\n"),
            };
            in_hunk |= is_frag;
            text
        };
        DIFF.lines().map(line).collect()
    }

    #[test]
    fn colours_are_removed_and_escapes_of_the_file_stay() {
        let expected = Some((DIFF.to_owned(), vec!["colours"]));
        for (clear, again) in [("\x1b[m", true), ("\x1b[m", false), ("\x1b[0m", false)] {
            for context in ["", "\x1b[2m"] {
                assert_eq!(
                    plain(coloured(clear, again, context).as_bytes()),
                    expected,
                    "{clear:?} {again} {context:?}"
                );
            }
        }
        // GNU diff does not colour context lines, and resets before each header.
        let gnu = "\x1b[0m\x1b[1m--- a/f\x1b[0m\n\x1b[1m+++ b/f\x1b[0m\n\x1b[36m@@ -1,2 +1,2 @@\x1b[0m\n \x1b[1mone\n\x1b[31m-a\x1b[0m\n\x1b[32m+b\x1b[0m\n";
        let expected = "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n \x1b[1mone\n-a\n+b\n";
        assert_eq!(
            plain(gnu.as_bytes()),
            Some((expected.to_owned(), vec!["colours"]))
        );
        assert_eq!(plain(DIFF.as_bytes()), None);
    }

    #[test]
    fn a_background_of_blanks_is_removed_and_marked_words_are_refused() {
        let header = "\x1b[1m--- a/f\x1b[m\n\x1b[1m+++ b/f\x1b[m\n\x1b[36m@@ -1 +1 @@\x1b[m\n\x1b[31m-a\x1b[m\n";
        let text = format!("{header}\x1b[32m+\x1b[m\x1b[32mb\x1b[m\x1b[41m  \x1b[m\n");
        let expected = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b  \n";
        assert_eq!(
            plain(text.as_bytes()),
            Some((expected.to_owned(), vec!["colours"]))
        );
        assert_eq!(
            plain(format!("{header}\x1b[32m+b\x1b[7mc\x1b[27m\x1b[m\n").as_bytes()),
            None
        );
    }

    #[test]
    fn utf16_is_decoded_in_every_form() {
        let text = "--- a/f\r\n+++ b/f\r\n@@ -1 +1 @@\r\n-a\r\n+ä€😀\r\n";
        for mark in ["", "\u{feff}"] {
            let units = format!("{mark}{text}").encode_utf16().collect::<Vec<_>>();
            let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
            let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
            for bytes in [&little[..], &big, &little[..little.len() - 1]] {
                assert_eq!(
                    plain(bytes),
                    Some((text.to_owned(), vec!["utf16"])),
                    "{mark:?}"
                );
            }
            let ended = [&little[..], b"\n"].concat();
            assert_eq!(
                plain(&ended),
                Some((format!("{text}\n"), vec!["utf16"])),
                "{mark:?}"
            );
        }
        let half: Vec<u8> = "--- a/f\n"
            .encode_utf16()
            .chain([0xd800])
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(plain(&half), None);
    }
}
