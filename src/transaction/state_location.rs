//! Locates the state directory and decides whether to trust it.

use super::Failure;
use super::failure::is_unreachable;
use super::scratch::join;
use super::unkept::{NoHistoryReason, Remedy};
use crate::mode::FileKind;
use crate::path::RelPath;
use crate::text::printable;
use crate::workspace::disk::advice;
use crate::workspace::{ErrorKind, GitDirectory, ModeProbe, Stat, TEMPORARY, Workspace};

/// Returns the state directory of a root outside of git work trees.
pub(super) fn state_directory() -> RelPath {
    RelPath::new(b".wpatch").expect("BUG: a plain name is no path")
}

/// The location of the state of a root.
#[derive(Debug)]
pub(super) struct StateLocation {
    pub(super) directory: RelPath,
    /// The state directory from the time before the root became a git work tree, if it still
    /// exists.
    pub(super) former: Option<RelPath>,
    /// The reason why the git directory or the usual state directory cannot be used, if it seems to
    /// exist.
    pub(super) unusable: Option<NoHistoryReason>,
    /// The state directories of other users, with their `Stat`.
    pub(super) others: Vec<(RelPath, Stat)>,
    /// The content of the [`TOP`](crate::workspace::TOP_RECORD) file in the state directory.
    pub(super) binding: Option<Vec<u8>>,
}

/// Returns this user's state directory if another user owns the usual one. It is a temporary
/// directory.
pub(super) fn user_state_directory(workspace: &dyn Workspace) -> RelPath {
    RelPath::new(format!(".wpatch-{}", workspace.user()).as_bytes())
        .expect("BUG: a plain name is no path")
}

/// Returns the location of the state of `workspace`, which is the top of a git work tree or outside
/// of one.
///
/// The candidates are `wpatch/` in the git directory of the work tree, then `.wpatch/`. If another
/// user owns them, the state is in a directory of this user.
pub(super) fn locate_state(workspace: &dyn Workspace) -> Result<StateLocation, Failure> {
    locate_state_with_git(workspace, workspace.git_directory()?)
}

/// Returns the location of the state of `workspace`, whose git directory is `git`.
pub(super) fn locate_state_with_git(
    workspace: &dyn Workspace,
    git: GitDirectory,
) -> Result<StateLocation, Failure> {
    let GitStateDirectory {
        directory,
        binding,
        mut unusable,
        other,
    } = find_git_state(workspace, git)?;
    let mut others: Vec<_> = other.into_iter().collect();
    let mut own = Vec::new();
    for candidate in directory.into_iter().chain([state_directory()]) {
        let stat = stat_reachable(workspace, &candidate)?;
        let Some(stat) = stat.filter(|stat| is_foreign(workspace, &candidate, stat)) else {
            own.push((candidate, stat.is_some()));
            continue;
        };
        // The reason for the first candidate, in the git directory, is more important than the one
        // for `.wpatch/`.
        if own.is_empty() {
            unusable.get_or_insert_with(|| foreign_owner_reason(workspace, &candidate, stat.uid));
        }
        others.push((candidate, stat));
    }
    let mut own = own.into_iter();
    let directory = own.next().map_or_else(
        || user_state_directory(workspace),
        |(directory, _)| directory,
    );
    // The second candidate was the state directory before the root became a git work tree.
    let former = own
        .next()
        .and_then(|(former, is_there)| is_there.then_some(former));
    let is_in_git = directory.parent().is_some();
    Ok(StateLocation {
        directory,
        former,
        unusable,
        others,
        binding: binding.filter(|_| is_in_git),
    })
}

/// The state in the git directory.
#[derive(Default)]
struct GitStateDirectory {
    /// The state directory there.
    directory: Option<RelPath>,
    /// The content of its `TOP` file.
    binding: Option<Vec<u8>>,
    /// The reason why it cannot be used.
    unusable: Option<NoHistoryReason>,
    /// The state directory of another user there, with its `Stat`.
    other: Option<(RelPath, Stat)>,
}

fn find_git_state(
    workspace: &dyn Workspace,
    git: GitDirectory,
) -> Result<GitStateDirectory, Failure> {
    let unusable = |why, remedy| {
        Some(NoHistoryReason {
            remedy,
            ..NoHistoryReason::new(why)
        })
    };
    Ok(match git {
        GitDirectory::At { directory, binding } => GitStateDirectory {
            directory: Some(join(&directory, "wpatch")?),
            binding,
            ..GitStateDirectory::default()
        },
        GitDirectory::Missing => GitStateDirectory::default(),
        GitDirectory::Inside { why } => GitStateDirectory {
            unusable: unusable(why, Remedy::Named),
            ..GitStateDirectory::default()
        },
        GitDirectory::Unusable {
            why,
            foreign_path: theirs,
            has_remedy,
        } => {
            let remedy = if has_remedy {
                Remedy::Named
            } else {
                Remedy::Init
            };
            let mut other = None;
            if let Some(theirs) = theirs {
                let theirs = join(&theirs, "wpatch")?;
                let found = stat_reachable(workspace, &theirs)?
                    .filter(|stat| is_foreign(workspace, &theirs, stat));
                other = found.map(|stat| (theirs, stat));
            }
            GitStateDirectory {
                unusable: unusable(why, remedy),
                other,
                ..GitStateDirectory::default()
            }
        }
    })
}

/// Returns the reason why the state directory `directory` of the user `owner` cannot be used.
fn foreign_owner_reason(
    workspace: &dyn Workspace,
    directory: &RelPath,
    owner: u32,
) -> NoHistoryReason {
    let (name, user) = (display_path(workspace, directory), workspace.user());
    let (remedy, owner) = (advice::change_owner(&name, user), advice::owner_note(owner));
    NoHistoryReason {
        reason: format!("{name} belongs to another user{owner}; {remedy}"),
        remedy: Remedy::Named,
        is_warned: false,
    }
}

/// Returns the `Stat` of `path`, or `None` if this user cannot reach it.
fn stat_reachable(workspace: &dyn Workspace, path: &RelPath) -> Result<Option<Stat>, Failure> {
    match workspace.stat(path) {
        Err(error) if error.kind == ErrorKind::Denied || is_unreachable(error.kind) => Ok(None),
        found => Ok(found?),
    }
}

/// Returns whether `path` with this `stat` is the state directory of another user.
fn is_foreign(workspace: &dyn Workspace, path: &RelPath, stat: &Stat) -> bool {
    stat.kind == FileKind::Directory
        && stat.uid != workspace.user()
        && (workspace.can_store_owners(Some(path), ModeProbe::Unnamed)
            || workspace.can_store_owners(path.parent().as_ref(), ModeProbe::Unnamed))
}

/// The file in a permanent state directory whose lock is the lock of the directory.
pub(super) const LOCK: &str = "lock";
/// The file that makes git ignore the directory.
pub(super) const GITIGNORE: &str = ".gitignore";

/// The lifetime of a state directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lifetime {
    Permanent,
    /// The directory is removed after one command. The mode bit [`TEMPORARY`] marks it.
    Temporary,
    /// The directory is removed after one command, but the file system cannot store the mark. A
    /// permanent directory contains [`GITIGNORE`] there.
    TemporaryUnmarked,
}

impl Lifetime {
    pub(super) fn is_temporary(self) -> bool {
        self != Self::Permanent
    }
}

/// Returns the lifetime of the state directory `directory`, or `None` if it does not exist.
///
/// # Security
///
/// The content is trusted only if no other user can have written it, because recovery writes the
/// files that a journal lists. On a file system without permission bits, such as vfat, owner and
/// bits are those of the mount. There, a user who can write to the state directory can also write
/// to the tree, and gains nothing.
pub(super) fn find_lifetime(
    workspace: &dyn Workspace,
    directory: &RelPath,
) -> Result<Option<Lifetime>, Failure> {
    find_lifetime_with(workspace, directory, ModeProbe::Named)
}

/// Returns the lifetime of the state directory `directory` without creating a probe file, for
/// commands that only read.
pub(super) fn find_lifetime_without_probe(
    workspace: &dyn Workspace,
    directory: &RelPath,
) -> Result<Option<Lifetime>, Failure> {
    find_lifetime_with(workspace, directory, ModeProbe::Unnamed)
}

fn find_lifetime_with(
    workspace: &dyn Workspace,
    directory: &RelPath,
    probe: ModeProbe,
) -> Result<Option<Lifetime>, Failure> {
    let Some(stat) = workspace.stat(directory)? else {
        return Ok(None);
    };
    let has_owners = || {
        let above = directory.parent();
        // The git directory can be on another file system than the root.
        [Some(directory), above.as_ref(), None]
            .into_iter()
            .any(|directory| workspace.can_store_owners(directory, probe))
    };
    let reason = match stat.kind {
        // These are the owner and the bits of the mount, see above.
        FileKind::Directory if is_writable_by_others(workspace, &stat) && !has_owners() => {
            return Ok(Some(lifetime(workspace, directory, &stat, probe)?));
        }
        _ if stat.uid != workspace.user() => {
            return Err(Failure::Foreign {
                directory: display_path(workspace, directory),
                owner: stat.uid,
            });
        }
        FileKind::Directory if stat.permissions & 0o022 != 0 => {
            let remedy = if workspace.can_store_owners(Some(directory), probe) {
                format!("{} on it", advice::REMOVE_WRITE_PERMISSION)
            } else {
                "mount its file system for this user only, such as with umask=077".to_owned()
            };
            format!("{directory}: other users can write to the directory; {remedy}")
        }
        FileKind::Directory => return Ok(Some(lifetime(workspace, directory, &stat, probe)?)),
        kind => format!("{directory}: expected the state directory, found a {kind}"),
    };
    Err(Failure::State { reason })
}

/// Returns whether a state directory exists at `directory`. Creates no file.
///
/// # Errors
///
/// Returns [`Failure::State`] or [`Failure::Foreign`] for a directory that a writing command would
/// refuse.
pub(super) fn is_state_directory(
    workspace: &dyn Workspace,
    directory: &RelPath,
) -> Result<bool, Failure> {
    match find_lifetime_without_probe(workspace, directory)? {
        None => return Ok(false),
        // A temporary directory has no lock file, because the directory itself is locked.
        Some(lifetime) if lifetime.is_temporary() => return Ok(true),
        Some(_) => {}
    }
    let lock = join(directory, LOCK)?;
    match workspace.stat(&lock)? {
        Some(stat) if stat.kind != FileKind::Regular => Err(not_regular_failure(&lock)),
        _ => Ok(true),
    }
}

/// Returns the error for `path`, which must be a regular file of the state directory.
pub(super) fn not_regular_failure(path: &RelPath) -> Failure {
    Failure::State {
        reason: format!("{path}: not a regular file; remove it"),
    }
}

/// Checks that a permanent state directory is possible.
///
/// # Errors
///
/// Returns [`Failure::Foreign`] if another user owns the usual one, and [`Failure::State`] inside a
/// git directory.
pub(super) fn check_can_be_permanent(workspace: &dyn Workspace) -> Result<(), Failure> {
    let git = workspace.git_directory()?;
    if let GitDirectory::Inside { why } = &git {
        return Err(Failure::State {
            reason: format!("{why}: run `wpatch init` in a work tree"),
        });
    }
    let place = locate_state_with_git(workspace, git)?;
    match place.others.first() {
        Some((path, stat)) if place.directory == user_state_directory(workspace) => {
            Err(Failure::Foreign {
                directory: display_path(workspace, path),
                owner: stat.uid,
            })
        }
        _ => Ok(()),
    }
}

/// Returns the path of `directory` as other programs use it.
pub(super) fn display_path(workspace: &dyn Workspace, directory: &RelPath) -> String {
    printable(&workspace.real_path(directory)).to_string()
}

/// Returns whether owner or permission bits allow another user to write to a directory.
pub(super) fn is_writable_by_others(workspace: &dyn Workspace, stat: &Stat) -> bool {
    stat.uid != workspace.user() || stat.permissions & 0o022 != 0
}

/// Returns the lifetime of the state directory `directory`.
fn lifetime(
    workspace: &dyn Workspace,
    directory: &RelPath,
    stat: &Stat,
    probe: ModeProbe,
) -> Result<Lifetime, Failure> {
    if stat.permissions & TEMPORARY != 0 {
        return Ok(Lifetime::Temporary);
    }
    let is_dot_wpatch = directory.as_bytes() == b".wpatch";
    if !is_dot_wpatch || workspace.stat(&join(directory, GITIGNORE)?)?.is_some() {
        return Ok(Lifetime::Permanent);
    }
    // The user may have created a permanent directory without that file.
    let can_be_marked = workspace.stored_bits(Some(directory), TEMPORARY, probe) == Some(TEMPORARY);
    Ok(if can_be_marked {
        Lifetime::Permanent
    } else {
        Lifetime::TemporaryUnmarked
    })
}

/// Returns whether only the current user can use the file. A file that is being removed has no name
/// and a link count of 0.
pub(super) fn is_private(workspace: &dyn Workspace, stat: &Stat) -> bool {
    stat.uid == workspace.user() && stat.permissions & 0o7177 == 0 && stat.links <= 1
}
