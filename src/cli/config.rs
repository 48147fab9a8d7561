//! The user's configuration: where it is, and whether it is the user's, with the directories that lead to it.

use std::env;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::Stop;
use super::policy::names_on_the_way;
use crate::engine::options::{MAX_POLICY_FILE, Workspace, WorkspaceError};
use crate::engine::{self, unusable};
use crate::mode::FileKind;
use crate::path::RelPath;

/// Permission bits that let others write.
const OTHERS_WRITE: u32 = 0o022;
/// Permission bit of a directory in which nobody replaces the files of others.
const STICKY: u32 = 0o1000;

/// The text of the configuration, and where it is.
pub(super) struct Config {
    pub(super) path: PathBuf,
    pub(super) text: Vec<u8>,
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
        Err(_) if fs_err::symlink_metadata(&path).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) => {
            return Ok(None);
        }
        Err(error) => return Err(unusable(&error.to_string())),
    };
    let text = own(&real, &path).map_err(|why| unusable(&why))?;
    Ok(Some(Config { path, text }))
}

/// Returns where the configuration would be, see the XDG Base Directory Specification.
fn place() -> Option<PathBuf> {
    let named = env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let directory = named.or_else(|| Some(env::home_dir().filter(|home| home.is_absolute())?.join(".config")))?;
    Some(directory.join("wpatch/config.toml"))
}

/// Returns the contents of the file at `path`, if nobody but the user and root may write it, or put another one where it
/// is or where the links from `named` on are that lead to it.
fn own(path: &Path, named: &Path) -> Result<Vec<u8>, String> {
    let told = |error: WorkspaceError| format!("the file cannot be read: {}", error.source);
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err("it is no file".to_owned());
    };
    let directory = engine::open(parent).map_err(told)?;
    let name = RelPath::new(name.as_encoded_bytes()).map_err(|error| error.to_string())?;
    let (text, stat) = match directory.stat(&name).map_err(told)? {
        Some(stat) if stat.kind != FileKind::Regular => {
            return Err(format!("a {} stands there, not a file", stat.kind));
        }
        _ => directory.read(&name, MAX_POLICY_FILE).map_err(told)?,
    };
    if stat.uid != 0 && stat.uid != directory.user() {
        return Err("the file belongs to somebody else: it has to be yours, or root's".to_owned());
    }
    if stat.permissions & OTHERS_WRITE != 0 {
        return Err("others may write the file: chmod go-w keeps them from it".to_owned());
    }
    match shared(named, directory.user()).map_err(|error| error.to_string())? {
        Some(shared) => Err(format!(
            "others may replace the file: its directory {} has to be yours, or root's, and chmod go-w keeps them from it",
            shared.display()
        )),
        None => Ok(text),
    }
}

/// Returns a directory on the way to `file` that belongs to somebody else, or that others may write to. As with the keys of
/// ssh, what is above the home is for who runs the system.
fn shared(file: &Path, user: u32) -> std::io::Result<Option<PathBuf>> {
    let home = env::home_dir().and_then(|home| fs_err::canonicalize(home).ok());
    for name in names_on_the_way(file) {
        let Some(directory) = name.parent() else { continue };
        for directory in fs_err::canonicalize(directory)?.ancestors() {
            if home.as_ref().is_some_and(|home| home != directory && home.starts_with(directory)) {
                break;
            }
            let stat = fs_err::metadata(directory)?;
            let is_open = stat.mode() & OTHERS_WRITE != 0 && stat.mode() & STICKY == 0;
            if is_open || stat.uid() != 0 && stat.uid() != user {
                return Ok(Some(directory.to_owned()));
            }
        }
    }
    Ok(None)
}
