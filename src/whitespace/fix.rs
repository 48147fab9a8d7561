//! Fixes white-space errors in a line, like `ws_fix_copy` in git's `ws.c`.

use std::borrow::Cow;

use super::{WhitespaceFlags, WhitespaceRule, is_space};

/// A fixed line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixedLine<'a> {
    /// The line without errors.
    pub line: Cow<'a, [u8]>,
    /// Whether an error was fixed. The removal of a CR alone does not count.
    pub is_corrected: bool,
}

/// Fixes the errors of `line` under `rule`. The line must include its terminator, if it has one.
#[must_use]
pub fn fix(line: &[u8], rule: WhitespaceRule) -> FixedLine<'_> {
    let (content, ending, is_end_fixed) = fix_ending(line, rule);
    let (replaced, indentation) = fix_indent(content, rule).unwrap_or((0, Vec::new()));
    let is_corrected = is_end_fixed || replaced > 0;
    let kept = &content[replaced..];
    if indentation.is_empty() && line.starts_with(kept) && &line[kept.len()..] == ending {
        return FixedLine {
            line: Cow::Borrowed(line),
            is_corrected,
        };
    }
    FixedLine {
        line: Cow::Owned([&indentation, kept, ending].concat()),
        is_corrected,
    }
}

/// Returns the line without its end, the fixed terminator, and whether an error at the end was
/// fixed.
fn fix_ending(line: &[u8], rule: WhitespaceRule) -> (&[u8], &'static [u8], bool) {
    let is_incomplete =
        rule.has(WhitespaceFlags::INCOMPLETE_LINE) && !line.is_empty() && !line.ends_with(b"\n");
    if !rule.has(WhitespaceFlags::BLANK_AT_EOL) {
        return (line, if is_incomplete { b"\n" } else { b"" }, is_incomplete);
    }
    let terminated = line.strip_suffix(b"\n");
    let content = terminated.unwrap_or(line);
    let returned = content.strip_suffix(b"\r").filter(|_| terminated.is_some());
    let ending: &[u8] = match (
        terminated.is_some() || is_incomplete,
        returned.is_some() && rule.has(WhitespaceFlags::CR_AT_EOL),
    ) {
        (true, true) => b"\r\n",
        (true, false) => b"\n",
        (false, _) => b"",
    };
    let content = returned.unwrap_or(content);
    let end = content
        .iter()
        .rposition(|&byte| !is_space(byte))
        .map_or(0, |last| last + 1);
    (
        &content[..end],
        ending,
        is_incomplete || end < content.len(),
    )
}

/// Returns the number of bytes of the indentation to replace, and their replacement. Returns `None`
/// if the indentation has no error.
fn fix_indent(content: &[u8], rule: WhitespaceRule) -> Option<(usize, Vec<u8>)> {
    let end = content
        .iter()
        .position(|byte| !matches!(byte, b' ' | b'\t'))
        .unwrap_or(content.len());
    let behind = |byte| {
        content[..end]
            .iter()
            .rposition(|&other| other == byte)
            .map_or(0, |last| last + 1)
    };
    let (tabs, spaces) = (behind(b'\t'), behind(b' '));
    if rule.has(WhitespaceFlags::SPACE_BEFORE_TAB) && is_mixed(&content[..tabs])
        || rule.has(WhitespaceFlags::INDENT_WITH_NON_TAB)
            && has_wide_run(&content[..end], rule.tab_width)
    {
        // Without indent-with-non-tab, the spaces after the last tab are no error.
        let skipped = if rule.has(WhitespaceFlags::INDENT_WITH_NON_TAB) {
            tabs.max(spaces)
        } else {
            tabs
        };
        return Some((skipped, spaces_to_tabs(&content[..skipped], rule.tab_width)));
    }
    (rule.has(WhitespaceFlags::TAB_IN_INDENT) && tabs > 0)
        .then(|| (tabs, tabs_to_spaces(&content[..tabs], rule.tab_width)))
}

/// Returns whether `indentation`, which must end with its last tab, has a space before a tab.
fn is_mixed(indentation: &[u8]) -> bool {
    indentation.contains(&b' ')
}

/// Returns whether `indentation` has a run of at least `width` spaces.
fn has_wide_run(indentation: &[u8], width: usize) -> bool {
    indentation
        .split(|&byte| byte == b'\t')
        .any(|spaces| spaces.len() >= width)
}

/// Replaces each run of `width` spaces with a tab. Shorter runs before a tab are removed.
fn spaces_to_tabs(indentation: &[u8], width: usize) -> Vec<u8> {
    let (mut out, mut spaces) = (Vec::new(), 0);
    for &byte in indentation {
        if byte == b' ' {
            spaces += 1;
            if spaces < width {
                continue;
            }
        }
        spaces = 0;
        out.push(b'\t');
    }
    out.resize(out.len() + spaces, b' ');
    out
}

/// Replaces tabs with spaces.
fn tabs_to_spaces(indentation: &[u8], width: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for &byte in indentation {
        let length = if byte == b'\t' {
            (out.len() / width + 1) * width
        } else {
            out.len() + 1
        };
        out.resize(length, b' ');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixed(line: &str, rule: &str) -> (String, bool) {
        let fixed = fix(
            line.as_bytes(),
            WhitespaceRule::parse(rule.as_bytes()).unwrap(),
        );
        (
            String::from_utf8(fixed.line.into_owned()).unwrap(),
            fixed.is_corrected,
        )
    }

    #[test]
    fn ends_and_indentations_are_put_right() {
        let cases = [
            ("a \t\n", "", "a\n", true),
            ("a\r\n", "", "a\n", false),
            ("a \r\n", "cr-at-eol", "a\r\n", true),
            ("a ", "", "a", true),
            ("a ", "incomplete", "a\n", true),
            ("a", "incomplete,-trailing", "a\n", true),
            (" \ta\n", "", "\ta\n", true),
            ("         \ta\n", "", "\t\ta\n", true),
            ("          a\n", "indent", "\t  a\n", true),
            ("     a\n", "indent,tabwidth=4", "\t a\n", true),
            (" \t a\n", "tab,-space", "         a\n", true),
            (" a\n", "", " a\n", false),
        ];
        for (line, rule, expected, is_corrected) in cases {
            assert_eq!(
                fixed(line, rule),
                (expected.to_owned(), is_corrected),
                "{line:?} {rule}"
            );
        }
    }
}
