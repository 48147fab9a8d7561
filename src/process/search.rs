//! Where programs are looked for.

use std::env;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the command that starts `program`, which is an absolute path, or a name that is looked for in the search path.
///
/// # Security
///
/// A tree must not bring the program that works on it. Of the search path, for the program and for what it starts itself,
/// only absolute directories count that are outside `tree`, also when their links and those of the program are followed. An
/// absolute `program` is taken as it is.
///
/// # Errors
///
/// Returns [`io::ErrorKind::NotFound`] if no such program is there, and [`io::ErrorKind::InvalidInput`] for a relative path.
pub(crate) fn command(program: &OsStr, tree: &Path) -> io::Result<Command> {
    let path = env::var_os("PATH").unwrap_or_default();
    let tree = Tree::at(tree);
    let (open, closed): (Vec<_>, Vec<_>) =
        env::split_paths(&path).filter(|directory| directory.is_absolute()).partition(|directory| !tree.has(directory));
    let found = found(program, &open, &closed, &tree)?;
    let mut command = Command::new(found);
    command.env("PATH", env::join_paths(open).map_err(io::Error::other)?);
    Ok(command)
}

fn found(program: &OsStr, open: &[PathBuf], closed: &[PathBuf], tree: &Tree) -> io::Result<PathBuf> {
    let path = Path::new(program);
    if path.is_absolute() {
        return Ok(path.to_owned());
    }
    let name = path.file_name().filter(|name| *name == program);
    let name =
        name.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "neither a name nor an absolute path"))?;
    let mut name = name.to_owned();
    name.push(env::consts::EXE_SUFFIX);
    let places = |directories: &[PathBuf]| -> Vec<_> {
        let places = directories.iter().map(|directory| directory.join(&name));
        places.filter(|place| is_executable(place)).collect()
    };
    let (mut outside, inside): (Vec<_>, Vec<_>) = places(open).into_iter().partition(|place| !tree.has(place));
    if !outside.is_empty() {
        return Ok(outside.swap_remove(0));
    }
    let is_brought = !inside.is_empty() || !places(closed).is_empty();
    let why = if is_brought {
        "it is only in the tree itself, which may have brought it"
    } else {
        "it is not in the search path"
    };
    Err(io::Error::new(io::ErrorKind::NotFound, why))
}

/// A directory by its names.
struct Tree([PathBuf; 2]);

impl Tree {
    fn at(directory: &Path) -> Self {
        Self([std::path::absolute(directory).unwrap_or_else(|_| directory.to_owned()), real(directory)])
    }

    /// Returns whether `path` is in it, or leads into it.
    fn has(&self, path: &Path) -> bool {
        let real = real(path);
        self.0.iter().any(|tree| path.starts_with(tree) || real.starts_with(tree))
    }
}

fn real(path: &Path) -> PathBuf {
    fs_err::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs_err::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}
