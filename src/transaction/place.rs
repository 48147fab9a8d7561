//! Where the state is, and what is believed that lies there.

use super::Failure;
use super::failure::is_unreachable;
use super::scratch::join;
use super::unkept::{Remedy, Unkept};
use crate::mode::FileKind;
use crate::path::RelPath;
use crate::text::printable;
use crate::workspace::{Fault, GitDirectory, PASSING, Probe, Stat, Workspace};

/// Returns where the state is below a root that is in no work tree of git.
pub(super) fn beside() -> RelPath {
    RelPath::new(b".wpatch").expect("BUG: a plain name is no path")
}

/// Where the state of a root is.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) directory: RelPath,
    /// Where it was before the root became a work tree of git, if anything is there.
    pub(super) former: Option<RelPath>,
    /// Why git's directory, or the usual state directory, is not used, if there seems to be one.
    pub(super) unusable: Option<Unkept>,
    /// The state directories of other users, with what they are.
    pub(super) others: Vec<(RelPath, Stat)>,
    /// What the state directory has to record, see [`TOP`](crate::workspace::TOP).
    pub(super) binding: Option<Vec<u8>>,
}

/// Returns where the state of this user is if another user has the usual state directory. It is
/// made for one command.
pub(super) fn of_user(workspace: &dyn Workspace) -> RelPath {
    RelPath::new(format!(".wpatch-{}", workspace.user()).as_bytes())
        .expect("BUG: a plain name is no path")
}

/// Returns where the state of `workspace` is, which is the top of a work tree of git or in none:
/// `wpatch/` in git's directory of that work tree, else `.wpatch/`, and else, if these belong to
/// another user, a directory of this user.
pub(super) fn place(workspace: &dyn Workspace) -> Result<Place, Failure> {
    place_with_git(workspace, workspace.git_directory()?)
}

/// Does the same where the git directory is known.
pub(super) fn place_with_git(
    workspace: &dyn Workspace,
    git: GitDirectory,
) -> Result<Place, Failure> {
    let OfGit {
        directory,
        binding,
        mut unusable,
        other,
    } = of_git(workspace, git)?;
    let mut others: Vec<_> = other.into_iter().collect();
    let mut own = Vec::new();
    for candidate in directory.into_iter().chain([beside()]) {
        let stat = reachable(workspace, &candidate)?;
        let Some(stat) = stat.filter(|stat| is_foreign(workspace, &candidate, stat)) else {
            own.push((candidate, stat.is_some()));
            continue;
        };
        // What git's directory cannot do matters more than what the place beside it cannot.
        if own.is_empty() {
            unusable.get_or_insert_with(|| foreign(workspace, &candidate, stat.uid));
        }
        others.push((candidate, stat));
    }
    let mut own = own.into_iter();
    let directory = own
        .next()
        .map_or_else(|| of_user(workspace), |(directory, _)| directory);
    // The state was there before the root became a work tree of git.
    let former = own
        .next()
        .and_then(|(former, is_there)| is_there.then_some(former));
    let is_in_git = directory.parent().is_some();
    Ok(Place {
        directory,
        former,
        unusable,
        others,
        binding: binding.filter(|_| is_in_git),
    })
}

/// What git's directory means for the state.
#[derive(Default)]
struct OfGit {
    /// The place for the state there.
    directory: Option<RelPath>,
    /// What the state directory there has to record.
    binding: Option<Vec<u8>>,
    /// Why it is not used.
    unusable: Option<Unkept>,
    /// The state directory of another user there, with what it is.
    other: Option<(RelPath, Stat)>,
}

fn of_git(workspace: &dyn Workspace, git: GitDirectory) -> Result<OfGit, Failure> {
    let unusable = |why, remedy| {
        Some(Unkept {
            remedy,
            ..Unkept::new(why)
        })
    };
    Ok(match git {
        GitDirectory::At { directory, binding } => OfGit {
            directory: Some(join(&directory, "wpatch")?),
            binding,
            ..OfGit::default()
        },
        GitDirectory::Missing => OfGit::default(),
        GitDirectory::Inside { why } => OfGit {
            unusable: unusable(why, Remedy::Named),
            ..OfGit::default()
        },
        GitDirectory::Unusable {
            why,
            theirs,
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
                let found = reachable(workspace, &theirs)?
                    .filter(|stat| is_foreign(workspace, &theirs, stat));
                other = found.map(|stat| (theirs, stat));
            }
            OfGit {
                unusable: unusable(why, remedy),
                other,
                ..OfGit::default()
            }
        }
    })
}

/// Returns why the state directory `directory` of the user `owner` is not used.
fn foreign(workspace: &dyn Workspace, directory: &RelPath, owner: u32) -> Unkept {
    let (name, user) = (shown(workspace, directory), workspace.user());
    let remedy = format!("`chown -R {user} {name}` as root or as that user gives it to this user");
    Unkept {
        reason: format!("{name} belongs to another user (uid {owner}); {remedy}"),
        remedy: Remedy::Named,
        is_warned: false,
    }
}

/// Returns what is at `path`. What this user cannot reach is ignored.
fn reachable(workspace: &dyn Workspace, path: &RelPath) -> Result<Option<Stat>, Failure> {
    match workspace.stat(path) {
        Err(error) if error.fault == Fault::Denied || is_unreachable(error.fault) => Ok(None),
        found => Ok(found?),
    }
}

/// Returns whether `path`, which has this `stat`, is a state directory of another user.
fn is_foreign(workspace: &dyn Workspace, path: &RelPath, stat: &Stat) -> bool {
    stat.kind == FileKind::Directory
        && stat.uid != workspace.user()
        && (workspace.keeps_modes(Some(path), Probe::Unnamed)
            || workspace.keeps_modes(path.parent().as_ref(), Probe::Unnamed))
}

/// The file of a state directory that stays whose lock is the lock of the directory.
pub(super) const LOCK: &str = "lock";
/// The file that keeps git from looking into the directory.
pub(super) const IGNORE: &str = ".gitignore";

/// How long a state directory stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lifetime {
    Stays,
    /// As long as one command, as [`PASSING`] shows.
    Passes,
    /// As long as one command, on a file system that cannot show it: one that is to stay has
    /// [`IGNORE`] in it there.
    PassesUnmarked,
}

impl Lifetime {
    pub(super) fn passes(self) -> bool {
        self != Self::Stays
    }
}

/// Returns how long the directory of the program's own at `directory` stays; `None` if there is
/// none.
///
/// # Security
///
/// Its content is believed only if no other user can have written it: a journal is a list of files
/// to write. If the tree itself is on a file system without permission bits, such as vfat, owner
/// and bits are those of the mount. There every user who can write to the state can write to the
/// tree as well, and gains nothing.
pub(super) fn find(
    workspace: &dyn Workspace,
    directory: &RelPath,
) -> Result<Option<Lifetime>, Failure> {
    find_by(workspace, directory, Probe::Named)
}

/// Does the same and makes no file, not even for a moment.
pub(super) fn find_to_read(
    workspace: &dyn Workspace,
    directory: &RelPath,
) -> Result<Option<Lifetime>, Failure> {
    find_by(workspace, directory, Probe::Unnamed)
}

fn find_by(
    workspace: &dyn Workspace,
    directory: &RelPath,
    probe: Probe,
) -> Result<Option<Lifetime>, Failure> {
    let Some(stat) = workspace.stat(directory)? else {
        return Ok(None);
    };
    let has_bits = || {
        let above = directory.parent();
        workspace.keeps_modes(Some(directory), probe)
            || workspace.keeps_modes(above.as_ref(), probe)
    };
    let reason = match stat.kind {
        FileKind::Directory if is_open(workspace, &stat) && !has_bits() => {
            return Ok(Some(lifetime(workspace, directory, &stat, probe)?));
        }
        _ if stat.uid != workspace.user() => {
            return Err(Failure::Foreign {
                directory: shown(workspace, directory),
                owner: stat.uid,
            });
        }
        FileKind::Directory if stat.permissions & 0o022 != 0 => {
            format!("{directory}: others can write to it")
        }
        FileKind::Directory => return Ok(Some(lifetime(workspace, directory, &stat, probe)?)),
        kind => format!("{directory}: a {kind} where the state directory should be"),
    };
    Err(Failure::State { reason })
}

/// Returns whether a state directory is at `directory`. It creates no file.
///
/// # Errors
///
/// Returns [`Failure::State`] and [`Failure::Foreign`] for a directory that a command that writes
/// would refuse.
pub(super) fn is_state(workspace: &dyn Workspace, directory: &RelPath) -> Result<bool, Failure> {
    match find_to_read(workspace, directory)? {
        None => return Ok(false),
        // The directory itself is locked.
        Some(lifetime) if lifetime.passes() => return Ok(true),
        Some(_) => {}
    }
    let lock = join(directory, LOCK)?;
    match workspace.stat(&lock)? {
        Some(stat) if stat.kind != FileKind::Regular => Err(no_file(&lock)),
        _ => Ok(true),
    }
}

/// Returns the error for `path`, which must be a regular file of the state directory and is not.
pub(super) fn no_file(path: &RelPath) -> Failure {
    Failure::State {
        reason: format!("{path}: not a regular file; remove it"),
    }
}

/// Returns an error if no state directory can stay, because another user has the usual one.
pub(super) fn may_stay(workspace: &dyn Workspace) -> Result<(), Failure> {
    let git = workspace.git_directory()?;
    if let GitDirectory::Inside { why } = &git {
        return Err(Failure::State {
            reason: format!("{why}: run `wpatch init` in a work tree"),
        });
    }
    let place = place_with_git(workspace, git)?;
    match place.others.first() {
        Some((path, stat)) if place.directory == of_user(workspace) => Err(Failure::Foreign {
            directory: shown(workspace, path),
            owner: stat.uid,
        }),
        _ => Ok(()),
    }
}

/// Returns how other programs call `directory`.
pub(super) fn shown(workspace: &dyn Workspace, directory: &RelPath) -> String {
    printable(&workspace.real_path(directory)).to_string()
}

/// Returns whether the owner and the bits of a directory let another user write to it.
pub(super) fn is_open(workspace: &dyn Workspace, stat: &Stat) -> bool {
    stat.uid != workspace.user() || stat.permissions & 0o022 != 0
}

/// Returns how long the directory at `directory` stays.
fn lifetime(
    workspace: &dyn Workspace,
    directory: &RelPath,
    stat: &Stat,
    probe: Probe,
) -> Result<Lifetime, Failure> {
    if stat.permissions & PASSING != 0 {
        return Ok(Lifetime::Passes);
    }
    let is_beside = directory.as_bytes() == b".wpatch";
    if !is_beside || workspace.stat(&join(directory, IGNORE)?)?.is_some() {
        return Ok(Lifetime::Stays);
    }
    // The user may have made it, without that file.
    let has_bits = workspace.keeps_modes(Some(directory), probe);
    Ok(if has_bits {
        Lifetime::Stays
    } else {
        Lifetime::PassesUnmarked
    })
}

/// Returns whether a file belongs to the user and to nobody else. One that is being removed has no
/// name any more.
pub(super) fn is_private(workspace: &dyn Workspace, stat: &Stat) -> bool {
    stat.uid == workspace.user() && stat.permissions & 0o7177 == 0 && stat.links <= 1
}
