//! What may be asked of a transaction.

use std::time::Duration;

/// How a transaction is carried out.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// What survives a loss of power.
    pub durability: Durability,
    /// How long to wait for the lock.
    pub patience: Duration,
    /// How much history is kept, where there is a place for it.
    pub history: Limits,
    /// What becomes of the other names of files that change.
    pub links: Links,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            durability: Durability::Full,
            patience: Duration::from_secs(10),
            history: Limits::default(),
            links: Links::Parted,
        }
    }
}

/// What survives a loss of power.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Durability {
    /// Whole or nothing, also after a loss of power; a success that was reported stays.
    Full,
    /// Whole or nothing after a kill, not after a loss of power: nothing is synced.
    None,
}

/// What becomes of the other names of a file that changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Links {
    /// They keep what was there: the new file takes the place of the one name.
    #[default]
    Parted,
    /// They have what comes too: the file is written over in place. That is journaled like
    /// everything else, but it does not happen at once: whoever reads meanwhile may find a part of
    /// each, and what somebody writes at that very moment may be lost.
    Kept,
}

/// How much history is kept. What is over a limit goes, the oldest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Number of entries.
    pub entries: usize,
    /// Age.
    pub age: Duration,
    /// Size of all old files, in bytes.
    pub bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            entries: 100,
            age: Duration::from_secs(30 * 24 * 60 * 60),
            bytes: 512 << 20,
        }
    }
}

impl Limits {
    /// No history at all.
    pub const NOTHING: Self = Self {
        entries: 0,
        age: Duration::ZERO,
        bytes: 0,
    };
}
