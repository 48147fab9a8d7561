//! Opens a directory for several calls.

use std::path::{self, Path};

pub use crate::cli::opened_directory::OpenedDirectory;
use crate::cli::root::{absolute_paths, open_directory, resolve_links};

impl OpenedDirectory {
    /// Opens the directory at `path`.
    ///
    /// # Errors
    ///
    /// Returns the message of the error if there is no such directory, or if it cannot be opened.
    pub fn open(path: &Path) -> Result<Self, String> {
        let path = path::absolute(path).map_err(|error| error.to_string())?;
        let workspace = open_directory(&path).map_err(|stop| stop.message)?;
        let names = (absolute_paths(&path), resolve_links(&path));
        Ok(Self::new(path, workspace, names))
    }
}
