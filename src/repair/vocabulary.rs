//! The words of comments that refer to omitted lines and to nothing else. A comment with any other
//! word, such as `# the cache is unchanged`, is a remark on code.

/// Words that state that lines are omitted or unchanged.
const LEFT_OUT: &[&str] = &[
    "unchanged",
    "unmodified",
    "untouched",
    "same",
    "omitted",
    "truncated",
    "snip",
    "snipped",
    "skipped",
    "elided",
    "abbreviated",
    "stays",
    "stay",
    "remains",
    "remain",
    "remaining",
    "remainder",
    "rest",
    "existing",
    "keep",
    "kept",
    "previous",
];

/// Words for lines of code.
const LINES: &[&str] = &[
    "code",
    "function",
    "functions",
    "method",
    "methods",
    "class",
    "classes",
    "implementation",
    "implementations",
    "implemented",
    "logic",
    "content",
    "contents",
    "file",
    "line",
    "lines",
    "body",
    "block",
    "section",
    "part",
    "parts",
    "imports",
    "definitions",
    "fields",
    "properties",
    "tests",
    "cases",
    "everything",
    "original",
    "other",
    "others",
    "else",
    "more",
];

/// Words that can accompany the other words.
const AROUND: &[&str] = &[
    "the", "of", "this", "that", "these", "those", "is", "are", "was", "were", "as", "it", "its",
    "your", "my", "our", "all", "any", "and", "in", "from", "to", "with", "for", "by", "here",
    "before", "above", "below", "after", "exactly", "brevity", "not", "shown", "goes", "go",
];

/// Returns whether all words of `comment` together state that lines are omitted. `comment` is in
/// lower case and has no comment marks. With dots (`has_dots`), a word for lines of code suffices.
pub(super) fn says_left_out(comment: &str, has_dots: bool) -> bool {
    let mut says = false;
    for word in comment
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
    {
        let is_name = LINES.contains(&word);
        // Numbers are allowed, as in `2 lines omitted`.
        let is_left_out = LEFT_OUT.contains(&word);
        if !is_left_out && !is_name && !AROUND.contains(&word) && word.parse::<u64>().is_err() {
            return false;
        }
        says |= is_left_out || has_dots && is_name;
    }
    says
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_that_speaks_of_more_is_a_remark() {
        for comment in [
            "the rest of the function stays the same",
            "unchanged",
            "2 lines omitted",
            "rest as before",
        ] {
            assert!(says_left_out(comment, false), "{comment}");
        }
        for comment in [
            "the cache is unchanged here because of x",
            "other methods",
            "",
            "keep the lock",
            "the code",
        ] {
            assert!(!says_left_out(comment, false), "{comment}");
        }
        assert!(says_left_out("2 lines", true) && !says_left_out("2 lines", false));
    }
}
