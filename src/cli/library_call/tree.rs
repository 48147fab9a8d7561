//! Trees in memory for another program.

use std::ffi::OsString;

use crate::engine::{EXTERNAL_HISTORY_NAME, Entry, Memory};
use crate::path::{PathError, RelPath, os_str, path_bytes};

/// The directory of `wpatch init`.
const STATE_DIRECTORY: &str = ".wpatch";

/// Returns a tree with `files` and a history of its changes.
///
/// # Errors
///
/// Returns an error for a name that is not a path below the root.
pub fn tree_of(files: impl IntoIterator<Item = (OsString, Entry)>) -> Result<Memory, PathError> {
    let named = |(name, entry): (OsString, Entry)| Ok((RelPath::new(&path_bytes(&name))?, entry));
    let files = files
        .into_iter()
        .map(named)
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Memory::with_files(files).with_external_history())
}

/// Returns the files and symbolic links of `tree`, without its history.
#[must_use]
pub fn files_of(tree: &Memory) -> Vec<(OsString, Entry)> {
    let is_state = |path: &RelPath| {
        let first = path.as_bytes().split(|&byte| byte == b'/').next();
        [STATE_DIRECTORY, EXTERNAL_HISTORY_NAME]
            .iter()
            .any(|name| first == Some(name.as_bytes()))
    };
    let files = tree.files().into_iter();
    files
        .filter(|(path, _)| !is_state(path))
        .filter_map(|(path, entry)| Some((os_str(path.as_bytes())?.to_owned(), entry)))
        .collect()
}
