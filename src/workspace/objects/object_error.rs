//! Errors while objects are read, before verb and path are added.

use std::io;

use super::ObjectId;
use crate::workspace::{ErrorKind, WorkspaceError};

/// The error of a verb.
pub(super) struct ObjectError {
    pub(super) kind: ErrorKind,
    pub(super) source: io::Error,
}

impl ObjectError {
    pub(super) fn new(fault: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind: fault,
            source: io::Error::other(message.into()),
        }
    }

    pub(super) fn with_verb(self, verb: &'static str, path: &impl ToString) -> WorkspaceError {
        WorkspaceError {
            verb,
            path: path.to_string(),
            kind: self.kind,
            source: self.source,
        }
    }
}

impl From<io::Error> for ObjectError {
    fn from(source: io::Error) -> Self {
        Self {
            kind: ErrorKind::Other,
            source,
        }
    }
}

/// The result of a request to the repository.
pub(super) type ObjectResult<T> = Result<T, ObjectError>;

pub(super) fn damaged_error(id: ObjectId) -> ObjectError {
    ObjectError::new(
        ErrorKind::Other,
        format!("the object {id} is damaged or has an unexpected type; run `git fsck`"),
    )
}
