//! Three-way merge of lines.
//!
//! Changes of both sides that touch each other conflict, unless they are the same. As in git, lines
//! that both sides have in common are removed from a conflict. Conflicts with at most three lines
//! between them are joined.

mod output;

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::diff::{align_lines, diff};
use super::edits::{Budget, Edit};
use super::ends::common_ends;
use super::slide::SlidePosition;
use super::table::LineTable;
pub(crate) use output::{end_line, put_marker};
use output::{is_crlf_line, put};

/// The maximum number of lines between two conflicts that are joined.
const MAX_BETWEEN: usize = 3;

/// The side that resolves conflicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ConflictResolution {
    /// Take our lines.
    Ours,
    /// Take their lines.
    Theirs,
    /// Take our lines, then their lines.
    Union,
}

/// The format of a conflict in the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ConflictStyle {
    /// Both sides (`merge`).
    #[default]
    Sides,
    /// Both sides, with the base between them (`diff3`).
    Base,
    /// Both sides and the base, without the lines at the ends that both sides have in common
    /// (`zdiff3`).
    ShortBase,
}

/// The lines of a conflict in each of the three texts, counted from 0, half-open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The lines of the base.
    pub base: Range<usize>,
    /// Our lines.
    pub ours: Range<usize>,
    /// Their lines.
    pub theirs: Range<usize>,
}

/// The result of a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergedText {
    /// The merged text. Conflicts in it have the requested style.
    pub bytes: Vec<u8>,
    /// The conflicts that no [`ConflictResolution`] resolved.
    pub conflicts: Vec<Conflict>,
}

/// Changes that touch each other, and the lines that they cover in each of the three texts.
pub(crate) struct TouchingEdits<'e> {
    /// Our changes.
    pub(crate) ours: &'e [Edit],
    /// Their changes.
    pub(crate) theirs: &'e [Edit],
    /// The lines.
    pub(crate) at: Conflict,
}

/// A region that differs between the three texts.
#[derive(Debug)]
struct Region {
    kind: RegionKind,
    at: Conflict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RegionKind {
    /// Only our side changed, or both sides made the same change.
    Ours,
    Theirs,
    Conflict,
    /// A conflict with lines that the budget does not suffice to compare. No [`ConflictResolution`]
    /// resolves it, because the lines of a side can belong to another place.
    Unaligned,
}

impl RegionKind {
    fn is_conflict(self) -> bool {
        matches!(self, Self::Conflict | Self::Unaligned)
    }
}

/// The lines of the three texts.
struct MergeInputs<'t> {
    base: LineTable<'t>,
    ours: LineTable<'t>,
    theirs: LineTable<'t>,
}

/// Merges the changes from `base` to `ours` and from `base` to `theirs`. `favour` resolves
/// conflicts. Without it, conflicts are written in `style`.
///
/// If the budget of a comparison is used up, conflicts are larger than necessary. `favour` does not
/// resolve a conflict that contains lines that were not compared.
#[must_use]
pub fn merge(
    base: &[u8],
    ours: &[u8],
    theirs: &[u8],
    favour: Option<ConflictResolution>,
    style: ConflictStyle,
) -> MergedText {
    let texts = MergeInputs {
        base: LineTable::from_text(base),
        ours: LineTable::from_text(ours),
        theirs: LineTable::from_text(theirs),
    };
    merge_within(&texts, favour, style, Budget::default())
}

fn merge_within(
    texts: &MergeInputs<'_>,
    favour: Option<ConflictResolution>,
    style: ConflictStyle,
    budget: Budget,
) -> MergedText {
    let mine = align_lines(&texts.base, &texts.ours, budget, SlidePosition::Last);
    let other = align_lines(&texts.base, &texts.theirs, budget, SlidePosition::Last);
    let regions = group_touching(&mine.edits, &other.edits)
        .into_iter()
        .filter_map(|touching| {
            let is_aligned = mine.is_aligned(touching.ours) && other.is_aligned(touching.theirs);
            texts.classify_region(touching, is_aligned)
        })
        .collect();
    let regions = match style {
        ConflictStyle::Sides => join_conflicts(refine(texts, regions)),
        ConflictStyle::Base => regions,
        ConflictStyle::ShortBase => regions
            .into_iter()
            .map(|region| texts.trim_conflict(region))
            .collect(),
    };
    let bytes = texts.write(&regions, favour, style);
    let conflicts = regions.into_iter().filter(|region| match region.kind {
        RegionKind::Ours | RegionKind::Theirs => false,
        RegionKind::Conflict => favour.is_none(),
        RegionKind::Unaligned => true,
    });
    MergedText {
        bytes,
        conflicts: conflicts.map(|region| region.at).collect(),
    }
}

/// Groups the changes of both sides, in order. At least one unchanged line separates two groups.
pub(crate) fn group_touching<'e>(mine: &'e [Edit], other: &'e [Edit]) -> Vec<TouchingEdits<'e>> {
    let (mut regions, mut i, mut j) = (Vec::new(), 0, 0);
    // The number of lines that each side has added to the base so far.
    let (mut ours, mut theirs) = (0_isize, 0_isize);
    while let Some(start) = [mine.get(i), other.get(j)]
        .into_iter()
        .flatten()
        .map(|edit| edit.old.start)
        .min()
    {
        let (first, second) = (i, j);
        let (before, behind) = (ours, theirs);
        // An edit that touches the group extends it, and can bring it next to an edit of the other
        // side.
        let mut end = start;
        loop {
            let is_met = |edit: &&Edit| edit.old.start <= end;
            if let Some(edit) = mine.get(i).filter(is_met) {
                (end, ours, i) = (end.max(edit.old.end), shift(edit), i + 1);
            } else if let Some(edit) = other.get(j).filter(is_met) {
                (end, theirs, j) = (end.max(edit.old.end), shift(edit), j + 1);
            } else {
                break;
            }
        }
        let at = Conflict {
            base: start..end,
            ours: start.saturating_add_signed(before)..end.saturating_add_signed(ours),
            theirs: start.saturating_add_signed(behind)..end.saturating_add_signed(theirs),
        };
        regions.push(TouchingEdits {
            ours: &mine[first..i],
            theirs: &other[second..j],
            at,
        });
    }
    regions
}

/// Returns the number of lines that the new text has added to the old text up to the end of `edit`.
fn shift(edit: &Edit) -> isize {
    edit.new.end.cast_signed() - edit.old.end.cast_signed()
}

/// Removes lines that both sides have in common from conflicts. The parts of a divided conflict all
/// have the base lines of the whole conflict.
fn refine(texts: &MergeInputs<'_>, regions: Vec<Region>) -> Vec<Region> {
    let mut all = Vec::with_capacity(regions.len());
    // All conflicts share one budget in proportion to their size, so that their number does not
    // multiply the work.
    let size = |region: &Region| (region.at.ours.len() + region.at.theirs.len()) as u64;
    let total: u64 = regions.iter().map(size).sum();
    for region in regions {
        let Conflict { base, ours, theirs } = &region.at;
        let budget = Budget::default().share(size(&region), total);
        if !region.kind.is_conflict() || ours.is_empty() || theirs.is_empty() {
            all.push(region);
            continue;
        }
        let differences = diff(
            &texts.ours.part(ours.clone()),
            &texts.theirs.part(theirs.clone()),
            budget,
            SlidePosition::Last,
        );
        if differences.is_empty() {
            all.push(Region {
                kind: RegionKind::Ours,
                ..region
            });
            continue;
        }
        all.extend(differences.into_iter().map(|edit| {
            let ours = ours.start + edit.old.start..ours.start + edit.old.end;
            let theirs = theirs.start + edit.new.start..theirs.start + edit.new.end;
            Region {
                kind: region.kind,
                at: Conflict {
                    base: base.clone(),
                    ours,
                    theirs,
                },
            }
        }));
    }
    all
}

/// Joins conflicts with at most [`MAX_BETWEEN`] lines between them.
fn join_conflicts(regions: Vec<Region>) -> Vec<Region> {
    let mut all: Vec<Region> = Vec::with_capacity(regions.len());
    for region in regions {
        match all.last_mut() {
            Some(last)
                if last.kind.is_conflict()
                    && region.kind.is_conflict()
                    && region.at.ours.start - last.at.ours.end <= MAX_BETWEEN =>
            {
                if region.kind == RegionKind::Unaligned {
                    last.kind = RegionKind::Unaligned;
                }
                last.at.base.end = region.at.base.end;
                last.at.ours.end = region.at.ours.end;
                last.at.theirs.end = region.at.theirs.end;
            }
            _ => all.push(region),
        }
    }
    all
}

impl MergeInputs<'_> {
    /// Returns the region of these changes, or `None` if both sides made the same change. Such a
    /// region needs no entry, because the result takes all other lines from our side.
    fn classify_region(
        &self,
        TouchingEdits {
            ours: mine,
            theirs: other,
            at,
        }: TouchingEdits<'_>,
        is_aligned: bool,
    ) -> Option<Region> {
        let kind = match (mine, other) {
            (_, []) => RegionKind::Ours,
            ([], _) => RegionKind::Theirs,
            ([a], [b])
                if a.old == b.old
                    && self.ours.lines[a.new.clone()] == self.theirs.lines[b.new.clone()] =>
            {
                return None;
            }
            _ if is_aligned => RegionKind::Conflict,
            _ => RegionKind::Unaligned,
        };
        Some(Region { kind, at })
    }

    /// Removes the lines at both ends that both sides of a conflict have in common.
    fn trim_conflict(&self, region: Region) -> Region {
        if !region.kind.is_conflict() {
            return region;
        }
        let Conflict {
            base,
            mut ours,
            mut theirs,
        } = region.at;
        let (start, end) = common_ends(
            &self.ours.lines[ours.clone()],
            &self.theirs.lines[theirs.clone()],
            |ours, theirs| ours == theirs,
        );
        (ours.start, ours.end) = (ours.start + start, ours.end - end);
        (theirs.start, theirs.end) = (theirs.start + start, theirs.end - end);
        Region {
            kind: region.kind,
            at: Conflict { base, ours, theirs },
        }
    }

    fn write(
        &self,
        regions: &[Region],
        favour: Option<ConflictResolution>,
        style: ConflictStyle,
    ) -> Vec<u8> {
        let (mut out, mut position) = (Vec::new(), 0);
        for Region { kind, at } in regions {
            put(&mut out, &self.ours.lines[position..at.ours.start]);
            position = at.ours.end;
            let (ours, theirs) = (
                &self.ours.lines[at.ours.clone()],
                &self.theirs.lines[at.theirs.clone()],
            );
            match (kind, favour) {
                (RegionKind::Ours, _) | (RegionKind::Conflict, Some(ConflictResolution::Ours)) => {
                    put(&mut out, ours);
                }
                (RegionKind::Theirs, _)
                | (RegionKind::Conflict, Some(ConflictResolution::Theirs)) => {
                    put(&mut out, theirs);
                }
                (RegionKind::Conflict, Some(ConflictResolution::Union)) => {
                    put(&mut out, ours);
                    end_line(&mut out, self.newline(at));
                    put(&mut out, theirs);
                }
                (RegionKind::Conflict, None) | (RegionKind::Unaligned, _) => {
                    self.put_conflict(at, style, &mut out);
                }
            }
        }
        put(&mut out, &self.ours.lines[position..]);
        out
    }

    fn put_conflict(&self, at: &Conflict, style: ConflictStyle, out: &mut Vec<u8>) {
        let newline = self.newline(at);
        let mut part = |sign: u8, label: &str, lines: &[&[u8]]| {
            put_marker(out, sign, label, newline);
            put(out, lines);
            end_line(out, newline);
        };
        part(b'<', " ours", &self.ours.lines[at.ours.clone()]);
        if style != ConflictStyle::Sides {
            part(b'|', " base", &self.base.lines[at.base.clone()]);
        }
        part(b'=', "", &self.theirs.lines[at.theirs.clone()]);
        part(b'>', " theirs", &[]);
    }

    /// Returns the line ending for the markers of a conflict. It is CR LF only if the base uses it
    /// and the lines before the conflict do not contradict.
    fn newline(&self, at: &Conflict) -> &'static [u8] {
        let before = |lines: &[&[u8]], start: usize| is_crlf_line(lines, start.saturating_sub(1));
        let sides = [
            before(&self.ours.lines, at.ours.start),
            before(&self.theirs.lines, at.theirs.start),
            is_crlf_line(&self.base.lines, 0),
        ];
        if sides[2] == Some(true) && !sides.contains(&Some(false)) {
            b"\r\n"
        } else {
            b"\n"
        }
    }
}

#[cfg(test)]
mod tests;
