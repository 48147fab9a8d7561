//! Finds malformed rules in style sheets.
//!
//! The grammar rejects much valid CSS, and accepts two declarations as one. Rules are simple enough to
//! be checked without it.

use tree_sitter::Node;

use super::balance::is_unbalanced;

/// Returns whether a fault in a style sheet counts that the change of `before` to `after` adds.
pub(super) fn is_certain(before: &str, after: &str) -> bool {
    is_unbalanced(before, after) || has_new_malformed(before, after)
}

/// Returns whether `after` has a malformed rule, and `before` has none.
fn has_new_malformed(before: &str, after: &str) -> bool {
    count_malformed(before) == 0 && count_malformed(after) > 0
}

/// Returns whether `node` is a declaration that the grammar accepts, although it is malformed.
pub(super) fn is_malformed_node(node: Node<'_>, text: &str) -> bool {
    let text = text.get(node.byte_range()).unwrap_or_default();
    node.kind() == "declaration" && is_malformed(without_values(text).trim_end_matches(';').trim())
}

/// Returns the number of malformed selectors, and of parts of blocks that are neither
/// `name: value` nor empty.
fn count_malformed(text: &str) -> usize {
    let text = without_values(text);
    let mut count = 0;
    for block in text.split('}') {
        let mut parts: Vec<_> = block.split('{').collect();
        let declarations = parts
            .pop()
            .filter(|_| !parts.is_empty())
            .unwrap_or_default();
        count += declarations
            .split(';')
            .filter(|part| is_malformed(part.trim()))
            .count();
        let selectors = parts.iter().filter_map(|part| part.rsplit(';').next());
        count += selectors
            .map(str::trim)
            .filter(|part| is_malformed_selector(part))
            .count();
    }
    count
}

fn is_malformed_selector(part: &str) -> bool {
    part.is_empty() || (!part.starts_with('@') && has_lone_sign(part, &['.', '#', ':']))
}

/// Returns whether `part` contains one of `signs` without a name or number after it.
fn has_lone_sign(part: &str, signs: &[char]) -> bool {
    part.match_indices(signs).any(|(start, sign)| {
        let next = part[start + sign.len()..].chars().next();
        !next.is_some_and(|next| {
            next.is_alphanumeric() || "-_\\:(x".contains(next) || !next.is_ascii()
        })
    })
}

fn is_malformed(part: &str) -> bool {
    if part.is_empty()
        || part.starts_with(['@', '$'])
        || part.starts_with("--")
        || part.contains("progid")
    {
        return false;
    }
    let Some((name, value)) = part.split_once(':') else {
        return true;
    };
    let is_part = |character: char| character.is_alphanumeric() || "-_*".contains(character);
    let name = name.trim();
    name.is_empty()
        || !name.chars().all(is_part)
        || value.contains(':')
        || value.trim().is_empty()
        || has_lone_sign(value, &['.', '#'])
}

/// Removes comments, strings and the content of parentheses.
fn without_values(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut depth = 0_usize;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '"' | '\'' => string_length(rest),
            _ => first.len_utf8(),
        };
        match first {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '{' | '}' => depth = 0,
            _ => {}
        }
        if length == first.len_utf8() && (depth == 0 || first == '(') {
            result.push(first);
        } else if "\"'".contains(first) {
            // A string that does not end becomes a lone sign.
            let is_complete = length > 1 && rest[..length].ends_with(first);
            result.push_str(if is_complete { "x" } else { "# " });
        }
        rest = &rest[length..];
    }
    result
}

/// Returns the length of the string at the start of `text`. It ends on its line.
fn string_length(text: &str) -> usize {
    let quote = text.as_bytes()[0];
    let mut is_escaped = false;
    for (index, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'\n' => return index,
            _ if byte == quote => return index + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_declaration_has_a_name_and_a_value() {
        let valid = "@import 'a;b'; /* c{d */ e:f, g { h: url(i:j;k) 'l:m'; *n: 1;\n --o: p:q; }\n\
                     @media (r: s) { t { u: v } } w { filter: progid:x; y: 'z' }";
        assert_eq!(count_malformed(valid), 0);
        for text in [
            "a { b c; }",
            "a { b: c d: e }",
            "a { : b }",
            "a { b: ; }",
            "a { b, c: d }",
            "a { b: #; }",
            "a { b: url('c\n) }",
            "a. { b: c }",
            "{ b: c }",
        ] {
            assert_eq!(count_malformed(text), 1, "{text}");
            assert!(has_new_malformed(valid, text) && !has_new_malformed(text, text));
        }
    }
}
