//! The only type that writes to a page. All text except literals of this program is escaped twice:
//! for HTML, and for characters that hide or reorder others.

use std::fmt::Write as _;

use crate::text::{encode_base64, is_dangerous};

/// A page under construction. Literals are added unchanged, all other text is escaped.
///
/// # Security
///
/// [`Markup::raw`] accepts only literals. All bytes of patches, paths and messages therefore pass
/// through [`Markup::text`], [`Markup::line`] or [`Markup::value`].
#[derive(Debug, Default)]
pub(super) struct Markup(String);

/// The form of the escapes for characters that hide or reorder others.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EscapeContext {
    /// Between tags. An element of its own shows that the character was escaped.
    Text,
    /// Like [`EscapeContext::Text`], but tabs are kept.
    Line,
    /// In a quoted attribute value, which cannot contain elements.
    Value,
}

impl Markup {
    /// Adds a literal as markup.
    pub(super) fn raw(&mut self, literal: &'static str) -> &mut Self {
        self.0.push_str(literal);
        self
    }

    /// Adds escaped text.
    pub(super) fn text(&mut self, text: impl AsRef<[u8]>) -> &mut Self {
        self.escape(text.as_ref(), EscapeContext::Text)
    }

    /// Adds a line of a file or a patch, or a part of it.
    pub(super) fn line(&mut self, line: &[u8]) -> &mut Self {
        self.escape(line, EscapeContext::Line)
    }

    /// Adds text to an attribute value in double quotes.
    pub(super) fn value(&mut self, text: impl AsRef<[u8]>) -> &mut Self {
        self.escape(text.as_ref(), EscapeContext::Value)
    }

    /// Adds a number.
    pub(super) fn number(&mut self, number: usize) -> &mut Self {
        let _ = write!(self.0, "{number}");
        self
    }

    /// Adds a number and the noun that it counts.
    pub(super) fn count(&mut self, number: usize, noun: &'static str) -> &mut Self {
        self.number(number)
            .raw(" ")
            .raw(noun)
            .raw(if number == 1 { "" } else { "s" })
    }

    /// Adds a path, from left to right. The browser can break it after each slash.
    ///
    /// # Security
    ///
    /// The punctuation of a path keeps its place: each run of characters that can be written from
    /// right to left is isolated, so that an extension is always at the right of its name.
    pub(super) fn path(&mut self, path: &[u8]) -> &mut Self {
        self.raw("<bdi dir=\"ltr\">");
        for (index, part) in path.split(|&byte| byte == b'/').enumerate() {
            self.raw(if index > 0 { "/<wbr>" } else { "" });
            for run in part
                .chunk_by(|one, other| is_non_ascii_or_blank(*one) == is_non_ascii_or_blank(*other))
            {
                if run.is_ascii() {
                    self.text(run);
                } else {
                    self.raw("<bdi dir=\"ltr\">").text(run).raw("</bdi>");
                }
            }
        }
        self.raw("</bdi>")
    }

    /// Adds code in a line of text, from left to right.
    pub(super) fn code(&mut self, text: impl AsRef<[u8]>) -> &mut Self {
        self.raw("<code dir=\"ltr\">").text(text).raw("</code>")
    }

    /// Adds the number of a line as a link to itself. `letter` names the text of the line.
    pub(super) fn anchor(&mut self, id: &str, letter: &'static str, number: usize) -> &mut Self {
        self.raw("<a id=\"")
            .value(id)
            .raw("-")
            .raw(letter)
            .number(number);
        self.raw("\" href=\"#")
            .value(id)
            .raw("-")
            .raw(letter)
            .number(number);
        self.raw("\">").number(number).raw("</a>")
    }

    /// Adds the numbers of added and removed lines.
    pub(super) fn counts(&mut self, added: usize, removed: usize) -> &mut Self {
        self.raw("<span class=\"counts\">");
        if added > 0 {
            self.raw("<span class=\"plus\">+")
                .number(added)
                .raw("</span>");
        }
        if removed > 0 {
            self.raw("<span class=\"minus\">\u{2212}")
                .number(removed)
                .raw("</span>");
        }
        self.raw("</span>")
    }

    /// Adds bytes in base64.
    pub(super) fn base64(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.push_str(&encode_base64(bytes));
        self
    }

    /// Returns the text so far, and starts with an empty text again.
    pub(super) fn take(&mut self) -> String {
        std::mem::take(&mut self.0)
    }

    fn escape(&mut self, bytes: &[u8], place: EscapeContext) -> &mut Self {
        for chunk in bytes.utf8_chunks() {
            for character in chunk.valid().chars() {
                match character {
                    '&' => self.0.push_str("&amp;"),
                    '<' => self.0.push_str("&lt;"),
                    '>' => self.0.push_str("&gt;"),
                    '"' => self.0.push_str("&quot;"),
                    '\'' => self.0.push_str("&#39;"),
                    '\t' if place == EscapeContext::Line => self.0.push('\t'),
                    _ if is_dangerous(character) || is_noncharacter(character) => {
                        self.write_visible(place, |out| write_escape(character, out));
                    }
                    _ => self.0.push(character),
                }
            }
            for byte in chunk.invalid() {
                self.write_visible(place, |out| {
                    let _ = write!(out, "\\x{byte:02x}");
                });
            }
        }
        self
    }

    /// Adds the name of a character that cannot be shown. Its element distinguishes it from the
    /// same letters in the text.
    fn write_visible(&mut self, place: EscapeContext, name: impl FnOnce(&mut String)) {
        let is_marked = place != EscapeContext::Value;
        self.0
            .push_str(if is_marked { "<b class=\"esc\">" } else { "" });
        name(&mut self.0);
        self.0.push_str(if is_marked { "</b>" } else { "" });
    }
}

/// Returns whether a byte belongs to a character other than ASCII, or is a blank between such
/// characters.
fn is_non_ascii_or_blank(byte: u8) -> bool {
    !byte.is_ascii() || byte == b' '
}

/// Returns whether the code point is a noncharacter in Unicode. HTML allows none of these.
fn is_noncharacter(character: char) -> bool {
    matches!(u32::from(character), 0xfdd0..=0xfdef) || u32::from(character) & 0xfffe == 0xfffe
}

fn write_escape(character: char, out: &mut String) {
    let _ = match character {
        '\t' => write!(out, "\\t"),
        '\n' => write!(out, "\\n"),
        '\r' => write!(out, "\\r"),
        '\0'..='\u{7f}' => write!(out, "\\x{:02x}", u32::from(character)),
        _ => write!(out, "\\u{{{:x}}}", u32::from(character)),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_text_acts_or_hides() {
        let hostile = b"<a href='x\">&\x1b\xe2\x80\xae\xff\t\n";
        let mut markup = Markup::default();
        assert_eq!(
            markup.text(hostile).take(),
            "&lt;a href=&#39;x&quot;&gt;&amp;<b class=\"esc\">\\x1b</b><b class=\"esc\">\\u{202e}</b>\
             <b class=\"esc\">\\xff</b><b class=\"esc\">\\t</b><b class=\"esc\">\\n</b>"
        );
        assert_eq!(
            markup.value(hostile).take(),
            "&lt;a href=&#39;x&quot;&gt;&amp;\\x1b\\u{202e}\\xff\\t\\n"
        );
        assert_eq!(markup.line(b"\ta\r").take(), "\ta<b class=\"esc\">\\r</b>");
    }

    #[test]
    fn the_punctuation_of_a_path_keeps_its_place() {
        let mut markup = Markup::default();
        assert_eq!(
            markup
                .path("a b/\u{5d0}\u{5d1}.\u{5d2}.txt".as_bytes())
                .take(),
            "<bdi dir=\"ltr\">a b/<wbr><bdi dir=\"ltr\">\u{5d0}\u{5d1}</bdi>.<bdi dir=\"ltr\">\u{5d2}</bdi>.txt</bdi>"
        );
    }

    #[test]
    fn a_noun_follows_its_number() {
        let mut markup = Markup::default();
        assert_eq!(
            markup.count(1, "file").raw(", ").count(2, "hunk").take(),
            "1 file, 2 hunks"
        );
    }
}
