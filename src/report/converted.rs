//! A patch in another format.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::look::{as_content, encoding_of};

/// The patch that `convert` has written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[non_exhaustive]
pub struct ConvertedPatch {
    /// The format, such as `git`.
    pub format: &'static str,
    /// `utf-8`, or `base64` if the patch is not UTF-8 and `text` is encoded in base64.
    pub encoding: &'static str,
    /// The patch.
    #[serde(serialize_with = "as_content")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub text: Vec<u8>,
}

impl ConvertedPatch {
    /// Returns the patch `text` in the format `format`.
    #[must_use]
    pub fn new(format: &'static str, text: Vec<u8>) -> Self {
        Self {
            format,
            encoding: encoding_of(&text),
            text,
        }
    }
}
