//! Finds macros of C and C++ that a change adds. A grammar cannot know the text of a macro.

use std::collections::HashMap;

/// Macros that do not look like macros.
const LOWER_CASE: &[&str] = &[
    "alignas",
    "asm",
    "container_of",
    "decltype",
    "emit",
    "forever",
    "noexcept",
    "offsetof",
    "signals",
    "slots",
    "typeof",
    "va_arg",
];
/// Constants of the standard library. They are expressions.
const CONSTANTS: &[&str] = &[
    "NULL",
    "EOF",
    "TRUE",
    "FALSE",
    "INT_MAX",
    "INT_MIN",
    "SIZE_MAX",
    "ULONG_MAX",
    "UINT_MAX",
    "LONG_MAX",
];
/// The first words of declarations, which no name precedes.
const DECLARATIONS: &[&str] = &[
    "bool", "char", "double", "enum", "extern", "float", "inline", "int", "long", "short",
    "signed", "static", "struct", "template", "typedef", "union", "unsigned", "virtual", "void",
];
/// Other keywords that can precede names or parentheses.
const KEYWORDS: &[&str] = &[
    "const",
    "volatile",
    "if",
    "else",
    "for",
    "while",
    "do",
    "switch",
    "case",
    "return",
    "goto",
    "sizeof",
    "class",
    "public",
    "private",
    "protected",
    "namespace",
    "using",
    "new",
    "delete",
    "throw",
    "catch",
    "operator",
    "typename",
    "constexpr",
    "explicit",
    "friend",
    "mutable",
    "define",
    "register",
    "auto",
    "restrict",
];
/// A macro can cause a fault this number of lines after it, or before it.
const LINES_AFTER: usize = 12;
const LINES_BEFORE: usize = 3;

/// Returns whether a macro that `after` contains more often than `before` is close to `offset` of
/// `after`.
pub(super) fn has_new_macro_near(before: &str, after: &str, offset: usize) -> bool {
    let mut counts: HashMap<&str, isize> = HashMap::new();
    for word in words(after) {
        *counts.entry(word).or_default() += 1;
    }
    for word in words(before) {
        *counts.entry(word).or_default() -= 1;
    }
    let is_new = |word: &&str| counts.get(word).is_some_and(|count| *count > 0);
    let near = near(after, offset);
    words(near)
        .filter(|word| is_macro(word))
        .any(|word| is_new(&word))
        || unusual_words(near).iter().any(is_new)
        || near
            .lines()
            .any(|line| is_after_call(line) && !before.contains(line))
}

/// Returns whether the change removes conditions of the preprocessor. The grammar has seen only a part
/// of the branches before it.
pub(super) fn has_fewer_conditions(before: &str, after: &str) -> bool {
    let count = |text: &str, word: &str| {
        let directives = text
            .lines()
            .filter_map(|line| line.trim_start().strip_prefix('#'));
        directives
            .filter(|line| line.trim_start().starts_with(word))
            .count()
    };
    let is_complete = count(after, "if") == count(after, "endif");
    is_complete
        && ["if", "el"]
            .iter()
            .any(|word| count(before, word) > count(after, word))
}

/// Returns the lines of `text` around `offset`.
fn near(text: &str, offset: usize) -> &str {
    let bytes = text.as_bytes();
    let offset = offset.min(text.len());
    let start = memchr::memrchr_iter(b'\n', &bytes[..offset])
        .nth(LINES_AFTER)
        .map_or(0, |newline| newline + 1);
    let end = memchr::memchr_iter(b'\n', &bytes[offset..])
        .nth(LINES_BEFORE)
        .map_or(text.len(), |newline| offset + newline);
    &text[start..end]
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !(character.is_alphanumeric() || character == '_'))
        .filter(|word| !word.is_empty())
}

/// Returns the names at places where only a macro can be: before a word of a declaration, in front
/// of two names, and as a statement with a block.
fn unusual_words(text: &str) -> Vec<&str> {
    let mut result = Vec::new();
    let mut previous: [&str; 2] = [""; 2];
    let mut rest = text;
    while let Some(start) =
        rest.find(|character: char| character.is_alphabetic() || character == '_')
    {
        let is_adjacent = rest[..start].trim().is_empty();
        rest = &rest[start..];
        let word = words(rest).next().unwrap_or_default();
        let after = &rest[word.len()..];
        if !is_adjacent {
            previous = [""; 2];
        }
        let is_keyword = |word: &str| KEYWORDS.contains(&word) || DECLARATIONS.contains(&word);
        let is_name = |word: &str| !word.is_empty() && !is_keyword(word);
        if is_name(previous[1]) && DECLARATIONS.contains(&word) {
            result.push(previous[1]);
        } else if is_name(previous[0]) && is_name(previous[1]) && is_name(word) {
            result.extend(previous);
        }
        let call = is_name(word).then(|| call_length(after)).flatten();
        if let Some(length) = call {
            let next = after[length..].trim_start();
            let next_word = words(next).next().filter(|word| next.starts_with(*word));
            let is_block = next.starts_with('{') && previous[1].is_empty();
            if is_block || next_word.is_some_and(|word| DECLARATIONS.contains(&word)) {
                result.push(word);
            }
        }
        previous = [previous[1], word];
        rest = after;
    }
    result
}

/// Returns whether `line` is a declaration after the call of a macro, as in `unused() static int a`.
fn is_after_call(line: &str) -> bool {
    let line = line.trim_start();
    let name = words(line).next().filter(|name| line.starts_with(name));
    let after = name.map_or("", |name| &line[name.len()..]);
    let rest = call_length(after).map_or("", |length| after[length..].trim_start());
    words(rest)
        .next()
        .is_some_and(|word| rest.starts_with(word) && DECLARATIONS.contains(&word))
}

/// Returns the length of the arguments in parentheses at the start of `text`.
fn call_length(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 1 => return Some(index + 1),
            b' ' => {}
            _ if depth == 0 => return None,
            b')' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn is_macro(word: &str) -> bool {
    let has_letters = word.bytes().filter(u8::is_ascii_uppercase).count() > 1;
    let is_upper_case = has_letters && !word.bytes().any(|byte| byte.is_ascii_lowercase());
    // Such as `PRIx64`.
    let is_prefixed = word.bytes().take_while(u8::is_ascii_uppercase).count() > 2;
    ((is_upper_case || is_prefixed) && !CONSTANTS.contains(&word))
        || word.starts_with("__")
        || word.contains("foreach")
        || word.contains("for_each")
        || LOWER_CASE.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_at_places_of_macros_are_unusual() {
        for (text, words) in [
            ("redis_atomic int a;", &["redis_atomic"][..]),
            ("unused() static void f(int a)", &["unused"]),
            ("static always_inline void f(", &["always_inline"]),
            ("each(a, b(c)) {", &["each"]),
            ("static packed list f(", &["packed", "list"]),
            ("static list f(list a, const int b) {", &[]),
            ("if (a) { return b; } else if (c(d)) { e(); }", &[]),
            ("unsigned int a; list *b; list c = d;", &[]),
        ] {
            assert_eq!(unusual_words(text), words, "{text}");
        }
    }

    #[test]
    fn a_declaration_can_follow_a_macro_that_moves() {
        let before = "static void\nunused() f(void) {}\n";
        assert!(has_new_macro_near(
            before,
            "unused() static void f(void) {}\n",
            0
        ));
        assert!(!has_new_macro_near("f();\nint a;\n", "f()\nint a;\n", 4));
    }

    #[test]
    fn a_condition_without_end_is_no_changed_condition() {
        assert!(has_fewer_conditions("# if A\n#endif\n", "a\n"));
        assert!(!has_fewer_conditions("# if A\n#endif\n", "#if A\n"));
        assert!(!has_fewer_conditions("#if A\n#endif\n", "#if B\n#endif\n"));
    }
}
