//! The lines of a file, and where a run of lines stands among them.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::Trail;
use super::chunk::ReadLine;
use super::place::Misfit;
use crate::matching::LADDER;
use crate::text::{BYTE_ORDER_MARK, lines, without_ending};

/// The file, line by line.
pub(super) struct Lines<'f> {
    /// With their terminators, and without a byte order mark.
    pub(super) all: Vec<&'f [u8]>,
    pub(super) has_mark: bool,
    /// The lines as each rung sees them, as far as they were needed.
    seen: [OnceCell<Seen>; LADDER.len()],
}

/// The lines as one rung sees them.
struct Seen {
    /// A digest of each.
    keys: Vec<u64>,
    /// The lines that have a digest, in order; `None` after lines were replaced.
    places: Option<HashMap<u64, Vec<usize>>>,
}

impl Seen {
    /// Returns the lines that have the digest `key`, in order.
    fn places_of(&self, key: u64) -> Cow<'_, [usize]> {
        match &self.places {
            Some(places) => places.get(&key).map_or(&[][..], Vec::as_slice).into(),
            None => self.keys.iter().enumerate().filter(|(_, other)| **other == key).map(|(at, _)| at).collect(),
        }
    }
}

/// What it costs to read a line and to write it again, in comparisons.
const WHOLE: usize = 20;

/// How many bytes of a line cost as much as a comparison.
const LENGTH: usize = 4;

/// How many digests cost as much as a comparison when all are looked through.
const SCAN: usize = 32;

impl<'f> Lines<'f> {
    /// Returns the lines of `content`.
    pub(super) fn of(content: &'f [u8], trail: &mut Trail) -> Result<Self, Misfit> {
        let text = content.strip_prefix(BYTE_ORDER_MARK).unwrap_or(content);
        let number = memchr::memchr_iter(b'\n', text).count();
        if !trail.charge(number * WHOLE + text.len() / LENGTH) {
            return Err(Misfit::TooMuch);
        }
        let all = lines(text).map(|(_, line)| line).collect();
        Ok(Self { all, has_mark: text.len() < content.len(), seen: Default::default() })
    }

    pub(super) fn content(&self, index: usize) -> &'f [u8] {
        without_ending(self.all[index])
    }

    fn seen(&self, rung: usize) -> &Seen {
        self.seen[rung].get_or_init(|| {
            let keys: Vec<_> = (0..self.all.len()).map(|index| digest(self.content(index), rung)).collect();
            let mut places: HashMap<u64, Vec<usize>> = HashMap::with_capacity(keys.len());
            keys.iter().enumerate().for_each(|(index, &key)| places.entry(key).or_default().push(index));
            Seen { keys, places: Some(places) }
        })
    }

    /// Replaces the lines of `range` by those of `text`.
    pub(super) fn replace(&mut self, range: Range<usize>, text: &'f [u8]) {
        let new: Vec<_> = lines(text).map(|(_, line)| line).collect();
        for (rung, seen) in self.seen.iter_mut().enumerate() {
            if let Some(Seen { keys, places }) = seen.get_mut() {
                keys.splice(range.clone(), new.iter().map(|line| digest(without_ending(line), rung)));
                *places = None;
            }
        }
        self.all.splice(range, new);
    }

    /// Returns where the file has `lines`, as the rung sees them.
    pub(super) fn runs(&self, lines: &[&ReadLine], rung: usize, trail: &mut Trail) -> Result<Vec<usize>, Misfit> {
        let Some(last) = self.all.len().checked_sub(lines.len()) else { return Ok(Vec::new()) };
        let seen = self.seen(rung);
        let keys = &seen.keys;
        let key =
            |line: &&ReadLine| [&*line.text, line.raw.as_deref().unwrap_or(&line.text)].map(|it| digest(it, rung));
        let wanted: Vec<_> = lines.iter().map(key).collect();
        let search = if seen.places.is_some() { 1 } else { 1 + keys.len() / SCAN };
        if !trail.charge(wanted.len() * search) {
            return Err(Misfit::TooMuch);
        }
        let places = |keys: &[u64; 2]| match keys {
            [text, raw] if text == raw => seen.places_of(*text),
            [text, raw] => [seen.places_of(*text), seen.places_of(*raw)].concat().into(),
        };
        // The line that is there least often says where to look.
        let places = wanted.iter().map(places).enumerate();
        let Some((nth, rarest)) = places.min_by_key(|(_, places)| places.len()) else {
            return Ok((0..=last).collect());
        };
        let mut starts: Vec<_> = rarest.iter().filter_map(|at| at.checked_sub(nth)).collect();
        starts.sort_unstable();
        starts.dedup();
        let mut found = Vec::new();
        for start in starts.into_iter().filter(|&start| start <= last) {
            let length = wanted.iter().zip(&keys[start..]).take_while(|(keys, found)| keys.contains(found)).count();
            if !trail.charge(length + 1) {
                return Err(Misfit::TooMuch);
            }
            if length == wanted.len() {
                found.push(start);
            }
        }
        Ok(found)
    }
}

/// Returns a digest of `line` as the rung sees it.
fn digest(line: &[u8], rung: usize) -> u64 {
    xxh3_64(&(LADDER[rung].key)(line))
}
