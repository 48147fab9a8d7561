//! The failures that a test can inject into a memory workspace.

use std::collections::BTreeMap;
use std::{fmt, io, mem};

use super::Memory;
use crate::workspace::ErrorKind;

/// A failure of one verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaultInjection {
    /// The number of the verb, counted from 0.
    pub verb: usize,
    /// The kind of failure.
    pub kind: FaultKind,
}

/// The ways in which a verb can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FaultKind {
    /// The process dies before the verb. This verb and all later ones do nothing and return errors.
    Killed,
    /// The process dies after the verb. This verb does its work, and later ones do nothing. All of
    /// them return errors.
    KilledAfter,
    /// The verb fails and does nothing.
    TransientError,
    /// The verb and all later ones fail and do nothing.
    PersistentError,
    /// The verb does its work and returns an error.
    ErrorAfterSuccess,
}

impl FaultKind {
    /// All kinds.
    pub const ALL: [Self; 5] = [
        Self::Killed,
        Self::KilledAfter,
        Self::TransientError,
        Self::PersistentError,
        Self::ErrorAfterSuccess,
    ];
}

/// A feature that a file system may not support.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Feature {
    /// [`RenameMode::Exclusive`](crate::workspace::RenameMode::Exclusive).
    ExclusiveRename,
    /// [`RenameMode::Exchange`](crate::workspace::RenameMode::Exchange).
    Exchange,
    /// [`Workspace::sync_all`](crate::workspace::Workspace::sync_all).
    SyncAll,
    /// Hard links.
    HardLinks,
    /// One inode number for all hard links of a file. With sshfs, mergerfs and unionfs-fuse, each
    /// name has its own number.
    SharedInodes,
    /// Symbolic links. Windows has none for some users.
    SymbolicLinks,
}

/// An action of another process.
pub(super) type VerbHook = Box<dyn FnOnce(&Memory) + Send>;

/// Counts verbs and decides which of them fail.
#[derive(Default)]
pub(super) struct VerbCounter {
    pub(super) verbs: usize,
    pub(super) syncs: usize,
    injection: Option<FaultInjection>,
    has_failed: bool,
    hooks: BTreeMap<usize, Vec<VerbHook>>,
}

/// The outcome of one verb.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum VerbOutcome {
    Succeed,
    Fail,
    ErrorAfterSuccess,
}

impl VerbCounter {
    pub(super) fn inject(&mut self, injection: FaultInjection) {
        (self.injection, self.has_failed) = (Some(injection), false);
    }

    pub(super) fn add_hook(&mut self, verb: usize, hook: VerbHook) {
        self.hooks.entry(verb).or_default().push(hook);
    }

    pub(super) fn has_failed(&self) -> bool {
        self.has_failed
    }

    /// Returns the actions that are due before the next verb. If two verbs run at the same time, an
    /// action can run later than its number.
    pub(super) fn take_due_hooks(&mut self) -> Vec<VerbHook> {
        let later = self.hooks.split_off(&(self.verbs + 1));
        mem::replace(&mut self.hooks, later)
            .into_values()
            .flatten()
            .collect()
    }

    /// Counts a verb and returns its outcome.
    pub(super) fn count_verb(&mut self) -> VerbOutcome {
        let verb = self.verbs;
        self.verbs += 1;
        let Some(FaultInjection { verb: at, kind }) =
            self.injection.filter(|injection| injection.verb <= verb)
        else {
            return VerbOutcome::Succeed;
        };
        self.has_failed = true;
        match kind {
            FaultKind::KilledAfter | FaultKind::ErrorAfterSuccess if at == verb => {
                VerbOutcome::ErrorAfterSuccess
            }
            FaultKind::TransientError if at == verb => VerbOutcome::Fail,
            FaultKind::Killed | FaultKind::PersistentError | FaultKind::KilledAfter => {
                VerbOutcome::Fail
            }
            FaultKind::TransientError | FaultKind::ErrorAfterSuccess => VerbOutcome::Succeed,
        }
    }
}

impl fmt::Debug for VerbCounter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VerbCounter")
            .field("verbs", &self.verbs)
            .field("injection", &self.injection)
            .finish_non_exhaustive()
    }
}

/// Returns the error of the operating system for `fault`.
pub(super) fn io_error(fault: ErrorKind) -> io::Error {
    let kind = match fault {
        ErrorKind::Missing => io::ErrorKind::NotFound,
        ErrorKind::Exists => io::ErrorKind::AlreadyExists,
        ErrorKind::NotDirectory => io::ErrorKind::NotADirectory,
        ErrorKind::NotEmpty => io::ErrorKind::DirectoryNotEmpty,
        ErrorKind::TooLarge => io::ErrorKind::FileTooLarge,
        ErrorKind::CrossDevice => io::ErrorKind::CrossesDevices,
        ErrorKind::Denied => io::ErrorKind::PermissionDenied,
        ErrorKind::Busy => io::ErrorKind::ResourceBusy,
        ErrorKind::Unsupported => io::ErrorKind::Unsupported,
        ErrorKind::ThroughLink => return io::Error::other("the path goes through a symbolic link"),
        ErrorKind::NotRegular => return io::Error::other("not a regular file"),
        ErrorKind::Other => return io::Error::other("input/output error"),
    };
    kind.into()
}
