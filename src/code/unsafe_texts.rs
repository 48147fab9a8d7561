//! Texts that a scanner must not read.
//!
//! A scanner stores its state in a buffer of 1024 bytes after each token. Some scanners can store
//! more, or take a long time to restore the state. These functions return whether that is possible
//! for a text. They can return `true` for a harmless text, but no real code comes close to the
//! limits.

/// The maximum width of an indentation in Python. The scanner stores two bytes for each level, and
/// at most 255 more.
const MAX_INDENTATION: usize = 300;
/// The number of bytes that the scanner of Ruby can store.
const MAX_LITERALS: usize = 1000;
/// The number of bytes that the scanner of Ruby stores for a literal, and for a heredoc in addition
/// to its delimiter.
const LITERAL: usize = 5;
/// The maximum number of elements in HTML. The scanner restores all open elements at each token.
const MAX_ELEMENTS: usize = 10_000;

/// Returns whether an indentation of Python `text` is wide enough for too many levels.
pub(super) fn has_wide_indentation(text: &[u8]) -> bool {
    let mut width = 0;
    for (index, byte) in text.iter().enumerate() {
        width += match byte {
            b' ' => 1,
            b'\t' => 8,
            // The scanner joins continued lines.
            b'\\' | b'\r' => 0,
            b'\n' if index > 0 && matches!(text[index - 1], b'\\' | b'\r') => 0,
            _ => {
                width = 0;
                0
            }
        };
        if width > MAX_INDENTATION {
            return true;
        }
    }
    false
}

/// Returns whether Ruby `text` has so many nested literals, or so long heredoc delimiters, that the
/// scanner cannot store them.
pub(super) fn has_many_literals(text: &[u8]) -> bool {
    let interpolations = memchr::memmem::find_iter(text, b"#{").count();
    let mut stored = LITERAL * (interpolations + 1);
    for start in memchr::memmem::find_iter(text, b"<<") {
        let rest = &text[start + 2..];
        let rest = rest
            .strip_prefix(b"-")
            .or_else(|| rest.strip_prefix(b"~"))
            .unwrap_or(rest);
        let length = match rest.first() {
            Some(&quote @ (b'"' | b'\'' | b'`')) => memchr::memchr(quote, &rest[1..]),
            _ => rest
                .iter()
                .position(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80)),
        };
        let length = length.unwrap_or(rest.len());
        if length > 200 {
            return true;
        }
        stored += if length > 0 { LITERAL + length } else { 0 };
    }
    stored > MAX_LITERALS
}

/// Returns whether HTML `text` has too many elements.
pub(super) fn has_many_elements(text: &[u8]) -> bool {
    memchr::memchr_iter(b'<', text)
        .filter(|&start| {
            text.get(start + 1)
                .is_some_and(|byte| *byte != b'/' && *byte != b'!')
        })
        .count()
        > MAX_ELEMENTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_fill_the_buffer_of_a_scanner_are_unsafe() {
        assert!(has_wide_indentation(&[b' '; 301]));
        assert!(has_wide_indentation("\t\\\n\t\\\r\n".repeat(20).as_bytes()));
        assert!(!has_wide_indentation("    x\n".repeat(1000).as_bytes()));
        assert!(has_many_literals(
            format!("<<~'{}'", "a".repeat(201)).as_bytes()
        ));
        assert!(has_many_literals("\"#{\"".repeat(200).as_bytes()));
        assert!(has_many_literals("<<A\n".repeat(200).as_bytes()));
        assert!(!has_many_literals("a << 1\n".repeat(1000).as_bytes()));
        assert!(has_many_elements("<a>".repeat(10_001).as_bytes()));
        assert!(!has_many_elements("<a></a>".repeat(10_000).as_bytes()));
    }
}
