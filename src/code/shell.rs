//! Rewrites shell scripts. See `rewrites.rs`.

/// Replaces expansions such as `${name:$start:1}` on one line by a variable, and the content of
/// `[ ... ]` and each pattern of `case` on one line by words.
pub(super) fn tests_and_expansions(text: &str) -> Option<String> {
    let result = expansions(text).unwrap_or_else(|| text.to_owned());
    let mut replaced = String::with_capacity(text.len());
    for line in result.split_inclusive('\n') {
        let (start, end, kept) = match (case_pattern(line), test(line)) {
            (Some((start, end)), _) => (start, end, "|"),
            (None, Some((start, end))) => (start, end, ""),
            (None, None) => (0, 0, ""),
        };
        replaced.push_str(&line[..start]);
        let word = |byte: u8| {
            let is_kept = kept.as_bytes().contains(&byte);
            if is_kept { char::from(byte) } else { 'x' }
        };
        replaced.extend(line[start..end].bytes().map(word));
        replaced.push_str(&line[end..]);
    }
    (replaced != text).then_some(replaced)
}

/// Returns the content of `[ ... ]` in `line`, if it is a simple test.
fn test(line: &str) -> Option<(usize, usize)> {
    let start = line.find("[ ")?;
    let length = line[start..].rfind(" ]")?;
    let content = line.get(start + 2..start + length)?;
    let is_quoted = |quote: char| content.matches(quote).count() % 2 == 0;
    let is_simple =
        is_quoted('"') && is_quoted('\'') && !content.contains(['(', ')', '`', ']', '\\']);
    let has_pairs = content.matches('(').count() == content.matches(')').count();
    let is_long = line[..start].ends_with('[') && has_pairs && !content.contains('`');
    let is_simple = is_simple || (is_quoted('"') && (is_long || content.contains(" \\> ")));
    is_simple.then_some((start + 2, start + length))
}

/// Returns whether `text` contains a construct that only zsh knows.
pub(super) fn is_for_zsh(text: &str) -> bool {
    let marks = [
        "ZSH_VERSION",
        "emulate ",
        "zmodload ",
        "autoload ",
        "setopt ",
        "${~",
        "${(",
    ];
    marks.iter().any(|mark| text.contains(mark))
}

/// Returns whether the line of `text` at `offset` contains a name such as `@PATH@`, which a build
/// replaces.
pub(super) fn is_in_template(text: &str, offset: usize) -> bool {
    let (before, after) = text.split_at_checked(offset).unwrap_or((text, ""));
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let end = after.find('\n').unwrap_or(after.len());
    let is_upper = |byte: u8| byte.is_ascii_uppercase() || byte == b'_';
    let is_name = |part: &str| !part.is_empty() && part.bytes().all(is_upper);
    let line = &text[start..before.len() + end];
    let parts: Vec<_> = line.split('@').collect();
    parts[1..].iter().rev().skip(1).any(|part| is_name(part))
}

/// Returns the pattern of `case` at the start of `line`, without the parenthesis after it.
fn case_pattern(line: &str) -> Option<(usize, usize)> {
    let start = line.len() - line.trim_start().len();
    let mut quote = None;
    let mut is_word_over = false;
    for (index, byte) in line.bytes().enumerate().skip(start) {
        match (quote, byte) {
            (Some(open), _) if byte == open => quote = None,
            (None, b')') => return (index > start).then_some((start, index)),
            (None, b'|') => is_word_over = false,
            (None, b' ' | b'\t') => {
                is_word_over = line[..index].trim_end().ends_with(|last| last != '|');
            }
            (None, b'(' | b'`' | b'$' | b';' | b'&' | b'<' | b'>' | b'#' | b'=' | b'\\') => {
                return None;
            }
            (None, _) if is_word_over => return None,
            (None, b'\'' | b'"') => quote = Some(byte),
            _ => {}
        }
    }
    None
}

/// Replaces expansions such as `${name:$start:1}` on one line by a variable, and here-strings after
/// a block such as `} <<< "a"` by files.
pub(super) fn expansions(text: &str) -> Option<String> {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        let (before, found) = rest.split_at(start);
        result.push_str(before);
        let Some(length) = expansion_length(found) else {
            result.push_str("${");
            rest = &found[2..];
            continue;
        };
        // A here-document contains expansions for another shell: `\${name}`.
        result.push(if before.ends_with('\\') { 'x' } else { '$' });
        result.extend(std::iter::repeat_n('x', length - 1));
        rest = &found[length..];
    }
    result.push_str(rest);
    let result = result.replace("} <<<", "} <  ");
    (result != text).then_some(result)
}

/// Returns the length of the expansion at the start of `text`, if it ends on the line.
fn expansion_length(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut is_escaped = false;
    let mut previous = 0;
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            b'\n' => return None,
            _ if is_escaped => {}
            b'{' if previous == b'$' => depth += 1,
            b'}' if depth == 1 => return Some(index + 1),
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        is_escaped = byte == b'\\' && !is_escaped;
        previous = byte;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_contains_names_between_signs() {
        assert!(is_in_template("a\nb @C_D@ e", 3));
        assert!(!is_in_template("@A@\nb c@D \"$@\"", 5));
        assert!(!is_in_template("b c@D", 0));
    }

    #[test]
    fn expansions_tests_and_patterns_become_words() {
        for (text, rewritten) in [
            ("a=${b#*{\\}}}\n", "a=$xxxxxxxx}\n"),
            ("echo \"${a:-${b}}c\"\n", "echo \"$xxxxxxxxxc\"\n"),
            ("[ é \\> b ]; ${é:1} ${a\n", "[ xxxxxxx ]; $xxxxxx ${a\n"),
            ("  ?*' '?*) a ;;\n", "  xxxxxxx) a ;;\n"),
            ("é | ',' )\n", "xxx|xxxxx)\n"),
            ("} <<<\"$a\"\n", "} <  \"$a\"\n"),
        ] {
            assert_eq!(tests_and_expansions(text).as_deref(), Some(rewritten));
        }
        for text in ["a b)\n", "(a)\n", ")\n", "a=(b c)\n", "if a; then b)\n"] {
            assert_eq!(tests_and_expansions(text), None);
        }
    }
}
