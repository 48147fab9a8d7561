//! The subset of Lark that the grammars are written in, as trees over bytes: rules, terminals,
//! strings, regular expressions, groups, alternatives and `? * +`.

mod read;
mod regex;
mod words;

pub(crate) use words::Generator;

use std::collections::HashMap;

/// What may stand at one place.
#[derive(Clone, Debug)]
pub(crate) enum Expr {
    /// These bytes.
    Bytes(Vec<u8>),
    /// One byte of a set.
    Class(Box<[bool; 256]>),
    /// One after the other.
    Seq(Vec<Expr>),
    /// One of them.
    Alt(Vec<Expr>),
    /// At least and, if there is a limit, at most so many times.
    Repeat(Box<Expr>, usize, Option<usize>),
    /// The rule or terminal of this name.
    Ref(String),
}

/// A grammar.
#[derive(Debug)]
pub(crate) struct Grammar {
    rules: HashMap<String, Expr>,
}

impl Grammar {
    /// Reads a grammar; panics where it is not in the subset, or names what it does not define.
    pub(crate) fn read(text: &str) -> Self {
        let grammar = Self {
            rules: read::rules(text),
        };
        for expr in grammar.rules.values() {
            grammar.check(expr);
        }
        grammar
    }

    fn check(&self, expr: &Expr) {
        match expr {
            Expr::Bytes(_) | Expr::Class(_) => {}
            Expr::Seq(parts) | Expr::Alt(parts) => parts.iter().for_each(|part| self.check(part)),
            Expr::Repeat(part, ..) => self.check(part),
            Expr::Ref(name) => drop(self.rule(name)),
        }
    }

    /// Returns what `name` stands for.
    pub(crate) fn rule(&self, name: &str) -> &Expr {
        self.rules
            .get(name)
            .unwrap_or_else(|| panic!("the grammar does not define {name}"))
    }
}
