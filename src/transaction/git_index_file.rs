//! Git's index file, the only file outside the root that a transaction can change. git's own lock
//! protects it.
//!
//! The workspace maps the directory of the index to [`GIT_INDEX_DIRECTORY_NAME`]. The index is
//! staged, journaled, swapped and rolled back like a file on another file system. A note in the
//! state directory records the directory. It is written before the lock is taken, so that recovery
//! finds both.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::change::Change;
use super::checksummed::{parse_checksummed, state_failure, to_checksummed};
use super::failure::{ignore_missing, is_unreachable};
use super::scratch::{Scratch, join};
use super::state_location::{display_path, is_writable_by_others};
use super::{Durability, Failure, escape};
use crate::mode::Permissions;
use crate::path::{RelPath, is_absolute, os_path, path_bytes, plain_path, split_root};
use crate::text::printable;
use crate::workspace::{
    ErrorKind, GIT_INDEX_DIRECTORY_NAME, GitDirectory, NewFile, RenameMode, Result as Done,
    Workspace,
};

/// The name of the note among the scratch files.
const NOTE_FILE: &str = "annex";
/// The scratch file next to the index. The lock is a hard link to it.
const LOCK_MARK: &str = "lock";
/// The maximum size of a note in bytes.
const MAX_NOTE: u64 = 1 << 16;

/// The location of git's index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexLocation {
    /// The directory: absolute, with links resolved.
    pub directory: PathBuf,
    /// The name of the index in this directory.
    pub name: Vec<u8>,
}

impl IndexLocation {
    /// Returns the path of the index for the workspace and the transaction.
    ///
    /// # Errors
    ///
    /// Returns [`Failure::State`] if the name is not a file name.
    pub fn path(&self) -> Result<RelPath, Failure> {
        index_path(&self.name)
    }
}

/// The content of the note.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct IndexLockNote {
    /// The identity of the root, which distinguishes the note from one in a copied root.
    root: String,
    /// The escaped absolute path of the directory, without a slash at the start.
    directory: String,
    /// Whether this is the git directory of the root. If the root is moved, its git directory is
    /// elsewhere.
    #[serde(default)]
    is_git_directory: bool,
    /// The lock file.
    #[serde(with = "escape")]
    lock: RelPath,
}

/// Returns the path of `name` in the directory of the index.
fn index_path(name: &[u8]) -> Result<RelPath, Failure> {
    let plain = !name.contains(&b'/');
    let path = plain
        .then(|| RelPath::new(&[GIT_INDEX_DIRECTORY_NAME.as_bytes(), b"/", name].concat()).ok())
        .flatten();
    path.ok_or_else(|| Failure::State {
        reason: "the name of the index is not a file name".to_owned(),
    })
}

/// Returns whether the scratch file `name` is the note.
pub(super) fn is_note(name: &[u8]) -> bool {
    name == NOTE_FILE.as_bytes()
}

/// Returns whether `path` is in the directory of the index.
pub(super) fn is_index_path(path: &RelPath) -> bool {
    let name = path
        .as_bytes()
        .strip_prefix(GIT_INDEX_DIRECTORY_NAME.as_bytes())
        .and_then(|rest| rest.strip_prefix(b"/"));
    name.is_some_and(|name| !name.contains(&b'/'))
}

/// Returns whether `directory` is the directory of the index.
pub(super) fn is_index_directory(directory: Option<&RelPath>) -> bool {
    directory.is_some_and(|directory| directory.as_bytes() == GIT_INDEX_DIRECTORY_NAME.as_bytes())
}

/// Opens the directory at `place` and takes git's lock of the index, the file `<name>.lock` in the
/// same directory.
///
/// # Errors
///
/// Returns [`Failure::IndexLocked`] if another process holds the lock.
pub(super) fn lock_index(
    workspace: &dyn Workspace,
    scratch: &Scratch,
    durability: Durability,
    place: &IndexLocation,
) -> Result<(), Failure> {
    let lock = index_path(&[&place.name[..], b".lock"].concat())?;
    let directory = plain_path(place.directory.clone());
    let bytes = path_bytes(&directory);
    let note = IndexLockNote {
        root: workspace.identity()?,
        directory: escape::escape(bytes.strip_prefix(b"/").unwrap_or(&bytes)).into_owned(),
        is_git_directory: git_directory_around(workspace, scratch)?.is_some_and(|it| it == *bytes),
        lock: lock.clone(),
    };
    let path = scratch.file(NOTE_FILE)?;
    workspace.create(
        &path,
        NewFile::new(&[&to_checksummed(&note)?], Permissions::Exact(0o600), None),
    )?;
    if durability == Durability::Full {
        scratch.make_durable(workspace, &path)?;
    }
    workspace.git_index_file(&bytes)?;
    let mark = mark_path(scratch)?;
    let taken = create_lock(workspace, scratch, (&mark, &lock), durability);
    taken.map_err(|error| match error.kind {
        ErrorKind::Exists => Failure::IndexLocked(format!(
            "{}/{}",
            place.directory.display(),
            printable(lock.name())
        )),
        _ => Failure::from(error).with_path(&lock),
    })
}

/// Creates the lock with the ID of the transaction as content, so that recovery can distinguish it
/// from another process's lock.
fn create_lock(
    workspace: &dyn Workspace,
    scratch: &Scratch,
    (mark, lock): (&RelPath, &RelPath),
    durability: Durability,
) -> Done<()> {
    workspace.create(
        mark,
        NewFile::new(&[scratch.id.as_bytes()], Permissions::Exact(0o644), None),
    )?;
    if durability == Durability::Full {
        workspace.sync(Some(mark))?;
    }
    // A hard link or an exclusive rename creates the lock together with its content.
    match workspace.link(mark, lock) {
        Err(error) if error.kind == ErrorKind::Unsupported => {}
        taken => return taken,
    }
    match workspace.rename(mark, lock, RenameMode::Exclusive) {
        Err(error) if error.kind == ErrorKind::Unsupported => {}
        taken => return taken,
    }
    // Here a power loss can leave an empty lock file, as it can with git.
    workspace.create(
        lock,
        NewFile::new(&[scratch.id.as_bytes()], Permissions::Exact(0o644), None),
    )?;
    if durability == Durability::Full {
        workspace.sync(Some(lock))
    } else {
        Ok(())
    }
}

/// Opens the directory of the index that the transaction of `scratch` uses. Returns the path of the
/// index, or `None` if it uses none.
pub(super) fn open_index(
    workspace: &dyn Workspace,
    scratch: &Scratch,
) -> Result<Option<RelPath>, Failure> {
    let note = read_note(workspace, scratch)?;
    let index = note.and_then(|note| index_path(note.lock.name().strip_suffix(b".lock")?).ok());
    Ok(index)
}

/// Removes the lock if the transaction of `scratch` holds it.
pub(super) fn release_lock(workspace: &dyn Workspace, scratch: &Scratch) -> Result<(), Failure> {
    let Some(note) = read_note(workspace, scratch)? else {
        return Ok(());
    };
    match workspace.read(&note.lock, scratch.id.len() as u64) {
        Ok((mark, _)) if mark == scratch.id.as_bytes() => {
            ignore_missing(workspace.remove(&note.lock))?;
        }
        // Another process holds the lock.
        Ok(_) => {}
        Err(error) if is_unreachable(error.kind) || error.kind == ErrorKind::TooLarge => {}
        Err(error) => return Err(error.into()),
    }
    ignore_missing(workspace.remove(&mark_path(scratch)?))?;
    // The note must not be removed before the files it locates.
    Ok(ignore_missing(workspace.sync(note.lock.parent().as_ref()))?)
}

/// Opens the directory of the index that the transaction of `scratch` uses, if it uses one. `names`
/// are the names of its files, and `changes` are its changes.
///
/// # Errors
///
/// Returns an error if the changes include another file in the directory of the index, or if the
/// location of the index is unknown.
pub(super) fn open_changed_index(
    workspace: &dyn Workspace,
    (scratch, names): (&Scratch, &[Vec<u8>]),
    changes: &[Change],
) -> Result<(), Failure> {
    let index = if names.iter().any(|name| is_note(name)) {
        open_index(workspace, scratch)?
    } else {
        None
    };
    let is_unknown =
        |change: &&Change| is_index_path(&change.path) && Some(&change.path) != index.as_ref();
    match changes.iter().find(is_unknown) {
        Some(_) => Err(Failure::State {
            reason:
                "the journal changes an index of git, but its location is unknown; move the tree \
                     back to its old path and run `wpatch recover` again"
                    .to_owned(),
        }),
        None => Ok(()),
    }
}

/// Returns the note of the transaction, and opens the directory of its index.
///
/// # Security
///
/// The directory is outside the root. The note of another root may come from another user, with a
/// copy of the tree. The index is then in the git directory of this root, if that contains the note,
/// and otherwise unknown. The same applies to a root that was moved together with its git directory.
fn read_note(
    workspace: &dyn Workspace,
    scratch: &Scratch,
) -> Result<Option<IndexLockNote>, Failure> {
    let Some((note, directory)) = parse_note(workspace, scratch)? else {
        return Ok(None);
    };
    let is_here = !note.is_git_directory && note.root == workspace.identity()?;
    let directory = if is_here {
        Some(directory)
    } else {
        git_directory_around(workspace, scratch)?
    };
    let Some(directory) = directory else {
        return Ok(None);
    };
    workspace.git_index_file(&directory)?;
    if !is_trusted_location(workspace, scratch, &note)? {
        return Err(state_failure(
            &display_path(workspace, &scratch.file(NOTE_FILE)?),
            "the index that it names is on another file system, which some users cannot write to",
        ));
    }
    Ok(Some(note))
}

/// Returns the absolute path of the git directory that contains the files of `scratch`.
fn git_directory_around(
    workspace: &dyn Workspace,
    scratch: &Scratch,
) -> Result<Option<Vec<u8>>, Failure> {
    let GitDirectory::At { directory, .. } = workspace.git_directory()? else {
        return Ok(None);
    };
    if !scratch
        .directory
        .ancestors()
        .any(|above| above == directory)
    {
        return Ok(None);
    }
    let real = workspace.real_path(&directory);
    let root = workspace.absolute_root();
    let absolute = root.and_then(|root| Some(root.join(os_path(&real)?)));
    Ok(absolute.map(|path| path_bytes(&path).into_owned()))
}

/// Returns the note and the directory that it names, an absolute path. Returns `None` if there is
/// no note, or if it is incomplete because the process died before it took the lock.
fn parse_note(
    workspace: &dyn Workspace,
    scratch: &Scratch,
) -> Result<Option<(IndexLockNote, Vec<u8>)>, Failure> {
    let path = scratch.file(NOTE_FILE)?;
    let text = match workspace.read(&path, MAX_NOTE) {
        Ok((text, _)) => text,
        Err(error) if is_unreachable(error.kind) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let name = display_path(workspace, &path);
    let Ok(note) = parse_checksummed::<IndexLockNote>(&text, &name) else {
        return Ok(None);
    };
    let Some(mut directory) = escape::unescape_bytes(&note.directory) else {
        return Ok(None);
    };
    if !is_absolute(&directory) || directory.starts_with(b"/") {
        directory.insert(0, b'/');
    }
    // A path with `..` comes from another program.
    let is_plain = split_root(&directory)
        .is_some_and(|(_, below)| RelPath::new(below).is_ok_and(|path| path.as_bytes() == below));
    Ok((is_plain && is_index_path(&note.lock)).then_some((note, directory)))
}

/// Returns whether every user who can write the note can also write to the directory that it names.
///
/// # Security
///
/// The note names a directory outside the root. On a file system without permission bits, other
/// users may have written it. There it is valid only for a directory on the same file system.
fn is_trusted_location(
    workspace: &dyn Workspace,
    scratch: &Scratch,
    note: &IndexLockNote,
) -> Result<bool, Failure> {
    let Some(state) = workspace.stat(&scratch.directory)? else {
        return Ok(false);
    };
    let Some(annex) = note.lock.parent() else {
        return Ok(false);
    };
    let is_there = |device: u64| match workspace.stat(&annex) {
        Err(error) if is_unreachable(error.kind) => Ok(true),
        stat => Ok(stat?.is_none_or(|stat| stat.device == device)),
    };
    if is_writable_by_others(workspace, &state) {
        is_there(state.device)
    } else {
        Ok(true)
    }
}

fn mark_path(scratch: &Scratch) -> Result<RelPath, Failure> {
    let annex =
        RelPath::new(GIT_INDEX_DIRECTORY_NAME.as_bytes()).expect("BUG: a plain name is no path");
    join(&annex, &scratch.name_outside(LOCK_MARK))
}
