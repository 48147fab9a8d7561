//! The failures that a test can inject into a memory workspace.

use std::collections::BTreeMap;
use std::{fmt, mem};

use super::Memory;

/// A failure of one verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Injection {
    /// The number of the verb, counted from 0.
    pub verb: usize,
    /// The kind of failure.
    pub kind: FaultKind,
}

/// The ways in which a verb can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FaultKind {
    /// The process dies before the verb. This verb and all later ones do nothing.
    Killed,
    /// The process dies after the verb. This verb does its work, and later ones do nothing.
    KilledAfter,
    /// The verb fails and does nothing.
    ErrorOnce,
    /// The verb and all later ones fail and do nothing.
    ErrorFromNowOn,
    /// The verb does its work and returns an error.
    Lie,
}

impl FaultKind {
    /// All kinds.
    pub const ALL: [Self; 5] = [
        Self::Killed,
        Self::KilledAfter,
        Self::ErrorOnce,
        Self::ErrorFromNowOn,
        Self::Lie,
    ];
}

/// A feature that a file system may not support.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Feature {
    /// [`Rename::Exclusive`](crate::workspace::Rename::Exclusive) and
    /// [`Rename::Exchange`](crate::workspace::Rename::Exchange).
    RenameFlags,
    /// Hard links.
    HardLinks,
}

/// An action of another process.
pub(super) type Hook = Box<dyn FnOnce(&Memory) + Send>;

/// Counts verbs and decides which of them fail.
#[derive(Default)]
pub(super) struct Meter {
    pub(super) verbs: usize,
    pub(super) syncs: usize,
    injection: Option<Injection>,
    has_met: bool,
    hooks: BTreeMap<usize, Vec<Hook>>,
}

/// The outcome of one verb.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Course {
    Work,
    Fail,
    WorkAndFail,
}

impl Meter {
    pub(super) fn inject(&mut self, injection: Injection) {
        (self.injection, self.has_met) = (Some(injection), false);
    }

    pub(super) fn hook(&mut self, verb: usize, hook: Hook) {
        self.hooks.entry(verb).or_default().push(hook);
    }

    pub(super) fn has_met(&self) -> bool {
        self.has_met
    }

    /// Returns the actions that are due before the next verb. If two verbs run at the same time, an
    /// action can run later than its number.
    pub(super) fn take_due(&mut self) -> Vec<Hook> {
        let later = self.hooks.split_off(&(self.verbs + 1));
        mem::replace(&mut self.hooks, later)
            .into_values()
            .flatten()
            .collect()
    }

    /// Counts a verb and returns its outcome.
    pub(super) fn next(&mut self) -> Course {
        let verb = self.verbs;
        self.verbs += 1;
        let Some(Injection { verb: at, kind }) =
            self.injection.filter(|injection| injection.verb <= verb)
        else {
            return Course::Work;
        };
        self.has_met = true;
        match kind {
            FaultKind::KilledAfter | FaultKind::Lie if at == verb => Course::WorkAndFail,
            FaultKind::ErrorOnce if at == verb => Course::Fail,
            FaultKind::Killed | FaultKind::ErrorFromNowOn | FaultKind::KilledAfter => Course::Fail,
            FaultKind::ErrorOnce | FaultKind::Lie => Course::Work,
        }
    }
}

impl fmt::Debug for Meter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Meter")
            .field("verbs", &self.verbs)
            .field("injection", &self.injection)
            .finish_non_exhaustive()
    }
}
