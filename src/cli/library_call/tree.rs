//! Trees in memory for another program.

use std::collections::BTreeMap;
use std::ffi::OsString;

use crate::engine::{EXTERNAL_HISTORY_NAME, Entry, Memory};
use crate::path::{PathError, RelPath, os_str, path_bytes};

/// The directory of `wpatch init`.
const STATE_DIRECTORY: &str = ".wpatch";

/// The reason why names cannot be the files of a tree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TreeError {
    /// The name is not a path below the root.
    #[error(transparent)]
    Path(#[from] PathError),
    /// Two names lead to the same path.
    #[error("{0} occurs twice")]
    Twice(RelPath),
    /// The path is below a file or a link.
    #[error("{0} is below a file or a link")]
    BelowFile(RelPath),
    /// The path belongs to the history.
    #[error("{0} belongs to the history")]
    History(RelPath),
}

/// Returns a tree with `files` and a history of its changes.
///
/// # Errors
///
/// Returns an error for a name that is not a path below the root, or that contradicts another one.
pub fn tree_of(files: impl IntoIterator<Item = (OsString, Entry)>) -> Result<Memory, TreeError> {
    let mut entries = BTreeMap::new();
    for (name, entry) in files {
        let path = RelPath::new(&path_bytes(&name))?;
        if is_state(&path) {
            return Err(TreeError::History(path));
        }
        if entries.insert(path.clone(), entry).is_some() {
            return Err(TreeError::Twice(path));
        }
    }
    for path in entries.keys() {
        let bytes = path.as_bytes();
        let mut above = memchr::memchr_iter(b'/', bytes).map(|end| RelPath::new(&bytes[..end]));
        if above.any(|above| above.is_ok_and(|above| entries.contains_key(&above))) {
            return Err(TreeError::BelowFile(path.clone()));
        }
    }
    Ok(Memory::with_files(entries).with_external_history())
}

/// Returns whether `path` belongs to the history.
fn is_state(path: &RelPath) -> bool {
    let first = path.as_bytes().split(|&byte| byte == b'/').next();
    [STATE_DIRECTORY, EXTERNAL_HISTORY_NAME]
        .iter()
        .any(|name| first == Some(name.as_bytes()))
}

/// Returns the files and symbolic links of `tree`, without its history.
#[must_use]
pub fn files_of(tree: &Memory) -> Vec<(OsString, Entry)> {
    let files = tree.files().into_iter();
    files
        .filter(|(path, _)| !is_state(path))
        .filter_map(|(path, entry)| Some((os_str(path.as_bytes())?.to_owned(), entry)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_contradict_each_other_are_refused() {
        let path = |name: &str| RelPath::new(name.as_bytes()).unwrap();
        for (names, error) in [
            (&["a", "a/b"][..], TreeError::BelowFile(path("a/b"))),
            (&["a/b/c", "a-", "a"], TreeError::BelowFile(path("a/b/c"))),
            (&["a", "./a"], TreeError::Twice(path("a"))),
            (&[".wpatch/x"], TreeError::History(path(".wpatch/x"))),
        ] {
            let files = names.iter().map(|name| (name.into(), Entry::file("x")));
            assert_eq!(tree_of(files).unwrap_err(), error, "{names:?}");
        }
        let files = ["a", "b/c", "b-"].map(|name| (name.into(), Entry::file("x")));
        assert_eq!(files_of(&tree_of(files).unwrap()).len(), 3);
    }
}
