//! Replaces the types of `charset` if the feature `encodings` is off. No encoding exists, so the
//! types have no values.

use std::convert::Infallible;
use std::fmt;

use serde::{Deserialize, Serialize};

/// An encoding. No value exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextEncoding(Infallible);

/// The choice of an encoding. No value exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EncodingChoice(Infallible);

/// The reason why a name is not the name of a [`TextEncoding`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unsupported: wpatch was built without the feature `encodings`")]
pub struct EncodingNameError;

impl TryFrom<String> for EncodingChoice {
    type Error = EncodingNameError;

    fn try_from(name: String) -> Result<Self, EncodingNameError> {
        Self::parse(&name)
    }
}

impl From<EncodingChoice> for String {
    fn from(choice: EncodingChoice) -> Self {
        match choice.0 {}
    }
}

impl EncodingChoice {
    /// Returns an error.
    ///
    /// # Errors
    ///
    /// Returns an error for every name.
    pub fn parse(_: &str) -> Result<Self, EncodingNameError> {
        Err(EncodingNameError)
    }

    /// Returns the encoding of a text.
    #[must_use]
    pub fn encoding_of(self, _: &[u8]) -> TextEncoding {
        match self.0 {}
    }

    /// Returns whether the encoding is detected.
    pub(crate) fn is_detected(self) -> bool {
        match self.0 {}
    }
}

impl TextEncoding {
    /// Returns the name of the encoding.
    #[must_use]
    pub fn name(self) -> String {
        match self.0 {}
    }

    /// Returns a text in UTF-8, and whether it contains bytes that cannot be decoded.
    #[must_use]
    pub fn decode(self, _: &[u8]) -> (Vec<u8>, bool) {
        match self.0 {}
    }

    /// Returns the bytes of a text.
    #[must_use]
    pub fn encode(self, _: &str) -> Option<Vec<u8>> {
        match self.0 {}
    }

    /// Returns the offsets of characters before decoding.
    #[must_use]
    pub fn encoded_offsets(self, _: &[u8], _: &[usize]) -> Option<Vec<usize>> {
        match self.0 {}
    }
}

impl fmt::Display for TextEncoding {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {}
    }
}
