//! What differs within two lines, word by word.

use std::ops::Range;

use similar::{Algorithm, DiffTag, capture_diff_slices};

/// Most words of a line that is compared; longer ones are shown as they are, so that the work is bounded.
const MOST: usize = 256;
/// Hundredths of two lines that have to be the same, or they are not shown as versions of one another.
const LIKENESS: usize = 40;

/// The bytes of each of two lines that the other one does not have.
pub(super) type Differences = (Vec<Range<usize>>, Vec<Range<usize>>);

/// Returns what differs; nothing if the lines are not like one another, or too long.
pub(super) fn differences(old: &[u8], new: &[u8]) -> Differences {
    let (Some(old_words), Some(new_words)) = (split(old), split(new)) else { return Differences::default() };
    let ops = capture_diff_slices(Algorithm::Myers, &old_words, &new_words);
    let size = |words: &[&[u8]]| words.iter().map(|word| word.trim_ascii().len()).sum::<usize>();
    let (mut differences, mut kept) = (Differences::default(), 0);
    let (mut old_end, mut new_end) = (0, 0);
    for op in ops {
        let (gone, come) = (&old_words[op.old_range()], &new_words[op.new_range()]);
        let (old_start, new_start) = (old_end, new_end);
        old_end += gone.concat().len();
        new_end += come.concat().len();
        if op.tag() == DiffTag::Equal {
            kept += size(gone);
        } else {
            differences.0.extend((!gone.is_empty()).then_some(old_start..old_end));
            differences.1.extend((!come.is_empty()).then_some(new_start..new_end));
        }
    }
    let all = size(&old_words) + size(&new_words);
    if kept * 200 >= all * LIKENESS { differences } else { Differences::default() }
}

/// Returns the words of `line`, runs of blanks, and single bytes or characters of anything else.
fn split(line: &[u8]) -> Option<Vec<&[u8]>> {
    let mut words = Vec::new();
    let mut rest = line;
    while let Some(&first) = rest.first() {
        let is_same = |byte: &&u8| kind(**byte) == kind(first);
        let length = if kind(first) == Kind::Sign { 1 } else { rest.iter().take_while(is_same).count() };
        let (word, behind) = rest.split_at(length);
        words.push(word);
        rest = behind;
        if words.len() > MOST {
            return None;
        }
    }
    Some(words)
}

#[derive(PartialEq, Eq)]
enum Kind {
    Word,
    Blank,
    Sign,
}

/// Bytes of characters beyond ASCII stay together.
fn kind(byte: u8) -> Kind {
    match byte {
        b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80.. => Kind::Word,
        b' ' | b'\t' => Kind::Blank,
        _ => Kind::Sign,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(old: &str, new: &str) -> (Vec<String>, Vec<String>) {
        let (gone, come) = differences(old.as_bytes(), new.as_bytes());
        let texts =
            |line: &str, marks: Vec<Range<usize>>| marks.into_iter().map(|mark| line[mark].to_owned()).collect();
        (texts(old, gone), texts(new, come))
    }

    #[test]
    fn the_words_that_differ_are_marked() {
        let found = marked("let naïve = f(one, 2);", "let naïf = f(two, 2, 3);");
        let expected = (["naïve", "one"].map(String::from).to_vec(), ["naïf", "two", ", 3"].map(String::from).to_vec());
        assert_eq!(found, expected);
    }

    #[test]
    fn lines_that_have_little_in_common_are_not_compared() {
        assert_eq!(marked("return a", "if b { c }"), Default::default());
        assert_eq!(marked("", "x"), Default::default());
    }

    #[test]
    fn a_line_of_too_many_words_is_not_compared() {
        let long = "a b ".repeat(MOST);
        assert_eq!(marked(&long, &format!("{long}c")), Default::default());
    }
}
