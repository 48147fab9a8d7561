//! Edits that name text: finds the text in a file and builds the new file.
//!
//! Input: the file and [`Replacements`]. Output: the new file and the place of each change, or
//! every change that has no place. `search` finds the text, `sites` selects its place, `symbols` finds a
//! symbol, `fit` adapts
//! the new content to its place, and `nearest` finds the closest match.
//!
//! Bytes outside the places never change. A comparison is tried on the whole file before a looser
//! one. A text that must be unique may match in only one place.

mod fit;
mod nearest;
mod place;
mod search;
mod sites;
mod spacing;
mod symbols;
#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::Range;

use super::{Mismatch, MismatchKind, Placement};
use crate::interrupt::Interrupt;
use crate::plan::{EditOrder, MatchMode, Replacement, Replacements};
use crate::text::{LineEnding, lines};
use place::TextMatch;
use search::TextSearch;
use sites::find_matches;

/// The place of one applied change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextChange {
    /// The index of the change in its list.
    pub edit: usize,
    /// The placement.
    pub placement: Placement,
    /// The number of lines at this place in the new file.
    pub new_lines: usize,
    /// The new content of this place.
    pub new: Vec<u8>,
}

/// A change that has no place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextMismatch {
    /// The index of the change in its list.
    pub edit: usize,
    /// The reason.
    pub mismatch: Box<Mismatch>,
    /// The number of places where the text matches.
    pub count: usize,
}

/// The new file and the places of all changes, or the changes that have no place.
pub type ReplaceResult = Result<(Vec<u8>, Vec<TextChange>), UnplacedChanges>;

/// The changes that cannot be applied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnplacedChanges {
    /// The changes that have no place; at least one.
    pub mismatches: Vec<TextMismatch>,
    /// For sequential changes, the places of the other changes.
    pub places: Vec<TextChange>,
}

/// The maximum number of bytes that are searched for closest matches, for all changes of a file.
/// The first failed change gets a closest match in a file of any size.
const MAX_SEARCHED: usize = 64 << 20;

/// Applies the changes to `preimage` and returns the new file, which may have at most `most` bytes.
///
/// # Errors
///
/// Returns every change that has no place. For sequential changes, also returns the places of the
/// other changes. After `interrupt` is raised, no change has a place, and the list of changes can
/// be incomplete.
pub fn replace(
    preimage: &[u8],
    wanted: &Replacements,
    most: u64,
    interrupt: &Interrupt,
) -> ReplaceResult {
    replace_within(preimage, wanted, (most, MAX_SEARCHED), interrupt)
}

/// Applies the changes like [`replace`], but finds no closest matches.
///
/// # Errors
///
/// Returns the same errors as [`replace`].
pub fn replace_unexplained(
    preimage: &[u8],
    wanted: &Replacements,
    most: u64,
    interrupt: &Interrupt,
) -> ReplaceResult {
    replace_within(preimage, wanted, (most, 0), interrupt)
}

/// Searches about `looks` bytes for closest matches. If `looks` is not 0, the first search covers
/// the whole file.
fn replace_within(
    preimage: &[u8],
    wanted: &Replacements,
    (most, looks): (u64, usize),
    interrupt: &Interrupt,
) -> ReplaceResult {
    let looks = Cell::new(looks);
    let at_once = |text: &[u8], edits: &[_]| {
        let file = TextSearch::new(text, &looks, interrupt);
        replace_at_once(&file, edits, (wanted.match_mode, most))
    };
    match wanted.order {
        EditOrder::Simultaneous => {
            let edits: Vec<_> = wanted.edits.iter().enumerate().collect();
            at_once(preimage, &edits).map_err(|misfits| UnplacedChanges {
                mismatches: misfits,
                ..UnplacedChanges::default()
            })
        }
        EditOrder::Sequential => {
            let (mut text, mut places, mut misfits) = (preimage.to_vec(), Vec::new(), Vec::new());
            // A failed change does not stop the others, so the report contains all failures.
            for edit in wanted.edits.iter().enumerate() {
                match at_once(&text, &[edit]) {
                    Ok((after, changes)) => {
                        text = after;
                        places.extend(changes);
                    }
                    Err(more) => misfits.extend(more),
                }
                if !misfits.is_empty() && interrupt.is_raised() {
                    break;
                }
            }
            if misfits.is_empty() {
                Ok((text, places))
            } else {
                Err(UnplacedChanges {
                    mismatches: misfits,
                    places,
                })
            }
        }
    }
}

/// Replaces the given ranges of `preimage` and returns the new file. The ranges must be in order
/// and must not overlap.
#[must_use]
pub fn replace_at(
    preimage: &[u8],
    places: Vec<(Range<usize>, Vec<u8>)>,
) -> (Vec<u8>, Vec<TextChange>) {
    let change = |(bytes, new)| TextChange {
        edit: 0,
        placement: Placement::new(bytes, 0..0, 0),
        new_lines: 0,
        new,
    };
    let mut changes: Vec<_> = places.into_iter().map(change).collect();
    number_lines(preimage, &mut changes);
    (splice(preimage, &changes), changes)
}

fn replace_at_once(
    file: &TextSearch<'_>,
    edits: &[(usize, &Replacement)],
    (match_mode, most): (MatchMode, u64),
) -> Result<(Vec<u8>, Vec<TextChange>), Vec<TextMismatch>> {
    let preimage = file.text;
    let (mut changes, mut misfits) = (Vec::new(), Vec::new());
    let mut cores = HashMap::new();
    let mut new = 0_u64;
    for &(index, edit) in edits {
        if file.interrupt.is_raised() {
            misfits.push(misfit(index, MismatchKind::NotFound, 0));
            break;
        }
        match find_matches(file, edit, match_mode) {
            Ok(sites) if add_new_size(&mut new, &sites, edit) > most => {
                let gone: u64 = changes
                    .iter()
                    .map(|change: &TextChange| change.placement.bytes.len() as u64)
                    .sum();
                let goes: u64 = sites.iter().map(|site| site.bytes.len() as u64).sum();
                let size = new.saturating_add((preimage.len() as u64).saturating_sub(gone + goes));
                let kind = MismatchKind::TooLarge { size };
                return Err(vec![misfit(index, kind, sites.len())]);
            }
            Ok(sites) => {
                cores.extend(
                    sites
                        .iter()
                        .filter_map(|site| Some((index, site.core.clone()?))),
                );
                let made = sites.into_iter();
                let made = made.map(|site| build_change(file, index, edit, site, match_mode));
                // A replacement with an unknown indentation has no safe place.
                match made.collect::<Option<Vec<_>>>() {
                    Some(made) => changes.extend(made),
                    None => misfits.push(misfit(index, MismatchKind::NotFound, 0)),
                }
            }
            Err((mismatch, count)) => misfits.push(TextMismatch {
                edit: index,
                mismatch,
                count,
            }),
        }
    }
    misfits.extend(overlaps(&mut changes, &cores));
    if !misfits.is_empty() {
        misfits.sort_by_key(|misfit| misfit.edit);
        misfits.dedup_by_key(|misfit| misfit.edit);
        return Err(misfits);
    }
    number_lines(preimage, &mut changes);
    Ok((splice(preimage, &changes), changes))
}

/// Sorts `changes` by their place, and returns a mismatch for each overlap. Deletions of symbols
/// can share blank lines; `cores` are the places without them, by the index of the edit.
fn overlaps(
    changes: &mut [TextChange],
    cores: &HashMap<usize, Range<usize>>,
) -> impl Iterator<Item = TextMismatch> {
    // The sort is stable: insertions at the same place keep the order of the list.
    changes.sort_by_key(|change| (change.placement.bytes.start, change.placement.bytes.end));
    for index in 1..changes.len() {
        let end = changes[index - 1].placement.bytes.end;
        let has_core = cores.contains_key(&changes[index - 1].edit);
        let core = cores.get(&changes[index].edit).filter(|_| has_core);
        let bytes = &mut changes[index].placement.bytes;
        if core.is_some_and(|core| bytes.start < end && end <= core.start) {
            bytes.start = end;
        }
    }
    // If any places overlap, two neighbours do.
    let touching = changes.windows(2).filter(|pair| {
        let (first, second) = (&pair[0].placement.bytes, &pair[1].placement.bytes);
        second.start < first.end
    });
    touching.map(|pair| {
        let edit = pair[0].edit.max(pair[1].edit);
        misfit(edit, MismatchKind::Overlap, 0)
    })
}

/// Returns the mismatch of the change `edit`, which matches `count` times.
fn misfit(edit: usize, kind: MismatchKind, count: usize) -> TextMismatch {
    TextMismatch {
        edit,
        mismatch: Mismatch::of_kind(kind),
        count,
    }
}

/// Adds the size of the new content of `sites` to `new` and returns the sum.
///
/// The size is checked before the content is built. Otherwise a small patch could request unbounded
/// memory.
fn add_new_size(new: &mut u64, sites: &[TextMatch], edit: &Replacement) -> u64 {
    *new = new.saturating_add((sites.len() as u64).saturating_mul(edit.new.len() as u64));
    *new
}

fn build_change(
    file: &TextSearch<'_>,
    edit: usize,
    wanted: &Replacement,
    site: TextMatch,
    match_mode: MatchMode,
) -> Option<TextChange> {
    let new = fit::fit_edit(file.text, wanted, &site, match_mode)?;
    Some(TextChange {
        edit,
        placement: Placement::new(site.bytes, 0..0, site.rung),
        new_lines: 0,
        new,
    })
}

/// Computes the line numbers of the changes, which must be in file order.
fn number_lines(preimage: &[u8], changes: &mut [TextChange]) {
    let newlines = |range: Range<usize>| memchr::memchr_iter(b'\n', &preimage[range]).count();
    let (mut offset, mut line) = (0, 0);
    for change in changes {
        let bytes = change.placement.bytes.clone();
        line += newlines(offset..bytes.start);
        offset = bytes.start;
        let inside = newlines(bytes.clone());
        // A place that ends within a line includes this line.
        let is_part = !bytes.is_empty() && preimage[bytes.end - 1] != b'\n';
        change.placement.lines = line..line + inside + usize::from(is_part);
        let added = memchr::memchr_iter(b'\n', &change.new).count();
        let is_to_the_end =
            bytes.end == preimage.len() && (bytes.start == 0 || preimage[bytes.start - 1] == b'\n');
        change.new_lines = if is_to_the_end {
            lines(&change.new).count()
        } else {
            (change.placement.lines.len() + added).saturating_sub(inside)
        };
    }
}

fn splice(preimage: &[u8], changes: &[TextChange]) -> Vec<u8> {
    let added: usize = changes.iter().map(|change| change.new.len()).sum();
    let mut out = Vec::with_capacity(preimage.len() + added);
    let mut done = 0;
    for change in changes {
        out.extend_from_slice(&preimage[done..change.placement.bytes.start]);
        out.extend_from_slice(&change.new);
        done = change.placement.bytes.end;
    }
    out.extend_from_slice(&preimage[done..]);
    out
}

/// Returns the ending of the line at `offset`, else of the last terminated line, else LF.
fn ending_at(text: &[u8], offset: usize) -> LineEnding {
    let behind = memchr::memchr(b'\n', &text[offset..]).map(|end| offset + end + 1);
    let end = behind.or_else(|| memchr::memrchr(b'\n', text).map(|end| end + 1));
    end.map_or(LineEnding::Lf, |end| {
        LineEnding::of(&text[end.saturating_sub(2)..end])
    })
}
