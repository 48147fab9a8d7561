//! The lines of a file, and the search for runs of lines.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::chunk::ReadLine;
use super::error::PlacementError;
use super::rows::{RepairLog, read_cost};
use crate::lines::LADDER;
use crate::text::{BYTE_ORDER_MARK, lines, without_ending};

/// A file as lines.
pub(super) struct Lines<'f> {
    /// The lines with their terminators, without a byte order mark.
    pub(super) all: Vec<&'f [u8]>,
    pub(super) has_mark: bool,
    /// The lines under the comparison of each rung, computed on first use.
    seen: [OnceCell<Seen>; LADDER.len()],
    /// The number of lines that were read.
    #[cfg(test)]
    pub(super) reads: std::cell::Cell<usize>,
}

/// The lines under the comparison of one rung.
struct Seen {
    /// The digest of each line.
    keys: Vec<u64>,
    /// The lines with each digest, in order; `None` after lines were replaced.
    places: Option<HashMap<u64, Vec<usize>>>,
}

impl Seen {
    /// Returns the lines with the digest `key`, in order.
    fn places_of(&self, key: u64) -> Cow<'_, [usize]> {
        match &self.places {
            Some(places) => places.get(&key).map_or(&[][..], Vec::as_slice).into(),
            None => self
                .keys
                .iter()
                .enumerate()
                .filter(|(_, other)| **other == key)
                .map(|(at, _)| at)
                .collect(),
        }
    }

    /// Returns the number of lines with the digest `key`.
    fn count(&self, key: u64) -> usize {
        match &self.places {
            Some(places) => places.get(&key).map_or(0, Vec::len),
            None => self.keys.iter().filter(|other| **other == key).count(),
        }
    }

    /// Returns the number of steps for looking up a digest.
    fn search(&self) -> usize {
        if self.places.is_some() {
            1
        } else {
            1 + self.keys.len() / SCAN
        }
    }
}

/// The number of digests that can be compared for the cost of one step.
const SCAN: usize = 32;

impl<'f> Lines<'f> {
    /// Returns the lines of `content`.
    pub(super) fn of(content: &'f [u8], log: &mut RepairLog) -> Result<Self, PlacementError> {
        let text = content.strip_prefix(BYTE_ORDER_MARK).unwrap_or(content);
        log.spend(read_cost(text))?;
        let all = lines(text).map(|(_, line)| line).collect();
        Ok(Self {
            all,
            has_mark: text.len() < content.len(),
            seen: Default::default(),
            #[cfg(test)]
            reads: std::cell::Cell::default(),
        })
    }

    pub(super) fn content(&self, index: usize) -> &'f [u8] {
        #[cfg(test)]
        self.reads.set(self.reads.get() + 1);
        without_ending(self.all[index])
    }

    /// Returns whether the file contains `line`.
    pub(super) fn has(&self, line: &[u8], log: &mut RepairLog) -> Result<bool, PlacementError> {
        let seen = self.seen(0);
        log.spend(seen.search())?;
        Ok(seen.count(digest(line, 0)) > 0)
    }

    fn seen(&self, rung: usize) -> &Seen {
        self.seen[rung].get_or_init(|| {
            let keys: Vec<_> = (0..self.all.len())
                .map(|index| digest(self.content(index), rung))
                .collect();
            let mut places: HashMap<u64, Vec<usize>> = HashMap::with_capacity(keys.len());
            keys.iter()
                .enumerate()
                .for_each(|(index, &key)| places.entry(key).or_default().push(index));
            Seen {
                keys,
                places: Some(places),
            }
        })
    }

    /// Returns whether the run of lines in `range` occurs nowhere else.
    pub(super) fn is_lone(
        &self,
        range: &Range<usize>,
        log: &mut RepairLog,
    ) -> Result<bool, PlacementError> {
        let (seen, run) = (self.seen(0), &self.all[range.clone()]);
        log.spend(seen.search())?;
        if run.is_empty() {
            return Ok(self.all.is_empty());
        }
        for &at in seen
            .places_of(seen.keys[range.start])
            .iter()
            .filter(|&&at| at != range.start)
        {
            let same = run
                .iter()
                .zip(&self.all[at..])
                .take_while(|(one, other)| one == other)
                .count();
            log.spend(same + 1)?;
            if same == run.len() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Replaces the lines in `range` by the lines of `text`.
    pub(super) fn replace(&mut self, range: Range<usize>, text: &'f [u8]) {
        let new: Vec<_> = lines(text).map(|(_, line)| line).collect();
        for (rung, seen) in self.seen.iter_mut().enumerate() {
            if let Some(Seen { keys, places }) = seen.get_mut() {
                keys.splice(
                    range.clone(),
                    new.iter().map(|line| digest(without_ending(line), rung)),
                );
                *places = None;
            }
        }
        self.all.splice(range, new);
    }

    /// Returns the places where the run `lines` occurs, under the comparison of the rung.
    pub(super) fn runs(
        &self,
        lines: &[&ReadLine],
        rung: usize,
        log: &mut RepairLog,
    ) -> Result<Vec<usize>, PlacementError> {
        let Some(last) = self.all.len().checked_sub(lines.len()) else {
            return Ok(Vec::new());
        };
        let seen = self.seen(rung);
        let keys = &seen.keys;
        let key = |line: &&ReadLine| {
            [&*line.text, line.raw.as_deref().unwrap_or(&line.text)].map(|it| digest(it, rung))
        };
        let wanted: Vec<_> = lines.iter().map(key).collect();
        log.spend(wanted.len() * seen.search())?;
        let count = |keys: [u64; 2]| match keys {
            [text, raw] if text == raw => seen.count(text),
            [text, raw] => seen.count(text) + seen.count(raw),
        };
        // Only the places of the rarest line need to be compared.
        let Some(nth) = (0..wanted.len()).min_by_key(|&nth| count(wanted[nth])) else {
            return Ok((0..=last).collect());
        };
        log.spend(count(wanted[nth]))?;
        let rarest = match wanted[nth] {
            [text, raw] if text == raw => seen.places_of(text),
            [text, raw] => [seen.places_of(text), seen.places_of(raw)].concat().into(),
        };
        let mut starts: Vec<_> = rarest.iter().filter_map(|at| at.checked_sub(nth)).collect();
        starts.sort_unstable();
        starts.dedup();
        let mut found = Vec::new();
        for start in starts.into_iter().filter(|&start| start <= last) {
            let length = wanted
                .iter()
                .zip(&keys[start..])
                .take_while(|(keys, found)| keys.contains(found))
                .count();
            log.spend(length + 1)?;
            if length == wanted.len() {
                found.push(start);
            }
        }
        Ok(found)
    }
}

/// Returns the digest of `line` under the comparison of the rung.
fn digest(line: &[u8], rung: usize) -> u64 {
    xxh3_64(&(LADDER[rung].key)(line))
}
