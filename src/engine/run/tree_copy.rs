//! The tree before a command that runs on it, with copies of all contents.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use super::snapshot::visit_tree;
use crate::digest::Digest;
use crate::mode::FileKind;
use crate::path::RelPath;
use crate::policy::protecting_rule;
use crate::preflight::{Problem, code};
use crate::text::Bytes;
use crate::transaction::{Failure, Interrupt};
use crate::workspace::{ErrorKind, Stat, Workspace, WorkspaceError};

/// The limits of a copy.
#[derive(Clone, Copy, Debug)]
pub(super) struct CopyLimits {
    /// The maximum size of a file in bytes. The content of a larger one is not copied.
    pub(super) max_file: u64,
    /// The maximum size of all copies in bytes.
    pub(super) max_copied: u64,
}

/// All files and directories below the root, except in `.git` and in state directories.
///
/// The contents are in one file without a name, which disappears with this process.
pub(super) struct TreeCopy {
    pub(super) entries: BTreeMap<RelPath, CopiedEntry>,
    contents: File,
}

/// A file or directory before the command.
#[derive(Clone, Copy, Debug)]
pub(super) struct CopiedEntry {
    pub(super) stat: Stat,
    /// The content of a regular file, or the target of a link. `None` for other files, and if it
    /// could not be read.
    pub(super) content: Option<CopiedContent>,
}

/// The copy of a content.
#[derive(Clone, Copy, Debug)]
pub(super) struct CopiedContent {
    pub(super) digest: Digest,
    /// The size in bytes.
    pub(super) size: u64,
    /// The position of the first byte among the contents.
    start: u64,
}

impl TreeCopy {
    /// Copies the tree. Returns a problem if it exceeds the limits.
    pub(super) fn take(
        workspace: &dyn Workspace,
        limits: CopyLimits,
        interrupt: &Interrupt,
    ) -> Result<Result<Self, Box<Problem>>, Failure> {
        let mut entries = BTreeMap::new();
        let mut total: u64 = 0;
        visit_entries(workspace, interrupt, &mut |path, stat| {
            if stat.kind == FileKind::Regular && stat.size <= limits.max_file {
                total = total.saturating_add(stat.size);
            }
            let content = None;
            entries.insert(path, CopiedEntry { stat, content });
            Ok(())
        })?;
        if total > limits.max_copied {
            return Ok(Err(Box::new(too_large_problem(total, limits.max_copied))));
        }
        let contents = tempfile::tempfile().map_err(temporary_file_error)?;
        let mut copy = Self {
            entries: BTreeMap::new(),
            contents,
        };
        let mut end = 0;
        for (path, entry) in entries {
            if let Some(signal) = interrupt.signal() {
                return Err(Failure::Interrupted(signal));
            }
            let content = match read_content(workspace, &path, entry.stat, limits.max_file)? {
                None => None,
                Some(content) => Some(copy.add(&content, &mut end)?),
            };
            copy.entries.insert(path, CopiedEntry { content, ..entry });
        }
        Ok(Ok(copy))
    }

    fn add(&mut self, content: &[u8], end: &mut u64) -> Result<CopiedContent, Failure> {
        let written = self.contents.write_all(content);
        written.map_err(temporary_file_error)?;
        let start = *end;
        *end += content.len() as u64;
        Ok(CopiedContent {
            digest: Digest::of(content),
            size: content.len() as u64,
            start,
        })
    }

    /// Returns the content that the file at `path` had before the command.
    pub(super) fn read(&mut self, path: &RelPath) -> Result<Vec<u8>, Failure> {
        let content = self.entries.get(path).and_then(|entry| entry.content);
        let content =
            content.ok_or_else(|| temporary_file_error(io::ErrorKind::NotFound.into()))?;
        let mut bytes = Vec::new();
        let read = self
            .contents
            .seek(SeekFrom::Start(content.start))
            .and_then(|_| {
                (&mut self.contents)
                    .take(content.size)
                    .read_to_end(&mut bytes)
            });
        read.map_err(temporary_file_error)?;
        Ok(bytes)
    }
}

/// Calls `visit` for each file and directory that a journal can name.
pub(super) fn visit_entries(
    workspace: &dyn Workspace,
    interrupt: &Interrupt,
    visit: &mut dyn FnMut(RelPath, Stat) -> Result<(), Failure>,
) -> Result<(), Failure> {
    visit_tree(workspace, interrupt, &mut |path, stat| {
        if protecting_rule(&path).is_some() {
            return Ok(());
        }
        visit(path, stat)
    })
}

/// Returns the content of a regular file, or the target of a link. Returns `None` for other files,
/// and for a file that is too large, is gone or may not be read.
pub(super) fn read_content(
    workspace: &dyn Workspace,
    path: &RelPath,
    stat: Stat,
    max_file: u64,
) -> Result<Option<Bytes>, Failure> {
    let read = match stat.kind {
        FileKind::Regular => workspace.read(path, max_file).map(|(bytes, _)| bytes),
        FileKind::Symlink => workspace.read_link(path).map(Bytes::from),
        FileKind::Directory | FileKind::Special => return Ok(None),
    };
    let is_ordinary = |error: &WorkspaceError| {
        matches!(
            error.kind,
            ErrorKind::TooLarge | ErrorKind::Denied | ErrorKind::Missing | ErrorKind::NotRegular
        )
    };
    match read {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if is_ordinary(&error) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn too_large_problem(total: u64, limit: u64) -> Problem {
    let message = format!(
        "the files below the root have {total} bytes, and --observe copies at most {limit} before \
         the command runs"
    );
    Problem {
        help: Some("set a higher limit with --max-copied".to_owned()),
        ..Problem::new(&code::TOO_LARGE, message)
    }
}

fn temporary_file_error(error: io::Error) -> Failure {
    Failure::Workspace(WorkspaceError {
        verb: "use",
        path: "the temporary file for the old contents".to_owned(),
        kind: ErrorKind::Other,
        source: error,
    })
}
