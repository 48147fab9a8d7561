//! Finds the places of a text on each rung.

use crate::lines::ladder::{EXACT, INDENT, PUNCT, TRAILING, fold, fold_line};
use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::ops::Range;

use bstr::ByteSlice;
use memchr::memmem;

use crate::code::{SymbolList, Unparsed, list_symbols};
use crate::interrupt::Interrupt;
use crate::plan::MatchMode;
use crate::text::{Lines, Span, bom_length, lines, without_ending};

/// A search for a text on one rung.
type SearchFn = fn(&TextSearch<'_>, &[u8], MatchMode) -> TextMatches;

/// The rungs for texts, strictest first, and their search functions.
pub(super) const RUNGS: &[(usize, SearchFn)] = &[
    (EXACT, search_exact),
    (TRAILING, |file, old, _| {
        search_whole_lines(file, old, |line| without_trailing(line).into())
    }),
    (INDENT, |file, old, _| {
        search_whole_lines(file, old, |line| {
            without_trailing(without_leading(line)).into()
        })
    }),
    (PUNCT, search_folded),
];

/// The rungs for whole lines, strictest first, and their search functions.
pub(super) const LINE_RUNGS: &[(usize, SearchFn)] = &[
    (EXACT, search_exact_lines),
    // The first rows of `RUNGS` are at the index of their rung.
    RUNGS[TRAILING],
    RUNGS[INDENT],
    (PUNCT, |file, old, _| {
        search_whole_lines(file, old, |line| {
            fold_line(without_trailing(without_leading(line)))
        })
    }),
];

/// The matches of a text that do not overlap, and the number of matches. The number is 2 if the
/// only match overlaps another one.
pub(super) struct TextMatches {
    pub(super) places: Vec<Range<usize>>,
    pub(super) count: usize,
}

/// A file in which texts are searched.
pub(super) struct TextSearch<'a> {
    pub(super) text: &'a [u8],
    /// The file with LF instead of CR LF.
    lf_text: NormalisedText<'a>,
    /// The number of bytes that may still be searched for closest matches.
    closest_match_budget: &'a Cell<usize>,
    /// The symbols, if an edit names one.
    symbols: OnceCell<Result<SymbolList, Unparsed>>,
    /// The handle that cancels the search.
    pub(super) interrupt: &'a Interrupt,
}

impl<'a> TextSearch<'a> {
    pub(super) fn new(text: &'a [u8], looks: &'a Cell<usize>, interrupt: &'a Interrupt) -> Self {
        Self {
            text,
            lf_text: NormalisedText::with_lf(text),
            closest_match_budget: looks,
            symbols: OnceCell::new(),
            interrupt,
        }
    }

    /// Returns the symbols of the file. All edits state the same `path`.
    pub(super) fn symbols(&self, path: &[u8]) -> Result<&SymbolList, Unparsed> {
        let parse = || list_symbols(path, self.text);
        self.symbols
            .get_or_init(parse)
            .as_ref()
            .map_err(|reason| *reason)
    }

    /// Returns whether the file may be searched for a closest match, and subtracts its size.
    pub(super) fn spend_budget(&self) -> bool {
        let left = self.closest_match_budget.get();
        self.closest_match_budget
            .set(left.saturating_sub(self.text.len()));
        left > 0
    }
}

/// A text in which some characters are shorter than in the original.
struct NormalisedText<'a> {
    bytes: Cow<'a, [u8]>,
    /// Pairs of an offset and the number of bytes that are missing before it.
    steps: Vec<(usize, usize)>,
}

impl<'a> NormalisedText<'a> {
    /// Replaces CR LF with LF.
    fn with_lf(text: &'a [u8]) -> Self {
        let mut shrunk = Self {
            bytes: Cow::Borrowed(text),
            steps: Vec::new(),
        };
        let pairs: Vec<_> = text.find_iter(b"\r\n").collect();
        if pairs.is_empty() {
            return shrunk;
        }
        let (mut bytes, mut done) = (Vec::with_capacity(text.len()), 0);
        for pair in pairs {
            bytes.extend_from_slice(&text[done..pair]);
            done = pair + 1;
            shrunk.steps.push((bytes.len() + 1, shrunk.steps.len() + 1));
        }
        bytes.extend_from_slice(&text[done..]);
        shrunk.bytes = Cow::Owned(bytes);
        shrunk
    }

    /// Replaces CR LF with LF, and typographic characters with ASCII characters.
    fn with_ascii(text: &[u8]) -> Self {
        let (mut bytes, mut steps, mut missing) = (Vec::with_capacity(text.len()), Vec::new(), 0);
        let mut step = |bytes: &[u8], less: usize| {
            missing += less;
            steps.push((bytes.len(), missing));
        };
        for chunk in text.utf8_chunks() {
            let mut characters = chunk.valid().chars().peekable();
            while let Some(character) = characters.next() {
                if character == '\r' && characters.peek() == Some(&'\n') {
                    characters.next();
                    bytes.push(b'\n');
                    step(&bytes, 1);
                    continue;
                }
                let folded = fold(character);
                bytes.extend_from_slice(folded.encode_utf8(&mut [0; 4]).as_bytes());
                if folded != character {
                    step(&bytes, character.len_utf8() - folded.len_utf8());
                }
            }
            bytes.extend_from_slice(chunk.invalid());
        }
        Self {
            bytes: Cow::Owned(bytes),
            steps,
        }
    }

    /// Converts an offset in the shrunk text to the offset in the original.
    fn original(&self, offset: usize) -> usize {
        let step = self.steps.partition_point(|&(at, _)| at <= offset);
        offset + step.checked_sub(1).map_or(0, |step| self.steps[step].1)
    }

    fn find_all(&self, old: &[u8]) -> TextMatches {
        let place = |start: usize| self.original(start)..self.original(start + old.len());
        let places: Vec<_> = self.bytes.find_iter(old).map(place).collect();
        let overlaps = || {
            self.bytes
                .find_iter(old)
                .next()
                .is_some_and(|first| self.bytes[first + 1..].contains_str(old))
        };
        // `find_iter` skips overlapping matches, but they make the text ambiguous, too.
        let count = if places.len() == 1 && overlaps() {
            2
        } else {
            places.len()
        };
        TextMatches { places, count }
    }
}

/// Searches for the text byte for byte. An LF in the text matches LF or CR LF in the file, unless
/// the text itself contains CR LF.
fn search_exact(file: &TextSearch<'_>, old: &[u8], match_mode: MatchMode) -> TextMatches {
    let mut hits = if is_literal(old) {
        NormalisedText {
            bytes: Cow::Borrowed(file.text),
            steps: Vec::new(),
        }
        .find_all(old)
    } else {
        file.lf_text.find_all(old)
    };
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    if match_mode != MatchMode::Exact && old.first().is_some_and(is_blank) {
        // On the ladder, a match that starts inside a deeper indentation does not count if exactly
        // one other match exists.
        let is_inside =
            |place: &Range<usize>| place.start > 0 && is_blank(&file.text[place.start - 1]);
        let outside: Vec<_> = hits
            .places
            .iter()
            .filter(|place| !is_inside(place))
            .cloned()
            .collect();
        if outside.len() == 1 {
            hits = TextMatches {
                places: outside,
                count: 1,
            };
        }
    }
    hits
}

/// Searches for whole lines, byte for byte except for line endings. The last line of the file
/// matches without its terminator, too.
fn search_exact_lines(file: &TextSearch<'_>, old: &[u8], _: MatchMode) -> TextMatches {
    let literal = NormalisedText {
        bytes: Cow::Borrowed(file.text),
        steps: Vec::new(),
    };
    let plain = if is_literal(old) {
        &literal
    } else {
        &file.lf_text
    };
    let is_closed = plain.bytes.ends_with(b"\n");
    let text = if is_closed {
        Cow::Borrowed(&*plain.bytes)
    } else {
        Cow::Owned([&*plain.bytes, b"\n"].concat())
    };
    // A newline before the text restricts matches to starts of lines.
    let (mark, anchored) = (bom_length(&text), [b"\n", old].concat());
    let finder = memmem::Finder::new(&anchored);
    // Returns the first match at or after `from`.
    let next = |from: usize| {
        if from <= mark && text[mark..].starts_with(old) {
            return Some(mark);
        }
        let start = from.saturating_sub(1);
        finder
            .find(text.get(start..)?)
            .map(|newline| start + newline + 1)
    };
    let (mut places, mut from) = (Vec::new(), 0);
    while let Some(start) = next(from) {
        from = start + old.len();
        places.push(plain.original(start)..plain.original(from).min(file.text.len()));
    }
    let is_twice = places.len() == 1 && next(0).is_some_and(|first| next(first + 1).is_some());
    TextMatches {
        count: if is_twice { 2 } else { places.len() },
        places,
    }
}

/// Returns whether the line endings of `old` must match byte for byte.
pub(super) fn is_literal(old: &[u8]) -> bool {
    old.ends_with(b"\r") || old.contains_str(b"\r\n")
}

fn without_trailing(line: &[u8]) -> &[u8] {
    let end = line
        .iter()
        .rposition(|byte| !matches!(byte, b' ' | b'\t' | b'\r'))
        .map_or(0, |last| last + 1);
    &line[..end]
}

fn without_leading(line: &[u8]) -> &[u8] {
    let start = line
        .iter()
        .position(|byte| !matches!(byte, b' ' | b'\t'))
        .unwrap_or(line.len());
    &line[start..]
}

/// Searches for whole lines with equal keys. The text must contain a non-blank line.
fn search_whole_lines(
    file: &TextSearch<'_>,
    old: &[u8],
    key: fn(&[u8]) -> Cow<'_, [u8]>,
) -> TextMatches {
    let mark = bom_length(file.text);
    let keyed = |text: &[u8]| {
        let keys = lines(text).flat_map(|(_, line)| {
            key(without_ending(line))
                .iter()
                .copied()
                .chain(*b"\n")
                .collect::<Vec<_>>()
        });
        std::iter::once(b'\n').chain(keys).collect::<Vec<u8>>()
    };
    let (keys, wanted) = (keyed(&file.text[mark..]), keyed(old));
    // Blank lines would match in too many places.
    if wanted.iter().all(|&byte| byte == b'\n') {
        return TextMatches {
            places: Vec::new(),
            count: 0,
        };
    }
    let count = memchr::memchr_iter(b'\n', &wanted).count() - 1;
    let spans: Vec<_> = Lines::of_span(file.text, Span::new(mark, file.text.len()))
        .map(|(span, _)| span)
        .collect();
    let place = |line: usize| {
        let last = spans[line + count - 1];
        let end = if old.ends_with(b"\n") {
            last.end
        } else {
            last.start + without_ending(last.slice(file.text)).len()
        };
        spans[line].start..end
    };
    let (mut places, mut offset, mut line) = (Vec::new(), 0, 0);
    // A match ends with the newline with which the next one starts.
    while let Some(found) = keys[offset..].find(&wanted) {
        line += memchr::memchr_iter(b'\n', &keys[offset..offset + found]).count();
        places.push(place(line));
        offset += found + wanted.len() - 1;
        line += count;
    }
    let overlaps = |first: usize| keys[first + 1..].contains_str(&wanted);
    let is_twice = places.len() == 1 && keys.find(&wanted).is_some_and(overlaps);
    TextMatches {
        count: if is_twice { 2 } else { places.len() },
        places,
    }
}

fn search_folded(file: &TextSearch<'_>, old: &[u8], _: MatchMode) -> TextMatches {
    NormalisedText::with_ascii(file.text).find_all(&NormalisedText::with_ascii(old).bytes)
}
