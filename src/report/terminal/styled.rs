//! The words that differ and the syntax colors of the lines of a hunk, for an interactive display.

use std::ops::Range;

use crate::plan::LineKind;
use crate::report::inline::InlineDiff;
use crate::report::syntax_colors::{Language, Lexer, Token, is_inside_comment, language};

/// The number of word pairs that are compared in the lines of one call.
const MAX_WORD_PAIRS: usize = 20_000_000;

/// The styles of one line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StyledLine {
    /// The ranges of bytes that differ from the line on the other side, in order.
    pub(crate) marks: Vec<Range<usize>>,
    /// The syntax tokens, in order.
    pub(crate) tokens: Vec<(Range<usize>, Token)>,
}

/// Returns the styles of consecutive lines of a hunk of the file `path`. The lines have no
/// terminators.
#[must_use]
pub(crate) fn style_lines(path: &[u8], lines: &[(LineKind, &[u8])]) -> Vec<StyledLine> {
    let mut styled = vec![StyledLine::default(); lines.len()];
    mark_words(lines, &mut styled);
    if let Some(language) = language(path) {
        add_tokens(language, lines, &mut styled);
    }
    styled
}

/// Marks the words that differ in deletions and the insertions after them.
fn mark_words(lines: &[(LineKind, &[u8])], styled: &mut [StyledLine]) {
    let mut inline = InlineDiff::with_limit(MAX_WORD_PAIRS);
    let mut start = 0;
    while start < lines.len() {
        let deletions = run_length(&lines[start..], LineKind::Deletion);
        let middle = start + deletions;
        let end = middle + run_length(&lines[middle..], LineKind::Insertion);
        if start < middle && middle < end {
            let texts = |range: Range<usize>| -> Vec<&[u8]> {
                lines[range].iter().map(|(_, text)| *text).collect()
            };
            let (old, new) = inline.mark_differences(&texts(start..middle), &texts(middle..end));
            for (line, marks) in styled[start..end]
                .iter_mut()
                .zip(old.into_iter().chain(new))
            {
                line.marks = marks;
            }
        }
        start = end.max(start + 1);
    }
}

/// Returns the number of lines of this kind at the start of `lines`.
fn run_length(lines: &[(LineKind, &[u8])], kind: LineKind) -> usize {
    lines.iter().take_while(|(other, _)| *other == kind).count()
}

/// Adds the tokens of both sides. A context line has the tokens of the new side.
fn add_tokens(language: &'static Language, lines: &[(LineKind, &[u8])], styled: &mut [StyledLine]) {
    for other in [LineKind::Insertion, LineKind::Deletion] {
        let side = || lines.iter().filter(|(kind, _)| *kind != other);
        let is_inside = is_inside_comment(language, side().map(|(_, text)| *text));
        let mut lexer = Lexer::new(language, is_inside);
        for ((kind, text), line) in lines.iter().zip(&mut *styled) {
            if *kind != other {
                line.tokens = lexer.line_tokens(text);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaced_lines_have_marks_and_all_lines_have_tokens() {
        let lines: [(LineKind, &[u8]); 4] = [
            (LineKind::Context, b"let a = 1;"),
            (LineKind::Deletion, b"let limit = 10;"),
            (LineKind::Insertion, b"let limit = 20;"),
            (LineKind::Insertion, b"/* let */"),
        ];
        let styled = style_lines(b"a.rs", &lines);
        assert!(styled[0].marks.is_empty());
        assert_eq!(
            styled[0].tokens,
            [(0..3, Token::Keyword), (8..9, Token::Number)]
        );
        assert_eq!(styled[1].tokens[1], (12..14, Token::Number));
        assert_eq!(styled[3].tokens, [(0..9, Token::Comment)]);
        let marks = &style_lines(b"a", &lines[1..3])[1].marks;
        assert!(
            matches!(&marks[..], [mark] if *mark == (12..14)),
            "{marks:?}"
        );
    }
}
