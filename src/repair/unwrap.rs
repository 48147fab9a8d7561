//! Removes text around patches whose grammars allow none: JSON documents and hashline sections in a
//! fence or in prose.
//!
//! Spaces replace the surrounding text, so that every position stays the same.

use serde::de::IgnoredAny;

use super::read::is_fence;
use crate::syntax::is_hashline_header;
use crate::text::{Lines, Span, bom_length, without_ending};

/// Replaces the text around the only patch in `text` by spaces. Returns the result and the first
/// line that changed; `None` if there is no surrounding text, or if another grammar reads it.
pub(super) fn unwrap_patch(text: &[u8]) -> Option<(Vec<u8>, usize)> {
    let start = bom_length(text);
    let patch = find_json(text, start).or_else(|| find_hashline(text, start))?;
    let is_around = |span: Span| {
        span.slice(text)
            .iter()
            .any(|byte| !byte.is_ascii_whitespace())
    };
    let (head, tail) = (Span::new(0, patch.start), Span::new(patch.end, text.len()));
    // Another patch in the surrounding text would be lost, so such a text stays as it is.
    if !is_around(head) && !is_around(tail)
        || has_patch_marker(head.slice(text))
        || has_patch_marker(tail.slice(text))
    {
        return None;
    }
    let mut plain = text.to_vec();
    plain[..patch.start].iter_mut().for_each(blank);
    plain[patch.end..].iter_mut().for_each(blank);
    let lines = if is_around(head) {
        0
    } else {
        memchr::memchr_iter(b'\n', &text[..patch.end]).count()
    };
    Some((plain, lines + 1))
}

fn blank(byte: &mut u8) {
    // Line numbers in reports must stay right.
    if !matches!(byte, b'\n' | b'\r') {
        *byte = b' ';
    }
}

fn all_lines(text: &[u8], from: usize) -> impl Iterator<Item = (usize, &[u8])> {
    Lines::of_span(text, Span::new(from, text.len()))
        .map(|(span, line)| (span.start, without_ending(line)))
}

/// Returns whether `text` contains a part of a patch and is therefore not prose.
fn has_patch_marker(text: &[u8]) -> bool {
    const MARKS: &[&[u8]] = &[
        b"diff --git ",
        b"--- ",
        b"+++ ",
        b"*** ",
        b"@@ ",
        b"<<<<<<<",
        b">>>>>>>",
        b"-------",
        b"{",
        b"[",
    ];
    all_lines(text, 0).any(|(_, line)| {
        MARKS
            .iter()
            .any(|mark| line.trim_ascii_start().starts_with(mark))
    })
}

/// Returns the first JSON document that begins a line and is an object or a list of objects.
fn find_json(text: &[u8], from: usize) -> Option<Span> {
    let is_start = |line: &[u8]| {
        matches!(
            line.trim_ascii_start(),
            [b'{', ..] | [b'[', b'{', ..] | [b'[']
        )
    };
    let (start, _) = all_lines(text, from).find(|(_, line)| is_start(line))?;
    let mut values = serde_json::Deserializer::from_slice(&text[start..]).into_iter::<IgnoredAny>();
    // A document that is not complete JSON stays as it is.
    values.next()?.ok()?;
    Some(Span::new(start, start + values.byte_offset()))
}

/// Returns the span of the hashline sections, from the first header to the end of the envelope or
/// of the fence.
fn find_hashline(text: &[u8], from: usize) -> Option<Span> {
    let mut lines = all_lines(text, from);
    let (mut start, mut fence, mut is_enveloped) = (None, None::<&[u8]>, false);
    for (at, line) in lines.by_ref() {
        if is_fence(line) {
            fence = Some(line);
        }
        match line.trim_ascii_end() {
            b"*** Begin Patch" if start.is_none() => (start, is_enveloped) = (Some(at), true),
            b"" => {}
            line if is_hashline_header(line) => {
                start.get_or_insert(at);
                // The end marker ends an envelope. Otherwise, a fence of the same kind as
                // the one above the sections ends them.
                let is_closed = |(_, line): &(usize, &[u8])| {
                    let is_closing =
                        fence.is_some_and(|fence| is_fence(line) && line.first() == fence.first());
                    if is_enveloped {
                        line.trim_ascii_end() == b"*** End Patch"
                    } else {
                        is_closing
                    }
                };
                let end = lines
                    .find(is_closed)
                    .map(|(at, line)| if is_enveloped { at + line.len() } else { at });
                return Some(Span::new(start?, end.unwrap_or(text.len())));
            }
            // `*** Begin Patch` belongs to the sections only directly above their first header.
            _ => (start, is_enveloped) = (None, false),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> Option<String> {
        unwrap_patch(text.as_bytes())
            .map(|(text, _)| String::from_utf8(text).unwrap().trim().to_owned())
    }

    #[test]
    fn text_around_a_document_is_blanked() {
        let document = "{\"edits\": []}";
        assert_eq!(
            plain(&format!("Here:\n\n```json\n{document}\n```\nDone.\n")).as_deref(),
            Some(document)
        );
        assert_eq!(
            plain(&format!("\u{feff}{document}\n")).as_deref(),
            Some(document)
        );
        let section = "[a#2914]\nPUT 1.=1:\n+x";
        assert_eq!(
            plain(&format!("```\n{section}\n```\nDone.\n")).as_deref(),
            Some(section)
        );
        let envelope = format!("*** Begin Patch\n{section}\n*** End Patch");
        assert_eq!(
            plain(&format!("I do:\n{envelope}\nDone.\n")).as_deref(),
            Some(&*envelope)
        );
        for text in [
            document,
            section,
            "prose\n{broken\n",
            "--- a/f\n{\"a\": 1}\n",
            "{}\n{}\n",
        ] {
            assert_eq!(plain(text), None, "{text}");
        }
    }
}
