//! Finds white-space errors in a line. The rules follow `ws_check` in git's `ws.c`.

use super::{WhitespaceFlags, WhitespaceRule, is_space};

/// Returns the errors of `line` under `rule`. The line must include its terminator, if it has one.
#[must_use]
pub fn check(line: &[u8], rule: WhitespaceRule) -> WhitespaceFlags {
    let mut found = WhitespaceFlags::default();
    let terminated = line.strip_suffix(b"\n");
    if terminated.is_none() && rule.has(WhitespaceFlags::INCOMPLETE_LINE) {
        found = WhitespaceFlags::INCOMPLETE_LINE;
    }
    let mut content = terminated.unwrap_or(line);
    if rule.has(WhitespaceFlags::CR_AT_EOL) {
        content = content.strip_suffix(b"\r").unwrap_or(content);
    }
    if rule.has(WhitespaceFlags::BLANK_AT_EOL) {
        let end = content
            .iter()
            .rposition(|&byte| !is_space(byte))
            .map_or(0, |last| last + 1);
        if end < content.len() {
            found = found.with_flags(WhitespaceFlags::BLANK_AT_EOL);
            content = &content[..end];
        }
    }
    found.with_flags(check_indentation(content, rule))
}

fn check_indentation(content: &[u8], rule: WhitespaceRule) -> WhitespaceFlags {
    let end = content
        .iter()
        .position(|byte| !matches!(byte, b' ' | b'\t'))
        .unwrap_or(content.len());
    let mut found = WhitespaceFlags::default();
    // The position after the last tab.
    let mut start = 0;
    for (place, _) in content[..end]
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'\t')
    {
        if rule.has(WhitespaceFlags::SPACE_BEFORE_TAB) && start < place {
            found = found.with_flags(WhitespaceFlags::SPACE_BEFORE_TAB);
        } else if rule.has(WhitespaceFlags::TAB_IN_INDENT) {
            found = found.with_flags(WhitespaceFlags::TAB_IN_INDENT);
        }
        start = place + 1;
    }
    if rule.has(WhitespaceFlags::INDENT_WITH_NON_TAB) && end - start >= rule.tab_width {
        found = found.with_flags(WhitespaceFlags::INDENT_WITH_NON_TAB);
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
        assert_eq!(
            WhitespaceFlags::BLANK_AT_EOF.to_string(),
            "new blank line at EOF"
        );
    }
}
