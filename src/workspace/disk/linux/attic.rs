//! The directory outside of the root that keeps the history where there is no place for it below
//! the root.

use std::ffi::OsStr;
use std::fs::DirBuilder;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use rustix::fs::{CWD, FsWord, Mode, OFlags, openat, statfs};
use rustix::io::{Errno, retry_on_intr};

use super::fault::Attempt;
use super::handle::{Handle, open_directory};
use crate::digest::Digest;
use crate::path::RelPath;
use crate::workspace::ATTIC;

/// What it is called in the directory that the user keeps such things in.
const NAME: &str = "wpatch";
/// `OVERLAYFS_SUPER_MAGIC` of statfs(2).
const OVERLAY: FsWord = 0x794c_7630;

/// One directory for all roots of a user, in which each has its own.
#[derive(Debug)]
pub(super) struct Attic {
    /// What it stands in, which need not be there yet.
    above: PathBuf,
    /// That of this root, below [`ATTIC`].
    own: RelPath,
    opened: OnceLock<Handle>,
}

impl Attic {
    /// Returns that in the directory `above` for `root`, which `identity` tells from others that
    /// had its place; `None` if a patch could reach it, because one of the two is below the other.
    pub(super) fn new(above: &Path, root: &Path, identity: &str) -> Option<Self> {
        let root = root.canonicalize().ok()?;
        // Behind a name that is not there yet, `..` leads anywhere.
        if above.components().any(|part| part == Component::ParentDir) {
            return None;
        }
        let real = above.ancestors().find_map(|ancestor| {
            let rest = above.strip_prefix(ancestor).ok()?;
            Some(ancestor.canonicalize().ok()?.join(rest))
        })?;
        let attic = real.join(NAME);
        if is_within(&attic, &root) || is_within(&root, &attic) {
            return None;
        }
        // An inode number may come again at once, the moment at which it was made does not.
        // A directory of a lower layer is born again when something is written to it.
        let is_layered = statfs(&*root).is_ok_and(|found| found.f_type == OVERLAY);
        let born = root
            .metadata()
            .and_then(|data| data.created())
            .ok()
            .filter(|_| !is_layered);
        let born = born.map(|born| born.duration_since(SystemTime::UNIX_EPOCH));
        let born = format!("\0{identity}\0{born:?}");
        let key = [root.as_os_str().as_encoded_bytes(), born.as_bytes()].concat();
        let own = format!("{ATTIC}/{}", Digest::of(&key));
        Some(Self {
            above: real,
            own: RelPath::new(own.as_bytes()).ok()?,
            opened: OnceLock::new(),
        })
    }

    /// Returns where the history of this root is.
    pub(super) fn own(&self) -> &RelPath {
        &self.own
    }

    /// Returns what leads from the attic to `path`, which is empty for the attic itself; `None` if
    /// it is not in there.
    pub(super) fn rest(path: &[u8]) -> Option<&[u8]> {
        match path.strip_prefix(ATTIC.as_bytes())? {
            [] => Some(b"."),
            [b'/', rest @ ..] => Some(rest),
            _ => None,
        }
    }

    /// Returns where `path` is that is in the attic.
    pub(super) fn real(&self, path: &RelPath) -> Option<PathBuf> {
        Some(
            self.above
                .join(NAME)
                .join(OsStr::from_bytes(Self::rest(path.as_bytes())?)),
        )
    }

    /// Opens the attic.
    pub(super) fn open(&self) -> Attempt<Handle> {
        if let Some(handle) = self.opened.get() {
            return Ok(Arc::clone(handle));
        }
        let (above, name) = self.entry()?;
        let handle = Arc::new(open_directory(above, name, OFlags::PATH)?);
        Ok(Arc::clone(self.opened.get_or_init(|| handle)))
    }

    /// Returns the directory that it stands in, and its name there.
    pub(super) fn entry(&self) -> Attempt<(Handle, &'static [u8])> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let above = retry_on_intr(|| openat(CWD, &self.above, flags, Mode::empty()))?;
        Ok((Arc::new(above), NAME.as_bytes()))
    }

    /// Makes the directories that it stands in, as the XDG Base Directory Specification wants them:
    /// for the user alone.
    pub(super) fn make_above(&self) -> Attempt<()> {
        let made = DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.above);
        made.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO).into())
    }
}

/// Returns whether `path` is `directory` or below it, also by another name of that: it may be
/// mounted twice.
fn is_within(path: &Path, directory: &Path) -> bool {
    let inode = |path: &Path| path.metadata().ok().map(|data| (data.dev(), data.ino()));
    let wanted = inode(directory);
    let is_it = |above: &Path| above == directory || wanted.is_some() && inode(above) == wanted;
    path.ancestors().any(is_it)
}
