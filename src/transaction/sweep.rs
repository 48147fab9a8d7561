//! Sweeping: removes the scratch files of a transaction that is over.

use super::escape::unescape;
use super::failure::gone;
use super::scratch::{Scratch, is_bucket_name, is_directory_name};
use super::{Failure, annex, scratch};
use crate::path::RelPath;
use crate::workspace::{Directory, Fault, Result as Done, Workspace};

/// Names in the order in which they go, what says how the transaction ended last of all but the
/// note of an annex.
const RECORDS: [&[u8]; 4] = [b"journal.tmp", b"undone", b"done", b"journal"];
/// How the names of old files begin that could not be put back.
pub(super) const KEPT: &str = "kept-";

/// Removes every scratch file but kept ones and the record that names them, and then what they were
/// in.
pub(super) fn sweep(workspace: &dyn Workspace, scratch: &Scratch) -> Result<(), Failure> {
    let swept = scratch
        .names(workspace)
        .map_err(Failure::from)
        .and_then(|names| {
            let has_kept = names.iter().any(|name| is_kept(name));
            trim_among(workspace, scratch, names, |name| {
                has_kept && is_kept_or_record(name)
            })
        });
    finish(workspace, scratch, swept)
}

/// Removes every scratch file, also kept ones, and then what they were in.
pub(super) fn erase(workspace: &dyn Workspace, scratch: &Scratch) -> Result<(), Failure> {
    finish(workspace, scratch, trim(workspace, scratch, |_| false))
}

/// Returns whether `name` is that of a file that stays where a rollback could not put everything
/// back.
pub(super) fn is_kept_or_record(name: &[u8]) -> bool {
    is_kept(name) || name == b"undone"
}

/// Removes what the scratch files were in, if none stays.
fn finish(
    workspace: &dyn Workspace,
    scratch: &Scratch,
    trimmed: Result<usize, Failure>,
) -> Result<(), Failure> {
    match trimmed {
        Err(Failure::Workspace(error)) if error.fault == Fault::Missing => Ok(()),
        Ok(0) => Ok(gone(scratch.remove(workspace))?),
        trimmed => trimmed.map(drop),
    }
}

/// Removes every scratch file but those that `stays` names, and returns how many of these there
/// are.
pub(super) fn trim(
    workspace: &dyn Workspace,
    scratch: &Scratch,
    stays: impl Fn(&[u8]) -> bool,
) -> Result<usize, Failure> {
    trim_among(workspace, scratch, scratch.names(workspace)?, stays)
}

/// Removes those of the scratch files `names` that are not to stay, and returns how many of the
/// names do. A bucket stays with what is in it.
pub(super) fn trim_among(
    workspace: &dyn Workspace,
    scratch: &Scratch,
    names: Vec<Vec<u8>>,
    stays: impl Fn(&[u8]) -> bool,
) -> Result<usize, Failure> {
    let (kept, mut names): (Vec<_>, Vec<_>) = names.into_iter().partition(|name| stays(name));
    let annexed: Vec<_> = names.extract_if(.., |name| annex::is_note(name)).collect();
    let has_annex = !annexed.is_empty() && annex::open(workspace, scratch)?;
    names.sort_by_key(|name| {
        RECORDS
            .iter()
            .position(|record| record == name)
            .map_or(0, |place| place + 1)
    });
    for note in names.iter().filter(|name| name.first() == Some(&b'b')) {
        sweep_beside(workspace, scratch, &scratch.file(note)?)?;
    }
    if has_annex {
        annex::release(workspace, scratch)?;
    }
    for name in &names {
        let path = scratch.file(name)?;
        if is_directory_name(name) {
            gone(workspace.remove_dir(&path))?;
        } else if is_bucket_name(name) {
            clear_bucket(workspace, &path)?;
        } else {
            remove(workspace, &path)?;
        }
    }
    for note in annexed {
        // A journal that comes back without the note could not be trusted.
        gone(workspace.sync(Some(&scratch.directory)))?;
        remove(workspace, &scratch.file(note)?)?;
    }
    Ok(kept.len())
}

/// Removes a bucket, unless something stays in it.
fn clear_bucket(workspace: &dyn Workspace, path: &RelPath) -> Done<()> {
    match workspace.remove_dir(path) {
        Err(error) if error.fault == Fault::NotEmpty => Ok(()),
        // Somebody else has put something else there, which would keep all from being removed.
        Err(error) if matches!(error.fault, Fault::NotDirectory | Fault::ThroughLink) => {
            remove(workspace, path)
        }
        removed => gone(removed),
    }
}

/// Returns whether `name` is that of an old file that could not be put back.
pub(super) fn is_kept(name: &[u8]) -> bool {
    name.starts_with(KEPT.as_bytes())
}

/// Removes the scratch files that stand outside of the state directory, as the note at `note` says.
fn sweep_beside(
    workspace: &dyn Workspace,
    scratch: &Scratch,
    note: &RelPath,
) -> Result<(), Failure> {
    let (text, _) = workspace.read(note, 1 << 20)?;
    let Some(path) = std::str::from_utf8(&text).ok().and_then(unescape) else {
        return Ok(());
    };
    let new = scratch.beside_name("n");
    let Some(number) = path
        .name()
        .strip_prefix(new.as_bytes())
        .and_then(|rest| std::str::from_utf8(rest).ok())
    else {
        return Ok(());
    };
    let Some(number) = number.parse::<usize>().ok() else {
        return Ok(());
    };
    let directory = path.parent();
    sweep_slots(workspace, scratch, directory.as_ref(), number)?;
    // The note goes only after what it names.
    gone(workspace.sync(directory.as_ref()))?;
    Ok(())
}

/// Removes the scratch files number `number` that stand in `directory`, outside of the state
/// directory.
pub(super) fn sweep_slots(
    workspace: &dyn Workspace,
    scratch: &Scratch,
    directory: Directory<'_>,
    number: usize,
) -> Result<(), Failure> {
    for slot in [
        scratch::Slot::New,
        scratch::Slot::Old,
        scratch::Slot::Returned,
    ] {
        remove(
            workspace,
            &scratch.beside(directory, &scratch::name(slot, number))?,
        )?;
    }
    Ok(())
}

/// Removes a scratch file, which may be gone already. A read-only file system refuses before it
/// looks for the name.
fn remove(workspace: &dyn Workspace, path: &RelPath) -> Done<()> {
    match gone(workspace.remove(path)) {
        Err(error) if error.fault == Fault::Denied && matches!(workspace.stat(path), Ok(None)) => {
            Ok(())
        }
        removed => removed,
    }
}
