//! The section headings of hunks: the text after the line ranges, as git writes it.

/// The maximum length of a heading, in bytes. git's `struct func_line` has this size.
const MAX: usize = 80;

/// The section headings of the hunks of one file, in order.
///
/// The heading of a hunk is the last line before it that starts with a letter, `_` or `$`. This is
/// the rule of git for files without a `diff` attribute, `def_ff` in xdiff/xemit.c.
pub(super) struct Headings<'a> {
    text: &'a [u8],
    /// The end of the text before the previous hunk, in bytes.
    searched: usize,
    last: &'a [u8],
}

impl<'a> Headings<'a> {
    /// Returns the headings of hunks of `text`, the old file.
    pub(super) fn of(text: &'a [u8]) -> Self {
        Self {
            text,
            searched: 0,
            last: b"",
        }
    }

    /// Returns the heading of the hunk that starts at the offset `start`, or an empty one if no
    /// line before it is a heading. Each call must have a larger offset than the one before.
    pub(super) fn before(&mut self, start: usize) -> &'a [u8] {
        let mut end = start;
        while end > self.searched {
            // The last byte of the line can be its own newline, so the search starts before it.
            let line = memchr::memrchr(b'\n', &self.text[self.searched..end - 1])
                .map_or(self.searched, |newline| self.searched + newline + 1);
            if is_heading(&self.text[line..end]) {
                self.last = shorten(&self.text[line..end]);
                break;
            }
            end = line;
        }
        self.searched = start.max(self.searched);
        self.last
    }
}

fn is_heading(line: &[u8]) -> bool {
    matches!(line.first(), Some(b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$'))
}

/// Returns the start of `line` without white space at its end.
fn shorten(line: &[u8]) -> &[u8] {
    let line = &line[..line.len().min(MAX)];
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    let end = line.iter().rposition(|byte| !is_blank(byte));
    &line[..end.map_or(0, |last| last + 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_is_the_last_line_that_starts_like_a_name() {
        let text = b"one()  \r\n\tx\n{\n$two\n 3\n_last";
        let mut headings = Headings::of(text);
        let at = |line: usize| {
            text.split_inclusive(|&byte| byte == b'\n')
                .take(line)
                .map(<[u8]>::len)
                .sum()
        };
        let found = [0, 1, 3, 4, 5].map(|line| headings.before(at(line)));
        let expected: [&[u8]; 5] = [b"", b"one()", b"one()", b"$two", b"$two"];
        assert_eq!(found, expected);
        assert_eq!(Headings::of(text).before(text.len()), b"_last");
        let long = [&b"x".repeat(79)[..], b" y\n"].concat();
        assert_eq!(Headings::of(&long).before(long.len()), b"x".repeat(79));
    }
}
