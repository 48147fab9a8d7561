//! The user's configuration: where it is, and whether it is the user's, with the directories that
//! lead to it.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::{env, io};

use super::Stop;
use super::stop::cause;
use crate::engine::options::{Facts, MAX_POLICY_FILE, Problem, Workspace, WorkspaceError};
use crate::engine::{self, home, unusable};
use crate::mode::FileKind;
use crate::path::{MOST_LINKS, RelPath};
use crate::text::Bytes;

/// Permission bits that let others write.
const OTHERS_WRITE: u32 = 0o022;
/// Permission bit of a directory in which nobody replaces the files of others.
const STICKY: u32 = 0o1000;

/// The text of the configuration, and where it is.
pub(super) struct Config {
    pub(super) path: PathBuf,
    pub(super) text: Bytes,
}

/// Reads the user's configuration, if there is one.
///
/// # Errors
///
/// Stops at a file that cannot be read, and at one that others may have written.
pub(super) fn config() -> Result<Option<Config>, Stop> {
    let Some(path) = place() else { return Ok(None) };
    let unusable = |why: &str| Stop::of(unusable(&path.to_string_lossy(), why));
    // The file may be kept elsewhere, with a link to it.
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
            return Err(unreadable(&path, &error));
        }
        Err(error) => return Err(unusable(&error.to_string())),
    };
    let text = own(&real, &path).map_err(|why| unusable(&why))?;
    Ok(Some(Config { path, text }))
}

/// Names the variable that decides where the configuration is. A directory that cannot be read may
/// not even contain one.
fn unreadable(path: &Path, error: &io::Error) -> Stop {
    let directory = path.parent().and_then(Path::parent).unwrap_or(path);
    let message = format!("cannot read the configuration directory: {}", cause(error));
    let variable = if env::var_os("XDG_CONFIG_HOME").is_some() {
        "XDG_CONFIG_HOME"
    } else {
        "HOME or XDG_CONFIG_HOME"
    };
    let help = Some(format!("set {variable} to a directory that you can read"));
    let advice = Some(format!(
        "ask the user to set {variable} to a readable directory"
    ));
    let facts = Facts {
        advice,
        ..Facts::default()
    };
    Stop::of(Problem {
        help,
        facts,
        ..unusable(&directory.to_string_lossy(), &message)
    })
}

/// Returns where the configuration would be.
fn place() -> Option<PathBuf> {
    Some(directories().first()?.join("config.toml"))
}

/// Returns the directories that the configuration can be in, see the XDG Base Directory
/// Specification. This process uses the first. Another process of the user may have another
/// environment.
pub(super) fn directories() -> Vec<PathBuf> {
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

/// Returns the contents of the file at `path`. Refuses a file that other users than this one and
/// root can write or replace, also by replacing a link between `named` and `path`.
fn own(path: &Path, named: &Path) -> Result<Bytes, String> {
    let told = |error: WorkspaceError| format!("the file cannot be read: {}", error.source);
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err("it is no file".to_owned());
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
        return Err("others may write the file: chmod go-w keeps them from it".to_owned());
    }
    match lent(named, directory.user()).map_err(|error| error.to_string())? {
        Some(lent) => Err(format!(
            "others may replace the file: {} has to be yours, or root's, and chmod go-w keeps them from a directory",
            lent.display()
        )),
        None => Ok(text),
    }
}

/// Returns the first directory or link in the path of `file` that another user owns, or directory
/// that other users can write to. Directories above the home directory are trusted, as ssh(1) does
/// for its keys.
fn lent(file: &Path, user: u32) -> io::Result<Option<PathBuf>> {
    let home = home();
    let homes = [
        home.as_ref()
            .and_then(|home| fs_err::canonicalize(home).ok()),
        home,
    ];
    let is_own = |stat: &Metadata| stat.uid() == 0 || stat.uid() == user;
    let (mut here, mut rest, mut links) = (PathBuf::new(), file.to_owned(), 0);
    loop {
        let mut parts = rest.components();
        let Some(part) = parts.next() else {
            return Ok(None);
        };
        let (next, mut below) = (here.join(part), parts.as_path().to_owned());
        match part {
            // No link leads here.
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
                } else if links < MOST_LINKS {
                    links += 1;
                    below = fs_err::read_link(&next)?.join(below);
                } else {
                    return Err(io::Error::other("too many links lead to the file"));
                }
            }
            Component::RootDir => here = next,
            Component::CurDir | Component::Prefix(_) => {}
        }
        rest = below;
    }
}
