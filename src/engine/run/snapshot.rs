//! The attributes of all files before a command runs.

use std::collections::HashMap;
use std::time::Duration;

use crate::mode::FileKind;
use crate::path::RelPath;
use crate::process;
use crate::transaction::{Failure, Interrupt};
use crate::workspace::{Directory, ErrorKind, Stat, Timestamp, Workspace};

/// The longest time between two writes of a file that can get the same timestamp: a tick of a
/// kernel with 100 ticks per second, twice.
const TICK: Duration = Duration::from_millis(20);

/// The attributes of every file and directory, except in `.git`.
///
/// An overlay copies a file when the command first writes to it. If another process changed the
/// original after that, the copy has the older content. A file that differs from the snapshot is
/// therefore stale. To compare the clock with change times would be faster, but it fails on file
/// systems with another clock, and a renamed directory does not change the times of its files.
pub(super) struct Snapshot(HashMap<RelPath, Stat>);

impl Snapshot {
    /// Records the tree, and waits until a later write gets another timestamp.
    pub(super) fn take(workspace: &dyn Workspace, interrupt: &Interrupt) -> Result<Self, Failure> {
        let mut stats = HashMap::new();
        let mut newest = Timestamp::default();
        let mut rest: Vec<Option<RelPath>> = vec![None];
        while let Some(directory) = rest.pop() {
            if let Some(signal) = interrupt.signal() {
                return Err(Failure::Interrupted(signal));
            }
            for path in children(workspace, directory.as_ref())? {
                let Some(stat) = workspace.stat(&path)? else {
                    continue;
                };
                newest = newest.max(stat.modified);
                if stat.kind == FileKind::Directory {
                    rest.push(Some(path.clone()));
                }
                stats.insert(path, stat);
            }
        }
        if newest.seconds >= workspace.now().seconds - 1 {
            process::wait(TICK, || interrupt.is_raised());
        }
        Ok(Self(stats))
    }

    /// Returns the attributes of the file at `path`.
    pub(super) fn get(&self, path: &RelPath) -> Option<&Stat> {
        self.0.get(path)
    }

    /// Returns whether the file at `path` still has its attributes. `now` are its attributes now.
    pub(super) fn is_current(&self, path: &RelPath, now: Option<&Stat>) -> bool {
        let identity = |stat: &Stat| {
            let Stat {
                kind,
                permissions,
                size,
                modified,
                device,
                inode,
                ..
            } = *stat;
            (kind, permissions, size, modified, device, inode)
        };
        self.get(path).map(identity) == now.map(identity)
    }
}

/// Returns the paths in `directory` that a patch can name.
fn children(workspace: &dyn Workspace, directory: Directory<'_>) -> Result<Vec<RelPath>, Failure> {
    let names = match workspace.list(directory) {
        // Neither can the command see the files in this directory.
        Err(error) if error.kind == ErrorKind::Denied => Vec::new(),
        names => names?,
    };
    let names = names.iter().filter(|name| !is_git(name));
    Ok(names.filter_map(|name| join(directory, name)).collect())
}

/// Returns whether git keeps its own files under this name.
pub(super) fn is_git(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(b".git")
}

/// Returns the path of `name` in `directory`.
pub(super) fn join(directory: Directory<'_>, name: &[u8]) -> Option<RelPath> {
    match directory {
        None => RelPath::new(name).ok(),
        Some(directory) => directory.join(name).ok(),
    }
}
