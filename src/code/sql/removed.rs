//! Compares a new statement with the statements that a change removes.

use std::collections::HashMap;

use sqlparser::tokenizer::Token;

use super::dialects::{self, Database, Parsed};
use super::statements::Statement;

/// The number of neighbouring statements that a fault such as a missing `;` can join.
const MAX_JOINED: usize = 2;
/// The number of tokens at the start or the end that a statement shares with the one that it replaces.
const SHARED_TOKENS: usize = 2;

/// The statements that a change removes.
pub(super) struct Removed<'s> {
    /// Each run of one or two neighbouring statements that the parser knows.
    known: Vec<Counterpart<'s>>,
    /// The statements that the parser does not know.
    unknown: Vec<Ends<'s>>,
}

/// One or more statements that a new statement can replace.
struct Counterpart<'s> {
    ends: Ends<'s>,
    /// The number of each keyword and symbol.
    words: HashMap<String, usize>,
    is_balanced: bool,
}

/// The first and the last tokens of a statement.
#[derive(Clone)]
struct Ends<'s> {
    first: Vec<&'s Token>,
    last: Vec<&'s Token>,
}

impl<'s> Ends<'s> {
    fn of(first: &'s Statement<'_>, last: &'s Statement<'_>) -> Self {
        let (first, last) = (first.key(), last.key());
        Self {
            last: last[last.len().saturating_sub(SHARED_TOKENS)..].to_vec(),
            first: first.into_iter().take(SHARED_TOKENS).collect(),
        }
    }

    /// Returns whether the first tokens are the same, or the last ones, or one of each.
    fn is_similar(&self, other: &Self) -> bool {
        self.first == other.first
            || self.last == other.last
            || (self.first.first() == other.first.first() && self.last.last() == other.last.last())
    }
}

impl<'s> Removed<'s> {
    pub(super) fn new(removed: &[Option<&'s Statement<'s>>], database: Database) -> Self {
        let is_known = |statement| dialects::parse(statement, database) == Ok(Parsed::Valid);
        let known: Vec<_> = removed
            .iter()
            .map(|statement| statement.filter(|statement| is_known(statement)))
            .collect();
        let unknown = removed.iter().zip(&known);
        let unknown = unknown.filter_map(|(statement, known)| match known {
            Some(_) => None,
            None => statement.map(|statement| Ends::of(statement, statement)),
        });
        let runs = (1..=MAX_JOINED).flat_map(|length| known.windows(length));
        Self {
            known: runs.filter_map(Counterpart::of).collect(),
            unknown: unknown.collect(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.known.len() + self.unknown.len()
    }

    /// Returns whether the parser knows what `statement` replaces, and the change cannot have put
    /// it into a construct of another dialect.
    pub(super) fn proves_fault(&self, statement: &Statement<'_>, is_new_token: bool) -> bool {
        let ends = Ends::of(statement, statement);
        // A similar unknown statement can be the one that was replaced.
        if self.unknown.iter().any(|other| other.is_similar(&ends)) {
            return false;
        }
        let mut similar = self
            .known
            .iter()
            .filter(|other| other.ends.is_similar(&ends));
        let words = statement.keywords();
        similar.any(|other| {
            let has_same_words = !is_new_token && other.has_all(&words);
            has_same_words
                || statement.has_impossible_start()
                || (other.is_balanced && !statement.is_balanced())
        })
    }
}

impl<'s> Counterpart<'s> {
    /// Returns the counterpart of neighbouring statements, if the parser knows all of them.
    fn of(statements: &[Option<&'s Statement<'s>>]) -> Option<Self> {
        let statements: Vec<_> = statements.iter().copied().collect::<Option<_>>()?;
        let (first, last) = (statements.first()?, statements.last()?);
        let mut words: HashMap<String, usize> = HashMap::new();
        for (word, count) in statements.iter().flat_map(|it| it.keywords()) {
            *words.entry(word).or_default() += count;
        }
        Some(Self {
            ends: Ends::of(first, last),
            words,
            is_balanced: statements.iter().all(|it| it.is_balanced()),
        })
    }

    /// Returns whether no word of `words` occurs more often than here.
    fn has_all(&self, words: &HashMap<String, usize>) -> bool {
        let is_here =
            |(word, count): (&String, &usize)| self.words.get(word).is_some_and(|own| own >= count);
        words.iter().all(is_here)
    }
}
