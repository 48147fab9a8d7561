//! What git finds in a directory while it searches upwards for a repository, see
//! `setup_git_directory_gently_1` and `is_git_directory` in git's setup.c.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::environment::directory_of;
use crate::path::os_path;

/// The limit in bytes on a file of git that is read as a whole.
const MAX_TEXT: u64 = 64 << 20;

/// What a directory is in the search for a repository.
pub(super) enum RepositoryCandidate {
    /// Its `.git` is this directory, which may not be a repository.
    Directory(PathBuf),
    /// Its `.git` is a file that names this git directory; `None` if the file names none.
    File(Option<PathBuf>),
    /// Its `.git` is neither a directory nor a regular file.
    Special,
    /// It looks like a git directory.
    Bare,
    /// None of these.
    Nothing,
}

/// Returns what `directory` is in the search for a repository.
///
/// # Errors
///
/// Returns an error if a `.git` file is too large.
pub(super) fn classify_directory(directory: &Path) -> io::Result<RepositoryCandidate> {
    let git = directory.join(".git");
    Ok(match fs_err::metadata(&git) {
        Ok(found) if found.is_dir() => RepositoryCandidate::Directory(git),
        Ok(found) if found.is_file() => {
            let named = read_text(&git)?.and_then(|text| gitdir_path(&text));
            RepositoryCandidate::File(named.map(|name| directory.join(name)))
        }
        Ok(_) => RepositoryCandidate::Special,
        Err(_) if directory.join("objects").is_dir() && directory.join("HEAD").exists() => {
            RepositoryCandidate::Bare
        }
        Err(_) => RepositoryCandidate::Nothing,
    })
}

/// Returns the path in `text`, the content of a `.git` file.
pub(in crate::workspace) fn gitdir_path(text: &[u8]) -> Option<PathBuf> {
    let name = text.strip_prefix(b"gitdir: ")?;
    let end = name
        .iter()
        .rposition(|byte| !matches!(byte, b'\n' | b'\r'))?;
    os_path(&name[..=end]).map(Path::to_owned)
}

/// Returns whether git accepts the directory `git_dir` as a repository. It skips any other
/// directory.
pub(super) fn is_repository(git_dir: &Path) -> bool {
    if !has_head(git_dir) {
        return false;
    }
    let common = common_directory(git_dir);
    let objects = directory_of("GIT_OBJECT_DIRECTORY").unwrap_or_else(|| common.join("objects"));
    objects.is_dir() && common.join("refs").is_dir()
}

/// Returns whether the `HEAD` of `git_dir` is valid. git skips a directory without a valid one.
pub(in crate::workspace) fn has_head(git_dir: &Path) -> bool {
    let head = git_dir.join("HEAD");
    match fs_err::symlink_metadata(&head) {
        Ok(found) if found.is_symlink() => {
            fs_err::read_link(&head).is_ok_and(|target| target.starts_with("refs"))
        }
        Ok(found) if found.is_file() && found.len() <= MAX_TEXT => {
            read_bounded(&head, found.len(), MAX_TEXT).is_ok_and(|text| is_reference(&text))
        }
        _ => false,
    }
}

/// Returns whether `head` is the content of a file `HEAD`: the name of a branch, or an object id.
fn is_reference(head: &[u8]) -> bool {
    let is_id = || head.len() >= 40 && head[..40].iter().all(u8::is_ascii_hexdigit);
    let name = head.strip_prefix(b"ref:").map(<[u8]>::trim_ascii_start);
    name.map_or_else(is_id, |name| name.starts_with(b"refs/"))
}

/// Returns the git directory that all work trees of the repository share.
pub(super) fn common_directory(git_dir: &Path) -> PathBuf {
    if let Some(common) = directory_of("GIT_COMMON_DIR") {
        return common;
    }
    let named = read_text(&git_dir.join("commondir")).ok().flatten();
    named
        .and_then(|name| Some(git_dir.join(os_path(name.trim_ascii())?)))
        .unwrap_or_else(|| git_dir.to_owned())
}

/// Returns the content of the file at `path`, or `None` if it is not a regular file or cannot be
/// read.
///
/// # Errors
///
/// Returns an error of the kind [`io::ErrorKind::Unsupported`] if the file is too large.
pub(super) fn read_text(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs_err::metadata(path) {
        Ok(found) if found.is_file() && found.len() > MAX_TEXT => {
            let message = format!("{} is too large for a git file; remove it", path.display());
            Err(io::Error::new(io::ErrorKind::Unsupported, message))
        }
        Ok(found) if found.is_file() => Ok(read_bounded(path, found.len(), MAX_TEXT).ok()),
        Ok(_) | Err(_) => Ok(None),
    }
}

/// Returns the content of the file at `path`, which had `size` bytes a moment ago.
///
/// # Errors
///
/// Returns an error if the file cannot be read, or if it now has more than `limit` bytes.
pub(super) fn read_bounded(path: &Path, size: u64, limit: u64) -> io::Result<Vec<u8>> {
    let mut text = Vec::with_capacity(usize::try_from(size.min(limit)).unwrap_or(0) + 1);
    let file = fs_err::File::open(path)?;
    if file.take(limit + 1).read_to_end(&mut text)? as u64 > limit {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_has_grown_is_read_whole_or_rejected() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config");
        fs_err::write(&path, "12345").unwrap();
        assert_eq!(read_bounded(&path, 0, 5).unwrap(), b"12345");
        let error = read_bounded(&path, 0, 4).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
    }
}
