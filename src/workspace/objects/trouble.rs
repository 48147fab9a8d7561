//! Errors while objects are read, before verb and path are added.

use std::io;

use super::ObjectId;
use crate::workspace::{Fault, WorkspaceError};

/// The error of a verb.
pub(super) struct Trouble {
    pub(super) fault: Fault,
    pub(super) source: io::Error,
}

impl Trouble {
    pub(super) fn new(fault: Fault, message: impl Into<String>) -> Self {
        Self {
            fault,
            source: io::Error::other(message.into()),
        }
    }

    pub(super) fn at(self, verb: &'static str, path: &impl ToString) -> WorkspaceError {
        WorkspaceError {
            verb,
            path: path.to_string(),
            fault: self.fault,
            source: self.source,
        }
    }
}

impl From<io::Error> for Trouble {
    fn from(source: io::Error) -> Self {
        Self {
            fault: Fault::Other,
            source,
        }
    }
}

/// The result of a request to the repository.
pub(super) type Outcome<T> = Result<T, Trouble>;

pub(super) fn damaged(id: ObjectId) -> Trouble {
    Trouble::new(
        Fault::Other,
        format!(
            "the object {id} is damaged or of another type than it has to be; `git fsck` tells more"
        ),
    )
}
