//! Typographic characters of new lines, where the old lines differ from those of the file in such characters.
//!
//! What a new line has in common with the old one that it replaces keeps the characters of the file. In the rest, a
//! typographic character can be meant, or can stand for an ASCII character as in the old lines: which one is not known.
//! An ASCII character of a whole line is always as the patch has it.

use crate::matching::{is_typographic, trimmed};

/// The old lines of a patch and those of the file in their place.
pub(super) struct Typography<'a> {
    pairs: Vec<(&'a str, &'a str)>,
    /// Whether an ASCII character that stays is as the file has it.
    is_part: bool,
    /// Whether a typographic character of the patch is another one in the file.
    is_doubtful: bool,
}

impl<'a> Typography<'a> {
    /// Compares old lines with those of the file. Blanks around a line say nothing.
    pub(super) fn new(pairs: impl Iterator<Item = (&'a [u8], &'a [u8])>) -> Self {
        let text = |line: &'a [u8]| std::str::from_utf8(trimmed(line)).unwrap_or_default();
        Self::of(pairs.map(|(old, found)| (text(old), text(found))).collect(), false)
    }

    /// Compares a part of a line with that of the file.
    pub(super) fn of_part(old: &'a str, found: &'a str) -> Self {
        Self::of(vec![(old, found)], true)
    }

    fn of(pairs: Vec<(&'a str, &'a str)>, is_part: bool) -> Self {
        let differs = |(old, found): (char, char)| old != found && is_typographic(old);
        let is_doubtful = pairs.iter().any(|(old, found)| old.chars().zip(found.chars()).any(differs));
        Self { pairs, is_part, is_doubtful }
    }

    /// Returns `new`, which replaces the old line with the index `replaced`, with the characters of the file; `None` if it
    /// is not known which characters it has.
    pub(super) fn kept(&self, new: &str, replaced: Option<usize>) -> Option<String> {
        let mut same = self.pairs.iter().filter(|(old, _)| *old == new).map(|(_, found)| *found);
        if let Some(found) = same.next() {
            return same.all(|other| other == found).then(|| self.of_file(new.chars().zip(found.chars())).collect());
        }
        let (old, found) = replaced.map_or(("", ""), |index| self.pairs[index]);
        let [old, found, new] = [old, found, new].map(|text| text.chars().collect::<Vec<_>>());
        if old.len() != found.len() {
            return (!self.is_doubtful).then(|| new.into_iter().collect());
        }
        let head = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
        let most = old.len().min(new.len()) - head;
        let tail = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(old, new)| old == new).count();
        let middle = &new[head..new.len() - tail];
        if self.is_doubtful && middle.iter().any(|character| is_typographic(*character)) {
            return None;
        }
        let stays: Vec<_> = self.of_file(old.iter().copied().zip(found)).collect();
        Some(stays[..head].iter().chain(middle).chain(&stays[stays.len() - tail..]).collect())
    }

    /// Returns the characters that stay, each given with that of the file in its place.
    fn of_file(&self, pairs: impl Iterator<Item = (char, char)>) -> impl Iterator<Item = char> {
        pairs.map(|(old, found)| if self.is_part || is_typographic(old) { found } else { old })
    }
}
