//! Finds and reads the user's configuration, and checks that no other user could have changed it.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::{env, io};

use super::EarlyExit;
use super::early_exit::system_message;
use crate::engine::options::{MAX_POLICY_FILE, Problem, ProblemFacts, Workspace, WorkspaceError};
use crate::engine::{self, home, unreadable_policy_problem};
use crate::mode::FileKind;
use crate::path::{MAX_LINKS, RelPath};
use crate::text::Bytes;

/// The permission bits that allow writing by the group and by others.
const OTHERS_WRITE: u32 = 0o022;
/// The permission bit of a directory in which users cannot replace each other's files; see
/// unlink(2).
const STICKY: u32 = 0o1000;

/// The content and the path of the configuration.
pub(super) struct Config {
    pub(super) path: PathBuf,
    pub(super) text: Bytes,
}

/// Reads the user's configuration if it exists.
///
/// # Errors
///
/// Returns an error if the file cannot be read, or if another user can write or replace it.
pub(super) fn load_config() -> Result<Option<Config>, EarlyExit> {
    let Some(path) = config_path() else {
        return Ok(None);
    };
    let unusable = |why: &str| {
        EarlyExit::from_problem(unreadable_policy_problem(&path.to_string_lossy(), why))
    };
    // The path can contain links to a file elsewhere.
    let real = match fs_err::canonicalize(&path) {
        Ok(real) => real,
        Err(_)
            if fs_err::symlink_metadata(&path)
                .is_err_and(|error| error.kind() == io::ErrorKind::NotFound) =>
        {
            return Ok(None);
        }
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::PermissionDenied | io::ErrorKind::NotADirectory
            ) =>
        {
            return Err(directory_error(&path, &error));
        }
        Err(error) => return Err(unusable(&error.to_string())),
    };
    let text = read_trusted(&real, &path).map_err(|why| unusable(&why))?;
    Ok(Some(Config { path, text }))
}

/// Returns the error for an unreadable configuration directory. It names the variable that sets the
/// directory. The directory may not even contain a configuration.
fn directory_error(path: &Path, error: &io::Error) -> EarlyExit {
    let directory = path.parent().and_then(Path::parent).unwrap_or(path);
    let message = format!(
        "cannot read the configuration directory: {}",
        system_message(error)
    );
    let variable = if env::var_os("XDG_CONFIG_HOME").is_some() {
        "XDG_CONFIG_HOME"
    } else {
        "HOME or XDG_CONFIG_HOME"
    };
    let help = Some(format!("set {variable} to a directory that you can read"));
    let advice = Some(format!(
        "ask the user to set {variable} to a readable directory"
    ));
    let facts = ProblemFacts {
        advice,
        ..ProblemFacts::default()
    };
    EarlyExit::from_problem(Problem {
        help,
        facts,
        ..unreadable_policy_problem(&directory.to_string_lossy(), &message)
    })
}

/// Returns the path of the configuration.
fn config_path() -> Option<PathBuf> {
    Some(config_directories().first()?.join("config.toml"))
}

/// Returns the directories that can contain the configuration, as in the XDG Base Directory
/// Specification. This process uses the first. Another process of the user may have another
/// environment and use the second.
pub(super) fn config_directories() -> Vec<PathBuf> {
    let named = env::var_os("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute());
    let usual = home()
        .filter(|home| home.is_absolute())
        .map(|home| home.join(".config"));
    named
        .into_iter()
        .chain(usual)
        .map(|directory| directory.join("wpatch"))
        .collect()
}

/// Returns the content of the file at `path`. Fails if any user except the current one and root can
/// write or replace the file. Links between `named` and `path` must not be replaceable either.
fn read_trusted(path: &Path, named: &Path) -> Result<Bytes, String> {
    let told = |error: WorkspaceError| format!("the file cannot be read: {}", error.source);
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err("it is not a file".to_owned());
    };
    let directory = engine::open(parent).map_err(told)?;
    let name = RelPath::new(name.as_encoded_bytes()).map_err(|error| error.to_string())?;
    let (text, stat) = match directory.stat(&name).map_err(told)? {
        Some(stat) if stat.kind != FileKind::Regular => {
            return Err(format!("is a {}, not a file", stat.kind));
        }
        _ => directory.read(&name, MAX_POLICY_FILE).map_err(told)?,
    };
    if stat.uid != 0 && stat.uid != directory.user() {
        return Err(
            "the file belongs to another user; it must belong to you or to root".to_owned(),
        );
    }
    if stat.permissions & OTHERS_WRITE != 0 {
        return Err("other users can write to the file; run `chmod go-w` on it".to_owned());
    }
    match find_unsafe(named, directory.user()).map_err(|error| error.to_string())? {
        Some(lent) => Err(format!(
            "other users can replace the file: {} must belong to you or to root; run `chmod go-w` on its directory",
            lent.display()
        )),
        None => Ok(text),
    }
}

/// Returns the first unsafe directory or link in the path of `file`. A directory or link is unsafe
/// if another user owns it. A directory is also unsafe if other users can write to it and it has no
/// sticky bit. Directories above the home directory are trusted, as ssh(1) does for its keys.
fn find_unsafe(file: &Path, user: u32) -> io::Result<Option<PathBuf>> {
    let home = home();
    let homes = [
        home.as_ref()
            .and_then(|home| fs_err::canonicalize(home).ok()),
        home,
    ];
    let is_own = |stat: &Metadata| stat.uid() == 0 || stat.uid() == user;
    // `here` is the checked path, without links. `rest` is the path that remains below it.
    let (mut here, mut rest, mut links) = (PathBuf::new(), file.to_owned(), 0);
    loop {
        let mut parts = rest.components();
        let Some(part) = parts.next() else {
            return Ok(None);
        };
        let (next, mut below) = (here.join(part), parts.as_path().to_owned());
        match part {
            // `here` contains no links, so its parent is the previous component.
            Component::ParentDir => drop(here.pop()),
            Component::Normal(_) => {
                let (directory, stat) =
                    (fs_err::metadata(&here)?, fs_err::symlink_metadata(&next)?);
                let is_open =
                    directory.mode() & OTHERS_WRITE != 0 && directory.mode() & STICKY == 0;
                if !homes.iter().flatten().any(|home| home.starts_with(&next)) {
                    if is_open || !is_own(&directory) {
                        return Ok(Some(here));
                    }
                    if stat.is_symlink() && !is_own(&stat) {
                        return Ok(Some(next));
                    }
                }
                if !stat.is_symlink() {
                    here = next;
                } else if links < MAX_LINKS {
                    // An absolute target starts again at the root directory.
                    links += 1;
                    below = fs_err::read_link(&next)?.join(below);
                } else {
                    return Err(io::Error::other("too many symbolic links lead to the file"));
                }
            }
            Component::RootDir => here = next,
            Component::CurDir | Component::Prefix(_) => {}
        }
        rest = below;
    }
}
