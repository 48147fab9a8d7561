//! Parses policy files.

use super::layer::{PolicyError, PolicyLayer, PolicyOrigin};

/// The maximum size of a policy file, in bytes.
pub const MAX_FILE_BYTES: u64 = 1 << 20;

/// Parses the text of a policy file. Messages use `name` for the file.
///
/// # Errors
///
/// Returns the first error: an unknown key or word, a wrong type, or an invalid pattern.
///
/// # Examples
///
/// ```
/// use wpatch::policy::{self, PolicyOrigin};
///
/// let text = b"[policy]\nmode = \"careful\"\n";
/// let error = policy::parse("wpatch.toml", text, PolicyOrigin::Project).unwrap_err();
/// assert_eq!(error.span.start, 16);
/// ```
#[cfg(feature = "policy")]
pub fn parse(name: &str, text: &[u8], origin: PolicyOrigin) -> Result<PolicyLayer, PolicyError> {
    super::document::parse_layer(
        name,
        text,
        origin,
        super::pattern::CaseSensitivity::system_default(),
    )
}

/// Returns an error, because this build cannot parse policy files.
///
/// # Errors
///
/// Returns an error for every text.
#[cfg(not(feature = "policy"))]
pub fn parse(_: &str, _: &[u8], _: PolicyOrigin) -> Result<PolicyLayer, PolicyError> {
    let message = "unsupported: wpatch was built without the feature `policy`".to_owned();
    Err(PolicyError {
        message,
        span: crate::text::Span::new(0, 0),
    })
}
