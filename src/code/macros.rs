//! Finds macros of C and C++ that a change adds. A grammar cannot know what a macro stands for.

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
/// A macro can cause a fault this number of lines after it, or before it.
const LINES_AFTER: usize = 12;
const LINES_BEFORE: usize = 3;

/// Returns whether a macro that `after` contains more often than `before` is close to `offset` of
/// `after`.
pub(super) fn has_new_macro_near(before: &str, after: &str, offset: usize) -> bool {
    let mut counts: HashMap<&str, isize> = HashMap::new();
    for word in macros(after) {
        *counts.entry(word).or_default() += 1;
    }
    for word in macros(before) {
        *counts.entry(word).or_default() -= 1;
    }
    macros(near(after, offset)).any(|word| counts.get(word).is_some_and(|count| *count > 0))
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

fn macros(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !(character.is_alphanumeric() || character == '_'))
        .filter(|word| is_macro(word))
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
