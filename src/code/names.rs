//! Renames names that a grammar knows only as keywords, and rewrites new constructs of JavaScript,
//! TypeScript and C#. See `rewrites.rs`.

use super::rewrites::{collections, first_branches, type_imports};

/// The end of a renamed word.
const SUFFIX: u8 = b'X';

/// Renames the keywords of JavaScript, and rewrites imports. Replaces each `&` by `|`, because the
/// grammar knows no `&` in the texts of JSX.
pub(super) fn javascript(text: &str) -> Option<String> {
    let result = imports(text.replace('&', "|"));
    let result = names_after_lines(rename(&result, &["using"]));
    (result != text).then_some(result)
}

/// Renames the keywords of TypeScript, and replaces types such as `import("x")`.
pub(super) fn typescript(text: &str) -> Option<String> {
    const KEYWORDS: [&str; 7] = [
        "abstract",
        "accessor",
        "as",
        "override",
        "satisfies",
        "type",
        "using",
    ];
    let result = names_after_lines(rename(&imports(text.to_owned()), &KEYWORDS));
    let result = type_imports(&result).unwrap_or(result);
    (result != text).then_some(result)
}

/// Does the same as [`typescript`], and replaces each `&` by `|` as [`javascript`] does.
pub(super) fn tsx(text: &str) -> Option<String> {
    let result = text.replace('&', "|");
    let result = typescript(&result).unwrap_or(result);
    (result != text).then_some(result)
}

/// Renames the keywords of C# and the name `_`, replaces collections, and turns blocks of extensions into classes.
/// Replaces `?.` by `.`, `?[` by `[`, and `f(a) = b` by `f[a] = b`, because the grammar does not know
/// that a value can be assigned to them.
pub(super) fn c_sharp(text: &str) -> Option<String> {
    let keywords = [
        "and", "async", "nint", "nuint", "or", "partial", "required", "with",
    ];
    let result = rename(text, &keywords).replace("?.", " .");
    let mut parts = result.split("?[");
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_type = part.starts_with([']', ',']);
        result.push_str(if is_type { "?[" } else { " [" });
        result.push_str(part);
    }
    // The grammar takes the index of an initializer for the target of an attribute.
    for target in [
        "assembly", "field", "method", "module", "param", "property", "type",
    ] {
        let name = target.to_uppercase();
        result = result.replace(&format!("[{target}] ="), &format!("[{name}] ="));
    }
    for (construct, known) in [
        ("extension<", "class xxx<"),
        ("extension(", "class xxx("),
        (" _ in ", " x in "),
    ] {
        result = result.replace(construct, known);
    }
    let result = assignments_to_calls(&collections(&result).unwrap_or(result));
    (result != text).then_some(result)
}

/// Replaces `f(a) = b` by `f[a] = b`.
fn assignments_to_calls(text: &str) -> String {
    const MAX_LENGTH: usize = 500;
    let mut result = text.as_bytes().to_vec();
    for (end, _) in text.match_indices(") = ") {
        let mut depth = 0_usize;
        let start = text.as_bytes()[..=end]
            .iter()
            .rev()
            .take(MAX_LENGTH)
            .position(|byte| {
                depth = match byte {
                    b')' => depth + 1,
                    b'(' => depth - 1,
                    _ => depth,
                };
                depth == 0
            });
        let Some(start) = start.map(|length| end - length) else {
            continue;
        };
        let name = text.as_bytes()[..start].last();
        if name.is_some_and(u8::is_ascii_alphanumeric) {
            let is_empty = start + 1 == end;
            (result[start], result[end]) = if is_empty { (b'_', b'_') } else { (b'[', b']') };
        }
    }
    String::from_utf8(result).expect("BUG: only ASCII characters are replaced")
}

/// Does the same as [`c_sharp`], and keeps the first branch of each condition.
pub(super) fn c_sharp_in_first_branches(text: &str) -> Option<String> {
    first_branches(&c_sharp(text)?)
}

/// Rewrites assertions and phases of imports, and reserved words in lists such as `{ a as if }`.
fn imports(text: String) -> String {
    const REPLACEMENTS: [(&str, &str); 6] = [
        ("import defer *", "import       *"),
        ("import.defer(", "import      ("),
        ("import source ", "import        "),
        ("import.source(", "import       ("),
        ("import type *", "import      *"),
        (" assert {", " with   {"),
    ];
    let mut result = text;
    for (construct, known) in REPLACEMENTS {
        result = result.replace(construct, known);
    }
    let mut bytes = result.clone().into_bytes();
    for (start, word) in result.match_indices(" as ") {
        let name = start + word.len();
        let length = result[name..].bytes().take_while(u8::is_ascii_lowercase);
        let end = name + length.count();
        let is_last = result[end..].trim_start().starts_with([',', '}']);
        if is_last && name < end && &result[name..end] != "default" {
            bytes[end - 1] = SUFFIX;
        }
    }
    String::from_utf8(bytes).expect("BUG: only ASCII letters are replaced")
}

/// Renames names such as `in2` or `in?`. After the end of a line, the scanner takes them for the
/// keyword.
fn names_after_lines(text: String) -> String {
    let mut result = text.into_bytes();
    for start in 0..result.len().saturating_sub(2) {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
        let is_start = start == 0 || !is_part(result[start - 1]);
        let after = result[start + 2];
        if is_start
            && result[start..].starts_with(b"in")
            && (after.is_ascii_digit() || b"_$?:,;=)}".contains(&after))
        {
            result[start] = b'x';
        }
    }
    String::from_utf8(result).expect("BUG: only ASCII letters are replaced")
}

/// Renames each word of `keywords` in `text` that is used as a name.
fn rename(text: &str, keywords: &[&str]) -> String {
    let mut result = text.as_bytes().to_vec();
    for keyword in keywords {
        for start in memchr::memmem::find_iter(text.as_bytes(), keyword) {
            let end = start + keyword.len();
            if is_word(text, start, end) && is_name(&text[end..]) {
                result[end - 1] = SUFFIX;
            }
        }
    }
    String::from_utf8(result).expect("BUG: only ASCII letters are replaced")
}

fn is_word(text: &str, start: usize, end: usize) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
    let bytes = text.as_bytes();
    !bytes[..start].last().is_some_and(is_part) && !bytes.get(end).is_some_and(is_part)
}

/// Returns whether the keyword before `rest` is a name: an operator or the end of an expression
/// follows it.
fn is_name(rest: &str) -> bool {
    rest.starts_with(['(', '['])
        || rest.trim_start().starts_with([
            '.', ',', ')', ']', '}', '=', ';', ':', '?', '!', '+', '-', '*', '|',
        ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_keywords_that_are_used_as_names_are_renamed() {
        for (text, renamed) in [
            ("using.f(using)", Some("usinX.f(usinX)")),
            ("using a = b", None),
            ("a.using\n", None),
            ("musing()", None),
            ("in2 = a in b", Some("xn2 = a in b")),
            ("import.defer('a') & b", Some("import      ('a') | b")),
            (
                "export { a as if, b as c }",
                Some("export { a as iX, b as X }"),
            ),
        ] {
            assert_eq!(javascript(text).as_deref(), renamed);
        }
        assert_eq!(
            tsx("type A = B & import('c')").as_deref(),
            Some("type A = B | iiiiiiiiiii")
        );
        assert_eq!(
            typescript("as = b as c; import('d')").as_deref(),
            Some("aX = b as c; iiiiiiiiiii")
        );
        for (text, rewritten) in [
            ("async => a is 1 or 2", "asynX => a is 1 or 2"),
            ("a?[0]?.b = [c]; int?[] d", "a [0] .b = (c); int?[] d"),
            ("{ [type] = a }; [type: B]", "{ [TYPE] = a }; [type: B]"),
            ("f(g()) = (a) = b", "f[g()] = (a) = b"),
        ] {
            assert_eq!(c_sharp(text).as_deref(), Some(rewritten));
        }
    }
}
