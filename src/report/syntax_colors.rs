//! Syntax colors: finds comments, strings, numbers and keywords in the lines of a hunk.
//!
//! A hunk is a part of a file, so no parser can read it. This lexer needs only the lines, never
//! fails, and takes time in proportion to their length. `languages` has the table of languages.

mod languages;

use std::ops::Range;

use languages::LANGUAGES;
pub(super) use languages::Language;

/// The maximum length of a quoted character, in bytes.
const MAX_CHARACTER_BYTES: usize = 6;

/// A part of a line that has a color.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    Comment,
    Text,
    Number,
    Keyword,
}

impl Token {
    /// Returns the start tag of the element of the token on a page.
    pub(super) fn open_tag(self) -> &'static str {
        match self {
            Self::Comment => "<span class=\"tc\">",
            Self::Text => "<span class=\"ts\">",
            Self::Number => "<span class=\"tn\">",
            Self::Keyword => "<span class=\"tk\">",
        }
    }
}

/// Returns the language of a file by its name.
pub(super) fn language(path: &[u8]) -> Option<&'static Language> {
    let name = path.rsplit(|&byte| byte == b'/').next()?;
    let extension = name.rsplit(|&byte| byte == b'.').next()?;
    let is_it = |language: &&Language| {
        let mut names = language.names.iter().map(|name| name.as_bytes());
        names.any(|known| known.eq_ignore_ascii_case(extension) || known == name)
    };
    LANGUAGES.iter().find(is_it)
}

/// Returns whether `lines` begin inside a comment: its end is in them, but not its start.
pub(super) fn is_inside_comment<'l>(
    language: &Language,
    lines: impl Iterator<Item = &'l [u8]>,
) -> bool {
    let Some([open, close]) = language.block_comment else {
        return false;
    };
    for line in lines {
        let end = memchr::memmem::find(line, close.as_bytes());
        let before = &line[..end.unwrap_or(line.len())];
        let is_other = |byte: &u8| language.quotes.as_bytes().contains(byte);
        if memchr::memmem::find(line, open.as_bytes()).is_some() || before.iter().any(is_other) {
            return false;
        }
        if end.is_some() {
            return true;
        }
    }
    false
}

/// An element that can continue on the next line, by its end.
#[derive(Clone, Copy, Debug)]
struct OpenToken {
    token: Token,
    end: &'static str,
}

/// Finds the tokens of consecutive lines.
#[derive(Debug)]
pub(super) struct Lexer {
    language: &'static Language,
    open: Option<OpenToken>,
    /// The quotes that have no counterpart in the rest of the line. Without them, the time would
    /// depend on the square of the length.
    unmatched_quotes: Vec<u8>,
}

impl Lexer {
    /// Returns the lexer for lines that begin inside a comment if `is_inside` is set.
    pub(super) fn new(language: &'static Language, is_inside: bool) -> Self {
        let end = language
            .block_comment
            .map(|[_, end]| end)
            .filter(|_| is_inside);
        let open = end.map(|end| OpenToken {
            token: Token::Comment,
            end,
        });
        Self {
            language,
            open,
            unmatched_quotes: Vec::new(),
        }
    }

    /// Returns the tokens of the next line, in order. Each starts and ends at a character.
    pub(super) fn line_tokens(&mut self, line: &[u8]) -> Vec<(Range<usize>, Token)> {
        let mut tokens: Vec<(Range<usize>, Token)> = Vec::new();
        let mut at = 0;
        self.unmatched_quotes.clear();
        while at < line.len() {
            let (end, token) = match self.open {
                Some(open) => (self.close_token(line, at, open), Some(open.token)),
                None => self.next_token(line, at),
            };
            match (token, tokens.last_mut()) {
                (Some(token), Some((last, known))) if *known == token && last.end == at => {
                    last.end = end;
                }
                (Some(token), _) => tokens.push((at..end, token)),
                (None, _) => {}
            }
            at = end;
        }
        tokens
    }

    /// Returns the offset after the open element, which can be the end of the line.
    fn close_token(&mut self, line: &[u8], at: usize, open: OpenToken) -> usize {
        let is_escaped = open.token == Token::Text;
        match find_end(line, at, open.end.as_bytes(), is_escaped) {
            Some(end) => {
                self.open = None;
                end
            }
            None => line.len(),
        }
    }

    /// Returns the offset after the token at `at`, and its color.
    fn next_token(&mut self, line: &[u8], at: usize) -> (usize, Option<Token>) {
        let (language, rest) = (self.language, &line[at..]);
        let is_blank_before = at == 0 || line[at - 1].is_ascii_whitespace();
        let is_comment = |start: &&&str| {
            rest.starts_with(start.as_bytes()) && (is_blank_before || **start != "#")
        };
        if language
            .line_comments
            .iter()
            .any(|start| is_comment(&start))
        {
            return (line.len(), Some(Token::Comment));
        }
        let block = language
            .block_comment
            .map(|[start, end]| (start, end, Token::Comment));
        let long = language
            .multiline_quotes
            .iter()
            .map(|&mark| (mark, mark, Token::Text));
        for (start, end, token) in block.into_iter().chain(long) {
            if rest.starts_with(start.as_bytes()) {
                self.open = Some(OpenToken { token, end });
                return (at + start.len(), Some(token));
            }
        }
        match line[at] {
            quote if language.quotes.as_bytes().contains(&quote) => {
                let end = self.quoted_end(line, at, quote);
                (end.unwrap_or(at + 1), end.map(|_| Token::Text))
            }
            byte if byte.is_ascii_digit() => (number_end(line, at), Some(Token::Number)),
            byte if is_word(byte) => {
                let end = at + rest.iter().take_while(|&&byte| is_word(byte)).count();
                let is_keyword = language.is_keyword(&line[at..end]);
                (end, is_keyword.then_some(Token::Keyword))
            }
            _ => (at + 1, None),
        }
    }

    /// Returns the offset after the text that begins with the quote at `at`, if the text ends on
    /// the line.
    fn quoted_end(&mut self, line: &[u8], at: usize, quote: u8) -> Option<usize> {
        if quote == b'\'' && !self.language.has_single_quoted_strings {
            return find_end(
                &line[..line.len().min(at + MAX_CHARACTER_BYTES)],
                at + 1,
                b"'",
                true,
            );
        }
        if self.unmatched_quotes.contains(&quote) {
            return None;
        }
        let end = find_end(line, at + 1, &[quote], true);
        self.unmatched_quotes.extend(end.is_none().then_some(quote));
        end
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | 0x80..)
}

/// Returns the offset after the number at `at`.
fn number_end(line: &[u8], at: usize) -> usize {
    let mut end = at;
    while let Some(&byte) = line.get(end) {
        let is_point = byte == b'.' && line.get(end + 1).is_some_and(u8::is_ascii_digit);
        if !(is_point || byte.is_ascii_alphanumeric() || byte == b'_') {
            break;
        }
        end += 1;
    }
    end
}

/// Returns the offset after the first `end` in `line` from `at` on. If `is_escaped` is set, a
/// backslash hides the byte after it.
fn find_end(line: &[u8], mut at: usize, end: &[u8], is_escaped: bool) -> Option<usize> {
    while at < line.len() {
        if line[at..].starts_with(end) {
            return Some(at + end.len());
        }
        at += if is_escaped && line[at] == b'\\' {
            2
        } else {
            1
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the tokens of lines as `kind:text`.
    fn tokens(name: &str, lines: &[&str]) -> Vec<Vec<String>> {
        let language = language(name.as_bytes()).unwrap();
        let texts = || lines.iter().map(|line| line.as_bytes());
        let mut colors = Lexer::new(language, is_inside_comment(language, texts()));
        let kind = |token: Token| &token.open_tag()[13..15];
        let line = |line: &&str| {
            let tokens = colors.line_tokens(line.as_bytes());
            let text = |(range, token)| format!("{}:{}", kind(token), &line[range]);
            tokens.into_iter().map(text).collect()
        };
        lines.iter().map(line).collect()
    }

    #[test]
    fn each_kind_of_token_has_its_color() {
        assert_eq!(
            tokens(
                "src/a.rs",
                &["let x: &'a str = \"\\\"for\"; // 'x' 1", "0x1f..2 'c' é1"]
            ),
            [
                vec!["tk:let", "ts:\"\\\"for\"", "tc:// 'x' 1"],
                vec!["tn:0x1f", "tn:2", "ts:'c'"]
            ]
        );
        assert_eq!(
            tokens("x.py", &["def f(a): # 'it'", "s = 'it' + 1.5"]),
            [vec!["tk:def", "tc:# 'it'"], vec!["ts:'it'", "tn:1.5"]]
        );
        assert_eq!(tokens("a.sql", &["select 1"]), [["tk:select", "tn:1"]]);
    }

    #[test]
    fn comments_and_texts_continue_on_the_next_line() {
        assert_eq!(
            tokens("a.c", &["int x; /* if", "else", "*/ return"]),
            [
                vec!["tk:int", "tc:/* if"],
                vec!["tc:else"],
                vec!["tc:*/", "tk:return"]
            ]
        );
        assert_eq!(
            tokens("a.py", &["\"\"\"if", "it's\"\"\" or 1"]),
            [vec!["ts:\"\"\"if"], vec!["ts:it's\"\"\"", "tk:or", "tn:1"]]
        );
    }

    #[test]
    fn a_hunk_can_begin_inside_a_comment() {
        assert_eq!(
            tokens("a.c", &[" * if", " */", "if"]),
            [vec!["tc: * if"], vec!["tc: */"], vec!["tk:if"]]
        );
        assert_eq!(
            tokens("a.js", &["if", "glob('**/x')"]),
            [vec!["tk:if"], vec!["ts:'**/x'"]]
        );
    }

    #[test]
    fn any_bytes_have_tokens_in_order_at_characters() {
        let hostile = "\\é\"'`/*<!--\"\"\"//#0a\u{202e}é'\\\"";
        let line = hostile.repeat(6);
        for language in LANGUAGES {
            for start in 0..line.len() {
                let mut colors = Lexer::new(language, start % 2 == 0);
                let mut done = 0;
                for (range, _) in colors.line_tokens(&line.as_bytes()[start..]) {
                    assert!(done <= range.start && range.start < range.end);
                    done = range.end;
                    let is_start = |at: usize| line.is_char_boundary(start + at);
                    assert!(
                        !line.is_char_boundary(start) || is_start(range.start) && is_start(done)
                    );
                }
            }
        }
    }
}
