//! Sentences of a grammar: making them, and telling whether a text is one.

use std::collections::{BTreeSet, HashMap};

use super::{Expr, Grammar};

/// Makes sentences from a seed.
pub(crate) struct Generator<'a> {
    grammar: &'a Grammar,
    state: u64,
    /// What becomes of the text that a rule has made, for what a grammar without context cannot
    /// say.
    mend: fn(&str, Vec<u8>) -> Vec<u8>,
}

impl<'a> Generator<'a> {
    /// Returns a generator; the same seed makes the same sentences.
    pub(crate) fn new(grammar: &'a Grammar, seed: u64, mend: fn(&str, Vec<u8>) -> Vec<u8>) -> Self {
        Self {
            grammar,
            state: seed,
            mend,
        }
    }

    /// Returns a number below `limit` (splitmix64).
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) >> 33).expect("31 bits") % limit
    }

    /// Returns a sentence of the rule `name`.
    pub(crate) fn sentence(&mut self, name: &str) -> Vec<u8> {
        let mut made = Vec::new();
        let grammar = self.grammar;
        self.extend(grammar.rule(name), &mut made);
        (self.mend)(name, made)
    }

    fn extend(&mut self, expr: &Expr, made: &mut Vec<u8>) {
        match expr {
            Expr::Bytes(bytes) => made.extend(bytes),
            Expr::Class(set) => made.push(self.member(set)),
            Expr::Seq(parts) => parts.iter().for_each(|part| self.extend(part, made)),
            Expr::Alt(parts) => {
                let chosen = self.below(parts.len());
                self.extend(&parts[chosen], made);
            }
            Expr::Repeat(part, least, most) => {
                let room = most.map_or(2, |most| most - least).min(4);
                for _ in 0..least + self.below(room + 1) {
                    self.extend(part, made);
                }
            }
            Expr::Ref(name) => {
                let part = self.sentence(name);
                made.extend(part);
            }
        }
    }

    /// A member of the set that prints, if there is one.
    fn member(&mut self, set: &[bool; 256]) -> u8 {
        let members: Vec<u8> = (b' '..=b'~')
            .filter(|&byte| set[usize::from(byte)])
            .collect();
        if members.is_empty() {
            let first = set
                .iter()
                .position(|&is_in| is_in)
                .expect("a class has a member");
            return u8::try_from(first).expect("a byte");
        }
        members[self.below(members.len())]
    }
}

impl Grammar {
    /// Returns whether `text` is a sentence of the rule `name`.
    pub(crate) fn recognises(&self, name: &str, text: &[u8]) -> bool {
        let mut recogniser = Recogniser {
            grammar: self,
            text,
            known: HashMap::new(),
        };
        recogniser.ends(self.rule(name), 0).contains(&text.len())
    }
}

/// Finds all the places where what begins at one place can end; each rule is tried once at each
/// place.
struct Recogniser<'a> {
    grammar: &'a Grammar,
    text: &'a [u8],
    known: HashMap<(&'a str, usize), BTreeSet<usize>>,
}

impl<'a> Recogniser<'a> {
    fn ends(&mut self, expr: &'a Expr, start: usize) -> BTreeSet<usize> {
        match expr {
            Expr::Bytes(bytes) if self.text[start..].starts_with(bytes) => {
                BTreeSet::from([start + bytes.len()])
            }
            Expr::Class(set)
                if self
                    .text
                    .get(start)
                    .is_some_and(|&byte| set[usize::from(byte)]) =>
            {
                BTreeSet::from([start + 1])
            }
            Expr::Bytes(_) | Expr::Class(_) => BTreeSet::new(),
            Expr::Seq(parts) => parts.iter().fold(BTreeSet::from([start]), |starts, part| {
                self.after(part, &starts)
            }),
            Expr::Alt(parts) => parts
                .iter()
                .flat_map(|part| self.ends(part, start))
                .collect(),
            Expr::Repeat(part, least, most) => self.repeated(part, *least, *most, start),
            Expr::Ref(name) => {
                if let Some(ends) = self.known.get(&(name.as_str(), start)) {
                    return ends.clone();
                }
                let ends = self.ends(self.grammar.rule(name), start);
                self.known.insert((name, start), ends.clone());
                ends
            }
        }
    }

    fn after(&mut self, expr: &'a Expr, starts: &BTreeSet<usize>) -> BTreeSet<usize> {
        starts
            .iter()
            .flat_map(|&start| self.ends(expr, start))
            .collect()
    }

    fn repeated(
        &mut self,
        part: &'a Expr,
        least: usize,
        most: Option<usize>,
        start: usize,
    ) -> BTreeSet<usize> {
        let (mut reached, mut all) = (BTreeSet::from([start]), BTreeSet::new());
        for count in 0.. {
            if count >= least {
                reached = reached.difference(&all).copied().collect();
                all.extend(&reached);
            }
            if reached.is_empty() || most == Some(count) {
                break;
            }
            reached = self.after(part, &reached);
        }
        all
    }
}
