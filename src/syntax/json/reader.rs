//! JSON values with their positions in the text.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{SyntaxError, SyntaxErrorKind};
use crate::text::Span;
use crate::text::json::RawMembers;

/// A well-formed value that is not yet decoded.
#[derive(Clone, Copy)]
pub(super) struct Value<'a> {
    raw: &'a str,
    /// The start of the value in the input, in bytes.
    start: usize,
}

/// A key of an object and its value.
pub(super) struct Member<'a> {
    pub(super) key: String,
    /// The position of the key.
    pub(super) at: Span,
    pub(super) value: Value<'a>,
}

impl<'a> Value<'a> {
    /// Reads the value at `from` and returns it with its end.
    pub(super) fn read(text: &'a [u8], from: usize) -> Result<(Self, usize), SyntaxError> {
        // The deserializer checks the encoding of the value only. The text after it can be a patch
        // of another grammar, in any encoding.
        let mut values =
            serde_json::Deserializer::from_slice(&text[from..]).into_iter::<&RawValue>();
        match values.next() {
            Some(Ok(raw)) => {
                let raw = raw.get();
                let start = raw.as_ptr().addr() - text.as_ptr().addr();
                Ok((Self { raw, start }, from + values.byte_offset()))
            }
            Some(Err(error)) => Err(json_error(&error, text, from)),
            None => Err(SyntaxError::new(
                SyntaxErrorKind::Expected("JSON"),
                Span::new(from, from),
            )),
        }
    }

    /// Returns a value that is part of this one.
    fn part(self, raw: &'a RawValue) -> Self {
        let raw = raw.get();
        Self {
            raw,
            start: self.start + (raw.as_ptr().addr() - self.raw.as_ptr().addr()),
        }
    }

    /// Returns the position of the value in the input.
    pub(super) fn span(self) -> Span {
        Span::new(self.start, self.start + self.raw.len())
    }

    /// Returns an error that expects `what` at this position.
    pub(super) fn expected_error(self, what: &'static str) -> SyntaxError {
        let line = memchr::memchr(b'\n', self.raw.as_bytes()).unwrap_or(self.raw.len());
        SyntaxError::new(
            SyntaxErrorKind::Expected(what),
            Span::new(self.start, self.start + line),
        )
    }

    /// Returns the members of an object in order. A duplicate key is an error.
    pub(super) fn object(self, what: &'static str) -> Result<Vec<Member<'a>>, SyntaxError> {
        let RawMembers(members) = self.read_as(what)?;
        let mut keys = HashSet::new();
        let mut found = Vec::with_capacity(members.len());
        for (key, value) in members {
            let name = self.part(key);
            let member = Member {
                key: name.text("a key")?,
                at: name.span(),
                value: self.part(value),
            };
            if !keys.insert(member.key.clone()) {
                return Err(SyntaxError::new(
                    SyntaxErrorKind::Contradiction("the key occurs twice"),
                    member.at,
                ));
            }
            found.push(member);
        }
        Ok(found)
    }

    /// Returns the entries of a list. An empty list is an error.
    pub(super) fn entries(self, what: &'static str) -> Result<Vec<Self>, SyntaxError> {
        let entries: Vec<&RawValue> = self.read_as(what)?;
        if entries.is_empty() {
            return Err(self.expected_error("a list that is not empty"));
        }
        Ok(entries.into_iter().map(|raw| self.part(raw)).collect())
    }

    /// Returns the text of a string.
    pub(super) fn text(self, what: &'static str) -> Result<String, SyntaxError> {
        self.read_as(what)
    }

    /// Returns the text of a string, or `None` for `null`.
    pub(super) fn optional_text(self, what: &'static str) -> Result<Option<String>, SyntaxError> {
        self.read_as(what)
    }

    /// Returns the value of `true` or `false`.
    pub(super) fn flag(self) -> Result<bool, SyntaxError> {
        self.read_as("`true` or `false`")
    }

    fn read_as<T: Deserialize<'a>>(self, what: &'static str) -> Result<T, SyntaxError> {
        serde_json::from_str(self.raw).map_err(|_| self.expected_error(what))
    }
}

impl Member<'_> {
    /// Returns the error for an unknown key. `known` lists the valid keys.
    pub(super) fn unknown_key_error(&self, known: &'static str) -> SyntaxError {
        SyntaxError::new(SyntaxErrorKind::Expected(known), self.at)
    }
}

/// Returns the error for malformed JSON. Lines and columns of `error` are counted from 1, columns
/// in bytes.
fn json_error(error: &serde_json::Error, text: &[u8], from: usize) -> SyntaxError {
    // No newline precedes line 1, and `nth` counts from 0.
    let mut newlines = memchr::memchr_iter(b'\n', &text[from..]);
    let line = error
        .line()
        .checked_sub(2)
        .and_then(|before| newlines.nth(before))
        .map_or(0, |end| end + 1);
    let at = (from + line + error.column().saturating_sub(1)).min(text.len());
    // The error can be at an invalid byte, or inside a valid character.
    let invalid = std::str::from_utf8(&text[from..]).err();
    let invalid = invalid.map(|error| from + error.valid_up_to());
    if let Some(at) = invalid.filter(|&invalid| invalid <= at) {
        return SyntaxError::new(
            SyntaxErrorKind::Expected("text in UTF-8"),
            Span::new(at, at + 1),
        );
    }
    if error.is_eof() {
        let end = Span::new(text.len(), text.len());
        return SyntaxError::new(
            SyntaxErrorKind::Expected("the rest of the JSON document"),
            end,
        );
    }
    SyntaxError::new(
        SyntaxErrorKind::Expected("JSON"),
        Span::new(at, (at + 1).min(text.len())),
    )
}
