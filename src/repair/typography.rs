//! Typographic characters in new lines, if the preimage lines differ from the file in such
//! characters. Models and chats replace `"` by `“`, or read `“` as `"`.
//!
//! The parts that a new line shares with the preimage line that it replaces keep the characters of
//! the file. In the other parts, a typographic character can be intended, or can replace an ASCII
//! character as in the preimage lines. The patch does not show which.

use crate::lines::ladder::{is_typographic, trim};

/// The preimage lines of a patch, and the lines of the file at their place.
pub(super) struct Typography<'a> {
    pairs: Vec<(&'a str, &'a str)>,
    /// Whether a typographic character of the patch is a different character in the file.
    is_doubtful: bool,
}

impl<'a> Typography<'a> {
    /// Compares preimage lines with the lines of the file. White space around a line is ignored.
    pub(super) fn new(pairs: impl Iterator<Item = (&'a [u8], &'a [u8])>) -> Self {
        let text = |line: &'a [u8]| std::str::from_utf8(trim(line)).unwrap_or_default();
        Self::of(pairs.map(|(old, found)| (text(old), text(found))).collect())
    }

    /// Compares a part of a line with the same part in the file.
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

    /// Returns `new` with the characters of the file. `new` replaces one of the preimage lines with
    /// the indexes `replaced`. Returns `None` if its characters are not certain.
    pub(super) fn keep_characters(&self, new: &str, replaced: &[usize]) -> Option<String> {
        let mut same = self
            .pairs
            .iter()
            .filter(|(old, _)| *old == new)
            .map(|(_, found)| *found);
        // The line only moved, or occurs again. Its forms in the file must agree.
        if let Some(found) = same.next() {
            return same.all(|other| other == found).then(|| found.to_owned());
        }
        // Use the preimage line that has most in common with the new line, and the first of
        // several. `max_by_key` returns the last maximum.
        let pairs = replaced.iter().rev().map(|&index| self.pairs[index]);
        let (old, found) = pairs
            .max_by_key(|(old, _)| common_affixes(old, new).0 + common_affixes(old, new).1)
            .unwrap_or_default();
        let (head, tail) = common_affixes(old, new);
        let [old, found, new] = [old, found, new].map(|text| text.chars().collect::<Vec<_>>());
        // Shared parts have the same positions in both lines only if the lengths are equal.
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

/// Returns the number of characters that two lines share at their starts, and the number that they
/// share at their ends in the rest.
fn common_affixes(old: &str, new: &str) -> (usize, usize) {
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
