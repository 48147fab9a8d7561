//! The header of a message or a part, which states the encoding of the body.

#[cfg(feature = "encodings")]
use encoding_rs::{Encoding, REPLACEMENT, UTF_16BE, UTF_16LE};
#[cfg(feature = "encodings")]
use mailparse::{parse_content_type, parse_header};

use super::MailError;
use crate::syntax::{SyntaxError, SyntaxErrorKind, series};
use crate::text::{Lines, PartEncoding, Span, without_ending};

/// The maximum number of bytes in a Content-Type or Content-Transfer-Encoding field. A longer field
/// is an error. Other fields have no limit.
const MAX_FIELD: usize = 1 << 16;

/// Charsets that contain ASCII and that `encoding_rs` does not decode. The names are those of
/// `iconv -l` in glibc 2.41.
#[cfg(feature = "encodings")]
const OTHER_CHARSETS: &[&str] = &[
    "ansi_x3.4-1986",
    "armscii-8",
    "cp1125",
    "cp1129",
    "cp1161",
    "cp1162",
    "cp1163",
    "cp437",
    "cp737",
    "cp775",
    "cp850",
    "cp852",
    "cp855",
    "cp857",
    "cp858",
    "cp860",
    "cp861",
    "cp862",
    "cp863",
    "cp864",
    "cp865",
    "cp869",
    "cp932",
    "cp936",
    "cp949",
    "cp950",
    "georgian-academy",
    "georgian-ps",
    "hp-roman8",
    "ibm437",
    "ibm850",
    "ibm852",
    "ibm855",
    "ibm857",
    "ibm858",
    "ibm860",
    "ibm861",
    "ibm862",
    "ibm863",
    "ibm865",
    "ibm869",
    "iso-2022-kr",
    "iso-8859-9e",
    "iso646-us",
    "koi-8",
    "koi8-t",
    "latin-9",
    "mac-cyrillic",
    "mac-uk",
    "pt154",
    "rk1048",
    "roman8",
    "tcvn",
    "tcvn5712-1",
    "viscii",
];

/// The transfer encodings of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum BodyEncoding {
    /// 7bit, 8bit or binary.
    #[default]
    Identity,
    QuotedPrintable,
    Base64,
}

/// The meaning of a blank at the end of a line (RFC 3676).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum LineWrapping {
    /// Part of the text.
    #[default]
    Fixed,
    /// A soft line break (`format=flowed`). The blank is part of the text.
    Flowed,
    /// A soft line break. The blank is not part of the text (`DelSp=yes`).
    FlowedWithoutSpace,
}

/// The kinds of content of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ContentType {
    #[default]
    Text,
    /// Another message.
    Message,
    /// HTML. It is ignored if it is one of several alternatives.
    Html,
    /// An image, a signature or other content that is never a patch.
    Other,
}

/// The header fields that determine the decoding of a body.
#[derive(Clone, Debug, Default)]
pub(super) struct MailHeader {
    /// Whether the fields are those of a message.
    pub(super) is_mail: bool,
    /// Whether the lines end in CR LF.
    pub(super) is_crlf: bool,
    pub(super) transfer: BodyEncoding,
    pub(super) content: ContentType,
    /// The boundary between the parts of a multipart body.
    pub(super) boundary: Option<Vec<u8>>,
    /// Whether the parts are alternatives.
    pub(super) is_alternative: bool,
    pub(super) wrapping: LineWrapping,
    /// The reason why the body cannot be decoded.
    pub(super) error: Option<SyntaxError>,
}

impl MailHeader {
    /// Reads the header at `start` and returns it with the start of the body.
    ///
    /// # Errors
    ///
    /// Returns an error for a field that is too long.
    pub(super) fn read(input: &[u8], start: usize) -> Result<(Self, usize), SyntaxError> {
        let mut lines = Lines::of_span(input, Span::new(start, input.len()));
        let mut seen = SeenFields::default();
        let mut header = Self::default();
        // Mail programs escape a `From ` line in a body with `>` (mboxrd, see `mbox(5)`).
        while let Some(line) = lines
            .peek()
            .map(|line| line.strip_prefix(b">").unwrap_or(line))
        {
            if !series::is_from_line(without_ending(line)) {
                break;
            }
            (header.is_crlf, seen.from_line) = (line.ends_with(b"\r\n"), true);
            lines.next();
        }
        while let Some(line) = lines.peek() {
            let at = lines.offset();
            if line.trim_ascii().is_empty() {
                lines.next();
                break;
            }
            let Some(name) = field_name(without_ending(line)) else {
                break;
            };
            header.is_crlf = line.ends_with(b"\r\n");
            lines.next();
            while lines.is_next_byte(b' ') || lines.is_next_byte(b'\t') {
                lines.next();
            }
            header.field(name, input, Span::new(at, lines.offset()), &mut seen)?;
        }
        header.is_mail = seen.is_mail();
        Ok((header, lines.offset()))
    }

    /// Records the value of the field `name`.
    fn field(
        &mut self,
        name: &[u8],
        input: &[u8],
        span: Span,
        seen: &mut SeenFields,
    ) -> Result<(), SyntaxError> {
        let is = |other: &str| name.eq_ignore_ascii_case(other.as_bytes());
        seen.from |= is("From");
        seen.other |= is("Subject") || is("Date") || is("Message-ID");
        let is_content = is("Content-Type") || is("Content-Transfer-Encoding");
        seen.content |= is_content || is("MIME-Version");
        if !is_content {
            return Ok(());
        }
        let content = Span::new(
            span.start,
            span.start + without_ending(span.slice(input)).len(),
        );
        if span.len() > MAX_FIELD {
            let line = Span::new(span.start, span.start + name.len());
            return Err(mail_error(MailError::FieldLength(MAX_FIELD), line));
        }
        let value = content.slice(input)[name.len()..]
            .trim_ascii_start()
            .strip_prefix(b":")
            .unwrap_or_default();
        // A field that cannot be parsed is ignored.
        let Some(value) = unfold(name, value) else {
            return Ok(());
        };
        if is("Content-Type") {
            self.content_type(&value, content);
        } else {
            self.transfer_encoding(&value, content);
        }
        Ok(())
    }

    /// Records an error for everything except text in UTF-8.
    #[cfg(not(feature = "encodings"))]
    fn content_type(&mut self, value: &str, at: Span) {
        let value: String = value
            .to_ascii_lowercase()
            .chars()
            .filter(|letter| !" \t\r\n\"".contains(*letter))
            .collect();
        let is_plain = [
            "text/plain",
            "text/plain;charset=utf-8",
            "text/plain;charset=us-ascii",
        ]
        .contains(&&*value);
        self.error = (!is_plain)
            .then(|| mail_error(MailError::Unsupported, at))
            .or(self.error.take());
    }

    #[cfg(feature = "encodings")]
    fn content_type(&mut self, value: &str, at: Span) {
        let parsed = parse_content_type(value);
        let parameter = |name: &str| {
            parsed
                .params
                .get(name)
                .map(String::as_str)
                .unwrap_or_default()
        };
        let (major, minor) = parsed
            .mimetype
            .split_once('/')
            .unwrap_or((&parsed.mimetype, ""));
        let boundary = parameter("boundary").as_bytes();
        self.boundary = (major == "multipart" && !boundary.is_empty()).then(|| boundary.to_vec());
        self.is_alternative = minor == "alternative";
        let is_flowed = parameter("format").eq_ignore_ascii_case("flowed");
        self.wrapping = match parameter("delsp").eq_ignore_ascii_case("yes") {
            _ if !is_flowed => LineWrapping::Fixed,
            true => LineWrapping::FlowedWithoutSpace,
            false => LineWrapping::Flowed,
        };
        self.content = match (major, minor) {
            ("message", "rfc822" | "global") => ContentType::Message,
            ("text", "html") => ContentType::Html,
            ("image" | "audio" | "video" | "font", _)
            | ("application", "pgp-signature" | "pkcs7-signature" | "x-pkcs7-signature") => {
                ContentType::Other
            }
            _ => ContentType::Text,
        };
        let charset = parameter("charset").trim();
        if !charset.is_empty() && !contains_ascii(charset) {
            self.error = Some(mail_error(MailError::Charset(charset.to_owned()), at));
        }
    }

    fn transfer_encoding(&mut self, value: &str, at: Span) {
        // git searches for the names anywhere in the field.
        let name = value.trim().to_ascii_lowercase();
        let word = name
            .split(|letter: char| letter == ';' || letter.is_whitespace())
            .next()
            .unwrap_or_default();
        self.transfer = match word {
            _ if name.contains("base64") => BodyEncoding::Base64,
            _ if name.contains("quoted-printable") => BodyEncoding::QuotedPrintable,
            "" | "7bit" | "8bit" | "binary" | "7-bit" | "8-bit" | "none" => BodyEncoding::Identity,
            _ => {
                let error = MailError::TransferEncoding(value.trim().chars().take(40).collect());
                self.error = Some(mail_error(error, at));
                BodyEncoding::Identity
            }
        };
    }

    /// Returns whether the body differs from the text that a grammar reads.
    pub(super) fn is_encoded(&self) -> bool {
        let is_identity = self.transfer == BodyEncoding::Identity
            && self.wrapping == LineWrapping::Fixed
            && !self.is_crlf;
        !is_identity
            || self.boundary.is_some()
            || self.content == ContentType::Message
            || self.error.is_some()
    }

    /// Returns the conversion from an unencoded body to text.
    pub(super) fn plain_encoding(&self) -> PartEncoding {
        if self.is_crlf {
            PartEncoding::CrLf
        } else {
            PartEncoding::Plain
        }
    }
}

/// The fields that distinguish a message from other text that starts with a word and a colon.
#[derive(Clone, Copy, Default)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each field of a header is present or not"
)]
struct SeenFields {
    from_line: bool,
    from: bool,
    /// `Subject`, `Date` or `Message-ID`.
    other: bool,
    content: bool,
}

impl SeenFields {
    fn is_mail(self) -> bool {
        self.from_line || self.content || (self.from && self.other)
    }
}

/// Returns an error at `at`.
pub(super) fn mail_error(error: MailError, at: Span) -> SyntaxError {
    SyntaxError::new(SyntaxErrorKind::Mail(error), at)
}

/// Returns the name of the header field that `line` starts: printable ASCII before a colon. Old
/// mail may contain blanks before the colon.
pub(super) fn field_name(line: &[u8]) -> Option<&[u8]> {
    let length = line
        .iter()
        .take_while(|&&byte| (33..=126).contains(&byte) && byte != b':')
        .count();
    let (name, rest) = line.split_at(length);
    (length > 0 && rest.trim_ascii_start().starts_with(b":")).then_some(name)
}

/// Returns the value of the field `name` as one line, with decoded words.
#[cfg(feature = "encodings")]
fn unfold(name: &[u8], value: &[u8]) -> Option<String> {
    let field = [name, b":", value, b"\n"].concat();
    parse_header(&field)
        .ok()
        .map(|(field, _)| field.get_value())
}

#[cfg(not(feature = "encodings"))]
fn unfold(_: &[u8], value: &[u8]) -> Option<String> {
    std::str::from_utf8(value).ok().map(str::to_owned)
}

/// Returns whether the text of a patch is readable in `charset` without conversion. `git am` does
/// not convert it either.
#[cfg(feature = "encodings")]
fn contains_ascii(charset: &str) -> bool {
    let name = charset.to_ascii_lowercase();
    let lacks_ascii = |encoding: &Encoding| {
        encoding == UTF_16LE || encoding == UTF_16BE || encoding == REPLACEMENT
    };
    OTHER_CHARSETS.contains(&name.as_str())
        || Encoding::for_label(name.as_bytes()).is_some_and(|it| !lacks_ascii(it))
}
