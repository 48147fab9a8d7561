//! Saved plans: checked plans that wait for their commit.
//!
//! This module does not interpret plans. It stores bytes under the name of a change. Like an entry,
//! a saved plan is a directory of the history, and a rename makes it visible when it is complete.
//! The name of the directory contains its age, its size and the name of the change.

use super::history::{
    HistoryDirectory, create_external_directory, history_directories, list_plans, move_into,
    plan_name, prune_plans, sync,
};
use super::ids::new_id;
use super::scratch::{Scratch, join};
use super::state::StateDirectory;
use super::state_location::{display_path, find_lifetime, is_private};
use super::sweep::sweep;
use super::{Durability, Failure, Interrupt, Options, RecoveredTransaction, recover};
use crate::digest::Digest;
use crate::mode::{FileKind, Permissions};
use crate::path::RelPath;
use crate::workspace::{ErrorKind, NewFile, Workspace, top};

/// The only file of a saved plan.
const FILE: &str = "plan";
/// The first word of that file.
const MAGIC: &str = "wpatch.plan/1";
/// The maximum size of a plan in bytes.
pub const MAX_PLAN: u64 = 64 << 20;

/// A saved plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredPlan {
    /// The name of the change, as 64 hex digits.
    pub name: String,
    /// The content. The caller must compute the change again, because the content alone proves
    /// nothing.
    pub bytes: Vec<u8>,
}

/// The saved plans with a given prefix of the name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanSearchResult {
    /// No plan.
    None,
    /// One plan.
    One(StoredPlan),
    /// Several plans, with these names.
    Several(Vec<String>),
}

/// The result of saving a plan or a rejection.
#[derive(Debug)]
pub struct SaveResult {
    /// The ID of the new directory.
    pub id: String,
    /// The transactions that were recovered first.
    pub recovered: Vec<RecoveredTransaction>,
    /// The error of removing a replaced plan or an entry above the limits.
    pub warning: Option<Failure>,
}

/// Saves `plan` until it is committed, forgotten or above the limits of the history. Replaces a
/// saved plan of the same name. Returns `None` if no history can be kept.
///
/// # Errors
///
/// Returns [`Failure`] like [`Transaction::begin`](super::Transaction::begin), and the errors of
/// the disk. In that case no plan is saved.
pub fn save(
    workspace: &dyn Workspace,
    options: Options,
    interrupt: &Interrupt,
    plan: &StoredPlan,
) -> Result<Option<SaveResult>, Failure> {
    let tree = top(workspace)?;
    let sealed = [head(&plan.name, &plan.bytes).as_bytes(), &plan.bytes].concat();
    let name = |id: &str| plan_name(id, sealed.len(), &plan.name);
    create_history_directory(
        workspace,
        options,
        interrupt,
        (FILE, &|_, _| Ok(sealed.clone()), &name),
        |_, home, id| {
            let is_replaced =
                |place: &&HistoryDirectory| is_named(place, &plan.name) && place.scratch.id != id;
            list_plans(tree, home)?
                .iter()
                .filter(is_replaced)
                .try_for_each(|place| place.remove(tree, home))?;
            prune_plans(tree, home, options.history).map(drop)
        },
    )
}

/// A function that returns the content of a file of the directory with an ID.
type ContentFn<'a> = &'a dyn Fn(&StateDirectory, &str) -> Result<Vec<u8>, Failure>;

/// A file name, the function that returns the content, and the function that returns the name of
/// the directory for an ID.
pub(super) type HistoryFile<'a> = (&'a str, ContentFn<'a>, &'a dyn Fn(&str) -> String);

/// Creates a directory of the history with one file, atomically. Then calls `after_save`, which may
/// fail, with the history and the ID of the directory. Returns `None` if no history can be kept.
pub(super) fn create_history_directory(
    workspace: &dyn Workspace,
    options: Options,
    interrupt: &Interrupt,
    (file, content, name): HistoryFile<'_>,
    after_save: impl FnOnce(&mut StateDirectory, &RelPath, &str) -> Result<(), Failure>,
) -> Result<Option<SaveResult>, Failure> {
    let (mut state, recovered) = recover::open(workspace, options, interrupt)?;
    let workspace = top(workspace)?;
    let result = match state.history().cloned() {
        None => Ok(None),
        Some(home) => {
            let newest = state.audit.newest_id(workspace, &home);
            let id = new_id(workspace.now(), newest.as_deref());
            let made = content(&state, &id).and_then(|bytes| {
                write_history_directory(
                    workspace,
                    (&state, &home),
                    options.durability,
                    (&id, file, &bytes, &name(&id)),
                )
            });
            made.map(|()| {
                Some(SaveResult {
                    recovered,
                    warning: after_save(&mut state, &home, &id).err(),
                    id,
                })
            })
        }
    };
    // The next command removes the rest.
    let _ = state.close(workspace);
    result
}

fn write_history_directory(
    workspace: &dyn Workspace,
    (state, home): (&StateDirectory, &RelPath),
    durability: Durability,
    (id, file, bytes, name): (&str, &str, &[u8], &str),
) -> Result<(), Failure> {
    let (scratch, target) = (state.scratch(id)?, join(home, name)?);
    let attempt = || {
        scratch.make(workspace)?;
        let path = scratch.file(file)?;
        workspace.create(
            &path,
            NewFile::new(&[bytes], Permissions::Exact(0o600), None),
        )?;
        sync(workspace, &path, durability)?;
        sync(workspace, &scratch.directory, durability)?;
        create_external_directory(workspace, home)?;
        move_into(workspace, home, (&scratch, &target), durability)?;
        sync(workspace, home, durability)
    };
    let made = attempt();
    if made.is_err() {
        // The next command removes the rest.
        let _ = sweep(workspace, &scratch);
        let _ = HistoryDirectory::new(Scratch::for_entry(target, id)).remove(workspace, home);
    }
    made
}

/// Returns the saved plans whose names start with the hex digits `prefix`. Takes no lock.
///
/// # Errors
///
/// Returns [`Failure::State`] if the plan is damaged, or if another user may have written it or the
/// state directory. Returns the errors of the disk.
pub fn search(workspace: &dyn Workspace, prefix: &str) -> Result<PlanSearchResult, Failure> {
    let workspace = top(workspace)?;
    let mut found = Vec::new();
    for home in history_directories(workspace)? {
        let named = |place: HistoryDirectory| {
            Some((place.plan?, place.scratch)).filter(|(name, _)| name.starts_with(prefix))
        };
        found.extend(list_plans(workspace, &home)?.into_iter().filter_map(named));
    }
    // Plans of the same name make the same change, so the newest is used.
    found.sort_unstable_by(|(a, at_a), (b, at_b)| (a, &at_b.id).cmp(&(b, &at_a.id)));
    found.dedup_by(|(a, _), (b, _)| a == b);
    match found.as_slice() {
        [] => Ok(PlanSearchResult::None),
        [(name, scratch)] => match read(workspace, name, scratch) {
            // Another process has committed or forgotten the plan.
            Err(Failure::Workspace(error)) if error.kind == ErrorKind::Missing => {
                Ok(PlanSearchResult::None)
            }
            read => read.map(PlanSearchResult::One),
        },
        several => Ok(PlanSearchResult::Several(
            several.iter().map(|(name, _)| name.clone()).collect(),
        )),
    }
}

/// Removes the plan `name` if it exists. Takes no lock. A plan that cannot be removed is pruned
/// later because of its age.
pub fn forget(workspace: &dyn Workspace, name: &str) {
    let Ok(workspace) = top(workspace) else {
        return;
    };
    for home in history_directories(workspace).unwrap_or_default() {
        for place in list_plans(workspace, &home)
            .unwrap_or_default()
            .iter()
            .filter(|place| is_named(place, name))
        {
            let _ = place.remove(workspace, &home);
        }
    }
}

fn is_named(place: &HistoryDirectory, name: &str) -> bool {
    place.plan.as_deref() == Some(name)
}

/// Reads the plan `name` in `scratch`.
///
/// # Security
///
/// Only this user can have written the directory and the file, and the checksum must match. The
/// caller computes the change again, so a forged plan has another name.
fn read(workspace: &dyn Workspace, name: &str, scratch: &Scratch) -> Result<StoredPlan, Failure> {
    let refused = |why: &str| Failure::State {
        reason: format!(
            "{}: {why}; remove it",
            display_path(workspace, &scratch.directory)
        ),
    };
    if find_lifetime(workspace, &scratch.directory)?.is_none() {
        return Err(refused("the saved plan is not a directory"));
    }
    let read = workspace.read(&scratch.file(FILE)?, MAX_PLAN + 256);
    let (text, stat) = read.map_err(|error| match error.kind {
        ErrorKind::TooLarge => refused("the saved plan is too large"),
        ErrorKind::NotRegular | ErrorKind::ThroughLink => {
            refused("the saved plan is not a regular file")
        }
        _ => error.into(),
    })?;
    if stat.kind != FileKind::Regular || !is_private(workspace, &stat) {
        return Err(refused("another user can write to the saved plan"));
    }
    let (first, body) =
        text.split_at(memchr::memchr(b'\n', &text).map_or(text.len(), |end| end + 1));
    if first != head(name, body).as_bytes() {
        return Err(refused("the saved plan is damaged"));
    }
    Ok(StoredPlan {
        name: name.to_owned(),
        bytes: body.to_vec(),
    })
}

/// Returns the first line of the file of the plan `name` with the content `body`.
fn head(name: &str, body: &[u8]) -> String {
    format!("{MAGIC} {name} {}\n", Digest::of(body))
}
