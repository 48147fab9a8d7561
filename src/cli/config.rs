//! Finds and reads the user's configuration, and checks that no other user could have changed it.

use std::path::{Path, PathBuf};
use std::{env, io};

use super::EarlyExit;
use super::early_exit::system_message;
use crate::engine::options::{MAX_POLICY_FILE, Problem, ProblemFacts, Workspace, WorkspaceError};
use crate::engine::{
    self, ADMINISTRATOR, CONFIG_VARIABLE, REMOVE_WRITE_PERMISSION, config_homes, find_replaceable,
    unreadable_policy_problem,
};
use crate::mode::FileKind;
use crate::path::{RelPath, plain_path};
use crate::text::Bytes;

/// The permission bits that allow writing by the group and by others.
const OTHERS_WRITE: u32 = 0o022;

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
    let found = fs_err::symlink_metadata(&path);
    if found.is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        return Ok(None);
    }
    // The path can contain links to a file elsewhere.
    let real = match fs_err::canonicalize(&path).map(plain_path) {
        Ok(real) => real,
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
        "XDG_CONFIG_HOME".to_owned()
    } else {
        format!("{CONFIG_VARIABLE} or XDG_CONFIG_HOME")
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

/// Returns the directories that can contain the configuration. This process uses the first. Another
/// process of the user may have another environment and use the second.
pub(super) fn config_directories() -> Vec<PathBuf> {
    let homes = config_homes().into_iter();
    homes.map(|directory| directory.join("wpatch")).collect()
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
        return Err(format!(
            "the file belongs to another user; it must belong to you or to {ADMINISTRATOR}"
        ));
    }
    if stat.permissions & OTHERS_WRITE != 0 {
        return Err(format!(
            "other users can write to the file; {REMOVE_WRITE_PERMISSION} on it"
        ));
    }
    match find_replaceable(named, directory.user()).map_err(|error| error.to_string())? {
        Some(lent) => Err(format!(
            "other users can replace the file: {} must belong to you or to {ADMINISTRATOR}; {REMOVE_WRITE_PERMISSION} on its directory",
            lent.display()
        )),
        None => Ok(text),
    }
}
