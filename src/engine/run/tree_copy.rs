//! The tree before a command that runs on it, with copies of all contents.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use super::scan::{CopiedContent, CopiedEntry, TreeScan};
use crate::digest::Digest;
use crate::mode::{FileKind, Permissions};
use crate::path::RelPath;
use crate::preflight::{Problem, code};
use crate::text::Bytes;
use crate::transaction::{Failure, Interrupt};
use crate::workspace::disk::Disk;
use crate::workspace::{DirectoryPermissions, ErrorKind, NewFile, Stat, Workspace, WorkspaceError};

/// The limits of a copy.
#[derive(Clone, Copy, Debug)]
pub(super) struct CopyLimits {
    /// The maximum size of a file in bytes. The content of a larger one is not copied.
    pub(super) max_file: u64,
    /// The maximum size of all copies in bytes, and of all new contents.
    pub(super) max_copied: u64,
}

/// All files and directories below the root.
///
/// The contents are in one file without a name, which the system removes with this process.
pub(super) struct TreeCopy {
    pub(super) scan: TreeScan,
    contents: File,
}

impl TreeCopy {
    /// Copies the tree. Returns a problem if it exceeds the limits.
    pub(super) fn take(
        workspace: &dyn Workspace,
        limits: CopyLimits,
        interrupt: &Interrupt,
    ) -> Result<Result<Self, Box<Problem>>, Failure> {
        let mut scan = TreeScan::of(workspace, interrupt)?;
        let is_copied =
            |stat: &Stat| stat.kind == FileKind::Regular && stat.size <= limits.max_file;
        let stats = scan.entries.values().map(|entry| entry.stat);
        let sizes = stats.filter(is_copied).map(|stat| stat.size);
        let total = sizes.fold(0, u64::saturating_add);
        if total > limits.max_copied {
            return Ok(Err(Box::new(too_large_problem(total, limits.max_copied))));
        }
        let mut contents = tempfile::tempfile().map_err(temporary_file_error)?;
        let mut end = 0;
        for (path, entry) in &mut scan.entries {
            if let Some(signal) = interrupt.signal() {
                return Err(Failure::Interrupted(signal));
            }
            let Some(content) = read_content(workspace, path, entry.stat, limits.max_file) else {
                continue;
            };
            contents.write_all(&content).map_err(temporary_file_error)?;
            let size = content.len() as u64;
            entry.content = Some(CopiedContent {
                digest: Digest::of(&content),
                size,
                start: end,
            });
            end += size;
        }
        Ok(Ok(Self { scan, contents }))
    }

    /// Returns the content that the file at `path` had before the command.
    pub(super) fn read(&mut self, path: &RelPath) -> Result<Vec<u8>, Failure> {
        let content = self.scan.entries.get(path).and_then(|entry| entry.content);
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

    /// Writes the old files at `paths` to a new private directory, and returns it.
    pub(super) fn save(&mut self, paths: &[RelPath]) -> Result<PathBuf, Failure> {
        let directory = tempfile::Builder::new().prefix("wpatch-").tempdir();
        let directory = directory.map_err(temporary_file_error)?;
        let target = Disk::open(directory.path())?;
        for path in paths {
            let Some(CopiedEntry { stat, content }) = self.scan.entries.get(path).copied() else {
                continue;
            };
            if content.is_none() {
                continue;
            }
            let mut above: Vec<_> = path.ancestors().collect();
            above.reverse();
            for parent in above {
                match target.make_dir(&parent, DirectoryPermissions::Private) {
                    Err(error) if error.kind == ErrorKind::Exists => {}
                    made => made?,
                }
            }
            let bytes = self.read(path)?;
            if stat.kind == FileKind::Symlink {
                target.symlink(&bytes, path, path, None)?;
            } else {
                let permissions = Permissions::Exact(stat.permissions);
                target.create(path, NewFile::new(&[&bytes], permissions, None))?;
            }
        }
        Ok(directory.keep())
    }
}

/// Returns the content of a regular file, or the target of a link. Returns `None` for other files,
/// and for a file that is larger than `max_file` bytes or cannot be read.
pub(super) fn read_content(
    workspace: &dyn Workspace,
    path: &RelPath,
    stat: Stat,
    max_file: u64,
) -> Option<Bytes> {
    match stat.kind {
        FileKind::Regular => Some(workspace.read(path, max_file).ok()?.0),
        FileKind::Symlink => Some(workspace.read_link(path).ok()?.into()),
        FileKind::Directory | FileKind::Special => None,
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
