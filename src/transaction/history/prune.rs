//! The bounds of the history.

use super::{Duration, Failure, Place, places};
use crate::path::RelPath;
use crate::transaction::scratch::{Scratch, join};
use crate::transaction::sweep::sweep;
use crate::workspace::{Rename, Workspace};

/// How the names of entries begin that are being removed.
const DEAD: &str = "dead-";

/// How much history is kept. What is over a limit goes, the oldest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Number of entries.
    pub entries: usize,
    /// Age.
    pub age: Duration,
    /// Size of all old files, in bytes.
    pub bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { entries: 100, age: Duration::from_secs(30 * 24 * 60 * 60), bytes: 512 << 20 }
    }
}

impl Limits {
    /// No history at all.
    pub const NOTHING: Self = Self { entries: 0, age: Duration::ZERO, bytes: 0 };
}

/// Removes the entries of the history `home` that are over a limit, and returns how many those were.
pub(in crate::transaction) fn prune(
    workspace: &dyn Workspace,
    home: &RelPath,
    limits: Limits,
) -> Result<usize, Failure> {
    let now = u64::try_from(workspace.now().seconds).unwrap_or_default();
    let oldest = format!("{:010x}", now.saturating_sub(limits.age.as_secs()));
    let all = places(workspace, home)?;
    let mut bytes = 0;
    let is_kept = |(rank, place): (usize, &Place)| {
        bytes += place.bytes;
        rank < limits.entries && bytes <= limits.bytes && place.scratch.id >= oldest
    };
    let kept = all.iter().rev().enumerate().map(is_kept).take_while(|&is_kept| is_kept).count();
    let over = all.len() - kept;
    for place in &all[..over] {
        place.remove(workspace, home)?;
    }
    Ok(over)
}

/// Removes what is left, among `names` of the history `home`, of entries that a process died over removing.
pub(in crate::transaction) fn bury(
    workspace: &dyn Workspace,
    home: &RelPath,
    names: &[Vec<u8>],
) -> Result<(), Failure> {
    for name in names {
        if let Some(id) = std::str::from_utf8(name).ok().and_then(|name| name.strip_prefix(DEAD)) {
            // What cannot be removed now goes with the next command.
            let _ = sweep(workspace, &Scratch::of_entry(dead(home, id)?, id));
        }
    }
    Ok(())
}

/// Returns the name that an entry of `home` has while it is removed, or not whole yet.
pub(super) fn dead(home: &RelPath, id: &str) -> Result<RelPath, Failure> {
    join(home, &format!("{DEAD}{id}"))
}

impl Place {
    /// Removes the entry: first its name, so that the next command finishes what is begun here.
    fn remove(&self, workspace: &dyn Workspace, home: &RelPath) -> Result<(), Failure> {
        let dead = dead(home, &self.scratch.id)?;
        workspace.rename(&self.scratch.directory, &dead, Rename::Replace)?;
        sweep(workspace, &Scratch::of_entry(dead, &self.scratch.id))
    }
}
