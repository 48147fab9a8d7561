//! Reads the files of a git directory, see gitrepository-layout(5).

use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::Path;

use super::join;
use crate::workspace::disk::system;
use crate::workspace::git::discovery::has_head;

/// The limit on the bytes read of a `.git` file, or of a one-line file in a git directory. The rest
/// is ignored.
const MAX_LINE: u64 = 1 << 16;

/// Returns the value, or `None` if the file is missing or the user cannot access it.
pub(super) fn if_accessible<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    use io::ErrorKind::{NotADirectory, NotFound, PermissionDenied};
    match found {
        Err(error) if matches!(error.kind(), NotFound | NotADirectory | PermissionDenied) => {
            Ok(None)
        }
        found => found.map(Some),
    }
}

/// Returns the text of a one-line file without its line end, or `None` if there is no such regular
/// file. Opening a FIFO does not block.
pub(super) fn read_line(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let opened = if_accessible(system::open_without_blocking(path))?;
    let Some(file) = opened else { return Ok(None) };
    if !file.metadata()?.is_file() {
        return Ok(None);
    }
    let mut text = Vec::new();
    file.take(MAX_LINE).read_to_end(&mut text)?;
    let end = text
        .iter()
        .rposition(|byte| !matches!(byte, b'\n' | b'\r'))
        .map_or(0, |last| last + 1);
    text.truncate(end);
    Ok(Some(text))
}

/// Returns whether `directory` is a git directory. The rule is that of `is_git_directory` in git's
/// setup.c, except that git's environment variables have no effect on the place of the state.
pub(super) fn is_repository(directory: &Path) -> io::Result<bool> {
    if !has_head(directory) {
        return Ok(false);
    }
    let common = match read_line(&directory.join("commondir"))? {
        Some(name) => join(directory, &name),
        None => directory.to_owned(),
    };
    Ok(common.join("objects").is_dir() && common.join("refs").is_dir())
}

/// Returns whether the git directory `real` records `git`, the `.git` of a work tree, as its own.
/// Returns `None` if it records no work tree.
pub(super) fn is_git_directory_of(real: &Path, git: &Path) -> Option<bool> {
    if real.file_name() == Some(OsStr::new(".git")) {
        // A git directory named `.git` belongs to its parent.
        return Some(
            real.parent()
                .is_some_and(|top| is_same(&top.join(".git"), git)),
        );
    }
    if !real.join("commondir").exists() {
        return None;
    }
    // In a linked work tree, the path in the file can be relative to the git directory; see
    // worktree.useRelativePaths in git-config(1).
    let recorded = read_line(&real.join("gitdir")).ok().flatten();
    Some(recorded.is_some_and(|name| is_same(&join(real, &name), git)))
}

fn is_same(a: &Path, b: &Path) -> bool {
    let id = |path: &Path| system::file_id(path).ok();
    id(a).is_some() && id(a) == id(b)
}
