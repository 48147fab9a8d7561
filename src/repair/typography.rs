//! Typographic characters of new lines, where the old lines differ from those of the file in such
//! characters.
//!
//! What a new line has in common with the old one that it replaces keeps the characters of the
//! file. In the rest, a typographic character can be meant, or can stand for an ASCII character as
//! in the old lines: which one is not known.

use crate::lines::ladder::{is_typographic, trimmed};

/// The old lines of a patch and those of the file in their place.
pub(super) struct Typography<'a> {
    pairs: Vec<(&'a str, &'a str)>,
    /// Whether a typographic character of the patch is another one in the file.
    is_doubtful: bool,
}

impl<'a> Typography<'a> {
    /// Compares old lines with those of the file. Blanks around a line say nothing.
    pub(super) fn new(pairs: impl Iterator<Item = (&'a [u8], &'a [u8])>) -> Self {
        let text = |line: &'a [u8]| std::str::from_utf8(trimmed(line)).unwrap_or_default();
        Self::of(pairs.map(|(old, found)| (text(old), text(found))).collect())
    }

    /// Compares a part of a line with that of the file.
    pub(super) fn of_part(old: &'a str, found: &'a str) -> Self {
        Self::of(vec![(old, found)])
    }

    fn of(pairs: Vec<(&'a str, &'a str)>) -> Self {
        let differs = |(old, found): (char, char)| old != found && is_typographic(old);
        let is_doubtful = pairs
            .iter()
            .any(|(old, found)| old.chars().zip(found.chars()).any(differs));
        Self { pairs, is_doubtful }
    }

    /// Returns `new`, which replaces one of the old lines with the indexes `replaced`, with the
    /// characters of the file; `None` if it is not known which characters it has.
    pub(super) fn kept(&self, new: &str, replaced: &[usize]) -> Option<String> {
        let mut same = self
            .pairs
            .iter()
            .filter(|(old, _)| *old == new)
            .map(|(_, found)| *found);
        if let Some(found) = same.next() {
            return same.all(|other| other == found).then(|| found.to_owned());
        }
        // Of several old lines the one that has most in common with it.
        let pairs = replaced.iter().rev().map(|&index| self.pairs[index]);
        let (old, found) = pairs
            .max_by_key(|(old, _)| common(old, new).0 + common(old, new).1)
            .unwrap_or_default();
        let (head, tail) = common(old, new);
        let [old, found, new] = [old, found, new].map(|text| text.chars().collect::<Vec<_>>());
        if old.len() != found.len() {
            return (!self.is_doubtful).then(|| new.into_iter().collect());
        }
        let middle = &new[head..new.len() - tail];
        if self.is_doubtful && middle.iter().any(|character| is_typographic(*character)) {
            return None;
        }
        Some(
            found[..head]
                .iter()
                .chain(middle)
                .chain(&found[found.len() - tail..])
                .collect(),
        )
    }
}

/// Returns how many characters two lines have in common at their starts, and how many of the rest
/// at their ends.
fn common(old: &str, new: &str) -> (usize, usize) {
    let same = |(old, new): &(char, char)| old == new;
    let head = old.chars().zip(new.chars()).take_while(same).count();
    let most = old.chars().count().min(new.chars().count()) - head;
    (
        head,
        old.chars()
            .rev()
            .zip(new.chars().rev())
            .take(most)
            .take_while(same)
            .count(),
    )
}
