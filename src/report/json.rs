//! The whole report as one JSON document and a newline.

use std::io;

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};

use super::{Format, Report};
use crate::text::is_dangerous;

/// One document, one line. Whatever could act on a terminal is escaped, so that the line can be looked at.
pub(super) struct Json;

impl Format for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn print(&self, report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
        print(report, out)
    }
}

/// Prints `value` as one document and a newline, harmless to look at on a terminal.
///
/// # Errors
///
/// Returns the error of `out`.
pub fn print(value: &impl Serialize, out: &mut dyn io::Write) -> io::Result<()> {
    value.serialize(&mut Serializer::with_formatter(&mut *out, Harmless(CompactFormatter)))?;
    out.write_all(b"\n")
}

/// Writes as the other formatter does, but every control, format and invisible character as `\uXXXX`.
struct Harmless(CompactFormatter);

impl Formatter for Harmless {
    fn write_string_fragment<W: ?Sized + io::Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        while let Some((start, character)) = rest.char_indices().find(|&(_, character)| is_dangerous(character)) {
            self.0.write_string_fragment(writer, &rest[..start])?;
            for unit in character.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            rest = &rest[start + character.len_utf8()..];
        }
        self.0.write_string_fragment(writer, rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_json_acts_on_a_terminal() {
        let hostile = "a\u{1b}[2J\u{7f}\u{9b}b\u{202e}é\u{e0001}";
        let mut out = Vec::new();
        hostile.serialize(&mut Serializer::with_formatter(&mut out, Harmless(CompactFormatter))).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, r#""a\u001b[2J\u007f\u009bb\u202eé\udb40\udc01""#);
        assert_eq!(serde_json::from_str::<String>(&text).unwrap(), hostile);
    }
}
