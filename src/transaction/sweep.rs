//! The sweep: removes the scratch files of a finished transaction.

use std::io;

use super::escape::unescape;
use super::failure::{check_interrupt, ignore_missing};
use super::scratch::{Scratch, is_bucket_name, is_directory_name};
use super::{Failure, Interrupt, git_index_file, scratch};
use crate::path::RelPath;
use crate::threads;
use crate::workspace::{Directory, ErrorKind, Result as Done, Workspace};

/// The records in the order of their removal. They are removed after all other scratch files except
/// the note of git's index, so that a killed sweep can be repeated.
const RECORDS: [&[u8]; 4] = [b"journal.tmp", b"undone", b"done", b"journal"];
/// The minimum number of buckets for each thread of a sweep. A bucket has up to
/// [`scratch::BUCKET_SIZE`] files.
const BUCKETS_PER_THREAD: usize = 4;
/// A signal does not end a sweep of at most this number of names, so that a change of usual size
/// leaves no scratch files.
const MAX_UNINTERRUPTED_NAMES: usize = 4096;
/// The prefix of the names of kept files.
pub(super) const KEPT_PREFIX: &str = "kept-";

/// Removes all scratch files and their directory, except kept files and the record that lists them.
pub(super) fn sweep(workspace: &dyn Workspace, scratch: &Scratch) -> Result<(), Failure> {
    sweep_until_raised(workspace, scratch, Interrupt::never())
}

/// Sweeps as [`sweep`] does. A signal ends a sweep of more than [`MAX_UNINTERRUPTED_NAMES`] names.
/// The next command removes the rest.
///
/// # Errors
///
/// Returns the errors of the workspace, and [`Failure::Interrupted`] after a signal.
pub(super) fn sweep_until_raised(
    workspace: &dyn Workspace,
    scratch: &Scratch,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let swept = names_until_raised(workspace, scratch, interrupt).and_then(|names| {
        let has_kept = names.iter().any(|name| is_kept(name));
        remove_names_until_raised(workspace, scratch, names, interrupt, |name| {
            has_kept && is_kept_or_record(name)
        })
    });
    remove_dir_if_empty(workspace, scratch, swept)
}

/// Returns the names of all scratch files. A signal ends the listing of many buckets.
fn names_until_raised(
    workspace: &dyn Workspace,
    scratch: &Scratch,
    interrupt: &Interrupt,
) -> Result<Vec<Vec<u8>>, Failure> {
    let own = scratch.names_outside_buckets(workspace)?;
    let buckets = own.iter().filter(|name| is_bucket_name(name)).count();
    let interrupt = if buckets > MAX_UNINTERRUPTED_NAMES {
        interrupt
    } else {
        Interrupt::never()
    };
    scratch
        .names_in_buckets(workspace, &own, interrupt)
        .map_err(|error| match interrupt.signal() {
            Some(signal) if error.source.kind() == io::ErrorKind::Interrupted => {
                Failure::Interrupted(signal)
            }
            _ => error.into(),
        })
}

/// Removes all scratch files and their directory, including kept files.
pub(super) fn sweep_completely(
    workspace: &dyn Workspace,
    scratch: &Scratch,
) -> Result<(), Failure> {
    remove_dir_if_empty(
        workspace,
        scratch,
        remove_except(workspace, scratch, |_| false),
    )
}

/// Returns whether `name` is a kept file or the record that lists the kept files.
pub(super) fn is_kept_or_record(name: &[u8]) -> bool {
    is_kept(name) || name == b"undone"
}

/// Removes the directory of the scratch files if no file remains.
fn remove_dir_if_empty(
    workspace: &dyn Workspace,
    scratch: &Scratch,
    trimmed: Result<usize, Failure>,
) -> Result<(), Failure> {
    match trimmed {
        Err(Failure::Workspace(error)) if error.kind == ErrorKind::Missing => Ok(()),
        Ok(0) => Ok(ignore_missing(scratch.remove(workspace))?),
        trimmed => trimmed.map(drop),
    }
}

/// Removes all scratch files except those for which `stays` is true. Returns the number of
/// remaining files.
pub(super) fn remove_except(
    workspace: &dyn Workspace,
    scratch: &Scratch,
    stays: impl Fn(&[u8]) -> bool,
) -> Result<usize, Failure> {
    remove_names_except(workspace, scratch, scratch.names(workspace)?, stays)
}

/// Removes the scratch files `names` except those for which `stays` is true. Returns the number of
/// remaining names. A bucket remains if a file in it remains.
pub(super) fn remove_names_except(
    workspace: &dyn Workspace,
    scratch: &Scratch,
    names: Vec<Vec<u8>>,
    stays: impl Fn(&[u8]) -> bool,
) -> Result<usize, Failure> {
    remove_names_until_raised(workspace, scratch, names, Interrupt::never(), stays)
}

/// Removes scratch files as [`remove_names_except`] does. If a signal ends the removal of more than
/// [`MAX_UNINTERRUPTED_NAMES`] names, the records remain.
fn remove_names_until_raised(
    workspace: &dyn Workspace,
    scratch: &Scratch,
    names: Vec<Vec<u8>>,
    interrupt: &Interrupt,
    stays: impl Fn(&[u8]) -> bool,
) -> Result<usize, Failure> {
    let (kept, mut names): (Vec<_>, Vec<_>) = names.into_iter().partition(|name| stays(name));
    let index_notes: Vec<_> = names
        .extract_if(.., |name| git_index_file::is_note(name))
        .collect();
    let is_index_open =
        !index_notes.is_empty() && git_index_file::open_index(workspace, scratch)?.is_some();
    // `sort_by_key` is stable, so the files in a bucket stay before the bucket.
    names.sort_by_key(|name| {
        RECORDS
            .iter()
            .position(|record| record == name)
            .map_or(0, |place| place + 1)
    });
    if is_index_open {
        git_index_file::release_lock(workspace, scratch)?;
    }
    let has_many = names.len() > MAX_UNINTERRUPTED_NAMES;
    let check_if_many = || {
        if has_many {
            check_interrupt(interrupt)
        } else {
            Ok(())
        }
    };
    check_if_many()?;
    for note in names.iter().filter(|name| name.first() == Some(&b'b')) {
        check_if_many()?;
        sweep_outside_state(workspace, scratch, &scratch.file(note)?)?;
    }
    let first_record = names.partition_point(|name| !RECORDS.contains(&&name[..]));
    let groups: Vec<_> = names[..first_record]
        .chunk_by(|a, b| bucket_part(a) == bucket_part(b))
        .collect();
    let remove_one = |name: &Vec<u8>| remove_named(workspace, scratch, name);
    let remove_group = |group: &&[Vec<u8>]| {
        group.iter().try_for_each(|name| {
            check_if_many()?;
            remove_one(name)
        })
    };
    threads::map_parallel(&groups, BUCKETS_PER_THREAD, remove_group)
        .into_iter()
        .collect::<Result<(), _>>()?;
    names[first_record..].iter().try_for_each(remove_one)?;
    for note in index_notes {
        // After a power loss, a journal could reappear without the note and could then not be
        // trusted. So the other removals must be durable first.
        ignore_missing(workspace.sync(Some(&scratch.directory)))?;
        remove(workspace, &scratch.file(note)?)?;
    }
    Ok(kept.len())
}

/// Returns the bucket that the scratch name `name` is in, or that it names. It is empty for a file
/// outside buckets, so that all such files form one group: a small change starts no thread.
fn bucket_part(name: &[u8]) -> &[u8] {
    match memchr::memchr(b'/', name) {
        Some(end) => &name[..end],
        None if is_bucket_name(name) => name,
        None => b"",
    }
}

/// Removes the scratch file or directory `name`.
fn remove_named(workspace: &dyn Workspace, scratch: &Scratch, name: &[u8]) -> Result<(), Failure> {
    let path = scratch.file(name)?;
    if is_directory_name(name) {
        ignore_missing(workspace.remove_dir(&path))?;
    } else if is_bucket_name(name) {
        remove_bucket(workspace, &path)?;
    } else {
        remove(workspace, &path)?;
    }
    Ok(())
}

/// Removes a bucket if it is empty.
fn remove_bucket(workspace: &dyn Workspace, path: &RelPath) -> Done<()> {
    match workspace.remove_dir(path) {
        Err(error) if error.kind == ErrorKind::NotEmpty => Ok(()),
        // Another process created a file of this name. It would prevent the removal of the whole
        // directory.
        Err(error) if matches!(error.kind, ErrorKind::NotDirectory | ErrorKind::ThroughLink) => {
            remove(workspace, path)
        }
        removed => ignore_missing(removed),
    }
}

/// Returns whether `name` is a kept file.
pub(super) fn is_kept(name: &[u8]) -> bool {
    name.starts_with(KEPT_PREFIX.as_bytes())
}

/// Removes the scratch files outside the state directory, whose location the file `note` records.
fn sweep_outside_state(
    workspace: &dyn Workspace,
    scratch: &Scratch,
    note: &RelPath,
) -> Result<(), Failure> {
    let (text, _) = workspace.read(note, 1 << 20)?;
    let Some(path) = std::str::from_utf8(&text).ok().and_then(unescape) else {
        return Ok(());
    };
    let new = scratch.name_outside("n");
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
    remove_scratch_files(workspace, scratch, directory.as_ref(), number)?;
    // The note must not be removed before the files it locates.
    ignore_missing(workspace.sync(directory.as_ref()))?;
    Ok(())
}

/// Removes the scratch files with the number `number` in `directory`, which is outside the state
/// directory.
pub(super) fn remove_scratch_files(
    workspace: &dyn Workspace,
    scratch: &Scratch,
    directory: Directory<'_>,
    number: usize,
) -> Result<(), Failure> {
    for slot in [
        scratch::ScratchFile::Staged,
        scratch::ScratchFile::Displaced,
        scratch::ScratchFile::Reverted,
    ] {
        remove(
            workspace,
            &scratch.path_in(directory, &scratch::file_name(slot, number))?,
        )?;
    }
    Ok(())
}

/// Removes a scratch file if it exists. A read-only file system returns an error even for a missing
/// name.
fn remove(workspace: &dyn Workspace, path: &RelPath) -> Done<()> {
    match ignore_missing(workspace.remove(path)) {
        Err(error)
            if error.kind == ErrorKind::Denied && matches!(workspace.stat(path), Ok(None)) =>
        {
            Ok(())
        }
        removed => removed,
    }
}
