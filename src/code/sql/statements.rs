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
    /// The text from the first token to the semicolon.
    text: &'t str,
    /// The offset of the end of the last token.
    end: usize,
    /// Whether the statement contains variables, whose text is unknown.
    pub(super) has_variables: bool,
}

/// Splits `script` at semicolons. `original` is the script with its commands and variables, which has
/// the same length.
///
/// # Errors
///
/// Returns the string or comment that does not end, or a character that is no token.
pub(super) fn split<'t>(
    script: &'t str,
    original: &str,
    dialect: &dyn Dialect,
) -> Result<Vec<Statement<'t>>, TokenFault> {
    let mut places = Places::new(script);
    let found = Tokenizer::new(dialect, script)
        .tokenize_with_location()
        .map_err(|error| TokenFault {
            offset: Places::new(script).offset(error.location),
            message: describe(&error.message).to_owned(),
        })?;
    let mut statements = Vec::new();
    let (mut tokens, mut offsets, mut last) = (Vec::new(), Vec::new(), 0);
    let mut finish = |tokens: Vec<TokenWithSpan>, offsets: Vec<usize>, end: usize, last| {
        let Some(&start) = offsets.first() else {
            return;
        };
        let is_variable = |token: &TokenWithSpan| match &token.token {
            Token::Placeholder(name) => !is_positional(name),
            _ => false,
        };
        statements.push(Statement {
            has_variables: script[start..end] != original[start..end]
                || tokens.iter().any(is_variable),
            tokens,
            offsets,
            end: last,
            text: &script[start..end],
        });
    };
    for token in found {
        let offset = places.offset(token.span.start);
        match token.token {
            Token::Whitespace(_) => {}
            Token::SemiColon => finish(take(&mut tokens), take(&mut offsets), offset, last),
            _ => {
                last = places.offset(token.span.end);
                tokens.push(token);
                offsets.push(offset);
            }
        }
    }
    finish(tokens, offsets, script.len(), last);
    Ok(statements)
}

/// Returns whether a placeholder is `?` or a number such as `$1`, and not a variable.
fn is_positional(name: &str) -> bool {
    name.trim_start_matches('$')
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'?')
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

    /// Describes the token at `location`.
    pub(super) fn unexpected(&self, location: Location) -> TokenFault {
        match self.offset(location) {
            Some(offset) => self.unexpected_at(offset),
            None => self.unexpected_end(),
        }
    }

    /// Describes the first token.
    pub(super) fn unexpected_start(&self) -> TokenFault {
        self.unexpected_at(self.offsets[0])
    }

    pub(super) fn unexpected_end(&self) -> TokenFault {
        TokenFault {
            offset: self.end,
            message: "unexpected end of statement".to_owned(),
        }
    }

    fn unexpected_at(&self, offset: usize) -> TokenFault {
        let fault = unexpected_at(self.text, offset - self.offsets[0]);
        TokenFault {
            offset: self.offsets[0] + fault.offset,
            ..fault
        }
    }

    /// Returns the token at `offset` of the script.
    pub(super) fn token_at(&self, offset: usize) -> Option<&Token> {
        let index = self.offsets.binary_search(&offset).ok()?;
        Some(&self.tokens[index].token)
    }

    /// Returns whether no dialect has a statement with this first token. A broken `--` or `/*` leaves such a
    /// token.
    pub(super) fn has_impossible_start(&self) -> bool {
        matches!(
            self.tokens[0].token,
            Token::Minus | Token::Mul | Token::Div | Token::Eq | Token::Comma | Token::RParen
        )
    }

    /// Returns whether the numbers of opening and closing parentheses are equal.
    pub(super) fn is_balanced(&self) -> bool {
        let count = |wanted: &Token| {
            let tokens = self.tokens.iter();
            tokens.filter(|token| token.token == *wanted).count()
        };
        count(&Token::LParen) == count(&Token::RParen)
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

/// Returns the message for an error of the tokenizer.
fn describe(message: &str) -> &'static str {
    if message.contains("comment") {
        "unterminated comment"
    } else if message.contains("close delimiter") {
        "unterminated name"
    } else if message.contains("nterminated") {
        "unterminated string"
    } else {
        "invalid token"
    }
}
