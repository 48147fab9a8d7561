//! Finds malformed rules in style sheets.
//!
//! The grammar rejects much valid CSS, and accepts two declarations as one. Rules are simple enough to
//! be checked without it.

use tree_sitter::Node;

use super::balance::is_unbalanced;

/// What a string becomes before the rules are checked.
const STRING: &str = "\"";
/// What a number without digits after its point becomes. Selectors can have a name there.
const NUMBER_FAULT: &str = "\u{1}";

/// Returns whether a fault in a style sheet counts that the change of `before` to `after` adds.
pub(super) fn is_certain(before: &str, after: &str) -> bool {
    is_unbalanced(before, after) || has_new_malformed(before, after)
}

/// Returns whether `after` has a malformed rule, and `before` has none.
fn has_new_malformed(before: &str, after: &str) -> bool {
    count_malformed(before) == 0 && count_malformed(after) > 0
}

/// Returns whether `node` is a declaration or a step of an animation that the grammar accepts, although
/// it is malformed.
pub(super) fn is_malformed_node(node: Node<'_>, text: &str) -> bool {
    let text = text.get(node.byte_range()).unwrap_or_default();
    match node.kind() {
        "declaration" => is_malformed(without_values(text).trim_end_matches(';').trim()),
        "keyframe_block" => {
            let steps = text.split('{').next().unwrap_or_default();
            steps.split(',').any(|step| is_number(step.trim()))
        }
        _ => false,
    }
}

/// Returns the number of malformed selectors, at-rules and declarations.
fn count_malformed(text: &str) -> usize {
    let text = without_values(text);
    let mut count = 0;
    let mut open: Vec<&str> = Vec::new();
    let mut start = 0;
    for (end, delimiter) in text.match_indices(['{', ';', '}']) {
        let part = text[start..end].trim();
        start = end + 1;
        let is_valid = match delimiter {
            "{" => {
                let is_in_animation = open.last().is_some_and(|outer| is_animation(outer));
                open.push(part);
                is_valid_prelude(part, is_in_animation)
            }
            ";" if open.is_empty() => is_valid_statement(part),
            ";" => !is_malformed(part),
            _ => {
                open.pop();
                !is_malformed(part)
            }
        };
        count += usize::from(!is_valid);
    }
    let rest = text[start..].trim();
    count + usize::from(!rest.is_empty() && !is_valid_statement(rest))
}

/// Returns whether `part` is a rule without a block, such as `@import`.
fn is_valid_statement(part: &str) -> bool {
    part.is_empty() || (part.starts_with('@') && !part[1..].contains('@'))
}

/// Returns whether `prelude` is the start of an animation.
fn is_animation(prelude: &str) -> bool {
    prelude.starts_with('@') && prelude.contains("keyframes")
}

/// Returns whether `part` can be before a block.
fn is_valid_prelude(part: &str, is_in_animation: bool) -> bool {
    if let Some(rule) = part.strip_prefix('@') {
        return !rule.contains('@');
    }
    // The value of a custom property can be a block.
    if part.starts_with("--") {
        return true;
    }
    part.split(',').all(|selector| {
        let selector = selector.trim();
        if is_in_animation {
            // A name such as `entry` can be before a percentage.
            let step = selector.rsplit(' ').next().unwrap_or_default();
            let is_percentage = step.strip_suffix('%').is_some_and(is_number);
            return is_percentage
                || ["from", "to"]
                    .iter()
                    .any(|it| step.eq_ignore_ascii_case(it));
        }
        !selector.is_empty()
            && !selector.contains(['/', '%', ';', '!'])
            && !has_lone_sign(selector, &['.', '#', ':'])
            && !has_name_with_leading_digit(selector)
            && !has_function_without_colon(selector)
            && !has_value_without_operator(selector)
    })
}

fn is_number(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// Returns whether a name in `selector` starts with a digit.
fn has_name_with_leading_digit(selector: &str) -> bool {
    selector.match_indices(['.', '#', ':']).any(|(start, _)| {
        let name = selector[start + 1..].trim_start_matches('-');
        name.starts_with(|first: char| first.is_ascii_digit())
    })
}

/// Returns whether parentheses follow a name that is no pseudo-class.
fn has_function_without_colon(selector: &str) -> bool {
    let is_part = |character: char| character.is_alphanumeric() || "-_".contains(character);
    selector
        .match_indices('(')
        .any(|(end, _)| !selector[..end].trim_end_matches(is_part).ends_with(':'))
}

/// Returns whether a string in `selector` has no operator before it.
fn has_value_without_operator(selector: &str) -> bool {
    selector
        .match_indices(STRING)
        .any(|(end, _)| !selector[..end].trim_end().ends_with('='))
}

/// Returns whether `part` contains one of `signs` without a name or number after it.
fn has_lone_sign(part: &str, signs: &[char]) -> bool {
    part.match_indices(signs).any(|(start, sign)| {
        let next = part[start + sign.len()..].chars().next();
        !next.is_some_and(|next| {
            next.is_alphanumeric() || "-_\\:(".contains(next) || !next.is_ascii()
        })
    })
}

/// Returns whether `part` is no declaration.
fn is_malformed(part: &str) -> bool {
    if part.is_empty() || part.starts_with("--") || part.contains("progid") {
        return false;
    }
    if part.starts_with(['@', '$']) {
        return part[1..].contains('@');
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
        || has_lone_percent(value)
        || value
            .split('!')
            .skip(1)
            .any(|flag| !flag.trim().eq_ignore_ascii_case("important"))
        || value.contains(NUMBER_FAULT)
}

/// Returns whether a percent sign in `value` has no number before it.
fn has_lone_percent(value: &str) -> bool {
    value
        .match_indices('%')
        .any(|(end, _)| !value[..end].ends_with(|last: char| last.is_ascii_digit() || last == ')'))
}

/// Replaces strings by [`STRING`], and removes comments and the content of parentheses. A fault in them
/// becomes a lone sign, and a number such as `1.` becomes [`NUMBER_FAULT`].
fn without_values(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    // Whether each open parenthesis belongs to an address.
    let mut open: Vec<bool> = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let before = &text[..text.len() - rest.len()];
        let length = match first {
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '"' | '\'' => string_length(rest),
            '\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            _ => first.len_utf8(),
        };
        let token = &rest[..length];
        rest = &rest[length..];
        let is_outside = open.is_empty();
        match first {
            '(' => open.push(before.ends_with("url") || before.ends_with("URL")),
            ')' => drop(open.pop()),
            '{' | '}' => open.clear(),
            _ => {}
        }
        if let Some(comment) = token.strip_prefix("/*") {
            // A comment in a comment was two comments before its end was lost.
            let is_complete = comment.ends_with("*/") && !comment.contains("/*");
            result.push_str(if is_complete { " " } else { "# / " });
        } else if "\"'".contains(first) {
            let is_complete = length > 1 && token.ends_with(first);
            result.push_str(match (is_complete, is_outside) {
                (false, _) => "# ",
                (true, true) => STRING,
                (true, false) => "",
            });
        } else if first == '\\' {
            // An escaped character is a part of a name.
            result.push_str(if is_outside { "x" } else { "" });
        } else if is_outside || open.is_empty() {
            result.push(first);
        } else if first == '.' && open.last() == Some(&false) {
            let is_after_digit = before.ends_with(|last: char| last.is_ascii_digit());
            let is_number = rest.starts_with(|next: char| next.is_ascii_digit());
            result.push_str(if is_after_digit && !is_number {
                NUMBER_FAULT
            } else {
                ""
            });
        }
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
                     @media (r: s) { t { u: v } } w { filter: progid:x; y: 'z' }\n\
                     @keyframes a { from, 1.5% { b: 2% calc(1.5px) !important } to { c: url(1.d) } }\n\
                     a.-b:not(.c, [g='h'])[d='e']::f, #g { h: .5 }\n\
                     a { b: image-set(url(i1.png) 1x) !IMPORTANT; --x: {}; }\n\
                     li:not(:nth-child(2n - 1), h1.a) { b: c } .p-0\\.5, .w-1\\/2 { b: red\\9 }\n\
                     @keyframes b { FROM { c: d } entry 0% { c: d } }";
        assert_eq!(count_malformed(valid), 0);
        for text in [
            "a { b c; }",
            "a { b: c d: e }",
            "a { : b }",
            "a { b: ; }",
            "a { b, c: d }",
            "a { b: #; }",
            "a { b: url('c\n) }",
            "a { b: %; }",
            "a { b: c !importan }",
            "a { b: c(1., 2) }",
            "a. { b: c }",
            "a.-2b { b: c }",
            "{ b: c }",
            "a, { b: c }",
            "a not(b) { c: d }",
            "[a'b'] { c: d }",
            "/ a */ b { c: d }",
            "a { b: c } /* d",
            "/* a / b { c: d } /* e */",
            "@keyframes a { % { b: c } }",
            "keyframes a { 1% { b: c } }",
            "@import 'a' @import 'b';",
            "import 'a';",
            "@a; b",
        ] {
            assert_eq!(count_malformed(text), 1, "{text}");
            assert!(has_new_malformed(valid, text) && !has_new_malformed(text, text));
        }
    }
}
