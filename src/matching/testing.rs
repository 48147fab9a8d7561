//! Helpers for the tests of this module.

use crate::plan::{Anchor, Direction, Hunk, LineKind, LineRange};
use crate::text::Span;

/// Creates a hunk whose body is all of `text`, at lines counted from 1.
pub(super) fn hunk(text: &[u8], old: usize, new: usize) -> Hunk {
    hunk_at(text, Span::new(0, text.len()), old, new)
}

/// Creates a hunk whose body is a part of `text`. The line counts are computed from the body.
pub(super) fn hunk_at(text: &[u8], body: Span, old: usize, new: usize) -> Hunk {
    let header = Span::new(body.start, body.start);
    let ranges = (
        LineRange {
            start: old,
            count: 0,
        },
        LineRange {
            start: new,
            count: 0,
        },
    );
    let mut hunk = Hunk {
        anchor: Anchor::Line,
        span: body,
        header,
        body,
        old: ranges.0,
        new: ranges.1,
        section: header,
        selection: None,
    };
    let kinds: Vec<_> = hunk
        .lines(text, Direction::Forward)
        .map(|line| line.kind)
        .collect();
    hunk.old.count = kinds
        .iter()
        .filter(|&&kind| kind != LineKind::Insertion)
        .count();
    hunk.new.count = kinds
        .iter()
        .filter(|&&kind| kind != LineKind::Deletion)
        .count();
    hunk
}

/// Consecutive hunks and their text.
#[derive(Debug, Default)]
pub(super) struct Section {
    /// The bodies.
    pub(super) text: Vec<u8>,
    /// The hunks.
    pub(super) hunks: Vec<Hunk>,
}

impl Section {
    /// Adds a hunk with `body` at lines counted from 1.
    pub(super) fn push(&mut self, body: &str, old: usize, new: usize) {
        let start = self.text.len();
        self.text.extend_from_slice(body.as_bytes());
        self.hunks.push(hunk_at(
            &self.text,
            Span::new(start, self.text.len()),
            old,
            new,
        ));
    }
}

/// Creates hunks below headings from their headings and bodies.
pub(super) fn codex(chunks: &[(&[&str], &str)]) -> Section {
    let mut section = Section::default();
    for (headings, body) in chunks {
        let mut spans = Vec::new();
        for heading in *headings {
            let start = section.text.len();
            section.text.extend_from_slice(heading.as_bytes());
            spans.push(Span::new(start, section.text.len()));
            section.text.push(b'\n');
        }
        section.push(body, 0, 0);
        if let Some(hunk) = section.hunks.last_mut() {
            hunk.anchor = Anchor::Headings {
                headings: spans.into(),
                at_end: false,
            };
        }
    }
    section
}
