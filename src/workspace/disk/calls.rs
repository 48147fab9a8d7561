//! The arguments and results of the functions of a system.

use std::io;
use std::time::Duration;

use crate::path::RelPath;
use crate::workspace::ErrorKind;

/// How long the handle of a directory is cached. This limits how long verbs write to a directory
/// that another process has moved away.
pub(super) const MAX_AGE: Duration = Duration::from_secs(1);

/// The result of a part of a verb.
pub(super) type SysResult<T> = Result<T, SysError>;

/// A failed system call: the error kind and the error of the operating system.
#[derive(Debug)]
pub(super) struct SysError {
    pub(super) kind: ErrorKind,
    pub(super) source: io::Error,
    /// The path that caused the error, if it is not the path of the verb.
    pub(super) path: Option<RelPath>,
    /// Whether the new name of a rename caused the error.
    pub(super) is_of_target: bool,
}

impl SysError {
    pub(super) fn new(kind: ErrorKind, source: impl Into<io::Error>) -> Self {
        Self {
            kind,
            source: source.into(),
            path: None,
            is_of_target: false,
        }
    }

    /// Returns an error that does not come from a system call.
    pub(super) fn without_errno(kind: ErrorKind, message: &'static str) -> Self {
        Self::new(kind, io::Error::other(message))
    }

    pub(super) fn with_path(self, path: &RelPath) -> Self {
        Self {
            path: Some(path.clone()),
            ..self
        }
    }
}

/// The purpose for which a directory is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// To resolve names in it. This needs no permission to read the directory where the system
    /// allows that.
    Resolve,
    /// To list its names.
    List,
}

/// The result of one attempt to lock.
pub(super) enum LockAttempt<H> {
    /// This process holds the lock.
    Held(H),
    /// Another process holds the lock.
    Busy,
    /// The file was removed or replaced before it was locked. The lock has no effect.
    Gone,
}
