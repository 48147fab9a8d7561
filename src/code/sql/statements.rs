//! Splits a script into statements.

use std::collections::HashMap;
use std::mem::take;

use sqlparser::dialect::Dialect;
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Location, Token, TokenWithSpan, Tokenizer};

use crate::code::faults::{TokenFault, unexpected_at};

/// A statement of a script.
pub(super) struct Statement<'t> {
    /// The tokens without comments and spaces. There is at least one.
    pub(super) tokens: Vec<TokenWithSpan>,
    /// The offset of each token in the script.
    offsets: Vec<usize>,
    /// The text, with the comments before it.
    text: &'t str,
    /// The offset of `text` in the script.
    start: usize,
}

/// Splits `script` at semicolons.
///
/// # Errors
///
/// Returns the string or comment that does not end.
pub(super) fn split<'t>(
    script: &'t str,
    dialect: &dyn Dialect,
) -> Result<Vec<Statement<'t>>, TokenFault> {
    let mut places = Places::new(script);
    let found = Tokenizer::new(dialect, script)
        .tokenize_with_location()
        .map_err(|error| TokenFault {
            offset: Places::new(script).offset(error.location),
            message: describe(&error.message),
        })?;
    let mut statements = Vec::new();
    let (mut tokens, mut offsets, mut start) = (Vec::new(), Vec::new(), 0);
    let mut finish = |tokens: Vec<_>, offsets, start, end| {
        if !tokens.is_empty() {
            statements.push(Statement {
                tokens,
                offsets,
                text: &script[start..end],
                start,
            });
        }
    };
    for token in found {
        let offset = places.offset(token.span.start);
        match token.token {
            Token::Whitespace(_) => {}
            Token::SemiColon => {
                finish(take(&mut tokens), take(&mut offsets), start, offset);
                start = offset;
            }
            _ => {
                tokens.push(token);
                offsets.push(offset);
            }
        }
    }
    finish(tokens, offsets, start, script.len());
    Ok(statements)
}

impl Statement<'_> {
    /// Returns the tokens, to compare statements.
    pub(super) fn key(&self) -> Vec<&Token> {
        self.tokens.iter().map(|token| &token.token).collect()
    }

    /// Returns the number of each keyword and symbol. Names, numbers and strings do not count.
    pub(super) fn keywords(&self) -> HashMap<String, usize> {
        let mut words = HashMap::new();
        for token in &self.tokens {
            let text = token.token.to_string();
            let is_value = match &token.token {
                Token::Word(word) => word.keyword == Keyword::NoKeyword,
                Token::Number(..) => true,
                _ => text.contains(['\'', '"', '$']),
            };
            if is_value {
                continue;
            }
            // An operator counts as its characters, because a change can split it.
            if matches!(token.token, Token::Word(_)) {
                *words.entry(text.to_uppercase()).or_default() += 1;
            } else {
                for symbol in text.chars() {
                    *words.entry(symbol.into()).or_default() += 1;
                }
            }
        }
        words
    }

    /// Describes the token at `location`, or the end of the statement if no token is there.
    pub(super) fn unexpected(&self, location: Location) -> TokenFault {
        match self.offset(location) {
            Some(offset) => {
                let fault = unexpected_at(self.text, offset - self.start);
                TokenFault {
                    offset: self.start + fault.offset,
                    ..fault
                }
            }
            None => TokenFault {
                offset: self.start + self.text.trim_end().len(),
                message: "unexpected end of statement".to_owned(),
            },
        }
    }

    /// Returns the offset of the token at `location`.
    pub(super) fn offset(&self, location: Location) -> Option<usize> {
        let index = self
            .tokens
            .binary_search_by_key(&location, |token| token.span.start);
        index.ok().map(|index| self.offsets[index])
    }
}

/// Converts locations in ascending order to offsets.
struct Places<'t> {
    rest: std::str::Chars<'t>,
    length: usize,
    location: Location,
}

impl<'t> Places<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            rest: text.chars(),
            length: text.len(),
            location: Location::new(1, 1),
        }
    }

    fn offset(&mut self, location: Location) -> usize {
        while self.location < location {
            match self.rest.next() {
                Some('\n') => self.location = Location::new(self.location.line + 1, 1),
                Some(_) => self.location.column += 1,
                None => break,
            }
        }
        self.length - self.rest.as_str().len()
    }
}

/// Returns a message of the tokenizer in our words.
fn describe(message: &str) -> String {
    if message.contains("comment") {
        "unterminated comment".to_owned()
    } else {
        message.to_lowercase()
    }
}
