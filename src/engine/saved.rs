//! The format of a saved plan: one line of JSON with the options that decide the result, then the
//! patches.

use serde::{Deserialize, Serialize};

use super::request::{Decide, Patches, Request, Series, What};
use crate::plan::{Direction, SeriesSettings};
use crate::transaction::saved_plans::StoredPlan;

/// The first line of a saved plan.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SavedPlan {
    /// The operation and the path of each file, for people.
    pub(super) files: Vec<(String, String)>,
    /// The `id` of each file in the report, and the number of its hunks. Plans of older versions
    /// have none.
    #[serde(default)]
    pub(super) hunks: Vec<(String, usize)>,
    /// The name and the length of each patch.
    patches: Vec<(String, usize)>,
    /// The name and the entries of the series file that lists the patches.
    series: Option<(String, Vec<SeriesEntry>)>,
    decide: Decide,
}

/// An entry of a series file: its line, its strip level, and whether the patch is reversed.
type SeriesEntry = (usize, usize, bool);

impl SavedPlan {
    /// Returns the first line for `patches` that are applied with `decide`.
    pub(super) fn of(patches: &Patches, decide: &Decide) -> Self {
        Self {
            files: Vec::new(),
            hunks: Vec::new(),
            patches: patches
                .texts
                .iter()
                .map(|(name, text)| (name.clone(), text.len()))
                .collect(),
            series: patches.series.as_ref().map(|series| {
                let entry = |listed: &SeriesSettings| {
                    (
                        listed.line,
                        listed.strip,
                        listed.direction == Direction::Reverse,
                    )
                };
                (
                    series.name.clone(),
                    series.entries.iter().map(entry).collect(),
                )
            }),
            decide: decide.clone(),
        }
    }

    /// Returns the first line of `kept`, and the patches; `None` if the first line is damaged.
    pub(super) fn read(kept: &StoredPlan) -> Option<(Self, &[u8])> {
        let end = memchr::memchr(b'\n', &kept.bytes)?;
        Some((
            serde_json::from_slice(&kept.bytes[..end]).ok()?,
            &kept.bytes[end + 1..],
        ))
    }
}

/// Returns the request that was saved as `kept`; `None` if the saved plan is damaged. `look`,
/// `commit` and `context` come from `usual`.
pub(super) fn to_request(usual: Request, kept: &StoredPlan) -> Option<Request> {
    let (saved, mut rest) = SavedPlan::read(kept)?;
    // The lengths must add up to the whole text. Otherwise a part is missing or was added.
    let mut texts = Vec::new();
    for (name, length) in saved.patches {
        let (text, others) = rest.split_at_checked(length)?;
        texts.push((name, text.into()));
        rest = others;
    }
    let series = saved.series.map(|(name, all)| {
        let direction = |is_reverse| {
            if is_reverse {
                Direction::Reverse
            } else {
                Direction::Forward
            }
        };
        let entry = |(line, strip, is_reverse)| SeriesSettings {
            line,
            strip,
            direction: direction(is_reverse),
        };
        Series {
            name,
            entries: all.into_iter().map(entry).collect(),
        }
    });
    let what = What::Patches(Patches {
        texts,
        series,
        is_saved: true,
    });
    rest.is_empty().then_some(Request {
        what,
        decide: saved.decide,
        ..usual
    })
}
