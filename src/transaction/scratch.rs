//! Where the scratch files of one transaction are, and what they are called.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use xxhash_rust::xxh3::xxh3_64;

use super::Failure;
use super::change::{Arrival, Change, Numbered};
use super::failure::is_unreachable;
use crate::path::RelPath;
use crate::threads;
use crate::workspace::{Fault, Privacy, Result as Done, Timestamp, Workspace};

/// How the names of transactions begin in a state directory.
const PREFIX: &str = "txn-";
/// So many scratch files stand right in the place of a transaction, and so many in each of the
/// buckets that follow: a file system looks through what is in a directory for each name, and lets
/// only one thread at a time put one there.
pub(super) const BUCKET: usize = 32;
/// The first number of a scratch file in a bucket. All below it stand right in the place of a
/// transaction, as they did before there were buckets, when no transaction came as far.
pub(super) const BUCKETED: usize = 1 << 31;
/// How the names of buckets begin.
const BUCKETS: &str = "files";
/// Names of scratch files and buckets of which a thread takes so many at least: it has the buckets
/// to list.
const LISTED: usize = 64;

/// Where the scratch files of one transaction are.
///
/// Where a history is kept they have one of their own, `txn-<id>/`, so that it can be kept whole.
/// Elsewhere they stand right in the state directory, which passes, as `txn-<id>.journal`: to make
/// a directory and remove it again costs as much as all the rest of a small commit.
#[derive(Clone, Debug)]
pub(super) struct Scratch {
    /// The directory that the files are in.
    pub(super) directory: RelPath,
    /// What their names begin with.
    prefix: String,
    /// The transaction's name.
    pub(super) id: String,
}

/// What a scratch file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Slot {
    /// A new file that waits; after an exchange, the old one.
    New,
    /// An old file that was moved out.
    Old,
    /// A new file that rolling back took out again.
    Returned,
}

impl Scratch {
    /// Returns that of the transaction `id`, with a directory of its own in the state directory
    /// `state`.
    pub(super) fn housed(state: &RelPath, id: &str) -> Result<Self, Failure> {
        let directory = join(state, &format!("{PREFIX}{id}"))?;
        Ok(Self {
            directory,
            prefix: String::new(),
            id: id.to_owned(),
        })
    }

    /// Returns that of the transaction `id`, right in the state directory `state`.
    pub(super) fn lodged(state: &RelPath, id: &str) -> Self {
        Self {
            directory: state.clone(),
            prefix: format!("{PREFIX}{id}."),
            id: id.to_owned(),
        }
    }

    /// Returns that of an entry of the history, whose directory is `directory`.
    pub(super) fn of_entry(directory: RelPath, id: &str) -> Self {
        Self {
            directory,
            prefix: String::new(),
            id: id.to_owned(),
        }
    }

    /// Returns those that have anything among `names`, in the order of their names, which is that
    /// of time.
    pub(super) fn among(state: &RelPath, names: &[Vec<u8>]) -> Result<Vec<Self>, Failure> {
        let rest = |name| std::str::from_utf8(name).ok()?.strip_prefix(PREFIX);
        let mut found = BTreeMap::new();
        for rest in names.iter().filter_map(|name| rest(name)) {
            let (id, scratch) = match rest.split_once('.') {
                Some((id, _)) => (id, Self::lodged(state, id)),
                None => (rest, Self::housed(state, rest)?),
            };
            found.insert((id, scratch.is_lodged()), scratch);
        }
        Ok(found.into_values().collect())
    }

    /// Makes the directory, unless it is there with the state directory.
    pub(super) fn make(&self, workspace: &dyn Workspace) -> Done<()> {
        if self.is_lodged() {
            Ok(())
        } else {
            workspace.make_dir(&self.directory, Privacy::Private)
        }
    }

    /// Removes the directory, unless it goes with the state directory.
    pub(super) fn remove(&self, workspace: &dyn Workspace) -> Done<()> {
        if self.is_lodged() {
            Ok(())
        } else {
            workspace.remove_dir(&self.directory)
        }
    }

    /// Returns whether its files stand right in the state directory.
    pub(super) fn is_lodged(&self) -> bool {
        !self.prefix.is_empty()
    }

    /// Makes the bucket for the scratch files number `number`, unless it is there or they need
    /// none.
    pub(super) fn make_bucket(
        &self,
        workspace: &dyn Workspace,
        number: usize,
    ) -> Result<(), Failure> {
        let Some(bucket) = bucket_of(number).map(bucket_name) else {
            return Ok(());
        };
        match workspace.make_dir(&self.file(bucket)?, Privacy::Private) {
            Err(error) if error.fault == Fault::Exists => Ok(()),
            made => Ok(made?),
        }
    }

    /// Returns the names of the files that are there, but for those in buckets, as
    /// [`Scratch::file`] takes them.
    pub(super) fn own_names(&self, workspace: &dyn Workspace) -> Done<Vec<Vec<u8>>> {
        let all = workspace.list(Some(&self.directory))?.into_iter();
        Ok(all
            .filter_map(|name| {
                name.strip_prefix(self.prefix.as_bytes())
                    .map(<[u8]>::to_vec)
            })
            .collect())
    }

    /// Does the same with those in buckets; the name of a bucket follows those of what is in it.
    pub(super) fn names(&self, workspace: &dyn Workspace) -> Done<Vec<Vec<u8>>> {
        let own = self.own_names(workspace)?;
        let names = threads::map(&own, LISTED, |name| {
            let mut names = Vec::new();
            if let (true, Ok(bucket)) = (is_bucket_name(name), self.file(name)) {
                let inside = match workspace.list(Some(&bucket)) {
                    // Where all of it has another name by now, nobody is told that a part is
                    // missing.
                    Err(error)
                        if is_unreachable(error.fault)
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
        let path = if self.is_lodged() {
            self.directory
                .join(&[self.prefix.as_bytes(), name.as_ref()].concat())
        } else {
            self.directory.join(name.as_ref())
        };
        path.map_err(|_| too_long())
    }

    /// Makes the file of the transaction itself durable that is at `path`, with the directories
    /// above it.
    pub(super) fn make_durable(&self, workspace: &dyn Workspace, path: &RelPath) -> Done<()> {
        workspace.sync(Some(path))?;
        workspace.sync(Some(&self.directory))?;
        for directory in self.directory.ancestors() {
            workspace.sync(Some(&directory))?;
        }
        workspace.sync(None)
    }

    /// Returns the path of a scratch file of `change`.
    pub(super) fn slot(&self, change: &Change, slot: Slot) -> Result<RelPath, Failure> {
        match change.beside {
            None => self.own_slot(slot, change.number),
            Some(above) => self.beside(
                change.path.ancestors().nth(above).as_ref(),
                &name(slot, change.number),
            ),
        }
    }

    /// Returns the path of the scratch file number `number` that stands in its own place.
    pub(super) fn own_slot(&self, slot: Slot, number: usize) -> Result<RelPath, Failure> {
        match number.checked_sub(BUCKETED) {
            None => self.file(name(slot, number)),
            // Not by a format: that was a third of all that the program itself does in the swap of
            // many files.
            Some(place) => {
                let (bucket, place) = ((place / BUCKET).to_string(), place.to_string());
                self.file([BUCKETS, &bucket, "/", slot.letter(), &place].concat())
            }
        }
    }

    /// Returns the path of a scratch file in `directory`, outside of the state directory.
    pub(super) fn beside(
        &self,
        directory: Option<&RelPath>,
        name: &str,
    ) -> Result<RelPath, Failure> {
        let name = self.beside_name(name);
        match directory {
            Some(directory) => join(directory, &name),
            None => RelPath::new(name.as_bytes()).map_err(|_| too_long()),
        }
    }

    /// Returns the path of the scratch file that comes in with `change`. `leaving` holds what may
    /// have moved.
    pub(super) fn arrival(
        &self,
        change: &Change,
        leaving: &Numbered<'_>,
    ) -> Result<Option<RelPath>, Failure> {
        match change.arrives {
            None => Ok(None),
            Some(Arrival::Staged) => self.slot(change, Slot::New).map(Some),
            Some(Arrival::Old(number)) => leaving
                .get(&number)
                .map(|source| self.slot(source, Slot::Old))
                .transpose(),
        }
    }

    /// Returns the name that a scratch file has outside of the state directory.
    pub(super) fn beside_name(&self, name: &str) -> String {
        format!(".wpatch-{}-{name}", self.id)
    }
}

/// Returns a name for a transaction that began at `now`: names sort by time, also where clocks
/// stand still or go back (it comes behind the name `last`), and no two are the same.
pub(super) fn id(now: Timestamp, last: Option<&str>) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let hex = |text: Option<&str>| text.and_then(|digits| u64::from_str_radix(digits, 16).ok());
    let time = |id: &str| Some((hex(id.get(..10))?, hex(id.get(10..18))?));
    let now = (
        u64::try_from(now.seconds).unwrap_or_default(),
        u64::from(now.nanoseconds),
    );
    let (seconds, nanoseconds) = match last.and_then(time) {
        Some(last) if last >= now => (last.0, last.1 + 1),
        _ => now,
    };
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let seed = format!(
        "{} {count} {:p} {:?}",
        std::process::id(),
        &raw const COUNT,
        SystemTime::now()
    );
    let random = xxh3_64(seed.as_bytes()) >> 32;
    format!("{seconds:010x}{nanoseconds:08x}-{random:08x}")
}

impl Slot {
    /// Returns the letter that the names of such files begin with.
    fn letter(self) -> &'static str {
        match self {
            Self::New => "n",
            Self::Old => "o",
            Self::Returned => "r",
        }
    }
}

/// Returns which bucket the scratch files number `number` stand in, if they stand in one.
pub(super) fn bucket_of(number: usize) -> Option<usize> {
    number.checked_sub(BUCKETED).map(|place| place / BUCKET)
}

/// Returns the name of a bucket.
pub(super) fn bucket_name(bucket: usize) -> String {
    format!("{BUCKETS}{bucket}")
}

/// Returns whether a bucket may be called `name`.
pub(super) fn is_bucket_name(name: &[u8]) -> bool {
    name.strip_prefix(BUCKETS.as_bytes()).is_some_and(is_plain)
}

/// Returns whether `digits` are those of a number, without any in front that say nothing.
fn is_plain(digits: &[u8]) -> bool {
    let has_first = digits == b"0"
        || digits
            .first()
            .is_some_and(|digit| (b'1'..=b'9').contains(digit));
    has_first && digits.iter().all(u8::is_ascii_digit)
}

/// Returns the name of the scratch file number `number`.
pub(super) fn name(slot: Slot, number: usize) -> String {
    format!("{}{number}", slot.letter())
}

/// Returns what the scratch file `name` is for, and its number; `None` if it is called otherwise,
/// or is not in its bucket.
pub(super) fn slot_of(name: &[u8]) -> Option<(Slot, usize)> {
    let (bucket, name) = memchr::memrchr(b'/', name)
        .map_or((None, name), |end| (Some(&name[..end]), &name[end + 1..]));
    let (&letter, digits) = name.split_first()?;
    let slot = [Slot::New, Slot::Old, Slot::Returned]
        .into_iter()
        .find(|slot| slot.letter().as_bytes() == [letter])?;
    let digits = std::str::from_utf8(digits)
        .ok()
        .filter(|digits| is_plain(digits.as_bytes()))?;
    let place: usize = digits.parse().ok()?;
    let number = if bucket.is_some() {
        place.checked_add(BUCKETED)?
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

/// Returns the name of the directory that was taken out as the one number `index` of those that go.
pub(super) fn directory_name(index: usize) -> String {
    format!("d{index}")
}

/// Returns whether [`directory_name`] gave `name`.
pub(super) fn is_directory_name(name: &[u8]) -> bool {
    name.strip_prefix(b"d")
        .is_some_and(|digits| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit))
}

/// Returns the path of `name` in `directory`.
pub(super) fn join(directory: &RelPath, name: &str) -> Result<RelPath, Failure> {
    directory.join(name.as_bytes()).map_err(|_| too_long())
}

pub(super) fn too_long() -> Failure {
    Failure::State {
        reason: "the path of a scratch file is too long".to_owned(),
    }
}

#[cfg(test)]
mod tests;
