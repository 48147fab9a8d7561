//! Where the state is, and what is believed that lies there.

use super::Failure;
use super::scratch::join;
use crate::mode::FileKind;
use crate::path::RelPath;
use crate::workspace::{GitDirectory, PASSING, Stat, Workspace};

/// Returns where the state is below a root that is in no work tree of git.
pub(super) fn beside() -> RelPath {
    RelPath::new(b".wpatch").expect("BUG: a plain name is no path")
}

/// Where the state of a root is.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) directory: RelPath,
    /// Where it was before the root became a work tree of git; `None` if it is none.
    pub(super) former: Option<RelPath>,
    /// Why git's directory is not used, if there seems to be one.
    pub(super) unusable: Option<String>,
}

/// Returns where the state of `workspace` is, which is the top of a work tree of git or in none: `wpatch/` in git's
/// directory of that work tree, and else `.wpatch/`.
pub(super) fn place(workspace: &dyn Workspace) -> Result<Place, Failure> {
    let (git, unusable) = match workspace.git_directory()? {
        GitDirectory::At(git) => (Some(join(&git, "wpatch")?), None),
        GitDirectory::Missing => (None, None),
        GitDirectory::Unusable(why) => (None, Some(why)),
    };
    Ok(match git {
        Some(directory) => Place { directory, former: Some(beside()), unusable },
        None => Place { directory: beside(), former: None, unusable },
    })
}

/// Returns whether a state directory was made for one command.
pub(super) fn passes(stat: &Stat) -> bool {
    stat.permissions & PASSING != 0
}

/// What has the place of a directory of the program's own.
pub(super) enum Found {
    Nothing,
    Directory(Stat),
    /// The file of a [`SingleChange`](super::SingleChange).
    Single,
}

impl Found {
    /// Returns whether it is a directory.
    pub(super) fn is_directory(&self) -> bool {
        matches!(self, Self::Directory(_))
    }

    /// Returns whether it is a directory that was made for one command.
    pub(super) fn passes(&self) -> bool {
        matches!(self, Self::Directory(stat) if passes(stat))
    }
}

/// Looks for the program's own at `directory`.
///
/// # Security
///
/// What lies there is believed only if nobody but the user can have put it there: a journal is a list of
/// files to write.
pub(super) fn find(workspace: &dyn Workspace, directory: &RelPath) -> Result<Found, Failure> {
    let Some(stat) = workspace.stat(directory)? else { return Ok(Found::Nothing) };
    let reason = match stat.kind {
        _ if stat.uid != workspace.user() => format!("{directory}: belongs to another user"),
        // There is nothing in an empty one to believe, whatever its permission bits; some file systems have none.
        FileKind::Regular if directory.parent().is_none() && (stat.size == 0 || is_private(workspace, &stat)) => {
            return Ok(Found::Single);
        }
        FileKind::Directory if stat.permissions & 0o022 != 0 => format!("{directory}: others can write to it"),
        FileKind::Directory => return Ok(Found::Directory(stat)),
        kind => format!("{directory}: a {kind} where the state directory should be"),
    };
    Err(Failure::State { reason })
}

/// Returns whether a file belongs to the user and to nobody else. One that is being removed has no name any more.
pub(super) fn is_private(workspace: &dyn Workspace, stat: &Stat) -> bool {
    stat.uid == workspace.user() && stat.permissions & 0o7177 == 0 && stat.links <= 1
}
