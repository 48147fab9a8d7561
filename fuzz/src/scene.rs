//! One input of a target as text: options, a tree, and a patch.
//!
//! Pieces stand between borders: first the options, a letter each; then a name and its contents for
//! each file; last of all the patch. So what a fuzzer cuts out, copies or swaps is again an input.

use std::time::Duration;

use wpatch::engine::{Decide, Request};
use wpatch::path::RelPath;
use wpatch::plan::Direction;
use wpatch::transaction::{Durability, Options};
use wpatch::workspace::memory::{Entry, Feature, Memory};

/// What stands between two pieces.
pub const BORDER: &[u8] = b"\0\xff";
/// Most files of a tree, and most bytes of an input that is looked at.
const MAX_FILES: usize = 24;
const MAX_BYTES: usize = 1 << 16;
/// Types of entries by the letter before their name.
const KINDS: &[(u8, fn(&[u8]) -> Entry)] = &[
    (b'f', |bytes| Entry::file(bytes)),
    (b'x', |bytes| Entry::executable(bytes)),
    (b'r', |bytes| Entry {
        mode: 0o400,
        ..Entry::file(bytes)
    }),
    (b'l', |bytes| Entry::link(bytes)),
    (b'd', |_| Entry::directory()),
    (b'p', |_| Entry {
        mode: 0o700,
        ..Entry::directory()
    }),
    (b't', |_| Entry {
        mode: 0o1700,
        ..Entry::directory()
    }),
    (b'w', |_| Entry {
        mode: 0o777,
        ..Entry::directory()
    }),
    (b's', |_| Entry::special()),
];

/// A tree and a patch for it.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// A letter for each option.
    pub options: Vec<u8>,
    /// The tree, in the order in which it is made.
    pub entries: Vec<(RelPath, Entry)>,
    /// The patch.
    pub patch: Vec<u8>,
}

impl Scene {
    /// Reads an input; every text is one.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Self {
        let pieces = pieces(&bytes[..bytes.len().min(MAX_BYTES)]);
        let (options, rest) = pieces
            .split_first()
            .map_or((&b""[..], &[][..]), |(first, rest)| (*first, rest));
        let (patch, files) = rest
            .split_last()
            .map_or((&b""[..], &[][..]), |(last, files)| (*last, files));
        let entry = |pair: &[&[u8]]| {
            let (&letter, name) = pair.first()?.split_first()?;
            let (_, make) = KINDS.iter().find(|(kind, _)| *kind == letter)?;
            Some((
                RelPath::new(name).ok()?,
                make(pair.get(1).unwrap_or(&&b""[..])),
            ))
        };
        let entries = files.chunks(2).filter_map(entry).take(MAX_FILES).collect();
        Self {
            options: options.to_vec(),
            entries,
            patch: patch.to_vec(),
        }
    }

    /// Writes it as an input.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut pieces = vec![self.options.clone()];
        for (path, entry) in &self.entries {
            let same = |(_, make): &&(u8, fn(&[u8]) -> Entry)| make(&entry.contents) == *entry;
            let letter = KINDS.iter().find(same).map_or(b'f', |(letter, _)| *letter);
            pieces.push([&[letter], path.as_bytes()].concat());
            pieces.push(entry.contents.clone());
        }
        pieces.push(self.patch.clone());
        pieces.join(BORDER)
    }

    /// Returns whether the option `letter` is set.
    #[must_use]
    pub fn has(&self, letter: u8) -> bool {
        self.options.contains(&letter)
    }

    /// Returns the number that the digits among the options make, below 1000.
    #[must_use]
    pub fn number(&self) -> usize {
        let digits = self
            .options
            .iter()
            .filter(|byte| byte.is_ascii_digit())
            .take(3);
        digits.fold(0, |number, digit| number * 10 + usize::from(digit - b'0'))
    }

    /// Returns the tree, on a file system as the options have it.
    #[must_use]
    pub fn memory(&self) -> Memory {
        let mut memory = Memory::with_files(self.entries.clone());
        for (letter, feature) in [
            (b'n', Feature::ExclusiveRename),
            (b'n', Feature::Exchange),
            (b'x', Feature::Exchange),
            (b'y', Feature::SyncAll),
            (b'h', Feature::HardLinks),
        ] {
            if self.has(letter) {
                memory = memory.without_feature(feature);
            }
        }
        if let Some((path, _)) = self.entries.first().filter(|_| self.has(b'm')) {
            path.ancestors()
                .last()
                .into_iter()
                .for_each(|top| memory.mount(&top));
        }
        memory
    }

    /// Returns the request to apply the patch in `direction` as the options have it.
    #[must_use]
    pub fn request(&self, direction: Direction) -> Request {
        let formats = [(b'U', "unified"), (b'G', "git"), (b'X', "codex")];
        let format = formats
            .iter()
            .find(|(letter, _)| self.has(*letter))
            .map_or("auto", |(_, name)| name);
        let strip = Some(if self.has(b'p') {
            0
        } else {
            1 + usize::from(self.has(b'P'))
        });
        let fuzz = if self.has(b'F') { 2 } else { 0 };
        let mut request = Request::of(self.patch.clone());
        request.decide = Decide {
            format: format.to_owned(),
            recount: self.has(b'c'),
            strip,
            reverse: direction == Direction::Reverse,
            context: self.has(b'C').then_some(1),
            fuzz,
            unidiff_zero: self.has(b'z'),
            ignore_whitespace: Some(self.has(b'w')),
            unique: self.has(b'u'),
            overwrite: self.has(b'o'),
            max_file: 1 << 20,
            ..Decide::default()
        };
        (request.look.describe, request.look.diff) = (true, self.has(b'D'));
        request.commit.transaction = self.transaction();
        request
    }

    /// Returns how a transaction is carried out.
    #[must_use]
    pub fn transaction(&self) -> Options {
        let durability = if self.has(b'N') {
            Durability::None
        } else {
            Durability::Full
        };
        Options {
            durability,
            lock_timeout: Duration::ZERO,
            ..Options::default()
        }
    }

    /// Returns the direction that the options have.
    #[must_use]
    pub fn direction(&self) -> Direction {
        if self.has(b'R') {
            Direction::Reverse
        } else {
            Direction::Forward
        }
    }
}

/// Returns what stands between the borders.
#[must_use]
pub fn pieces(bytes: &[u8]) -> Vec<&[u8]> {
    let mut pieces = Vec::new();
    let mut rest = bytes;
    while let Some(place) = rest
        .windows(BORDER.len())
        .position(|window| window == BORDER)
    {
        pieces.push(&rest[..place]);
        rest = &rest[place + BORDER.len()..];
    }
    pieces.push(rest);
    pieces
}

/// Returns whether `path` is a state directory or lies in one.
#[must_use]
pub fn is_state(path: &RelPath) -> bool {
    let is_in = |state: &str| {
        path.as_bytes()
            .strip_prefix(state.as_bytes())
            .is_some_and(|rest| rest.first().is_none_or(|&byte| byte == b'/'))
    };
    is_in(".wpatch") || is_in(".git/wpatch")
}
