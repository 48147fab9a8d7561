//! The external history: a directory outside the root, used if the history cannot be kept below it.

use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::join;
use crate::digest::Digest;
use crate::path::{RelPath, plain_path};
use crate::workspace::EXTERNAL_HISTORY_NAME;
use crate::workspace::disk::calls::{Access, SysResult};
use crate::workspace::disk::system::{self, DirectoryHandle};

/// The name of the external history in the user's state directory.
const NAME: &str = "wpatch";

/// The external history of one user. It contains one directory for each root.
#[derive(Debug)]
pub(super) struct ExternalHistory {
    /// The directory that contains the external history. It may not exist yet.
    parent: PathBuf,
    /// The directory of this root, below [`EXTERNAL_HISTORY_NAME`].
    directory_of_root: RelPath,
    opened: OnceLock<DirectoryHandle>,
}

impl ExternalHistory {
    /// Returns the external history of `root` in the directory `above`. `generation` distinguishes
    /// the root from earlier directories at the same path. Returns `None` if one of the two
    /// contains the other, because a patch could then change the history.
    pub(super) fn new(above: &Path, root: &Path, generation: &str) -> Option<Self> {
        let root = root.canonicalize().map(plain_path).ok()?;
        // If a component does not exist yet, the meaning of a later `..` is unknown.
        if above.is_relative() || above.components().any(|part| part == Component::ParentDir) {
            return None;
        }
        let real = above.ancestors().find_map(|ancestor| {
            let rest = above.strip_prefix(ancestor).ok()?;
            Some(ancestor.canonicalize().map(plain_path).ok()?.join(rest))
        })?;
        let history = real.join(NAME);
        if is_within(&history, &root) || is_within(&root, &history) {
            return None;
        }
        let root = root.as_os_str().as_encoded_bytes();
        let key = [root, b"\0", generation.as_bytes()].concat();
        let own = format!("{EXTERNAL_HISTORY_NAME}/{}", Digest::of(&key));
        Some(Self {
            parent: real,
            directory_of_root: RelPath::new(own.as_bytes()).ok()?,
            opened: OnceLock::new(),
        })
    }

    /// Returns the directory that contains the history of this root.
    pub(super) fn directory_of_root(&self) -> &RelPath {
        &self.directory_of_root
    }

    /// Returns `path` relative to the external history, `.` for the history itself. Returns `None`
    /// if `path` is not in it.
    pub(super) fn relative_path(path: &[u8]) -> Option<&[u8]> {
        match path.strip_prefix(EXTERNAL_HISTORY_NAME.as_bytes())? {
            [] => Some(b"."),
            [b'/', rest @ ..] => Some(rest),
            _ => None,
        }
    }

    /// Returns the absolute path of `path`, or `None` if `path` is not in the external history.
    pub(super) fn absolute_path(&self, path: &RelPath) -> Option<PathBuf> {
        let rest = Self::relative_path(path.as_bytes())?;
        Some(join(&self.parent.join(NAME), rest))
    }

    /// Opens the external history, or returns the handle that was opened before.
    pub(super) fn open(&self) -> SysResult<DirectoryHandle> {
        if let Some(handle) = self.opened.get() {
            return Ok(Arc::clone(handle));
        }
        let (above, name) = self.parent_and_name()?;
        let handle = Arc::new(system::resolve(&above, name, Access::Resolve)?);
        Ok(Arc::clone(self.opened.get_or_init(|| handle)))
    }

    /// Returns the directory that contains the external history, and its name there.
    pub(super) fn parent_and_name(&self) -> SysResult<(DirectoryHandle, &'static [u8])> {
        let above = system::open_directory_at(&self.parent, Access::Resolve)?;
        Ok((Arc::new(above), NAME.as_bytes()))
    }

    /// Creates the directories above the external history with mode 0700, as the XDG Base Directory
    /// Specification requires.
    pub(super) fn create_parents(&self) -> SysResult<()> {
        system::create_private_directories(&self.parent)
    }
}

/// Returns whether `path` is `directory` or below it. Inodes are compared too, because a directory
/// can be mounted twice.
fn is_within(path: &Path, directory: &Path) -> bool {
    let id = |path: &Path| system::file_id(path).ok();
    let wanted = id(directory);
    let is_it = |above: &Path| above == directory || wanted.is_some() && id(above) == wanted;
    path.ancestors().any(is_it)
}
