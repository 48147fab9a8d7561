//! JSON values as ranges of the original text.
//!
//! Nested values are skipped without parsing them. The code therefore works at any nesting depth
//! and preserves the form of numbers.

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::text::json::RawMembers;

/// The maximum length of a key in bytes. Longer keys are not decoded, because no key of a notebook
/// is that long.
const MAX_KEY: usize = 400;

/// The numbers that JSON lacks but Python writes, each with a JSON number of the same length.
const PYTHON_NUMBERS: [(&[u8], &str); 3] = [
    (b"NaN", "1e1"),
    (b"Infinity", "1e111111"),
    (b"-Infinity", "-1e111111"),
];

/// Returns `text` with valid JSON in place of the numbers in [`PYTHON_NUMBERS`].
///
/// All offsets stay the same. The notebook code never reads the value of such a number.
pub(super) fn replace_numbers(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let (mut out, mut done, mut at) = (String::new(), 0, 0);
    while let Some(step) = memchr::memchr3(b'"', b'N', b'I', &bytes[at..]) {
        let found = at + step;
        // Skip strings: a word in a string is not a number.
        at = if bytes[found] == b'"' {
            string_end(bytes, found)
        } else {
            found + 1
        };
        let start = found - usize::from(found > 0 && bytes[found - 1] == b'-');
        let word = PYTHON_NUMBERS
            .iter()
            .find(|(word, _)| is_word(bytes, start, word));
        if let Some((word, number)) = word {
            out.push_str(&text[done..start]);
            out.push_str(number);
            (done, at) = (start + word.len(), start + word.len());
        }
    }
    if done == 0 {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(out + &text[done..])
    }
}

/// Returns the offset after the string that begins at `start`.
fn string_end(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(step) = memchr::memchr2(b'"', b'\\', &text[at.min(text.len())..]) {
        at += step + 1;
        if text[at - 1] == b'"' {
            return at;
        }
        at += 1;
    }
    text.len()
}

/// Returns whether the token at `start` is exactly `word`.
fn is_word(text: &[u8], start: usize, word: &[u8]) -> bool {
    let is_apart = |byte: &u8| byte.is_ascii_whitespace() || b"[]{},:".contains(byte);
    let (before, rest) = text.split_at(start);
    rest.starts_with(word)
        && before.last().is_none_or(is_apart)
        && rest.get(word.len()).is_none_or(is_apart)
}

/// A well-formed JSON value whose content is not parsed yet.
#[derive(Clone, Copy)]
pub(super) struct Value<'a> {
    /// The whole text of the file.
    text: &'a str,
    /// The offset of the first byte in the file.
    pub(super) start: usize,
    /// The offset after the last byte.
    pub(super) end: usize,
}

/// A key of an object and its value.
pub(super) struct Member<'a> {
    /// The decoded key; `None` if it is longer than [`MAX_KEY`] or invalid.
    pub(super) name: Option<String>,
    pub(super) key: Value<'a>,
    pub(super) value: Value<'a>,
}

impl<'a> Value<'a> {
    /// Parses the document that begins at the offset `from`.
    ///
    /// # Errors
    ///
    /// Returns the position where the text is not valid JSON.
    pub(super) fn parse(text: &'a str, from: usize) -> Result<Self, serde_json::Error> {
        let raw: &RawValue = serde_json::from_str(&text[from..])?;
        Ok(Self {
            text,
            start: 0,
            end: text.len(),
        }
        .locate(raw))
    }

    /// Returns the position of `raw`. `raw` must borrow from the text.
    fn locate(self, raw: &'a RawValue) -> Self {
        // `raw` borrows from `self.text`, so the difference of the two addresses is the offset.
        let start = raw.get().as_ptr().addr() - self.text.as_ptr().addr();
        Self {
            text: self.text,
            start,
            end: start + raw.get().len(),
        }
    }

    /// Returns the text of the value.
    pub(super) fn raw(self) -> &'a str {
        &self.text[self.start..self.end]
    }

    /// Returns the text of the file from offset `start` to offset `end`.
    pub(super) fn text_between(self, start: usize, end: usize) -> &'a str {
        &self.text[start..end]
    }

    /// Returns the members in order, including repeated keys; `None` if the value is not an object.
    pub(super) fn members(self) -> Option<Vec<Member<'a>>> {
        let RawMembers(members) = serde_json::from_str(self.raw()).ok()?;
        let member = |(key, value)| {
            let key = self.locate(key);
            let name = if key.raw().len() <= MAX_KEY {
                key.read()
            } else {
                None
            };
            Member {
                name,
                key,
                value: self.locate(value),
            }
        };
        Some(members.into_iter().map(member).collect())
    }

    /// Returns the items; `None` if the value is not a list.
    pub(super) fn items(self) -> Option<Vec<Self>> {
        let items: Vec<&RawValue> = serde_json::from_str(self.raw()).ok()?;
        Some(items.into_iter().map(|raw| self.locate(raw)).collect())
    }

    /// Parses the value as a `T`; `None` if it has another type.
    pub(super) fn read<T: DeserializeOwned>(self) -> Option<T> {
        serde_json::from_str(self.raw()).ok()
    }
}

/// Returns the member `name`. Of repeated keys the last one is used, as in Python's JSON parser.
pub(super) fn find_member<'m, 'a>(members: &'m [Member<'a>], name: &str) -> Option<&'m Member<'a>> {
    members
        .iter()
        .rev()
        .find(|member| member.name.as_deref() == Some(name))
}
