//! The error of the verbs that a read-only backend does not implement.

use std::io;

use super::{Directory, ErrorKind, Result, WorkspaceError};

pub(super) fn read_only<T>(verb: &'static str, path: Directory<'_>) -> Result<T> {
    let path = path.map_or_else(|| ".".to_owned(), ToString::to_string);
    let source = io::Error::new(io::ErrorKind::Unsupported, "this backend is read-only");
    Err(WorkspaceError {
        verb,
        path,
        kind: ErrorKind::Unsupported,
        source,
    })
}
