//! Detects glob patterns that lead out of the searched directory.

use std::path::MAIN_SEPARATOR;

use super::brackets::{is_plain_bracket, split_bracket};

/// Returns the place outside the searched directory to which the pattern `rest` leads. An absolute
/// path counts only if `is_first` is true.
pub(super) fn find_outside_place(rest: &str, is_first: bool) -> Option<&'static str> {
    let rest = &*unescape(rest);
    let parts = || rest.split(['/', '{', '}', ',', '(', ')', '|']);
    // `..` can result from two alternatives as in `{.,x}{.,y}`, or from one repetition as in
    // `+(.)`.
    let dots = parts().filter(|part| *part == ".").count();
    let makes_dots = dots > 0 && rest.contains('(') || dots > 1 && rest.contains('{');
    let begins_with_group = rest.starts_with('{') || rest.find('(') == Some(1);
    let is_empty_possible = ["{,", ",,", ",}"].iter().any(|empty| rest.contains(empty));
    let is_absolute = |at: usize| {
        let before = &rest[..at];
        before.ends_with(['{', '(', ',', '|']) || is_empty_possible && before.ends_with('}')
    };
    let is_absolute = || rest.match_indices('/').any(|(at, _)| is_absolute(at));
    // The name of a file on Windows contains no colon.
    let has_drive = || MAIN_SEPARATOR == '\\' && rest.contains(':');
    if makes_dots || parts().any(|part| part == "..") || has_dots_in_range(rest) {
        Some("a parent directory")
    } else if is_first
        && (rest.starts_with('/') || begins_with_group && is_absolute() || has_drive())
    {
        Some("an absolute path")
    } else {
        None
    }
}

/// Returns `pattern` with each escape replaced by its character, and with each bracket replaced by
/// its [`bracket_replacement`].
fn unescape(pattern: &str) -> String {
    let (mut plain, mut rest) = (String::new(), pattern);
    while let Some(first) = rest.chars().next() {
        rest = &rest[first.len_utf8()..];
        match first {
            '\\' => {
                let mut after = rest.chars();
                plain.extend(after.next());
                rest = after.as_str();
            }
            '[' => match split_bracket(rest) {
                Some((content, after)) => {
                    plain.push_str(bracket_replacement(content));
                    rest = after;
                }
                None => plain.push('['),
            },
            first => plain.push(first),
        }
    }
    plain
}

/// Returns a replacement for a bracket with this content. It is a dot if the bracket can match a
/// dot. It is a parent directory if programs differ in where the bracket ends.
fn bracket_replacement(content: &str) -> &'static str {
    let mut outside = content.to_owned();
    while let Some((start, end)) = outside
        .find("[:")
        .and_then(|start| Some((start, outside[start..].find(":]")?)))
    {
        outside.replace_range(start..start + end + 2, "");
    }
    if outside.contains(['/', '[', ']', '\\']) {
        "/../"
    } else if is_plain_bracket(content) {
        "x"
    } else {
        "."
    }
}

/// Returns whether a range in braces, such as `{-../}`, can contain a dot or a slash.
fn has_dots_in_range(pattern: &str) -> bool {
    let bytes = pattern.as_bytes();
    let is_plain = |end: Option<&u8>| end.is_some_and(u8::is_ascii_alphanumeric);
    let mut depth = 0_i64;
    (0..bytes.len()).any(|at| {
        match bytes[at] {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        let has_plain_ends = || {
            is_plain(at.checked_sub(1).map(|before| &bytes[before])) && is_plain(bytes.get(at + 2))
        };
        depth > 0 && bytes[at..].starts_with(b"..") && !has_plain_ends()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_component_that_can_become_a_parent_directory_leads_away() {
        for pattern in [
            "[.][.]/x",
            ".\\./x",
            "\\.\\./x",
            "a/[.].",
            "[!a][^b]/x",
            "[[:punct:]][--9]/x",
            "{[.],x}[.]/x",
            "[]./]x",
            "{-../}{-../}/x",
            "{a,.\\.}/x",
        ] {
            assert_eq!(
                find_outside_place(pattern, false),
                Some("a parent directory"),
                "{pattern}"
            );
        }
        for pattern in [
            "[ab].[c]/x",
            "a\\.b/x",
            "[a-c]/..x",
            "{1..3}/x",
            "{a..c}/x",
            "*.[ch]",
            ".[a-z]*/x",
            "[",
            "\\",
        ] {
            assert_eq!(find_outside_place(pattern, false), None, "{pattern}");
        }
        assert_eq!(
            find_outside_place("\\/etc/*", true),
            Some("an absolute path")
        );
        for pattern in ["{C:/x,y}", "{y,c:/x}", "{C,D}:/x", "{C:,D:}/x", "C\\:/x"] {
            let found = find_outside_place(pattern, true);
            assert_eq!(found.is_some(), MAIN_SEPARATOR == '\\', "{pattern}");
        }
    }
}
