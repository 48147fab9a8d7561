//! The one file outside of the root that a transaction may change: git's index, behind git's own
//! lock.
//!
//! Verbs find it in [`ANNEX`], so that it is staged, journaled, swapped and rolled back as a file
//! on another file system is. A note in the state directory names that place. It is written before
//! the lock, so that recovery finds both.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::change::Change;
use super::failure::{gone, is_unreachable};
use super::place::is_open;
use super::scratch::{Scratch, join};
use super::sealed::{refused, seal, unseal};
use super::{Durability, Failure, escape};
use crate::mode::Permissions;
use crate::path::RelPath;
use crate::text::printable;
use crate::workspace::{ANNEX, Fault, Rename, Result as Done, Workspace};

/// The note, among the scratch files.
const NOTE: &str = "annex";
/// The scratch file beside the index whose other name is the lock.
const MARK: &str = "lock";
/// Largest note that is read, in bytes.
const MAX_NOTE: u64 = 1 << 16;

/// Where git's index is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexPlace {
    /// The directory, absolute and without links.
    pub directory: PathBuf,
    /// Its name in there.
    pub name: Vec<u8>,
}

impl IndexPlace {
    /// Returns the path by which a workspace and a transaction know it.
    ///
    /// # Errors
    ///
    /// Returns [`Failure::State`] if it is no name of a file.
    pub fn path(&self) -> Result<RelPath, Failure> {
        within(&self.name)
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Note {
    root: String,
    /// The directory, from the root of the file system on.
    #[serde(with = "escape")]
    directory: RelPath,
    /// The lock.
    #[serde(with = "escape")]
    lock: RelPath,
}

/// Returns the path of `name` in the annex.
fn within(name: &[u8]) -> Result<RelPath, Failure> {
    let plain = !name.contains(&b'/');
    let path = plain
        .then(|| RelPath::new(&[ANNEX.as_bytes(), b"/", name].concat()).ok())
        .flatten();
    path.ok_or_else(|| Failure::State {
        reason: "the name of the index is no name of a file".to_owned(),
    })
}

/// Returns whether a scratch file is the note.
pub(super) fn is_note(name: &[u8]) -> bool {
    name == NOTE.as_bytes()
}

/// Returns whether `path` is a file in the annex.
pub(super) fn is_annexed(path: &RelPath) -> bool {
    let name = path
        .as_bytes()
        .strip_prefix(ANNEX.as_bytes())
        .and_then(|rest| rest.strip_prefix(b"/"));
    name.is_some_and(|name| !name.contains(&b'/'))
}

/// Returns whether `directory` is the annex.
pub(super) fn is_annex(directory: Option<&RelPath>) -> bool {
    directory.is_some_and(|directory| directory.as_bytes() == ANNEX.as_bytes())
}

/// Opens the annex at `place`, and takes git's lock of the index, which is `<name>.lock` beside it.
///
/// # Errors
///
/// [`Failure::IndexLocked`] if somebody has it.
pub(super) fn claim(
    workspace: &dyn Workspace,
    scratch: &Scratch,
    durability: Durability,
    place: &IndexPlace,
) -> Result<(), Failure> {
    let lock = within(&[&place.name[..], b".lock"].concat())?;
    let directory = place.directory.as_os_str().as_encoded_bytes();
    let directory = directory
        .strip_prefix(b"/")
        .and_then(|rest| RelPath::new(rest).ok());
    let unusable = || Failure::State {
        reason: format!("{}: no place for an index", place.directory.display()),
    };
    let directory = directory.ok_or_else(unusable)?;
    let note = Note {
        root: workspace.identity()?,
        directory,
        lock: lock.clone(),
    };
    let path = scratch.file(NOTE)?;
    workspace.create(&path, &[&seal(&note)?], Permissions::Exact(0o600), None)?;
    if durability == Durability::Full {
        scratch.make_durable(workspace, &path)?;
    }
    workspace.annex(place.directory.as_os_str().as_encoded_bytes())?;
    let mark = mark(scratch)?;
    let taken = take(workspace, scratch, (&mark, &lock), durability);
    taken.map_err(|error| match error.fault {
        Fault::Exists => Failure::IndexLocked(format!(
            "{}/{}",
            place.directory.display(),
            printable(lock.name())
        )),
        _ => Failure::from(error).about(&lock),
    })
}

/// Gives the lock the transaction's name, so that recovery can tell it from the lock of another
/// process.
fn take(
    workspace: &dyn Workspace,
    scratch: &Scratch,
    (mark, lock): (&RelPath, &RelPath),
    durability: Durability,
) -> Done<()> {
    workspace.create(
        mark,
        &[scratch.id.as_bytes()],
        Permissions::Exact(0o644),
        None,
    )?;
    if durability == Durability::Full {
        workspace.sync(Some(mark))?;
    }
    match workspace.link(mark, lock) {
        Err(error) if error.fault == Fault::Unsupported => {}
        taken => return taken,
    }
    match workspace.rename(mark, lock, Rename::Exclusive) {
        Err(error) if error.fault == Fault::Unsupported => {}
        taken => return taken,
    }
    // Here a loss of power may leave a lock that says nothing, as it does with git.
    workspace.create(
        lock,
        &[scratch.id.as_bytes()],
        Permissions::Exact(0o644),
        None,
    )?;
    if durability == Durability::Full {
        workspace.sync(Some(lock))
    } else {
        Ok(())
    }
}

/// Lets verbs find the annex of the transaction of `scratch`, if it has one.
pub(super) fn open(workspace: &dyn Workspace, scratch: &Scratch) -> Result<bool, Failure> {
    Ok(opened(workspace, scratch)?.is_some())
}

/// Gives the lock back, if the transaction of `scratch` has it.
pub(super) fn release(workspace: &dyn Workspace, scratch: &Scratch) -> Result<(), Failure> {
    let Some(note) = opened(workspace, scratch)? else {
        return Ok(());
    };
    match workspace.read(&note.lock, scratch.id.len() as u64) {
        Ok((mark, _)) if mark == scratch.id.as_bytes() => gone(workspace.remove(&note.lock))?,
        // Somebody else's.
        Ok(_) => {}
        Err(error) if is_unreachable(error.fault) || error.fault == Fault::TooLarge => {}
        Err(error) => return Err(error.into()),
    }
    gone(workspace.remove(&mark(scratch)?))?;
    // The note goes only after what it names.
    Ok(gone(workspace.sync(note.lock.parent().as_ref()))?)
}

/// Refuses a journal with files in an annex that nobody knows.
pub(super) fn accompany(changes: &[Change], is_open: bool) -> Result<(), Failure> {
    if is_open || !changes.iter().any(|change| is_annexed(&change.path)) {
        return Ok(());
    }
    Err(Failure::State {
        reason: "the journal names an index, and the note that says which one is lost".to_owned(),
    })
}

fn opened(workspace: &dyn Workspace, scratch: &Scratch) -> Result<Option<Note>, Failure> {
    let path = scratch.file(NOTE)?;
    let text = match workspace.read(&path, MAX_NOTE) {
        Ok((text, _)) => text,
        Err(error) if is_unreachable(error.fault) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    // One that is half written, of a process that died before it took the lock, or one for another
    // directory.
    let Ok(note) = unseal::<Note>(&text, &path) else {
        return Ok(None);
    };
    if note.root != workspace.identity()? || !is_annexed(&note.lock) {
        return Ok(None);
    }
    let directory = [b"/", note.directory.as_bytes()].concat();
    workspace.annex(&directory)?;
    if !is_within_reach(workspace, scratch, &note)? {
        return Err(refused(
            &path,
            "the index that it names is on another file system, which not everybody can write to",
        ));
    }
    Ok(Some(note))
}

/// Returns whether every user who can write the note can write to the directory that it names as
/// well.
///
/// # Security
///
/// The note names a directory outside of the root. On a file system without permission bits other
/// users may have written it: there it counts only for a directory on the same file system.
fn is_within_reach(
    workspace: &dyn Workspace,
    scratch: &Scratch,
    note: &Note,
) -> Result<bool, Failure> {
    let Some(state) = workspace.stat(&scratch.directory)? else {
        return Ok(false);
    };
    let Some(annex) = note.lock.parent() else {
        return Ok(false);
    };
    let is_there = |device: u64| match workspace.stat(&annex) {
        Err(error) if is_unreachable(error.fault) => Ok(true),
        stat => Ok(stat?.is_none_or(|stat| stat.device == device)),
    };
    if is_open(workspace, &state) {
        is_there(state.device)
    } else {
        Ok(true)
    }
}

fn mark(scratch: &Scratch) -> Result<RelPath, Failure> {
    let annex = RelPath::new(ANNEX.as_bytes()).expect("BUG: a plain name is no path");
    join(&annex, &scratch.beside_name(MARK))
}
