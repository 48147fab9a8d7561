//! Plans that were checked and wait to be carried out, and the names of those that were refused.
//!
//! What a plan says is not known here: it is some bytes with the name that its change has. A plan is a directory of the
//! history as an entry is, made whole beside it and renamed, with its age, its size and its name in the directory's name.

use super::prune::{Spares, dead, prune_places};
use super::{Failure, Interrupt, Options, Place, Recovered, attic, homes, keep, names, newest, recover};
use crate::digest::{Digest, is_hex};
use crate::mode::{FileKind, Permissions};
use crate::path::RelPath;
use crate::transaction::failure::gone;
use crate::transaction::place::{find, is_private};
use crate::transaction::scratch::{Scratch, id, join};
use crate::transaction::state::State;
use crate::transaction::sweep::{erase, sweep};
use crate::transaction::{Durability, Limits};
use crate::workspace::{Fault, Rename, Workspace, top};

/// How the names of plans begin in a history.
const PREFIX: &str = "plan-";
/// The only file of a plan.
const FILE: &str = "plan";
/// First word of that.
const MAGIC: &str = "wpatch.plan/1";
/// Largest plan that is kept, in bytes.
pub const MAX_PLAN: u64 = 64 << 20;

/// A plan that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The name of its change, as 64 hex digits.
    pub name: String,
    /// What it says. Whoever uses it works out anew what it would do: nothing is true only because it stands here.
    pub bytes: Vec<u8>,
}

/// What is kept under the beginning of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Search {
    /// Nothing.
    None,
    /// One plan.
    One(Kept),
    /// Several, with these names.
    Several(Vec<String>),
}

/// Something that was kept.
#[derive(Debug)]
pub struct Saved {
    /// What was recovered before.
    pub recovered: Vec<Recovered>,
    /// What else could not be done: what it takes the place of, or what is over the limits, is still there.
    pub warning: Option<Failure>,
}

/// Keeps `plan` until it is carried out, forgotten or over the limits of the history; `None` where there is no place for
/// a history. Of plans with one name the last counts.
///
/// # Errors
///
/// Returns [`Failure`] as [`Transaction::begin`](crate::transaction::Transaction::begin) does, and the errors of the
/// disk; nothing is kept then.
pub fn save(
    workspace: &dyn Workspace,
    options: Options,
    interrupt: &Interrupt,
    plan: &Kept,
) -> Result<Option<Saved>, Failure> {
    let tree = top(workspace)?;
    let sealed = [format!("{MAGIC} {} {}\n", plan.name, Digest::of(&plan.bytes)).as_bytes(), &plan.bytes].concat();
    let name = |id: &str| format!("{PREFIX}{id}.{}.{}", sealed.len(), plan.name);
    put(workspace, options, interrupt, (FILE, &sealed, &name), |home, id| {
        for place in places(tree, home)?.iter().filter(|place| place.name == plan.name && place.at.scratch.id != id) {
            place.at.remove(tree, home)?;
        }
        prune(tree, home, options.history).map(drop)
    })
}

/// A file, what is in it, and how its directory is called by the name that it has by time.
pub(super) type New<'a> = (&'a str, &'a [u8], &'a dyn Fn(&str) -> String);

/// Makes a directory of the history that holds one file, whole or not at all, and then does `next`, which may fail, with
/// the history and the name that the directory has by time. `None` where there is no place for a history.
pub(super) fn put(
    workspace: &dyn Workspace,
    options: Options,
    interrupt: &Interrupt,
    (file, bytes, name): New<'_>,
    next: impl FnOnce(&RelPath, &str) -> Result<(), Failure>,
) -> Result<Option<Saved>, Failure> {
    let (state, recovered) = recover::open(workspace, options, interrupt)?;
    let workspace = top(workspace)?;
    let result = match state.history() {
        None => Ok(None),
        Some(home) => {
            let id = id(workspace.now(), newest(workspace, home).as_deref());
            let made = make(workspace, &state, options.durability, (&id, file, bytes, &name(&id)));
            made.map(|()| Some(Saved { recovered, warning: next(home, &id).err() }))
        }
    };
    // What cannot be removed now goes with the next command.
    let _ = state.close(workspace);
    result
}

fn make(
    workspace: &dyn Workspace,
    state: &State,
    durability: Durability,
    (id, file, bytes, name): (&str, &str, &[u8], &str),
) -> Result<(), Failure> {
    let Some(home) = state.history() else { return Ok(()) };
    let (scratch, place) = (state.scratch(id)?, join(home, name)?);
    let attempt = || {
        scratch.make(workspace)?;
        let path = scratch.file(file)?;
        workspace.create(&path, &[bytes], Permissions::Exact(0o600), None)?;
        keep::sync(workspace, &path, durability)?;
        keep::sync(workspace, &scratch.directory, durability)?;
        attic::furnish(workspace, home)?;
        keep::settle(workspace, home, (&scratch, &place), durability)?;
        keep::sync(workspace, home, durability)
    };
    let made = attempt();
    if made.is_err() {
        // What cannot be removed now goes with the next command.
        let _ = sweep(workspace, &scratch);
        let _ = Place { scratch: Scratch::of_entry(place, id), bytes: 0 }.remove(workspace, home);
    }
    made
}

/// Looks for the plan whose name begins with `prefix`, which is hex digits. Takes no lock.
///
/// # Errors
///
/// Returns [`Failure::State`] for a state directory or a plan in it that somebody else may have written, and for a
/// damaged one; and the errors of the disk.
pub fn search(workspace: &dyn Workspace, prefix: &str) -> Result<Search, Failure> {
    let workspace = top(workspace)?;
    let mut found: Vec<Waiting> = Vec::new();
    for home in homes(workspace)? {
        found.extend(places(workspace, &home)?.into_iter().filter(|place| place.name.starts_with(prefix)));
    }
    // Of those with one name, which are as good as each other, the newest.
    found.sort_by(|a, b| (&a.name, &b.at.scratch.id).cmp(&(&b.name, &a.at.scratch.id)));
    found.dedup_by(|a, b| a.name == b.name);
    match found.as_slice() {
        [] => Ok(Search::None),
        [only] => match only.read(workspace) {
            // It is being carried out or forgotten.
            Err(Failure::Workspace(error)) if error.fault == Fault::Missing => Ok(Search::None),
            read => read.map(Search::One),
        },
        several => Ok(Search::Several(several.iter().map(|plan| plan.name.clone()).collect())),
    }
}

/// Removes the plan with the name `name`, if there is one; takes no lock. What cannot be removed goes with its age.
pub fn forget(workspace: &dyn Workspace, name: &str) {
    let Ok(workspace) = top(workspace) else { return };
    for home in homes(workspace).unwrap_or_default() {
        for place in places(workspace, &home).unwrap_or_default().iter().filter(|place| place.name == name) {
            let _ = place.at.remove(workspace, &home);
        }
    }
}

/// Removes the plans in `home` that are over a limit, and returns how many those were.
pub(super) fn prune(workspace: &dyn Workspace, home: &RelPath, limits: Limits) -> Result<usize, Failure> {
    let all: Vec<Place> = places(workspace, home)?.into_iter().map(|place| place.at).collect();
    prune_places(workspace, home, &all, (limits, Spares::Nothing))
}

/// Brings the plans from the history `from` to `to`.
pub(super) fn bring(workspace: &dyn Workspace, (from, to): (&RelPath, &RelPath), durability: Durability) {
    for Waiting { at, .. } in places(workspace, from).unwrap_or_default() {
        let name = String::from_utf8_lossy(at.scratch.directory.name()).into_owned();
        let _ = join(to, &name).and_then(|path| keep::settle(workspace, to, (&at.scratch, &path), durability));
    }
}

/// A plan, where it is and what it is called.
struct Waiting {
    at: Place,
    name: String,
}

/// Returns the plans in `home`, in the order of time.
fn places(workspace: &dyn Workspace, home: &RelPath) -> Result<Vec<Waiting>, Failure> {
    let place = |name: &Vec<u8>| {
        let text = std::str::from_utf8(name).ok()?;
        let (id, rest) = text.strip_prefix(PREFIX)?.split_once('.')?;
        let (bytes, plan) = rest.split_once('.')?;
        let is_name = plan.len() == 64 && is_hex(plan);
        let scratch = Scratch::of_entry(home.join(name).ok()?, id);
        is_name.then_some(Waiting { at: Place { scratch, bytes: bytes.parse().ok()? }, name: plan.to_owned() })
    };
    Ok(names(workspace, home)?.iter().filter_map(place).collect())
}

impl Waiting {
    /// Reads it.
    ///
    /// # Security
    ///
    /// It is taken only from a directory and a file that nobody but the user can have written, and only whole. That
    /// somebody wrote it on purpose to do something else is found out by whoever works out what it would do.
    fn read(&self, workspace: &dyn Workspace) -> Result<Kept, Failure> {
        let refused = |why: &str| Failure::State { reason: format!("{}: {why}; remove it", self.at.scratch.directory) };
        if find(workspace, &self.at.scratch.directory)?.is_none() {
            return Err(refused("a saved plan that is no directory"));
        }
        let read = workspace.read(&self.at.scratch.file(FILE)?, MAX_PLAN + 256);
        let (text, stat) = read.map_err(|error| match error.fault {
            Fault::TooLarge => refused("a saved plan that is larger than any"),
            Fault::NotRegular | Fault::ThroughLink => refused("a saved plan that is no regular file"),
            _ => error.into(),
        })?;
        if stat.kind != FileKind::Regular || !is_private(workspace, &stat) {
            return Err(refused("a saved plan that another user can have written"));
        }
        let (head, body) = text.split_at(memchr::memchr(b'\n', &text).map_or(text.len(), |end| end + 1));
        if head != format!("{MAGIC} {} {}\n", self.name, Digest::of(body)).as_bytes() {
            return Err(refused("the saved plan is damaged"));
        }
        Ok(Kept { name: self.name.clone(), bytes: body.to_vec() })
    }
}

impl Place {
    /// Removes the directory: first its name, so that the next command finishes what is begun here.
    pub(super) fn remove(&self, workspace: &dyn Workspace, home: &RelPath) -> Result<(), Failure> {
        let dead = dead(home, &self.scratch.id)?;
        // Gone: another process removes what is too old as well.
        gone(workspace.rename(&self.scratch.directory, &dead, Rename::Replace))?;
        erase(workspace, &Scratch::of_entry(dead, &self.scratch.id))
    }
}
