//! Parses brackets in glob patterns, such as `[a-z]`.

/// Returns the content of the bracket whose opening `[` precedes `text`, and the text after the
/// bracket.
pub(super) fn split_bracket(text: &str) -> Option<(&str, &str)> {
    // As the first character, `]` belongs to the content. A class such as `[:lower:]` contains a
    // `]` of its own.
    let start = usize::from(text.starts_with(['!', '^']));
    let mut at = start + usize::from(text[start..].starts_with(']'));
    loop {
        let next = at + text[at..].find([']', '['])?;
        let kind = text[next + 1..]
            .chars()
            .next()
            .filter(|kind| text[next..].starts_with('[') && ":.=".contains(*kind));
        match kind {
            Some(kind) => {
                let end = format!("{kind}]");
                at = next + 2 + text[next + 2..].find(&end)? + end.len();
            }
            None if text[next..].starts_with('[') => at = next + 1,
            None => return Some((&text[..next], &text[next + 1..])),
        }
    }
}

/// Returns whether every program gives a bracket with this content the same meaning: letters,
/// digits, and one range.
pub(super) fn is_plain_bracket(content: &str) -> bool {
    let is_plain = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let ranges = content.split('-').count() - 1;
    let is_range = content.len() == 3 && content.as_bytes()[1] == b'-';
    is_plain(&content.replace('-', "")) && (ranges == 0 || ranges == 1 && is_range)
}
