//! The locations and names of the scratch files of a transaction.

use std::collections::BTreeMap;

use super::Failure;
use super::change::{Change, ChangesByNumber, MoveInSource};
use super::failure::is_unreachable;
use crate::interrupt::Interrupt;
use crate::path::RelPath;
use crate::threads;
use crate::workspace::{
    DirectoryPermissions, ErrorKind, Result as Done, Workspace, WorkspaceError,
};

/// The prefix of the names of transactions in a state directory.
const PREFIX: &str = "txn-";
/// The number of scratch files outside buckets, and the number in each bucket. A file system
/// searches the whole directory for each name, and lets only one thread at a time add a name.
pub(super) const BUCKET_SIZE: usize = 32;
/// The first number of a scratch file in a bucket. Lower numbers have no bucket. Earlier versions
/// had no buckets and never used numbers this high.
pub(super) const FIRST_BUCKETED: usize = 1 << 31;
/// The prefix of the names of buckets.
const BUCKET_PREFIX: &str = "files";
/// The minimum number of names per thread. Each name of a bucket requires a directory listing.
const NAMES_PER_THREAD: usize = 64;

/// The location of the scratch files of one transaction.
///
/// If a history is kept, they have a directory `txn-<id>/`, which can become a history entry.
/// Otherwise they are in the temporary state directory itself, with names like `txn-<id>.journal`.
/// Creating and removing a directory costs as much as the rest of a small commit.
#[derive(Clone, Debug)]
pub(super) struct Scratch {
    /// The directory of the files.
    pub(super) directory: RelPath,
    /// The prefix of their names.
    prefix: String,
    /// The ID of the transaction.
    pub(super) id: String,
}

/// The role of a scratch file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum ScratchFile {
    /// A staged file. After an exchange, it is the displaced file.
    Staged,
    /// A displaced file that was moved out.
    Displaced,
    /// A new file that a rollback moved out.
    Reverted,
}

impl Scratch {
    /// Returns the location for the transaction `id`: a directory of its own in the state directory
    /// `state`.
    pub(super) fn private(state: &RelPath, id: &str) -> Result<Self, Failure> {
        let directory = join(state, &format!("{PREFIX}{id}"))?;
        Ok(Self {
            directory,
            prefix: String::new(),
            id: id.to_owned(),
        })
    }

    /// Returns the location for the transaction `id` in the state directory `state` itself.
    pub(super) fn shared(state: &RelPath, id: &str) -> Self {
        Self {
            directory: state.clone(),
            prefix: format!("{PREFIX}{id}."),
            id: id.to_owned(),
        }
    }

    /// Returns the location of a history entry with the directory `directory`.
    pub(super) fn for_entry(directory: RelPath, id: &str) -> Self {
        Self {
            directory,
            prefix: String::new(),
            id: id.to_owned(),
        }
    }

    /// Returns the transactions that have a file in `names`, sorted by name, which is the order of
    /// time.
    pub(super) fn find_in(state: &RelPath, names: &[Vec<u8>]) -> Result<Vec<Self>, Failure> {
        let rest = |name| std::str::from_utf8(name).ok()?.strip_prefix(PREFIX);
        let mut found = BTreeMap::new();
        for rest in names.iter().filter_map(|name| rest(name)) {
            let (id, scratch) = match rest.split_once('.') {
                Some((id, _)) => (id, Self::shared(state, id)),
                None => (rest, Self::private(state, rest)?),
            };
            found.insert((id, scratch.is_shared()), scratch);
        }
        Ok(found.into_values().collect())
    }

    /// Creates the directory, unless the state directory itself is used.
    pub(super) fn make(&self, workspace: &dyn Workspace) -> Done<()> {
        if self.is_shared() {
            Ok(())
        } else {
            workspace.make_dir(&self.directory, DirectoryPermissions::Private)
        }
    }

    /// Removes the directory, unless the state directory itself is used.
    pub(super) fn remove(&self, workspace: &dyn Workspace) -> Done<()> {
        if self.is_shared() {
            Ok(())
        } else {
            workspace.remove_dir(&self.directory)
        }
    }

    /// Returns whether the files are in the state directory itself.
    pub(super) fn is_shared(&self) -> bool {
        !self.prefix.is_empty()
    }

    /// Creates the bucket for the number `number`, unless it exists or is not needed.
    pub(super) fn make_bucket(
        &self,
        workspace: &dyn Workspace,
        number: usize,
    ) -> Result<(), Failure> {
        let Some(bucket) = bucket_of(number).map(bucket_name) else {
            return Ok(());
        };
        match workspace.make_dir(&self.file(bucket)?, DirectoryPermissions::Private) {
            Err(error) if error.kind == ErrorKind::Exists => Ok(()),
            made => Ok(made?),
        }
    }

    /// Returns the names of the existing files outside buckets, in the form that [`Scratch::file`]
    /// accepts.
    pub(super) fn names_outside_buckets(&self, workspace: &dyn Workspace) -> Done<Vec<Vec<u8>>> {
        let all = workspace.list(Some(&self.directory))?.into_iter();
        Ok(all
            .filter_map(|name| {
                name.strip_prefix(self.prefix.as_bytes())
                    .map(<[u8]>::to_vec)
            })
            .collect())
    }

    /// Returns the names of all existing files, including those in buckets. The name of a bucket
    /// follows the names of its files.
    pub(super) fn names(&self, workspace: &dyn Workspace) -> Done<Vec<Vec<u8>>> {
        let own = self.names_outside_buckets(workspace)?;
        self.names_in_buckets(workspace, &own, Interrupt::never())
    }

    /// Returns the names `own`, which are outside buckets, and the names in the buckets among them,
    /// in the order of [`Scratch::names`]. Returns an error soon after `interrupt` is raised.
    pub(super) fn names_in_buckets(
        &self,
        workspace: &dyn Workspace,
        own: &[Vec<u8>],
        interrupt: &Interrupt,
    ) -> Done<Vec<Vec<u8>>> {
        let names = threads::map_parallel(own, NAMES_PER_THREAD, |name| {
            if interrupt.is_raised() {
                return Err(WorkspaceError::interrupted("list", &self.directory));
            }
            let mut names = Vec::new();
            if let (true, Ok(bucket)) = (is_bucket_name(name), self.file(name)) {
                let inside = match workspace.list(Some(&bucket)) {
                    // A missing bucket has no files, unless the whole directory was renamed. Then
                    // the error is returned.
                    Err(error)
                        if is_unreachable(error.kind)
                            && workspace.stat(&self.directory)?.is_some() =>
                    {
                        Vec::new()
                    }
                    inside => inside?,
                };
                names.extend(
                    inside
                        .into_iter()
                        .map(|inside| [&name[..], &inside].join(&b'/')),
                );
            }
            names.push(name.clone());
            Ok(names)
        });
        Ok(names
            .into_iter()
            .collect::<Done<Vec<_>>>()?
            .into_iter()
            .flatten()
            .collect())
    }

    /// Returns the path of a file of the transaction itself, such as `journal`.
    pub(super) fn file(&self, name: impl AsRef<[u8]>) -> Result<RelPath, Failure> {
        let path = if self.is_shared() {
            self.directory
                .join(&[self.prefix.as_bytes(), name.as_ref()].concat())
        } else {
            self.directory.join(name.as_ref())
        };
        path.map_err(|_| path_too_long())
    }

    /// Makes the transaction's file at `path` durable, together with the directories above it.
    pub(super) fn make_durable(&self, workspace: &dyn Workspace, path: &RelPath) -> Done<()> {
        workspace.sync(Some(path))?;
        workspace.sync(Some(&self.directory))?;
        for directory in self.directory.ancestors() {
            workspace.sync(Some(&directory))?;
        }
        workspace.sync(None)
    }

    /// Returns the path of a scratch file of `change`.
    pub(super) fn scratch_path(
        &self,
        change: &Change,
        slot: ScratchFile,
    ) -> Result<RelPath, Failure> {
        match change.stage_depth {
            None => self.own_scratch_path(slot, change.number),
            Some(above) => self.path_in(
                change.path.ancestors().nth(above).as_ref(),
                &file_name(slot, change.number),
            ),
        }
    }

    /// Returns the path of the scratch file number `number` in the location of the transaction.
    pub(super) fn own_scratch_path(
        &self,
        slot: ScratchFile,
        number: usize,
    ) -> Result<RelPath, Failure> {
        match number.checked_sub(FIRST_BUCKETED) {
            None => self.file(file_name(slot, number)),
            // Without `format!`, which took a third of the program's own time in a swap of many
            // files.
            Some(place) => {
                let (bucket, place) = ((place / BUCKET_SIZE).to_string(), place.to_string());
                self.file([BUCKET_PREFIX, &bucket, "/", slot.letter(), &place].concat())
            }
        }
    }

    /// Returns the path of a scratch file in `directory`, outside the state directory.
    pub(super) fn path_in(
        &self,
        directory: Option<&RelPath>,
        name: &str,
    ) -> Result<RelPath, Failure> {
        let name = self.name_outside(name);
        match directory {
            Some(directory) => join(directory, &name),
            None => RelPath::new(name.as_bytes()).map_err(|_| path_too_long()),
        }
    }

    /// Returns the path of the file that `change` moves in. `leaving` contains the changes that
    /// move a file out.
    pub(super) fn source_path(
        &self,
        change: &Change,
        moved_out: &ChangesByNumber<'_>,
    ) -> Result<Option<RelPath>, Failure> {
        match change.source {
            None => Ok(None),
            Some(MoveInSource::Staged) => self.scratch_path(change, ScratchFile::Staged).map(Some),
            Some(MoveInSource::Old(number)) => moved_out
                .get(&number)
                .map(|source| self.scratch_path(source, ScratchFile::Displaced))
                .transpose(),
        }
    }

    /// Returns the name of a scratch file outside the state directory.
    pub(super) fn name_outside(&self, name: &str) -> String {
        format!(".wpatch-{}-{name}", self.id)
    }
}

impl ScratchFile {
    /// Returns the first letter of the names with this role.
    fn letter(self) -> &'static str {
        match self {
            Self::Staged => "n",
            Self::Displaced => "o",
            Self::Reverted => "r",
        }
    }
}

/// Returns the bucket of the number `number`, or `None` if it has no bucket.
pub(super) fn bucket_of(number: usize) -> Option<usize> {
    number
        .checked_sub(FIRST_BUCKETED)
        .map(|place| place / BUCKET_SIZE)
}

/// Returns the name of a bucket.
pub(super) fn bucket_name(bucket: usize) -> String {
    format!("{BUCKET_PREFIX}{bucket}")
}

/// Returns whether `name` is a valid name of a bucket.
pub(super) fn is_bucket_name(name: &[u8]) -> bool {
    name.strip_prefix(BUCKET_PREFIX.as_bytes())
        .is_some_and(is_canonical_number)
}

/// Returns whether `digits` is a number without leading zeros.
fn is_canonical_number(digits: &[u8]) -> bool {
    let has_first = digits == b"0"
        || digits
            .first()
            .is_some_and(|digit| (b'1'..=b'9').contains(digit));
    has_first && digits.iter().all(u8::is_ascii_digit)
}

/// Returns the name of the scratch file number `number`.
pub(super) fn file_name(role: ScratchFile, number: usize) -> String {
    format!("{}{number}", role.letter())
}

/// Returns the role and the number of the scratch file `name`. Returns `None` if it is not a
/// scratch file or is in the wrong bucket.
pub(super) fn parse_name(name: &[u8]) -> Option<(ScratchFile, usize)> {
    let (bucket, name) = memchr::memrchr(b'/', name)
        .map_or((None, name), |end| (Some(&name[..end]), &name[end + 1..]));
    let (&letter, digits) = name.split_first()?;
    let slot = [
        ScratchFile::Staged,
        ScratchFile::Displaced,
        ScratchFile::Reverted,
    ]
    .into_iter()
    .find(|slot| slot.letter().as_bytes() == [letter])?;
    let digits = std::str::from_utf8(digits)
        .ok()
        .filter(|digits| is_canonical_number(digits.as_bytes()))?;
    let place: usize = digits.parse().ok()?;
    let number = if bucket.is_some() {
        place.checked_add(FIRST_BUCKETED)?
    } else {
        place
    };
    (bucket
        == bucket_of(number)
            .map(bucket_name)
            .as_deref()
            .map(str::as_bytes))
    .then_some((slot, number))
}

/// Returns the scratch name of the removed directory number `index`.
pub(super) fn directory_name(index: usize) -> String {
    format!("d{index}")
}

/// Returns whether `name` was returned by [`directory_name`].
pub(super) fn is_directory_name(name: &[u8]) -> bool {
    name.strip_prefix(b"d")
        .is_some_and(|digits| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit))
}

/// Returns the path of `name` in `directory`.
pub(super) fn join(directory: &RelPath, name: &str) -> Result<RelPath, Failure> {
    directory.join(name.as_bytes()).map_err(|_| path_too_long())
}

pub(super) fn path_too_long() -> Failure {
    Failure::State {
        reason: "the path of a scratch file is too long".to_owned(),
    }
}

#[cfg(test)]
mod tests;
