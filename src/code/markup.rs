//! Rewrites HTML that the grammar rejects, but browsers accept. See `rewrites.rs`.

use tree_sitter::Node;

use super::rewrites::blank;

/// Elements that need an end tag.
const CLOSED_ELEMENTS: [&str; 41] = [
    "a",
    "article",
    "aside",
    "audio",
    "b",
    "blockquote",
    "button",
    "canvas",
    "code",
    "details",
    "dialog",
    "div",
    "dl",
    "em",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "i",
    "iframe",
    "label",
    "legend",
    "main",
    "nav",
    "ol",
    "pre",
    "section",
    "select",
    "small",
    "span",
    "strong",
    "table",
    "ul",
];
/// Elements that contain only text.
const TEXT_ELEMENTS: [&[u8]; 2] = [b"textarea", b"title"];

/// Replaces angle brackets that belong to no tag and `&` that starts no entity, which browsers show
/// as text. Removes sections such as `<![CDATA[`, and the declaration of XHTML.
pub(super) fn stray_characters(text: &str) -> Option<String> {
    let mut result = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some(at) = memchr::memchr3(b'<', b'>', b'&', rest) {
        result.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        let next = rest.get(1).copied().unwrap_or_default();
        let length = match rest[0] {
            b'<' if rest.starts_with(b"<!--") => {
                memchr::memmem::find(rest, b"-->").map_or(rest.len(), |end| end + 3)
            }
            b'<' if rest.starts_with(b"<![") || rest.starts_with(b"<?xml") => {
                let length = tag_length(rest);
                result.extend(rest[..length].iter().copied().map(blank));
                rest = &rest[length..];
                continue;
            }
            b'<' if next.is_ascii_alphabetic() || b"/!?".contains(&next) => tag_length(rest),
            b'&' if next.is_ascii_alphabetic() || next == b'#' => 1,
            b'>' if is_end_of_tag(&result) => 1,
            _ => {
                result.push(b' ');
                rest = &rest[1..];
                continue;
            }
        };
        result.extend_from_slice(&rest[..length]);
        replace_tag_name(&mut result, length);
        let content = content_length(&rest[..length], &rest[length..]);
        let content = &rest[length..length + content];
        result.extend(content.iter().copied().map(blank));
        rest = &rest[length + content.len()..];
    }
    result.extend_from_slice(rest);
    let result = String::from_utf8(result).ok()?;
    (result != text).then_some(result)
}

/// Replaces the characters in the name of the tag at the end of `text` that the grammar does not know.
fn replace_tag_name(text: &mut [u8], length: usize) {
    let start = text.len() - length;
    let is_tag = text[start] == b'<' && text.get(start + 1).is_some_and(u8::is_ascii_alphabetic);
    let start = start + usize::from(text[start..].starts_with(b"</"));
    let is_end_of_name =
        |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>' | b'<');
    let end = text[start + 1..].iter().position(is_end_of_name);
    if !is_tag && !text[start..].starts_with(b"/") {
        return;
    }
    for byte in text[start + 1..].iter_mut().take(end.unwrap_or_default()) {
        if !byte.is_ascii_alphanumeric() {
            *byte = b'x';
        }
    }
}

/// Returns the length of the text after `tag`, if it starts an element that contains only text.
fn content_length(tag: &[u8], after: &[u8]) -> usize {
    let name = tag[1..]
        .split(|byte| !byte.is_ascii_alphabetic())
        .next()
        .unwrap_or_default();
    if !tag.starts_with(b"<") || !TEXT_ELEMENTS.iter().any(|it| name.eq_ignore_ascii_case(it)) {
        return 0;
    }
    let mut ends = memchr::memmem::find_iter(after, b"</");
    let is_same = |end: &usize| {
        let word = after.get(end + 2..end + 2 + name.len());
        word.is_some_and(|word| word.eq_ignore_ascii_case(name))
    };
    ends.find(is_same).unwrap_or_default()
}

/// Returns whether a `>` after `before` can be the end of a tag whose start is missing. It stays a
/// fault, unless an entity such as `&lt;` replaces the start.
fn is_end_of_tag(before: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"/\"'".contains(byte);
    let start = memchr::memrchr2(b'<', b'>', before).map_or(0, |angle| angle + 1);
    before.last().is_some_and(is_part) && memchr::memmem::find(&before[start..], b"&lt;").is_none()
}

/// Returns the length of the tag at the start of `text`. A `>` in quotes belongs to the tag.
fn tag_length(text: &[u8]) -> usize {
    let mut quote = None;
    for (index, &byte) in text.iter().enumerate() {
        match quote {
            Some(open) if byte == open => quote = None,
            None if matches!(byte, b'"' | b'\'') => quote = Some(byte),
            None if byte == b'>' => return index + 1,
            _ => {}
        }
    }
    text.len()
}

/// Returns whether `node` is an element without its end tag. Browsers guess where it ends.
pub(super) fn is_unclosed(node: Node<'_>, text: &str) -> bool {
    if node.kind() != "element" {
        return false;
    }
    let mut cursor = node.walk();
    let kinds: Vec<_> = node
        .children(&mut cursor)
        .map(|child| child.kind())
        .collect();
    let tag = node.child(0).and_then(|start| start.named_child(0));
    let name = tag
        .and_then(|tag| text.get(tag.byte_range()))
        .unwrap_or_default();
    kinds.first() == Some(&"start_tag")
        && kinds.last() != Some(&"end_tag")
        && CLOSED_ELEMENTS
            .iter()
            .any(|element| name.eq_ignore_ascii_case(element))
}

/// Returns whether `text` has a tag such as `<a:b>`. Template languages use such tags, in attributes
/// too.
pub(super) fn has_prefixed_tag(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'<', bytes).any(|start| {
        let name = &bytes[start + 1..];
        let length = name
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric())
            .count();
        length > 0 && name.get(length) == Some(&b':')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_characters_outside_of_tags_are_replaced() {
        for (text, rewritten) in [
            (
                "é > b <p x='>'> < <!-- > -->",
                "é   b <p x='>'>   <!-- > -->",
            ),
            ("a & b &amp; &#1; c&", "a   b &amp; &#1; c "),
            ("<a-.é b='c-'>d</a-.é>", "<axxxx b='c-'>d</axxxx>"),
            ("<title>é</a>\n</title>", "<title>      \n</title>"),
            ("<![CDATA[<p>]]></p>", "            ]] </p>"),
        ] {
            assert_eq!(stray_characters(text).as_deref(), Some(rewritten));
        }
        assert!(has_prefixed_tag("<p a='<b:c />'>") && !has_prefixed_tag("< a:b <a b:c>"));
        assert_eq!(stray_characters("p>a</p><title>a"), None);
    }
}
