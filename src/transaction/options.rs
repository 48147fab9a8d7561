//! The options of a transaction.

use std::time::Duration;

/// The options of a transaction.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The level of durability.
    pub durability: Durability,
    /// The time to wait for the lock.
    pub lock_timeout: Duration,
    /// The limits of the history, if one is kept.
    pub history: HistoryLimits,
    /// The treatment of hard links to changed files.
    pub links: HardLinkMode,
    /// The treatment of a journal that names another directory or another machine.
    pub journals: JournalAdoption,
    /// The treatment of a change of several roots, one of which cannot be opened.
    pub missing_roots: MissingRoots,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            durability: Durability::Full,
            lock_timeout: Duration::from_secs(10),
            history: HistoryLimits::default(),
            links: HardLinkMode::Separate,
            journals: JournalAdoption::Refuse,
            missing_roots: MissingRoots::Refuse,
        }
    }
}

/// The failures that a transaction survives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Durability {
    /// The transaction is atomic after a crash and after a power loss. A reported success is
    /// durable.
    Full,
    /// The transaction is atomic after a killed process, but not after a power loss. Nothing is
    /// synced.
    None,
}

/// The treatment of the other hard links of a changed file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HardLinkMode {
    /// The other links keep the old content: the new file replaces only the named link.
    #[default]
    Separate,
    /// The other links get the new content: the file is overwritten in place.
    ///
    /// The overwrite is journaled but not atomic. A concurrent reader can see parts of both
    /// contents. A concurrent write can be lost.
    Kept,
}

/// The treatment of a journal that names another directory or another machine.
///
/// A journal names the root by its inode number and by the ID of the machine. Both can change
/// although the directory is the same, for example when exFAT is mounted again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum JournalAdoption {
    /// The journal is refused: it may come from another user, with an archive.
    #[default]
    Refuse,
    /// A recovery on request rolls the transaction back in this directory. The caller asserts
    /// that the journal describes this directory, or one from which it was copied.
    Adopt,
}

/// The treatment of an interrupted change of several roots, one of which cannot be opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MissingRoots {
    /// The change is not recovered, because the missing root can contain the decision.
    #[default]
    Refuse,
    /// A recovery on request decides with the roots that can be opened. Without a commit record
    /// there, it rolls the change back. The missing root can then have the other result.
    Ignore,
}

/// The limits of the history. The oldest entries above a limit are removed first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryLimits {
    /// The maximum number of entries.
    pub entries: usize,
    /// The maximum age.
    pub age: Duration,
    /// The maximum size of all old files in bytes.
    pub bytes: u64,
}

impl Default for HistoryLimits {
    fn default() -> Self {
        Self {
            entries: 100,
            age: Duration::from_secs(30 * 24 * 60 * 60),
            bytes: 512 << 20,
        }
    }
}

impl HistoryLimits {
    /// Limits that keep no history.
    pub const NOTHING: Self = Self {
        entries: 0,
        age: Duration::ZERO,
        bytes: 0,
    };
}
