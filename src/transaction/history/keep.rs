//! Adds committed and rolled-back transactions to the history.

use std::collections::HashSet;

use super::old_files::{OldFileLocation, OldFiles};
use super::prune::dead_path;
use super::{HistoryDirectory, OldFileLookup, entry_name, external_history, list_entries};
use crate::mode::{FileKind, Permissions};
use crate::path::RelPath;
use crate::transaction::change::Change;
use crate::transaction::failure::ignore_missing;
use crate::transaction::git_index_file;
use crate::transaction::journal::Journal;
use crate::transaction::scratch::{self, Scratch, ScratchFile};
use crate::transaction::sweep::{
    is_kept_or_record, remove_except, remove_names_except, sweep, sweep_completely,
};
use crate::transaction::{Durability, Failure};
use crate::workspace::{
    AttributeSource, DirectoryPermissions, ErrorKind, NewFile, RenameMode, Stat, Workspace,
};

/// The maximum number of attempts to create a history that another process removes as unused.
const ATTEMPTS: usize = 4;

/// Adds the committed transaction of `scratch` to the history `home`. Its old files are at
/// `old_places`.
pub(in crate::transaction) fn add_committed(
    workspace: &dyn Workspace,
    home: &RelPath,
    (scratch, journal): (&Scratch, &Journal),
    lookup: OldFileLookup,
    durability: Durability,
) -> Result<(), Failure> {
    let is_entry = || {
        Ok::<_, Failure>(
            list_entries(workspace, home)?
                .iter()
                .any(|place| place.scratch.id == scratch.id),
        )
    };
    // If the locations are known, this process has just committed the transaction, so it is not an
    // entry yet.
    if lookup == OldFileLookup::Unknown && is_entry()? {
        // An earlier process died after it had copied the files and before it removed them.
        sync(workspace, home, durability)?;
        return sweep(workspace, scratch);
    }
    copy_distant_files(workspace, scratch, journal, durability)?;
    let (names, old_files) = locate_old_files(workspace, (scratch, journal), lookup)?;
    let bytes = trim_to_old_files(workspace, (scratch, journal), names, &old_files)?;
    let mut attempts = 0;
    loop {
        attempts += 1;
        external_history::create_external_directory(workspace, home)?;
        match move_to_entry(workspace, home, (scratch, bytes), durability) {
            Err(Failure::Workspace(error))
                if error.kind == ErrorKind::Missing && attempts < ATTEMPTS => {}
            renamed => return renamed,
        }
    }
}

/// Returns the changes whose old files belong to the history. git's index does not.
fn own_changes(journal: &Journal) -> impl Iterator<Item = &Change> {
    let is_own = |change: &&Change| !git_index_file::is_index_path(&change.path);
    journal.changes.iter().filter(is_own)
}

/// Copies old files from other file systems, where they are next to their paths, to the scratch
/// directory.
fn copy_distant_files(
    workspace: &dyn Workspace,
    scratch: &Scratch,
    journal: &Journal,
    durability: Durability,
) -> Result<(), Failure> {
    for change in own_changes(journal).filter(|change| change.stage_depth.is_some()) {
        match copy_distant_file(workspace, scratch, change, durability) {
            // A file that an undo displaced exists nowhere else, so the transaction waits until it
            // can be copied.
            Err(failure) if !journal.undoes.is_empty() => return Err(failure),
            // Otherwise the history reports the old file as lost.
            _ => {}
        }
    }
    Ok(())
}

/// Returns the names of the scratch files, and the locations of the old files.
fn locate_old_files<'j>(
    workspace: &dyn Workspace,
    (scratch, journal): (&Scratch, &'j Journal),
    old_places: OldFileLookup,
) -> Result<(Vec<Vec<u8>>, OldFiles<'j>), Failure> {
    // An overwrite in place leaves its staged file, so all names are needed.
    let has_more = journal
        .changes
        .iter()
        .any(|change| change.stage_depth.is_some() || change.is_overwrite());
    if old_places == OldFileLookup::Journaled && !has_more {
        return Ok((
            scratch.names_outside_buckets(workspace)?,
            OldFiles::of_journal(journal),
        ));
    }
    let names = scratch.names(workspace)?;
    let old_files = OldFiles::new(journal, &names);
    Ok((names, old_files))
}

/// Removes all scratch files except the record and the old files. Returns the size of the old files
/// in bytes.
fn trim_to_old_files(
    workspace: &dyn Workspace,
    (scratch, journal): (&Scratch, &Journal),
    names: Vec<Vec<u8>>,
    old_files: &OldFiles<'_>,
) -> Result<u64, Failure> {
    let (mut kept, mut buckets) = (HashSet::new(), HashSet::new());
    let mut bytes = 0;
    for change in own_changes(journal) {
        if let OldFileLocation::Scratch(slot) = old_files.of(change) {
            bytes += change.before.map_or(0, |before| before.size);
            kept.insert((slot, change.number));
            buckets.extend(scratch::bucket_of(change.number));
        }
    }
    let buckets: HashSet<_> = buckets
        .into_iter()
        .map(|bucket| scratch::bucket_name(bucket).into_bytes())
        .collect();
    remove_names_except(workspace, scratch, names, |name| {
        name == b"done"
            || buckets.contains(name)
            || scratch::parse_name(name).is_some_and(|slot| kept.contains(&slot))
    })?;
    Ok(bytes)
}

/// Adds the rolled-back transaction of `scratch` to the history, with the kept files. If it never
/// had a journal, it is only swept.
///
/// The kept files do not count towards the size limit. Otherwise they would be removed first,
/// although they exist nowhere else.
pub(in crate::transaction) fn add_aborted(
    workspace: &dyn Workspace,
    home: &RelPath,
    scratch: &Scratch,
    durability: Durability,
) -> Result<(), Failure> {
    let names = scratch.names(workspace)?;
    if !names.iter().any(|name| name == b"undone") {
        return sweep(workspace, scratch);
    }
    remove_except(workspace, scratch, is_kept_or_record)?;
    external_history::create_external_directory(workspace, home)?;
    move_to_entry(workspace, home, (scratch, 0), durability)
}

/// Removes the old files from the entries `undone`, because the tree contains them again.
pub(in crate::transaction) fn remove_undone_files(
    workspace: &dyn Workspace,
    home: &RelPath,
    undone: &[String],
) -> Result<(), Failure> {
    if undone.is_empty() {
        return Ok(());
    }
    let all = list_entries(workspace, home)?;
    let mut undone = all
        .iter()
        .filter(|place| undone.contains(&place.scratch.id));
    undone.try_for_each(|place| place.remove_old_files(workspace, home))
}

/// Copies one old file from another file system to the scratch directory.
fn copy_distant_file(
    workspace: &dyn Workspace,
    scratch: &Scratch,
    change: &Change,
    durability: Durability,
) -> Result<(), Failure> {
    let Some(before) = change.before else {
        return Ok(());
    };
    let slots = if change.is_exchange() {
        [ScratchFile::Displaced, ScratchFile::Staged].as_slice()
    } else {
        &[ScratchFile::Displaced]
    };
    scratch.make_bucket(workspace, change.number)?;
    let home = scratch.own_scratch_path(ScratchFile::Displaced, change.number)?;
    for &slot in slots {
        let away = scratch.scratch_path(change, slot)?;
        let Some(stat) = workspace.stat(&away)? else {
            continue;
        };
        // An earlier process may have died while it copied the file.
        ignore_missing(workspace.remove(&home))?;
        copy(workspace, (&away, &stat), &home, (before.size, durability))?;
        let bucket = home.parent().filter(|bucket| *bucket != scratch.directory);
        return bucket
            .iter()
            .chain([&scratch.directory])
            .try_for_each(|it| sync(workspace, it, durability));
    }
    Ok(())
}

/// Copies the file `from` with its attributes. `limit` is its maximum size in bytes.
pub(super) fn copy(
    workspace: &dyn Workspace,
    (from, stat): (&RelPath, &Stat),
    to: &RelPath,
    (limit, durability): (u64, Durability),
) -> Result<(), Failure> {
    if stat.kind == FileKind::Symlink {
        workspace.symlink(&workspace.read_link(from)?, to, to, Some(from))?;
    } else {
        let (contents, _) = workspace.read(from, limit)?;
        workspace.create(
            to,
            NewFile::new(
                &[&contents],
                Permissions::Exact(stat.permissions),
                Some(AttributeSource::File(from)),
            ),
        )?;
        sync(workspace, to, durability)?;
    }
    Ok(())
}

/// Syncs the file or directory at `path` if `durability` requires it.
pub(in crate::transaction) fn sync(
    workspace: &dyn Workspace,
    path: &RelPath,
    durability: Durability,
) -> Result<(), Failure> {
    match durability {
        Durability::Full => Ok(workspace.sync(Some(path))?),
        Durability::None => Ok(()),
    }
}

/// Makes the files of `scratch` an entry of `home` whose old files have `bytes` bytes.
fn move_to_entry(
    workspace: &dyn Workspace,
    home: &RelPath,
    (scratch, bytes): (&Scratch, u64),
    durability: Durability,
) -> Result<(), Failure> {
    let entry = scratch::join(home, &entry_name(&scratch.id, bytes))?;
    move_into(workspace, home, (scratch, &entry), durability)
}

/// Moves the directory of `scratch` to `target` in `home`, by a rename or by a copy to another file
/// system.
pub(in crate::transaction) fn move_into(
    workspace: &dyn Workspace,
    home: &RelPath,
    (scratch, target): (&Scratch, &RelPath),
    durability: Durability,
) -> Result<(), Failure> {
    if *target == scratch.directory {
        return Ok(());
    }
    match workspace.rename(&scratch.directory, target, RenameMode::Replace) {
        Err(error) if error.kind == ErrorKind::CrossDevice => {
            copy_into(workspace, home, (scratch, target), durability)
        }
        renamed => Ok(renamed?),
    }
}

/// Copies the files of `scratch` to `entry` in `home`, and then removes them. Until all files are
/// copied, the entry has the name of an entry that is being removed.
fn copy_into(
    workspace: &dyn Workspace,
    home: &RelPath,
    (scratch, entry): (&Scratch, &RelPath),
    durability: Durability,
) -> Result<(), Failure> {
    // If this process dies, `remove_dead_entries` removes the incomplete copy.
    let half = dead_path(home, &scratch.id)?;
    workspace.make_dir(&half, DirectoryPermissions::Private)?;
    let mut directories = vec![half.clone()];
    // A bucket must be created before its files. `names` lists it after them.
    for name in scratch.names(workspace)?.iter().rev() {
        let from = scratch.file(name)?;
        let (Some(stat), Ok(to)) = (workspace.stat(&from)?, half.join(name)) else {
            continue;
        };
        if stat.kind == FileKind::Directory {
            workspace.make_dir(&to, DirectoryPermissions::Private)?;
            directories.push(to);
        } else {
            copy(workspace, (&from, &stat), &to, (stat.size, durability))?;
        }
    }
    directories
        .iter()
        .rev()
        .try_for_each(|directory| sync(workspace, directory, durability))?;
    workspace.rename(&half, entry, RenameMode::Replace)?;
    // The directories can be as new as the entry.
    for directory in [home.clone()].into_iter().chain(home.ancestors()) {
        sync(workspace, &directory, durability)?;
    }
    // The next command removes the rest.
    let _ = sweep_completely(workspace, scratch);
    Ok(())
}

impl HistoryDirectory {
    /// Removes the old files and keeps the record.
    pub(super) fn remove_old_files(
        &self,
        workspace: &dyn Workspace,
        home: &RelPath,
    ) -> Result<(), Failure> {
        remove_except(workspace, &self.scratch, |name| name == b"done")?;
        move_to_entry(workspace, home, (&self.scratch, 0), Durability::None)
    }
}
