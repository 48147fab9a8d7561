//! The errors of mail decoding.

/// The ways in which mail cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MailError {
    /// The transfer encoding is not defined by any standard.
    #[error(
        "unknown Content-Transfer-Encoding `{0}`; expected 7bit, 8bit, binary, quoted-printable or base64"
    )]
    TransferEncoding(String),
    /// The charset is unknown, or it does not contain ASCII, so the patch is not readable.
    #[error(
        "cannot convert the mail from charset `{0}`; expected a charset that contains ASCII, such as UTF-8"
    )]
    Charset(String),
    /// A byte is not in the base64 alphabet.
    #[error("invalid base64 data: byte {0:#04x} is not in the base64 alphabet")]
    Base64Byte(u8),
    /// A group of base64 characters is incomplete.
    #[error("truncated base64 data: the last group of four characters is incomplete")]
    Base64End,
    /// The last line of a hunk is incomplete.
    #[error("truncated message: its last line has no line feed")]
    Truncated,
    /// The mail contains too many nested multipart bodies.
    #[error("the mail contains more than {0} nested multipart bodies")]
    Nesting(usize),
    /// A header field is too long.
    #[error("the header field is longer than {0} bytes")]
    FieldLength(usize),
    /// The decoding requires the feature `encodings`.
    #[cfg(not(feature = "encodings"))]
    #[error(
        "unsupported: wpatch was built without the feature `encodings`, which decodes this mail"
    )]
    Unsupported,
}
