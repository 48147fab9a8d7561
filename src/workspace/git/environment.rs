//! The environment variables that name directories of git.
//!
//! A relative value starts at the current directory, as for git. Git runs in other directories here,
//! so its processes receive the absolute values.

use std::env;
use std::path::{self, PathBuf};
use std::process::Command;

/// The variables that name a directory. git resolves `GIT_INDEX_FILE` and
/// `GIT_ALTERNATE_OBJECT_DIRECTORIES` from the top of the work tree instead.
const DIRECTORIES: [&str; 4] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
];

/// Returns the absolute path of the directory that the variable `name` names, or an empty path if
/// its value is empty.
pub(in crate::workspace) fn directory_of(name: &str) -> Option<PathBuf> {
    let value = PathBuf::from(env::var_os(name)?);
    Some(path::absolute(&value).unwrap_or(value))
}

/// Sets the absolute values of the variables for which `is_kept` returns true.
pub(super) fn set_directories(command: &mut Command, is_kept: impl Fn(&str) -> bool) {
    for name in DIRECTORIES.into_iter().filter(|name| is_kept(name)) {
        if let Some(directory) = directory_of(name) {
            command.env(name, directory);
        }
    }
}
