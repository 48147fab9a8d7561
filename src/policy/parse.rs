//! Reads policy files.

use super::layer::{Layer, Origin, PolicyError};

/// Largest policy file that is read, in bytes.
pub const MAX_FILE: u64 = 1 << 20;

/// Reads the text of the policy file that messages call `name`.
///
/// # Errors
///
/// Returns the first thing that is not understood: a key, a word, a type, a pattern.
///
/// # Examples
///
/// ```
/// use wpatch::policy::{self, Origin};
///
/// let error = policy::parse("wpatch.toml", b"[policy]\nmode = \"careful\"\n", Origin::Project).unwrap_err();
/// assert_eq!(error.span.start, 16);
/// ```
#[cfg(feature = "policy")]
pub fn parse(name: &str, text: &[u8], origin: Origin) -> Result<Layer, PolicyError> {
    super::document::parse_with(name, text, origin, super::pattern::Case::usual())
}

/// Returns an error, as this build reads no policy files.
///
/// # Errors
///
/// Returns an error for every text.
#[cfg(not(feature = "policy"))]
pub fn parse(_: &str, _: &[u8], _: Origin) -> Result<Layer, PolicyError> {
    let message = "unsupported: this build of wpatch lacks the feature `policy`".to_owned();
    Err(PolicyError {
        message,
        span: crate::text::Span::new(0, 0),
    })
}
