//! What can be made to go wrong on a memory workspace.

use std::collections::BTreeMap;
use std::{fmt, mem};

use super::Memory;

/// A failure that is arranged for one verb, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Injection {
    /// Number of the verb.
    pub verb: usize,
    /// What happens there.
    pub kind: FaultKind,
}

/// The ways in which a verb goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FaultKind {
    /// The process dies before it: neither this verb nor any later one does anything.
    Killed,
    /// The process dies behind it: this verb does its work, no later one does anything.
    KilledAfter,
    /// It fails and does nothing.
    ErrorOnce,
    /// It fails and does nothing, and so does every later one.
    ErrorFromNowOn,
    /// It does its work and says that it failed.
    Lie,
}

impl FaultKind {
    /// Every way.
    pub const ALL: [Self; 5] = [
        Self::Killed,
        Self::KilledAfter,
        Self::ErrorOnce,
        Self::ErrorFromNowOn,
        Self::Lie,
    ];
}

/// What a file system may lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Feature {
    /// [`Rename::Exclusive`](crate::workspace::Rename::Exclusive) and
    /// [`Rename::Exchange`](crate::workspace::Rename::Exchange).
    RenameFlags,
    /// Second names of files.
    HardLinks,
}

/// Something that somebody else does.
pub(super) type Hook = Box<dyn FnOnce(&Memory) + Send>;

/// Counts verbs and says which of them fail.
#[derive(Default)]
pub(super) struct Meter {
    pub(super) verbs: usize,
    pub(super) syncs: usize,
    injection: Option<Injection>,
    has_met: bool,
    hooks: BTreeMap<usize, Vec<Hook>>,
}

/// How one verb goes.
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

    /// Returns what somebody else does before the next verb. Of two verbs at a time one may come
    /// too late for its number.
    pub(super) fn due(&mut self) -> Vec<Hook> {
        let later = self.hooks.split_off(&(self.verbs + 1));
        mem::replace(&mut self.hooks, later)
            .into_values()
            .flatten()
            .collect()
    }

    /// Counts a verb and says how it goes.
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
