//! A chunk as it came, and the ways in which it can be read.

use super::read::Line;
use super::{Row, Trail};
use crate::plan::LineKind;

/// What the `@@` lines of a chunk say.
#[derive(Clone, Debug, Default)]
pub(super) struct Header<'t> {
    /// The first old line, counted from 1; `None` if no line is named.
    pub(super) stated: Option<usize>,
    /// How many old and new lines follow.
    pub(super) counts: Option<(usize, usize)>,
    /// The texts, each of which may be a line above the chunk or its first line.
    pub(super) texts: Vec<Text<'t>>,
}

/// A text on an `@@` line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text<'t> {
    pub(super) text: &'t [u8],
    /// Whether it stands behind numbers, where tools write the function that the hunk is in and nobody relies on it.
    pub(super) is_section: bool,
}

impl<'t> Header<'t> {
    /// Takes one line that starts with `@@`.
    pub(super) fn take(&mut self, line: Line<'t>, trail: &mut Trail) {
        let rest = line.text[2..].trim_ascii_start();
        let (inner, outer) = match memchr::memmem::find(rest, b"@@") {
            Some(end) => (rest[..end].trim_ascii_end(), Some(&rest[end + 2..])),
            None => (rest.trim_ascii_end(), None),
        };
        match numbers(inner) {
            Some((old, new)) => {
                if old.0 > 0 {
                    self.stated = Some(old.0);
                }
                self.counts = Some((old.1, new.1));
            }
            None if is_placeholder(inner) => trail.note(Row::BareHeader, line.number),
            None => self.texts.push(Text { text: inner, is_section: false }),
        }
        let outer =
            outer.map(|outer| outer.strip_prefix(b" ").unwrap_or(outer)).filter(|outer| !outer.trim_ascii().is_empty());
        if let Some(text) = outer {
            self.texts.push(Text { text, is_section: numbers(inner).is_some() });
        }
    }
}

/// `-3,4 +5,6`; a missing count is 1.
fn numbers(text: &[u8]) -> Option<((usize, usize), (usize, usize))> {
    let text = std::str::from_utf8(text).ok()?;
    let (old, new) = text.split_once(' ')?;
    let range = |range: &str, sign| {
        let (start, count) = range.strip_prefix(sign)?.split_once(',').unwrap_or((&range[1..], "1"));
        Some((start.parse::<usize>().ok()?, count.trim().parse::<usize>().ok()?))
    };
    Some((range(old, '-')?, range(new.trim(), '+')?))
}

/// What stands where numbers should: nothing, dots, signs or letters alone.
fn is_placeholder(text: &[u8]) -> bool {
    text.iter().all(|byte| matches!(byte, b'.' | b'-' | b'+' | b',' | b' ' | b'X' | b'x' | b'?' | b'N' | b'0'))
}

/// A chunk with the lines of its body as they stand.
#[derive(Clone, Debug)]
pub(super) struct Chunk<'t> {
    pub(super) header: Header<'t>,
    pub(super) body: Vec<Line<'t>>,
    /// Its first line, counted from 1.
    pub(super) line: usize,
    pub(super) is_at_end: bool,
}

/// One line as a reading has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReadLine {
    pub(super) kind: LineKind,
    /// The content.
    pub(super) text: Vec<u8>,
    /// What it is if its first blank was no marker but the file's.
    pub(super) raw: Option<Vec<u8>>,
    /// Whether it has no line end, as `\` behind it says.
    pub(super) is_open: bool,
}

/// One way to read a chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) lines: Vec<ReadLine>,
    /// The lines that stand above it, outermost first, each a whole line or a part of one.
    pub(super) headings: Vec<Vec<u8>>,
    /// What has to be told if this is the one.
    pub(super) rows: Vec<Row>,
}

impl Reading {
    pub(super) fn old(&self) -> impl Iterator<Item = &ReadLine> {
        self.lines.iter().filter(|line| line.kind != LineKind::Insertion)
    }
}

impl<'t> Chunk<'t> {
    pub(super) fn new(header: Header<'t>, mut body: Vec<Line<'t>>, line: usize, is_at_end: bool) -> Self {
        // Empty lines behind the last line belong to nothing.
        while body.last().is_some_and(|line| line.text.is_empty()) {
            body.pop();
        }
        Self { header, body, line, is_at_end }
    }

    /// Returns the readings, the one that is most likely meant first. The first that has exactly one place counts.
    pub(super) fn readings(&self) -> Vec<Reading> {
        let mut readings = Vec::new();
        let body = lines(&self.body);
        let marked = self.body.iter().rposition(|line| matches!(line.text.first(), Some(b'+' | b'-' | b' ' | b'\\')));
        let bodies = match marked.map(|last| last + 1).filter(|&end| end < self.body.len()) {
            // What has no marker at the end may be prose as well as context.
            Some(end) => vec![body, lines(&self.body[..end])],
            None => vec![body],
        };
        for lines in bodies {
            for Head { headings, glued, row } in self.heads() {
                let mut lines = lines.clone();
                if let Some(text) = glued {
                    let line = ReadLine { kind: LineKind::Context, text: text.to_vec(), raw: None, is_open: false };
                    lines.insert(0, line);
                }
                let headings = headings.into_iter().map(<[u8]>::to_vec).collect();
                readings.push(Reading { lines, headings, rows: row.into_iter().collect() });
            }
        }
        let numbered: Vec<_> = readings
            .iter()
            .flat_map(|reading| [without_numbers(reading, b""), without_numbers(reading, b" ")])
            .flatten()
            .collect();
        let unescaped: Vec<_> = readings.iter().filter_map(unescaped).collect();
        readings.extend(numbered);
        readings.extend(unescaped);
        readings
    }

    /// The ways to take the texts of the header: headings, and perhaps a first line of context.
    fn heads(&self) -> Vec<Head<'t>> {
        let all: Vec<_> = self.header.texts.iter().filter(|text| !text.is_section).map(|text| text.text).collect();
        let mut heads = vec![Head { headings: all.clone(), glued: None, row: None }];
        if let Some(last) = self.header.texts.last() {
            let above = all[..all.len() - usize::from(!last.is_section)].to_vec();
            heads.push(Head { headings: above, glued: Some(last.text), row: Some(Row::GluedHeader) });
        }
        heads
    }
}

/// Returns the lines of a body by their markers.
fn lines(body: &[Line<'_>]) -> Vec<ReadLine> {
    let mut lines: Vec<ReadLine> = Vec::with_capacity(body.len());
    for line in body {
        let (kind, text, raw) = match line.text {
            [b'\\', b' ', ..] => {
                if let Some(last) = lines.last_mut() {
                    last.is_open = true;
                }
                continue;
            }
            [b'-', text @ ..] => (LineKind::Deletion, text, None),
            [b'+', text @ ..] => (LineKind::Insertion, text, None),
            [b' ', text @ ..] => (LineKind::Context, text, Some(line.text)),
            text => (LineKind::Context, text, None),
        };
        lines.push(ReadLine { kind, text: text.to_vec(), raw: raw.map(<[u8]>::to_vec), is_open: false });
    }
    lines
}

/// One way to take the texts of a header.
struct Head<'t> {
    /// Lines above the chunk.
    headings: Vec<&'t [u8]>,
    /// Its first line.
    glued: Option<&'t [u8]>,
    row: Option<Row>,
}

/// Takes the line numbers of a viewer off, and what it puts behind them, if every old line has one and they count up.
fn without_numbers(reading: &Reading, gap: &[u8]) -> Option<Reading> {
    let mut lines = reading.lines.clone();
    let mut last = None;
    for line in lines.iter_mut().filter(|line| line.kind != LineKind::Insertion) {
        let (number, rest) = numbered(line.raw.as_deref().unwrap_or(&line.text))?;
        if last.is_some_and(|last| number != last + 1) {
            return None;
        }
        last = Some(number);
        let rest = if rest.is_empty() { rest } else { rest.strip_prefix(gap)? };
        (line.text, line.raw) = (rest.to_vec(), None);
    }
    last?;
    for line in lines.iter_mut().filter(|line| line.kind == LineKind::Insertion) {
        if let Some((_, rest)) =
            numbered(&line.text).filter(|_| line.text.iter().any(|byte| matches!(byte, b'|' | b'\t')))
        {
            line.text = rest.to_vec();
        } else if numbered(&line.text).is_some() {
            return None;
        }
    }
    let rows = reading.rows.iter().copied().chain([Row::LineNumbers]).collect();
    Some(Reading { lines, rows, ..reading.clone() })
}

/// Splits ` 12| text`, `12: text`, `12<TAB>text`.
fn numbered(line: &[u8]) -> Option<(usize, &[u8])> {
    let line = line.trim_ascii_start();
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = std::str::from_utf8(&line[..digits]).ok()?.parse().ok()?;
    let rest = line[digits..].trim_ascii_start();
    let rest = match line[digits..].first()? {
        b'\t' => &line[digits + 1..],
        _ => rest
            .strip_prefix(b"|")
            .or_else(|| rest.strip_prefix(b":"))
            .or_else(|| rest.strip_prefix("\u{2502}".as_bytes()))?,
    };
    Some((number, rest))
}

/// Turns entities of HTML back, in all lines, if there are any in an old one.
fn unescaped(reading: &Reading) -> Option<Reading> {
    if !reading.old().any(|line| plain(&line.text) != line.text) {
        return None;
    }
    let turned =
        |line: &ReadLine| ReadLine { text: plain(&line.text), raw: line.raw.as_deref().map(plain), ..line.clone() };
    let rows = reading.rows.iter().copied().chain([Row::Escaped]).collect();
    Some(Reading { lines: reading.lines.iter().map(turned).collect(), rows, ..reading.clone() })
}

fn plain(text: &[u8]) -> Vec<u8> {
    const ENTITIES: [(&[u8], u8); 6] =
        [(b"&lt;", b'<'), (b"&gt;", b'>'), (b"&quot;", b'"'), (b"&#39;", b'\''), (b"&apos;", b'\''), (b"&amp;", b'&')];
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(&byte) = rest.first() {
        let found = ENTITIES.iter().find(|(entity, _)| rest.starts_with(entity));
        let (length, plain) = found.map_or((1, byte), |(entity, plain)| (entity.len(), *plain));
        out.push(plain);
        rest = &rest[length..];
    }
    out
}

/// Returns whether a line stands for others that are left out: `...`, `// ... existing code ...`.
pub(super) fn is_elision(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line).to_lowercase();
    let marks: &[char] = &['#', '/', '*', '-', ';', '%', '<', '!', '>', ' ', '\t'];
    let text = text.trim_matches(marks);
    let is_dots = |text: &str| text.starts_with("...") || text.starts_with('\u{2026}');
    let words = ["existing", "rest of", "remaining", "unchanged", "omitted", "same as"];
    is_dots(text) && (text.len() <= 3 || words.iter().any(|word| text.contains(word)))
}
