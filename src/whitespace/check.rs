//! Finds white-space errors in a line. The rules follow `ws_check` in git's `ws.c`.

use super::{Flags, WhitespaceRule, is_space};

/// Returns the errors of `line` under `rule`. The line must include its terminator, if it has one.
#[must_use]
pub fn check(line: &[u8], rule: WhitespaceRule) -> Flags {
    let mut found = Flags::default();
    let terminated = line.strip_suffix(b"\n");
    if terminated.is_none() && rule.has(Flags::INCOMPLETE_LINE) {
        found = Flags::INCOMPLETE_LINE;
    }
    let mut content = terminated.unwrap_or(line);
    if rule.has(Flags::CR_AT_EOL) {
        content = content.strip_suffix(b"\r").unwrap_or(content);
    }
    if rule.has(Flags::BLANK_AT_EOL) {
        let end = content
            .iter()
            .rposition(|&byte| !is_space(byte))
            .map_or(0, |last| last + 1);
        if end < content.len() {
            found = found.with_flags(Flags::BLANK_AT_EOL);
            content = &content[..end];
        }
    }
    found.with_flags(of_indentation(content, rule))
}

fn of_indentation(content: &[u8], rule: WhitespaceRule) -> Flags {
    let end = content
        .iter()
        .position(|byte| !matches!(byte, b' ' | b'\t'))
        .unwrap_or(content.len());
    let mut found = Flags::default();
    // The position after the last tab.
    let mut start = 0;
    for (place, _) in content[..end]
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'\t')
    {
        if rule.has(Flags::SPACE_BEFORE_TAB) && start < place {
            found = found.with_flags(Flags::SPACE_BEFORE_TAB);
        } else if rule.has(Flags::TAB_IN_INDENT) {
            found = found.with_flags(Flags::TAB_IN_INDENT);
        }
        start = place + 1;
    }
    if rule.has(Flags::INDENT_WITH_NON_TAB) && end - start >= rule.tab_width {
        found = found.with_flags(Flags::INDENT_WITH_NON_TAB);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(line: &str, rule: &str) -> String {
        check(
            line.as_bytes(),
            WhitespaceRule::parse(rule.as_bytes()).unwrap(),
        )
        .to_string()
    }

    #[test]
    fn errors_are_called_as_git_calls_them() {
        assert_eq!(said("a \n", ""), "trailing whitespace");
        assert_eq!(
            said(" \ta\r\n", ""),
            "trailing whitespace, space before tab in indent"
        );
        assert_eq!(said(" \ta\r\n", "cr-at-eol"), "space before tab in indent");
        assert_eq!(
            said("        a", "indent,incomplete"),
            "indent with spaces, no newline at the end of file"
        );
        assert_eq!(said("\ta\n", "tab"), "tab in indent");
        assert_eq!(said(" \ta \n", "-trailing,-space"), "");
        assert_eq!(Flags::BLANK_AT_EOF.to_string(), "new blank line at EOF");
    }
}
