//! A literal implementation of git's rules on a list of lines, as a reference for the fast search.

use crate::lines::LineOffsets;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::context_level::range_start;
use super::occupied::to_signed;
use super::pattern::Pattern;
use super::testing::Section;
use super::{MatchRules, place_hunks, splice};
use crate::plan::{Direction, Hunk, LineKind};

/// The file after the hunks applied so far.
///
/// Each line has its number in the original file. A line of a hunk has twice the number of the hunk
/// instead, plus one if the hunk only inserts.
struct Image {
    /// The number of lines in the original file.
    count: usize,
    lines: Vec<(Vec<u8>, Result<usize, usize>)>,
}

impl Image {
    fn fits(&self, at: isize, wanted: &[&[u8]], is_at_start: bool, is_at_end: bool) -> bool {
        let Ok(at) = usize::try_from(at) else {
            return false;
        };
        let Some(found) = self.lines.get(at..at + wanted.len()) else {
            return false;
        };
        (!is_at_start || at == 0)
            && (!is_at_end || at + wanted.len() == self.lines.len())
            && found.iter().zip(wanted).all(|((line, number), wanted)| number.is_ok() && line == wanted)
            // The file starts and ends where the original file does.
            && !(is_at_start && is_at_end && wanted.len() != self.count)
            && (!is_at_start || found.first().is_none_or(|(_, number)| *number == Ok(0)))
            && (!is_at_end || found.last().is_none_or(|(_, number)| *number == Ok(self.count - 1)))
            // A match cannot span a gap in the original lines.
            && found.windows(2).all(|pair| matches!(pair, [(_, Ok(a)), (_, Ok(b))] if a + 1 == *b))
    }

    fn search(
        &self,
        stated: isize,
        wanted: &[&[u8]],
        is_at_start: bool,
        is_at_end: bool,
    ) -> Option<isize> {
        if wanted.is_empty() {
            // As in git, a hunk at the start of the file is placed there regardless of its header.
            let at = if is_at_start {
                0
            } else {
                usize::try_from(stated).ok()?
            };
            let number = |line: usize| self.lines.get(line).map(|(_, number)| *number);
            let before = at.checked_sub(1).and_then(number);
            // Several insertions at one place keep the order of the hunks.
            let is_inside = match number(at) {
                Some(Err(hunk)) => hunk % 2 == 1 || before == Some(Err(hunk)),
                _ => false,
            };
            return (!is_inside && self.fits(to_signed(at), wanted, is_at_start, is_at_end))
                .then_some(to_signed(at));
        }
        let reach = to_signed(self.lines.len()) + stated.abs() + 1;
        (0..=reach)
            .flat_map(|far| [stated + far, stated - far])
            .find(|&at| self.fits(at, wanted, is_at_start, is_at_end))
    }

    fn put(&mut self, at: usize, count: usize, new: Vec<Vec<u8>>, hunk: usize) {
        self.lines.splice(
            at..at + count,
            new.into_iter().map(|line| (line, Err(hunk))),
        );
    }
}

/// Applies the hunks one after the other. Returns the offset of each hunk and the new file.
fn apply(
    file: &[u8],
    text: &[u8],
    hunks: &[Hunk],
    rules: &MatchRules,
) -> Option<(Vec<isize>, Vec<u8>)> {
    let lines = crate::text::lines(file)
        .enumerate()
        .map(|(number, (_, line))| (line.to_vec(), Ok(number)));
    let lines: Vec<_> = lines.collect();
    let mut image = Image {
        count: lines.len(),
        lines,
    };
    let mut offsets = Vec::new();
    for (nth, hunk) in hunks.iter().enumerate() {
        let pattern = Pattern::new(hunk, text, Direction::Forward);
        let (mut leading, mut trailing) = (pattern.leading, pattern.trailing);
        let mut lines: Vec<_> = hunk.lines(text, Direction::Forward).collect();
        let mut is_at_start = hunk.old.start == 0 || (hunk.old.start == 1 && !rules.zero_context);
        let mut is_at_end = trailing == 0 && !rules.zero_context;
        let mut at = to_signed(range_start(hunk.new));
        let (found, old) = loop {
            let old = lines.iter().filter(|line| line.is_in_preimage());
            let old: Vec<&[u8]> = old.map(|line| line.text).collect();
            if let Some(found) = image.search(at, &old, is_at_start, is_at_end) {
                break (found, old.len());
            }
            if leading <= rules.context && trailing <= rules.context {
                return None;
            }
            if is_at_start || is_at_end {
                (is_at_start, is_at_end) = (false, false);
                continue;
            }
            if leading >= trailing {
                lines.remove(0);
                (leading, at) = (leading - 1, at + 1);
            }
            if trailing > leading {
                lines.pop();
                trailing -= 1;
            }
        };
        offsets.push(found - at);
        let new = lines
            .iter()
            .filter(|line| line.kind != LineKind::Deletion)
            .map(|line| line.text.to_vec());
        image.put(
            usize::try_from(found).unwrap(),
            old,
            new.collect(),
            2 * nth + usize::from(old == 0),
        );
    }
    let lines = image.lines.into_iter().flat_map(|(line, _)| line);
    Some((offsets, lines.collect()))
}

prop_compose! {
    fn line()(letter in prop::sample::select(vec!["a\n", "b\n", "\n"])) -> String { letter.to_owned() }
}

/// A hunk taken from the file: its first line, the number of lines of each kind, and the errors of
/// its stated lines.
type SampledHunk = (usize, [usize; 4], isize, isize);

prop_compose! {
    fn cut()(
        from in 0..30usize,
        counts in prop::array::uniform4(0..4usize),
        shift in prop::sample::select(vec![0isize, 0, 0, 1, -1, 2, -3, 5]),
        old_shift in prop::sample::select(vec![0isize, 0, 0, 1, -1]),
    ) -> SampledHunk { (from, counts, shift, old_shift) }
}

fn section(lines: &[String], cuts: &[SampledHunk]) -> Section {
    let mut section = Section::default();
    let mut gained = 0;
    for &(from, [leading, deleted, inserted, trailing], shift, old_shift) in cuts {
        let from = from.min(lines.len());
        let taken = |marker: &'static str, at: usize, count: usize| {
            lines
                .iter()
                .skip(at)
                .take(count)
                .map(move |line| [marker, line].concat())
        };
        let (before, gone) = (
            taken(" ", from, leading),
            taken("-", from + leading, deleted),
        );
        let new = std::iter::repeat_n("+new\n".to_owned(), inserted);
        let body: String = before
            .chain(gone)
            .chain(new)
            .chain(taken(" ", from + leading + deleted, trailing))
            .collect();
        if deleted + inserted == 0 || body.lines().all(|line| line.starts_with(' ')) {
            continue;
        }
        let is_empty = body.lines().all(|line| line.starts_with('+'));
        let shifted = |base: isize| usize::try_from(base.max(0)).unwrap();
        let old = shifted(to_signed(from) + isize::from(!is_empty) + old_shift);
        let vanishes = body.lines().all(|line| line.starts_with('-'));
        let new = shifted(to_signed(from) + isize::from(!vanishes) + gained + shift);
        section.push(&body, old, new);
        gained += to_signed(body.lines().filter(|line| line.starts_with('+')).count());
        gained -= to_signed(body.lines().filter(|line| line.starts_with('-')).count());
    }
    section
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, rng_seed: RngSeed::Fixed(7), ..ProptestConfig::default() })]

    #[test]
    fn the_fast_search_finds_what_the_literal_rule_finds(
        lines in prop::collection::vec(line(), 0..30),
        cuts in prop::collection::vec(cut(), 1..5),
        context in prop::sample::select(vec![usize::MAX, usize::MAX, 0, 1, 2]),
        zero_context: bool,
    ) {
        let section = section(&lines, &cuts);
        let file = lines.concat().into_bytes();
        let rules = MatchRules { context, zero_context, ..MatchRules::default() };
        let placements = place_hunks(&LineOffsets::new(&file), &section.text, &section.hunks, Direction::Forward, &rules);
        let mut taken: Vec<_> = placements.iter().flatten().map(|placement| placement.lines.clone()).collect();
        taken.sort_by_key(|lines| (lines.start, lines.end));
        prop_assert!(taken.windows(2).all(|pair| pair[0].end <= pair[1].start), "{:?}", taken);
        let placements: Option<Vec<_>> = placements.into_iter().map(Result::ok).collect();
        let found = placements.map(|placements| {
            let offsets: Vec<_> = placements.iter().map(|placement| placement.offset).collect();
            (offsets, splice(&file, &section.text, &section.hunks, Direction::Forward, &placements))
        });
        prop_assert_eq!(found, apply(&file, &section.text, &section.hunks, &rules));
    }
}
