//! Computes the effect of a reading on a file.

use std::collections::VecDeque;
use std::ops::Range;

use super::RepairLog;
use super::chunk::{Reading, ReadingLine};
use super::error::PlacementError;
use super::indentation::{is_indentation_doubtful, may_lack_column};
use super::lines::FileLines;
use super::typography::Typography;
use crate::lines::LADDER;
use crate::lines::ladder::trim;
use crate::matching::reindent::Reindent;
use crate::plan::LineKind;
use crate::text::LineEnding;

/// The effect of a hunk on a file.
#[derive(Clone, Debug)]
pub(super) struct HunkEffect {
    /// The preimage lines, counted from 0.
    pub(super) lines: Range<usize>,
    /// The deleted lines, counted from 0.
    pub(super) deletions: Vec<usize>,
    /// The inserted lines.
    pub(super) insertions: Vec<InsertedLine>,
}

/// An inserted line.
#[derive(Clone, Debug)]
pub(super) struct InsertedLine {
    /// The line of the file before which this line is inserted, counted from 0.
    pub(super) at: usize,
    /// The content, without terminator.
    pub(super) text: Vec<u8>,
    /// Whether the line has no terminator.
    pub(super) is_unterminated: bool,
    /// The line ending in the patch; `None` if the new line takes the line ending of the file.
    pub(super) ending: Option<LineEnding>,
    /// The line of the file whose line ending the new line takes.
    pub(super) ending_source: usize,
}

impl PartialEq for InsertedLine {
    /// Ignores the line ending.
    fn eq(&self, other: &Self) -> bool {
        (self.at, &self.text, self.is_unterminated)
            == (other.at, &other.text, other.is_unterminated)
    }
}

/// The first rung that ignores the indentation of a line.
pub(super) const FIRST_LOOSE_RUNG: usize = 2;
/// The rung that ignores typographic differences.
const TYPOGRAPHY: usize = 3;
/// The maximum number of deleted lines that a new line is compared with.
const MAX_REPLACED: usize = 32;

/// Returns the line where the postimage of `reading` already is. White space at the ends of lines
/// is ignored. Returns `None` if `reading` inserts no line or only blank lines, because these can
/// occur anywhere.
pub(super) fn find_applied(
    file: &FileLines<'_>,
    reading: &Reading,
    log: &mut RepairLog,
) -> Result<Option<usize>, PlacementError> {
    let shows =
        |line: &ReadingLine| line.kind == LineKind::Insertion && !line.text.trim_ascii().is_empty();
    if !reading.lines.iter().any(shows) {
        return Ok(None);
    }
    let new: Vec<_> = reading
        .lines
        .iter()
        .filter(|line| line.kind != LineKind::Deletion)
        .collect();
    Ok(file.find_runs(&new, 1, log)?.first().copied())
}

/// Returns the effect of the reading at `start`, under the comparison of `rung`.
///
/// Context lines of the file stay as they are, even if those of the patch differ. On a loose rung,
/// insertions take the indentation and the typographic characters of the file.
///
/// # Errors
///
/// Returns [`PlacementError::Indentation`] or [`PlacementError::Typography`] if the patch does not show
/// the indentation or the characters of an insertion.
pub(super) fn fit_reading(
    file: &FileLines<'_>,
    reading: &Reading,
    start: usize,
    rung: usize,
) -> Result<HunkEffect, PlacementError> {
    let old: Vec<_> = reading.old().collect();
    let chosen = choose_contents(file, &old, start, rung);
    if may_lack_column(reading, &chosen)
        || rung >= FIRST_LOOSE_RUNG && is_indentation_doubtful(file, reading, &chosen, start)
    {
        return Err(PlacementError::Indentation(start));
    }
    let found = (0..old.len()).map(|index| file.content(start + index));
    let style = (rung >= FIRST_LOOSE_RUNG).then(|| StyleAdapter::new(&chosen, found, rung));
    let (mut at, mut gone, mut come) = (start, Vec::new(), Vec::new());
    // Each new line takes the line ending of the deleted line that it replaces, if there is one.
    // Without preimage lines, it takes the line ending of the line above.
    let mut like = start.saturating_sub(usize::from(old.is_empty()));
    // The deletions since the last context line that no insertion has replaced yet.
    let mut free = VecDeque::new();
    for line in &reading.lines {
        match line.kind {
            LineKind::Context => {
                free.clear();
                like = at;
                at += 1;
            }
            LineKind::Deletion => {
                free.push_back(at);
                gone.push(at);
                at += 1;
            }
            LineKind::Insertion => {
                let text = match &style {
                    Some(style) => {
                        let replaced = free.iter().take(MAX_REPLACED).map(|at| at - start);
                        let replaced: Vec<_> = replaced.collect();
                        style.adapt(&line.text, &replaced, start)?
                    }
                    None => line.text.clone(),
                };
                like = free.pop_front().unwrap_or(like);
                come.push(InsertedLine {
                    at,
                    text,
                    is_unterminated: line.is_unterminated,
                    ending: None,
                    ending_source: like,
                });
            }
        }
    }
    Ok(HunkEffect {
        lines: start..start + old.len(),
        deletions: gone,
        insertions: come,
    })
}

impl HunkEffect {
    /// Gives the new lines the line endings of `reading`, if the preimage of the reading equals the
    /// file byte for byte. The strict mode does the same.
    pub(super) fn with_stated_endings(mut self, file: &FileLines<'_>, reading: &Reading) -> Self {
        let old: Vec<_> = reading.old().collect();
        let chosen = choose_contents(file, &old, self.lines.start, 0);
        let is_same = |(line, (old, text)): (usize, (&&ReadingLine, &&[u8]))| {
            let ending = if old.is_unterminated {
                LineEnding::Missing
            } else {
                old.ending
            };
            file.content(line) == *text && LineEnding::of(file.all[line]) == ending
        };
        let mut lines = self.lines.clone().zip(old.iter().zip(&chosen));
        // Without preimage lines, nothing shows the line endings of the file, unless it is empty.
        if lines.all(is_same) && (!old.is_empty() || file.all.is_empty()) {
            let is_new = |line: &&ReadingLine| line.kind == LineKind::Insertion;
            let new = reading.lines.iter().filter(is_new);
            for (line, new) in self.insertions.iter_mut().zip(new) {
                line.ending = (new.ending != LineEnding::Missing).then_some(new.ending);
            }
        }
        self
    }
}

/// Returns the content of each line in `old` that matches the file at `start`. The raw form is used
/// only if the line without its sign does not match.
fn choose_contents<'r>(
    file: &FileLines<'_>,
    old: &[&'r ReadingLine],
    start: usize,
    rung: usize,
) -> Vec<&'r [u8]> {
    let key = LADDER[rung].key;
    let chosen = old.iter().enumerate().map(|(index, line)| match &line.raw {
        Some(raw) if key(&line.text) != key(file.content(start + index)) => raw.as_slice(),
        _ => line.text.as_slice(),
    });
    chosen.collect()
}

/// The differences in style between the preimage lines of a reading and the lines of the file.
struct StyleAdapter<'a> {
    indent: Reindent<'a>,
    typography: Option<Typography<'a>>,
}

impl<'a> StyleAdapter<'a> {
    fn new(old: &[&'a [u8]], found: impl Iterator<Item = &'a [u8]> + Clone, rung: usize) -> Self {
        Self {
            indent: Reindent::new(old, found.clone()),
            typography: (rung == TYPOGRAPHY)
                .then(|| Typography::new(old.iter().copied().zip(found))),
        }
    }

    /// Returns the new line `line` in the style of the file. `replaced` contains the indexes of the
    /// preimage lines that it may replace.
    fn adapt(
        &self,
        line: &[u8],
        replaced: &[usize],
        start: usize,
    ) -> Result<Vec<u8>, PlacementError> {
        let (old, new) = self
            .indent
            .convert(line)
            .ok_or(PlacementError::Indentation(start))?;
        let rest = &line[old.len()..];
        let text = match &self.typography {
            Some(typography) => keep_typography(typography, rest, replaced)?,
            None => rest.to_vec(),
        };
        Ok([new, text].concat())
    }
}

/// Returns the new line `text`, which has no indentation, with the correct typographic characters.
fn keep_typography(
    typography: &Typography<'_>,
    text: &[u8],
    replaced: &[usize],
) -> Result<Vec<u8>, PlacementError> {
    let content = trim(text);
    // Typographic characters are known only in UTF-8.
    let Ok(new) = std::str::from_utf8(content) else {
        return Ok(text.to_vec());
    };
    let kept = typography
        .keep_characters(new, replaced)
        .ok_or(PlacementError::Typography)?;
    Ok([kept.as_bytes(), &text[content.len()..]].concat())
}
