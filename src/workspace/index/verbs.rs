//! The verbs of an index. It is read-only, so verbs that change files are not implemented.

use std::io;

use super::IndexTree;
use crate::mode::{FileKind, FileMode};
use crate::path::RelPath;
use crate::text::Bytes;
use crate::workspace::objects::{bits, stat};
use crate::workspace::{Directory, ErrorKind, Result, Stat, Workspace, WorkspaceError};

/// The limit in bytes on the target of a link.
const MAX_TARGET: u64 = 1 << 16;

impl IndexTree {
    /// Fails if a component of `path` is a symbolic link.
    fn check_links(&self, verb: &'static str, path: &RelPath) -> Result<()> {
        let is_link = |above: &RelPath| {
            self.visible_entry(above)
                .is_some_and(|entry| entry.mode == FileMode::Symlink)
        };
        match path.ancestors().find(is_link) {
            Some(_) => Err(verb_error(
                verb,
                path,
                ErrorKind::ThroughLink,
                "the path goes through a symbolic link",
            )),
            None => Ok(()),
        }
    }

    /// Returns the names in `directory`, without duplicates. The list is empty if `directory` does
    /// not exist or is a file.
    fn names(&self, directory: Directory<'_>) -> Vec<Vec<u8>> {
        let prefix = directory.map_or_else(Vec::new, |path| [path.as_bytes(), b"/"].concat());
        let below = self
            .paths()
            .filter_map(|path| path.as_bytes().strip_prefix(&prefix[..]));
        let names = below
            .filter_map(|rest| rest.split(|&byte| byte == b'/').next())
            .map(<[u8]>::to_vec);
        let mut names: Vec<_> = names.collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

fn verb_error(
    verb: &'static str,
    path: &RelPath,
    fault: ErrorKind,
    message: &'static str,
) -> WorkspaceError {
    WorkspaceError {
        verb,
        path: path.to_string(),
        kind: fault,
        source: io::Error::other(message),
    }
}

/// Changes the error for a missing object. The index names the object, so the repository is damaged
/// or incomplete. A missing path would be a different error.
fn require_object<T>(found: Result<T>) -> Result<T> {
    found.map_err(|error| match error.kind {
        ErrorKind::Missing => WorkspaceError {
            kind: ErrorKind::Other,
            ..error
        },
        _ => error,
    })
}

impl Workspace for IndexTree {
    fn stat(&self, path: &RelPath) -> Result<Option<Stat>> {
        self.check_links("stat", path)?;
        let Some(entry) = self.visible_entry(path) else {
            let is_directory = self.directories.contains(path);
            return Ok(is_directory.then(|| stat(FileKind::Directory, 0o755, 0)));
        };
        let size = || require_object(self.objects.blob_size(entry.id));
        Ok(Some(match entry.mode {
            FileMode::Submodule => stat(FileKind::Directory, 0o755, 0),
            FileMode::Symlink => stat(FileKind::Symlink, 0o777, size()?),
            FileMode::Regular | FileMode::Executable => {
                stat(FileKind::Regular, bits(entry.mode), size()?)
            }
        }))
    }

    fn read(&self, path: &RelPath, limit: u64) -> Result<(Bytes, Stat)> {
        self.check_links("read", path)?;
        let entry = self
            .visible_entry(path)
            .filter(|entry| entry.mode.kind() == FileKind::Regular);
        let Some(entry) = entry else {
            let fault = if self.stat(path)?.is_some() {
                ErrorKind::NotRegular
            } else {
                ErrorKind::Missing
            };
            return Err(verb_error(
                "read",
                path,
                fault,
                "not a regular file of the index",
            ));
        };
        let bytes = require_object(self.objects.blob(entry.id, limit))?;
        let stat = stat(FileKind::Regular, bits(entry.mode), bytes.len() as u64);
        Ok((bytes.into(), stat))
    }

    fn read_link(&self, path: &RelPath) -> Result<Vec<u8>> {
        self.check_links("read link", path)?;
        match self
            .visible_entry(path)
            .filter(|entry| entry.mode == FileMode::Symlink)
        {
            Some(entry) => require_object(self.objects.blob(entry.id, MAX_TARGET)),
            None => Err(verb_error(
                "read link",
                path,
                ErrorKind::Other,
                "not a symbolic link of the index",
            )),
        }
    }

    fn list(&self, directory: Directory<'_>) -> Result<Vec<Vec<u8>>> {
        if let Some(path) = directory {
            self.check_links("list", path)?;
        }
        Ok(self.names(directory))
    }

    fn user(&self) -> u32 {
        0
    }

    fn identity(&self) -> Result<String> {
        Ok(self.name.clone())
    }
}
