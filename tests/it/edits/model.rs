//! A file as lines, changes of its lines, and what must come of them, byte for byte.
//!
//! Nothing here asks the program. The rule for line ends: a line that comes ends as the line that
//! it takes the place of, the n-th as the n-th and all further ones as the last; one that takes no
//! place ends as the line that it is put beside. What ends without line end counts as ending like
//! the line before, and a file without any has LF.

use std::ops::Range;

pub(super) const MARK: &[u8] = b"\xef\xbb\xbf";

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) content: Vec<u8>,
    /// LF, CR LF, or nothing for a last line that is open.
    pub(super) end: &'static [u8],
}

/// The contents of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) has_mark: bool,
    pub(super) lines: Vec<Line>,
}

/// One change: lines that go, and contents of lines that come in their place.
#[derive(Clone, Debug)]
pub(super) struct Edit {
    pub(super) gone: Range<usize>,
    pub(super) come: Vec<Vec<u8>>,
    /// What lines are put beside that take no place.
    pub(super) side: Side,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// The line before them.
    Behind,
    /// The line after them.
    Before,
}

impl Text {
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mark = if self.has_mark { MARK } else { b"" };
        let lines = self
            .lines
            .iter()
            .map(|line| [&line.content, line.end].concat());
        std::iter::once(mark.to_vec())
            .chain(lines)
            .collect::<Vec<_>>()
            .concat()
    }

    /// Returns whether the last line has no line end.
    pub(super) fn is_open(&self) -> bool {
        self.lines.last().is_some_and(|line| line.end.is_empty())
    }

    /// Returns how a line ends, or would.
    pub(super) fn end(&self, line: usize) -> &'static [u8] {
        let ends = [Some(line), line.checked_sub(1)]
            .into_iter()
            .flatten()
            .filter_map(|line| self.lines.get(line));
        ends.map(|line| line.end)
            .find(|end| !end.is_empty())
            .unwrap_or(b"\n")
    }

    /// Returns some lines as a text with LF for all line ends.
    pub(super) fn plain(&self, lines: Range<usize>) -> Vec<u8> {
        let is_open = self.is_open() && lines.end == self.lines.len();
        let mut text = joined(self.lines[lines].iter().map(|line| &line.content));
        if is_open {
            text.pop();
        }
        text
    }

    /// Returns all of it as a text with LF for all line ends.
    pub(super) fn whole(&self) -> Vec<u8> {
        self.plain(0..self.lines.len())
    }

    /// Returns what `edits` make of it; they go up and do not touch each other.
    pub(super) fn after(&self, edits: &[Edit]) -> Self {
        let mut lines: Vec<Line> = Vec::new();
        let mut next = 0;
        for edit in edits {
            lines.extend_from_slice(&self.lines[next..edit.gone.start]);
            if let Some(last) = lines.last_mut().filter(|last| last.end.is_empty()) {
                last.end = self.end(edit.gone.start - 1);
            }
            lines.extend(edit.come.iter().enumerate().map(|(index, content)| {
                let end = self.end(edit.place(index));
                Line {
                    content: content.clone(),
                    end,
                }
            }));
            next = edit.gone.end;
            let is_last = next == self.lines.len() && !edit.come.is_empty();
            if let Some(last) = lines.last_mut().filter(|_| is_last && self.is_open()) {
                last.end = b"";
            }
        }
        lines.extend_from_slice(&self.lines[next..]);
        Self {
            has_mark: self.has_mark,
            lines,
        }
    }

    /// Returns what each of `edits` sees if they are made one after the other; `None` if that makes
    /// another file, as an edit that is put beside the line of another one does.
    pub(super) fn in_turn(&self, edits: &[Edit]) -> Option<Vec<Self>> {
        let (mut seen, mut current, mut before) = (Vec::new(), self.clone(), 0);
        for (index, edit) in edits.iter().enumerate() {
            let gone: usize = edits[..index].iter().map(|edit| edit.gone.len()).sum();
            let at = edit.gone.start + before - gone;
            let alone = Edit {
                gone: at..at + edit.gone.len(),
                ..edit.clone()
            };
            let after = current.after(&[alone]);
            seen.push(std::mem::replace(&mut current, after));
            before += edit.come.len();
        }
        (current == self.after(edits)).then_some(seen)
    }

    /// Returns for each of `edits` the lines that a change by its text names: those that go and as
    /// many around them as it takes until `fits` says that they are unmistakable.
    pub(super) fn windows(
        &self,
        edits: &[Edit],
        fits: impl Fn(Range<usize>, usize) -> bool,
    ) -> Option<Vec<Range<usize>>> {
        let mut windows: Vec<Range<usize>> = Vec::new();
        for (index, edit) in edits.iter().enumerate() {
            let low = windows.last().map_or(0, |before| before.end);
            let high = edits
                .get(index + 1)
                .map_or(self.lines.len(), |next| next.least().start);
            let mut window = edit.least();
            let low = if edit.gone.is_empty() && edit.side == Side::Before {
                window.start
            } else {
                low
            };
            if window.start < low || window.end > high || window.is_empty() {
                return None;
            }
            while !fits(window.clone(), low) {
                let is_wider = (
                    window.start.saturating_sub(1).max(low),
                    (window.end + 1).min(high),
                );
                if is_wider == (window.start, window.end) {
                    return None;
                }
                window = is_wider.0..is_wider.1;
            }
            windows.push(window);
        }
        Some(windows)
    }
}

impl Edit {
    /// Returns the line that one of those that come ends like.
    fn place(&self, index: usize) -> usize {
        if self.gone.is_empty() {
            self.beside()
        } else {
            (self.gone.start + index).min(self.gone.end - 1)
        }
    }

    fn beside(&self) -> usize {
        match self.side {
            Side::Behind => self.gone.start.saturating_sub(1),
            Side::Before => self.gone.start,
        }
    }

    /// Returns what becomes of the lines `old`, which are those from `start` on.
    pub(super) fn within(&self, old: &[Vec<u8>], start: usize) -> Vec<Vec<u8>> {
        let gone = self.gone.start - start..self.gone.end - start;
        [&old[..gone.start], &self.come, &old[gone.end..]].concat()
    }

    /// Returns the fewest lines that say where it is.
    fn least(&self) -> Range<usize> {
        if self.gone.is_empty() {
            self.beside()..self.beside() + 1
        } else {
            self.gone.clone()
        }
    }
}

/// Returns lines with LF behind each.
pub(super) fn joined<'a>(contents: impl IntoIterator<Item = &'a Vec<u8>>) -> Vec<u8> {
    contents
        .into_iter()
        .flat_map(|content| content.iter().copied().chain(*b"\n"))
        .collect()
}

/// Returns in how many places `text` has `part`, overlapping ones too.
pub(super) fn count(text: &[u8], part: &[u8]) -> usize {
    assert!(!part.is_empty());
    text.windows(part.len())
        .filter(|window| *window == part)
        .count()
}
