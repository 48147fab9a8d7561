//! JSON that stays text: where each value stands in it.
//!
//! Values are skipped without being read, so that no nesting is too deep and no number form gets
//! lost.

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::text::json::RawMembers;

/// Most bytes of a key that is read; longer ones are none that a notebook has.
const MOST_KEY: usize = 400;

/// The numbers that JSON does not have and Python writes all the same, and numbers of the same
/// length.
const NO_NUMBERS: [(&[u8], &str); 3] = [
    (b"NaN", "1e1"),
    (b"Infinity", "1e111111"),
    (b"-Infinity", "-1e111111"),
];

/// Returns `text` with numbers in the place of those that JSON does not have: every offset stays,
/// and what is read of a notebook is no number of this kind.
pub(super) fn numbered(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let (mut out, mut done, mut at) = (String::new(), 0, 0);
    while let Some(step) = memchr::memchr3(b'"', b'N', b'I', &bytes[at..]) {
        let found = at + step;
        at = if bytes[found] == b'"' {
            string_end(bytes, found)
        } else {
            found + 1
        };
        let start = found - usize::from(found > 0 && bytes[found - 1] == b'-');
        let word = NO_NUMBERS
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

/// Returns the offset behind the string that begins at `start`.
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

/// Returns whether `word` stands at `start`, and nothing else is joined to it.
fn is_word(text: &[u8], start: usize, word: &[u8]) -> bool {
    let is_apart = |byte: &u8| byte.is_ascii_whitespace() || b"[]{},:".contains(byte);
    let (before, rest) = text.split_at(start);
    rest.starts_with(word)
        && before.last().is_none_or(is_apart)
        && rest.get(word.len()).is_none_or(is_apart)
}

/// A well-formed value, not yet looked into.
#[derive(Clone, Copy)]
pub(super) struct Value<'a> {
    /// All of the file.
    text: &'a str,
    /// Offset of its first byte in the file.
    pub(super) start: usize,
    /// Offset behind its last byte.
    pub(super) end: usize,
}

/// A key of an object and its value.
pub(super) struct Member<'a> {
    /// The key as it reads; `None` for one that no notebook has.
    pub(super) name: Option<String>,
    pub(super) key: Value<'a>,
    pub(super) value: Value<'a>,
}

impl<'a> Value<'a> {
    /// Reads the document that begins at `from`.
    ///
    /// # Errors
    ///
    /// Returns where it stops to be JSON.
    pub(super) fn document(text: &'a str, from: usize) -> Result<Self, serde_json::Error> {
        let raw: &RawValue = serde_json::from_str(&text[from..])?;
        Ok(Self {
            text,
            start: 0,
            end: text.len(),
        }
        .part(raw))
    }

    /// Returns the value that `raw`, which was read from the text, is.
    fn part(self, raw: &'a RawValue) -> Self {
        let start = raw.get().as_ptr().addr() - self.text.as_ptr().addr();
        Self {
            text: self.text,
            start,
            end: start + raw.get().len(),
        }
    }

    /// Returns its text.
    pub(super) fn raw(self) -> &'a str {
        &self.text[self.start..self.end]
    }

    /// Returns the text of the file from `start` to `end`.
    pub(super) fn between(self, start: usize, end: usize) -> &'a str {
        &self.text[start..end]
    }

    /// Returns its members in order, a key as often as it is there; `None` if it is no object.
    pub(super) fn members(self) -> Option<Vec<Member<'a>>> {
        let RawMembers(members) = serde_json::from_str(self.raw()).ok()?;
        let member = |(key, value)| {
            let key = self.part(key);
            let name = if key.raw().len() <= MOST_KEY {
                key.read()
            } else {
                None
            };
            Member {
                name,
                key,
                value: self.part(value),
            }
        };
        Some(members.into_iter().map(member).collect())
    }

    /// Returns its items; `None` if it is no list.
    pub(super) fn items(self) -> Option<Vec<Self>> {
        let items: Vec<&RawValue> = serde_json::from_str(self.raw()).ok()?;
        Some(items.into_iter().map(|raw| self.part(raw)).collect())
    }

    /// Returns it as a `T`; `None` if it is none.
    pub(super) fn read<T: DeserializeOwned>(self) -> Option<T> {
        serde_json::from_str(self.raw()).ok()
    }
}

/// Returns the value of `name`: of a key that is there twice the last one counts, as for the
/// readers of notebooks.
pub(super) fn member<'m, 'a>(members: &'m [Member<'a>], name: &str) -> Option<&'m Member<'a>> {
    members
        .iter()
        .rev()
        .find(|member| member.name.as_deref() == Some(name))
}
