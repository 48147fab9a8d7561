//! Finds the index that git uses in a directory.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::git::run_git;
use super::{GitIndex, display_path};
use crate::digest::ObjectFormat;
use crate::interrupt::Interrupt;
use crate::path::{os_path, plain_path};
use crate::process::Timeout;
use crate::workspace::git::Git;
use crate::workspace::objects::Repository;
use crate::workspace::{ErrorKind, Result, WorkspaceError};

/// The arguments of the query, in the order of the output lines.
const REV_PARSE_ARGUMENTS: [&str; 7] = [
    "rev-parse",
    "--path-format=absolute",
    "--git-path",
    "index",
    "--show-object-format",
    "--is-inside-work-tree",
    "--show-prefix",
];

/// The parsed output of the query.
struct RevParseOutput<'a> {
    file: &'a [u8],
    format: ObjectFormat,
    is_inside_work_tree: bool,
    prefix: &'a [u8],
}

impl<'a> RevParseOutput<'a> {
    /// Parses the output lines. Returns `None` if they do not have the expected form.
    fn parse(text: &'a [u8]) -> Option<Self> {
        let lines: Vec<_> = text.split(|&byte| byte == b'\n').collect();
        // A bare repository has no prefix.
        let (file, format, is_inside, prefix) = match lines[..] {
            [file, format, is_inside, prefix, b""] => (file, format, is_inside, prefix),
            [file, format, is_inside, b""] => (file, format, is_inside, &b""[..]),
            _ => return None,
        };
        let format = match format {
            b"sha1" => ObjectFormat::Sha1,
            b"sha256" => ObjectFormat::Sha256,
            _ => return None,
        };
        Some(Self {
            file,
            format,
            is_inside_work_tree: is_inside == b"true",
            prefix,
        })
    }
}

impl GitIndex {
    /// Finds the index that git uses in the directory `root`. `GIT_DIR`, `GIT_WORK_TREE` and
    /// `GIT_INDEX_FILE` have their usual effect. `interrupt` ends every wait for git.
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::Missing`] if there is no repository or git cannot be started. The source is
    ///   git's reason.
    /// - [`ErrorKind::NotRegular`] if the index or another file that git opens is not a regular
    ///   file.
    pub fn find(root: &Path, interrupt: &Interrupt) -> Result<Self> {
        let refused = |fault, source| refusal(root, fault, source);
        let root = root
            .canonicalize()
            .map(plain_path)
            .map_err(|source| refused(ErrorKind::Missing, source))?;
        let unanswered = |source: io::Error| match source.kind() {
            io::ErrorKind::Unsupported => refused(ErrorKind::NotRegular, source),
            _ => refused(ErrorKind::Missing, source),
        };
        let text = run_git(
            &root,
            &REV_PARSE_ARGUMENTS.map(OsString::from),
            None,
            b"",
            interrupt,
        )
        .map_err(unanswered)?;
        let unknown = || {
            refused(
                ErrorKind::Other,
                io::Error::other("git printed an unexpected answer"),
            )
        };
        let answer = RevParseOutput::parse(&text).ok_or_else(unknown)?;
        let named = os_path(answer.file).ok_or_else(unknown)?;
        // git follows links to the index and locks their target.
        let file = named
            .canonicalize()
            .map_or_else(|_| resolve_parent(named), plain_path);
        // git would block on a FIFO until another process writes to it.
        if fs::metadata(&file).is_ok_and(|found| !found.is_file()) {
            let source = io::Error::other(
                "git's index is not a regular file; remove it and run `git reset`",
            );
            return Err(refusal(&file, ErrorKind::NotRegular, source));
        }
        let patience = Timeout {
            interrupt: interrupt.clone(),
            ..Timeout::default()
        };
        let objects = Repository::for_directory(&root, patience);
        let git = Arc::new(Git::with_index(&root, &file).with_interrupt(interrupt));
        Ok(Self {
            root,
            file,
            prefix: answer.prefix.to_vec(),
            format: answer.format,
            has_work_tree: answer.is_inside_work_tree,
            objects,
            git,
            interrupt: interrupt.clone(),
        })
    }
}

fn refusal(path: &Path, fault: ErrorKind, source: io::Error) -> WorkspaceError {
    WorkspaceError {
        verb: "find the index of",
        path: display_path(path),
        kind: fault,
        source,
    }
}

/// Returns the path of a file that does not exist yet, with the links above it resolved.
fn resolve_parent(path: &Path) -> PathBuf {
    let directory = path
        .parent()
        .and_then(|parent| parent.canonicalize().map(plain_path).ok());
    directory
        .zip(path.file_name())
        .map_or_else(|| path.to_owned(), |(parent, name)| parent.join(name))
}
