//! Searches for programs in the search path, but not in the tree.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::NULL_DEVICE;

/// The default search path, used if no directory of `PATH` is usable. See confstr(3).
const DEFAULT_DIRECTORIES: &[&str] = if cfg!(unix) {
    &["/usr/local/bin", "/usr/bin", "/bin"]
} else {
    &[]
};
/// The types of programs that a process can start, on systems where the name states it.
const PROGRAM_TYPES: &[&str] = if cfg!(windows) {
    &[".com", ".exe", ".bat", ".cmd"]
} else {
    &[]
};
/// The variable that keeps `cmd` from searching the working directory before `PATH`.
const NO_SEARCH_HERE: Option<&str> = if cfg!(windows) {
    Some("NoDefaultCurrentDirectoryInExePath")
} else {
    None
};

/// Returns a command that starts `program`. It is an absolute path, or a name to search for in
/// `PATH`.
///
/// # Security
///
/// A tree must not supply the program that works on it. The search, and the `PATH` of the new
/// process, use only absolute directories outside `trees`. This check follows the symbolic links of
/// the directories and of the program. If no directory remains, the default directories of the
/// system are used.
///
/// If a tree contains the default directories, they and their programs are still used, provided
/// that only root can write to them. An absolute `program` is not checked.
///
/// # Errors
///
/// Returns [`io::ErrorKind::NotFound`] if the program does not exist, and
/// [`io::ErrorKind::InvalidInput`] for a relative path.
pub(crate) fn find_command(program: &OsStr, trees: &[PathBuf]) -> io::Result<Command> {
    let path = env::var_os("PATH").unwrap_or_default();
    let trees = UntrustedDirectories::new(trees);
    let named = env::split_paths(&path).filter(|directory| directory.is_absolute());
    let (mut open, closed): (Vec<_>, Vec<_>) =
        named.partition(|directory| !trees.contains(directory));
    if open.is_empty() {
        open.extend(
            DEFAULT_DIRECTORIES
                .iter()
                .map(PathBuf::from)
                .filter(|directory| !trees.contains(directory)),
        );
    }
    if open.is_empty() {
        // A search path that contains no program. Some shells search the current directory if
        // `PATH` is empty or not set.
        open.push(NULL_DEVICE.into());
    }
    let found = find_program(program, &open, &closed, &trees)?;
    let mut command = Command::new(found);
    command.env("PATH", env::join_paths(open).map_err(io::Error::other)?);
    command.envs(NO_SEARCH_HERE.map(|name| (name, "1")));
    Ok(command)
}

fn find_program(
    program: &OsStr,
    trusted: &[PathBuf],
    untrusted: &[PathBuf],
    trees: &UntrustedDirectories,
) -> io::Result<PathBuf> {
    let path = Path::new(program);
    if path.is_absolute() {
        return Ok(path.to_owned());
    }
    let name = path.file_name().filter(|name| *name == program);
    let name = name.ok_or_else(|| {
        io::Error::new(
            io::ErrorKind::InvalidInput,
            "expected a program name or an absolute path",
        )
    })?;
    let names = file_names(name, &env::var_os("PATHEXT").unwrap_or_default());
    let places = |directories: &[PathBuf]| -> Vec<_> {
        let places = directories
            .iter()
            .flat_map(|directory| names.iter().map(|name| directory.join(name)));
        places.filter(|place| is_executable(place)).collect()
    };
    let (mut outside, inside): (Vec<_>, Vec<_>) = places(trusted)
        .into_iter()
        .partition(|place| !trees.contains(place));
    if !outside.is_empty() {
        return Ok(outside.swap_remove(0));
    }
    let is_brought = !inside.is_empty() || !places(untrusted).is_empty();
    let why = if is_brought {
        "the program was found only inside the tree, which is not trusted"
    } else {
        "the program was not found in PATH"
    };
    Err(io::Error::new(io::ErrorKind::NotFound, why))
}

/// Returns the names of files that can contain the program `name`, best first. On Windows, `types`
/// is the value of `PATHEXT`, which states the order of the types.
fn file_names(name: &OsStr, types: &OsStr) -> Vec<OsString> {
    let is_type = |text: &str| {
        PROGRAM_TYPES
            .iter()
            .any(|kind| text.eq_ignore_ascii_case(kind))
    };
    let extension = Path::new(name).extension().unwrap_or_default();
    if PROGRAM_TYPES.is_empty() || is_type(&format!(".{}", extension.display())) {
        return vec![name.to_owned()];
    }
    let types = types.to_string_lossy();
    let mut types: Vec<_> = types.split(';').filter(|text| is_type(text)).collect();
    if types.is_empty() {
        types.extend(PROGRAM_TYPES);
    }
    let with_type = |kind: &str| {
        let mut name = name.to_owned();
        name.push(kind);
        name
    };
    types.into_iter().map(with_type).collect()
}

/// Trees from which no program may be started. Each tree has two paths here: the absolute path, and
/// the path with links resolved.
struct UntrustedDirectories(Vec<PathBuf>);

impl UntrustedDirectories {
    fn new(directories: &[PathBuf]) -> Self {
        let names = |directory: &PathBuf| {
            [
                std::path::absolute(directory).unwrap_or_default(),
                resolve_links(directory),
            ]
        };
        Self(directories.iter().flat_map(names).collect())
    }

    /// Returns whether `path` is in one of the trees, directly or through links, and the tree could
    /// have supplied it. A default directory below a tree such as `/` does not count if only root
    /// can write to it.
    fn contains(&self, path: &Path) -> bool {
        let real = resolve_links(path);
        let mut around = self
            .0
            .iter()
            .filter(|tree| path.starts_with(tree) || real.starts_with(tree));
        around.any(|tree| {
            !(has_default_directory(tree) && is_default(path) && is_writable_only_by_root(&real))
        })
    }
}

/// Returns whether `tree` contains a default directory.
fn has_default_directory(tree: &Path) -> bool {
    DEFAULT_DIRECTORIES
        .iter()
        .any(|usual| resolve_links(usual.as_ref()).starts_with(tree))
}

/// Returns whether `path` is a default directory or an entry of one.
fn is_default(path: &Path) -> bool {
    DEFAULT_DIRECTORIES
        .iter()
        .map(Path::new)
        .any(|usual| path == usual || path.parent() == Some(usual))
}

/// Returns whether only root can write to the file at `path` or replace it.
#[cfg(unix)]
fn is_writable_only_by_root(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let is_closed = |found: std::fs::Metadata| found.uid() == 0 && found.mode() & 0o022 == 0;
    path.ancestors()
        .all(|part| fs_err::metadata(part).is_ok_and(is_closed))
}

#[cfg(not(unix))]
fn is_writable_only_by_root(_: &Path) -> bool {
    false
}

fn resolve_links(path: &Path) -> PathBuf {
    fs_err::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs_err::metadata(path)
        .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_has_the_types_of_its_system() {
        let names = |name: &str, types: &str| file_names(name.as_ref(), types.as_ref());
        if cfg!(windows) {
            let all = ["git.com", "git.exe", "git.bat", "git.cmd"];
            assert_eq!(names("git", ""), all);
            assert_eq!(names("git", ".CMD;.JS;.EXE"), ["git.CMD", "git.EXE"]);
            assert_eq!(names("git.EXE", ".CMD"), ["git.EXE"]);
            assert_eq!(names("git.2", ".exe"), ["git.2.exe"]);
        } else {
            assert_eq!(names("git", ".EXE"), ["git"]);
        }
    }
}
