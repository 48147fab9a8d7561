//! The rows of an extract by lines.

use std::borrow::Cow;
use std::ops::Range;

use super::{ReadFormat, ReadRequest, character_boundary};
use crate::report::Extract;
use crate::text::{lines, without_bom, without_ending};

/// The limit on the length of a line in [`ReadFormat::Numbered`], in characters.
const MAX_CHARACTERS: usize = 2000;

/// The output of a view by lines. Each line of the file is a row.
pub(super) struct LineFormatter<'a> {
    view: ReadFormat,
    max_output: usize,
    pub(super) out: Vec<u8>,
    /// The number of the next row.
    number: usize,
    /// The number of rows whose line was cut.
    pub(super) cut: usize,
    head: Cow<'a, [u8]>,
}

impl<'a> LineFormatter<'a> {
    pub(super) fn new(request: &'a ReadRequest, extract: &Extract) -> Self {
        let head = match (request.format, &extract.tag) {
            (ReadFormat::Hashline, Some(tag)) => {
                format!("[{}#{tag}]\n", extract.path).into_bytes().into()
            }
            _ => Cow::Borrowed(&b""[..]),
        };
        Self {
            view: request.format,
            max_output: request.max_output,
            out: Vec::new(),
            number: extract.first_line,
            cut: 0,
            head,
        }
    }

    /// Adds the lines of `window` until the output is full. Returns the offset of the first line
    /// that was left out.
    pub(super) fn add_lines(&mut self, text: &[u8], window: Range<usize>) -> usize {
        self.out
            .extend_from_slice(&self.head[..self.head.len().min(self.max_output)]);
        let mut end = window.start;
        for (span, line) in lines(&text[window.clone()]) {
            // A byte order mark at the start of the file is not part of the first line.
            let line = if end == 0 { without_bom(line) } else { line };
            let before = self.out.len();
            let is_cut = self.add_line(line);
            if self.out.len() > self.max_output {
                self.out.truncate(before);
                if end > window.start {
                    return end;
                }
                // A line that exceeds the limit of the whole output is cut. The next read continues
                // after it.
                self.add_line(line);
                self.out
                    .truncate(character_boundary(&self.out, before, self.max_output));
                self.cut += 1;
                return window.start + span.end;
            }
            self.cut += usize::from(is_cut);
            self.number += 1;
            end = window.start + span.end;
        }
        end
    }

    /// Adds one line and returns whether it was cut.
    fn add_line(&mut self, line: &[u8]) -> bool {
        if self.view == ReadFormat::Hashline {
            self.out
                .extend_from_slice(format!("{}:", self.number).as_bytes());
            self.out.extend_from_slice(without_ending(line));
            self.out.push(b'\n');
            return false;
        }
        let text = without_ending(line);
        let shown = first_characters(text, MAX_CHARACTERS);
        self.out
            .extend_from_slice(format!("{:6}\t", self.number).as_bytes());
        self.out.extend_from_slice(shown);
        self.out.extend_from_slice(&line[text.len()..]);
        shown.len() < text.len()
    }
}

/// Returns the first `count` characters of `line`. Each byte that is not UTF-8 counts as one
/// character.
fn first_characters(line: &[u8], count: usize) -> &[u8] {
    if line.len() <= count {
        return line;
    }
    let (mut left, mut end) = (count, 0);
    for chunk in line.utf8_chunks() {
        if let Some((place, _)) = chunk.valid().char_indices().nth(left) {
            return &line[..end + place];
        }
        left -= chunk.valid().chars().count();
        end += chunk.valid().len() + chunk.invalid().len().min(left);
        if chunk.invalid().len() > left {
            return &line[..end];
        }
        left -= chunk.invalid().len();
    }
    line
}
