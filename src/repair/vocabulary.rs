//! The words of comments that refer to omitted lines and to nothing else. A comment with any other
//! word, such as `# the cache is unchanged`, is a remark on code.

/// Words that state that lines are omitted or unchanged.
const OMISSION_WORDS: &[&str] = &[
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
const CODE_WORDS: &[&str] = &[
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
const FILLER_WORDS: &[&str] = &[
    "the", "of", "this", "that", "these", "those", "is", "are", "was", "were", "as", "it", "its",
    "your", "my", "our", "all", "any", "and", "in", "from", "to", "with", "for", "by", "here",
    "before", "above", "below", "after", "exactly", "brevity", "not", "shown", "goes", "go",
];

/// Returns whether all words of `comment` together state that lines are omitted. `comment` is in
/// lower case and has no comment marks. With dots (`has_dots`), a word for lines of code suffices.
pub(super) fn is_about_omitted_lines(comment: &str, has_dots: bool) -> bool {
    let mut says = false;
    for word in comment
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
    {
        let is_name = CODE_WORDS.contains(&word);
        // Numbers are allowed, as in `2 lines omitted`.
        let is_left_out = OMISSION_WORDS.contains(&word);
        if !is_left_out && !is_name && !FILLER_WORDS.contains(&word) && word.parse::<u64>().is_err()
        {
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
            assert!(is_about_omitted_lines(comment, false), "{comment}");
        }
        for comment in [
            "the cache is unchanged here because of x",
            "other methods",
            "",
            "keep the lock",
            "the code",
        ] {
            assert!(!is_about_omitted_lines(comment, false), "{comment}");
        }
        assert!(
            is_about_omitted_lines("2 lines", true) && !is_about_omitted_lines("2 lines", false)
        );
    }
}
