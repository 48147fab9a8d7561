//! Finds the roots of the changes to undo. A change of several roots is undone in all of them, from
//! any of them.

use super::choice::{Selection, choose};
use crate::engine::failure::failure_outcome;
use crate::engine::top_roots::{OpenedRoots, into_roots, open_tops};
use crate::engine::{Outcome, refused_outcome};
use crate::path::RelPath;
use crate::preflight::{Problem, code};
use crate::text::printable;
use crate::transaction::Failure;
use crate::transaction::history::{EntryRoot, HistoryEntry, entries};
use crate::workspace::{Roots, Workspace, top};

/// Returns the tree with all roots of the changes that `selection` chooses, and these changes.
/// Returns `None` if all of them concern only the work tree of `workspace`.
///
/// # Errors
///
/// Returns the outcome of a failure, for example of a root that cannot be opened.
pub(super) fn find_roots(
    workspace: &dyn Workspace,
    selection: Selection,
    command: &'static str,
) -> Result<(Option<Roots>, Selection), Box<Outcome>> {
    let failed = |failure: Failure| failure_outcome(command, &failure);
    let mut opened = open_tops(workspace).map_err(failed)?;
    let all = if let Some(roots) = into_roots(opened).map_err(failed)? {
        // `Roots` owns its trees, so they are opened again.
        opened = open_tops(&roots).map_err(failed)?;
        entries(&roots)
    } else {
        opened = OpenedRoots::new();
        entries(workspace)
    };
    let all = all.map_err(failed)?;
    // The history is read again with the locks held, and then reports the problem.
    let Some(chosen) = choose_locally(&all, &selection) else {
        return Ok((into_roots(opened).map_err(failed)?, selection));
    };
    if let Some(entry) = find_copied_entry(workspace, &chosen).map_err(failed)? {
        return Err(refuse_copy(command, entry));
    }
    let ids = chosen.iter().map(|entry| entry.id.clone()).collect();
    let needed = chosen.iter().flat_map(|entry| &entry.roots);
    for root in needed {
        let is_open = opened
            .iter()
            .any(|(_, location, _)| *location == root.location);
        if !is_open {
            let other = open(workspace, root, command)?;
            opened.push((unused_name(root, &opened), root.location.clone(), other));
        }
    }
    match into_roots(opened).map_err(failed)? {
        Some(roots) => Ok((Some(roots), Selection::Entries(ids))),
        None => Ok((None, selection)),
    }
}

/// Returns the chosen entries, even if another root is necessary to undo them.
fn choose_locally<'e>(
    all: &'e [HistoryEntry],
    selection: &Selection,
) -> Option<Vec<&'e HistoryEntry>> {
    let mut complete = all.to_vec();
    for entry in &mut complete {
        for root in &mut entry.roots {
            root.is_included = true;
        }
    }
    let chosen = choose(&complete, selection).ok()?;
    let is_chosen = |entry: &&HistoryEntry| chosen.iter().any(|other| other.id == entry.id);
    Some(all.iter().filter(is_chosen).collect())
}

/// Returns the first entry of several roots that the history of a copy of one of them contains. An
/// undo from the copy would change the other directories.
fn find_copied_entry<'e>(
    workspace: &dyn Workspace,
    chosen: &[&'e HistoryEntry],
) -> Result<Option<&'e HistoryEntry>, Failure> {
    if chosen.iter().all(|entry| entry.roots.is_empty()) {
        return Ok(None);
    }
    let trees: Vec<&dyn Workspace> = match workspace.roots() {
        Some(roots) => {
            let trees = roots.roots().iter();
            trees
                .map(|root| -> &dyn Workspace { &*root.workspace })
                .collect()
        }
        None => vec![workspace],
    };
    for tree in trees {
        let top = top(tree)?;
        let (location, own) = (top.location().unwrap_or_default(), entries(top)?);
        let is_copied = |entry: &&&HistoryEntry| {
            let mut roots = entry.roots.iter();
            !entry.roots.is_empty()
                && roots.all(|root| root.location != location)
                && own.iter().any(|other| other.id == entry.id)
        };
        if let Some(entry) = chosen.iter().find(is_copied) {
            return Ok(Some(entry));
        }
    }
    Ok(None)
}

fn refuse_copy(command: &'static str, entry: &HistoryEntry) -> Box<Outcome> {
    let locations = entry
        .roots
        .iter()
        .map(|root| printable(&root.location).to_string());
    let message = format!(
        "the change {} was made in other directories: {}",
        entry.id,
        locations.collect::<Vec<_>>().join(", ")
    );
    let help = "no file was changed; run the command in one of these directories, or move a moved \
                directory back";
    refused_outcome(
        command,
        Problem {
            help: Some(help.to_owned()),
            ..Problem::new(&code::NOTHING_TO_UNDO, message)
        },
    )
}

/// Opens a root of a change.
fn open(
    workspace: &dyn Workspace,
    root: &EntryRoot,
    command: &'static str,
) -> Result<Box<dyn Workspace + Send>, Box<Outcome>> {
    let any = match workspace.roots() {
        Some(roots) => roots
            .roots()
            .first()
            .map(|root| -> &dyn Workspace { &*root.workspace }),
        None => Some(workspace),
    };
    let opened = any.map(|any| any.open_root(&root.location));
    match opened {
        Some(Ok(opened)) => Ok(opened),
        failed => {
            let why = match failed {
                Some(Err(error)) => format!(": {}", error.source),
                _ => String::new(),
            };
            let message = format!(
                "{}: the change also concerns this root, which cannot be opened{why}",
                printable(&root.location)
            );
            let help = "no file was changed; mount or restore the directory and try again";
            Err(refused_outcome(
                command,
                Problem {
                    help: Some(help.to_owned()),
                    ..Problem::new(&code::NOTHING_TO_UNDO, message)
                },
            ))
        }
    }
}

/// Returns the name of `root`, or a similar name if another root has it.
fn unused_name(root: &EntryRoot, opened: &OpenedRoots) -> RelPath {
    let mut name = root.name.clone();
    while opened.iter().any(|(other, _, _)| *other == name) {
        let longer = [name.as_bytes(), b"-2"].concat();
        match RelPath::new(&longer) {
            Ok(longer) => name = longer,
            Err(_) => break,
        }
    }
    name
}
