//! The whole report as one JSON document and a line feed.

use std::io::{self, BufWriter, Write as _};

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};

use super::{Format, Report};
use crate::text::find_dangerous;

/// The buffer size in bytes.
const BUFFER_SIZE: usize = 1 << 16;

/// The JSON document in one line. Characters that can affect a terminal are escaped.
pub(super) struct Json;

impl Format for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn print(&self, report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
        print(report, out)
    }
}

/// Prints `value` as one JSON document and a line feed. Characters that can affect a terminal are
/// escaped.
///
/// # Errors
///
/// Returns the error of `out`.
pub fn print(value: &impl Serialize, out: &mut dyn io::Write) -> io::Result<()> {
    // serde_json makes many short writes, and `out` may be unbuffered.
    let mut out = BufWriter::with_capacity(BUFFER_SIZE, out);
    value.serialize(&mut Serializer::with_formatter(
        &mut out,
        EscapingFormatter(CompactFormatter),
    ))?;
    out.write_all(b"\n")?;
    out.flush()
}

/// A compact formatter that writes control, format and invisible characters as `\uXXXX`.
struct EscapingFormatter(CompactFormatter);

impl Formatter for EscapingFormatter {
    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut rest = fragment;
        while let Some((start, character)) = find_dangerous(rest) {
            self.0.write_string_fragment(writer, &rest[..start])?;
            for unit in character.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            rest = &rest[start + character.len_utf8()..];
        }
        self.0.write_string_fragment(writer, rest)
    }

    /// Raw fragments are complete JSON values. Dangerous characters can occur only in their
    /// strings.
    fn write_raw_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        self.write_string_fragment(writer, fragment)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::to_raw_value;

    use super::*;

    #[test]
    fn nothing_in_json_acts_on_a_terminal() {
        let hostile = "a\u{1b}[2J\u{7f}\u{9b}b\u{202e}é\u{e0001}";
        let mut out = Vec::new();
        hostile
            .serialize(&mut Serializer::with_formatter(
                &mut out,
                EscapingFormatter(CompactFormatter),
            ))
            .unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, r#""a\u001b[2J\u007f\u009bb\u202eé\udb40\udc01""#);
        assert_eq!(serde_json::from_str::<String>(&text).unwrap(), hostile);
        let raw = to_raw_value(hostile).unwrap();
        let mut out = Vec::new();
        raw.serialize(&mut Serializer::with_formatter(
            &mut out,
            EscapingFormatter(CompactFormatter),
        ))
        .unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), text);
    }
}
