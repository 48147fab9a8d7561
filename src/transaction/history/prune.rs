//! The bounds of the history.

use super::{Place, entry_places, plan_places};
use crate::path::RelPath;
use crate::transaction::failure::gone;
use crate::transaction::scratch::{Scratch, join};
use crate::transaction::sweep::erase;
use crate::transaction::{Failure, Limits};
use crate::workspace::{Rename, Workspace};

/// How the names of entries begin that are being removed.
const DEAD: &str = "dead-";

/// What pruning leaves alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::transaction) enum Spares {
    Nothing,
    /// The entry that was made last, whatever its size: what it displaced is nowhere else.
    Newest,
}

/// Returns how the names of the oldest entries begin that are kept.
pub(super) fn oldest(workspace: &dyn Workspace, limits: Limits) -> String {
    let now = u64::try_from(workspace.now().seconds).unwrap_or_default();
    format!("{:010x}", now.saturating_sub(limits.age.as_secs()))
}

/// Removes the entries of the history `home` that are over a limit, and returns how many those
/// were.
///
/// One that is too large alone loses its old files and does not take others with it: its record
/// stays, so that nobody takes the change before it for the last one.
pub(in crate::transaction) fn prune(
    workspace: &dyn Workspace,
    home: &RelPath,
    (limits, spares): (Limits, Spares),
) -> Result<usize, Failure> {
    prune_places(
        workspace,
        home,
        &entry_places(workspace, home)?,
        (limits, spares),
    )
}

/// Removes the saved plans of the history `home` that are over a limit, and returns their number.
pub(in crate::transaction) fn prune_plans(
    workspace: &dyn Workspace,
    home: &RelPath,
    limits: Limits,
) -> Result<usize, Failure> {
    prune_places(
        workspace,
        home,
        &plan_places(workspace, home)?,
        (limits, Spares::Nothing),
    )
}

/// Removes the entries and the saved plans that are over a limit, and returns their number.
pub(in crate::transaction) fn prune_all(
    workspace: &dyn Workspace,
    home: &RelPath,
    limits: Limits,
) -> Result<usize, Failure> {
    Ok(prune(workspace, home, (limits, Spares::Nothing))? + prune_plans(workspace, home, limits)?)
}

/// Does the same with the places `all`, which are in the order of time.
fn prune_places(
    workspace: &dyn Workspace,
    home: &RelPath,
    all: &[Place],
    (limits, spares): (Limits, Spares),
) -> Result<usize, Failure> {
    let oldest = oldest(workspace, limits);
    let newest = usize::from(spares == Spares::Newest);
    let is_large = |place: &&Place| place.bytes > limits.bytes;
    let mut bytes = 0;
    let is_kept = |(rank, place): (usize, &Place)| {
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
    let mut pruned = 0;
    for place in over {
        if place.is_there(workspace)? {
            place.remove(workspace, home)?;
            pruned += 1;
        }
    }
    for place in rest.iter().rev().skip(newest).filter(is_large) {
        if place.is_there(workspace)? {
            place.drain(workspace, home)?;
            pruned += 1;
        }
    }
    Ok(pruned)
}

/// Removes what is left, among `names` of the history `home`, of entries that a process died over
/// removing or copying, and whose ids are below `end`.
pub(in crate::transaction) fn bury(
    workspace: &dyn Workspace,
    home: &RelPath,
    (names, end): (&[Vec<u8>], Option<&str>),
) -> Result<(), Failure> {
    let ids = names
        .iter()
        .filter_map(|name| std::str::from_utf8(name).ok()?.strip_prefix(DEAD));
    for id in ids.filter(|&id| end.is_none_or(|end| id < end)) {
        // What cannot be removed now goes with the next command.
        let _ = erase(workspace, &Scratch::of_entry(dead(home, id)?, id));
    }
    Ok(())
}

/// Returns the name that an entry of `home` has while it is removed, or not whole yet.
pub(super) fn dead(home: &RelPath, id: &str) -> Result<RelPath, Failure> {
    join(home, &format!("{DEAD}{id}"))
}

impl Place {
    /// Removes the directory: first its name, so that the next command finishes what is begun here.
    pub(in crate::transaction) fn remove(
        &self,
        workspace: &dyn Workspace,
        home: &RelPath,
    ) -> Result<(), Failure> {
        let dead = dead(home, &self.scratch.id)?;
        // Another process that prunes may have removed it.
        gone(workspace.rename(&self.scratch.directory, &dead, Rename::Replace))?;
        erase(workspace, &Scratch::of_entry(dead, &self.scratch.id))
    }
}
