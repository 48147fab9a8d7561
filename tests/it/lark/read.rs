//! From the text of a grammar to its rules.

use std::collections::HashMap;

use super::{Expr, regex};

/// Returns the rules and terminals of `text` by name.
pub(super) fn rules(text: &str) -> HashMap<String, Expr> {
    let mut definitions: Vec<String> = Vec::new();
    for line in text
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with("//"))
    {
        match definitions.last_mut() {
            Some(last) if line.starts_with(' ') => last.push_str(line),
            _ => definitions.push(line.to_owned()),
        }
    }
    let mut rules = HashMap::new();
    for definition in definitions {
        let (name, body) = definition.split_once(':').expect("a rule has a colon");
        let mut reader = Reader { rest: body };
        let expr = reader.alternatives();
        assert_eq!(reader.peek(), None, "{name} ends too early");
        assert!(
            rules.insert(name.trim().to_owned(), expr).is_none(),
            "{name} is defined twice"
        );
    }
    rules
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn take(&mut self, wanted: char) -> bool {
        let is_there = self.peek() == Some(wanted);
        if is_there {
            self.rest = &self.rest[wanted.len_utf8()..];
        }
        is_there
    }

    fn alternatives(&mut self) -> Expr {
        let mut alternatives = vec![self.sequence()];
        while self.take('|') {
            alternatives.push(self.sequence());
        }
        Expr::Alt(alternatives)
    }

    fn sequence(&mut self) -> Expr {
        let mut parts = Vec::new();
        while self.peek().is_some_and(|next| !matches!(next, '|' | ')')) {
            let atom = self.atom();
            parts.push(if self.take('?') {
                Expr::Repeat(Box::new(atom), 0, Some(1))
            } else if self.take('*') {
                Expr::Repeat(Box::new(atom), 0, None)
            } else if self.take('+') {
                Expr::Repeat(Box::new(atom), 1, None)
            } else {
                atom
            });
        }
        Expr::Seq(parts)
    }

    fn atom(&mut self) -> Expr {
        if self.take('(') {
            let group = self.alternatives();
            assert!(self.take(')'), "a group is closed");
            group
        } else if self.take('"') {
            Expr::Bytes(unescaped(self.until('"')))
        } else if self.take('/') {
            regex::read(self.until('/'))
        } else {
            let is_end = |letter: char| !letter.is_ascii_alphanumeric() && letter != '_';
            let length = self.rest.find(is_end).unwrap_or(self.rest.len());
            assert!(
                length > 0,
                "a name, string or expression stands at {}",
                self.rest
            );
            let (name, rest) = self.rest.split_at(length);
            self.rest = rest;
            Expr::Ref(name.to_owned())
        }
    }

    /// Takes the text up to a `closing` that has no backslash before it.
    fn until(&mut self, closing: char) -> &str {
        let mut is_escaped = false;
        let length = self.rest.find(|letter| {
            let is_end = letter == closing && !is_escaped;
            is_escaped = letter == '\\' && !is_escaped;
            is_end
        });
        let (inside, rest) = self.rest.split_at(length.expect("it is closed"));
        self.rest = &rest[closing.len_utf8()..];
        inside
    }
}

fn unescaped(inside: &str) -> Vec<u8> {
    let mut bytes = inside.bytes();
    let mut unescaped = Vec::new();
    while let Some(byte) = bytes.next() {
        let escape = (byte == b'\\').then(|| bytes.next().expect("an escape has a letter"));
        unescaped.push(escape.map_or(byte, regex::escaped));
    }
    unescaped
}
