//! Decodes HTML entities.

const NAMED_ENTITIES: [(&[u8], u8); 5] = [
    (b"&lt;", b'<'),
    (b"&gt;", b'>'),
    (b"&quot;", b'"'),
    (b"&apos;", b'\''),
    (b"&amp;", b'&'),
];

/// Replaces the HTML entities in `text` that denote a tab or a printable ASCII character.
#[must_use]
pub fn decode_entities(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(&byte) = rest.first() {
        let (length, plain) = parse_entity(rest).unwrap_or((1, byte));
        out.push(plain);
        rest = &rest[length..];
    }
    out
}

/// Returns the length of the entity at the start of `text`, and its character.
fn parse_entity(text: &[u8]) -> Option<(usize, u8)> {
    let named = NAMED_ENTITIES
        .iter()
        .find(|(entity, _)| text.starts_with(entity));
    if let Some((entity, plain)) = named {
        return Some((entity.len(), *plain));
    }
    let number = text.strip_prefix(b"&#")?;
    // The number of an ASCII character has at most three digits, after an optional `x`.
    let end = number.iter().take(5).position(|&byte| byte == b';')?;
    let digits = std::str::from_utf8(&number[..end]).ok()?;
    let code = match digits.strip_prefix(['x', 'X']) {
        Some(digits) => u8::from_str_radix(digits, 16),
        None => digits.parse(),
    };
    let code = code
        .ok()
        .filter(|code| matches!(code, b'\t' | b' '..=b'~') && !digits.contains('+'))?;
    Some((2 + end + 1, code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_of_ascii_are_replaced() {
        let plain = decode_entities(
            b"a &lt;b&gt; &amp;lt; &#45;&#x2D;&#39; &nbsp; &#8211; &#; &#+45; &#10; &",
        );
        assert_eq!(
            String::from_utf8(plain).unwrap(),
            "a <b> &lt; --' &nbsp; &#8211; &#; &#+45; &#10; &"
        );
    }
}
