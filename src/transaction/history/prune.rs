//! The limits of the history.

use super::{HistoryDirectory, list_entries, list_plans};
use crate::path::RelPath;
use crate::transaction::audit;
use crate::transaction::failure::ignore_missing;
use crate::transaction::scratch::{Scratch, join};
use crate::transaction::sweep::sweep_completely;
use crate::transaction::{Durability, Failure, HistoryLimits};
use crate::workspace::{RenameMode, Workspace};

/// The prefix of the names of entries that are being removed.
const DEAD_PREFIX: &str = "dead-";

/// The entries that pruning ignores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PruneExemption {
    Nothing,
    /// The newest entry, whatever its size, because the files that it displaced exist nowhere else.
    Newest(Durability),
}

/// Returns the smallest ID that is not too old.
pub(super) fn oldest_id(workspace: &dyn Workspace, limits: HistoryLimits) -> String {
    let now = u64::try_from(workspace.now().seconds).unwrap_or_default();
    format!("{:010x}", now.saturating_sub(limits.age.as_secs()))
}

/// Removes the entries of the history `home` that are above a limit, except the newest one, and
/// returns their number.
///
/// An entry that alone exceeds the size limit loses its old files but does not displace other
/// entries. Its record stays, so that the change before it does not become the last one.
pub(in crate::transaction) fn prune(
    workspace: &dyn Workspace,
    home: &RelPath,
    (limits, durability): (HistoryLimits, Durability),
) -> Result<usize, Failure> {
    let entries = list_entries(workspace, home)?;
    let exemption = PruneExemption::Newest(durability);
    prune_directories(workspace, home, &entries, (limits, exemption))
}

/// Removes the saved plans of the history `home` that are above a limit, and returns their number.
pub(in crate::transaction) fn prune_plans(
    workspace: &dyn Workspace,
    home: &RelPath,
    limits: HistoryLimits,
) -> Result<usize, Failure> {
    prune_directories(
        workspace,
        home,
        &list_plans(workspace, home)?,
        (limits, PruneExemption::Nothing),
    )
}

/// Removes the entries and the saved plans that are above a limit, and returns their number.
pub(in crate::transaction) fn prune_all(
    workspace: &dyn Workspace,
    home: &RelPath,
    limits: HistoryLimits,
) -> Result<usize, Failure> {
    let entries = list_entries(workspace, home)?;
    let exemption = PruneExemption::Nothing;
    Ok(
        prune_directories(workspace, home, &entries, (limits, exemption))?
            + prune_plans(workspace, home, limits)?,
    )
}

/// Removes the places that are above a limit and returns their number. `all` is in the order of
/// time.
fn prune_directories(
    workspace: &dyn Workspace,
    home: &RelPath,
    all: &[HistoryDirectory],
    (limits, spares): (HistoryLimits, PruneExemption),
) -> Result<usize, Failure> {
    let oldest = oldest_id(workspace, limits);
    let newest = usize::from(spares != PruneExemption::Nothing);
    let is_large = |place: &&HistoryDirectory| place.bytes > limits.bytes;
    let mut bytes = 0;
    let is_kept = |(rank, place): (usize, &HistoryDirectory)| {
        // An entry that is too large itself is drained below, so it does not count here.
        bytes += if is_large(&place) { 0 } else { place.bytes };
        rank < newest
            || rank < limits.entries && bytes <= limits.bytes && place.scratch.id >= oldest
    };
    let kept = all
        .iter()
        .rev()
        .enumerate()
        .map(is_kept)
        .take_while(|&is_kept| is_kept)
        .count();
    let (over, rest) = all.split_at(all.len() - kept);
    if !over.is_empty() && over.iter().any(|place| place.plan.is_none()) {
        // The removed entries are the only durable copies of their records.
        match spares {
            PruneExemption::Nothing => audit::save_head(workspace, home)?,
            PruneExemption::Newest(Durability::Full) => audit::sync_file(workspace, home)?,
            PruneExemption::Newest(Durability::None) => {}
        }
    }
    let mut pruned = 0;
    for place in over {
        if place.is_present(workspace)? {
            place.remove(workspace, home)?;
            pruned += 1;
        }
    }
    for place in rest.iter().rev().skip(newest).filter(is_large) {
        if place.is_present(workspace)? {
            place.remove_old_files(workspace, home)?;
            pruned += 1;
        }
    }
    Ok(pruned)
}

/// Removes the remains of entries that a dead process was removing or copying. `names` are the
/// names in the history `home`. If `end` is given, only smaller IDs are removed.
pub(in crate::transaction) fn remove_dead_entries(
    workspace: &dyn Workspace,
    home: &RelPath,
    (names, end): (&[Vec<u8>], Option<&str>),
) -> Result<(), Failure> {
    let ids = names
        .iter()
        .filter_map(|name| std::str::from_utf8(name).ok()?.strip_prefix(DEAD_PREFIX));
    for id in ids.filter(|&id| end.is_none_or(|end| id < end)) {
        // The next command removes the rest.
        let _ = sweep_completely(workspace, &Scratch::for_entry(dead_path(home, id)?, id));
    }
    Ok(())
}

/// Returns the name that an entry of `home` has while it is removed or incomplete.
pub(super) fn dead_path(home: &RelPath, id: &str) -> Result<RelPath, Failure> {
    join(home, &format!("{DEAD_PREFIX}{id}"))
}

impl HistoryDirectory {
    /// Removes the directory. Renames it first, so that the next command completes an interrupted
    /// removal.
    pub(in crate::transaction) fn remove(
        &self,
        workspace: &dyn Workspace,
        home: &RelPath,
    ) -> Result<(), Failure> {
        let dead = dead_path(home, &self.scratch.id)?;
        // Another process may have pruned it.
        ignore_missing(workspace.rename(&self.scratch.directory, &dead, RenameMode::Replace))?;
        sweep_completely(workspace, &Scratch::for_entry(dead, &self.scratch.id))
    }
}
