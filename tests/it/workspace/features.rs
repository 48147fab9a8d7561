//! The tests of the table on each storage, or on those that have what a test needs.

use tempfile::TempDir;
use wpatch::workspace::{BACKENDS, Workspace};

/// What the disk of some systems lacks. Memory has all of it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Feature {
    /// Symbolic links, permission bits, names of any bytes.
    Unix,
    /// A rename that replaces nothing.
    ExclusiveRename,
    /// An atomic exchange of two names.
    Exchange,
    /// A lock of a directory.
    DirectoryLock,
    /// One call that syncs everything.
    SyncAll,
}

impl Feature {
    /// Returns whether the disk of this system has it; see `src/workspace/disk`.
    pub(super) fn is_on_disk(self) -> bool {
        let has_flags = cfg!(any(target_os = "linux", target_vendor = "apple"));
        match self {
            Self::Unix | Self::DirectoryLock => cfg!(unix),
            Self::ExclusiveRename => cfg!(windows) || has_flags && cfg!(not(wpatch_plain_unix)),
            Self::Exchange => has_flags && cfg!(not(wpatch_plain_unix)),
            Self::SyncAll => cfg!(all(target_os = "linux", not(wpatch_plain_unix))),
        }
    }
}

/// Runs `test` on an empty root of each storage.
pub(super) fn on_each(test: impl Fn(&dyn Workspace, &str)) {
    on_each_with(&[], test);
}

/// Runs `test` on an empty root of each storage that has all of `features`.
pub(super) fn on_each_with(features: &[Feature], test: impl Fn(&dyn Workspace, &str)) {
    assert!(!BACKENDS.is_empty());
    let has_all = features.iter().all(|feature| feature.is_on_disk());
    for backend in BACKENDS
        .iter()
        .filter(|backend| has_all || backend.name != "disk")
    {
        let root = TempDir::new().unwrap();
        let workspace = (backend.open)(root.path()).unwrap();
        test(&*workspace, backend.name);
    }
}
