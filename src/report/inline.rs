//! Compares replaced lines word by word.

use std::ops::Range;

use similar::{Algorithm, DiffTag, capture_diff_slices, diff_ratio};

/// The minimum share of equal words. Below it, no words are marked.
const MIN_RATIO: f32 = 0.4;

/// Compares replaced lines, within a budget. The result depends only on the texts, never on time.
#[derive(Debug)]
pub(super) struct InlineDiff {
    /// The number of word pairs that can still be compared.
    left: usize,
}

/// The ranges of bytes of each line that differ from the other side, in order.
pub(super) type MarkedRanges = Vec<Vec<Range<usize>>>;

/// A word, a run of blanks or a single other character, and its position.
#[derive(Debug)]
struct Word {
    line: usize,
    bytes: Range<usize>,
}

impl Default for InlineDiff {
    fn default() -> Self {
        Self { left: 200_000_000 }
    }
}

impl InlineDiff {
    /// Returns a comparison of at most `pairs` word pairs.
    #[cfg(feature = "review")]
    pub(super) fn with_limit(pairs: usize) -> Self {
        Self { left: pairs }
    }

    /// Returns the marks of the deleted and of the inserted lines. Lines with little in common get
    /// no marks.
    pub(super) fn mark_differences(
        &mut self,
        old: &[&[u8]],
        new: &[&[u8]],
    ) -> (MarkedRanges, MarkedRanges) {
        let mut marks = (vec![Vec::new(); old.len()], vec![Vec::new(); new.len()]);
        if old.len() == new.len() {
            for index in 0..old.len() {
                let (gone, come) = self.compare_words(&old[index..=index], &new[index..=index]);
                marks.0[index].extend(gone.into_iter().flatten());
                marks.1[index].extend(come.into_iter().flatten());
            }
        } else if !old.is_empty() && !new.is_empty() {
            marks = self.compare_words(old, new);
        }
        marks
    }

    fn compare_words(&mut self, old: &[&[u8]], new: &[&[u8]]) -> (MarkedRanges, MarkedRanges) {
        let none = (vec![Vec::new(); old.len()], vec![Vec::new(); new.len()]);
        let size = |lines: &[&[u8]]| lines.iter().map(|line| line.len()).sum::<usize>();
        // A line has at most as many words as bytes, so this is an upper bound of the word pairs.
        let Some(left) = self.left.checked_sub(size(old).saturating_mul(size(new))) else {
            return none;
        };
        self.left = left;
        let (gone, come) = (split_words(old), split_words(new));
        let texts = |words: &[Word], lines: &[&[u8]]| -> Vec<Vec<u8>> {
            words
                .iter()
                .map(|word| lines[word.line][word.bytes.clone()].to_vec())
                .collect()
        };
        let ops = capture_diff_slices(Algorithm::Myers, &texts(&gone, old), &texts(&come, new));
        if diff_ratio(&ops, gone.len(), come.len()) < MIN_RATIO {
            return none;
        }
        let mut marks = none;
        for op in ops.iter().filter(|op| op.tag() != DiffTag::Equal) {
            add_marks(&mut marks.0, &gone[op.old_range()]);
            add_marks(&mut marks.1, &come[op.new_range()]);
        }
        marks
    }
}

/// Adds the positions of `words` and joins adjacent ones.
fn add_marks(marks: &mut MarkedRanges, words: &[Word]) {
    for word in words {
        match marks[word.line].last_mut() {
            Some(last) if last.end == word.bytes.start => last.end = word.bytes.end,
            _ => marks[word.line].push(word.bytes.clone()),
        }
    }
}

/// Splits lines into words. Non-ASCII bytes belong to words, so that no character is split.
fn split_words(lines: &[&[u8]]) -> Vec<Word> {
    let class = |byte: u8| match byte {
        b' ' | b'\t' => 0,
        b'_' | 0x80.. => 1,
        _ if byte.is_ascii_alphanumeric() => 1,
        _ => 2,
    };
    let mut words: Vec<Word> = Vec::new();
    for (line, text) in lines.iter().enumerate() {
        for (at, &byte) in text.iter().enumerate() {
            match words.last_mut() {
                Some(last) if at > 0 && class(byte) < 2 && class(text[at - 1]) == class(byte) => {
                    last.bytes.end = at + 1;
                }
                _ => words.push(Word {
                    line,
                    bytes: at..at + 1,
                }),
            }
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(old: &[&'static str], new: &[&'static str]) -> [Vec<String>; 2] {
        let bytes =
            |lines: &[&'static str]| lines.iter().map(|line| line.as_bytes()).collect::<Vec<_>>();
        let (old, new) = (bytes(old), bytes(new));
        let marks = InlineDiff::default().mark_differences(&old, &new);
        [(old, marks.0), (new, marks.1)].map(|(lines, marks)| {
            let text = |(line, ranges): (&&[u8], &Vec<Range<usize>>)| {
                let parts = ranges
                    .iter()
                    .map(|range| String::from_utf8_lossy(&line[range.clone()]).into_owned());
                parts.collect::<Vec<_>>().join("|")
            };
            lines.iter().zip(&marks).map(text).collect()
        })
    }

    #[test]
    fn words_that_differ_are_marked() {
        assert_eq!(
            marked(&["let limit = 10;"], &["let limit_of = 100;"]),
            [["limit|10"], ["limit_of|100"]]
        );
    }

    #[test]
    fn lines_are_compared_with_all_that_come_for_them() {
        let [old, new] = marked(&["call(one, two)"], &["call(one,", "     two, three)"]);
        assert_eq!(
            (old, new),
            (
                vec![" ".to_owned()],
                vec![String::new(), "     |, three".to_owned()]
            )
        );
    }

    #[test]
    fn lines_that_have_little_in_common_are_not_marked() {
        assert_eq!(marked(&["fn a() {}"], &["struct Other;"]), [[""], [""]]);
    }

    #[test]
    fn nothing_is_marked_when_the_budget_is_spent() {
        let long = "x y ".repeat(5000);
        let marks =
            InlineDiff { left: 1000 }.mark_differences(&[long.as_bytes()], &[long.as_bytes()]);
        assert_eq!(marks, (vec![vec![]], vec![vec![]]));
    }
}
