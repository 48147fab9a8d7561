//! Finding a run of lines in a file: nearest first, and never where another hunk went.

use memchr::memmem;

use super::MOST_CANDIDATES;
use super::covered::Covered;
use super::index::LineIndex;

/// Most runs of taken lines that are stepped over to list candidates.
const MOST_STEPS: usize = 1000;

/// The places in a file where some run of lines is, taken or not.
pub(super) trait Places {
    /// Returns the number of lines.
    fn count(&self) -> usize;

    /// Returns the first place at or behind the line `from`.
    fn next(&self, from: usize) -> Option<usize>;

    /// Returns the last place before the line `before`, but at or behind the line `floor`.
    fn previous(&self, before: usize, floor: usize) -> Option<usize>;
}

/// What a search met.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// The nearest line.
    pub(super) line: Option<usize>,
    /// Some of the lines that fit as well, the nearest one among them, in order; at most
    /// [`MOST_CANDIDATES`].
    pub(super) candidates: Vec<usize>,
    /// Whether the lines are also where another hunk went.
    pub(super) is_blocked: bool,
}

/// Finds the place that is nearest to the line `stated` of the file as the hunks left it, the later
/// one of two.
pub(super) fn nearest(places: &impl Places, covered: &Covered, stated: isize) -> Found {
    let mut found = Found::default();
    let start = covered.original(stated);
    let ahead = first(places, covered, start, &mut found.is_blocked, usize::MAX);
    let distance = ahead.map(|line| (covered.running(line) - stated).unsigned_abs());
    let floor = distance.map_or(0, |distance| {
        covered.original(stated.saturating_sub_unsigned(distance))
    });
    let behind = last(
        places,
        covered,
        start,
        floor,
        &mut found.is_blocked,
        usize::MAX,
    )
    .filter(|&line| {
        distance.is_none_or(|distance| (stated - covered.running(line)).unsigned_abs() < distance)
    });
    found.line = behind.or(ahead);
    found
}

/// Lists places around `line`, which is one of them, and not before `floor`; those behind it in the
/// file first.
pub(super) fn candidates(
    places: &impl Places,
    covered: &Covered,
    line: usize,
    floor: usize,
) -> Vec<usize> {
    let mut lines = vec![line];
    let mut ignored = false;
    while lines.len() < MOST_CANDIDATES
        && let Some(line) = first(
            places,
            covered,
            lines[lines.len() - 1] + 1,
            &mut ignored,
            MOST_STEPS,
        )
    {
        lines.push(line);
    }
    let mut earliest = line;
    while lines.len() < MOST_CANDIDATES
        && let Some(line) = last(places, covered, earliest, floor, &mut ignored, MOST_STEPS)
    {
        earliest = line;
        lines.push(line);
    }
    lines.sort_unstable();
    lines
}

/// The first free place at or behind `from`.
fn first(
    places: &impl Places,
    covered: &Covered,
    from: usize,
    is_blocked: &mut bool,
    steps: usize,
) -> Option<usize> {
    let mut from = from.max(covered.floor);
    for _ in 0..steps {
        let line = places.next(from)?;
        let Some(taken) = covered.obstacle(&(line..line + places.count())) else {
            return Some(line);
        };
        *is_blocked = true;
        from = taken.end.max(line + 1);
    }
    None
}

/// The last free place before `before`.
fn last(
    places: &impl Places,
    covered: &Covered,
    before: usize,
    floor: usize,
    is_blocked: &mut bool,
    steps: usize,
) -> Option<usize> {
    let mut before = before;
    for _ in 0..steps {
        let line = places.previous(before, floor.max(covered.floor))?;
        let Some(taken) = covered.obstacle(&(line..line + places.count())) else {
            return Some(line);
        };
        *is_blocked = true;
        // What starts before the taken lines and reaches into them cannot stand there either.
        before = (taken.start + 1).saturating_sub(places.count()).min(line);
    }
    None
}

/// Returns whether the lines of the file from the one at `offset` on are `wanted`, of which only
/// the last may lack its terminator.
pub(super) fn is_at(index: &LineIndex<'_>, offset: usize, wanted: &[&[u8]]) -> bool {
    let mut rest = &index.text()[offset..];
    let are_there = wanted.iter().all(|line| {
        let behind = rest.strip_prefix(*line);
        rest = behind.unwrap_or_default();
        behind.is_some()
    });
    are_there && (rest.is_empty() || wanted.last().is_none_or(|line| line.ends_with(b"\n")))
}

/// The places of some whole lines, byte for byte, found by searching the file each time.
pub(super) struct Needle<'n> {
    index: &'n LineIndex<'n>,
    /// A newline and the lines, so that only starts of lines are met.
    anchored: &'n [u8],
    count: usize,
    forward: memmem::Finder<'n>,
    backward: memmem::FinderRev<'n>,
}

impl<'n> Needle<'n> {
    /// Prepares a search for `count` lines; `anchored` is a newline and these lines.
    pub(super) fn new(index: &'n LineIndex<'n>, anchored: &'n [u8], count: usize) -> Self {
        let (forward, backward) = (
            memmem::Finder::new(anchored),
            memmem::FinderRev::new(anchored),
        );
        Self {
            index,
            anchored,
            count,
            forward,
            backward,
        }
    }

    fn is_first(&self) -> bool {
        is_at(self.index, 0, &[&self.anchored[1..]])
    }

    fn is_whole(&self, found: usize) -> bool {
        self.anchored.ends_with(b"\n") || found + self.anchored.len() == self.index.text().len()
    }
}

impl Places for Needle<'_> {
    fn count(&self) -> usize {
        self.count
    }

    fn next(&self, from: usize) -> Option<usize> {
        if from == 0 && self.is_first() {
            return Some(0);
        }
        let text = self.index.text();
        let mut start = self.index.offset(from).saturating_sub(1);
        while let Some(found) = self.forward.find(&text[start..]) {
            if self.is_whole(start + found) {
                return Some(self.index.line_at(start + found + 1));
            }
            start += found + 1;
        }
        None
    }

    fn previous(&self, before: usize, floor: usize) -> Option<usize> {
        let last = before.checked_sub(1).filter(|&last| last >= floor)?;
        let text = self.index.text();
        let start = self.index.offset(floor).saturating_sub(1);
        // A hit starts with the newline in front of its first line, at the latest in front of the
        // line `last`.
        let mut end = (self.index.offset(last) + self.anchored.len())
            .saturating_sub(1)
            .min(text.len());
        while last > 0
            && start < end
            && let Some(found) = self.backward.rfind(&text[start..end])
        {
            if self.is_whole(start + found) {
                return Some(self.index.line_at(start + found + 1));
            }
            end = start + found + self.anchored.len() - 1;
        }
        (floor == 0 && self.is_first()).then_some(0)
    }
}
