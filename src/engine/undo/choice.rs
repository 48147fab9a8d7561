//! Chooses the entries to undo.

use crate::engine::request::UndoTarget;
use crate::text::printable;
use crate::transaction::history::{EntryStatus, HistoryEntry, UndoChain, find_entry};

/// The entries to undo.
#[derive(Clone, Debug)]
pub(super) enum Selection {
    /// The entries that the request names.
    Target(UndoTarget),
    /// These entries, the newest first, which were chosen in the history of one root. Each of them
    /// must still be in effect in all of its roots.
    Entries(Vec<String>),
}

/// Returns the entries of `all` to undo, the newest first, or the reason why there are none.
pub(super) fn choose<'e>(
    all: &'e [HistoryEntry],
    selection: &Selection,
) -> Result<Vec<&'e HistoryEntry>, String> {
    let chosen = match selection {
        Selection::Target(target) => choose_target(all, target)?,
        Selection::Entries(ids) => choose_heads(all, ids)?,
    };
    for entry in &chosen {
        if let Some(missing) = entry.roots.iter().find(|root| !root.is_included) {
            return Err(format!(
                "the history of the root {} does not have the change {}",
                printable(&missing.location),
                entry.id
            ));
        }
        let has_index = entry.label.index.is_some();
        if has_index && chosen.iter().any(|other| !other.roots.is_empty()) {
            return Err(format!(
                "{} also changed git's index, so it cannot be undone together with a change of \
                 several roots",
                entry.id
            ));
        }
    }
    Ok(chosen)
}

/// Returns the entries `ids`, which must be in effect.
fn choose_heads<'e>(
    all: &'e [HistoryEntry],
    ids: &[String],
) -> Result<Vec<&'e HistoryEntry>, String> {
    let chain = UndoChain::of(all);
    let found = ids.iter().map(|id| {
        let entry = all.iter().find(|entry| entry.id == *id);
        let entry = entry.ok_or_else(|| format!("no change matches {id}"))?;
        check_committed(entry)?;
        if chain.is_head(entry) {
            Ok(entry)
        } else {
            Err(format!("{id} is already undone"))
        }
    });
    found.collect()
}

/// Returns the entries that `target` names, the newest first, or the reason why there are none.
fn choose_target<'e>(
    all: &'e [HistoryEntry],
    target: &UndoTarget,
) -> Result<Vec<&'e HistoryEntry>, String> {
    let chain = UndoChain::of(all);
    let heads = || {
        all.iter().filter(|entry| {
            !matches!(entry.status, EntryStatus::Aborted | EntryStatus::Rejected)
                && chain.is_head(entry)
        })
    };
    match target {
        UndoTarget::Last(count) => {
            let chosen: Vec<_> = heads()
                .filter(|entry| UndoChain::is_change(entry))
                .take(*count)
                .collect();
            chosen.iter().try_for_each(|entry| check_committed(entry))?;
            match chosen.len() {
                0 => Err("no change can be undone".to_owned()),
                found if found < *count => Err(too_few(found)),
                _ => Ok(chosen),
            }
        }
        UndoTarget::Undo => {
            // Skip the newest redos, so that a further redo continues with the undo before them. A
            // new change ends this sequence, even if it was undone and redone since.
            let mut heads = heads().peekable();
            let mut newest = None;
            while let Some(redo) =
                heads.next_if(|entry| UndoChain::is_change(entry) && !entry.label.undoes.is_empty())
            {
                newest = newest.max(chain.changes(redo).pop_last());
            }
            let last = heads.next();
            last.map_or(Ok(()), check_committed)?;
            let last = last.filter(|entry| {
                !UndoChain::is_change(entry) && newest.is_none_or(|newest| *entry.id > *newest)
            });
            last.map(|entry| vec![entry])
                .ok_or_else(|| "the last change is not an undo".to_owned())
        }
        UndoTarget::Entry(name) => {
            let entry = find_entry(all, name)?;
            check_committed(entry)?;
            let head = chain.head(entry);
            if UndoChain::is_change(head) != UndoChain::is_change(entry) {
                return Err(format!("{} is already undone", entry.id));
            }
            if chain.changes(head) != chain.changes(entry) {
                return Err(format!(
                    "{} was redone together with other changes by {}",
                    entry.id, head.id
                ));
            }
            Ok(vec![head])
        }
    }
}

/// Returns the message about a history with `found` changes that can be undone, but not as many as
/// requested.
fn too_few(found: usize) -> String {
    let changes = if found == 1 { "change" } else { "changes" };
    format!("the history has only {found} {changes} that can be undone")
}

/// Refuses an entry that was not committed, or whose record is damaged. To skip such an entry would
/// undo a change that the user did not mean.
fn check_committed(entry: &HistoryEntry) -> Result<(), String> {
    match entry.status {
        EntryStatus::Committed => Ok(()),
        EntryStatus::Aborted => Err(format!("{} was interrupted and rolled back", entry.id)),
        EntryStatus::Rejected => Err(format!(
            "{} is a rejected plan and changed nothing",
            entry.id
        )),
        EntryStatus::Damaged => Err(format!(
            "the record of {} is damaged; name an earlier change to undo it",
            entry.id
        )),
    }
}
