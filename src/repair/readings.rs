//! Computes the readings of a hunk.

use super::RepairKind;
use super::bodies::{BodyCandidate, find_bodies};
use super::chunk::{RawHunk, Reading, ReadingLine, count_lines};
use super::line::Line;
use super::shown::{decode_reading, without_numbers};
use crate::plan::LineKind;
use crate::text::LineEnding;

impl<'t> RawHunk<'t> {
    /// Returns the readings, the most likely first. The first reading with exactly one place is
    /// used.
    pub(super) fn readings(&self) -> Vec<Reading> {
        let mut readings = Vec::new();
        for BodyCandidate {
            lines: body,
            is_closed,
            row: cut,
        } in find_bodies(self)
        {
            for HeaderReading {
                headings,
                glued,
                row,
            } in self.header_readings(body)
            {
                let mut lines = to_reading_lines(body);
                if let Some((kind, text)) = glued {
                    let line = ReadingLine {
                        kind,
                        text: text.to_vec(),
                        raw: None,
                        is_unterminated: false,
                        ending: LineEnding::Lf,
                        at: self.at,
                    };
                    lines.insert(0, line);
                }
                let headings = headings.into_iter().map(<[u8]>::to_vec).collect();
                readings.push(Reading {
                    lines,
                    headings,
                    repairs: row.into_iter().chain(cut).collect(),
                    is_closed,
                });
            }
        }
        // In texts without signs, a leading space always belongs to the file.
        if self.is_text {
            readings
                .iter_mut()
                .flat_map(|reading| &mut reading.lines)
                .for_each(|line| line.raw = None);
        }
        // Numbers (`12| x`) and entities can be lines of the file, so these readings are the last.
        let numbered: Vec<_> = readings
            .iter()
            .flat_map(|reading| {
                [
                    without_numbers(reading, b""),
                    without_numbers(reading, b" "),
                ]
            })
            .flatten()
            .collect();
        let unescaped: Vec<_> = readings.iter().filter_map(decode_reading).collect();
        readings.extend(numbered);
        readings.extend(unescaped);
        readings
    }

    /// Returns the interpretations of the header's texts above `body`: headings, and perhaps the
    /// first line of the hunk.
    fn header_readings(&self, body: &[Line<'t>]) -> Vec<HeaderReading<'t>> {
        let all: Vec<_> = self
            .header
            .texts
            .iter()
            .filter(|text| !text.is_section)
            .map(|text| text.text)
            .collect();
        let plain = HeaderReading {
            headings: all.clone(),
            glued: None,
            row: None,
        };
        let Some(last) = self.header.texts.last() else {
            return vec![plain];
        };
        let above = all[..all.len() - usize::from(!last.is_section)].to_vec();
        let glued = |kind, text| HeaderReading {
            headings: above.clone(),
            glued: Some((kind, text)),
            row: Some(RepairKind::GluedHeader),
        };
        // If the counts match the body, the header contains no line of the hunk.
        let is_section = last.is_section && self.header.counts == Some(count_lines(body));
        let kind = match last.text.first() {
            Some(b'+') => LineKind::Insertion,
            Some(b'-') => LineKind::Deletion,
            _ if is_section => return vec![plain],
            _ => return vec![plain, glued(LineKind::Context, last.text)],
        };
        // Without line numbers, `@@ - item` can be a heading: an item of a list.
        if !last.is_section && last.text.get(1) == Some(&b' ') {
            return vec![plain];
        }
        // A deletion or insertion on the header line is never dropped.
        vec![if is_section {
            plain
        } else {
            glued(kind, &last.text[1..])
        }]
    }
}

/// Returns the lines of a body, with kinds according to their signs.
fn to_reading_lines(body: &[Line<'_>]) -> Vec<ReadingLine> {
    let mut lines: Vec<ReadingLine> = Vec::with_capacity(body.len());
    for line in body {
        let (kind, text, raw) = match line.text {
            // The note can be truncated.
            [b'\\'] | [b'\\', b' ', ..] => {
                if let Some(last) = lines.last_mut() {
                    last.is_unterminated = true;
                }
                continue;
            }
            [b'-', text @ ..] => (LineKind::Deletion, text, None),
            [b'+', text @ ..] => (LineKind::Insertion, text, None),
            // The space is the sign, or the first column of a line that lost its sign.
            [b' ', text @ ..] => (LineKind::Context, text, Some(line.whole)),
            text => (LineKind::Context, text, None),
        };
        let raw = raw.map(<[u8]>::to_vec);
        lines.push(ReadingLine {
            kind,
            text: text.to_vec(),
            raw,
            is_unterminated: false,
            ending: line.ending,
            at: line.span.start,
        });
    }
    lines
}

/// One interpretation of the texts of a header.
struct HeaderReading<'t> {
    /// The headings above the hunk.
    headings: Vec<&'t [u8]>,
    /// The first line of the hunk, which was on the header line.
    glued: Option<(LineKind, &'t [u8])>,
    row: Option<RepairKind>,
}
